//! Aligns the lines of a pin with those of the file: by a diff, or if that would take too long, by one that gives up where too
//! many lines differ.

use infralens_starter::lcs;
use similar::{ChangeTag, TextDiff};

/// The maximum number of pairs of lines for a diff, whose time grows with their number.
const MAX_PAIRS: usize = 1 << 14;
/// The maximum number of lines in only one of two longer texts; if more differ, none are aligned.
const MAX_DIFFERENT: usize = 1_000;

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
        lcs::pairs(old_rest, new_rest, MAX_DIFFERENT).unwrap_or_default()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lines_are_aligned() {
        let old = ["a", "x", "b", "x", "c", "d", "e"];
        let new = ["a", "n", "b", "x", "d", "c", "e"];
        assert_eq!(aligned(&old, &new), [Some(0), None, Some(2), Some(3), Some(5), None, Some(6)]);
    }

    #[test]
    fn long_texts_are_aligned_while_few_lines_differ() {
        let old: Vec<String> = (0..5_000).map(|line| line.to_string()).collect();
        let old: Vec<&str> = old.iter().map(String::as_str).collect();
        let turned = |lines: usize| {
            let mut new = old.clone();
            new[1_000..1_000 + lines].reverse();
            aligned(&old, &new).iter().flatten().count()
        };
        assert_eq!([turned(200), turned(1_000)], [4_801, 4_000]);
    }
}
