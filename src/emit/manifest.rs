//! The manifest: a file in the output that lists which of the others are ours.

use std::collections::BTreeSet;
use std::ops::Bound;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::json;

use super::EmitError;
use super::stamp::Stamp;
use crate::disk;
pub(super) use crate::output::MANIFEST as NAME;

/// The form of the file; a manifest of another version is none. A key that a version of the program does not know is
/// ignored by it, so a manifest without a stamp, or with one, is read by programs that do not know stamps or expect them.
const VERSION: u32 = 1;

/// The manifest as it is in the file.
#[derive(Debug, Deserialize)]
pub(super) struct Form {
    infralens: u32,
    /// What the site was made from; missing if its build reported something.
    #[serde(default)]
    pub(super) stamp: Option<Stamp>,
    /// The paths that a build wrote, relative to the output.
    pub(super) files: Vec<String>,
}

/// The paths that a build wrote, relative to the output; the manifest's own is among them.
#[derive(Debug)]
pub(super) struct Manifest(BTreeSet<PathBuf>);

/// The file for a site of these paths, which come sorted.
pub(super) fn encode<'a>(paths: impl Iterator<Item = &'a str>, stamp: Option<&Stamp>) -> String {
    let mut form = json!({ "infralens": VERSION });
    if let Some(stamp) = stamp {
        form["stamp"] = json!(stamp);
    }
    form["files"] = paths.collect();
    format!("{form:#}\n")
}

/// Reads the manifest of the output `folder`, and its text; without a valid one the folder is not ours.
pub(super) fn read(folder: &Path) -> Result<Option<(Form, Vec<u8>)>, EmitError> {
    let path = folder.join(NAME);
    // Not through a link, and no wait for a pipe.
    let found = disk::find(&path).map_err(EmitError::io("read", &path))?;
    if !found.is_some_and(|found| found.is_file()) {
        return Ok(None);
    }
    let text = disk::read(&path).map_err(EmitError::io("read", &path))?;
    let form = serde_json::from_slice::<Form>(&text).ok().filter(|form| form.infralens == VERSION);
    Ok(form.map(|form| (form, text)))
}

impl Manifest {
    /// Reads the manifest of the output `folder`; without a valid one the folder is not ours.
    pub(super) fn read(folder: &Path) -> Result<Option<Self>, EmitError> {
        let files = |(form, _): (Form, _)| form.files.into_iter().map(PathBuf::from);
        Ok(read(folder)?.map(|read| Self(files(read).chain([PathBuf::from(NAME)]).collect())))
    }

    /// Whether these are the files of the site, which are listed once each.
    pub(super) fn lists(&self, paths: &[String]) -> bool {
        self.0.len() == paths.len() + 1 && paths.iter().all(|path| self.has_file(Path::new(path)))
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
