//! Writes files of a course that the program generates, such as the schemas for editors. They are replaced whenever
//! they differ. Files that authors write are changed in `course`.

use std::io;
use std::path::{Path, PathBuf};

use super::EmitError;
use super::course::write;
use crate::disk;

/// Writes a generated file at `path`, which is relative to the course's root and has `/`. Returns whether it
/// differed.
///
/// The file is written under another name and then renamed, so that no reader sees half of it. No link is followed
/// out of the course.
///
/// # Errors
/// An error of the system, such as a full disk; something that is not a folder where one is needed.
pub fn write_generated(root: &Path, path: &str, text: &str) -> Result<bool, EmitError> {
    let file = root.join(path);
    create_folders(root, path)?;
    let is_regular = disk::find(&file).map_err(EmitError::io("read", &file))?.is_some_and(|found| found.is_file());
    if is_regular && disk::read(&file).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(false);
    }
    let new = temporary_path(&file);
    // A killed process with the same id may have left it.
    match disk::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(EmitError::io("delete", &new)(error)),
        _ => {}
    }
    write(&new, &file, text.as_bytes(), None)?;
    disk::rename(&new, &file).map_err(|error| {
        let _ = disk::remove_file(&new);
        EmitError::io("write", &file)(error)
    })?;
    Ok(true)
}

/// Returns a name in the same folder. It begins with a dot, so the file is not read as part of the course.
fn temporary_path(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.infralens", std::process::id()))
}

/// Creates the folders above `path`, none of which may be a link.
fn create_folders(root: &Path, path: &str) -> Result<(), EmitError> {
    let mut folder = PathBuf::from(root);
    let (above, _) = path.rsplit_once('/').unwrap_or_default();
    for name in above.split('/') {
        folder.push(name);
        match disk::create_dir(&folder) {
            Err(_) if disk::symlink_metadata(&folder).is_ok_and(|found| found.is_dir()) => {}
            made => made.map_err(EmitError::io("create", &folder))?,
        }
    }
    Ok(())
}
