//! A course in several languages, as the commands for translators change it.

use std::fs;

use infralens_source::output::Files;

use crate::harness::SiteTest;

const LAB: &str = "content/tracks/t/labs/lab-01-sum.zh-Hans.md";

fn text(site: &SiteTest, path: &str) -> String {
    fs::read_to_string(site.root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// What a command prints, which must end with this status.
fn run(site: &SiteTest, arguments: &[&str], status: i32) -> String {
    let run = site.run(arguments);
    let output = [run.stdout, run.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert_eq!(run.status.code(), Some(status), "{arguments:?}: {output}");
    output
}

#[test]
fn a_new_translation_quotes_every_block_and_changes_nothing_else() {
    let site = SiteTest::from_dir("languages");
    let before: Files = SiteTest::from_dir("languages").build().site();
    let output = run(&site, &["new", "translation", "ar", "lab-01-sum"], 0);
    assert!(output.starts_with("created content/tracks/t/labs/lab-01-sum.ar.md\n"), "{output}");
    let new = text(&site, "content/tracks/t/labs/lab-01-sum.ar.md");
    assert_eq!(new.matches("<!-- source\n").count(), 10, "{new}");
    assert!(new.contains("<!-- source\n```python file=#fn:add caption=\"One line\"\n-->\n"), "{new}");
    run(&site, &["new", "translation", "ar", "lab-01-sum"], 2);
    run(&site, &["new", "translation", "fr", "lab-01-sum"], 2);
    let output = run(&site, &["new", "translation", "ar", "lab-01"], 2);
    assert!(output.contains("did you mean `content/tracks/t/labs/lab-01-sum.md`?"), "{output}");
    // It has quotes alone, so there is nothing to bring up to date, and every page has the words that it had.
    let output = run(&site, &["check"], 0);
    assert!(output.contains("16 of 16 blocks not translated"), "{output}");
    let after = site.build().site();
    for page in ["tracks/t/labs/lab-01-sum.html", "zh-Hans/tracks/t/labs/lab-01-sum.html"] {
        assert!(before[page].as_ref() == after[page].as_ref(), "{page} has changed");
    }
}

#[test]
fn a_translation_that_exists_gets_quotes() {
    let site = SiteTest::from_dir("languages");
    // Beside its page, without quotes.
    let head = "---\ntitle: جمع\n---\n\n";
    site.write("content/index.ar.md", format!("{head}انظر [الدرس](x.md).\n\n<!-- tracks -->\n"));
    let output = run(&site, &["check"], 1);
    assert!(
        output.contains("no quote above says") && output.contains("infralens new translation LANG PAGE"),
        "{output}"
    );
    let output = run(&site, &["new", "translation", "ar", "index"], 0);
    assert!(
        output.starts_with("changed content/index.ar.md\n  left in a comment: content/index.ar.md:5: "),
        "{output}"
    );
    run(&site, &["check"], 0);
    run(&site, &["new", "translation", "ar", "index"], 2);

    // In a course of its own: only pages that differ are translated.
    let other = SiteTest::from_dir("languages");
    other.write("content/tracks/t/index.md", text(&other, "content/tracks/t/index.md").replace("title: ", "title: ا"));
    let from = other.root().display().to_string();
    run(&site, &["new", "translation", "ar", "--from", "nowhere"], 2);
    run(&site, &["new", "translation", "ar", "lab-01-sum", "--from", &format!("{from}/content/tracks")], 2);
    let output = run(&site, &["new", "translation", "ar", "--from", &from], 0);
    assert!(output.starts_with("created content/tracks/t/index.ar.md\nnext"), "{output}");
    let output = run(&site, &["new", "translation", "ar", "--from", &from], 0);
    assert!(output.starts_with("the other course has no page"), "{output}");
}

#[test]
fn sync_follows_what_moved_and_takes_over_what_is_accepted() {
    let site = SiteTest::from_dir("languages");
    // A paragraph moves, a link leads elsewhere, and one is new.
    site.write(
        "content/index.md",
        "---\ntitle: Sums\nsummary: How numbers are added.\n---\n\nA new one.\n\n<!-- tracks -->\n\n\
         The course adds numbers. See [the lab](tracks/t/labs/lab-01-sum.md) and [the picture](plus.svg).\n",
    );
    let output = run(&site, &["sync"], 0);
    assert!(output.contains("content/index.zh-Hans.md: 1 quote brought up to date\n"), "{output}");
    let index = text(&site, "content/index.zh-Hans.md");
    assert!(index.contains("See [the lab](tracks/t/labs/lab-01-sum.md) and"), "{index}");
    assert!(index.contains("见[实验](tracks/t/labs/lab-01-sum.md)和"), "{index}");
    let (new, old) = (index.find("A new one."), index.find("The course adds"));
    assert!(new.is_some() && new < old, "{index}");
    assert_eq!(run(&site, &["sync"], 0), "every pin matches its file\n");

    let lab = text(&site, LAB);
    let line = |part: &str| lab[..lab.find(part).expect(part)].lines().count().to_string();
    let [stale, gone] = ["The sum of two", "It has no words"].map(|part| format!("{LAB}:{}", line(part)));
    let output = run(&site, &["sync", "--accept", &stale, &gone], 0);
    assert!(output.contains("quote accepted") && output.contains("quote removed"), "{output}");
    let lab = text(&site, LAB);
    assert!(lab.contains("What does it return?\n: The sum.\n-->\n它返回什么？"), "{lab}");
    assert!(!lab.contains("It has no words") && !lab.contains("这段话"), "{lab}");
    let output = run(&site, &["sync", "--accept", &format!("{LAB}:12")], 0);
    assert!(output.contains("no stale excerpt here"), "{output}");
}

#[test]
fn a_page_is_moved_with_its_translations() {
    let site = SiteTest::from_dir("languages");
    run(&site, &["move", "lab-01-sum", "lab-02-total"], 0);
    assert!(text(&site, "content/tracks/t/labs/lab-02-total.zh-Hans.md").contains("一个和"));
    let index = text(&site, "content/index.zh-Hans.md");
    assert_eq!(index.matches("(tracks/t/labs/lab-02-total.md#code)").count(), 2, "{index}");
    run(&site, &["check"], 0);
}

#[test]
fn the_report_of_a_language_is_a_table_and_warnings() {
    let site = SiteTest::from_dir("languages");
    let output = run(&site, &["check", "--language", "zh-Hans"], 0);
    assert!(output.contains("warning[W0701]") && output.contains("warning[W0702]"), "{output}");
    assert!(output.contains("0 (0 %)       0       3       0  content/tracks/t/index.md\n"), "{output}");
    assert!(output.contains("hint[W0703]: 2 of 4 blocks not translated\n --> content/index.ar.md"), "{output}");
    run(&site, &["check", "--language", "zh-Hans", "--strict"], 1);
    run(&site, &["check", "--strict"], 0);
    run(&site, &["check", "--language", "it"], 2);
    let output = run(&site, &["check", "--language", "zh-Hans", "--format", "json"], 0);
    assert!(
        output.contains("{\"page\":\"content/glossary.md\",\"translation\":\"content/glossary.zh-Hans.md\""),
        "{output}"
    );
}

#[test]
fn a_picture_may_be_in_a_language_of_its_own() {
    let site = SiteTest::from_dir("languages");
    let picture = |width: u32| format!("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"9\"/>\n");
    let page = "---\ntitle: Sums\nsummary: How numbers are added.\n---\n\n![Plus](plus.svg)\n\n![Minus](minus.svg)\n\n<!-- tracks -->\n";
    site.write("content/index.md", page);
    site.write("content/minus.svg", picture(10));
    site.write("content/minus.zh-Hans.svg", picture(20));
    let files = site.build().site();
    let html = |path: &str| String::from_utf8_lossy(files[path].as_ref()).into_owned();
    for (path, src) in [
        ("index.html", "src=\"minus.svg\" alt=\"Minus\" width=\"10\""),
        ("zh-Hans/index.html", "src=\"../minus.zh-Hans.svg\" alt=\"Minus\" width=\"20\""),
        ("zh-Hans/index.html", "src=\"../plus.svg\""),
        ("ar/index.html", "src=\"../minus.svg\""),
    ] {
        assert!(html(path).contains(src), "{path} lacks {src}");
    }
    let output = run(&site, &["check", "--language", "zh-Hans"], 0);
    let list = "\npictures in this language: 1 of 2; these are the ones of the course:\n  content/plus.svg\n";
    assert!(output.contains(list), "{output}");
    let output = run(&site, &["check", "--language", "zh-Hans", "--format", "json"], 0);
    assert!(output.contains("{\"picture\":\"content/minus.svg\",\"is_translated\":true}\n"), "{output}");
}

#[test]
fn a_course_in_one_language_has_nothing_of_it() {
    let files = SiteTest::from_dir("notes").build().site();
    let page = String::from_utf8_lossy(files["index.html"].as_ref()).into_owned();
    assert!(!page.contains("hreflang") && !page.contains("languages"), "{page}");
    assert!(!files.keys().any(|path| path.contains("languages")));
}
