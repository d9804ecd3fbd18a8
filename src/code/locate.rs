//! Where code is in a file now, and what in the file names those lines.
//!
//! Lines are found by an index of their texts, and only so many places of one text are looked at, so that the time is linear
//! in the code that is looked for.

use std::cmp::Reverse;

use super::excerpt::dedent;
use super::listing::{Lines, Listing};
use super::selector::Selector;

/// How many places of one line are looked at.
const MOST_PLACES: usize = 64;
/// How many regions and symbols that begin above a line are looked at.
const MOST_HOLDERS: usize = 500;
/// How many characters that are letters or digits a line needs to tell code from other code: `}` and `0;` are everywhere.
const TELLING: usize = 2;

/// Where code is in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// The lines, from 0.
    pub lines: Lines,
    /// How alike they are.
    pub likeness: Likeness,
}

/// How alike code is to the lines where it was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Likeness {
    /// The same lines, the common indent and white space at line ends apart.
    Same,
    /// The same lines with other indents.
    Indented,
    /// More than half of the lines that tell something.
    Most,
}

/// The lines of a file by their texts, and what names them.
#[derive(Debug)]
pub struct LineIndex {
    /// The lines that are no markers.
    visible: Vec<usize>,
    /// Indices into `visible`, in the order of the lines' texts, then of their places.
    sorted: Vec<usize>,
    /// For each line the first at or after it, and how far the last before it goes, that is neither marker nor blank.
    code: (Vec<usize>, Vec<usize>),
    /// The regions and symbols without the markers and blank lines at their ends, in the order in which they begin.
    holders: Vec<(Lines, Holder)>,
}

/// What names lines, by its number in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Holder {
    Symbol(usize),
    Region(usize),
}

impl LineIndex {
    fn new(listing: &Listing) -> Self {
        let visible: Vec<usize> = (0..listing.line_count()).filter(|&line| !listing.is_marker(line)).collect();
        let mut sorted: Vec<usize> = (0..visible.len()).collect();
        sorted.sort_by_key(|&at| (listing.line(visible[at]).trim(), at));
        let mut index = Self { visible, sorted, code: code(listing), holders: Vec::new() };
        let regions = listing.regions().iter().enumerate();
        let regions = regions.map(|(at, region)| (index.core(&region.lines), Holder::Region(at)));
        let symbols = listing.symbols().iter().enumerate();
        let symbols = symbols.map(|(at, symbol)| (index.core(&symbol.lines), Holder::Symbol(at)));
        // Of two that begin together the smaller is the later one; of two with the same lines, the region, which somebody
        // has named for readers.
        let mut holders: Vec<(Lines, Holder)> = regions.chain(symbols).collect();
        holders.sort_by_key(|(lines, holder)| (lines.start, Reverse(lines.end), *holder));
        index.holders = holders;
        index
    }

    /// Lines without the markers and blank lines at their two ends.
    fn core(&self, lines: &Lines) -> Lines {
        let first = self.code.0.get(lines.start).copied().unwrap_or(lines.start);
        let end = self.code.1.get(lines.end).copied().unwrap_or(lines.end);
        if first < end { first..end } else { lines.clone() }
    }

    /// Where a trimmed line is: indices into `visible`, from top to bottom.
    fn places(&self, listing: &Listing, text: &str) -> &[usize] {
        let line = |at: &usize| listing.line(self.visible[*at]).trim();
        let start = self.sorted.partition_point(|at| line(at) < text);
        let count = self.sorted[start..].partition_point(|at| line(at) == text);
        &self.sorted[start..start + count]
    }

    /// The lines of a range of indices into `visible`.
    fn lines(&self, start: usize, end: usize) -> Option<Lines> {
        Some(*self.visible.get(start)?..self.visible.get(end.checked_sub(1)?)? + 1)
    }
}

impl Listing {
    /// Where code is in the file; `None` if it is nowhere, in several places alike, or says too little to be told from
    /// other code.
    #[must_use]
    pub fn locate(&self, code: &[&str]) -> Option<Located> {
        let end = code.iter().rposition(|line| !line.trim().is_empty())? + 1;
        let code = &code[..end];
        if !code.iter().any(|line| is_telling(line)) {
            return None;
        }
        let index = self.by_text.get_or_init(|| LineIndex::new(self));
        let exact = self.exact(index, code);
        let same = |likeness| {
            let mut found = exact.iter().filter(|located| located.likeness == likeness);
            (found.next(), found.next())
        };
        match (same(Likeness::Same), same(Likeness::Indented)) {
            ((Some(only), None), _) | ((None, _), (Some(only), None)) => Some(only.clone()),
            ((None, _), (None, _)) => self.most(index, code),
            _ => None,
        }
    }

    /// Every place where all lines read the same, indents apart.
    fn exact(&self, index: &LineIndex, code: &[&str]) -> Vec<Located> {
        let places = code.iter().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let places = places.map(|(at, line)| (at, index.places(self, line.trim())));
        let Some((offset, places)) = places.min_by_key(|(_, places)| places.len()) else { return Vec::new() };
        let starts = places.iter().take(MOST_PLACES).filter_map(|place| place.checked_sub(offset));
        starts.filter_map(|start| self.exact_at(index, code, start)).collect()
    }

    fn exact_at(&self, index: &LineIndex, code: &[&str], start: usize) -> Option<Located> {
        let lines = index.visible.get(start..start + code.len())?;
        let found: Vec<&str> = lines.iter().map(|&line| self.line(line)).collect();
        if !found.iter().map(|line| line.trim()).eq(code.iter().map(|line| line.trim())) {
            return None;
        }
        let is_same = dedent(&found).iter().map(|line| line.trim_end()).eq(code.iter().map(|line| line.trim_end()));
        let likeness = if is_same { Likeness::Same } else { Likeness::Indented };
        Some(Located { lines: index.lines(start, start + code.len())?, likeness })
    }

