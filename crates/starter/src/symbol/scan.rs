//! Splits a text into tokens, in all languages. The highlighter has already found the comments, strings, patterns and the
//! text of markup; what is left is code, which consists of words, numbers and marks.

use super::language::Dialect;
use crate::highlight::{self, Class, Highlighted, LONGEST_LINE};
use infralens_source::source::lines_from;

/// Returns whether a byte is part of a word; all characters beyond ASCII are.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name or a keyword.
    Word,
    /// A number, string, character, regular expression, lifetime or a piece of a template.
    Literal,
    /// `::`, `->`, `=>`, `==`, `!=`, `>=` or any other single character.
    Mark,
    Comment,
    /// A preprocessor directive, with the lines that continue it and the text that it switches off.
    Directive,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
    /// The column in which its line begins, if it is the first token there and not inside a string or a comment.
    pub column: Option<usize>,
}

/// Returns the column in which the text of a line begins.
pub(super) fn column_of(line: &str) -> usize {
    let space = line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t'));
    space.fold(0, |column, byte| if byte == b'\t' { (column / 8 + 1) * 8 } else { column + 1 })
}

/// What ends a word of the shell.
const SHELL_MARKS: &[u8] = b" \t\r\n;&|()<>=$'\"`\\";
/// The marks of two characters.
const DOUBLE: [&str; 6] = ["::", "->", "=>", "==", "!=", ">="];

/// What a run of text of one class is to the symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Run {
    Code,
    Comment,
    /// Part of a string, or of a pattern.
    Quoted,
    /// Text of markup, which belongs to no token.
    Prose,
}

impl Run {
    fn of(class: Class) -> Self {
        match class {
            Class::Comment => Self::Comment,
            Class::String | Class::Escape => Self::Quoted,
            Class::Prose => Self::Prose,
            _ => Self::Code,
        }
    }
}

/// Returns the tokens of a text, without the line that names an interpreter. A line that is too long to be highlighted has
/// none, because its strings are unknown.
pub(super) fn scan(text: &str, highlighted: &Highlighted, dialect: Dialect) -> Vec<Token> {
    let mut scan = Scan { text, dialect, at: 0, end: 0, column: None, tokens: Vec::new() };
    // Whether a directive of the preprocessor, or a comment or string, continues on the next line.
    let (mut in_directive, mut inside) = (false, Run::Code);
    for (number, (start, line)) in lines_from(text, 0).enumerate() {
        let line = line.trim_end_matches(['\n', '\r']);
        let is_interpreter = number == 0 && line.starts_with("#!") && !line.starts_with("#![");
        let runs = runs(highlighted, number, start);
        scan.column = Some(column_of(line)).filter(|_| matches!(inside, Run::Code | Run::Prose));
        in_directive |= dialect == Dialect::C && scan.begins_directive(line, start, &runs);
        if in_directive {
            scan.extend(start + line.len());
            in_directive = line.ends_with('\\');
        } else if !is_interpreter && line.len() <= LONGEST_LINE {
            for (run, from, to) in runs {
                scan.run(run, from, to, inside);
                inside = Run::Code;
            }
        }
        inside = Run::of(highlighted.class_after(number));
    }
    scan.tokens
}

/// Returns the runs of a line that begins at byte `at`, each with its bytes.
fn runs(highlighted: &Highlighted, line: usize, mut at: usize) -> Vec<(Run, usize, usize)> {
    let of_run = highlighted.line(line).chunk_by(|one, next| Run::of(one.class) == Run::of(next.class));
    let run = |tokens: &[highlight::Token]| {
        let start = at;
        at += tokens.iter().map(|token| token.len as usize).sum::<usize>();
        (Run::of(tokens[0].class), start, at)
    };
    of_run.map(run).collect()
}

struct Scan<'t> {
    text: &'t str,
    dialect: Dialect,
    at: usize,
    /// The end of the code that is being read.
    end: usize,
    /// The column of the line, before its first token.
    column: Option<usize>,
    tokens: Vec<Token>,
}

