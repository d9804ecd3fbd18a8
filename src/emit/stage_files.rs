//! Creates the files of a site in the stage: makes folders, writes new files, and links unchanged files and those
//! that are not ours.
//!
//! The old and the new tree share the linked files, so nothing here opens a file for writing that it did not create.

use std::io;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::EmitError;
use super::layout::Layout;
use crate::disk::{self, File, Metadata};

/// Creates the folders of the new tree `to`, with the owners and permissions of those in the old output `from`, but always
/// writable.
pub(super) fn create_folders(layout: &Layout, from: &Path, to: &Path) -> Result<(), EmitError> {
    layout.folders.keys().try_for_each(|path| {
        let new = to.join(path);
        // At once, so that files created in it inherit its group.
        disk::create_dir(&new).and_then(|()| copy_owner(&new, &from.join(path))).map_err(EmitError::io("create", &new))
    })
}

/// Writes a file of the site.
pub(super) fn write(new: &Path, bytes: &[u8]) -> Result<(), EmitError> {
    File::create_new(new).and_then(|mut made| made.write_all(bytes)).map_err(EmitError::io("write", new))
}

/// Takes over from the old output `from` the unchanged files `kept`, and files that are not ours.
///
/// Of several errors, the first in the order of paths is returned.
pub(super) fn reuse(layout: &Layout, kept: &[PathBuf], from: &Path, to: &Path) -> Result<(), EmitError> {
    let keep = |path: &PathBuf| link_or_copy(&from.join(path), &to.join(path)).err();
    kept.par_iter().find_map_first(keep).map_or(Ok(()), Err)?;
    let carry = |path: &PathBuf| carry(&from.join(path), &to.join(path)).err();
    layout.carried.par_iter().find_map_first(carry).map_or(Ok(()), Err)
}

/// Sets the permissions and times of folders, now that they are filled.
pub(super) fn finish_folders(layout: &Layout, from: &Path, to: &Path) -> Result<(), EmitError> {
    layout
        .folders
        .iter()
        .rev()
        .try_for_each(|(path, foreign)| finish_folder(&to.join(path), &from.join(path), *foreign))
}

/// Links an unchanged file of the site, or copies it where the system cannot link it.
pub(super) fn link_or_copy(old: &Path, new: &Path) -> Result<(), EmitError> {
    let Err(error) = disk::hard_link(old, new) else { return Ok(()) };
    copy(old, new, error).map_err(EmitError::io("write", new))
}

/// Links or copies a file, link or the like that is not ours.
fn carry(old: &Path, new: &Path) -> Result<(), EmitError> {
    match disk::hard_link(old, new) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        // Something is mounted there, which a copy would replace.
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => Err(EmitError::Immovable(old.to_owned())),
        Err(error) => copy(old, new, error).map_err(EmitError::io("carry over", old)),
    }
}

/// Copies what the system could not link, for the reason `unlinked`.
fn copy(old: &Path, new: &Path, unlinked: io::Error) -> io::Result<()> {
    let found = disk::symlink_metadata(old)?;
    if found.is_file() {
        let mut made = File::create_new(new)?;
        made.copy_from(&File::open(old)?)?;
        made.set_permissions(found.permissions())?;
        return made.set_modified(found.modified()?);
    }
    if found.is_symlink() {
        return disk::symlink(&disk::read_link(old)?, new);
    }
    Err(unlinked)
}

/// Copies the owner, as far as the system allows, and the permissions of the folder at `old`, if there is one, to one that
/// stays writable.
fn copy_owner(new: &Path, old: &Path) -> io::Result<()> {
    let Some(old) = folder_at(old)? else { return Ok(()) };
    let made = disk::metadata(new)?;
    let ((user, group), permissions) = (disk::owner(&old), disk::mode(&old));
    if disk::owner(&made).1 != group {
        let _ = disk::chown(new, None, Some(group));
    }
    if disk::owner(&made).0 != user {
        let _ = disk::chown(new, Some(user), None);
    }
    if disk::mode(&made) != permissions {
        disk::set_mode(new, permissions | 0o700)?;
    }
    Ok(())
}

/// Sets what could not be set while the folder was filled: read-only permissions, and the time of a folder that is
/// not ours.
fn finish_folder(new: &Path, old: &Path, foreign: bool) -> Result<(), EmitError> {
    let finish = || {
        let Some(old) = folder_at(old)? else { return Ok(()) };
        if foreign {
            File::open(new)?.set_modified(old.modified()?)?;
        }
        if disk::mode(&old) & 0o700 != 0o700 {
            disk::set_mode(new, disk::mode(&old))?;
        }
        Ok(())
    };
    finish().map_err(EmitError::io("carry over", new))
}

/// Returns the metadata of the folder at `path`; `None` if it is not a folder.
fn folder_at(path: &Path) -> io::Result<Option<Metadata>> {
    Ok(disk::find(path)?.filter(Metadata::is_dir))
}
