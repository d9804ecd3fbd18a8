//! Locks a file, so that only one process has it: the marker of a stage, or the journal of a change.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::EmitError;
use super::target::identity;
use crate::disk::{File, TryLockError};

/// How often locking is tried again when another process has just removed the file.
pub(super) const TRIES: usize = 100;

/// Opens or creates the file at `path`, and locks it; returns `None` if another process has locked it. `prepare`
/// creates its folder, and `clean_up` removes the folder if the file cannot be created.
///
/// The system releases the lock when the process ends in any way.
pub(super) fn lock(
    path: &Path,
    prepare: impl Fn() -> Result<(), EmitError>,
    clean_up: impl Fn(),
) -> Result<Option<File>, EmitError> {
    for _ in 0..TRIES {
        prepare()?;
        let file = match File::open_or_create(path) {
            Ok(file) => file,
            // The process that had the lock has just removed the folder.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => {
                clean_up();
                return Err(EmitError::io("create", path)(error));
            }
        };
        match file.try_lock() {
            Ok(()) if is_same_file(&file, path).map_err(EmitError::io("lock", path))? => return Ok(Some(file)),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(EmitError::io("lock", path)(error)),
        }
    }
    Ok(None)
}

/// Whether the file at `path` is this one, and not one that was created after it was removed.
fn is_same_file(file: &File, path: &Path) -> io::Result<bool> {
    let found = file.metadata()?;
    Ok(identity(path)? == Some((found.dev(), found.ino())))
}
