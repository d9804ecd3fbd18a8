//! Languages of indentation: definitions of Python, one logical line after the other.

use super::Symbol;
use super::cursor::{Cursor, Quoted};
use super::outline::{Name, Outline};

/// The classes, functions and methods of a Python file.
pub(super) fn symbols(text: &str) -> Vec<Symbol> {
    let mut reader = Reader {
        cursor: Cursor::new(text),
        outline: Outline::new(text, ".", true),
        indents: Vec::new(),
        decorated: None,
        code_end: 0,
        comments: Vec::new(),
    };
    while reader.cursor.byte().is_some() {
        reader.line();
    }
    reader.close(0);
    reader.outline.finish()
}

struct Reader<'t> {
    cursor: Cursor<'t>,
    outline: Outline<'t>,
    /// The indentation of each definition around.
    indents: Vec<usize>,
    /// Where the decorators begin that were read last.
    decorated: Option<usize>,
    /// Where the last logical line ends.
    code_end: usize,
    /// The comments since: indentation, and where each ends.
    comments: Vec<(usize, usize)>,
}

impl Reader<'_> {
    fn line(&mut self) {
        let indent = self.indent();
        match self.cursor.byte() {
            None | Some(b'\n') => self.cursor.step(1),
            Some(b'#') => {
                let start = self.cursor.at;
                self.cursor.pass_line();
                self.outline.comment(start..self.cursor.at);
                self.comments.push((indent, self.cursor.at));
            }
            Some(first) => self.code(first, indent),
        }
    }

    /// Moves past the white space that begins a line; how wide it is.
    fn indent(&mut self) -> usize {
        let mut width = 0;
        while let Some(byte @ (b' ' | b'\t' | b'\r' | b'\x0c')) = self.cursor.byte() {
            width = match byte {
                b'\t' => (width / 8 + 1) * 8,
                b' ' => width + 1,
                _ => 0,
            };
            self.cursor.step(1);
        }
        width
    }

    /// Reads a logical line that begins with `first`.
    fn code(&mut self, first: u8, indent: usize) {
        self.close(indent);
        let start = self.cursor.at;
        if first == b'@' {
            let begin = self.outline.begin(start);
            self.decorated.get_or_insert(begin);
        } else if let Some(name) = self.definition(start) {
            let begin = self.outline.begin(start);
            self.outline.open(&name, self.decorated.take().unwrap_or(begin));
            self.indents.push(indent);
        } else {
            self.decorated = None;
        }
        self.pass_logical_line();
        self.code_end = self.cursor.at;
    }

    /// Closes the definitions that a line of this indentation is not in. Comments deeper than a definition are in it.
    fn close(&mut self, indent: usize) {
        let mut comments = std::mem::take(&mut self.comments).into_iter().peekable();
        let mut end = self.code_end;
        while let Some(closed) = self.indents.pop_if(|open| *open >= indent) {
            while let Some((_, comment_end)) = comments.next_if(|(column, _)| *column > closed) {
                end = comment_end;
            }
            self.outline.close(end);
        }
    }

    /// The name in `def name`, `async def name` or `class name`, if that is at byte `at`.
    fn definition(&self, at: usize) -> Option<Name> {
        let rest = self.cursor.text.get(at..)?;
        let rest = after_word(rest, "async").unwrap_or(rest);
        let rest = after_word(rest, "def").or_else(|| after_word(rest, "class"))?;
        let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let start = self.cursor.text.len() - rest.len();
        (length > 0).then(|| Name { parts: vec![rest[..length].to_owned()], at: start..start + length })
    }

    /// Moves past the rest of a logical line, with the strings, brackets and continued lines in it.
    fn pass_logical_line(&mut self) {
        let mut depth = 0_usize;
        while let Some(byte) = self.cursor.byte() {
            match byte {
                b'#' => self.cursor.pass_line(),
                b'"' if self.cursor.has("\"\"\"") => self.cursor.pass_quoted("\"\"\"", Quoted::Lines),
                b'\'' if self.cursor.has("'''") => self.cursor.pass_quoted("'''", Quoted::Lines),
                b'"' => self.cursor.pass_quoted("\"", Quoted::Line),
                b'\'' => self.cursor.pass_quoted("'", Quoted::Line),
                b'\\' => self.cursor.step(if self.cursor.has("\\\r\n") { 3 } else { 2 }),
                _ => {
                    self.cursor.step(1);
                    match byte {
                        b'(' | b'[' | b'{' => depth += 1,
                        b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                        b'\n' if depth == 0 || self.is_recovered() => return,
                        _ => {}
                    }
                }
            }
        }
    }

    /// Returns whether the line that begins here is a definition: no bracket holds one, so one was never closed.
    fn is_recovered(&self) -> bool {
        let blank = self.cursor.rest().iter().position(|byte| !matches!(byte, b' ' | b'\t'));
        blank.is_some_and(|blank| self.definition(self.cursor.at + blank).is_some())
    }
}

/// What follows `word` and white space, if `text` begins with them.
fn after_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let rest = text.strip_prefix(word)?;
    let trimmed = rest.trim_start_matches([' ', '\t']);
    (trimmed.len() < rest.len()).then_some(trimmed)
}
