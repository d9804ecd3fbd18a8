//! Pairs the quotes of a translation with the blocks of its source, each block once:
//!
//! 1. equal text, by the longest common sequence, so that repeated blocks pair by position;
//! 2. equal text elsewhere: the block has moved;
//! 3. equal as read: only targets of links differ;
//! 4. of one kind, and at least half the words of the longer equal; between the same neighbors first;
//! 5. of one kind, with the same key, such as the binding of a note;
//! 6. of one kind, and both alone between the same paired neighbors.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::hash::Hash;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::blocks::Kind;
use infralens_source::source::script::is_glyph;

/// How many blocks of its kind a quote is compared with by its words: those that are nearest to where it stands.
const NEAREST: usize = 64;

/// A quote or a block.
#[derive(Debug)]
pub struct Subject {
    pub kind: Kind,
    /// The text that is compared: see [`comparable`](crate::blocks::comparable).
    pub text: String,
    /// The text as readers see it.
    pub read: String,
    pub key: Option<String>,
}

/// How a quote was paired with its block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pair {
    Equal,
    Moved,
    Mechanical,
    /// By words: rule 4.
    Similar,
    /// By its key or its neighbors: rules 5 and 6.
    Placed,
}

impl Pair {
    /// Whether the block has changed since it was quoted.
    pub fn is_stale(self) -> bool {
        matches!(self, Self::Similar | Self::Placed)
    }
}

/// Returns the block of each quote, and how they were paired; `None` for a quote that is left over.
pub fn pair(quotes: &[Subject], blocks: &[Subject]) -> Vec<Option<(usize, Pair)>> {
    let mut pairs = Pairs { quotes, blocks, of_quote: vec![None; quotes.len()], is_taken: vec![false; blocks.len()] };
    pairs.in_sequence();
    pairs.by(Pair::Moved, |subject| Some(subject.text.clone()));
    pairs.by(Pair::Mechanical, |subject| Some(subject.read.clone()).filter(|read| !read.is_empty()));
    pairs.by_words();
    pairs.by(Pair::Placed, |subject| subject.key.clone());
    pairs.alone();
    pairs.of_quote
}

struct Pairs<'a> {
    quotes: &'a [Subject],
    blocks: &'a [Subject],
    of_quote: Vec<Option<(usize, Pair)>>,
    is_taken: Vec<bool>,
}

