//! `record`: runs what labs declare, stores what it prints, and never harms a course.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::harness::{SiteTest, interruptible_program};
use crate::sync::{LAB, course, text};

const RECORD: &str = "code/lab-01-a/records/ledger.json";

/// A course whose lab declares commands, as YAML.
fn declaring(record: &str) -> SiteTest {
    let test = course("");
    test.edit(LAB, "angle: a }", &format!("angle: a, record: {record} }}"));
    test
}

/// A course whose lab declares the command `sh script`, with this script in its folder.
fn with_script(script: &str) -> SiteTest {
    let test = declaring("{ ledger: sh script }");
    test.write("code/lab-01-a/script", script);
    test
}

fn read(test: &SiteTest, path: &str) -> String {
    fs::read_to_string(test.root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Runs the program; returns what it printed on both outputs, and its status.
fn run(test: &SiteTest, arguments: &[&str]) -> (String, String, Option<i32>) {
    text(&test.run(arguments))
}

/// The errors of a build, one code per error.
fn codes(test: &SiteTest) -> Vec<&'static str> {
    test.build().diagnostics.iter().map(|error| error.code.id).collect()
}

#[test]
fn what_a_command_prints_is_stored_and_holds_until_a_file_changes() {
    let test = with_script("echo '{\"b\": 0.1, \"a\": [1]}'");
    assert_eq!(codes(&test), ["E0610"]);
    let (out, err, status) = run(&test, &["record"]);
    assert_eq!((out.as_str(), err.as_str(), status), (&*format!("{RECORD}: recorded\n"), "", Some(0)));
    let record: serde_json::Value = serde_json::from_str(&read(&test, RECORD)).expect("JSON");
    assert_eq!(record["command"], "sh script");
    assert_eq!(record["output"].to_string(), "{\"a\":[1],\"b\":0.1}");
    assert_eq!(
        record["files"].as_object().map(|files| files.keys().cloned().collect()),
        Some(vec!["a.py".to_owned(), "script".into()])
    );
    assert_eq!(codes(&test), [""; 0]);

    let again = run(&test, &["record"]);
    assert_eq!(again, (format!("{RECORD}: unchanged\n"), String::new(), Some(0)));
    test.write("code/lab-01-a/script", "echo 2");
    assert_eq!(codes(&test), ["E0611"]);
    let before = read(&test, RECORD);
    let (out, _, status) = run(&test, &["record", "--check"]);
    assert_eq!((status, out.starts_with(&format!("{RECORD}: differs\n--- {RECORD}\n"))), (Some(1), true), "{out}");
    assert!(out.contains("\n+  \"output\": 2\n"), "{out}");
    assert_eq!(read(&test, RECORD), before, "--check writes nothing");
    assert_eq!(run(&test, &["record"]).2, Some(0));
    assert_eq!((run(&test, &["record", "--check"]).2, codes(&test).len()), (Some(0), 0));
}

#[test]
fn text_is_stored_as_text_and_commands_run_in_the_starters_folder() {
    let test = declaring("{ ledger: './say \"two words\" one\\ word', here: cat a.py }");
    test.write("code/lab-01-a/say", "#!/bin/sh\nprintf '%s|' \"$@\"; cat -; test -f say && echo here");
    let say = test.root().join("code/lab-01-a/say");
    assert!(Command::new("chmod").arg("+x").arg(say).status().expect("chmod runs").success());
    let (out, err, status) = run(&test, &["record"]);
    assert_eq!((status, err.as_str()), (Some(0), ""), "{out}");
    let output = |path| serde_json::from_str::<serde_json::Value>(&read(&test, path)).expect("JSON")["output"].clone();
    assert_eq!(output(RECORD), "two words|one word|here\n");
    assert_eq!(output("code/lab-01-a/records/here.json"), read(&test, "code/lab-01-a/a.py"));
    // A text has no parts.
    let page = read(&test, LAB);
    test.write(LAB, format!("{page}\n<!-- values\nsaid = record(\"ledger\")\nkv = said.total\n-->\n"));
    assert_eq!(codes(&test), ["E0602"]);
    assert!(test.build().human().contains("`said` has no `.total`"), "{}", test.build().human());
    test.write(LAB, page);
    // A record is part of neither the site nor what another record is made from.
    assert!(test.build().site().keys().all(|path| !path.contains("records")));
}

/// Runs `record` on a script that fails; the old record and every other file must stay. Returns what is said.
fn fails(script: &str, options: &[&str]) -> String {
    let test = with_script("echo 1");
    assert_eq!(run(&test, &["record"]).2, Some(0));
    let before = read(&test, RECORD);
    test.edit(LAB, "record: {", "record: { other: echo 7,");
    test.write("code/lab-01-a/script", script);
    let start = Instant::now();
    let (out, err, status) = run(&test, &[&["record"], options].concat());
    assert!(start.elapsed() < Duration::from_secs(30), "it hangs");
    assert_eq!((out.as_str(), status), ("code/lab-01-a/records/other.json: recorded\n", Some(1)), "{err}");
    assert_eq!(read(&test, RECORD), before, "the old record is kept");
    assert!(err.contains(&format!("\n --> {LAB}:7:")) && err.starts_with("error[E0614]: "), "{err}");
    err
}

#[test]
fn a_command_that_fails_keeps_the_old_record_and_the_others_run() {
    let err = fails("echo 2; echo one >&2; echo 'two\u{1b}[31m' >&2; exit 3", &[]);
    assert!(err.contains("the command of the record `ledger` failed: it ended with exit status: 3\n"), "{err}");
    assert!(
        err.contains("standard error ends with\n") && err.contains(" one\n") && err.contains(" two\u{241b}[31m\n"),
        "{err}"
    );
    assert!(fails("kill -9 $$", &[]).contains("it ended with signal: 9"));
    assert!(fails("printf '\\377'", &[]).contains("what it printed is not UTF-8 text"));
    assert!(fails("cat /dev/zero | tr '\\0' x", &[]).contains("it printed too much"));
    assert!(fails("cat /dev/zero >&2 & sleep 0.3; exit 1", &[]).contains("exit status: 1"));
    assert!(fails("touch new; echo 2 >> a.py; echo 1", &[]).contains("`a.py` has changed, `new` was added"));
}

#[test]
fn a_command_that_hangs_is_killed_with_all_that_it_started() {
    let err = fails("sleep 600 & echo $! >&2; exec sleep 600", &["--timeout", "1"]);
    assert!(err.contains("it took too long") && err.contains("the limit is 1 second"), "{err}");
    let line =
        err.lines().find(|line| line.trim().bytes().all(|byte| byte.is_ascii_digit()) && !line.trim().is_empty());
    let child = line.expect("the number of the process").trim();
    assert!(ends(child), "{child} still runs");
}

/// Waits until a process has ended.
fn ends(process: &str) -> bool {
    let is_running = || {
        let stat = fs::read_to_string(format!("/proc/{process}/stat"));
        stat.is_ok_and(|stat| !stat.rsplit(") ").next().unwrap_or_default().starts_with('Z'))
    };
    (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        !is_running()
    })
}

