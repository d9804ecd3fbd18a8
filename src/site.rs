//! The pipeline, top to bottom: [`Project`] → [`Site`] → its files. Pure functions: no clock, no environment, no file.
//!
//! 1. [`plan`] reads, links, resolves and judges everything: what it yields holds what is known of each page, all that is
//!    said of the course but for faults of templates, and a table of every output path and how its file is made;
//! 2. [`Site::make`] makes the file at one of these paths.
//!
//! A plan may be given the one before it. There is one rule for what it takes over: a value is kept if all that it was
//! made from is the very same, or has the same fingerprint ([`kept`]).

mod code_pages;
pub mod documents;
mod kept;
mod outputs;
mod pages;
mod starters;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rayon::prelude::*;

use code_pages::CodePages;
pub use documents::Documents;
use documents::Understood;
use kept::Changed;
pub use outputs::{Output, Outputs, Recipe};
use pages::{Known, Same, Wanted};
use starters::Starters;

use crate::config::Config;
use crate::course::{self, Course, PageId, starter as paths};
use crate::diag::{self, Diagnostic, Place, Severity, codes};
use crate::document::{Glossary, Kind};
use crate::lint::{self, lint};
use crate::output::{self, Bytes};
use crate::project::Project;
use crate::references::References;
use crate::render::page::Folder;
use crate::render::pin::Drift;
use crate::render::{Context, Facts, Source};
use crate::search::{Entry, Index, Subject};
use crate::theme::names::Names;
use crate::theme::{self, Assets, Cards, Common, Engine, Fault, Theme};
use crate::yaml::Date;

/// How a site is built.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Publish drafts.
    pub drafts: bool,
    /// Instead of the one in site.yaml: an absolute URL with a slash at its end.
    pub base_url: Option<crate::config::BaseUrl>,
    /// The day on which dates are judged; without it they are not.
    pub today: Option<Date>,
}

/// What a build in memory yields.
#[derive(Debug)]
pub struct Outcome {
    /// Every file by its output path; nothing if there are errors.
    pub files: Option<output::Files>,
    /// All that is to be said, sorted by place, each once.
    pub diagnostics: Vec<Diagnostic>,
    /// The excerpts whose pins are not what their files say, in the order of the pages' paths.
    pub drifts: Vec<Drift>,
    /// The pages with an excerpt that could not be compared with its file, because of an error.
    pub uncompared: BTreeSet<Arc<str>>,
}

/// Plans a site, judges it, and makes all of it in memory.
#[must_use]
pub fn build(project: &Project, options: &Options) -> Outcome {
    let site = plan(project, options, &Site::default());
    let mut diagnostics = site.judge();
    let (files, faults) = site.files();
    diagnostics.extend(faults);
    diag::sort(&mut diagnostics);
    let failed = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    let drifts = site.drifts().cloned().collect();
    Outcome { files: (!failed).then_some(files), diagnostics, drifts, uncompared: site.uncompared() }
}

/// A value that was read, and what is said of it.
#[derive(Debug, Default)]
struct WithDiagnostics<T> {
    value: T,
    diagnostics: Vec<Diagnostic>,
}

/// The linked course.
#[derive(Debug, Default)]
struct Linked {
    course: Course,
    /// The page of each document.
    ids: Vec<Option<PageId>>,
    diagnostics: Vec<Diagnostic>,
}

/// The templates; nothing where they cannot be read.
#[derive(Default)]
struct Templates {
    engine: Option<Engine>,
    diagnostics: Vec<Diagnostic>,
}

/// A planned site.
#[derive(Default, Clone)]
pub struct Site {
    options: Options,
    project: Project,
    config: Arc<WithDiagnostics<Config>>,
    references: Arc<WithDiagnostics<References>>,
    documents: Arc<Vec<Arc<Understood>>>,
    linked: Arc<Linked>,
    /// The file of the glossary, where it is published, and its terms.
    glossary: (Option<Arc<Understood>>, Arc<Glossary>),
    starters: Arc<Starters>,
    /// What is known of the documents, sorted by path.
    pages: Vec<Arc<Known>>,
    /// The same of READMEs.
    readmes: Vec<Arc<Known>>,
    code: Arc<CodePages>,
    assets: Arc<Assets>,
    templates: Arc<Templates>,
    pictures: Arc<Cards>,
    /// Made when the first page is.
    common: Arc<OnceLock<Common>>,
    /// Made when the search is asked for.
    search: Arc<OnceLock<Index>>,
    outputs: Arc<Outputs>,
    /// What is said of files that could not be read or are not used.
    said: Vec<Diagnostic>,
    /// Whether a folder could not be read in which there may be pages.
    hides_pages: bool,
}

