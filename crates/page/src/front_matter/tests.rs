//! Where front matter stands, and what each kind of page may have in it.

use super::*;
use infralens_source::testing::said;

/// Where the body of a text begins, its YAML, and what was said.
fn cut(text: &str) -> (Option<String>, String, Vec<String>) {
    let source = Source::new("a.md", text);
    let (yaml, body, found) = split(&source);
    (yaml.map(|span| text[span].to_owned()), text[body..].to_owned(), said(&source, &found))
}

fn front(kind: Kind, text: &str) -> (FrontMatter, Vec<String>) {
    let source = Source::new("a.md", text);
    let (front, _, found) = read(&source, kind);
    (front, said(&source, &found))
}

#[test]
fn front_matter_is_cut_off_at_the_very_start_only() {
    let whole = [
        ("---\ntitle: x\n---\nbody\n---\nmore\n", "title: x\n", "body\n---\nmore\n"),
        ("\u{feff}---  \r\ntitle: é\r\n---\t\r\nbody\r\n", "title: é\r\n", "body\r\n"),
        ("---\n---\n", "", ""),
        ("---\n---", "", ""),
        ("---\ntitle: x\n ---\n----\n--- x\n---\nbody", "title: x\n ---\n----\n--- x\n", "body"),
    ];
    for (text, yaml, body) in whole {
        assert_eq!(cut(text), (Some(yaml.to_owned()), body.to_owned(), Vec::new()), "{text:?}");
    }
    for text in [
        "", "body\n", "\n---\ntitle: x\n---\n", " ---\na: b\n---\n", "----\n---\n", "\u{feff}",
        "\u{feff}# Title\n---\n",
    ] {
        let body = text.trim_start_matches('\u{feff}').to_owned();
        assert_eq!(cut(text), (None, body, Vec::new()), "{text:?}");
    }
}

#[test]
fn front_matter_that_is_not_closed_is_an_error_at_its_opening() {
    let expected = "E0102 1:1-4 the front matter is not closed [opened here] (end it with a line `---`)";
    for (text, body) in [("---\ntitle: x\n\nbody\n", "\nbody\n"), ("\u{feff}---\r\nx\r\n", ""), ("---", "")] {
        assert_eq!(cut(text), (None, body.to_owned(), vec![expected.to_owned()]), "{text:?}");
        assert_eq!(front(Kind::Lab, text).1, [expected], "{text:?}");
    }
}

#[test]
fn a_page_without_front_matter_is_an_error_at_its_start() {
    let add = "(begin the file with a line `---`, a line `title: …` and another line `---`)";
    let first = "(the line `---` must be the first line of the file, without spaces before it)";
    let cases =
        [("", add), ("\u{feff}# Title\n", add), ("\n\n---\ntitle: x\n---\n", first), (" ---\ntitle: x\n---\n", first)];
    for (text, help) in cases {
        for kind in KINDS {
            let (front, errors) = front(kind, text);
            assert_eq!(errors, [format!("E0101 1:1-1 the page has no front matter {help}")], "{text:?}");
            assert_eq!(front.lab.is_some(), kind == Kind::Lab);
        }
    }
}

const LAB: &str = "---
title: Transformer Memory Accounting
summary: What training holds in memory
group: Foundation / Calculators
focus: Parameter count and memory ledger
reads: Pure Python formula script
outcome: Build the ledger of a model from its config
handbook: [transformer-memory, other/x]
after: [lab-02]
minutes: 25
starter:
  file: memory_accounting.py
  type: Formula script
  angle: How a config becomes a ledger
  run: python3 memory_accounting.py
  record: { ledger: python3 memory_accounting.py --json }
reading: [korthikanti2022]
checked: 2026-11-21
draft: true
aliases: [old/url.html, index.html]
allow: [filler]
figures: checked
given:
  80 GB: h100-datasheet
  1.25: PyTorch's default
---
body";

