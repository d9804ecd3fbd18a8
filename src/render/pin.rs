//! Pins ↔ code: the body of an excerpt's fence is the code as it was when its notes were last agreed with. Here it is held
//! against the file, and the notes that must be read again are told from those whose lines read the same.

mod align;
mod message;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::bind::{Bound, Rows, Scene, merge};
use crate::code::excerpt::{OMISSION, Pin, Row, View};
use crate::code::listing::Lines;
use crate::code::locate::{Located, Similarity};
use crate::code::selector::Selector;
use crate::code::{Listing, SelectedRows};
use crate::diag::Diagnostic;
use crate::document::{Anchor, Excerpt, Note};
use crate::source::{Source, Span};

/// An excerpt whose pin is not what its file says.
#[derive(Debug, Clone)]
pub struct Drift {
    /// The page, as it was read.
    pub page: Arc<Source>,
    /// Which of the page's excerpts, from 0.
    pub excerpt: usize,
    /// The starter file, from the course's root.
    pub file: Arc<str>,
    /// How it stands.
    pub state: State,
    /// The excerpt as the file has it, line by line: what the pin should be.
    pub code: Vec<String>,
    /// From the fence's first byte to the end of its notes and of what looks like them: where the author looks for it.
    pub span: Span,
    /// What is said of it.
    pub diagnostic: Diagnostic,
}

/// How a pin stands against its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// There are notes, or lines are named by number, and the fence is empty.
    Unpinned,
    /// The code has changed, and every note's lines read the same.
    Holds,
    /// Lines are named by number, and the code of the pin is at other ones: only the author knows which are meant.
    Moved,
    /// The lines of these notes (from 0) read differently, or are bound in only one of the two.
    Changed(Vec<usize>),
}

/// Holds the pin of a page's excerpt (`index` from 0) against the file; nothing where they agree.
#[must_use]
pub fn drift(
    page: &Arc<Source>,
    index: usize,
    excerpt: &Excerpt,
    listing: &Listing,
    shown: &SelectedRows,
    bound: &[Option<Bound>],
) -> Option<Drift> {
    // What a fence holds that is not closed is no pin; that is an error already.
    excerpt.closing.as_ref()?;
    let view = shown.view(listing);
    if !excerpt.pin.trim().is_empty() && Pin::is_equal(&excerpt.pin, &view.lines()) {
        return None;
    }
    let code: Vec<String> = view.lines().into_iter().map(str::to_owned).collect();
    let scene = Scene { page, excerpt, listing, shown, view: &view };
    let (state, diagnostic) = if excerpt.pin.trim().is_empty() {
        let is_held = excerpt.notes.is_empty() && !excerpt.file.is_by_lines();
        if is_held || code.iter().all(String::is_empty) {
            return None;
        }
        (State::Unpinned, scene.unpinned(bound))
    } else {
        let pin = Pin::new(listing.source().path(), &excerpt.pin);
        let pinned = pin.view();
        if pinned.lines() == view.lines() {
            return None;
        }
        scene.state(&pinned, bound)
    };
    let end = excerpt.notes.last().map_or(0, |note| note.span.end).max(excerpt.strays_end);
    let span = excerpt.head.start..end.max(excerpt.block.end);
    let file = Arc::clone(listing.source().path());
    Some(Drift { page: Arc::clone(page), excerpt: index, file, state, code, span, diagnostic })
}

/// The parts of a pin, between lines that are left out.
pub(super) fn parts<'v>(pin: &'v [&'v str]) -> impl Iterator<Item = &'v [&'v str]> {
    pin.split(|line| *line == OMISSION).filter(|part| !part.is_empty())
}

/// Where the code of a pin is in its file, if not where the excerpt looks for it.
enum Elsewhere {
    /// All of it, unchanged, at these lines: nobody has changed the code, but what the selector names.
    Whole(Vec<Lines>),
    /// Part of it, or most of it, where lines are named by number.
    Partly(Located),
}

impl Scene<'_> {
    /// How a pin stands that differs from its file, and what is said of it.
    fn state(&self, pinned: &View<'_>, bound: &[Option<Bound>]) -> (State, Diagnostic) {
        let (excerpt, twins) = (self.excerpt, Twins::new(pinned, self.view));
        let changed: Vec<usize> =
            (0..bound.len()).filter(|&note| !holds(&excerpt.notes[note], bound[note].as_ref(), &twins)).collect();
        let elsewhere = self.elsewhere(&pinned.lines());
        let state = match &elsewhere {
            _ if !changed.is_empty() => State::Changed(changed),
            Some(_) if excerpt.file.is_by_lines() => State::Moved,
            _ => State::Holds,
        };
        let diagnostic = self.stale(&state, elsewhere.as_ref(), pinned, bound);
        (state, diagnostic)
    }

    /// Where the lines of a pin are now, if not in the lines that are shown.
    fn elsewhere(&self, pin: &[&str]) -> Option<Elsewhere> {
        let file = &self.excerpt.file;
        if file.selectors.is_empty() {
            return None;
        }
        let is_shown = |lines: &Lines| self.shows(lines.start) && self.shows(lines.end - 1);
        let found: Vec<Option<Located>> = parts(pin).map(|part| self.listing.locate(part)).collect();
        let same = |part: &Option<Located>| {
            Some(part.as_ref().filter(|part| part.similarity == Similarity::Same)?.lines.clone())
        };
        if let Some(lines) = found.iter().map(same).collect::<Option<Vec<Lines>>>() {
            // A region or a symbol that holds the code of the pin and more has grown.
            let has_grown = !file.is_by_lines() && lines.iter().all(is_shown);
            return (!has_grown && !lines.is_empty()).then_some(Elsewhere::Whole(lines));
        }
        let mut found = found.into_iter().flatten().filter(|part| file.is_by_lines() && !is_shown(&part.lines));
        found.next().map(Elsewhere::Partly)
    }

    /// Whether a line of the file is shown.
    fn shows(&self, line: usize) -> bool {
        self.shown.rows.contains(&Row::Line(line))
    }
}

