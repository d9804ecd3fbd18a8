//! The stage: a locked folder beside the output, in which a site is laid out and an old one is deleted.

use std::io;
use std::path::{Path, PathBuf};

use super::lock::{TRIES, lock};
use super::target::{Found, Place, look};
use super::{EmitError, retire::retire};
use crate::disk::{self, File};

/// The file in a stage that marks it as ours and carries the lock.
const MARKER: &str = ".infralens-stage";

/// A stage that this build holds. Dropping it deletes it, whatever the build came to.
#[derive(Debug)]
pub(super) struct Stage {
    folder: PathBuf,
    /// The output.
    out: PathBuf,
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
    let find = |path: &Path| disk::find(path).map_err(EmitError::io("use", path));
    let Some(found) = find(folder)? else { return Ok(true) };
    if !found.is_dir() {
        return Ok(false);
    }
    if find(&folder.join(MARKER))?.is_some_and(|marker| marker.is_file()) {
        return Ok(true);
    }
    match disk::read_dir(folder) {
        Ok(entries) => Ok(entries.is_empty()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(EmitError::io("read", folder)(error)),
    }
}

impl Stage {
    /// Makes and locks the stage, and the folders above it.
    pub(super) fn open(place: &Place) -> Result<Self, EmitError> {
        let parents = Parents::make(&place.missing)?;
        let lock = lock_stage(&place.stage)?.ok_or_else(|| EmitError::Busy(place.out.clone()))?;
        Ok(Self { folder: place.stage.clone(), out: place.out.clone(), home: None, parents, _lock: lock })
    }

    /// Undoes and clears what a killed build left, and says what the output is now that no other build changes it.
    pub(super) fn take_over(&mut self, place: &Place) -> Result<Found, EmitError> {
        self.bring_back()?;
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

    /// Puts an old site that was moved aside back, if no new one came in its place.
    fn bring_back(&self) -> Result<(), EmitError> {
        let is_missing =
            |path: &Path| disk::find(path).map(|found| found.is_none()).map_err(EmitError::io("use", path));
        if is_missing(&self.aside())? || !is_missing(&self.out)? {
            return Ok(());
        }
        disk::rename(&self.aside(), &self.out).map_err(EmitError::io("bring back", &self.out))
    }

    /// Deletes the sites in the stage. The only copy of the old one is not deleted.
    pub(super) fn clear(&self) -> Result<(), EmitError> {
        self.bring_back()?;
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
        let empty = self.clear().is_ok() && disk::read_dir(&self.folder).is_ok_and(|entries| entries.len() == 1);
        if empty && disk::remove_file(&self.folder.join(MARKER)).is_ok() {
            let _ = disk::remove_dir(&self.folder);
        }
    }
}

impl Parents {
    /// Makes the folders, outermost first.
    fn make(missing: &[PathBuf]) -> Result<Self, EmitError> {
        let mut made = Self::default();
        for folder in missing {
            match disk::create_dir(folder) {
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
            let _ = disk::remove_dir(folder);
        }
    }
}

/// Makes the stage at `folder` and locks it; `None` if another build holds it.
fn lock_stage(folder: &Path) -> Result<Option<File>, EmitError> {
    let prepare = || match disk::create_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(EmitError::io("create", folder)(error)),
        _ => Ok(()),
    };
    // An empty folder at most, and ours.
    let clean_up = || drop(disk::remove_dir(folder));
    lock(&folder.join(MARKER), prepare, clean_up)
}
