//! The schemas that editors are given say what the reader says: on every page of every course here, on the suite's cases
//! of broken front matter, and on documents in which every value is replaced by every kind of value.

use std::collections::BTreeSet;
use std::fs;

use infralens_course::config::Config;
use infralens_course::references::References;
use infralens_course::schema::{self, Kind};
use infralens_page::{front_matter, placement};
use infralens_source::diag::{Diagnostic, Severity};
use infralens_source::source::Source;
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::harness::{SiteTest, listing, repository};
use crate::suite::{Piece, pieces};

fn validator(schema: &Value) -> Validator {
    jsonschema::options().should_validate_formats(true).build(schema).expect("a schema")
}

/// What reads a kind.
fn read(kind: Kind, source: &Source) -> Vec<Diagnostic> {
    let page = match kind {
        Kind::Lab => front_matter::Kind::Lab,
        Kind::Section => front_matter::Kind::Section,
        Kind::Track => front_matter::Kind::Track,
        Kind::Page => front_matter::Kind::Page,
        Kind::Site => return Config::read(source).1,
        Kind::References => return References::read(source).1,
    };
    front_matter::read(source, page).2
}

/// Whether a schema can know of a mistake: keys, types, blanks and words, but not whether a text has a form, and what a
/// text says twice.
fn can_be_seen(error: &Diagnostic) -> bool {
    let output = |what: &[&str]| what.iter().any(|what| error.message.contains(what));
    match error.code.id {
        "E0108" => output(&["is empty", "must be one of", "must be at most", "at least 1", "a day of the calendar"]),
        "E0103" | "E0105" => false,
        _ => true,
    }
}

/// The kind of what stands in a file of a course, if it has a schema.
fn kind(path: &str) -> Option<Kind> {
    match path {
        "content/site.yaml" => return Some(Kind::Site),
        "content/references.yaml" => return Some(Kind::References),
        _ if !path.starts_with("content/") || !path.ends_with(".md") => return None,
        _ => {}
    }
    Some(match placement::place(path).ok()?.kind {
        placement::Kind::Lab => Kind::Lab,
        placement::Kind::Section => Kind::Section,
        placement::Kind::Track => Kind::Track,
        _ => Kind::Page,
    })
}

/// Holds the schema of a file of a course against what reads it. Returns what both say; nothing where it is no YAML, and
/// so nothing that a schema speaks of.
fn verdict(path: &str, text: &str) -> Option<bool> {
    let kind = kind(path)?;
    let source = Source::new(path, text);
    let yaml = match kind {
        Kind::Site | Kind::References => text,
        _ => &text[front_matter::split(&source).0?],
    };
    let value: Value = serde_yaml::from_str(yaml).ok()?;
    let accepted = validator(&schema::schema(kind)).is_valid(&value);
    let mut errors = read(kind, &source);
    errors.retain(|found| found.severity == Severity::Error);
    if errors.is_empty() || errors.iter().any(can_be_seen) {
        assert_eq!(accepted, errors.is_empty(), "{path}: {errors:#?}\n{yaml}");
        return Some(accepted);
    }
    None
}

#[test]
fn schemas_are_schemas() {
    for kind in Kind::ALL {
        let schema = schema::schema(kind);
        assert!(jsonschema::draft7::meta::is_valid(&schema), "{}", kind.name());
        validator(&schema);
    }
}

#[test]
fn every_page_of_every_course_is_accepted() {
    let mut seen = BTreeSet::new();
    let sites = fs::read_dir(repository("tests/sites")).expect("courses").map(|entry| entry.expect("a course").path());
    for root in sites.chain([repository(""), repository("tests/suite/base")]) {
        for (below, at) in listing(&root.join("content")) {
            let path = format!("content/{below}");
            if let (Some(kind), Ok(text)) = (kind(&path), fs::read_to_string(&at)) {
                // A glossary may do without front matter.
                if verdict(&path, &text).is_some_and(|accepted| accepted) {
                    seen.insert(kind.name());
                }
            }
        }
    }
    assert_eq!(seen.len(), Kind::ALL.len(), "{seen:?}");
}

#[test]
fn what_the_suite_shows_to_be_refused_is_refused() {
    let text = fs::read_to_string(repository("tests/suite/diagnostics/front-matter.md")).expect("cases");
    let verdicts: Vec<bool> = pieces(&text)
        .iter()
        .filter_map(|piece| match piece {
            Piece::Block { name, body, .. } => verdict(name, body),
            Piece::Line(_) => None,
        })
        .collect();
    let refused = verdicts.iter().filter(|accepted| !**accepted).count();
    assert!(refused >= 8, "{verdicts:?}");
}

