//! Locates code in a file that has changed, and finds the region or symbol that covers lines.
//!
//! Lines are found by an index of their texts. The number of candidates per line is bounded, so the time is linear in the
//! code that is searched for.

use std::cmp::Reverse;

use super::excerpt::dedent;
use super::highlight::{by_path, highlight};
use super::listing::{Lines, Listing};
use super::symbol::{self, Symbol};
use infralens_source::selector::Selector;

/// The maximum number of places that are considered for one line.
const MAX_PLACES: usize = 64;
/// The maximum number of regions and symbols that are considered for some lines.
const MAX_NAMED: usize = 500;
/// The number of letters and digits from which on a line is distinctive: `}` and `0;` are everywhere.
const DISTINCTIVE: usize = 2;

/// The result of [`Listing::locate`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// The lines, from 0.
    pub lines: Lines,
    /// How similar they are to the code.
    pub similarity: Similarity,
}

/// How similar the lines that were found are to the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Similarity {
    /// The same lines, except for the common indent and trailing white space.
    Same,
    /// The same lines with another indentation.
    Indented,
    /// More than half of the distinctive lines.
    Most,
}

/// An index of the lines of a file by text, and of its regions and symbols by line.
#[derive(Debug)]
pub struct LineIndex {
    /// The lines that are not markers.
    visible: Vec<usize>,
    /// Indices into `visible`, sorted by the text of the line, then by line.
    sorted: Vec<usize>,
    /// For each line: the first line at or after it that is neither a marker nor blank.
    next_code: Vec<usize>,
    /// For each line: the end of the last such line before it.
    code_before: Vec<usize>,
    /// The regions and symbols, sorted by their first line. Markers and blank lines at their ends are left out.
    named: Vec<(Lines, Name)>,
}

/// A region, symbol or cell, by its index in the listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    Cell(usize),
    Symbol(usize),
    Region(usize),
}

impl LineIndex {
    fn new(listing: &Listing) -> Self {
        let visible: Vec<usize> = (0..listing.line_count()).filter(|&line| !listing.is_marker(line)).collect();
        let mut sorted: Vec<usize> = (0..visible.len()).collect();
        sorted.sort_by_key(|&at| (listing.line(visible[at]).trim(), at));
        let (next_code, code_before) = code(listing);
        let mut index = Self { visible, sorted, next_code, code_before, named: Vec::new() };
        let regions = listing.regions().iter().enumerate();
        let regions = regions.map(|(at, region)| (index.core(&region.lines), Name::Region(at)));
        let symbols = listing.symbols().iter().enumerate();
        let symbols = symbols.map(|(at, symbol)| (index.core(&symbol.lines), Name::Symbol(at)));
        // Smaller ones come last. With the same lines, the region comes last, because its name is meant for readers.
        let cells = listing.cells().iter().enumerate().filter(|(_, cell)| !cell.lines.is_empty());
        let cells = cells.map(|(at, cell)| (index.core(&cell.lines), Name::Cell(at)));
        let mut named: Vec<(Lines, Name)> = regions.chain(symbols).chain(cells).collect();
        named.sort_by_key(|(lines, name)| (lines.start, Reverse(lines.end), *name));
        index.named = named;
        index
    }

    /// Removes the markers and blank lines at both ends.
    fn core(&self, lines: &Lines) -> Lines {
        let first = self.next_code.get(lines.start).copied().unwrap_or(lines.start);
        let end = self.code_before.get(lines.end).copied().unwrap_or(lines.end);
        if first < end { first..end } else { lines.clone() }
    }

    /// Returns the lines with the trimmed text `text`: indices into `visible`, from top to bottom.
    fn places(&self, listing: &Listing, text: &str) -> &[usize] {
        let line = |at: &usize| listing.line(self.visible[*at]).trim();
        let start = self.sorted.partition_point(|at| line(at) < text);
        let count = self.sorted[start..].partition_point(|at| line(at) == text);
        &self.sorted[start..start + count]
    }

