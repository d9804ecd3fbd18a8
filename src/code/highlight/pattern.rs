//! One pattern of a syntax, and the guard that says where it is worth trying.

use onig::{MatchParam, Regex, RegexOptions, Region, SearchOptions, Syntax};
use std::sync::OnceLock;

/// How far a match may go back on its steps, and how much further for each byte of the line, before it counts as none.
/// Real code stays far below; what does not would take time without bounds.
const RETRIES: usize = 1000;
const RETRIES_A_BYTE: usize = 16;

/// Oniguruma's option by which `\G` does not match: it stands for the place where a search began.
const NOT_BEGIN_POSITION: u32 = 1 << 24;

/// One pattern of a context.
#[derive(Debug)]
pub struct Pattern {
    /// Oniguruma's source.
    pub source: &'static str,
    /// Where it may match.
    pub guard: Guard,
    /// It refers to groups of the match that entered its context.
    pub refers: bool,
    /// Scopes of the whole match.
    pub scopes: &'static [u8],
    /// Scopes of its groups.
    pub captures: Vec<(usize, &'static [u8])>,
    /// What a match does to the contexts.
    pub operation: Operation,
    /// A context whose patterns come first in everything that this pattern enters, or [`NO_CONTEXT`].
    pub prototype: u32,
    /// How it is matched, known when it is first tried.
    pub matcher: OnceLock<Matcher>,
}

/// The number of no context.
pub const NO_CONTEXT: u32 = u32::MAX;

/// What a match does to the contexts.
#[derive(Debug)]
pub enum Operation {
    /// Nothing.
    Stay,
    /// Leaves the current one.
    Pop,
    /// Enters others.
    Push(Vec<u32>),
    /// Enters others in place of the current one.
    Set(Vec<u32>),
}

/// How a pattern is matched.
#[derive(Debug)]
pub enum Matcher {
    /// It is a plain text.
    Literal(Box<str>),
    /// It is a regular expression.
    Regex(Box<Regex>),
    /// It cannot be compiled and never matches.
    Never,
}

impl Matcher {
    /// The matcher of a regular expression whose groups are of interest.
    pub fn regex(source: &str) -> Self {
        Regex::with_options(source, RegexOptions::REGEX_OPTION_CAPTURE_GROUP, Syntax::default())
            .map_or(Self::Never, |regex| Self::Regex(Box::new(regex)))
    }

    /// Where a match at a place of a line ends, if there is one. The search began at `from`. The groups are in
    /// `region`, which is not touched by a literal.
    pub fn end(&self, line: &str, at: usize, from: usize, region: &mut Region) -> Option<usize> {
        let regex = match self {
            Self::Literal(literal) => {
                let rest = line.as_bytes().get(at..)?;
                return rest.starts_with(literal.as_bytes()).then(|| at + literal.len());
            }
            Self::Regex(regex) => regex,
            Self::Never => return None,
        };
        let mut bounds = MatchParam::default();
        bounds.set_retry_limit_in_match(u32::try_from(RETRIES + RETRIES_A_BYTE * line.len()).unwrap_or(u32::MAX));
        let options = if at == from { 0 } else { NOT_BEGIN_POSITION };
        let options = SearchOptions::from_bits_retain(options);
        let length = regex.match_with_param(line, at, options, Some(region), bounds).ok()??;
        Some(at + length)
    }
}

/// The text that a regular expression stands for, if it has no groups, sets, repetitions or anchors.
fn literal(source: &str) -> Option<Box<str>> {
    let mut out = String::new();
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.push(chars.next().filter(char::is_ascii_punctuation)?),
            '.' | '[' | ']' | '{' | '}' | '(' | ')' | '*' | '+' | '?' | '^' | '$' | '|' => return None,
            c => out.push(c),
        }
    }
    Some(out.into())
}

impl Pattern {
    /// Where a match at a place of a line ends, if there is one; see [`Matcher::end`].
    pub fn end(&self, line: &str, at: usize, from: usize, region: &mut Region) -> Option<usize> {
        let matcher = || match literal(self.source) {
            Some(literal) if self.captures.is_empty() => Matcher::Literal(literal),
            _ => Matcher::regex(self.source),
        };
        self.matcher.get_or_init(matcher).end(line, at, from, region)
    }

    /// Whether it is matched as a plain text, which has no groups.
    pub fn is_literal(&self) -> bool {
        matches!(self.matcher.get(), Some(Matcher::Literal(_)))
    }
}

/// What a match asks of its place, from `build/guard.rs`. Bit *n* of a set is the ASCII character *n*.
#[derive(Debug, Clone, Copy)]
pub struct Guard {
    /// ASCII characters it can begin with.
    here: u128,
    /// ASCII characters that must stand at the place or after it.
    pub needs: u128,
    /// ASCII characters before the place that rule it out, unless the search began here.
    pub run: u128,
    flags: u8,
}

const END: u8 = 1;
const OTHER: u8 = 2;
const LINE_START: u8 = 4;
const WORD_START: u8 = 8;

impl Guard {
    /// How many bytes a guard has in the table.
    pub const BYTES: usize = 49;

    /// Reads a guard.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let (sets, flags) = bytes.split_at_checked(48)?;
        let set = |at: usize| Some(u128::from_le_bytes(sets.get(at..at + 16)?.try_into().ok()?));
        Some(Self { here: set(0)?, needs: set(16)?, run: set(32)?, flags: *flags.first()? })
    }

    /// Whether there can be a match at a place, as far as the place itself says.
    pub fn allows(self, place: Place) -> bool {
        let here = match place.here {
            Place::AT_END => self.flags & END != 0,
            Place::AT_OTHER => self.flags & OTHER != 0,
            ascii => self.here >> ascii & 1 != 0,
        };
        here && match place.before {
            Before::Nothing => true,
            Before::Word => self.flags & (LINE_START | WORD_START) == 0,
            Before::Else => self.flags & LINE_START == 0,
        }
    }
}

/// What stands at a place of a line and before it, as far as that decides which patterns are worth trying.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    here: usize,
    before: Before,
}

/// What stands before a place.
#[derive(Debug, Clone, Copy)]
enum Before {
    /// The line begins here.
    Nothing,
    /// A word that goes on here.
    Word,
    /// Anything else.
    Else,
}

impl Place {
    /// How many places can be told apart.
    pub const COUNT: usize = 3 * Self::KINDS;
    const KINDS: usize = 130;
    const AT_OTHER: usize = 128;
    const AT_END: usize = 129;

    /// The place at a byte of a line.
    pub fn of(line: &[u8], at: usize) -> Self {
        let is_word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        let here = line.get(at);
        let before = match at.checked_sub(1) {
            None => Before::Nothing,
            Some(before) if is_word(here) && is_word(line.get(before)) => Before::Word,
            Some(_) => Before::Else,
        };
        Self { here: here.map_or(Self::AT_END, |&byte| usize::from(byte).min(Self::AT_OTHER)), before }
    }

    /// Its number, below [`Place::COUNT`].
    pub fn number(self) -> usize {
        self.before as usize * Self::KINDS + self.here
    }
}
