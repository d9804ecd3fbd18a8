//! Binds the notes of an excerpt to its rows.

mod suggest;

use std::ops::Range;

use infralens_page::{Anchor, Binding, Excerpt, Note};
use infralens_source::diag::{Code, Diagnostic, Place, codes, similar};
use infralens_source::selector::Selector;
use infralens_source::source::{LABEL, Source, Span, shortened};
use infralens_starter::excerpt::{Occurrence, View};
use infralens_starter::{Listing, SelectedRows};

/// Suggestions are searched for at most this many problems per page.
const MAX_SUGGESTIONS: usize = 100;
/// The longest piece of a line, in characters, that a message quotes.
const MAX_QUOTE: usize = 72;

/// A range of rows of a [`View`].
pub type Rows = Range<usize>;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BoundNote {
    /// The rows that it covers, as sorted and separate ranges, each of which starts with a marker; empty if it could
    /// not be bound.
    pub rows: Vec<Rows>,
    pub tokens: Vec<Occurrence>,
    /// The row of each of its anchors, by the anchor's event; sorted.
    pub anchors: Vec<(usize, usize)>,
}

/// Help for items that look like notes but are not.
const HELP_NESTED: &str = "add it to the code at the start of the note, joined by `/`; or make it a separate note";
const HELP_OTHER_LIST: &str = "notes are directly below the fence, with the same indentation: move what is in between above the fence; or \
                    start the items with a word";
const HELP_NOT_A_LIST: &str = "notes are a numbered list directly below the fence; start other items with a word";

/// The diagnostic for an anchor that is not found.
type Missing = Box<Diagnostic>;

/// Binds every note of an excerpt to the file; `None` for a note that could not be bound.
pub fn bind(
    page: &Source,
    excerpt: &Excerpt,
    listing: &Listing,
    shown: &SelectedRows,
    out: &mut Vec<Diagnostic>,
) -> Vec<Option<BoundNote>> {
    let view = shown.view(listing);
    let context = ExcerptContext { page, excerpt, listing, shown, view: &view };
    let mut bound = Vec::with_capacity(excerpt.notes.len());
    for note in &excerpt.notes {
        let found = context.note(note, out.len() < MAX_SUGGESTIONS);
        bound.push(found.map_err(|missing| out.push(*missing)).ok());
    }
    out.extend(context.marks());
    out.extend(context.line_numbers(&bound));
    out.extend(context.unbound_code());
    out.extend(context.misread_numbers());
    out.extend(context.stray_items(&bound));
    bound
}

/// An excerpt with its file: notes and pins are checked against it.
pub(super) struct ExcerptContext<'a> {
    pub page: &'a Source,
    pub excerpt: &'a Excerpt,
    pub listing: &'a Listing,
    pub shown: &'a SelectedRows,
    pub view: &'a View<'a>,
}

/// Code that a pin has and its excerpt has not: it was changed.
pub(super) enum Stale {
    /// The file has this in its place.
    Replaced(String),
    Gone,
}

