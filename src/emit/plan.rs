//! What the new output is made of: the paths of the new site, held against the old output. Reads, and touches nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use super::EmitError;
use super::manifest::{self, Manifest};
use super::target::same_device;
use crate::disk::{self, Walk};
use crate::output::fault;

/// The paths of the new site and of its manifest; every path is safe, and none is both a file and a folder.
pub(super) struct Wanted {
    files: BTreeSet<PathBuf>,
    folders: BTreeSet<PathBuf>,
}

/// What the new output is laid out from, besides the files of the site.
pub(super) struct Plan {
    old: Old,
    /// Foreign files, links and the like.
    pub(super) carried: Vec<PathBuf>,
    /// All folders, parents before children, from the output itself (`""`); whether the folder is wholly foreign.
    pub(super) folders: BTreeMap<PathBuf, bool>,
    /// How many files of the old site the new one does not have.
    pub(super) removed: usize,
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

impl Wanted {
    /// Checks the paths, and adds the manifest's.
    pub(super) fn new<'p>(paths: impl Iterator<Item = &'p str>) -> Result<Self, EmitError> {
        let refuse = |path: &str, why| EmitError::UnsafePath { path: path.to_owned(), why };
        let mut files = BTreeSet::from([PathBuf::from(manifest::NAME)]);
        for path in paths {
            if let Some(why) = fault(path) {
                return Err(refuse(path, why));
            }
            files.insert(PathBuf::from(path));
        }
        let folders: BTreeSet<_> =
            files.iter().flat_map(|path| path.ancestors().skip(1)).map(Path::to_path_buf).collect();
        match folders.iter().find(|folder| files.contains(*folder)) {
            Some(both) => Err(refuse(&both.to_string_lossy(), "it is also a folder of the site")),
            None => Ok(Self { files, folders }),
        }
    }
}

impl Plan {
    /// Holds the paths that are wanted against the output `out`; without a manifest there is nothing in it.
    pub(super) fn new(wanted: &Wanted, out: &Path, manifest: Option<&Manifest>) -> Result<Self, EmitError> {
        let old = manifest.map_or_else(|| Ok(Old::default()), |manifest| Old::scan(out, manifest))?;
        let unwanted = old.files.iter().filter(|(path, _)| !wanted.files.contains(path.as_path()));
        let (ours, foreign): (Vec<_>, Vec<_>) = unwanted.partition(|(_, kind)| **kind == Kind::Ours);
        let carried: Vec<_> = foreign.into_iter().map(|(path, _)| path.clone()).collect();
        if let Some(path) = carried.iter().find(|path| wanted.folders.contains(path.as_path())) {
            return Err(EmitError::Foreign(out.join(path)));
        }
        let removed = ours.len();
        let mut folders = BTreeMap::new();
        folders.extend(wanted.folders.iter().map(|folder| (folder.clone(), false)));
        let holders = carried.iter().filter_map(|path| path.parent());
        for holder in holders.chain(old.empty.iter().map(PathBuf::as_path)) {
            for folder in holder.ancestors() {
                if wanted.files.contains(folder) {
                    return Err(EmitError::Foreign(out.join(folder)));
                }
                // The folders above it were entered with it.
                if folders.contains_key(folder) {
                    break;
                }
                folders.insert(folder.to_owned(), true);
            }
        }
        Ok(Self { old, carried, folders, removed })
    }

    /// Whether the output `out` has a file of the site with these bytes already; refuses a foreign file with others.
    pub(super) fn has(&self, path: &Path, bytes: &[u8], out: &Path) -> Result<bool, EmitError> {
        let at = out.join(path);
        match self.old.files.get(path) {
            None => Ok(false),
            // One of ours that cannot be read is written again.
            Some(Kind::Ours) => Ok(holds(&at, bytes).unwrap_or(false)),
            Some(Kind::ForeignFile) if holds(&at, bytes).map_err(EmitError::io("read", &at))? => Ok(true),
            Some(_) => Err(EmitError::Foreign(at)),
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
}

/// Whether the file at `path` holds `bytes`.
fn holds(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let found = disk::symlink_metadata(path)?;
    Ok(found.len() == bytes.len() as u64 && disk::read(path)? == bytes)
}
