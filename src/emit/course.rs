//! Changes a course's own files. Each file is replaced whole, and nothing newer is overwritten.
//!
//! 1. lock the course's folder, so that no other command changes the course;
//! 2. check every change: what is read-only, a link, or no longer what was read is refused, and so is a path that is taken;
//! 3. write the new texts to temporary files next to their places, so that a full disk changes nothing;
//! 4. move these to their places, in the order of the changes.
//!
//! Up to step 3, a failure leaves the course unchanged. If the command is killed in step 4, it can be run again: a file that
//! was created already has equal bytes, which step 2 accepts, and the commands order their changes so that the file that
//! names the others is written last. Temporary files that were left are then used up.
//!
//! **Invariant**: the changes name different paths, except that a file may be replaced and then moved.

use std::io;
use std::path::{Path, PathBuf};

use super::EmitError;
use crate::disk::{self, File, Permissions, TryLockError};
use infralens_source::change::Change;
use infralens_source::source::Source;

/// Makes `changes` in the course at `root`, in their order.
///
/// # Errors
/// A file that is not as it was read, read-only, or not a regular file; something else at a path that a change would create;
/// another command that changes the course; the system's own. After any of them the course is as it was, unless it is
/// [`EmitError::HalfDone`].
pub fn change(root: &Path, changes: &[Change]) -> Result<(), EmitError> {
    if changes.is_empty() {
        return Ok(());
    }
    exclusively(root, |work| work.change(root, changes))
}

/// Writes a file that the program generates, such as a schema for editors, and replaces what is there. `path` is relative to
/// the course's root and has `/`. Returns whether the file differed.
///
/// # Errors
/// An error of the system, such as a full disk; something that is not a folder where one is needed; another command that
/// changes the course.
pub fn write_generated(root: &Path, path: &str, text: &str) -> Result<bool, EmitError> {
    let path = root.join(path);
    if has_bytes(&path, text.as_bytes())? {
        return Ok(false);
    }
    exclusively(root, |work| {
        work.prepare(root, &path, text.as_bytes(), None)?;
        disk::rename(&temporary(&path), &path).map_err(EmitError::io("write", &path))
    })?;
    Ok(true)
}

/// Does what changes the course at `root`, while no other command does.
fn exclusively(root: &Path, act: impl FnOnce(&mut Work) -> Result<(), EmitError>) -> Result<(), EmitError> {
    let mut work = Work::default();
    let done = work.make_folders(None, root).and_then(|()| {
        let folder = File::open(root).map_err(EmitError::io("read", root))?;
        // A network file system may have no locks; then only the checks protect what another command writes.
        if matches!(folder.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(EmitError::Changing(root.to_owned()));
        }
        act(&mut work)
    });
    done.map_err(|error| work.give_up(error))
}

/// A step of the changes, with whole paths.
enum Step<'a> {
    /// Writes a file. `old` is the file that it replaces; if there is none, nothing may be at the path.
    Write { path: PathBuf, bytes: &'a [u8], old: Option<&'a Source>, permissions: Option<Permissions> },
    /// Moves a file or folder as it is.
    Rename { from: PathBuf, to: PathBuf },
    /// Removes a file that was written at another path.
    Remove { path: PathBuf, old: &'a Source },
}

/// What was done so far.
#[derive(Default)]
struct Work {
    folders: Vec<PathBuf>,
    /// Temporary files that are not yet in their places.
    temporary: Vec<PathBuf>,
    /// Whether a step has changed the course.
    has_begun: bool,
}

impl Work {
    fn change(&mut self, root: &Path, changes: &[Change]) -> Result<(), EmitError> {
        let steps = steps(root, changes)?;
        for step in &steps {
            match step {
                Step::Write { path, bytes, permissions, .. } => {
                    self.prepare(root, path, bytes, permissions.as_ref())?;
                }
                Step::Rename { to, .. } => self.make_folders(Some(root), to.parent().unwrap_or(root))?,
                Step::Remove { .. } => {}
            }
        }
        // A folder that one change needs may be where another one creates a file.
        for step in &steps {
            if let Step::Write { path, old: None, .. } | Step::Rename { to: path, .. } = step {
                refuse_taken(path)?;
            }
        }
        steps.iter().try_for_each(|step| {
            make(step)?;
            self.has_begun = true;
            Ok(())
        })
    }

    /// Writes the bytes for the file at `path` to its temporary file. Errors name `path`, because the user knows that file.
    fn prepare(
        &mut self,
        root: &Path,
        path: &Path,
        bytes: &[u8],
        permissions: Option<&Permissions>,
    ) -> Result<(), EmitError> {
        self.make_folders(Some(root), path.parent().unwrap_or(root))?;
        let new = temporary(path);
        match disk::remove_file(&new) {
            // A command that was killed may have left it.
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(EmitError::io("delete", &new)(error)),
            _ => {}
        }
        let written = File::create_new(&new).and_then(|mut file| {
            self.temporary.push(new);
            file.write_all(bytes)?;
            permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions.clone()))
        });
        written.map_err(EmitError::io("write", path))
    }

    /// Creates the missing folders down to `folder`. Below a `root`, fails if something else is in the way, such as a symbolic
    /// link, which could lead out of the course.
    fn make_folders(&mut self, root: Option<&Path>, folder: &Path) -> Result<(), EmitError> {
        let above = folder.ancestors().take_while(|above| Some(*above) != root && !above.as_os_str().is_empty());
        for folder in above.collect::<Vec<_>>().into_iter().rev() {
            match disk::find(folder).map_err(EmitError::io("use", folder))? {
                Some(found) if root.is_some() && !found.is_dir() => {
                    return Err(EmitError::io("create files in", folder)(io::ErrorKind::NotADirectory.into()));
                }
                Some(_) => {}
                None => {
                    disk::create_dir(folder).map_err(EmitError::io("create", folder))?;
                    self.folders.push(folder.to_owned());
                }
            }
        }
        Ok(())
    }

    /// Removes what was prepared, and returns the error that says whether the course has changed.
    fn give_up(&self, error: EmitError) -> EmitError {
        self.temporary.iter().for_each(|file| drop(disk::remove_file(file)));
        self.folders.iter().rev().for_each(|folder| drop(disk::remove_dir(folder)));
        if self.has_begun { EmitError::HalfDone(Box::new(error)) } else { error }
    }
}