#[test]
fn a_process_left_behind_does_not_outlive_its_command() {
    let test = with_script("sleep 600 >&2 & echo $!");
    assert_eq!(run(&test, &["record"]).2, Some(0));
    let record: serde_json::Value = serde_json::from_str(&read(&test, RECORD)).expect("JSON");
    assert!(ends(&record["output"].to_string()));
}

#[test]
fn an_interrupt_kills_the_command_and_writes_nothing() {
    let test = with_script("echo $$ > ../../pid; exec sleep 600");
    test.edit(LAB, "record: {", "record: { other: echo 7,");
    let mut program = interruptible_program(&test.root());
    let running = program.arg("record").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let pid = test.root().join("pid");
    let started = (0..500).find_map(|_| {
        std::thread::sleep(Duration::from_millis(20));
        fs::read_to_string(&pid).ok().filter(|text| text.ends_with('\n'))
    });
    let child = started.expect("the command starts").trim().to_owned();
    let number = running.id().to_string();
    assert!(Command::new("kill").args(["-INT", &number]).status().expect("kill runs").success());
    let (out, err, status) = text(&running.wait_with_output().expect("it ends"));
    assert_eq!((out.as_str(), err.as_str(), status), ("", "error: interrupted; no record was written\n", Some(2)));
    assert!(ends(&child) && !test.root().join("code/lab-01-a/records").exists());
}

