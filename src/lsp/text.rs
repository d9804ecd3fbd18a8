//! Positions as editors count them: lines that end with LF, CRLF or CR, and columns in UTF-16 units, both from 0.

use lsp_types::{Position, Range, TextDocumentContentChangeEvent};

use infralens_source::source::Span;

/// The lines of a text.
pub struct Lines<'t> {
    text: &'t str,
    /// The offset at which each line starts.
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    /// Finds the lines of a text. The first one begins at `start`: after a byte order mark that the editor does not show.
    pub fn new(text: &'t str, start: usize) -> Self {
        let bytes = text.as_bytes();
        let is_end = |at: usize| bytes[at] == b'\n' || bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
        let after_ends = (start..bytes.len()).filter(|at| is_end(*at)).map(|at| at + 1);
        Self { text, starts: std::iter::once(start).chain(after_ends).collect() }
    }

    /// Returns the position of a byte offset; one inside a character is moved back to its start.
    pub fn position(&self, offset: usize) -> Position {
        let offset = self.text.floor_char_boundary(offset).max(self.starts[0]);
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let column = self.text[self.starts[line]..offset].encode_utf16().count();
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Position::new(number(line), number(column))
    }

    pub fn range(&self, span: &Span) -> Range {
        Range::new(self.position(span.start), self.position(span.end.max(span.start)))
    }

    /// Returns the byte offset of a position. After the end of a line, it is that end; after the last line, the end of the
    /// text; in the middle of a character, its start.
    pub fn offset(&self, position: Position) -> usize {
        let line = usize::try_from(position.line).unwrap_or(usize::MAX);
        let Some(&start) = self.starts.get(line) else { return self.text.len() };
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        let line = &self.text[start..end];
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        let mut units = usize::try_from(position.character).unwrap_or(usize::MAX);
        for (at, character) in line.char_indices() {
            if units < character.len_utf16() {
                return start + at;
            }
            units -= character.len_utf16();
        }
        start + line.len()
    }

    /// Returns the span of the lines that a span touches.
    pub fn whole(&self, span: &Span) -> Span {
        let line = |offset: usize| self.starts.partition_point(|start| *start <= offset);
        let start = self.starts[line(span.start).max(1) - 1];
        let end = self.starts.get(line(span.end)).map_or(self.text.len(), |next| next - 1);
        start..end
    }

    /// Returns the span of a range; one that runs backwards is empty.
    pub fn span(&self, range: Range) -> Span {
        let start = self.offset(range.start);
        start..self.offset(range.end).max(start)
    }
}

/// Applies the changes of an editor, one after another, each to the text after the ones before it.
pub fn apply(text: String, changes: Vec<TextDocumentContentChangeEvent>) -> String {
    changes.into_iter().fold(text, |mut text, change| match change.range {
        Some(range) => {
            let span = Lines::new(&text, 0).span(range);
            text.replace_range(span, &change.text);
            text
        }
        None => change.text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_utf_16_units() {
        let text = "a\u{1f600}b\r\nç\rd\n";
        let lines = Lines::new(text, 0);
        let at = |needle: &str| lines.position(text.find(needle).unwrap_or_default());
        assert_eq!(at("b"), Position::new(0, 3));
        assert_eq!(at("ç"), Position::new(1, 0));
        assert_eq!(at("d"), Position::new(2, 0));
        assert_eq!(lines.position(text.len()), Position::new(3, 0));
        for (offset, _) in text.char_indices().filter(|(_, c)| !matches!(c, '\r' | '\n')) {
            assert_eq!(lines.offset(lines.position(offset)), offset);
        }
        assert_eq!(lines.offset(Position::new(0, 2)), 1, "between the halves of a character");
        assert_eq!(lines.offset(Position::new(0, 99)), text.find('\r').unwrap_or_default(), "after the end of a line");
        assert_eq!(lines.offset(Position::new(9, 0)), text.len());
    }

    #[test]
    fn a_byte_order_mark_that_is_not_shown_is_not_counted() {
        let lines = Lines::new("\u{feff}ab", 3);
        assert_eq!(lines.position(4), Position::new(0, 1));
        assert_eq!(lines.position(0), Position::new(0, 0));
        assert_eq!(lines.offset(Position::new(0, 1)), 4);
    }

    #[test]
    fn changes_are_applied_one_after_another() {
        let change = |from: (u32, u32), to: (u32, u32), text: &str| TextDocumentContentChangeEvent {
            range: Some(Range::new(Position::new(from.0, from.1), Position::new(to.0, to.1))),
            range_length: None,
            text: text.to_owned(),
        };
        let text = apply("one\r\ntwo\n".into(), vec![change((0, 3), (1, 0), " "), change((0, 7), (0, 7), "!")]);
        assert_eq!(text, "one two!\n");
        let whole = TextDocumentContentChangeEvent { range: None, range_length: None, text: "x".into() };
        assert_eq!(apply(text, vec![whole, change((0, 1), (0, 0), "y")]), "xy");
    }
}