    /// The one place where more than half of the telling lines are, near each other.
    fn most(&self, index: &LineIndex, code: &[&str]) -> Option<Located> {
        let telling: Vec<usize> = (0..code.len()).filter(|&at| is_telling(code[at])).collect();
        let mut hits: Vec<(usize, usize)> = telling
            .iter()
            .map(|&at| (at, index.places(self, code[at].trim())))
            .filter(|(_, places)| places.len() <= MOST_PLACES)
            .flat_map(|(at, places)| places.iter().map(move |&place| (place, at)))
            .collect();
        hits.sort_unstable();
        let (count, window) = densest(&hits, code.len())?;
        if count < 2 || 2 * count <= telling.len() {
            return None;
        }
        let ((first, above), (last, below)) = (hits[window.start], hits[window.end - 1]);
        // The lines above and below that have changed belong to it, too.
        let start = first.saturating_sub(above);
        let end = (last + code.len() - below.min(code.len())).min(index.visible.len());
        Some(Located { lines: index.lines(start, end)?, likeness: Likeness::Most })
    }

    /// The smallest region or symbol that holds these lines, as it can be written, and whether it holds no others.
    #[must_use]
    pub fn holder(&self, lines: &Lines) -> Option<(Selector, bool)> {
        let index = self.by_text.get_or_init(|| LineIndex::new(self));
        let wanted = index.core(lines);
        let above = index.holders.partition_point(|(lines, _)| lines.start <= wanted.start);
        let near = index.holders[above.saturating_sub(MOST_HOLDERS)..above].iter().rev();
        let mut found: Vec<&(Lines, Holder)> = near.filter(|(lines, _)| wanted.end <= lines.end).collect();
        found.sort_by_key(|(lines, _)| lines.len());
        found.into_iter().find_map(|(lines, holder)| Some((self.named(*holder)?, *lines == wanted)))
    }

    /// The selector that names it and nothing else.
    fn named(&self, holder: Holder) -> Option<Selector> {
        match holder {
            Holder::Region(at) => {
                let region = Selector::Region(self.regions().get(at)?.name.clone());
                (!self.is_doubtful(&region)).then_some(region)
            }
            Holder::Symbol(at) => {
                let symbol = self.symbols().get(at)?;
                let names = [&symbol.name, &symbol.path].map(|name| Selector::Symbol(name.clone()));
                names.into_iter().find(|name| self.select(name).is_ok_and(|lines| lines == symbol.lines))
            }
        }
    }
}

/// For each line of a file, and its end, the first line at or after it, and the end of the last before it, that is neither a
/// marker nor blank.
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

fn is_telling(line: &str) -> bool {
    line.chars().filter(|c| c.is_alphanumeric()).count() >= TELLING
}

/// The range of hits (place in the file, line of the code; sorted) that has the most different lines of a code of `length`
/// lines within half as many lines again, and how many; nothing where two ranges apart from each other have as many.
fn densest(hits: &[(usize, usize)], length: usize) -> Option<(usize, std::ops::Range<usize>)> {
    let reach = length + length / 2 + 2;
    let mut seen = vec![0_usize; length];
    let (mut start, mut different) = (0, 0);
    let mut best: Option<(usize, std::ops::Range<usize>)> = None;
    let mut is_tied = false;
    for (end, &(place, line)) in hits.iter().enumerate() {
        seen[line] += 1;
        different += usize::from(seen[line] == 1);
        // Also drops what comes again further down, so that the range is the tightest.
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
    use crate::source::Source;

    const FILE: &str = "import os\n\n\n# ANCHOR: a\ndef one():\n    x = first()\n    y = second()\n    return x + y\n# ANCHOR_END: a\n\n\ndef two():\n    return 0\n";

    fn listing(text: &str) -> Listing {
        Listing::new(&Arc::new(Source::new("code/a.py", text))).0
    }

    fn found(text: &str, code: &str) -> Option<(usize, usize, Likeness)> {
        let code: Vec<&str> = code.lines().collect();
        let located = listing(text).locate(&code)?;
        Some((located.lines.start + 1, located.lines.end, located.likeness))
    }

    #[test]
    fn the_same_lines_with_another_indent_and_nearly() {
        use Likeness::{Indented, Most, Same};
        assert_eq!(found(FILE, "x = first()\ny = second()\n\n"), Some((6, 7, Same)));
        assert_eq!(found(FILE, "x = first()\n    y = second()"), Some((6, 7, Indented)));
        assert_eq!(found(FILE, "def eins():\n    x = first()\n    y = second()\n    return x + y"), Some((5, 8, Most)));
        assert_eq!(found(FILE, "def one():\n    x = first()\n    log()\n    return x + y"), Some((5, 8, Most)));
        for nowhere in ["", "}", "return 1", "x = first()\na = other()\nb = another()"] {
            assert_eq!(found(FILE, nowhere), None, "{nowhere}");
        }
        assert_eq!(found(&FILE.repeat(2), "x = first()"), None, "in two places");
    }

    #[test]
    fn the_smallest_that_names_lines() {
        let text = FILE.replace("    y", "    # ANCHOR: y\n    y").replace("second()", "second()\n    # ANCHOR_END: y");
        let listing = listing(&text);
        let held = |first: usize, last: usize| {
            listing.holder(&(first - 1..last)).map(|(selector, is_all)| (selector.to_string(), is_all))
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