#[test]
fn a_program_that_is_not_there_and_a_command_with_an_error_are_reported() {
    let test = declaring("{ ledger: no-such-program, piped: 'echo 1 | cat', good: echo 1 }");
    let (out, err, status) = run(&test, &["record"]);
    assert_eq!((out.as_str(), status), ("code/lab-01-a/records/good.json: recorded\n", Some(1)));
    assert!(err.contains("it cannot be started: No such file or directory"), "{err}");
    let help = "= help: no program `no-such-program` was found: install it, or run this where it is in PATH";
    assert!(err.contains(help), "{err}");
    assert!(err.contains("error[E0613]: `|` has a meaning only in a shell"), "{err}");
    assert!(err.contains("\n2 errors\n"), "{err}");
}

#[test]
fn pages_are_named_as_other_commands_name_them() {
    let test = declaring("{ ledger: echo 1 }");
    for name in ["lab-01-a", "t/lab-01-a", LAB, &LAB["content/".len()..]] {
        let (out, err, status) = run(&test, &["record", name]);
        assert_eq!((status, out.starts_with(RECORD)), (Some(0), true), "{name}: {err}");
    }
    test.write("content/tracks/t/labs/lab-02-b.md", "---\ntitle: B\n");
    let cases = [
        (vec!["record", "lab-03"], "error: there is no page `lab-03`", 2),
        (vec!["record", "t/s"], "error: `content/tracks/t/handbook/01-s.md` declares no command to record\n", 2),
        (vec!["record", "lab-02-b"], "error[E0102]: the front matter is not closed", 1),
        (vec!["record", "--timeout", "0"], "error: invalid value '0'", 2),
    ];
    for (arguments, expected, status) in cases {
        let (out, err, found) = run(&test, &arguments);
        assert!(err.starts_with(expected), "{arguments:?}: {err}");
        assert_eq!((out.as_str(), found), ("", Some(status)), "{arguments:?}");
    }
    let (_, err, status) = run(&test, &["record"]);
    assert!(status == Some(1) && err.starts_with("error[E0102]"), "a lab that hides its commands is named: {err}");
}

#[test]
fn a_malformed_record_is_replaced_and_what_is_no_text_is_not() {
    let test = declaring("{ ledger: echo 1 }");
    test.write(RECORD, "<<<<<<< HEAD\n");
    assert_eq!(codes(&test), ["E0612"]);
    assert_eq!(run(&test, &["record"]).2, Some(0));
    assert_eq!(codes(&test), [""; 0]);
    test.write(RECORD, b"\xff");
    let (_, err, status) = run(&test, &["record"]);
    assert!(status == Some(1) && err.contains("is not a text file") && err.contains("help: remove it"), "{err}");
    assert_eq!(fs::read(test.root().join(RECORD)).expect("a file"), b"\xff");
}

#[test]
fn a_record_moves_with_its_lab() {
    let test = declaring("{ ledger: echo 1 }");
    test.write("code/lab-01-a/README.md", "[The lab](../../content/tracks/t/labs/lab-01-a.md)\n");
    assert_eq!(run(&test, &["record"]).2, Some(0));
    let (out, err, status) = run(&test, &["move", "lab-01-a", "lab-02-b"]);
    assert!(status == Some(0) && out.contains(&format!("changed {RECORD}\n")), "{out}{err}");
    assert_eq!(codes(&test), [""; 0]);
    assert_eq!(run(&test, &["record"]).0, "code/lab-02-b/records/ledger.json: unchanged\n");
}

#[test]
fn what_tools_generate_beside_a_starter_makes_no_record_stale() {
    let test = declaring("{ ledger: echo 1 }");
    assert_eq!(run(&test, &["record"]).2, Some(0));
    let before = test.build().human();
    for path in ["venv/pyvenv.cfg", "venv/lib/x.py", "build/lib/x.py", "x.egg-info/PKG-INFO", "cache/CACHEDIR.TAG"] {
        test.write(&format!("code/lab-01-a/{path}"), "x = 1\n");
    }
    assert_eq!((codes(&test), test.build().human()), (vec![""; 0], before));
}

#[test]
fn nothing_else_runs_a_command() {
    let test = declaring("{ ledger: touch never-there }");
    let file = test.above().join("touched");
    test.edit(LAB, "never-there", file.to_str().expect("UTF-8"));
    for arguments in [&["build"][..], &["check"], &["sync"], &["sync", "--accept"], &["move", "lab-01-a", "lab-02-b"]] {
        test.run(arguments);
        assert!(!file.exists(), "{arguments:?}");
    }
}
