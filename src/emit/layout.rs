//! Compares the paths of the new site with the old output, without changing anything.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use super::EmitError;
use super::manifest::{self, Manifest};
use crate::disk::{self, Walk};
use infralens_source::output::fault;

/// The paths of the new site and of its manifest. All are safe, and none is both a file and a folder.
pub(super) struct SitePaths {
    files: BTreeSet<PathBuf>,
    folders: BTreeSet<PathBuf>,
}

/// What the new output consists of, besides the files of the site.
pub(super) struct Layout {
    old: Old,
    /// Files, links and the like that are not ours.
    pub(super) carried: Vec<PathBuf>,
    /// Every folder of the new output, parents before children, beginning with the output itself (`""`). The value is true
    /// if no file of the site is in the folder, so that it is kept only for files that are not ours.
    pub(super) folders: BTreeMap<PathBuf, bool>,
    /// The number of files that only the old site has.
    pub(super) removed: usize,
}

/// The old output.
#[derive(Default)]
struct Old {
    /// Everything that is not a folder.
    files: BTreeMap<PathBuf, Owner>,
    /// Empty folders that were not created for a file of ours.
    empty: BTreeSet<PathBuf>,
}

/// Who created a file. Only a regular file can be ours.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Ours,
    ForeignFile,
    ForeignOther,
}

impl SitePaths {
    /// Checks the paths, and adds that of the manifest.
    pub(super) fn new<'p>(paths: impl Iterator<Item = &'p str>) -> Result<Self, EmitError> {
        let refuse = |path: &str, why| EmitError::UnsafePath(path.to_owned(), why);
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

impl Layout {
    /// Compares the paths of the site with the output `out`, which is empty if there is no manifest.
    pub(super) fn new(site_paths: &SitePaths, out: &Path, manifest: Option<&Manifest>) -> Result<Self, EmitError> {
        let old = manifest.map_or_else(|| Ok(Old::default()), |manifest| Old::scan(out, manifest))?;
        let unwanted = old.files.iter().filter(|(path, _)| !site_paths.files.contains(path.as_path()));
        let (ours, foreign): (Vec<_>, Vec<_>) = unwanted.partition(|(_, owner)| **owner == Owner::Ours);
        let carried: Vec<_> = foreign.into_iter().map(|(path, _)| path.clone()).collect();
        if let Some(path) = carried.iter().find(|path| site_paths.folders.contains(path.as_path())) {
            return Err(EmitError::Foreign(out.join(path)));
        }
        let removed = ours.len();
        let mut folders = BTreeMap::new();
        folders.extend(site_paths.folders.iter().map(|folder| (folder.clone(), false)));
        let holders = carried.iter().filter_map(|path| path.parent());
        for holder in holders.chain(old.empty.iter().map(PathBuf::as_path)) {
            for folder in holder.ancestors() {
                if site_paths.files.contains(folder) {
                    return Err(EmitError::Foreign(out.join(folder)));
                }
                // The folders above it are in the map, too.
                if folders.contains_key(folder) {
                    break;
                }
                folders.insert(folder.to_owned(), true);
            }
        }
        Ok(Self { old, carried, folders, removed })
    }

    /// Whether the output `out` already has a file with these bytes. It is an error if a file that is not ours has
    /// other bytes.
    pub(super) fn has(&self, path: &Path, bytes: &[u8], out: &Path) -> Result<bool, EmitError> {
        let at = out.join(path);
        match self.old.files.get(path) {
            None => Ok(false),
            // If a file of ours cannot be read, it is written again.
            Some(Owner::Ours) => Ok(has_content(&at, bytes).unwrap_or(false)),
            Some(Owner::ForeignFile) if has_content(&at, bytes).map_err(EmitError::io("read", &at))? => Ok(true),
            Some(_) => Err(EmitError::Foreign(at)),
        }
    }
}

impl Old {
    /// Lists what is in the output `out`, and who created it.
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
                if !disk::same_device(&top, &found) {
                    return Err(EmitError::Immovable(entry.path));
                }
                if !manifest.has_folder(path) {
                    old.empty.insert(path.to_owned());
                }
                continue;
            }
            let owner = match entry.kind.is_file() {
                true if manifest.has_file(path) => Owner::Ours,
                true => Owner::ForeignFile,
                false => Owner::ForeignOther,
            };
            old.files.insert(path.to_owned(), owner);
        }
        Ok(old)
    }
}

/// Whether the file at `path` has these bytes.
fn has_content(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let found = disk::symlink_metadata(path)?;
    Ok(found.len() == bytes.len() as u64 && disk::read(path)? == bytes)
}
