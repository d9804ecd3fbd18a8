//! Writes a site to disk, whole or not at all; the only writer of the program. (`course` changes a course's own files.)
//!
//! 1. refuse what must not be written to ([`check_target`]), before anything is touched;
//! 2. lock the stage, a folder beside the output, and clear what a killed build left in it;
//! 3. plan: hold the paths of the new site against the old output;
//! 4. as each file comes ([`Writer::put`]), compare it with the old one, and write it to the stage if it differs;
//! 5. if no file did, and none is gone, stop here, with a new manifest if the site was made from something else; otherwise
//!    link what is unchanged, and carry what is not ours;
//! 6. exchange the stage's site and the output in one step;
//! 7. delete the old site, which now lies in the stage, and the stage.
//!
//! A build with nothing to do stops before all this: the manifest has hashes of what the site was made from and of its files
//! ([`up_to_date`]).
//!
//! **Invariant**: the output is reached by step 6 only, and its manifest also by one rename in step 5; what a manifest does
//! not list is deleted by no step. Killed between any two system calls, the output is the whole old site or the whole new
//! one. (A power cut is another matter: nothing here waits for the disk.)

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
mod stamp;
mod target;
#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests make folders and look at them on disk")]
mod tests;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use blake3::Hash;
use rayon::prelude::*;

pub use course::{JOURNAL, Recovery, change, is_interrupted, recover};
pub use error::EmitError;
pub use own::write_own;
use plan::{Plan, Wanted};
use stage::Stage;
use stamp::{Stamp, site_hash};
pub use stamp::{source_hash, up_to_date};
use target::{Found, Place};

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
    /// The bytes in these files.
    pub bytes: u64,
    /// Files that were as they should be: they keep their inode and their time.
    pub kept: usize,
    /// Files of the old site that the new one does not have.
    pub removed: usize,
    /// No file differed, so none was touched. If the site was made from something else this time, the manifest was replaced.
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

/// A site that is being written. Dropped before [`Self::finish`], it leaves the output as it was.
pub struct Writer {
    plan: Plan,
    /// The files of the site, as the manifest lists them.
    paths: Vec<String>,
    out: PathBuf,
    found: Found,
    stage: Stage,
    done: Mutex<Done>,
}

/// What has become of the files that have come.
#[derive(Default)]
struct Done {
    /// Those that are as they were.
    kept: Vec<PathBuf>,
    /// How many were written.
    written: usize,
    /// How many bytes were written.
    bytes: u64,
    /// The hash of each file's content.
    hashes: BTreeMap<String, Hash>,
    /// The failure of the first path.
    failure: Option<(PathBuf, EmitError)>,
}

