//! What has changed in a course's files since they were built last.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::project::File;
use crate::render::image;

/// Paths by what became of them.
#[derive(Debug, Default)]
pub struct Diff {
    /// Every file that is new, gone, or has other bytes.
    pub changed: BTreeSet<Arc<str>>,
    /// Whether a file came, went, or can now be read or no longer: links may lead elsewhere.
    pub names: bool,
    /// Whether a picture changed: pages hold its size.
    pub pictures: bool,
}

impl Diff {
    /// From one state to the next.
    pub fn between(was: &BTreeMap<Arc<str>, File>, is: &BTreeMap<Arc<str>, File>) -> Self {
        let mut diff = Self::default();
        let (mut old, mut new) = (was.iter().peekable(), is.iter().peekable());
        loop {
            let order = match (old.peek(), new.peek()) {
                (None, None) => return diff,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some((gone, _)), Some((come, _))) => gone.cmp(come),
            };
            let was = old.next_if(|_| order.is_le());
            let is = new.next_if(|_| order.is_ge());
            match (was, is) {
                (Some((_, file)), Some((_, other))) if file.is_same(other) => {}
                (Some((path, file)), Some((_, other))) => {
                    diff.names |= is_readable(file) != is_readable(other);
                    diff.note(path);
                }
                (one, other) => {
                    diff.names = true;
                    one.or(other).into_iter().for_each(|(path, _)| diff.note(path));
                }
            }
        }
    }

    /// Whether one of the files at or below a path changed.
    pub fn touches(&self, path: &str) -> bool {
        self.changed
            .iter()
            .any(|changed| changed.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
    }

    fn note(&mut self, path: &Arc<str>) {
        self.pictures |= image::is_picture(path);
        self.changed.insert(Arc::clone(path));
    }
}

fn is_readable(file: &File) -> bool {
    !matches!(file, File::Refused(_))
}
