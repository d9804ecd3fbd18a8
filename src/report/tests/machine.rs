//! The exact text of the formats `sarif` and `github`; that they hold for every diagnostic is a test of the whole program.

use serde_json::{Value, json};

use super::*;

/// An error with all that a diagnostic can have, in a path and with words that must be escaped.
fn everything() -> (Texts, Diagnostic) {
    let texts = text("content/é, a:b%.md", "\u{feff}one\r\n`x` two\n").and("code/a.py", "x = 1\ny = 2\n");
    let diagnostic = Diagnostic::new(codes::E0301, texts.find("content/é, a:b%.md", "`x`"), "100%\rof `x`")
        .label("not here")
        .related(texts.find("code/a.py", "y"), "but, there: it is")
        .related(Place::file("code/b.py"), "nor here")
        .note("-a\n+b\n")
        .help("mend it");
    (texts, diagnostic)
}

#[test]
fn an_annotation_is_a_line() {
    let (texts, diagnostic) = everything();
    assert_eq!(
        github(&[diagnostic], &texts, ""),
        "::error file=content/é%2C a%3Ab%25.md,line=2,endLine=2,col=1,endColumn=4,\
         title=E0301 note bound to code that is not in the excerpt::100%25%0Dof `x`%0Anot here\
         %0Acode/a.py:2: but, there: it is%0Acode/b.py: nor here%0A-a%0A+b%0Ahelp: mend it\n"
    );
    let texts = text("a.md", "one\ntwo\n");
    let all = [
        Diagnostic::new(codes::W0301, texts.bytes("a.md", 1, 6), "of two lines"),
        Diagnostic::new(codes::W0302, Place::file("b.md"), "of a file\u{1b}[31m").hint(),
    ];
    assert_eq!(
        github(&all, &texts, ""),
        "::warning file=a.md,line=1,endLine=2,title=W0301 stale excerpt%3A its notes still hold::of two lines\n\
         ::notice file=b.md,title=W0302 excerpt whose notes are not pinned::of a file␛[31m\n"
    );
    assert_eq!(github(&[], &texts, ""), "");
}

#[test]
fn a_course_below_a_repository_is_named_from_there() {
    let texts = text("a.md", "one\n");
    let said = [Diagnostic::new(codes::W0302, Place::file("a.md"), "of a file")];
    assert!(github(&said, &texts, "docs/a, b/").starts_with("::warning file=docs/a%2C b/a.md,title="));
    let log: Value = serde_json::from_str(&sarif(&said, &texts, "docs/a b/")).unwrap();
    let file = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
    assert_eq!(file["uri"], "docs/a%20b/a.md");
}

#[test]
fn a_log_names_its_rules_once() {
    let texts = Texts::default();
    let at = |code, message| Diagnostic::new(code, Place::file("a.md"), message);
    let all = [at(codes::W0302, "h").hint(), at(codes::E0104, "a"), at(codes::E0104, "\u{9b}31m")];
    let text = sarif(&all, &texts, "");
    assert!(text.contains("\\u009b31m"), "{text}");
    let log: Value = serde_json::from_str(&text).unwrap();
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    assert_eq!(rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect::<Vec<_>>(), ["E0104", "W0302"]);
    assert_eq!(
        (&rules[0]["name"], &rules[0]["shortDescription"]["text"]),
        (&"UnknownKey".into(), &"unknown key".into())
    );
    assert!(rules[0]["fullDescription"]["text"].as_str().unwrap().starts_with("The key is not known here"));
    assert_eq!(rules[0]["help"]["markdown"], codes::E0104.text);
    assert_eq!(rules[1]["defaultConfiguration"]["level"], "warning");
    let results = log["runs"][0]["results"].as_array().unwrap();
    let levels: Vec<_> =
        results.iter().map(|one| (one["level"].as_str().unwrap(), one["ruleIndex"].as_u64().unwrap())).collect();
    assert_eq!(levels, [("note", 1), ("error", 0), ("error", 0)]);
}

#[test]
fn a_result_names_every_place() {
    let (texts, diagnostic) = everything();
    let log: Value = serde_json::from_str(&sarif(&[diagnostic], &texts, "")).unwrap();
    let physical = |path: &str, region: Option<[u64; 3]>| {
        let mut physical = json!({ "artifactLocation": { "uri": path, "uriBaseId": "%SRCROOT%" } });
        if let Some([line, start, end]) = region {
            physical["region"] = json!({ "startLine": line, "startColumn": start, "endLine": line, "endColumn": end });
        }
        physical
    };
    assert_eq!(
        log["runs"][0]["results"],
        json!([{
            "ruleId": "E0301",
            "ruleIndex": 0,
            "level": "error",
            "message": { "text": "100%\rof `x`\n-a\n+b\nhelp: mend it" },
            "locations": [{
                "physicalLocation": physical("content/%C3%A9,%20a:b%25.md", Some([2, 1, 4])),
                "message": { "text": "not here" },
            }],
            "relatedLocations": [
                {
                    "physicalLocation": physical("code/a.py", Some([2, 1, 2])),
                    "message": { "text": "but, there: it is" },
                },
                { "physicalLocation": physical("code/b.py", None), "message": { "text": "nor here" } },
            ],
        }])
    );
}
