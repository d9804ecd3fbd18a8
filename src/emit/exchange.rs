//! Replaces the output with a new site, in one step if the system can.

use std::io;
use std::path::Path;

use super::{EmitError, Replacement};
use crate::disk;

/// Moves `new` to `out`. If a site `is_there`, it ends at `new` or at `aside`. After an error it is at `out`, or at `aside`
/// if the system did not allow moving it back.
pub(super) fn replace(new: &Path, out: &Path, aside: &Path, is_there: bool) -> Result<Replacement, EmitError> {
    // An empty folder may be there, too; if it is no longer empty, the system refuses.
    let result = match if is_there { disk::exchange(new, out) } else { disk::rename(new, out) } {
        Err(error) if is_there && error.kind() == io::ErrorKind::Unsupported => two_renames(new, out, aside),
        done => done.map(|()| Replacement::Atomic),
    };
    result.map_err(|source| match source.kind() {
        // A mount point, or a folder from a lower layer of an overlay.
        io::ErrorKind::CrossesDevices | io::ErrorKind::ResourceBusy => EmitError::Immovable(out.to_owned()),
        _ => EmitError::io("replace", out)(source),
    })
}

/// Moves the old site aside and the new one in; moves the old one back if that fails.
fn two_renames(new: &Path, out: &Path, aside: &Path) -> io::Result<Replacement> {
    disk::rename(out, aside)?;
    if let Err(error) = disk::rename(new, out) {
        disk::rename(aside, out)?;
        return Err(error);
    }
    let reason = format!("the file system of `{}` cannot exchange two folders in one step", out.display());
    Ok(Replacement::NotAtomic { reason })
}
