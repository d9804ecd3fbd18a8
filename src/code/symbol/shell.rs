//! Shell: functions, found by the words that are commands. Of quotes, substitutions and here-documents only the ends matter.

use std::ops::Range;

use super::Symbol;
use super::cursor::{Cursor, Quoted};
use super::outline::{Name, Outline};

/// The functions of a shell script.
pub(super) fn symbols(text: &str) -> Vec<Symbol> {
    let mut reader = Reader {
        cursor: Cursor::new(text),
        outline: Outline::new(text, ".", false),
        open: Vec::new(),
        is_command: true,
        documents: Vec::new(),
    };
    while let Some(byte) = reader.cursor.byte() {
        reader.read(byte);
    }
    reader.outline.finish()
}

/// What is open around.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    /// `{`, and whether it begins the body of a function.
    Brace(bool),
    /// `(`, and whether it begins the body of a function.
    Parenthesis(bool),
    /// `case … esac`, whose patterns end with `)`.
    Case,
}

struct Reader<'t> {
    cursor: Cursor<'t>,
    outline: Outline<'t>,
    open: Vec<Open>,
    /// Whether the next word is a command or a keyword, and not an argument.
    is_command: bool,
    /// The ends of the here-documents that begin with the next line, and whether tabs may be before each.
    documents: Vec<(String, bool)>,
}

/// Keywords that a command follows.
const BEFORE_COMMAND: [&str; 11] = ["then", "do", "else", "elif", "if", "while", "until", "!", "time", "for", "coproc"];

impl Reader<'_> {
    fn read(&mut self, byte: u8) {
        match byte {
            b'\n' => {
                self.cursor.step(1);
                self.is_command = true;
                self.pass_documents();
            }
            b';' | b'&' | b'|' => {
                self.cursor.step(1);
                self.is_command = true;
            }
            b'(' if self.cursor.has("((") => self.pass_arithmetic(),
            b'(' => {
                self.cursor.step(1);
                self.open.push(Open::Parenthesis(false));
                self.is_command = true;
            }
            b')' => {
                self.cursor.step(1);
                let is_pattern = !matches!(self.open.last(), Some(Open::Parenthesis(_)));
                self.is_command = is_pattern;
                if !is_pattern {
                    self.close();
                }
            }
            b'<' if self.cursor.has("<<<") => self.cursor.step(3),
            b'<' if self.cursor.has("<<") => self.document(),
            b' ' | b'\t' | b'\r' | b'<' | b'>' => self.cursor.step(1),
            b'#' => {
                let start = self.cursor.at;
                self.cursor.pass_line();
                self.outline.comment(start..self.cursor.at);
            }
            _ => {
                let start = self.cursor.at;
                self.pass_word();
                if std::mem::replace(&mut self.is_command, false) {
                    self.command(start..self.cursor.at);
                }
            }
        }
    }

    /// Moves past `(( … ))`.
    fn pass_arithmetic(&mut self) {
        let mut depth = 0_usize;
        while let Some(byte) = self.cursor.byte() {
            self.cursor.step(1);
            match byte {
                b'(' => depth += 1,
                b')' if depth == 1 => return,
                b')' => depth -= 1,
                _ => {}
            }
        }
    }

    fn pass_word(&mut self) {
        while let Some(byte) = self.cursor.byte().filter(|&byte| !is_end(byte)) {
            match byte {
                b'\\' => self.cursor.step(2),
                b'\'' => self.cursor.pass_quoted("'", Quoted::Raw),
                b'"' => self.cursor.pass_quoted("\"", Quoted::Lines),
                b'`' => self.cursor.pass_quoted("`", Quoted::Lines),
                b'$' if self.cursor.has("$'") => {
                    self.cursor.step(1);
                    self.cursor.pass_quoted("'", Quoted::Lines);
                }
                _ => self.cursor.step(1),
            }
        }
    }

    /// Takes the first word of a command.
    fn command(&mut self, word: Range<usize>) {
        match self.cursor.slice(word.clone()) {
            "{" => {
                self.open.push(Open::Brace(false));
                self.is_command = true;
            }
            "}" => {
                if matches!(self.open.last(), Some(Open::Brace(_))) {
                    self.close();
                }
                self.is_command = true;
            }
            "case" => self.open.push(Open::Case),
            "esac" => {
                self.open.pop_if(|open| *open == Open::Case);
                self.is_command = true;
            }
            "function" => {
                self.cursor.pass_blanks();
                let name = self.cursor.at;
                self.cursor.pass(|byte| !is_end(byte));
                let name = name..self.cursor.at;
                self.pass_parentheses();
                self.function(word.start, name);
            }
            keyword if BEFORE_COMMAND.contains(&keyword) => self.is_command = true,
            name => {
                let is_name = !name.is_empty() && !name.contains(['=', '$', '\'', '"', '`', '\\']);
                if is_name && self.pass_parentheses() {
                    self.function(word.start, word);
                }
            }
        }
    }

    /// Takes the head of a function, which begins at byte `start`; its body comes next.
    fn function(&mut self, start: usize, name: Range<usize>) {
        let begin = self.outline.begin(start);
        self.cursor.pass(|byte| byte.is_ascii_whitespace());
        while self.cursor.byte() == Some(b'#') {
            self.cursor.pass_line();
            self.cursor.pass(|byte| byte.is_ascii_whitespace());
        }
        self.is_command = true;
        let part = self.cursor.slice(name.clone()).to_owned();
        let body = match self.cursor.byte() {
            Some(b'{') => Open::Brace(true),
            Some(b'(') => Open::Parenthesis(true),
            _ => return,
        };
        if !part.is_empty() {
            self.outline.open(&Name { parts: vec![part], at: name }, begin);
            self.open.push(body);
            self.cursor.step(1);
        }
    }

    /// Moves past `( )`, if it comes next.
    fn pass_parentheses(&mut self) -> bool {
        let before = self.cursor.at;
        self.cursor.pass_blanks();
        if self.cursor.has("(") {
            self.cursor.step(1);
            self.cursor.pass_blanks();
            if self.cursor.has(")") {
                self.cursor.step(1);
                return true;
            }
        }
        self.cursor.at = before;
        false
    }

    fn close(&mut self) {
        if let Some(Open::Brace(true) | Open::Parenthesis(true)) = self.open.pop() {
            self.outline.close(self.cursor.at);
        }
    }

    /// Takes `<< END` or `<<-END`.
    fn document(&mut self) {
        self.cursor.step(2);
        let is_indented = self.cursor.has("-");
        self.cursor.step(usize::from(is_indented));
        self.cursor.pass_blanks();
        let start = self.cursor.at;
        self.cursor.pass(|byte| !is_end(byte));
        let end = self.cursor.slice(start..self.cursor.at).replace(['\'', '"', '\\'], "");
        if !end.is_empty() {
            self.documents.push((end, is_indented));
        }
    }

    /// Moves past the here-documents that the line before has begun.
    fn pass_documents(&mut self) {
        for (end, is_indented) in std::mem::take(&mut self.documents) {
            while self.cursor.byte().is_some() {
                let start = self.cursor.at;
                self.cursor.pass_line();
                let line = self.cursor.slice(start..self.cursor.at).trim_end_matches('\r');
                self.cursor.step(1);
                if end == if is_indented { line.trim_start_matches('\t') } else { line } {
                    break;
                }
            }
        }
    }
}

/// Returns whether a byte ends a word.
fn is_end(byte: u8) -> bool {
    b" \t\r\n;&|()<>".contains(&byte)
}
