//! Plans a course so that each page can be shown in its last good version while there are errors.
//!
//! 1. The course is planned as it is. Without an error, that plan is shown.
//! 2. Otherwise it is planned a second time, with each faulty file replaced by its last version without an error. So an
//!    error in the front matter of one page does not take its title away from the others, and an error in `site.yaml`
//!    does not hold up edits of pages.
//! 3. Each output of the repaired plan is shown from the first plan that can make it without an error: the repaired plan,
//!    the current plan, or the plan from which it was shown before. If there is none, it is unavailable.
//!
//! A pin that differs from its file is not an error in this sense: the page shows the code of the file. Nor is a record
//! that is older than its starter: while you edit a starter, the page shows what it printed before.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::assets::BUILTIN;
use infralens_author::fix;
use infralens_course::config::Config;
use infralens_render::pin::{Drift, State};
use infralens_site::{self as site, Fault, Options, Output, Recipe, Site};
use infralens_source::diag::{self, Diagnostic, Severity, codes};
use infralens_source::output::Bytes;
use infralens_source::project::{File, Files, Project};

/// Plans a course after each change, and remembers the last good version of each file.
pub struct Planner {
    options: Options,
    /// The plan of the course as it is.
    current: Arc<Site>,
    /// The plan with faulty files replaced by their last good versions, while there are faulty files.
    repaired: Option<Arc<Site>>,
    /// The last version of each file that had no error.
    good_files: Files,
}

/// What the preview shows of a course.
#[derive(Default)]
pub struct View {
    /// The plan of the course as it is.
    pub current: Arc<Site>,
    site: Arc<Site>,
    /// Output paths that are shown from another plan than `site`.
    overrides: BTreeMap<Arc<str>, Arc<Site>>,
    /// Output paths that are shown in an earlier version, because the current one has errors.
    pub outdated: BTreeSet<Arc<str>>,
    /// Output paths that never had a version without an error, and the source file of each.
    pub unavailable: BTreeMap<Arc<str>, Arc<str>>,
    /// The diagnostics of the course as it is, sorted.
    pub diagnostics: Arc<[Diagnostic]>,
    /// The excerpts whose code has changed since they were pinned.
    pub drifts: Vec<Drift>,
}

/// Whether a diagnostic keeps the current version of a page from being shown.
fn blocks_page(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity == Severity::Error && ![codes::E0316, codes::E0611].contains(&diagnostic.code)
}

/// Returns the files that have errors, according to the diagnostics of a plan and to what it could not complete.
fn faulty_files(diagnostics: &[Diagnostic], site: &Site) -> BTreeSet<Arc<str>> {
    let faulty = diagnostics.iter().filter(|diagnostic| blocks_page(diagnostic));
    let faulty = faulty.map(|diagnostic| Arc::clone(&diagnostic.place.file));
    faulty.chain(site.incomplete().map(Arc::from)).collect()
}

impl Planner {
    /// Creates a planner that has not planned anything yet.
    pub fn new(options: Options) -> Self {
        let options = Options { isolates_bugs: true, ..options };
        Self { options, current: Arc::default(), repaired: None, good_files: Files::default() }
    }

    /// Returns the last plan of the course as it is, and the one with faulty files replaced by their last good versions, which
    /// knows the names in these; both are the same if no file is faulty.
    pub fn plans(&self) -> (Arc<Site>, Arc<Site>) {
        (Arc::clone(&self.current), Arc::clone(self.repaired.as_ref().unwrap_or(&self.current)))
    }

    /// Drops the plans, which a panic may have left incomplete, but keeps the good versions of files.
    pub fn reset(&mut self) {
        self.current = Arc::default();
        self.repaired = None;
    }

    /// Plans the course, and returns what is shown after `previous`.
    pub fn update(&mut self, project: &Project, previous: &View) -> View {
        let (earlier, shown) = self.plans();
        let project = &project.sharing(shown.project());
        let (current, mut diagnostics) = self.plan(project, [&earlier, &shown]);
        self.current = current;
        diag::sort(&mut diagnostics);
        fix::complete(self.current.all_drifts(), &mut diagnostics);
        let mut faulty = faulty_files(&diagnostics, &self.current);
        let mut view = if faulty.is_empty() {
            self.repaired = None;
            self.good_files = project.files.clone();
            View { site: Arc::clone(&self.current), ..View::default() }
        } else {
            faulty.extend(self.unreadable_starters(project));
            self.update_good_files(project, &faulty);
            self.view_with_faults(project, &faulty, previous, &shown)
        };
        view.current = Arc::clone(&self.current);
        view.drifts = view.site.drifts().filter(|drift| drift.state != State::Unpinned).cloned().collect();
        view.diagnostics = diagnostics.into();
        view
    }

    /// Plans a course, and returns its diagnostics without hints, which are for reports. If the course has templates, they
    /// are tried, because an error in a template is otherwise not found before a page is made.
    ///
    /// Of two earlier plans, the one with more files in common is continued: a file that is being repaired is often what it was
    /// before the error, and the structure of the course with it.
    fn plan(&self, project: &Project, earlier: [&Arc<Site>; 2]) -> (Arc<Site>, Vec<Diagnostic>) {
        let [(one, of_one), (other, of_other)] = earlier.map(|site| (site, project.changes_since(site.project())));
        let (previous, changed) = if of_other < of_one { (other, of_other) } else { (one, of_one) };
        let is_same = changed == 0 && previous.project().diagnostics == project.diagnostics;
        let site = if is_same { Arc::clone(previous) } else { Arc::new(site::plan(project, &self.options, previous)) };
        let diagnostics = site.diagnostics().filter(|diagnostic| diagnostic.severity != Severity::Hint);
        let has_templates = project.below("templates").next().is_some();
        let template_faults = if has_templates { site.template_faults() } else { &[] };
        let diagnostics = diagnostics.chain(template_faults).cloned().collect();
        (site, diagnostics)
    }

