//! Pins ↔ code: the body of an excerpt's fence is the code as it was when its notes were last agreed with. Here it is held
//! against the file, and the notes that must be read again are told from those whose lines read the same.

use std::sync::Arc;

use similar::{ChangeTag, TextDiff};

use super::bind::{Bound, Rows, Scene, merge};
use crate::code::excerpt::{Pin, View};
use crate::code::selector::Selector;
use crate::code::{Listing, Shown};
use crate::course::link::line_anchor;
use crate::diag::{Diagnostic, Place, codes};
use crate::document::{Anchor, Excerpt, Note};
use crate::source::{Source, Span};

/// An excerpt whose pin is not what its file says.
#[derive(Debug, Clone)]
pub struct Drift {
    /// The page, as it was read.
    pub page: Arc<Source>,
    /// Which of the page's excerpts, from 0.
    pub excerpt: usize,
    /// How it stands.
    pub state: State,
    /// The excerpt as the file has it, line by line: what the pin should be.
    pub code: Vec<String>,
    /// From the fence's first byte to the end of its notes: where the author looks for it.
    pub span: Span,
    /// What is said of it.
    pub diagnostic: Diagnostic,
}

/// How a pin stands against its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// There are notes, and the fence is empty.
    Unpinned,
    /// The code has changed, and every note's lines read the same.
    Holds,
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
    shown: &Shown,
    bound: &[Option<Bound>],
) -> Option<Drift> {
    // What a fence holds that is not closed is no pin; that is an error already.
    excerpt.closing.as_ref()?;
    let view = shown.view(listing);
    let code: Vec<String> = view.lines().into_iter().map(str::to_owned).collect();
    let scene = Scene { page, excerpt, listing, shown, view: &view };
    let (state, diagnostic) = if excerpt.pin.trim().is_empty() {
        if excerpt.notes.is_empty() || code.is_empty() {
            return None;
        }
        (State::Unpinned, scene.unpinned())
    } else {
        let pin = Pin::new(listing.source().path(), &excerpt.pin);
        let pinned = pin.view();
        if pinned.lines() == view.lines() {
            return None;
        }
        let twins = Twins::new(&pinned, &view);
        let changed: Vec<usize> =
            (0..bound.len()).filter(|&note| !holds(&excerpt.notes[note], bound[note].as_ref(), &twins)).collect();
        let diagnostic = scene.stale(&changed, &pinned);
        (if changed.is_empty() { State::Holds } else { State::Changed(changed) }, diagnostic)
    };
    let end = excerpt.notes.last().map_or(0, |note| note.span.end);
    let span = excerpt.head.start..end.max(excerpt.block.end);
    Some(Drift { page: Arc::clone(page), excerpt: index, state, code, span, diagnostic })
}

/// The rows of a pin and those of the file, matched.
struct Twins<'v> {
    pinned: &'v View<'v>,
    pin: Vec<&'v str>,
    file: Vec<&'v str>,
    /// For each row of the pin, the row of the file that a diff takes it for.
    aligned: Vec<Option<usize>>,
}

impl<'v> Twins<'v> {
    fn new(pinned: &'v View<'v>, view: &'v View<'v>) -> Self {
        let pin: Vec<&str> = (0..pinned.rows.len()).map(|row| pinned.text(row)).collect();
        let file: Vec<&str> = (0..view.rows.len()).map(|row| view.text(row)).collect();
        let mut aligned = vec![None; pin.len()];
        for change in TextDiff::from_slices(&pin, &file).iter_all_changes() {
            if let (ChangeTag::Equal, Some(old), Some(new)) = (change.tag(), change.old_index(), change.new_index()) {
                aligned[old] = Some(new);
            }
        }
        Self { pinned, pin, file, aligned }
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
        let count = |all: &[&str]| all.iter().filter(|other| **other == line).count();
        count(&self.pin) == count(&self.file)
    }

    /// Whether the rows of a region or symbol read the same. Where it began and ended is not in the pin, so they must stand
    /// there together in the same place, and no line may be gone at their borders: it could have been one of them.
    fn holds_together(&self, new: &Rows) -> bool {
        let wanted = &self.file[new.clone()];
        let stands_at = |start: &usize| self.pin.get(*start..start + wanted.len()) == Some(wanted);
        let start = (0..self.pin.len()).find(|start| self.aligned[*start] == Some(new.start));
        let Some(start) = start.filter(stands_at) else { return false };
        let end = start + wanted.len();
        let above = (0..start).rev().find_map(|old| Some((old + 1, self.aligned[old]? + 1))).unwrap_or_default();
        let below = (end..self.pin.len())
            .find_map(|old| Some((old, self.aligned[old]?)))
            .unwrap_or((self.pin.len(), self.file.len()));
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
fn holds(note: &Note, in_file: Option<&Bound>, twins: &Twins<'_>) -> bool {
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
fn in_place(rows: &Rows, twins: &Twins<'_>) -> bool {
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

/// What is said of a pin.
impl Scene<'_> {
    fn unpinned(&self) -> Diagnostic {
        let said = "the notes of this excerpt are not pinned";
        Diagnostic::new(codes::W0302, self.place(&self.excerpt.head), said)
            .help(
                "`infralens sync` puts the code that they explain into the fence, so that no change leaves them behind",
            )
            .hint()
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
        if let Some(lines) = self.moved_to(&pinned.lines()) {
            diagnostic = diagnostic.help(format!("the code of the pin stands at `#{}` now", line_anchor(&lines)));
        }
        if changed.is_empty() {
            return diagnostic.help("`infralens sync` puts the file's code into the fence");
        }
        let notes = if changed.len() == 1 { "this note" } else { "these notes" };
        let line = self.page.position(self.excerpt.head.start).line;
        diagnostic
            .help(format!("read {notes} against the file's code, and mend what is no longer true"))
            .help(format!("then `infralens sync --accept {}:{line}` puts that code into the fence", self.page.path()))
    }

    /// Where the pin's lines stand now, if the excerpt names lines by number and they stand in one other place.
    fn moved_to(&self, pin: &[&str]) -> Option<std::ops::Range<usize>> {
        let [(Selector::Lines(..), _)] = self.excerpt.file.selectors.as_slice() else { return None };
        let visible: Vec<usize> =
            (0..self.listing.line_count()).filter(|&line| !self.listing.is_marker(line)).collect();
        let starts_alike =
            |line: usize| pin.first().is_some_and(|first| self.listing.line(line).trim() == first.trim());
        let mut found = visible.windows(pin.len().max(1)).filter(|window| {
            if !starts_alike(window[0]) {
                return false;
            }
            let lines: Vec<&str> = window.iter().map(|&line| self.listing.line(line)).collect();
            crate::code::excerpt::dedent(&lines).iter().map(|line| line.trim_end()).eq(pin.iter().copied())
        });
        let only = found.next().filter(|_| found.next().is_none())?;
        Some(*only.first()?..only.last()? + 1)
    }
}

/// The longest diff that a message holds, in lines.
const DIFF_LIMIT: usize = 120;

/// A unified diff without headers: what the pin says, what the file says. A long one breaks off.
fn diff(pin: &[&str], file: &[&str]) -> String {
    let (pin, file) = (pin.join("\n") + "\n", file.join("\n") + "\n");
    let diff = TextDiff::from_lines(&pin, &file);
    let text = diff.unified_diff().context_radius(2).to_string();
    let text = text.trim_end();
    let Some((end, _)) = text.match_indices('\n').nth(DIFF_LIMIT) else { return text.to_owned() };
    format!("{}\n… and {} lines more", &text[..end], text[end..].lines().count() - 1)
}
