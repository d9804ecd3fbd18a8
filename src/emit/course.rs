//! Changes a course's own files in a transaction: all of the changes, or none. The journal is an undo log.
//!
//! 1. refuse what cannot be changed: a file that is read-only, a link, or no longer what was read;
//! 2. lock the journal, a file in the course's root, so that no other command changes the course;
//! 3. make the changes one after the other. Each consists of steps that are noted in the journal before they are made
//!    (`journal`), and keeps the file that it replaces as a temporary file in the same folder;
//! 4. if one fails, undo the steps before it (`undo`);
//! 5. note that all is done, and delete the temporary files and the journal.
//!
//! If the command is killed before 5, the next command that changes the course undoes the steps ([`recover`]). An undo only
//! moves and removes files, so it also works when the disk is full.
//!
//! A file is replaced by exchanging it with a new temporary file, and the file that comes out of the exchange is compared
//! with what was read. Whatever an editor saves in the meantime, before, between or after these steps, is kept.

mod journal;
mod undo;

use std::io;
use std::path::{Path, PathBuf};

use super::EmitError;
use crate::disk::{self, File, Permissions};
use infralens_source::change::Change;
use infralens_source::source::Source;
use journal::{Journal, Step};
use undo::{TempFiles, hash};

/// What [`recover`] has done about a command that was killed while it changed the course.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Whether there was something to undo.
    pub undone: bool,
    /// Files, from the root and with `/`, that have changed since then and were left unchanged.
    pub left: Vec<String>,
}

/// Makes `changes` in the course at `root`, in their order.
///
/// # Errors
/// A file that is not as it was read, read-only, or not a regular file; something at a path that a change would create;
/// another command that changes the course; the system's own. After any of them the course is as it was, unless it is
/// [`EmitError::HalfDone`]: then [`recover`] is to be tried.
pub fn change(root: &Path, changes: &[Change]) -> Result<(), EmitError> {
    if changes.is_empty() {
        return Ok(());
    }
    let made = make_root(root)?;
    let done = change_in(root, changes);
    if done.is_err() {
        remove_folders(&made);
    }
    done
}

/// Undoes the changes of a command that was killed before it had made all of them in the course at `root`.
///
/// # Errors
/// Another command that changes the course; the system's own. What could not be undone stays in the journal.
pub fn recover(root: &Path) -> Result<Recovery, EmitError> {
    if !journal::is_there(root)? {
        return Ok(Recovery::default());
    }
    let mut journal = Journal::open(root)?;
    let begun = journal.read()?;
    let left = if begun.is_done {
        undo::clean_up(root, &begun.steps)?;
        Vec::new()
    } else {
        undo::undo(root, &begun.steps, &mut journal)?
    };
    journal.remove()?;
    Ok(Recovery { undone: !begun.is_done && !begun.steps.is_empty(), left })
}

/// Whether an earlier command was killed halfway through changing the course at `root`. Its changes are then incomplete,
/// and [`recover`] undoes them.
///
/// # Errors
/// The system's own.
pub fn is_interrupted(root: &Path) -> io::Result<bool> {
    journal::is_interrupted(root)
}

/// The path of the journal from the root of the course.
pub const JOURNAL: &str = journal::NAME;

fn change_in(root: &Path, changes: &[Change]) -> Result<(), EmitError> {
    for change in changes {
        if let Change::Replace { source, .. } = change {
            check_replaceable(&root.join(&**source.path()), source)?;
        }
    }
    let journal = Journal::open(root)?;
    let before = journal.read()?;
    if !before.is_done && !before.steps.is_empty() {
        return Err(EmitError::Interrupted(root.to_owned()));
    }
    if !before.is_new {
        // Left by a command that was killed before its first change, or after its last.
        undo::clean_up(root, &before.steps)?;
        journal.remove()?;
        return change_in(root, changes);
    }
    let mut work = Work { root, journal, steps: Vec::new() };
    match work.make_all(changes) {
        Ok(()) => {
            work.commit();
            Ok(())
        }
        Err(error) => Err(work.roll_back(error)),
    }
}

/// A change that is being made.
struct Work<'a> {
    root: &'a Path,
    journal: Journal,
    steps: Vec<Step>,
}

