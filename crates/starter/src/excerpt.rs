//! The rows that an excerpt shows: some lines of a listing without their common indent, and omissions. A pin has the same
//! kind of view, so that notes can be looked up in both.

mod find;
mod omission;

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use find::Index;
pub use find::{Occurrence, words_of};
pub use omission::is_omission;

use super::highlight::{Class, Token};
use super::listing::{Lines, Listing};
use infralens_source::source::Source;

/// The line that marks an omission in a pin.
pub const OMISSION: &str = "⋯";

/// The lines of a listing that selectors select.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectedRows {
    /// Lines and omissions, from top to bottom.
    pub rows: Vec<Row>,
    /// The length of the common indent in bytes.
    pub indent: usize,
    /// How the author wrote the omissions within a piece, with their rows; sorted.
    pub written: Vec<(usize, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Row {
    /// A line of the file, from 0.
    Line(usize),
    /// An omission, shown as `⋯ N lines`. It counts all lines of the file in between, including region markers, so that it
    /// agrees with the line numbers above and below.
    Omitted(usize),
}

impl Row {
    /// Returns the line of the file, from 0; `None` for an omission.
    pub fn line(self) -> Option<usize> {
        match self {
            Self::Line(line) => Some(line),
            Self::Omitted(_) => None,
        }
    }
}

impl SelectedRows {
    /// Selects line ranges. They are sorted, overlaps are shown once, and markers are left out.
    pub fn new(listing: &Listing, mut ranges: Vec<Lines>) -> Self {
        ranges.sort_by_key(|range| (range.start, range.end));
        let visible = |lines: Lines| lines.filter(|&line| !listing.is_marker(line));
        let mut rows = Vec::new();
        let mut shown_to = 0;
        for range in ranges {
            // An omission is added with the line below it, because a range may consist of markers alone.
            for line in visible(range.start.max(shown_to)..range.end) {
                if let Some(&Row::Line(above)) = rows.last()
                    && visible(above + 1..line).next().is_some()
                {
                    rows.push(Row::Omitted(line - above - 1));
                }
                rows.push(Row::Line(line));
            }
            shown_to = shown_to.max(range.end);
        }
        let indent = common_indent(rows.iter().filter_map(|row| row.line()).map(|line| listing.line(line)));
        Self { rows, indent, written: Vec::new() }
    }

    /// Returns the first and last line shown, from 1.
    pub fn bounds(&self) -> Option<(usize, usize)> {
        let mut lines = self.rows.iter().filter_map(|row| Some(row.line()? + 1));
        let first = lines.next()?;
        Some((first, lines.next_back().unwrap_or(first)))
    }

    /// Returns the line number of a row, from 1; `None` for an omission.
    pub fn line_number(&self, row: usize) -> Option<usize> {
        Some(self.rows.get(row)?.line()? + 1)
    }

    /// Returns how many bytes of a line's indent are removed.
    pub fn cut(&self, listing: &Listing, line: usize) -> usize {
        self.indent.min(own_indent(listing.line(line)))
    }

    /// Returns the text and highlighting of a line of the file, from 0, without the common indent.
    pub fn line<'a>(&self, listing: &'a Listing, line: usize) -> ViewLine<'a> {
        ViewLine::new(listing, line, self.indent)
    }

    /// Returns the text and highlighting of the rows.
    pub fn view<'a>(&self, listing: &'a Listing) -> View<'a> {
        let rows = self.rows.iter().map(|row| match *row {
            Row::Omitted(count) => ViewRow::Omitted(count),
            Row::Line(line) => ViewRow::Line(self.line(listing, line)),
        });
        View { rows: rows.collect(), brackets: joining_brackets(listing.language_path()), index: Index::default() }
    }
}

/// The rows of an excerpt or a pin as readers see them.
#[derive(Debug)]
pub struct View<'a> {
    /// Lines and omissions, from top to bottom.
    pub rows: Vec<ViewRow<'a>>,
    /// The brackets that join lines.
    brackets: &'static str,
    index: Index<'a>,
}

#[derive(Debug)]
pub enum ViewRow<'a> {
    Line(ViewLine<'a>),
    /// An omission of this many lines; 0 in a pin, where the number is unknown.
    Omitted(usize),
}

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
    /// Returns a whole line of a file.
    pub(crate) fn of(listing: &'a Listing, line: usize) -> Self {
        Self::new(listing, line, 0)
    }

    fn new(listing: &'a Listing, line: usize, indent: usize) -> Self {
        let whole = listing.line(line);
        let cut = indent.min(own_indent(whole));
        Self { line, text: &whole[cut..], tokens: cut_tokens(listing.tokens(line), cut) }
    }

    /// Returns whether the line consists of a comment.
    pub fn is_comment(&self) -> bool {
        let mut runs = self.runs().filter(|(text, _)| !text.trim().is_empty()).peekable();
        runs.peek().is_some() && runs.all(|(_, class)| class == Class::Comment)
    }

    /// Returns the text in runs of one class.
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
    /// Returns the text of a row without trailing white space; [`OMISSION`] for an omission.
    pub fn text(&self, row: usize) -> &str {
        match &self.rows[row] {
            ViewRow::Line(line) => line.text.trim_end(),
            ViewRow::Omitted(_) => OMISSION,
        }
    }

    /// Returns the text of all rows as in a pin: without trailing white space, and without empty rows at the end.
    pub fn lines(&self) -> Vec<&str> {
        let mut lines: Vec<&str> = (0..self.rows.len()).map(|row| self.text(row)).collect();
        while lines.last().is_some_and(|line| line.is_empty()) {
            lines.pop();
        }
        lines
    }
}

