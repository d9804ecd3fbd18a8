//! The rule for reusing values of the previous plan: a value is kept if everything that it was made from is unchanged,
//! by pointer or by fingerprint; otherwise it is made again.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::ops::Bound;
use std::sync::Arc;

use imbl::ordmap::DiffItem;
use rayon::prelude::*;

use super::outputs::is_source;
use infralens_render::image;
use infralens_source::project::{File, Files};

/// Returns the previous value if it is `unchanged`, else a new one.
pub fn keep<T>(previous: &Arc<T>, unchanged: bool, make: impl FnOnce() -> T) -> Arc<T> {
    if unchanged { Arc::clone(previous) } else { Arc::new(make()) }
}

/// The changes between two states of a course's files.
#[derive(Debug, Default)]
pub struct ChangedFiles {
    /// Every file that was added, removed or edited.
    paths: BTreeSet<Arc<str>>,
    /// Whether links may resolve differently: a file was added or removed, became readable or unreadable, or a picture
    /// changed its size.
    pub targets: bool,
    /// Whether there was no previous state.
    is_first_plan: bool,
}

impl ChangedFiles {
    /// Compares two states.
    pub fn between(previous: &Files, current: &Files) -> Self {
        let mut changed = Self { is_first_plan: previous.is_empty(), ..Self::default() };
        for item in previous.diff(current) {
            let path = match item {
                DiffItem::Add(path, _) | DiffItem::Remove(path, _) => {
                    changed.targets = true;
                    path
                }
                DiffItem::Update { old: (path, previous), new: (_, current) } => {
                    let is_readable = |file: &File| !matches!(file, File::Refused(_));
                    changed.targets |= is_readable(previous) != is_readable(current) || is_shown(path);
                    path
                }
            };
            changed.paths.insert(Arc::clone(path));
        }
        changed
    }

    /// Returns whether all files at or below a path are unchanged.
    pub fn is_unchanged(&self, path: &str) -> bool {
        !self.is_first_plan && self.below(path).next().is_none()
    }

    /// Returns the files at or below a path that were added, removed or edited.
    pub fn below(&self, path: &str) -> impl Iterator<Item = &str> {
        let folder = format!("{path}/");
        let from = (Bound::Included(&*folder), Bound::Unbounded);
        let below = self.paths.range::<str, _>(from).take_while(move |changed| changed.starts_with(&folder));
        self.paths.get(path).into_iter().chain(below).map(AsRef::as_ref)
    }
}

/// Returns whether a file may be published unchanged. Pages that show it as a picture depend on its size.
fn is_shown(path: &str) -> bool {
    match path.split('/').next() {
        Some("content") => !is_source(path),
        Some("code") => image::is_picture(path),
        other => other != Some("templates"),
    }
}

/// Makes a value for each of `wanted` in parallel, or keeps the previous value of that name if it is `unchanged`. Both
/// lists are sorted by name, and so is the result.
pub fn update<W: Sync, T: Send + Sync>(
    (reuse, name): (&[Arc<T>], impl Fn(&T) -> &str),
    (wanted, wanted_name): (&[W], impl Fn(&W) -> &str),
    unchanged: impl Fn(&W, &T) -> bool + Sync,
    make: impl Fn(&W) -> T + Sync,
) -> Vec<Arc<T>> {
    let mut at = 0;
    let found: Vec<Option<&Arc<T>>> = wanted
        .iter()
        .map(|wanted| {
            while let Some(reuse) = reuse.get(at) {
                match order(name(reuse), wanted_name(wanted)) {
                    Ordering::Less => at += 1,
                    Ordering::Equal => return Some(reuse),
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
            Some(reuse) if unchanged(wanted, reuse) => Arc::clone(reuse),
            _ => Arc::new(make(wanted)),
        })
        .collect()
}

/// Compares two names. Most equal names share a pointer, so the text need not be read.
pub fn order(one: &str, other: &str) -> Ordering {
    if std::ptr::eq(one, other) { Ordering::Equal } else { one.cmp(other) }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Word(&'static str, usize);

    impl Word {
        fn name(&self) -> &str {
            self.0
        }
    }

    #[test]
    fn only_changed_values_are_made_again() {
        let make = |wanted: &Word| Word(wanted.0, wanted.1 * 10);
        let first =
            update((&[], Word::name), (&[Word("a", 1), Word("c", 3), Word("d", 4)], Word::name), |_, _| true, make);
        let wanted = [Word("a", 1), Word("b", 2), Word("c", 9), Word("e", 5)];
        let second =
            update((&first, Word::name), (&wanted, Word::name), |wanted, reuse| wanted.1 * 10 == reuse.1, make);
        assert_eq!(
            second.iter().map(|word| (word.0, word.1)).collect::<Vec<_>>(),
            [("a", 10), ("b", 20), ("c", 90), ("e", 50)]
        );
        assert!(Arc::ptr_eq(&first[0], &second[0]));
        assert!(!Arc::ptr_eq(&first[1], &second[2]));
    }
}