/// The rows of a pin and those of the file, matched.
struct Twins<'v, 'p> {
    pinned: &'v View<'p>,
    pin: Vec<&'v str>,
    file: Vec<&'v str>,
    /// For each row of the pin, the row of the file that a diff takes it for.
    aligned: Vec<Option<usize>>,
    /// The other way round: for each row of the file, the row of the pin.
    pin_row: Vec<Option<usize>>,
    /// For each row of the pin, the nearest row at or above it that the diff finds in the file, and the nearest at or
    /// below it.
    nearest: Vec<[Option<usize>; 2]>,
    /// How often each line occurs in the pin, and in the file.
    counts: BTreeMap<&'v str, [usize; 2]>,
}

impl<'v, 'p> Twins<'v, 'p> {
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

    /// Whether a note's rows are the same lines in both: they read the same, and are not merely another line that reads so.
    fn same(&self, old: &[Rows], new: &[Rows]) -> bool {
        let (was, is) = (texts(&self.pin, old), texts(&self.file, new));
        if was != is {
            return false;
        }
        rows(old).zip(rows(new)).all(|(old, new)| self.aligned[old] == Some(new) || self.is_moved(self.pin[old]))
    }

    /// Whether a line stands in both as often, so that it can only have moved.
    fn is_moved(&self, line: &str) -> bool {
        self.counts.get(line).is_none_or(|[pin, file]| pin == file)
    }

    /// Whether the rows of a region or symbol read the same. Where it began and ended is not in the pin, so they must stand
    /// there together in the same place, and no line may be gone at their borders: it could have been one of them.
    fn holds_together(&self, new: &Rows) -> bool {
        let wanted = &self.file[new.clone()];
        let stands_at = |start: &usize| self.pin.get(*start..start + wanted.len()) == Some(wanted);
        let start = self.pin_row.get(new.start).copied().flatten();
        let Some(start) = start.filter(stands_at) else { return false };
        let end = start + wanted.len();
        let aligned = |old: usize| Some((old, self.aligned[old]?));
        let above = start.checked_sub(1).and_then(|above| aligned(self.nearest[above][0]?));
        let above = above.map_or((0, 0), |(old, new)| (old + 1, new + 1));
        let below = self.nearest.get(end).and_then(|nearest| aligned(nearest[1]?));
        let below = below.unwrap_or((self.pin.len(), self.file.len()));
        start - above.0 <= new.start.saturating_sub(above.1) && below.0 - end <= below.1.saturating_sub(new.end)
    }
}

fn rows(ranges: &[Rows]) -> impl Iterator<Item = usize> {
    ranges.iter().flat_map(Clone::clone)
}

fn texts<'v>(lines: &[&'v str], ranges: &[Rows]) -> Vec<&'v str> {
    rows(ranges).map(|row| lines[row]).collect()
}

/// Whether a note's lines read the same in the pin as in the file.
fn holds(note: &Note, in_file: Option<&Bound>, twins: &Twins<'_, '_>) -> bool {
    if note.bindings.is_empty() {
        return true;
    }
    let is_place = |anchor: &Anchor| matches!(anchor, Anchor::Place { .. });
    let by_place = note.bindings.iter().any(|binding| is_place(&binding.from));
    match in_file {
        Some(bound) if by_place => {
            let by_line = note
                .bindings
                .iter()
                .any(|binding| matches!(&binding.from, Anchor::Place { selector: Selector::Lines(..), .. }));
            bound.rows.iter().all(|rows| if by_line { in_place(rows, twins) } else { twins.holds_together(rows) })
        }
        Some(bound) => in_pin(note, twins.pinned).is_some_and(|pin| twins.same(&pin, &bound.rows)),
        // What a place was called is not in the pin, but the note was bound to it then.
        None => !by_place && in_pin(note, twins.pinned).is_none(),
    }
}

/// Lines that are named by their numbers: the same rows must read the same.
fn in_place(rows: &Rows, twins: &Twins<'_, '_>) -> bool {
    twins.pin.get(rows.clone()) == twins.file.get(rows.clone())
}

/// The rows that the note is bound to in the pin; `None` if it is not.
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
