//! Compares pins with files. The pin, the body of an excerpt's fence, is the code as it was when its notes were last
//! checked. Notes whose lines have changed must be checked again; the others need not.

mod align;
mod light;
mod message;
mod replaced;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::bind::{BoundNote, ExcerptContext, Rows, merge};
use super::lit::MovedLight;
use infralens_page::{Anchor, Excerpt, Note};
use infralens_source::diag::Diagnostic;
use infralens_source::source::{Source, Span};
use infralens_starter::excerpt::{OMISSION, Pin, Row, View, ViewRow, is_omission};
use infralens_starter::locate::{Located, Similarity};
use infralens_starter::{Listing, SelectedRows};

/// An excerpt whose pin differs from its file.
#[derive(Debug, Clone)]
pub struct Drift {
    /// The page, as it was read.
    pub page: Arc<Source>,
    /// The index of the excerpt on the page, from 0.
    pub excerpt: usize,
    /// The starter file, from the course's root.
    pub file: Arc<str>,
    /// How the pin differs.
    pub state: State,
    /// The numbers in `light=` that have moved with their lines.
    pub lights: Vec<MovedLight>,
    /// The current code of the excerpt, line by line, which the pin should have.
    pub code: Vec<String>,
    /// The bytes from the start of the fence to the end of its notes and of items that look like notes.
    pub span: Span,
    pub diagnostic: Diagnostic,
}

/// How a pin differs from its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// The fence is empty, and there are notes, or lines are selected by number.
    Unpinned,
    /// The code has changed, but not the lines of any note.
    Unaffected,
    /// Lines are selected by number, and the pin's code is at other numbers; or an omission of the pin has lost a neighbor:
    /// only the author knows which lines are meant.
    Moved,
    /// The lines of these notes (from 0) have changed, or are bound in only one of pin and file.
    Changed(Vec<usize>),
}

/// Compares the pin of an excerpt (`index` from 0) with the file; `None` if they agree. An empty pin without notes agrees if
/// the page `shows_file`, as the pages of a course do: elsewhere the fence is all that a reader sees.
pub fn drift(
    page: &Arc<Source>,
    index: usize,
    excerpt: &Excerpt,
    listing: &Listing,
    shown: &SelectedRows,
    bound: &[Option<BoundNote>],
    shows_file: bool,
) -> Option<Drift> {
    // The body of an unclosed fence is not a pin; the fence is reported already.
    excerpt.closing.as_ref()?;
    let view = shown.view(listing);
    if !excerpt.pin.trim().is_empty() && Pin::is_equal(listing.language_path(), &excerpt.pin, &view.lines()) {
        return None;
    }
    let mut code: Vec<String> = view.lines().into_iter().map(str::to_owned).collect();
    for (row, text) in &shown.written {
        code[*row].clone_from(text);
    }
    let context = ExcerptContext { page, excerpt, listing, shown, view: &view };
    let mut lights = Vec::new();
    let (state, diagnostic) = if excerpt.pin.trim().is_empty() {
        let is_by_lines = excerpt.file.is_by_lines() || excerpt.is_lit_by_lines();
        let needs_no_pin = shows_file && excerpt.notes.is_empty() && !is_by_lines;
        if needs_no_pin || code.iter().all(String::is_empty) {
            return None;
        }
        (State::Unpinned, context.unpinned_message(bound))
    } else {
        let pin = Pin::new(listing.language_path(), &excerpt.pin);
        let pinned = pin.view(&view.lines());
        if pinned.lines() == view.lines() {
            return None;
        }
        lights = context.moved_lights(&pinned);
        context.state(&pinned, bound)
    };
    let end = excerpt.notes.last().map_or(0, |note| note.span.end).max(excerpt.strays_end);
    let span = excerpt.head.start..end.max(excerpt.block.end);
    let file = Arc::clone(listing.source().path());
    Some(Drift { page: Arc::clone(page), excerpt: index, file, state, lights, code, span, diagnostic })
}

/// Returns whether a file has less than half of the lines of a pin, so that the others may be in another file.
pub(super) fn is_lost(excerpt: &Excerpt, listing: &Listing) -> bool {
    let is_code = |line: &&str| !line.is_empty() && !is_omission(listing.language_path(), line);
    let pinned = || excerpt.pin.lines().map(str::trim).filter(is_code);
    let kept = pinned().filter(|line| listing.has_line(line)).count();
    2 * kept < pinned().count()
}

