//! What is shown at a moment, ready to be served: pages with the script that keeps them up to date, and with the panel
//! where something is wrong.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use super::client::{SCRIPT, SCRIPT_PATH, STYLE, STYLE_PATH};
use super::editor::Editor;
use super::hold::{Keeper, View};
use super::http::{self, Site};
use super::inject::inject;
use super::jump;
use super::panel::{self, Form, Said};
use super::shows::{self, Named};
use crate::course::url;
use crate::diag::Diagnostic;
use crate::document::Document;
use crate::output::Bytes;
use crate::project::{File, Project};
use crate::references::References;
use crate::render::pin::{Drift, State};
use crate::site::{Documents, Recipe};
use crate::source::Position;

/// How many hex digits of a hash tell one form of a file from another.
const DIGITS: usize = 16;
/// The page that is shown where there is none.
const NOT_FOUND: &str = "404.html";
/// The same where the course has none either, because its templates cannot be read.
const NOTHING: &str = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Not found</title>\n</head>\n<body>\n<p>There is no page here.</p>\n</body>\n</html>\n";

/// The preview's state, shared by the loop that builds and the server's threads.
pub struct Stage {
    shown: RwLock<Shown>,
    /// Held while a build is under way; pages are served meanwhile.
    keeper: Mutex<Keeper>,
    editor: Editor,
}

/// What is shown at a moment.
#[derive(Default)]
struct Shown {
    version: u64,
    view: View,
    /// The course, for the lines that diagnostics point at.
    project: Project,
    /// What its pages are made of, to be asked while the next build is under way.
    documents: Documents,
    /// Files as they are served, since they were first asked for.
    ready: Mutex<BTreeMap<String, http::File>>,
}

/// A page whose file was edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// Its address on the server: its path as a URL has it.
    pub address: String,
    /// In which form it is shown.
    pub form: Form,
}

impl Stage {
    /// Nothing is shown yet.
    #[must_use]
    pub fn new(keeper: Keeper, editor: Editor) -> Self {
        Self { shown: RwLock::default(), keeper: Mutex::new(keeper), editor }
    }

    /// Builds the course, and shows it from now on. Returns what is said of it; nothing if the build panicked, and what was
    /// shown before is shown still.
    pub fn show(&self, project: &Project) -> Option<Arc<[Diagnostic]>> {
        self.show_what(project, |keeper, before| keeper.build(project, before))
    }

    fn show_what(
        &self,
        project: &Project,
        build: impl FnOnce(&mut Keeper, &View) -> View,
    ) -> Option<Arc<[Diagnostic]>> {
        let mut keeper = lock(&self.keeper);
        // Pages are served while this one waits for the build.
        let (view, version) = {
            let shown = self.shown();
            let Ok(view) = catch_unwind(AssertUnwindSafe(|| build(&mut keeper, &shown.view))) else {
                keeper.forget();
                return None;
            };
            (view, shown.version + 1)
        };
        let said = Arc::clone(&view.diagnostics);
        let project = Project { files: project.files.clone(), ..Project::default() };
        let documents = keeper.course().documents();
        let shown = Shown { version, view, project, documents, ready: Mutex::default() };
        let before = std::mem::replace(&mut *self.shown.write().unwrap_or_else(PoisonError::into_inner), shown);
        drop(keeper);
        drop(before);
        Some(said)
    }

    /// The pages that are made of some files of the course, as they are shown now.
    #[must_use]
    pub fn edited(&self, files: &[Arc<str>]) -> Vec<Edited> {
        let shown = self.shown();
        files.iter().filter_map(|file| shown.edited(file)).collect()
    }

    /// The output paths that are shown, sorted.
    #[must_use]
    pub fn paths(&self) -> Vec<String> {
        self.shown().view.paths().iter().map(ToString::to_string).collect()
    }

