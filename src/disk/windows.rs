//! What Windows says of files and does with them, beyond the standard library: the functions of `unix`. It has no owners
//! and permissions that a build could copy, and exchanges no folders.

use std::fs::{Metadata, OpenOptions};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// The constants of `CreateFileW`: without the first, no folder is opened; with the second, a link is.
const FILE_FLAG_BACKUP_SEMANTICS: u32 = 0x0200_0000;
const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;
/// With these rights, a file is read, and its time is set.
const GENERIC_READ: u32 = 0x8000_0000;
const FILE_WRITE_ATTRIBUTES: u32 = 0x0100;

/// Returns what identifies a file or folder: a hash of its path, in the letter case that it has on disk, and its time. A new
/// file gets the creation time of one of the same name that was just deleted, so this is the time of the last change.
pub(crate) fn identity(path: &Path, found: &Metadata) -> (u64, u64) {
    let time = if found.is_dir() { found.created() } else { found.modified() };
    let time = time.ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    let path = super::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let hashed = BuildHasherDefault::<DefaultHasher>::default().hash_one(path);
    (hashed, u64::try_from(time.as_nanos()).unwrap_or_default())
}

/// A folder on which another disk is mounted is a link, which a build does not follow.
pub(crate) fn same_device(_: &Metadata, _: &Metadata) -> bool {
    true
}

pub(crate) fn owner(_: &Metadata) -> (u32, u32) {
    (0, 0)
}

pub(crate) fn mode(_: &Metadata) -> u32 {
    0o777
}

pub(super) fn chown(_: &Path, _: Option<u32>, _: Option<u32>) -> io::Result<()> {
    Ok(())
}

pub(super) fn set_mode(_: &Path, _: u32) -> io::Result<()> {
    Ok(())
}

/// Whether a folder can be written to is known when it is.
pub(super) fn access_write(_: &Path) -> io::Result<()> {
    Ok(())
}

pub(super) fn symlink(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(super) fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(super) fn rename_new(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(super) fn any(options: &mut OpenOptions) -> &mut OpenOptions {
    options.access_mode(GENERIC_READ | FILE_WRITE_ATTRIBUTES).custom_flags(FILE_FLAG_BACKUP_SEMANTICS)
}

pub(super) fn itself(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags(FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT)
}
