//! The longest common subsequence of two sequences: by Myers' algorithm, whose time is linear while the sequences are
//! similar, from the end, so that the pairs can be chosen from the beginning.

use std::collections::BTreeMap;

/// Returns the pairs of positions of a longest common subsequence; `None` if more than `limit` items of both are in no
/// pair. Of several longest ones it is the one whose pairs have the earliest items of `new`, and then of `old`.
pub fn pairs<T: Ord>(old: &[T], new: &[T], limit: usize) -> Option<Vec<(usize, usize)>> {
    let distances = Distances::new(old, new, limit)?;
    let mut places: BTreeMap<&T, Vec<usize>> = BTreeMap::new();
    for (at, item) in old.iter().enumerate() {
        places.entry(item).or_default().push(at);
    }
    // As many items are in no pair.
    let mut left = distances.reached.len() - 1;
    let (mut pairs, mut from) = (Vec::new(), 0);
    for (at, item) in new.iter().enumerate() {
        // The nearest equal item leaves the most for the rest. It is paired if the rest is then still a longest one.
        let places = places.get(item).map_or(&[][..], Vec::as_slice);
        let next = places.get(places.partition_point(|&place| place < from)).copied();
        let after = next.and_then(|next| left.checked_sub(next - from));
        match next.zip(after) {
            Some((next, after)) if distances.is_within(after, old.len() - next - 1, new.len() - at - 1) => {
                pairs.push((next, at));
                (from, left) = (next + 1, after);
            }
            // The item is in no pair.
            _ => left = left.saturating_sub(1),
        }
    }
    Some(pairs)
}

/// How many items of the ends of two sequences are in no pair.
struct Distances {
    /// For each distance, and each diagonal from `-distance` on in steps of two: the longest end of the old sequence
    /// that is within that distance of the end of the new sequence that is on the diagonal; `None` if there is none.
    reached: Vec<Vec<Option<usize>>>,
}

impl Distances {
    fn new<T: Ord>(old: &[T], new: &[T], limit: usize) -> Option<Self> {
        let mut reached: Vec<Vec<Option<usize>>> = Vec::new();
        for distance in 0..=limit.min(old.len() + new.len()) {
            let above = |index: Option<usize>| *reached.last()?.get(index?)?;
            let mut row = Vec::with_capacity(distance + 1);
            for index in 0..=distance {
                // The length of the new end is that of the old one, plus `distance`, minus twice `index`.
                let new_length = |length: usize| (length + distance).checked_sub(2 * index);
                let of_old = above(index.checked_sub(1)).map(|length| length + 1);
                let start = if distance == 0 { Some(0) } else { of_old.max(above(Some(index))) };
                let is_inside = |length: &usize| {
                    *length <= old.len() && new_length(*length).is_some_and(|length| length <= new.len())
                };
                // The longer one may be outside, and the other one inside.
                let start = start.filter(is_inside).or_else(|| of_old.min(above(Some(index))).filter(is_inside));
                row.push(start.map(|mut length| {
                    let mut other = new_length(length).unwrap_or_default();
                    while length < old.len()
                        && other < new.len()
                        && old[old.len() - length - 1] == new[new.len() - other - 1]
                    {
                        (length, other) = (length + 1, other + 1);
                    }
                    length
                }));
            }
            reached.push(row);
            let found = Self { reached };
            if found.is_within(distance, old.len(), new.len()) {
                return Some(found);
            }
            reached = found.reached;
        }
        None
    }

    /// Returns whether at most `distance` items of the ends of these lengths are in no pair. `distance` must be odd if one
    /// of the lengths is odd and the other one even.
    fn is_within(&self, distance: usize, old: usize, new: usize) -> bool {
        let index = (distance + old).checked_sub(new).map(|twice| twice / 2);
        let reached = index.and_then(|index| *self.reached.get(distance)?.get(index)?);
        reached.is_some_and(|length| length >= old)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paired(old: &str, new: &str) -> Vec<(usize, usize)> {
        pairs(old.as_bytes(), new.as_bytes(), usize::MAX).expect("no limit")
    }

    /// The pairs by the definition: a table of all lengths, and the earliest items of `new` that keep the longest.
    fn by_table(old: &[u8], new: &[u8]) -> Vec<(usize, usize)> {
        let mut lengths = vec![vec![0; new.len() + 1]; old.len() + 1];
        for i in (0..old.len()).rev() {
            for j in (0..new.len()).rev() {
                let both = if old[i] == new[j] { lengths[i + 1][j + 1] + 1 } else { 0 };
                lengths[i][j] = both.max(lengths[i + 1][j]).max(lengths[i][j + 1]);
            }
        }
        let (mut i, mut pairs) = (0, Vec::new());
        for (j, item) in new.iter().enumerate() {
            let next = (i..old.len()).find(|&at| old[at] == *item);
            if let Some(next) = next.filter(|&next| lengths[next + 1][j + 1] + 1 == lengths[i][j]) {
                pairs.push((next, j));
                i = next + 1;
            }
        }
        pairs
    }

    #[test]
    fn the_earliest_items_are_paired() {
        assert_eq!(paired("axb", "axxb"), [(0, 0), (1, 1), (2, 3)]);
        assert_eq!(paired("axxb", "axb"), [(0, 0), (1, 1), (3, 2)]);
        assert_eq!(paired("ax", "xbx"), [(1, 0)]);
        assert_eq!(paired("ab", "ba"), [(1, 0)], "the earliest item of the new sequence");
        assert_eq!(paired("", "a"), []);
        assert_eq!(paired("abc", ""), []);
    }

    #[test]
    fn pairs_are_those_of_the_table() {
        let mut state = 7_u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        for round in 0..2_000 {
            let letters = 2 + round % 4;
            let mut word = |length: u32| -> Vec<u8> {
                (0..random(length + 1)).map(|_| u8::try_from(random(letters)).unwrap_or_default()).collect()
            };
            let (old, new) = (word(12), word(12));
            assert_eq!(pairs(&old, &new, usize::MAX), Some(by_table(&old, &new)), "{old:?} {new:?}");
        }
    }

    #[test]
    fn the_number_of_differences_is_limited() {
        assert_eq!(pairs(b"ab", b"cd", 3), None);
        assert_eq!(pairs(b"ab", b"cd", 4), Some(Vec::new()));
        let old: Vec<u32> = (0..5_000).collect();
        let new: Vec<u32> = (0..5_000).map(|item| if item % 100 == 7 { item + 9_000 } else { item }).collect();
        assert_eq!(pairs(&old, &new, 100).map(|pairs| pairs.len()), Some(4_950));
        assert_eq!(pairs(&old, &new, 99), None);
    }
}
