//! Differences of code by lines, and of text by words.

use std::collections::BTreeSet;
use std::ops::Range;

use infralens_source::source::script::is_unspaced;
use infralens_starter::{Listing, lcs};
use serde::Serialize;

/// The maximum number of items of two sequences that are in only one of them. Sequences that differ more are compared as a
/// whole.
pub(crate) const LIMIT: usize = 1_000;
/// The number of words that are shown around a change.
const AROUND: usize = 6;
/// Up to this length in bytes, a text is shown whole.
const SHORT: usize = 120;

/// One line of a difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// Which version has it.
    pub sign: Sign,
    pub text: String,
}

/// Which version has a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Sign {
    /// Both.
    #[serde(rename = " ")]
    Same,
    /// The older one.
    #[serde(rename = "-")]
    Old,
    /// The newer one.
    #[serde(rename = "+")]
    New,
}

impl Line {
    pub(crate) fn new(sign: Sign, text: impl Into<String>) -> Self {
        Self { sign, text: text.into() }
    }
}

/// The items of two sequences that are only in one of them, between two that both have.
pub(crate) type Gap = [Range<usize>; 2];

/// Returns the gaps between the items that two sequences have in common, in order.
pub(crate) fn gaps<T: Ord>(old: &[T], new: &[T]) -> Vec<Gap> {
    let above = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let below = old[above..].iter().rev().zip(new[above..].iter().rev()).take_while(|(old, new)| old == new).count();
    let ends = (old.len() - below, new.len() - below);
    let pairs = lcs::pairs(&old[above..ends.0], &new[above..ends.1], LIMIT).unwrap_or_default();
    let pairs = pairs.into_iter().map(|(old, new)| (old + above, new + above)).chain([ends]);
    let mut from = (above, above);
    let gaps = pairs.map(|(old, new)| {
        let gap = [from.0..old, from.1..new];
        from = (old + 1, new + 1);
        gap
    });
    gaps.filter(|gap| gap.iter().any(|range| !range.is_empty())).collect()
}

/// Returns the difference of two pieces of code, each changed place with the line above it.
pub(crate) fn of_code<T: AsRef<str> + Ord>(old: &[T], new: &[T]) -> Vec<Line> {
    let mut lines = Vec::new();
    for [gone, fresh] in gaps(old, new) {
        let above = new[..fresh.start].last().map(AsRef::as_ref);
        lines.extend(above.filter(|above| !above.trim().is_empty()).map(|above| Line::new(Sign::Same, above)));
        lines.extend(old[gone].iter().map(|line| Line::new(Sign::Old, line.as_ref())));
        lines.extend(new[fresh].iter().map(|line| Line::new(Sign::New, line.as_ref())));
    }
    lines
}

/// Returns the difference of two texts, each changed place with a few words around it.
pub(crate) fn of_text(old: &str, new: &str) -> Vec<Line> {
    let whole = |sign, text: &str| if text.is_empty() { None } else { Some(Line::new(sign, text)) };
    if old.len() <= SHORT && new.len() <= SHORT {
        return whole(Sign::Old, old).into_iter().chain(whole(Sign::New, new)).collect();
    }
    let ([old_words, new_words], gaps) = word_gaps([old, new]);
    let mut found: Vec<Gap> = Vec::new();
    for [gone, fresh] in gaps {
        match found.last_mut() {
            Some([last_gone, last_fresh]) if gone.start - last_gone.end <= 2 * AROUND => {
                (last_gone.end, last_fresh.end) = (gone.end, fresh.end);
            }
            _ => found.push([gone, fresh]),
        }
    }
    let part = |sign, text: &str, words: &[Range<usize>], range: &Range<usize>| {
        let (first, last) = (range.start.saturating_sub(AROUND), (range.end + AROUND).min(words.len()));
        let start = words.get(first).map_or(text.len(), |word| word.start);
        let end = words[..last].last().map_or(start, |word| word.end).max(start);
        let (before, after) = (if first > 0 { "… " } else { "" }, if last < words.len() { " …" } else { "" });
        Line::new(sign, format!("{before}{}{after}", text[start..end].trim()))
    };
    let lines = found
        .iter()
        .flat_map(|[gone, fresh]| [part(Sign::Old, old, &old_words, gone), part(Sign::New, new, &new_words, fresh)]);
    lines.collect()
}

/// Returns the words of two texts, and the gaps between those that both have.
pub(crate) fn word_gaps(texts: [&str; 2]) -> ([Vec<Range<usize>>; 2], Vec<Gap>) {
    let places = texts.map(words);
    let [old, new] = [0, 1].map(|side: usize| {
        let text = |word: &Range<usize>| texts[side][word.clone()].trim();
        places[side].iter().map(text).collect::<Vec<&str>>()
    });
    let gaps = gaps(&old, &new);
    (places, gaps)
}

