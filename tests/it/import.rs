//! `infralens import`: a small book becomes a project that builds, and nothing else is touched.

use std::fs;
use std::os::unix::fs::symlink;

use crate::harness::{SiteTest, contents};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A book with a picture that is not text, a listing that pages include, and a link out of the book.
fn book() -> SiteTest {
    let test = SiteTest::empty();
    test.write("book/book.toml", "[book]\ntitle = \"Rings\"\n[preprocessor.x]\n")
        .write("book/src/SUMMARY.md", "- [First](first.md)\n  - [Second](second.md)\n- [Missing](missing.md)\n")
        .write(
            "book/src/first.md",
            "# First\n\n![A ring](ring.png)\n\n```rust\n{{#include ../code/ring.rs:state}}\n```\n",
        )
        .write(
            "book/src/second.md",
            "# Second\n\nBack to [the first](first.html), or to [std](../../std/a.html).\n[a](no.md)\n[b](no.md)\n\
             [c](no.md)\n[d](other.md)\n",
        )
        .write("book/code/ring.rs", "// ANCHOR: state\nlet a = 1;\n// ANCHOR_END: state\n");
    fs::write(test.root().join("book/src/ring.png"), PNG).expect("a picture");
    test
}

/// A picture of one pixel.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0:~\x9bU\0\0\0\nIDATx\x9cc\xf8\x0f\0\x01\x01\x01\0\x1b\xb6\xeeV\0\0\0\0IEND\xaeB`\x82";

#[test]
fn a_book_becomes_a_project_that_builds() {
    let test = book();
    let before = contents(&test.root().join("book"));
    let run = test.run(&["import", "mdbook", "book", "--root", "new", "--report", "lost.txt"]);
    assert_eq!(text(&run.stderr), "");
    let written = fs::read_to_string(test.root().join("lost.txt")).expect("a report");
    let lost = "\nPlugins and preprocessors: 1\n  What they add to pages is missing, unless the line says what to do. Write it into the pages.\n    \
        book.toml:3  `x`\n\
        \nEntries of the table of contents without a page: 1\n  \
        They are left out; one that has entries below it becomes a page that lists these.\n    \
        src/SUMMARY.md:3  `src/missing.md` is not in the book's folder\n\
        \nLinks that lead nowhere: 5\n  \
        The page keeps their text. Link to a page of the project, or to a whole address such as `https://…`.\n    \
        src/second.md:3  `../../std/a.html` is outside of the book\n    \
        src/second.md:4  `no.md` is not in the book\n    \
        src/second.md:5  `no.md` is not in the book\n    \
        src/second.md:6  `no.md` is not in the book\n    \
        src/second.md:7  `other.md` is not in the book\n\
        \nParts and numbers of chapters: 1\n  The tree of pages shows neither. Mention chapters by title; \
        for a part, write a page with its pages in a folder.\n    \
        src/SUMMARY.md:1  the numbers of chapters\n";
    assert_eq!(written, lost);
    // What is printed has three places of each kind, which differ.
    let few = lost.replace(
        "src/second.md:5  `no.md` is not in the book\n    src/second.md:6  `no.md` is not in the book\n    \
         src/second.md:7  `other.md` is not in the book\n",
        "src/second.md:7  `other.md` is not in the book\n    and 2 more\n",
    );
    let printed = format!(
        "3 pages and 1 excerpt in new/\n\nNot taken over, or changed. `lost.txt` has all places.\n{few}\n\
         next: `infralens check` there shows what is left to change\n"
    );
    assert_eq!(text(&run.stdout), printed);
    let built = test.run(&["build", "--root", "new", "-o", "site"]);
    assert_eq!((built.status.code(), text(&built.stderr)), (Some(0), String::new()));
    assert_eq!(contents(&test.root().join("new"))["content/ring.png"], PNG);
    assert_eq!(contents(&test.root().join("book")), before, "the book is only read");
    let page = fs::read_to_string(test.root().join("site/first/index.html")).expect("a page");
    assert!(page.contains("ring.png") && page.contains("second.html"), "{page}");
}

