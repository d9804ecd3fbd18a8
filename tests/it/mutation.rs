//! Every token that a note of the project's own course is bound to is deleted, renamed and moved, and its line is changed;
//! each time the notes that must be read again are named, and no others.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::sync::Arc;

use infralens::load;
use infralens_course::course::starter;
use infralens_page::{self as document, Anchor, Document, Excerpt, placement};
use infralens_render::bind::{self, BoundNote};
use infralens_render::pin::{self, State};
use infralens_source::project::Project;
use infralens_source::selector::{FileRef, Selector};
use infralens_source::source::Source;
use infralens_starter::excerpt::ViewRow;
use infralens_starter::{Listing, SelectedRows};

use rayon::prelude::*;

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
    // The excerpts and bindings of a translation, `NAME.LANG.md`, are those of its page.
    let is_page =
        |path: &str| path.rsplit('/').next().and_then(|name| name.split_once('.')).is_some_and(|(_, end)| end == "md");
    let sources = project.below("content").filter_map(|(path, _)| project.text(path).filter(|_| is_page(path)));
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

fn shown(listing: &Listing, file: &FileRef) -> Option<SelectedRows> {
    let ranges: Result<Vec<_>, _> = file.selectors.iter().map(|(selector, _)| listing.select(selector)).collect();
    let ranges = ranges.ok()?;
    Some(SelectedRows::new(listing, if ranges.is_empty() { vec![0..listing.line_count()] } else { ranges }))
}

/// Whether an excerpt, or one of its notes, counts lines: it does not follow code that moves, but says so.
fn is_numbered(excerpt: &Excerpt) -> bool {
    let is_lines = |selector: &Selector| matches!(selector, Selector::Lines(..));
    let mut bindings = excerpt.notes.iter().flat_map(|note| &note.bindings);
    excerpt.file.selectors.iter().any(|(selector, _)| is_lines(selector))
        || bindings.any(|binding| matches!(&binding.from, Anchor::Place { selector, .. } if is_lines(selector)))
}

/// What is said of every excerpt of the file `source`.
fn judge(pages: &[Page], source: &Arc<Source>) -> Verdict {
    let listing = Listing::new(source).0;
    let mut verdict = Verdict::default();
    for (p, page) in pages.iter().enumerate() {
        for (e, excerpt) in page.document.body.excerpts.iter().enumerate() {
            if path(page, &excerpt.file) != **source.path() || is_numbered(excerpt) {
                continue;
            }
            let Some(shown) = shown(&listing, &excerpt.file).filter(|shown| !shown.rows.is_empty()) else {
                verdict.lost.insert((p, e));
                continue;
            };
            let view = shown.view(&listing);
            let bound = bind::bind(&page.document.source, excerpt, &listing, &shown, &mut Vec::new());
            let read = |bound: &BoundNote| -> Vec<String> {
                bound.rows.iter().flat_map(Clone::clone).map(|row| view.text(row).to_owned()).collect()
            };
            for (n, bound) in bound.iter().enumerate() {
                verdict.covered.insert((p, e, n), bound.as_ref().map(read));
                verdict.named.extend(bound.is_none().then_some((p, e, n)));
            }
            match pin::drift(&page.document.source, e, excerpt, &listing, &shown, &bound, true).map(|drift| drift.state)
            {
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
            if path(page, &excerpt.file) != **source.path() || is_numbered(excerpt) {
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

/// What came of one mutation.
struct Trial {
    /// Whether the token's own note is named, or its excerpt's selector.
    own: bool,
    /// How many notes are named.
    named: usize,
    /// What is wrong with that.
    wrong: Option<String>,
}

fn trial(pages: &[Page], source: &Source, before: &Verdict, token: &Token, how: &str) -> Trial {
    let after = judge(pages, &mutate(source, token, how));
    let (p, e, n) = token.note;
    let reads_differently = |(id, lines): &(&Id, &Option<Vec<String>>)| before.covered.get(*id) != Some(*lines);
    let mut wanted: BTreeSet<Id> = after.covered.iter().filter(reads_differently).map(|(id, _)| *id).collect();
    if !how.starts_with("move") && !after.lost.contains(&(p, e)) {
        // Also where another line reads as its own did: the note was written for this one.
        wanted.insert(token.note);
    }
    let own = after.lost.contains(&(p, e)) || after.named.contains(&token.note);
    let is_right = match how {
        "move the line" => true,
        // An excerpt of a whole file shows the lines that were added above.
        "move the excerpt" => {
            let is_whole = pages[p].document.body.excerpts[e].file.selectors.is_empty();
            after.named.is_empty() && (is_whole || after.silent == before.silent)
        }
        _ => own && !after.silent.contains(&(p, e)),
    };
    let wrong = (!is_right || after.named != wanted).then(|| {
        let (file, page, line) = (source.path(), pages[p].document.source.path(), token.line + 1);
        let named = &after.named;
        format!("{how}, line {line} of {file}: {page}, excerpt {e}, note {n}: named {named:?}, wanted {wanted:?}\n")
    });
    Trial { own, named: after.named.len(), wrong }
}

#[test]
fn no_change_of_bound_code_passes_in_silence() {
    let project = load::load(&repository("."));
    let pages = pages(&project);
    let excerpts = pages.iter().flat_map(|page| page.document.body.excerpts.iter().map(|it| path(page, &it.file)));
    // A record has no file of its own text.
    let files: BTreeSet<String> = excerpts.filter(|path| !path.contains("/record:")).collect();
    let mut trials: BTreeMap<&str, Vec<Trial>> = BTreeMap::new();
    for file in &files {
        let source = project.text(file).expect("a starter");
        let before = judge(&pages, source);
        assert!(before.named.is_empty() && before.lost.is_empty(), "{file}: the course is as it should be");
        let tokens = tokens(&pages, source);
        for how in MUTATIONS {
            let tried = tokens.par_iter().map(|token| trial(&pages, source, &before, token, how));
            trials.entry(how).or_default().extend(tried.collect::<Vec<_>>());
        }
    }
    // Past the test's captured output: what was tried is worth knowing when all is well, too.
    let mut out = std::io::stderr().lock();
    for (how, trials) in &trials {
        let own = trials.iter().filter(|trial| trial.own).count();
        let named: usize = trials.iter().map(|trial| trial.named).sum();
        let all = trials.len();
        writeln!(
            out,
            "mutations: {how}: {all} tokens, {own} times their own note is named; {named} notes named in all"
        )
        .expect("standard error takes it");
    }
    drop(out);
    let wrong: String = trials.into_values().flatten().filter_map(|trial| trial.wrong).collect();
    assert!(wrong.is_empty(), "{wrong}");
}
