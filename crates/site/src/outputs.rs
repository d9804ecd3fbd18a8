//! The table of output files: every output path, and how its file is made. Conflicts that the writer would refuse are
//! errors here, so that `check` reports them: two sources for one path, even if they differ only in case; a path that
//! would be both a file and a folder; a path that is invalid in an output folder.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use infralens_source::diag::{Diagnostic, Place, codes};
use infralens_source::output::{self, Bytes};
use infralens_source::project::{File, LINKS, Project, REFERENCES, SITE};
use infralens_theme::{self as theme, Assets, Builtin, PlannedFile};

/// How a file of the site is made.
#[derive(Debug, Clone, PartialEq)]
pub enum Recipe {
    /// Made by the theme.
    Theme(theme::Recipe),
    /// The list of the search index's files.
    Search,
    /// A file that is not listed.
    Late,
    /// A copy of this file of the course.
    File(Arc<str>),
    /// A picture that the notebook at this path recorded.
    Recorded(Arc<str>),
    /// These bytes.
    Bytes(Bytes),
    /// The file at this path of the site of another language, which is given by its number.
    Translated(usize, Arc<str>),
}

/// A file of the site.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// How it is made.
    pub recipe: Recipe,
    /// The file of the course that it comes from.
    pub from: Arc<str>,
}

/// Every output file of a site, and the diagnostics of conflicts between them.
#[derive(Debug, PartialEq)]
pub struct Outputs {
    /// The files by output path.
    pub files: BTreeMap<Arc<str>, Output>,
    /// How the files are made that are not listed, because their names have the hash of what pages or templates say: those of
    /// the search index, reading orders, dialogs. No file of the course can have the same name and other bytes.
    pub late: Output,
    /// The conflicts.
    pub diagnostics: Vec<Diagnostic>,
}

impl Default for Outputs {
    fn default() -> Self {
        // These depend on many pages, so they are attributed to the script that loads them: a fault in one page must not hold
        // them back.
        let late = Output { recipe: Recipe::Late, from: "static/site.js".into() };
        Self { files: BTreeMap::new(), late, diagnostics: Vec::new() }
    }
}

impl Outputs {
    /// Lists all output files. `planned` are made by the theme, `raw` are starters published unchanged, `images` are
    /// the pictures below `code/` that pages show, `pictures` those that notebooks recorded.
    pub fn new<'a>(
        planned: Vec<PlannedFile>,
        builtin: Builtin,
        assets: &Assets,
        raw: impl Iterator<Item = (String, &'a Arc<str>)>,
        project: &Project,
        images: &BTreeSet<Arc<str>>,
        pictures: impl Iterator<Item = (String, &'a Arc<str>)>,
    ) -> Self {
        let mut table = TableBuilder {
            project,
            outputs: Outputs::default(),
            taken: BTreeMap::new(),
            folders: BTreeMap::new(),
            variants: BTreeSet::new(),
        };
        let (redirects, planned): (Vec<_>, Vec<_>) =
            planned.into_iter().partition(|file| matches!(file.recipe, theme::Recipe::Redirect(..)));
        let add_planned = |table: &mut TableBuilder<'_>, file: PlannedFile| {
            table.add(file.path.into(), Recipe::Theme(file.recipe), file.from);
        };
        for file in planned {
            add_planned(&mut table, file);
        }
        for (url, path) in raw {
            if let Some(file) = project.files.get(path) {
                table.copy(&url, path, file);
            }
        }
        for file in &assets.files {
            table.add(Arc::clone(&file.path), Recipe::Bytes(file.bytes.clone()), file.from.clone());
        }
        table.add(assets.search_index().into(), Recipe::Search, Place::file("static/search.js"));
        for file in redirects {
            add_planned(&mut table, file);
        }
        for (path, file) in project.below("content") {
            if !is_source(path) {
                table.copy(&path["content/".len()..], path, file);
            }
        }
        for (path, file) in project.below("static") {
            let below = &path["static/".len()..];
            if !builtin.is_asset(below) {
                table.copy(below, path, file);
            }
        }
        for &(path, bytes) in builtin.statics {
            let source = format!("static/{path}");
            if !project.files.contains_key(source.as_str()) && !builtin.is_asset(path) {
                table.add(path.into(), Recipe::Bytes(Bytes::Static(bytes)), Place::file(source));
            }
        }
        for path in images {
            if let (Some(file), false) = (project.files.get(path), table.outputs.files.contains_key(path)) {
                table.copy(path, path, file);
            }
        }
        for (url, path) in pictures {
            table.add(url.into(), Recipe::Recorded(Arc::clone(path)), Place::file(Arc::clone(path)));
        }
        table.outputs
    }
}