    /// Converts a range of indices into `visible` to lines.
    fn lines(&self, start: usize, end: usize) -> Option<Lines> {
        Some(*self.visible.get(start)?..self.visible.get(end.checked_sub(1)?)? + 1)
    }
}

impl Listing {
    /// Finds code in the file. Returns `None` if it is not there, if several places are equally similar, or if no line of it
    /// is distinctive.
    pub fn locate(&self, code: &[&str]) -> Option<Located> {
        let end = code.iter().rposition(|line| !line.trim().is_empty())? + 1;
        let code = &code[..end];
        if !code.iter().any(|line| is_distinctive(line)) {
            return None;
        }
        let index = self.by_text.get_or_init(|| LineIndex::new(self));
        let exact = self.exact(index, code);
        let same = |similarity| {
            let mut found = exact.iter().filter(|located| located.similarity == similarity);
            (found.next(), found.next())
        };
        match (same(Similarity::Same), same(Similarity::Indented)) {
            ((Some(only), None), _) | ((None, _), (Some(only), None)) => Some(only.clone()),
            ((None, _), (None, _)) => self.most(index, code),
            _ => None,
        }
    }

    /// Returns the lines next to `line` that are not markers and have this text between white space.
    pub fn lines_with_text(&self, text: &str, line: usize) -> impl Iterator<Item = usize> {
        let index = self.by_text.get_or_init(|| LineIndex::new(self));
        let places = index.places(self, text.trim());
        let below = places.partition_point(|&at| index.visible[at] < line);
        let range = below.saturating_sub(MAX_PLACES)..places.len().min(below + MAX_PLACES);
        places[range].iter().map(|&at| index.visible[at])
    }

    /// Returns whether the file has a line with this text, apart from white space at its ends.
    pub fn has_line(&self, text: &str) -> bool {
        let index = self.by_text.get_or_init(|| LineIndex::new(self));
        !index.places(self, text.trim()).is_empty()
    }

    /// Returns all places where the lines are the same except for indentation.
    fn exact(&self, index: &LineIndex, code: &[&str]) -> Vec<Located> {
        let places = code.iter().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let places = places.map(|(at, line)| (at, index.places(self, line.trim())));
        let Some((offset, places)) = places.min_by_key(|(_, places)| places.len()) else { return Vec::new() };
        let starts = places.iter().take(MAX_PLACES).filter_map(|place| place.checked_sub(offset));
        starts.filter_map(|start| self.exact_at(index, code, start)).collect()
    }

    fn exact_at(&self, index: &LineIndex, code: &[&str], start: usize) -> Option<Located> {
        let lines = index.visible.get(start..start + code.len())?;
        let found: Vec<&str> = lines.iter().map(|&line| self.line(line)).collect();
        if !found.iter().map(|line| line.trim()).eq(code.iter().map(|line| line.trim())) {
            return None;
        }
        let is_same = dedent(&found).iter().map(|line| line.trim_end()).eq(code.iter().map(|line| line.trim_end()));
        let similarity = if is_same { Similarity::Same } else { Similarity::Indented };
        Some(Located { lines: index.lines(start, start + code.len())?, similarity })
    }

    /// Returns the place where more than half of the distinctive lines are near each other, if there is only one.
    fn most(&self, index: &LineIndex, code: &[&str]) -> Option<Located> {
        let distinctive: Vec<usize> = (0..code.len()).filter(|&at| is_distinctive(code[at])).collect();
        let mut hits: Vec<(usize, usize)> = distinctive
            .iter()
            .map(|&at| (at, index.places(self, code[at].trim())))
            .filter(|(_, places)| places.len() <= MAX_PLACES)
            .flat_map(|(at, places)| places.iter().map(move |&place| (place, at)))
            .collect();
        hits.sort_unstable();
        let (count, window) = densest(&hits, code.len())?;
        if count < 2 || 2 * count <= distinctive.len() {
            return None;
        }
        let ((first, above), (last, below)) = (hits[window.start], hits[window.end - 1]);
        // Changed lines above and below belong to it, too.
        let start = first.saturating_sub(above);
        let end = (last + code.len() - below.min(code.len())).min(index.visible.len());
        let lines = index.lines(start, end)?;
        self.has_definition_of(code, &lines).then_some(Located { lines, similarity: Similarity::Most })
    }

