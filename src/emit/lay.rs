//! Lays a site out in the stage: makes its folders, writes what is new, links what is unchanged, carries what is foreign.
//!
//! Old and new tree share the files that are linked, so nothing here opens a file for writing that it did not create.

use std::io;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::EmitError;
use super::plan::Plan;
use crate::disk::{self, File, Metadata};

/// Makes the folders of the new tree `to`, which are like those of the old output `from`.
pub(super) fn folders(plan: &Plan, from: &Path, to: &Path) -> Result<(), EmitError> {
    plan.folders.keys().try_for_each(|path| make_folder(&to.join(path), &from.join(path)))
}

/// Writes a file of the site at `new`.
pub(super) fn write(new: &Path, bytes: &[u8]) -> Result<(), EmitError> {
    File::create_new(new).and_then(|mut made| made.write_all(bytes)).map_err(EmitError::io("write", new))
}

/// Moves a file of the stage to the place of the one at `old`, in one step.
pub(super) fn replace(new: &Path, old: &Path) -> Result<(), EmitError> {
    disk::rename(new, old).map_err(EmitError::io("write", old))
}

/// Takes over what stays as it is from the old output `from`: the files of the site that are `kept`, and what is foreign.
///
/// Of several failures the one of the first path is reported.
pub(super) fn take_over(plan: &Plan, kept: &[PathBuf], from: &Path, to: &Path) -> Result<(), EmitError> {
    let keep = |path: &PathBuf| keep(&from.join(path), &to.join(path)).err();
    kept.par_iter().find_map_first(keep).map_or(Ok(()), Err)?;
    let carry = |path: &PathBuf| carry(&from.join(path), &to.join(path)).err();
    plan.carried.par_iter().find_map_first(carry).map_or(Ok(()), Err)
}

/// Gives the filled folders what could not be given before.
pub(super) fn settle(plan: &Plan, from: &Path, to: &Path) -> Result<(), EmitError> {
    plan.folders.iter().rev().try_for_each(|(path, foreign)| settle_folder(&to.join(path), &from.join(path), *foreign))
}

/// Puts a file of the site that is as it was at `new`: the file `old` itself, or a copy where it cannot be linked.
pub(super) fn keep(old: &Path, new: &Path) -> Result<(), EmitError> {
    let Err(error) = disk::hard_link(old, new) else { return Ok(()) };
    copy(old, new, error).map_err(EmitError::io("write", new))
}

/// Puts a foreign file, link or the like at `new`, as it is.
fn carry(old: &Path, new: &Path) -> Result<(), EmitError> {
    match disk::hard_link(old, new) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        // Mounted over: a copy would take the original's place.
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => Err(EmitError::Immovable(old.to_owned())),
        Err(error) => copy(old, new, error).map_err(EmitError::io("carry over", old)),
    }
}

/// Copies what the system did not let us link, for the reason `unlinked`.
fn copy(old: &Path, new: &Path, unlinked: io::Error) -> io::Result<()> {
    let found = disk::symlink_metadata(old)?;
    if found.is_file() {
        let mut made = File::create_new(new)?;
        made.copy_from(&File::open(old)?)?;
        return copy_marks(&found, &made);
    }
    if found.is_symlink() {
        return disk::symlink(&disk::read_link(old)?, new);
    }
    Err(unlinked)
}

/// Gives a copy the time and the permissions of the original.
fn copy_marks(old: &Metadata, copy: &File) -> io::Result<()> {
    copy.set_permissions(old.permissions())?;
    copy.set_modified(old.modified()?)
}

/// Makes a folder that is like the one at `old`, if there is one, but can be written to.
fn make_folder(new: &Path, old: &Path) -> Result<(), EmitError> {
    // At once and not in the end, so that a group that is handed down is.
    disk::create_dir(new).and_then(|()| resemble(new, old)).map_err(EmitError::io("create", new))
}

/// Takes a folder's owner, as far as the system lets us, and its permissions.
fn resemble(new: &Path, old: &Path) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let Some(old) = folder_at(old)? else { return Ok(()) };
    let made = disk::metadata(new)?;
    if made.gid() != old.gid() {
        let _ = disk::chown(new, None, Some(old.gid()));
    }
    if made.uid() != old.uid() {
        let _ = disk::chown(new, Some(old.uid()), None);
    }
    if made.mode() != old.mode() {
        disk::set_permissions(new, disk::Permissions::from_mode(old.mode() & 0o7777 | 0o700))?;
    }
    Ok(())
}

/// Gives a filled folder what could not be given before: permissions that forbid writing, a foreign folder's time.
fn settle_folder(new: &Path, old: &Path, foreign: bool) -> Result<(), EmitError> {
    use std::os::unix::fs::PermissionsExt;
    let settle = || {
        let Some(old) = folder_at(old)? else { return Ok(()) };
        if foreign {
            File::open(new)?.set_modified(old.modified()?)?;
        }
        if old.permissions().mode() & 0o700 != 0o700 {
            disk::set_permissions(new, old.permissions())?;
        }
        Ok(())
    };
    settle().map_err(EmitError::io("carry over", new))
}

/// The folder at `path`, if that is one.
fn folder_at(path: &Path) -> io::Result<Option<Metadata>> {
    Ok(disk::find(path)?.filter(Metadata::is_dir))
}
