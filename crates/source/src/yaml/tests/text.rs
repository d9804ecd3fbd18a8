//! Texts: what cannot be read, what stands where, and hostile input.

#![expect(clippy::disallowed_methods, reason = "that hostile texts take little time is what is tested")]

use std::fmt::Write as _;
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::{check, everything};
use crate::source::{Source, Span};
use crate::yaml::{MAX_VALUES, Node, Spanned, parse};

#[test]
fn what_cannot_be_read_is_said_in_plain_words() {
    let quotes = "put a value that contains `: ` in quotes; otherwise check the indentation and the line above";
    let bracket = "close each `[` with `]` and each `{` with `}`, and put `,` between the entries";
    let color = "` #` begins a comment, so put a color in quotes, as in `\"#c2185b\"`";
    let opened = "opened here, and not closed before the error";
    let star = "`*name` repeats the value at `&name`, but there is no such `&name` before it";
    let in_quotes = "(put text that begins with `*` in quotes)";
    check(&[
        ("title: Foo: bar\n", &[&format!("E0103 1:11-12 a `:` does not fit here ({quotes})")]),
        (
            "title: x\nbroken line\nmore: y\n",
            &[
                "E0103 2:1-2 this line is neither `key: value` nor a list item (check its indentation and the line above)",
            ],
        ),
        ("title: @x\n", &["E0103 1:8-9 a value cannot begin with `@` (put the value in quotes)"]),
        ("title: `x` y\n", &["E0103 1:8-9 a value cannot begin with ``` (put the value in quotes)"]),
        ("title: é\u{7}\n", &["E0103 1:9-10 YAML does not allow the character U+0007 here (remove it)"]),
        ("starter:\n\tfile: x\n", &["E0103 2:1-2 YAML cannot be indented with tabs (indent with spaces)"]),
        (
            "title: \"x\nurl: y\n",
            &["E0103 1:8-10 this quoted text is not closed (close it with the quote that opened it, and indent \
             its further lines)"],
        ),
        (
            "title: \"x\" y\n",
            &[
                "E0103 1:12-13 text after the closing quote (put the whole value in quotes; within \"…\", a \" is written \\\")",
            ],
        ),
        (
            "title: 'it's'\n",
            &[
                "E0103 1:12-13 text after the closing quote (put the whole value in quotes; within '…', a ' is written '')",
            ],
        ),
        (
            "title: \"\\q\"\n",
            &["E0103 1:8-9 unknown escape in double quotes (write `\\\\` for a backslash, or use single quotes)"],
        ),
        ("reading: [é, b\nurl: c\n", &[&format!("E0103 1:10-15 this `[` is not closed ({bracket})")]),
        ("reading:\n- [\n  a,\nurl: c\n", &[&format!("E0103 2:3-4 a `,` or a closing bracket is missing ({bracket})")]),
        ("reading: {a: b\nurl: c\n", &[&format!("E0103 1:10-15 this `{{` is not closed ({bracket})")]),
        (
            "reading: [\n  a\n  b: c d: e\n]\n",
            &[&format!("E0103 3:4-5 a `:` does not fit here [1:10-11 {opened}] ({quotes})")],
        ),
        (
            "starter: { file: #c2185b,\n  type: x }\n",
            &[&format!("E0103 2:7-8 a `,` or a closing bracket is missing [1:10-11 {opened}] ({color})")],
        ),
        ("reading: [a]]\n", &[&format!("E0103 1:13-14 this bracket closes nothing ({bracket})")]),
        ("reading: - a\n", &["E0103 1:10-11 a list item cannot begin here (put each `- item` on a line of its own)"]),
        ("title: *x\n", &[&format!("E0103 1:8-9 {star} {in_quotes}")]),
        ("title: * x\n", &[&format!("E0103 1:8-9 {star} {in_quotes}")]),
        (
            "title: x # y\n  z\n",
            &[
                "E0103 1:10-11 a comment between the lines of one value (move it above the key, or put the value in quotes if its `#` is text)",
            ],
        ),
        (
            "  title: x\nsummary: y\n",
            &[
                "E0103 2:1-2 nothing can follow here, because the value before it is complete (indent all keys alike, and write \
             nothing after a closing bracket)",
            ],
        ),
        ("%YAML 1.2\n---\ntitle: x\n", &["E0103 1:1-2 lines that begin with `%` are not supported (remove it)"]),
    ]);
}

