//! Computes the left edge of a regular expression in Oniguruma's dialect, which syntax definitions use.

use crate::charset::{Class, Set, is_word};
use crate::classes::Escape;
use crate::guard::Edge;
use std::iter::Peekable;
use std::str::Chars;

/// The options of a group: ignore case, free spacing, and whether `.` matches a line end.
#[derive(Clone, Copy, Default)]
pub struct Flags {
    pub any_case: bool,
    pub spaced: bool,
    pub dot_all: bool,
}

/// A parser of Oniguruma's dialect. Each method returns `None` for syntax that it does not know.
pub struct Parser<'a> {
    pub rest: Peekable<Chars<'a>>,
    /// Whether the expression has a back-reference.
    refers: bool,
}

/// The maximum nesting depth of groups.
pub const DEPTH: usize = 200;

/// Computes the left edge of an expression. Unknown syntax gets an edge without conditions.
pub fn edge(regex: &str) -> Edge {
    let mut parser = Parser { rest: regex.chars().peekable(), refers: false };
    match parser.alternatives(Flags::default(), 0) {
        // The text of a back-reference may depend on where the match begins.
        Some(edge) if parser.rest.peek().is_none() && parser.refers => Edge { run: 0, ..edge },
        Some(edge) if parser.rest.peek().is_none() => edge,
        _ => Edge::UNKNOWN,
    }
}

