//! Updates pins: decides which excerpts get a new fence body, and which links to line numbers other lines or a title, and
//! rewrites just those bytes of their pages.
//!
//! 1. [`plan`] sorts the drifted pins: those that can be updated without review, those that the author has accepted, those
//!    that the author has to review, and those that cannot be updated because of an error;
//! 2. [`rewrite`] writes the fence bodies of a page, each with the indentation and `>` of its container, and the links;
//! 3. the rewritten page is parsed again: a pin or link that does not read as intended is not written.

mod links;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use infralens_page::fence::write as fence;
use infralens_page::placement::{self, Placement};
use infralens_page::{self as document, Document, text};
use infralens_render::figures::PinDrift;
use infralens_render::line_link::{LinkChange, LinkDrift};
use infralens_render::pin::{Drift, State};
use infralens_site::{Drifts, ValueDrift};
use infralens_source::change::Change;
use infralens_source::diag::{Code, Diagnostic, Severity, codes};
use infralens_source::source::{Source, Span, edited};
use infralens_units::{Figure, figure};

/// The stale excerpts that the author accepts although lines of their notes have changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Accept {
    /// No excerpt.
    None,
    /// Every excerpt.
    All,
    /// The excerpts at these locations.
    Locations(Vec<Location>),
}

/// A location in the form that diagnostics print.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The path of the page from the course's root, with `/`.
    pub path: String,
    /// A line of the excerpt or of its notes, from 1; `None` means every excerpt of the page.
    pub line: Option<usize>,
}

/// The result of [`plan`].
#[derive(Debug, Default)]
pub struct Plan {
    pub changes: Vec<Change>,
    /// The drifts that the changes resolve, each with the line of its fence after the changes.
    pub updated: Vec<(Drift, usize)>,
    /// The pins of values that the changes update, in the pages and at the places that they have after the changes.
    pub values: Vec<ValueDrift>,
    /// The links that the changes update, each with its line after the changes.
    pub links: Vec<(LinkDrift, usize)>,
    /// The links that could not be written.
    pub unwritable_links: Vec<LinkDrift>,
    /// The drifts whose fences could not be written.
    pub unwritable: Vec<Drift>,
    /// The drifts that an error prevents from being resolved, each with that error.
    pub blocked: Vec<(Drift, Diagnostic)>,
    /// The locations of [`Accept::Locations`] at which nothing is stale.
    pub unmatched: Vec<Location>,
}

/// Sorts the drifts of a course and rewrites the pages in memory. `diagnostics` has all diagnostics of the course.
pub fn plan(drifts: Drifts, diagnostics: &[Diagnostic], accept: &Accept) -> Plan {
    let mut plan = Plan::default();
    if let Accept::Locations(places) = accept {
        let is_matched = |at: &Location| {
            drifts.excerpts.iter().any(|drift| at.matches(&drift.page, &drift.span))
                || drifts.values.iter().any(|value| at.matches(&value.page, &value.pin.span))
                || drifts.links.iter().any(|link| at.matches(&link.page, &link.span))
        };
        plan.unmatched = places.iter().filter(|at| !is_matched(at)).cloned().collect();
    }
    let errors = Errors::new(diagnostics);
    let mut pages: BTreeMap<Arc<str>, Drifts> = BTreeMap::new();
    for value in drifts.values {
        pages.entry(Arc::clone(value.page.path())).or_default().values.push(value);
    }
    for link in drifts.links {
        if !matches!(link.change, LinkChange::Replace(_)) || accept.covers(&link.page, &link.span) {
            pages.entry(Arc::clone(link.page.path())).or_default().links.push(link);
        }
    }
    for drift in drifts.excerpts {
        let is_taken = matches!(drift.state, State::Unpinned | State::Unaffected);
        match errors.of(&drift) {
            _ if !is_taken && !accept.covers(&drift.page, &drift.span) => {}
            Some(error) => plan.blocked.push((drift, error.clone())),
            None => pages.entry(Arc::clone(drift.page.path())).or_default().excerpts.push(drift),
        }
    }
    for drifts in pages.into_values() {
        plan.add(drifts);
    }
    plan
}

