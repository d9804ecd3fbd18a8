//! Python: definitions by indentation, one logical line after the other.

use super::Symbol;
use super::outline::{Name, Outline};

/// The classes, functions and methods of a Python file.
pub(super) fn symbols(text: &str) -> Vec<Symbol> {
    let mut reader = Reader {
        text,
        bytes: text.as_bytes(),
        at: if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 },
        outline: Outline::new(text, ".", true),
        indents: Vec::new(),
        decorated: None,
        code_end: 0,
        comments: Vec::new(),
    };
    while reader.at < text.len() {
        reader.line();
    }
    reader.close(0);
    reader.outline.finish()
}

struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
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
        match self.bytes.get(self.at) {
            None | Some(b'\n') => self.at += 1,
            Some(b'#') => {
                let start = self.at;
                self.skip_comment();
                self.outline.comment(start..self.at);
                self.comments.push((indent, self.at));
            }
            Some(_) => self.code(indent),
        }
    }

    /// Goes past the white space that begins a line; how wide it is.
    fn indent(&mut self) -> usize {
        let mut width = 0;
        while let Some(byte @ (b' ' | b'\t' | b'\r' | b'\x0c')) = self.bytes.get(self.at) {
            width = match byte {
                b'\t' => (width / 8 + 1) * 8,
                b' ' => width + 1,
                _ => 0,
            };
            self.at += 1;
        }
        width
    }

    /// Reads a logical line.
    fn code(&mut self, indent: usize) {
        self.close(indent);
        let start = self.at;
        if self.bytes[start] == b'@' {
            let begin = self.outline.begin(start);
            self.decorated.get_or_insert(begin);
        } else if let Some(name) = self.header(start) {
            let begin = self.outline.begin(start);
            self.outline.open(&name, self.decorated.take().unwrap_or(begin));
            self.indents.push(indent);
        } else {
            self.decorated = None;
        }
        self.skip_logical_line();
        self.code_end = self.at;
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

    /// The name in `def name`, `async def name` or `class name`, if that is what stands at byte `at`.
    fn header(&self, at: usize) -> Option<Name> {
        let rest = self.text.get(at..)?;
        let rest = after_word(rest, "async").unwrap_or(rest);
        let rest = after_word(rest, "def").or_else(|| after_word(rest, "class"))?;
        let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let start = self.text.len() - rest.len();
        (length > 0).then(|| Name { parts: vec![rest[..length].to_owned()], at: start..start + length })
    }

    /// Goes past the rest of a logical line: strings, brackets and continued lines are in it.
    fn skip_logical_line(&mut self) {
        let mut depth = 0_usize;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'#' => self.skip_comment(),
                b'"' | b'\'' => self.skip_string(byte),
                b'\\' if self.bytes[self.at..].starts_with(b"\\\r\n") => self.at += 3,
                b'\\' => self.at += 2,
                b'\n' => {
                    self.at += 1;
                    if depth == 0 || self.is_recovered() {
                        return;
                    }
                }
                _ => {
                    match byte {
                        b'(' | b'[' | b'{' => depth += 1,
                        b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                    self.at += 1;
                }
            }
        }
        self.at = self.bytes.len();
    }

    /// Whether the line that begins here is a definition: no bracket holds one, so one was never closed.
    fn is_recovered(&self) -> bool {
        let rest = &self.bytes[self.at..];
        let blank = rest.iter().position(|byte| !matches!(byte, b' ' | b'\t'));
        blank.is_some_and(|blank| self.header(self.at + blank).is_some())
    }

    fn skip_comment(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
    }

    /// Goes past a string; one in single quotes ends with its line at the latest.
    fn skip_string(&mut self, quote: u8) {
        let is_triple = self.bytes[self.at..].starts_with(&[quote; 3]);
        let end = if is_triple { [quote; 3].to_vec() } else { vec![quote] };
        self.at += end.len();
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' if !is_triple => return,
                b'\\' => self.at += 2,
                _ if self.bytes[self.at..].starts_with(&end) => {
                    self.at += end.len();
                    return;
                }
                _ => self.at += 1,
            }
        }
        self.at = self.bytes.len();
    }
}

/// What follows `word` and white space, if `text` begins with them.
fn after_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let rest = text.strip_prefix(word)?;
    let trimmed = rest.trim_start_matches([' ', '\t']);
    (trimmed.len() < rest.len()).then_some(trimmed)
}
