//! A pattern of a syntax, and its guard, which tells where it can match.

use onig::{MatchParam, Regex, RegexOptions, Region, SearchOptions, Syntax};
use std::sync::OnceLock;

/// The limit on backtracking per match, and in addition per byte of the line. Beyond it, a pattern does not match. Real
/// code stays far below; without the limit the time would be unbounded.
const RETRIES: usize = 1000;
const RETRIES_PER_BYTE: usize = 16;

/// The option of Oniguruma that keeps `\G`, the position where the search began, from matching.
const NOT_BEGIN_POSITION: u32 = 1 << 24;

#[derive(Debug)]
pub struct Pattern {
    /// The regular expression, in the syntax of Oniguruma.
    pub source: &'static str,
    /// The positions at which it can match.
    pub guard: Guard,
    /// Whether it refers to groups of the match that entered its context.
    pub refers: bool,
    /// The scopes of the whole match.
    pub scopes: &'static [u8],
    /// The scopes of its groups.
    pub captures: Vec<(usize, &'static [u8])>,
    /// The effect of a match on the stack of contexts.
    pub operation: Operation,
    /// A context whose patterns come first in all contexts that this pattern enters, or [`NO_CONTEXT`].
    pub prototype: u32,
    /// The compiled pattern, set when it is first tried.
    pub matcher: OnceLock<Matcher>,
}

/// Stands for no context.
pub const NO_CONTEXT: u32 = u32::MAX;

/// The effect of a match on the stack of contexts.
#[derive(Debug)]
pub enum Operation {
    /// No effect.
    Stay,
    /// Leaves the current context.
    Pop,
    /// Enters contexts.
    Push(Vec<u32>),
    /// Replaces the current context by others.
    Set(Vec<u32>),
}

/// A compiled pattern.
#[derive(Debug)]
pub enum Matcher {
    /// A plain text.
    Literal(Box<str>),
    /// A regular expression.
    Regex(Box<Regex>),
    /// A regular expression that cannot be compiled and never matches.
    Never,
}

impl Matcher {
    /// Compiles a regular expression with its groups.
    pub fn regex(source: &str) -> Self {
        Regex::with_options(source, RegexOptions::REGEX_OPTION_CAPTURE_GROUP, Syntax::default())
            .map_or(Self::Never, |regex| Self::Regex(Box::new(regex)))
    }

    /// Returns the end of the match at byte `at` of a line, if there is one. The search began at `from`. Stores the groups
    /// in `region`, except for a literal.
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
        bounds.set_retry_limit_in_match(u32::try_from(RETRIES + RETRIES_PER_BYTE * line.len()).unwrap_or(u32::MAX));
        let options = if at == from { 0 } else { NOT_BEGIN_POSITION };
        let options = SearchOptions::from_bits_retain(options);
        let length = regex.match_with_param(line, at, options, Some(region), bounds).ok()??;
        Some(at + length)
    }
}

/// Returns the text that a regular expression matches if it has no groups, sets, repetitions or anchors.
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
    /// Returns the end of the match at byte `at` of a line, if there is one; see [`Matcher::end`].
    pub fn end(&self, line: &str, at: usize, from: usize, region: &mut Region) -> Option<usize> {
        let matcher = || match literal(self.source) {
            Some(literal) if self.captures.is_empty() => Matcher::Literal(literal),
            _ => Matcher::regex(self.source),
        };
        self.matcher.get_or_init(matcher).end(line, at, from, region)
    }

    /// Returns whether it is matched as a plain text, which has no groups.
    pub fn is_literal(&self) -> bool {
        matches!(self.matcher.get(), Some(Matcher::Literal(_)))
    }
}

/// Necessary conditions for a match at a position, from `build/guard.rs`. Bit *n* of a set is the ASCII character *n*.
#[derive(Debug, Clone, Copy)]
pub struct Guard {
    /// ASCII characters with which a match can begin.
    here: u128,
    /// ASCII characters that must be at the position or after it.
    pub needs: u128,
    /// ASCII characters before the position that rule out a match, unless the search began here.
    pub run: u128,
    flags: u8,
}

const END: u8 = 1;
const OTHER: u8 = 2;
const LINE_START: u8 = 4;
const WORD_START: u8 = 8;

impl Guard {
    /// The size of a guard in the table, in bytes.
    pub const BYTES: usize = 49;

    pub fn read(bytes: &[u8]) -> Option<Self> {
        let (sets, flags) = bytes.split_at_checked(48)?;
        let set = |at: usize| Some(u128::from_le_bytes(sets.get(at..at + 16)?.try_into().ok()?));
        Some(Self { here: set(0)?, needs: set(16)?, run: set(32)?, flags: *flags.first()? })
    }

    /// Returns whether there can be a match at a position, judging by the position alone.
    pub fn allows(self, position: Position) -> bool {
        let here = match position.here {
            Position::AT_END => self.flags & END != 0,
            Position::AT_OTHER => self.flags & OTHER != 0,
            ascii => self.here >> ascii & 1 != 0,
        };
        here && match position.before {
            Before::Nothing => true,
            Before::Word => self.flags & (LINE_START | WORD_START) == 0,
            Before::Else => self.flags & LINE_START == 0,
        }
    }
}

/// The kind of a position in a line, by the characters at it and before it.
#[derive(Debug, Clone, Copy)]
pub struct Position {
    here: usize,
    before: Before,
}

/// The text before a position.
#[derive(Debug, Clone, Copy)]
enum Before {
    /// Nothing, because the line begins here.
    Nothing,
    /// A word that continues here.
    Word,
    /// Anything else.
    Else,
}

impl Position {
    /// The number of kinds of positions.
    pub const COUNT: usize = 3 * Self::KINDS;
    const KINDS: usize = 130;
    const AT_OTHER: usize = 128;
    const AT_END: usize = 129;

    /// Returns the kind of the position at byte `at` of a line.
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

    /// Returns its number, which is below [`Position::COUNT`].
    pub fn number(self) -> usize {
        self.before as usize * Self::KINDS + self.here
    }
}
