//! Parses escapes and character classes of regular expressions.

use crate::charset::{Class, Set};
use crate::regex::{DEPTH, Flags, Parser};

pub enum Escape {
    Char(char),
    Class(Class),
}

impl Parser<'_> {
    /// Parses the text after a backslash that means a character or a class.
    pub fn class_escape(&mut self) -> Option<Escape> {
        let class = |name| Some(Escape::Class(Class::named(name)));
        match self.rest.next()? {
            'd' => class("digit"),
            'D' => Some(Escape::Class(Class::named("digit").not())),
            'w' => class("word"),
            'W' => Some(Escape::Class(Class::named("word").not())),
            's' => class("space"),
            'S' => Some(Escape::Class(Class::named("space").not())),
            'h' => Some(Escape::Class(Class::exactly(Set::of(|b| b.is_ascii_hexdigit()), false))),
            'H' => Some(Escape::Class(Class::exactly(Set::of(|b| b.is_ascii_hexdigit()), false).not())),
            'p' => self.property(false),
            'P' => self.property(true),
            'n' => Some(Escape::Char('\n')),
            't' => Some(Escape::Char('\t')),
            'r' => Some(Escape::Char('\r')),
            'f' => Some(Escape::Char('\u{c}')),
            'v' => Some(Escape::Char('\u{b}')),
            'a' => Some(Escape::Char('\u{7}')),
            'e' => Some(Escape::Char('\u{1b}')),
            'x' => self.hex(2),
            'u' => self.hex(4),
            'c' | 'C' | 'M' | 'o' => None,
            c if c.is_ascii_digit() => self.octal(c),
            c => Some(Escape::Char(c)),
        }
    }

    /// Parses the rest of `\p{Name}` or `\p{^Name}`.
    fn property(&mut self, negated: bool) -> Option<Escape> {
        if !self.eat('{') {
            return None;
        }
        let negated = self.eat('^') != negated;
        let name: String = self.until('}')?;
        let class = Class::named(&name);
        Some(Escape::Class(if negated { class.not() } else { class }))
    }

    fn until(&mut self, end: char) -> Option<String> {
        let mut text = String::new();
        loop {
            match self.rest.next()? {
                c if c == end => return Some(text),
                c => text.push(c),
            }
        }
    }

    fn hex(&mut self, most: usize) -> Option<Escape> {
        let digits = if self.eat('{') {
            self.until('}')?
        } else {
            std::iter::from_fn(|| self.rest.next_if(char::is_ascii_hexdigit)).take(most).collect()
        };
        char::from_u32(u32::from_str_radix(&digits, 16).ok()?).map(Escape::Char)
    }

    fn octal(&mut self, first: char) -> Option<Escape> {
        let more = std::iter::from_fn(|| self.rest.next_if(|c| c.is_digit(8))).take(2);
        let digits: String = std::iter::once(first).chain(more).collect();
        char::from_u32(u32::from_str_radix(&digits, 8).ok()?).map(Escape::Char)
    }

    /// Parses a class after its `[`, including its `]`.
    pub fn class(&mut self, flags: Flags, depth: usize) -> Option<Class> {
        if depth > DEPTH {
            return None;
        }
        let negated = self.eat('^');
        let nothing = Class::exactly(Set::NONE, false);
        let (mut whole, mut part, mut first) = (None::<Class>, nothing, true);
        loop {
            match self.rest.next()? {
                ']' if !first => break,
                '[' if self.eat(':') => part = part.or(self.posix()?),
                '[' => part = part.or(self.class(flags, depth + 1)?),
                '&' if self.eat('&') => {
                    whole = Some(whole.map_or(part, |all| all.and(part)));
                    part = nothing;
                }
                c => part = part.or(self.range(c, flags)?),
            }
            first = false;
        }
        let mut class = whole.map_or(part, |all| all.and(part));
        if flags.any_case {
            class.may = class.may.any_case();
        }
        Some(if negated { class.not() } else { class })
    }

    /// Parses the rest of `[:alpha:]` or `[:^alpha:]` after `[:`.
    fn posix(&mut self) -> Option<Class> {
        let negated = self.eat('^');
        let class = Class::named(&self.until(':')?);
        self.eat(']').then_some(if negated { class.not() } else { class })
    }

    /// Parses a character or a range in a class.
    fn range(&mut self, first: char, flags: Flags) -> Option<Class> {
        let start = match self.class_char(first)? {
            Escape::Class(class) => return Some(class),
            Escape::Char(c) => c,
        };
        let mut ahead = self.rest.clone();
        let is_range = ahead.next() == Some('-') && !matches!(ahead.next(), Some(']' | '[') | None);
        let mut end = start;
        if is_range {
            self.rest.next();
            let next = self.rest.next()?;
            match self.class_char(next)? {
                Escape::Char(c) => end = c,
                Escape::Class(_) => return None,
            }
        }
        let ascii = Set::of(|byte| (start..=end).contains(&char::from(byte)));
        let class = Class::exactly(ascii, !end.is_ascii());
        Some(match flags.any_case {
            true if !end.is_ascii() => Class { may: Set::ANY_CHAR, ..class.any_case() },
            true => class.any_case(),
            false => class,
        })
    }

    fn class_char(&mut self, c: char) -> Option<Escape> {
        match c {
            '\\' if self.eat('b') => Some(Escape::Char('\u{8}')),
            '\\' => self.class_escape(),
            c => Some(Escape::Char(c)),
        }
    }
}
