//! Pins that follow their files: which fences get another body, and the pages with just those bytes changed.
//!
//! 1. [`plan`] sorts the drifts: what follows by itself, what the author has accepted, what is left to be read again, and
//!    what has an error and so is left whatever was accepted;
//! 2. [`rewrite`] writes the bodies of a page's fences, each in the indent and `>` of its container;
//! 3. the page is parsed again: a pin that does not come out as it was meant is refused.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::change::Change;
use crate::diag::{Code, Diagnostic, Severity, codes};
use crate::document::fence::write as fence;
use crate::document::placement::{self, Placement};
use crate::document::{self, Document};
use crate::render::pin::{Drift, State};
use crate::source::Source;

/// Which stale excerpts the author takes over though their notes' lines have changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Accept {
    /// None of them.
    Nothing,
    /// All of them.
    All,
    /// Those at these places.
    At(Vec<At>),
}

/// A place as diagnostics print it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct At {
    /// The page, from the course's root, with `/`.
    pub path: String,
    /// A line of the excerpt or of its notes, from 1; none means every excerpt of the page.
    pub line: Option<usize>,
}

/// What is to be done.
#[derive(Debug, Default)]
pub struct Plan {
    /// The pages to write.
    pub changes: Vec<Change>,
    /// The drifts that the changes end, each with the line of its fence after them.
    pub taken: Vec<(Drift, usize)>,
    /// Those whose fence could not be written.
    pub refused: Vec<Drift>,
    /// Those that would have been taken, each with the error that keeps it back.
    pub kept_back: Vec<(Drift, Diagnostic)>,
    /// The places of [`Accept::At`] where nothing is stale.
    pub idle: Vec<At>,
}

/// Sorts the drifts of a course and writes the pages, in memory. `diagnostics` is all that is said of the course.
#[must_use]
pub fn plan(drifts: Vec<Drift>, diagnostics: &[Diagnostic], accept: &Accept) -> Plan {
    let mut plan = Plan::default();
    if let Accept::At(places) = accept {
        plan.idle = places.iter().filter(|at| !drifts.iter().any(|drift| at.names(drift))).cloned().collect();
    }
    let errors = Errors::new(diagnostics);
    let mut pages: BTreeMap<Arc<str>, Vec<Drift>> = BTreeMap::new();
    for drift in drifts {
        let is_taken = match (&drift.state, accept) {
            (State::Unpinned | State::Unaffected, _) | (_, Accept::All) => true,
            (_, Accept::Nothing) => false,
            (_, Accept::At(places)) => places.iter().any(|at| at.names(&drift)),
        };
        match errors.of(&drift) {
            _ if !is_taken => {}
            Some(error) => plan.kept_back.push((drift, error.clone())),
            None => pages.entry(Arc::clone(drift.page.path())).or_default().push(drift),
        }
    }
    for drifts in pages.into_values() {
        plan.add(drifts);
    }
    plan
}

/// Whether a diagnostic says that an excerpt is not as its file, or an error that keeps one from being compared with its
/// file or from being pinned. `uncompared` are the pages with an excerpt that was not compared.
#[must_use]
pub fn concerns(diagnostic: &Diagnostic, uncompared: &BTreeSet<Arc<str>>) -> bool {
    // Files that cannot be read, or have no place in the course, have excerpts that nobody knows.
    let unread = [
        codes::E0001,
        codes::E0002,
        codes::E0003,
        codes::E0004,
        codes::E0005,
        codes::E0006,
        codes::E0101,
        codes::E0102,
        codes::E0103,
    ];
    let of_pins = [codes::W0301, codes::W0302, codes::W0306, codes::E0316];
    let is_error = diagnostic.severity == Severity::Error;
    let may_hide = is_of_pages(diagnostic.code) && uncompared.contains(&diagnostic.place.file);
    of_pins.contains(&diagnostic.code)
        || is_error && (is_of_excerpts(diagnostic.code) || unread.contains(&diagnostic.code) || may_hide)
}

/// Whether errors of this code are about fences, excerpts or notes.
fn is_of_excerpts(code: Code) -> bool {
    let others = [codes::E0202, codes::E0203, codes::E0204, codes::E0205, codes::E0208];
    code.id.starts_with("E03") || code.id.starts_with("E02") && !others.contains(&code)
}

/// Whether errors of this code are about a page as a whole or its front matter.
fn is_of_pages(code: Code) -> bool {
    code.id.starts_with("E00") || code.id.starts_with("E01")
}

/// The errors of a course that keep a pin from being written, by file and place.
struct Errors<'d>(BTreeMap<&'d str, BTreeMap<usize, &'d Diagnostic>>);

impl<'d> Errors<'d> {
    fn new(diagnostics: &'d [Diagnostic]) -> Self {
        let mut errors: BTreeMap<&str, BTreeMap<usize, &Diagnostic>> = BTreeMap::new();
        let is_obstacle = |said: &&Diagnostic| {
            said.severity == Severity::Error && said.code != codes::E0316 && is_of_excerpts(said.code)
        };
        for error in diagnostics.iter().filter(is_obstacle) {
            let start = error.place.span.map_or(0, |(start, _)| start);
            errors.entry(&error.place.file).or_default().entry(start).or_insert(error);
        }
        Self(errors)
    }

