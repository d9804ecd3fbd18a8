//! The supported languages: which files are written in them, and the tables of their keywords.

/// A language, or languages with the same tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
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
    pub fn keywords(self) -> &'static [(&'static str, Inside)] {
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
    pub fn separator(self) -> &'static str {
        if matches!(self, Self::C | Self::Rust) { "::" } else { "." }
    }

    /// Whether a name with parentheses after it defines a function in such braces.
    pub fn has_calls(self, inside: Inside) -> bool {
        match self {
            Self::C | Self::Shell => true,
            Self::Java | Self::Script => inside == Members,
            _ => false,
        }
    }

    /// Returns the content of the braces of a function.
    pub fn bodies(self) -> Inside {
        if matches!(self, Self::C | Self::Java) { Nothing } else { Items }
    }
}

/// The extensions and the interpreters of each language.
static LANGUAGES: [(&str, &str, Dialect); 7] = [
    ("py pyi pyw", "python pypy", Dialect::Python),
    ("c h cc cpp cxx c++ hh hpp hxx h++ inl ipp tpp cu cuh hip cl metal ino", "", Dialect::C),
    ("sh bash zsh ksh bats sbatch slurm", "sh bash zsh ksh dash ash bats", Dialect::Shell),
    ("rs", "", Dialect::Rust),
    ("go", "", Dialect::Go),
    ("java", "", Dialect::Java),
    ("js mjs cjs jsx ts mts cts tsx", "node deno bun", Dialect::Script),
];

/// Returns whether `word` is one of these words, which are separated by spaces.
pub(super) fn has(words: &str, word: &str) -> bool {
    words.split(' ').any(|one| one == word)
}

/// Returns the language of a file according to its extension, or, if it has none, to its first line.
pub(super) fn of(path: &str, text: &str) -> Option<Dialect> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    let wanted = extension.as_deref().or_else(|| program(text.lines().next()?)).filter(|wanted| !wanted.is_empty())?;
    let is_it = |(extensions, programs, _): &&(&str, &str, _)| {
        has(if extension.is_some() { extensions } else { programs }, wanted)
    };
    LANGUAGES.iter().find(is_it).map(|(_, _, dialect)| *dialect)
}

/// Returns the program in `#!/bin/bash` or `#!/usr/bin/env -S python3 -u`, without its version.
fn program(line: &str) -> Option<&str> {
    let line = line.trim_start_matches('\u{feff}').strip_prefix("#!")?;
    let mut programs = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let program = programs.find(|word| *word != "env" && !word.starts_with('-') && !word.contains('='))?;
    Some(program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}
