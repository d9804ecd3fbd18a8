//! What is to be done: the new site compared with the old output. Reads, and touches nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::manifest::{self, Manifest};
use super::target::same_device;
use super::{EmitError, Promise, Report};
use crate::disk::{self, Walk};
use crate::output::fault;

/// The new site with its manifest; every path is safe, and none is both a file and a folder.
pub(super) struct Wanted<'a> {
    files: BTreeMap<&'a Path, &'a [u8]>,
    folders: BTreeSet<&'a Path>,
}

/// What the new output is laid out from.
pub(super) struct Plan<'a> {
    /// The site's files, the manifest among them.
    pub(super) files: Vec<Placed<'a>>,
    /// Foreign files, links and the like.
    pub(super) carried: Vec<PathBuf>,
    /// All folders, parents before children, from the output itself (`""`); whether the folder is wholly foreign.
    pub(super) folders: BTreeMap<PathBuf, bool>,
    removed: usize,
}

/// A file of the site and where it comes from.
pub(super) struct Placed<'a> {
    pub(super) path: &'a Path,
    pub(super) bytes: &'a [u8],
    /// The old output has it, with the same bytes.
    pub(super) kept: bool,
}

/// The old output.
#[derive(Default)]
struct Old {
    /// All that is not a folder.
    files: BTreeMap<PathBuf, Kind>,
    /// Folders with nothing in them that were not made for a file of ours.
    empty: BTreeSet<PathBuf>,
}

/// Whose a file is. Only a regular file is ours.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Ours,
    ForeignFile,
    ForeignOther,
}

impl<'a> Wanted<'a> {
    /// Checks the paths of `files`, and adds the manifest with the bytes `list`.
    pub(super) fn new<B: AsRef<[u8]>>(files: &'a BTreeMap<String, B>, list: &'a [u8]) -> Result<Self, EmitError> {
        let refuse = |path: &str, why| EmitError::UnsafePath { path: path.to_owned(), why };
        let mut all = BTreeMap::from([(Path::new(manifest::NAME), list)]);
        for (path, bytes) in files {
            if let Some(why) = fault(path) {
                return Err(refuse(path, why));
            }
            all.insert(Path::new(path), bytes.as_ref());
        }
        let folders: BTreeSet<_> = all.keys().flat_map(|path| path.ancestors().skip(1)).collect();
        match folders.iter().find(|folder| all.contains_key(*folder)) {
            Some(both) => Err(refuse(&both.to_string_lossy(), "it is also a folder of the site")),
            None => Ok(Self { files: all, folders }),
        }
    }
}

impl<'a> Plan<'a> {
    /// Compares `wanted` with the output `out`; without a manifest there is nothing in it.
    pub(super) fn new(wanted: &Wanted<'a>, out: &Path, manifest: Option<&Manifest>) -> Result<Self, EmitError> {
        let old = manifest.map_or_else(|| Ok(Old::default()), |manifest| Old::scan(out, manifest))?;
        let files = old.compare(&wanted.files, out)?;
        let unwanted = old.files.iter().filter(|(path, _)| !wanted.files.contains_key(path.as_path()));
        let (ours, foreign): (Vec<_>, Vec<_>) = unwanted.partition(|(_, kind)| **kind == Kind::Ours);
        let carried: Vec<_> = foreign.into_iter().map(|(path, _)| path.clone()).collect();
        if let Some(path) = carried.iter().find(|path| wanted.folders.contains(path.as_path())) {
            return Err(EmitError::Foreign(out.join(path)));
        }
        let removed = ours.len();
        let mut folders = BTreeMap::new();
        folders.extend(wanted.folders.iter().map(|folder| ((*folder).to_owned(), false)));
        let holders = carried.iter().filter_map(|path| path.parent());
        for holder in holders.chain(old.empty.iter().map(PathBuf::as_path)) {
            for folder in holder.ancestors() {
                if wanted.files.contains_key(folder) {
                    return Err(EmitError::Foreign(out.join(folder)));
                }
                // The folders above it were entered with it.
                if folders.contains_key(folder) {
                    break;
                }
                folders.insert(folder.to_owned(), true);
            }
        }
        Ok(Self { files, carried, folders, removed })
    }

    /// What doing it comes to.
    pub(super) fn report(&self) -> Report {
        let site = || self.files.iter().filter(|file| file.path != Path::new(manifest::NAME));
        let kept = site().filter(|file| file.kept).count();
        Report {
            written: site().count() - kept,
            kept,
            removed: self.removed,
            unchanged_site: self.removed == 0 && self.files.iter().all(|file| file.kept),
            promise: Promise::AllOrNothing,
        }
    }
}

impl Old {
    /// Lists what is in the output `out`, and whose it is.
    fn scan(out: &Path, manifest: &Manifest) -> Result<Self, EmitError> {
        let read = || EmitError::io("read", out);
        let top = disk::symlink_metadata(out).map_err(read())?;
        let mut old = Self::default();
        for entry in Walk::new(out, usize::MAX, |_| true).map_err(read())?.skip(1) {
            let entry = entry.map_err(EmitError::walk)?;
            let path = entry.path.strip_prefix(out).unwrap_or(&entry.path);
            if let Some(parent) = path.parent() {
                old.empty.remove(parent);
            }
            if entry.kind.is_dir() {
                let found = disk::symlink_metadata(&entry.path).map_err(EmitError::io("read", &entry.path))?;
                if !same_device(&top, &found) {
                    return Err(EmitError::Immovable(entry.path));
                }
                if !manifest.has_folder(path) {
                    old.empty.insert(path.to_owned());
                }
                continue;
            }
            let kind = match entry.kind.is_file() {
                true if manifest.has_file(path) => Kind::Ours,
                true => Kind::ForeignFile,
                false => Kind::ForeignOther,
            };
            old.files.insert(path.to_owned(), kind);
        }
        Ok(old)
    }

    /// Finds which of the `wanted` files are there with the same bytes; refuses a foreign file with others.
    fn compare<'a>(&self, wanted: &BTreeMap<&'a Path, &'a [u8]>, out: &Path) -> Result<Vec<Placed<'a>>, EmitError> {
        let placed = wanted.par_iter().map(|(&path, &bytes)| {
            let at = out.join(path);
            let kept = match self.files.get(path) {
                None => false,
                // One of ours that cannot be read is written again.
                Some(Kind::Ours) => holds(&at, bytes).unwrap_or(false),
                Some(Kind::ForeignFile) if holds(&at, bytes).map_err(EmitError::io("read", &at))? => true,
                Some(_) => return Err(EmitError::Foreign(at)),
            };
            Ok(Placed { path, bytes, kept })
        });
        let placed: Vec<Result<_, _>> = placed.collect();
        placed.into_iter().collect()
    }
}

/// Whether the file at `path` holds `bytes`.
fn holds(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let found = disk::symlink_metadata(path)?;
    Ok(found.len() == bytes.len() as u64 && disk::read(path)? == bytes)
}