/// Checks the changes, and returns the steps that are left to be made.
fn steps<'a>(root: &Path, changes: &'a [Change]) -> Result<Vec<Step<'a>>, EmitError> {
    let mut steps = Vec::new();
    for change in changes {
        match change {
            Change::Create { path, text } => steps.extend(create(root.join(&**path), text.as_bytes(), None)?),
            Change::Add { path, file } => {
                if let Some(bytes) = file.bytes() {
                    steps.extend(create(root.join(&**path), bytes, None)?);
                }
            }
            Change::Replace { source, text } => {
                let path = root.join(&**source.path());
                let permissions = Some(check_replaceable(&path, source)?);
                if !changes.iter().any(|change| matches!(change, Change::Rename { from, .. } if from == source.path()))
                {
                    steps.push(Step::Write { path, bytes: text.as_bytes(), old: Some(source), permissions });
                }
            }
            Change::Rename { from, to } => {
                let [here, there] = [from, to].map(|path| root.join(&**path));
                let new_text = changes.iter().find_map(|change| match change {
                    Change::Replace { source, text } if source.path() == from => Some((&**source, text.as_bytes())),
                    _ => None,
                });
                if let Some((old, bytes)) = new_text {
                    let permissions = Some(check_replaceable(&here, old)?);
                    steps.extend(create(there, bytes, permissions)?);
                    steps.push(Step::Remove { path: here, old });
                } else {
                    disk::symlink_metadata(&here).map_err(EmitError::io("move", &here))?;
                    refuse_taken(&there)?;
                    steps.push(Step::Rename { from: here, to: there });
                }
            }
        }
    }
    Ok(steps)
}

/// Returns the step that creates a file; `None` if it is there with the same bytes.
fn create(path: PathBuf, bytes: &[u8], permissions: Option<Permissions>) -> Result<Option<Step<'_>>, EmitError> {
    if has_bytes(&path, bytes)? {
        return Ok(None);
    }
    refuse_taken(&path)?;
    Ok(Some(Step::Write { path, bytes, old: None, permissions }))
}

fn make(step: &Step<'_>) -> Result<(), EmitError> {
    match step {
        Step::Write { path, old: Some(old), .. } => {
            check_replaceable(path, old)?;
            disk::rename(&temporary(path), path).map_err(EmitError::io("replace", path))
        }
        Step::Write { path, old: None, .. } => move_new(&temporary(path), path),
        Step::Rename { from, to } => move_new(from, to),
        Step::Remove { path, old } => {
            check_replaceable(path, old)?;
            disk::remove_file(path).map_err(EmitError::io("delete", path))
        }
    }
}

/// Returns the path of the temporary file that becomes `path`. Its name begins with a dot, so it is not read as part of the
/// course.
fn temporary(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.infralens-new"))
}

/// Refuses a path at which something is.
fn refuse_taken(path: &Path) -> Result<(), EmitError> {
    match disk::find(path).map_err(EmitError::io("use", path))? {
        Some(_) => Err(EmitError::Exists(path.to_owned())),
        None => Ok(()),
    }
}

/// Returns the permissions of a file that may be replaced: a regular one that can be written to and is as it was read.
fn check_replaceable(path: &Path, source: &Source) -> Result<Permissions, EmitError> {
    let found = disk::symlink_metadata(path).map_err(EmitError::io("read", path))?;
    if found.is_file() && found.permissions().readonly() {
        return Err(EmitError::ReadOnly(path.to_owned()));
    }
    let is_as_read = found.is_file() && has_bytes(path, source.text().as_bytes())?;
    if is_as_read { Ok(found.permissions()) } else { Err(EmitError::Changed(path.to_owned())) }
}

/// Whether there is a regular file at `path` with exactly these bytes.
fn has_bytes(path: &Path, bytes: &[u8]) -> Result<bool, EmitError> {
    let read = || match disk::find(path)? {
        Some(found) if found.is_file() => Ok(disk::read(path)? == bytes),
        _ => Ok(false),
    };
    read().map_err(EmitError::io("read", path))
}

/// Moves a file or folder; fails with [`EmitError::Exists`] if something is at `to`.
fn move_new(from: &Path, to: &Path) -> Result<(), EmitError> {
    match disk::rename_new(from, to) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(EmitError::Exists(to.to_owned())),
        done => done.map_err(EmitError::io("move", from)),
    }
}
