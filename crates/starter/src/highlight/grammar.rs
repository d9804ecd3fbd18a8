//! Reads the compiled syntaxes: languages and their contexts, in the binary format that `build/syntaxes.rs` describes.
//!
//! A context is read when it is first entered, and a regular expression is compiled when it is first tried, so the cost
//! depends on the languages of the course. Malformed parts of the table are skipped.

use super::pattern::{Guard, NO_CONTEXT, Operation, Pattern, Position};
use std::sync::OnceLock;

static SYNTAXES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/syntaxes.bin"));

/// The compiled syntaxes, and the contexts that have been read.
#[derive(Debug, Default)]
pub struct Grammar {
    pub languages: Vec<Definition>,
    ends: &'static [u8],
    bodies: &'static [u8],
    guards: &'static [u8],
    texts: &'static [u8],
    contexts: Vec<OnceLock<Option<Box<Context>>>>,
}

#[derive(Debug)]
pub struct Definition {
    pub name: &'static str,
    /// Extensions without a dot, and whole file names.
    pub extensions: Vec<&'static str>,
    /// The context in which a file begins.
    pub entry: u32,
}

/// A state of the parser: patterns, and the scopes of the text between their matches.
#[derive(Debug)]
pub struct Context {
    /// The scopes of its text, including the matches that enter and leave it.
    pub around: &'static [u8],
    /// The scopes of its text, excluding these matches.
    pub within: &'static [u8],
    /// The outer scopes that are ignored in it.
    pub clear: Clear,
    /// A context whose patterns come before its own, or [`NO_CONTEXT`].
    pub prototype: u32,
    /// Whether one of its patterns refers to groups of the match that enters it.
    pub refers: bool,
    items: Vec<Item>,
    candidates: Vec<OnceLock<Box<[Candidate]>>>,
}

/// The outer scopes that a context ignores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clear {
    None,
    All,
    /// This many of the innermost ones.
    Top(usize),
}

#[derive(Debug)]
enum Item {
    Include(u32),
    Match(Box<Pattern>),
}

/// A pattern that may match at a position, with the part of its guard that depends on the text around the position.
#[derive(Debug, Clone, Copy)]
pub struct Candidate {
    pub pattern: &'static Pattern,
    needs: u128,
    run: u128,
}

impl Candidate {
    /// Returns whether there can be a match, given the ASCII characters at the position and after it, and the byte before it
    /// unless the search began here.
    pub fn fits(&self, after: u128, before: Option<u8>) -> bool {
        self.needs & !after == 0 && before.is_none_or(|byte| !byte.is_ascii() || self.run >> byte & 1 == 0)
    }
}

/// The maximum depth of nested includes, which no definition comes near.
const DEPTH: usize = 100;

impl Context {
    /// Returns the patterns that may match at a position, in order, with includes resolved.
    pub fn candidates(&'static self, position: Position) -> &'static [Candidate] {
        let found = || {
            let mut found = Vec::new();
            self.collect(position, 0, &mut found);
            found.into()
        };
        self.candidates.get(position.number()).map_or(&[], |cell| cell.get_or_init(found))
    }

    fn collect(&'static self, position: Position, depth: usize, found: &mut Vec<Candidate>) {
        for item in &self.items {
            match item {
                Item::Match(pattern) if pattern.guard.allows(position) => {
                    let Guard { needs, run, .. } = pattern.guard;
                    found.push(Candidate { pattern, needs, run });
                }
                Item::Match(_) => {}
                Item::Include(number) => {
                    if let Some(context) = grammar().context(*number).filter(|_| depth < DEPTH) {
                        context.collect(position, depth + 1, found);
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

/// Returns the syntaxes of this binary.
pub fn grammar() -> &'static Grammar {
    static GRAMMAR: OnceLock<Grammar> = OnceLock::new();
    GRAMMAR.get_or_init(|| Grammar::read(SYNTAXES).unwrap_or_default())
}

impl Grammar {
    fn read(table: &'static [u8]) -> Option<Self> {
        let mut reader = TableReader { rest: table };
        let mut languages = TableReader { rest: reader.bytes()? };
        let (ends, bodies, guards, texts) = (reader.bytes()?, reader.bytes()?, reader.bytes()?, reader.bytes()?);
        let languages = languages.list(TableReader::definition)?;
        let contexts = std::iter::repeat_with(OnceLock::new).take(ends.len() / 4).collect();
        Some(Self { languages, ends, bodies, guards, texts, contexts })
    }

    pub fn context(&'static self, number: u32) -> Option<&'static Context> {
        let number = usize::try_from(number).ok()?;
        let end = |number: usize| {
            let bytes = self.ends.get(number * 4..number * 4 + 4)?.try_into().ok()?;
            usize::try_from(u32::from_le_bytes(bytes)).ok()
        };
        let read = || {
            let start = number.checked_sub(1).map_or(Some(0), end)?;
            let rest = self.bodies.get(start..end(number)?)?;
            TableReader { rest }.context(self).map(Box::new)
        };
        self.contexts.get(number)?.get_or_init(read).as_deref()
    }

    #[cfg(test)]
    pub fn context_count(&self) -> usize {
        self.contexts.len()
    }
}

struct TableReader {
    rest: &'static [u8],
}

impl TableReader {
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
            candidates: std::iter::repeat_with(OnceLock::new).take(Position::COUNT).collect(),
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
