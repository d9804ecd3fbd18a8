//! Undoes the steps of a change that were made. The contents of the disk determine what is to be done, so an undo that was
//! itself interrupted can be repeated. A file that an author has changed since then is left unchanged.

use std::io;
use std::path::{Path, PathBuf};

use super::super::EmitError;
use super::super::target::identity;
use super::journal::{Journal, Step};
use super::move_new;
use crate::disk;

/// The paths of two temporary files, in the same folder as the file that is changed. Their names begin with a dot, so no
/// file of a course has them.
pub(super) struct TempFiles {
    /// Has the new text; after an exchange, it is the old file.
    pub(super) new: PathBuf,
    /// Is the old file if two files cannot be exchanged; during an undo, a file that was moved out of the way.
    pub(super) old: PathBuf,
}

impl TempFiles {
    /// Returns the paths for a step, which is identified by its number because several steps may change one file.
    pub(super) fn of(path: &Path, step: usize) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let temp = |end: &str| path.with_file_name(format!(".{name}.{step}.infralens-{end}"));
        Self { new: temp("new"), old: temp("old") }
    }

    fn delete(&self) -> Result<(), EmitError> {
        delete(&self.new)?;
        delete(&self.old)
    }
}

/// Returns the hash that identifies a text in the journal.
pub(super) fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// Undoes `steps`, beginning with the last, and returns the files that were left unchanged because an author has changed
/// them since then. Stops at the first failure, because a step can be undone only after all later ones.
///
/// Each step that was undone is noted in the journal, so that it is not undone again after the next kill. If the disk is
/// full and the note cannot be written, undoing the step again does no harm.
pub(super) fn undo(root: &Path, steps: &[Step], journal: &mut Journal) -> Result<Vec<String>, EmitError> {
    let mut left = Vec::new();
    for (number, step) in steps.iter().enumerate().rev() {
        let (path, is_as_before) = match step {
            Step::Folder { path } => (path, remove_folder(&root.join(path))?),
            Step::Create { path, new } => (path, remove_new(&root.join(path), number, new)?),
            Step::Replace { path, old, new } => (path, restore(&root.join(path), number, old, new)?),
            Step::Rename { from, to } => (to, move_back(&root.join(from), &root.join(to))?),
        };
        if !is_as_before {
            left.push(path.clone());
        }
        let _ = journal.note_left(number);
    }
    Ok(left)
}

/// Deletes the temporary files of `steps`, in the folder in which they were created and in the one to which later steps
/// have moved them.
pub(super) fn clean_up(root: &Path, steps: &[Step]) -> Result<(), EmitError> {
    for (number, step) in steps.iter().enumerate() {
        if let Step::Create { path, .. } | Step::Replace { path, .. } = step {
            TempFiles::of(&root.join(path), number).delete()?;
            let moved = moved(Path::new(path), &steps[number..]);
            if moved != Path::new(path) {
                TempFiles::of(&root.join(moved), number).delete()?;
            }
        }
    }
    Ok(())
}

/// Returns where `path` is after `steps`, if these do not rename the file itself but may move a folder above it.
fn moved(path: &Path, steps: &[Step]) -> PathBuf {
    let name = path.file_name().unwrap_or_default();
    let mut folder = path.parent().unwrap_or(Path::new("")).to_owned();
    for step in steps {
        if let Step::Rename { from, to } = step
            && let Ok(below) = folder.strip_prefix(from)
        {
            folder = Path::new(to).join(below);
        }
    }
    folder.join(name)
}

