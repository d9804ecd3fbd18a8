//! Compares two pieces of code by lines, and changed lines by words.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::excerpt::{View, ViewRow};
use super::lcs;
use infralens_source::source::script::is_unspaced;

/// The maximum number of lines of a piece.
pub const MAX_LINES: usize = 10_000;
/// The maximum number of lines of both pieces that are in only one of them.
pub const MAX_DIFFERENT: usize = 1_000;
/// The maximum number of words and signs of two lines that are in only one of them. Lines that differ more have no common
/// words.
const MAX_WORDS: usize = 200;
/// The maximum number of pairs of lines that are compared to choose which of them belong together.
const MAX_PAIRS: usize = 1 << 10;

/// The result of comparing an older piece with a newer one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Comparison {
    /// The lines that only the newer piece has, by row; blank lines are left out.
    pub lines: BTreeMap<usize, NewLine>,
    /// The lines that only the older piece has, in order, by the row of the newer piece above which they would be.
    pub above: BTreeMap<usize, Vec<OldLine>>,
}

/// A line that only the newer piece has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewLine {
    /// Whether it replaces a line of the older piece.
    pub is_changed: bool,
    /// The bytes of its text that the line which it replaces does not have.
    pub words: Vec<Range<usize>>,
}

/// A line that only the older piece has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldLine {
    pub row: usize,
    /// The bytes of its text that the line which replaces it does not have; `None` if no line does.
    pub words: Option<Vec<Range<usize>>>,
}

/// Why two pieces cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TooLarge {
    /// One of them has more than [`MAX_LINES`] lines.
    Lines(usize),
    /// They differ in more than [`MAX_DIFFERENT`] lines.
    Different,
}

impl Comparison {
    /// Compares an older piece with a newer one. Runs of white space count as one space, and those at the ends of lines do not
    /// count.
    ///
    /// # Errors
    ///
    /// Fails if the pieces are too large, or differ too much.
    pub fn new(old: &View<'_>, new: &View<'_>) -> Result<Self, TooLarge> {
        let (old, new) = (Piece::new(old), Piece::new(new));
        if let Some(lines) = [&old, &new].map(|piece| piece.texts.len()).into_iter().find(|lines| *lines > MAX_LINES) {
            return Err(TooLarge::Lines(lines));
        }
        let pairs = lcs::pairs(&old.keys, &new.keys, MAX_DIFFERENT).ok_or(TooLarge::Different)?;
        let mut comparison = Self::default();
        let mut from = (0, 0);
        for (in_old, in_new) in pairs.into_iter().chain([(old.keys.len(), new.keys.len())]) {
            comparison.add(&old, from.0..in_old, &new, from.1..in_new);
            from = (in_old + 1, in_new + 1);
        }
        Ok(comparison)
    }

    /// Returns the numbers of lines that have changed, that are new, and that are gone.
    pub fn counts(&self) -> [usize; 3] {
        let changed = self.lines.values().filter(|line| line.is_changed).count();
        let gone = self.above.values().flatten().filter(|line| line.words.is_none()).count();
        [changed, self.lines.len() - changed, gone]
    }

    /// Adds lines between two that both pieces have.
    fn add(&mut self, old: &Piece<'_>, in_old: Range<usize>, new: &Piece<'_>, in_new: Range<usize>) {
        let has_text = |piece: &Piece<'_>, at: &usize| !piece.keys[*at].is_empty();
        // What has no line below it is above the row that follows the last line.
        let end = in_new.end.checked_sub(1).map_or(0, |last| new.texts[last].0 + 1);
        let gone: Vec<usize> = in_old.filter(|at| has_text(old, at)).collect();
        let fresh: Vec<usize> = in_new.filter(|at| has_text(new, at)).collect();
        let mut left = gone.iter().copied().peekable();
        let mut pairs = together(old, &gone, new, &fresh).into_iter().peekable();
        for &at in &fresh {
            let (row, text) = new.texts[at];
            let pair = pairs.next_if(|(_, paired)| *paired == at);
            let mut words = Vec::new();
            if let Some((before, _)) = pair {
                while let Some(gone) = left.next_if(|gone| *gone < before) {
                    self.above.entry(row).or_default().push(OldLine { row: old.texts[gone].0, words: None });
                }
                left.next();
                let (row_before, text_before) = old.texts[before];
                let different = different_words(text_before, text);
                words = different.1;
                self.above.entry(row).or_default().push(OldLine { row: row_before, words: Some(different.0) });
            }
            self.lines.insert(row, NewLine { is_changed: pair.is_some(), words });
        }
        for gone in left {
            self.above.entry(end).or_default().push(OldLine { row: old.texts[gone].0, words: None });
        }
    }
}