#[test]
fn what_is_not_understood_is_refused_and_the_rest_is_read() {
    check(&[
        (
            "title: x\n---\ntitle: y\n",
            &[
                "E0103 2:1-4 a second YAML document begins here (a line `---` or `...` ends the first document: remove that line)",
            ],
        ),
        (
            "title: !new x\nminutes: !!int '5'\n",
            &[
                "E0103 1:8-12 unknown tag `!new` (remove it, or put the value in quotes if the `!` is meant as text)",
                "E0103 2:10-15 unknown tag `!!int` (remove it, or put the value in quotes if the `!` is meant as text)",
                "E0106 2:16-19 `minutes` must be a whole number, at least 1 [this is text] (write digits alone, without quotes, as in `5`)",
            ],
        ),
        (
            "title: !!str 1\nreading: !!str [a]\nstarter: !!str {file: f, type: y}\n",
            &[
                "E0103 2:10-15 the tag `!!str` does not fit a list or map (remove it)",
                "E0103 3:10-15 the tag `!!str` does not fit a list or map (remove it)",
            ],
        ),
        ("title: x\n? [a]\n: b\n~: c\n", &["E0103 2:3-6 a key must be text", "E0103 4:1-2 a key must be text"]),
        ("title: &a [*a]\n", &["E0103 1:12-14 this alias is inside the value that it repeats (write the value out)"]),
    ]);
}

#[test]
fn what_stands_before_a_syntax_error_is_read_and_nothing_is_missing_after_it() {
    let (value, errors) = everything("summary: before\nminutes: soon\nstarter:\n  type: x\n  file: @\nurl: x\n");
    assert_eq!(value.summary.as_deref(), Some("before"));
    assert_eq!(value.starter.kind, "x");
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(errors[0].starts_with("E0106 2:10-14"), "{errors:?}");
    assert!(errors[1].starts_with("E0103 5:9-10"), "{errors:?}");
    // The last value may be cut off, and is not judged; nor is the text inside open brackets.
    assert_eq!(everything("title: x\nminutes: [a: b: c]\n").1.len(), 1);
    let (_, errors) = everything("title: x\nminutes: 25\n  more: x\n");
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].starts_with("E0103 3:7-8"), "{errors:?}");
}

#[test]
fn a_root_that_is_closed_before_a_syntax_error_is_read() {
    for text in ["{title: x, summary: before} y\n", "  title: x\n  summary: before\nurl: y\n"] {
        let (value, errors) = everything(text);
        assert_eq!(value.summary.as_deref(), Some("before"), "{text:?}: {errors:?}");
        assert_eq!(errors.len(), 1, "{errors:?}");
    }
    assert_eq!(everything("\"title\" y\n").1.len(), 1);
}

#[test]
fn anchors_and_aliases_are_understood() {
    let text = "title: &t 1.0\nsummary: *t\nstarter: &s {file: *t, type: y}\nparts: [*s, *s]\n";
    let (value, errors) = everything(text);
    assert_eq!(errors, [""; 0]);
    assert_eq!(value.summary.as_deref(), Some("1.0"));
    assert_eq!(value.parts, [value.starter.clone(), value.starter.clone()]);
    assert_eq!(value.starter.file.map(|file| text[file.span].to_owned()).as_deref(), Some("*t"));
    // A fault in a value is reported once, where it is written.
    check(&[(
        "title: x\nstarter: &s {file: f}\nparts: [*s, *s]\n",
        &[
            "E0107 2:1-8 required key `starter.type` is missing: it must be text",
            "E0107 3:9-11 required key `parts.type` is missing: it must be text",
            "E0107 3:13-15 required key `parts.type` is missing: it must be text",
        ],
    )]);
}

/// Reads a hostile text, and gives the errors with the time that it took.
fn hostile(text: &str) -> (Vec<String>, Duration) {
    let start = Instant::now();
    let errors = everything(text).1;
    (errors, start.elapsed())
}

#[test]
fn alias_bombs_are_refused() {
    let mut exponential = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..30 {
        let aliases = vec![format!("*a{}", level - 1); 9].join(", ");
        writeln!(exponential, "a{level}: &a{level} [{aliases}]").expect("a string takes all");
    }
    let quadratic = format!("a: &a {}\nb: [{}]\n", "x".repeat(80_000), vec!["*a"; 20_000].join(", "));
    let deep = (1..200)
        .fold(String::from("a0: &a0 [x]\n"), |text, level| format!("{text}a{level}: &a{level} [*a{}]\n", level - 1));
    for (text, expected) in [
        (exponential.as_str(), "E0103 5:15-18 aliases repeat more than 1048576 bytes of values (write the values out)"),
        (quadratic.as_str(), "E0103 2:57-59 aliases repeat more than 1048576 bytes of values (write the values out)"),
        (deep.as_str(), "E0103 32:12-16 lists and maps are nested deeper than 32"),
    ] {
        let (errors, time) = hostile(text);
        assert!(errors.iter().any(|error| error == expected), "{expected}: {:?}", errors.last());
        assert!(time < Duration::from_secs(3), "{time:?}");
    }
}