#[test]
fn what_cannot_be_imported_is_refused_and_leaves_nothing() {
    let test = book();
    test.write("taken/file", "").write("plain", "").write("broken/book.toml", "[book\n");
    test.write("book/lost.txt", "");
    let cases: [(&[&str], &str); 7] = [
        (
            &["book", "--root", "taken"],
            "error: `taken` is not empty\nhelp: `--root` names a new or empty folder for the project\n",
        ),
        (
            &["book", "--root", "book/new"],
            "error: `book/new` is inside the book\nhelp: `--root` names a new or empty folder for the project\n",
        ),
        (&["none", "--root", "new"], "error: `none` cannot be read: there is no such file or folder\n"),
        (&["plain", "--root", "new"], "error: `plain` is not a folder\n"),
        (
            &["taken", "--root", "new"],
            "error: `book.toml` is not in the book's folder\nhelp: name the folder of a book, which contains `book.toml`, or `SUMMARY.md` \
             alone\n",
        ),
        (&["book", "--root", "new", "--report", "plain"], "error: `plain` already exists\n"),
        (&["broken", "--root", "new"], "error: book.toml:1:6: "),
    ];
    for (arguments, message) in cases {
        let run = test.run(&[&["import", "mdbook"], arguments].concat());
        assert_eq!(run.status.code(), Some(2));
        let output = text(&run.stderr);
        assert!(output == message || message.ends_with(": ") && output.starts_with(message), "{arguments:?}: {output}");
        assert!(!test.root().join("new").exists(), "{arguments:?}");
    }
}

#[test]
fn a_report_that_cannot_be_written_leaves_no_project() {
    let test = book();
    test.write("plain", "");
    for report in ["new/content", "plain/lost.txt"] {
        let run = test.run(&["import", "mdbook", "book", "--root", "new", "--report", report]);
        assert_eq!(run.status.code(), Some(2), "{report}");
        let left = test.root().join("new");
        assert!(!left.exists() || contents(&left).is_empty(), "{report}: {:?}", contents(&left).keys());
    }
    let run = test.run(&["import", "mdbook", "book", "--root", "new", "--report", "new/lost.txt"]);
    assert_eq!((run.status.code(), text(&run.stderr)), (Some(0), String::new()));
    assert!(contents(&test.root().join("new")).contains_key("lost.txt"));
}

#[test]
fn folders_that_are_too_deep_are_reported() {
    let test = book();
    test.write(&format!("book/src/{}a.md", "d/".repeat(70)), "");
    let run = test.run(&["import", "mdbook", "book", "--root", "new"]);
    assert!(text(&run.stdout).contains("` is nested too deep: the limit is 64 folders\n"), "{}", text(&run.stdout));
}

#[test]
fn links_on_disk_are_not_followed() {
    let test = book();
    test.write("secret.md", "# Secret\n");
    symlink("../../secret.md", test.root().join("book/src/missing.md")).expect("a link");
    let run = test.run(&["import", "mdbook", "book", "--root", "new"]);
    let output = text(&run.stdout);
    assert!(output.contains("src/SUMMARY.md:3  `src/missing.md` is a symbolic link\n"), "{output}");
    let pages = contents(&test.root().join("new"));
    assert!(!pages.values().any(|bytes| text(bytes).contains("Secret")));
}

#[test]
fn what_is_not_part_of_the_book_is_not_read() {
    let deep = "a/".repeat(70);
    let test = SiteTest::empty();
    test.write("book/book.toml", "")
        .write("book/src/SUMMARY.md", "[First](first.md)\n[Read me](../README.md)\n")
        .write(
            "book/src/first.md",
            "# First\n\n{{#include ../code/a.md}}\n{{#include ../.env}}\n{{#include ../link.md}}\n",
        )
        .write("book/README.md", "# Read me\n")
        .write("book/code/a.md", "An a, {{#include b/b.md}}\n")
        .write("book/code/b/b.md", "and {{#include ../../c.md}}\n")
        .write("book/c.md", "a c.\n")
        .write("book/.env", "SECRET\n")
        .write(&format!("book/data/{deep}x"), "")
        .write(
            "site/mkdocs.yml",
            "site_name: S\nmarkdown_extensions:\n  - pymdownx.snippets: { base_path: [parts, .] }\n",
        )
        .write("site/docs/index.md", "# Home\n\n--8<-- \"a.md\"\n--8<-- \"b.md\"\n--8<-- \".env\"\n")
        .write("site/parts/a.md", "An a.\n")
        .write("site/b.md", "A b.\n")
        .write("site/.env", "SECRET\n")
        .write(&format!("site/data/{deep}x"), "");
    symlink(".env", test.root().join("book/link.md")).expect("a link");
    let run = test.run(&["import", "mdbook", "book", "--root", "new"]);
    let output = text(&run.stdout);
    assert!(
        output.contains("`.env` is not in") && output.contains("`link.md`") && !output.contains("data"),
        "{output}"
    );
    let page = fs::read_to_string(test.root().join("new/content/index.md")).expect("a page");
    assert!(page.contains("An a, and a c.") && !page.contains("SECRET"), "{page}");
    assert!(output.starts_with("2 pages"), "{output}");
    let run = test.run(&["import", "mkdocs", "site", "--root", "other"]);
    let output = text(&run.stdout);
    assert!(output.contains("`.env` is not in") && !output.contains("data"), "{output}");
    let page = fs::read_to_string(test.root().join("other/content/index.md")).expect("a page");
    assert!(page.contains("An a.\nA b.\n") && !page.contains("SECRET"), "{page}");
}