struct Piece<'a> {
    /// Each line with its row.
    texts: Vec<(usize, &'a str)>,
    /// The text by which lines are compared.
    keys: Vec<String>,
}

impl<'a> Piece<'a> {
    fn new(view: &'a View<'_>) -> Self {
        let texts: Vec<(usize, &str)> = view
            .rows
            .iter()
            .enumerate()
            .filter_map(|(row, shown)| match shown {
                ViewRow::Line(line) => Some((row, line.text)),
                ViewRow::Omitted(_) => None,
            })
            .collect();
        let key = |(_, text): &(usize, &str)| text.split_whitespace().collect::<Vec<_>>().join(" ");
        Self { keys: texts.iter().map(key).collect(), texts }
    }
}

/// Decides which old lines are replaced by which new ones: as many as the shorter side has, in order, and if there is a
/// choice those that have the most words in common, the earliest first.
fn together(old: &Piece<'_>, gone: &[usize], new: &Piece<'_>, fresh: &[usize]) -> Vec<(usize, usize)> {
    let in_order = || gone.iter().copied().zip(fresh.iter().copied()).collect();
    if gone.len() == fresh.len() || gone.len().saturating_mul(fresh.len()) > MAX_PAIRS {
        return in_order();
    }
    let is_swapped = gone.len() > fresh.len();
    let (few, many) = if is_swapped { (fresh, gone) } else { (gone, fresh) };
    let words = |lines: &[usize], is_new: bool| -> Vec<BTreeSet<&str>> {
        let text = |at: &usize| if is_new { new.keys[*at].as_str() } else { old.keys[*at].as_str() };
        lines.iter().map(|at| pieces(text(at)).map(|range| &text(at)[range]).collect()).collect()
    };
    let (words_of_few, words_of_many) = (words(few, is_swapped), words(many, !is_swapped));
    // The most words in common, if the lines from one on are paired with those from another on.
    let mut best = vec![vec![0_usize; many.len() + 1]; few.len() + 1];
    let common = |one: usize, other: usize| words_of_few[one].intersection(&words_of_many[other]).count();
    let is_enough = |one: usize, other: usize| few.len() - one <= many.len() - other;
    for one in (0..few.len()).rev() {
        for other in (0..many.len()).rev().filter(|&other| is_enough(one, other)) {
            let paired = common(one, other) + best[one + 1][other + 1];
            let skipped = if is_enough(one, other + 1) { best[one][other + 1] } else { 0 };
            best[one][other] = paired.max(skipped);
        }
    }
    let (mut pairs, mut one) = (Vec::with_capacity(few.len()), 0);
    for other in 0..many.len() {
        if one < few.len() && common(one, other) + best[one + 1][other + 1] == best[one][other] {
            pairs.push(if is_swapped { (many[other], few[one]) } else { (few[one], many[other]) });
            one += 1;
        }
    }
    pairs
}

/// Returns the ranges of an old and of a new line that the other one does not have.
fn different_words(old: &str, new: &str) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let (in_old, in_new): (Vec<Range<usize>>, Vec<Range<usize>>) = (pieces(old).collect(), pieces(new).collect());
    let words = |text: &str, ranges: &[Range<usize>]| -> Vec<String> {
        ranges.iter().map(|range| text[range.clone()].to_owned()).collect()
    };
    let pairs = lcs::pairs(&words(old, &in_old), &words(new, &in_new), MAX_WORDS).unwrap_or_default();
    let (common_old, common_new): (Vec<usize>, Vec<usize>) = pairs.into_iter().unzip();
    (without(old, &in_old, &common_old), without(new, &in_new, &common_new))
}

/// Returns the ranges that are not in `common`, sorted indices; those with only white space between them are one.
fn without(text: &str, ranges: &[Range<usize>], common: &[usize]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (_, range) in ranges.iter().enumerate().filter(|(at, _)| common.binary_search(at).is_err()) {
        match found.last_mut() {
            Some(last) if text[last.end..range.start].trim().is_empty() => last.end = range.end,
            _ => found.push(range.clone()),
        }
    }
    found
}

