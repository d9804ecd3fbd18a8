//! Records: every type, every mistake. What was said is compared as a whole, with its places.

mod text;

use super::*;
use crate::diag;
use crate::testing::said;

record! {
    /// A record with a field of every type.
    struct Everything {
        /// Text.
        required title: Spanned<String>;
        /// Text that may be left out.
        optional summary: Option<String>;
        /// A count.
        optional minutes: Option<u32>;
        /// A date.
        optional checked: Option<Date>;
        /// A flag.
        optional draft: bool;
        /// A list.
        optional reading: Vec<Spanned<String>>;
        /// Words.
        optional size: Size;
        /// A record.
        optional starter: Starter;
        /// Records.
        optional parts: Vec<Starter>;
        /// One or many.
        optional authors: Option<OneOrMany<String>>;
        /// A URL.
        optional url: Option<Url>;
    }
}

record! {
    /// A record in a record.
    #[derive(PartialEq)]
    struct Starter {
        /// A file.
        required file: Option<Spanned<String>>;
        /// A key whose name is not the field's.
        required kind("type"): String;
        /// Has a default.
        optional angle: String = "straight";
    }
}

choices! {
    /// Sizes.
    enum Size {
        /// Small.
        Small = "small",
        /// Large.
        Large = "large",
    }
}

record! {
    /// A record whose keys are required, with values of types that have no empty value.
    struct Required {
        /// A word.
        required size: Size;
        /// A count.
        required minutes: Option<u32>;
        /// A URL.
        required url: Option<Url>;
        /// A record.
        required starter: Starter;
        /// A list.
        required reading: Vec<String>;
    }
}

/// Reads a text as a record.
fn read<T: Record>(text: &str) -> (T, Vec<String>) {
    let source = Source::new("a.yaml", text);
    let start = source.start();
    let (mut decoder, entries) = Decoder::open(&source, start..text.len(), start..start, "a.yaml");
    decoder.check_keys(&entries, T::FIELDS);
    let value = T::from_entries(&entries, &mut decoder);
    (value, said(&source, &decoder.finish()))
}

/// Reads a text as [`Everything`].
fn everything(text: &str) -> (Everything, Vec<String>) {
    read(text)
}

fn check(cases: &[(&str, &[&str])]) {
    for (text, expected) in cases {
        assert_eq!(everything(text).1, *expected, "{text:?}");
    }
}

#[test]
fn every_field_is_read() {
    let text = "title: 1.0\nsummary: >\n  two\n  lines\nminutes: +25\nchecked: 2026-11-21\ndraft: true\nreading: [a, 2017, 'true']\n\
                size: large\nstarter: {file: f.py, type: no}\nparts:\n  - file: \"g.py\"\n    type: yes\n    angle: ''\n\
                authors: [A, B]\nurl: https://example.org/\n";
    let (value, errors) = everything(text);
    assert_eq!(errors, [""; 0]);
    assert_eq!(*value.title, "1.0");
    assert_eq!(&text[value.title.span.clone()], "1.0");
    assert_eq!(value.summary.as_deref(), Some("two lines"));
    assert_eq!((value.minutes, value.draft, value.size), (Some(25), true, Size::Large));
    assert_eq!(value.checked, Date::parse("2026-11-21"));
    assert_eq!(value.reading.iter().map(|key| key.as_str()).collect::<Vec<_>>(), ["a", "2017", "true"]);
    assert_eq!(value.reading.iter().map(|key| &text[key.span.clone()]).collect::<Vec<_>>(), ["a", "2017", "'true'"]);
    assert_eq!((value.starter.kind.as_str(), value.starter.angle.as_str()), ("no", "straight"));
    assert_eq!(value.parts[0].file.as_ref().map(|file| &text[file.span.clone()]), Some("\"g.py\""));
    assert_eq!((value.parts[0].kind.as_str(), value.parts[0].angle.as_str()), ("yes", ""));
    assert_eq!(value.authors, Some(OneOrMany::Many(vec!["A".into(), "B".into()])));
    assert_eq!(value.url.as_deref(), Some("https://example.org/"));
}

