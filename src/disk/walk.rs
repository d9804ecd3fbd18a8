//! Lists a folder or a whole tree, sorted by name.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Call, FileType, gate};

/// An entry of a folder, or the folder at which a walk starts.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) path: PathBuf,
    /// The type of the entry itself: links are not followed.
    pub(crate) kind: FileType,
    /// The number of folders between the start of the walk and the entry.
    pub(crate) depth: usize,
}

impl Entry {
    pub(crate) fn name(&self) -> &OsStr {
        self.path.file_name().unwrap_or_default()
    }
}

/// Lists a folder, sorted by name.
pub(crate) fn read_dir(folder: &Path) -> io::Result<Vec<Entry>> {
    list(folder, 1)
}

fn list(folder: &Path, depth: usize) -> io::Result<Vec<Entry>> {
    gate(Call::List, folder)?;
    let entries = fs::read_dir(folder)?.map(|entry| {
        let entry = entry?;
        Ok(Entry { path: entry.path(), kind: entry.file_type()?, depth })
    });
    // An entry may have been removed since it was listed.
    let exists = |entry: &io::Result<Entry>| !entry.as_ref().is_err_and(|gone| gone.kind() == io::ErrorKind::NotFound);
    let mut entries: Vec<Entry> = entries.filter(exists).collect::<io::Result<_>>()?;
    // The paths differ in the last part alone, and comparing bytes is faster than comparing parts.
    entries.sort_unstable_by(|one, other| one.path.as_os_str().cmp(other.path.as_os_str()));
    Ok(entries)
}

/// Iterates over a folder and all below it, each folder before its entries, without following links. A folder that
/// cannot be listed yields an error with its path, and the walk continues after it.
#[derive(Debug)]
pub(crate) struct Walk<F> {
    /// The remaining entries, the next one last.
    remaining: Vec<Entry>,
    /// The folder that was returned last, whose entries come next.
    open: Option<Entry>,
    /// Folders at this depth are not listed.
    max_depth: usize,
    is_wanted: F,
    /// Removes entries from the listing of a folder.
    prune: fn(&Entry, &mut Vec<Entry>),
}

impl<F: Fn(&Entry) -> bool> Walk<F> {
    /// Starts at `top`, which is returned first, and descends `max_depth` folders. Entries that are not wanted are
    /// skipped with their contents.
    pub(crate) fn new(top: &Path, max_depth: usize, is_wanted: F) -> io::Result<Self> {
        let kind = super::symlink_metadata(top)?.file_type();
        let remaining = vec![Entry { path: top.to_owned(), kind, depth: 0 }];
        Ok(Self { remaining, open: None, max_depth, is_wanted, prune: |_, _| {} })
    }

    /// Lets `prune` remove entries from the listing of each folder.
    pub(crate) fn pruned_by(self, prune: fn(&Entry, &mut Vec<Entry>)) -> Self {
        Self { prune, ..self }
    }
}

impl<F: Fn(&Entry) -> bool> Iterator for Walk<F> {
    type Item = Result<Entry, (PathBuf, io::Error)>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(folder) = self.open.take() {
            match list(&folder.path, folder.depth + 1) {
                Ok(mut entries) => {
                    (self.prune)(&folder, &mut entries);
                    self.remaining.extend(entries.into_iter().rev().filter(|entry| (self.is_wanted)(entry)));
                }
                Err(error) => return Some(Err((folder.path, error))),
            }
        }
        let entry = self.remaining.pop()?;
        self.open = (entry.kind.is_dir() && entry.depth < self.max_depth).then(|| entry.clone());
        Some(Ok(entry))
    }
}
