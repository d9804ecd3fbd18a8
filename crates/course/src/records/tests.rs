//! The words of commands, and the text of records.

use std::sync::Arc;

use super::words::split;
use super::*;
use infralens_source::source::Source;

#[test]
fn commands_are_split_as_a_shell_would() {
    let cases: [(&str, &[&str]); 10] = [
        ("python3 a.py --json", &["python3", "a.py", "--json"]),
        ("  a\t b  ", &["a", "b"]),
        ("a 'b c' \"d e\" f\\ g", &["a", "b c", "d e", "f g"]),
        ("a --x='1 | 2'\"*\"\\>", &["a", "--x=1 | 2*>"]),
        ("a '' \"\"", &["a", "", ""]),
        (r#"a "\"\\\$\n" 'b\'"#, &["a", "\"\\$\\n", "b\\"]),
        ("env A=1 b", &["env", "A=1", "b"]),
        ("a '[1]' '~' x~ '{x}' y#z ] } y!", &["a", "[1]", "~", "x~", "{x}", "y#z", "]", "}", "y!"]),
        ("./run=1.sh a", &["./run=1.sh", "a"]),
        ("größe '🚀'", &["größe", "🚀"]),
    ];
    for (command, words) in cases {
        assert_eq!(split(command).as_deref(), Ok(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()[..]));
    }
}

#[test]
fn what_only_a_shell_understands_is_refused() {
    for command in [
        "a | b", "a>b", "a < b", "a && b", "a; b", "a $B", "a \"$B\"", "a `b`", "a (b)", "a *.py", "a?", "a ~",
        "a ~/b", "a {b,c}", "a #b", "a [bc]",
    ] {
        let (message, help) = split(command).expect_err(command);
        assert!(message.ends_with("has a meaning only in a shell") && help.contains("single quotes"), "{command}");
    }
    for (command, message) in [
        ("a 'b", "a quote `'` is not closed"),
        ("a \"b\\\"", "a quote `\"` is not closed"),
        ("a \\", "the command ends in a backslash"),
        ("", "the command is empty"),
        ("  ", "the command is empty"),
        ("'' a", "the command is empty"),
        ("A=1 b", "`A=1` sets a variable, which only a shell does"),
    ] {
        assert_eq!(split(command).expect_err(command).0, message);
    }
}

fn record(printed: &str) -> Record {
    Record::new("a".to_owned(), Hashes::from([("a.py".to_owned(), "12".to_owned())]), printed)
}

#[test]
fn records_are_sorted_json_and_read_back() {
    let text = record("{\"b\": [1, 0.1234567890123456789], \"a\": {\"d\": 1, \"c\": null}}\n").text().expect("a text");
    let wanted = "{\n  \"command\": \"a\",\n  \"files\": {\n    \"a.py\": \"12\"\n  },\n  \"output\": {\n    \"a\": {\n      \
                  \"c\": null,\n      \"d\": 1\n    },\n    \"b\": [\n      1,\n      0.12345678901234568\n    ]\n  }\n}\n";
    assert_eq!(text, wanted);
    assert_eq!(Record::parse(&text).and_then(|record| record.text()).as_deref(), Ok(wanted));
    for text in ["1.25 GB\n", "", "{\"a\": NaN}", "1e999", "a\u{2028}\u{7f}\"\\", "{} {}"] {
        assert_eq!(*record(text).output, Value::String(text.to_owned()));
        let read = Record::parse(&record(text).text().expect("a text")).expect("a record");
        assert_eq!(*read.output, Value::String(text.to_owned()));
    }
}

#[test]
fn what_cannot_be_read_back_is_not_written() {
    let deep = format!("{}{}", "[".repeat(127), "]".repeat(127));
    assert!(record(&deep).text().is_err_and(|why| why.contains("recursion limit")));
    let large = format!("[{}1]", "1,".repeat(MAX_SIZE / 4));
    assert!(record(&large).text().is_err_and(|why| why.contains("the limit is 1048576")));
}

#[test]
fn a_record_has_exactly_its_three_keys() {
    let cases = [
        ("", "EOF while parsing a value at line 1 column 0"),
        ("<<<<<<< HEAD\n", "expected value at line 1 column 1"),
        ("[]", "invalid length 0, expected struct Record with 3 elements at line 1 column 2"),
        ("{\"command\": \"a\", \"files\": {}}", "missing field `output` at line 1 column 29"),
        (
            "{\"command\": \"a\", \"files\": {}, \"output\": 1, \"x\": 1}",
            "unknown field `x`, expected one of `command`, `files`, `output` at line 1 column 46",
        ),
        ("{\"command\": 1}", "invalid type: integer `1`, expected a string at line 1 column 13"),
    ];
    for (text, why) in cases {
        assert_eq!(Record::parse(text).expect_err(text), why);
    }
}

#[test]
fn changed_files_are_named() {
    let of = |files: &[(&str, &str)]| files.iter().map(|&(path, hash)| (path.to_owned(), hash.to_owned())).collect();
    let before: Hashes = of(&[("a", "1"), ("b", "1"), ("c", "1")]);
    assert_eq!(changes(&before, &before), None);
    let now = of(&[("a", "2"), ("c", "1"), ("d", "1")]);
    let said = "`a` has changed, `d` was added, `b` was removed";
    assert_eq!(changes(&before, &now).as_deref(), Some(said));
    let many = of(&[("e", "1"), ("f", "1")]);
    let said = "`e` was added, `f` was added, `a` was removed, and 2 more files";
    assert_eq!(changes(&before, &many).as_deref(), Some(said));
}

#[test]
fn every_file_of_the_folder_counts_except_records() {
    let mut project = Project::default();
    let mut put = |path: &str| {
        let source = Source::new(path, path);
        project.put(&Arc::from(path), Some(File::Text(Arc::new(source))));
    };
    let paths =
        ["code/a/x.py", "code/a/records/n.json", "code/a/records/n.md", "code/a/s/records/m.json", "code/ab/y.py"];
    for path in paths {
        put(path);
    }
    project
        .files
        .insert("code/a/big".into(), File::Refused(infralens_source::project::Refusal::TooLarge { size: 9, limit: 1 }));
    let hashes = hashes(&project, "code/a");
    assert_eq!(hashes.keys().collect::<Vec<_>>(), ["big", "records/n.md", "x.py"]);
    assert_eq!(hashes["big"], "not read, 9 bytes");
    assert_eq!(hashes["x.py"].len(), 64);
    assert!(
        !is_record("content/records/a.json") && !is_record("code/records.json") && is_record("code/records/a.json")
    );
}
