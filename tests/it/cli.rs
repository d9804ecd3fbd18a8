//! The program as it is called: exit status, what goes to which stream, and what it refuses.

use std::fs;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::harness::{SiteTest, contents, program, repository};

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

/// A course with an error and a warning.
fn broken() -> SiteTest {
    let test = SiteTest::from_dir("minimal");
    test.write("content/a.md", "---\ntitel: x\ntitle: A \"quoted\"\n---\n\nŁ [gone](gone.md)\n");
    test.write("content/b.md", "---\ntitle: B\n---\n\n<!-- track -->\n");
    test
}

#[test]
fn a_course_that_builds() {
    let test = SiteTest::from_dir("minimal");
    let built = test.run(&["build"]);
    assert_eq!((built.status.code(), err(&built)), (Some(0), String::new()));
    assert!(out(&built).starts_with("wrote public/: "), "{}", out(&built));
    let again = test.run(&["build"]);
    assert!(out(&again).starts_with("public/ is up to date: "), "{}", out(&again));
    let checked = test.run(&["check", "--strict"]);
    assert_eq!((checked.status.code(), err(&checked)), (Some(0), String::new()));
    assert!(out(&checked).starts_with("the course builds: "), "{}", out(&checked));
}

#[test]
fn errors_end_with_1_and_nothing_is_written() {
    let test = broken();
    let built = test.run(&["build"]);
    assert_eq!((built.status.code(), out(&built)), (Some(1), String::new()));
    assert!(err(&built).contains("\n2 errors, 1 warning\n"), "{}", err(&built));
    assert!(!test.public().exists());
}

#[test]
fn check_says_what_build_says() {
    let test = broken();
    let built = err(&test.run(&["build"]));
    let checked = test.run(&["check"]);
    assert_eq!((checked.status.code(), out(&checked)), (Some(1), String::new()));
    assert_eq!(built.strip_suffix("nothing was written\n"), Some(err(&checked).as_str()));
    assert!(!test.public().exists());
}

#[test]
fn warnings_are_refused_when_it_is_strict() {
    let test = broken();
    test.remove("content/a.md");
    for (arguments, status) in
        [(&["check"][..], 0), (&["check", "--strict"], 1), (&["build", "--strict"], 1), (&["build"], 0)]
    {
        let run = test.run(arguments);
        assert_eq!(run.status.code(), Some(status), "{arguments:?}: {}", err(&run));
        assert!(err(&run).contains("warning[W0201]"));
    }
    assert!(test.public().join("b.html").exists());
}

#[test]
fn hints_never_count() {
    let test = SiteTest::copy_of(&repository("tests/suite/base"));
    test.edit("content/tracks/t/labs/lab-01-a.md", "x = 1\ntotal = x + y\n```", "```");
    let checked = test.run(&["check", "--strict"]);
    assert_eq!(checked.status.code(), Some(0), "{}", err(&checked));
    assert!(err(&checked).starts_with("hint[W0302]"), "{}", err(&checked));
}

#[test]
fn json_is_an_object_a_line() {
    let test = broken();
    let checked = test.run(&["check", "--format", "json"]);
    assert_eq!((checked.status.code(), err(&checked)), (Some(1), String::new()));
    let objects: Vec<Value> = out(&checked).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let keys = ["severity", "code", "message", "file", "line", "column", "end_line", "end_column", "help", "fixes"];
    for object in &objects {
        assert_eq!(object.as_object().expect("an object").keys().collect::<Vec<_>>(), keys);
    }
    let unknown = &objects[0];
    assert_eq!((&unknown["severity"], &unknown["code"]), (&"error".into(), &"E0104".into()));
    assert_eq!((&unknown["file"], &unknown["help"]), (&"content/a.md".into(), &"did you mean `title`?".into()));
    let place = |object: &Value| {
        ["line", "column", "end_line", "end_column"].map(|key| object[key].as_u64().expect("a number"))
    };
    assert_eq!(place(unknown), [2, 1, 2, 6]);
    assert_eq!(place(&objects[1]), [6, 3, 6, 18]);
    assert_eq!(objects.len(), 3);
}

#[test]
fn a_course_without_a_word_to_say_is_no_line_of_json() {
    let checked = SiteTest::from_dir("minimal").run(&["check", "--format", "json"]);
    assert_eq!((checked.status.code(), out(&checked), err(&checked)), (Some(0), String::new(), String::new()));
}

#[test]
fn outputs_that_are_refused_end_with_2() {
    let test = SiteTest::from_dir("minimal");
    test.write("full/of/work.txt", "mine");
    for folder in ["full", ".", "..", "content", "content/public", "content/site.yaml", "static", "/"] {
        let before = contents(test.above());
        let built = test.run(&["build", "-o", folder]);
        assert_eq!((built.status.code(), out(&built)), (Some(2), String::new()), "{folder}");
        assert!(err(&built).starts_with("error: "), "{folder}: {}", err(&built));
        assert_eq!(contents(test.above()), before, "{folder}");
    }
}

#[test]
fn an_output_elsewhere() {
    let test = SiteTest::from_dir("minimal");
    let built = test.run(&["build", "-o", "../some/where"]);
    assert!(built.status.success(), "{}", err(&built));
    assert!(test.above().join("some/where/index.html").exists());
    assert!(!test.public().exists());
}

#[test]
fn the_root_is_found_or_named() {
    let test = SiteTest::from_dir("minimal");
    test.write("content/deep/er/x.txt", "x");
    let below = program(&test.root().join("content/deep/er")).arg("check").output().expect("the program runs");
    assert!(below.status.success(), "{}", err(&below));
    let named = program(test.above()).args(["check", "--root", "course"]).output().expect("the program runs");
    assert!(named.status.success(), "{}", err(&named));
    let before = program(test.above()).args(["--root", "course", "check"]).output().expect("the program runs");
    assert!(before.status.success(), "{}", err(&before));
}

