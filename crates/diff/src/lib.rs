//! What a change of a course does to its readers. Two planned sites are compared: *base*, as it was, and *head*, as it is.
//!
//! 1. `pages` finds the pages that are the same in both, also if they have moved.
//! 2. Of each such page, `blocks` compares the text, `excerpts` the code and its notes, `around` the code next to what is
//!    shown or linked, and `figures` the values.
//! 3. `languages` does the same for translations, `addresses` finds what others may have bookmarked and is gone, `outputs`
//!    what else differs in the files of both sites, so that nothing that a reader sees is left out, and how large they are.
//! 4. [`Report`] is written by [`human`], [`markdown`] and [`json`].
//! 5. [`marks`] finds the places of its changes on the pages of the newer site, which is planned again with them and marks
//!    each where it is.
//!
//! White space, and the order of what readers see in the same order, never count. All comparisons are bounded: texts that
//! differ more than `lines::LIMIT` are compared as a whole.
//!
//! ```
//! use std::sync::Arc;
//!
//! use infralens_diff::{Kind, compare};
//! use infralens_site::{Options, Site, plan};
//! use infralens_source::project::{File, Project};
//! use infralens_source::source::Source;
//!
//! let site = |text: &str| {
//!     let mut project = Project::default();
//!     for (path, text) in [("content/site.yaml", "title: Kernels\n"), ("content/a.md", text)] {
//!         project.put(&path.into(), Some(File::Text(Arc::new(Source::new(path, text)))));
//!     }
//!     plan(&project, &Options::default(), &Site::default())
//! };
//! let (base, head) = (site("---\ntitle: A\n---\n\nOne warp.\n"), site("---\ntitle: A\n---\n\nTwo  warps.\n"));
//! let report = compare([&base, &head], ["main", "the working tree"]);
//! assert_eq!(report.changes[0].kind, Kind::Text);
//! assert!(compare([&base, &base], ["main", "main"]).changes.is_empty());
//! ```

mod addresses;
mod around;
mod blocks;
mod excerpts;
mod figures;
mod format;
mod languages;
mod lines;
mod marks;
mod outputs;
mod pages;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use format::{human, json, markdown};
pub use lines::{Line, Sign};
pub use marks::marks;
use pages::{Pair, Pairs, View};
use rayon::prelude::*;
use serde::Serialize;

use infralens_render::ResolvedPage;
use infralens_site::Site;
use infralens_source::diag::{Diagnostic, Severity};
use infralens_source::project::Project;
use infralens_source::source::Source;

/// Everything that differs between two sites.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The version of the format of [`json`].
    pub version: u32,
    /// What the older site is called.
    pub base: String,
    /// What the newer site is called.
    pub head: String,
    /// The changes, by kind, then by page.
    pub changes: Vec<Change>,
    /// The sizes of both sites; `None` if one of them has errors, so that it cannot be built.
    pub size: Option<[Size; 2]>,
}

/// How large a site is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Size {
    pub files: usize,
    pub bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    pub kind: Kind,
    /// The page; `None` for a change of the whole site.
    pub page: Option<PageRef>,
    /// The place in the files of the course.
    pub place: Option<Place>,
    /// What has happened, in a few words.
    pub what: String,
    /// The difference.
    pub lines: Vec<Line>,
    /// The notes and sentences to read again.
    pub quotes: Vec<Quote>,
    /// What to do about it.
    pub help: Option<String>,
    /// The offsets of further blocks that have been added with the first one.
    #[serde(skip)]
    pub(crate) also: Vec<usize>,
    /// The path of the picture that was replaced.
    #[serde(skip)]
    pub(crate) picture: Option<Arc<str>>,
}

/// A page of the newer site, or one of the older site that is gone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct PageRef {
    /// Its address, from the root of the site.
    pub url: String,
    pub title: String,
}

/// A line of a file of the course.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Place {
    /// The path from the root of the course.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// Whether it is a place in the older course.
    pub in_base: bool,
    /// The offset in the file, if it is a page, for the site on which changes are marked.
    #[serde(skip)]
    pub(crate) offset: Option<usize>,
}

/// A text of a page that has not changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Quote {
    /// What it is, such as `note 2`.
    pub label: String,
    pub place: Place,
    pub text: String,
}

/// A kind of change, in the order of reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Code has changed that a note explains, which has not.
    CodeUnderNotes,
    /// A function has changed outside of what a page shows of it, or behind a link.
    CodeAroundNotes,
    Note,
    /// A question or its answer.
    Question,
    Figure,
    /// Other text.
    Text,
    /// Other code.
    Code,
    /// A page is new, has gone, or has moved.
    Page,
    /// An address that others may have bookmarked is gone.
    Address,
    /// A problem that `check` reports is new.
    Problem,
    /// A problem is gone.
    Solved,
    /// Anything else that readers see.
    Other,
}

impl Kind {
    /// Every kind with its title in reports.
    pub const TITLES: [(Self, &'static str); 12] = [
        (Self::CodeUnderNotes, "Code changed under notes that did not"),
        (Self::CodeAroundNotes, "Code changed around what notes and sentences explain"),
        (Self::Note, "Notes"),
        (Self::Question, "Questions"),
        (Self::Figure, "Figures"),
        (Self::Text, "Text"),
        (Self::Code, "Other code"),
        (Self::Page, "Pages"),
        (Self::Address, "Addresses that are gone"),
        (Self::Problem, "New problems"),
        (Self::Solved, "Problems that are gone"),
        (Self::Other, "Other changes"),
    ];
}

impl Change {
    fn new(kind: Kind, what: impl Into<String>) -> Self {
        let (lines, quotes) = (Vec::new(), Vec::new());
        let (help, also, picture) = (None, Vec::new(), None);
        Self { kind, page: None, place: None, what: what.into(), lines, quotes, help, also, picture }
    }

