//! The state of the preview: which version of the course is shown, and its files as they are served. Each page gets the
//! script that keeps it up to date and, where there are diagnostics, the panel that shows them.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

use serde_json::json;

use super::client::{BESIDE, BESIDE_PATH, SCRIPT, SCRIPT_PATH, STYLE, STYLE_PATH};
use super::editor::Editor;
use super::embedded_files::{self, EmbeddedFile};
use super::follow::{self, Moves};
use super::http::{self, Site};
use super::last_good::{Planner, View};
use super::panel::{self, PageInfo, PageState};
use super::source_location::{self, PageSources};
use super::{lock, short_hash};
use crate::emit;
use infralens_author::fix;
use infralens_render::escape;
use infralens_render::pin::{Drift, State};
use infralens_site::{Documents, Recipe};
use infralens_source::diag::Diagnostic;
use infralens_source::output::Bytes;
use infralens_source::project::Project;
use infralens_source::url;

/// The page that is served with status 404.
const NOT_FOUND: &str = "404.html";
/// Served with status 404 if the course's own page cannot be made, because its templates have errors.
const NOT_FOUND_FALLBACK: &str = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Not found</title>\n</head>\n<body>\n<p>There is no page here.</p>\n</body>\n</html>\n";

/// The state of the preview, shared by the loop that rebuilds and the threads of the server.
pub struct PreviewState {
    snapshot: RwLock<Snapshot>,
    /// Locked during a build; pages are served meanwhile.
    planner: Mutex<Planner>,
    moves: Mutex<Moves>,
}

/// What a page of the preview offers beside what it shows.
pub struct Tools {
    /// The editor that links open.
    pub editor: Editor,
    /// Where fixes are written; `None` if this preview writes nothing.
    pub fixes: Option<Fixes>,
}

/// The course whose files fixes change.
pub struct Fixes {
    pub root: PathBuf,
    /// What a request must repeat, which only pages of this run know.
    pub token: String,
}

/// A file that was edited, and the offset in its text at which it begins to differ.
pub type Change = (Arc<str>, usize);

/// The path of a page's source file and its bytes, by its path on the server.
type MadePages = BTreeMap<String, (Arc<str>, Arc<[u8]>)>;

/// One version of the course, as it is shown.
struct Snapshot {
    version: u64,
    view: View,
    tools: Arc<Tools>,
    /// Files that were requested before, as they are served.
    cache: Mutex<BTreeMap<String, http::File>>,
    /// The pages that could be made, of this version and of earlier ones, each with the path of its source file.
    made: Arc<Mutex<MadePages>>,
}

/// A page whose source file was edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedPage {
    /// Its path on the server, percent-encoded.
    pub address: String,
    /// Which version of it is shown.
    pub state: PageState,
}

impl PreviewState {
    /// Creates a state in which nothing is shown yet.
    pub fn new(planner: Planner, tools: Tools) -> Self {
        let (version, tools) = (0, Arc::new(tools));
        let snapshot =
            Snapshot { version, view: View::default(), tools, cache: Mutex::default(), made: Arc::default() };
        Self { snapshot: RwLock::new(snapshot), planner: Mutex::new(planner), moves: Mutex::default() }
    }

    /// Builds the course and shows it from then on. Returns its diagnostics, or `None` if the build panicked; then the
    /// version that was shown before stays.
    pub fn update(&self, project: &Project) -> Option<Arc<[Diagnostic]>> {
        self.update_with(|planner, previous| planner.update(project, previous))
    }

    fn update_with(&self, build: impl FnOnce(&mut Planner, &View) -> View) -> Option<Arc<[Diagnostic]>> {
        let mut planner = lock(&self.planner);
        // A read lock, so that pages are served during the build.
        let snapshot = {
            let previous = self.snapshot();
            let Ok(view) = catch_unwind(AssertUnwindSafe(|| build(&mut planner, &previous.view))) else {
                planner.reset();
                return None;
            };
            let (tools, made) = (Arc::clone(&previous.tools), Arc::clone(&previous.made));
            Snapshot { version: previous.version + 1, view, tools, cache: Mutex::default(), made }
        };
        let diagnostics = Arc::clone(&snapshot.view.diagnostics);
        let previous = std::mem::replace(&mut *self.snapshot.write().unwrap_or_else(PoisonError::into_inner), snapshot);
        // Freeing the old version takes a while, and browsers are to be told of the new one now.
        rayon::spawn(move || drop(previous));
        Some(diagnostics)
    }

