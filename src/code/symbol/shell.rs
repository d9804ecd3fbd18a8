//! Shell: functions, found by the words that are commands. Of quotes, substitutions and here-documents only the ends matter.

use std::ops::Range;

use super::Symbol;
use super::language::Dialect;
use super::outline::{Name, Outline};
use super::scan::Cursor;

/// Keywords that a command follows.
const BEFORE_COMMAND: [&str; 13] =
    ["then", "do", "else", "elif", "if", "while", "until", "!", "time", "for", "coproc", "{", "}"];

/// The functions of a shell script.
pub(super) fn symbols(text: &str) -> Vec<Symbol> {
    let mut reader = Reader {
        cursor: Cursor::new(text),
        outline: Outline::new(text, Dialect::Shell.separator(), false),
        open: Vec::new(),
        is_command: true,
        documents: Vec::new(),
    };
    while let Some(byte) = reader.cursor.byte() {
        reader.read(byte);
    }
    reader.outline.finish()
}

struct Reader<'t> {
    cursor: Cursor<'t>,
    outline: Outline<'t>,
    /// What ends each group and `case` around, and whether it is the body of a function.
    open: Vec<(&'static str, bool)>,
    /// Whether the next word is a command or a keyword, and not an argument.
    is_command: bool,
    /// The ends of the here-documents that begin with the next line, and whether tabs may be before each.
    documents: Vec<(String, bool)>,
}

impl Reader<'_> {
    fn read(&mut self, byte: u8) {
        let start = self.cursor.at;
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
                self.open.push((")", false));
                self.is_command = true;
            }
            b')' => {
                self.cursor.step(1);
                // Where it closes nothing, it ends a pattern of `case`.
                self.is_command = !self.close(")");
            }
            b'<' if self.cursor.has("<<<") => self.cursor.step(3),
            b'<' if self.cursor.has("<<") => self.document(),
            b' ' | b'\t' | b'\r' | b'<' | b'>' => self.cursor.step(1),
            b'#' => {
                self.cursor.pass_line();
                self.outline.comment(start..self.cursor.at);
            }
            _ if self.is_command && self.function() => {}
            _ => {
                self.pass_word();
                if std::mem::replace(&mut self.is_command, false) {
                    self.command(self.cursor.slice(start..self.cursor.at));
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
            if byte == b'\\' {
                self.cursor.step(2);
            } else if !self.cursor.pass_string(Dialect::Shell.strings()) {
                self.cursor.step(1);
            }
        }
    }

    /// Moves past the head of a function and what opens its body; whether there is one.
    fn function(&mut self) -> bool {
        let start = self.cursor.at;
        let head = self.head().filter(|name| !name.is_empty()).zip(self.cursor.byte());
        let Some((name, body @ (b'{' | b'('))) = head else {
            self.cursor.at = start;
            return false;
        };
        let begin = self.outline.begin(start);
        self.outline.open(&Name::plain(self.cursor.text, name), begin);
        self.open.push((if body == b'{' { "}" } else { ")" }, true));
        self.cursor.step(1);
        true
    }

    /// Moves past `name ( )` or `function name`, with what is between it and the body; returns the place of the name.
    fn head(&mut self) -> Option<Range<usize>> {
        let is_blank = |byte| matches!(byte, b' ' | b'\t');
        let has_keyword = self.cursor.has("function ") || self.cursor.has("function\t");
        if has_keyword {
            self.cursor.step("function".len());
            self.cursor.pass(is_blank);
        }
        let start = self.cursor.at;
        self.cursor.pass(|byte| !is_end(byte) && (has_keyword || !b"=$'\"`\\".contains(&byte)));
        let name = start..self.cursor.at;
        self.cursor.pass(is_blank);
        if self.cursor.has("(") {
            self.cursor.step(1);
            self.cursor.pass(is_blank);
            self.cursor.has(")").then(|| self.cursor.step(1))?;
        } else if !has_keyword {
            return None;
        }
        self.cursor.pass(|byte| byte.is_ascii_whitespace());
        while self.cursor.has("#") {
            self.cursor.pass_line();
            self.cursor.pass(|byte| byte.is_ascii_whitespace());
        }
        Some(name)
    }

    /// Takes the first word of a command.
    fn command(&mut self, word: &str) {
        self.is_command = BEFORE_COMMAND.contains(&word);
        match word {
            "{" => self.open.push(("}", false)),
            "case" => self.open.push(("esac", false)),
            "}" | "esac" => {
                self.close(word);
                self.is_command = true;
            }
            _ => {}
        }
    }

    /// Closes the innermost of what is open, if `end` ends that.
    fn close(&mut self, end: &str) -> bool {
        let closed = self.open.pop_if(|(expected, _)| *expected == end);
        if let Some((_, true)) = closed {
            self.outline.close(self.cursor.at);
        }
        closed.is_some()
    }

    /// Takes `<< END` or `<<-END`.
    fn document(&mut self) {
        self.cursor.step(2);
        let is_indented = self.cursor.has("-");
        self.cursor.step(usize::from(is_indented));
        self.cursor.pass(|byte| matches!(byte, b' ' | b'\t'));
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
