//! What a build leaves for the next one: lists sorted by name, whose values are used again where they still hold.

use std::cmp::Ordering;
use std::sync::Arc;

use rayon::prelude::*;

/// Something that is known by a name.
pub trait Named {
    /// The name by which lists of it are sorted.
    fn name(&self) -> &str;
}

/// For each of `wanted` what `kept` has of that name, if it `holds`, else what is made of it, in parallel. Both are sorted
/// by name, and so is what is returned.
pub fn renew<W, T>(
    kept: &[Arc<T>],
    wanted: &[W],
    holds: impl Fn(&W, &T) -> bool + Sync,
    make: impl Fn(&W) -> T + Sync,
) -> Vec<Arc<T>>
where
    W: Named + Sync,
    T: Named + Send + Sync,
{
    let mut at = 0;
    let found: Vec<Option<&Arc<T>>> = wanted
        .iter()
        .map(|wanted| {
            while let Some(kept) = kept.get(at) {
                match order(kept.name(), wanted.name()) {
                    Ordering::Less => at += 1,
                    Ordering::Equal => return Some(kept),
                    Ordering::Greater => break,
                }
            }
            None
        })
        .collect();
    wanted
        .par_iter()
        .zip(found)
        .with_min_len(8)
        .map(|(wanted, found)| match found {
            Some(kept) if holds(wanted, kept) => Arc::clone(kept),
            _ => Arc::new(make(wanted)),
        })
        .collect()
}

/// How two names are sorted. Most are not only equal but the same, which is seen without reading them.
fn order(one: &str, other: &str) -> Ordering {
    if std::ptr::eq(one, other) { Ordering::Equal } else { one.cmp(other) }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Word(&'static str, usize);

    impl Named for Word {
        fn name(&self) -> &str {
            self.0
        }
    }

    #[test]
    fn only_what_does_not_hold_is_made_anew() {
        let make = |wanted: &Word| Word(wanted.0, wanted.1 * 10);
        let first = renew(&[], &[Word("a", 1), Word("c", 3), Word("d", 4)], |_, _| true, make);
        let wanted = [Word("a", 1), Word("b", 2), Word("c", 9), Word("e", 5)];
        let second = renew(&first, &wanted, |wanted, kept| wanted.1 * 10 == kept.1, make);
        assert_eq!(
            second.iter().map(|word| (word.0, word.1)).collect::<Vec<_>>(),
            [("a", 10), ("b", 20), ("c", 90), ("e", 50)]
        );
        assert!(Arc::ptr_eq(&first[0], &second[0]));
        assert!(!Arc::ptr_eq(&first[1], &second[2]));
    }
}
