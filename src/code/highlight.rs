//! Highlighting: a text to the class of every run of it, line by line.
//!
//! The only code that knows how syntaxes are compiled. They are Sublime Text's definitions, linked and packed by the
//! build script (`build/syntaxes.rs`), and read by a state machine that gives the same answers as syntect in a sixth
//! of the time: instead of searching the line for each pattern it goes through the line once, and tries at each place
//! only the patterns that could match there. What such a place is like is worked out beforehand (`build/guard.rs`).
//!
//! Bounds: a line longer than [`LONGEST_LINE`] bytes is plain text and does not disturb the rest; a match may do so
//! much work and no more; a syntax that cannot go on leaves the rest of the file plain.

mod class;
mod grammar;
mod groups;
mod language;
mod parser;
mod pattern;
mod scopes;
#[cfg(test)]
mod tests;

pub use class::Class;
pub use language::{Language, by_path, by_token};

/// Longer lines, in bytes without the line end, are not highlighted.
pub const LONGEST_LINE: usize = 4096;

/// A run of text of one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Token {
    /// Its length in bytes; never 0.
    pub len: u32,
    /// What it is.
    pub class: Class,
}

/// The tokens of every line of a text. Those of a line cover exactly its text without its line end (`\n` or `\r\n`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Highlighted {
    tokens: Vec<Token>,
    /// Where the tokens of each line end.
    ends: Vec<u32>,
}

impl Highlighted {
    /// The tokens of a line, numbered from 0; none for a line that is empty or not there.
    #[must_use]
    pub fn line(&self, line: usize) -> &[Token] {
        let end = |line: usize| self.ends.get(line).map(|&end| end as usize);
        let start = line.checked_sub(1).map_or(Some(0), end);
        start.zip(end(line)).and_then(|(start, end)| self.tokens.get(start..end)).unwrap_or_default()
    }

    /// How many lines there are. A final line end does not make a line.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no line.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn plain(&mut self, line: &str) {
        // A line that does not fit is cut into tokens that do.
        let pieces = line.as_bytes().chunks(u32::MAX as usize).filter_map(|piece| u32::try_from(piece.len()).ok());
        self.tokens.extend(pieces.map(|len| Token { len, class: Class::Text }));
    }

    fn shrink(&mut self) {
        self.tokens.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    fn end_line(&mut self) {
        self.ends.push(u32::try_from(self.tokens.len()).unwrap_or(u32::MAX));
    }
}

/// The classes of a text in a language; all plain in none.
#[must_use]
pub fn highlight(language: Option<Language>, text: &str) -> Highlighted {
    let mut out = Highlighted::default();
    let mut parser = language.and_then(Language::parser);
    let mut fed = String::new();
    for line in text.lines() {
        let first = out.tokens.len();
        let understood = line.len() <= LONGEST_LINE
            && parser.as_mut().is_some_and(|parser| {
                fed.clear();
                fed.extend([line, "\n"]);
                parser.line(&fed, &mut out.tokens).is_ok()
            });
        if !understood {
            out.tokens.truncate(first);
            out.plain(line);
            parser = parser.filter(|_| line.len() > LONGEST_LINE);
        }
        out.end_line();
    }
    out.shrink();
    out
}
