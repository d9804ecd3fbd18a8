//! The compiled syntaxes: languages and their contexts, read from the table of `build/syntaxes.rs`, which describes it.
//!
//! A context is read when it is first entered, and an expression compiled when it is first tried: a course in one
//! language pays for one language. A table that is not well formed reads as one that holds less.

use super::pattern::{Guard, NO_CONTEXT, Operation, Pattern, Place};
use crate::assets::SYNTAXES;
use std::sync::OnceLock;

/// The table with what has been read of it.
#[derive(Debug, Default)]
pub struct Grammar {
    /// Every language that a file or a fence can name.
    pub languages: Vec<Definition>,
    ends: &'static [u8],
    bodies: &'static [u8],
    guards: &'static [u8],
    texts: &'static [u8],
    contexts: Vec<OnceLock<Option<Box<Context>>>>,
}

/// A language: its name, the file names and extensions it goes by, and the context where its files begin.
#[derive(Debug)]
pub struct Definition {
    /// The name of the definition.
    pub name: &'static str,
    /// Extensions without a dot, and whole file names.
    pub extensions: Vec<&'static str>,
    /// The context where a file begins.
    pub entry: u32,
}

/// What a parser is in at a place: patterns, and the scopes of the text that they leave over.
#[derive(Debug)]
pub struct Context {
    /// Scopes of its text with the matches that enter and leave it.
    pub around: &'static [u8],
    /// Scopes of its text without these.
    pub within: &'static [u8],
    /// Which scopes outside of it do not count in it.
    pub clear: Clear,
    /// A context whose patterns come before its own, or [`NO_CONTEXT`].
    pub prototype: u32,
    /// A pattern of it refers to groups of the match that enters.
    pub refers: bool,
    items: Vec<Item>,
    candidates: Vec<OnceLock<Box<[Candidate]>>>,
}

/// Which of the scopes around a context do not count in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clear {
    /// All count.
    None,
    /// None counts.
    All,
    /// The innermost so many do not.
    Top(usize),
}

#[derive(Debug)]
enum Item {
    Include(u32),
    Match(Box<Pattern>),
}

/// A pattern that may match at a place, with the part of its guard that looks beyond the place.
#[derive(Debug, Clone, Copy)]
pub struct Candidate {
    /// The pattern.
    pub pattern: &'static Pattern,
    needs: u128,
    run: u128,
}

impl Candidate {
    /// Whether there can be a match, given the ASCII characters at the place and after it, and the byte before it
    /// unless the search began here.
    pub fn fits(&self, after: u128, before: Option<u8>) -> bool {
        self.needs & !after == 0 && before.is_none_or(|byte| !byte.is_ascii() || self.run >> byte & 1 == 0)
    }
}

/// Includes nested deeper than this are not followed; no definition comes near.
const DEPTH: usize = 100;

impl Context {
    /// The patterns that may match at a place, includes resolved, in order.
    pub fn candidates(&'static self, place: Place) -> &'static [Candidate] {
        let found = || {
            let mut found = Vec::new();
            self.collect(place, 0, &mut found);
            found.into()
        };
        self.candidates.get(place.number()).map_or(&[], |cell| cell.get_or_init(found))
    }

    fn collect(&'static self, place: Place, depth: usize, found: &mut Vec<Candidate>) {
        for item in &self.items {
            match item {
                Item::Match(pattern) if pattern.guard.allows(place) => {
                    let Guard { needs, run, .. } = pattern.guard;
                    found.push(Candidate { pattern, needs, run });
                }
                Item::Match(_) => {}
                Item::Include(number) => {
                    if let Some(context) = grammar().context(*number).filter(|_| depth < DEPTH) {
                        context.collect(place, depth + 1, found);
                    }
                }
            }
        }
    }

    #[cfg(test)]
    pub fn includes(&'static self) -> impl Iterator<Item = u32> {
        self.items.iter().filter_map(|item| match item {
            Item::Match(_) => None,
            Item::Include(number) => Some(*number),
        })
    }

    #[cfg(test)]
    pub fn patterns(&'static self) -> impl Iterator<Item = &'static Pattern> {
        self.items.iter().filter_map(|item| match item {
            Item::Match(pattern) => Some(&**pattern),
            Item::Include(_) => None,
        })
    }
}

/// The syntaxes of this binary.
pub fn grammar() -> &'static Grammar {
    static GRAMMAR: OnceLock<Grammar> = OnceLock::new();
    GRAMMAR.get_or_init(|| Grammar::read(SYNTAXES).unwrap_or_default())
}

impl Grammar {
    fn read(table: &'static [u8]) -> Option<Self> {
        let mut reader = Reader { rest: table };
        let mut languages = Reader { rest: reader.bytes()? };
        let (ends, bodies, guards, texts) = (reader.bytes()?, reader.bytes()?, reader.bytes()?, reader.bytes()?);
        let languages = languages.list(Reader::definition)?;
        let contexts = std::iter::repeat_with(OnceLock::new).take(ends.len() / 4).collect();
        Some(Self { languages, ends, bodies, guards, texts, contexts })
    }

