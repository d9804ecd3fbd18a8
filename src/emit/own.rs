//! The program's own files in a course, such as the schemas that editors read: replaced whenever they differ, whatever
//! they were. Files that authors write are `course`'s matter.

use std::fs;
use std::path::{Path, PathBuf};

use super::EmitError;
use super::course::{beside, write};

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
    if fs::symlink_metadata(&file).is_ok_and(|found| found.is_file())
        && fs::read(&file).is_ok_and(|old| old == text.as_bytes())
    {
        return Ok(false);
    }
    let new = beside(&file);
    write(&new, &file, text.as_bytes(), None)?;
    fs::rename(&new, &file).map_err(|error| {
        // It is of no use to anyone.
        let _ = fs::remove_file(&new);
        EmitError::io("write", &file)(error)
    })?;
    Ok(true)
}

/// Makes the folders above `path`, none of which may be a link.
fn make_folders(root: &Path, path: &str) -> Result<(), EmitError> {
    let mut folder = PathBuf::from(root);
    let (above, _) = path.rsplit_once('/').unwrap_or_default();
    for name in above.split('/') {
        folder.push(name);
        match fs::create_dir(&folder) {
            Err(_) if fs::symlink_metadata(&folder).is_ok_and(|found| found.is_dir()) => {}
            made => made.map_err(EmitError::io("create", &folder))?,
        }
    }
    Ok(())
}