impl Accept {
    /// Whether it names something at a span of a page.
    pub(super) fn covers(&self, page: &Source, span: &Span) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Locations(places) => places.iter().any(|at| at.matches(page, span)),
        }
    }
}

/// Whether a diagnostic reports that an excerpt differs from its file, or an error that prevents an excerpt from being
/// compared with its file or from being pinned. `uncompared` has the pages with an excerpt that was not compared.
pub fn concerns(diagnostic: &Diagnostic, uncompared: &BTreeSet<Arc<str>>) -> bool {
    let of_pins = [codes::W0301, codes::W0302, codes::W0306, codes::W0308, codes::E0316, codes::W0601];
    let is_error = diagnostic.severity == Severity::Error;
    let may_hide = is_of_pages(diagnostic.code) && uncompared.contains(&diagnostic.place.file);
    // The excerpts of a page that cannot be read are unknown. An empty starter cannot be compared; an empty template or
    // bibliography has nothing to do with excerpts.
    let is_starter = diagnostic.place.file.starts_with("code/") || !uncompared.is_empty();
    let is_unread = diagnostic.code.hides_file() && (diagnostic.code != codes::E0011 || is_starter);
    let is_of_pins = is_of_excerpts(diagnostic.code) || is_of_values(diagnostic.code);
    of_pins.contains(&diagnostic.code) || is_error && (is_of_pins || is_unread || may_hide)
}

/// Whether a code is about fences, excerpts or notes.
fn is_of_excerpts(code: Code) -> bool {
    let others = [codes::E0202, codes::E0203, codes::E0204, codes::E0205, codes::E0208, codes::E0214];
    code.id.starts_with("E03") || code.id.starts_with("E02") && !others.contains(&code)
}

/// Whether a code is about values and the records that they are computed from.
fn is_of_values(code: Code) -> bool {
    code.id.starts_with("E06")
}

/// Whether a code is about a whole page or its front matter.
fn is_of_pages(code: Code) -> bool {
    code.id.starts_with("E00") || code.id.starts_with("E01")
}

/// The errors that prevent pins from being written, by file and offset.
struct Errors<'d>(BTreeMap<&'d str, BTreeMap<usize, &'d Diagnostic>>);

impl<'d> Errors<'d> {
    fn new(diagnostics: &'d [Diagnostic]) -> Self {
        let mut errors: BTreeMap<&str, BTreeMap<usize, &Diagnostic>> = BTreeMap::new();
        let is_obstacle = |diagnostic: &&Diagnostic| {
            let Diagnostic { severity, code, .. } = **diagnostic;
            severity == Severity::Error && code != codes::E0316 && is_of_excerpts(code)
        };
        for error in diagnostics.iter().filter(is_obstacle) {
            let start = error.place.span.map_or(0, |(start, _)| start);
            errors.entry(&error.place.file).or_default().entry(start).or_insert(error);
        }
        Self(errors)
    }

    /// Returns the first error of an excerpt, of its notes, or of the file that it shows.
    fn of(&self, drift: &Drift) -> Option<&'d Diagnostic> {
        let of_file = self.0.get(&*drift.file).and_then(|errors| errors.values().next());
        let on_page = || self.0.get(&**drift.page.path())?.range(drift.span.clone()).next().map(|(_, error)| error);
        of_file.or_else(on_page).copied()
    }
}

