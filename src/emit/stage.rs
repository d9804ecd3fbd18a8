//! The stage: a locked folder next to the output, in which a new site is prepared and an old one is deleted.

use std::io;
use std::path::{Path, PathBuf};

use super::manifest::Manifest;
use super::target::{OutputPaths, identity, inspect};
use super::{EmitError, delete_site::delete_site};
use crate::disk::{self, File, TryLockError};

/// How often the stage is looked at again when another build is just creating or removing it.
const TRIES: usize = 100;

/// The file that marks a folder as a stage, and that is locked.
const MARKER: &str = ".infralens-stage";

/// The stage of this build. It is deleted when this is dropped.
#[derive(Debug)]
pub(super) struct Stage {
    folder: PathBuf,
    out: PathBuf,
    /// The output, if it contains a site of ours. When an old site is deleted, files in it that are not ours are moved here.
    home: Option<PathBuf>,
    parents: CreatedParents,
    /// Locked until the stage is deleted or the process ends.
    _lock: File,
}

/// Folders that were created for the output. They are deleted on drop if they are empty.
#[derive(Debug, Default)]
struct CreatedParents(Vec<PathBuf>);

/// Whether `folder` can be the stage: it does not exist, is empty, or is a stage that was left over.
///
/// Checks several times, because another build may be creating or removing its stage at this moment.
pub(super) fn may_use(folder: &Path) -> Result<bool, EmitError> {
    for _ in 0..TRIES {
        if is_free(folder)? {
            return Ok(true);
        }
        std::thread::yield_now();
    }
    Ok(false)
}

fn is_free(folder: &Path) -> Result<bool, EmitError> {
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
    /// Creates and locks the stage, and creates the folders above it.
    pub(super) fn open(output: &OutputPaths) -> Result<Self, EmitError> {
        let parents = CreatedParents::make(&output.missing)?;
        let lock = lock_stage(&output.stage)?.ok_or_else(|| EmitError::Busy(output.out.clone()))?;
        Ok(Self { folder: output.stage.clone(), out: output.out.clone(), home: None, parents, _lock: lock })
    }

    /// Repairs and clears what a killed build left, and returns the manifest of the output, which no other build
    /// changes from now on.
    pub(super) fn take_over(&mut self, output: &OutputPaths) -> Result<Option<Manifest>, EmitError> {
        self.bring_back()?;
        let existing = inspect(output)?;
        self.home = existing.as_ref().map(|_| output.out.clone());
        self.clear()?;
        Ok(existing)
    }

    /// Returns the path at which the new site is prepared, and where the old one is after the exchange.
    pub(super) fn site(&self) -> PathBuf {
        self.folder.join("site")
    }

    /// Returns the path of the old site if the system cannot exchange two folders.
    pub(super) fn aside(&self) -> PathBuf {
        self.folder.join("aside")
    }

    /// Moves an old site back that was moved aside, if there is no new one in its place.
    fn bring_back(&self) -> Result<(), EmitError> {
        let is_missing =
            |path: &Path| disk::find(path).map(|found| found.is_none()).map_err(EmitError::io("use", path));
        if is_missing(&self.aside())? || !is_missing(&self.out)? {
            return Ok(());
        }
        disk::rename(&self.aside(), &self.out).map_err(EmitError::io("bring back", &self.out))
    }

    /// Deletes the sites in the stage, but never the only copy of the old one.
    pub(super) fn clear(&self) -> Result<(), EmitError> {
        self.bring_back()?;
        delete_site(&self.site(), self.home.as_deref())?;
        delete_site(&self.aside(), self.home.as_deref())
    }

    /// Keeps the folders above the output, because it is in place.
    pub(super) fn keep_parents(&mut self) {
        self.parents.0.clear();
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // If the stage cannot be emptied, it keeps its marker, so that the next build can take it over.
        let empty = self.clear().is_ok() && disk::read_dir(&self.folder).is_ok_and(|entries| entries.len() == 1);
        if empty && disk::remove_file(&self.folder.join(MARKER)).is_ok() {
            let _ = disk::remove_dir(&self.folder);
        }
    }
}

impl CreatedParents {
    /// Creates the folders, outermost first.
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

impl Drop for CreatedParents {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            let _ = disk::remove_dir(folder);
        }
    }
}

/// Creates the stage at `folder` and locks its marker; returns `None` if another build has locked it. The system releases
/// the lock when the process ends in any way.
fn lock_stage(folder: &Path) -> Result<Option<File>, EmitError> {
    let marker = folder.join(MARKER);
    for _ in 0..TRIES {
        match disk::create_dir(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(EmitError::io("create", folder)(error));
            }
            _ => {}
        }
        let file = match File::open_or_create(&marker) {
            Ok(file) => file,
            // The process that had the lock has just removed the folder.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => {
                // Removes only an empty folder.
                let _ = disk::remove_dir(folder);
                return Err(EmitError::io("create", &marker)(error));
            }
        };
        match file.try_lock() {
            Ok(()) if is_same_file(&file, &marker).map_err(EmitError::io("lock", &marker))? => return Ok(Some(file)),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(EmitError::io("lock", &marker)(error)),
        }
    }
    Ok(None)
}

/// Whether the file at `path` is this one, and not one that was created after it was removed.
fn is_same_file(file: &File, path: &Path) -> io::Result<bool> {
    let found = file.metadata()?;
    Ok(identity(path)? == Some(disk::identity(path, &found)))
}
