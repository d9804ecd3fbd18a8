//! A course becomes a site, in memory: this crate is the pipeline from the files of a course to those of its site, and the
//! lints. It knows neither environment nor disk nor clock: the day is one of the [`Options`].
//!
//! 1. [`plan()`] parses everything, connects the pages into a course, resolves and checks. The result, a [`Site`], holds the
//!    facts of each page, all diagnostics except those of lints and those that show only when a template is rendered, and a
//!    table from output paths to recipes.
//! 2. [`Site::make`] makes the file at a path, also those of the search index (`search`).
//! 3. [`Site::judge`] returns the diagnostics together with those of the lints (`lint`), sorted.
//!
//! A plan can reuse values of the previous plan. There is one rule (`reuse`): a value is kept if everything that it
//! was made from is unchanged, by pointer or by fingerprint.
//!
//! ```
//! use std::sync::Arc;
//!
//! use infralens_site::{Options, Site, plan};
//! use infralens_source::project::{File, Project};
//! use infralens_source::source::Source;
//!
//! let mut project = Project::default();
//! for (path, text) in [("content/site.yaml", "title: Kernels\n"), ("content/a.md", "---\ntitle: A\n---\n\n[B](b.md)\n")] {
//!     project.put(&path.into(), Some(File::Text(Arc::new(Source::new(path, text)))));
//! }
//! // `Site::default()`: there is no previous plan. Without a theme (`Options::builtin`), pages are planned and checked, but
//! // cannot be made.
//! let site = plan(&project, &Options::default(), &Site::default());
//! assert!(site.output("a.html").is_some());
//! assert!(site.diagnostics().any(|diagnostic| diagnostic.message.contains("b.md")));
//! ```

mod addresses;
mod code_pages;
mod documents;
mod drifts;
mod extra;
mod isolate;
mod languages;
mod lint;
mod make;
mod names;
mod outputs;
mod pages;
mod plan;
mod reuse;
mod search;
mod starters;
mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

pub use addresses::Address;
use code_pages::CodePages;
use documents::ParsedFile;
pub use documents::{Documents, may_hold_pages, not_text, parse_pages};
pub use drifts::{Drifts, ValueDrift};
pub use lint::Dates;
use outputs::Outputs;
pub use outputs::{Output, Recipe};
use pages::{PageFacts, PageInput};
pub use plan::plan;
use starters::Starters;
pub use starters::{Scope, UnreadableFiles};
use values::CourseValues;

use infralens_course::config::Config;
use infralens_course::course::{Course, PageId};
use infralens_course::links::Links;
use infralens_course::records::Records;
use infralens_course::references::References;
use infralens_page::{Glossary, Kind};
use infralens_render::figures::PinDrift;
use infralens_render::marks::Marks;
use infralens_render::pin::Drift;
use infralens_render::unbound::UnboundCode;
use infralens_render::{self as render, Context, Facts, ResolvedPage, Subject};
use infralens_source::diag::{self, Diagnostic, Severity, codes};
use infralens_source::output;
use infralens_source::project::Project;
use infralens_source::yaml::Date;
use infralens_starter::excerpt::Row;
use infralens_starter::moved::CodeIndex;
pub use infralens_theme::Fault;
use infralens_theme::{AssetFile, Assets, Builtin, Engine, Look, Names, SharedValues, SocialCards};
use languages::TranslatedPages;
use lint::lint;
use search::Index;

/// Options that change what a build produces.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Publish drafts.
    pub drafts: bool,
    /// Overrides `base_url` in site.yaml: an absolute URL that ends with a slash.
    pub base_url: Option<infralens_course::config::BaseUrl>,
    /// The current day, against which dates are checked; `None` disables these checks.
    pub today: Option<Date>,
    /// The files that the site has unless the course replaces them. Without them, no page can be made.
    pub builtin: Builtin,
    /// Whether a panic of this program while it works on one file is an error of that file, and does not end everything.
    pub isolates_bugs: bool,
    /// The changes that pages mark.
    pub marks: Option<Arc<Marks>>,
}

impl Options {
    /// Returns the options of a plain build with these built-in files.
    pub fn new(builtin: Builtin) -> Self {
        Self { builtin, ..Self::default() }
    }
}

