//! Reads a course from disk as a [`Project`]. Lists the course's four folders without following links, then reads their
//! files in parallel, each once. No other module reads the course.
//!
//! Ignored are names that begin with a dot (except in `static/`, where `.well-known` and the like are published), folders
//! below `code/` that tools generate, such as `__pycache__` and virtual environments, and what editors and merges leave
//! behind, such as `x.md~`, `#x.md#`, `4913`, `.swp` and `.orig`.
//!
//! [`reload`] and [`reload_path`] read the course again. A file whose bytes are the same stays the same [`File`], so that
//! comparing pointers tells what has changed.

mod folder;
mod folder_identity;
mod generated;
mod git;
mod mounts;
mod read;
mod reload_path;
pub mod repository;
mod revision;
#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests make courses on disk")]
mod tests;
pub mod upstream;
mod walk;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use crate::disk::{self, Entry};
use infralens_author::scaffold::StarterArg;
use infralens_source::diag;
use infralens_source::project::{File, Project, Refusal};

pub use folder::{is_free, read_book};
pub use folder_identity::FolderIdentity;
pub use git::RevisionError;
pub use mounts::mounted_folder;
pub use read::decode;
pub use reload_path::{PathChange, reload_path};
pub use revision::{Revision, read_revision};
pub use walk::{course_path, is_wanted};

/// The maximum size of a page, template or starter: 4 MiB.
pub const TEXT_LIMIT: u64 = 4 << 20;
/// The maximum size of a file that is published as it is: 256 MiB.
pub const ASSET_LIMIT: u64 = 256 << 20;
/// The maximum depth of folders below one of the course's folders.
pub const DEPTH_LIMIT: usize = 64;

/// Returns the nearest folder at or above `start` that contains `content/site.yaml`.
pub fn find_root(start: &Path) -> Option<PathBuf> {
    start.ancestors().find(|folder| is_root(folder)).map(Path::to_path_buf)
}

/// Whether `folder` contains `content/site.yaml`. If the system does not allow looking at it, it is assumed to exist,
/// and reading it reports the error.
fn is_root(folder: &Path) -> bool {
    match disk::metadata(&folder.join("content/site.yaml")) {
        Ok(found) => found.is_file(),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => false,
        Err(_) => disk::is_dir(&folder.join("content")),
    }
}

/// Whether `folder` is a folder that contains the folder `content` of a course.
pub fn is_course(folder: &Path) -> bool {
    disk::is_dir(&folder.join("content"))
}

/// Whether there is a file at `path` that has exactly this text.
pub fn has_text(path: &Path, text: &str) -> bool {
    disk::read(path).is_ok_and(|bytes| bytes == text.as_bytes())
}

/// Reads the course at `root`.
pub fn load(root: &Path) -> Project {
    reload(root, &Project::default(), &|| false).unwrap_or_default()
}

/// Reads the whole course at `root` again. Files whose bytes are the same as in `old` are taken from there. Returns
/// `None` if `stop`, which is called before each file, returns true.
pub fn reload(root: &Path, old: &Project, stop: &(dyn Fn() -> bool + Sync)) -> Option<Project> {
    read_all(walk::walk(root, stop)?, old, stop)
}

/// Reads the files below `folder`, which is a path from the root, again. Files whose bytes are the same as in `old` are taken
/// from there.
pub fn reload_folder(root: &Path, folder: &str, old: &Project) -> Project {
    let mut found = walk::Entries::default();
    let top = folder.split('/').next().unwrap_or_default();
    let is_wanted = |entry: &Entry| walk::is_wanted_name(top, entry.name(), entry.kind.is_dir());
    let _ = found.list(root, &root.join(folder), (is_wanted, walk::pruning(top)), |_| Some(true));
    read_all(found, old, &|| false).unwrap_or_default()
}

