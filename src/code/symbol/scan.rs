//! Tokens of C++ and of Rust.

use std::ops::Range;

/// Whose tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// C, C++, CUDA.
    Cpp,
    /// Rust.
    Rust,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name or a keyword.
    Word,
    /// A number, string, character or lifetime.
    Literal,
    /// `::`, `->`, `=>` or any other single character.
    Mark,
    /// A comment.
    Comment,
    /// A line of the preprocessor, with the lines that continue it.
    Directive,
}

/// A token and its bytes.
#[derive(Debug, Clone)]
pub(super) struct Token {
    pub kind: Kind,
    pub at: Range<usize>,
}

/// Reads a text token by token.
pub(super) struct Scan<'t> {
    bytes: &'t [u8],
    at: usize,
    dialect: Dialect,
    /// Whether nothing but white space and comments has come on this line.
    is_line_start: bool,
}

impl<'t> Scan<'t> {
    pub fn new(text: &'t str, dialect: Dialect) -> Self {
        let mut scan = Self { bytes: text.as_bytes(), at: 0, dialect, is_line_start: true };
        if text.starts_with('\u{feff}') {
            scan.at = '\u{feff}'.len_utf8();
        }
        if text[scan.at..].starts_with("#!") && !text[scan.at..].starts_with("#![") {
            scan.pass(|byte| byte != b'\n');
        }
        scan
    }
}

impl Iterator for Scan<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        self.pass(|byte| byte.is_ascii_whitespace() && byte != b'\n');
        while self.bytes.get(self.at) == Some(&b'\n') {
            self.is_line_start = true;
            self.pass(|byte| byte == b'\n');
            self.pass(|byte| byte.is_ascii_whitespace() && byte != b'\n');
        }
        let start = self.at;
        let first = *self.bytes.get(start)?;
        let kind = self.read(first);
        self.is_line_start &= kind == Kind::Comment;
        Some(Token { kind, at: start..self.at })
    }
}

impl Scan<'_> {
    /// Goes past a token that begins with `first`.
    fn read(&mut self, first: u8) -> Kind {
        match first {
            b'/' if self.has(b"//") => {
                self.skip_line();
                Kind::Comment
            }
            b'/' if self.has(b"/*") => {
                self.skip_block_comment();
                Kind::Comment
            }
            b'#' if self.dialect == Dialect::Cpp && self.is_line_start => {
                self.skip_directive();
                Kind::Directive
            }
            b'\'' if self.dialect == Dialect::Rust => {
                self.skip_lifetime_or_character();
                Kind::Literal
            }
            b'"' | b'\'' => {
                self.skip_quoted(first);
                Kind::Literal
            }
            b'0'..=b'9' => {
                // A quote in a C++ number separates its digits; a dot in a Rust one may be a range's.
                let inside = if self.dialect == Dialect::Cpp { b".'".as_slice() } else { b"" };
                self.pass(|byte| is_word(byte) || inside.contains(&byte));
                Kind::Literal
            }
            _ if is_word(first) => self.read_word(),
            _ => {
                let is_double = self.has(b"::") || self.has(b"->") || self.has(b"=>");
                self.at += if is_double { 2 } else { 1 };
                Kind::Mark
            }
        }
    }

    fn read_word(&mut self) -> Kind {
        let start = self.at;
        self.pass(is_word);
        let word = &self.bytes[start..self.at];
        let is_raw = match self.dialect {
            Dialect::Cpp => matches!(word, b"R" | b"LR" | b"uR" | b"UR" | b"u8R") && self.has(b"\""),
            Dialect::Rust => matches!(word, b"r" | b"br" | b"cr") && (self.has(b"\"") || self.has(b"#")),
        };
        let is_literal =
            is_raw && if self.dialect == Dialect::Cpp { self.skip_cpp_raw() } else { self.skip_rust_raw() };
        if is_literal { Kind::Literal } else { Kind::Word }
    }

    fn has(&self, what: &[u8]) -> bool {
        self.bytes[self.at..].starts_with(what)
    }

    fn pass(&mut self, test: impl Fn(u8) -> bool) {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|&byte| !test(byte)).unwrap_or(rest.len());
    }

    /// Goes past the next `end`, or to the end of the text.
    fn skip_past(&mut self, end: &[u8]) {
        let found = self.bytes[self.at..].windows(end.len()).position(|window| window == end);
        self.at = found.map_or(self.bytes.len(), |found| self.at + found + end.len());
    }

    /// Goes to the end of the line; in C++, after a backslash, of the next.
    fn skip_line(&mut self) {
        loop {
            let start = self.at;
            self.pass(|byte| byte != b'\n');
            let line = &self.bytes[start..self.at];
            let is_continued = line.strip_suffix(b"\r").unwrap_or(line).ends_with(b"\\");
            if self.dialect == Dialect::Rust || !is_continued || self.at == self.bytes.len() {
                return;
            }
            self.at += 1;
        }
    }

    /// Goes past a block comment; those of Rust nest.
    fn skip_block_comment(&mut self) {
        self.at += 2;
        if self.dialect == Dialect::Cpp {
            return self.skip_past(b"*/");
        }
        let mut depth = 1;
        while depth > 0 && self.at < self.bytes.len() {
            if self.has(b"/*") {
                depth += 1;
                self.at += 2;
            } else if self.has(b"*/") {
                depth -= 1;
                self.at += 2;
            } else {
                self.at += 1;
            }
        }
    }

    /// Goes to the end of a directive, past comments and strings in it.
    fn skip_directive(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => return,
                b'/' if self.has(b"//") => return self.skip_line(),
                b'/' if self.has(b"/*") => self.skip_block_comment(),
                b'"' | b'\'' => self.skip_quoted(byte),
                b'\\' if self.has(b"\\\r\n") => self.at += 3,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at = self.bytes.len();
    }

    /// Goes past a string or a character; in C++ it ends with its line at the latest.
    fn skip_quoted(&mut self, quote: u8) {
        self.at += 1;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' if self.dialect == Dialect::Cpp => return,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
            if byte == quote {
                return;
            }
        }
        self.at = self.bytes.len();
    }

    /// Goes past `"end(…)end"`; whether it is one.
    fn skip_cpp_raw(&mut self) -> bool {
        let rest = &self.bytes[self.at + 1..];
        // The language allows 16 characters between the quote and the parenthesis.
        let Some(open) = rest.iter().take(17).position(|&byte| byte == b'(') else {
            return false;
        };
        let end = [b")", &rest[..open], b"\""].concat();
        self.at += open + 2;
        self.skip_past(&end);
        true
    }

    /// Goes past `"…"` or `##"…"##`; whether it is one.
    fn skip_rust_raw(&mut self) -> bool {
        let hashes = self.bytes[self.at..].iter().take_while(|byte| **byte == b'#').count();
        if self.bytes.get(self.at + hashes) != Some(&b'"') {
            return false;
        }
        let end = [b"\"", vec![b'#'; hashes].as_slice()].concat();
        self.at += hashes + 1;
        self.skip_past(&end);
        true
    }

    /// Goes past `'a'`, `'\n'` or the lifetime `'a`.
    fn skip_lifetime_or_character(&mut self) {
        let rest = &self.bytes[self.at + 1..];
        let length = rest.first().map_or(0, |&first| match first {
            0..0x80 => 1,
            0x80..0xe0 => 2,
            0xe0..0xf0 => 3,
            _ => 4,
        });
        if rest.first() == Some(&b'\\') || rest.get(length) == Some(&b'\'') {
            self.skip_quoted(b'\'');
        } else {
            self.at += 1;
            self.pass(is_word);
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}