    /// Builds the course after some of its files have changed, and notes which pages were only renamed.
    pub fn update_files(&self, project: &Project, files: &[Arc<str>]) -> Option<Arc<[Diagnostic]>> {
        let old = self.snapshot().documents();
        let diagnostics = self.update(project)?;
        lock(&self.moves).note(files, &old, &self.snapshot().documents());
        Some(diagnostics)
    }

    /// Returns where files differ from those that are shown. Files that were removed are left out.
    pub fn changes(&self, files: &[Arc<str>], project: &Project) -> Vec<Change> {
        let snapshot = self.snapshot();
        let changed =
            |file: &Arc<str>| Some((Arc::clone(file), follow::first_change(snapshot.project(), project, file)?));
        files.iter().filter_map(changed).collect()
    }

    /// Returns the address of the page to go to after changes, and the place on it, such as `/a.html#E1-N2`: the only page that
    /// was edited, or else the page with an excerpt of the only file. Pages that change together were changed by a tool, so
    /// there is none to go to.
    pub fn address_to_follow(&self, changes: &[Change]) -> Option<String> {
        let snapshot = self.snapshot();
        let edited: Vec<_> =
            changes.iter().filter_map(|(file, at)| Some((snapshot.edited_page(file)?, file, *at))).collect();
        let (page, place) = match (&edited[..], changes) {
            ([(page, file, at)], _) => {
                (page.clone(), snapshot.documents().get(file).map(|document| follow::place(document, *at)))
            }
            ([], [(file, at)]) => {
                let line = snapshot.project().text(file)?.line(*at);
                let (source, id) = follow::excerpt(snapshot.view.site(), file, line)?;
                (snapshot.edited_page(&source)?, Some(id))
            }
            _ => return None,
        };
        let place = place.filter(|place| !place.is_empty());
        Some(page.address + &place.map_or_else(String::new, |place| format!("#{}", url::encode(&place))))
    }

    /// Returns the address of the page that shows a line, from 1, of a file, and the place on it.
    pub fn address_of(&self, file: &str, line: usize) -> Option<String> {
        let project = self.snapshot().project().clone();
        let source = project.text(file)?;
        let start = source.text().split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
        self.address_to_follow(&[(Arc::clone(source.path()), start)])
    }

    /// Returns the pages that are made from the given source files.
    pub fn edited_pages(&self, files: &[Arc<str>]) -> Vec<EditedPage> {
        let snapshot = self.snapshot();
        files.iter().filter_map(|file| snapshot.edited_page(file)).collect()
    }

    /// Returns the output paths that are shown, sorted.
    pub fn paths(&self) -> Vec<String> {
        self.snapshot().view.paths().iter().map(ToString::to_string).collect()
    }

