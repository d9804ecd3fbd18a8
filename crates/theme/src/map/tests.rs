//! The rows of the reading map for courses of many shapes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::*;
use infralens_course::config::Config;
use infralens_course::course::{self, Summary};
use infralens_page::{parse, placement};
use infralens_source::source::Source;

/// A section, with more front matter.
fn section(title: &str, more: &str) -> String {
    format!("---\ntitle: {title}\nsummary: About {title}\n{more}---\n")
}

/// A lab that practices some sections, with more front matter.
fn lab(title: &str, handbook: &str, more: &str) -> String {
    let starter = "starter: { file: x/a.py, type: T, angle: A }";
    format!(
        "---\ntitle: {title}\nfocus: F\nreads: R\noutcome: O {title}\nhandbook: [{handbook}]\n{starter}\n{more}---\n"
    )
}

/// Returns the rows of the track with an index, in words: sections, lab, then what else a row has. There are two tracks; some
/// files are added or put in place of theirs.
fn rows(files: &[(&str, String)], track: usize) -> Vec<String> {
    let mut all = BTreeMap::from([
        ("content/tracks/one/index.md", section("One", "")),
        ("content/tracks/one/handbook/01-basics.md", section("Basics", "")),
        ("content/tracks/one/labs/lab-01-x.md", lab("X", "basics", "")),
        ("content/tracks/one/labs/lab-02-y.md", lab("Y", "basics", "after: [lab-01-x]\n")),
        ("content/tracks/one/labs/lab-03-d.md", lab("D", "basics", "draft: true\n")),
        ("content/tracks/two/index.md", section("Two", "")),
        ("content/tracks/two/handbook/01-more.md", section("More", "after: [one/lab-01-x]\n")),
    ]);
    all.extend(files.iter().cloned());
    let summary = |(path, text): (&str, String)| {
        let source = Arc::new(Source::new(path, text));
        let (document, diagnostics) = parse(&source, placement::place(path).expect("a page"));
        Summary::new(&document, &diagnostics)
    };
    let (config, _) = Config::read(&Source::new("content/site.yaml", "title: C\ntracks: [one, two]\n"));
    let (course, _) = course::assemble(all.into_iter().map(summary).collect(), &config, false);
    let rows = super::rows(&course, &course.tracks[track]);
    let listed: Vec<PageId> = rows.iter().flat_map(Row::pages).collect();
    assert_eq!(listed, course.tracks[track].order, "each page of the order is in one row");
    rows.iter().map(|row| words(&course, row)).collect()
}

fn words(course: &Course, row: &Row) -> String {
    let names = |pages: &[PageId]| pages.iter().map(|&page| course.pages[page].name()).collect::<Vec<_>>().join(" ");
    let lab: Vec<PageId> = row.lab.into_iter().collect();
    let mut words = format!("{} | {}", names(&row.sections), names(&lab));
    for (what, pages) in [("again", &row.again), ("elsewhere", &row.elsewhere), ("needs", &row.needs)] {
        if !pages.is_empty() {
            words = format!("{words} | {what}: {}", names(pages));
        }
    }
    words
}

#[test]
fn two_labs_of_one_section_name_it_twice() {
    assert_eq!(rows(&[], 0), ["basics | lab-01-x", " | lab-02-y | again: basics | needs: lab-01-x"]);
}

#[test]
fn a_section_without_a_lab_has_a_row() {
    assert_eq!(rows(&[], 1), ["more |  | needs: lab-01-x"]);
    let free = ("content/tracks/one/handbook/00-free.md", section("Free", ""));
    let late = ("content/tracks/one/handbook/09-late.md", section("Late", ""));
    let rows = rows(&[free, late], 0);
    assert_eq!(rows, ["free | ", "basics | lab-01-x", " | lab-02-y | again: basics | needs: lab-01-x", "late | "]);
}

#[test]
fn a_row_has_all_sections_that_its_lab_requires() {
    let primer = ("content/tracks/one/handbook/05-primer.md", section("Primer", "numbered: false\n"));
    let basics = ("content/tracks/one/handbook/01-basics.md", section("Basics", "after: [primer]\n"));
    assert_eq!(rows(&[primer, basics], 0)[0], "primer basics | lab-01-x");
}

#[test]
fn a_lab_without_sections_of_its_track_says_what_it_requires() {
    let lab = ("content/tracks/two/labs/lab-01-z.md", lab("Z", "one/basics", ""));
    assert_eq!(rows(&[lab], 1), [" | lab-01-z | needs: basics", "more |  | needs: lab-01-x"]);
}

#[test]
fn a_section_may_prepare_for_labs_of_other_tracks() {
    let lab = ("content/tracks/one/labs/lab-05-z.md", lab("Z", "two/more", ""));
    assert_eq!(rows(std::slice::from_ref(&lab), 1), ["more |  | elsewhere: lab-05-z | needs: lab-01-x"]);
    let own = ("content/tracks/two/labs/lab-01-own.md", self::lab("Own", "more", ""));
    assert_eq!(rows(&[lab, own], 1), ["more | lab-01-own | needs: lab-01-x"]);
}

#[test]
fn a_section_that_a_listed_lab_requires_is_not_listed() {
    let second = ("content/tracks/one/handbook/02-second.md", section("Second", "after: [basics]\n"));
    let lab = ("content/tracks/one/labs/lab-05-z.md", lab("Z", "second", "after: [lab-02-y]\n"));
    let rows = rows(&[second, lab], 0);
    assert_eq!(rows.last().map(String::as_str), Some("second | lab-05-z | needs: lab-02-y"));
}

#[test]
fn pages_of_a_cycle_are_rows_too() {
    let basics = ("content/tracks/one/handbook/01-basics.md", section("Basics", "after: [lab-02-y]\n"));
    assert!(!rows(&[basics], 0).is_empty(), "the build reports the cycle");
}
