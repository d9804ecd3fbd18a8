//! The pipeline, top to bottom: [`Project`] → site. A pure function: no clock, no environment, no file.
//!
//! [`build`] does it once. A [`Memo`] does it again and again: each stage keeps what it made of the very same input, so that
//! a change costs what it reaches, and yields what a build from nothing would.

mod code_pages;
mod diff;
pub mod documents;
mod kept;
mod linked;
mod outputs;
mod pages;
mod starters;

use std::collections::BTreeSet;
use std::sync::Arc;

use code_pages::CodePages;
use diff::Diff;
pub use documents::Documents;
use documents::Understood;
use linked::Linked;
pub use outputs::{Files as OutputFiles, Output, Outputs};
use pages::{Pages, Reach, Rendered, Since, Wanted};
use starters::Starters;

use crate::config::Config;
use crate::course::PageId;
use crate::diag::{self, Diagnostic, Severity, codes};
use crate::document::{Glossary, Kind};
use crate::lint::{self, lint};
use crate::output;
use crate::project::{Files, Project};
use crate::references::References;
use crate::render::pin::Drift;
use crate::render::{Context, Page, Subject};
use crate::search;
use crate::theme;
use crate::theme::names::Names;
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

/// What a build yields.
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

/// Builds the site, and judges it.
#[must_use]
pub fn build(project: &Project, options: &Options) -> Outcome {
    let mut memo = Memo::new(options.clone());
    memo.build(project);
    let mut diagnostics: Vec<Diagnostic> = memo.diagnostics().cloned().collect();
    diagnostics.extend(memo.lint(project, &diagnostics));
    diag::sort(&mut diagnostics);
    let failed = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    let drifts = memo.drifts().cloned().collect();
    let uncompared = memo.uncompared();
    Outcome { files: (!failed).then(|| memo.outputs.into_files()), diagnostics, drifts, uncompared }
}

/// A value that was read, and what is said of it.
#[derive(Debug, Default)]
struct Said<T> {
    value: T,
    diagnostics: Vec<Diagnostic>,
}

/// A site, and all that a build of it leaves for the next one.
#[derive(Default, Clone)]
pub struct Memo {
    options: Options,
    is_built: bool,
    /// The course as it was built last.
    files: Files,
    config: Arc<Said<Config>>,
    references: Arc<Said<References>>,
    documents: Arc<Vec<Arc<Understood>>>,
    linked: Arc<Linked>,
    /// The file of the glossary, where it is published, and its terms.
    glossary: (Option<Arc<Understood>>, Arc<Glossary>),
    starters: Arc<Starters>,
    /// Pages of the course, sorted by path.
    rendered: Vec<Arc<Rendered>>,
    /// READMEs, sorted by path.
    readmes: Vec<Arc<Rendered>>,
    code: CodePages,
    theme: theme::Memo,
    search: search::Memo,
    outputs: Outputs,
    /// What is said of templates, and of files that could not be read.
    said: Vec<Diagnostic>,
    /// Whether a folder could not be read in which there may be pages.
    hides_pages: bool,
}

/// One build.
struct Step<'a> {
    /// The course as it is.
    project: &'a Project,
    /// How it differs from what it was.
    diff: Diff,
    /// What the last build left.
    was: Memo,
}

impl Memo {
    /// Nothing yet.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    /// Nothing, to be built with the same options.
    #[must_use]
    pub fn anew(&self) -> Self {
        Self::new(self.options.clone())
    }

    /// Builds the site of a course, which may be another one than before; what is the same is kept.
    pub fn build(&mut self, project: &Project) {
        let was = std::mem::replace(self, Self::new(self.options.clone()));
        let mut step = Step { project, diff: Diff::between(&was.files, &project.files), was };
        self.files = project.files.clone();
        self.is_built = true;

        let mut same = self.read_settings(&step);
        self.documents = Arc::new(documents::parse_all(&step.was.documents, project));
        let reach = self.link(&mut step, same.config);
        same.course = reach != Reach::All;
        self.read_glossary(&step.was);
        let names_the_same = self.gather(&step, same.course);
        let pages = self.render(&step, same, reach);
        self.code = self.code_pages(&step, &pages, names_the_same);
        self.said = self.theme(step, &pages, same);
        self.hides_pages = project.diagnostics.iter().any(|said| documents::may_hold_pages(&said.place.file));
        let unused = documents::templates(project).into_iter().chain(theme::unused(project));
        self.said.extend(project.diagnostics.iter().cloned().chain(unused));
        let lacks_reference = self.lacking().any(|rendered| rendered.page.lacks_reference);
        self.said.extend(documents::empty_references(project).filter(|_| lacks_reference));
    }

