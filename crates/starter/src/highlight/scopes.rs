//! The stack of scopes, and the tokens that it gives to the text of a line.

use super::Token;
use super::class::{CODE_ONLY, Class, INHERIT, OPERATOR, STRING};
use super::grammar::Clear;

/// The stack of scopes, as the codes of `build/scopes.rs`, each with the class that it resolves to.
#[derive(Debug, Default)]
pub struct Scopes {
    codes: Vec<u8>,
    /// The class of each scope, or `OPERATOR`, which depends on the text.
    meanings: Vec<u8>,
    /// The scopes that contexts have cleared.
    cleared: Vec<Vec<u8>>,
}

impl Scopes {
    fn top(&self) -> u8 {
        self.meanings.last().copied().unwrap_or(Class::Text as u8)
    }

    pub fn class(&self, text: &str) -> Class {
        match self.top() {
            OPERATOR if text.starts_with(|c: char| c.is_ascii_alphabetic()) => Class::Keyword,
            OPERATOR => Class::Punctuation,
            code => Class::ALL.get(usize::from(code)).copied().unwrap_or(Class::Text),
        }
    }

    /// Adds a scope.
    pub fn push(&mut self, code: u8) {
        const COMMENT: u8 = Class::Comment as u8;
        const QUOTED: [u8; 2] = [Class::String as u8, Class::Escape as u8];
        let around = self.top();
        let meaning = match code {
            INHERIT => around,
            // What looks like code in a comment is part of the comment.
            _ if around == COMMENT => around,
            STRING if around == Class::Key as u8 => around,
            STRING => Class::String as u8,
            OPERATOR => OPERATOR,
            code if code < CODE_ONLY => code,
            _ if QUOTED.contains(&around) => around,
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

    /// Removes the last `count` scopes.
    pub fn pop(&mut self, count: usize) {
        self.truncate(self.codes.len().saturating_sub(count));
    }

    fn truncate(&mut self, left: usize) {
        self.codes.truncate(left);
        self.meanings.truncate(left);
    }

    /// Removes scopes until `restore` is called.
    pub fn clear(&mut self, clear: Clear) {
        let left = match clear {
            Clear::None => return,
            Clear::All => 0,
            Clear::Top(count) => self.codes.len().saturating_sub(count),
        };
        self.cleared.push(self.codes.get(left..).unwrap_or_default().to_vec());
        self.truncate(left);
    }

    /// Adds the scopes that were last cleared again.
    pub fn restore(&mut self) {
        for code in self.cleared.pop().unwrap_or_default() {
            self.push(code);
        }
    }
}

/// Writes the tokens of a line from left to right.
#[derive(Debug)]
pub struct TokenWriter<'a> {
    line: &'a str,
    at: usize,
    tokens: &'a mut Vec<Token>,
    /// The index of the first token of the line. Only tokens from there on are merged.
    first: usize,
}

impl<'a> TokenWriter<'a> {
    /// Begins a line, which is given without its line end.
    pub fn new(line: &'a str, tokens: &'a mut Vec<Token>) -> Self {
        Self { line, at: 0, first: tokens.len(), tokens }
    }

    /// Gives the text up to byte `end` the class of the innermost scope.
    pub fn to(&mut self, end: usize, scopes: &Scopes) {
        let end = end.min(self.line.len());
        let Some(text) = self.line.get(self.at..end).filter(|text| !text.is_empty()) else {
            return;
        };
        self.at = end;
        let class = match scopes.class(text) {
            // The scope of a type annotation includes the space before the type.
            Class::Type if text.trim().is_empty() => Class::Text,
            class => class,
        };
        let len = u32::try_from(text.len()).unwrap_or(u32::MAX);
        match self.tokens.get_mut(self.first..).and_then(<[Token]>::last_mut) {
            Some(last) if last.class == class => last.len += len,
            _ => self.tokens.push(Token { len, class }),
        }
    }

    /// Writes the rest of the line.
    pub fn finish(mut self, scopes: &Scopes) {
        self.to(self.line.len(), scopes);
    }
}
