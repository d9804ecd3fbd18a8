//! The one rule for what a plan takes over from the one before it: a value is kept if all that it was made from is the
//! very same, or has the same fingerprint; else it is made anew.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::Arc;

use imbl::ordmap::DiffItem;
use rayon::prelude::*;

use super::outputs::is_source;
use crate::project::{File, Files};
use crate::render::image;

/// What `was` made, if that `holds`; else what is made now.
pub fn keep<T>(was: &Arc<T>, holds: bool, make: impl FnOnce() -> T) -> Arc<T> {
    if holds { Arc::clone(was) } else { Arc::new(make()) }
}

/// What has changed in a course's files.
#[derive(Debug, Default)]
pub struct Changed {
    /// Every file that is new, gone, or has other bytes.
    paths: BTreeSet<Arc<str>>,
    /// Whether links may lead elsewhere: a file came, went, can be read or no longer; or a picture has another size.
    pub targets: bool,
    /// Whether there was nothing before.
    is_first: bool,
}

impl Changed {
    /// From one state to the next.
    pub fn between(was: &Files, is: &Files) -> Self {
        let mut changed = Self { is_first: was.is_empty(), ..Self::default() };
        for item in was.diff(is) {
            let path = match item {
                DiffItem::Add(path, _) | DiffItem::Remove(path, _) => {
                    changed.targets = true;
                    path
                }
                DiffItem::Update { old: (path, was), new: (_, is) } => {
                    let is_readable = |file: &File| !matches!(file, File::Refused(_));
                    changed.targets |= is_readable(was) != is_readable(is) || is_shown(path);
                    path
                }
            };
            changed.paths.insert(Arc::clone(path));
        }
        changed
    }

    /// Whether all files at or below a path are as they were.
    pub fn leaves(&self, path: &str) -> bool {
        !self.is_first && self.below(path).next().is_none()
    }

    /// The files at or below a path that are new, gone, or have other bytes.
    pub fn below(&self, path: &str) -> impl Iterator<Item = &str> {
        let is_within = move |changed: &&str| {
            changed.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.paths.iter().map(AsRef::as_ref).filter(is_within)
    }
}

/// Whether a file may be published as it is: what shows it as a picture holds its size.
fn is_shown(path: &str) -> bool {
    match path.split('/').next() {
        Some("content") => !is_source(path),
        Some("code") => image::is_picture(path),
        other => other != Some("templates"),
    }
}

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
