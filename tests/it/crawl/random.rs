//! Random pages of all constructs in all positions: what links lead to is there.

use std::collections::{BTreeMap, BTreeSet};

use infralens_source::diag::Severity;
use rayon::prelude::*;

use super::read;
use crate::generate::{Dice, page};
use crate::harness::{SiteTest, repository};

/// How many courses of random pages are crawled, and how many pages each has.
const COURSES: u64 = 8;
const PAGES: usize = 270;

/// A course of random pages: in the root, and as what a lab, a section, a track and a folder of code say.
fn random(seed: u64) -> (SiteTest, BTreeMap<String, String>) {
    let mut dice = Dice(seed);
    let test = SiteTest::copy_of(&repository("tests/suite/base"));
    let dot = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"1\"></svg>";
    test.write("content/dot.svg", dot).write("content/s.md", "---\ntitle: S\n---\n\n## Cache\n");
    test.write("content/glossary.md", "---\ntitle: Terms\n---\n\n## KV cache\n\nKeys.\n\n## cache\n\nA store.\n");
    let mut pages = BTreeMap::new();
    for number in 0..PAGES {
        pages.insert(format!("content/p{number}.md"), page::page(&mut dice));
    }
    for path in ["index.md", "tracks/t/index.md", "tracks/t/labs/lab-01-a.md", "tracks/t/handbook/01-s.md"] {
        let path = format!("content/{path}");
        let old = std::fs::read_to_string(test.root().join(&path)).expect("a page of the base");
        let up = "../".repeat(path.matches('/').count() - 1);
        let body = page::body(&mut dice).replace("(dot.svg", &format!("({up}dot.svg"));
        pages.insert(path, format!("{old}\n{}", body.replace("(s.md", &format!("({up}s.md"))));
    }
    let body =
        page::body(&mut dice).replace("(dot.svg", "(../../content/dot.svg").replace("(s.md", "(../../content/s.md");
    pages.insert("code/lab-01-a/README.md".into(), body);
    (test, pages)
}

/// Builds a course of random pages without those that have errors: each page is HTML that nothing has to mend, its ids are
/// unique, and what links lead to is there. Returns how many pages it had.
fn crawl_random(seed: u64) -> (usize, Vec<String>) {
    let (test, mut pages) = random(seed);
    let mut problems = Vec::new();
    let before: BTreeMap<String, Vec<u8>> =
        pages.keys().filter_map(|path| Some((path.clone(), std::fs::read(test.root().join(path)).ok()?))).collect();
    for (path, text) in &pages {
        test.write(path, text);
    }
    loop {
        let built = test.build();
        let errors = built.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
        let wrong: BTreeSet<String> = errors.map(|error| error.place.file.to_string()).collect();
        if wrong.is_empty() != built.files.is_some() {
            problems.push(format!("seed {seed}: check and build disagree"));
            return (0, problems);
        }
        let Some(files) = built.files else {
            for path in wrong {
                match (pages.remove(&path), before.get(&path)) {
                    (Some(_), Some(old)) => drop(test.write(&path, old)),
                    (Some(_), None) => drop(test.remove(&path)),
                    (None, _) => return (0, vec![format!("seed {seed}: {path} has an error of its own")]),
                }
            }
            continue;
        };
        let mut site = read(&files, "/");
        site.links();
        for problem in site.problems {
            let page = format!("content/{}", problem.split(".html").next().unwrap_or_default());
            let written = pages.get(&format!("{page}.md")).map_or("", String::as_str);
            problems.push(format!("seed {seed}, {problem}:\n{written}"));
        }
        return (pages.len(), problems);
    }
}

#[test]
fn random_pages_hold_together() {
    let found: Vec<(usize, Vec<String>)> = (0..COURSES).into_par_iter().map(crawl_random).collect();
    let problems: Vec<String> = found.iter().flat_map(|(_, problems)| problems.iter().cloned()).collect();
    // One of each kind: what is said after the page, without its numbers.
    let kind = |problem: &str| {
        let line = problem.lines().next().unwrap_or_default();
        line.splitn(3, ": ").last().unwrap_or_default().replace(|c: char| c.is_ascii_digit(), "")
    };
    let kinds: BTreeMap<String, &String> = problems.iter().map(|problem| (kind(problem), problem)).collect();
    let some: Vec<&str> = kinds.values().take(8).map(|problem| problem.as_str()).collect();
    assert!(problems.is_empty(), "{} problems, such as these:\n{}", problems.len(), some.join("\n"));
    let pages: usize = found.iter().map(|(pages, _)| pages).sum();
    // The others have errors, such as a link around a formula.
    assert!(pages > 1_700, "only {pages} pages build");
}