    fn snapshot(&self) -> RwLockReadGuard<'_, Snapshot> {
        self.snapshot.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Snapshot {
    /// Returns the files of the course, for the lines that diagnostics point at.
    fn project(&self) -> &Project {
        self.view.current.project()
    }

    /// Returns the parsed documents of the course.
    fn documents(&self) -> Documents {
        self.view.current.documents()
    }

    /// Returns the page that is made from a Markdown file.
    fn edited_page(&self, file: &str) -> Option<EditedPage> {
        let documents = self.documents();
        let document = documents.get(file)?;
        let url = &document.placement.url;
        let state = if self.view.find(url).is_some_and(|(_, output)| *output.from == *file) {
            self.shown_state(url)
        } else if self.view.unavailable.contains_key(url) {
            PageState::Unavailable
        } else if document.front.common.draft {
            PageState::Draft
        } else {
            return None;
        };
        Some(EditedPage { address: self.address(url), state })
    }

    /// Returns the path on the server of the page at an output path, percent-encoded.
    fn address(&self, path: &str) -> String {
        let folder = path.strip_suffix("index.html").filter(|folder| folder.is_empty() || folder.ends_with('/'));
        format!("{}{}", self.view.config().base_path(), url::encode(folder.unwrap_or(path)))
    }

    /// Returns the state of an output that is shown.
    fn shown_state(&self, path: &str) -> PageState {
        match path {
            _ if self.view.outdated.contains(path) => PageState::Outdated,
            NOT_FOUND => PageState::Missing,
            _ => PageState::Current,
        }
    }

    /// Returns a file as it is served. It is made when it is first requested.
    fn cached_file(&self, path: &str) -> Option<http::File> {
        if let Some(file) = lock(&self.cache).get(path) {
            return Some(file.clone());
        }
        let file = self.make_file(path)?;
        lock(&self.cache).insert(path.to_owned(), file.clone());
        Some(file)
    }

    fn make_file(&self, path: &str) -> Option<http::File> {
        let is_page = path.ends_with(".html");
        let Some((_, output)) = self.view.find(path) else {
            let source = self.view.unavailable.get(path)?;
            return Some(self.page(&self.view.diagnostics, path, None, source, PageState::Unavailable));
        };
        match (self.view.make(path)?, &output.recipe) {
            (Ok(Bytes::Made(html)), Recipe::Theme(_) | Recipe::Translated(..)) if is_page => {
                let made = (Arc::clone(&output.from), Arc::from(&html[..]));
                lock(&self.made).insert(path.to_owned(), made);
                Some(self.page(&self.view.diagnostics, path, Some(&html), &output.from, self.shown_state(path)))
            }
            (Ok(bytes), _) => Some(http::File { tag: short_hash(&[bytes.as_ref()]), bytes }),
            // Its template fails for this page, but not for those that the template was tried with; or the program does.
            (Err(fault), _) => is_page.then(|| {
                let diagnostics: Vec<Diagnostic> =
                    fault.map(|fault| *fault).into_iter().chain(self.view.diagnostics.iter().cloned()).collect();
                let made = lock(&self.made).get(path).filter(|(from, _)| *from == output.from).cloned();
                let state = if made.is_some() { PageState::Outdated } else { PageState::Unavailable };
                self.page(&diagnostics, path, made.as_ref().map(|(_, html)| &**html), &output.from, state)
            }),
        }
    }

    /// Returns a page with the diagnostics among `all` that concern it. `html` is `None` if the page is unavailable.
    fn page(&self, all: &[Diagnostic], path: &str, html: Option<&[u8]>, source: &str, state: PageState) -> http::File {
        let drifts = self.view.drifts.iter().filter(|drift| **drift.page.path() == *source);
        let (explained, unexplained): (Vec<&Drift>, Vec<_>) =
            drifts.partition(|drift| matches!(drift.state, State::Changed(_)));
        let info = PageInfo {
            diagnostics: all,
            drifts: &explained,
            unexplained_drifts: &unexplained,
            source,
            state,
            project: self.project(),
            tools: &self.tools,
        };
        let Some(html) = html else {
            return inject(&panel::page(info, path, &self.view.config().language), &[], "", None);
        };
        let html = String::from_utf8_lossy(html);
        let mut added = panel::bars(info);
        let panel = panel::panel(info);
        if let Some(panel) = panel.as_ref().filter(|panel| !panel.is_part_of_page) {
            added.push_str(&panel.html);
        }
        let panel = panel.as_ref().filter(|panel| panel.is_part_of_page).map(|panel| &*panel.html);
        inject(&html, &self.embedded_files(path, &html), &added, panel)
    }

    /// Returns the output path of the page that would be at a path on the server.
    fn page_at(&self, path: &str) -> String {
        let base = url::decode(self.view.config().base_path());
        let path = path.strip_prefix(&base[1..]).unwrap_or(path);
        let file = if path.is_empty() || path.ends_with('/') { "index.html" } else { "" };
        format!("{path}{file}")
    }

    /// Returns the 404 page with a note that there is a draft at this path, which is not shown; `None` if there is no draft.
    fn draft(&self, path: &str) -> Option<http::File> {
        let documents = self.documents();
        let draft = documents.draft_at(&self.page_at(path))?;
        let Ok(Bytes::Made(html)) = self.view.make(NOT_FOUND)? else { return None };
        Some(self.page(&self.view.diagnostics, NOT_FOUND, Some(&html), draft.source.path(), PageState::Draft))
    }

    /// Returns the files of the course that a page embeds. Built-in files are left out: their names contain a hash.
    fn embedded_files(&self, page: &str, html: &str) -> Vec<EmbeddedFile> {
        let embedded = embedded_files::names(html).into_iter().filter_map(|name| {
            let path = embedded_files::resolve_name(page, name, self.view.config().base_path())?;
            let (_, output) = self.view.find(&path)?;
            // Only copied files: a page that embeds itself would be made without end.
            let is_copied = matches!(output.recipe, Recipe::File(_));
            Some((name.to_owned(), is_copied.then(|| self.cached_file(&path)).flatten()?.tag))
        });
        embedded.collect()
    }
}

/// Adds the preview's script to the head of a page, and the panel to its end. `added` is HTML that the script adds: bars
/// and warnings, which the page of a build does not have. The script reloads the embedded files that have changed, so the
/// page then has another tag, too.
///
/// In the built-in templates, only the end of the head can look like one, because text is escaped. In a page without a
/// head, everything comes at the end.
pub(super) fn inject(html: &str, files: &[EmbeddedFile], added: &str, panel: Option<&str>) -> http::File {
    let panel = panel.unwrap_or_default();
    let mut parts = vec![html.as_bytes(), added.as_bytes(), panel.as_bytes()];
    parts.extend(files.iter().map(|(_, tag)| tag.as_bytes()));
    let tag = short_hash(&parts);
    let data = |name: &str, text: &str| match text {
        "" | "[]" => String::new(),
        text => format!(" data-{name}=\"{}\"", escape::attribute(text)),
    };
    let (files, added) = (data("files", &json!(files).to_string()), data("added", added));
    let script = format!("<script src=\"{SCRIPT_PATH}?page={tag}\"{files}{added} defer></script>");
    let (head, rest) = html.split_at(html.find("</head>").unwrap_or(html.len()));
    http::File { bytes: [head, &script, rest, panel].concat().into(), tag }
}

/// Adds to the script of a page that a browser which shows the page that was here goes to another address.
fn moved_to(page: &http::File, address: &str) -> http::File {
    let html = String::from_utf8_lossy(page.bytes.as_ref());
    let moved = format!("<script data-moved=\"{}\" src=\"{SCRIPT_PATH}?page=", escape::attribute(address));
    let html = html.replacen(&format!("<script src=\"{SCRIPT_PATH}?page="), &moved, 1);
    http::File { bytes: html.into(), tag: Arc::clone(&page.tag) }
}

impl Site for PreviewState {
    fn file(&self, path: &str) -> Option<http::File> {
        let client_files = [(SCRIPT_PATH, SCRIPT), (STYLE_PATH, STYLE), (BESIDE_PATH, BESIDE)];
        match client_files.iter().find(|(known, _)| known.strip_prefix('/') == Some(path)) {
            Some((_, text)) => {
                Some(http::File { bytes: Bytes::Static(text.as_bytes()), tag: short_hash(&[text.as_bytes()]) })
            }
            None => self.snapshot().cached_file(path),
        }
    }

