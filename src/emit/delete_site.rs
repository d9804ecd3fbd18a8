//! Deletes a site that is not the output: an old one, or one that was not completed. Files in it that are not ours
//! are moved back to the output.

use std::io;
use std::path::Path;

use super::EmitError;
use super::manifest::{self, Manifest};
use crate::disk::{self, Walk};

/// Deletes the site at `tree`, if there is one.
///
/// The manifest is created last and deleted last. So a tree without a manifest was never the output: everything in it
/// was created or linked there, and is deleted. In a tree with a manifest, files that it does not list are not ours.
/// They were carried over to `home`, the output, unless they were created or changed while the site was prepared.
pub(super) fn delete_site(tree: &Path, home: Option<&Path>) -> Result<(), EmitError> {
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
            make_writable(path)?;
            folders.push(entry.path);
            continue;
        }
        match (&manifest, home) {
            (Some(_), _) if inside == Path::new(manifest::NAME) => {}
            (Some(manifest), Some(home)) if !(entry.kind.is_file() && manifest.has_file(inside)) => {
                move_home(path, &home.join(inside))?;
            }
            _ => delete(path)?,
        }
    }
    // Skip the tree itself, which is removed last. If another program has just put a file into a folder, that folder and
    // the manifest stay, so that the next build moves the file back.
    folders.iter().skip(1).rev().try_for_each(|folder| remove(folder))?;
    if manifest.is_some() {
        delete(&tree.join(manifest::NAME))?;
    }
    remove(tree)
}

/// Moves a file that is not ours to the output, unless the same or a newer one is there.
fn move_home(old: &Path, home: &Path) -> Result<(), EmitError> {
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

/// Deletes a file, if it still exists.
fn delete(path: &Path) -> Result<(), EmitError> {
    match disk::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(EmitError::io("delete", path)(error)),
        _ => Ok(()),
    }
}

/// Makes a folder writable, so that files in it can be deleted.
fn make_writable(folder: &Path) -> Result<(), EmitError> {
    let found = disk::symlink_metadata(folder).map_err(EmitError::io("delete", folder))?;
    let mode = disk::mode(&found);
    if mode & 0o700 == 0o700 {
        return Ok(());
    }
    disk::set_mode(folder, mode | 0o700).map_err(EmitError::io("delete", folder))
}
