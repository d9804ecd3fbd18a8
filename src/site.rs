//! The pipeline, top to bottom: [`Project`] → [`Site`] → its files. Pure functions: no clock, no environment, no file.
//!
//! 1. [`plan()`] reads, links, resolves and judges everything: what it yields holds what is known of each page, all that is
//!    said of the course but for faults of templates, and a table of every output path and how its file is made;
//! 2. [`Site::make`] makes the file at one of these paths.
//!
//! A plan may be given the one before it. There is one rule for what it takes over: a value is kept if all that it was
//! made from is the very same, or has the same fingerprint ([`kept`]).

mod code_pages;
pub mod documents;
mod kept;
mod make;
mod outputs;
mod pages;
mod plan;
mod starters;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use code_pages::CodePages;
pub use documents::Documents;
use documents::Understood;
use outputs::SEARCH;
pub use outputs::{Output, Outputs, Recipe};
use pages::{PageFacts, Wanted};
pub use plan::plan;
use starters::Starters;

use crate::config::Config;
use crate::course::{Course, PageId};
use crate::diag::{self, Diagnostic, Severity, codes};
use crate::document::Glossary;
use crate::lint::{self, lint};
use crate::output;
use crate::project::Project;
use crate::references::References;
use crate::render::pin::Drift;
use crate::render::{Context, Facts, Source};
use crate::search::Index;
use crate::theme::names::Names;
use crate::theme::{Assets, Cards, Common, Engine};
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
#[derive(Debug, Default, Clone)]
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
    pages: Vec<Arc<PageFacts>>,
    /// The same of READMEs.
    readmes: Vec<Arc<PageFacts>>,
    code: Arc<CodePages>,
    assets: Arc<Assets>,
    templates: Arc<Templates>,
    pictures: Arc<Cards>,
    /// Made when the first page is.
    common: Arc<OnceLock<Common>>,
    /// What is wrong with templates, once they have been tried.
    tried: Arc<OnceLock<Vec<Diagnostic>>>,
    /// Made when the search is asked for.
    search: Arc<OnceLock<Index>>,
    outputs: Arc<Outputs>,
    /// What is said of files that could not be read or are not used.
    said: Vec<Diagnostic>,
    /// Whether a folder could not be read in which there may be pages.
    hides_pages: bool,
}

impl Site {
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

    fn wanted_pages(&self) -> impl Iterator<Item = Wanted<'_>> {
        let pages = self.documents.iter().zip(&self.linked.ids);
        pages.filter_map(|(from, &page)| Wanted::new(from, page, self.starters.main(from.path())))
    }

    fn wanted_readmes(&self) -> impl Iterator<Item = Wanted<'_>> {
        self.starters.readmes.iter().filter_map(|from| Wanted::new(from, None, None))
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

    /// The files of the course.
    #[must_use]
    pub fn project(&self) -> &Project {
        &self.project
    }

    /// The output paths, sorted.
    #[must_use]
    pub fn paths(&self) -> Vec<Arc<str>> {
        let search = self.search().paths().map(Arc::from).filter(|path| !self.outputs.files.contains_key(path));
        let mut paths: Vec<Arc<str>> = self.outputs.files.keys().cloned().chain(search).collect();
        paths.sort_unstable();
        paths
    }

    /// The files, by their output paths, but for those of the search's index: which there are is known only when it is
    /// made.
    #[must_use]
    pub fn outputs(&self) -> &BTreeMap<Arc<str>, Output> {
        &self.outputs.files
    }

    /// The file at an output path.
    #[must_use]
    pub fn output(&self, path: &str) -> Option<&Output> {
        let of_search = || path.starts_with(SEARCH).then(|| self.search().has(path).then_some(&self.outputs.search))?;
        self.outputs.files.get(path).or_else(of_search)
    }

    /// The pages and READMEs that name something that is not there or could not be read.
    fn lacking(&self) -> impl Iterator<Item = &Arc<PageFacts>> {
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
        let is_understood = self.config.value.tracks.is_complete && self.config.diagnostics.is_empty();
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
