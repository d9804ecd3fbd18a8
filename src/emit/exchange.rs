//! Puts a new site in the output's place, in one step where the system has such a step.

use std::fs;
use std::io;
use std::path::Path;

use super::target::Found;
use super::{EmitError, Promise};

/// Exchanges two folders in one step; `Unsupported` if the system or the file system cannot.
pub(super) type Swap = fn(&Path, &Path) -> io::Result<()>;

/// Moves `new` to `out`. An old site that `found` there ends at `new` or at `aside`; after a failure it is at `out`.
pub(super) fn replace(new: &Path, out: &Path, aside: &Path, found: &Found, swap: Swap) -> Result<Promise, EmitError> {
    let result = match found {
        // Onto an empty folder too; the system refuses if it no longer is.
        Found::Room => fs::rename(new, out).map(|()| Promise::AllOrNothing),
        Found::Site(_) => match swap(new, out) {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => two_renames(new, out, aside),
            done => done.map(|()| Promise::AllOrNothing),
        },
    };
    result.map_err(|source| match source.kind() {
        // A mount point, or a folder from a lower layer of an overlay.
        io::ErrorKind::CrossesDevices | io::ErrorKind::ResourceBusy => EmitError::Immovable(out.to_owned()),
        _ => EmitError::io("replace", out)(source),
    })
}

/// Moves the old site aside and the new one in; the old one comes back if that fails.
fn two_renames(new: &Path, out: &Path, aside: &Path) -> io::Result<Promise> {
    fs::rename(out, aside)?;
    if let Err(error) = fs::rename(new, out) {
        fs::rename(aside, out)?;
        return Err(error);
    }
    let why = format!("the file system of `{}` cannot exchange two folders in one step", out.display());
    Ok(Promise::NotGiven { why })
}

/// The system's own [`Swap`].
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
pub(super) fn swap(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;
    match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Err(io::ErrorKind::Unsupported.into()),
        done => Ok(done?),
    }
}

/// The system's own [`Swap`]: it has none.
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
pub(super) fn swap(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Moves `from` to `to`, where nothing may be yet.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
pub(super) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => look_and_rename(from, to),
        done => Ok(done?),
    }
}

/// Moves `from` to `to`, where nothing may be yet.
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
pub(super) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    look_and_rename(from, to)
}

/// Where the system has no such step: nothing was there a moment ago.
fn look_and_rename(from: &Path, to: &Path) -> io::Result<()> {
    match fs::symlink_metadata(to) {
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        Err(_) => fs::rename(from, to),
    }
}
