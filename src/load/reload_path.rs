//! Reads a single path again, if that is enough to know what reading the whole course would find there.

use std::io::ErrorKind;
use std::path::Path;

use super::generated;
use super::read::read;
use super::walk::{self, is_wanted, is_wanted_name};
use crate::disk::{self, Entry};
use infralens_source::project::{File, Project};

/// How a path has changed since it was last read.
#[derive(Debug, Clone)]
pub enum PathChange {
    /// Nothing has changed.
    Unchanged,
    /// There is a new file, or the file has other bytes.
    Changed(File),
    /// The file no longer exists.
    Removed,
    /// There is or was a folder, so the whole course must be read with [`super::reload`].
    Unknown,
}

/// Reads `path`, which is relative to the root and has `/`, and compares it with `project`. No link is followed in
/// any part of the path.
pub fn reload_path(root: &Path, project: &Project, path: &str) -> PathChange {
    if !is_wanted(Path::new(path)) {
        return PathChange::Unchanged;
    }
    let Some((folder, name)) = path.rsplit_once('/') else { return PathChange::Unknown };
    if project.has_folder(path) || has_folder_diagnostic(project, path) {
        return PathChange::Unknown;
    }
    let known = project.files.get(path);
    let name: &std::ffi::OsStr = name.as_ref();
    match above(root, folder) {
        Above::Unreadable => return PathChange::Unknown,
        Above::Generated(folder) if project.has_folder(folder) || generated::decides(name) => {
            return PathChange::Unknown;
        }
        Above::Generated(_) => return PathChange::Unchanged,
        Above::Listed => {}
    }
    let removed = if known.is_some() { PathChange::Removed } else { PathChange::Unchanged };
    let at = root.join(path);
    let kind = match disk::symlink_metadata(&at) {
        Ok(metadata) => metadata.file_type(),
        Err(error) if error.kind() == ErrorKind::NotFound && !generated::decides(name) => return removed,
        Err(_) => return PathChange::Unknown,
    };
    if known.is_none() && generated::decides(name) {
        return PathChange::Unknown;
    }
    if kind.is_dir() {
        let top = path.split('/').next().unwrap_or_default();
        return if is_wanted_name(top, name, true) { PathChange::Unknown } else { removed };
    }
    match read(path, &at, kind, known) {
        Some(file) if known.is_some_and(|known| known.is_same(&file)) => PathChange::Unchanged,
        Some(file) => PathChange::Changed(file),
        None => removed,
    }
}

/// Whether there is a diagnostic at `path`, above or below it, that is not about a known file, but about a folder or
/// an invalid name. It may no longer be true.
fn has_folder_diagnostic(project: &Project, path: &str) -> bool {
    let is_at_or_below = |path: &str, above: &str| {
        path.strip_prefix(above).is_some_and(|below| below.is_empty() || below.starts_with('/'))
    };
    project.diagnostics.iter().any(|diagnostic| {
        let place = &diagnostic.place.file;
        (is_at_or_below(path, place) || is_at_or_below(place, path)) && !project.files.contains_key(place)
    })
}

/// What the folders above a path say about it.
enum Above<'a> {
    /// One is a link or no folder, or cannot be listed.
    Unreadable,
    /// This one, the outermost, is left out because a tool generates it.
    Generated(&'a str),
    /// The path is read.
    Listed,
}

/// Looks at `folder` and all folders above it, up to the root.
fn above<'a>(root: &Path, folder: &'a str) -> Above<'a> {
    let ends = folder.match_indices('/').map(|(at, _)| at).chain([folder.len()]);
    let prune = walk::pruning(folder.split('/').next().unwrap_or_default());
    for (depth, end) in ends.enumerate() {
        let (above, next) = (&folder[..end], folder[end..].split('/').nth(1));
        let at = root.join(above);
        let Ok(metadata) = disk::symlink_metadata(&at) else { return Above::Unreadable };
        let listed = disk::read_dir(&at);
        let (true, Ok(mut entries)) = (metadata.is_dir(), listed) else { return Above::Unreadable };
        let had = |entries: &[Entry]| next.is_none_or(|next| entries.iter().any(|entry| entry.name() == next));
        let (was_empty, had_next) = (entries.is_empty(), had(&entries));
        prune(&Entry { path: at, kind: metadata.file_type(), depth }, &mut entries);
        if !was_empty && entries.is_empty() {
            return Above::Generated(above);
        }
        if had_next && !had(&entries) {
            return Above::Generated(&folder[..end + next.map_or(0, |next| next.len() + 1)]);
        }
    }
    Above::Listed
}
