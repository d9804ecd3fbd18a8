//! Deletes a site that is no longer, or not yet, the output; what in it is not ours goes back to the output.

use std::fs::{self, Metadata};
use std::io;
use std::path::Path;

use walkdir::WalkDir;

use super::EmitError;
use super::manifest::{self, Manifest};

/// Deletes the site at `tree`, if there is one.
///
/// The manifest is the last file to be laid out and the last to go. So a tree without one was never the output: all
/// in it was made or linked there, and is deleted. In a tree with one, files that it does not list are another's: they
/// were carried into `home`, the output, unless they came or changed while the site was being laid out.
pub(super) fn retire(tree: &Path, home: Option<&Path>) -> Result<(), EmitError> {
    if fs::symlink_metadata(tree).is_err() {
        return Ok(());
    }
    let manifest = Manifest::read(tree)?;
    let mut folders = Vec::new();
    for entry in WalkDir::new(tree).follow_root_links(false) {
        let entry = entry.map_err(EmitError::walk(tree))?;
        let path = entry.path();
        let inside = path.strip_prefix(tree).unwrap_or(path);
        if entry.file_type().is_dir() {
            loosen(path, &entry.metadata().map_err(EmitError::walk(path))?)?;
            folders.push(entry.into_path());
            continue;
        }
        match (&manifest, home) {
            (Some(_), _) if inside == Path::new(manifest::NAME) => {}
            (Some(manifest), Some(home)) if !(entry.file_type().is_file() && manifest.has_file(inside)) => {
                give_back(path, &home.join(inside))?;
            }
            _ => delete(path)?,
        }
    }
    if manifest.is_some() {
        delete(&tree.join(manifest::NAME))?;
    }
    folders.iter().rev().try_for_each(|folder| fs::remove_dir(folder).map_err(EmitError::io("delete", folder)))
}

/// Moves a foreign file home, unless it is there and as new.
fn give_back(old: &Path, home: &Path) -> Result<(), EmitError> {
    let time = |path: &Path| fs::symlink_metadata(path).and_then(|found| found.modified()).ok();
    if time(home).is_some_and(|there| time(old).is_none_or(|here| here <= there)) {
        return delete(old);
    }
    if let Some(folder) = home.parent() {
        fs::create_dir_all(folder).map_err(EmitError::io("create", folder))?;
    }
    fs::rename(old, home).map_err(EmitError::io("bring back", home))
}

/// Deletes a file, which may be gone already.
fn delete(path: &Path) -> Result<(), EmitError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(EmitError::io("delete", path)(error)),
        _ => Ok(()),
    }
}

/// Lets files be deleted from a carried folder that does not allow it.
#[cfg(unix)]
fn loosen(folder: &Path, found: &Metadata) -> Result<(), EmitError> {
    use std::os::unix::fs::PermissionsExt;
    let mode = found.permissions().mode();
    if mode & 0o700 == 0o700 {
        return Ok(());
    }
    let mode = fs::Permissions::from_mode(mode | 0o700);
    fs::set_permissions(folder, mode).map_err(EmitError::io("delete", folder))
}

/// Lets files be deleted from a carried folder that does not allow it.
#[cfg(not(unix))]
fn loosen(_: &Path, _: &Metadata) -> Result<(), EmitError> {
    Ok(())
}