    fn not_found(&self, path: &str) -> http::File {
        let snapshot = self.snapshot();
        let page = snapshot.draft(path).or_else(|| snapshot.cached_file(NOT_FOUND));
        let page = page.unwrap_or_else(|| inject(NOT_FOUND_FALLBACK, &[], "", None));
        let moves = lock(&self.moves);
        match moves.find(&snapshot.page_at(path)).filter(|new| snapshot.view.has(new)) {
            Some(new) => moved_to(&page, &snapshot.address(new)),
            None => page,
        }
    }

    fn base_path(&self) -> String {
        self.snapshot().view.config().base_path().to_owned()
    }

    fn version(&self) -> u64 {
        self.snapshot().version
    }

    fn locate(&self, query: &BTreeMap<String, String>) -> Option<String> {
        // Before the snapshot is locked, because it locks the snapshot by itself.
        let path = http::path_of_url(self, query.get("page")?)?;
        let snapshot = self.snapshot();
        let shown = snapshot.view.find(&path).map(|(_, output)| &output.from);
        let source = shown.or_else(|| snapshot.view.unavailable.get(&*path))?;
        // The generated page of a folder without a README has no source file.
        let is_file = source.starts_with("code/") && snapshot.project().files.contains_key(source);
        let translated = snapshot.view.config().languages.of(source).and_then(|(at, page)| {
            let (_, site) = snapshot.view.site().languages().nth(at)?;
            Some((site.documents(), page))
        });
        let of_translated = translated.as_ref().map(|(documents, page)| documents.get(page));
        let documents = snapshot.documents();
        let page = PageSources {
            document: of_translated.unwrap_or_else(|| documents.get(source)),
            translation: translated.as_ref().and_then(|_| snapshot.project().text(source)).map(AsRef::as_ref),
            starter: is_file.then_some(source),
            references: snapshot.project().text(source_location::REFERENCES).map(AsRef::as_ref),
        };
        source_location::locate(query, page, &snapshot.tools.editor)
    }

    fn apply(&self, query: &BTreeMap<String, String>) -> Option<Result<(), String>> {
        let tools = Arc::clone(&self.snapshot().tools);
        let Fixes { root, token } = tools.fixes.as_ref()?;
        let (sent, id) = (query.get("token")?, query.get("fix")?);
        if sent != token {
            return None;
        }
        let changes = {
            let snapshot = self.snapshot();
            let mut fixes = snapshot.view.diagnostics.iter().flat_map(|diagnostic| &diagnostic.fixes);
            let found = fixes.find(|fix| *panel::fix_id(fix) == **id);
            found.map(|found| fix::make(snapshot.project(), found))
        };
        let gone = || Err("the course has changed since; the page will show what is left".to_owned());
        Some(changes.map_or_else(gone, |changes| emit::change(root, &changes).map_err(|error| error.to_string())))
    }
}

#[cfg(test)]
mod tests;
