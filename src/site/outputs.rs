//! The table of the site: every output path, and how its file is made. What the writer would refuse is an error here, so
//! that `check` knows it: two sources for one output path, also when they differ only in case; a path that would be a
//! file and a folder; a path that no output folder can hold.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::assets;
use crate::diag::{Diagnostic, Place, codes};
use crate::output::{self, Bytes};
use crate::project::{File, Project};
use crate::theme::{self, Assets, Planned};

/// How a file of the site is made.
#[derive(Debug, Clone)]
pub enum Recipe {
    /// By the theme.
    Theme(theme::Recipe),
    /// By the search: a file of its index.
    Search,
    /// Not at all: it is this file of the course.
    File(Arc<str>),
    /// Not at all: these are its bytes.
    Bytes(Bytes),
}

/// A file of the site.
#[derive(Debug, Clone)]
pub struct Output {
    /// How it is made.
    pub recipe: Recipe,
    /// The file of the course that it comes from.
    pub from: Arc<str>,
}

/// The folder of the search's index.
pub const SEARCH: &str = "search/";

/// Every file of a site by its output path, and what is said of them.
#[derive(Debug)]
pub struct Outputs {
    /// By output path; of the search's index only the file that is always there.
    pub files: BTreeMap<Arc<str>, Output>,
    /// The others of the search's index.
    pub search: Output,
    /// Whether the course publishes something in the folder of the search: which files that has follows from every page.
    pub is_beside_search: bool,
    /// Of all that the course asks for.
    pub fingerprint: Option<blake3::Hash>,
    /// What is said of them.
    pub diagnostics: Vec<Diagnostic>,
}

/// A hash of the files that are asked for: what else the table follows from is which files there are, and the assets.
pub fn fingerprint(planned: &[Planned], raw: &[(String, &Arc<str>)], images: &BTreeSet<Arc<str>>) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    let mut say = |text: &str| {
        hasher.update(text.as_bytes());
        // No path holds this byte.
        hasher.update(&[0]);
    };
    for Planned { path, recipe, from } in planned {
        [path.as_str(), &format!("{recipe:?} {:?}", from.span), &from.file].into_iter().for_each(&mut say);
    }
    raw.iter().flat_map(|(url, path)| [url.as_str(), path]).for_each(&mut say);
    for path in images {
        say(path);
    }
    hasher.finalize()
}

impl Default for Outputs {
    fn default() -> Self {
        // Of all pages, and so of the script that reads them: a page with a fault holds none of it back.
        let search = Output { recipe: Recipe::Search, from: "static/search.js".into() };
        Self { files: BTreeMap::new(), search, is_beside_search: false, fingerprint: None, diagnostics: Vec::new() }
    }
}

impl Outputs {
    /// All files of a site. `planned` are those that the theme makes, `raw` the bytes of starters, `images` the pictures
    /// below `code/` that pages show.
    #[must_use]
    pub fn new(
        planned: Vec<Planned>,
        assets: &Assets,
        raw: Vec<(String, &Arc<str>)>,
        project: &Project,
        images: &BTreeSet<Arc<str>>,
    ) -> Self {
        let mut roof = Roof::default();
        let (redirects, planned): (Vec<_>, Vec<_>) =
            planned.into_iter().partition(|file| matches!(file.recipe, theme::Recipe::Redirect(..)));
        let plan = |roof: &mut Roof, file: Planned| {
            roof.add(file.path.into(), Recipe::Theme(file.recipe), file.from);
        };
        for file in planned {
            plan(&mut roof, file);
        }
        for (url, path) in raw {
            if let Some(file) = project.files.get(path) {
                roof.copy(&url, path, file);
            }
        }
        for file in &assets.made {
            roof.add(Arc::clone(&file.path), Recipe::Bytes(file.bytes.clone()), file.from.clone());
        }
        roof.add(format!("{SEARCH}index.js").into(), Recipe::Search, Place::file("static/search.js"));
        for file in redirects {
            plan(&mut roof, file);
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
                let bytes = Recipe::Bytes(Bytes::Static(asset.1));
                roof.add(asset.0.into(), bytes, Place::file(format!("static/{}", asset.0)));
            }
        }
        for path in images {
            if let (Some(file), false) = (project.files.get(path), roof.outputs.files.contains_key(path)) {
                roof.copy(path, path, file);
            }
        }
        roof.outputs
    }

    /// Refuses what the course publishes where the search has a file of its index. `index` are the paths of these, which
    /// are asked for only if the course publishes something beside them.
    #[must_use]
    pub fn beside(mut self, index: impl FnOnce() -> Vec<String>) -> Self {
        let is_ours = |output: &Output| matches!(output.recipe, Recipe::Search);
        let within = |path: &str| path.len() > SEARCH.len() && path[..SEARCH.len()].eq_ignore_ascii_case(SEARCH);
        let theirs = self
            .files
            .iter()
            .filter(|(path, output)| path.is_char_boundary(SEARCH.len()) && within(path) && !is_ours(output));
        let theirs: Vec<(Arc<str>, Arc<str>)> =
            theirs.map(|(path, output)| (Arc::clone(path), Arc::clone(&output.from))).collect();
        if theirs.is_empty() {
            return self;
        }
        self.is_beside_search = true;
        let index: BTreeSet<String> = index().into_iter().collect();
        for (path, from) in theirs.into_iter().filter(|(path, _)| index.contains(&path.to_lowercase())) {
            self.files.remove(&path);
            let message = format!("`{path}` would be published twice");
            let diagnostic = Diagnostic::new(codes::E0008, Place::file(from), message)
                .related(Place::file("static/search.js"), "this is published there already")
                .help("rename one of the two sources");
            self.diagnostics.push(diagnostic);
        }
        self
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
        // What could not be read has been reported.
        if !matches!(file, File::Refused(_)) {
            self.add(url.into(), Recipe::File(Arc::clone(path)), Place::file(Arc::clone(path)));
        }
    }

    fn add(&mut self, path: Arc<str>, recipe: Recipe, from: Place) {
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
        self.outputs.files.insert(path, Output { recipe, from: file });
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