    fn shown(&self) -> RwLockReadGuard<'_, Shown> {
        self.shown.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A panic of another thread leaves nothing half done here.
fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shown {
    /// The page that a Markdown file makes.
    fn edited(&self, file: &str) -> Option<Edited> {
        let document = self.documents.get(file)?;
        let url = &document.placement.url;
        let is_there = self.view.find(url).is_some_and(|(_, output)| *output.from == *file);
        let form = match (is_there, self.view.lost.contains_key(url)) {
            (true, _) if self.view.held.contains(url) => Form::Held,
            (true, _) => Form::Current,
            (false, true) => Form::Lost,
            (false, false) if document.front.common.draft => Form::Draft,
            (false, false) => return None,
        };
        let folder = url.strip_suffix("index.html").filter(|folder| folder.is_empty() || folder.ends_with('/'));
        let path = url::encode(folder.unwrap_or(url));
        Some(Edited { address: format!("{}{path}", self.view.base_path), form })
    }

    /// A file as it is served, made when it is first asked for.
    fn file(&self, path: &str, editor: &Editor) -> Option<http::File> {
        if let Some(file) = lock(&self.ready).get(path) {
            return Some(file.clone());
        }
        let file = self.make(path, editor)?;
        lock(&self.ready).insert(path.to_owned(), file.clone());
        Some(file)
    }

    fn make(&self, path: &str, editor: &Editor) -> Option<http::File> {
        let is_page = path.ends_with(".html");
        let Some((_, output)) = self.view.find(path) else {
            return Some(self.page(path, None, self.view.lost.get(path)?, Form::Lost, editor));
        };
        match (self.view.make(path), &output.recipe) {
            (Some(Bytes::Made(html)), Recipe::Theme(_)) if is_page => {
                let form = if self.view.held.contains(path) { Form::Held } else { Form::Current };
                Some(self.page(path, Some(&html), &output.from, form, editor))
            }
            (Some(bytes), _) => Some(http::File { tag: tag(&[bytes.as_ref()]), bytes }),
            // Its template fails with what this page says, and with none of those that it was tried with.
            (None, _) => is_page.then(|| self.page(path, None, &output.from, Form::Lost, editor)),
        }
    }

    /// A page: its HTML, or nothing if it is lost, with what there is to say of the file that it comes from.
    fn page(&self, path: &str, html: Option<&[u8]>, from: &str, form: Form, editor: &Editor) -> http::File {
        let stale = self.view.stale.iter().filter(|drift| **drift.page.path() == *from);
        let (stale, beside): (Vec<&Drift>, Vec<_>) = stale.partition(|drift| matches!(drift.state, State::Changed(_)));
        let said = Said {
            diagnostics: &self.view.diagnostics,
            drifts: &stale,
            beside: &beside,
            from,
            form,
            sources: &self.project,
            editor,
        };
        match html {
            Some(html) => {
                let html = String::from_utf8_lossy(html);
                let mut added = panel::bars(&beside, &self.project, editor);
                let panel = panel::panel(said);
                let (errors, rest): (Vec<_>, Vec<_>) = panel.into_iter().partition(|panel| panel.has_errors);
                added.extend(rest.into_iter().map(|panel| panel.html));
                let panel = errors.first().map(|panel| &*panel.html);
                page(&html, &self.shows(path, &html, editor), &added, panel)
            }
            None => page(&panel::page(said, path, &self.view.language), &[], "", None),
        }
    }

    /// The page that says of a path that a draft would be there, which is not shown.
    fn draft(&self, path: &str, editor: &Editor) -> Option<http::File> {
        let path = path.strip_prefix(&self.view.base_path[1..]).unwrap_or(path);
        let file = if path.is_empty() || path.ends_with('/') { "index.html" } else { "" };
        let draft = self.documents.draft_at(&format!("{path}{file}"))?;
        let Bytes::Made(html) = self.view.make(NOT_FOUND)? else { return None };
        Some(self.page(NOT_FOUND, Some(&html), draft.source.path(), Form::Draft, editor))
    }

    /// The files that a page shows and that are the course's own: those that are built in have their version in their name.
    fn shows(&self, page: &str, html: &str, editor: &Editor) -> Vec<Named> {
        let named = shows::named(html).into_iter().filter_map(|name| {
            let path = shows::path(page, name, &self.view.base_path)?;
            let (_, output) = self.view.find(&path)?;
            // No page: one that shows itself would be made without end.
            let is_copy = matches!(output.recipe, Recipe::File(_));
            Some((name.to_owned(), is_copy.then(|| self.file(&path, editor)).flatten()?.tag))
        });
        named.collect()
    }
}

/// A page with its script, and its panel if it has one. It is another where a file that it shows is another.
fn page(html: &str, files: &[Named], added: &str, panel: Option<&str>) -> http::File {
    let mut parts = vec![html.as_bytes(), added.as_bytes(), panel.unwrap_or_default().as_bytes()];
    parts.extend(files.iter().map(|(_, tag)| tag.as_bytes()));
    let tag = tag(&parts);
    http::File { bytes: inject(html, &tag, files, added, panel).into(), tag }
}

/// Tells one form of a file from another.
fn tag(parts: &[&[u8]]) -> Arc<str> {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    Arc::from(&hasher.finalize().to_hex()[..DIGITS])
}

impl Site for Stage {
    fn file(&self, path: &str) -> Option<http::File> {
        let own = [(SCRIPT_PATH, SCRIPT), (STYLE_PATH, STYLE)];
        match own.iter().find(|(known, _)| known.strip_prefix('/') == Some(path)) {
            Some((_, text)) => Some(http::File { bytes: Bytes::Static(text.as_bytes()), tag: tag(&[text.as_bytes()]) }),
            None => self.shown().file(path, &self.editor),
        }
    }

