//! Everything that is published, under one roof: made pages, and files of the course that go out as they are. What the
//! writer would refuse is an error here, so that `check` knows it: two sources for one output path, also when they differ
//! only in case; a path that would be a file and a folder; a path that no output folder can hold.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use imbl::OrdMap;

use super::diff::Diff;
use crate::assets;
use crate::diag::{Diagnostic, Place, codes};
use crate::output::{self, Bytes};
use crate::project::{File, Project};
use crate::theme::{self, Made};

/// What is published: the site's files, and where each comes from.
#[derive(Debug, Default, Clone)]
pub struct Outputs {
    /// By output path.
    pub files: Files,
    /// The pictures below `code/` that pages show.
    images: BTreeSet<Arc<str>>,
    /// What is said of them.
    pub diagnostics: Vec<Diagnostic>,
}

/// By output path. A copy shares all that does not change in it.
pub type Files = OrdMap<Arc<str>, Output>;

/// A file of the site.
#[derive(Debug, Clone)]
pub struct Output {
    /// What it holds.
    pub bytes: Bytes,
    /// The file of the course that it comes from.
    pub from: Arc<str>,
}

impl PartialEq for Output {
    /// Whether both hold the same bytes.
    fn eq(&self, other: &Self) -> bool {
        self.bytes.is_same(&other.bytes) || self.bytes.as_ref() == other.bytes.as_ref()
    }
}

impl Outputs {
    /// All files of a site. `images` are the pictures below `code/` that pages show.
    #[must_use]
    pub fn new(made: impl Iterator<Item = Made>, project: &Project, images: BTreeSet<Arc<str>>) -> Self {
        let mut roof = Roof::default();
        for file in made {
            roof.add(file.path, file.bytes, file.from);
        }
        for (path, file) in project.below("content") {
            if !is_source(path) {
                roof.copy(&path["content/".len()..], path, file);
            }
        }
        for (path, file) in project.below("static") {
            let below = &path["static/".len()..];
            if !theme::is_processed(below) {
                roof.copy(below, path, file);
            }
        }
        for asset in assets::statics() {
            let replaced = project.files.contains_key(format!("static/{}", asset.0).as_str());
            if !replaced && !theme::is_processed(asset.0) {
                roof.add(asset.0.into(), Bytes::Static(asset.1), Place::file(format!("static/{}", asset.0)));
            }
        }
        for path in &images {
            if let (Some(file), false) = (project.files.get(path), roof.outputs.files.contains_key(path)) {
                roof.copy(path, path, file);
            }
        }
        Self { images, ..roof.outputs }
    }

    /// Whether the same files are published after a change, so that those that were made anew only need be put in the
    /// places of those of the same paths. Where two files want one place, it is not known which has it.
    #[must_use]
    pub fn stand(&self, diff: &Diff, images: &BTreeSet<Arc<str>>) -> bool {
        self.diagnostics.is_empty() && !diff.names && !diff.copies && self.images == *images
    }

    /// With these files in the places of those of the same paths.
    #[must_use]
    pub fn replaced<'a>(mut self, made: impl Iterator<Item = &'a Made>) -> Self {
        for file in made {
            if let Some(output) = self.files.get_mut(&file.path) {
                output.bytes = file.bytes.clone();
            }
        }
        self
    }

    /// The files, without where they come from.
    #[must_use]
    pub fn into_files(self) -> output::Files {
        let files = self.files.into_iter();
        files.map(|(path, output)| (path.to_string(), output.bytes)).collect()
    }
}

/// Whether a file of `content/` is read, and not published as it is.
pub fn is_source(path: &str) -> bool {
    path.ends_with(".md") || matches!(path, "content/site.yaml" | "content/references.yaml")
}

#[derive(Default)]
struct Roof {
    outputs: Outputs,
    /// Lower-cased paths, with the path and the source that took them.
    taken: BTreeMap<String, (Arc<str>, Place)>,
    /// Lower-cased paths of folders, with the first file in each and its source.
    folders: BTreeMap<String, (Arc<str>, Place)>,
}

impl Roof {
    fn copy(&mut self, url: &str, path: &Arc<str>, file: &File) {
        let bytes = match file {
            File::Text(source) => Bytes::Text(Arc::clone(source)),
            File::Binary(binary) => Bytes::Binary(Arc::clone(binary)),
            // It has been reported where it was read.
            File::Refused(_) => return,
        };
        self.add(url.into(), bytes, Place::file(Arc::clone(path)));
    }

    fn add(&mut self, path: Arc<str>, bytes: Bytes, from: Place) {
        if let Some(why) = output::fault(&path) {
            let message = format!("`{}` cannot be a file of the site: {why}", path.escape_debug());
            let diagnostic = Diagnostic::new(codes::E0013, from, message).help("rename the source");
            self.outputs.diagnostics.push(diagnostic);
            return;
        }
        let lower = path.to_lowercase();
        if let Some((message, first)) = self.clash(&path, &lower) {
            let diagnostic = Diagnostic::new(codes::E0008, from, message)
                .related(first, "this is published there already")
                .help("rename one of the two sources");
            self.outputs.diagnostics.push(diagnostic);
            return;
        }
        for folder in above(&lower) {
            if !self.folders.contains_key(folder) {
                self.folders.insert(folder.to_owned(), (Arc::clone(&path), from.clone()));
            }
        }
        let file = Arc::clone(&from.file);
        self.taken.insert(lower, (Arc::clone(&path), from));
        self.outputs.files.insert(path, Output { bytes, from: file });
    }

    /// Why a path cannot be published beside what is there already, and where that comes from.
    fn clash(&self, path: &Arc<str>, lower: &str) -> Option<(String, Place)> {
        if let Some((taken, first)) = self.taken.get(lower) {
            let message = if taken == path {
                format!("`{path}` would be published twice")
            } else {
                format!("`{path}` and `{taken}` differ only in case: many systems take them for one file")
            };
            return Some((message, first.clone()));
        }
        let (file, within, first) = match self.folders.get(lower) {
            Some((within, first)) => (path, within, first),
            None => above(lower).find_map(|folder| self.taken.get(folder)).map(|(file, first)| (file, path, first))?,
        };
        Some((format!("`{file}` would be a file, and a folder with `{within}` in it"), first.clone()))
    }
}

/// The folders that a path lies in.
fn above(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(end, _)| &path[..end])
}