    /// The first error of an excerpt, its notes, or the file that it shows.
    fn of(&self, drift: &Drift) -> Option<&'d Diagnostic> {
        let of_file = self.0.get(&*drift.file).and_then(|errors| errors.values().next());
        let on_page = || self.0.get(&**drift.page.path())?.range(drift.span.clone()).next().map(|(_, error)| error);
        of_file.or_else(on_page).copied()
    }
}

impl Plan {
    /// Takes the drifts of one page, those that can be written together.
    fn add(&mut self, drifts: Vec<Drift>) {
        let Some(page) = drifts.first().map(|drift| Arc::clone(&drift.page)) else { return };
        let (drifts, refused) = sort_out(&page, drifts);
        self.refused.extend(refused);
        if let Some((text, lines)) = rewrite(&page, &drifts) {
            self.taken.extend(drifts.into_iter().zip(lines));
            self.changes.push(Change::Replace { source: page, text });
        } else {
            self.refused.extend(drifts);
        }
    }
}

impl At {
    /// Reads `PATH`, `PATH:LINE` or `PATH:LINE:COLUMN`.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let number = |text: &str| text.parse::<usize>().ok();
        let (path, line) = match text.rsplit_once(':').map(|(path, last)| (path, number(last))) {
            Some((path, Some(last))) => match path.rsplit_once(':').map(|(path, line)| (path, number(line))) {
                Some((path, Some(line))) => (path, Some(line)),
                _ => (path, Some(last)),
            },
            _ => (text, None),
        };
        Self { path: path.to_owned(), line }
    }

    fn names(&self, drift: &Drift) -> bool {
        let line = |offset| drift.page.position(offset).line;
        let last = drift.page.text()[..drift.span.end].trim_end().len();
        let lines = || line(drift.span.start)..=line(last);
        self.path == **drift.page.path() && self.line.is_none_or(|wanted| lines().contains(&wanted))
    }
}

impl std::fmt::Display for At {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.path)?;
        self.line.map_or(Ok(()), |line| write!(f, ":{line}"))
    }
}

/// The drifts that can be written each, and those that cannot: most often all can, and one look is enough.
fn sort_out(page: &Arc<Source>, mut drifts: Vec<Drift>) -> (Vec<Drift>, Vec<Drift>) {
    if rewrite(page, &drifts).is_some() {
        return (drifts, Vec::new());
    }
    if drifts.len() < 2 {
        return (Vec::new(), drifts);
    }
    let after = drifts.split_off(drifts.len() / 2);
    let ((mut taken, mut refused), (more, others)) = (sort_out(page, drifts), sort_out(page, after));
    taken.extend(more);
    refused.extend(others);
    (taken, refused)
}

/// The page with the pins of `drifts` as they should be, and on which lines their fences are then; `None` if it would not
/// be read so.
fn rewrite(page: &Arc<Source>, drifts: &[Drift]) -> Option<(String, Vec<usize>)> {
    let (before, old) = (read(page), page.text());
    let mut text = String::with_capacity(old.len());
    let mut at = 0;
    for drift in drifts {
        let excerpt = before.body.excerpts.get(drift.excerpt)?;
        for (span, new) in fence::edits(page, excerpt, &drift.code) {
            text.push_str(old.get(at..span.start)?);
            text.push_str(&new);
            at = span.end;
        }
    }
    text.push_str(&old[at..]);
    let document = read(&Arc::new(Source::new(Arc::clone(page.path()), text.as_str())));
    let (before, after) = (&before.body.excerpts, &document.body.excerpts);
    let pins: BTreeMap<usize, &[String]> = drifts.iter().map(|drift| (drift.excerpt, &*drift.code)).collect();
    let is_meant = before.len() == after.len()
        && before.iter().zip(after).enumerate().all(|(index, (before, after))| {
            let pinned = pins.get(&index).map_or_else(|| before.pin == after.pin, |code| reads(&after.pin, code));
            pinned && before.file.path == after.file.path && before.notes.len() == after.notes.len()
        });
    let line = |drift: &Drift| Some(document.source.position(after.get(drift.excerpt)?.head.start).line);
    let lines = drifts.iter().map(line).collect::<Option<Vec<_>>>()?;
    is_meant.then_some((text, lines))
}

/// Whether a pin reads as this code, white space at line ends and empty lines at the end apart.
fn reads(pin: &str, code: &[String]) -> bool {
    let mut lines: Vec<&str> = pin.lines().map(str::trim_end).collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines.iter().copied().eq(code.iter().map(String::as_str))
}

fn read(page: &Arc<Source>) -> Document {
    let placement: Placement = match page.path().strip_prefix("code/") {
        Some(below) => placement::readme(below.rsplit_once('/').map_or("", |(folder, _)| folder)),
        // Where the course has no place for a page, it is not rendered, and so has no pins.
        None => placement::place(page.path()).unwrap_or_else(|_| placement::readme("")),
    };
    document::parse(page, placement).0
}

#[cfg(test)]
mod tests;
