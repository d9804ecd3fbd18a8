//! One path, read again: what a walk of the whole course would find there, where that can be told without one.

use std::io::ErrorKind;
use std::path::Path;

use super::read::read;
use super::walk::{is_wanted, is_wanted_name};
use crate::disk;
use crate::project::{File, Project};

/// What a look at one path shows.
#[derive(Debug, Clone)]
pub enum Looked {
    /// What is known.
    Same,
    /// A file that is new, or has other bytes.
    Changed(File),
    /// No file any more.
    Gone,
    /// A folder is involved, or has been: only [`super::reload`] can tell.
    Walk,
}

/// Looks at `path`, from the root and with `/`, in the course that is known as `project`. No link is followed, in no part
/// of the path.
#[must_use]
pub fn look(root: &Path, project: &Project, path: &str) -> Looked {
    if !is_wanted(Path::new(path)) {
        return Looked::Same;
    }
    let Some((folder, name)) = path.rsplit_once('/') else { return Looked::Walk };
    if project.has_folder(path) || is_told_of_folder(project, path) || !can_be_walked(root, folder) {
        return Looked::Walk;
    }
    let known = project.files.get(path);
    let gone = if known.is_some() { Looked::Gone } else { Looked::Same };
    let at = root.join(path);
    let kind = match disk::symlink_metadata(&at) {
        Ok(metadata) => metadata.file_type(),
        Err(error) if error.kind() == ErrorKind::NotFound => return gone,
        Err(_) => return Looked::Walk,
    };
    if kind.is_dir() {
        let top = path.split('/').next().unwrap_or_default();
        return if is_wanted_name(top, name.as_ref(), true) { Looked::Walk } else { gone };
    }
    match read(path, &at, kind, known) {
        Some(file) if known.is_some_and(|known| known.is_same(&file)) => Looked::Same,
        Some(file) => Looked::Changed(file),
        None => gone,
    }
}

/// Whether something was said, at `path`, above or below it, of what is no file that is known: of a folder, or of names
/// that cannot be read. It may no longer be true.
fn is_told_of_folder(project: &Project, path: &str) -> bool {
    let is_at_or_below = |path: &str, above: &str| {
        path.strip_prefix(above).is_some_and(|below| below.is_empty() || below.starts_with('/'))
    };
    project.diagnostics.iter().any(|diagnostic| {
        let told = &diagnostic.place.file;
        (is_at_or_below(path, told) || is_at_or_below(told, path)) && !project.files.contains_key(told)
    })
}

/// Whether a folder and all above it, up to the root, are folders themselves, no links, and can be listed.
fn can_be_walked(root: &Path, folder: &str) -> bool {
    let ends = folder.match_indices('/').map(|(at, _)| at).chain([folder.len()]);
    ends.map(|end| root.join(&folder[..end])).all(|folder| {
        disk::symlink_metadata(&folder).is_ok_and(|found| found.is_dir()) && disk::read_dir(&folder).is_ok()
    })
}
