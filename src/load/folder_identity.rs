//! Identifies the folders of a course on disk, to detect that one was replaced by another.

use std::path::{Path, PathBuf};

use crate::disk;
use infralens_source::project::FOLDERS;

/// The identity of a course's root and folders. Two of these are equal if no folder was replaced, created or removed
/// in between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderIdentity {
    /// The path of the root, with all links resolved.
    pub root: PathBuf,
    root_id: Id,
    folders: [Option<Id>; FOLDERS.len()],
}

/// What the system identifies it by, and the creation time in nanoseconds, because a new folder often gets the inode of a deleted one.
type Id = ((u64, u64), Option<u128>);

impl FolderIdentity {
    /// Returns the identity of the course at `root`, or `None` if `root` is not a folder.
    pub fn of(root: &Path) -> Option<Self> {
        let root = disk::canonicalize(root).ok()?;
        let root_id = id(&root)?;
        let folders = FOLDERS.map(|folder| id(&root.join(folder)));
        Some(Self { root, root_id, folders })
    }

    /// Returns the paths of the course's folders that exist and are not links.
    pub fn folders(&self) -> impl Iterator<Item = PathBuf> {
        let existing = FOLDERS.iter().zip(&self.folders).filter(|(_, id)| id.is_some());
        existing.map(|(folder, _)| self.root.join(folder))
    }
}

/// Returns the identity of a folder, or `None` if the path is not a folder.
fn id(path: &Path) -> Option<Id> {
    let metadata = disk::symlink_metadata(path).ok().filter(disk::Metadata::is_dir)?;
    let created = metadata.created().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    Some((disk::identity(path, &metadata), created.map(|time| time.as_nanos())))
}