/// Plans the site of a course. `was` is an earlier plan, of which is kept what still holds.
#[must_use]
pub fn plan(project: &Project, options: &Options, was: &Site) -> Site {
    let changed = Changed::between(&was.project.files, &project.files);
    let mut site = Site { options: options.clone(), project: project.clone(), ..Site::default() };
    site.read_settings(was, &changed);
    site.documents = Arc::new(documents::parse_all(&was.documents, project));
    site.link(was);
    site.read_glossary(was);
    let documents = site.documents.iter().filter_map(|understood| understood.document.as_ref());
    site.starters = Arc::new(starters::gather(&was.starters, documents, &site.linked.course, project));
    (site.pages, site.readmes) = site.know(was, &changed);
    site.read_theme(was, &changed);
    site.list();
    site.hides_pages = project.diagnostics.iter().any(|said| documents::may_hold_pages(&said.place.file));
    let unused = documents::templates(project).into_iter().chain(theme::unused(project));
    let lacks_reference = site.lacking().any(|known| known.facts.lacks_reference);
    let empty = documents::empty_references(project).filter(|_| lacks_reference);
    site.said = unused.chain(project.diagnostics.iter().cloned()).chain(empty).collect();
    site
}

impl Site {
    fn read_settings(&mut self, was: &Self, changed: &Changed) {
        let has_same_options = self.options.base_url == was.options.base_url;
        self.config = kept::keep(&was.config, has_same_options && changed.leaves("content/site.yaml"), || {
            let (mut value, diagnostics) = documents::config(&self.project);
            value.base_url = self.options.base_url.clone().or(value.base_url);
            WithDiagnostics { value, diagnostics }
        });
        self.references = kept::keep(&was.references, changed.leaves("content/references.yaml"), || {
            let (value, diagnostics) = documents::references(&self.project);
            WithDiagnostics { value, diagnostics }
        });
    }

    /// Links the documents into a course, which follows from their summaries.
    fn link(&mut self, was: &Self) {
        let pairs = || was.documents.iter().zip(self.documents.iter());
        let holds = Arc::ptr_eq(&self.config, &was.config)
            && self.options.drafts == was.options.drafts
            && was.documents.len() == self.documents.len()
            && pairs().all(|(was, is)| Arc::ptr_eq(was, is) || is.has_same_summary(was));
        self.linked = kept::keep(&was.linked, holds, || {
            let summaries = self.documents.iter().filter_map(|understood| understood.summary.clone()).collect();
            let (course, diagnostics) = course::assemble(summaries, &self.config.value, self.options.drafts);
            let ids = self.documents.iter().map(|understood| course.page_of(understood.path())).collect();
            Linked { course, ids, diagnostics }
        });
    }

    /// Reads the glossary, if it is published.
    fn read_glossary(&mut self, was: &Self) {
        let course = &self.linked.course;
        let is_glossary = |id: PageId| course.pages[id].kind == Kind::Glossary && course.pages[id].published;
        let mut pages = self.documents.iter().zip(&self.linked.ids);
        let found = pages.find(|(_, id)| id.is_some_and(is_glossary)).map(|(from, _)| Arc::clone(from));
        let holds = match (&found, &was.glossary.0) {
            (Some(is), Some(was)) => Arc::ptr_eq(is, was),
            (is, was) => is.is_none() && was.is_none(),
        };
        let terms = kept::keep(&was.glossary.1, holds, || {
            let document = found.as_ref().and_then(|found| found.document.as_ref());
            document.map(|document| Glossary::new(&document.body)).unwrap_or_default()
        });
        self.glossary = (found, terms);
    }

