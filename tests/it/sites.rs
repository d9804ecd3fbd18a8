//! `tests/sites`: tiny courses, each with what it should become in `expected/`: the diagnostics in `diagnostics.txt` (if it
//! is missing, there are none), the main part of each page, and any other file byte for byte. `PAGE@SELECTOR` has only those
//! elements of a page that match `name.class`; `steps.txt` has the order of the pages. To expect one more file, add it empty
//! and run with `UPDATE=1`.

use std::fs;

use infralens_course::config::BaseUrl;

use crate::harness::{Built, SiteTest, listing, repository, updates};
use crate::html::Tree;
use crate::suite;

/// The names of the test courses.
pub fn cases() -> Vec<String> {
    let entries = fs::read_dir(repository("tests/sites")).expect("the test courses");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name in UTF-8")).collect();
    names.sort();
    names
}

/// A copy of a test course, to be built as it is meant to be: `drafts` with its drafts, `base-url` under another path.
pub fn course(case: &str) -> SiteTest {
    let mut test = SiteTest::from_dir(case);
    if case == "base-url" {
        test.options.base_url = BaseUrl::parse("https://example.org/a/course/").ok();
    }
    test
}

/// What a build has become, for one file of `expected/`.
fn actual(built: &Built, path: &str) -> String {
    match path {
        "diagnostics.txt" => return built.human(),
        "steps.txt" => return steps(built),
        _ => {}
    }
    let (page, selector) = path.split_once('@').unwrap_or((path, ""));
    if page.ends_with(".html") {
        return suite::fragment(built, page, selector);
    }
    let file = built.files.as_ref().and_then(|files| files.get(path));
    file.map_or_else(
        || format!("there is no file {path}\n"),
        |bytes| String::from_utf8_lossy(bytes.as_ref()).into_owned(),
    )
}

/// A line for each page that has a page before or after it.
fn steps(built: &Built) -> String {
    let mut lines = String::new();
    for (path, file) in built.files.iter().flatten().filter(|(path, _)| path.ends_with(".html")) {
        let tree = Tree::parse(&String::from_utf8_lossy(file.as_ref()));
        let step = |rel: &str| {
            let link = tree.named("a").find(|(_, node)| node.attribute("rel") == Some(rel));
            link.and_then(|(_, node)| node.attribute("href")).unwrap_or("-").to_owned()
        };
        let (previous, next) = (step("prev"), step("next"));
        if (previous.as_str(), next.as_str()) != ("-", "-") {
            lines.push_str(&format!("{previous} <- {path} -> {next}\n"));
        }
    }
    lines
}

#[test]
fn each_becomes_what_is_expected() {
    let mut failures = Vec::new();
    for case in cases() {
        let expected = repository(&format!("tests/sites/{case}/expected"));
        let built = course(&case).build();
        let files = listing(&expected);
        if !files.contains_key("diagnostics.txt") && !built.human().is_empty() {
            failures.push(format!("{case} says:\n{}", built.human()));
        }
        if files.is_empty() {
            failures.push(format!("{case}: expected/ has nothing in it"));
        }
        for (path, at) in files {
            let found = actual(&built, &path);
            if updates() {
                fs::write(&at, &found).expect("expected files can be written");
            }
            let wanted = fs::read_to_string(&at).expect("an expected file");
            if wanted != found {
                let diff = similar::TextDiff::from_lines(&wanted, &found).unified_diff().context_radius(3).to_string();
                failures.push(format!("{case}/{path}:\n{diff}"));
            }
        }
    }
    assert!(failures.is_empty(), "UPDATE=1 takes these over\n\n{}", failures.join("\n"));
}

#[test]
fn drafts_are_published_when_they_are_asked_for() {
    let mut test = SiteTest::from_dir("drafts");
    let draft = "tracks/t/labs/lab-02-later.html";
    assert!(!test.build().site().contains_key(draft));
    test.options.drafts = true;
    let files = test.build().site();
    assert!(files.contains_key(draft));
    assert!(files.contains_key("tracks/later/index.html"));
}
