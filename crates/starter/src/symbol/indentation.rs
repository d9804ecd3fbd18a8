//! Parses Python: finds definitions and their ends by the indentation of logical lines.

use std::ops::Range;

use super::Symbol;
use super::language::Dialect;
use super::outline::{Name, Outline};
use super::scan::{Kind, Token, is_word};

/// Returns the classes, functions and methods of a Python file.
pub(super) fn symbols(text: &str, tokens: &[Token]) -> Vec<Symbol> {
    let mut parser = IndentationParser {
        text,
        outline: Outline::new(text, Dialect::Python.separator(), true),
        indents: Vec::new(),
        decorated: None,
        depth: 0,
        last: None,
        code_end: 0,
        comments: Vec::new(),
    };
    for token in tokens {
        parser.token(*token);
    }
    let doubt = (parser.depth > 0).then_some(parser.code_end);
    parser.close(0, doubt);
    parser.outline.finish()
}

struct IndentationParser<'t> {
    text: &'t str,
    outline: Outline<'t>,
    /// The indentation of each open definition, outer ones first.
    indents: Vec<usize>,
    /// Where the decorators of the next definition begin.
    decorated: Option<usize>,
    /// How many brackets are open.
    depth: usize,
    last: Option<Token>,
    /// The end of the last token that is not a comment.
    code_end: usize,
    /// The comments after it: the indentation and the end of each.
    comments: Vec<(usize, usize)>,
}

impl IndentationParser<'_> {
    fn token(&mut self, token: Token) {
        let text = &self.text[token.start..token.end];
        let indent = token.column;
        if token.kind == Kind::Comment {
            self.outline.comment(token.start..token.end);
            self.comments.extend(indent.map(|indent| (indent, token.end)));
        } else {
            if let Some(indent) = indent {
                self.line(token, indent);
            }
            match text {
                _ if token.kind != Kind::Mark => {}
                "(" | "[" | "{" => self.depth += 1,
                ")" | "]" | "}" => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            self.comments.clear();
            self.code_end = token.end;
        }
        self.last = Some(token);
    }

    /// Handles the first token of a line. It begins a logical line unless a bracket or a backslash continues the previous
    /// one. Brackets contain no definitions, so a bracket that is open before a definition was never closed.
    fn line(&mut self, first: Token, indent: usize) {
        let definition = definition(&self.text[first.start..]);
        let is_continued = self.last.is_some_and(|last| &self.text[last.start..last.end] == "\\");
        if is_continued || self.depth > 0 && definition.is_none() {
            return;
        }
        let is_broken = std::mem::take(&mut self.depth) > 0;
        if is_broken {
            self.code_end = first.start - indent.min(first.start);
        }
        self.close(indent, is_broken.then_some(first.start));
        if let Some(name) = definition {
            let begin = self.outline.begin(first.start);
            let name = Name::plain(self.text, first.start + name.start..first.start + name.end);
            self.outline.open(&name, self.decorated.take().unwrap_or(begin));
            self.indents.push(indent);
        } else if self.text[first.start..].starts_with('@') {
            let begin = self.outline.begin(first.start);
            self.decorated.get_or_insert(begin);
        } else {
            self.decorated = None;
        }
    }

    /// Closes the definitions that end before a line of this indentation. Comments with more indentation than a
    /// definition belong to it. `doubt` is a byte at which a bracket is still open that was opened in them.
    fn close(&mut self, indent: usize, doubt: Option<usize>) {
        let mut comments = std::mem::take(&mut self.comments).into_iter().peekable();
        let mut end = self.code_end;
        while let Some(closed) = self.indents.pop_if(|open| *open >= indent) {
            while let Some((_, comment_end)) = comments.next_if(|(column, _)| *column > closed) {
                end = comment_end;
            }
            let symbol = self.outline.close(end);
            if let Some((symbol, at)) = symbol.zip(doubt) {
                self.outline.doubt(symbol, self.outline.line_of(at));
            }
        }
    }
}

/// Returns the range of the name in `def name`, `async def name` or `class name`, if `text` begins with that.
fn definition(text: &str) -> Option<Range<usize>> {
    let rest = after_word(text, "async").unwrap_or(text);
    let rest = after_word(rest, "def").or_else(|| after_word(rest, "class"))?;
    let length = rest.bytes().take_while(|&byte| is_word(byte)).count();
    let start = text.len() - rest.len();
    (length > 0).then_some(start..start + length)
}

/// Returns the text after `word` and white space, if `text` begins with them.
fn after_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let rest = text.strip_prefix(word)?;
    let trimmed = rest.trim_start_matches([' ', '\t']);
    (trimmed.len() < rest.len()).then_some(trimmed)
}
