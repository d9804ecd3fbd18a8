//! Reads and writes the manifest: a file in the output that lists the files of the site, which are ours.

use std::collections::BTreeSet;
use std::ops::Bound;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::json;

use super::EmitError;
use super::stamp::Stamp;
use crate::disk;
pub(super) use infralens_source::output::MANIFEST as NAME;

/// The version of the format; a manifest of another version is ignored. Unknown keys are ignored, so programs that
/// know stamps and programs that do not can read each other's manifests.
const VERSION: u32 = 1;

#[derive(Debug, Deserialize)]
pub(super) struct ManifestFile {
    infralens: u32,
    /// Hashes of the sources and of the site; missing if the build reported something.
    #[serde(default)]
    pub(super) stamp: Option<Stamp>,
    /// The paths of the files that the build wrote, relative to the output.
    pub(super) files: Vec<String>,
}

/// The paths of the files that a build wrote, and of the manifest, relative to the output.
#[derive(Debug)]
pub(super) struct Manifest(BTreeSet<PathBuf>);

/// Returns the manifest of a site with these paths, which are sorted.
pub(super) fn encode<'a>(paths: impl Iterator<Item = &'a str>, stamp: Option<&Stamp>) -> String {
    let mut file = json!({ "infralens": VERSION });
    if let Some(stamp) = stamp {
        file["stamp"] = json!(stamp);
    }
    file["files"] = paths.collect();
    format!("{file:#}\n")
}

/// Reads and parses the manifest of the output `folder`; `None` if there is no valid one, so that the folder is not
/// ours.
pub(super) fn read(folder: &Path) -> Result<Option<(ManifestFile, Vec<u8>)>, EmitError> {
    let path = folder.join(NAME);
    // So that no link is followed and no pipe is waited for.
    let found = disk::find(&path).map_err(EmitError::io("read", &path))?;
    if !found.is_some_and(|found| found.is_file()) {
        return Ok(None);
    }
    let text = disk::read(&path).map_err(EmitError::io("read", &path))?;
    let file = serde_json::from_slice::<ManifestFile>(&text).ok().filter(|file| file.infralens == VERSION);
    Ok(file.map(|file| (file, text)))
}

impl Manifest {
    /// Reads the manifest of the output `folder`; `None` if there is no valid one.
    pub(super) fn read(folder: &Path) -> Result<Option<Self>, EmitError> {
        let files = |(file, _): (ManifestFile, _)| file.files.into_iter().map(PathBuf::from);
        Ok(read(folder)?.map(|read| Self(files(read).chain([PathBuf::from(NAME)]).collect())))
    }

    /// Whether the manifest lists exactly these paths, which are unique.
    pub(super) fn lists(&self, paths: &[String]) -> bool {
        self.0.len() == paths.len() + 1 && paths.iter().all(|path| self.has_file(Path::new(path)))
    }

    /// Whether the file at `path` is ours.
    pub(super) fn has_file(&self, path: &Path) -> bool {
        self.0.contains(path)
    }

    /// Whether the folder at `path` was created for a file of ours.
    pub(super) fn has_folder(&self, path: &Path) -> bool {
        // Paths are ordered by segments, so the files in a folder follow it directly.
        let from = (Bound::Included(path), Bound::Unbounded);
        self.0.range::<Path, _>(from).next().is_some_and(|next| next.starts_with(path))
    }
}
