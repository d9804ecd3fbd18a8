//! Where a course stands on disk: whether a folder is still the one that it was.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::disk;
use crate::project::FOLDERS;

/// The root with all links resolved, and which of the course's folders are there. Two of them are equal if no folder was
/// replaced by another one, was made, or went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The root's own path.
    pub root: PathBuf,
    identity: Identity,
    folders: [Option<Identity>; FOLDERS.len()],
}

/// Device, inode, and the time of birth in nanoseconds: a folder that is made anew often gets the inode of the old one.
type Identity = (u64, u64, Option<u128>);

impl Standing {
    /// Where the course at `root` stands. Nothing if `root` leads to no folder.
    #[must_use]
    pub fn of(root: &Path) -> Option<Self> {
        let root = disk::canonicalize(root).ok()?;
        let identity = identity(&root)?;
        let folders = FOLDERS.map(|folder| self::identity(&root.join(folder)));
        Some(Self { root, identity, folders })
    }

    /// The course's folders that are there, links left out.
    pub fn folders(&self) -> impl Iterator<Item = PathBuf> {
        let there = FOLDERS.iter().zip(&self.folders).filter(|(_, identity)| identity.is_some());
        there.map(|(folder, _)| self.root.join(folder))
    }
}

/// Of a folder; nothing if there is none, or something else.
fn identity(path: &Path) -> Option<Identity> {
    let metadata = disk::symlink_metadata(path).ok().filter(disk::Metadata::is_dir)?;
    let born = metadata.created().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    Some((metadata.dev(), metadata.ino(), born.map(|born| born.as_nanos())))
}
