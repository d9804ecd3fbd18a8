//! The program's own files in a course, such as the schemas that editors read: replaced whenever they differ.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::EmitError;

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
    let beside = root.join(format!("{path}.new"));
    let written = write_new(&beside, text).and_then(|()| fs::rename(&beside, &file));
    if written.is_err() {
        // What could not be moved is of no use to anyone; the error that counts is the first.
        let _left = fs::remove_file(&beside);
    }
    written.map_err(EmitError::io("write", &file)).map(|()| true)
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => fs::File::create_new(path)?.write_all(text.as_bytes()),
    }
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
