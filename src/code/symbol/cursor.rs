//! A place in a text that moves forward: what the scanners of all languages share.

use std::ops::Range;

/// A text and how far it is read.
pub(super) struct Cursor<'t> {
    pub text: &'t str,
    pub at: usize,
}

impl<'t> Cursor<'t> {
    /// The beginning of a text, past its byte order mark.
    pub fn new(text: &'t str) -> Self {
        Self { text, at: if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 } }
    }

    /// The next byte, or `None` at the end.
    pub fn byte(&self) -> Option<u8> {
        self.rest().first().copied()
    }

    /// What is not read yet.
    pub fn rest(&self) -> &'t [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// Returns whether `what` comes next.
    pub fn has(&self, what: &str) -> bool {
        self.rest().starts_with(what.as_bytes())
    }

    /// The text of a range, empty if that cuts a character.
    pub fn slice(&self, range: Range<usize>) -> &'t str {
        self.text.get(range).unwrap_or_default()
    }

    /// Moves on by so many bytes, at most to the end.
    pub fn step(&mut self, bytes: usize) {
        self.at = self.text.len().min(self.at + bytes);
    }

    /// Moves past all bytes that pass `test`.
    pub fn pass(&mut self, test: impl Fn(u8) -> bool) {
        self.at += self.rest().iter().position(|&byte| !test(byte)).unwrap_or(self.rest().len());
    }

    /// Moves past spaces and tabs.
    pub fn pass_blanks(&mut self) {
        self.pass(|byte| matches!(byte, b' ' | b'\t'));
    }

    /// Moves to the end of the line.
    pub fn pass_line(&mut self) {
        self.pass(|byte| byte != b'\n');
    }

    /// Moves past the next `end`, or to the end of the text.
    pub fn pass_through(&mut self, end: &[u8]) {
        let found = self.rest().windows(end.len()).position(|window| window == end);
        self.step(found.map_or(usize::MAX - self.at, |found| found + end.len()));
    }

    /// Moves past what `quote` begins and ends.
    pub fn pass_quoted(&mut self, quote: &str, style: Quoted) {
        self.step(quote.len());
        while let Some(byte) = self.byte() {
            match byte {
                b'\n' if style == Quoted::Line => return,
                b'\\' if style != Quoted::Raw => self.step(2),
                _ if self.has(quote) => return self.step(quote.len()),
                _ => self.step(1),
            }
        }
    }
}

/// What may be between quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoted {
    /// Escapes; the end of the line ends it at the latest.
    Line,
    /// Escapes and line ends.
    Lines,
    /// Everything; a backslash is nothing special.
    Raw,
}

/// Returns whether a byte is part of a word; all characters beyond ASCII are.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}