/// The result of a build in memory.
#[derive(Debug)]
pub struct Outcome {
    /// Every file by its output path; `None` if there are errors.
    pub files: Option<output::Files>,
    /// All diagnostics, sorted by place, without duplicates.
    pub diagnostics: Vec<Diagnostic>,
    /// The excerpts whose pins differ from their files, in the order of the pages' paths.
    pub drifts: Vec<Drift>,
    /// The pages that have an excerpt that could not be compared with its file because of an error.
    pub uncompared: BTreeSet<Arc<str>>,
}

/// Plans a site, runs all checks, and makes every file in memory.
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

/// A value and the diagnostics of reading it.
#[derive(Debug, Default)]
struct WithDiagnostics<T> {
    value: T,
    diagnostics: Vec<Diagnostic>,
}

#[derive(Debug, Default, Clone)]
struct LinkedCourse {
    course: Course,
    /// The page of each document.
    ids: Vec<Option<PageId>>,
    diagnostics: Vec<Diagnostic>,
}

/// A planned site: everything that is known about it, and how to make each of its files.
#[derive(Default, Clone)]
pub struct Site {
    options: Options,
    project: Project,
    config: Arc<WithDiagnostics<Config>>,
    references: Arc<WithDiagnostics<References>>,
    links: Arc<WithDiagnostics<Links>>,
    documents: Arc<Vec<Arc<ParsedFile>>>,
    linked: Arc<LinkedCourse>,
    /// The glossary's file, if it is published, and its terms.
    glossary: (Option<Arc<ParsedFile>>, Arc<Glossary>),
    starters: Arc<Starters>,
    records: Arc<Records>,
    values: Arc<CourseValues>,
    /// The tracks of pages that have calculators; `None` is for pages outside all tracks.
    tracks_with_calculators: Arc<BTreeSet<Option<usize>>>,
    /// The facts of each page, sorted by path.
    pages: Vec<Arc<PageFacts>>,
    /// The facts of each README, sorted by path.
    readmes: Vec<Arc<PageFacts>>,
    code: Arc<CodePages>,
    /// The lines of all starter files; computed when code is first searched for.
    code_index: Arc<CodeIndex>,
    look: Arc<Look>,
    assets: Arc<Assets>,
    /// The template engine; `None` if a template cannot be read.
    templates: Arc<WithDiagnostics<Option<Engine>>>,
    social_cards: Arc<SocialCards>,
    /// The reading order of each track, as a script.
    orders: Arc<Vec<Option<AssetFile>>>,
    /// The script of the dialogs, unless its template has a fault; initialized when the first page is made.
    dialogs: Arc<OnceLock<Option<AssetFile>>>,
    /// Initialized when the first page is made.
    shared_values: Arc<OnceLock<SharedValues>>,
    /// Faults in templates; initialized when the templates are first tried.
    template_faults: Arc<OnceLock<Vec<Diagnostic>>>,
    /// The search index; initialized when it is first needed.
    search: Arc<OnceLock<Index>>,
    outputs: Arc<Outputs>,
    /// The outputs without those of other languages, if there are any.
    own_outputs: Arc<Outputs>,
    /// The other languages, each with its site.
    languages: Vec<(Arc<str>, Arc<Site>)>,
    /// On the site of another language, the pages that have a translation.
    translations: TranslatedPages,
    /// What is wrong with translations, and what they lack.
    translation_diagnostics: Vec<Diagnostic>,
    /// Diagnostics for files that could not be read or are not used.
    file_diagnostics: Vec<Diagnostic>,
    /// Names of files that mislead.
    names: Arc<Vec<Diagnostic>>,
    /// Whether a folder that may contain pages could not be read.
    hides_pages: bool,
}

