//! Reads a folder that is not a course, to be imported: all files except those of tools and editors.

use std::io;
use std::path::Path;

use super::repository::is_wanted;
use super::walk::Entries;
use super::{ASSET_LIMIT, TEXT_LIMIT, read};
use crate::change::Refusal as Failure;
use crate::disk;
use crate::project::{Project, Reason};

/// Whether a new project can be created at `folder`: nothing is there, or an empty folder, or one with only `.git`.
///
/// # Errors
/// It is not a folder, or cannot be read.
pub fn is_free(folder: &Path) -> io::Result<bool> {
    if disk::find(folder)?.is_none() {
        return Ok(true);
    }
    Ok(disk::read_dir(folder)?.iter().all(|entry| entry.name() == ".git"))
}

/// Reads the files below `top`, by their paths from there. Links are not followed.
///
/// # Errors
/// `top` is not a folder, or cannot be read.
pub fn read_folder(top: &Path) -> Result<Project, Failure> {
    let refuse = |reason| Failure::new(format!("`{}` cannot be read: {reason}", top.display()));
    let real = disk::canonicalize(top).map_err(|error| refuse(Reason::of(&error)))?;
    if !disk::metadata(&real).map_err(|error| refuse(Reason::of(&error)))?.is_dir() {
        return Err(Failure::new(format!("`{}` is not a folder", top.display())));
    }
    let mut found = Entries::default();
    let _ = found.list(&real, &real, is_wanted, |_| Some(true));
    let mut project = Project { diagnostics: found.diagnostics, ..Project::default() };
    for (path, entry) in found.entries {
        // A page that is too large could not be a page of the new project either.
        let limit = if path.ends_with(".md") { TEXT_LIMIT } else { ASSET_LIMIT };
        let file = read::read_up_to(limit, &path, &entry.path, entry.kind, None);
        project.files.extend(file.map(|file| (path, file)));
    }
    Ok(project)
}
