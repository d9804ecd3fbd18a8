//! What keeps an excerpt from being compared with its file is said by `sync` as by `check`, and nothing that has an error is
//! pinned.

use infralens::assets::BUILTIN;
use infralens::load;
use infralens_site::{self as site, Options, Site};

use crate::harness::SiteTest;
use crate::sync::{HEAD, LAB, course, lab, text};

const PINNED: &str = "```python file=#all\nx = 1\n# a comment\ntotal = x + y\n```\n\n1. `total` — t.\n";
const ALL_IS_WELL: &str = "every pin matches its file";

/// Runs `sync` in each of its ways: all refuse, name the code, and leave the page as it is.
fn refuses(test: &SiteTest, code: &str) {
    let before = lab(test);
    let checked = text(&test.run(&["check"])).1;
    assert!(checked.contains(code), "{checked}");
    for arguments in [["sync"].as_slice(), &["sync", "--check"], &["sync", "--accept"]] {
        let (out, err, status) = text(&test.run(arguments));
        assert_eq!(status, Some(1), "{arguments:?}: {out}{err}");
        assert!(err.contains(&format!("[{code}]")) && !out.contains(ALL_IS_WELL), "{arguments:?}: {out}{err}");
        assert_eq!(lab(test), before, "{arguments:?}");
    }
}

#[test]
fn what_cannot_be_compared_is_not_as_its_file() {
    for (from, to, code) in [
        ("file=#all", "file=#any", "E0305"),
        ("file=#all", "file=b.py", "E0302"),
        ("file=#all", "file=../../b.py", "E0303"),
        ("file=#all", "file=#L90", "E0307"),
        ("file=#all", "file=#fn:f", "E0308"),
        ("file=#all", "file=README.md#fn:f", "E0310"),
        ("file=#all", "file=#L4-L2", "E0311"),
        ("file=#all", "file=#all,any", "E0305"),
        ("```\n\n1.", "\n1.", "E0209"),
    ] {
        let test = course(&PINNED.replace(from, to));
        test.write("code/lab-01-a/README.md", "# A folder\n");
        refuses(&test, code);
    }
}

#[test]
fn an_emptied_starter_is_not_as_its_pins() {
    for blank in ["", "\n", " \t\r\n", "\u{feff}"] {
        let test = course(PINNED);
        test.write("code/lab-01-a/a.py", blank);
        refuses(&test, "E0011");
        // Also a file that only another page shows.
        let test = course(PINNED);
        test.write("code/lab-01-a/b.py", blank);
        test.write("content/x.md", "---\ntitle: X\n---\n\n```python file=lab-01-a/b.py\n```\n");
        refuses(&test, "E0011");
    }
}

#[test]
fn a_page_that_cannot_be_read_has_excerpts_that_nobody_knows() {
    for (page, code) in [
        (format!("{}{PINNED}", HEAD.replace("---\ntitle", "title")), "E0101"),
        (format!("{}{PINNED}", HEAD.replace("title: Lab A", "title: [")), "E0103"),
        (format!("{}{PINNED}", HEAD.replace("file: a.py, ", "")), "E0107"),
        (format!("{}{PINNED}", HEAD.replace("a.py", "b.py")), "E0302"),
    ] {
        let test = course("");
        test.write(LAB, page);
        let (out, err, status) = text(&test.run(&["sync", "--check"]));
        assert!(err.contains(&format!("[{code}]")), "{code}: {err}");
        assert_eq!((out.as_str(), status), ("", Some(1)), "{code}: {err}");
    }
    let test = course("");
    test.write(LAB, b"\xff");
    let (out, err, status) = text(&test.run(&["sync"]));
    assert!(err.contains("[E0001]"), "{err}");
    assert_eq!((out.as_str(), status), ("0 pins written, 1 error to fix\n", Some(1)));
}

#[test]
fn errors_elsewhere_are_not_said_by_sync() {
    let test = course(&format!("{PINNED}\n[gone](gone.md)\n"));
    let (out, err, status) = text(&test.run(&["sync", "--check"]));
    assert_eq!((out.as_str(), err.as_str(), status), ("every pin matches its file\n", "", Some(0)));
}