impl Site {
    pub(crate) fn names(&self) -> Names<'_> {
        Names { config: &self.config.value, course: &self.linked.course }
    }

    /// Plans the site of other files, and takes over what is unchanged.
    pub fn replan(&self, project: &Project) -> Self {
        plan::plan(project, &self.options, self)
    }

    /// Returns everything that rendering depends on besides a document.
    pub fn context(&self) -> Context<'_> {
        Context {
            config: &self.config.value,
            course: &self.linked.course,
            project: &self.project,
            references: &self.references.value,
            glossary: &self.glossary.1,
            listings: &self.starters.listings,
            values: &self.values,
            tracks_with_calculators: &self.tracks_with_calculators,
            code: &self.code_index,
            marks: self.options.marks.as_deref(),
        }
    }

    fn page_inputs(&self) -> impl Iterator<Item = PageInput<'_>> {
        let pages = self.documents.iter().zip(&self.linked.ids);
        // Both lists are sorted by path.
        let mut main_files = self.starters.main_files().peekable();
        pages.filter_map(move |(from, &page)| {
            while main_files.next_if(|(path, _)| reuse::order(path, from.path()).is_lt()).is_some() {}
            let main_file = main_files.next_if(|(path, _)| *path == *from.path());
            PageInput::new(from, page, main_file.map(|(_, file)| file.as_str()))
        })
    }

    fn readme_inputs(&self) -> impl Iterator<Item = PageInput<'_>> {
        self.starters.readmes.iter().filter_map(|from| PageInput::new(from, None, None))
    }

    /// Returns the sources of published pages, indexed by [`PageId`].
    fn page_sources(&self) -> Vec<Option<ResolvedPage<'_>>> {
        let course = &self.linked.course;
        let mut sources = vec![None; course.pages.len()];
        for (wanted, known) in self.page_inputs().zip(&self.pages) {
            if let Some(id) = wanted.subject.page.filter(|&id| course.pages[id].published) {
                sources[id] = Some(known.source(self.context(), wanted.subject));
            }
        }
        sources
    }

    /// Returns the pages and READMEs, with what was resolved on them.
    pub fn sources(&self) -> impl Iterator<Item = ResolvedPage<'_>> {
        let pages = self.page_inputs().zip(&self.pages).chain(self.readme_inputs().zip(&self.readmes));
        pages.map(|(wanted, known)| known.source(self.context(), wanted.subject))
    }

    /// Returns the page or README of a file.
    pub fn source(&self, path: &str) -> Option<ResolvedPage<'_>> {
        self.sources().find(|source| **source.subject.document.source.path() == *path)
    }

    fn readme_sources(&self) -> Vec<ResolvedPage<'_>> {
        let readmes = self.readme_inputs().zip(&self.readmes);
        readmes.map(|(wanted, known)| known.source(self.context(), wanted.subject)).collect()
    }

    /// Returns the files of the course.
    pub fn project(&self) -> &Project {
        &self.project
    }

    /// Returns all output paths, sorted.
    pub fn paths(&self) -> Vec<Arc<str>> {
        let of_languages = self
            .languages
            .iter()
            .flat_map(|(tag, site)| site.late_paths().into_iter().map(move |path| Arc::from(site.outer(tag, &path))));
        let late = self.late_paths().into_iter().chain(of_languages);
        let late = late.filter(|path| !self.outputs.files.contains_key(path));
        let mut paths: Vec<Arc<str>> = self.outputs.files.keys().cloned().chain(late).collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    /// Returns the paths of the files that are not listed.
    fn late_paths(&self) -> Vec<Arc<str>> {
        // The index is planned before the values that templates share are made, because planning it takes more memory than it
        // keeps.
        let index = self.search();
        let scripts = self.orders.iter().flatten().map(|file| Arc::clone(&file.path)).chain(self.dialogs());
        index.paths().map(Arc::from).chain(scripts).collect()
    }

    /// Returns the outputs without those of other languages.
    fn outputs_of_source(&self) -> &Arc<Outputs> {
        if self.languages.is_empty() { &self.outputs } else { &self.own_outputs }
    }

    /// Returns the files by output path, without [`Recipe::Late`].
    pub fn outputs(&self) -> &BTreeMap<Arc<str>, Output> {
        &self.outputs.files
    }

    /// Returns the file at an output path.
    pub fn output(&self, path: &str) -> Option<&Output> {
        self.outputs.files.get(path).or_else(|| self.late_site(path).map(|_| &self.outputs.late))
    }

    /// Returns the site, of this or another language, that makes a file that is not listed, and its path there.
    fn late_site<'p>(&self, path: &'p str) -> Option<(&Self, &'p str)> {
        let is_index = |site: &Self, path: &str| path.starts_with(search::PREFIX) && site.search().has(path);
        if self.is_shared_script(path) || is_index(self, path) {
            return Some((self, path));
        }
        let shared = self.languages.iter().map(|(_, site)| &**site).find(|site| site.is_shared_script(path));
        let in_language = || self.in_language(path).filter(|(site, inner)| is_index(site, inner));
        shared.map(|site| (site, path)).or_else(in_language)
    }

    /// Whether a path is that of a script which is no file of one language alone: a reading order, or the dialogs.
    fn is_shared_script(&self, path: &str) -> bool {
        // The dialogs are only made for a path that can be theirs.
        self.order(path).is_some() || path.starts_with("assets/dialogs.") && self.dialogs().as_deref() == Some(path)
    }

    /// Returns the reading order whose script is at an output path.
    fn order(&self, path: &str) -> Option<&AssetFile> {
        self.orders.iter().flatten().find(|file| *file.path == *path)
    }

    /// Returns the pages and READMEs that refer to something that is missing or unreadable.
    fn incomplete_pages(&self) -> impl Iterator<Item = &Arc<PageFacts>> {
        self.pages.iter().chain(&self.readmes).filter(|known| known.facts.is_incomplete())
    }

    /// Returns the files of pages and READMEs whose facts are incomplete because they refer to something missing or
    /// unreadable. The cause has been reported, perhaps in another file.
    pub fn incomplete(&self) -> impl Iterator<Item = &str> {
        self.incomplete_pages().map(|known| known.path())
    }

    /// Returns all diagnostics, unsorted, without lints and without faults that show only when a template is rendered.
    pub fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        let settings =
            self.config.diagnostics.iter().chain(&self.references.diagnostics).chain(&self.links.diagnostics);
        let documents = self.documents.iter().flat_map(|parsed| &parsed.diagnostics);
        let known = self.pages.iter().chain(&self.readmes).flat_map(|known| &known.diagnostics);
        let linked = self.linked.diagnostics.iter().chain(self.starters.diagnostics());
        let values = self.values.values().flat_map(|values| &values.diagnostics);
        let linked = linked.chain(&self.records.diagnostics);
        let theme = self.templates.diagnostics.iter().chain(&self.assets.diagnostics).chain(&self.look.diagnostics);
        let theme = theme.chain(&self.outputs.diagnostics);
        let all = settings
            .chain(documents)
            .chain(linked)
            .chain(values)
            .chain(known)
            .chain(theme)
            .chain(&self.file_diagnostics)
            .chain(&*self.names)
            .chain(&self.translation_diagnostics);
        // Settings with errors may allow the HTML that the defaults refuse, and a folder that could not be read may
        // contain the missing pages and tracks.
        let is_understood = self.config.value.tracks.is_complete && self.config.diagnostics.is_empty();
        let of_pages = [codes::E0009, codes::E0010, codes::E0012, codes::E0401];
        all.filter(move |diagnostic| is_understood || diagnostic.code != codes::W0202)
            .filter(move |diagnostic| !(self.hides_pages && of_pages.contains(&diagnostic.code)))
    }

    /// Runs the lints. `errors` are [`Self::diagnostics`].
    pub fn lint(&self, errors: &[Diagnostic]) -> Vec<Diagnostic> {
        let inputs = || self.page_inputs().chain(self.readme_inputs());
        let subjects: Vec<_> = inputs().map(|wanted| wanted.subject).collect();
        let own: Vec<_> = inputs().map(|wanted| &wanted.from.linted).collect();
        let facts: Vec<&Facts> = self.pages.iter().chain(&self.readmes).map(|known| &known.facts).collect();
        let (links, today) = (&self.links.value, self.options.today);
        let input = lint::Input { cx: self.context(), subjects: &subjects, pages: &facts, own: &own, links, today };
        lint(input, errors)
    }

    /// Returns all diagnostics including lints, without faults that show only when a template is rendered: sorted by
    /// place, without duplicates.
    pub fn judge(&self) -> Vec<Diagnostic> {
        let mut diagnostics: Vec<Diagnostic> = self.diagnostics().cloned().collect();
        diagnostics.extend(self.lint(&diagnostics));
        diag::sort(&mut diagnostics);
        diagnostics
    }

    pub fn config(&self) -> &Config {
        &self.config.value
    }

    /// Returns what the addresses of other sites answered when they were last visited.
    pub fn links(&self) -> &Links {
        &self.links.value
    }

    /// Returns the records of labs.
    pub fn records(&self) -> &Records {
        &self.records
    }

    /// Returns the excerpts of a starter on pages: the path of the page's source file, the index of the excerpt in it, and the
    /// lines, from 0, that it shows.
    pub fn excerpts_of(&self, starter: &str) -> impl Iterator<Item = (&str, usize, Vec<usize>)> {
        let excerpts =
            self.pages.iter().flat_map(|known| known.facts.excerpts.iter().map(|excerpt| (known.path(), excerpt)));
        excerpts.filter(move |(_, excerpt)| **excerpt.listing.source().path() == *starter).map(|(page, excerpt)| {
            let lines = excerpt.shown.rows.iter().filter_map(|row| match row {
                Row::Line(line) => Some(*line),
                Row::Omitted(_) => None,
            });
            (page, excerpt.index, lines.collect())
        })
    }

    /// The excerpts whose pins differ from their files, in the order of the pages' paths.
    pub fn drifts(&self) -> impl Iterator<Item = &Drift> {
        self.pages.iter().chain(&self.readmes).flat_map(|known| &known.facts.drifts)
    }

    /// Returns everything that `sync` could bring up to date, sorted by page.
    pub fn all_drifts(&self) -> Drifts {
        let facts = || self.pages.iter().chain(&self.readmes).map(|known| &known.facts);
        let mut excerpts: Vec<Drift> = facts().flat_map(|facts| &facts.drifts).cloned().collect();
        excerpts.sort_by(|a, b| (a.page.path(), a.excerpt).cmp(&(b.page.path(), b.excerpt)));
        let links = facts().flat_map(|facts| &facts.link_drifts).cloned().collect();
        Drifts { excerpts, values: self.value_drifts(), links }
    }

    /// Returns the pins of values that do not say what their value is, in the order of the pages' paths.
    fn value_drifts(&self) -> Vec<ValueDrift> {
        let drifts = self.values.iter().flat_map(|(path, values)| values.drifts.iter().map(move |pin| (path, pin)));
        let of_page = |(path, pin): (&Arc<str>, &PinDrift)| {
            let at = self.documents.binary_search_by(|parsed| parsed.path().cmp(path)).ok()?;
            let page = Arc::clone(&self.documents[at].document.as_ref()?.source);
            Some(ValueDrift { page, pin: pin.clone() })
        };
        drifts.filter_map(of_page).collect()
    }

    /// Returns the files of pages that have an excerpt that could not be compared with its file.
    pub fn uncompared(&self) -> BTreeSet<Arc<str>> {
        let known = self.pages.iter().chain(&self.readmes).filter(|known| known.facts.is_uncompared);
        known.map(|known| Arc::from(known.path())).collect()
    }

    /// Returns the pages.
    pub fn subjects(&self) -> impl Iterator<Item = Subject<'_>> {
        self.page_inputs().map(|page| page.subject)
    }

    /// Returns the lines of all starter files, in which code is found.
    pub fn code(&self) -> &CodeIndex {
        &self.code_index
    }

    /// Returns the code spans of labs that are in an excerpt of their page, to which no note is bound there.
    pub fn unbound_code(&self) -> Vec<UnboundCode> {
        let labs = self.page_inputs().zip(&self.pages);
        let labs = labs.filter(|(lab, _)| lab.subject.document.placement.kind == Kind::Lab);
        labs.flat_map(|(lab, known)| render::unbound::find(lab.subject.document, &known.facts)).collect()
    }

    /// Returns the parsed content files and READMEs.
    pub fn documents(&self) -> Documents {
        Documents { of_course: Arc::clone(&self.documents), starters: Arc::clone(&self.starters) }
    }
}

#[cfg(test)]
mod tests;