/// Returns the lines of a file, from 0, without markers and with their texts.
pub(crate) fn visible(listing: &Listing, lines: Range<usize>) -> Vec<(usize, &str)> {
    let lines = lines.filter(|&line| !listing.is_marker(line));
    lines.map(|line| (line, listing.line(line).trim_end())).collect()
}

/// Returns the gaps between the lines that two files have in common. A change that is `shown` in part is seen there.
pub(crate) fn unshown(sides: &[Vec<(usize, &str)>; 2], shown: [&BTreeSet<usize>; 2]) -> Vec<Gap> {
    let [old, new] = [0, 1].map(|side: usize| sides[side].iter().map(|(_, text)| *text).collect::<Vec<&str>>());
    let mut gaps = gaps(&old, &new);
    let is_shown =
        |gap: &Gap, side: usize| sides[side][gap[side].clone()].iter().any(|(at, _)| shown[side].contains(at));
    gaps.retain(|gap| !is_shown(gap, 0) && !is_shown(gap, 1));
    gaps
}

/// Splits a text at white space, and at each character of a script without spaces between words.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices() {
        if c.is_whitespace() || is_unspaced(c) {
            words.extend(start.take().map(|start| start..at));
            words.extend(is_unspaced(c).then(|| at..at + c.len_utf8()));
        } else {
            start.get_or_insert(at);
        }
    }
    words.extend(start.map(|start| start..text.len()));
    words
}

/// The words of a text, sorted.
pub(crate) struct Words(Vec<String>);

impl Words {
    pub(crate) fn of(text: &str) -> Self {
        let mut words: Vec<String> = words(text).iter().map(|word| text[word.clone()].to_lowercase()).collect();
        words.sort_unstable();
        Self(words)
    }

    /// Returns how similar two texts are, from 0 to 1: the share of their words that both have.
    pub(crate) fn similarity(&self, other: &Self) -> f64 {
        let (mut left, mut shared) = (other.0.iter().peekable(), 0);
        for word in &self.0 {
            while left.next_if(|known| *known < word).is_some() {}
            shared += u32::from(left.next_if(|known| *known == word).is_some());
        }
        let all = u32::try_from(self.0.len() + other.0.len()).unwrap_or(u32::MAX);
        if all == 0 { 1.0 } else { f64::from(2 * shared) / f64::from(all) }
    }
}

/// Returns code without white space, so that a formatter's pass is no difference.
pub(crate) fn squeezed<'t>(lines: impl IntoIterator<Item = &'t str>) -> String {
    lines.into_iter().flat_map(str::chars).filter(|c| !c.is_whitespace()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(lines: &[Line]) -> String {
        let sign = |sign| match sign {
            Sign::Same => ' ',
            Sign::Old => '-',
            Sign::New => '+',
        };
        lines.iter().flat_map(|line| [sign(line.sign).to_string(), format!("{}\n", line.text)]).collect()
    }

    #[test]
    fn code_differs_by_lines() {
        let (old, new) = (["a", "b", "c", "d"], ["a", "x", "c", "d", "e"]);
        assert_eq!(shown(&of_code(&old, &new)), " a\n-b\n+x\n d\n+e\n");
        assert_eq!(gaps(&old, &old), Vec::<Gap>::new());
    }

    #[test]
    fn long_texts_are_shown_around_their_changes() {
        let text = |middle: &str| format!("{}{middle} {}", "one two three ".repeat(9), "four five six ".repeat(9));
        let [old, new] = [text("thirteen"), text("fourteen")];
        let around = |word: &str| format!("… one two three one two three {word} four five six four five six …");
        assert_eq!(shown(&of_text(&old, &new)), format!("-{}\n+{}\n", around("thirteen"), around("fourteen")));
        assert_eq!(shown(&of_text("a", "b")), "-a\n+b\n");
    }

    #[test]
    fn scripts_without_spaces_have_words_too() {
        let text = |middle: &str| format!("{}{middle}{}", "一二三".repeat(30), "四五六".repeat(30));
        let lines = of_text(&text("七"), &text("八"));
        assert_eq!(lines[0].text, "… 一二三一二三七四五六四五六 …");
    }

    #[test]
    fn what_differs_too_much_is_one_gap() {
        let old: Vec<usize> = (0..3_000).collect();
        let new: Vec<usize> = (0..3_000).rev().collect();
        assert_eq!(gaps(&old, &new), [[0..3_000, 0..3_000]]);
    }

    #[test]
    fn similarity_counts_words() {
        let near =
            |one: &str, other: &str, wanted: f64| (Words::of(one).similarity(&Words::of(other)) - wanted).abs() < 1e-9;
        assert!(near("a b c d", "A b c e", 0.75) && near("", "", 1.0) && near("a", "b", 0.0));
    }
}
