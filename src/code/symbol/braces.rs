//! Parses languages with braces: pairs the braces, also across the branches of `#if`, and finds the definition that each
//! pair belongs to. The tokens since the last `;`, `{` or `}` are a [`Header`], which determines what a `{` opens.

use super::Symbol;
use super::header::Header;
use super::language::{Dialect, Inside};
use super::outline::{Name, Outline};
use super::scan::{Kind, Scan, Token, is_word};

/// Returns the symbols of a text.
pub(super) fn symbols(text: &str, dialect: Dialect) -> Vec<Symbol> {
    let mut parser = BraceParser {
        text,
        dialect,
        outline: Outline::new(text, dialect.separator(), false),
        header: Header::new(text, dialect),
        frames: Vec::new(),
        branches: Vec::new(),
        surplus: 0,
    };
    for token in Scan::new(text, dialect) {
        match token.kind {
            Kind::Comment => parser.outline.comment(token.start..token.end),
            Kind::Directive => parser.directive(token),
            _ => parser.token(token),
        }
    }
    parser.end(parser.header.end());
    parser.outline.finish()
}

struct BraceParser<'t> {
    text: &'t str,
    dialect: Dialect,
    outline: Outline<'t>,
    header: Header<'t>,
    frames: Vec<Frame<'t>>,
    /// For each open `#if`, the number of frames that were open before it.
    branches: Vec<usize>,
    /// The number of `}` to ignore, because an earlier branch has closed their frames.
    surplus: usize,
}

/// Braces, or parentheses around definitions, that are open.
struct Frame<'t> {
    inside: Inside,
    start: usize,
    /// The brace or parenthesis that closes them.
    end: &'static str,
    /// The header that continues after them.
    header: Option<Header<'t>>,
}

impl<'t> BraceParser<'t> {
    fn inside(&self) -> Inside {
        self.frames.last().map_or(Inside::Items, |frame| frame.inside)
    }

    fn is_in_parentheses(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.end == ")")
    }

    /// Replaces the header with an empty one; returns the old one.
    fn restart(&mut self) -> Header<'t> {
        std::mem::replace(&mut self.header, Header::new(self.text, self.dialect))
    }

    fn token(&mut self, token: Token) {
        let text = if token.kind == Kind::Mark { &self.text[token.start..token.end] } else { "" };
        let is_code = self.inside() != Inside::Nothing;
        if is_code && self.header.is_over(token) {
            self.end(self.header.end());
        }
        match text {
            "{" | "}" if self.header.is_command() => self.header.push(token),
            "{" => self.open(token.start, "}"),
            "}" => self.close(token.end),
            _ if !is_code => {}
            ";" if self.header.brackets == 0 => {
                self.end(token.end);
                if let Some(frame) = self.frames.last_mut().filter(|frame| frame.inside == Inside::Constants) {
                    frame.inside = Inside::Members;
                }
            }
            "(" if self.header.is_group() => self.open(token.start, ")"),
            ")" if self.header.brackets == 0 && self.is_in_parentheses() => self.close(token.end),
            _ => {
                if self.header.start.is_none() {
                    self.header.start = Some(self.outline.begin(token.start));
                }
                self.header.push(token);
            }
        }
    }

    fn open(&mut self, start: usize, end: &'static str) {
        let inside = self.inside();
        if inside == Inside::Nothing {
            self.outline.open(&Name::default(), start);
            self.frames.push(Frame { inside, start, end, header: None });
            return;
        }
        let opens = self.header.opens(inside);
        self.outline.open(&opens.name, self.header.start.unwrap_or(start));
        let header = Some(self.restart()).filter(|_| opens.resumes);
        self.frames.push(Frame { inside: opens.inside, start, end, header });
    }

    fn close(&mut self, end: usize) {
        self.end(self.header.end());
        if self.surplus > 0 {
            self.surplus -= 1;
        } else if let Some(frame) = self.frames.pop() {
            self.outline.close(end);
            if let Some(header) = frame.header {
                self.header = header;
                self.header.push_braces(frame.start, end);
            }
        }
    }

    /// Ends a definition that has no braces before byte `end`.
    fn end(&mut self, end: usize) {
        let (inside, header) = (self.inside(), self.restart());
        let Some(start) = header.start else { return };
        for (name, is_declared) in header.declares(inside) {
            self.outline.add(&name, start..end, is_declared);
        }
    }

    fn directive(&mut self, token: Token) {
        let text = &self.text[token.start..token.end];
        let rest = text[1..].trim_start();
        let word = rest.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        match word {
            "if" | "ifdef" | "ifndef" => self.branches.push(self.frames.len()),
            "else" | "elif" | "elifdef" | "elifndef" => self.branch(),
            "endif" => {
                self.branches.pop();
                self.surplus = 0;
            }
            "define" => {
                let rest = rest[word.len()..].trim_start();
                let length = rest.bytes().take_while(|&byte| is_word(byte)).count();
                // Only what has parameters is like a function.
                if length > 0 && rest[length..].starts_with('(') {
                    let start = token.end - rest.len();
                    let name = Name::plain(self.text, start..start + length);
                    let begin = self.outline.begin(token.start);
                    self.outline.add_outermost(&name, begin..token.start + text.trim_end().len());
                }
            }
            _ => {}
        }
    }

    /// Removes the scopes that the previous branch opened, and expects those that it closed to be closed again.
    fn branch(&mut self) {
        let Some(&before) = self.branches.last() else { return };
        while self.frames.len() > before {
            self.frames.pop();
            self.outline.discard();
            self.restart();
        }
        self.surplus = before - self.frames.len();
    }
}
