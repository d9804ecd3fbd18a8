//! What Unix says of files and does with them, beyond the standard library. `windows` has the same functions.

use std::fs::{self, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rustix::fs::{Access, CWD, OFlags, RenameFlags, access, renameat_with};
use rustix::io::Errno;

pub(crate) use std::os::unix::fs::{chown, symlink};

/// Returns what identifies a file or folder, whatever its name.
pub(crate) fn identity(_: &Path, found: &Metadata) -> (u64, u64) {
    (found.dev(), found.ino())
}

/// Whether two files are on the same file system.
pub(crate) fn same_device(one: &Metadata, other: &Metadata) -> bool {
    one.dev() == other.dev()
}

/// Returns the user and the group.
pub(crate) fn owner(found: &Metadata) -> (u32, u32) {
    (found.uid(), found.gid())
}

/// Returns the permissions as a number.
pub(crate) fn mode(found: &Metadata) -> u32 {
    found.mode() & 0o7777
}

pub(super) fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

pub(super) fn access_write(folder: &Path) -> io::Result<()> {
    Ok(access(folder, Access::WRITE_OK | Access::EXEC_OK)?)
}

/// Renames with a flag; fails with `Unsupported` if the system or the file system does not have it.
fn rename(from: &Path, to: &Path, flag: RenameFlags) -> io::Result<()> {
    match renameat_with(CWD, from, CWD, to, flag) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Err(io::ErrorKind::Unsupported.into()),
        done => Ok(done?),
    }
}

pub(super) fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    rename(one, other, RenameFlags::EXCHANGE)
}

pub(super) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    rename(from, to, RenameFlags::NOREPLACE)
}

/// Lets a file or folder be opened.
pub(super) fn any(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Lets no link be followed, and no pipe be waited for.
pub(super) fn itself(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed())
}
