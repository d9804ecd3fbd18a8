//! The journal: a file in the course's root that holds a line for each step that a command has begun, so that the next
//! command can undo them if this one is killed. It is there only while a command changes the course.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::super::EmitError;
use super::super::lock::lock;
use crate::disk::{self, File, TryLockError};

/// Its name, which no file of a course has: it begins with a dot.
pub(super) const NAME: &str = ".infralens-change";

/// The first line, which identifies a journal. It must stay the same, so that a newer version can undo what an older one
/// began.
const HEAD: &str = "# infralens is changing this course; if it was killed, `infralens sync` takes the changes back";

/// A line of the journal.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Line {
    /// A step is begun.
    Step(Step),
    /// Only so many steps are left, because those after them have been undone.
    Left(usize),
    /// All changes are made, and only the temporary files are left to be deleted.
    Done,
}

/// One step of a change. Paths are from the root, with `/`; texts are known by their hashes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Step {
    /// A folder is created.
    Folder { path: String },
    /// A file is created.
    Create { path: String, new: String },
    /// A file gets another text.
    Replace { path: String, old: String, new: String },
    /// A file or folder is moved to where nothing was.
    Rename { from: String, to: String },
}

/// The contents of a journal.
#[derive(Debug, Default)]
pub(super) struct Begun {
    pub(super) steps: Vec<Step>,
    pub(super) is_done: bool,
    /// Whether nothing was ever written to it.
    pub(super) is_new: bool,
}

/// The journal of a course, locked until it is dropped.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    /// Whether the last line may be incomplete (a torn write), so that the next line must begin with a line end.
    is_torn: bool,
}

impl Journal {
    /// Opens the journal of the course at `root`, which is created where it is missing.
    pub(super) fn open(root: &Path) -> Result<Self, EmitError> {
        let path = root.join(NAME);
        is_there(root)?;
        let file = lock(&path, || Ok(()), || ())?.ok_or_else(|| EmitError::Changing(root.to_owned()))?;
        Ok(Self { path, file, is_torn: true })
    }

    /// Reads what was begun before.
    pub(super) fn read(&self) -> Result<Begun, EmitError> {
        let text = disk::read(&self.path).map_err(EmitError::io("read", &self.path))?;
        parse(&text).ok_or_else(|| EmitError::ForeignJournal(self.path.clone()))
    }

    /// Writes the first line of a journal in which nothing is.
    pub(super) fn begin(&mut self) -> Result<(), EmitError> {
        self.is_torn = false;
        self.write(HEAD)
    }

    /// Notes that `step` is begun.
    pub(super) fn note(&mut self, step: &Step) -> Result<(), EmitError> {
        self.add(&Line::Step(step.clone()))
    }

    /// Notes that only the first `steps` are left to be undone.
    pub(super) fn note_left(&mut self, steps: usize) -> Result<(), EmitError> {
        self.add(&Line::Left(steps))
    }

    /// Notes that all steps are made.
    pub(super) fn finish(&mut self) -> Result<(), EmitError> {
        self.add(&Line::Done)
    }

    fn add(&mut self, line: &Line) -> Result<(), EmitError> {
        let line = serde_json::to_string(line).map_err(|error| EmitError::io("write", &self.path)(error.into()))?;
        self.write(&line)
    }

    fn write(&mut self, line: &str) -> Result<(), EmitError> {
        let before = if self.is_torn { "\n" } else { "" };
        let written = self.file.write_all(format!("{before}{line}\n").as_bytes());
        self.is_torn = written.is_err();
        written.map_err(EmitError::io("write", &self.path))
    }

    /// Deletes the journal.
    pub(super) fn remove(self) -> Result<(), EmitError> {
        disk::remove_file(&self.path).map_err(EmitError::io("delete", &self.path))
    }
}

/// Whether the course at `root` has a journal; refuses something else of that name.
pub(super) fn is_there(root: &Path) -> Result<bool, EmitError> {
    let path = root.join(NAME);
    match disk::find(&path).map_err(EmitError::io("read", &path))? {
        None => Ok(false),
        Some(found) if found.is_file() => Ok(true),
        Some(_) => Err(EmitError::ForeignJournal(path)),
    }
}

/// Whether the journal lists steps, and no running command holds its lock.
pub(super) fn is_interrupted(root: &Path) -> io::Result<bool> {
    let path = root.join(NAME);
    if !disk::find(&path)?.is_some_and(|found| found.is_file()) {
        return Ok(false);
    }
    let begun = parse(&disk::read(&path)?).unwrap_or_default();
    if begun.is_done || begun.steps.is_empty() {
        return Ok(false);
    }
    Ok(!matches!(File::open(&path)?.try_lock(), Err(TryLockError::WouldBlock)))
}

/// Reads the lines; `None` if the file is something else. A line without an end was being written when its command was
/// killed or the disk was full: that step was not begun.
fn parse(text: &[u8]) -> Option<Begun> {
    let text = std::str::from_utf8(text).ok()?;
    let mut begun = Begun { is_new: text.is_empty(), ..Begun::default() };
    let Some(lines) = text.strip_prefix(HEAD).and_then(|rest| rest.strip_prefix('\n')) else {
        return HEAD.starts_with(text.trim_end()).then_some(begun);
    };
    for line in lines.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')) {
        match serde_json::from_str(line) {
            Ok(Line::Step(step)) => begun.steps.push(step),
            Ok(Line::Left(steps)) => begun.steps.truncate(steps),
            Ok(Line::Done) => begun.is_done = true,
            Err(_) => {}
        }
    }
    Some(begun)
}