impl Pairs<'_> {
    fn take(&mut self, quote: usize, block: usize, pair: Pair) {
        if self.of_quote[quote].is_none() && !self.is_taken[block] {
            self.of_quote[quote] = Some((block, pair));
            self.is_taken[block] = true;
        }
    }

    fn left_quotes(&self) -> Vec<usize> {
        (0..self.quotes.len()).filter(|&quote| self.of_quote[quote].is_none()).collect()
    }

    /// Pairs the longest common sequence. Texts that only one side has cannot be in it.
    fn in_sequence(&mut self) {
        fn texts(subjects: &[Subject]) -> BTreeSet<&str> {
            subjects.iter().map(|subject| subject.text.as_str()).collect()
        }
        let common: BTreeSet<&str> = texts(self.quotes).intersection(&texts(self.blocks)).copied().collect();
        let [quotes, blocks] = [self.quotes, self.blocks].map(|subjects| {
            let texts = subjects.iter().map(|subject| subject.text.as_str()).enumerate();
            texts.filter(|(_, text)| common.contains(text)).collect::<Vec<_>>()
        });
        for (quote, block) in common_sequence(&quotes, &blocks) {
            self.take(quote, block, Pair::Equal);
        }
    }

    /// Pairs those of one kind and name, in their order.
    fn by(&mut self, pair: Pair, name: impl Fn(&Subject) -> Option<String>) {
        let mut left: BTreeMap<String, VecDeque<usize>> = BTreeMap::new();
        let named = |subject: &Subject| Some(format!("{:?} {}", subject.kind, name(subject)?));
        for block in (0..self.blocks.len()).filter(|&block| !self.is_taken[block]) {
            if let Some(name) = named(&self.blocks[block]) {
                left.entry(name).or_default().push_back(block);
            }
        }
        for quote in self.left_quotes() {
            let block = named(&self.quotes[quote]).and_then(|name| left.get_mut(&name)?.pop_front());
            if let Some(block) = block {
                self.take(quote, block, pair);
            }
        }
    }

    /// Returns, for each quote, the blocks between those that the nearest quotes before and after it are paired with.
    fn gaps(&self) -> Vec<Range<usize>> {
        let mut gaps = vec![0..self.blocks.len(); self.quotes.len()];
        let mut before = 0;
        for (gap, pair) in gaps.iter_mut().zip(&self.of_quote) {
            gap.start = before;
            before = pair.map_or(before, |(block, _)| block + 1);
        }
        let mut after = self.blocks.len();
        for (gap, pair) in gaps.iter_mut().zip(&self.of_quote).rev() {
            gap.end = after.max(gap.start);
            after = pair.map_or(after, |(block, _)| block);
        }
        gaps
    }

    fn by_words(&mut self) {
        let left: Vec<usize> = (0..self.blocks.len()).filter(|&block| !self.is_taken[block]).collect();
        if left.is_empty() {
            return;
        }
        let of_blocks: BTreeMap<usize, (BTreeMap<String, usize>, usize)> =
            left.iter().map(|&block| (block, words(&self.blocks[block].text))).collect();
        let (mut candidates, gaps) = (Vec::new(), self.gaps());
        for quote in self.left_quotes() {
            let kind = self.quotes[quote].kind;
            let (own, length) = words(&self.quotes[quote].text);
            let gap = &gaps[quote];
            let distance = |block: usize| gap.start.saturating_sub(block) + (block + 1).saturating_sub(gap.end);
            let (before, after) = left.split_at(left.partition_point(|&block| block < gap.start));
            let of_kind = |block: &&usize| self.blocks[**block].kind == kind;
            let near =
                after.iter().filter(of_kind).take(NEAREST).chain(before.iter().rev().filter(of_kind).take(NEAREST));
            for &block in near {
                let (other, other_length) = &of_blocks[&block];
                let equal = in_common(&own, other);
                let longer = length.max(*other_length);
                if longer > 0 && 2 * equal >= longer {
                    let is_elsewhere = !gap.contains(&block);
                    candidates.push((is_elsewhere, Reverse(1000 * equal / longer), distance(block), quote, block));
                }
            }
        }
        candidates.sort_unstable();
        for (.., quote, block) in candidates {
            self.take(quote, block, Pair::Similar);
        }
    }

    fn alone(&mut self) {
        let gaps = self.gaps();
        let mut left = self.left_quotes();
        left.retain(|&quote| {
            let beside =
                |other: Option<usize>| other.is_some_and(|other| self.of_quote.get(other).is_some_and(Option::is_none));
            !beside(quote.checked_sub(1)) && !beside(Some(quote + 1))
        });
        for quote in left {
            let mut free = gaps[quote].clone().filter(|&block| !self.is_taken[block]);
            if let (Some(block), None) = (free.next(), free.next())
                && self.blocks[block].kind == self.quotes[quote].kind
            {
                self.take(quote, block, Pair::Placed);
            }
        }
    }
}

/// Returns the places of the longest common sequence of two lists, each of places and what they are compared by.
pub fn common_sequence<T: Clone + Ord + Hash>(one: &[(usize, T)], other: &[(usize, T)]) -> Vec<(usize, usize)> {
    let [names, other_names] = [one, other].map(|list| list.iter().map(|(_, name)| name.clone()).collect::<Vec<_>>());
    let equal = capture_diff_slices(Algorithm::Myers, &names, &other_names).into_iter().flat_map(|op| match op {
        DiffOp::Equal { old_index, new_index, len } => (old_index..old_index + len).zip(new_index..new_index + len),
        _ => (0..0).zip(0..0),
    });
    equal.map(|(at, other_at)| (one[at].0, other[other_at].0)).collect()
}

/// Whether two texts have at least half the words of the longer in common.
pub fn is_similar(one: &str, other: &str) -> bool {
    let ((one, length), (other, other_length)) = (words(one), words(other));
    2 * in_common(&one, &other) >= length.max(other_length)
}

