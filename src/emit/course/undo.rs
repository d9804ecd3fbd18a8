//! Takes steps of a change back, each as far as it was made. What is on disk decides, so that this can be done again after
//! it was interrupted itself; a file that an author has changed since is left as it is.

use std::io;
use std::path::{Path, PathBuf};

use super::super::EmitError;
use super::super::target::identity;
use super::journal::{Journal, Step};
use super::move_to;
use crate::disk;

/// The answer to a question that is asked of the disk.
type Judged = Result<bool, EmitError>;

/// The names that a file has beside its own while it is changed. They begin with a dot, so no file of a course has them.
pub(super) struct Beside {
    /// Holds the new text; after an exchange, the old file.
    pub(super) new: PathBuf,
    /// Holds the old file where there is no exchange; what is moved aside while a change is taken back.
    pub(super) old: PathBuf,
}

impl Beside {
    /// Those for the step number `step`: there may be several for one path.
    pub(super) fn of(path: &Path, step: usize) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let beside = |end: &str| path.with_file_name(format!(".{name}.{step}.infralens-{end}"));
        Self { new: beside("new"), old: beside("old") }
    }

    fn delete(&self) -> Result<(), EmitError> {
        delete(&self.new)?;
        delete(&self.old)
    }
}

/// Names a text in the journal.
pub(super) fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// Takes `steps` back, the last first, and returns the files that were left because they have changed since. The first
/// failure ends it: a step can only be taken back when those after it are.
///
/// What is taken back is noted, so that it is not tried again after the next kill. On a full disk that cannot be noted;
/// trying again is then harmless, as far as what is on disk tells.
pub(super) fn take_back(root: &Path, steps: &[Step], journal: &mut Journal) -> Result<Vec<String>, EmitError> {
    let mut left = Vec::new();
    for (number, step) in steps.iter().enumerate().rev() {
        let (path, is_as_before) = match step {
            Step::Folder { path } => (path, remove_folder(&root.join(path))?),
            Step::Create { path, new } => (path, remove_new(&root.join(path), number, new)?),
            Step::Replace { path, old, new } => (path, put_old_back(&root.join(path), number, old, new)?),
            Step::Rename { from, to } => (to, move_back(&root.join(from), &root.join(to))?),
        };
        if !is_as_before {
            left.push(path.clone());
        }
        let _ = journal.note_left(number);
    }
    Ok(left)
}

/// Deletes what stayed beside the files of `steps`, where it was made and where later steps have moved it.
pub(super) fn clean_up(root: &Path, steps: &[Step]) -> Result<(), EmitError> {
    for (number, step) in steps.iter().enumerate() {
        if let Step::Create { path, .. } | Step::Replace { path, .. } = step {
            Beside::of(&root.join(path), number).delete()?;
            let moved = moved(Path::new(path), &steps[number..]);
            if moved != Path::new(path) {
                Beside::of(&root.join(moved), number).delete()?;
            }
        }
    }
    Ok(())
}

/// Where a file beside `path` is after `steps`, some of which may move a folder that it is in.
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

/// Removes a folder that was created, unless somebody put something into it.
fn remove_folder(path: &Path) -> Result<bool, EmitError> {
    match disk::remove_dir(path) {
        Err(error) if is_missing(&error) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(false),
        done => done.map(|()| true).map_err(EmitError::io("delete", path)),
    }
}

/// Removes the file at `path` if it is ours, and returns whether it was. It is moved aside before that is judged for good,
/// so that what somebody saves in the meantime goes back, unless something newer is there already.
fn remove_ours(path: &Path, aside: &Path, is_ours: impl Fn(&Path) -> Judged) -> Judged {
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

/// Moves a file to `path`, and returns whether nothing was there.
pub(super) fn move_unless_taken(from: &Path, path: &Path) -> Result<bool, EmitError> {
    match move_to(from, path) {
        Err(EmitError::Exists(_)) => Ok(false),
        done => done.map(|()| true),
    }
}

/// Removes a file that was created: it is the one beside it, or the one that was there.
fn remove_new(path: &Path, step: usize, new: &str) -> Result<bool, EmitError> {
    let beside = Beside::of(path, step);
    if text_at(&beside.old)?.is_some() {
        // It was moved aside by a command that was killed then.
        move_unless_taken(&beside.old, path)?;
    }
    let file = |at: &Path| identity(at).map_err(EmitError::io("read", at));
    let twin = file(&beside.new)?;
    let is_ours = |at: &Path| Ok(text_at(at)?.as_deref() == Some(new) && (twin.is_none() || twin == file(at)?));
    let is_gone = text_at(path)?.is_none() || remove_ours(path, &beside.old, is_ours)?;
    beside.delete()?;
    Ok(is_gone)
}

/// Puts the file back that is beside its old place: the old one, or one that an author had saved just before the exchange.
fn put_old_back(path: &Path, step: usize, old: &str, new: &str) -> Result<bool, EmitError> {
    let beside = Beside::of(path, step);
    let found = text_at(path)?;
    let mut is_old = found.as_deref() == Some(old);
    if !is_old && found.as_deref().is_none_or(|text| text == new) {
        let (files, texts) = ([&beside.new, &beside.old], [text_at(&beside.new)?, text_at(&beside.old)?]);
        // A text that is neither was saved by an author, and is the newer one.
        let saved = texts.iter().position(|text| text.as_deref().is_some_and(|text| text != old && text != new));
        if let Some(kept) = saved.or_else(|| texts.iter().position(|text| text.as_deref() == Some(old))) {
            let is_ours = |at: &Path| Ok(text_at(at)?.as_deref() == Some(new));
            let is_free = found.is_none() || remove_ours(path, files[1 - kept], is_ours)?;
            is_old = is_free && move_unless_taken(files[kept], path)? && saved.is_none();
        }
    }
    beside.delete()?;
    Ok(is_old)
}

/// Moves a file or folder back, if it was moved.
fn move_back(from: &Path, to: &Path) -> Result<bool, EmitError> {
    let is_there = |path: &Path| disk::find(path).map(|found| found.is_some()).map_err(EmitError::io("read", path));
    if is_there(from)? {
        return Ok(true);
    }
    if !is_there(to)? {
        return Ok(false);
    }
    move_to(to, from).map(|()| true)
}

/// The hash of the file at `path`; `None` if there is none.
fn text_at(path: &Path) -> Result<Option<String>, EmitError> {
    match disk::read(path) {
        Ok(bytes) => Ok(Some(hash(&bytes))),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(EmitError::io("read", path)(error)),
    }
}
