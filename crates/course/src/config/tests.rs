//! What site.yaml may contain, and the diagnostics for everything else.

use super::*;
use infralens_source::testing::said;

fn config(text: &str) -> (Config, Vec<String>) {
    let source = Source::new("content/site.yaml", text);
    let (config, found) = Config::read(&source);
    (config, said(&source, &found))
}

#[test]
fn the_whole_file_is_read() {
    let text = "\u{feff}title: InfraLens\r\ntagline: A start.\r\nbase_url: https://example.org/course\r\nlanguage: de\r\n\
                labels: { next: Weiter, omitted_lines: '{n} Zeilen' }\r\nrepository: https://example.org/repo/\r\n\
                tracks: [ai-infra, \"größe_2\"]\r\nlabs:\r\n  sections:\r\n    - { title: Goal, required: true }\r\n\
                \x20   - { title: Say it, as: spoken }\r\nwords: [nvidia-smi, NCCL]\r\nfreshness_days: 30\r\n\
                markdown: { raw_html: escape }\r\n";
    let (config, errors) = config(text);
    assert_eq!(errors, [""; 0]);
    assert_eq!((config.title.as_str(), config.tagline.as_deref()), ("InfraLens", Some("A start.")));
    assert_eq!(config.base_url.as_deref(), Some("https://example.org/course/"));
    assert_eq!((config.base_path(), &*config.language), ("/course/", "de"));
    assert_eq!((config.labels.next.as_str(), config.labels.previous.as_str()), ("Weiter", "Zurück"));
    assert_eq!(config.labels.omitted_lines.with(14), "14 Zeilen");
    assert_eq!(
        config.tracks.iter().map(|track| &text[track.span.clone()]).collect::<Vec<_>>(),
        ["ai-infra", "\"größe_2\""]
    );
    let sections: Vec<_> = config
        .labs
        .sections
        .iter()
        .map(|section| (section.title.to_string(), section.required, section.form))
        .collect();
    assert_eq!(sections, [("Goal".into(), true, None), ("Say it".into(), false, Some(SectionForm::Spoken))]);
    assert_eq!(config.words, ["nvidia-smi", "NCCL"]);
    assert_eq!((config.freshness_days, config.markdown.raw_html), (30, RawHtml::Escape));
}

#[test]
fn what_is_left_out_has_its_default() {
    let (config, errors) = config("title: x\n");
    assert_eq!(errors, [""; 0]);
    assert_eq!((config.base_url.as_ref(), config.base_path(), &*config.language), (None, "/", "en"));
    assert_eq!((config.freshness_days, config.markdown.raw_html), (365, RawHtml::Safe));
    assert!(config.tracks.is_empty() && config.words.is_empty() && config.repository.is_none());
    let sections: Vec<String> = config
        .labs
        .sections
        .iter()
        .map(|section| {
            let form = section.form.map_or("-", SectionForm::name);
            format!("{}, {}, {form}", *section.title, section.required)
        })
        .collect();
    assert_eq!(
        sections,
        [
            "Concept goal, true, -",
            "Mental model, true, -",
            "Annotated code, true, -",
            "What to notice, true, -",
            "Common misunderstandings, true, -",
            "Check yourself, false, questions",
            "Interview explanation, true, spoken",
            "Additional intuition, false, -",
            "Further reading, true, reading",
        ]
    );
}

#[test]
fn a_lab_contract_may_be_empty() {
    assert!(config("title: x\nlabs: { sections: [] }\n").0.labs.sections.is_empty());
    assert_eq!(config("title: x\nlabs: {}\n").0.labs.sections.len(), 9);
}

#[test]
fn a_broken_file_still_gives_a_config() {
    for text in ["", "title: [", "- a\n", "title: x: y\n", "\0"] {
        let (config, errors) = config(text);
        assert_eq!(errors.len(), 1, "{text:?}: {errors:?}");
        assert_eq!((config.title.as_str(), config.labs.sections.len()), ("Untitled", 9), "{text:?}");
    }
    assert_eq!(config("").1, ["E0107 1:1-1 required key `title` is missing: it must be text"]);
}

/// Returns the diagnostics for a line that follows the title.
fn check(cases: &[(&str, &[&str])]) {
    for (line, expected) in cases {
        assert_eq!(config(&format!("title: x\n{line}\n")).1, *expected, "{line}");
    }
}