fn omissions(view: &View<'_>) -> usize {
    view.rows.iter().filter(|row| matches!(row, ViewRow::Omitted(_))).count()
}

/// Returns the runs of lines of a pin between its marks for omitted lines.
pub(super) fn parts<'v>(pin: &'v [&'v str]) -> impl Iterator<Item = &'v [&'v str]> {
    pin.split(|line| *line == OMISSION).filter(|part| !part.is_empty())
}

/// Where the code of a pin is in its file, if not where the excerpt selects it.
struct Elsewhere {
    /// Whether this is all of it, unchanged, so that the selector now names other code. Otherwise it is one part of it, or most
    /// of it, and lines are selected by number.
    is_whole: bool,
    parts: Vec<Located>,
}

impl ExcerptContext<'_> {
    /// Returns how a pin differs from its file, and the diagnostic.
    fn state(&self, pinned: &View<'_>, bound: &[Option<BoundNote>]) -> (State, Diagnostic) {
        let (excerpt, lines) = (self.excerpt, LineMatch::new(pinned, self.view));
        let changed: Vec<usize> = (0..bound.len())
            .filter(|&note| !is_unchanged(&excerpt.notes[note], bound[note].as_ref(), &lines))
            .collect();
        let elsewhere = self.elsewhere(&pinned.lines());
        let state = match &elsewhere {
            _ if !changed.is_empty() => State::Changed(changed),
            Some(_) if excerpt.file.is_by_lines() => State::Moved,
            _ if omissions(pinned) > omissions(self.view) => State::Moved,
            _ => State::Unaffected,
        };
        let diagnostic = self.drift_message(&state, elsewhere.as_ref(), pinned, bound);
        (state, diagnostic)
    }

    /// Returns where the code of a pin is now, if the excerpt does not simply show it and more. An excerpt by line numbers
    /// never counts as having grown, because only its author knows which lines are meant.
    fn elsewhere(&self, pin: &[&str]) -> Option<Elsewhere> {
        let file = &self.excerpt.file;
        if file.selectors.is_empty() {
            return None;
        }
        let shows = |line: usize| self.shown.rows.contains(&Row::Line(line));
        let is_shown = |part: &Located| shows(part.lines.start) && shows(part.lines.end - 1);
        let found: Vec<Option<Located>> = parts(pin).map(|part| self.listing.locate(part)).collect();
        let is_same = |part: &Option<Located>| part.as_ref().is_some_and(|part| part.similarity == Similarity::Same);
        let is_whole = found.iter().all(is_same);
        let mut parts: Vec<Located> = found.into_iter().flatten().collect();
        if !is_whole {
            parts.retain(|part| file.is_by_lines() && !is_shown(part));
            parts.truncate(1);
        } else if !file.is_by_lines() && parts.iter().all(is_shown) {
            // A region or symbol that still shows the first and last line of each part has only gained lines.
            parts.clear();
        }
        (!parts.is_empty()).then_some(Elsewhere { is_whole, parts })
    }
}

/// The rows of a pin matched with those of the file.
struct LineMatch<'v, 'p> {
    pinned: &'v View<'p>,
    pin: Vec<&'v str>,
    file: Vec<&'v str>,
    /// The row of the file that a diff matches with each row of the pin.
    aligned: Vec<Option<usize>>,
    /// The row of the pin that the diff matches with each row of the file.
    pin_row: Vec<Option<usize>>,
    /// For each row of the pin, the nearest matched rows at or above it and at or below it.
    nearest: Vec<[Option<usize>; 2]>,
    /// How often each line occurs in the pin and in the file.
    counts: BTreeMap<&'v str, [usize; 2]>,
}

impl<'v, 'p> LineMatch<'v, 'p> {
    fn new(pinned: &'v View<'p>, view: &'v View<'_>) -> Self {
        let pin: Vec<&str> = (0..pinned.rows.len()).map(|row| pinned.text(row)).collect();
        let file: Vec<&str> = (0..view.rows.len()).map(|row| view.text(row)).collect();
        let aligned = align::aligned(&pin, &file);
        let mut pin_row = vec![None; file.len()];
        for (old, new) in aligned.iter().enumerate() {
            if let Some(new) = *new {
                pin_row[new] = Some(old);
            }
        }
        let mut nearest = vec![[None; 2]; pin.len()];
        let (mut above, mut below) = (None, None);
        for row in 0..pin.len() {
            let back = pin.len() - 1 - row;
            above = aligned[row].map(|_| row).or(above);
            below = aligned[back].map(|_| back).or(below);
            nearest[row][0] = above;
            nearest[back][1] = below;
        }
        let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
        for (lines, which) in [(&pin, 0), (&file, 1)] {
            for line in lines {
                counts.entry(line).or_default()[which] += 1;
            }
        }
        Self { pinned, pin, file, aligned, pin_row, nearest, counts }
    }

