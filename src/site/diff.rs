//! What has changed in a course's files since they were built last.

use std::collections::BTreeSet;
use std::sync::Arc;

use imbl::ordmap::DiffItem;

use super::outputs::is_source;
use crate::project::{File, Files};
use crate::render::image;

/// Paths by what became of them.
#[derive(Debug, Default)]
pub struct Diff {
    /// Every file that is new, gone, or has other bytes.
    pub changed: BTreeSet<Arc<str>>,
    /// Whether a file came, went, or can now be read or no longer: links may lead elsewhere.
    pub names: bool,
    /// Whether a file changed that is published as it is: what shows it as a picture holds its size.
    pub copies: bool,
}

impl Diff {
    /// From one state to the next.
    pub fn between(was: &Files, is: &Files) -> Self {
        let mut diff = Self::default();
        for item in was.diff(is) {
            let path = match item {
                DiffItem::Add(path, _) | DiffItem::Remove(path, _) => {
                    diff.names = true;
                    path
                }
                DiffItem::Update { old: (path, was), new: (_, is) } => {
                    diff.names |= is_readable(was) != is_readable(is);
                    path
                }
            };
            diff.copies |= is_copied(path);
            diff.changed.insert(Arc::clone(path));
        }
        diff
    }

    /// Whether one of the files at or below a path changed.
    pub fn touches(&self, path: &str) -> bool {
        self.changed
            .iter()
            .any(|changed| changed.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
    }
}

fn is_copied(path: &str) -> bool {
    match path.split('/').next() {
        Some("content") => !is_source(path),
        Some("code") => image::is_picture(path),
        other => other != Some("templates"),
    }
}

fn is_readable(file: &File) -> bool {
    !matches!(file, File::Refused(_))
}
