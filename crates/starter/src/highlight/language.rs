//! Determines the language of a file or a fence.

use super::grammar::{Definition, grammar};
use super::parser::Parser;
use infralens_source::diag::nearest;

/// A handle of a language that can be highlighted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Language(usize);

const BASH: &str = "Bourne Again Shell (bash)";
const DOCKERFILE: &str = "Dockerfile (with bash)";

/// File names and extensions that several definitions claim, or none.
const FILES: &[(&str, &str)] = &[
    ("h", "C++"),
    ("js", "JavaScript"),
    ("mjs", "JavaScript"),
    ("cjs", "JavaScript"),
    ("jsx", "TypeScriptReact"),
    ("jsonl", "JSON"),
    ("ipynb", "JSON"),
    ("inl", "C++"),
    ("tpp", "C++"),
    ("ino", "C++"),
    ("metal", "C++"),
    ("cl", "C"),
    ("hip", "CUDA C++"),
    ("Dockerfile", DOCKERFILE),
    ("dockerfile", DOCKERFILE),
    ("Containerfile", DOCKERFILE),
];

/// Words after a code fence that are neither an extension nor the name of a definition.
const TOKENS: &[(&str, &str)] = &[
    ("c++", "C++"),
    ("cuda", "CUDA C++"),
    ("shell", BASH),
    ("console", BASH),
    ("shell-session", BASH),
    ("shellscript", BASH),
    ("terminal", BASH),
    ("docker", DOCKERFILE),
    ("dockerfile", DOCKERFILE),
    ("containerfile", DOCKERFILE),
    ("python3", "Python"),
    ("pycon", "Python"),
    ("triton", "Python"),
    ("javascript", "JavaScript"),
    ("node", "JavaScript"),
    ("jsonc", "JSON"),
    ("json5", "JSON"),
    ("golang", "Go"),
    ("csharp", "C#"),
    ("protobuf", "Protocol Buffer"),
    ("objective-c", "Objective-C"),
    ("udiff", "Diff"),
    ("vim", "VimL"),
    ("pwsh", "PowerShell"),
    ("assembly", "x86_64 Assembly"),
];

/// Words after a code fence that mean plain text, even if they are an extension of a language.
const PLAIN: &[&str] = &["", "text", "txt", "plain", "plaintext", "none", "output", "log", "ascii"];

/// The letters of the shortest word that is compared with others: two of three letters are always alike.
const LEAST: usize = 4;

const PLAIN_TEXT: &str = "Plain Text";

/// File names that any extension may follow, as in `Dockerfile.dev`.
const FAMILIES: &[&str] = &["Dockerfile", "Containerfile", "Makefile"];

/// Returns the language of a file: by its name (`Dockerfile`), its extension, or the program after `#!` in its first line.
/// `None` means plain text.
pub fn by_path(path: &str, first_line: &str) -> Option<Language> {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    let after_dots = name.match_indices('.').filter_map(|(dot, _)| name.get(dot + 1..));
    let family = name.split_once('.').map(|(stem, _)| stem).filter(|stem| FAMILIES.contains(stem));
    std::iter::once(name)
        .chain(after_dots)
        .chain(family)
        .find_map(by_file)
        .or_else(|| by_first_line(first_line))
        .filter(|language| language.definition().is_some_and(|definition| definition.name != PLAIN_TEXT))
}

/// Returns the language of a word after a code fence (`python`, `c++`, `sh`, `console`, `YAML`), ignoring case.
pub fn by_token(token: &str) -> Option<Language> {
    let token = token.trim().to_ascii_lowercase();
    if PLAIN.contains(&token.as_str()) {
        return None;
    }
    let alias = TOKENS.iter().find(|(alias, _)| *alias == token).and_then(|(_, definition)| named(definition));
    alias.or_else(|| by_file(&token)).or_else(|| named(&token))
}

/// Returns the nearest word to one that names no language; `None` if no word is near, or the word is short.
pub fn nearest_token(token: &str) -> Option<&'static str> {
    if token.chars().count() < LEAST || PLAIN.contains(&token) || by_token(token).is_some() {
        return None;
    }
    let names = grammar().languages.iter().map(|definition| definition.name);
    let words = names.chain(TOKENS.iter().map(|(token, _)| *token));
    nearest(token, words.filter(|word| word.len() >= LEAST && !word.contains(' ')))
}

impl Language {
    pub(super) fn definition(self) -> Option<&'static Definition> {
        grammar().languages.get(self.0)
    }

    pub(super) fn parser(self) -> Option<Parser> {
        Parser::new(self.definition()?.entry)
    }
}

/// Returns the last definition that is accepted, because later definitions are meant to override earlier ones.
fn last(accept: impl Fn(&Definition) -> bool) -> Option<Language> {
    grammar().languages.iter().rposition(accept).map(Language)
}

fn named(name: &str) -> Option<Language> {
    last(|definition| definition.name.eq_ignore_ascii_case(name))
}

/// Finds a language by a whole file name or an extension without its dot. `C` is not `c`, but `PY` is `py`.
fn by_file(file: &str) -> Option<Language> {
    let listed = FILES.iter().find(|(known, _)| *known == file).and_then(|(_, definition)| named(definition));
    listed
        .or_else(|| last(|definition| definition.extensions.contains(&file)))
        .or_else(|| last(|definition| definition.extensions.iter().any(|known| known.eq_ignore_ascii_case(file))))
}

/// Finds a language by a first line such as `#!/usr/bin/env -S python3.11 -u`.
fn by_first_line(line: &str) -> Option<Language> {
    let mut words = line.trim_start_matches('\u{feff}').strip_prefix("#!")?.split_ascii_whitespace();
    let program = |word: &str| word.rsplit_once('/').map_or(word, |(_, program)| program).to_owned();
    let mut name = program(words.next()?);
    if name == "env" {
        name = program(words.find(|word| !word.starts_with('-') && !word.contains('='))?);
    }
    by_token(name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}
