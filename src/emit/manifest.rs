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
    /// Whether it is a site with marked changes.
    #[serde(default)]
    pub(super) marked: bool,
    /// The paths of the files that the build wrote, relative to the output.
    pub(super) files: Vec<String>,
}

/// What a build wrote.
#[derive(Debug)]
pub(super) struct Manifest {
    /// The paths of the files, and of the manifest, relative to the output.
    paths: BTreeSet<PathBuf>,
    /// Whether it is a site with marked changes.
    pub(super) is_marked: bool,
}

/// Returns the manifest of a site with these paths, which are sorted.
pub(super) fn encode<'a>(paths: impl Iterator<Item = &'a str>, stamp: Option<&Stamp>, is_marked: bool) -> String {
    let mut file = json!({ "infralens": VERSION });
    if is_marked {
        file["marked"] = true.into();
    }
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
        let manifest = |(file, _): (ManifestFile, _)| {
            let paths = file.files.into_iter().map(PathBuf::from).chain([PathBuf::from(NAME)]);
            Self { paths: paths.collect(), is_marked: file.marked }
        };
        Ok(read(folder)?.map(manifest))
    }

    /// Whether the manifest lists exactly these paths, which are unique.
    pub(super) fn lists(&self, paths: &[String]) -> bool {
        self.paths.len() == paths.len() + 1 && paths.iter().all(|path| self.has_file(Path::new(path)))
    }

    /// Whether the file at `path` is ours.
    pub(super) fn has_file(&self, path: &Path) -> bool {
        self.paths.contains(path)
    }

    /// Whether the folder at `path` was created for a file of ours.
    pub(super) fn has_folder(&self, path: &Path) -> bool {
        // Paths are ordered by segments, so the files in a folder follow it directly.
        let from = (Bound::Included(path), Bound::Unbounded);
        self.paths.range::<Path, _>(from).next().is_some_and(|next| next.starts_with(path))
    }
}