fn in_common(one: &BTreeMap<String, usize>, other: &BTreeMap<String, usize>) -> usize {
    one.iter().map(|(word, count)| other.get(word).map_or(0, |other| *count.min(other))).sum()
}

/// Returns the words of a text, each with how often it occurs, and their number. A Han or kana character is a word.
fn words(text: &str) -> (BTreeMap<String, usize>, usize) {
    let (mut found, mut count) = (BTreeMap::new(), 0);
    for word in split(text).filter(|word| word.contains(char::is_alphanumeric)) {
        *found.entry(word.to_lowercase()).or_default() += 1;
        count += 1;
    }
    (found, count)
}

/// Splits a text into words and what is between them.
pub fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let is_word = |c: char| (c.is_alphanumeric() || c == '_') && !is_glyph(c);
        let end = if is_word(first) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(text: &str) -> Subject {
        let (kind, text) = match text.strip_prefix("- ") {
            Some(text) => (Kind::Item(false), text),
            None => (Kind::Paragraph, text),
        };
        let read: String = text.split(['(', ')']).step_by(2).collect();
        let key = text.split_once(": ").map(|(key, _)| key.to_owned());
        Subject { kind, text: text.into(), read, key }
    }

    fn paired(quotes: &[&str], blocks: &[&str]) -> Vec<Option<(usize, Pair)>> {
        let of = |texts: &[&str]| texts.iter().map(|text| subject(text)).collect::<Vec<_>>();
        pair(&of(quotes), &of(blocks))
    }

    #[test]
    fn equal_blocks_pair_in_sequence_and_repeated_ones_by_position() {
        use Pair::Equal;
        assert_eq!(
            paired(&["a", "x", "b", "x"], &["a", "x", "new one", "b", "x"]),
            [Some((0, Equal)), Some((1, Equal)), Some((3, Equal)), Some((4, Equal))]
        );
        // The first of two is deleted: what remains pairs with the quote at its place.
        assert_eq!(paired(&["x", "a", "x"], &["a", "x"])[1..], [Some((0, Equal)), Some((1, Equal))]);
    }

    #[test]
    fn a_block_that_moved_is_found_elsewhere() {
        assert_eq!(
            paired(&["a", "b", "c"], &["b", "c", "a"]),
            [Some((2, Pair::Moved)), Some((0, Pair::Equal)), Some((1, Pair::Equal))]
        );
    }

    #[test]
    fn only_a_target_has_changed() {
        assert_eq!(paired(&["see it(a.md) now"], &["see it(b.md) now"]), [Some((0, Pair::Mechanical))]);
    }

    #[test]
    fn half_the_words_of_the_longer_one_are_enough_with_repetition() {
        assert_eq!(paired(&["one two three four"], &["one two five six"]), [Some((0, Pair::Similar))]);
        // A word that stands twice counts twice.
        let of = paired(&["q", "no no no no", "r"], &["q", "no a b c", "- x", "r"]);
        assert_eq!(of[1], None);
        assert_eq!(paired(&["数清参数"], &["数清字节"]), [Some((0, Pair::Similar))]);
    }

    #[test]
    fn neighbors_decide_between_blocks_with_the_same_words() {
        let of = paired(&["a", "the sum of x", "b"], &["the sum of y", "a", "the sum of z", "b"]);
        assert_eq!(of[1], Some((2, Pair::Similar)));
    }

    #[test]
    fn keys_pair_what_words_do_not() {
        let of = paired(&["kv: one two three four", "lm: five six"], &["lm: seven eight nine", "kv: ten eleven ten"]);
        assert_eq!(of, [Some((1, Pair::Placed)), Some((0, Pair::Placed))]);
    }

    #[test]
    fn alone_between_the_same_neighbors_and_of_the_same_kind() {
        assert_eq!(paired(&["a", "old", "b"], &["a", "entirely", "b"])[1], Some((1, Pair::Placed)));
        assert_eq!(paired(&["a", "old", "b"], &["a", "- entirely", "b"])[1], None);
        assert_eq!(paired(&["a", "old", "b"], &["a", "entirely", "other", "b"])[1], None);
        assert_eq!(paired(&["a", "old", "older", "b"], &["a", "entirely", "b"])[1..3], [None, None]);
    }
}
