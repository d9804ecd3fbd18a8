//! Writes a site to disk, whole or not at all; the only writer of the program. (`course` changes a course's own files.)
//!
//! 1. refuse what must not be written to ([`check_target`]), before anything is touched;
//! 2. lock the stage, a folder beside the output, and clear what a killed build left in it;
//! 3. plan: compare the old output with the new site; where they are equal, stop here;
//! 4. lay the new site out in the stage: link what is unchanged, carry what is not ours, write the rest;
//! 5. exchange the stage's site and the output in one step;
//! 6. delete the old site, which now lies in the stage, and the stage.
//!
//! **Invariant**: the output is reached by step 5 only, and what a manifest does not list is deleted by no step.
//! Killed between any two system calls, the output is the whole old site or the whole new one. (A power cut is
//! another matter: nothing here waits for the disk.)

mod course;
mod error;
mod exchange;
mod lay;
mod lock;
mod manifest;
mod own;
mod plan;
mod retire;
mod stage;
mod target;
#[cfg(test)]
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "tests make folders and look at them on disk")]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;

pub use course::{JOURNAL, Recovery, change, is_interrupted, recover};
pub use error::EmitError;
pub use own::write_own;
use plan::{Plan, Wanted};
use stage::Stage;
use target::Place;

/// Where a site goes.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// The output folder; it and its parents need not exist.
    pub out: &'a Path,
    /// The course's root, whose sources must not be written to.
    pub root: &'a Path,
}

/// What a build did to the output. The manifest is in no count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Files that are new or differ from the old ones.
    pub written: usize,
    /// Files that were as they should be: they keep their inode and their time.
    pub kept: usize,
    /// Files of the old site that the new one does not have.
    pub removed: usize,
    /// Nothing differed, so nothing was touched.
    pub unchanged_site: bool,
    /// Whether the output was replaced in one step.
    pub promise: Promise,
}

/// Whether the output held the old or the new site at every moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Promise {
    /// It did.
    AllOrNothing,
    /// There was a moment in which it was missing.
    NotGiven {
        /// The reason, as half a sentence.
        why: String,
    },
}

/// Says whether `target` can be written to, and touches nothing.
///
/// # Errors
/// The output is a file, a link or anything else that is not a folder; is neither empty nor ours; is the course or
/// holds it; lies in its sources; cannot be created; or another's folder has the name of the stage.
pub fn check_target(target: &Target) -> Result<(), EmitError> {
    Place::find(target).map(drop)
}

/// Makes the output folder hold exactly `files` (relative paths with `/`), beside whatever in it is not ours.
///
/// A foreign file where the site has one is refused, unless the two are equal: from then on it is the site's.
///
/// # Errors
/// Those of [`check_target`]; a path that is not safe; a foreign file in the way; another build at the same time; the
/// system's own, such as a full disk. After any of them the old output is as it was; only [`EmitError::LeftOver`] comes
/// after the new one is in place.
pub fn emit<B: AsRef<[u8]> + Sync>(files: &BTreeMap<String, B>, target: &Target) -> Result<Report, EmitError> {
    let list = manifest::encode(files.keys());
    let wanted = Wanted::new(files, list.as_bytes())?;
    let place = Place::find(target)?;
    let mut stage = Stage::open(&place)?;
    let found = stage.take_over(&place)?;
    let plan = Plan::new(&wanted, &place.out, found.manifest())?;
    let mut report = plan.report();
    if !report.unchanged_site {
        let site = stage.site();
        lay::lay(&plan, &place.out, &site)?;
        report.promise = exchange::replace(&site, &place.out, &stage.aside(), &found)?;
        stage.keep_parents();
        stage.clear().map_err(|error| EmitError::LeftOver(Box::new(error)))?;
    }
    stage.keep_parents();
    Ok(report)
}
