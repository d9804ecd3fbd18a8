//! Writes a site to disk atomically. No other module writes, and only `course` changes the course's own files.
//!
//! 1. Refuse an output folder that must not be written to ([`check_target`]), before anything is changed.
//! 2. Lock the stage, a folder next to the output, and clear what a killed build left in it.
//! 3. Compare the paths of the new site with the old output (`layout`).
//! 4. Compare each file ([`Writer::put`]) with the old one, and write it to the stage if it differs.
//! 5. If nothing differs, stop here, and only replace the manifest if the site was made from other sources. Otherwise, link
//!    unchanged files into the stage, and also the files that are not ours.
//! 6. Exchange the site in the stage and the output in one step.
//! 7. Delete the old site, which is now in the stage, and the stage.
//!
//! A build with nothing to do stops before all this, because the manifest contains hashes of the sources and of the site
//! ([`up_to_date`]).
//!
//! **Invariant**: only step 6 changes the output (step 5 may replace its manifest by a rename), and no step deletes a file
//! that is not in a manifest. If the program is killed between any two system calls, the output is the whole old site or
//! the whole new one. After a power failure this may not hold, because nothing here waits for the disk.

mod course;
mod delete_site;
mod error;
mod exchange;
mod layout;
mod manifest;
mod stage;
mod stage_files;
mod stamp;
mod target;
#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests make folders and look at them on disk")]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use blake3::Hash;

pub use course::{change, write_generated};
pub use error::EmitError;
use layout::{Layout, SitePaths};
use manifest::Manifest;
use stage::Stage;
pub use stamp::{Sources, up_to_date};
use stamp::{Stamp, site_hash};
use target::OutputPaths;

use crate::disk;

/// The folders of a build.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// The output folder. It and its parents need not exist.
    pub out: &'a Path,
    /// The course's root. Its sources must not be overwritten.
    pub root: &'a Path,
    /// Whether the site has marked changes. Neither kind of site replaces one of the other kind.
    pub is_marked: bool,
}

/// What a build changed in the output. No count includes the manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The number of files that are new or changed.
    pub written: usize,
    /// The number of bytes in these files.
    pub bytes: u64,
    /// The number of unchanged files, which keep their inode and their time.
    pub kept: usize,
    /// The number of files that only the old site has.
    pub removed: usize,
    /// Whether no file differed, so that none was touched. The manifest was replaced if the site was made from other
    /// sources.
    pub unchanged_site: bool,
    /// Whether the output was replaced atomically.
    pub replacement: Replacement,
}

/// Whether the output was the whole old or the whole new site at every moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replacement {
    /// It was.
    Atomic,
    /// For a moment, the output was missing.
    NotAtomic {
        /// The reason, as a clause.
        reason: String,
    },
}

/// Checks whether `target` can be written to, without changing anything.
///
/// # Errors
/// The output is not a folder; it is neither empty nor a site of ours; it is the course, or contains it, or is in its
/// sources; it cannot be created; or a folder that is not ours has the name of the stage.
pub fn check_target(target: &Target) -> Result<(), EmitError> {
    OutputPaths::find(target).map(drop)
}

/// What is recorded of a build, so that [`up_to_date`] can skip the next one: its sources, and a text that says what it
/// reported.
pub type Record = (Sources, String);

/// Writes a site, file by file. Dropped before [`Self::finish`], it leaves the output unchanged.
pub struct Writer {
    layout: Layout,
    /// The paths of the site, as the manifest lists them.
    paths: Vec<String>,
    out: PathBuf,
    is_marked: bool,
    /// The manifest of the site that is replaced.
    existing: Option<Manifest>,
    stage: Stage,
    progress: Mutex<Progress>,
}

/// What has been done with the files so far.
#[derive(Default)]
struct Progress {
    /// Paths of unchanged files.
    kept: Vec<PathBuf>,
    /// The number of files that were written.
    written: usize,
    /// The number of bytes that were written.
    bytes: u64,
    /// The hash of each file, by path.
    hashes: BTreeMap<String, Hash>,
    /// The first failure in the order of paths, so that it does not depend on the threads.
    failure: Option<(PathBuf, EmitError)>,
}