#[test]
fn keys_are_checked() {
    check(&[
        ("", &["E0107 1:1-1 required key `title` is missing: it must be text"]),
        ("# nothing\n", &["E0107 1:1-1 required key `title` is missing: it must be text"]),
        ("titel: x\n", &["E0104 1:1-6 unknown key `titel` (did you mean `title`?)"]),
        (
            "title: x\ncolour: blue\n",
            &[
                "E0104 2:1-7 unknown key `colour` (the known keys are `title`, `summary`, `minutes`, `checked`, `draft`, \
             `reading`, `size`, `starter`, `parts`, `authors`, `url`)",
            ],
        ),
        (
            "title: x\nstarter:\n  fiel: f\n  type: y\n",
            &["E0104 3:3-7 unknown key `fiel` in `starter` (did you mean `file`?)"],
        ),
        (
            "title: x\nparts:\n- type: y\n  file: f\n- {type: y}\n",
            &["E0107 5:3-12 required key `parts.file` is missing: it must be text"],
        ),
        ("title: ' '\n", &["E0108 1:8-11 `title` is empty: it must be text"]),
        ("title: x\nstarter: {file: '', type: y}\n", &["E0108 2:17-19 `starter.file` is empty: it must be text"]),
        ("just text\n", &["E0106 1:1-10 a.yaml must be lines of `key: value` [this is text]"]),
        ("- title: x\n- y\n", &["E0106 1:1-11 a.yaml must be lines of `key: value` [this is a list]"]),
    ]);
}

#[test]
fn an_empty_required_value_is_reported_once() {
    let (_, errors) = read::<Required>("size: ''\nminutes: ''\nurl: ' '\nstarter: ''\nreading: []\n");
    assert_eq!(
        errors,
        [
            "E0108 1:7-9 `size` is empty: it must be one of `small`, `large`",
            "E0108 2:10-12 `minutes` is empty: it must be a whole number, at least 1",
            "E0108 3:6-9 `url` is empty: it must be an http or https URL",
            "E0108 4:10-12 `starter` is empty: it must be a map with the keys `file`, `type`, `angle`",
            "E0108 5:10-12 `reading` is empty: it must be a list of text",
        ]
    );
}

#[test]
fn repeated_keys_are_reported_with_both_places_at_every_level() {
    check(&[
        (
            "title: x\nstarter:\n  file: f\n  type: y\n  file: g\ntitle: y\ntitle: z\n",
            &[
                "E0105 5:3-7 key `file` is given twice [again here] [3:3-7 first given here]",
                "E0105 6:1-6 key `title` is given twice [again here] [1:1-6 first given here]",
                "E0105 7:1-6 key `title` is given twice [again here] [1:1-6 first given here]",
            ],
        ),
        (
            "title: x\nparts: [{file: f, \"file\": g, type: y}]\n",
            &["E0105 2:19-25 key `file` is given twice [again here] [2:10-14 first given here]"],
        ),
    ]);
    let (value, _) = everything("title: x\ntitle: y\n");
    assert_eq!(*value.title, "x");
}

#[test]
fn wrong_types_say_what_was_expected_and_found() {
    check(&[
        ("title: [x]\n", &["E0106 1:8-11 `title` must be text [this is a list]"]),
        ("title: true\n", &["E0106 1:8-12 `title` must be text [this is `true`] (put it in quotes: `\"true\"`)"]),
        (
            "title:\nsummary: ~\n",
            &[
                "E0106 1:1-6 `title` must be text [there is no value] (give it a value, or remove the key)",
                "E0106 2:10-11 `summary` must be text [there is no value] (give it a value, or remove the key)",
            ],
        ),
        (
            "title: x\nminutes: soon\n",
            &[
                "E0106 2:10-14 `minutes` must be a whole number, at least 1 [this is text] (write digits alone, without quotes, as in `10`)",
            ],
        ),
        (
            "title: x\nminutes: '5'\n",
            &[
                "E0106 2:10-13 `minutes` must be a whole number, at least 1 [this is text] (write digits alone, without quotes, as in `5`)",
            ],
        ),
        (
            "title: x\nminutes: 2.5\n",
            &["E0106 2:10-13 `minutes` must be a whole number, at least 1 [this is the number 2.5] (round it)"],
        ),
        (
            "title: x\nminutes: -5\n",
            &["E0106 2:10-12 `minutes` must be a whole number, at least 1 [this is the number -5]"],
        ),
        ("title: x\nminutes: 0\n", &["E0108 2:10-11 `minutes` must be a whole number, at least 1 [this is 0]"]),
        ("title: x\nminutes: 99999999999999999999\n", &["E0108 2:10-30 `minutes` must be at most 4294967295"]),
        ("title: x\nchecked: today\n", &["E0106 2:10-15 `checked` must be a date such as 2026-11-21 [this is text]"]),
        (
            "title: x\nchecked: 2026-02-30\n",
            &["E0108 2:10-20 `checked` must be a day of the calendar [there is no such day]"],
        ),
        ("title: x\ndraft: yes\n", &["E0106 2:8-11 `draft` must be `true` or `false` [this is text] (write `true`)"]),
        ("title: x\ndraft: No\n", &["E0106 2:8-10 `draft` must be `true` or `false` [this is text] (write `false`)"]),
        ("title: x\ndraft: 1\n", &["E0106 2:8-9 `draft` must be `true` or `false` [this is the number 1]"]),
    ]);
}

