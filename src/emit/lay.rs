//! Lays a site out in the stage: makes its folders, links what is unchanged, carries what is foreign, writes the rest.
//!
//! Old and new tree share the files that are linked, so nothing here opens a file for writing that it did not create.

use std::io;
use std::path::Path;

use rayon::prelude::*;

use super::EmitError;
use super::manifest;
use super::plan::{Placed, Plan};
use crate::disk::{self, File, Metadata};

/// Lays `plan` out as the new folder `to`; what is kept or carried comes from the old output `from`.
///
/// Of several failures the one of the first path is reported.
pub(super) fn lay(plan: &Plan, from: &Path, to: &Path) -> Result<(), EmitError> {
    for path in plan.folders.keys() {
        make_folder(&to.join(path), &from.join(path))?;
    }
    let put = |file: &Placed| place(file, &from.join(file.path), &to.join(file.path));
    let carry = |path| carry(&from.join(path), &to.join(path));
    let (last, files): (Vec<_>, Vec<_>) = plan.files.iter().partition(|file| file.path == Path::new(manifest::NAME));
    let failed = files.par_iter().find_map_first(|file| put(file).err());
    failed.map_or(Ok(()), Err)?;
    let failed = plan.carried.par_iter().find_map_first(|path| carry(path).err());
    failed.map_or(Ok(()), Err)?;
    // With its manifest the tree is a site (see `retire`).
    last.into_iter().try_for_each(put)?;
    plan.folders.iter().rev().try_for_each(|(path, foreign)| settle_folder(&to.join(path), &from.join(path), *foreign))
}

/// Puts a file of the site at `new`: the file `old` itself where that is unchanged.
fn place(file: &Placed, old: &Path, new: &Path) -> Result<(), EmitError> {
    if file.kept && disk::hard_link(old, new).is_ok() {
        return Ok(());
    }
    let write = || {
        let mut made = File::create_new(new)?;
        made.write_all(file.bytes)?;
        if file.kept { copy_marks(&disk::metadata(old)?, &made) } else { Ok(()) }
    };
    write().map_err(EmitError::io("write", new))
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
    #[cfg(unix)]
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
#[cfg(unix)]
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

/// Takes a folder's owner and permissions; here, nothing.
#[cfg(not(unix))]
fn resemble(_: &Path, _: &Path) -> io::Result<()> {
    Ok(())
}

/// Gives a filled folder what could not be given before: permissions that forbid writing, a foreign folder's time.
#[cfg(unix)]
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

/// Gives a filled folder what could not be given before; here, nothing.
#[cfg(not(unix))]
fn settle_folder(_: &Path, _: &Path, _: bool) -> Result<(), EmitError> {
    Ok(())
}

/// The folder at `path`, if that is one.
#[cfg(unix)]
fn folder_at(path: &Path) -> io::Result<Option<Metadata>> {
    Ok(disk::find(path)?.filter(Metadata::is_dir))
}
