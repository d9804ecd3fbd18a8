//! A text file, and places in it: byte spans, lines and columns.

pub mod script;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use unicode_normalization::char::is_combining_mark;

use super::diag::{Code, Diagnostic, Place};

/// A byte range in a [`Source`]'s text.
pub type Span = Range<usize>;

/// The length, in bytes, of a label that is made of a title, a heading or a name and may be on a page many times.
pub const LABEL: usize = 240;

/// Returns a text with an ellipsis in place of what is after its first `most` bytes.
pub fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return text.into();
    }
    let start = &text[..text.floor_char_boundary(most)];
    let words = start.rsplit_once(char::is_whitespace).map_or(start, |(words, _)| words);
    format!("{}…", words.trim_end()).into()
}

/// Returns the lines of a part of a text, each with its line end and its offset. `start` is the offset of the part.
pub fn lines_from(part: &str, start: usize) -> impl Iterator<Item = (usize, &str)> {
    part.split_inclusive('\n').scan(start, |at, line| {
        let begin = *at;
        *at += line.len();
        Some((begin, line))
    })
}

/// Returns the edits of a text that can be made, in their order in the text. They may be given in any order: of two that
/// overlap, the first is made, and none that reaches beyond the text or cuts a character.
pub fn in_order<E>(text: &str, mut edits: Vec<(Span, E)>) -> impl Iterator<Item = (Span, E)> + use<'_, E> {
    edits.sort_by_key(|(span, _)| (span.start, span.end));
    let mut at = 0;
    edits.into_iter().filter(move |(span, _)| {
        let is_made = span.start >= at && text.get(span.clone()).is_some();
        at = if is_made { span.end } else { at };
        is_made
    })
}

/// Returns a text after edits, which replace ranges of it by other texts.
pub fn edited(text: &str, edits: Vec<(Span, String)>) -> String {
    let (mut out, mut at) = (String::with_capacity(text.len() + 64), 0);
    for (span, new) in in_order(text, edits) {
        out.extend([&text[at..span.start], &*new]);
        at = span.end;
    }
    out + &text[at..]
}

/// Returns whether a name, which may become a part of a URL, may contain this character: letters and digits of any script
/// with their combining marks, the joiners that some scripts write between letters, `-` and `_`.
pub fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c) || matches!(c, '-' | '_' | '\u{200c}' | '\u{200d}')
}

const BOM: char = '\u{feff}';

/// A text file: its path from the course's root, with `/`, and its text exactly as on disk, including BOM and CRLF.
#[derive(Debug, Default)]
pub struct Source {
    path: Arc<str>,
    text: String,
    line_starts: OnceLock<Box<[u32]>>,
    /// The hashes of its identifiers, sorted.
    identifiers: OnceLock<Box<[u64]>>,
}

/// A line and a column, both from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1; a BOM is not counted.
    pub column: usize,
}

impl Source {
    pub fn new(path: impl Into<Arc<str>>, text: impl Into<String>) -> Self {
        let (line_starts, identifiers) = (OnceLock::new(), OnceLock::new());
        Self { path: path.into(), text: text.into(), line_starts, identifiers }
    }

    /// Returns the path from the course's root, with `/`.
    pub fn path(&self) -> &Arc<str> {
        &self.path
    }

    pub fn place(&self, span: Span) -> Place {
        Place::new(&self.path, span)
    }

