//! Lists folders, one or a whole tree, in the order of names.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Call, FileType, gate};

/// An entry of a folder, or the folder at which a walk began.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) path: PathBuf,
    /// What it is itself: links are not followed.
    pub(crate) kind: FileType,
    /// How many folders below the beginning of the walk it is.
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
    // An entry that has gone since the system named it is not there.
    let is_there =
        |entry: &io::Result<Entry>| !entry.as_ref().is_err_and(|gone| gone.kind() == io::ErrorKind::NotFound);
    let mut entries: Vec<Entry> = entries.filter(is_there).collect::<io::Result<_>>()?;
    entries.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    Ok(entries)
}

/// A walk through a folder and all below it: each folder before its entries, which are listed when the walk goes on. It
/// follows no link. A folder that cannot be listed comes as an error with its path, and the walk goes on after it.
#[derive(Debug)]
pub(crate) struct Walk<F> {
    /// The entries that follow, the next one last.
    waiting: Vec<Entry>,
    /// The folder that was given out last.
    open: Option<Entry>,
    /// Folders this far below the beginning are not listed.
    max_depth: usize,
    is_wanted: F,
}

impl<F: Fn(&Entry) -> bool> Walk<F> {
    /// Begins at `top`, which is given out too, and goes `max_depth` folders down. Entries below `top` that are not wanted
    /// are left out with all that is below them.
    pub(crate) fn new(top: &Path, max_depth: usize, is_wanted: F) -> io::Result<Self> {
        let kind = super::symlink_metadata(top)?.file_type();
        Ok(Self { waiting: vec![Entry { path: top.to_owned(), kind, depth: 0 }], open: None, max_depth, is_wanted })
    }
}

impl<F: Fn(&Entry) -> bool> Iterator for Walk<F> {
    type Item = Result<Entry, (PathBuf, io::Error)>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(folder) = self.open.take() {
            match list(&folder.path, folder.depth + 1) {
                Ok(entries) => self.waiting.extend(entries.into_iter().rev().filter(|entry| (self.is_wanted)(entry))),
                Err(error) => return Some(Err((folder.path, error))),
            }
        }
        let entry = self.waiting.pop()?;
        self.open = (entry.kind.is_dir() && entry.depth < self.max_depth).then(|| entry.clone());
        Some(Ok(entry))
    }
}
