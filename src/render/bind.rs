//! Notes ↔ code: which rows of an excerpt each note is bound to, and whether the pin still agrees.

use std::ops::Range;

use similar::TextDiff;

use crate::code::excerpt::{Found, Pin, View, ViewRow};
use crate::code::{Listing, Shown};
use crate::course::link::line_anchor;
use crate::diag::{Diagnostic, Place, codes, nearest};
use crate::document::{Anchor, Binding, Excerpt, Note};
use crate::source::{Source, Span};

/// A range of rows of a [`View`].
pub type Rows = Range<usize>;

/// Where a note is bound.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bound {
    /// The rows that it covers, sorted, not overlapping; empty where it could not be bound.
    pub rows: Vec<Rows>,
    /// The rows where its bindings begin, sorted, each once: there stand its markers.
    pub starts: Vec<usize>,
    /// The tokens that it names.
    pub tokens: Vec<Found>,
    /// The row where each of its anchors is, by the anchor's event.
    pub anchors: Vec<(usize, usize)>,
}

/// What is said of an anchor that is not there.
type Missing = Box<Diagnostic>;

/// Binds every note of an excerpt to the file, and holds the pin against it.
pub fn bind(
    page: &Source,
    excerpt: &Excerpt,
    listing: &Listing,
    shown: &Shown,
    out: &mut Vec<Diagnostic>,
) -> Vec<Bound> {
    let view = shown.view(listing);
    let scene = Scene { page, excerpt, listing, shown, view: &view };
    let bound: Vec<Option<Bound>> = excerpt
        .notes
        .iter()
        .map(|note| match scene.note(note) {
            Ok(bound) => Some(bound),
            Err(missing) => {
                out.push(*missing);
                None
            }
        })
        .collect();
    out.extend(scene.marks());
    out.extend(scene.staleness(&bound));
    bound.into_iter().map(Option::unwrap_or_default).collect()
}

struct Scene<'a> {
    page: &'a Source,
    excerpt: &'a Excerpt,
    listing: &'a Listing,
    shown: &'a Shown,
    view: &'a View<'a>,
}

