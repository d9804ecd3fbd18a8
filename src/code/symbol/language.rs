//! The languages with symbols: how a file tells its language, and the tables that the scanners read.

/// The scanner of a language.
#[derive(Debug, Clone, Copy)]
pub(super) enum Family {
    /// Definitions hold what is indented below them.
    Indentation,
    /// Definitions hold what is in their braces.
    Braces(&'static Braces),
    /// Functions hold a command.
    Shell,
}

/// Whose tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// C, C++, CUDA.
    C,
    Rust,
    Go,
    Java,
    /// JavaScript and TypeScript.
    Script,
}

/// What is between braces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inside {
    /// Definitions among statements.
    Items,
    /// The members of a type.
    Members,
    /// The constants of an enum in Java, and its members after a `;`.
    Constants,
    /// Nothing to be found.
    Nothing,
}

use Inside::{Constants, Items, Members, Nothing};

/// What tells the languages with braces apart.
#[derive(Debug)]
pub(super) struct Braces {
    pub dialect: Dialect,
    /// What is between the parts of a path.
    pub separator: &'static str,
    /// Words that begin a definition, and what its braces hold.
    pub keywords: &'static [(&'static str, Inside)],
    /// Where a name with parentheses after it is a function.
    pub calls: &'static [Inside],
    /// What is in a function.
    pub bodies: Inside,
}

static C: Braces = Braces {
    dialect: Dialect::C,
    separator: "::",
    keywords: &[("class struct union", Members), ("enum", Nothing)],
    calls: &[Items, Members],
    bodies: Nothing,
};
static RUST: Braces = Braces {
    dialect: Dialect::Rust,
    separator: "::",
    keywords: &[("fn struct enum union trait mod impl", Items), ("macro_rules", Nothing)],
    calls: &[],
    bodies: Items,
};
static GO: Braces = Braces {
    dialect: Dialect::Go,
    separator: ".",
    keywords: &[("func", Items), ("type", Nothing)],
    calls: &[],
    bodies: Items,
};
static JAVA: Braces = Braces {
    dialect: Dialect::Java,
    separator: ".",
    keywords: &[("class interface record", Members), ("enum", Constants)],
    calls: &[Members],
    bodies: Nothing,
};
static SCRIPT: Braces = Braces {
    dialect: Dialect::Script,
    separator: ".",
    keywords: &[("function namespace module", Items), ("class interface", Members), ("enum type", Nothing)],
    calls: &[Members],
    bodies: Items,
};

/// The extensions and the interpreters of each language.
static LANGUAGES: [(&str, &str, Family); 7] = [
    ("py pyi pyw", "python pypy", Family::Indentation),
    ("c h cc cpp cxx c++ hh hpp hxx h++ inl ipp tpp cu cuh hip cl metal ino", "", Family::Braces(&C)),
    ("sh bash zsh ksh bats sbatch slurm", "sh bash zsh ksh dash ash bats", Family::Shell),
    ("rs", "", Family::Braces(&RUST)),
    ("go", "", Family::Braces(&GO)),
    ("java", "", Family::Braces(&JAVA)),
    ("js mjs cjs jsx ts mts cts tsx", "node deno bun", Family::Braces(&SCRIPT)),
];

/// Returns whether `word` is one of these words, which are separated by spaces.
pub(super) fn has(words: &str, word: &str) -> bool {
    words.split(' ').any(|one| one == word)
}

/// The scanner of a file, by its name; of one without extension, by its first line.
pub(super) fn of(path: &str, text: &str) -> Option<Family> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    let wanted = extension.as_deref().or_else(|| program(text.lines().next()?)).filter(|wanted| !wanted.is_empty())?;
    let is_it = |(extensions, programs, _): &&(&str, &str, _)| {
        has(if extension.is_some() { extensions } else { programs }, wanted)
    };
    LANGUAGES.iter().find(is_it).map(|(_, _, family)| *family)
}

/// The program in `#!/bin/bash` or `#!/usr/bin/env -S python3 -u`, without its version.
fn program(line: &str) -> Option<&str> {
    let line = line.trim_start_matches('\u{feff}').strip_prefix("#!")?;
    let mut programs = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let program = programs.find(|word| *word != "env" && !word.starts_with('-') && !word.contains('='))?;
    Some(program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}
