//! From a page back to its Markdown.

use std::path::Path;

use super::*;
use crate::serve::editor::Settings;
use infralens_page::{parse, placement};

const LAB: &str = "---
title: A lab
outcome: Say in one sentence what is going on here
---

Some words come first, before any heading.

## One {#one}

The *same* words — `twice`.

- a tight item
- another, with $x^2$ and [a link](b.md)

  - one in the other

The *same* words — `twice`.

| a | b |
| --- | --- |
| left | right |

## Two

The same words -- `twice`.

> A quote of [@someone] is cited, with \"quotes\".

```python file=a.py
x = 1
```

1. `x` — the first note
2. `1` — the second

Asked
: answered

## Three

![a picture](p.png) beside it
";

const REFERENCE_FILE: &str = "# Papers\n\n# and others\n\nsomeone:\n  kind: paper\n  title: A paper\n";

fn ask(query: &[(&str, &str)]) -> Option<String> {
    let query: BTreeMap<String, String> =
        query.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    let editor =
        Editor::new(Path::new("/c"), Settings { template: Some("x:{path}:{line}:{column}"), ..Settings::default() })
            .expect("an editor");
    let source = Arc::new(Source::new("content/lab.md", LAB));
    let (document, _) = parse(&source, placement::place("content/lab.md").expect("a place"));
    let references = Source::new(REFERENCES, REFERENCE_FILE);
    let starter = Arc::from("code/a.py");
    let page = query.get("page").map(String::as_str);
    let page = PageSources {
        document: (page == Some("/lab.html")).then_some(&document),
        translation: None,
        starter: (page == Some("/code/a.py.html")).then_some(&starter),
        references: Some(&references),
    };
    locate(&query, page, &editor)
}

/// The line of the Markdown that a block on the lab's page leads to.
fn line_of(query: &[(&str, &str)]) -> String {
    let query: Vec<_> = [("page", "/lab.html")].into_iter().chain(query.iter().copied()).collect();
    let found = ask(&query).expect("a place");
    let found: serde_json::Value = serde_json::from_str(&found).expect("JSON");
    let line = usize::try_from(found["line"].as_u64().expect("a line")).expect("a small one");
    LAB.lines().nth(line - 1).unwrap_or_default().trim().to_owned()
}

#[test]
fn the_answer_names_file_line_and_link() {
    let found = ask(&[("page", "/lab.html"), ("heading", "one"), ("text", "Thesamewordstwice")]);
    let expected = r#"{"file":"content/lab.md","line":10,"column":1,"url":"x:/c/content/lab.md:10:1"}"#;
    assert_eq!(found.as_deref(), Some(expected));
    let found = ask(&[("page", "/code/a.py.html"), ("line", "12")]);
    let expected = r#"{"file":"code/a.py","line":12,"column":1,"url":"x:/c/code/a.py:12:1"}"#;
    assert_eq!(found.as_deref(), Some(expected));
    let found = ask(&[("page", "/references.html"), ("reference", "R-someone")]);
    let expected = r#"{"file":"content/references.yaml","line":5,"column":1,"url":"x:/c/content/references.yaml:5:1"}"#;
    assert_eq!(found.as_deref(), Some(expected));
    assert_eq!(ask(&[("page", "/lab.html"), ("reference", "R-nobody")]), None);
    assert_eq!(ask(&[("page", "/other.html"), ("text", "a")]), None);
    assert_eq!(ask(&[("text", "a")]), None);
}

#[test]
fn a_block_is_found_by_its_words() {
    assert_eq!(line_of(&[("text", "a tight item")]), "- a tight item");
    assert_eq!(line_of(&[("text", "another with x^2 and a link")]), "- another, with $x^2$ and [a link](b.md)");
    assert_eq!(line_of(&[("text", "one in the other")]), "- one in the other");
    assert_eq!(line_of(&[("text", "right")]), "| left | right |");
    assert_eq!(line_of(&[("text", "Asked")]), "Asked");
    assert_eq!(line_of(&[("text", "answered")]), ": answered");
    assert_eq!(line_of(&[("text", "beside it")]), "![a picture](p.png) beside it");
    assert_eq!(
        line_of(&[("text", "A quote of is cited, with quotes")]),
        "> A quote of [@someone] is cited, with \"quotes\"."
    );
}

#[test]
fn of_equal_blocks_the_one_that_is_meant() {
    let same = ("text", "The same words — twice");
    let at = |query: &[(&str, &str)]| ask(&[&[("page", "/lab.html"), same], query].concat()).expect("a place");
    let line = |query: &[(&str, &str)]| at(query).split("\"line\":").nth(1).map(|rest| rest[..2].to_owned());
    assert_eq!(line(&[("heading", "one")]).as_deref(), Some("10"));
    assert_eq!(line(&[("heading", "one"), ("nth", "1")]).as_deref(), Some("17"));
    assert_eq!(line(&[("heading", "two")]).as_deref(), Some("25"));
    assert_eq!(line(&[]).as_deref(), Some("10"));
    assert_eq!(line(&[("nth", "2")]).as_deref(), Some("25"));
    // More than there are: the last.
    assert_eq!(line(&[("nth", "9")]).as_deref(), Some("25"));
}

#[test]
fn what_reads_otherwise_is_found_by_its_begin_then_by_its_heading() {
    assert_eq!(
        line_of(&[("text", "Some words come first, and were changed since")]),
        "Some words come first, before any heading."
    );
    assert_eq!(
        line_of(&[("text", "Say in one sentence what is going on")]),
        "outcome: Say in one sentence what is going on here"
    );
    assert_eq!(line_of(&[("heading", "two"), ("text", "made by the generator")]), "## Two");
    assert_eq!(line_of(&[("heading", "two")]), "## Two");
    assert_eq!(line_of(&[("heading", "none"), ("text", "—")]), "---");
    assert_eq!(line_of(&[]), "---");
}

#[test]
fn an_excerpt_and_a_note_are_told_by_their_ids() {
    assert_eq!(line_of(&[("note", "E1")]), "```python file=a.py");
    assert_eq!(line_of(&[("note", "E1-N2"), ("text", "ignored")]), "2. `1` — the second");
    assert_eq!(line_of(&[("note", "E1-N7"), ("heading", "two")]), "## Two");
    assert_eq!(line_of(&[("note", "E0"), ("heading", "two")]), "## Two");
    assert_eq!(line_of(&[("note", "N1")]), "---");
}
