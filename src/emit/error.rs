//! Why a site was not written: one terse message that names the path, and a line of help where there is one.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A refusal, or a failure of the system. Where a variant says nothing else, the old output, or the course, is as it was.
#[derive(Debug)]
pub enum EmitError {
    /// A path of the site that no output folder can hold.
    UnsafePath {
        /// The path as the site has it.
        path: String,
        /// What is wrong with it, as half a sentence.
        why: &'static str,
    },
    /// The output, or a folder above it, is something else.
    NotAFolder {
        /// Where.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// The output is not empty and has no valid manifest.
    NotOurs(PathBuf),
    /// The output is the course's root or one of its parents.
    HoldsCourse(PathBuf),
    /// The output lies in what the course is made from.
    InSources {
        /// The output.
        path: PathBuf,
        /// The folder of the course that it lies in.
        folder: &'static str,
    },
    /// The folder in which the output would be created or replaced cannot be written to.
    NotWritable {
        /// That folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A folder that the system does not let be moved.
    Immovable(PathBuf),
    /// A folder of the stage's name that is not a stage.
    ForeignStage(PathBuf),
    /// Another build holds the stage.
    Busy(PathBuf),
    /// Something in the output that is not ours stands where the site has a file or a folder.
    Foreign(PathBuf),
    /// A file of the course is not as it was read.
    Changed(PathBuf),
    /// A file of the course that is to be changed is marked read-only.
    ReadOnly(PathBuf),
    /// Something stands where a file of the course was to be created.
    Exists(PathBuf),
    /// Another command is changing the course.
    Changing(PathBuf),
    /// A command that changed the course was killed, and its changes have not been taken back yet.
    Interrupted(PathBuf),
    /// A file of the journal's name that is not a journal.
    ForeignJournal(PathBuf),
    /// The new site is in place, but not all of the old one could be deleted, for this reason.
    LeftOver(Box<Self>),
    /// A change failed for this reason, and some of the changes before it could not be taken back.
    HalfDone(Box<Self>),
    /// The system failed.
    Io {
        /// What was tried, as a verb.
        doing: &'static str,
        /// On what.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

impl EmitError {
    /// What the reader can do about it.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        let help = match self {
            Self::UnsafePath { .. } => return None,
            Self::NotAFolder { .. } | Self::HoldsCourse(_) | Self::InSources { .. } => {
                "name a folder of its own for the site, such as `-o public`"
            }
            Self::NotOurs(_) => "name a new or an empty folder with `-o DIR`, or empty this one yourself",
            Self::NotWritable { .. } => {
                "the site is laid out beside the output folder, so the folder above it must be writable"
            }
            Self::Immovable(_) => "name a folder inside it with `-o DIR`; if it is not a mount point, delete it first",
            Self::ForeignStage(_) => "the site is laid out in a folder of this name: move what is there away",
            Self::Busy(_) | Self::Changing(_) => "wait until it is done",
            Self::Foreign(_) => "move it out of the output folder; a file that belongs to the site goes into `static/`",
            Self::Changed(_) => "your version was left as it is, and nothing else was changed: run the command again",
            Self::ReadOnly(_) => "make it writable; nothing was changed",
            Self::Exists(_) => "nothing is overwritten, and nothing was changed: choose another name, or move it away",
            Self::Interrupted(_) => "run the command again: it takes the changes of the other one back first",
            Self::ForeignJournal(_) => {
                "a file of this name is needed while the files of the course are changed: move it away"
            }
            Self::LeftOver(_) => "the new site is in place; the next build deletes what is left of the old one",
            Self::HalfDone(_) => "some of the changes could not be taken back; `infralens sync` tries that again first",
            Self::Io { source, .. } => match source.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                    "make room and run the command again; what was there is as it was"
                }
                _ => return None,
            },
        };
        Some(help.to_owned())
    }

    /// For `map_err`: the system failed at `doing` something to `path`.
    pub(super) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { doing, path: path.to_owned(), source }
    }

    /// A failed step of a walk.
    pub(super) fn walk((path, source): (PathBuf, io::Error)) -> Self {
        Self::Io { doing: "read", path, source }
    }
}

impl fmt::Display for EmitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnsafePath { path, why } => {
                write!(f, "`{}` cannot be a file of the site: {why}", path.escape_debug())
            }
            Self::NotAFolder { path, what } => write!(f, "`{}` is {what}, not a folder", path.display()),
            Self::NotOurs(path) => write!(f, "`{}` is not empty and was not written by InfraLens", path.display()),
            Self::HoldsCourse(path) => write!(f, "`{}` is the course's own folder or holds it", path.display()),
            Self::InSources { path, folder } => write!(f, "`{}` lies in the course's `{folder}/`", path.display()),
            Self::NotWritable { path, source } => write!(f, "`{}` is not writable: {source}", path.display()),
            Self::Immovable(path) => write!(f, "`{}` is a mount point, or the system cannot move it", path.display()),
            Self::ForeignStage(path) | Self::ForeignJournal(path) => {
                write!(f, "`{}` is in the way: it was not written by InfraLens", path.display())
            }
            Self::Busy(path) => write!(f, "another build is writing `{}`", path.display()),
            Self::Foreign(path) => {
                write!(f, "`{}` was not written by InfraLens, and the site needs its place", path.display())
            }
            Self::Changed(path) => write!(f, "`{}` has changed since it was read", path.display()),
            Self::ReadOnly(path) => write!(f, "`{}` is read-only", path.display()),
            Self::Exists(path) => write!(f, "`{}` exists already", path.display()),
            Self::Changing(path) => write!(f, "another command is changing the course in `{}`", path.display()),
            Self::Interrupted(path) => {
                write!(f, "a command that changed the course in `{}` was killed", path.display())
            }
            Self::LeftOver(why) | Self::HalfDone(why) => why.fmt(f),
            Self::Io { doing, path, source } => write!(f, "cannot {doing} `{}`: {source}", path.display()),
        }
    }
}

impl std::error::Error for EmitError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } | Self::NotWritable { source, .. } => Some(source),
            Self::LeftOver(why) | Self::HalfDone(why) => why.source(),
            _ => None,
        }
    }
}