/// A pin, parsed like a listing so that it has the same view.
#[derive(Debug)]
pub struct Pin(Listing);

impl Pin {
    /// Parses the body of a fence that shows code of a file with the [language path](Listing::language_path) `path`.
    pub fn new(path: &str, body: &str) -> Self {
        Self(Listing::new(&Arc::new(Source::new(path, body))).0)
    }

    /// Returns whether the text of a pin equals `lines`, the result of [`View::lines`]. Blank lines and a common indent do
    /// not count. Most pins are equal, and then they need not be parsed. `path` is the
    /// [language path](Listing::language_path) of the file.
    pub fn is_equal(path: &str, body: &str, lines: &[&str]) -> bool {
        let pinned: Vec<&str> = body.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
        let indent = common_indent(pinned.iter().copied().filter(|line| !omission::is_left_out(path, line, lines)));
        let is_same = |line: &str, pinned: &str| {
            line == &pinned[own_indent(pinned).min(indent)..] || line == OMISSION && is_omission(path, pinned)
        };
        let mut left = pinned.iter();
        let mut code = lines.iter().filter(|line| !line.is_empty());
        code.all(|line| left.next().is_some_and(|pinned| is_same(line, pinned))) && left.next().is_none()
    }

    /// Returns the text and highlighting of the rows, without their common indent unless more of `lines`, those of the file,
    /// have it.
    pub fn view(&self, lines: &[&str]) -> View<'_> {
        let own = || (0..self.0.line_count()).map(|line| self.0.line(line).trim_end());
        let path = self.0.source().path();
        let known: HashSet<&str> = lines.iter().copied().filter(|line| !line.is_empty()).collect();
        let shared = |indent: usize| own().filter(|line| known.contains(&line[own_indent(line).min(indent)..])).count();
        let common = common_indent(own().filter(|line| !omission::is_left_out(path, line, lines)));
        let indent = if common > 0 && shared(common) < shared(0) { 0 } else { common };
        let rows = (0..self.0.line_count()).map(|line| {
            let is_left_out = omission::is_left_out(path, self.0.line(line), lines);
            if is_left_out { ViewRow::Omitted(0) } else { ViewRow::Line(ViewLine::new(&self.0, line, indent)) }
        });
        View { rows: rows.collect(), brackets: joining_brackets(path), index: Index::default() }
    }
}

/// Returns the ranges of `token` in `text` that are separate: where `token` begins or ends with a letter, digit or `_`, none
/// of these is directly beyond that end.
pub fn words<'t>(text: &'t str, token: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
    let matches = if token.is_empty() { None } else { Some(text.match_indices(token)) };
    let ranges = matches.into_iter().flatten().map(|(at, found)| at..at + found.len());
    ranges.filter(|range| is_separate(text, range))
}

/// Returns whether a range of a text cuts no word in two: neither end has a letter, digit or `_` on both sides.
fn is_separate(text: &str, range: &Range<usize>) -> bool {
    let cuts_word = |at: usize| {
        let (before, after) = text.split_at(at);
        before.chars().next_back().is_some_and(is_word) && after.chars().next().is_some_and(is_word)
    };
    !cuts_word(range.start) && !cuts_word(range.end)
}

/// Returns whether a character is part of a word of code.
pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the brackets that join lines in the language of a file: also braces, if they enclose values and not blocks, and
/// none in assembler and in a Dockerfile, where each line is an instruction.
fn joining_brackets(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    match extension {
        "py" | "pyi" | "json" | "jsonc" | "yaml" | "yml" => "([{",
        "s" | "S" | "asm" | "nasm" | "yasm" | "Dockerfile" | "dockerfile" => "",
        _ if matches!(stem, "Dockerfile" | "Containerfile") => "",
        _ => "([",
    }
}

/// Removes the common indent of lines.
pub fn dedent<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let indent = common_indent(lines.iter().copied());
    lines.iter().map(|line| &line[own_indent(line).min(indent)..]).collect()
}

/// Returns the length in bytes of the leading spaces and tabs of a line.
pub(crate) fn own_indent(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// Returns the length in bytes of the leading spaces and tabs that all lines with text share.
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

/// Returns the tokens that are left without the first `cut` bytes.
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