#[test]
fn deep_nesting_is_refused() {
    let brackets = "[".repeat(20_000);
    let dashes = "- ".repeat(20_000);
    let indented = (0..200).fold(String::new(), |text, depth| format!("{text}{}a:\n", " ".repeat(depth)));
    let keys = "? ".repeat(20_000);
    let mixed = format!("a:\n - b:\n    - {}{}\n", "[".repeat(29), "]".repeat(29));
    for (text, place) in
        [(&brackets, "1:33-34"), (&dashes, "1:65-66"), (&indented, "33:33-34"), (&keys, "1:65-66"), (&mixed, "3:35-36")]
    {
        let (errors, time) = hostile(text);
        let expected = format!("E0103 {place} lists and maps are nested deeper than 32");
        assert!(errors.contains(&expected), "{expected}: {errors:?}");
        assert!(time < Duration::from_secs(3), "{time:?}");
    }
}

#[test]
fn too_many_values_are_refused() {
    let (errors, time) = hostile(&format!("title: x\nreading:\n{}", "- a\n".repeat(MAX_VALUES)));
    let expected = format!("E0103 200000:3-4 more than {MAX_VALUES} values in one YAML text (split the file)");
    assert_eq!(errors, [expected]);
    assert!(time < Duration::from_secs(20), "{time:?}");
}

#[test]
fn plain_scalars_follow_the_core_schema() {
    let text = |text: &str| Node::Text(text.to_owned());
    let number = |text: &str| Node::Number(text.to_owned());
    let cases = [
        ("yes", text("yes")),
        ("no", text("no")),
        ("on", text("on")),
        ("y", text("y")),
        ("nUll", text("nUll")),
        ("2026-11-21", text("2026-11-21")),
        ("1_000", text("1_000")),
        ("1.2.3", text("1.2.3")),
        ("0o8", text("0o8")),
        ("e5", text("e5")),
        ("+.nan", text("+.nan")),
        ("inf", text("inf")),
        ("\"1\"", text("1")),
        ("!!str 1", text("1")),
        ("!!str ~", text("~")),
        ("'~'", text("~")),
        ("007", number("007")),
        ("-1", number("-1")),
        ("1.0", number("1.0")),
        (".5", number(".5")),
        ("1e3", number("1e3")),
        ("0x1F", number("0x1F")),
        ("0o17", number("0o17")),
        ("-.inf", number("-.inf")),
        (".nan", number(".nan")),
        ("true", Node::Bool(true)),
        ("False", Node::Bool(false)),
        ("~", Node::Null),
        ("Null", Node::Null),
    ];
    for (yaml, expected) in cases {
        let source = Source::new("a.yaml", format!("[{yaml}]"));
        let parsed = parse(&source, 0..source.text().len());
        assert!(parsed.complete && parsed.diagnostics.is_empty(), "{yaml}");
        let Some(Node::List(items)) = parsed.root.as_ref().map(|root| &*root.value) else { panic!("{yaml}: no list") };
        assert_eq!(*items[0].value, expected, "{yaml}");
    }
}

#[test]
fn spans_are_those_of_the_whole_source() {
    let text =
        "\u{feff}préface\r\n---\r\na: é\r\nb: [ü, {c: 'ö' }]\r\nd:\r\n  - |\r\n    x\r\n    y\r\n\r\ne: f\r\n---\r\n";
    let source = Source::new("a.md", text);
    let start = text.find("a:").expect("it is there");
    let parsed = parse(&source, start..text.rfind("---").expect("it is there"));
    let Some(Node::Map(entries)) = parsed.root.as_ref().map(|root| &*root.value) else { panic!("no map") };
    let cut = |span: &Span| text[span.clone()].trim_end().to_owned();
    let spans: Vec<_> = entries.iter().map(|(key, value)| (cut(&key.span), cut(&value.span))).collect();
    let expected = [("a", "é"), ("b", "[ü, {c: 'ö' }]"), ("d", "- |\r\n    x\r\n    y"), ("e", "f")];
    assert_eq!(spans, expected.map(|(key, value)| (key.to_owned(), value.to_owned())));
    assert_eq!(
        *entries[2].1.value,
        Node::List(vec![Spanned {
            value: Rc::new(Node::Text("x\ny\n".into())),
            span: text.find("x\r").expect("it is there")..text.find("e: f").expect("it is there"),
        }])
    );
}

#[test]
fn no_text_makes_it_panic() {
    let seed = "title: &a \"é\\u00e9\" # c\r\nb: [*a, {c: 'd', ? e}]\n- | \n  x\n...\n---\n!!str ~\t%@`\u{feff}\u{85}";
    let pieces: Vec<char> = seed.chars().collect();
    let mut state = 1u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or(0) % below
    };
    for _ in 0..20_000 {
        let text: String = (0..random(60)).map(|_| pieces[random(pieces.len())]).collect();
        let (_, errors) = everything(&text);
        assert!(errors.len() < 500, "{text:?}");
    }
}