#[test]
fn mistakes_are_said_where_they_are() {
    let url = "`base_url` must be an http or https URL without query and fragment";
    let tag = "`language` must be a language tag such as `en` or `pt-BR` [this does not have that form]";
    let cases: &[(&str, &[&str])] = &[
        ("base_url: example.org", &[&format!("E0108 2:11-22 {url} [it does not begin with `https://`]")]),
        ("base_url: https://example.org/?a", &[&format!("E0108 2:11-33 {url} [it has a query or a fragment]")]),
        ("base_url: 'https://example.org/#a'", &[&format!("E0108 2:11-35 {url} [it has a query or a fragment]")]),
        (
            "base_url: https://example.org//course/",
            &[&format!("E0108 2:11-39 {url} [its path contains an empty part, `.` or `..`]")],
        ),
        (
            "base_url: https://example.org/a/../b",
            &[&format!("E0108 2:11-37 {url} [its path contains an empty part, `.` or `..`]")],
        ),
        (
            "base_url: https://example.org/ä",
            &[&format!("E0108 2:11-32 {url} [it contains a character that must be percent-encoded]")],
        ),
        ("language: english language", &[&format!("E0108 2:11-27 {tag}")]),
        ("language: e", &[&format!("E0108 2:11-12 {tag}")]),
        ("language: en_GB", &[&format!("E0108 2:11-16 {tag}")]),
    ];
    check(cases);
}

#[test]
fn mistakes_in_lists_and_maps_are_said_where_they_are() {
    let cases: &[(&str, &[&str])] = &[
        (
            "labels: { nxt: Weiter, omitted_lines: Zeilen }",
            &[
                "E0104 2:11-14 unknown key `nxt` in `labels` (did you mean `next`?)",
                "E0108 2:39-45 `labels.omitted_lines` must be text that contains `{n}` [there is no `{n}` in it]",
            ],
        ),
        (
            "edit_path: blob/main",
            &[
                "E0108 2:12-21 `edit_path` must be a path or an http or https URL that contains `{path}` [there is no `{path}` in it]",
            ],
        ),
        (
            "tracks: [a, b/c, é, a, A]",
            &[
                "E0108 2:13-16 each item of `tracks` must be a name of letters, digits, `-` and `_` [this contains another character]",
                "E0108 2:21-22 `tracks` names `a` twice [again here] [2:10-11 first here]",
                "E0108 2:24-25 `tracks` names `A` twice [again here] [2:10-11 first here]",
            ],
        ),
        (
            "labs:\n  sections:\n  - { title: 'A: b' }\n  - { titel: A }\n  - { title: C, as: spokn }\n  - { title: c }\n  - D",
            &[
                "E0108 4:14-20 `labs.sections.title` must be text without a colon [a heading's text after a colon is not part of \
             its title]",
                "E0104 5:7-12 unknown key `titel` in `labs.sections` (did you mean `title`?)",
                "E0108 6:21-26 `labs.sections.as` must be one of `questions`, `spoken`, `reading` [not one of them] (did you \
             mean `spoken`?)",
                "E0108 7:14-15 `labs.sections` names `c` twice [again here] [6:14-15 first here]",
                "E0106 8:5-6 each item of `labs.sections` must be a map with the keys `title`, `required`, `as` [this is text] \
             (write `{ title: D }`)",
            ],
        ),
        (
            "freshness_days: never",
            &[
                "E0106 2:17-22 `freshness_days` must be a whole number, at least 1 [this is text] (write digits alone, without quotes, as in `10`)",
            ],
        ),
        (
            "markdown: { raw_html: unsafe }",
            &[
                "E0108 2:23-29 `markdown.raw_html` must be one of `safe`, `trusted`, `escape` [not one of them] (did you mean \
             `safe`?)",
            ],
        ),
        (
            "repository: github.com/x/y",
            &["E0108 2:13-27 `repository` must be an http or https URL [it does not begin with `https://`]"],
        ),
        ("words: NCCL", &["E0106 2:8-12 `words` must be a list of text [this is text] (write `[NCCL]`)"]),
    ];
    check(cases);
}

#[test]
fn a_base_url_ends_with_one_slash() {
    let cases = [
        ("https://example.org", "https://example.org/", "/"),
        ("https://example.org//", "https://example.org/", "/"),
        ("http://example.org:8080/a/b", "http://example.org:8080/a/b/", "/a/b/"),
        ("https://example.org/a/", "https://example.org/a/", "/a/"),
    ];
    for (text, url, path) in cases {
        let base = BaseUrl::parse(text).expect("it is a URL");
        assert_eq!((&*base, base.path()), (url, path));
    }
}