impl Scene<'_> {
    fn note(&self, note: &Note) -> Result<Bound, Missing> {
        let mut bound = Bound::default();
        for binding in &note.bindings {
            self.binding(binding, &mut bound)?;
        }
        bound.rows = merge(bound.rows);
        bound.starts.sort_unstable();
        bound.starts.dedup();
        Ok(bound)
    }

    fn binding(&self, binding: &Binding, bound: &mut Bound) -> Result<(), Missing> {
        let (text, nth, span) = match &binding.from {
            Anchor::Token { text, nth, span, .. } => (text, *nth, span),
            Anchor::Place { selector, span, .. } => {
                let lines = self.listing.select(selector).map_err(|error| {
                    let said = Diagnostic::new(error.code, self.place(span), error.message);
                    Box::new(error.help.into_iter().fold(said, Diagnostic::help))
                })?;
                let rows = self.rows_of(&lines).ok_or_else(|| self.outside(span, &format!("`#{selector}`")))?;
                bound.anchors.push((binding.from.event(), rows.start));
                bound.starts.push(rows.start);
                bound.rows.push(rows);
                return Ok(());
            }
        };
        let from = self.view.find(text, nth).ok_or_else(|| self.missing(text, nth, span, 0))?;
        let rows = match &binding.to {
            Some(Anchor::Token { text, nth, span, event }) => {
                let to = self.view.find_from(text, *nth, from.row);
                let to = to.ok_or_else(|| self.missing(text, *nth, span, from.row))?;
                let rows = from.row..to.row + 1;
                bound.anchors.push((*event, to.row));
                bound.tokens.push(to);
                rows
            }
            _ => from.row..self.view.closing_row(from.row) + 1,
        };
        bound.anchors.push((binding.from.event(), from.row));
        bound.starts.push(from.row);
        bound.tokens.push(from);
        bound.rows.push(rows);
        Ok(())
    }

    /// The rows of lines that are all shown, markers apart; `None` if some are not.
    fn rows_of(&self, lines: &Range<usize>) -> Option<Rows> {
        let row_of = |wanted: usize| {
            self.view.rows.iter().position(|row| matches!(row, ViewRow::Line(line) if line.line == wanted))
        };
        let mut visible = lines.clone().filter(|&line| !self.listing.is_marker(line));
        let first = visible.next()?;
        let last = visible.next_back().unwrap_or(first);
        let rows = row_of(first)?..row_of(last)? + 1;
        self.view.rows[rows.clone()].iter().all(|row| matches!(row, ViewRow::Line(_))).then_some(rows)
    }

    fn place(&self, span: &Span) -> Place {
        Place::new(self.page.path(), span.clone())
    }

    /// "code/lab/x.py#ledger (lines 31-44)".
    fn what(&self) -> String {
        let selectors: Vec<String> =
            self.excerpt.file.selectors.iter().map(|(selector, _)| selector.to_string()).collect();
        let hash = if selectors.is_empty() { String::new() } else { format!("#{}", selectors.join(",")) };
        let lines = match self.shown.bounds() {
            Some((first, last)) if first != last => format!(" (lines {first}-{last})"),
            Some((line, _)) => format!(" (line {line})"),
            None => String::new(),
        };
        format!("{}{hash}{lines}", self.listing.source().path())
    }

    fn outside(&self, span: &Span, what: &str) -> Missing {
        let said = Diagnostic::new(codes::E0301, self.place(span), format!("{what} does not lie in the excerpt"))
            .label(format!("not within {}", self.what()))
            .help("a note can be bound only to lines that its excerpt shows");
        Box::new(said)
    }

    fn missing(&self, text: &str, nth: usize, span: &Span, from: usize) -> Missing {
        let count = self.view.count(text);
        let message = match count {
            0 => format!("`{text}` is not in the excerpt"),
            _ if from > 0 => format!("`{text}` is not at or below the line where the range starts"),
            1 => format!("`{text}` is in the excerpt once only, not {nth} times"),
            _ => format!("`{text}` is in the excerpt {count} times, not {nth}"),
        };
        let identifiers = self.view.identifiers();
        let near = nearest(text, identifiers.iter().copied()).filter(|near| *near != text && count == 0);
        let said = Diagnostic::new(codes::E0301, self.place(span), message)
            .label(format!("{} {}", if count == 0 { "not in" } else { "looked for in" }, self.what()))
            .nearest(near);
        Box::new(said)
    }

    /// Every term of `mark=` must be there.
    fn marks(&self) -> impl Iterator<Item = Diagnostic> {
        self.excerpt.marks.iter().filter(|(term, _)| self.view.count(term) == 0).map(|(term, span)| {
            let identifiers = self.view.identifiers();
            Diagnostic::new(
                codes::E0313,
                self.place(span),
                format!("`{term}` is not in the excerpt, so nothing is marked"),
            )
            .label(format!("not in {}", self.what()))
            .nearest(nearest(term, identifiers.iter().copied()))
        })
    }

    fn staleness(&self, bound: &[Option<Bound>]) -> Option<Diagnostic> {
        if self.excerpt.pin.trim().is_empty() {
            return (!self.excerpt.notes.is_empty()).then(|| {
                Diagnostic::new(
                    codes::W0302,
                    self.place(&self.excerpt.head),
                    "the notes of this excerpt are not pinned",
                )
                .help(
                    "put the code that they explain into the fence: then a change of the file cannot leave them behind",
                )
                .hint()
            });
        }
        let pin = Pin::new(self.listing.source().path(), &self.excerpt.pin);
        let pinned = pin.view();
        if pinned.lines() == self.view.lines() {
            return None;
        }
        let changed: Vec<usize> =
            (0..bound.len()).filter(|&note| !self.holds(note, bound[note].as_ref(), &pinned)).collect();
        Some(self.stale(&changed, &pinned))
    }

    /// Whether a note's lines read the same in the pin as in the file.
    fn holds(&self, note: usize, in_file: Option<&Bound>, pinned: &View<'_>) -> bool {
        let note = &self.excerpt.notes[note];
        if note.bindings.is_empty() {
            return true;
        }
        let by_place = note.bindings.iter().any(|binding| matches!(binding.from, Anchor::Place { .. }));
        match in_file {
            // What a region, line or symbol is called is not in the pin: there the same lines must stand together.
            Some(bound) if by_place => bound.rows.iter().all(|rows| holds_rows(pinned, self.view, rows)),
            Some(bound) => {
                in_pin(note, pinned).is_some_and(|pin| texts(pinned, &pin.rows) == texts(self.view, &bound.rows))
            }
            // Not bound in the file: its own error says so, and what a place was called is not in the pin.
            None => by_place || in_pin(note, pinned).is_none(),
        }
    }

    fn stale(&self, changed: &[usize], pinned: &View<'_>) -> Diagnostic {
        let notes: Vec<String> = changed.iter().map(|note| (note + 1).to_string()).collect();
        let path = self.listing.source().path();
        let (code, message) = match notes.as_slice() {
            [] => {
                (codes::W0301, format!("this excerpt has changed in `{path}`; its notes still stand at the same lines"))
            }
            [one] => (codes::E0316, format!("this excerpt has changed in `{path}` where note {one} explains it")),
            [most @ .., last] => (
                codes::E0316,
                format!("this excerpt has changed in `{path}` where notes {} and {last} explain it", most.join(", ")),
            ),
        };
        let lines = self.shown.bounds().map_or(0..0, |(first, last)| first - 1..last);
        let source = self.listing.source();
        let first_line = source.line_span(lines.start);
        let mut diagnostic = Diagnostic::new(code, self.place(&self.excerpt.head), message)
            .label("the fence holds the code as it was")
            .related(Place::new(path, first_line), format!("the code as it is, {}", line_anchor(&lines)))
            .note(diff(&pinned.lines(), &self.view.lines()));
        for &note in changed {
            let span = &self.excerpt.notes[note].span;
            let first = self.page.text()[span.clone()].lines().next().unwrap_or_default().trim_end().len();
            diagnostic = diagnostic.related(self.place(&(span.start..span.start + first)), "read this note again");
        }
        diagnostic.help(if changed.is_empty() {
            "replace the body of the fence with the file's code"
        } else {
            "read these notes against the file's code and mend them, then replace the body of the fence with that code"
        })
    }
}

