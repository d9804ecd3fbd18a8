//! Collects symbols while the parser of a language opens and closes scopes.

use std::collections::HashSet;
use std::ops::Range;

use super::{Symbol, bare, without_arguments};

/// The maximum length of a path in bytes. Symbols with longer paths are omitted, which bounds the size of deeply nested
/// long names.
const LONGEST_PATH: usize = 512;

/// The part that a definition adds to paths.
#[derive(Debug, Clone, Default)]
pub(super) struct Name {
    /// The qualifier in front of the name, such as `ns::Class`.
    pub qualifier: String,
    /// The name itself; empty for a scope that is not a symbol.
    pub text: String,
    /// The bytes of the name itself.
    pub at: Range<usize>,
}

impl Name {
    /// Creates the unqualified name at these bytes of a text. The `r#` of a raw identifier in Rust is not part of it.
    pub fn plain(text: &str, at: Range<usize>) -> Self {
        let name = &text[at.clone()];
        let name = name.strip_prefix("r#").unwrap_or(name);
        Self { qualifier: String::new(), text: name.to_owned(), at: at.end - name.len()..at.end }
    }
}

/// The symbols that have been found in a text so far.
pub(super) struct Outline<'t> {
    text: &'t str,
    separator: &'static str,
    /// Whether a comment belongs to a definition only if both have the same indentation.
    is_indented: bool,
    line_starts: Vec<usize>,
    scopes: Vec<Scope>,
    /// The bytes of the last block of comments without blank lines.
    lead: Option<Range<usize>>,
    found: Vec<Found>,
}

/// A definition or another pair of braces that is open.
struct Scope {
    /// The path of what is in it; `None` if that would be too long, so that what is in it is left out.
    path: Option<String>,
    /// The index of its own symbol in [`Outline::found`].
    symbol: Option<usize>,
}

/// A symbol, and whether it is only declared.
struct Found {
    symbol: Symbol,
    is_declared: bool,
}

impl<'t> Outline<'t> {
    /// Creates an empty outline. `separator` is placed between the parts of a path.
    pub fn new(text: &'t str, separator: &'static str, is_indented: bool) -> Self {
        let line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { text, separator, is_indented, line_starts, scopes: Vec::new(), lead: None, found: Vec::new() }
    }

    /// Records a comment, which may belong to the next definition.
    pub fn comment(&mut self, at: Range<usize>) {
        if self.line_of(at.start) == 0 && self.text[at.clone()].starts_with("#!") {
            return;
        }
        self.lead = match self.lead.take() {
            Some(lead) if self.adjoins(&lead, at.start) => Some(lead.start..at.end),
            _ => self.is_first_on_line(at.start).then_some(at),
        };
    }

    /// Returns where a definition at `start` begins, including the comments directly above it.
    pub fn begin(&mut self, start: usize) -> usize {
        let lead = self.lead.take().filter(|lead| self.adjoins(lead, start));
        lead.map_or(start, |lead| lead.start)
    }

    /// Opens a scope: a symbol that begins at `start`, if it has a name of its own.
    pub fn open(&mut self, name: &Name, start: usize) {
        let symbol = self.add(name, start..start, false);
        self.scopes.push(Scope { path: self.joined(name), symbol });
    }

    /// Closes the scope opened last, which ends before byte `end`. Returns the index of its symbol.
    pub fn close(&mut self, end: usize) -> Option<usize> {
        let symbol = self.scopes.pop()?.symbol?;
        let last = self.line_of(end.saturating_sub(1));
        let lines = &mut self.found.get_mut(symbol)?.symbol;
        lines.lines.end = last.max(lines.line) + 1;
        Some(symbol)
    }

    /// Records that a line contradicts where a symbol ends.
    pub fn doubt(&mut self, symbol: usize, line: usize) {
        if let Some(found) = self.found.get_mut(symbol) {
            found.symbol.doubt.get_or_insert(line);
        }
    }

    /// Removes the scope that was opened last, with the symbols in it.
    pub fn discard(&mut self) {
        if let Some(scope) = self.scopes.pop() {
            self.found.truncate(scope.symbol.unwrap_or(usize::MAX));
        }
    }

    /// Adds a symbol, and returns its index in `found`.
    pub fn add(&mut self, name: &Name, bytes: Range<usize>, is_declared: bool) -> Option<usize> {
        let path = self.joined(name).filter(|_| !name.text.is_empty())?;
        let line = self.line_of(name.at.start);
        let last = self.line_of(bytes.end.saturating_sub(1)).max(line);
        let lines = self.line_of(bytes.start)..last + 1;
        let symbol = Symbol {
            name: without_arguments(&name.text).into_owned(),
            path,
            name_at: name.at.clone(),
            line,
            lines,
            doubt: None,
        };
        self.found.push(Found { symbol, is_declared });
        Some(self.found.len() - 1)
    }

    /// Adds a symbol at the top level, whatever scopes are open.
    pub fn add_outermost(&mut self, name: &Name, bytes: Range<usize>) {
        let scopes = std::mem::take(&mut self.scopes);
        self.add(name, bytes, false);
        self.scopes = scopes;
    }

    /// Returns the symbols in the order in which they begin.
    pub fn finish(self) -> Vec<Symbol> {
        let mut symbols = without_declared(self.found);
        symbols.sort_by_key(|symbol| (symbol.lines.start, symbol.name_at.start));
        symbols
    }

    /// Returns the current path with `name` added; `None` if it is too long.
    fn joined(&self, name: &Name) -> Option<String> {
        let mut path = match self.scopes.last() {
            Some(scope) => scope.path.clone()?,
            None => String::new(),
        };
        for part in [&name.qualifier, &name.text].into_iter().filter(|part| !part.is_empty()) {
            path.push_str(if path.is_empty() { "" } else { self.separator });
            path.push_str(part);
        }
        (path.len() <= LONGEST_PATH).then_some(path)
    }

    /// Whether `start` comes directly after comments: on the same line or at the beginning of the next.
    fn adjoins(&self, lead: &Range<usize>, start: usize) -> bool {
        let Some(between) = self.text.get(lead.end..start) else { return false };
        let is_near = between.trim().is_empty() && between.matches('\n').count() < 2;
        is_near && (!self.is_indented || self.column(lead.start) == self.column(start))
    }

    fn is_first_on_line(&self, at: usize) -> bool {
        let before = self.text[..at].trim_end_matches([' ', '\t', '\u{feff}']);
        before.is_empty() || before.ends_with('\n')
    }

    fn column(&self, at: usize) -> usize {
        at - self.line_starts[self.line_of(at)]
    }

    pub fn line_of(&self, at: usize) -> usize {
        self.line_starts.partition_point(|&start| start <= at) - 1
    }
}

/// Returns the symbols without declarations of symbols that are also defined here. The path of the definition may be
/// only the end of the declaration's path, because `using` opens namespaces.
fn without_declared(found: Vec<Found>) -> Vec<Symbol> {
    let defined = found.iter().filter(|found| !found.is_declared).map(|found| bare(&found.symbol.path));
    let defined: HashSet<String> = defined.collect();
    let is_defined = |symbol: &Symbol| {
        let path = bare(&symbol.path);
        let mut ends = path.match_indices('.').map(|(at, _)| &path[at + 1..]).filter(|end| end.contains('.'));
        defined.contains(&path) || ends.any(|end| defined.contains(end))
    };
    let kept = found.into_iter().filter(|found| !(found.is_declared && is_defined(&found.symbol)));
    kept.map(|found| found.symbol).collect()
}
