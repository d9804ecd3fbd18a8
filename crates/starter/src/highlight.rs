//! Highlights a text: splits each line into tokens of one class.
//!
//! The syntax definitions are those of Sublime Text, linked and packed by the build script (`build/syntaxes.rs`). They are
//! run by a state machine that gives the same results as syntect in a sixth of the time: instead of searching the line for
//! each pattern, it scans the line once, and at each position tries only the patterns that can match there, which the
//! build script has determined (`build/guard.rs`).
//!
//! Time is bounded: a line longer than [`LONGEST_LINE`] bytes is plain text and does not affect the other lines, the work
//! per match is limited, and if a syntax gets stuck, the rest of the file is plain text.

mod class;
mod grammar;
mod groups;
mod language;
mod parser;
mod pattern;
mod scopes;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;

pub use class::Class;
pub use language::{Language, by_path, by_token, is_plain, names, nearest_token};

/// The maximum length of a line that is highlighted, in bytes without the line end.
pub const LONGEST_LINE: usize = 4096;

/// A run of text of one class. Packed, because a plan keeps those of every starter file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(Rust, packed)]
pub struct Token {
    /// Its length in bytes; never 0.
    pub len: u32,
    pub class: Class,
}

/// The tokens of every line of a text. Those of a line cover exactly its text without its line end (`\n` or `\r\n`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Highlighted {
    tokens: Vec<Token>,
    /// For each line, the index after its last token. A final line end does not begin another line.
    ends: Vec<u32>,
    /// For each line, the class of what continues on the next one, such as a comment or a string.
    after: Vec<Class>,
}

impl Highlighted {
    /// Returns the tokens of a line, from 0; empty for a line that is empty or does not exist.
    pub fn line(&self, line: usize) -> &[Token] {
        let end = |line: usize| self.ends.get(line).map(|&end| end as usize);
        let start = line.checked_sub(1).map_or(Some(0), end);
        start.zip(end(line)).and_then(|(start, end)| self.tokens.get(start..end)).unwrap_or_default()
    }

    /// Returns the class that the text after a line begins in: that of a comment or string which is open there.
    pub fn class_after(&self, line: usize) -> Class {
        self.after.get(line).copied().unwrap_or(Class::Text)
    }

    /// Adds the lines of another text below.
    pub(crate) fn append(&mut self, below: Self) {
        if self.ends.is_empty() {
            *self = below;
            return;
        }
        let before = self.ends.last().copied().unwrap_or_default();
        self.tokens.extend(below.tokens);
        self.ends.extend(below.ends.iter().map(|end| end.saturating_add(before)));
        self.after.extend(below.after);
    }

    /// Returns some of the lines.
    pub(crate) fn part(&self, lines: &Range<usize>) -> Cow<'_, Self> {
        if *lines == (0..self.ends.len()) {
            return Cow::Borrowed(self);
        }
        let ends = self.ends.get(lines.clone()).unwrap_or_default();
        let before = lines.start.checked_sub(1).and_then(|above| self.ends.get(above)).copied().unwrap_or_default();
        let tokens = before as usize..ends.last().map_or(before, |&end| end) as usize;
        Cow::Owned(Self {
            tokens: self.tokens[tokens].to_vec(),
            ends: ends.iter().map(|end| end - before).collect(),
            after: self.after.get(lines.clone()).unwrap_or_default().to_vec(),
        })
    }

    fn plain(&mut self, line: &str) {
        // A text is much shorter than 4 GiB (`load` refuses longer ones), so the length of a line fits.
        if let Ok(len @ 1..) = u32::try_from(line.len()) {
            self.tokens.push(Token { len, class: Class::Text });
        }
    }

    fn end_line(&mut self, after: Class) {
        self.after.push(after);
        self.ends.push(u32::try_from(self.tokens.len()).unwrap_or(u32::MAX));
    }
}

/// Highlights a text in a language; without one, all of it is plain text.
pub fn highlight(language: Option<Language>, text: &str) -> Highlighted {
    let mut out = Highlighted::default();
    let mut parser = language.and_then(Language::parser);
    let mut with_end = String::new();
    for line in text.lines() {
        let first = out.tokens.len();
        let understood = parser.as_mut().filter(|_| line.len() <= LONGEST_LINE).and_then(|parser| {
            with_end.clear();
            with_end.extend([line, "\n"]);
            parser.line(&with_end, &mut out.tokens).ok()
        });
        if understood.is_none() {
            out.tokens.truncate(first);
            out.plain(line);
            parser = parser.filter(|_| line.len() > LONGEST_LINE);
        }
        out.end_line(understood.unwrap_or(Class::Text));
    }
    out.tokens.shrink_to_fit();
    out.ends.shrink_to_fit();
    out.after.shrink_to_fit();
    out
}