#[test]
fn pages_can_be_edited_where_the_repository_is_known() {
    let edit = |text: &str| config(&format!("title: x\n{text}")).0.edit_url("content/tracks/größe/a b.md");
    let file = "content/tracks/gr%C3%B6%C3%9Fe/a%20b.md";
    assert_eq!(edit(""), None);
    assert_eq!(edit("repository: https://h.org/r"), Some(format!("https://h.org/r/edit/main/{file}")));
    assert_eq!(
        edit("repository: https://h.org/r/\nedit_path: /-/edit/trunk/{path}?plain=1"),
        Some(format!("https://h.org/r/-/edit/trunk/{file}?plain=1"))
    );
    assert_eq!(
        edit("repository: https://h.org/r\nedit_path: https://edit.h.org/{path}"),
        Some(format!("https://edit.h.org/{file}"))
    );
}

#[test]
fn mistakes_can_be_reported_where_somebody_reads_them() {
    let report = |text: &str| config(&format!("title: x\n{text}")).0.report_link("Größe & Co", "content/a.md\n");
    let (title, body) = ("Gr%C3%B6%C3%9Fe%20%26%20Co", "content/a.md%0A");
    assert_eq!(report(""), None);
    for (settings, expected) in [
        ("repository: https://h.org/r/", format!("https://h.org/r/issues/new?title={title}&body={body}")),
        ("report_url: https://h.org/new", format!("https://h.org/new?title={title}&body={body}")),
        ("report_url: https://h.org/new?to=a\nrepository: https://h.org/r", {
            format!("https://h.org/new?to=a&title={title}&body={body}")
        }),
        ("repository: https://gitlab.com/a/b", {
            format!("https://gitlab.com/a/b/-/issues/new?issue%5Btitle%5D={title}&issue%5Bdescription%5D={body}")
        }),
    ] {
        assert_eq!(report(settings).as_deref(), Some(&*expected), "{settings}");
    }
    let (_, found) = config("title: x\nreport_url: https://h.org/#new\n");
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn languages_have_the_form_of_a_tag() {
    for good in ["en", "no", "pt-BR", "zh-Hant-TW", "sr-Latn", "de-CH-1996", "yue", "es-419"] {
        assert!(Language::parse(good).is_ok(), "{good}");
    }
    for bad in ["", "e", "en-", "-en", "en--GB", "1en", "en US", "abcdefghi", "en-abcdefghi", "日本"] {
        assert!(Language::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn some_languages_are_written_from_right_to_left() {
    let is_right_to_left = |tag| Language::parse(tag).expect("a tag").is_right_to_left();
    for tag in ["ar", "AR-EG", "he", "fa-IR", "az-Arab", "ur-Aran-PK", "yi"] {
        assert!(is_right_to_left(tag), "{tag}");
    }
    for tag in ["en", "de-1996", "ku", "zh-Hans", "ar-Latn", "pa-Guru", "tr"] {
        assert!(!is_right_to_left(tag), "{tag}");
    }
}

#[test]
fn defaults_have_the_form_that_is_asked_of_others() {
    let config = Config::default();
    assert!(Language::parse(&config.language).is_ok() && EditPath::parse(&config.edit_path).is_ok());
    assert!(config.labs.sections.iter().all(|section| SectionTitle::parse(&section.title).is_ok()));
    for field in Labels::FIELDS {
        let default = (field.default)().expect("every label has its words");
        assert!(!field.description().is_empty(), "{}", field.name);
        let default = default.get("other").unwrap_or(&default).as_str().expect("labels are text");
        let mut gaps = default.split('{').skip(1).map(|gap| gap.split('}').next().unwrap_or_default());
        // A label whose only number is `n` says so, so that an author cannot leave the number out.
        if default.contains('{') && gaps.all(|gap| gap == "n") {
            assert!(!matches!(field.ty, infralens_source::yaml::Type::Text), "{}", field.name);
        }
    }
    let labels = serde_json::to_value(&config.labels).expect("labels are plain text");
    assert_eq!(labels["hours"], "{n}\u{a0}h");
    assert_eq!(labels["labs_counted"], r#"{"one":"{n} code-reading lab","other":"{n} code-reading labs"}"#);
    assert_eq!(labels.as_object().map(serde_json::Map::len), Some(Labels::FIELDS.len()));
}