/// Returns the words and signs of a text. In a script without spaces, each letter is a word.
fn pieces(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let is_part = |c: char| (c.is_alphanumeric() || c == '_') && !is_unspaced(c);
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(|c: char| !c.is_whitespace())?;
        let first = text[start..].chars().next()?;
        let length = if is_part(first) { text[start..].find(|c| !is_part(c)) } else { Some(first.len_utf8()) };
        at = length.map_or(text.len(), |length| start + length);
        Some(start..at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::excerpt::Pin;

    fn compared(old: &str, new: &str) -> Comparison {
        let (old, new) = (Pin::new("a.py", old), Pin::new("a.py", new));
        Comparison::new(&old.view(&[]), &new.view(&[])).expect("small pieces")
    }

    /// The lit lines of the newer piece, by number and by what is underlined, and what stands above which line.
    fn shown(old: &str, new: &str) -> String {
        let found = compared(old, new);
        let mut shown: Vec<String> = Vec::new();
        for (row, line) in &found.lines {
            let text = new.lines().nth(*row).expect("a line");
            let words: Vec<&str> = line.words.iter().map(|range| &text[range.clone()]).collect();
            let sign = if line.is_changed { "~" } else { "+" };
            shown.push(format!("{}{sign}{}", row + 1, words.join("|")));
        }
        for (row, lines) in &found.above {
            for line in lines {
                let sign = if line.words.is_some() { "~" } else { "-" };
                shown.push(format!("{}{sign}{}", line.row + 1, row + 1));
            }
        }
        shown.join(" ")
    }

    #[test]
    fn changed_new_and_gone_lines() {
        assert_eq!(shown("a = 1\nb = 2\nc = 3\n", "a = 1\nb = 4\nc = 3\n"), "2~4 2~2");
        assert_eq!(shown("a = 1\nc = 3\n", "a = 1\nb = 4\nc = 3\n"), "2+");
        assert_eq!(shown("a = 1\nb = 2\nc = 3\n", "a = 1\nc = 3\n"), "2-2");
        assert_eq!(shown("a = 1\nb = 2\n", "a = 1\n"), "2-2");
        assert_eq!(shown("x\n", "y\nz\n"), "1~y 2+ 1~1", "of two that are alike, the earliest");
        assert_eq!(compared("a\nb\nc\nd\n", "e\nb\nf\n").counts(), [2, 0, 1]);
    }

    #[test]
    fn white_space_and_blank_lines_are_not_lit() {
        assert_eq!(shown("if a:\n    b = 1\n", "if  a:\n\tb =  1  \n"), "");
        assert_eq!(shown("a\nb\n", "a\n\n\nb\n"), "");
        assert_eq!(shown("a\n\nb\n", "a\nb\n"), "");
    }

    #[test]
    fn lines_are_paired_by_their_words() {
        let old = "for (int i = 1; i < n; i *= 2) {\n";
        let new = "#pragma unroll\nfor (int i = n / 2; i > 0; i /= 2) {\n";
        assert_eq!(shown(old, new), "1+ 2~n / 2|> 0|/ 1~2");
        assert_eq!(shown("log(x)\ny = f(x)\n", "y = f(2 * x)\n"), "1~2 * 1-1 2~1");
    }

    #[test]
    fn in_a_script_without_spaces_letters_are_words() {
        assert_eq!(shown("# 第一个内核\n", "# 第二个内核\n"), "1~二 1~1");
        assert_eq!(shown("x = 'größe'\n", "x = 'größer'\n"), "1~größer 1~1");
    }

    #[test]
    fn pieces_that_are_too_large() {
        let lines = |count: usize, from: usize| {
            (from..from + count).map(|line| format!("{line}\n")).collect::<Vec<_>>().concat()
        };
        let error = |old: &str, new: &str| {
            let (old, new) = (Pin::new("a.py", old), Pin::new("a.py", new));
            Comparison::new(&old.view(&[]), &new.view(&[])).expect_err("too large")
        };
        assert_eq!(error(&lines(MAX_LINES + 1, 0), "x\n"), TooLarge::Lines(MAX_LINES + 1));
        assert_eq!(error(&lines(501, 0), &lines(501, 9_000)), TooLarge::Different);
        assert_eq!(compared(&lines(500, 0), &lines(500, 9_000)).counts(), [500, 0, 0]);
    }
}
