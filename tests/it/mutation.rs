//! Every token that a note of the project's own course is bound to is deleted, renamed and moved, and its line is changed;
//! each time the notes that must be read again are named, and no others.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

use infralens::code::excerpt::ViewRow;
use infralens::code::selector::FileRef;
use infralens::code::{Listing, Shown};
use infralens::course::starter;
use infralens::document::{self, Document, placement};
use infralens::load;
use infralens::project::Project;
use infralens::render::bind::{self, Bound};
use infralens::render::pin::{self, State};
use infralens::source::Source;

use crate::harness::repository;

/// A note: the page, the excerpt and the note, from 0.
type Id = (usize, usize, usize);

/// A page of the course, and its lab's main file.
struct Page {
    document: Document,
    own: Option<String>,
}

/// What is said of one state of the starters.
#[derive(Default)]
struct Verdict {
    /// What each note covers, as it reads; nothing if it is bound to nothing.
    covered: BTreeMap<Id, Option<Vec<String>>>,
    /// The notes that are named: to be read again, or as bound to nothing.
    named: BTreeSet<Id>,
    /// Excerpts that could not be shown, which is an error at their selector.
    lost: BTreeSet<(usize, usize)>,
    /// Excerpts of which nothing is said.
    silent: BTreeSet<(usize, usize)>,
}

fn pages(project: &Project) -> Vec<Page> {
    let sources = project.below("content").filter_map(|(path, _)| project.text(path).filter(|_| path.ends_with(".md")));
    let page = |source: &Arc<Source>| {
        let document = document::parse(source, placement::place(source.path()).expect("a place")).0;
        let file = document.front.lab.as_ref().and_then(|lab| lab.starter.file.as_ref());
        let own = file.map(|file| starter::main_file(&document.placement.name, &file.value).expect("a path"));
        Page { document, own }
    };
    sources.map(page).collect()
}

fn path(page: &Page, file: &FileRef) -> String {
    starter::named(page.own.as_deref(), &file.path).expect("a path in `code/`")
}

fn shown(listing: &Listing, file: &FileRef) -> Option<Shown> {
    let ranges: Result<Vec<_>, _> = file.selectors.iter().map(|(selector, _)| listing.select(selector)).collect();
    let ranges = ranges.ok()?;
    Some(Shown::new(listing, if ranges.is_empty() { vec![0..listing.line_count()] } else { ranges }))
}

/// What is said of every excerpt of the file `source`.
fn judge(pages: &[Page], source: &Arc<Source>) -> Verdict {
    let listing = Listing::new(source).0;
    let mut verdict = Verdict::default();
    for (p, page) in pages.iter().enumerate() {
        for (e, excerpt) in page.document.body.excerpts.iter().enumerate() {
            if path(page, &excerpt.file) != **source.path() {
                continue;
            }
            let Some(shown) = shown(&listing, &excerpt.file).filter(|shown| !shown.rows.is_empty()) else {
                verdict.lost.insert((p, e));
                continue;
            };
            let view = shown.view(&listing);
            let bound = bind::bind(&page.document.source, excerpt, &listing, &shown, &mut Vec::new());
            let read = |bound: &Bound| -> Vec<String> {
                bound.rows.iter().flat_map(Clone::clone).map(|row| view.text(row).to_owned()).collect()
            };
            for (n, bound) in bound.iter().enumerate() {
                verdict.covered.insert((p, e, n), bound.as_ref().map(read));
                verdict.named.extend(bound.is_none().then_some((p, e, n)));
            }
            match pin::drift(&page.document.source, e, excerpt, &listing, &shown, &bound).map(|drift| drift.state) {
                Some(State::Changed(notes)) => verdict.named.extend(notes.into_iter().map(|n| (p, e, n))),
                Some(_) => {}
                None => {
                    verdict.silent.insert((p, e));
                }
            }
        }
    }
    verdict
}

/// A token of a note, where it stands in its file: line from 0, bytes in that line.
struct Token {
    note: Id,
    line: usize,
    columns: std::ops::Range<usize>,
    /// The lines that the excerpt shows, from 0.
    lines: std::ops::Range<usize>,
}

