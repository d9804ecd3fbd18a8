//! What an excerpt shows: some lines of a listing, indent taken off, with a mark where lines are left out. And the
//! same view of a pin, so that notes can be looked for in both.

mod find;

use std::ops::Range;
use std::sync::Arc;

pub use find::Found;
use find::Index;

use super::highlight::{Class, Token};
use super::listing::{Lines, Listing};
use crate::source::Source;

/// The line that stands in a pin where lines are left out.
pub const OMISSION: &str = "⋯";

/// Which lines of a listing are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectedRows {
    /// Lines and omissions, from top to bottom.
    pub rows: Vec<Row>,
    /// Bytes of common indent.
    pub indent: usize,
}

/// One row of an excerpt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Row {
    /// A line of the file, from 0.
    Line(usize),
    /// So many lines are left out.
    Omitted(usize),
}

impl SelectedRows {
    /// The rows of the given line ranges: sorted, overlaps once, markers left out.
    #[must_use]
    pub fn new(listing: &Listing, mut ranges: Vec<Lines>) -> Self {
        ranges.sort_by_key(|range| (range.start, range.end));
        let visible = |lines: Lines| lines.filter(|&line| !listing.is_marker(line));
        let mut rows = Vec::new();
        let mut shown_to = None;
        for range in ranges {
            let start = shown_to.map_or(range.start, |end: usize| end.max(range.start));
            if let Some(end) = shown_to {
                let omitted = visible(end..start).count();
                rows.extend((omitted > 0 && !rows.is_empty()).then_some(Row::Omitted(omitted)));
            }
            rows.extend(visible(start..range.end).map(Row::Line));
            shown_to = Some(shown_to.unwrap_or(0).max(range.end));
        }
        let indent = common_indent(rows.iter().filter_map(|row| match row {
            Row::Line(line) => Some(listing.line(*line)),
            Row::Omitted(_) => None,
        }));
        Self { rows, indent }
    }

    /// The first and last line shown, from 1.
    #[must_use]
    pub fn bounds(&self) -> Option<(usize, usize)> {
        let mut lines = self.rows.iter().filter_map(|row| match row {
            Row::Line(line) => Some(line + 1),
            Row::Omitted(_) => None,
        });
        let first = lines.next()?;
        Some((first, lines.next_back().unwrap_or(first)))
    }

    /// How many bytes of a line's indent are taken off.
    #[must_use]
    pub fn cut(&self, listing: &Listing, line: usize) -> usize {
        self.indent.min(own_indent(listing.line(line)))
    }

    /// The excerpt as it is seen.
    #[must_use]
    pub fn view<'a>(&self, listing: &'a Listing) -> View<'a> {
        let rows = self.rows.iter().map(|row| match *row {
            Row::Omitted(count) => ViewRow::Omitted(count),
            Row::Line(line) => ViewRow::Line(ViewLine::new(listing, line, self.indent)),
        });
        View { rows: rows.collect(), braces: joins_braces(listing.source().path()), index: Index::default() }
    }
}

/// Lines as a reader sees them, of an excerpt or of a pin.
#[derive(Debug)]
pub struct View<'a> {
    /// Lines and omissions, from top to bottom.
    pub rows: Vec<ViewRow<'a>>,
    braces: bool,
    index: Index<'a>,
}

/// One row of a [`View`].
#[derive(Debug)]
pub enum ViewRow<'a> {
    /// A line of code.
    Line(ViewLine<'a>),
    /// So many lines are left out (0 in a pin, which does not say).
    Omitted(usize),
}

/// One line of a [`View`].
#[derive(Debug)]
pub struct ViewLine<'a> {
    /// The line in its file, from 0.
    pub line: usize,
    /// Its text without the common indent.
    pub text: &'a str,
    /// The highlighting of that text.
    pub tokens: Vec<Token>,
}

impl<'a> ViewLine<'a> {
    fn new(listing: &'a Listing, line: usize, indent: usize) -> Self {
        let whole = listing.line(line);
        let cut = indent.min(own_indent(whole));
        Self { line, text: &whole[cut..], tokens: cut_tokens(listing.tokens(line), cut) }
    }

    /// Whether there is nothing but comment on the line.
    #[must_use]
    pub fn is_comment(&self) -> bool {
        let mut comment = false;
        for (text, class) in self.runs() {
            if !text.trim().is_empty() {
                comment = class == Class::Comment;
                if !comment {
                    return false;
                }
            }
        }
        comment
    }