/// A document of a kind in which every key stands, with the path at which a course has it.
fn full(kind: Kind) -> (&'static str, Value) {
    let page = json!({
        "title": "T", "summary": "S", "checked": "2026-11-21", "date": "2026-11-20",
        "author": ["A", "B"], "reading": ["a"], "draft": true, "aliases": ["a.html"],
        "allow": ["filler"], "figures": "checked", "given": { "80 GB": "a" },
        "extra": { "a": [1, { "b": null }] },
    });
    let with = |more: Value| {
        let mut page = page.as_object().expect("an object").clone();
        page.extend(more.as_object().expect("an object").clone());
        Value::Object(page)
    };
    match kind {
        Kind::Page => (
            "content/a.md",
            with(json!({ "order": 1, "template": "page.html", "extra_schema": { "type": "object" }, "pages": {
            "template": "page", "order": "newest", "extra": { "type": "object" },
        } })),
        ),
        Kind::Track => {
            let own = json!({ "groups": { "G": "Why?" }, "ways": { "W": ["s"] } });
            ("content/tracks/t/index.md", with(own))
        }
        Kind::Section => ("content/tracks/t/handbook/01-s.md", with(json!({ "after": ["s"], "numbered": false }))),
        Kind::Lab => {
            let upstream = json!([{
                "repository": "https://example.org/r", "commit": "1a2b3c4", "path": "a.py", "license": "MIT", "file": "a.py",
            }]);
            let starter = json!({ "file": "a.py", "type": "T", "angle": "A", "run": "R", "record": { "a": "C" }, "upstream": upstream });
            let own = json!({
                "group": "G", "focus": "F", "reads": "R", "outcome": "O", "handbook": ["s"], "minutes": 25,
                "starter": starter, "after": ["s"],
            });
            ("content/tracks/t/labs/lab-01-a.md", with(own))
        }
        Kind::Site => {
            let sections = json!([{ "title": "Goal", "required": true, "as": "questions" }]);
            let file = json!({ "family": "F", "file": "f.woff2", "weight": "200 900", "style": "italic" });
            let fonts = json!({ "text": "F", "code": "G", "interface": "H", "files": [file] });
            let site = json!({
                "title": "T", "tagline": "T", "base_url": "https://example.org/", "language": "en",
                "labels": { "next": "Next", "minutes": "{n} m" }, "repository": "https://example.org/r",
                "languages": { "de": { "title": "T", "tagline": "T", "labels": { "next": "Weiter" } } },
                "report_url": "https://example.org/r/issues/new",
                "author": "A", "license": "MIT",
                "edit_path": "e/{path}", "tracks": ["t"], "nav": ["a.md"], "lints": { "filler": ["a"], "todo": "off" }, "labs": { "sections": sections }, "words": ["w"],
                "extra": { "a": 1 }, "extra_schema": { "type": "object" }, "freshness_days": 10, "figures": "free", "markdown": { "raw_html": "safe" }, "copies": false, "redirects": ["nginx", "caddy"],
                "logo": { "light": "a.svg", "dark": "b.svg", "replaces_title": true }, "favicon": "c.svg",
                "colors": { "accent": { "light": "#0b6450", "dark": "#74cdaa" } }, "fonts": fonts,
                "header": [{ "label": "L", "link": "a.md" }], "footer": [{ "label": "L", "link": "a.md" }],
            });
            ("content/site.yaml", site)
        }
        Kind::References => {
            let reference = json!({
                "kind": "paper", "title": "T", "url": "https://example.org/", "authors": ["A"], "year": 2017, "note": "N",
                "checked": "2026-11-21",
            });
            ("content/references.yaml", json!({ "a2017": reference }))
        }
    }
}