impl ExcerptContext<'_> {
    /// Binds a note. If that fails, `suggest` says whether to search for what may be meant.
    fn note(&self, note: &Note, suggest: bool) -> Result<BoundNote, Missing> {
        let mut bound = BoundNote::default();
        for binding in &note.bindings {
            self.binding(binding, &mut bound, suggest)?;
        }
        bound.rows = merge(bound.rows);
        // Anchors are looked up by their event.
        bound.anchors.sort_unstable();
        Ok(bound)
    }

    fn binding(&self, binding: &Binding, bound: &mut BoundNote, suggest: bool) -> Result<(), Missing> {
        let (text, nth, span) = match &binding.from {
            Anchor::Token { text, nth, span, .. } => (text, *nth, span),
            Anchor::Place { selector, span, .. } => {
                let lines = self.listing.select(selector).map_err(|error| {
                    let code = error.code;
                    Box::new(error.diagnostic(self.page, code, span, selector))
                })?;
                let rows = self.rows_of(&lines).ok_or_else(|| {
                    let message = format!("`#{selector}` is not in the excerpt");
                    let help = "a note can only be bound to lines that its excerpt shows";
                    Box::new(self.not_there(codes::E0301, span, message).help(help))
                })?;
                bound.anchors.push((binding.from.event(), rows.start));
                bound.rows.push(rows);
                return Ok(());
            }
        };
        let from = self.view.find(text, nth).ok_or_else(|| self.missing(text, nth, span, 0, suggest))?;
        let rows = match &binding.to {
            Some(Anchor::Token { text, nth, span, event }) => {
                let to = self.view.find_from(text, *nth, from.row);
                let to = to.ok_or_else(|| self.missing(text, *nth, span, from.row, suggest))?;
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

    /// Returns the rows of some lines, without markers; `None` if any of them is not shown.
    fn rows_of(&self, lines: &Range<usize>) -> Option<Rows> {
        let mut visible = lines.clone().filter(|&line| !self.listing.is_marker(line));
        let first = visible.next()?;
        let last = visible.next_back().unwrap_or(first);
        self.view.rows_of(first, last)
    }

    pub fn place(&self, span: &Span) -> Place {
        self.page.place(span.clone())
    }

    pub fn report(&self, code: Code, span: &Span, message: impl Into<String>) -> Diagnostic {
        self.page.diagnostic(code, span.clone(), message)
    }

    /// Reports that the excerpt does not have something.
    pub fn not_there(&self, code: Code, span: &Span, message: String) -> Diagnostic {
        self.report(code, span, message).label(format!("not in {}", self.excerpt_name()))
    }

    /// Returns the name of the excerpt in messages: "code/lab/x.py#ledger (lines 31-44)".
    pub(super) fn excerpt_name(&self) -> String {
        let hash = self.excerpt.file.hash();
        let hash = shortened(&hash, LABEL);
        let name = |line: usize| self.listing.line_name(line - 1);
        let lines = match self.shown.bounds() {
            Some((line, last)) if line == last => format!(" ({})", name(line)),
            Some((first, last)) if self.listing.is_notebook() => format!(" ({} to {})", name(first), name(last)),
            Some((first, last)) => format!(" (lines {first}-{last})"),
            None => String::new(),
        };
        format!("{}{hash}{lines}", self.listing.source().path())
    }

    fn missing(&self, text: &str, nth: usize, span: &Span, from: usize, suggest: bool) -> Missing {
        let count = self.view.count(text);
        let message = match count {
            0 => format!("`{text}` is not in the excerpt"),
            _ if from > 0 => format!("`{text}` is not at or below the line where the range starts"),
            1 => format!("`{text}` is in the excerpt only once, not {nth} times"),
            _ => format!("`{text}` is in the excerpt {count} times, not {nth}"),
        };
        let place = if count == 0 { "not in" } else { "looked for in" };
        let label = format!("{place} {}", self.excerpt_name());
        let diagnostic = self.report(codes::E0301, span, message).label(label);
        Box::new(match count {
            0 if suggest => match self.add_suggestion(text, diagnostic) {
                plain if plain.help.is_empty() => {
                    plain.help("begin the note with code that its excerpt shows, letter by letter")
                }
                helped => helped,
            },
            0 => diagnostic,
            _ if from > 0 => diagnostic.help("a range goes down, from its first line to its last"),
            _ => diagnostic,
        })
    }

    /// Reports notes that are bound to line numbers which the excerpt does not name. The pin has no line numbers, so it
    /// cannot tell when the lines move.
    fn line_numbers(&self, bound: &[Option<BoundNote>]) -> impl Iterator<Item = Diagnostic> {
        let notes = self.excerpt.notes.iter().zip(bound).filter(|(_, bound)| bound.is_some());
        let bindings = notes.flat_map(|(note, _)| &note.bindings);
        bindings.filter_map(|binding| match &binding.from {
            Anchor::Place { selector, span, .. } if selector.is_by_lines() && !self.shows_by_number(selector) => {
                let message =
                    "this note is bound to line numbers, which silently change when code is added above the excerpt";
                let diagnostic = self.report(codes::W0303, span, message);
                let first = self.listing.select(selector).map_or(0, |lines| lines.start);
                let line = self.listing.line(first).trim();
                let can_be_quoted = !line.is_empty() && !line.contains('`') && line.chars().count() <= MAX_QUOTE;
                let piece = if can_be_quoted { format!(" such as `{line}`") } else { String::new() };
                Some(diagnostic.help(format!("bind it to a piece of the line{piece}, to a region or to a symbol")))
            }
            _ => None,
        })
    }

    /// Returns whether the excerpt names these lines by number, or shows the whole file, so that its pin tells when
    /// they move.
    fn shows_by_number(&self, wanted: &Selector) -> bool {
        let (selectors, wanted) = (&self.excerpt.file.selectors, self.listing.numbered_lines(wanted));
        let names = |selector: &Selector| {
            let shown = self.listing.numbered_lines(selector).zip(wanted);
            shown.is_some_and(|((from, to), (first, last))| from <= first && last <= to)
        };
        selectors.is_empty() || selectors.iter().any(|(selector, _)| names(selector))
    }

    /// Reports code of the excerpt that is next to a note's bindings without being one.
    fn unbound_code(&self) -> impl Iterator<Item = Diagnostic> {
        let missed = self.excerpt.notes.iter().filter_map(|note| note.missed_binding.as_ref());
        missed.filter(|(text, _)| self.view.count(text) > 0).map(|(text, span)| {
            let message = format!("`{text}` is in the excerpt, but this note is not bound to it");
            let help = "join several pieces of code with `/`, and the ends of a range with `…`";
            self.report(codes::W0304, span, message).help(help).hint()
        })
    }

    /// Reports what resembles the number of an occurrence and is none, so that a note would be bound to the first of several.
    fn misread_numbers(&self) -> impl Iterator<Item = Diagnostic> {
        self.excerpt.notes.iter().filter_map(|note| {
            let (number, last) = (note.missed_number.as_ref()?, note.bindings.last()?);
            let Anchor::Token { text, span, .. } = last.to.as_ref().unwrap_or(&last.from) else { return None };
            let count = self.view.count(text);
            let message = format!("`{number}` does not choose one of the {count} places of `{text}` in the excerpt");
            let help = "write `(2)` after the code for its second place; without such a number it is the first";
            (count > 1).then(|| self.report(codes::W0304, span, message).help(help))
        })
    }

    /// Reports items of other lists that start with code of the excerpt, the first of each list. They look like notes,
    /// but are not checked against the file. An item within a note may mention lines that the note covers.
    fn stray_items(&self, bound: &[Option<BoundNote>]) -> impl Iterator<Item = Diagnostic> {
        self.excerpt.strays.iter().filter_map(|stray| {
            let note = stray.note.map(|note| bound.get(note).and_then(Option::as_ref));
            let covered = |row: usize| match note {
                None => false,
                // The lines of a note that could not be bound are unknown.
                Some(bound) => bound.is_none_or(|bound| bound.rows.iter().any(|rows| rows.contains(&row))),
            };
            let row_of = |anchor: &Anchor| match anchor {
                Anchor::Token { text, nth, .. } => self.view.find(text, *nth).map(|found| found.row),
                Anchor::Place { .. } => None,
            };
            let anchor = stray.anchors.iter().find(|anchor| row_of(anchor).is_some_and(|row| !covered(row)))?;
            let (what, help) = match (stray.note, stray.is_numbered) {
                (Some(_), _) => ("not in the lines that its note covers", HELP_NESTED),
                (None, true) => ("not a note: only the list directly below the fence has notes", HELP_OTHER_LIST),
                (None, false) => ("not a note", HELP_NOT_A_LIST),
            };
            let message = format!("this item starts with code of the excerpt, but is {what}");
            Some(self.report(codes::E0211, anchor.span(), message).help(help))
        })
    }

    /// Reports terms of `mark=` that the excerpt does not have.
    fn marks(&self) -> impl Iterator<Item = Diagnostic> {
        self.excerpt.marks.iter().filter(|(term, _)| self.view.count(term) == 0).map(|(term, span)| {
            let message = format!("`{term}` is not in the excerpt, so nothing is marked");
            self.not_there(codes::E0313, span, message).meant(similar(term, self.view.identifiers()))
        })
    }
}

pub(super) fn anchors(note: &Note) -> impl Iterator<Item = &Anchor> {
    note.bindings.iter().flat_map(|binding| std::iter::once(&binding.from).chain(&binding.to))
}

/// Sorts ranges and joins those that overlap or touch.
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
