//! `check --fix`: what is sure is written, what remains is reported and decides the exit status.

use std::fs;

use serde_json::Value;

use crate::harness::{SiteTest, repository};

const PAGE: &str = "content/tracks/t/labs/lab-01-a.md";

fn base() -> SiteTest {
    SiteTest::copy_of(&repository("tests/suite/base"))
}

fn text(test: &SiteTest, path: &str) -> String {
    fs::read_to_string(test.root().join(path)).expect("a file of the course")
}

/// Runs `check` with arguments: its exit status, standard output and standard error.
fn check(test: &SiteTest, arguments: &[&str]) -> (Option<i32>, String, String) {
    let run = test.run(&[&["check"], arguments].concat());
    let printed = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (run.status.code(), printed(&run.stdout), printed(&run.stderr))
}

#[test]
fn what_is_sure_is_written_and_said() {
    let test = base();
    test.edit(PAGE, "title: Lab A", "titel: Lab A").edit(PAGE, "#ledger", "#legder");
    let before = text(&test, PAGE);

    let (status, out, _) = check(&test, &["--fix", "--dry-run"]);
    assert_eq!(status, Some(0), "nothing would remain: {out}");
    assert!(out.contains("\n-titel: Lab A\n") && out.contains("\n+title: Lab A\n"), "{out}");
    assert!(out.contains(&format!("would fix {PAGE}:2: write `title`\n")), "{out}");
    assert_eq!(text(&test, PAGE), before, "nothing is written");

    let (status, out, error) = check(&test, &["--fix"]);
    assert_eq!((status, error.as_str()), (Some(0), ""));
    assert!(out.starts_with(&format!("fixed {PAGE}:2: write `title`\nfixed {PAGE}:10: write `ledger`\n")), "{out}");
    assert_eq!(text(&test, PAGE), before.replace("titel", "title").replace("legder", "ledger"));
    let (_, out, _) = check(&test, &["--fix"]);
    assert!(!out.contains("fixed"), "there is nothing left: {out}");
}

#[test]
fn what_remains_is_reported() {
    let test = base();
    test.edit(PAGE, "title: Lab A", "titel: Lab A").edit(PAGE, "`total`", "`nowhere`");
    let (status, out, error) = check(&test, &["--fix"]);
    assert_eq!(status, Some(1));
    assert!(out.contains("fixed") && error.contains("error[E0301]") && !error.contains("E0104"), "{out}{error}");

    test.edit(PAGE, "title: Lab A", "titel: Lab A");
    let (status, out, error) = check(&test, &["--fix", "--format", "json"]);
    assert_eq!(status, Some(1));
    assert!(error.starts_with(&format!("fixed {PAGE}:2: write `title`\n")), "{error}");
    for line in out.lines() {
        let one: Value = serde_json::from_str(line).expect("standard output has the report alone");
        assert!(one["fixes"].is_array());
    }
}

#[test]
fn json_and_sarif_carry_fixes() {
    let test = base();
    test.edit(PAGE, "title: Lab A", "titel: Lab A");
    let (_, out, _) = check(&test, &["--format", "json"]);
    let found: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let fix = found.iter().find(|one| one["code"] == "E0104").map(|one| &one["fixes"][0]).expect("a fix");
    assert_eq!((&fix["title"], &fix["sure"]), (&"write `title`".into(), &true.into()));
    let edit = &fix["edits"][0];
    assert_eq!((&edit["file"], &edit["line"], &edit["column"]), (&PAGE.into(), &2.into(), &1.into()));
    assert_eq!((&edit["end_line"], &edit["end_column"], &edit["text"]), (&2.into(), &6.into(), &"title".into()));
    let (_, out, _) = check(&test, &["--format", "sarif"]);
    let log: Value = serde_json::from_str(&out).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("results");
    let change = results.iter().find_map(|one| one.pointer("/fixes/0/artifactChanges/0")).expect("a fix");
    assert_eq!(change["replacements"][0]["insertedContent"]["text"], "title");
}

#[test]
fn line_ends_and_byte_order_marks_stay() {
    let test = base();
    let page = format!("\u{feff}{}", text(&test, PAGE).replace("title: Lab A", "titel: Lab A").replace('\n', "\r\n"));
    test.write(PAGE, &page);
    assert_eq!(check(&test, &["--fix"]).0, Some(0));
    assert_eq!(text(&test, PAGE), page.replace("titel", "title"));
}

#[test]
fn files_outside_a_course_are_fixed_too() {
    let test = SiteTest::empty();
    test.write("src/queue.py", "# ANCHOR: put\nx = 1\n# ANCHOR_END: put\n");
    test.write(
        "README.md",
        "```python file=src/queue.py#pu\nx = 1\n```\n\n```python file=src/queue.py#putt\nx = 1\n```\n",
    );
    fs::create_dir(test.root().join(".git")).expect("a repository");
    let (status, out, error) = check(&test, &["README.md", "--fix"]);
    assert_eq!(status, Some(1), "a name of two letters is not sure: {out}{error}");
    assert!(text(&test, "README.md").contains("#put\n") && text(&test, "README.md").contains("#pu\n"), "{out}{error}");
}
