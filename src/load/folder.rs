//! Reads a folder that is not a course, to be imported: all files except those of tools and editors.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::repository::is_wanted;
use super::walk::course_path;
use super::{ASSET_LIMIT, DEPTH_LIMIT, read};
use crate::change::Refusal as Failure;
use crate::diag::{Diagnostic, Place, codes};
use crate::disk::{self, Walk};
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
    let mut project = Project::default();
    let walk = Walk::new(&real, DEPTH_LIMIT, is_wanted).map_err(|error| refuse(Reason::of(&error)))?;
    for entry in walk {
        let (path, message) = match entry {
            Ok(entry) if entry.kind.is_dir() => continue,
            Ok(entry) => match entry.path.strip_prefix(&real).ok().and_then(course_path) {
                Some(path) => {
                    let file = read::read_up_to(ASSET_LIMIT, &path, &entry.path, entry.kind, None);
                    project.files.extend(file.map(|file| (path, file)));
                    continue;
                }
                None => (entry.path, "file name is not UTF-8".to_owned()),
            },
            Err((path, error)) => (path, format!("folder cannot be read: {}", Reason::of(&error))),
        };
        let shown = path.strip_prefix(&real).unwrap_or(&path).to_string_lossy();
        project.diagnostics.push(Diagnostic::new(codes::E0005, Place::file(Arc::from(&*shown)), message));
    }
    Ok(project)
}
