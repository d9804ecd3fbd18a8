//! Parses languages with braces: pairs the braces, also across the branches of `#if`, and finds the definition that each
//! pair belongs to. The tokens since the last `;`, `{` or `}` are a [`Header`], which determines what a `{` opens.
//!
//! Indentation is a second reading of the same text ([`Block`]): where it ends a definition on another line than the braces
//! do, the end is in doubt.

use super::Symbol;
use super::block::Block;
use super::branch::Branches;
use super::header::Header;
use super::language::{Dialect, Inside};
use super::outline::{Name, Outline};
use super::scan::{Kind, Token, column_of, is_word};

/// The maximum number of tokens between the parentheses and the braces of a function in C before 1989.
const LONGEST_PARAMETERS: usize = 200;

pub(super) fn symbols(text: &str, tokens: &[Token], dialect: Dialect) -> Vec<Symbol> {
    let mut parser = BraceParser {
        text,
        tokens,
        dialect,
        outline: Outline::new(text, dialect.separator(), false),
        header: Header::new(text, tokens, dialect),
        frames: Vec::new(),
        branches: Branches::default(),
        ended: Vec::new(),
    };
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Comment => parser.outline.comment(token.start..token.end),
            Kind::Directive => parser.directive(*token),
            _ => {
                if !parser.is_label(index) {
                    parser.line(*token);
                }
                parser.token(*token);
            }
        }
    }
    parser.end(parser.header.end());
    parser.close_all();
    parser.outline.finish()
}

struct BraceParser<'t> {
    text: &'t str,
    tokens: &'t [Token],
    dialect: Dialect,
    outline: Outline<'t>,
    header: Header<'t>,
    frames: Vec<Frame<'t>>,
    branches: Branches,
    /// The symbols that ended since the last line began, each with the column that the next line may not be beyond.
    ended: Vec<(usize, usize)>,
}

/// Braces, or parentheses around definitions, that are open.
struct Frame<'t> {
    inside: Inside,
    start: usize,
    /// The brace or parenthesis that closes them.
    end: &'static str,
    /// The header that continues after them.
    header: Option<Header<'t>>,
    block: Block,
}

impl<'t> BraceParser<'t> {
    fn inside(&self) -> Inside {
        self.frames.last().map_or(Inside::Items, |frame| frame.inside)
    }