impl Writer {
    /// Starts to write a site with these paths (relative, with `/`, sorted). Files in the output that are not ours
    /// stay there.
    ///
    /// # Errors
    /// Those of [`check_target`]; an unsafe path; a file or folder in the way that is not ours; another build at the
    /// same time; an error of the system.
    pub fn open<'p>(paths: impl Iterator<Item = &'p str> + Clone, target: &Target) -> Result<Self, EmitError> {
        let list = paths.clone().map(str::to_owned).collect();
        let site_paths = SitePaths::new(paths)?;
        let output = OutputPaths::find(target)?;
        let mut stage = Stage::open(&output)?;
        let existing = stage.take_over(&output)?;
        let layout = Layout::new(&site_paths, &output.out, existing.as_ref())?;
        stage_files::create_folders(&layout, &output.out, &stage.site())?;
        let is_marked = output.is_marked;
        Ok(Self { layout, paths: list, out: output.out, is_marked, existing, stage, progress: Mutex::default() })
    }

    /// Writes one of the files, in any order and from any thread. An error is returned by [`Self::finish`].
    pub fn put(&self, path: &str, bytes: &[u8]) {
        let hash = blake3::hash(bytes);
        let name = path.to_owned();
        let path = Path::new(path);
        let result = self.write_if_changed(path, bytes);
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.hashes.insert(name, hash);
        match result {
            Ok(true) => progress.kept.push(path.to_owned()),
            Ok(false) => {
                progress.written += 1;
                progress.bytes += bytes.len() as u64;
            }
            Err(error) if progress.failure.as_ref().is_none_or(|(first, _)| path < first) => {
                progress.failure = Some((path.to_owned(), error));
            }
            Err(_) => {}
        }
    }

    /// Writes a file unless it is unchanged; returns whether it is.
    fn write_if_changed(&self, path: &Path, bytes: &[u8]) -> Result<bool, EmitError> {
        let is_unchanged = self.layout.has(path, bytes, &self.out)?;
        if !is_unchanged {
            stage_files::write(&self.stage.site().join(path), bytes)?;
        }
        Ok(is_unchanged)
    }

    /// Replaces the output with the site. If a file that is not ours has a path of the site, it becomes part of the
    /// site if the two are equal, and is an error otherwise.
    ///
    /// `record` is for the next build.
    ///
    /// # Errors
    /// A failure of [`Self::put`]; a file in the way that is not ours; an error of the system, such as a full disk.
    /// After any of them the output is unchanged, except that after [`EmitError::LeftOver`] the new site is in place.
    pub fn finish(mut self, record: Option<Record>) -> Result<Report, EmitError> {
        let Progress { mut kept, written, bytes, hashes, failure } =
            std::mem::take(self.progress.get_mut().unwrap_or_else(PoisonError::into_inner));
        if let Some((_, error)) = failure {
            return Err(error);
        }
        // The caller must not publish a site without one of its files.
        if let Some(path) = self.paths.iter().find(|path| !hashes.contains_key(*path)) {
            return Err(EmitError::UnsafePath(path.clone(), "it was not made"));
        }
        let files = || hashes.iter().map(|(path, hash)| (path.as_str(), *hash));
        let stamp = record.map(|(sources, report)| Stamp::new(&sources, &site_hash(files()), report));
        let list = manifest::encode(self.paths.iter().map(String::as_str), stamp.as_ref(), self.is_marked);
        let removed = self.layout.removed;
        let has_same_manifest = self.layout.has(Path::new(manifest::NAME), list.as_bytes(), &self.out)?;
        let lists_same_paths = self.existing.as_ref().is_some_and(|old| old.lists(&self.paths));
        let unchanged_site = written == 0 && removed == 0 && lists_same_paths;
        let (new_manifest, old_manifest) = (self.stage.site().join(manifest::NAME), self.out.join(manifest::NAME));
        let mut replacement = Replacement::Atomic;
        if !unchanged_site {
            kept.sort_unstable();
            stage_files::reuse(&self.layout, &kept, &self.out, &self.stage.site())?;
        }
        // The manifest comes last: a tree that has one is a whole site (see `delete_site`).
        if !has_same_manifest {
            stage_files::write(&new_manifest, list.as_bytes())?;
        } else if !unchanged_site {
            stage_files::link_or_copy(&old_manifest, &new_manifest)?;
        }
        if !unchanged_site {
            let site = self.stage.site();
            stage_files::finish_folders(&self.layout, &self.out, &site)?;
            replacement = exchange::replace(&site, &self.out, &self.stage.aside(), self.existing.is_some())?;
            self.stage.keep_parents();
            self.stage.clear().map_err(|error| EmitError::LeftOver(Box::new(error)))?;
        } else if !has_same_manifest {
            disk::rename(&new_manifest, &old_manifest).map_err(EmitError::io("write", &old_manifest))?;
        }
        self.stage.keep_parents();
        Ok(Report { written, bytes, kept: kept.len(), removed, unchanged_site, replacement })
    }
}
