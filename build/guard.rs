//! What a regular expression asks of the place where it matches: a guard that never refuses a real match.
//!
//! The highlighter tries the patterns of a context at one place after the other, and a context has up to some hundreds
//! of them. A guard rules most of them out without running them: by the character at the place, by what stands before
//! and after it. The regular expression is folded into an `Edge`, and that becomes the `Guard`.

use crate::charset::{Class, Set};
use crate::regex;

/// What a match asks of the place where it begins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Guard {
    set: Set,
    needs: u128,
    run: u128,
    line_start: bool,
    word_start: bool,
}

impl Guard {
    /// The guard of an expression.
    pub fn of(regex: &str) -> Self {
        let Edge { eats, empty, needs, run, line_start, word_start, .. } = regex::edge(regex);
        Self { set: eats.or(empty), needs, run, line_start, word_start }
    }

    /// The guard as 49 bytes: 128 bits of ASCII each for the place, `needs` and `run`, then bits for the rest.
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

/// The left edge of an expression: what may stand where it begins.
#[derive(Clone, Copy)]
pub struct Edge {
    /// ... if it consumes something,
    pub eats: Set,
    /// ... and if it matches the empty text there.
    pub empty: Set,
    /// Of an element that is one character: ASCII characters it surely takes.
    pub one: Option<u128>,
    /// ASCII characters that stand somewhere in every match or in what it looks ahead to.
    pub needs: u128,
    /// ASCII characters after which no match begins, since one would have begun at that character already.
    pub run: u128,
    /// Every match begins at the start of the line.
    pub line_start: bool,
    /// No match begins between two word characters.
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
