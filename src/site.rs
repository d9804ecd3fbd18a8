//! The pipeline, top to bottom: [`Project`] → site. A pure function: no clock, no environment, no file.

pub mod documents;
mod outputs;
mod starters;

use rayon::prelude::*;

use crate::course::{self, Summary};
use crate::diag::{self, Diagnostic, Severity};
use crate::lint::{self, lint};
use crate::output::Files;
use crate::project::Project;
use crate::render::pin::Drift;
use crate::render::{self, Context, Subject};
use crate::theme;
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
    pub files: Option<Files>,
    /// All that is to be said, sorted by place, each once.
    pub diagnostics: Vec<Diagnostic>,
    /// The excerpts whose pins are not what their files say, in the order of the pages' paths.
    pub drifts: Vec<Drift>,
}

/// Builds the site.
#[must_use]
pub fn build(project: &Project, options: &Options) -> Outcome {
    let mut diagnostics = project.diagnostics.clone();

    let (mut config, found) = documents::config(project);
    diagnostics.extend(found);
    config.base_url = options.base_url.clone().or(config.base_url);
    let (references, found) = documents::references(project);
    diagnostics.extend(found);
    diagnostics.extend(documents::templates(project));
    let (documents, found) = documents::parse_all(project);
    diagnostics.extend(found);
    diagnostics.extend(documents::check_citations(&documents, &references));

    let (course, found) = course::assemble(documents.iter().map(Summary::new).collect(), &config, options.drafts);
    diagnostics.extend(found);
    let (starters, found) = starters::gather(&documents, &course, project);
    diagnostics.extend(found);

    let cx =
        Context { config: &config, course: &course, project, references: &references, listings: &starters.listings };
    let subjects: Vec<Subject<'_>> = starters.subjects(&documents, &course).collect();
    let (mut rendered, found): (Vec<_>, Vec<_>) =
        subjects.par_iter().map(|&subject| render::render(cx, subject)).unzip();
    diagnostics.extend(found.concat());
    let drifts = rendered.iter_mut().flat_map(|page| std::mem::take(&mut page.drifts)).collect();
    let input = lint::Input { cx, subjects: &subjects, pages: &rendered, today: options.today };
    let found = lint(input, &diagnostics);
    diagnostics.extend(found);
    let pages = starters::Starters::assign(&course, &subjects, rendered);
    let starter_pages = starters.pages(&config, &course, &pages);
    let folders = starters.folders(&course, project, &pages, &starter_pages);

    let (made, found) = theme::theme(&theme::Input {
        config: &config,
        references: &references,
        course: &course,
        project,
        pages: &pages.of_course,
        starters: &starter_pages,
        folders: &folders,
    });
    diagnostics.extend(found);
    let (files, found) = outputs::collect(made, project, &pages);
    diagnostics.extend(found);

    diag::sort(&mut diagnostics);
    let failed = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    Outcome { files: (!failed).then_some(files), diagnostics, drifts }
}
