//! The errors of writing: one short message that names the path, and help where there is any.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A refusal, or an error of the system. Unless a variant says otherwise, the output, or the course, is unchanged.
#[derive(Debug, Error)]
pub enum EmitError {
    /// A path of the site is not possible in any output folder, for a reason that is a clause.
    #[error("`{}` cannot be a file of the site: {}", .0.escape_debug(), .1)]
    UnsafePath(String, &'static str),
    /// The output, or a folder above it, is something else than a folder.
    #[error("`{}` is {}, not a folder", .0.display(), .1)]
    NotAFolder(PathBuf, &'static str),
    /// The output is not empty and has no valid manifest.
    #[error("`{}` is not empty and was not written by InfraLens", .0.display())]
    NotOurs(PathBuf),
    /// The output is a site with marked changes, and an ordinary one was to be written; or the other way around.
    #[error("`{}` is another kind of site: `build` and `diff` do not replace each other's", .0.display())]
    OtherKind(PathBuf),
    /// The output is the course's root or one of its parents.
    #[error("`{}` is the course's own folder or contains it", .0.display())]
    HoldsCourse(PathBuf),
    /// The output is in one of the folders that the course is made from.
    #[error("`{}` is in the course's `{}/`", .0.display(), .1)]
    InSources(PathBuf, &'static str),
    /// The folder in which the output would be created or replaced cannot be written to.
    #[error("`{}` is not writable: {}", .0.display(), .1)]
    NotWritable(PathBuf, #[source] io::Error),
    /// The system does not allow moving a folder.
    #[error("`{}` is a mount point, or the system cannot move it", .0.display())]
    Immovable(PathBuf),
    /// The folder with the name of the stage is not a stage.
    #[error("`{}` is in the way: it was not written by InfraLens", .0.display())]
    ForeignStage(PathBuf),
    /// Another build has locked the stage.
    #[error("another build is writing `{}`", .0.display())]
    Busy(PathBuf),
    /// Something in the output that is not ours has the path of a file or folder of the site.
    #[error("`{}` was not written by InfraLens, and the site needs its place", .0.display())]
    Foreign(PathBuf),
    /// A file of the course has changed since it was read.
    #[error("`{}` has changed since it was read", .0.display())]
    Changed(PathBuf),
    /// A file of the course that is to be changed is marked read-only.
    #[error("`{}` is read-only", .0.display())]
    ReadOnly(PathBuf),
    /// Something exists at the path of a file that was to be created.
    #[error("`{}` exists already", .0.display())]
    Exists(PathBuf),
    /// Another command is changing the course.
    #[error("another command is changing the course in `{}`", .0.display())]
    Changing(PathBuf),
    /// The new site is in place, but not all of the old one could be deleted, for this reason.
    #[error(transparent)]
    LeftOver(Box<Self>),
    /// A change failed for this reason, after others had been made.
    #[error(transparent)]
    HalfDone(Box<Self>),
    /// The system failed to do something, which is a verb, to a file or folder.
    #[error("cannot {} `{}`: {}", .0, .1.display(), .2)]
    Io(&'static str, PathBuf, #[source] io::Error),
}

impl EmitError {
    /// Returns what the user can do about it.
    pub fn help(&self) -> Option<String> {
        let help = match self {
            Self::UnsafePath(..) => return None,
            Self::NotAFolder(..) | Self::HoldsCourse(_) | Self::InSources(..) => {
                "name a folder of its own for the site, such as `public`"
            }
            Self::NotOurs(_) | Self::OtherKind(_) => "name a new or an empty folder, or empty this one yourself",
            Self::NotWritable(..) => {
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
            Self::Io(.., source) => match source.kind() {
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
        move |source| Self::Io(doing, path.to_owned(), source)
    }

    /// Makes an error of a failed step of a walk.
    pub(super) fn walk((path, source): (PathBuf, io::Error)) -> Self {
        Self::Io("read", path, source)
    }
}