fn delete(path: &Path) -> Result<(), EmitError> {
    match disk::remove_file(path) {
        Err(error) if is_missing(&error) => Ok(()),
        done => done.map_err(EmitError::io("delete", path)),
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Removes a folder that was created, unless somebody has put something into it. Returns whether it is gone.
fn remove_folder(path: &Path) -> Result<bool, EmitError> {
    match disk::remove_dir(path) {
        Err(error) if is_missing(&error) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(false),
        done => done.map(|()| true).map_err(EmitError::io("delete", path)),
    }
}

/// Removes the file at `path` if this program wrote it, and returns whether it did. The file is first moved to `aside` and
/// checked there again, so that a file saved in the meantime is moved back, unless a newer one is already at `path`.
fn remove_ours(
    path: &Path,
    aside: &Path,
    is_ours: impl Fn(&Path) -> Result<bool, EmitError>,
) -> Result<bool, EmitError> {
    if !is_ours(path)? {
        return Ok(false);
    }
    disk::rename(path, aside).map_err(EmitError::io("delete", path))?;
    let was_ours = is_ours(aside)?;
    if !was_ours {
        move_unless_taken(aside, path)?;
    }
    delete(aside)?;
    Ok(was_ours)
}

/// Moves a file to `path` if nothing is there, and returns whether it did.
pub(super) fn move_unless_taken(from: &Path, path: &Path) -> Result<bool, EmitError> {
    match move_new(from, path) {
        Err(EmitError::Exists(_)) => Ok(false),
        done => done.map(|()| true),
    }
}

/// Removes a file that was created, and returns whether it is gone. It is the same file as the temporary one that it was
/// linked from, if that still exists.
fn remove_new(path: &Path, step: usize, new: &str) -> Result<bool, EmitError> {
    let temp = TempFiles::of(path, step);
    if hash_at(&temp.old)?.is_some() {
        // An undo that was killed has moved it there.
        move_unless_taken(&temp.old, path)?;
    }
    let file = |at: &Path| identity(at).map_err(EmitError::io("read", at));
    let twin = file(&temp.new)?;
    let is_ours = |at: &Path| Ok(hash_at(at)?.as_deref() == Some(new) && (twin.is_none() || twin == file(at)?));
    let is_gone = hash_at(path)?.is_none() || remove_ours(path, &temp.old, is_ours)?;
    temp.delete()?;
    Ok(is_gone)
}

/// Restores the file that was replaced, and returns whether its old text is there again. If an author saved the file just
/// before the exchange, restores what the author saved.
fn restore(path: &Path, step: usize, old: &str, new: &str) -> Result<bool, EmitError> {
    let temp = TempFiles::of(path, step);
    let found = hash_at(path)?;
    let mut is_old = found.as_deref() == Some(old);
    if !is_old && found.as_deref().is_none_or(|text| text == new) {
        let (files, texts) = ([&temp.new, &temp.old], [hash_at(&temp.new)?, hash_at(&temp.old)?]);
        // A text that is neither the old nor the new one was saved by an author, and is newer than the old one.
        let saved = texts.iter().position(|text| text.as_deref().is_some_and(|text| text != old && text != new));
        if let Some(kept) = saved.or_else(|| texts.iter().position(|text| text.as_deref() == Some(old))) {
            let is_ours = |at: &Path| Ok(hash_at(at)?.as_deref() == Some(new));
            let is_free = found.is_none() || remove_ours(path, files[1 - kept], is_ours)?;
            is_old = is_free && move_unless_taken(files[kept], path)? && saved.is_none();
        }
    }
    temp.delete()?;
    Ok(is_old)
}

/// Moves a file or folder back if it was moved, and returns whether it is at its old path.
fn move_back(from: &Path, to: &Path) -> Result<bool, EmitError> {
    let is_there = |path: &Path| disk::find(path).map(|found| found.is_some()).map_err(EmitError::io("read", path));
    if is_there(from)? {
        return Ok(true);
    }
    if !is_there(to)? {
        return Ok(false);
    }
    move_new(to, from).map(|()| true)
}

/// Returns the hash of the file at `path`; `None` if there is no file.
fn hash_at(path: &Path) -> Result<Option<String>, EmitError> {
    match disk::read(path) {
        Ok(bytes) => Ok(Some(hash(&bytes))),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(EmitError::io("read", path)(error)),
    }
}
