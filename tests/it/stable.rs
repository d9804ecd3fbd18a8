//! The names that the guide's page `stability.md` calls stable, each in a line of `tests/schemas/stable.txt`: those that other
//! programs, templates, settings and scripts use. A name that is gone, or whose values have another type, fails the test, and
//! `UPDATE=1` only adds new names. To remove one, delete its line, and write in the changelog what replaces it.

use std::collections::BTreeSet;
use std::fs;

use infralens::assets::BUILTIN;
use infralens_course::schema;
use infralens_source::diag::codes;
use infralens_theme::context::FIELDS;
use serde_json::Value;

use crate::harness::{SiteTest, repository, updates};
use crate::sites;

const LIST: &str = "tests/schemas/stable.txt";
/// The files at the root of a site.
const FILES: [&str; 10] = [
    "index.html", "404.html", "course.json", "llms.txt", "robots.txt", "sitemap.xml", "feed.xml", "references.html",
    "glossary.html", "progress.html",
];

/// Adds a line for the type of each value in JSON, below the path of its keys: `tracks[].labs[].minutes number`. A map whose
/// keys are names of a course is not one of these formats.
fn types(json: &Value, path: &str, names: &mut BTreeSet<String>) {
    let kind = match json {
        Value::Null => return,
        Value::Bool(_) => "true or false",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(items) => return items.iter().for_each(|item| types(item, &format!("{path}[]"), names)),
        Value::Object(entries) => {
            return entries.iter().for_each(|(key, value)| types(value, &format!("{path}.{key}"), names));
        }
    };
    names.insert(format!("{path} {kind}"));
}

/// The keys that a schema knows, at any depth.
fn keys(schema: &Value, path: &str, names: &mut BTreeSet<String>) {
    for (key, value) in schema["properties"].as_object().into_iter().flatten() {
        // The labels of another language are those of the course.
        if path == "key site.languages" && key == "labels" {
            continue;
        }
        names.insert(format!("{path}.{key}"));
        keys(value, &format!("{path}.{key}"), names);
    }
    let below = [&schema["items"], &schema["additionalProperties"]].into_iter();
    let choices = ["anyOf", "oneOf"].into_iter().filter_map(|choice| schema[choice].as_array()).flatten();
    below.chain(choices).filter(|schema| schema.is_object()).for_each(|schema| keys(schema, path, names));
}

/// What programs read: `course.json`, and the reports in JSON.
fn formats(names: &mut BTreeSet<String>) {
    let base = SiteTest::copy_of(&repository("tests/suite/base"));
    base.edit("content/tracks/t/labs/lab-01-a.md", "type: Script", "type: Script, run: python3 a.py");
    for test in sites::cases().iter().map(|case| sites::course(case)).chain([base]) {
        let files = test.build().files.unwrap_or_default();
        let Some(course) = files.get("course.json") else { continue };
        types(&serde_json::from_slice(course.as_ref()).expect("JSON"), "course.json", names);
        names.extend(FILES.iter().filter(|path| files.contains_key(**path)).map(|path| format!("address {path}")));
    }
    let test = SiteTest::copy_of(&repository("tests/suite/base"));
    test.write("content/b.MD", "x").write("content/c.md", "---\ntitel: C\n---\n");
    let run = |arguments: &[&str]| String::from_utf8(test.run(arguments).stdout).expect("UTF-8");
    let check = run(&["check", "--format", "json"]);
    check.lines().for_each(|line| types(&serde_json::from_str(line).expect("JSON"), "check --format json", names));
    let older = SiteTest::copy_of(&repository("tests/suite/base"));
    let newer = SiteTest::copy_of(&repository("tests/suite/base"));
    newer.write("content/about.md", "---\ntitle: About\n---\n").write("code/lab-01-a/a.py", "y = 2\n");
    let [old, new] = [&older, &newer].map(|test| test.root().display().to_string());
    let report = run(&["diff", &old, &new, "--format", "json"]);
    types(&serde_json::from_str(&report).expect("JSON"), "diff --format json", names);
}

/// What templates and styles of a course use.
fn templates(names: &mut BTreeSet<String>) {
    let mut structure = "";
    for line in FIELDS.lines().filter(|line| !line.is_empty()) {
        let Some(field) = line.strip_prefix("  ") else {
            structure = line.trim_matches('`');
            continue;
        };
        names.insert(format!("template {structure}.{}", field.split(' ').next().unwrap_or_default()));
    }
    for (name, text) in BUILTIN.templates {
        names.insert(format!("template {name}"));
        let blocks = text.split("{% block ").chain(text.split("{%- block ")).skip(1);
        let blocks = blocks.filter_map(|rest| rest.split([' ', '%', '-']).next());
        let blocks = blocks.filter(|block| !block.is_empty() && block.chars().all(char::is_alphabetic));
        names.extend(blocks.map(|block| format!("template {name} block {block}")));
    }
    let tokens = fs::read_to_string(repository("static/style/tokens.css")).expect("the built-in style");
    let properties =
        tokens.split(['{', ';', '\n']).filter_map(|part| Some(part.trim().strip_prefix("--")?.split_once(':')?.0));
    names.extend(properties.map(|name| format!("style --{name}")));
}

/// What courses and scripts write: settings, front matter, labels, codes, commands and their options.
fn written(names: &mut BTreeSet<String>) {
    for kind in schema::Kind::ALL {
        keys(&schema::schema(kind), &format!("key {}", kind.name()), names);
    }
    names.extend(codes::ALL.iter().map(|code| format!("code {}", code.id)));
    let guide = fs::read_to_string(repository("content/guide/commands.md")).expect("the page of commands");
    for passage in guide.split("<!-- made: help ").skip(1) {
        let command = passage.split(" -->").next().unwrap_or_default();
        names.insert(format!("command {command}"));
        let lines = passage.split("<!-- /made -->").next().unwrap_or_default().lines();
        let options =
            lines.filter(|line| line.trim_start().starts_with('-')).flat_map(|line| line.split([' ', ',', '=', '[']));
        let options = options.filter(|word| word.starts_with("--") && word.len() > 3);
        names.extend(options.map(|option| format!("command {command} {}", option.trim_end_matches([']', '`', '.']))));
    }
}

#[test]
fn what_the_guide_calls_stable_is_there() {
    let mut names = BTreeSet::new();
    formats(&mut names);
    templates(&mut names);
    written(&mut names);
    let list = fs::read_to_string(repository(LIST)).unwrap_or_default();
    let known: BTreeSet<String> = list.lines().map(str::to_owned).collect();
    if updates() {
        let all: String = known.union(&names).map(|name| format!("{name}\n")).collect();
        fs::write(repository(LIST), all).expect("the list can be written");
    }
    let gone: Vec<_> = known.difference(&names).collect();
    assert!(gone.is_empty(), "these names were stable, see content/guide/stability.md: {gone:#?}");
    let new: Vec<_> = names.difference(&known).collect();
    assert!(updates() || new.is_empty(), "UPDATE=1 adds these: {new:#?}");
    assert!(names.contains("course.json.tracks[].labs[].starter.file text"), "{LIST} has the keys of course.json");
}
