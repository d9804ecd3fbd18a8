//! Finds the functions, methods, classes, structs and kernels of a starter file, and the one that a name refers to.
//!
//! 1. The extension of the file, or else its first line, determines the language;
//! 2. [`scan`] splits the text into tokens, once, by the classes that the highlighter gave;
//! 3. [`indentation`] (Python) or [`braces`] (all other languages) determines where definitions begin and end, and
//!    [`outline`] collects them.
//!
//! The parsers know brackets, and of each grammar only what definitions look like. So they take linear time on any input,
//! and find definitions also in a file that is broken or full of macros. Brackets and indentation are two independent
//! readings of where a definition ends; if they differ, the symbol is in doubt, and nothing is shown by its name.

mod block;
mod braces;
mod branch;
mod header;
mod indentation;
mod language;
mod outline;
mod scan;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use super::highlight::Highlighted;

pub(super) use language::Dialect;

use infralens_source::diag::{Near, similar};

/// One definition in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Its own name, without the names of enclosing definitions and without template arguments.
    pub name: String,
    /// Its name after those of all enclosing definitions, as the language writes it: `Class.method`, `ns::Class::method`.
    pub path: String,
    pub name_at: Range<usize>,
    /// The line of the name, from 0.
    pub line: usize,
    /// Its lines, from 0. They include decorators, attributes, a template header and comments directly above it, without
    /// a blank line between. Region markers may be among them.
    pub lines: Range<usize>,
    /// A line, from 0, whose indentation contradicts where the brackets end the symbol, so that its end is uncertain.
    pub doubt: Option<usize>,
}

impl Symbol {
    /// Returns the symbol in a text that has `lines` lines, which are `bytes` long, above.
    pub(super) fn moved(self, lines: usize, bytes: usize) -> Self {
        Self {
            name_at: self.name_at.start + bytes..self.name_at.end + bytes,
            line: self.line + lines,
            lines: self.lines.start + lines..self.lines.end + lines,
            doubt: self.doubt.map(|line| line + lines),
            ..self
        }
    }
}

/// Why a name does not refer to one symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SymbolError {
    /// The file is in a language whose symbols are not known.
    NoSymbols,
    /// No symbol has the name.
    NotFound {
        /// A similar name.
        nearest: Option<Near<'static>>,
    },
    /// Several symbols have the name.
    Ambiguous {
        /// The lines of their names, from 1.
        lines: Vec<usize>,
        /// The name that refers to each alone.
        names: Vec<String>,
    },
    /// Fewer symbols have the name than its number, as in `name(2)`, requires.
    TooFew {
        /// The name without the number.
        name: String,
        /// The lines of their names, from 1.
        lines: Vec<usize>,
    },
}

/// The symbols of a file by the last part of their paths, with template arguments and without.
#[derive(Debug, Default)]
pub struct Names(BTreeMap<String, Vec<usize>>);

impl Names {
    /// Indexes these symbols.
    pub fn new(symbols: &[Symbol]) -> Self {
        let mut names: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, symbol) in symbols.iter().enumerate() {
            let [whole, bare] = [last(&dotted(&symbol.path)).to_owned(), last(&bare(&symbol.path)).to_owned()];
            if bare != whole {
                names.entry(bare).or_default().push(at);
            }
            names.entry(whole).or_default().push(at);
        }
        Self(names)
    }
}

/// Returns the last part of a path with `.` between its parts.
fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// Returns the symbols of a file in the order in which they begin; `None` if the language is not supported
/// ([`SymbolError::NoSymbols`]). A declaration (a prototype) is a symbol only if the file does not contain the definition.
pub fn symbols(path: &str, text: &str, highlighted: &Highlighted) -> Option<Vec<Symbol>> {
    let dialect = language::of(path, text)?;
    let tokens = scan::scan(text, highlighted, dialect);
    Some(match dialect {
        Dialect::Python => indentation::symbols(text, &tokens),
        _ => braces::symbols(text, &tokens, dialect),
    })
}

/// Returns the symbol that `wanted` refers to: a name, or any end of a path (`method`, `Class.method`,
/// `ns::Class::method`; `.` and `::` are equivalent). With a separator in front (`.main`, `::main`) it is a symbol at the
/// top level. A class has priority over its own constructor, and template arguments and the `r#` of Rust may be omitted.
/// `step(2)` is the second symbol that `step` refers to.
///
/// # Errors
///
/// [`SymbolError::NotFound`], [`SymbolError::Ambiguous`] and [`SymbolError::TooFew`].
pub fn find<'s>(symbols: &'s [Symbol], names: &Names, wanted: &str) -> Result<&'s Symbol, SymbolError> {
    let (name, nth) = numbered(wanted.trim());
    let wanted = name.replace("r#", "");
    let wanted = dotted(&wanted);
    let known = || names.0.get(last(&wanted)).into_iter().flatten().map(|&at| &symbols[at]);
    let mut found: Vec<_> = known().filter(|symbol| matches(symbol, &dotted(&symbol.path), &wanted)).collect();
    if found.is_empty() {
        found = known().filter(|symbol| matches(symbol, &bare(&symbol.path), &wanted)).collect();
    }
    if found.len() > 1 {
        let classes: HashSet<&str> = found.iter().map(|symbol| symbol.path.as_str()).collect();
        found.retain(|symbol| parent(symbol).is_none_or(|class| !classes.contains(class)));
    }
    let lines = || found.iter().map(|symbol| symbol.line + 1).collect();
    match (&found[..], nth) {
        ([], _) => Err(SymbolError::NotFound { nearest: nearest(symbols, names, &wanted) }),
        ([only], None) => Ok(only),
        (found, Some(nth)) => found
            .get(nth.wrapping_sub(1))
            .copied()
            .ok_or_else(|| SymbolError::TooFew { name: name.to_owned(), lines: lines() }),
        (found, None) => Err(SymbolError::Ambiguous { lines: lines(), names: unambiguous(found, name) }),
    }
}

