//! Sets of characters at a position in a line, and character classes in terms of such sets.

/// A set of ASCII characters, of all other characters together, and of the end of the text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Set {
    pub ascii: u128,
    pub other: bool,
    pub end: bool,
}

impl Set {
    pub const NONE: Self = Self { ascii: 0, other: false, end: false };
    pub const ALL: Self = Self { ascii: u128::MAX, other: true, end: true };
    pub const ANY_CHAR: Self = Self { ascii: u128::MAX, other: true, end: false };

    pub fn of(accept: impl Fn(u8) -> bool) -> Self {
        let ascii = (0..128u8).filter(|&byte| accept(byte)).fold(0, |set, byte| set | 1 << byte);
        Self { ascii, other: false, end: false }
    }

    pub fn char(c: char) -> Self {
        u8::try_from(c).ok().filter(u8::is_ascii).map_or(Self::NONE.or_other(), |byte| Self::of(|b| b == byte))
    }

    pub fn or_other(self) -> Self {
        Self { other: true, ..self }
    }

    pub fn or(self, with: Self) -> Self {
        Self { ascii: self.ascii | with.ascii, other: self.other | with.other, end: self.end | with.end }
    }

    pub fn and(self, with: Self) -> Self {
        Self { ascii: self.ascii & with.ascii, other: self.other & with.other, end: self.end & with.end }
    }

    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// Adds the other case of every letter. Letters also fold with characters beyond ASCII (the long s, ligatures).
    pub fn any_case(self) -> Self {
        let lower = Self::of(|b| b.is_ascii_lowercase()).ascii;
        let upper = lower >> 32;
        let ascii = self.ascii | (self.ascii & lower) >> 32 | (self.ascii & upper) << 32;
        Self { ascii, other: self.other || self.ascii & (lower | upper) != 0, ..self }
    }
}

/// A character class, as the characters that it certainly contains and those that it may contain. So it can be negated.
#[derive(Clone, Copy)]
pub struct Class {
    pub must: Set,
    pub may: Set,
}

impl Class {
    pub const UNKNOWN: Self = Self { must: Set::NONE, may: Set::ANY_CHAR };

    pub fn exactly(ascii: Set, other: bool) -> Self {
        Self { must: ascii, may: Set { other, ..ascii } }
    }

    pub fn not(self) -> Self {
        let flip = |set: Set| Set { ascii: !set.ascii, other: true, end: false };
        Self { must: Set { other: false, ..flip(self.may) }, may: flip(self.must) }
    }

    pub fn or(self, with: Self) -> Self {
        Self { must: self.must.or(with.must), may: self.may.or(with.may) }
    }

    pub fn and(self, with: Self) -> Self {
        Self { must: self.must.and(with.must), may: self.may.and(with.may) }
    }

    pub fn any_case(self) -> Self {
        let must = Set { other: false, ..self.must.any_case() };
        Self { must, may: self.may.any_case() }
    }

    /// Returns a named class, as in `[:alpha:]` and `\p{Alpha}`. An unknown class may contain any character.
    pub fn named(name: &str) -> Self {
        let of = |accept: fn(u8) -> bool| Self::exactly(Set::of(accept), true);
        match name.to_ascii_lowercase().as_str() {
            "l" | "letter" | "alpha" => of(|b| b.is_ascii_alphabetic()),
            "lu" | "upper" => of(|b| b.is_ascii_uppercase()),
            "ll" | "lower" => of(|b| b.is_ascii_lowercase()),
            "n" | "nd" | "digit" => of(|b| b.is_ascii_digit()),
            "alnum" => of(|b| b.is_ascii_alphanumeric()),
            "word" => of(is_word),
            "pc" => of(|b| b == b'_'),
            "xdigit" => of(|b| b.is_ascii_hexdigit()),
            "space" => of(is_space),
            "ascii" => Self::exactly(Set::of(|_| true), false),
            "lt" | "lm" | "lo" | "nl" | "no" | "m" | "mn" | "mc" | "me" => of(|_| false),
            _ => Self::UNKNOWN,
        }
    }
}

pub fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}