#[test]
fn nothing_that_has_an_error_is_pinned() {
    let stale = PINNED.replace("# a comment\n", "");
    for (body, code) in [
        (stale.replace("`total`", "`sum`"), "E0301"),
        (stale.replace("`total` — t.", "T."), "E0312"),
        (stale.replace("#all\n", "#all mark=sum\n"), "E0313"),
        (stale.replace("#all\n", "#all numbers=no\n"), "E0206"),
        ("```python file=#all\n```\n\n1. `sum` — t.\n".to_owned(), "E0301"),
    ] {
        let test = course(&body);
        refuses(&test, code);
        let (out, ..) = text(&test.run(&["sync", "--accept", LAB]));
        assert!(out.starts_with(&format!("{LAB}:9: unchanged because of {code}\n")), "{code}: {out}");
    }
}

#[test]
fn markers_that_do_not_pair_are_mended_before_anything_is_pinned() {
    let test = course(&format!("{PINNED}\n```python file=#L2\nx = 0\n```\n\n1. `x` — t.\n"));
    test.edit("code/lab-01-a/a.py", "# ANCHOR_END: all\n", "more = 1\n");
    refuses(&test, "E0306");
    let output = test.build().human();
    let codes = test.build().codes();
    // The region, which now goes on to the end, is not said to have changed.
    assert_eq!(codes, ["E0306", "E0316"], "{output}");
    assert!(output.contains("help: fix the region markers of `code/lab-01-a/a.py` first"), "{output}");
    assert!(!output.contains("sync"), "{output}");
}

#[test]
fn mended_markers_are_seen_at_once() {
    let test = course(&format!("{PINNED}\n[all of it](code:#all)\n"));
    let mut kept = Site::default();
    let marker = "# ANCHOR: all\n";
    for (from, to) in [(marker, "# none\n"), ("# none\n", marker), ("x = 1", "x = 2")] {
        test.edit("code/lab-01-a/a.py", from, to);
        let project = load::load(&test.root());
        kept = site::plan(&project, &Options::new(BUILTIN), &kept);
        let cold = site::plan(&project, &Options::new(BUILTIN), &Site::default());
        let listed = |site: &Site| {
            let mut listed: Vec<String> = site.diagnostics().map(|diagnostic| format!("{diagnostic:?}")).collect();
            listed.sort();
            listed
        };
        assert_eq!(listed(&kept), listed(&cold), "{from} -> {to}");
        let bytes = |site: &Site| site.files().0.into_iter().map(|(path, bytes)| (path, bytes.as_ref().to_vec()));
        assert!(bytes(&kept).eq(bytes(&cold)), "{from} -> {to}");
    }
}

#[test]
fn lines_that_have_moved_are_left_until_they_are_accepted() {
    let lines = "```python file=#L2-L4\nx = 1\n# a comment\ntotal = x + y\n```\n";
    let test = course(lines);
    test.edit("code/lab-01-a/a.py", "# ANCHOR: all\n", "import os\n\n# ANCHOR: all\n");
    let (out, err, status) = text(&test.run(&["sync"]));
    assert_eq!((out.as_str(), status), ("0 pins written, 1 left to review\n", Some(1)), "{err}");
    assert!(err.contains("warning[W0301]: the selector and the pin of this excerpt disagree\n"), "{err}");
    assert!(err.contains("help: the pin's code is now at `#L4-L6`\n"), "{err}");
    assert_eq!(lab(&test), lines);
    let (out, _, status) = text(&test.run(&["sync", "--accept", &format!("{LAB}:9")]));
    assert_eq!((out, status), (format!("{LAB}:9: accepted\n1 pin written\n"), Some(0)));
    // A region says by its name what is meant.
    let test = course(PINNED.trim_end_matches("\n1. `total` — t.\n"));
    test.edit("code/lab-01-a/a.py", "# a comment\n", "");
    assert_eq!(text(&test.run(&["sync"])).2, Some(0));
}

#[test]
fn a_place_with_an_error_is_not_called_fresh() {
    let test = course(&PINNED.replace("#all", "#any"));
    let (out, ..) = text(&test.run(&["sync", "--accept", &format!("{LAB}:9")]));
    assert!(out.contains(":9: no stale excerpt here; excerpts with errors are not compared\n"), "{out}");
}
