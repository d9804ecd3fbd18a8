//! Splits a text into tokens, in all languages.

use std::ops::Range;

use super::language::Dialect;

/// What may be between quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoted {
    /// Escapes; the string ends at the latest with its line.
    Line,
    /// Escapes and line ends.
    Lines,
    /// Everything; a backslash has no meaning.
    Raw,
}

/// Returns whether a byte is part of a word; all characters beyond ASCII are.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name or a keyword.
    Word,
    /// A number, string, character, regular expression, lifetime or a piece of a template.
    Literal,
    /// `::`, `->`, `=>`, `==`, `!=`, `>=` or any other single character.
    Mark,
    /// A comment.
    Comment,
    /// A preprocessor directive, with the lines that continue it.
    Directive,
}

/// A token and its bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

/// Iterates over the tokens of a text.
pub(super) struct Scan<'t> {
    text: &'t str,
    /// The end of the last token.
    at: usize,
    dialect: Dialect,
    /// Whether only white space and comments precede on this line.
    is_line_start: bool,
    /// Whether a `/` after the last token divides.
    is_after_value: bool,
    /// For each template literal that is open, how many braces are open in its `${`.
    templates: Vec<usize>,
    /// The last lines of the here-documents that begin with the next line, and whether tabs may be before each.
    documents: Vec<(String, bool)>,
}

/// Words of JavaScript after which a `/` begins a regular expression.
const BEFORE_EXPRESSION: [&str; 12] =
    ["return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else", "do", "await"];

/// What ends a word of the shell.
const SHELL_MARKS: &[u8] = b" \t\r\n;&|()<>=$'\"`\\";

impl<'t> Scan<'t> {
    /// Creates an iterator over the tokens after a byte order mark and the line that names an interpreter.
    pub fn new(text: &'t str, dialect: Dialect) -> Self {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let (templates, documents) = (Vec::new(), Vec::new());
        let mut scan = Self { text, at, dialect, is_line_start: true, is_after_value: false, templates, documents };
        if scan.has("#!") && !scan.has("#![") {
            scan.pass_line();
        }
        scan
    }

    /// Returns the next byte; `None` at the end.
    fn byte(&self) -> Option<u8> {
        self.rest().first().copied()
    }

    /// Returns the rest of the text.
    fn rest(&self) -> &'t [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// Returns whether `what` comes next.
    fn has(&self, what: &str) -> bool {
        self.rest().starts_with(what.as_bytes())
    }

