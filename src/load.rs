//! Disk → [`Project`]: the only reader. Walks the course's four folders without following a link, then reads their
//! files in parallel, each once.
//!
//! Skipped: names that begin with a dot (but in `static/`, where `.well-known` and the like are published), the folders
//! `__pycache__`, `node_modules` and `target` below `code/`, which tools leave behind, and what editors leave beside the
//! files that they save, such as `x.md~`, `#x.md#`, `4913` and `.swp`.
//!
//! [`reload`] and [`look`] read again what has been read before, by content: a file whose bytes are the same stays the
//! very same [`File`], so that two pointers tell whether something changed.

#![expect(clippy::disallowed_methods, reason = "the one room that reads a course")]

mod look;
mod read;
mod standing;
mod walk;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use crate::diag;
use crate::project::{File, Project, Refusal};
use crate::scaffold::Given;

pub use look::{Looked, look};
pub use standing::Standing;
pub use walk::{course_path, is_wanted};

/// The largest page, template or starter that is read: 4 MiB.
pub const TEXT_LIMIT: u64 = 4 << 20;
/// The largest file that is published as it is: 256 MiB.
pub const ASSET_LIMIT: u64 = 256 << 20;
/// The deepest folder below a course's folder.
pub const DEPTH_LIMIT: usize = 64;

/// The nearest folder at or above `start` that holds `content/site.yaml`.
#[must_use]
pub fn find_root(start: &Path) -> Option<PathBuf> {
    start.ancestors().find(|folder| folder.join("content/site.yaml").is_file()).map(Path::to_path_buf)
}

/// Reads the course whose root is `root`.
#[must_use]
pub fn load(root: &Path) -> Project {
    reload(root, &Project::default(), &|| false).unwrap_or_default()
}

/// Reads the course whose root is `root` again, all of it and by content. Files with the bytes that they have in `old`
/// are taken from there. Gives nothing if `stop` said so, which is asked before each file.
#[must_use]
pub fn reload(root: &Path, old: &Project, stop: &(dyn Fn() -> bool + Sync)) -> Option<Project> {
    let walk::Found { entries, mut diagnostics } = walk::walk(root, stop)?;
    let read = |(path, entry): (Arc<str>, walkdir::DirEntry)| {
        if stop() {
            return None;
        }
        let file = read::read(&path, entry.path(), entry.file_type(), old.files.get(&path));
        Some(file.map(|file| (path, file)))
    };
    let read: Vec<Option<(Arc<str>, File)>> = entries.into_par_iter().map(read).collect::<Option<_>>()?;
    let files = read.into_iter().flatten().collect();
    let mut project = Project { files, diagnostics: Vec::new() };
    diagnostics.extend(project.refusals());
    diag::sort(&mut diagnostics);
    project.diagnostics = diagnostics;
    Some(project)
}

/// Finds a file that the author of the course at `root` named, and reads it if it lies outside `code/`. Here a link is
/// followed: the author chose it.
///
/// # Errors
/// The system's own; `InvalidFilename` where the name is not UTF-8.
pub fn given(root: &Path, path: &Path) -> std::io::Result<Given> {
    let file = path.canonicalize()?;
    let metadata = file.metadata()?;
    let below = root.join("code").canonicalize().ok().filter(|code| file.starts_with(code));
    if let (Some(_), true) = (below, metadata.is_file()) {
        let path = file.strip_prefix(root.canonicalize()?).ok().and_then(course_path);
        let path = path.ok_or(std::io::ErrorKind::InvalidFilename)?;
        return Ok(Given::InCode(path.to_string()));
    }
    let written = path.to_string_lossy().into_owned();
    let name = path.file_name().or(file.file_name()).and_then(std::ffi::OsStr::to_str);
    let name = name.ok_or(std::io::ErrorKind::InvalidFilename)?.to_owned();
    let file = match metadata.len() {
        _ if metadata.is_dir() => return Err(std::io::ErrorKind::IsADirectory.into()),
        _ if !metadata.is_file() => File::Refused(Refusal::Special),
        size if size > TEXT_LIMIT => File::Refused(Refusal::TooLarge { size, limit: TEXT_LIMIT }),
        _ => read::understand(&written, std::fs::read(file)?),
    };
    Ok(Given::Elsewhere { written, name, file })
}