    /// Returns whether a note's rows are the same lines in both, not merely lines with the same text.
    fn same(&self, old: &[Rows], new: &[Rows]) -> bool {
        let (old, new) = (code_rows(&self.pin, old), code_rows(&self.file, new));
        let is_same = |(&old, &new): (&usize, &usize)| {
            self.pin[old] == self.file[new] && (self.aligned[old] == Some(new) || self.is_moved(self.pin[old]))
        };
        old.len() == new.len() && old.iter().zip(&new).all(is_same)
    }

    /// Returns whether a line occurs equally often in both, so that it can only have moved.
    fn is_moved(&self, line: &str) -> bool {
        self.counts.get(line).is_none_or(|[pin, file]| pin == file)
    }

    /// Returns whether the rows of a region or symbol are unchanged. The pin does not say where it started and ended,
    /// so the rows must be consecutive in the pin. The unmatched lines directly above and below must not be fewer in
    /// the file than in the pin: a missing one could have been part of the region or symbol.
    fn place_is_unchanged(&self, new: &Rows) -> bool {
        let wanted = &self.file[new.clone()];
        let starts_at = |start: &usize| self.pin.get(*start..start + wanted.len()) == Some(wanted);
        let start = self.pin_row.get(new.start).copied().flatten();
        let Some(start) = start.filter(starts_at) else { return false };
        let end = start + wanted.len();
        let aligned = |old: usize| Some((old, self.aligned[old]?));
        let above = start.checked_sub(1).and_then(|above| aligned(self.nearest[above][0]?));
        let above = above.map_or((0, 0), |(old, new)| (old + 1, new + 1));
        let below = self.nearest.get(end).and_then(|nearest| aligned(nearest[1]?));
        let below = below.unwrap_or((self.pin.len(), self.file.len()));
        start - above.0 <= new.start.saturating_sub(above.1) && below.0 - end <= below.1.saturating_sub(new.end)
    }
}

/// Returns the rows of some ranges that are not blank.
fn code_rows(lines: &[&str], ranges: &[Rows]) -> Vec<usize> {
    ranges.iter().flat_map(Clone::clone).filter(|&row| !lines[row].is_empty()).collect()
}

/// Returns whether a note's lines are the same in the pin and in the file.
fn is_unchanged(note: &Note, in_file: Option<&BoundNote>, lines: &LineMatch<'_, '_>) -> bool {
    if note.bindings.is_empty() {
        return true;
    }
    let is_place = |anchor: &Anchor| matches!(anchor, Anchor::Place { .. });
    let is_by_line = |anchor: &Anchor| matches!(anchor, Anchor::Place { selector, .. } if selector.is_by_lines());
    let by_place = note.bindings.iter().any(|binding| is_place(&binding.from));
    match in_file {
        Some(bound) if by_place => {
            let by_line = note.bindings.iter().any(|binding| is_by_line(&binding.from));
            // Lines that are named by their numbers have the same text in the same rows.
            let is_same = |rows: &Rows| lines.pin.get(rows.clone()) == lines.file.get(rows.clone());
            bound.rows.iter().all(|rows| if by_line { is_same(rows) } else { lines.place_is_unchanged(rows) })
        }
        Some(bound) => in_pin(note, lines.pinned).is_some_and(|pin| lines.same(&pin, &bound.rows)),
        // The note is bound to nothing in the file. A region or symbol cannot be looked up in the pin, but it existed when
        // the pin was written, so the note has changed. A token that is in neither has not.
        None => !by_place && in_pin(note, lines.pinned).is_none(),
    }
}

/// Returns the rows that the note is bound to in the pin; `None` if it is not.
fn in_pin(note: &Note, pinned: &View<'_>) -> Option<Vec<Rows>> {
    let mut found = Vec::new();
    for binding in &note.bindings {
        let Anchor::Token { text, nth, .. } = &binding.from else { return None };
        let from = pinned.find(text, *nth)?;
        let to = match &binding.to {
            Some(Anchor::Token { text, nth, .. }) => pinned.find_from(text, *nth, from.row)?.row,
            _ => pinned.closing_row(from.row),
        };
        found.push(from.row..to + 1);
    }
    Some(merge(found))
}