    fn read_settings(&mut self, step: &Step<'_>) -> theme::Same {
        let Step { project, was, diff } = step;
        let stands = |path: &str| was.is_built && !diff.touches(path);
        let same = theme::Same {
            config: stands("content/site.yaml"),
            references: stands("content/references.yaml"),
            templates: stands("templates"),
            course: false,
        };
        self.config = if same.config {
            Arc::clone(&was.config)
        } else {
            let (mut config, diagnostics) = documents::config(project);
            config.base_url = self.options.base_url.clone().or(config.base_url);
            Arc::new(Said { value: config, diagnostics })
        };
        self.references = if same.references {
            Arc::clone(&was.references)
        } else {
            let (value, diagnostics) = documents::references(project);
            Arc::new(Said { value, diagnostics })
        };
        same
    }

    /// Links the documents into a course; returns how far what has changed in them reaches.
    fn link(&mut self, step: &mut Step<'_>, same_config: bool) -> Reach {
        let was = &mut step.was;
        let reach = if same_config { linked::reach(&was.documents, &self.documents) } else { Reach::All };
        self.linked = match &reach {
            Reach::Nothing => std::mem::take(&mut was.linked),
            Reach::Headings(of) => linked::with_headings(std::mem::take(&mut was.linked), &self.documents, of),
            Reach::All => Arc::new(Linked::new(&self.documents, &self.config.value, self.options.drafts)),
        };
        reach
    }

    /// Reads the glossary, if it is another one than before.
    fn read_glossary(&mut self, was: &Self) {
        let course = &self.linked.course;
        let pages = self.documents.iter().zip(&self.linked.ids);
        let published = |id: &Option<PageId>| id.is_some_and(|id| course.pages[id].published);
        let is_glossary = |id: &Option<PageId>| id.is_some_and(|id| course.pages[id].kind == Kind::Glossary);
        let found =
            pages.into_iter().find(|(_, id)| is_glossary(id) && published(id)).map(|(from, _)| Arc::clone(from));
        let is_same = match (&found, &was.glossary.0) {
            (Some(is), Some(was)) => Arc::ptr_eq(is, was),
            (is, was) => is.is_none() && was.is_none(),
        };
        let terms = if is_same {
            Arc::clone(&was.glossary.1)
        } else {
            let document = found.as_ref().and_then(|found| found.document.as_ref());
            Arc::new(document.map(|document| Glossary::new(&document.body)).unwrap_or_default())
        };
        self.glossary = (found, terms);
    }

    /// Gathers the starters; returns whether the pages name the same ones as before.
    fn gather(&mut self, step: &Step<'_>, same_course: bool) -> bool {
        let Step { project, was, diff } = step;
        let course = &self.linked.course;
        let edited = was.documents.iter().zip(self.documents.iter()).filter(|(was, is)| !Arc::ptr_eq(was, is));
        let edited = edited.filter_map(|(was, is)| Some((was.document.as_ref()?, is.document.as_ref()?)));
        let again = same_course.then(|| was.starters.again(edited, diff, course, project)).flatten();
        let is_kept = again.is_some();
        self.starters = again.unwrap_or_else(|| {
            let documents = self.documents.iter().filter_map(|understood| understood.document.as_ref());
            Arc::new(starters::gather(&was.starters, documents, course, project))
        });
        is_kept
    }

    fn render(&mut self, step: &Step<'_>, same: theme::Same, reach: Reach) -> Pages {
        let Step { project, was, diff } = step;
        let since = Since {
            config: same.config,
            references: same.references,
            glossary: Arc::ptr_eq(&self.glossary.1, &was.glossary.1),
            starters: self.starters.differ_from(&was.starters),
            reach: if diff.names || diff.copies { Reach::All } else { reach },
        };
        let ids = vec![None; self.starters.readmes.len()];
        let pages: Vec<Wanted<'_>> = Wanted::all(&self.documents, &self.linked.ids, &self.starters).collect();
        let readmes: Vec<Wanted<'_>> = Wanted::all(&self.starters.readmes, &ids, &self.starters).collect();
        let cx = self.context(project);
        let rendered = pages::render(&was.rendered, &pages, cx, &since);
        let rendered_readmes = pages::render(&was.readmes, &readmes, cx, &since);
        let all = pages.iter().chain(&readmes).zip(rendered.iter().chain(&rendered_readmes));
        let placed = Pages::assign(&self.linked.course, all.map(|(wanted, made)| (wanted.subject, &made.page)));
        (self.rendered, self.readmes) = (rendered, rendered_readmes);
        placed
    }

    /// The pages of code; those that no edit reaches are kept, if the course's pages name the same starters as before.
    fn code_pages(&self, step: &Step<'_>, pages: &Pages, names_the_same: bool) -> CodePages {
        let Step { project, was, diff } = step;
        let input = code_pages::Input {
            config: &self.config.value,
            course: &self.linked.course,
            project,
            starters: &self.starters,
            pages,
        };
        if !names_the_same {
            return CodePages::new(input);
        }
        let mut edited = code_pages::edited(&was.rendered, &self.rendered);
        edited.extend(code_pages::edited(&was.readmes, &self.readmes));
        was.code.again(input, &edited, &self.starters.differ_from(&was.starters), &was.files, diff)
    }

