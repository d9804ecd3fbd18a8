//! Symbols: the functions, methods, classes, structs and kernels of a starter file, and how a name chooses one.
//!
//! Steps: the file's name or its first line tells the language; the scanner of its family goes through the text once and
//! tells an [`outline`] what opens and closes. The scanners know strings, comments and brackets, and of grammar only what
//! definitions look like: so they take linear time on any input, and find what is there in a file that is broken or full
//! of macros.

mod braces;
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

use language::Dialect;

/// One definition in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Its own name, without what it lies in and without template arguments.
    pub name: String,
    /// The name with all it lies in, in the language's spelling: `Class.method`, `ns::Class::method`.
    pub path: String,
    /// The bytes of the name.
    pub name_at: Range<usize>,
    /// The line of the name, from 0.
    pub line: usize,
    /// Its lines, from 0: from the decorators, attributes, template header and comments directly above it (no blank line
    /// between) to the last line of its body. Region markers may be among them.
    pub lines: Range<usize>,
}

/// Why there is no symbol of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SymbolError {
    /// The file is in a language whose symbols are not known.
    NoSymbols,
    /// Nothing has the name.
    NotFound {
        /// What else could be meant.
        nearest: Option<String>,
    },
    /// More than one has the name.
    Ambiguous {
        /// The lines of their names, from 1.
        lines: Vec<usize>,
        /// What to write for each; where two are the same, no name can choose between them.
        paths: Vec<String>,
    },
}

/// The symbols of a file by the last part of their paths, with template arguments and without.
#[derive(Debug, Default)]
pub struct Names(BTreeMap<String, Vec<usize>>);

impl Names {
    /// The names of these symbols.
    #[must_use]
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

/// The last part of a path with `.` between its parts.
fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// The symbols of a file, in the order in which they begin, or `None` in a language whose symbols are not known
/// ([`SymbolError::NoSymbols`]). `path` tells the language, and where it has no extension the first line does. A
/// declaration (a prototype) is a symbol only where the file does not define it.
#[must_use]
pub fn symbols(path: &str, text: &str) -> Option<Vec<Symbol>> {
    Some(match language::of(path, text)? {
        Dialect::Python => indentation::symbols(text),
        dialect => braces::symbols(text, dialect),
    })
}

/// The symbol that `wanted` names: a name, or as much of the end of a path as it takes (`method`, `Class.method`,
/// `ns::Class::method`; `.` and `::` are one). A separator in front (`.main`, `::main`) chooses what lies in nothing. A
/// class goes before its own constructor, and template arguments may be left out.
///
/// # Errors
///
/// [`SymbolError::NotFound`] and [`SymbolError::Ambiguous`].
pub fn find<'s>(symbols: &'s [Symbol], names: &Names, wanted: &str) -> Result<&'s Symbol, SymbolError> {
    let wanted = dotted(wanted.trim());
    let known = || names.0.get(last(&wanted)).into_iter().flatten().map(|&at| &symbols[at]);
    let mut found: Vec<_> = known().filter(|symbol| matches(symbol, &dotted(&symbol.path), &wanted)).collect();
    if found.is_empty() {
        found = known().filter(|symbol| matches(symbol, &bare(&symbol.path), &wanted)).collect();
    }
    if found.len() > 1 {
        let classes: HashSet<&str> = found.iter().map(|symbol| symbol.path.as_str()).collect();
        found.retain(|symbol| parent(symbol).is_none_or(|class| !classes.contains(class)));
    }
    match found[..] {
        [] => Err(SymbolError::NotFound { nearest: nearest(symbols, names, &wanted) }),
        [only] => Ok(only),
        _ => Err(SymbolError::Ambiguous {
            lines: found.iter().map(|symbol| symbol.line + 1).collect(),
            paths: found.iter().map(|symbol| choosing(&symbol.path, &wanted)).collect(),
        }),
    }
}

/// Whether a symbol, whose path is spelled `path`, is what `wanted` names; both with `.` between their parts.
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

/// The path of what a symbol lies in, where that has the symbol's own name.
fn parent(symbol: &Symbol) -> Option<&str> {
    let class = symbol.path.strip_suffix(&symbol.name)?.trim_end_matches(['.', ':']);
    let rest = class.strip_suffix(&symbol.name)?;
    (rest.is_empty() || rest.ends_with(['.', ':'])).then_some(class)
}

/// What to write for a symbol of this path where `wanted` was not enough.
fn choosing(path: &str, wanted: &str) -> String {
    if dotted(path) != wanted {
        return path.to_owned();
    }
    format!("{}{path}", if path.contains("::") { "::" } else { "." })
}

/// A path with `.` between its parts.
fn dotted(path: &str) -> Cow<'_, str> {
    if path.contains("::") { path.replace("::", ".").into() } else { path.into() }
}

/// A path with `.` between its parts and without template arguments.
fn bare(path: &str) -> String {
    dotted(&without_arguments(path)).into_owned()
}

/// A name or a path without template arguments.
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

/// The longest name that a suggestion is looked for.
const LONGEST_GUESS: usize = 100;
/// How many names are compared for one: there may be as many wrong names as right ones.
const MOST_GUESSES: usize = 200;

/// What `wanted`, which is not there, could mean: the name in another class, else a name few edits away.
fn nearest(symbols: &[Symbol], names: &Names, wanted: &str) -> Option<String> {
    let name = wanted.rsplit('.').next().filter(|name| !name.is_empty() && name.len() <= LONGEST_GUESS)?;
    let of_name = names.0.get(name).into_iter().flatten().map(|&at| &symbols[at]);
    if let Some(same) = of_name.into_iter().find(|symbol| symbol.name == name) {
        return Some(same.path.clone());
    }
    let most = (name.chars().count() / 3).max(1);
    let close = symbols.iter().filter(|symbol| symbol.name.len().abs_diff(name.len()) <= 4 * most);
    let distances = close.take(MOST_GUESSES).map(|symbol| (strsim::osa_distance(&symbol.name, name), symbol));
    let (distance, symbol) = distances.min_by_key(|(distance, _)| *distance)?;
    (distance <= most).then(|| if wanted.contains('.') { symbol.path.clone() } else { symbol.name.clone() })
}