impl Plan {
    /// Adds the drifts of one page: those that can be written go into one change.
    fn add(&mut self, mut drifts: Drifts) {
        let Some(page) = page_of(&drifts).map(Arc::clone) else { return };
        let mut written = rewrite(&page, &drifts.excerpts, &drifts.values, &drifts.links);
        if written.is_none() {
            // Some of them prevent it. What is not written is reported again.
            let (excerpts, refused) = split(drifts.excerpts, &|some| rewrite(&page, some, &[], &[]).is_some());
            let (links, refused_links) = split(drifts.links, &|some| rewrite(&page, &[], &[], some).is_some());
            self.unwritable.extend(refused);
            self.unwritable_links.extend(refused_links);
            let values = drifts.values;
            written = rewrite(&page, &excerpts, &values, &links);
            drifts = Drifts { excerpts, values, links };
            if written.is_none() {
                drifts.values.clear();
                written = rewrite(&page, &drifts.excerpts, &[], &drifts.links);
            }
        }
        if let Some(Rewritten { text, of_fences, of_links, values }) =
            written.filter(|written| written.text != page.text())
        {
            self.updated.extend(drifts.excerpts.into_iter().zip(of_fences));
            self.values.extend(values);
            self.links.extend(drifts.links.into_iter().zip(of_links));
            self.changes.push(Change::Replace { source: page, text });
        }
    }
}

impl Location {
    /// Parses `PATH`, `PATH:LINE` or `PATH:LINE:COLUMN`.
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

    /// Whether it is on a line of a span of a page.
    fn matches(&self, page: &Source, span: &Span) -> bool {
        let line = |offset| page.position(offset).line;
        let last = page.text()[..span.end].trim_end().len().max(span.start);
        self.path == **page.path() && self.line.is_none_or(|wanted| (line(span.start)..=line(last)).contains(&wanted))
    }
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.path)?;
        self.line.map_or(Ok(()), |line| write!(f, ":{line}"))
    }
}

/// Returns the page that drifts are on, which all are on.
fn page_of(drifts: &Drifts) -> Option<&Arc<Source>> {
    let value = || drifts.values.first().map(|value| &value.page);
    drifts.excerpts.first().map(|drift| &drift.page).or_else(value).or(drifts.links.first().map(|link| &link.page))
}

/// Splits drifts into those that can be written and those that cannot, by halves.
fn split<T>(mut drifts: Vec<T>, is_writable: &impl Fn(&[T]) -> bool) -> (Vec<T>, Vec<T>) {
    if is_writable(&drifts) {
        return (drifts, Vec::new());
    }
    if drifts.len() < 2 {
        return (Vec::new(), drifts);
    }
    let after = drifts.split_off(drifts.len() / 2);
    let ((mut taken, mut refused), (more, others)) = (split(drifts, is_writable), split(after, is_writable));
    taken.extend(more);
    refused.extend(others);
    (taken, refused)
}

/// The result of [`rewrite`].
struct Rewritten {
    text: String,
    /// The lines of the fences of the drifts.
    of_fences: Vec<usize>,
    /// The lines of the links.
    of_links: Vec<usize>,
    /// The pins of values in the new text.
    values: Vec<ValueDrift>,
}

/// Returns the text of the page with the pins of `drifts` and `values` and with `links` updated; `None` if the new text would
/// not read as intended.
fn rewrite(page: &Arc<Source>, drifts: &[Drift], values: &[ValueDrift], links: &[LinkDrift]) -> Option<Rewritten> {
    let plain = rewrite_with(page, drifts, values, links, false);
    plain.or_else(|| if links.is_empty() { None } else { rewrite_with(page, drifts, values, links, true) })
}