#[test]
fn a_lab_is_read_whole() {
    let (front, errors) = front(Kind::Lab, LAB);
    assert_eq!(errors, [""; 0]);
    let FrontMatter { common, after, lab: Some(lab), .. } = front else { panic!("it is a lab") };
    let cut = |span: &Span| &LAB[span.clone()];
    assert_eq!(*common.title, "Transformer Memory Accounting");
    assert_eq!(common.summary.map(|text| text.value).as_deref(), Some("What training holds in memory"));
    assert_eq!(common.checked.map(|date| date.to_string()).as_deref(), Some("2026-11-21"));
    assert!(common.draft);
    assert_eq!(common.reading.iter().map(|key| cut(&key.span)).collect::<Vec<_>>(), ["korthikanti2022"]);
    assert_eq!(common.aliases.iter().map(|url| cut(&url.span)).collect::<Vec<_>>(), ["old/url.html", "index.html"]);
    assert_eq!(common.allow.iter().map(|code| cut(&code.span)).collect::<Vec<_>>(), ["filler"]);
    assert_eq!(common.figures, Some(Figures::Checked));
    let given = |(figure, source): &(Spanned<String>, Spanned<String>)| [cut(&figure.span), cut(&source.span)];
    let expected = [["80 GB", "h100-datasheet"], ["1.25", "PyTorch's default"]];
    assert_eq!(common.given.0.iter().map(given).collect::<Vec<_>>(), expected);
    assert_eq!(after.iter().map(|name| cut(&name.span)).collect::<Vec<_>>(), ["lab-02"]);
    assert_eq!(lab.handbook.iter().map(|name| cut(&name.span)).collect::<Vec<_>>(), ["transformer-memory", "other/x"]);
    assert_eq!(
        (lab.group.map(|text| text.value).as_deref(), lab.minutes),
        (Some("Foundation / Calculators"), Some(25))
    );
    assert_eq!(
        (lab.focus.as_str(), lab.reads.as_str()),
        ("Parameter count and memory ledger", "Pure Python formula script")
    );
    assert_eq!(*lab.outcome, "Build the ledger of a model from its config");
    assert_eq!(lab.starter.file.map(|file| cut(&file.span)), Some("memory_accounting.py"));
    assert_eq!(
        (lab.starter.kind.as_str(), lab.starter.angle.as_str()),
        ("Formula script", "How a config becomes a ledger")
    );
    assert_eq!(lab.starter.run.map(|run| run.value).as_deref(), Some("python3 memory_accounting.py"));
    let [(name, command)] = &lab.starter.record.0[..] else { panic!("one record") };
    assert_eq!((name.to_string(), cut(&name.span)), ("ledger".to_owned(), "ledger"));
    assert_eq!((command.as_str(), cut(&command.span)), ("python3 memory_accounting.py --json", command.as_str()));
}

#[test]
fn each_kind_has_its_required_keys() {
    let missing = |name: &str, what: &str| format!("E0107 1:1-4 required key `{name}` is missing: it must be {what}");
    let title = missing("title", "text");
    let summary = missing("summary", "text");
    let starter = missing("starter", "a map with the keys `file`, `type`, `angle`, `run`, `record`, `upstream`");
    let lab = [
        missing("focus", "text"),
        missing("handbook", "a list of text"),
        missing("outcome", "text"),
        missing("reads", "text"),
        starter,
        title.clone(),
    ];
    let kinds: [(Kind, &[String]); 4] = [
        (Kind::Page, std::slice::from_ref(&title)),
        (Kind::Track, &[summary.clone(), title.clone()]),
        (Kind::Section, &[summary, title.clone()]),
        (Kind::Lab, &lab),
    ];
    for (kind, expected) in kinds {
        for text in ["---\n---\n", "\u{feff}---\r\n# only a comment\r\n---\r\n"] {
            assert_eq!(front(kind, text).1, expected, "{kind:?}");
        }
    }
}

#[test]
fn each_kind_has_its_own_keys() {
    let text = "---\ntitle: x\nsummary: y\nafter: [a]\nminutes: 5\n---\n";
    let unknown = |errors: Vec<String>| errors.iter().filter(|error| error.starts_with("E0104")).count();
    assert_eq!(KINDS.map(|kind| unknown(front(kind, text).1)), [2, 2, 1, 0]);
    assert_eq!(KINDS.map(|kind| front(kind, text).0.after.len()), [0, 0, 1, 1]);
    assert_eq!(KINDS.map(|kind| kind.fields().len()), [16, 14, 14, 20]);
}