/// The note as it is bound in the pin; `None` if it is not.
fn in_pin(note: &Note, pinned: &View<'_>) -> Option<Bound> {
    let mut bound = Bound::default();
    for binding in &note.bindings {
        let Anchor::Token { text, nth, .. } = &binding.from else { return None };
        let from = pinned.find(text, *nth)?;
        let to = match &binding.to {
            Some(Anchor::Token { text, nth, .. }) => pinned.find_from(text, *nth, from.row)?.row,
            _ => pinned.closing_row(from.row),
        };
        bound.rows.push(from.row..to + 1);
    }
    bound.rows = merge(bound.rows);
    Some(bound)
}

fn holds_rows(pinned: &View<'_>, view: &View<'_>, rows: &Rows) -> bool {
    let wanted: Vec<&str> = rows.clone().map(|row| view.text(row)).collect();
    let lines: Vec<&str> = (0..pinned.rows.len()).map(|row| pinned.text(row)).collect();
    lines.windows(wanted.len().max(1)).any(|window| window == wanted)
}

fn texts<'v>(view: &'v View<'_>, rows: &[Rows]) -> Vec<&'v str> {
    rows.iter().flat_map(Clone::clone).map(|row| view.text(row)).collect()
}

/// A unified diff without headers: what the pin says, what the file says.
fn diff(pin: &[&str], file: &[&str]) -> String {
    let (pin, file) = (pin.join("\n") + "\n", file.join("\n") + "\n");
    let diff = TextDiff::from_lines(&pin, &file);
    let text = diff.unified_diff().context_radius(2).to_string();
    text.trim_end().to_string()
}

/// Sorted, overlaps and neighbours joined.
fn merge(mut rows: Vec<Rows>) -> Vec<Rows> {
    rows.sort_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Rows> = Vec::new();
    for range in rows {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}