/// Splits `name(2)` into the name and the number of the symbol among those of this name.
fn numbered(text: &str) -> (&str, Option<usize>) {
    let split = || {
        let (name, digits) = text.strip_suffix(')')?.rsplit_once('(')?;
        let is_number = !name.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        Some((name, digits.parse().ok().filter(|_| is_number)?))
    };
    split().map_or((text, None), |(name, nth)| (name, Some(nth)))
}

/// Whether `wanted` refers to a symbol with this path; both have `.` between their parts.
fn matches(symbol: &Symbol, path: &str, wanted: &str) -> bool {
    if let Some(outermost) = wanted.strip_prefix('.') {
        return path == outermost;
    }
    let Some(before) = path.strip_suffix(wanted) else {
        return false;
    };
    // A shell function may be named `log::info`: `info` is no name of it.
    wanted.len() >= dotted(&symbol.name).len() && (before.is_empty() || before.ends_with('.'))
}

/// Returns the path of the class of a constructor: of the enclosing definition, if it has the symbol's own name.
fn parent(symbol: &Symbol) -> Option<&str> {
    let class = symbol.path.strip_suffix(&symbol.name)?.trim_end_matches(['.', ':']);
    let rest = class.strip_suffix(&symbol.name)?;
    (rest.is_empty() || rest.ends_with(['.', ':'])).then_some(class)
}

/// Returns a name for each of several symbols that `name` refers to: its path, or if two have the same, `name` with a number.
fn unambiguous(found: &[&Symbol], name: &str) -> Vec<String> {
    let paths: HashSet<&str> = found.iter().map(|symbol| symbol.path.as_str()).collect();
    let of_each = found.iter().enumerate().map(|(at, Symbol { path, .. })| {
        if paths.len() < found.len() {
            return format!("{name}({})", at + 1);
        }
        // The symbol with exactly this path is at the top level.
        let separator = if path.contains("::") { "::" } else { "." };
        if dotted(path) == dotted(name) { format!("{separator}{path}") } else { path.clone() }
    });
    of_each.collect()
}

/// Returns a path with `.` between its parts.
fn dotted(path: &str) -> Cow<'_, str> {
    if path.contains("::") { path.replace("::", ".").into() } else { path.into() }
}

/// Returns a path with `.` between its parts and without template arguments.
fn bare(path: &str) -> String {
    dotted(&without_arguments(path)).into_owned()
}

/// Returns a name or a path without template arguments.
fn without_arguments(path: &str) -> Cow<'_, str> {
    // The angles of `operator<` are its name.
    if !path.contains('<') || path.contains("operator") {
        return path.into();
    }
    let mut depth = 0_usize;
    let kept = path.chars().filter(|&c| {
        depth += usize::from(c == '<');
        let keep = depth == 0;
        depth = depth.saturating_sub(usize::from(c == '>'));
        keep
    });
    Cow::Owned(kept.collect())
}

/// The maximum length of a name for which a suggestion is searched, in bytes.
const LONGEST_GUESS: usize = 100;
/// The maximum number of names that are compared with a wrong one.
const MOST_GUESSES: usize = 200;

/// Returns the symbol that was probably meant by `wanted`: one with this name in another class, or else one with a
/// similar name.
fn nearest(symbols: &[Symbol], names: &Names, wanted: &str) -> Option<Near<'static>> {
    let name = wanted.rsplit('.').next().filter(|name| !name.is_empty() && name.len() <= LONGEST_GUESS)?;
    let of_name = names.0.get(name).into_iter().flatten().map(|&at| &symbols[at]);
    if let Some(same) = of_name.into_iter().find(|symbol| symbol.name == name) {
        return Some(Near::unsure(same.path.clone()));
    }
    let most = (name.chars().count() / 3).max(1);
    let close = symbols.iter().filter(|symbol| symbol.name.len().abs_diff(name.len()) <= 4 * most);
    let distances = close.clone().take(MOST_GUESSES).map(|symbol| (strsim::osa_distance(&symbol.name, name), symbol));
    let (distance, symbol) = distances.min_by_key(|(distance, _)| *distance)?;
    let written = || if wanted.contains('.') { symbol.path.clone() } else { symbol.name.clone() };
    let near = similar(name, close.take(MOST_GUESSES).map(|symbol| symbol.name.as_str()));
    let is_sure = near.is_some_and(|near| near.is_sure && near.name == symbol.name) && written() == symbol.name;
    (distance <= most).then(|| Near { name: written().into(), is_sure })
}
