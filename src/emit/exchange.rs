//! Puts a new site in the output's place, in one step where the system has such a step.

use std::io;
use std::path::Path;

use super::target::Found;
use super::{EmitError, Promise};
use crate::disk;

/// Moves `new` to `out`. An old site that `found` there ends at `new` or at `aside`; after a failure it is at `out`, or at
/// `aside` if the system did not let it be moved back.
pub(super) fn replace(new: &Path, out: &Path, aside: &Path, found: &Found) -> Result<Promise, EmitError> {
    let result = match found {
        // Onto an empty folder too; the system refuses if it no longer is.
        Found::Room => disk::rename(new, out).map(|()| Promise::AllOrNothing),
        Found::Site(_) => match disk::exchange(new, out) {
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
    disk::rename(out, aside)?;
    if let Err(error) = disk::rename(new, out) {
        disk::rename(aside, out)?;
        return Err(error);
    }
    let why = format!("the file system of `{}` cannot exchange two folders in one step", out.display());
    Ok(Promise::NotGiven { why })
}