impl Work<'_> {
    fn make_all(&mut self, changes: &[Change]) -> Result<(), EmitError> {
        self.journal.begin()?;
        changes.iter().try_for_each(|change| self.make(change))?;
        self.journal.finish()
    }

    fn make(&mut self, change: &Change) -> Result<(), EmitError> {
        match change {
            Change::Create { path, text } => self.create(path, text.as_bytes()),
            Change::Add { path, file } => file.bytes().map_or(Ok(()), |bytes| self.create(path, bytes)),
            Change::Rename { from, to } => self.rename(from, to),
            Change::Replace { source, text } => self.replace(source, text),
        }
    }

    /// Notes a step, which is then made, and returns its number.
    fn begin(&mut self, step: Step) -> Result<usize, EmitError> {
        self.journal.note(&step)?;
        self.steps.push(step);
        Ok(self.steps.len() - 1)
    }

    fn create(&mut self, path: &str, bytes: &[u8]) -> Result<(), EmitError> {
        let at = self.root.join(path);
        self.folders(&at)?;
        refuse_taken(&at)?;
        let step = self.begin(Step::Create { path: path.to_owned(), new: hash(bytes) })?;
        let temp = TempFiles::of(&at, step);
        write(&temp.new, &at, bytes, None)?;
        // Linked, because a link replaces nothing.
        disk::hard_link(&temp.new, &at).or_else(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Err(EmitError::Exists(at.clone())),
            // A file system without hard links.
            _ => move_new(&temp.new, &at),
        })
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<(), EmitError> {
        let (here, there) = (self.root.join(from), self.root.join(to));
        self.folders(&there)?;
        disk::symlink_metadata(&here).map_err(EmitError::io("move", &here))?;
        refuse_taken(&there)?;
        self.begin(Step::Rename { from: from.to_owned(), to: to.to_owned() })?;
        move_new(&here, &there)
    }

    fn replace(&mut self, source: &Source, text: &str) -> Result<(), EmitError> {
        let path = self.root.join(&**source.path());
        let permissions = check_replaceable(&path, source)?;
        let (old, new) = (hash(source.text().as_bytes()), hash(text.as_bytes()));
        let step = self.begin(Step::Replace { path: source.path().to_string(), old, new })?;
        let temp = TempFiles::of(&path, step);
        write(&temp.new, &path, text.as_bytes(), Some(&permissions))?;
        match disk::exchange(&temp.new, &path) {
            Ok(()) if has_content_of(&temp.new, source)? => Ok(()),
            // What was saved in the meantime is restored when this step is undone.
            Ok(()) => Err(EmitError::Changed(path)),
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                // The old file goes aside first, so that the new one overwrites nothing.
                disk::rename(&path, &temp.old).map_err(EmitError::io("replace", &path))?;
                let is_free = has_content_of(&temp.old, source)? && undo::move_unless_taken(&temp.new, &path)?;
                if is_free { Ok(()) } else { Err(EmitError::Changed(path)) }
            }
            Err(error) => Err(EmitError::io("replace", &path)(error)),
        }
    }

    /// Creates the missing folders above a path. Fails if something else is in the way, such as a symbolic link, which could
    /// lead out of the course.
    fn folders(&mut self, path: &Path) -> Result<(), EmitError> {
        let below_root = path.ancestors().skip(1).take_while(|folder| *folder != self.root);
        let above: Vec<&Path> = below_root.filter(|folder| !folder.as_os_str().is_empty()).collect();
        for folder in above.into_iter().rev() {
            match disk::find(folder).map_err(EmitError::io("use", folder))? {
                Some(found) if found.is_dir() => {}
                Some(_) => return Err(EmitError::io("create files in", folder)(io::ErrorKind::NotADirectory.into())),
                None => {
                    let below = folder.strip_prefix(self.root).unwrap_or(folder);
                    self.begin(Step::Folder { path: below.to_string_lossy().into_owned() })?;
                    disk::create_dir(folder).map_err(EmitError::io("create", folder))?;
                }
            }
        }
        Ok(())
    }

    /// Undoes all steps after a failure, and returns that failure.
    fn roll_back(mut self, error: EmitError) -> EmitError {
        let undone = undo::undo(self.root, &self.steps, &mut self.journal).and_then(|_left| self.journal.remove());
        if undone.is_ok() { error } else { EmitError::HalfDone(Box::new(error)) }
    }

    /// Deletes the temporary files and the journal, which says that all is done. What cannot be deleted now, the next change
    /// deletes.
    fn commit(self) {
        if undo::clean_up(self.root, &self.steps).is_ok() {
            let _ = self.journal.remove();
        }
    }
}

/// Makes the folders down to the course's root, and returns those that were not there.
fn make_root(root: &Path) -> Result<Vec<PathBuf>, EmitError> {
    let mut missing = Vec::new();
    for folder in root.ancestors().take_while(|folder| !folder.as_os_str().is_empty()) {
        if disk::find(folder).map_err(EmitError::io("use", folder))?.is_some() {
            break;
        }
        missing.push(folder);
    }
    let mut made = Vec::new();
    for folder in missing.into_iter().rev() {
        if let Err(error) = disk::create_dir(folder) {
            remove_folders(&made);
            return Err(EmitError::io("create", folder)(error));
        }
        made.push(folder.to_owned());
    }
    Ok(made)
}

/// Removes folders that were made, as far as they are empty, the last first.
fn remove_folders(made: &[PathBuf]) {
    for folder in made.iter().rev() {
        let _ = disk::remove_dir(folder);
    }
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
    if !found.is_file() {
        return Err(EmitError::Changed(path.to_owned()));
    }
    if found.permissions().readonly() {
        return Err(EmitError::ReadOnly(path.to_owned()));
    }
    if has_content_of(path, source)? { Ok(found.permissions()) } else { Err(EmitError::Changed(path.to_owned())) }
}

/// Whether the file at `path` contains exactly what was read.
fn has_content_of(path: &Path, source: &Source) -> Result<bool, EmitError> {
    let read = || match disk::find(path)? {
        Some(found) if found.is_file() => Ok(disk::read(path)? == source.text().as_bytes()),
        _ => Ok(false),
    };
    read().map_err(EmitError::io("read", path))
}

/// Writes the temporary file `new`, which later replaces `path`. If that fails, it is deleted. Errors name `path`, because the
/// user knows that file.
pub(super) fn write(new: &Path, path: &Path, bytes: &[u8], permissions: Option<&Permissions>) -> Result<(), EmitError> {
    let mut file = File::create_new(new).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => EmitError::io("write", new)(error),
        _ => EmitError::io("write", path)(error),
    })?;
    let written =
        file.write_all(bytes).and_then(|()| permissions.map_or(Ok(()), |of| file.set_permissions(of.clone())));
    written.map_err(|error| {
        let _ = disk::remove_file(new);
        EmitError::io("write", path)(error)
    })
}

/// Moves a file or folder; fails with [`EmitError::Exists`] if something is at `to`.
fn move_new(from: &Path, to: &Path) -> Result<(), EmitError> {
    match disk::rename_new(from, to) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(EmitError::Exists(to.to_owned())),
        done => done.map_err(EmitError::io("move", from)),
    }
}