impl Scan<'_> {
    fn rest(&self) -> &[u8] {
        &self.text.as_bytes()[self.at..self.end]
    }

    /// Moves past all bytes that pass `test`.
    fn pass(&mut self, test: impl Fn(u8) -> bool) {
        self.at += self.rest().iter().position(|&byte| !test(byte)).unwrap_or(self.rest().len());
    }

    fn push(&mut self, kind: Kind, start: usize, end: usize) {
        self.tokens.push(Token { kind, start, end, column: self.column.take() });
    }

    /// Moves the end of the last token.
    fn extend(&mut self, end: usize) {
        if let Some(last) = self.tokens.last_mut() {
            last.end = end;
        }
    }

    /// Begins the directive that a line at byte `start` consists of, if there is one.
    fn begins_directive(&mut self, line: &str, start: usize, runs: &[(Run, usize, usize)]) -> bool {
        let at = start + line.len() - line.trim_start().len();
        let is_code = || runs.iter().any(|&(run, from, to)| run == Run::Code && (from..to).contains(&at));
        let begins = self.text[at..].starts_with('#') && is_code();
        if begins {
            self.push(Kind::Directive, at, at);
        }
        begins
    }

    /// Reads a run. `inside` is what the line began in, if this is its first run.
    fn run(&mut self, run: Run, start: usize, end: usize, inside: Run) {
        let text = &self.text[start..end];
        let kind = match run {
            Run::Prose => return self.column = None,
            Run::Code => return self.code(start, end),
            Run::Comment => Kind::Comment,
            Run::Quoted => Kind::Literal,
        };
        // What a directive switches off is a comment, too.
        let is_same = |last: &Token| last.kind == kind || last.kind == Kind::Directive && run == Run::Comment;
        if inside == run && self.tokens.last().is_some_and(is_same) {
            self.extend(end);
        } else if !text.trim().is_empty() {
            self.push(kind, start + text.len() - text.trim_start().len(), end);
        }
    }

    fn code(&mut self, start: usize, end: usize) {
        (self.at, self.end) = (start, end);
        while let Some(&first) = self.rest().first() {
            let start = self.at;
            if first.is_ascii_whitespace() {
                self.at += 1;
            } else {
                let kind = self.read(first);
                self.push(kind, start, self.at);
            }
        }
    }

    /// Moves past a token that begins with `first`; returns its kind.
    fn read(&mut self, first: u8) -> Kind {
        match (first, self.dialect) {
            (b'\'', Dialect::Rust) => {
                self.at += 1;
                self.pass(is_word);
                Kind::Literal
            }
            // A quote in a C++ number separates its digits.
            (b'0'..=b'9', dialect) => {
                self.pass(|byte| is_word(byte) || byte == b'\'' && dialect == Dialect::C);
                Kind::Literal
            }
            (_, Dialect::Shell) if !SHELL_MARKS.contains(&first) => self.word_of_shell(),
            (_, dialect) if dialect != Dialect::Shell && (is_word(first) || first == b'$') => {
                self.at += raw_prefix(self.rest()).filter(|_| dialect == Dialect::Rust).unwrap_or(0);
                self.pass(|byte| is_word(byte) || byte == b'$');
                Kind::Word
            }
            _ => {
                let is_double = DOUBLE.iter().any(|mark| self.rest().starts_with(mark.as_bytes()));
                self.at += if is_double { 2 } else { 1 };
                Kind::Mark
            }
        }
    }

    /// Moves past a word of the shell. A brace is a keyword only where it is a whole word.
    fn word_of_shell(&mut self) -> Kind {
        let (text, start) = (self.text, self.at);
        let before = text.as_bytes()[..start].last();
        let is_in_word = before.is_some_and(|byte| !b" \t\r\n;&|()".contains(byte));
        self.pass(|byte| !SHELL_MARKS.contains(&byte));
        let is_brace = matches!(&text[start..self.at], "{" | "}");
        if is_brace && !is_in_word { Kind::Mark } else { Kind::Word }
    }
}

/// Returns the length of the `r#` in front of a raw identifier of Rust, such as `r#match`.
fn raw_prefix(text: &[u8]) -> Option<usize> {
    let name = text.strip_prefix(b"r#")?;
    name.first().is_some_and(|&byte| is_word(byte)).then_some(2)
}