impl Parser<'_> {
    pub fn eat(&mut self, c: char) -> bool {
        self.rest.next_if_eq(&c).is_some()
    }

    fn alternatives(&mut self, flags: Flags, depth: usize) -> Option<Edge> {
        if depth > DEPTH {
            return None;
        }
        let mut all = self.sequence(flags, depth)?;
        while self.eat('|') {
            all = all.or(self.sequence(flags, depth)?);
        }
        Some(all)
    }

    fn sequence(&mut self, flags: Flags, depth: usize) -> Option<Edge> {
        let mut whole = None::<Edge>;
        while let Some(&c) = self.rest.peek() {
            if matches!(c, '|' | ')') {
                break;
            }
            if flags.spaced && (c.is_whitespace() || c == '#') {
                self.skip_space(c);
                continue;
            }
            let piece = self.piece(flags, depth)?;
            let piece = self.repeated(piece, flags);
            whole = Some(whole.map_or(piece, |before| before.then(piece)));
        }
        Some(whole.unwrap_or(Edge::EMPTY))
    }

    fn skip_space(&mut self, c: char) {
        self.rest.next();
        if c == '#' {
            while self.rest.next_if(|&c| c != '\n').is_some() {}
        }
    }

    /// Parses one element without its repetition.
    fn piece(&mut self, flags: Flags, depth: usize) -> Option<Edge> {
        match self.rest.next()? {
            '(' => self.group(flags, depth),
            '[' => Some(Edge::one_of(self.class(flags, depth)?)),
            '\\' => self.escape(flags),
            '^' => Some(Edge { line_start: true, ..Edge::EMPTY }),
            '$' => Some(Edge { empty: Set { end: true, ..Set::char('\n') }, ..Edge::EMPTY }),
            '.' if flags.dot_all => Some(Edge::one_of(Class::exactly(Set::NONE, false).not())),
            '.' => Some(Edge::one_of(Class::exactly(Set::char('\n'), false).not())),
            c => Some(literal(c, flags)),
        }
    }

    /// Applies the repetitions that follow an element.
    fn repeated(&mut self, mut piece: Edge, flags: Flags) -> Edge {
        while let Some(&c) = self.rest.peek() {
            match c {
                '*' | '+' => {
                    self.rest.next();
                    self.rest.next_if(|c| matches!(c, '?' | '+'));
                    let run = piece.one;
                    if c == '*' {
                        piece = piece.optional();
                    }
                    piece = Edge { run: run.unwrap_or(piece.run), one: None, ..piece };
                }
                '?' => {
                    self.rest.next();
                    piece = piece.optional();
                }
                '{' => match self.interval() {
                    Some(0) => piece = piece.optional(),
                    Some(_) => {}
                    None => break,
                },
                c if flags.spaced && (c.is_whitespace() || c == '#') => self.skip_space(c),
                _ => break,
            }
        }
        piece
    }

    /// Parses `{2,3}`, `{2,}`, `{,3}` or `{2}` and returns the minimum; `None` for anything else, which is literal text.
    fn interval(&mut self) -> Option<u32> {
        let mut ahead = self.rest.clone();
        ahead.next();
        let mut body = String::new();
        loop {
            match ahead.next()? {
                '}' => break,
                c if c.is_ascii_digit() || c == ',' => body.push(c),
                _ => return None,
            }
        }
        let (min, _) = body.split_once(',').unwrap_or((&body, ""));
        if body.is_empty() || body == "," || body.matches(',').count() > 1 {
            return None;
        }
        self.rest = ahead;
        Some(min.parse().unwrap_or(0))
    }

    /// Parses a group after its `(`, including its `)`.
    fn group(&mut self, flags: Flags, depth: usize) -> Option<Edge> {
        if !self.eat('?') {
            return self.closed(flags, depth);
        }
        match self.rest.next()? {
            ':' | '>' => self.closed(flags, depth),
            '=' => Some(self.closed(flags, depth)?.ahead()),
            '!' => self.closed(flags, depth).map(|_| Edge::EMPTY),
            '#' => {
                while self.rest.next()? != ')' {}
                Some(Edge::EMPTY)
            }
            '<' if self.eat('=') => self.closed(flags, depth).map(|_| Edge::EMPTY),
            '<' if self.eat('!') => self.not_behind(flags, depth),
            '<' => {
                while self.rest.next()? != '>' {}
                self.closed(flags, depth)
            }
            c => self.options(c, flags, depth),
        }
    }

    fn closed(&mut self, flags: Flags, depth: usize) -> Option<Edge> {
        let edge = self.alternatives(flags, depth + 1)?;
        self.eat(')').then_some(edge)
    }

    /// Parses `(?<!…)`. No match begins after a word character if the class contains all of them.
    fn not_behind(&mut self, flags: Flags, depth: usize) -> Option<Edge> {
        let mut ahead = Parser { rest: self.rest.clone(), refers: false };
        let first = match ahead.rest.next()? {
            '[' => ahead.class(flags, depth),
            '\\' if ahead.rest.peek() == Some(&'w') => ahead.rest.next().map(|_| Class::named("word")),
            _ => None,
        };
        let words = Set::of(is_word);
        let word_start = first.is_some_and(|class| ahead.eat(')') && class.must.and(words) == words);
        self.closed(flags, depth).map(|_| Edge { word_start, ..Edge::EMPTY })
    }

    /// Parses `(?imx-imx)`, which applies up to the end of the enclosing group, and `(?imx-imx:…)`.
    fn options(&mut self, first: char, mut flags: Flags, depth: usize) -> Option<Edge> {
        let (mut c, mut on) = (first, true);
        loop {
            match c {
                'i' => flags.any_case = on,
                'x' => flags.spaced = on,
                'm' => flags.dot_all = on,
                '-' => on = false,
                ':' => return self.closed(flags, depth),
                ')' => return self.alternatives(flags, depth + 1),
                _ => return None,
            }
            c = self.rest.next()?;
        }
    }

    /// Parses the text after a backslash outside of a class.
    fn escape(&mut self, flags: Flags) -> Option<Edge> {
        let end = Set { end: true, ..Set::NONE };
        let zero_width = match self.rest.peek()? {
            'b' => Edge { word_start: true, ..Edge::EMPTY },
            'A' => Edge { line_start: true, ..Edge::EMPTY },
            'z' => Edge { empty: end, ..Edge::EMPTY },
            'Z' => Edge { empty: end.or(Set::char('\n')), ..Edge::EMPTY },
            'B' | 'G' => Edge::EMPTY,
            '1'..='9' => {
                self.refers = true;
                Edge::UNKNOWN
            }
            'k' | 'g' | 'K' | 'R' | 'X' | 'N' | 'O' | 'y' | 'Y' => return None,
            _ => {
                return Some(match self.class_escape()? {
                    Escape::Class(class) if flags.any_case => Edge::eating(class.may.any_case()),
                    Escape::Class(class) => Edge::one_of(class),
                    Escape::Char(c) => literal(c, flags),
                });
            }
        };
        self.rest.next();
        Some(zero_width)
    }
}

fn literal(c: char, flags: Flags) -> Edge {
    let set = Set::char(c);
    match flags.any_case {
        // A character beyond ASCII may fold with any other.
        true if !c.is_ascii() => Edge::eating(Set::ANY_CHAR),
        true => Edge::eating(set.any_case()),
        false => Edge { one: Some(set.ascii), ..Edge::eating(set) },
    }
}
