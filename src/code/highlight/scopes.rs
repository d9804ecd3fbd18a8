//! The scopes around a place, and the tokens they give to the text of a line.

use super::Token;
use super::class::{CODE_ONLY, Class, INHERIT, OPERATOR, STRING};
use super::grammar::Clear;

/// The scopes around a place, as the codes of `build/scopes.rs`, each with what it comes to where it stands.
#[derive(Debug, Default)]
pub struct Scopes {
    codes: Vec<u8>,
    /// A class, or `OPERATOR`, which only its text decides.
    meanings: Vec<u8>,
    /// What contexts have put aside.
    cleared: Vec<Vec<u8>>,
}

impl Scopes {
    fn top(&self) -> u8 {
        self.meanings.last().copied().unwrap_or(Class::Text as u8)
    }

    /// Adds a scope.
    pub fn push(&mut self, code: u8) {
        const COMMENT: u8 = Class::Comment as u8;
        const PROSE: [u8; 3] = [COMMENT, Class::String as u8, Class::Escape as u8];
        let around = self.top();
        let meaning = match code {
            INHERIT => around,
            STRING if around == Class::Key as u8 => around,
            STRING => Class::String as u8,
            OPERATOR => OPERATOR,
            code if code < CODE_ONLY => code,
            _ if PROSE.contains(&around) => around,
            code => code - CODE_ONLY,
        };
        self.codes.push(code);
        self.meanings.push(meaning);
    }

    /// Adds scopes in order.
    pub fn extend(&mut self, codes: &[u8]) {
        for &code in codes {
            self.push(code);
        }
    }

    /// Takes away the last so many scopes.
    pub fn pop(&mut self, count: usize) {
        self.truncate(self.codes.len().saturating_sub(count));
    }

    fn truncate(&mut self, left: usize) {
        self.codes.truncate(left);
        self.meanings.truncate(left);
    }

    /// Puts scopes aside until `restore`.
    pub fn clear(&mut self, clear: Clear) {
        let left = match clear {
            Clear::None => return,
            Clear::All => 0,
            Clear::Top(count) => self.codes.len().saturating_sub(count),
        };
        self.cleared.push(self.codes.get(left..).unwrap_or_default().to_vec());
        self.truncate(left);
    }

    /// Takes back what was last put aside.
    pub fn restore(&mut self) {
        for code in self.cleared.pop().unwrap_or_default() {
            self.push(code);
        }
    }
}

/// Cuts a line into tokens as the scopes around its pieces become known, from left to right.
#[derive(Debug)]
pub struct Painter<'a> {
    line: &'a str,
    at: usize,
    tokens: &'a mut Vec<Token>,
    /// Where the line's tokens begin: only these are merged.
    first: usize,
}

impl<'a> Painter<'a> {
    /// For the text of a line without its line end.
    pub fn new(line: &'a str, tokens: &'a mut Vec<Token>) -> Self {
        Self { line, at: 0, first: tokens.len(), tokens }
    }

    /// Gives the text up to a place, in bytes, the class of the scopes around it.
    pub fn to(&mut self, end: usize, scopes: &Scopes) {
        let end = end.min(self.line.len());
        let Some(text) = self.line.get(self.at..end).filter(|text| !text.is_empty()) else {
            return;
        };
        self.at = end;
        let code = match scopes.top() {
            OPERATOR if text.starts_with(|c: char| c.is_ascii_alphabetic()) => Class::Keyword as u8,
            OPERATOR => Class::Punctuation as u8,
            code => code,
        };
        let class = match Class::ALL.get(usize::from(code)) {
            // An annotation is a type from its colon on; the space before it is not.
            Some(Class::Type) if text.trim().is_empty() => Class::Text,
            class => class.copied().unwrap_or(Class::Text),
        };
        let len = u32::try_from(text.len()).unwrap_or(u32::MAX);
        match self.tokens.get_mut(self.first..).and_then(<[Token]>::last_mut) {
            Some(last) if last.class == class => last.len += len,
            _ => self.tokens.push(Token { len, class }),
        }
    }

    /// Paints what is left of the line.
    pub fn finish(mut self, scopes: &Scopes) {
        self.to(self.line.len(), scopes);
    }
}