    /// Makes the files and the index of the search, and puts them under one roof; returns what is said of templates.
    fn theme(&mut self, step: Step<'_>, pages: &Pages, same: theme::Same) -> Vec<Diagnostic> {
        let Step { project, was, diff } = step;
        (self.theme, self.search) = (was.theme, was.search);
        let input = theme::Input {
            config: &self.config.value,
            references: &self.references.value,
            course: &self.linked.course,
            project,
            pages: &pages.of_course,
            starters: &self.code.starters,
            folders: &self.code.folders,
        };
        let themed = self.theme.theme(&input, same);
        let found = search::Input {
            names: Names { config: &self.config.value, course: &self.linked.course },
            pages: &pages.of_course,
            starters: &self.code.starters,
            folders: &self.code.folders,
            listings: &self.starters.listings,
        };
        let searched = self.search.update(&found);
        let images = pages.images();
        self.outputs = match (themed.renewed, searched) {
            (Some(renewed), Some(searched)) if was.outputs.stand(&diff, &images) => {
                was.outputs.replaced(renewed.iter().map(|&at| &themed.made[at]).chain(&searched))
            }
            _ => Outputs::new(themed.made.iter().cloned().chain(self.search.files()), project, images),
        };
        themed.diagnostics
    }

    fn context<'a>(&'a self, project: &'a Project) -> Context<'a> {
        Context {
            config: &self.config.value,
            course: &self.linked.course,
            project,
            references: &self.references.value,
            glossary: &self.glossary.1,
            listings: &self.starters.listings,
        }
    }

    /// The pages and READMEs that name something that is not there or could not be read.
    fn lacking(&self) -> impl Iterator<Item = &Arc<Rendered>> {
        self.rendered.iter().chain(&self.readmes).filter(|rendered| rendered.page.lacks_something())
    }

    /// The files of the pages and READMEs of which something is not known, because they name what is not there or could
    /// not be read; which has been reported, perhaps elsewhere.
    pub fn incomplete(&self) -> impl Iterator<Item = &str> {
        self.lacking().map(|rendered| rendered.path())
    }

    /// All that is to be said of the course, in no order.
    pub fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        let settings = self.config.diagnostics.iter().chain(&self.references.diagnostics);
        let documents = self.documents.iter().flat_map(|understood| &understood.diagnostics);
        let rendered = self.rendered.iter().chain(&self.readmes).flat_map(|rendered| &rendered.diagnostics);
        let linked = self.linked.diagnostics.iter().chain(self.starters.diagnostics());
        let all =
            settings.chain(documents).chain(linked).chain(rendered).chain(&self.outputs.diagnostics).chain(&self.said);
        // Settings that are not understood may allow the HTML that the defaults refuse, and a folder that is not read may
        // hold the pages and tracks that are missed.
        let is_understood = self.config.value.tracks.is_known && self.config.diagnostics.is_empty();
        let of_pages = [codes::E0009, codes::E0010, codes::E0401];
        all.filter(move |said| is_understood || said.code != codes::W0202)
            .filter(move |said| !(self.hides_pages && of_pages.contains(&said.code)))
    }

    /// Judges the course that was built. `errors` are what building it said.
    #[must_use]
    pub fn lint(&self, project: &Project, errors: &[Diagnostic]) -> Vec<Diagnostic> {
        let ids = vec![None; self.starters.readmes.len()];
        let pages = Wanted::all(&self.documents, &self.linked.ids, &self.starters);
        let readmes = Wanted::all(&self.starters.readmes, &ids, &self.starters);
        let subjects: Vec<Subject<'_>> = pages.chain(readmes).map(|wanted| wanted.subject).collect();
        let pages: Vec<Arc<Page>> =
            self.rendered.iter().chain(&self.readmes).map(|rendered| Arc::clone(&rendered.page)).collect();
        let cx = self.context(project);
        lint(lint::Input { cx, subjects: &subjects, pages: &pages, today: self.options.today }, errors)
    }

    /// The settings.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config.value
    }

    /// The site, also where something is wrong with it.
    #[must_use]
    pub fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    /// The excerpts whose pins are not what their files say, in the order of the pages' paths.
    pub fn drifts(&self) -> impl Iterator<Item = &Drift> {
        self.rendered.iter().chain(&self.readmes).flat_map(|rendered| &rendered.page.drifts)
    }

    /// The files of the pages with an excerpt that could not be compared with its file.
    fn uncompared(&self) -> BTreeSet<Arc<str>> {
        let rendered = self.rendered.iter().chain(&self.readmes).filter(|rendered| rendered.page.is_uncompared);
        rendered.map(|rendered| Arc::from(rendered.path())).collect()
    }

    /// What the pages are made of, which stays as it is when another build begins.
    #[must_use]
    pub fn documents(&self) -> Documents {
        Documents { of_course: Arc::clone(&self.documents), starters: Arc::clone(&self.starters) }
    }
}

#[cfg(test)]
mod tests;