/// Returns whether a file of `content/` is parsed rather than published unchanged.
pub fn is_source(path: &str) -> bool {
    path.ends_with(".md") || matches!(path, SITE | REFERENCES | LINKS)
}

struct TableBuilder<'a> {
    project: &'a Project,
    outputs: Outputs,
    /// Lower-cased paths of files, each with its path and its source.
    taken: BTreeMap<String, (Arc<str>, Place)>,
    /// Lower-cased paths of folders, each with the first file in it and that file's source.
    folders: BTreeMap<String, (Arc<str>, Place)>,
    /// The paths of folders that differ only in case from another one, which has been reported.
    variants: BTreeSet<String>,
}

impl TableBuilder<'_> {
    /// Reports the second of two files with one path. A file that the program makes has no source that could be renamed, so
    /// the report is then about the other one.
    fn twice(&self, path: &str, from: Place, first: Place, message: String) -> Diagnostic {
        let (own, other) = if self.is_made(&from) { (first, from) } else { (from, first) };
        if self.is_made(&own) || !self.is_made(&other) {
            return Diagnostic::new(codes::E0008, own, message)
                .related(other, "already published from here")
                .help("rename one of the two sources");
        }
        let made = match path {
            "references.html" => "the list of references, which is made from `content/references.yaml`",
            "404.html" => "the page for addresses that do not exist, whose words are labels",
            "progress.html" => "the page that shows a reader's progress",
            _ if path.ends_with("calculators.html") => "the list of calculators",
            _ => "a file that every site has",
        };
        Diagnostic::new(codes::E0008, own, message).help(format!("rename it: `{path}` is {made}"))
    }

    /// Returns whether an output comes from no file of the course but its settings.
    fn is_made(&self, place: &Place) -> bool {
        let is_setting = matches!(&*place.file, SITE | REFERENCES);
        place.span.is_none() && (is_setting || !self.project.files.contains_key(&place.file))
    }

    fn copy(&mut self, url: &str, path: &Arc<str>, file: &File) {
        // A refused file has been reported.
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
        if let Some((message, first)) = self.conflict(&path, &lower) {
            self.outputs.diagnostics.push(self.twice(&path, from, first, message));
            return;
        }
        // An old URL may have a folder in another case, because a redirect is not looked for in that folder.
        if !matches!(recipe, Recipe::Theme(theme::Recipe::Redirect(..))) {
            self.check_folders(&path, &from);
        }
        for folder in parent_folders(&lower) {
            if !self.folders.contains_key(folder) {
                self.folders.insert(folder.to_owned(), (Arc::clone(&path), from.clone()));
            }
        }
        let file = Arc::clone(&from.file);
        self.taken.insert(lower, (Arc::clone(&path), from));
        self.outputs.files.insert(path, Output { recipe, from: file });
    }

    /// Reports the outermost folder of a path that differs only in case from a folder of a file that is already listed.
    fn check_folders(&mut self, path: &str, from: &Place) {
        for folder in parent_folders(path) {
            let Some((within, first)) = self.folders.get(&folder.to_lowercase()) else { continue };
            if within.starts_with(folder) && within[folder.len()..].starts_with('/') {
                continue;
            }
            let is_other = |taken: &&str| taken.to_lowercase() == folder.to_lowercase();
            let Some(taken) = parent_folders(within).find(is_other) else { continue };
            if self.variants.insert(folder.to_owned()) {
                let message = format!(
                    "the folders `{folder}` and `{taken}` differ only in case, and many file systems treat them as one folder"
                );
                let diagnostic = Diagnostic::new(codes::E0008, from.clone(), message)
                    .related(first.clone(), "already published from here")
                    .help("rename one of the two folders");
                self.outputs.diagnostics.push(diagnostic);
            }
            return;
        }
    }

    /// Returns why a path conflicts with a file that is already listed, and the source of that file.
    fn conflict(&self, path: &Arc<str>, lower: &str) -> Option<(String, Place)> {
        if let Some((taken, first)) = self.taken.get(lower) {
            let message = if taken == path {
                format!("`{path}` would be published twice")
            } else {
                format!("`{path}` and `{taken}` differ only in case, and many file systems treat them as one file")
            };
            return Some((message, first.clone()));
        }
        let (file, within, first) = match self.folders.get(lower) {
            Some((within, first)) => (path, within, first),
            None => parent_folders(lower)
                .find_map(|folder| self.taken.get(folder))
                .map(|(file, first)| (file, path, first))?,
        };
        Some((format!("`{file}` would be both a file and a folder that contains `{within}`"), first.clone()))
    }
}

/// Returns the folders that contain a path.
fn parent_folders(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(end, _)| &path[..end])
}
