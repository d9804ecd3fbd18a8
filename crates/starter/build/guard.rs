//! Computes a guard for a regular expression: a cheap test of a position that never rejects a real match.
//!
//! The highlighter tries the patterns of a context at each position, and a context has up to some hundreds of them. A guard
//! rules most of them out without running them, by the character at the position and the text around it. `Edge` collects
//! the conditions from the regular expression, and becomes the `Guard`.

use crate::charset::{Class, Set};
use crate::regex;

/// The conditions that a position must meet for a match to begin there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Guard {
    set: Set,
    needs: u128,
    run: u128,
    line_start: bool,
    word_start: bool,
}

impl Guard {
    /// Computes the guard of a regular expression.
    pub fn of(regex: &str) -> Self {
        let Edge { eats, empty, needs, run, line_start, word_start, .. } = regex::edge(regex);
        Self { set: eats.or(empty), needs, run, line_start, word_start }
    }

    /// Encodes the guard as 49 bytes: 128 bits of ASCII each for `set`, `needs` and `run`, then bits for the rest.
    pub fn to_bytes(self) -> [u8; 49] {
        let mut bytes = [0; 49];
        bytes[..16].copy_from_slice(&self.set.ascii.to_le_bytes());
        bytes[16..32].copy_from_slice(&self.needs.to_le_bytes());
        bytes[32..48].copy_from_slice(&self.run.to_le_bytes());
        bytes[48] = u8::from(self.set.end)
            | u8::from(self.set.other) << 1
            | u8::from(self.line_start) << 2
            | u8::from(self.word_start) << 3;
        bytes
    }
}

/// The left edge of an expression: conditions on the position where a match begins.
#[derive(Clone, Copy)]
pub struct Edge {
    /// The possible first characters of a match that consumes text.
    pub eats: Set,
    /// The possible next characters if it matches the empty text.
    pub empty: Set,
    /// For an element that is one character: the ASCII characters that it certainly matches.
    pub one: Option<u128>,
    /// The ASCII characters that occur in every match or in the text that it looks ahead to.
    pub needs: u128,
    /// The ASCII characters after which no match begins, because it would have begun at that character already.
    pub run: u128,
    /// Whether every match begins at the start of the line.
    pub line_start: bool,
    /// Whether no match begins between two word characters.
    pub word_start: bool,
}

impl Edge {
    pub const EMPTY: Self =
        Self { eats: Set::NONE, empty: Set::ALL, one: None, needs: 0, run: 0, line_start: false, word_start: false };
    pub const UNKNOWN: Self = Self { eats: Set::ANY_CHAR, ..Self::EMPTY };

    pub fn eating(set: Set) -> Self {
        let single = !set.other && set.ascii.is_power_of_two();
        Self { eats: set, empty: Set::NONE, needs: if single { set.ascii } else { 0 }, ..Self::EMPTY }
    }

    pub fn one_of(class: Class) -> Self {
        Self { one: Some(class.must.ascii), ..Self::eating(class.may) }
    }

    pub fn then(self, next: Self) -> Self {
        let here = self.eats.is_empty();
        Self {
            eats: self.eats.or(self.empty.and(next.eats)),
            empty: self.empty.and(next.empty),
            one: None,
            needs: self.needs | next.needs,
            run: if here { 0 } else { self.run },
            line_start: self.line_start || here && next.line_start,
            word_start: self.word_start || here && next.word_start,
        }
    }

    pub fn or(self, other: Self) -> Self {
        let run = |edge: Self| if edge.line_start { u128::MAX } else { edge.run };
        Self {
            eats: self.eats.or(other.eats),
            empty: self.empty.or(other.empty),
            one: None,
            needs: self.needs & other.needs,
            run: run(self) & run(other),
            line_start: self.line_start && other.line_start,
            word_start: self.word_start && other.word_start,
        }
    }

    pub fn optional(self) -> Self {
        Self { eats: self.eats, ..Self::EMPTY }
    }

    pub fn ahead(self) -> Self {
        Self { eats: Set::NONE, empty: self.eats.or(self.empty), one: None, ..self }
    }
}