    /// Returns whether some lines define the first name that `code` defines, or define nothing if `code` does not: lines that
    /// only resemble the code belong to another function.
    fn has_definition_of(&self, code: &[&str], lines: &Lines) -> bool {
        let symbols = self.symbols();
        let above = symbols.partition_point(|symbol| symbol.line < lines.start);
        let mut defined = symbols[above..].iter().take_while(|symbol| symbol.line < lines.end);
        let (path, text) = (self.language_path(), code.join("\n"));
        let highlighted = highlight(by_path(path, code.first().unwrap_or(&"")), &text);
        let wanted = symbol::symbols(path, &text, &highlighted).unwrap_or_default();
        match wanted.first() {
            Some(wanted) => defined.any(|symbol| symbol.name == wanted.name),
            None => defined.next().is_none(),
        }
    }

    /// Returns a selector of the smallest region or symbol that covers these lines, and whether it covers no others.
    pub fn covering_selector(&self, lines: &Lines) -> Option<(Selector, bool)> {
        let index = self.by_text.get_or_init(|| LineIndex::new(self));
        let wanted = index.core(lines);
        let above = index.named.partition_point(|(lines, _)| lines.start <= wanted.start);
        let near = index.named[above.saturating_sub(MAX_NAMED)..above].iter().rev();
        let mut found: Vec<&(Lines, Name)> = near.filter(|(lines, _)| wanted.end <= lines.end).collect();
        found.sort_by_key(|(lines, _)| lines.len());
        found.into_iter().find_map(|(lines, name)| Some((self.unique_selector(*name)?, *lines == wanted)))
    }

    /// Returns a selector that selects only this region or symbol, if there is one.
    fn unique_selector(&self, name: Name) -> Option<Selector> {
        match name {
            Name::Region(at) => {
                let region = Selector::Region(self.regions().get(at)?.name.clone());
                (!self.is_doubtful(&region)).then_some(region)
            }
            Name::Symbol(at) => self.selector_of(self.symbols().get(at)?),
            Name::Cell(at) => {
                let cell = Selector::Cell(self.cells().get(at)?.name.clone(), None);
                self.select(&cell).is_ok().then_some(cell)
            }
        }
    }

    /// Returns a selector that selects exactly this symbol: its name or its path, with a number if others have the same.
    pub fn selector_of(&self, symbol: &Symbol) -> Option<Selector> {
        let is_it = |name: &Selector| self.select(name).is_ok_and(|lines| lines == symbol.lines);
        let mut names = vec![symbol.name.clone(), symbol.path.clone(), format!(".{}", symbol.path)];
        names.extend(self.number_of(symbol).map(|nth| format!("{}({nth})", symbol.path)));
        names.into_iter().map(Selector::Symbol).find(is_it)
    }
}

/// Returns for each line of a file, and for its end, the first line of code at or after it, and the end of the last line of
/// code before it. Markers and blank lines are not code.
fn code(listing: &Listing) -> (Vec<usize>, Vec<usize>) {
    let count = listing.line_count();
    let is_code = |line: usize| !listing.is_marker(line) && !listing.line(line).trim().is_empty();
    let (mut next, mut before) = (vec![count; count + 1], vec![0; count + 1]);
    for line in (0..count).rev() {
        next[line] = if is_code(line) { line } else { next[line + 1] };
    }
    for line in 0..count {
        before[line + 1] = if is_code(line) { line + 1 } else { before[line] };
    }
    (next, before)
}