    fn not_found(&self, path: &str) -> http::File {
        let shown = self.shown();
        let found = shown.draft(path, &self.editor).or_else(|| shown.file(NOT_FOUND, &self.editor));
        found.unwrap_or_else(|| page(NOTHING, &[], "", None))
    }

    fn base_path(&self) -> String {
        self.shown().view.base_path.clone()
    }

    fn version(&self) -> u64 {
        self.shown().version
    }

    fn locate(&self, query: &BTreeMap<String, String>) -> Option<String> {
        let documents = self.shown().documents.clone();
        jump::locate(query, &Written { stage: self, documents }, &self.editor)
    }
}

/// Where what pages show is written.
struct Written<'a> {
    stage: &'a Stage,
    documents: Documents,
}

impl Written<'_> {
    fn from(&self, page: &str) -> Option<Arc<str>> {
        let path = http::output_path(self.stage, page)?;
        let shown = self.stage.shown();
        let output = shown.view.find(&path).map(|(_, output)| &output.from);
        output.or_else(|| shown.view.lost.get(&*path)).map(Arc::clone)
    }
}

impl jump::Sources for Written<'_> {
    fn document(&self, page: &str) -> Option<&Document> {
        self.documents.get(&self.from(page)?)
    }

    fn reference(&self, id: &str) -> Option<Position> {
        let shown = self.stage.shown();
        let File::Text(source) = shown.project.files.get(jump::REFERENCES)? else { return None };
        let (references, _) = References::read(source);
        // In the print view, ids begin with the lab's.
        let is_of = |key: &str| id.strip_suffix(key).is_some_and(|before| before == "R-" || before.ends_with("-R-"));
        let keys = references.iter().map(|(key, _)| key).filter(|key| is_of(&key.value));
        keys.max_by_key(|key| key.value.len()).map(|key| source.position(key.span.start))
    }

    fn starter(&self, page: &str) -> Option<Arc<str>> {
        // The page of a folder without a README is written nowhere.
        let is_there =
            |path: &Arc<str>| path.starts_with("code/") && self.stage.shown().project.files.contains_key(path);
        self.from(page).filter(is_there)
    }
}

#[cfg(test)]
mod tests;