/// JSON pointers to every value of a document but itself.
fn pointers(value: &Value, at: &str, all: &mut Vec<String>) {
    let below: Vec<(String, &Value)> = match value {
        Value::Object(entries) => entries.iter().map(|(key, value)| (format!("{at}/{key}"), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(index, item)| (format!("{at}/{index}"), item)).collect(),
        _ => Vec::new(),
    };
    for (pointer, value) in below {
        pointers(value, &pointer, all);
        all.push(pointer);
    }
}

/// The documents that differ from one in one place: a value of another kind, a key less, a key more.
fn changed(document: &Value) -> Vec<Value> {
    let samples = json!([
        null, true, 0, 1, -1, 1.5, 4_294_967_296_u64, "", "  ", "text", "safe", "papers", "2026-11-21", "2026-02-30",
        "https://example.org/x", [], [""], ["text"], [[]], [null], [7], {}, { "unheard": 1 }, { "title": "T" },
    ]);
    let mut all = Vec::new();
    let mut places = Vec::new();
    pointers(document, "", &mut places);
    for place in &places {
        for sample in samples.as_array().expect("a list") {
            let mut one = document.clone();
            *one.pointer_mut(place).expect("it is there") = sample.clone();
            all.push(one);
        }
        let (above, key) = place.rsplit_once('/').expect("a pointer has a slash");
        for (less, more) in [(key, None), ("", Some("unheard"))] {
            let mut one = document.clone();
            if let Some(Value::Object(entries)) = one.pointer_mut(above) {
                entries.retain(|name, _| name != less);
                entries.extend(more.map(|name| (name.to_owned(), json!("x"))));
                all.push(one);
            }
        }
    }
    all
}

#[test]
fn schema_and_reader_agree_on_every_kind_of_value_everywhere() {
    for kind in Kind::ALL {
        let (path, document) = full(kind);
        let written = |value: &Value| match kind {
            Kind::Site | Kind::References => value.to_string(),
            _ => format!("---\n{}\n{value}\n---\n", schema::modeline(kind, path)),
        };
        assert_eq!(verdict(path, &written(&document)), Some(true), "{}", kind.name());
        let verdicts: Vec<Option<bool>> =
            changed(&document).iter().map(|document| verdict(path, &written(document))).collect();
        let count = |which| verdicts.iter().filter(|verdict| **verdict == which).count();
        assert!(count(Some(false)) > 50 && count(Some(true)) > 20, "{}: {verdicts:?}", kind.name());
        let keys = |value: &Value| value.as_object().expect("an object").keys().cloned().collect::<BTreeSet<_>>();
        if kind != Kind::References {
            assert_eq!(keys(&document), keys(&schema::schema(kind)["properties"]), "a key that is not tried");
        }
    }
}

#[test]
fn schemas_are_printed_and_written() {
    let test = SiteTest::from_dir("minimal");
    let print = |arguments: &[&str]| -> Value {
        let run = test.run(arguments);
        assert!(run.status.success() && run.stderr.is_empty(), "{arguments:?}");
        serde_json::from_slice(&run.stdout).expect("JSON")
    };
    assert_eq!(print(&["schema", "site"]), schema::schema(Kind::Site));
    let all = print(&["schema"]);
    assert_eq!(all.as_object().expect("an object").len(), 6);
    assert_eq!(all["references"], schema::schema(Kind::References));
    assert!(!test.root().join(".infralens").exists());

    let written = test.run(&["schema", "--write"]);
    assert_eq!(String::from_utf8_lossy(&written.stdout), "6 schemas in .infralens/schema/ (6 new or changed)\n");
    test.write(".infralens/schema/lab.json", "of an older version");
    let again = test.run(&["schema", "--write"]);
    assert_eq!(String::from_utf8_lossy(&again.stdout), "6 schemas in .infralens/schema/ (1 new or changed)\n");
    let found: Vec<(String, String)> = listing(&test.root().join(".infralens"))
        .into_iter()
        .map(|(name, at)| (format!(".infralens/{name}"), fs::read_to_string(at).expect("a schema")))
        .collect();
    let mut wanted = schema::files();
    wanted.sort();
    assert_eq!(found, wanted);
    let one = test.run(&["schema", "lab", "--write"]);
    assert_eq!(String::from_utf8_lossy(&one.stdout), "1 schema in .infralens/schema/ (0 new or changed)\n");
}

#[test]
fn schemas_are_written_into_the_course_alone() {
    let test = SiteTest::from_dir("minimal");
    let elsewhere = test.above().join("elsewhere");
    fs::create_dir(&elsewhere).expect("a folder");
    std::os::unix::fs::symlink(&elsewhere, test.root().join(".infralens")).expect("a link");
    let refused = test.run(&["schema", "--write"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).starts_with("error: cannot create files in `"));
    assert_eq!(listing(&elsewhere).len(), 0);
    fs::remove_file(test.root().join(".infralens")).expect("a link");
    test.write("mine.txt", "mine");
    fs::create_dir_all(test.root().join(".infralens/schema")).expect("a folder");
    let link = test.root().join(".infralens/schema/lab.json");
    std::os::unix::fs::symlink(test.root().join("mine.txt"), &link).expect("a link");
    assert!(test.run(&["schema", "--write"]).status.success());
    assert_eq!(fs::read_to_string(test.root().join("mine.txt")).expect("a file"), "mine");
    assert!(fs::symlink_metadata(&link).expect("a file").is_file());
}
