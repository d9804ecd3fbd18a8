//! Shell: functions, found by reading as a shell does, as far as quotes, substitutions and here-documents go.

use std::ops::Range;

use super::Symbol;
use super::outline::{Name, Outline};

/// The functions of a shell script.
pub(super) fn symbols(text: &str) -> Vec<Symbol> {
    let mut reader = Reader {
        bytes: text.as_bytes(),
        text,
        at: 0,
        outline: Outline::new(text, ".", false),
        contexts: Vec::new(),
        is_command: true,
        documents: Vec::new(),
    };
    while let Some(&byte) = reader.bytes.get(reader.at) {
        match reader.contexts.last() {
            Some(Context::Quotes) => reader.in_quotes(byte),
            Some(Context::Parameter) => reader.in_parameter(byte),
            Some(Context::Arithmetic(_)) => reader.in_arithmetic(byte),
            _ => reader.in_code(byte),
        }
    }
    reader.outline.finish()
}

/// What is open around.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Context {
    /// `{ … }`
    Braces,
    /// `( … )`
    Parentheses,
    /// `{ … }` or `( … )` that are the body of a function.
    Function,
    /// `case … esac`, whose patterns end with `)`.
    Case,
    /// `$( … )`, `<( … )`
    Substitution,
    /// `" … "`
    Quotes,
    /// `${ … }`
    Parameter,
    /// `(( … ))`, `$(( … ))`, with so many parentheses open in it.
    Arithmetic(usize),
}

/// A here-document that begins with the next line.
struct Document {
    end: String,
    /// Whether tabs may stand before its end.
    is_indented: bool,
}

struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    outline: Outline<'t>,
    contexts: Vec<Context>,
    /// Whether the next word is a command or a keyword, and no argument.
    is_command: bool,
    documents: Vec<Document>,
}

/// Keywords that a command follows.
const BEFORE_COMMAND: [&str; 11] = ["then", "do", "else", "elif", "if", "while", "until", "!", "time", "for", "coproc"];