    fn on(mut self, view: &View<'_>) -> Self {
        self.page = Some(view.page_ref());
        self
    }

    fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    fn lines(mut self, lines: Vec<Line>) -> Self {
        self.lines = lines;
        self
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl Place {
    fn new(source: &Source, offset: usize, in_base: bool) -> Self {
        let line = source.position(offset).line;
        Self { offset: Some(offset), ..Self::of_line(source.path(), line, in_base) }
    }

    fn of_line(file: &str, line: usize, in_base: bool) -> Self {
        Self { file: file.to_owned(), line, in_base, offset: None }
    }
}

/// Compares two sites, which have names for the report.
pub fn compare(sites: [&Site; 2], names: [&str; 2]) -> Report {
    let [old, new] = sites.map(View::all);
    let pairs = Pairs::find(&old, &new);
    let mut changes = of_pages(&pairs);
    changes.extend(languages::changes(sites));
    changes.extend(addresses::changes(&pairs, sites));
    let problems = sites.map(Site::judge);
    let can_be_built = !problems.iter().flatten().any(|problem| problem.severity == Severity::Error);
    changes.extend(of_problems(&problems, sites.map(Site::project), &pairs.renamed));
    let (others, size) = outputs::changes(sites, &changes, can_be_built);
    changes.extend(others);
    Report::new(names, changes, size)
}

/// Compares Markdown files outside of courses, with their problems.
pub fn compare_documents(
    pages: [&[ResolvedPage<'_>]; 2],
    problems: &[Vec<Diagnostic>; 2],
    projects: [&Project; 2],
    names: [&str; 2],
) -> Report {
    let [old, new] = pages.map(View::of);
    let pairs = Pairs::find(&old, &new);
    let mut changes = of_pages(&pairs);
    changes.extend(of_problems(problems, projects, &pairs.renamed));
    Report::new(names, changes, None)
}

impl Report {
    fn new([base, head]: [&str; 2], mut changes: Vec<Change>, size: Option<[Size; 2]>) -> Self {
        changes.sort_by(|one, other| one.order().cmp(&other.order()));
        Self { version: 1, base: base.to_owned(), head: head.to_owned(), changes, size }
    }
}

fn of_pages(pairs: &Pairs<'_>) -> Vec<Change> {
    let of_pages: Vec<Vec<Change>> = pairs.same.par_iter().map(|pair| of_pair(pair, &pairs.renamed)).collect();
    of_pages.into_iter().flatten().chain(pairs.changes()).collect()
}

impl Change {
    fn order(&self) -> (Kind, Option<&str>, Option<&Place>) {
        let file = self.place.as_ref().map(|place| place.file.as_str()).filter(|_| self.page.is_some());
        (self.kind, file, self.place.as_ref())
    }
}

fn of_pair(pair: &Pair<'_>, renamed: &BTreeMap<Arc<str>, Arc<str>>) -> Vec<Change> {
    if pair.is_same() {
        return Vec::new();
    }
    let mut changes = blocks::changes(pair, renamed);
    let notes = excerpts::Matches::find(pair);
    changes.extend(excerpts::changes(pair, &notes));
    changes.extend(around::changes(pair, &notes));
    changes.extend(figures::changes(pair));
    changes
}

/// Returns the problems that only one of two versions has. A problem is the same if its file and its message are; its line
/// may be another.
fn of_problems(
    [base, head]: &[Vec<Diagnostic>; 2],
    projects: [&Project; 2],
    renamed: &BTreeMap<Arc<str>, Arc<str>>,
) -> Vec<Change> {
    let key = |problem: &Diagnostic| {
        let file = renamed.get(&problem.place.file).unwrap_or(&problem.place.file);
        (Arc::clone(file), problem.code.id, problem.message.clone())
    };
    let mut count: BTreeMap<_, isize> = BTreeMap::new();
    for problem in head {
        *count.entry(key(problem)).or_default() += 1;
    }
    for problem in base {
        *count.entry(key(problem)).or_default() -= 1;
    }
    let mut only = |problems: &[Diagnostic], project: &Project, sign: isize| {
        let of_one = problems.iter().filter_map(|problem| {
            let count = count.get_mut(&key(problem)).filter(|count| **count * sign > 0)?;
            *count -= sign;
            let kind = if sign > 0 { Kind::Problem } else { Kind::Solved };
            let what = format!("{}[{}]: {}", problem.severity.word(), problem.code.id, problem.message);
            let source = project.text(&problem.place.file);
            let line = source.zip(problem.place.span).map_or(1, |(source, (start, _))| source.position(start).line);
            let place = Place::of_line(&problem.place.file, line, sign < 0);
            let change = Change::new(kind, what).at(place);
            Some(Change { help: problem.help.first().cloned().filter(|_| sign > 0), ..change })
        });
        of_one.collect::<Vec<_>>()
    };
    let mut changes = only(head, projects[1], 1);
    // Nobody has to go to the places of what is gone.
    let mut gone: BTreeMap<(String, String), (Change, usize)> = BTreeMap::new();
    for change in only(base, projects[0], -1) {
        let file = change.place.as_ref().map(|place| place.file.clone()).unwrap_or_default();
        gone.entry((file, change.what.clone())).or_insert((change, 0)).1 += 1;
    }
    changes.extend(gone.into_values().map(|(change, count)| match count {
        1 => change,
        _ => Change { what: format!("{}, {count} times", change.what), ..change },
    }));
    changes
}