#[test]
fn wrong_lists_maps_and_words_say_what_was_expected_and_found() {
    check(&[
        (
            "title: x\nreading: abc\n",
            &["E0106 2:10-13 `reading` must be a list of text [this is text] (write `[abc]`)"],
        ),
        (
            "title: x\nreading: [a, '', [b], {c: d}, ]\n",
            &[
                "E0108 2:14-16 each item of `reading` is empty",
                "E0106 2:18-21 each item of `reading` must be text [this is a list]",
                "E0106 2:23-29 each item of `reading` must be text [this is a map]",
            ],
        ),
        (
            "title: x\nsize: larg\n",
            &["E0108 2:7-11 `size` must be one of `small`, `large` [not one of them] (did you mean `large`?)"],
        ),
        ("title: x\nsize: [large]\n", &["E0106 2:7-14 `size` must be one of `small`, `large` [this is a list]"]),
        (
            "title: x\nstarter: f.py\n",
            &["E0106 2:10-14 `starter` must be a map with the keys `file`, `type`, `angle` [this is text]"],
        ),
        (
            "title: x\nparts:\n  file: f\n  type: y\n",
            &["E0106 3:3-10 `parts` must be a list of maps with the keys `file`, `type`, `angle` [this is a map]"],
        ),
        ("title: x\nauthors: {a: b}\n", &["E0106 2:10-16 `authors` must be text or a list of text [this is a map]"]),
        (
            "title: x\nurl: example.org\n",
            &["E0108 2:6-17 `url` must be an http or https URL [it does not begin with `https://`]"],
        ),
        ("title: \"a\\0b\"\n", &["E0108 1:8-14 `title` contains the control character U+0000"]),
    ]);
}

#[test]
fn all_errors_of_a_text_come_at_once_and_in_order() {
    let text =
        "\u{feff}titel: Größe 🚀\r\nminutes: \"😀\"\r\nstarter: {file: [é], typ: ü}\r\ndraft: ja\r\nminutes: 5\r\n";
    let keys = "(the known keys are `file`, `type`, `angle`)";
    check(&[(
        text,
        &[
            "E0104 1:1-6 unknown key `titel` (did you mean `title`?)",
            "E0106 2:10-13 `minutes` must be a whole number, at least 1 [this is text] (write digits alone, without quotes, as in `10`)",
            "E0106 3:17-20 `starter.file` must be text [this is a list]",
            &format!(
                "E0104 3:22-25 unknown key `typ` in `starter` {}",
                if nearest_is_type() { "(did you mean `type`?)" } else { keys }
            ),
            "E0106 4:8-10 `draft` must be `true` or `false` [this is text]",
            "E0105 5:1-8 key `minutes` is given twice [again here] [2:1-8 first given here]",
        ],
    )]);
}

fn nearest_is_type() -> bool {
    diag::nearest("typ", ["type"]).is_some()
}

#[test]
fn fields_describe_themselves() {
    let fields = Starter::FIELDS;
    assert_eq!(fields.iter().map(|field| field.name).collect::<Vec<_>>(), ["file", "type", "angle"]);
    assert_eq!(fields.iter().map(|field| field.required).collect::<Vec<_>>(), [true, true, false]);
    assert_eq!(fields[1].description(), "A key whose name is not the field's.");
    let defaults: Vec<Option<Json>> = Everything::FIELDS.iter().map(|field| (field.default)()).collect();
    let record = serde_json::json!({ "angle": "straight" });
    let (flag, word) = (Some(false.into()), Some("small".into()));
    assert_eq!(defaults, [None, None, None, None, flag, None, word, Some(record), None, None, None]);
    assert_eq!(Size::ALL.iter().map(|size| size.name()).collect::<Vec<_>>(), ["small", "large"]);
    let types: Vec<String> = Everything::FIELDS.iter().map(|field| field.ty.to_string()).collect();
    assert_eq!(types[4], "`true` or `false`");
    assert_eq!(types[9], "text or a list of text");
    assert!(matches!(Everything::FIELDS[8].ty, Type::List(Type::Record(fields)) if fields.len() == 3));
}
