//! The manifest: a file in the output that lists which of the others are ours.

use std::collections::BTreeSet;
use std::ops::Bound;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::json;

use super::EmitError;
use crate::disk;
pub(super) use crate::output::MANIFEST as NAME;

/// The form of the file; a manifest of another version is none.
const VERSION: u32 = 1;

/// The paths that a build wrote, relative to the output; the manifest's own is among them.
#[derive(Debug)]
pub(super) struct Manifest(BTreeSet<PathBuf>);

/// The manifest as it stands in the file.
#[derive(Deserialize)]
struct Form {
    infralens: u32,
    files: Vec<PathBuf>,
}

/// The file for a site of these paths, which come sorted.
pub(super) fn encode<'a>(paths: impl Iterator<Item = &'a str>) -> String {
    format!("{:#}\n", json!({ "infralens": VERSION, "files": paths.collect::<Vec<_>>() }))
}

impl Manifest {
    /// Reads the manifest of the output `folder`; without a valid one the folder is not ours.
    pub(super) fn read(folder: &Path) -> Result<Option<Self>, EmitError> {
        let path = folder.join(NAME);
        // Not through a link, and no wait for a pipe.
        let found = disk::find(&path).map_err(EmitError::io("read", &path))?;
        if !found.is_some_and(|found| found.is_file()) {
            return Ok(None);
        }
        let text = disk::read(&path).map_err(EmitError::io("read", &path))?;
        let form = serde_json::from_slice::<Form>(&text).ok().filter(|form| form.infralens == VERSION);
        Ok(form.map(|form| Self(form.files.into_iter().chain([PathBuf::from(NAME)]).collect())))
    }

    /// Whether the file at `path` is ours.
    pub(super) fn has_file(&self, path: &Path) -> bool {
        self.0.contains(path)
    }

    /// Whether the folder at `path` was made for a file of ours.
    pub(super) fn has_folder(&self, path: &Path) -> bool {
        // Paths are ordered by their segments: what lies in a folder follows it directly.
        let from = (Bound::Included(path), Bound::Unbounded);
        self.0.range::<Path, _>(from).next().is_some_and(|next| next.starts_with(path))
    }
}
