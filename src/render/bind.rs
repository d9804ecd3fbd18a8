//! Notes ↔ code: which rows of an excerpt each note is bound to.

mod guess;

use std::ops::Range;

use crate::code::excerpt::{Occurrence, View};
use crate::code::selector::Selector;
use crate::code::{Listing, SelectedRows};
use crate::diag::{Diagnostic, Place, codes, nearest};
use crate::document::{Anchor, Binding, Excerpt, Note};
use crate::source::{Source, Span};

/// For so many problems of a page it is looked for what may be meant.
const MOST_GUESSES: usize = 100;
/// The longest piece of a line, in characters, that a message proposes.
const QUOTABLE: usize = 72;

/// A range of rows of a [`View`].
pub type Rows = Range<usize>;

/// Where a note is bound.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bound {
    /// The rows that it covers, sorted, apart from each other: each begins with a marker. Empty where it could not be
    /// bound.
    pub rows: Vec<Rows>,
    /// The tokens that it names.
    pub tokens: Vec<Occurrence>,
    /// The row where each of its anchors is, by the anchor's event; sorted.
    pub anchors: Vec<(usize, usize)>,
}

/// What to write instead of an item that looks like a note and is none.
const POINT: &str = "add it to what the note begins with, joined by `/`; or make it a note of its own";
const MOVE: &str = "notes are directly below the fence, and indented like it: move what is between above the fence; or \
                    begin the items with a word";
const NUMBER: &str = "notes are a numbered list directly below the fence; what is no note begins with a word";

/// What is said of an anchor that is not there.
type Missing = Box<Diagnostic>;

/// Binds every note of an excerpt to the file; nothing for a note that could not be.
pub fn bind(
    page: &Source,
    excerpt: &Excerpt,
    listing: &Listing,
    shown: &SelectedRows,
    out: &mut Vec<Diagnostic>,
) -> Vec<Option<Bound>> {
    let view = shown.view(listing);
    let scene = Scene { page, excerpt, listing, shown, view: &view };
    let bound: Vec<Option<Bound>> = excerpt
        .notes
        .iter()
        .map(|note| match scene.note(note, out.len() < MOST_GUESSES) {
            Ok(bound) => Some(bound),
            Err(missing) => {
                out.push(*missing);
                None
            }
        })
        .collect();
    out.extend(scene.marks());
    out.extend(scene.numbered(&bound));
    out.extend(scene.beside());
    out.extend(scene.strays(&bound));
    bound
}

/// What notes and pins are held against, and what messages about them speak of.
pub(super) struct Scene<'a> {
    pub page: &'a Source,
    pub excerpt: &'a Excerpt,
    pub listing: &'a Listing,
    pub shown: &'a SelectedRows,
    pub view: &'a View<'a>,
}

