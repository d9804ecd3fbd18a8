//! The program's own files in a course, such as the schemas that editors read: replaced whenever they differ, whatever
//! they were. Files that authors write are `course`'s matter.

use std::io;
use std::path::{Path, PathBuf};

use super::EmitError;
use super::course::write;
use crate::disk;

/// Writes a file of the program's own below a course's root; `path` is from there, with `/`. Returns whether it differed.
///
/// It is written beside its place and then moved there, so that no reader sees half of it. No link is followed out of
/// the course.
///
/// # Errors
/// The system's own, such as a full disk; something that is not a folder where one is needed.
pub fn write_own(root: &Path, path: &str, text: &str) -> Result<bool, EmitError> {
    let file = root.join(path);
    make_folders(root, path)?;
    let is_regular = disk::find(&file).map_err(EmitError::io("read", &file))?.is_some_and(|found| found.is_file());
    if is_regular && disk::read(&file).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(false);
    }
    let new = beside(&file);
    // A process of the same number that was killed may have left it.
    match disk::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(EmitError::io("delete", &new)(error)),
        _ => {}
    }
    write(&new, &file, text.as_bytes(), None)?;
    disk::rename(&new, &file).map_err(|error| {
        // It is of no use to anyone.
        let _ = disk::remove_file(&new);
        EmitError::io("write", &file)(error)
    })?;
    Ok(true)
}

/// A name in the same folder that no course file has: it begins with a dot, so it is not read as one.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.infralens", std::process::id()))
}

/// Makes the folders above `path`, none of which may be a link.
fn make_folders(root: &Path, path: &str) -> Result<(), EmitError> {
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