    /// The context of a number.
    pub fn context(&'static self, number: u32) -> Option<&'static Context> {
        let number = usize::try_from(number).ok()?;
        let end = |number: usize| {
            let bytes = self.ends.get(number * 4..number * 4 + 4)?.try_into().ok()?;
            usize::try_from(u32::from_le_bytes(bytes)).ok()
        };
        let read = || {
            let start = number.checked_sub(1).map_or(Some(0), end)?;
            let rest = self.bodies.get(start..end(number)?)?;
            Reader { rest }.context(self).map(Box::new)
        };
        self.contexts.get(number)?.get_or_init(read).as_deref()
    }

    #[cfg(test)]
    pub fn context_count(&self) -> usize {
        self.contexts.len()
    }
}

struct Reader {
    rest: &'static [u8],
}

impl Reader {
    fn number(&mut self) -> Option<usize> {
        let (mut value, mut shift) = (0, 0);
        loop {
            let (&byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            value |= usize::from(byte & 0x7f).checked_shl(shift)?;
            if byte < 0x80 {
                return Some(value);
            }
            shift += 7;
        }
    }

    fn bytes(&mut self) -> Option<&'static [u8]> {
        let length = self.number()?;
        let (bytes, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(bytes)
    }

    fn text(&mut self) -> Option<&'static str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    /// The number of a context, written plus one, or `NO_CONTEXT`, written as 0.
    fn context_number(&mut self) -> Option<u32> {
        Some(u32::try_from(self.number()?).ok()?.checked_sub(1).unwrap_or(NO_CONTEXT))
    }

    fn list<T>(&mut self, read: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        (0..self.number()?).map(|_| read(self)).collect()
    }

    fn definition(&mut self) -> Option<Definition> {
        let (name, extensions) = (self.text()?, self.list(Self::text)?);
        Some(Definition { name, extensions, entry: u32::try_from(self.number()?).ok()? })
    }

    fn context(&mut self, grammar: &Grammar) -> Option<Context> {
        Some(Context {
            around: self.bytes()?,
            within: self.bytes()?,
            clear: match self.number()? {
                0 => Clear::None,
                1 => Clear::All,
                more => Clear::Top(more - 2),
            },
            prototype: self.context_number()?,
            refers: self.number()? != 0,
            items: self.list(|reader| reader.item(grammar))?,
            candidates: std::iter::repeat_with(OnceLock::new).take(Place::COUNT).collect(),
        })
    }

    fn item(&mut self, grammar: &Grammar) -> Option<Item> {
        if self.number()? == 0 {
            return Some(Item::Include(self.context_number()?));
        }
        let (at, length) = (self.number()?, self.number()?);
        let source = std::str::from_utf8(grammar.texts.get(at..at.checked_add(length)?)?).ok()?;
        let guard = self.number()?.checked_mul(Guard::BYTES)?;
        let pattern = Pattern {
            source,
            guard: Guard::read(grammar.guards.get(guard..guard.checked_add(Guard::BYTES)?)?)?,
            refers: self.number()? != 0,
            scopes: self.bytes()?,
            captures: self.list(|reader| Some((reader.number()?, reader.bytes()?)))?,
            operation: self.operation()?,
            prototype: self.context_number()?,
            matcher: OnceLock::new(),
        };
        Some(Item::Match(Box::new(pattern)))
    }

    fn operation(&mut self) -> Option<Operation> {
        let (kind, targets) = (self.number()?, self.list(Self::context_number)?);
        match kind {
            0 => Some(Operation::Stay),
            1 => Some(Operation::Pop),
            2 => Some(Operation::Push(targets)),
            3 => Some(Operation::Set(targets)),
            _ => None,
        }
    }
}
