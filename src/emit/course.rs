//! Changes a course's own files: all of the changes, or none.
//!
//! 1. refuse what cannot be: a file that is read-only, a link, or no longer what was read; a place that is taken;
//! 2. make the changes one after the other, each in one step of the system's;
//! 3. if one fails, take those before it back.
//!
//! A file is replaced by exchanging it with a new one beside it, and what comes out of the exchange is held against what
//! was read: a text that was saved in between comes back and stays.

use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::EmitError;
use super::exchange::{self, Swap};
use crate::change::Change;
use crate::source::Source;

/// Makes `changes` in the course at `root`, in their order.
///
/// # Errors
/// A file that is not as it was read, read-only, or not a regular file; something at a path that a change would create; the
/// system's own. After any of them the course is as it was.
pub fn change(root: &Path, changes: &[Change]) -> Result<(), EmitError> {
    change_by(root, changes, exchange::swap)
}

/// [`change`], with the system's exchange of two files as a parameter.
pub(super) fn change_by(root: &Path, changes: &[Change], swap: Swap) -> Result<(), EmitError> {
    for change in changes {
        if let Change::Replace { source, .. } = change {
            check_replaceable(&root.join(&**source.path()), source)?;
        }
    }
    let mut done = Done { undo: Vec::new(), swap };
    for change in changes {
        if let Err(error) = done.make(root, change) {
            done.take_back();
            return Err(error);
        }
    }
    Ok(())
}

/// What takes a change back.
#[derive(Debug)]
enum Undo {
    /// A file got another text.
    Rewrite { path: PathBuf, text: Vec<u8>, permissions: Permissions },
    /// A file or an empty folder was made.
    Remove(PathBuf),
    /// Something was moved.
    Rename { from: PathBuf, to: PathBuf },
}

struct Done {
    undo: Vec<Undo>,
    swap: Swap,
}

impl Done {
    fn make(&mut self, root: &Path, change: &Change) -> Result<(), EmitError> {
        let path = root.join(&**change.path());
        match change {
            Change::Create { text, .. } => {
                self.folders(root, &path)?;
                let new = beside(&path);
                write(&new, &path, text.as_bytes(), None)?;
                let made = place(&new, &path);
                let _ = fs::remove_file(&new);
                made?;
                self.undo.push(Undo::Remove(path));
            }
            Change::Rename { from, .. } => {
                let from = root.join(&**from);
                self.folders(root, &path)?;
                rename(&from, &path)?;
                self.undo.push(Undo::Rename { from, to: path });
            }
            Change::Replace { source, text } => self.replace(path, source, text)?,
        }
        Ok(())
    }

    fn replace(&mut self, path: PathBuf, source: &Source, text: &str) -> Result<(), EmitError> {
        let permissions = check_replaceable(&path, source)?;
        let new = beside(&path);
        write(&new, &path, text.as_bytes(), Some(&permissions))?;
        self.exchange(&new, &path, source)?;
        self.undo.push(Undo::Rewrite { path, text: source.text().as_bytes().to_vec(), permissions });
        Ok(())
    }

    /// Puts the file `new` at `path`, if what is there is still `source`; nothing is left at `new`.
    fn exchange(&self, new: &Path, path: &Path, source: &Source) -> Result<(), EmitError> {
        let replaced = match (self.swap)(new, path) {
            Ok(()) if is(new, source) => Ok(()),
            Ok(()) => {
                // What was saved in the meantime is the newer text: it goes back, or stays where it is.
                (self.swap)(new, path).map_err(EmitError::io("restore", path))?;
                Err(EmitError::Changed(path.to_owned()))
            }
            Err(error) if error.kind() == io::ErrorKind::Unsupported && is(path, source) => {
                fs::rename(new, path).map_err(EmitError::io("replace", path))
            }
            Err(error) if error.kind() == io::ErrorKind::Unsupported => Err(EmitError::Changed(path.to_owned())),
            Err(error) => Err(EmitError::io("replace", path)(error)),
        };
        let _ = fs::remove_file(new);
        replaced
    }