/// Reads the files that were listed. Returns `None` if `stop`, which is called before each file, returns true.
fn read_all(found: walk::Entries, old: &Project, stop: &(dyn Fn() -> bool + Sync)) -> Option<Project> {
    let walk::Entries { entries, mut diagnostics } = found;
    let read = |(path, entry): (Arc<str>, Entry)| {
        if stop() {
            return None;
        }
        let file = read::read(&path, &entry.path, entry.kind, old.files.get(&path));
        Some(file.map(|file| (path, file)))
    };
    let read: Vec<Option<(Arc<str>, File)>> = entries.into_par_iter().map(read).collect::<Option<_>>()?;
    let files = read.into_iter().flatten().collect();
    let mut project = Project { files, ..Project::default() };
    diagnostics.extend(project.refusals());
    diag::sort(&mut diagnostics);
    project.diagnostics = diagnostics;
    Some(project)
}

/// Returns a path without symbolic links; `None` if it does not exist.
pub fn real_path(path: &Path) -> Option<PathBuf> {
    disk::canonicalize(path).ok()
}

/// Returns the file of a course that has the text of an editor's buffer, as if it had been saved and read.
pub fn of_editor(path: &str, text: &str) -> File {
    match text.len() as u64 {
        size if size > TEXT_LIMIT => File::Refused(Refusal::TooLarge { size, limit: TEXT_LIMIT }),
        _ => read::decode(path, text.as_bytes().to_vec()),
    }
}

/// Returns the first name that begins with a dot in the real path of `path`, from where that path leaves the current folder or
/// the course at `root`. Such files and folders hold settings and secrets, and are not read even if the author names them,
/// possibly through a link.
///
/// # Errors
/// An error of the system.
pub fn hidden_name(root: &Path, path: &Path) -> std::io::Result<Option<String>> {
    let file = disk::canonicalize(path)?;
    let hidden_from = |base: PathBuf| {
        let shared = base.iter().zip(file.iter()).take_while(|(one, other)| one == other).count();
        let mut names = file.iter().skip(shared).map(std::ffi::OsStr::to_string_lossy);
        names.find(|name| name.starts_with('.')).map(std::borrow::Cow::into_owned)
    };
    let current = hidden_from(disk::canonicalize(Path::new("."))?);
    let Some(name) = current else { return Ok(None) };
    Ok(hidden_from(disk::canonicalize(root)?).map(|_| name))
}

/// Reads a file that the author named on the command line as the starter of a lab. A file in `code/` is only located.
/// Links are followed, because the author chose the path.
///
/// # Errors
/// An error of the system; `InvalidFilename` if the name is not UTF-8.
pub fn read_starter(root: &Path, path: &Path) -> std::io::Result<StarterArg> {
    let file = disk::canonicalize(path)?;
    let metadata = disk::metadata(&file)?;
    let is_in_code = match disk::canonicalize(&root.join("code")) {
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        code => file.starts_with(code?),
    };
    if is_in_code && metadata.is_file() {
        let path = file.strip_prefix(disk::canonicalize(root)?).ok().and_then(course_path);
        let path = path.ok_or(std::io::ErrorKind::InvalidFilename)?;
        return Ok(StarterArg::InCode(path.to_string()));
    }
    let written = path.to_string_lossy().into_owned();
    let name = path.file_name().or(file.file_name()).and_then(std::ffi::OsStr::to_str);
    let name = name.ok_or(std::io::ErrorKind::InvalidFilename)?.to_owned();
    let file = match metadata.len() {
        _ if metadata.is_dir() => return Err(std::io::ErrorKind::IsADirectory.into()),
        _ if !metadata.is_file() => File::Refused(Refusal::Special),
        size if size > TEXT_LIMIT => File::Refused(Refusal::TooLarge { size, limit: TEXT_LIMIT }),
        _ => read::decode(&written, disk::read(&file)?),
    };
    Ok(StarterArg::Elsewhere { written, name, file })
}