    /// Finds out what there is to know of each page and README.
    fn know(&self, was: &Self, changed: &Changed) -> (Vec<Arc<Known>>, Vec<Arc<Known>>) {
        let same = Same {
            settings: Arc::ptr_eq(&self.config, &was.config) && Arc::ptr_eq(&self.glossary.1, &was.glossary.1),
            references: Arc::ptr_eq(&self.references, &was.references),
            targets: Arc::ptr_eq(&self.linked, &was.linked)
                && !changed.targets
                && self.starters.listings.keys().eq(was.starters.listings.keys()),
        };
        let same_listing = |path: &str| self.starters.has_same(&was.starters, path);
        let pages: Vec<Wanted<'_>> = self.wanted_pages().collect();
        let readmes: Vec<Wanted<'_>> = self.wanted_readmes().collect();
        let cx = self.context();
        (
            pages::know(&was.pages, &pages, cx, same, same_listing),
            pages::know(&was.readmes, &readmes, cx, same, same_listing),
        )
    }

    fn wanted_pages(&self) -> impl Iterator<Item = Wanted<'_>> {
        let pages = self.documents.iter().zip(&self.linked.ids);
        pages.filter_map(|(from, &page)| Wanted::new(from, page, self.starters.main(from.path())))
    }

    fn wanted_readmes(&self) -> impl Iterator<Item = Wanted<'_>> {
        self.starters.readmes.iter().filter_map(|from| Wanted::new(from, None, None))
    }

    fn read_theme(&mut self, was: &Self, changed: &Changed) {
        self.assets = kept::keep(&was.assets, changed.leaves("static"), || Assets::publish(&self.project));
        self.templates = kept::keep(&was.templates, changed.leaves("templates"), || match Engine::new(&self.project) {
            Ok(engine) => Templates { engine: Some(engine), diagnostics: Vec::new() },
            Err(diagnostics) => Templates { engine: None, diagnostics },
        });
        let has_same_course = Arc::ptr_eq(&self.linked, &was.linked) && Arc::ptr_eq(&self.config, &was.config);
        self.pictures = kept::keep(&was.pictures, has_same_course, || Cards::new(self.names()));
        let has_same_references = self.references.value.is_empty() == was.references.value.is_empty();
        let holds = has_same_course && has_same_references && Arc::ptr_eq(&self.assets, &was.assets);
        self.common = kept::keep(&was.common, holds, OnceLock::new);
    }

    /// Lists what is published.
    fn list(&mut self) {
        let published = |known: &Arc<Known>| {
            let id = self.linked.course.page_of(known.path())?;
            self.linked.course.pages[id].published.then_some(id)
        };
        let pages = self.pages.iter().filter_map(|known| Some((published(known)?, &known.facts)));
        let readmes = self.readme_sources();
        let code = CodePages::new(pages, &readmes, &self.starters, &self.linked.course);
        self.code = Arc::new(code);
        let of_pages = self.pages.iter().filter(|known| published(known).is_some());
        let shown = of_pages.chain(&self.readmes).flat_map(|known| known.facts.images.iter().cloned());
        let images: BTreeSet<Arc<str>> = shown.collect();
        let raw = self.code.starters.iter().map(|starter| (paths::raw_url(&starter.path), &starter.path));
        let planned = theme::recipes(self.context(), &self.code.starters, &self.code.folders, &self.pictures);
        let search = self.search().paths();
        self.outputs = Arc::new(Outputs::new(planned, &self.assets, search, raw, &self.project, &images));
    }

    fn names(&self) -> Names<'_> {
        Names { config: &self.config.value, course: &self.linked.course }
    }

    fn context(&self) -> Context<'_> {
        Context {
            config: &self.config.value,
            course: &self.linked.course,
            project: &self.project,
            references: &self.references.value,
            glossary: &self.glossary.1,
            listings: &self.starters.listings,
        }
    }

    /// What published pages are written from, by [`PageId`].
    fn page_sources(&self) -> Vec<Option<Source<'_>>> {
        let course = &self.linked.course;
        let mut sources = vec![None; course.pages.len()];
        for (wanted, known) in self.wanted_pages().zip(&self.pages) {
            if let Some(id) = wanted.subject.page.filter(|&id| course.pages[id].published) {
                sources[id] = Some(known.source(self.context(), wanted.subject));
            }
        }
        sources
    }

    fn readme_sources(&self) -> Vec<Source<'_>> {
        let readmes = self.wanted_readmes().zip(&self.readmes);
        readmes.map(|(wanted, known)| known.source(self.context(), wanted.subject)).collect()
    }

    fn search(&self) -> &Index {
        self.search.get_or_init(|| {
            let (pages, readmes) = (self.page_sources(), self.readme_sources());
            let published = self.linked.course.pages.iter().enumerate().filter(|(_, page)| page.published);
            let published = published.map(|(id, _)| Subject::Course(id, pages[id].as_ref()));
            let files = self.code.starters.iter().map(Subject::Starter);
            let readme = |folder: &Folder| folder.readme.map(|at| &readmes[at]);
            let folders = self.code.folders.iter().map(|folder| Subject::Folder(folder, readme(folder)));
            let subjects: Vec<Subject<'_>> = published.chain(files).chain(folders).collect();
            let entry = |&subject: &Subject<'_>| Arc::new(Entry::new(self.names(), subject));
            Index::new(subjects.par_iter().map(entry).collect())
        })
    }

    /// Calls `work` with what makes the site's files.
    fn with_theme<T>(&self, work: impl FnOnce(&Theme<'_>) -> T) -> T {
        let (pages, readmes) = (self.page_sources(), self.readme_sources());
        let common = self.common.get_or_init(|| Common::new(self.context(), &self.assets));
        let input = theme::Input {
            cx: self.context(),
            pages: &pages,
            readmes: &readmes,
            starters: &self.code.starters,
            folders: &self.code.folders,
        };
        work(&Theme::new(input, common, &self.pictures, self.templates.engine.as_ref()))
    }

    fn make_with(&self, theme: &Theme<'_>, path: &str, output: &Output) -> Result<Bytes, Fault> {
        match &output.recipe {
            Recipe::Theme(recipe) => theme.make(*recipe),
            Recipe::Search => self.search().make(path).ok_or(None),
            Recipe::Bytes(bytes) => Ok(bytes.clone()),
        }
    }

    /// Makes the file at an output path; nothing where there is none.
    ///
    /// # Errors
    ///
    /// What is wrong with its template; nothing where that is among [`Self::diagnostics`].
    #[must_use]
    pub fn make(&self, path: &str) -> Option<Result<Bytes, Fault>> {
        let output = self.outputs.files.get(path)?;
        Some(match &output.recipe {
            Recipe::Bytes(bytes) => Ok(bytes.clone()),
            _ => self.with_theme(|theme| self.make_with(theme, path, output)),
        })
    }

    /// Makes every file, in parallel, and gives each to `each`. Returns what is wrong with templates, each fault once, with
    /// the first file that it was met on.
    pub fn make_all(&self, each: impl Fn(&str, Bytes) + Sync) -> Vec<Diagnostic> {
        let files: Vec<(&Arc<str>, &Output)> = self.outputs.files.iter().collect();
        let faults: Vec<(&str, Box<Diagnostic>)> = self.with_theme(|theme| {
            let made = files.par_iter().filter_map(|&(path, output)| match self.make_with(theme, path, output) {
                Ok(bytes) => {
                    each(path, bytes);
                    None
                }
                Err(fault) => Some((&**path, fault?)),
            });
            made.collect()
        });
        let mut first: BTreeMap<(Place, String), Diagnostic> = BTreeMap::new();
        for (path, fault) in faults {
            let with_file = || Diagnostic::clone(&fault).note(format!("first met on `{path}`"));
            first.entry((fault.place.clone(), fault.message.clone())).or_insert_with(with_file);
        }
        first.into_values().collect()
    }

    /// Makes every file in memory; also returns what is wrong with templates.
    #[must_use]
    pub fn files(&self) -> (output::Files, Vec<Diagnostic>) {
        let files = Mutex::new(output::Files::new());
        let faults = self.make_all(|path, bytes| {
            files.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), bytes);
        });
        (files.into_inner().unwrap_or_else(PoisonError::into_inner), faults)
    }

    /// Whether it is known that a file can be made, if its template has no fault.
    #[must_use]
    pub fn can_make(&self, output: &Output) -> bool {
        match output.recipe {
            Recipe::Theme(recipe) => recipe.can_be_made(&self.linked.course, self.templates.engine.is_some()),
            Recipe::Search | Recipe::Bytes(_) => true,
        }
    }

    /// Makes one file with each template; returns what is wrong with templates.
    #[must_use]
    pub fn try_templates(&self) -> Vec<Diagnostic> {
        let mut first: BTreeMap<&str, theme::Recipe> = BTreeMap::new();
        self.with_theme(|theme| {
            for output in self.outputs.files.values() {
                if let Recipe::Theme(recipe) = output.recipe {
                    theme.template(recipe).into_iter().for_each(|name| _ = first.entry(name).or_insert(recipe));
                }
            }
            first.values().filter_map(|recipe| theme.make(*recipe).err()?).map(|fault| *fault).collect()
        })
    }

    /// The files of the course.
    #[must_use]
    pub fn project(&self) -> &Project {
        &self.project
    }

    /// The files, by their output paths.
    #[must_use]
    pub fn outputs(&self) -> &BTreeMap<Arc<str>, Output> {
        &self.outputs.files
    }

    /// The pages and READMEs that name something that is not there or could not be read.
    fn lacking(&self) -> impl Iterator<Item = &Arc<Known>> {
        self.pages.iter().chain(&self.readmes).filter(|known| known.facts.lacks_something())
    }

    /// The files of the pages and READMEs of which something is not known, because they name what is not there or could
    /// not be read; which has been reported, perhaps elsewhere.
    pub fn incomplete(&self) -> impl Iterator<Item = &str> {
        self.lacking().map(|known| known.path())
    }

    /// All that is to be said of the course but for lints and for templates that cannot make a page, in no order.
    pub fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        let settings = self.config.diagnostics.iter().chain(&self.references.diagnostics);
        let documents = self.documents.iter().flat_map(|understood| &understood.diagnostics);
        let known = self.pages.iter().chain(&self.readmes).flat_map(|known| &known.diagnostics);
        let linked = self.linked.diagnostics.iter().chain(self.starters.diagnostics());
        let theme = self.templates.diagnostics.iter().chain(&self.assets.diagnostics).chain(&self.outputs.diagnostics);
        let all = settings.chain(documents).chain(linked).chain(known).chain(theme).chain(&self.said);
        // Settings that are not understood may allow the HTML that the defaults refuse, and a folder that is not read may
        // hold the pages and tracks that are missed.
        let is_understood = self.config.value.tracks.is_known && self.config.diagnostics.is_empty();
        let of_pages = [codes::E0009, codes::E0010, codes::E0401];
        all.filter(move |said| is_understood || said.code != codes::W0202)
            .filter(move |said| !(self.hides_pages && of_pages.contains(&said.code)))
    }

    /// What the lints say. `errors` are [`Self::diagnostics`].
    #[must_use]
    pub fn lint(&self, errors: &[Diagnostic]) -> Vec<Diagnostic> {
        let subjects: Vec<_> = self.wanted_pages().chain(self.wanted_readmes()).map(|wanted| wanted.subject).collect();
        let facts: Vec<&Facts> = self.pages.iter().chain(&self.readmes).map(|known| &known.facts).collect();
        let input = lint::Input { cx: self.context(), subjects: &subjects, pages: &facts, today: self.options.today };
        lint(input, errors)
    }

    /// All that is to be said, lints included, but for templates that cannot make a page: sorted by place, each once.
    #[must_use]
    pub fn judge(&self) -> Vec<Diagnostic> {
        let mut diagnostics: Vec<Diagnostic> = self.diagnostics().cloned().collect();
        diagnostics.extend(self.lint(&diagnostics));
        diag::sort(&mut diagnostics);
        diagnostics
    }

    /// The settings.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config.value
    }

    /// The excerpts whose pins are not what their files say, in the order of the pages' paths.
    pub fn drifts(&self) -> impl Iterator<Item = &Drift> {
        self.pages.iter().chain(&self.readmes).flat_map(|known| &known.facts.drifts)
    }

    /// The files of the pages with an excerpt that could not be compared with its file.
    #[must_use]
    pub fn uncompared(&self) -> BTreeSet<Arc<str>> {
        let known = self.pages.iter().chain(&self.readmes).filter(|known| known.facts.is_uncompared);
        known.map(|known| Arc::from(known.path())).collect()
    }

    /// What the pages are made of.
    #[must_use]
    pub fn documents(&self) -> Documents {
        Documents { of_course: Arc::clone(&self.documents), starters: Arc::clone(&self.starters) }
    }
}

#[cfg(test)]
mod tests;