#[test]
fn everything_wrong_in_a_lab_is_said_at_once() {
    let text = "---\r\ntitel: Größe\r\nfocus: 🚀 é\r\nreads:\r\nhandbook: []\r\nafter: lab-01\r\nminutes: bald\r\n\
                starter:\r\n  fiel: ü.py\r\n  type: [a]\r\nchecked: 21.11.2026\r\ndraft: nein\r\nfocus: again\r\n---\r\n";
    let (front, errors) = front(Kind::Lab, text);
    assert_eq!(
        errors,
        [
            "E0107 1:1-4 required key `outcome` is missing: it must be text",
            "E0104 2:1-6 unknown key `titel` (did you mean `title`?)",
            "E0106 4:1-6 `reads` must be text [there is no value] (give it a value, or remove the key)",
            "E0108 5:11-13 `handbook` is empty: it must be a list of text",
            "E0106 6:8-14 `after` must be a list of text [this is text] (write `[lab-01]`)",
            "E0106 7:10-14 `minutes` must be a whole number, at least 1 [this is text] (write digits alone, without quotes, as in `10`)",
            "E0107 8:1-8 required key `starter.angle` is missing: it must be text",
            "E0104 9:3-7 unknown key `fiel` in `starter` (did you mean `file`?)",
            "E0106 10:9-12 `starter.type` must be text [this is a list]",
            "E0106 11:10-20 `checked` must be a date such as 2026-11-21 [this is text]",
            "E0106 12:8-12 `draft` must be `true` or `false` [this is text]",
            "E0105 13:1-6 key `focus` is given twice [again here] [3:1-6 first given here]",
        ]
    );
    assert_eq!(front.lab.map(|lab| lab.focus.value).as_deref(), Some("🚀 é"));
}

#[test]
fn broken_yaml_is_one_error_and_what_came_before_it_is_read() {
    let (front, errors) = front(Kind::Lab, "---\ntitle: Known\nfocus: a: b\n---\nbody\n");
    assert_eq!(*front.common.title, "Known");
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].starts_with("E0103 3:9-10 a `:` does not fit here"), "{errors:?}");
}

#[test]
fn aliases_are_relative_paths_of_pages() {
    let wrong = [
        ("/old.html", "it begins with `/`"),
        ("../old.html", "it contains `.` or `..`"),
        ("a/./old.html", "it contains `.` or `..`"),
        ("a\\old.html", "it contains a character that such paths do not have: names are letters, digits, `-` and `_`"),
        ("https://x/y.html", "one of its parts is empty"),
        ("old.html#x", "it does not end in `.html`"),
        (
            "%2e%2e/old.html",
            "it contains a character that such paths do not have: names are letters, digits, `-` and `_`",
        ),
        ("a//old.html", "one of its parts is empty"),
        ("a /old.html", "it contains a character that such paths do not have: names are letters, digits, `-` and `_`"),
        ("old/", "it does not end in `.html`"),
        ("old.md", "it does not end in `.html`"),
        ("a/.html", "it does not end in `.html`"),
    ];
    for (alias, why) in wrong {
        let (front, errors) = front(Kind::Page, &format!("---\ntitle: x\naliases:\n- '{alias}'\n- ok/ä.html\n---\n"));
        let end = 5 + alias.len();
        let expected = format!(
            "E0108 4:3-{end} each item of `aliases` must be a relative path to an `.html` file, such as `old/page.html` [{why}]"
        );
        assert_eq!(errors, [expected]);
        assert_eq!(front.common.aliases.iter().map(|url| url.to_string()).collect::<Vec<_>>(), ["ok/ä.html"]);
    }
}

#[test]
fn maps_of_given_figures_and_records_need_names_and_values() {
    let lines = "given: {80 GB: '', 1.2: [a], '': x, 3 GB: ~, 4 s: a, 4 s: b}\nstarter:\n  file: a.py\n  type: t\n  angle: a\n  \
                 record: {Led_ger: a, '': b, a-1: python3 a.py, b: ''}\n";
    let text = format!("---\ntitle: x\nfocus: f\nreads: r\noutcome: o\nhandbook: [h]\n{lines}---\n");
    let (front, errors) = front(Kind::Lab, &text);
    let name = "a name of lowercase letters `a` to `z`, digits and `-`";
    assert_eq!(
        errors,
        [
            "E0108 7:16-18 `given.80 GB` is empty".to_owned(),
            "E0106 7:25-28 `given.1.2` must be text [this is a list]".to_owned(),
            "E0108 7:30-32 the key of `given.` is empty".to_owned(),
            "E0106 7:43-44 `given.3 GB` must be text [there is no value] (give it a value, or remove the key)"
                .to_owned(),
            "E0105 7:54-57 key `4 s` is given twice [again here] [7:46-49 first given here]".to_owned(),
            format!("E0108 12:12-19 `starter.record.Led_ger` must be {name} [this contains another character]"),
            "E0108 12:24-26 the key of `starter.record.` is empty".to_owned(),
            "E0108 12:53-55 `starter.record.b` is empty".to_owned(),
        ]
    );
    let names =
        |map: Vec<(Spanned<String>, Spanned<String>)>| map.into_iter().map(|(key, _)| key.value).collect::<Vec<_>>();
    assert_eq!(names(front.common.given.0), ["4 s"]);
    let record = front.lab.expect("a lab").starter.record.0;
    assert_eq!(record.iter().map(|(name, _)| name.to_string()).collect::<Vec<_>>(), ["a-1"]);
}