#[test]
fn where_there_is_no_course() {
    let test = SiteTest::empty();
    for arguments in [&["build"][..], &["check", "--root", "nowhere"], &["check", "--root", "."]] {
        let run = program(test.above()).args(arguments).output().expect("the program runs");
        assert_eq!((run.status.code(), out(&run)), (Some(2), String::new()));
        assert!(err(&run).starts_with("error: ") && err(&run).contains("\nhelp: "), "{}", err(&run));
    }
}

#[test]
fn wrong_usage_ends_with_2() {
    let test = SiteTest::from_dir("minimal");
    for arguments in [
        &[][..],
        &["biuld"],
        &["build", "--outptu", "x"],
        &["check", "--format", "xml"],
        &["build", "--base-url", "here"],
    ] {
        let run = test.run(arguments);
        assert_eq!((run.status.code(), out(&run)), (Some(2), String::new()), "{arguments:?}");
        assert!(!err(&run).is_empty());
    }
    assert!(out(&test.run(&["--help"])).contains("check"));
}

#[test]
fn the_version_names_a_commit_of_the_sources() {
    let version = out(&SiteTest::empty().run(&["--version"]));
    let version = version.strip_prefix(concat!("infralens ", env!("CARGO_PKG_VERSION"))).expect("the version");
    let git = |arguments: &[&str]| Command::new("git").args(arguments).current_dir(repository("")).output();
    if !git(&["rev-parse", "HEAD"]).is_ok_and(|run| run.status.success()) {
        assert_eq!(version, "\n", "without a repository, the version is alone");
        return;
    }
    let commit = version.trim().strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).expect("a commit");
    let (hash, day) = commit.trim_end_matches(", changed").split_once(' ').expect("a hash and a day");
    assert_eq!(out(&git(&["log", "-1", "--format=%cs", hash]).expect("git")).trim(), day);
}

#[test]
fn explain() {
    let test = SiteTest::empty();
    let known = test.run(&["explain", "e0301"]);
    assert!(known.status.success());
    assert!(out(&known).starts_with("E0301 note bound to code that is not in the excerpt\n\n"), "{}", out(&known));
    let unknown = test.run(&["explain", "E0310x"]);
    assert_eq!((unknown.status.code(), out(&unknown)), (Some(2), String::new()));
    assert!(
        err(&unknown).starts_with("error: no diagnostic has the code `E0310x`\nhelp: did you mean `E0310`?\n"),
        "{}",
        err(&unknown)
    );
}

#[test]
fn lints_are_explained_by_name() {
    let explained = SiteTest::empty().run(&["explain", "alt-text"]);
    assert!(explained.status.success());
    assert!(out(&explained).starts_with("alt-text image without text\n\n"), "{}", out(&explained));
}

#[test]
fn dates_are_judged_on_the_day_that_the_environment_says() {
    let test = SiteTest::from_dir("minimal");
    test.write("content/a.md", "---\ntitle: A\nchecked: 2026-11-21\n---\n");
    let on = |seconds: &str, command: &str| {
        let mut program = program(&test.root());
        program.args([command, "--strict"]).env("SOURCE_DATE_EPOCH", seconds).output().expect("the program runs")
    };
    for command in ["check", "build"] {
        assert_eq!(on("1795219200", command).status.code(), Some(0));
        let later = on("1900000000", command);
        assert_eq!(later.status.code(), Some(1));
        assert!(
            err(&later).starts_with("warning[stale-date]: this page was last checked 1212 days ago"),
            "{}",
            err(&later)
        );
        let wrong = on("yesterday", command);
        assert_eq!((wrong.status.code(), out(&wrong)), (Some(2), String::new()));
        assert!(
            err(&wrong).starts_with("error: `SOURCE_DATE_EPOCH` is `yesterday`, which is not a time\nhelp: "),
            "{}",
            err(&wrong)
        );
    }
}

#[test]
fn the_own_course_is_silent() {
    let own = SiteTest::own();
    // Its pages say on which day they were checked, so the day must be today's.
    let mut check = program(&own.root());
    let checked = check.env_remove("SOURCE_DATE_EPOCH").args(["check", "--strict"]).output().expect("it runs");
    assert_eq!((checked.status.code(), err(&checked)), (Some(0), String::new()));
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let test = SiteTest::empty();
    let mut child =
        program(&test.root()).arg("explain").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    drop(child.stdout.take());
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!((ended.status.code(), err(&ended)), (Some(0), String::new()));
}

#[test]
fn a_base_url_on_the_command_line_goes_before_the_course_s_own() {
    let test = SiteTest::from_dir("base-url");
    let built = test.run(&["build", "--base-url", "https://example.com/x"]);
    assert!(built.status.success(), "{}", err(&built));
    let page = fs::read_to_string(test.public().join("index.html")).expect("a page");
    assert!(page.contains("<link rel=\"canonical\" href=\"https://example.com/x/index.html\">"), "{page}");
    let missing = fs::read_to_string(test.public().join("404.html")).expect("a page");
    assert!(missing.contains("href=\"/x/index.html\""), "{missing}");
}

#[test]
fn nothing_that_a_terminal_acts_on_is_printed() {
    let test = SiteTest::from_dir("minimal");
    test.write("content/a.md", "---\ntitle: A\n---\n\n[x](\u{1b}[31mgone.md)\n[y](<\u{202e}b.md>)\n");
    for arguments in [&["check"][..], &["check", "--format", "json"]] {
        let run = test.run(arguments);
        let output = out(&run) + &err(&run);
        assert!(!output.is_empty() && !output.contains(['\u{1b}', '\u{9b}']), "{output:?}");
    }
}