impl Scene<'_> {
    /// Binds a note; where it cannot be, `guesses` says whether it is looked for what may be meant.
    fn note(&self, note: &Note, guesses: bool) -> Result<Bound, Missing> {
        let mut bound = Bound::default();
        for binding in &note.bindings {
            self.binding(binding, &mut bound, guesses)?;
        }
        bound.rows = merge(bound.rows);
        // They are looked up by their event.
        bound.anchors.sort_unstable();
        Ok(bound)
    }

    fn binding(&self, binding: &Binding, bound: &mut Bound, guesses: bool) -> Result<(), Missing> {
        let (text, nth, span) = match &binding.from {
            Anchor::Token { text, nth, span, .. } => (text, *nth, span),
            Anchor::Place { selector, span, .. } => {
                let lines = self.listing.select(selector).map_err(|error| {
                    let said = Diagnostic::new(error.code, self.place(span), error.message);
                    Box::new(error.help.into_iter().fold(said, Diagnostic::help))
                })?;
                let rows = self.rows_of(&lines).ok_or_else(|| self.outside(span, &format!("`#{selector}`")))?;
                bound.anchors.push((binding.from.event(), rows.start));
                bound.rows.push(rows);
                return Ok(());
            }
        };
        let from = self.view.find(text, nth).ok_or_else(|| self.missing(text, nth, span, 0, guesses))?;
        let rows = match &binding.to {
            Some(Anchor::Token { text, nth, span, event }) => {
                let to = self.view.find_from(text, *nth, from.row);
                let to = to.ok_or_else(|| self.missing(text, *nth, span, from.row, guesses))?;
                let rows = from.row..to.row + 1;
                bound.anchors.push((*event, to.row));
                bound.tokens.push(to);
                rows
            }
            _ => from.row..self.view.closing_row(from.row) + 1,
        };
        bound.anchors.push((binding.from.event(), from.row));
        bound.tokens.push(from);
        bound.rows.push(rows);
        Ok(())
    }

    /// The rows of lines that are all shown, markers apart; `None` if some are not.
    fn rows_of(&self, lines: &Range<usize>) -> Option<Rows> {
        let mut visible = lines.clone().filter(|&line| !self.listing.is_marker(line));
        let first = visible.next()?;
        let last = visible.next_back().unwrap_or(first);
        self.view.rows_of(first, last)
    }

    pub fn place(&self, span: &Span) -> Place {
        Place::new(self.page.path(), span.clone())
    }

    /// "code/lab/x.py#ledger (lines 31-44)".
    fn what(&self) -> String {
        let hash = self.excerpt.file.hash();
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

    fn missing(&self, text: &str, nth: usize, span: &Span, from: usize, guesses: bool) -> Missing {
        let count = self.view.count(text);
        let message = match count {
            0 => format!("`{text}` is not in the excerpt"),
            _ if from > 0 => format!("`{text}` is not at or below the line where the range starts"),
            1 => format!("`{text}` is in the excerpt once only, not {nth} times"),
            _ => format!("`{text}` is in the excerpt {count} times, not {nth}"),
        };
        let said = Diagnostic::new(codes::E0301, self.place(span), message).label(format!(
            "{} {}",
            if count == 0 { "not in" } else { "looked for in" },
            self.what()
        ));
        Box::new(match count {
            0 if guesses => self.guess(text, said),
            0 => said,
            _ if from > 0 => said.help("a range runs downwards: from its first line to its last"),
            _ => said,
        })
    }

    /// Notes that count lines which the excerpt does not name by number: the pin, which has no numbers, cannot tell when
    /// other lines have these numbers.
    fn numbered(&self, bound: &[Option<Bound>]) -> impl Iterator<Item = Diagnostic> {
        let notes = self.excerpt.notes.iter().zip(bound).filter(|(_, bound)| bound.is_some());
        let bindings = notes.flat_map(|(note, _)| &note.bindings);
        bindings.filter_map(|binding| match &binding.from {
            Anchor::Place { selector: Selector::Lines(first, last), span, .. } if !self.counts(*first, *last) => {
                let said = "this note counts lines, which move unseen when code is added above the excerpt";
                let said = Diagnostic::new(codes::W0303, self.place(span), said);
                let line = self.listing.line(first - 1).trim();
                let can_be_quoted = !line.is_empty() && !line.contains('`') && line.chars().count() <= QUOTABLE;
                let piece = if can_be_quoted { format!(" such as `{line}`") } else { String::new() };
                Some(said.help(format!("bind it to a piece of the line{piece}, to a region or to a symbol")))
            }
            _ => None,
        })
    }

    /// Whether the excerpt shows these lines by their numbers, or the whole file, so that its pin tells when they move.
    fn counts(&self, first: usize, last: usize) -> bool {
        let selectors = &self.excerpt.file.selectors;
        let names =
            |selector: &Selector| matches!(selector, Selector::Lines(from, to) if *from <= first && last <= *to);
        selectors.is_empty() || selectors.iter().any(|(selector, _)| names(selector))
    }

    /// Pieces of the excerpt that stand beside a note's bindings, and are none.
    fn beside(&self) -> impl Iterator<Item = Diagnostic> {
        let beside = self.excerpt.notes.iter().filter_map(|note| note.missed_binding.as_ref());
        beside.filter(|(text, _)| self.view.count(text) > 0).map(|(text, span)| {
            let said = format!("`{text}` is in the excerpt, but this note is not bound to it");
            Diagnostic::new(codes::W0304, self.place(span), said)
                .help("join several pieces of code by `/`, and the ends of a range by `…`")
                .hint()
        })
    }

    /// Items of other lists that begin with code of the excerpt, the first of each list: they look like notes, and nothing
    /// holds them to the file. A point within a note may speak of the lines that the note covers.
    fn strays(&self, bound: &[Option<Bound>]) -> impl Iterator<Item = Diagnostic> {
        self.excerpt.strays.iter().filter_map(|stray| {
            let note = stray.note.map(|note| bound.get(note).and_then(Option::as_ref));
            let covered = |row: usize| match note {
                None => false,
                // What a note is bound to that could not be bound is not known.
                Some(bound) => bound.is_none_or(|bound| bound.rows.iter().any(|rows| rows.contains(&row))),
            };
            let row_of = |anchor: &Anchor| match anchor {
                Anchor::Token { text, nth, .. } => self.view.find(text, *nth).map(|found| found.row),
                Anchor::Place { .. } => None,
            };
            let anchor = stray.anchors.iter().find(|anchor| row_of(anchor).is_some_and(|row| !covered(row)))?;
            let (what, help) = match (stray.note, stray.is_numbered) {
                (Some(_), _) => ("not in the lines of its note", POINT),
                (None, true) => ("no note: only the list directly below the fence has notes", MOVE),
                (None, false) => ("no note", NUMBER),
            };
            let said = format!("this item begins with code of the excerpt, but is {what}");
            Some(Diagnostic::new(codes::E0211, self.place(anchor.span()), said).help(help))
        })
    }

    /// Every term of `mark=` must be there.
    fn marks(&self) -> impl Iterator<Item = Diagnostic> {
        self.excerpt.marks.iter().filter(|(term, _)| self.view.count(term) == 0).map(|(term, span)| {
            Diagnostic::new(
                codes::E0313,
                self.place(span),
                format!("`{term}` is not in the excerpt, so nothing is marked"),
            )
            .label(format!("not in {}", self.what()))
            .nearest(nearest(term, self.view.identifiers()))
        })
    }
}

/// Sorted, overlaps and neighbours joined.
pub(super) fn merge(mut rows: Vec<Rows>) -> Vec<Rows> {
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