    /// The line's text in runs of one class.
    pub fn runs(&self) -> impl Iterator<Item = (&'a str, Class)> {
        let text = self.text;
        let mut at = 0;
        self.tokens.iter().map(move |token| {
            let start = at;
            at += token.len as usize;
            (&text[start..at], token.class)
        })
    }
}

impl View<'_> {
    /// A row's text with trailing white space taken off; an omission is [`OMISSION`].
    #[must_use]
    pub fn text(&self, row: usize) -> &str {
        match &self.rows[row] {
            ViewRow::Line(line) => line.text.trim_end(),
            ViewRow::Omitted(_) => OMISSION,
        }
    }

    /// Every row's text, white space at its end and empty rows at the end of all left out: what a pin holds.
    #[must_use]
    pub fn lines(&self) -> Vec<&str> {
        let mut lines: Vec<&str> = (0..self.rows.len()).map(|row| self.text(row)).collect();
        while lines.last().is_some_and(|line| line.is_empty()) {
            lines.pop();
        }
        lines
    }
}

/// A pin, understood like a listing so that it can be viewed like one.
#[derive(Debug)]
pub struct Pin(Listing);

impl Pin {
    /// The body of a fence that shows code of the file `path`.
    #[must_use]
    pub fn new(path: &str, body: &str) -> Self {
        Self(Listing::new(&Arc::new(Source::new(path, body))).0)
    }

    /// Whether a pin's text reads like these lines, as [`View::lines`] has them. Most pins do: then nothing of them need be
    /// understood.
    #[must_use]
    pub fn reads_like(body: &str, lines: &[&str]) -> bool {
        let mut written = body.trim_end().lines().map(str::trim_end);
        let is_same = |(line, own): (&&str, &str)| *line == own || *line == OMISSION && own.trim() == OMISSION;
        lines.iter().all(|line| written.next().is_some_and(|own| is_same((line, own)))) && written.next().is_none()
    }

    /// The pin as it would be seen.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        let rows = (0..self.0.line_count()).map(|line| match self.0.line(line).trim() {
            OMISSION => ViewRow::Omitted(0),
            _ => ViewRow::Line(ViewLine::new(&self.0, line, 0)),
        });
        View { rows: rows.collect(), braces: joins_braces(self.0.source().path()), index: Index::default() }
    }
}

/// The places of `token` in `text` with no letter, digit or `_` directly before or after.
pub fn words<'t>(text: &'t str, token: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
    let matches = if token.is_empty() { None } else { Some(text.match_indices(token)) };
    matches.into_iter().flatten().map(|(at, found)| at..at + found.len()).filter(|range| {
        let before = text[..range.start].chars().next_back();
        let after = text[range.end..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Languages in which a brace holds a value, not a block.
fn joins_braces(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    matches!(extension, "py" | "pyi" | "json" | "jsonc" | "ipynb" | "yaml" | "yml")
}

/// Lines without their common indent.
#[must_use]
pub fn dedent<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let indent = common_indent(lines.iter().copied());
    lines.iter().map(|line| &line[own_indent(line).min(indent)..]).collect()
}

/// The bytes of leading spaces and tabs of a line.
fn own_indent(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// The bytes of leading spaces and tabs that all lines with text share.
fn common_indent<'a>(lines: impl Iterator<Item = &'a str>) -> usize {
    let mut common: Option<&str> = None;
    for line in lines.filter(|line| !line.trim().is_empty()) {
        let indent = &line[..own_indent(line)];
        let shared = common.map_or(indent, |common| {
            let same = common.bytes().zip(indent.bytes()).take_while(|(a, b)| a == b).count();
            &common[..same]
        });
        common = Some(shared);
    }
    common.map_or(0, str::len)
}

/// The tokens that are left when the first `cut` bytes are taken off.
fn cut_tokens(tokens: &[Token], cut: usize) -> Vec<Token> {
    let mut skip = u32::try_from(cut).unwrap_or(u32::MAX);
    let mut left = Vec::with_capacity(tokens.len());
    for token in tokens {
        if skip >= token.len {
            skip -= token.len;
        } else {
            left.push(Token { len: token.len - skip, class: token.class });
            skip = 0;
        }
    }
    left
}