    /// Replaces the header with an empty one; returns the old one.
    fn restart(&mut self) -> Header<'t> {
        std::mem::replace(&mut self.header, Header::new(self.text, self.tokens, self.dialect))
    }

    /// Returns the text of a token; empty if there is no such token.
    fn at(&self, index: usize) -> &'t str {
        self.tokens.get(index).map_or("", |token| &self.text[token.start..token.end])
    }

    /// Returns whether a token begins a label, which has an indentation of its own.
    fn is_label(&self, index: usize) -> bool {
        let has_labels = matches!(self.dialect, Dialect::C | Dialect::Go) && self.tokens[index].kind == Kind::Word;
        has_labels && (self.at(index + 1) == ":" || self.at(index + 2) == ":" && self.at(index) != "default")
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
            "}" => self.close(token),
            _ if !is_code => {}
            ";" if self.header.brackets == 0 && self.declares_parameter(token) => self.header.push_parameter(token),
            ";" if self.header.brackets == 0 => {
                self.end(token.end);
                if let Some(frame) = self.frames.last_mut().filter(|frame| frame.inside == Inside::Constants) {
                    frame.inside = Inside::Members;
                }
            }
            "(" if self.header.is_group() => self.open(token.start, ")"),
            ")" if self.header.brackets == 0 && self.frames.last().is_some_and(|frame| frame.end == ")") => {
                self.close(token);
            }
            _ => {
                if self.header.start.is_none() {
                    self.header.start = Some(self.outline.begin(token.start));
                }
                self.header.push(token);
            }
        }
    }

    /// Returns whether a `;` ends the declaration of a parameter in C before 1989, which stands between the parentheses and the
    /// braces of a function: nowhere else does a `{` follow a `;` outside of functions.
    fn declares_parameter(&self, token: Token) -> bool {
        if self.dialect != Dialect::C || self.inside() != Inside::Items || !self.header.may_have_parameters() {
            return false;
        }
        let next = self.tokens.partition_point(|known| known.start <= token.start);
        let mut before = ";";
        for index in (next..self.tokens.len()).take(LONGEST_PARAMETERS) {
            match (self.tokens[index].kind, self.at(index)) {
                (Kind::Comment, _) => {}
                (_, "{") => return before == ";",
                (Kind::Word | Kind::Literal, text) | (_, text @ (";" | "*" | "," | "[" | "]" | "(" | ")")) => {
                    before = text;
                }
                _ => return false,
            }
        }
        false
    }

    /// Compares the indentation of a line with the definitions that have ended, and with the block that is open. A string
    /// may be in any column.
    fn line(&mut self, first: Token) {
        let Some(column) = first.column.filter(|_| first.kind != Kind::Literal) else { return };
        let line = self.outline.line_of(first.start);
        for (symbol, most) in std::mem::take(&mut self.ended) {
            if column > most {
                self.outline.doubt(symbol, line);
            }
        }
        let block = self.frames.last_mut().map(|frame| &mut frame.block);
        if let Some(block) = block.filter(|_| !matches!(&self.text[first.start..first.end], "}" | ")")) {
            block.line(column, line);
        }
    }

    fn open(&mut self, start: usize, end: &'static str) {
        let inside = self.inside();
        if inside == Inside::Nothing {
            self.outline.open(&Name::default(), start);
            self.frames.push(Frame { inside, start, end, header: None, block: Block::default() });
            return;
        }
        let opens = self.header.opens(inside);
        self.outline.open(&opens.name, self.header.start.unwrap_or(start));
        let columns = [self.header.first().unwrap_or(start), opens.name.at.start, start];
        let block = Block::new(columns.map(|at| self.column_of(at)));
        let header = Some(self.restart()).filter(|_| opens.resumes);
        self.frames.push(Frame { inside: opens.inside, start, end, header, block });
    }

    fn close(&mut self, token: Token) {
        self.end(self.header.end());
        if self.branches.skips_end(self.frames.len()) {
            return;
        }
        let Some(frame) = self.frames.pop() else { return };
        let line = self.outline.line_of(token.start);
        let symbol = self.outline.close(token.end);
        match (symbol, frame.block.end(token.column, line)) {
            (Some(symbol), Ok(most)) => self.ended.push((symbol, most)),
            (Some(symbol), Err(line)) => self.outline.doubt(symbol, line),
            (None, _) => {}
        }
        if let Some(around) = self.frames.last_mut() {
            around.block.contains(&frame.block);
            if let Some(column) = token.column {
                around.block.line(column, line);
            }
        }
        if let Some(header) = frame.header {
            self.header = header;
            self.header.push_braces(frame.start, token.end);
        }
    }

    /// Ends what is still open at the end of the text, which is never certain.
    fn close_all(&mut self) {
        let end = self.text.trim_end().len();
        let last = self.outline.line_of(end.saturating_sub(1));
        while let Some(frame) = self.frames.pop() {
            if let Some(symbol) = self.outline.close(end) {
                self.outline.doubt(symbol, frame.block.end(None, last).err().unwrap_or(last));
            }
            if let Some(around) = self.frames.last_mut() {
                around.block.contains(&frame.block);
            }
        }
    }

    /// Ends a definition that has no braces before byte `end`.
    fn end(&mut self, end: usize) {
        let (inside, header) = (self.inside(), self.restart());
        let Some((start, first)) = header.start.zip(header.first()) else { return };
        for (name, is_declared) in header.declares(inside) {
            let symbol = self.outline.add(&name, start..end, is_declared);
            let doubt = self.dedent(name.at.end, end, self.column_of(first));
            if let Some((symbol, line)) = symbol.zip(doubt) {
                self.outline.doubt(symbol, line);
            }
        }
    }

    /// Returns the first line that begins between two bytes, before this column or in it, with something that does not end
    /// what is above.
    fn dedent(&self, start: usize, end: usize, column: usize) -> Option<usize> {
        let from = self.tokens.partition_point(|token| token.start < start);
        let tokens = self.tokens[from..].iter().take_while(|token| token.end <= end);
        let is_dedent = |token: &&Token| {
            let is_code = matches!(token.kind, Kind::Word | Kind::Mark) && token.column.is_some_and(|at| at <= column);
            is_code && !matches!(&self.text[token.start..token.end], ")" | "]" | "}" | ">" | "{" | "where")
        };
        tokens.into_iter().find(is_dedent).map(|token| self.outline.line_of(token.start))
    }

    /// Returns the column in which the line of a byte begins.
    fn column_of(&self, at: usize) -> usize {
        let line = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
        column_of(&self.text[line..])
    }

    fn directive(&mut self, token: Token) {
        // What only some branches have may have an indentation of its own.
        self.ended.clear();
        let text = &self.text[token.start..token.end];
        let rest = text[1..].trim_start();
        let word = rest.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        let rest = rest[word.len()..].trim_start();
        let open = match word {
            "if" | "ifdef" | "ifndef" => {
                let condition = rest.lines().next().unwrap_or_default();
                return self.branches.begin(word, condition, self.frames.len());
            }
            "else" | "elif" | "elifdef" | "elifndef" => self.branches.next(word == "else", self.frames.len()),
            "endif" => self.branches.end(self.frames.len()),
            "define" => return self.define(token, rest),
            _ => return,
        };
        while self.frames.len() > open {
            self.frames.pop();
            self.outline.discard();
            self.restart();
        }
    }

    /// Adds the macro that a directive defines if it has parameters, so that it is like a function.
    fn define(&mut self, token: Token, rest: &str) {
        let length = rest.bytes().take_while(|&byte| is_word(byte)).count();
        if length > 0 && rest[length..].starts_with('(') {
            let start = token.end - rest.len();
            let name = Name::plain(self.text, start..start + length);
            let begin = self.outline.begin(token.start);
            let end = self.text[..token.end].trim_end().len();
            self.outline.add_outermost(&name, begin..end);
        }
    }
}
