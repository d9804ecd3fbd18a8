//! Deletes a site that is no longer, or not yet, the output; what in it is not ours goes back to the output.

use std::io;
use std::path::Path;

use super::EmitError;
use super::manifest::{self, Manifest};
use crate::disk::{self, Walk};

/// Deletes the site at `tree`, if there is one.
///
/// The manifest is the last file to be laid out and the last to go. So a tree without one was never the output: all
/// in it was made or linked there, and is deleted. In a tree with one, files that it does not list are another's: they
/// were carried into `home`, the output, unless they came or changed while the site was being laid out.
pub(super) fn retire(tree: &Path, home: Option<&Path>) -> Result<(), EmitError> {
    if disk::find(tree).map_err(EmitError::io("read", tree))?.is_none() {
        return Ok(());
    }
    let manifest = Manifest::read(tree)?;
    let mut folders = Vec::new();
    for entry in Walk::new(tree, usize::MAX, |_| true).map_err(EmitError::io("read", tree))? {
        let entry = entry.map_err(EmitError::walk)?;
        let path = entry.path.as_path();
        let inside = path.strip_prefix(tree).unwrap_or(path);
        if entry.kind.is_dir() {
            loosen(path)?;
            folders.push(entry.path);
            continue;
        }
        match (&manifest, home) {
            (Some(_), _) if inside == Path::new(manifest::NAME) => {}
            (Some(manifest), Some(home)) if !(entry.kind.is_file() && manifest.has_file(inside)) => {
                give_back(path, &home.join(inside))?;
            }
            _ => delete(path)?,
        }
    }
    // The walk began with the tree itself. Where another program has just put a file into one of the folders below it, that
    // folder and the manifest stay, so that the next build brings the file back.
    folders.iter().skip(1).rev().try_for_each(|folder| remove(folder))?;
    if manifest.is_some() {
        delete(&tree.join(manifest::NAME))?;
    }
    remove(tree)
}

/// Moves a foreign file home, unless it is there and as new.
fn give_back(old: &Path, home: &Path) -> Result<(), EmitError> {
    let time = |path: &Path| disk::find(path)?.map(|found| found.modified()).transpose();
    let times = time(home).and_then(|there| Ok((time(old)?, there)));
    if let (here, Some(there)) = times.map_err(EmitError::io("read", home))?
        && here.is_none_or(|here| here <= there)
    {
        return delete(old);
    }
    if let Some(folder) = home.parent() {
        disk::create_dir_all(folder).map_err(EmitError::io("create", folder))?;
    }
    disk::rename(old, home).map_err(EmitError::io("bring back", home))
}

/// Removes an empty folder.
fn remove(folder: &Path) -> Result<(), EmitError> {
    disk::remove_dir(folder).map_err(EmitError::io("delete", folder))
}

/// Deletes a file, which may be gone already.
fn delete(path: &Path) -> Result<(), EmitError> {
    match disk::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(EmitError::io("delete", path)(error)),
        _ => Ok(()),
    }
}

/// Lets files be deleted from a carried folder that does not allow it.
fn loosen(folder: &Path) -> Result<(), EmitError> {
    use std::os::unix::fs::PermissionsExt;
    let found = disk::symlink_metadata(folder).map_err(EmitError::io("delete", folder))?;
    let mode = found.permissions().mode();
    if mode & 0o700 == 0o700 {
        return Ok(());
    }
    let mode = disk::Permissions::from_mode(mode | 0o700);
    disk::set_permissions(folder, mode).map_err(EmitError::io("delete", folder))
}
