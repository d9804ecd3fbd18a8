//! The stage: a locked folder beside the output, in which a site is laid out and an old one is deleted.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::target::{Found, Place, identity, look};
use super::{EmitError, retire::retire};

/// The file in a stage that marks it as ours and carries the lock.
const MARKER: &str = ".infralens-stage";

/// How often a stage that another build is just removing is tried again.
const TRIES: usize = 100;

/// A stage that this build holds. Dropping it deletes it, whatever the build came to.
#[derive(Debug)]
pub(super) struct Stage {
    folder: PathBuf,
    /// The output, where it holds a site of ours: what is not ours in an old site belongs there.
    home: Option<PathBuf>,
    parents: Parents,
    /// Held until the stage is deleted; the system lets go of it when the process is killed.
    _lock: File,
}

/// Folders made for the output, deleted on drop where they are empty.
#[derive(Debug, Default)]
struct Parents(Vec<PathBuf>);

/// Whether `folder` is free for a stage: it does not exist, is empty, or is a stage that was left over.
///
/// Another build may be making or removing its stage at this moment: what looks foreign is looked at again.
pub(super) fn may_use(folder: &Path) -> Result<bool, EmitError> {
    for _ in 0..TRIES {
        if seems_free(folder)? {
            return Ok(true);
        }
        std::thread::yield_now();
    }
    Ok(false)
}

fn seems_free(folder: &Path) -> Result<bool, EmitError> {
    let is_gone = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    match fs::symlink_metadata(folder) {
        Ok(found) if !found.is_dir() => return Ok(false),
        Ok(_) if fs::symlink_metadata(folder.join(MARKER)).is_ok_and(|marker| marker.is_file()) => return Ok(true),
        Ok(_) => {}
        Err(error) if is_gone(&error) => return Ok(true),
        Err(error) => return Err(EmitError::io("use", folder)(error)),
    }
    match fs::read_dir(folder) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if is_gone(&error) => Ok(true),
        Err(error) => Err(EmitError::io("read", folder)(error)),
    }
}

impl Stage {
    /// Makes and locks the stage, and the folders above it.
    pub(super) fn open(place: &Place) -> Result<Self, EmitError> {
        let parents = Parents::make(&place.missing)?;
        let lock = lock(&place.stage)?.ok_or_else(|| EmitError::Busy(place.out.clone()))?;
        Ok(Self { folder: place.stage.clone(), home: None, parents, _lock: lock })
    }

    /// Undoes and clears what a killed build left, and says what the output is now that no other build changes it.
    pub(super) fn take_over(&mut self, place: &Place) -> Result<Found, EmitError> {
        let aside = self.aside();
        if fs::symlink_metadata(&aside).is_ok() && fs::symlink_metadata(&place.out).is_err() {
            fs::rename(&aside, &place.out).map_err(EmitError::io("bring back", &place.out))?;
        }
        let found = look(&place.out)?;
        self.home = found.manifest().map(|_| place.out.clone());
        self.clear()?;
        Ok(found)
    }

    /// Where the new site is laid out, and where the old one lies after the exchange.
    pub(super) fn site(&self) -> PathBuf {
        self.folder.join("site")
    }

    /// Where the old site waits if the system cannot exchange two folders.
    pub(super) fn aside(&self) -> PathBuf {
        self.folder.join("aside")
    }

    /// Deletes the sites in the stage.
    pub(super) fn clear(&self) -> Result<(), EmitError> {
        retire(&self.site(), self.home.as_deref())?;
        retire(&self.aside(), self.home.as_deref())
    }

    /// The output is in place: the folders above it stay.
    pub(super) fn keep_parents(&mut self) {
        self.parents.0.clear();
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // A stage that cannot be emptied keeps its marker, so that the next build can take it over.
        let empty = self.clear().is_ok() && fs::read_dir(&self.folder).is_ok_and(|entries| entries.count() == 1);
        if empty && fs::remove_file(self.folder.join(MARKER)).is_ok() {
            let _ = fs::remove_dir(&self.folder);
        }
    }
}

impl Parents {
    /// Makes the folders, outermost first.
    fn make(missing: &[PathBuf]) -> Result<Self, EmitError> {
        let mut made = Self::default();
        for folder in missing {
            match fs::create_dir(folder) {
                Ok(()) => made.0.push(folder.clone()),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(EmitError::io("create", folder)(error)),
            }
        }
        Ok(made)
    }
}

impl Drop for Parents {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Makes the stage at `folder` and locks it; nothing if another build holds it.
fn lock(folder: &Path) -> Result<Option<File>, EmitError> {
    let marker = folder.join(MARKER);
    for _ in 0..TRIES {
        if let Err(error) = fs::create_dir(folder)
            && error.kind() != io::ErrorKind::AlreadyExists
        {
            return Err(EmitError::io("create", folder)(error));
        }
        let file = match File::options().create(true).append(true).open(&marker) {
            Ok(file) => file,
            // The build that held it has just removed the folder.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => {
                // An empty folder at most, and ours.
                let _ = fs::remove_dir(folder);
                return Err(EmitError::io("create", &marker)(error));
            }
        };
        match file.try_lock() {
            Ok(()) if is_at(&file, &marker) => return Ok(Some(file)),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(EmitError::io("lock", &marker)(error)),
        }
    }
    Ok(None)
}

/// Whether the file at `path` is still this one, and not one that came after it was removed.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    file.metadata().is_ok_and(|found| identity(path) == Some((found.dev(), found.ino())))
}

/// Whether the file at `path` is still this one: an open file cannot be removed here.
#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    identity(path).is_some()
}
