//! The languages whose symbols are found: the tables of their keywords.

use crate::language;

/// A language, or languages with the same tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Python,
    Shell,
    /// C, C++, CUDA.
    C,
    Rust,
    Go,
    Java,
    /// JavaScript and TypeScript.
    Script,
}

/// The content of a pair of braces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inside {
    /// Definitions among statements.
    Items,
    /// The members of a type.
    Members,
    /// The constants of an enum in Java, and its members after a `;`.
    Constants,
    /// Types: between the parentheses of `type ( … )` in Go.
    Types,
    /// No definitions.
    Nothing,
}

use Inside::{Constants, Items, Members, Nothing};

impl Dialect {
    /// Returns the words that begin a definition, and the content of its braces.
    pub(super) fn keywords(self) -> &'static [(&'static str, Inside)] {
        match self {
            Self::Python => &[],
            Self::Shell => &[("function", Items)],
            Self::C => &[("class struct union", Members), ("enum", Nothing)],
            Self::Rust => &[("fn struct enum union trait mod impl", Items), ("macro_rules", Nothing)],
            Self::Go => &[("func", Items), ("type", Nothing)],
            Self::Java => &[("class interface record", Members), ("enum", Constants)],
            Self::Script => {
                &[("function namespace module", Items), ("class interface", Members), ("enum type", Nothing)]
            }
        }
    }

    /// Returns the separator between the parts of a path.
    pub(super) fn separator(self) -> &'static str {
        if matches!(self, Self::C | Self::Rust) { "::" } else { "." }
    }

    /// Whether a name with parentheses after it defines a function in such braces.
    pub(super) fn has_calls(self, inside: Inside) -> bool {
        match self {
            Self::C | Self::Shell => true,
            Self::Java | Self::Script => inside == Members,
            _ => false,
        }
    }

    /// Returns the content of the braces of a function.
    pub(super) fn bodies(self) -> Inside {
        if matches!(self, Self::C | Self::Java) { Nothing } else { Items }
    }
}

/// Returns the language of a file according to its extension, or, if it has none, to its first line.
pub(super) fn of(path: &str, text: &str) -> Option<Dialect> {
    let known = match language::extension(path) {
        Some(extension) => language::of_file(&extension),
        None => language::of_word(language::program(text.lines().next()?)?),
    };
    known?.dialect
}
