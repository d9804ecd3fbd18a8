//! Aligns the lines of a pin with those of the file: by a diff, or if that would take too long, by the lines that occur
//! once in each.

use std::collections::BTreeMap;
use std::ops::Range;

use similar::{ChangeTag, TextDiff};

/// The maximum number of pairs of lines for a diff, whose time grows with their number.
const MAX_PAIRS: usize = 1 << 14;

/// Returns the numbers of equal lines at the start and at the end of two texts.
pub(super) fn common_ends(old: &[&str], new: &[&str]) -> [usize; 2] {
    let above = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let below = old[above..].iter().rev().zip(new[above..].iter().rev()).take_while(|(old, new)| old == new).count();
    [above, below]
}

/// Returns whether the difference is small enough for a diff.
pub(super) fn is_short(old: usize, new: usize) -> bool {
    old.saturating_mul(new) <= MAX_PAIRS
}

/// Returns the line of `new` that is matched with each line of `old`; these line numbers increase.
pub(super) fn aligned(old: &[&str], new: &[&str]) -> Vec<Option<usize>> {
    let [above, below] = common_ends(old, new);
    let mut aligned: Vec<Option<usize>> = (0..above).map(Some).collect();
    aligned.resize(old.len() - below, None);
    aligned.extend((new.len() - below..new.len()).map(Some));
    let (old_rest, new_rest) = (&old[above..old.len() - below], &new[above..new.len() - below]);
    let pairs = if is_short(old_rest.len(), new_rest.len()) {
        align_by_diff(old_rest, new_rest)
    } else {
        align_by_unique_lines(old_rest, new_rest)
    };
    for (old, new) in pairs {
        aligned[above + old] = Some(above + new);
    }
    aligned
}

fn align_by_diff(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let diff = TextDiff::from_slices(old, new);
    let equal = diff.iter_all_changes().filter(|change| change.tag() == ChangeTag::Equal);
    equal.filter_map(|change| Some((change.old_index()?, change.new_index()?))).collect()
}

/// Matches the longest sequence of lines that occur once in both texts in the same order, each with the equal lines
/// around it.
fn align_by_unique_lines(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let (once, in_new) = (unique_lines(old), unique_lines(new));
    let mut shared: Vec<(usize, usize)> =
        once.iter().filter_map(|(line, &at)| Some((at?, in_new.get(line).copied()??))).collect();
    shared.sort_unstable();
    let anchors = longest_ascending(&shared);
    let mut pairs = Vec::new();
    let mut done = (0, 0);
    for (at, &(row, matching)) in anchors.iter().enumerate() {
        let end = anchors.get(at + 1).copied().unwrap_or((old.len(), new.len()));
        let before = (1..=(row - done.0).min(matching - done.1))
            .take_while(|&before| old[row - before] == new[matching - before])
            .count();
        let limit = (end.0 - row).min(end.1 - matching);
        let after = (0..limit).take_while(|&after| old[row + after] == new[matching + after]).count();
        let rows: Range<usize> = row - before..row + after;
        pairs.extend(rows.clone().map(|old| (old, old + matching - row)));
        done = (rows.end, matching + after);
    }
    pairs
}

/// Returns the position of each line, or `None` if it occurs several times.
fn unique_lines<'t>(lines: &[&'t str]) -> BTreeMap<&'t str, Option<usize>> {
    let mut unique_lines = BTreeMap::new();
    for (at, line) in lines.iter().enumerate() {
        unique_lines.entry(*line).and_modify(|at| *at = None).or_insert(Some(at));
    }
    unique_lines
}

/// Returns the longest subsequence of pairs, sorted by the first element, in which the second increases, too.
fn longest_ascending(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // The pair that ends the best subsequence of each length, and the predecessor of each pair.
    let (mut ends, mut before): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
    for (at, &(_, new)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end: &usize| pairs[end].1 < new);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() {
            ends.push(at);
        } else {
            ends[length] = at;
        }
    }
    let mut found: Vec<_> = std::iter::successors(ends.last().copied(), |&at| before[at]).map(|at| pairs[at]).collect();
    found.reverse();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lines_are_aligned_with_and_without_a_diff() {
        let old = ["a", "x", "b", "x", "c", "d", "e"];
        let new = ["a", "n", "b", "x", "d", "c", "e"];
        assert_eq!(aligned(&old, &new), [Some(0), None, Some(2), Some(3), Some(5), None, Some(6)]);
        assert_eq!(align_by_unique_lines(&old, &new), [(0, 0), (2, 2), (3, 3), (5, 4), (6, 6)]);
        assert_eq!(align_by_unique_lines(&[], &[]), []);
        assert_eq!(align_by_unique_lines(&["a", "a"], &["a"]), []);
    }

    #[test]
    fn of_lines_in_the_other_order_one_stays() {
        let old: Vec<String> = (0..5_000).map(|line| line.to_string()).collect();
        let old: Vec<&str> = old.iter().map(String::as_str).collect();
        let new: Vec<&str> = old.iter().rev().copied().collect();
        assert_eq!(aligned(&old, &new).iter().flatten().count(), 1);
    }
}