impl Reader<'_> {
    fn in_code(&mut self, byte: u8) {
        match byte {
            b'\n' => {
                self.at += 1;
                self.is_command = true;
                self.skip_documents();
            }
            b'#' if self.is_word_start() => {
                let start = self.at;
                self.skip_until(b'\n');
                self.outline.comment(start..self.at);
            }
            b';' | b'&' | b'|' => {
                self.at += 1;
                self.is_command = true;
            }
            b'(' if self.is_command && self.has("((") => self.enter(Context::Arithmetic(0), 2),
            b'(' => self.enter(Context::Parentheses, 1),
            b')' => self.close_parenthesis(),
            b'<' if self.has("<<<") => self.at += 3,
            b'<' if self.has("<<") => self.document(),
            b'<' | b'>' if self.bytes.get(self.at + 1) == Some(&b'(') => self.enter(Context::Substitution, 2),
            b' ' | b'\t' | b'\r' | b'<' | b'>' => self.at += 1,
            _ => self.word(),
        }
    }

    /// Reads a word, up to what must be read in another way.
    fn word(&mut self) {
        let start = self.at;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>' => break,
                b'\\' => self.at += 2,
                b'\'' => self.skip_quoted(b'\'', false),
                b'`' => self.skip_quoted(b'`', true),
                b'"' => return self.enter_argument(Context::Quotes, 1),
                b'$' if self.dollar() => return,
                _ => self.at += 1,
            }
        }
        self.at = self.at.min(self.bytes.len());
        let is_command = std::mem::replace(&mut self.is_command, false);
        if is_command {
            self.command(start..self.at);
        }
    }

    /// Takes the first word of a command.
    fn command(&mut self, word: Range<usize>) {
        match self.text.get(word.clone()).unwrap_or_default() {
            "{" => self.enter(Context::Braces, 0),
            "}" => {
                if matches!(self.contexts.last(), Some(Context::Braces | Context::Function)) {
                    self.leave();
                }
                self.is_command = true;
            }
            "case" => self.contexts.push(Context::Case),
            "esac" => {
                self.contexts.pop_if(|context| *context == Context::Case);
                self.is_command = true;
            }
            "function" => {
                self.skip_blanks();
                let name = self.at;
                while self.bytes.get(self.at).is_some_and(|byte| !b" \t\r\n;&|()<>".contains(byte)) {
                    self.at += 1;
                }
                let name = name..self.at;
                self.skip_parentheses();
                self.function(word.start, name);
            }
            keyword if BEFORE_COMMAND.contains(&keyword) => self.is_command = true,
            name => {
                let is_name = !name.is_empty() && !name.contains(['=', '$', '\'', '`', '\\']);
                if is_name && self.skip_parentheses() {
                    self.function(word.start, word);
                }
            }
        }
    }

    /// Takes the head of a function, which begins at byte `start`; its body comes next.
    fn function(&mut self, start: usize, name: Range<usize>) {
        let begin = self.outline.begin(start);
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b'#' => self.skip_until(b'\n'),
                _ => break,
            }
        }
        self.is_command = true;
        let part = self.text.get(name.clone()).unwrap_or_default().to_owned();
        if matches!(self.bytes.get(self.at), Some(b'{' | b'(')) && !part.is_empty() {
            self.outline.open(&Name { parts: vec![part], at: name }, begin);
            self.contexts.push(Context::Function);
            self.at += 1;
        }
    }

    /// Goes past `( )`, if it comes next.
    fn skip_parentheses(&mut self) -> bool {
        let before = self.at;
        self.skip_blanks();
        if self.bytes.get(self.at) == Some(&b'(') {
            self.at += 1;
            self.skip_blanks();
            if self.bytes.get(self.at) == Some(&b')') {
                self.at += 1;
                return true;
            }
        }
        self.at = before;
        false
    }

    fn close_parenthesis(&mut self) {
        self.at += 1;
        match self.contexts.last() {
            Some(Context::Parentheses | Context::Substitution | Context::Function) => {
                self.leave();
                self.is_command = false;
            }
            _ => self.is_command = true,
        }
    }

    fn in_quotes(&mut self, byte: u8) {
        match byte {
            b'"' => {
                self.leave();
                self.at += 1;
            }
            b'\\' => self.at += 2,
            b'$' if self.dollar() => {}
            _ => self.at += 1,
        }
    }

    fn in_parameter(&mut self, byte: u8) {
        let is_quoted = self.contexts.iter().rev().nth(1) == Some(&Context::Quotes);
        match byte {
            b'}' => {
                self.leave();
                self.at += 1;
            }
            b'\\' => self.at += 2,
            b'"' => self.enter_argument(Context::Quotes, 1),
            b'\'' if !is_quoted => self.skip_quoted(b'\'', false),
            b'$' if self.dollar() => {}
            _ => self.at += 1,
        }
    }

    fn in_arithmetic(&mut self, byte: u8) {
        let Some(Context::Arithmetic(depth)) = self.contexts.last_mut() else {
            return;
        };
        match byte {
            b'(' => *depth += 1,
            b')' if *depth > 0 => *depth -= 1,
            b')' => {
                self.leave();
                self.at += usize::from(self.has("))"));
            }
            b'$' if self.dollar() => return,
            _ => {}
        }
        self.at += 1;
    }

    /// Enters what a `$` begins; whether it begins anything.
    fn dollar(&mut self) -> bool {
        if self.has("$((") {
            self.enter_argument(Context::Arithmetic(0), 3);
        } else if self.has("$(") {
            self.enter(Context::Substitution, 2);
        } else if self.has("${") {
            self.enter_argument(Context::Parameter, 2);
        } else if self.has("$'") && self.contexts.last() != Some(&Context::Quotes) {
            self.at += 1;
            self.skip_quoted(b'\'', true);
        } else {
            return false;
        }
        true
    }

    /// Enters `context`, whose opening is `length` bytes long, and in which commands stand.
    fn enter(&mut self, context: Context, length: usize) {
        self.contexts.push(context);
        self.at += length;
        self.is_command = true;
    }

    /// Enters `context`, after which the command goes on.
    fn enter_argument(&mut self, context: Context, length: usize) {
        self.enter(context, length);
        self.is_command = false;
    }

    fn leave(&mut self) {
        if self.contexts.pop() == Some(Context::Function) {
            self.outline.close(self.at);
        }
        self.is_command = false;
    }

    /// Takes `<< END` or `<<-END`.
    fn document(&mut self) {
        self.at += 2;
        let is_indented = self.bytes.get(self.at) == Some(&b'-');
        self.at += usize::from(is_indented);
        self.skip_blanks();
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(|byte| !b" \t\r\n;&|()<>".contains(byte)) {
            self.at += 1;
        }
        let end = self.text.get(start..self.at).unwrap_or_default().replace(['\'', '"', '\\'], "");
        if !end.is_empty() {
            self.documents.push(Document { end, is_indented });
        }
    }

    /// Goes past the here-documents that the line before has begun.
    fn skip_documents(&mut self) {
        for document in std::mem::take(&mut self.documents) {
            while self.at < self.bytes.len() {
                let start = self.at;
                self.skip_until(b'\n');
                let line = &self.text[start..self.at];
                self.at = self.bytes.len().min(self.at + 1);
                let line = line.strip_suffix('\r').unwrap_or(line);
                if document.end == if document.is_indented { line.trim_start_matches('\t') } else { line } {
                    break;
                }
            }
        }
    }

    /// Goes past a quotation; a backslash may escape in it.
    fn skip_quoted(&mut self, quote: u8, is_escaped: bool) {
        self.at += 1;
        while let Some(&byte) = self.bytes.get(self.at) {
            self.at += if is_escaped && byte == b'\\' { 2 } else { 1 };
            if byte == quote {
                return;
            }
        }
        self.at = self.bytes.len();
    }

    fn skip_blanks(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    fn skip_until(&mut self, end: u8) {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|&byte| byte == end).unwrap_or(rest.len());
    }

    fn has(&self, what: &str) -> bool {
        self.bytes[self.at..].starts_with(what.as_bytes())
    }

    /// Whether a word may begin here.
    fn is_word_start(&self) -> bool {
        self.at.checked_sub(1).is_none_or(|before| b" \t\r\n;&|()".contains(&self.bytes[before]))
    }
}
