//! A build with nothing to do stops before it plans anything, and touches nothing; every reason to build is noticed. And what
//! `--timings` and the progress bar show of a build.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::harness::{SiteTest, contents, program};

const LIST: &str = ".infralens-manifest.json";

/// The last line of what the program says is JSON.
fn timings(run: &Output) -> Value {
    let output = String::from_utf8_lossy(&run.stderr);
    let line = output.lines().last().unwrap_or_else(|| panic!("{run:?}"));
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {output}"))
}

fn stages(timings: &Value) -> Vec<&str> {
    let stages = timings["stages"].as_array().expect("a list");
    stages.iter().map(|stage| stage["stage"].as_str().expect("a name")).collect()
}

/// Builds, and returns whether there was nothing to do.
fn does_nothing_with(test: &SiteTest, arguments: &[&str], seconds: &str) -> bool {
    let mut command = program(&test.root());
    command.args(["build", "--timings=json"]).args(arguments).env("SOURCE_DATE_EPOCH", seconds);
    let run = command.output().expect("the program runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let timings = timings(&run);
    let stages = stages(&timings);
    assert!(stages == ["load", "compare"] || stages == ["load", "compare", "plan", "judge", "make", "finish"]);
    stages.len() == 2
}

fn does_nothing(test: &SiteTest) -> bool {
    does_nothing_with(test, &[], "1795219200")
}

/// A course whose site is built.
fn built(case: &str) -> SiteTest {
    let test = SiteTest::from_dir(case);
    test.write("content/a.md", "---\ntitle: A\nchecked: 2026-11-21\n---\n\nText.\n");
    test.write("static/x.bin", [0, 1, 2]);
    assert!(!does_nothing(&test));
    assert!(does_nothing(&test), "{case} reports nothing");
    test
}

/// Inode, change and modification of everything in the course's folder, itself included.
fn marks(root: &Path) -> BTreeMap<String, [i64; 5]> {
    let entries = walkdir::WalkDir::new(root).into_iter().map(|entry| entry.expect("a folder that can be read"));
    let marks = entries.map(|entry| {
        let found = entry.metadata().expect("what was just listed");
        let inode = found.ino().cast_signed();
        let marks = [inode, found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec()];
        (entry.path().display().to_string(), marks)
    });
    marks.collect()
}

#[test]
fn a_build_with_nothing_to_do_touches_nothing() {
    let test = built("minimal");
    fs::write(test.public().join("CNAME"), "example.org").expect("a foreign file");
    let before = marks(&test.root());
    let run = test.run(&["build"]);
    assert_eq!((run.status.code(), run.stderr.len()), (Some(0), 0));
    let output = String::from_utf8_lossy(&run.stdout).into_owned();
    let files = contents(&test.public()).len() - 2;
    assert!(output.starts_with(&format!("public/ is up to date: {files} files in ")), "{output}");
    assert!(does_nothing_with(&test, &["--strict"], "1795219200"), "there is nothing to refuse");
    assert_eq!(test.run(&["build", "--quiet"]).stdout.len(), 0);
    assert_eq!(marks(&test.root()), before);
}

#[test]
fn what_is_touched_but_not_changed_is_not_built() {
    let test = built("minimal");
    let page = fs::read(test.root().join("content/a.md")).expect("a page");
    test.write("content/a.md", page);
    assert!(does_nothing(&test), "the source has another time, and the same bytes");
    let page = test.public().join("a.html");
    let bytes = fs::read(&page).expect("a page");
    fs::remove_file(&page).expect("it is there");
    fs::write(&page, bytes).expect("it is written");
    assert!(does_nothing(&test), "so has the output");
}

#[test]
fn every_reason_to_build_is_noticed() {
    type Edit = fn(&SiteTest);
    let edits: [(&str, Edit); 12] = [
        ("an edited page", |test| _ = test.edit("content/a.md", "Text.", "Test.")),
        ("a new page", |test| _ = test.write("content/b.md", "---\ntitle: B\n---\n\nText.\n")),
        ("a removed page", |test| _ = test.remove("content/a.md")),
        ("a renamed page", |test| {
            let at = |name: &str| test.root().join("content").join(name);
            fs::rename(at("a.md"), at("c.md")).expect("it is there");
        }),
        ("an edited binary", |test| _ = test.write("static/x.bin", [0, 1, 3])),
        ("a new template", |test| _ = test.write("templates/page.html", "{% extends \"base.html\" %}")),
        ("a starter that is a link and is not read", |test| {
            fs::create_dir(test.root().join("code")).expect("a folder");
            std::os::unix::fs::symlink("nowhere", test.root().join("code/x.py")).expect("a link");
        }),
        ("an edited output", |test| fs::write(test.public().join("a.html"), "mine").expect("it is written")),
        ("a deleted output", |test| fs::remove_file(test.public().join("a.html")).expect("it is there")),
        ("a deleted folder", |test| fs::remove_dir_all(test.public()).expect("it is there")),
        ("a stage that a killed build left", |test| {
            let stage = test.root().join(".public.infralens-stage");
            fs::create_dir(&stage).expect("a folder");
            fs::write(stage.join(".infralens-stage"), "").expect("a file");
        }),
        ("the manifest of another version of the program", |test| {
            let list = test.public().join(LIST);
            let text = fs::read_to_string(&list).expect("a manifest");
            let mut form: Value = serde_json::from_str(&text).expect("JSON");
            form["stamp"]["source"] = "0".repeat(64).into();
            fs::write(&list, format!("{form:#}\n")).expect("it is written");
        }),
    ];
    for (what, edit) in edits {
        let test = built("minimal");
        edit(&test);
        assert!(!does_nothing(&test), "{what}");
        assert!(does_nothing(&test), "after {what}");
        let public = contents(&test.public());
        fs::remove_dir_all(test.public()).expect("it is there");
        assert!(!does_nothing(&test));
        assert!(contents(&test.public()) == public, "{what}: it is as a first build makes it");
    }
}

#[test]
fn another_option_is_another_build() {
    let test = built("minimal");
    let now = "1795219200";
    for arguments in [&["--drafts"][..], &["--base-url", "https://example.com/x"], &[]] {
        assert!(!does_nothing_with(&test, arguments, now), "{arguments:?}");
        assert!(does_nothing_with(&test, arguments, now), "{arguments:?}");
    }
    assert!(!does_nothing_with(&test, &["-o", "other"], now), "there is nothing yet");
    assert!(does_nothing_with(&test, &["--jobs", "1"], now), "the number of threads is no option of the site");
}

#[test]
fn what_is_reported_is_reported_every_time() {
    let test = built("minimal");
    test.write("content/b.md", "---\ntitle: B\n---\n\n<!-- track -->\n\nSee [here](a.md). Lorem ipsum \"é\".\n");
    test.write("content/c.md", concat!("---\ntitle: B\ndraft: true\n---\n\nTO", "DO\n"));
    for arguments in
        [&[][..], &["--quiet"], &["--strict"], &["--strict", "--quiet"], &["--drafts"], &["--drafts", "--strict"]]
    {
        // A build writes what is compared; with `--strict`, it writes nothing.
        let plain: Vec<_> = arguments.iter().copied().filter(|argument| *argument != "--strict").collect();
        let with = |folder: &str, arguments: &[&str]| {
            let run = program(&test.root()).args(["build", "-o", folder]).args(arguments).output().expect("it runs");
            let output = String::from_utf8_lossy(&run.stderr).replace(folder, "public");
            // There is a site from before in one of the folders only.
            (run.status.code(), output.replace("; public/ is unchanged", ""))
        };
        fs::remove_dir_all(test.root().join("new")).ok();
        let first = with("new", arguments);
        with("kept", &plain);
        assert_eq!(with("kept", arguments), first, "{arguments:?}");
        assert!(arguments.contains(&"--strict") == (first.0 == Some(1)), "{first:?}");
        assert_eq!(
            first.1.contains("warning[W0201]"),
            !arguments.contains(&"--quiet") || first.0 == Some(1),
            "{first:?}"
        );
        let does_nothing = |_| does_nothing_with(&test, &[&["-o", "kept"], &plain[..]].concat(), "1795219200");
        assert!(["again", "and again"].into_iter().all(does_nothing), "{arguments:?}");
    }
    // What was reported is in no published file in a form that others can read.
    test.run(&["build"]);
    let list = fs::read_to_string(test.public().join(LIST)).expect("a manifest");
    assert!(list.contains("\"report\"") && !list.contains("W0201") && !list.contains("c.md"), "{list}");
    test.edit("content/b.md", "<!-- track -->", "Text.");
    assert!(!String::from_utf8_lossy(&test.run(&["build"]).stderr).contains("W0201"));
}

#[test]
fn dates_are_reported_on_their_day_and_the_manifest_does_not_know_today() {
    let test = built("minimal");
    let list = |test: &SiteTest| fs::read(test.public().join(LIST)).expect("a manifest");
    let before = list(&test);
    // Checked on 2026-11-21; fresh for 365 days.
    let day = |days: i64| (1_795_219_200 + 86_400 * days).to_string();
    for (days, is_fresh) in [(-2, false), (-1, true), (0, true), (365, true), (366, false), (1000, false)] {
        assert!(does_nothing_with(&test, &[], &day(days)), "after {days} days");
        let run = program(&test.root()).arg("build").env("SOURCE_DATE_EPOCH", day(days)).output().expect("it runs");
        assert_eq!(run.stderr.is_empty(), is_fresh, "after {days} days: {}", String::from_utf8_lossy(&run.stderr));
        assert_eq!(list(&test), before);
    }
    fs::remove_dir_all(test.public()).expect("it is there");
    assert!(!does_nothing_with(&test, &[], &day(1000)));
    assert_eq!(list(&test), before, "a build on a day on which the date is stale writes the same manifest");
    assert!(does_nothing(&test), "which on another day is silent");
    let run = |days| program(&test.root()).arg("build").env("SOURCE_DATE_EPOCH", day(days)).output().expect("it runs");
    for days in [1000, 1001] {
        let output = String::from_utf8_lossy(&run(days).stderr).into_owned();
        assert!(output.contains(&format!("last checked {days} days ago")), "{output}");
    }

    test.edit("content/a.md", "checked: 2026-11-21", "checked: 2020-01-01\nallow: [stale-date]");
    assert!(!does_nothing(&test));
    assert!(does_nothing_with(&test, &[], &day(5000)), "a date that is allowed to be stale is stale on no day");

    test.edit("content/a.md", "allow: [stale-date]\n", "");
    test.edit("content/site.yaml", "title:", "lints: { stale-date: off }\ntitle:");
    assert!(!does_nothing(&test));
    assert!(does_nothing_with(&test, &[], &day(5000)), "nor where the lint is off");
}

#[test]
fn two_dates_that_are_never_fresh_together_are_judged_one_by_one() {
    let test = built("minimal");
    test.write("content/b.md", "---\ntitle: B\nchecked: 2020-01-01\n---\n\nText.\n");
    assert!(!does_nothing(&test));
    assert!(does_nothing(&test));
    let run = test.run(&["build"]);
    let output = String::from_utf8_lossy(&run.stderr);
    assert!(output.contains("content/b.md:3:10") && output.matches("warning[stale-date]").count() == 1, "{output}");
}

#[test]
fn timings_tell_of_every_stage_and_no_file_depends_on_them() {
    let test = SiteTest::from_dir("notes");
    assert!(test.run(&["build"]).status.success());
    let before = contents(&test.public());
    let table = test.run(&["build", "--timings", "-o", "other"]);
    let output = String::from_utf8(table.stderr).expect("UTF-8");
    let words: Vec<&str> = output.lines().rev().take(7).filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(words, ["total", "finish", "make", "judge", "plan", "compare", "load"], "{output}");
    assert!(contents(&test.root().join("other")) == before);

    fs::remove_dir_all(test.public()).expect("it is there");
    let run = test.run(&["build", "--timings=json"]);
    let timings = timings(&run);
    assert!(contents(&test.public()) == before);
    let files = before.len() - 1;
    let bytes: usize = before.iter().filter(|(path, _)| *path != LIST).map(|(_, bytes)| bytes.len()).sum();
    assert_eq!((&timings["files"], &timings["written"]), (&files.into(), &files.into()));
    assert_eq!(timings["bytes_written"], bytes);
    let load = &timings["stages"][0];
    assert!(load["ms"].as_f64().is_some_and(|ms| ms > 0.0) && load["count"].as_u64() > Some(3), "{load}");
}

#[test]
fn timings_are_told_of_a_course_with_errors() {
    let test = SiteTest::from_dir("minimal");
    test.write("content/a.md", "---\ntitle: A\n---\n\n[gone](gone.md)\n");
    let run = test.run(&["build", "--timings=json"]);
    assert_eq!(run.status.code(), Some(1));
    let timings = timings(&run);
    assert_eq!((&timings["errors"], &timings["written"]), (&1.into(), &0.into()));
    assert_eq!(stages(&timings), ["load", "compare", "plan", "judge", "make"]);
    let wrong = test.run(&["build", "--timings=xml"]);
    assert_eq!(wrong.status.code(), Some(2));
}

/// Builds the project's own course on a terminal; returns what it shows, and the seconds that the build took.
fn on_a_terminal(environment: &[(&str, &str)], arguments: &str) -> Option<(String, f64)> {
    let test = SiteTest::own();
    let tool = test.above().join("build");
    let script = format!("#!/bin/sh\nexec '{}' build {arguments}\n", env!("CARGO_BIN_EXE_infralens"));
    fs::write(&tool, script).expect("it is written");
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o700)).expect("it is ours");
    let mut command = std::process::Command::new("script");
    command.args(["-qec"]).arg(&tool).arg("/dev/null").current_dir(test.root()).env_remove("CI").env("TERM", "xterm");
    let run = command.envs(environment.iter().copied()).output().ok()?;
    assert!(run.status.success(), "{run:?}");
    let output = String::from_utf8_lossy(&run.stdout).into_owned();
    let seconds = output.rsplit_once(" in ").and_then(|(_, rest)| rest.split(' ').next()?.parse().ok());
    Some((output, seconds.unwrap_or_default()))
}

#[test]
fn a_bar_is_shown_on_a_terminal_alone() {
    let Some((output, seconds)) = on_a_terminal(&[], "") else { return };
    let is_drawn = |output: &str| output.contains('\u{1b}');
    // In a build that takes no longer there is nothing to show.
    assert!(seconds < 0.7 || is_drawn(&output), "{output:?}");
    assert!(output.lines().last().is_some_and(|line| line.contains("public/: ")), "{output:?}");
    assert!(output.contains("note: the site has no `base_url`"), "{output:?}");
    for (environment, arguments) in [(&[("CI", "true")][..], ""), (&[("TERM", "dumb")], ""), (&[], "--quiet")] {
        let (output, _) = on_a_terminal(environment, arguments).expect("it ran before");
        assert!(!is_drawn(&output), "{environment:?} {arguments}: {output:?}");
    }
}
