//! Determines the language of a file or a fence.

use super::grammar::{Definition, grammar};
use super::parser::Parser;
use crate::language;
use infralens_source::diag::{Near, similar};

/// A handle of a language that can be highlighted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Language(usize);

/// Words after a code fence that mean plain text, even if they are an extension of a language.
const PLAIN: &[&str] = &["", "text", "txt", "plain", "plaintext", "none", "output", "log", "ascii"];

/// The letters of the shortest word that is compared with others: two of three letters are always alike.
const LEAST: usize = 4;

const PLAIN_TEXT: &str = "Plain Text";

/// Returns the language of a file: by its name (`Dockerfile`), its extension, or the program after `#!` in its first line.
/// `None` means plain text.
pub fn by_path(path: &str, first_line: &str) -> Option<Language> {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    let after_dots = name.match_indices('.').filter_map(|(dot, _)| name.get(dot + 1..));
    std::iter::once(name)
        .chain(after_dots)
        .find_map(by_file)
        .or_else(|| by_file(&language::family(name)?))
        .or_else(|| by_token(language::program(first_line)?))
        .filter(|language| language.definition().is_some_and(|definition| definition.name != PLAIN_TEXT))
}

/// Returns the language of a word after a code fence (`python`, `c++`, `sh`, `console`, `YAML`), ignoring case.
pub fn by_token(token: &str) -> Option<Language> {
    let token = token.trim().to_ascii_lowercase();
    if is_plain(&token) {
        return None;
    }
    let listed = language::of_word(&token).and_then(|language| named(language.definition));
    listed.or_else(|| by_file(&token)).or_else(|| named(&token))
}

/// Returns whether a word after a code fence means plain text.
pub fn is_plain(token: &str) -> bool {
    PLAIN.contains(&token)
}

/// Returns the words after a code fence by which languages are known here.
pub fn names() -> impl Iterator<Item = &'static str> {
    let names = grammar().languages.iter().map(|definition| definition.name);
    names.chain(language::words()).filter(|word| !word.contains(' '))
}

/// Returns the nearest word to one that names no language; `None` if no word is near, or the word is short.
pub fn nearest_token(token: &str) -> Option<Near<'static>> {
    if token.chars().count() < LEAST || is_plain(token) || by_token(token).is_some() {
        return None;
    }
    similar(token, names().filter(|word| word.len() >= LEAST))
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
    let listed = language::of_file(file).and_then(|language| named(language.definition));
    listed
        .or_else(|| last(|definition| definition.extensions.contains(&file)))
        .or_else(|| last(|definition| definition.extensions.iter().any(|known| known.eq_ignore_ascii_case(file))))
}