    /// Returns the starters that were text and no longer are.
    fn unreadable_starters(&self, project: &Project) -> impl Iterator<Item = Arc<str>> {
        let became_unreadable = |(path, file): &(&Arc<str>, &File)| {
            !matches!(file, File::Text(_)) && matches!(self.good_files.get(*path), Some(File::Text(_)))
        };
        project.below("code").filter(became_unreadable).map(|(path, _)| Arc::clone(path))
    }

    /// Takes over the files that are not faulty.
    fn update_good_files(&mut self, project: &Project, faulty: &BTreeSet<Arc<str>>) {
        let mut good = project.files.clone();
        for path in faulty {
            match self.good_files.get(path) {
                Some(file) => good.insert(Arc::clone(path), file.clone()),
                None => good.remove(path),
            };
        }
        self.good_files = good;
    }

    /// Plans the course with its faulty files repaired, and chooses a version of each output.
    fn view_with_faults(
        &mut self,
        project: &Project,
        faulty: &BTreeSet<Arc<str>>,
        previous: &View,
        shown: &Arc<Site>,
    ) -> View {
        let (repaired, diagnostics) = self.plan(&repair(project, faulty, &self.good_files), [&self.current, shown]);
        self.repaired = Some(Arc::clone(&repaired));
        let still_faulty = faulty_files(&diagnostics, &repaired);
        let mut view = View { site: Arc::clone(&repaired), ..View::default() };
        for (path, output) in repaired.outputs() {
            let current = || self.current.outputs().get(path).filter(|current| !faulty.contains(&current.from));
            if !still_faulty.contains(&output.from) && repaired.can_make(output) {
                view.outdated.extend(faulty.contains(&output.from).then(|| Arc::clone(path)));
            } else if current().is_some_and(|current| self.current.can_make(current)) {
                view.overrides.insert(Arc::clone(path), Arc::clone(&self.current));
            } else if let Some((site, old)) = previous.find(path)
                && is_earlier_version(old, output, project)
            {
                view.overrides.insert(Arc::clone(path), Arc::clone(site));
                view.outdated.insert(Arc::clone(path));
            } else if !matches!(output.recipe, Recipe::File(_) | Recipe::Bytes(_)) {
                // A copied file has no page on which a panel could say why it is missing.
                view.unavailable.insert(Arc::clone(path), Arc::clone(&output.from));
            }
        }
        view
    }
}

impl View {
    /// Returns the settings of the site.
    pub fn config(&self) -> &Config {
        self.site.config()
    }

    /// Returns the plan from which most outputs are shown.
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// Returns the output that is shown at a path, and the plan that makes it.
    pub fn find(&self, path: &str) -> Option<(&Arc<Site>, &Output)> {
        if let Some(site) = self.overrides.get(path) {
            return Some((site, site.output(path)?));
        }
        if self.unavailable.contains_key(path) {
            return None;
        }
        let find_in = |site| Site::output(site, path);
        // Outdated pages refer to styles and scripts by the hash that these had in the earlier plan.
        let is_style = |output: &Output| output.from.strip_prefix("static/").is_some_and(|path| BUILTIN.is_asset(path));
        let find_style =
            || self.overrides.values().find_map(|site| Some((site, find_in(site).filter(|output| is_style(output))?)));
        find_in(&self.site).map(|output| (&self.site, output)).or_else(find_style)
    }

    /// Returns whether there is a page at a path, or the errors that keep it from being shown.
    pub fn has(&self, path: &str) -> bool {
        self.find(path).is_some() || self.unavailable.contains_key(path)
    }

    /// Makes the output that is shown at a path; `None` if there is none.
    ///
    /// # Errors
    /// The fault of the template with which it cannot be made.
    pub fn make(&self, path: &str) -> Option<Result<Bytes, Fault>> {
        let (site, _) = self.find(path)?;
        site.make(path)
    }

    /// Returns the output paths at which something is shown, sorted.
    pub fn paths(&self) -> Vec<Arc<str>> {
        let mut paths = self.site.paths();
        paths.retain(|path| self.find(path).is_some());
        paths
    }
}

/// Replaces faulty files with their last good versions. A page without a good version stays as it is, so that it keeps its
/// place in the course; a template or static file without one is left out.
fn repair(project: &Project, faulty: &BTreeSet<Arc<str>>, good_files: &Files) -> Project {
    let mut repaired = project.clone();
    for path in faulty {
        if let Some(file) = good_files.get(path) {
            repaired.put(path, Some(file.clone()));
        } else if path.starts_with("templates/") || path.starts_with("static/") {
            repaired.put(path, None);
        }
    }
    repaired
}

/// Whether `old` is an earlier version of `new`, and not another output that had the same path.
fn is_earlier_version(old: &Output, new: &Output, project: &Project) -> bool {
    let is_generated = |output: &Output| matches!(output.recipe, Recipe::Theme(_) | Recipe::Search);
    old.from == new.from || is_generated(old) && is_generated(new) && !project.files.contains_key(&old.from)
}

#[cfg(test)]
mod tests;