fn rewrite_with(
    page: &Arc<Source>,
    drifts: &[Drift],
    values: &[ValueDrift],
    links: &[LinkDrift],
    is_careful: bool,
) -> Option<Rewritten> {
    let read_before = read(page);
    let mut edits = links::edits(&read_before, links, is_careful)?;
    for drift in drifts {
        edits.extend(fence::edits(page, read_before.body.excerpts.get(drift.excerpt)?, &drift.code));
        edits.extend(drift.lights.iter().cloned());
    }
    for ValueDrift { pin, .. } in values {
        // An empty pin begins directly after its `=`.
        let space = if pin.span.is_empty() { " " } else { "" };
        edits.push((pin.span.clone(), format!("{space}{}", pin.text)));
    }
    let moved = |at: usize| {
        let above = || edits.iter().filter(|(span, _)| span.start < at);
        at + above().map(|(_, text)| text.len()).sum::<usize>() - above().map(|(span, _)| span.len()).sum::<usize>()
    };
    let spans: Vec<Span> =
        values.iter().map(|ValueDrift { pin, .. }| moved(pin.span.start)..moved(pin.span.end)).collect();
    let text = edited(page.text(), edits);
    let document = read(&Arc::new(Source::new(Arc::clone(page.path()), text.as_str())));
    let values = values.iter().zip(spans).map(|(ValueDrift { pin, .. }, span)| ValueDrift {
        page: Arc::clone(&document.source),
        pin: PinDrift { span, ..pin.clone() },
    });
    let values: Vec<ValueDrift> = values.collect();
    let of_links = links::lines(&read_before, &document, links)?;
    let (before, after) = (&read_before.body.excerpts, &document.body.excerpts);
    let pins: BTreeMap<usize, &[String]> = drifts.iter().map(|drift| (drift.excerpt, &*drift.code)).collect();
    let is_meant = before.len() == after.len()
        && before.iter().zip(after).enumerate().all(|(index, (before, after))| {
            let pinned = pins.get(&index).map_or_else(|| before.pin == after.pin, |code| same_code(&after.pin, code));
            let is_same = before.file.path == after.file.path && before.lights.len() == after.lights.len();
            pinned && is_same && before.notes.len() == after.notes.len()
        });
    let line = |drift: &Drift| Some(document.source.position(after.get(drift.excerpt)?.head.start).line);
    let of_fences = drifts.iter().map(line).collect::<Option<Vec<_>>>()?;
    is_meant.then_some(Rewritten { text, of_fences, of_links, values })
}

/// Whether a pin equals this code, except for trailing spaces and for empty lines at the end.
fn same_code(pin: &str, code: &[String]) -> bool {
    let mut lines: Vec<&str> = pin.lines().map(str::trim_end).collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines.iter().copied().eq(code.iter().map(String::as_str))
}

/// Returns the sentences of a page that print the old pin with more or fewer digits or in another unit, or name its value,
/// each with its line.
pub fn sentences_printing(page: &Arc<Source>, pin: &PinDrift) -> Vec<(usize, String)> {
    let document = read(page);
    let old = figure::read(&pin.pinned).map(|old| Figure { is_rounded: true, ..old });
    let prints_old = |figure: Figure| {
        let figure = Figure { is_rounded: true, ..figure };
        let is_same = |old: &Figure| old.is_printed_by(figure.quantity()) || figure.is_printed_by(old.quantity());
        old.as_ref().is_some_and(is_same)
    };
    let links = &document.body.links;
    let mut found = Vec::new();
    for passage in text::passages(&document) {
        for sentence in &passage.sentences {
            let span = passage.span(sentence);
            let first = links.partition_point(|link| link.span.start < span.start);
            let inside = links[first..].iter().take_while(|link| link.span.end <= span.end);
            let is_named = || inside.clone().any(|link| link.target.strip_prefix('#') == Some(&pin.name));
            let text = &passage.text[sentence.clone()];
            if span.start >= document.body_start && (figure::find(text).into_iter().any(prints_old) || is_named()) {
                found.push((page.position(span.start).line, text.to_owned()));
            }
        }
    }
    found
}

/// Parses a page.
pub(super) fn read(page: &Arc<Source>) -> Document {
    let placement: Placement = match page.path().strip_prefix("code/") {
        Some(below) => placement::readme(below.rsplit_once('/').map_or("", |(folder, _)| folder)),
        // A page without a place in the course is not rendered, so its placement does not matter.
        None => placement::place(page.path()).unwrap_or_else(|_| placement::readme("")),
    };
    document::parse(page, placement).0
}