fn tokens(pages: &[Page], source: &Arc<Source>) -> Vec<Token> {
    let listing = Listing::new(source).0;
    let mut tokens = Vec::new();
    for (p, page) in pages.iter().enumerate() {
        for (e, excerpt) in page.document.body.excerpts.iter().enumerate() {
            if path(page, &excerpt.file) != **source.path() {
                continue;
            }
            let shown = shown(&listing, &excerpt.file).expect("the course builds");
            let view = shown.view(&listing);
            let (first, last) = shown.bounds().expect("lines");
            for (n, bound) in
                bind::bind(&page.document.source, excerpt, &listing, &shown, &mut Vec::new()).iter().enumerate()
            {
                for found in &bound.as_ref().expect("the course builds").tokens {
                    let ViewRow::Line(line) = &view.rows[found.row] else { panic!("a token stands in a line") };
                    let cut = listing.line(line.line).len() - line.text.len();
                    let columns = found.columns.start + cut..found.columns.end + cut;
                    tokens.push(Token { note: (p, e, n), line: line.line, columns, lines: first - 1..last });
                }
            }
        }
    }
    tokens
}

const MUTATIONS: [&str; 5] = ["delete", "rename", "change the line", "move the line", "move the excerpt"];

/// The file with one token, or its line, changed.
fn mutate(source: &Source, token: &Token, how: &str) -> Arc<Source> {
    let mut lines: Vec<String> = source.text().lines().map(str::to_owned).collect();
    let line = lines[token.line].clone();
    let (before, after) = (&line[..token.columns.start], &line[token.columns.end..]);
    match how {
        "delete" => lines[token.line] = format!("{before}{after}"),
        "rename" => lines[token.line] = format!("{before}{}{after}", renamed(&line[token.columns.clone()])),
        "change the line" => lines[token.line].push_str(" + 1"),
        "move the line" => {
            let line = lines.remove(token.line);
            let to = if token.line + 1 < token.lines.end { token.lines.end - 1 } else { token.lines.start };
            lines.insert(to, line);
        }
        _ => lines.splice(0..0, ["", "", ""].map(String::from)).for_each(drop),
    }
    Arc::new(Source::new(Arc::clone(source.path()), lines.join("\n") + "\n"))
}

/// The token with another name in it: its first identifier, or else itself, gets a letter more.
fn renamed(token: &str) -> String {
    let start = token.find(|c: char| c.is_alphabetic() || c == '_').unwrap_or(0);
    format!("{}q{}", &token[..start], &token[start..])
}

#[test]
fn no_change_of_bound_code_passes_in_silence() {
    let project = load::load(&repository("."));
    let pages = pages(&project);
    let mut files: Vec<String> = Vec::new();
    for page in &pages {
        files.extend(page.document.body.excerpts.iter().map(|excerpt| path(page, &excerpt.file)));
    }
    files.sort();
    files.dedup();
    let mut counts: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    let mut wrong = String::new();
    for file in &files {
        let source = project.text(file).expect("a starter");
        let before = judge(&pages, source);
        assert!(before.named.is_empty() && before.lost.is_empty(), "{file}: the course is as it should be");
        for token in tokens(&pages, source) {
            for how in MUTATIONS {
                let after = judge(&pages, &mutate(source, &token, how));
                let (p, e, n) = token.note;
                let is_lost = after.lost.contains(&(p, e));
                let wanted: BTreeSet<Id> = after
                    .covered
                    .iter()
                    .filter(|&(id, lines)| before.covered.get(id) != Some(lines))
                    .map(|(id, _)| *id)
                    .collect();
                let must_be_named = !how.starts_with("move");
                let is_named = is_lost || after.named.contains(&token.note);
                let is_silent = must_be_named && after.silent.contains(&(p, e));
                let follows = how != "move the excerpt" || after.named.is_empty() && after.silent == before.silent;
                if (must_be_named && !is_named) || is_silent || after.named != wanted || !follows {
                    let page = pages[p].document.source.path();
                    let named = &after.named;
                    let _ = writeln!(
                        wrong,
                        "{how} line {} of {file}: {page}, excerpt {}, note {}: named {named:?}, wanted {wanted:?}",
                        token.line + 1,
                        e + 1,
                        n + 1
                    );
                }
                let count = counts.entry(how).or_default();
                count[0] += 1;
                count[1] += usize::from(is_named);
                count[2] += after.named.len();
            }
        }
    }
    #[expect(clippy::print_stdout, reason = "what was tried is worth knowing: `cargo test mutation -- --nocapture`")]
    for (how, [all, own, named]) in &counts {
        println!("{how}: {all} mutations, {own} name the token's own note, {named} notes named in all");
    }
    assert!(wrong.is_empty(), "{wrong}");
}