    /// Makes the folders above a path that are not there. Those of the course are folders, and no links out of it.
    fn folders(&mut self, root: &Path, path: &Path) -> Result<(), EmitError> {
        let above = || path.ancestors().skip(1).take_while(|folder| !folder.as_os_str().is_empty());
        let is_other = |folder: &&Path| fs::symlink_metadata(folder).is_ok_and(|found| !found.is_dir());
        if let Some(other) = above().take_while(|folder| *folder != root).find(is_other) {
            return Err(EmitError::io("create files in", other)(io::ErrorKind::NotADirectory.into()));
        }
        let missing: Vec<&Path> = above().take_while(|folder| fs::symlink_metadata(folder).is_err()).collect();
        for folder in missing.into_iter().rev() {
            fs::create_dir(folder).map_err(EmitError::io("create", folder))?;
            self.undo.push(Undo::Remove(folder.to_owned()));
        }
        Ok(())
    }

    /// Takes all back, the last first. What fails here cannot be helped, and must not hold up the rest.
    fn take_back(&mut self) {
        while let Some(undo) = self.undo.pop() {
            match undo {
                Undo::Rewrite { path, text, permissions } => {
                    let old = beside(&path);
                    let _ = write(&old, &path, &text, Some(&permissions)).map(|()| fs::rename(&old, &path));
                }
                Undo::Remove(path) if path.is_dir() => {
                    let _ = fs::remove_dir(&path);
                }
                Undo::Remove(path) => {
                    let _ = fs::remove_file(&path);
                }
                Undo::Rename { from, to } => {
                    let _ = rename(&to, &from);
                }
            }
        }
    }
}

/// The permissions of a file that may be replaced: a regular one that can be written to and is as it was read.
fn check_replaceable(path: &Path, source: &Source) -> Result<Permissions, EmitError> {
    let found = fs::symlink_metadata(path).map_err(EmitError::io("read", path))?;
    if !found.is_file() {
        return Err(EmitError::Changed(path.to_owned()));
    }
    if found.permissions().readonly() {
        return Err(EmitError::ReadOnly(path.to_owned()));
    }
    if is(path, source) { Ok(found.permissions()) } else { Err(EmitError::Changed(path.to_owned())) }
}

/// Whether the file at `path` holds exactly what was read.
fn is(path: &Path, source: &Source) -> bool {
    let mut bytes = Vec::new();
    let is_file = fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    is_file
        && File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)).is_ok()
        && bytes == source.text().as_bytes()
}

/// A name in the same folder that no course file has: it begins with a dot, so it is not read as one.
pub(super) fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.infralens", std::process::id()))
}

/// Writes `new`, which is to become `path`; nothing is left of one that cannot be written whole.
pub(super) fn write(new: &Path, path: &Path, bytes: &[u8], permissions: Option<&Permissions>) -> Result<(), EmitError> {
    let write = || {
        let mut file = File::options().write(true).create_new(true).open(new)?;
        file.write_all(bytes)?;
        permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions.clone()))
    };
    write().map_err(|error| {
        if error.kind() == io::ErrorKind::AlreadyExists {
            return EmitError::io("write", new)(error);
        }
        let _ = fs::remove_file(new);
        EmitError::io("write", path)(error)
    })
}

/// Puts a new file where nothing is: linked, because a link replaces nothing.
fn place(new: &Path, path: &Path) -> Result<(), EmitError> {
    fs::hard_link(new, path).or_else(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Err(EmitError::Exists(path.to_owned())),
        // A file system without hard links.
        _ => rename(new, path),
    })
}

/// Moves a file or folder to where nothing is.
fn rename(from: &Path, to: &Path) -> Result<(), EmitError> {
    match exchange::rename_new(from, to) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(EmitError::Exists(to.to_owned())),
        done => done.map_err(EmitError::io("move", from)),
    }
}