    /// Returns the text of a range; empty if the range cuts a character.
    fn slice(&self, range: Range<usize>) -> &'t str {
        self.text.get(range).unwrap_or_default()
    }

    /// Moves forward by this number of bytes, at most to the end.
    fn step(&mut self, bytes: usize) {
        self.at = self.text.len().min(self.at + bytes);
    }

    /// Moves past all bytes that pass `test`.
    fn pass(&mut self, test: impl Fn(u8) -> bool) {
        self.at += self.rest().iter().position(|&byte| !test(byte)).unwrap_or(self.rest().len());
    }

    /// Moves to the end of the line.
    fn pass_line(&mut self) {
        self.pass(|byte| byte != b'\n');
    }

    /// Moves past the next `end`, or to the end of the text.
    fn pass_through(&mut self, end: &[u8]) {
        let found = self.rest().windows(end.len()).position(|window| window == end);
        self.step(found.map_or(usize::MAX - self.at, |found| found + end.len()));
    }

    /// Moves past the string that begins here, the first of `strings` that matches; returns whether there is one.
    fn pass_string(&mut self, strings: &[(&str, &str, Quoted)]) -> bool {
        let Some((start, end, style)) = strings.iter().find(|(start, ..)| self.has(start)) else { return false };
        self.step(start.len());
        while let Some(byte) = self.byte() {
            match byte {
                b'\n' if *style == Quoted::Line => break,
                b'\\' if *style != Quoted::Raw => self.step(2),
                _ if self.has(end) => {
                    self.step(end.len());
                    break;
                }
                _ => self.step(1),
            }
        }
        true
    }

    /// Moves past a token that begins with `first`; returns its kind.
    fn read(&mut self, first: u8) -> Kind {
        let dialect = self.dialect;
        match first {
            _ if self.has(dialect.comment()) && !self.is_in_word() => return self.line(Kind::Comment),
            b'/' if dialect.comment() == "//" && self.has("/*") => return self.block_comment(),
            b'#' if dialect == Dialect::C && self.is_line_start => return self.line(Kind::Directive),
            b'/' if dialect == Dialect::Script && !self.is_after_value => self.regex(),
            b'`' if dialect == Dialect::Script => self.template(),
            b'}' if self.templates.last() == Some(&0) => {
                self.templates.pop();
                self.template();
            }
            b'\'' if dialect == Dialect::Rust => self.lifetime_or_character(),
            b'(' if dialect == Dialect::Shell && self.has("((") => self.arithmetic(),
            b'<' if dialect == Dialect::Shell && self.has("<<<") => self.step(3),
            b'<' if dialect == Dialect::Shell && self.has("<<") => self.document(),
            b'\\' if dialect == Dialect::Shell => self.step(2),
            _ if self.pass_string(self.dialect.strings()) => {}
            // A quote in a C++ number separates its digits.
            b'0'..=b'9' => self.pass(|byte| is_word(byte) || byte == b'\'' && dialect == Dialect::C),
            _ if dialect == Dialect::Shell && !SHELL_MARKS.contains(&first) => return self.word_of_shell(),
            _ if dialect != Dialect::Shell && (is_word(first) || first == b'$') => return self.word(),
            _ => {
                let is_double = ["::", "->", "=>", "==", "!=", ">="].iter().any(|mark| self.has(mark));
                self.step(if is_double { 2 } else { 1 });
                match (first, self.templates.last_mut()) {
                    (b'{', Some(braces)) => *braces += 1,
                    (b'}', Some(braces)) => *braces -= 1,
                    _ => {}
                }
                // The `/` of `</a>` begins nothing.
                self.is_after_value = matches!(first, b')' | b']' | b'}' | b'<');
                return Kind::Mark;
            }
        }
        self.is_after_value = true;
        Kind::Literal
    }

    /// Moves past a word of the shell. A brace is a keyword only where it is a whole word.
    fn word_of_shell(&mut self) -> Kind {
        let (start, is_in_word) = (self.at, self.is_in_word());
        self.pass(|byte| !SHELL_MARKS.contains(&byte));
        let is_brace = matches!(self.slice(start..self.at), "{" | "}");
        if is_brace && !is_in_word { Kind::Mark } else { Kind::Word }
    }

    /// Whether the last byte is part of a word of the shell, so that what follows is no comment and no keyword.
    fn is_in_word(&self) -> bool {
        let last = self.text.as_bytes()[..self.at].last();
        self.dialect == Dialect::Shell && last.is_some_and(|byte| !b" \t\r\n;&|()".contains(byte))
    }

    /// Moves past `(( … ))`.
    fn arithmetic(&mut self) {
        let mut depth = 0_usize;
        while let Some(byte) = self.byte() {
            self.step(1);
            depth += usize::from(byte == b'(');
            depth -= usize::from(byte == b')');
            if depth == 0 {
                return;
            }
        }
    }

    /// Moves past `<< END` or `<<-END`.
    fn document(&mut self) {
        self.step(2);
        let is_indented = self.has("-");
        self.step(usize::from(is_indented));
        self.pass(|byte| matches!(byte, b' ' | b'\t'));
        let start = self.at;
        self.pass(|byte| !b" \t\r\n;&|()<>".contains(&byte));
        let end = self.slice(start..self.at).replace(['\'', '"', '\\'], "");
        self.documents.extend(Some((end, is_indented)).filter(|(end, _)| !end.is_empty()));
    }

    /// Moves past the here-documents that the line before has begun.
    fn pass_documents(&mut self) {
        for (end, is_indented) in std::mem::take(&mut self.documents) {
            while self.byte().is_some() {
                let start = self.at;
                self.pass_line();
                let line = self.slice(start..self.at).trim_end_matches('\r');
                self.step(1);
                if end == if is_indented { line.trim_start_matches('\t') } else { line } {
                    break;
                }
            }
        }
    }

    fn word(&mut self) -> Kind {
        let start = self.at;
        self.pass(|byte| is_word(byte) || byte == b'$');
        let word = self.slice(start..self.at);
        self.is_after_value = !BEFORE_EXPRESSION.contains(&word);
        let is_raw = match self.dialect {
            Dialect::C => matches!(word, "R" | "LR" | "uR" | "UR" | "u8R") && self.raw_of_cpp(),
            Dialect::Rust => matches!(word, "r" | "br" | "cr") && self.raw_of_rust(),
            _ => false,
        };
        if is_raw { Kind::Literal } else { Kind::Word }
    }

    /// Moves to the end of the line; in C, after a backslash, of the next. A directive may hold comments and strings.
    fn line(&mut self, kind: Kind) -> Kind {
        let mut is_code = kind == Kind::Directive;
        while let Some(byte) = self.byte().filter(|byte| *byte != b'\n') {
            match byte {
                b'\\' if self.dialect == Dialect::C => self.step(if self.has("\\\r\n") { 3 } else { 2 }),
                b'"' if is_code => _ = self.pass_string(self.dialect.strings()),
                b'/' if is_code && self.has("/*") => {
                    self.block_comment();
                }
                _ => {
                    is_code &= !self.has("//");
                    self.step(1);
                }
            }
        }
        kind
    }

    /// Moves past a block comment; those of Rust nest.
    fn block_comment(&mut self) -> Kind {
        self.step(2);
        let mut depth = 1;
        while depth > 0 && self.byte().is_some() {
            if self.has("*/") {
                depth -= 1;
                self.step(2);
            } else if self.dialect == Dialect::Rust && self.has("/*") {
                depth += 1;
                self.step(2);
            } else {
                self.step(1);
            }
        }
        Kind::Comment
    }

    /// Moves past `"end(…)end"`; returns whether there is one.
    fn raw_of_cpp(&mut self) -> bool {
        let Some(rest) = self.rest().strip_prefix(b"\"") else { return false };
        // The language allows 16 characters between the quote and the parenthesis.
        let Some(open) = rest.iter().take(17).position(|&byte| byte == b'(') else { return false };
        self.step(open + 2);
        self.pass_through(&[b")", &rest[..open], b"\""].concat());
        true
    }

    /// Moves past `"…"` or `##"…"##`; returns whether there is one.
    fn raw_of_rust(&mut self) -> bool {
        let hashes = self.rest().iter().take_while(|byte| **byte == b'#').count();
        if self.rest().get(hashes) != Some(&b'"') {
            return false;
        }
        self.step(hashes + 1);
        self.pass_through(&[b"\"", vec![b'#'; hashes].as_slice()].concat());
        true
    }

    /// Moves past `'a'`, `'\n'` or the lifetime `'a`.
    fn lifetime_or_character(&mut self) {
        let rest = &self.text[self.at + 1..];
        let length = rest.chars().next().map_or(0, char::len_utf8);
        if rest.starts_with('\\') || rest.as_bytes().get(length) == Some(&b'\'') {
            self.pass_string(&[("'", "'", Quoted::Lines)]);
        } else {
            self.step(1);
            self.pass(is_word);
        }
    }

    /// Moves past a regular expression, which ends with its line at the latest.
    fn regex(&mut self) {
        self.step(1);
        let mut is_in_class = false;
        while let Some(byte) = self.byte().filter(|byte| *byte != b'\n') {
            self.step(if byte == b'\\' { 2 } else { 1 });
            match byte {
                b'[' => is_in_class = true,
                b']' => is_in_class = false,
                b'/' if !is_in_class => return,
                _ => {}
            }
        }
    }

    /// Moves from a backtick or the `}` of a `${…}` past the next backtick or `${`.
    fn template(&mut self) {
        self.step(1);
        while let Some(byte) = self.byte() {
            if self.has("${") {
                self.templates.push(0);
                return self.step(2);
            }
            self.step(if byte == b'\\' { 2 } else { 1 });
            if byte == b'`' {
                return;
            }
        }
    }
}

impl Iterator for Scan<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        while let Some(byte) = self.byte().filter(u8::is_ascii_whitespace) {
            self.step(1);
            if byte == b'\n' {
                self.is_line_start = true;
                self.pass_documents();
            }
        }
        let start = self.at;
        let kind = self.read(self.byte()?);
        self.is_line_start &= kind == Kind::Comment;
        Some(Token { kind, start, end: self.at })
    }
}
