//! The errors of writing: one short message that names the path, and help where there is any.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A refusal, or an error of the system. Unless a variant says otherwise, the output, or the course, is unchanged.
#[derive(Debug)]
pub enum EmitError {
    /// A path of the site is not possible in any output folder.
    UnsafePath {
        /// The path as the site has it.
        path: String,
        /// What is wrong with it, as a clause.
        why: &'static str,
    },
    /// The output, or a folder above it, is not a folder.
    NotAFolder {
        /// The path.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// The output is not empty and has no valid manifest.
    NotOurs(PathBuf),
    /// The output is the course's root or one of its parents.
    HoldsCourse(PathBuf),
    /// The output is in one of the folders that the course is made from.
    InSources {
        /// The output.
        path: PathBuf,
        /// The folder of the course.
        folder: &'static str,
    },
    /// The folder in which the output would be created or replaced cannot be written to.
    NotWritable {
        /// That folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The system does not allow moving a folder.
    Immovable(PathBuf),
    /// The folder with the name of the stage is not a stage.
    ForeignStage(PathBuf),
    /// Another build has locked the stage.
    Busy(PathBuf),
    /// Something in the output that is not ours has the path of a file or folder of the site.
    Foreign(PathBuf),
    /// A file of the course has changed since it was read.
    Changed(PathBuf),
    /// A file of the course that is to be changed is marked read-only.
    ReadOnly(PathBuf),
    /// Something exists at the path of a file that was to be created.
    Exists(PathBuf),
    /// Another command is changing the course.
    Changing(PathBuf),
    /// The new site is in place, but not all of the old one could be deleted, for this reason.
    LeftOver(Box<Self>),
    /// A change failed for this reason, after others had been made.
    HalfDone(Box<Self>),
    /// The system failed.
    Io {
        /// What failed, as a verb.
        doing: &'static str,
        /// The path of the file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

impl EmitError {
    /// Returns what the user can do about it.
    pub fn help(&self) -> Option<String> {
        let help = match self {
            Self::UnsafePath { .. } => return None,
            Self::NotAFolder { .. } | Self::HoldsCourse(_) | Self::InSources { .. } => {
                "name a folder of its own for the site, such as `public`"
            }
            Self::NotOurs(_) => "name a new or an empty folder, or empty this one yourself",
            Self::NotWritable { .. } => {
                "the site is prepared next to the output folder, so the folder above it must be writable"
            }
            Self::Immovable(_) => "name a folder inside it; if it is not a mount point, delete it first",
            Self::ForeignStage(_) => "the site is prepared in a folder of this name: move what is there away",
            Self::Busy(_) | Self::Changing(_) => "wait until it is done",
            Self::Foreign(_) => "move it out of the output folder; a file that belongs to the site goes into `static/`",
            Self::Changed(_) => "your version was left as it is, and nothing else was changed: run the command again",
            Self::ReadOnly(_) => "make it writable; nothing was changed",
            Self::Exists(_) => "nothing is overwritten, and nothing was changed: choose another name, or move it away",
            Self::LeftOver(_) => "the new site is in place; the next build deletes what is left of the old one",
            Self::HalfDone(_) => "some of the changes were made: run the command again, and it makes the others",
            Self::Io { source, .. } => match source.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                    "free some space and run the command again; nothing was changed"
                }
                _ => return None,
            },
        };
        Some(help.to_owned())
    }

    /// Returns a function for `map_err` that makes an error of `doing` something to `path`.
    pub(super) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { doing, path: path.to_owned(), source }
    }

    /// Makes an error of a failed step of a walk.
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
            Self::HoldsCourse(path) => write!(f, "`{}` is the course's own folder or contains it", path.display()),
            Self::InSources { path, folder } => write!(f, "`{}` is in the course's `{folder}/`", path.display()),
            Self::NotWritable { path, source } => write!(f, "`{}` is not writable: {source}", path.display()),
            Self::Immovable(path) => write!(f, "`{}` is a mount point, or the system cannot move it", path.display()),
            Self::ForeignStage(path) => {
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