    pub fn diagnostic(&self, code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, self.place(span), message)
    }

    /// Returns the whole text; spans are ranges of it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the text is empty or white space.
    pub fn is_blank(&self) -> bool {
        self.text[self.start()..].trim().is_empty()
    }

    /// Returns the offset at which the text begins: after the BOM, if there is one.
    pub fn start(&self) -> usize {
        if self.text.starts_with(BOM) { BOM.len_utf8() } else { 0 }
    }

    /// Returns the first line of a span, without white space at its end.
    pub fn first_line(&self, span: &Span) -> Span {
        let text = &self.text[span.clone()];
        let line = &text[..text.find('\n').unwrap_or(text.len())];
        span.start..span.start + line.trim_end().len()
    }

    /// Returns the lines of the text, without a BOM and without line ends. A final line end does not begin another
    /// line.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.text[self.start()..].lines()
    }

    /// Returns how many lines [`Source::lines`] yields.
    pub fn line_count(&self) -> usize {
        let starts = self.starts();
        starts.len() - usize::from(starts.last().is_some_and(|&last| last as usize >= self.text.len()))
    }

    /// Returns the byte span of line `index` (from 0) without its line end; after the last line, the end of the text.
    pub fn line_span(&self, index: usize) -> Span {
        let starts = self.starts();
        let at = |index: usize| starts.get(index).map_or(self.text.len(), |&start| start as usize);
        let (start, end) = (at(index), at(index + 1));
        let line = &self.text[start..end];
        let line = line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line));
        start..start + line.len()
    }

    /// Returns whether one of its [`identifiers`] is `name`. The first call hashes all of them, and the file keeps the hashes of
    /// 64 bits.
    pub fn has_identifier(&self, name: &str) -> bool {
        let hashes = self.identifiers.get_or_init(|| {
            let mut hashes: Vec<u64> = identifiers(&self.text).map(word_hash).collect();
            hashes.sort_unstable();
            hashes.dedup();
            hashes.into()
        });
        hashes.binary_search(&word_hash(name)).is_ok()
    }

    /// Returns the line and column of a byte offset. An offset inside a character or after the end is moved back to
    /// the nearest character boundary.
    pub fn position(&self, offset: usize) -> Position {
        let offset = self.text.floor_char_boundary(offset);
        let line = self.line(offset);
        let column = self.text.get(self.starts()[line] as usize..offset).map_or(0, |before| before.chars().count());
        Position { line: line + 1, column: column + 1 }
    }

    /// Returns the index (from 0) of the line of a byte offset, without counting its column.
    pub fn line(&self, offset: usize) -> usize {
        self.starts().partition_point(|&start| start as usize <= offset).saturating_sub(1)
    }

    #[expect(clippy::cast_possible_truncation, reason = "a file is far smaller than 4 GiB")]
    fn starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let after_ends = self.text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(at, _)| at + 1);
            std::iter::once(self.start()).chain(after_ends).map(|start| start as u32).collect()
        })
    }
}

/// Returns the identifiers in a text: runs of letters, digits and `_` that do not begin with a digit.
pub fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.filter(|word| word.starts_with(|c: char| !c.is_numeric()) && word.contains(char::is_alphabetic))
}

/// Hashes a word with FNV-1a.
pub fn word_hash(word: &str) -> u64 {
    word.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        let source = Source::new("a.md", "\u{feff}é=1\r\nzwei\n");
        assert_eq!(source.position(3), Position { line: 1, column: 1 });
        assert_eq!(source.position(5), Position { line: 1, column: 2 });
        assert_eq!(source.position(source.text().find("wei").unwrap_or(0)), Position { line: 2, column: 2 });
        assert_eq!(source.position(9999), Position { line: 3, column: 1 });
        assert_eq!(source.lines().collect::<Vec<_>>(), ["é=1", "zwei"]);
        assert_eq!(source.line_count(), 2);
        assert_eq!(&source.text()[source.line_span(0)], "é=1");
        assert_eq!(&source.text()[source.line_span(1)], "zwei");
        assert_eq!(source.line_span(7), source.text().len()..source.text().len());
    }

    #[test]
    fn a_carriage_return_ends_a_line_only_before_a_newline() {
        let source = Source::new("a", "a\rb\r\r\nc\r");
        let lines: Vec<&str> = (0..source.line_count()).map(|line| &source.text()[source.line_span(line)]).collect();
        assert_eq!(lines, ["a\rb\r", "c\r"]);
        assert_eq!(lines, source.lines().collect::<Vec<_>>());
    }

    #[test]
    fn long_texts_are_cut_between_words() {
        assert_eq!(shortened("one two", 7), "one two");
        assert_eq!(shortened("one  two", 7), "one…");
        assert_eq!(shortened("\u{e9}\u{e9}\u{e9}", 3), "\u{e9}…");
    }

    #[test]
    fn edits_are_made_in_order_and_once_per_place() {
        let edits =
            |edits: &[(Span, &str)]| edits.iter().map(|(span, new)| (span.clone(), (*new).to_owned())).collect();
        assert_eq!(edited("0a2345c7", edits(&[(6..7, "C"), (1..2, "A"), (6..7, "D"), (3..3, "+")])), "0A2+345C7");
        let cut = edits(&[
            (1..2, "cuts"),
            (2..5, "cuts"),
            (3..9, "is beyond"),
            (Span { start: 3, end: 2 }, "is none"),
            (2..3, "b"),
        ]);
        assert_eq!(edited("\u{e9}a\u{e9}", cut), "\u{e9}b\u{e9}");
    }

    #[test]
    fn a_text_without_final_newline_and_an_empty_one() {
        assert_eq!(Source::new("a", "x\ny").line_count(), 2);
        assert_eq!(Source::new("a", "").line_count(), 0);
    }
}