pub(super) fn is_distinctive(line: &str) -> bool {
    line.chars().filter(|c| c.is_alphanumeric()).count() >= DISTINCTIVE
}

/// Finds the window of hits with the most different lines of code, at most about 1.5 times as long as the code. `hits` are
/// pairs of a line in the file and a line of the code, sorted; `length` is the number of lines of the code. Returns the
/// number of different lines and the range of hits, or `None` if two separate windows have as many.
fn densest(hits: &[(usize, usize)], length: usize) -> Option<(usize, std::ops::Range<usize>)> {
    let reach = length + length / 2 + 2;
    let mut seen = vec![0_usize; length];
    let (mut start, mut different) = (0, 0);
    let mut best: Option<(usize, std::ops::Range<usize>)> = None;
    let mut is_tied = false;
    for (end, &(place, line)) in hits.iter().enumerate() {
        seen[line] += 1;
        different += usize::from(seen[line] == 1);
        // Also drops lines that are repeated further down, so that the window is as small as possible.
        while place - hits[start].0 >= reach || seen[hits[start].1] > 1 {
            let left = hits[start].1;
            seen[left] -= 1;
            different -= usize::from(seen[left] == 0);
            start += 1;
        }
        match &best {
            Some((most, _)) if different < *most => {}
            Some((most, range)) if different == *most => is_tied |= start >= range.end,
            _ => {
                is_tied = false;
                best = Some((different, start..end + 1));
            }
        }
    }
    best.filter(|_| !is_tied)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use infralens_source::source::Source;

    const FILE: &str = "import os\n\n\n# ANCHOR: a\ndef one():\n    x = first()\n    y = second()\n    return x + y\n# ANCHOR_END: a\n\n\ndef two():\n    return 0\n";

    fn listing(text: &str) -> Listing {
        Listing::new(&Arc::new(Source::new("code/a.py", text))).0
    }

    fn found(text: &str, code: &str) -> Option<(usize, usize, Similarity)> {
        let code: Vec<&str> = code.lines().collect();
        let located = listing(text).locate(&code)?;
        Some((located.lines.start + 1, located.lines.end, located.similarity))
    }

    #[test]
    fn the_same_lines_with_another_indent_and_nearly() {
        use Similarity::{Indented, Most, Same};
        assert_eq!(found(FILE, "x = first()\ny = second()\n\n"), Some((6, 7, Same)));
        assert_eq!(found(FILE, "x = first()\n    y = second()"), Some((6, 7, Indented)));
        assert_eq!(found(FILE, "def one():\n    x = first()\n    log()\n    return x + y"), Some((5, 8, Most)));
        let other_function = "def eins():\n    x = first()\n    y = second()\n    return x + y";
        for nowhere in ["", "}", "return 1", "x = first()\na = other()\nb = another()", other_function] {
            assert_eq!(found(FILE, nowhere), None, "{nowhere}");
        }
        assert_eq!(found(&FILE.repeat(2), "x = first()"), None, "in two places");
    }

    #[test]
    fn the_smallest_region_or_symbol_that_covers_lines() {
        let text = FILE.replace("    y", "    # ANCHOR: y\n    y").replace("second()", "second()\n    # ANCHOR_END: y");
        let listing = listing(&text);
        let held = |first: usize, last: usize| {
            listing.covering_selector(&(first - 1..last)).map(|(selector, is_all)| (selector.to_string(), is_all))
        };
        let it = |name: &str, is_all| Some((name.to_owned(), is_all));
        assert_eq!(held(8, 8), it("y", true));
        assert_eq!(held(5, 10), it("a", true));
        assert_eq!(held(6, 8), it("a", false));
        assert_eq!(held(14, 15), it("fn:two", true));
        assert_eq!(held(1, 8), None);
    }

    #[test]
    fn equal_lines_are_linear() {
        let text = "same = 1\n".repeat(20_000);
        let code: Vec<&str> = text.lines().take(10_000).collect();
        assert_eq!(listing(&text).locate(&code), None);
    }
}