impl Writer {
    /// Begins to make the output folder hold exactly the files at these paths (relative, with `/`, sorted), beside whatever
    /// in it is not ours.
    ///
    /// # Errors
    /// Those of [`check_target`]; a path that is not safe; a foreign file or folder in the way; another build at the same
    /// time; the system's own.
    pub fn open<'p>(paths: impl Iterator<Item = &'p str> + Clone, target: &Target) -> Result<Self, EmitError> {
        let list = paths.clone().map(str::to_owned).collect();
        let wanted = Wanted::new(paths)?;
        let place = Place::find(target)?;
        let mut stage = Stage::open(&place)?;
        let found = stage.take_over(&place)?;
        let plan = Plan::new(&wanted, &place.out, found.manifest())?;
        lay::folders(&plan, &place.out, &stage.site())?;
        Ok(Self { plan, paths: list, out: place.out, found, stage, done: Mutex::default() })
    }

    /// Takes one of the files, which may come in any order and from any thread. What fails is told by [`Self::finish`].
    pub fn put(&self, path: &str, bytes: &[u8]) {
        let hash = blake3::hash(bytes);
        let name = path.to_owned();
        let path = Path::new(path);
        let result = self.place(path, bytes);
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        done.hashes.insert(name, hash);
        match result {
            Ok(true) => done.kept.push(path.to_owned()),
            Ok(false) => {
                done.written += 1;
                done.bytes += bytes.len() as u64;
            }
            Err(error) if done.failure.as_ref().is_none_or(|(first, _)| path < first) => {
                done.failure = Some((path.to_owned(), error));
            }
            Err(_) => {}
        }
    }

    /// Writes a file, unless it is as it was; returns whether it is.
    fn place(&self, path: &Path, bytes: &[u8]) -> Result<bool, EmitError> {
        let is_kept = self.plan.has(path, bytes, &self.out)?;
        if !is_kept {
            lay::write(&self.stage.site().join(path), bytes)?;
        }
        Ok(is_kept)
    }

    /// Puts the site in the output's place. A foreign file where the site has one is refused, unless the two are equal:
    /// from then on it is the site's.
    ///
    /// `silent` is given if the build reported nothing: the [`source_hash`] of what the site was made from, and the days
    /// (since 1970-01-01) on which its build reports nothing. On these days [`up_to_date`] recognizes the site.
    ///
    /// # Errors
    /// What has failed in [`Self::put`]; a foreign file in the way; the system's own, such as a full disk. After any of them
    /// the old output is as it was; only [`EmitError::LeftOver`] comes after the new one is in place.
    pub fn finish(mut self, silent: Option<(Hash, RangeInclusive<i64>)>) -> Result<Report, EmitError> {
        let Done { mut kept, written, bytes, hashes, failure } =
            std::mem::take(self.done.get_mut().unwrap_or_else(PoisonError::into_inner));
        if let Some((_, error)) = failure {
            return Err(error);
        }
        // Never half a site, whatever the caller has left out.
        if let Some(path) = self.paths.iter().find(|path| !hashes.contains_key(*path)) {
            return Err(EmitError::UnsafePath { path: path.clone(), why: "it was not made" });
        }
        let files = || hashes.iter().map(|(path, hash)| (path.as_str(), *hash));
        let stamp = silent.map(|(source, days)| Stamp::new(&source, &site_hash(files()), &days));
        let list = manifest::encode(self.paths.iter().map(String::as_str), stamp.as_ref());
        let removed = self.plan.removed;
        let has_same_list = self.plan.has(Path::new(manifest::NAME), list.as_bytes(), &self.out)?;
        let lists_the_same = self.found.manifest().is_some_and(|old| old.lists(&self.paths));
        let unchanged_site = written == 0 && removed == 0 && lists_the_same;
        let mut report =
            Report { written, bytes, kept: kept.len(), removed, unchanged_site, promise: Promise::AllOrNothing };
        let (site, name) = (self.stage.site(), Path::new(manifest::NAME));
        if unchanged_site && !has_same_list {
            lay::write(&site.join(name), list.as_bytes())?;
            lay::replace(&site.join(name), &self.out.join(name))?;
        }
        if !unchanged_site {
            kept.sort_unstable();
            lay::take_over(&self.plan, &kept, &self.out, &site)?;
            // With its manifest the tree is a site (see `retire`).
            if has_same_list {
                lay::keep(&self.out.join(name), &site.join(name))?;
            } else {
                lay::write(&site.join(name), list.as_bytes())?;
            }
            lay::settle(&self.plan, &self.out, &site)?;
            report.promise = exchange::replace(&site, &self.out, &self.stage.aside(), &self.found)?;
            self.stage.keep_parents();
            self.stage.clear().map_err(|error| EmitError::LeftOver(Box::new(error)))?;
        }
        self.stage.keep_parents();
        Ok(report)
    }
}

/// Writes a site that is in memory.
///
/// # Errors
/// Those of [`Writer`].
pub fn emit<B: AsRef<[u8]> + Sync>(files: &BTreeMap<String, B>, target: &Target) -> Result<Report, EmitError> {
    let writer = Writer::open(files.keys().map(String::as_str), target)?;
    files.par_iter().for_each(|(path, bytes)| writer.put(path, bytes.as_ref()));
    writer.finish(None)
}
