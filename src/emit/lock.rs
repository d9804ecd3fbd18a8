//! A file that only one process holds: the mark of a stage, and the journal of a change.

use std::io;
use std::path::Path;

use super::EmitError;
use super::target::identity;
use crate::disk::{File, TryLockError};

/// How often a file that another process is just removing is tried again.
pub(super) const TRIES: usize = 100;

/// Opens the file at `path`, which is created where it is missing, and locks it; `None` if another process holds it.
/// `prepare` makes the folder that it is in, and `clean_up` removes that if no file can be made there.
///
/// The system lets go of the lock when the process ends, in whatever way.
pub(super) fn lock(
    path: &Path,
    prepare: impl Fn() -> Result<(), EmitError>,
    clean_up: impl Fn(),
) -> Result<Option<File>, EmitError> {
    for _ in 0..TRIES {
        prepare()?;
        let file = match File::open_or_create(path) {
            Ok(file) => file,
            // The process that held it has just removed the folder.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => {
                clean_up();
                return Err(EmitError::io("create", path)(error));
            }
        };
        match file.try_lock() {
            Ok(()) if is_at(&file, path).map_err(EmitError::io("lock", path))? => return Ok(Some(file)),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(EmitError::io("lock", path)(error)),
        }
    }
    Ok(None)
}

/// Whether the file at `path` is still this one, and not one that came after it was removed.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let found = file.metadata()?;
    Ok(identity(path)? == Some((found.dev(), found.ino())))
}
