//! What is shown while something is wrong: each page in its last good form, and everything else as it is now.
//!
//! 1. The course is planned as it is. Without an error, that is what is shown.
//! 2. Else it is planned again, mended: each file that an error stands in is as it was when it last had none, so that an
//!    error in one page's front matter does not take its title from all others, and one in the settings holds nothing back.
//! 3. Of each file of that site the first is shown that there is: as it is mended, if no error stands in what it is made of;
//!    as it is now, under the same condition; as it was shown before. What was never good has no form to show.
//!
//! A pin that is not as its file holds nothing back: the page shows the file's code.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::diag::{self, Diagnostic, Severity, codes};
use crate::output::Bytes;
use crate::project::{File, Files, Project};
use crate::render::pin::{Drift, State};
use crate::site::{self, Options, Output, Recipe, Site};
use crate::theme;

/// Plans a course as it changes.
pub struct Keeper {
    options: Options,
    /// The course as it is.
    truth: Arc<Site>,
    /// The course with its faulty files as they were, while there are any.
    mended: Option<Arc<Site>>,
    /// Every file as it was when no error stood in it.
    good: Files,
}

/// What is to be shown of a course.
#[derive(Default)]
pub struct View {
    /// The site.
    site: Arc<Site>,
    /// The output paths at which something is shown that another plan has made.
    other: BTreeMap<Arc<str>, Arc<Site>>,
    /// Output paths at which something is shown as it was before the errors.
    pub held: BTreeSet<Arc<str>>,
    /// Output paths of what never was without an error, and the file that each comes from.
    pub lost: BTreeMap<Arc<str>, Arc<str>>,
    /// What is said of the course as it is, sorted.
    pub diagnostics: Arc<[Diagnostic]>,
    /// The excerpts that have changed in their files, under their notes or beside them.
    pub stale: Vec<Drift>,
    /// The path under which the site will stand, with a slash at both ends.
    pub base_path: String,
    /// The course's language.
    pub language: String,
}

/// Whether it keeps a page from being shown as it is.
fn is_fault(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity == Severity::Error && diagnostic.code != codes::E0316
}

/// The files that faults stand in.
fn faulty<'a>(said: impl IntoIterator<Item = &'a Diagnostic>) -> BTreeSet<Arc<str>> {
    said.into_iter().filter(|said| is_fault(said)).map(|said| Arc::clone(&said.place.file)).collect()
}

impl Keeper {
    /// Nothing planned yet.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self { options, truth: Arc::default(), mended: None, good: Files::default() }
    }

    /// The course as it was planned last.
    #[must_use]
    pub fn course(&self) -> &Site {
        &self.truth
    }

    /// Forgets what a plan that did not end has left; what was good is still good.
    pub fn forget(&mut self) {
        self.truth = Arc::default();
        self.mended = None;
    }

    /// Plans the course, and says what is to be shown after `before`.
    pub fn build(&mut self, project: &Project, before: &View) -> View {
        let (truth, told) = self.plan(project, &self.truth);
        self.truth = truth;
        let mut diagnostics = told;
        diag::sort(&mut diagnostics);
        let mut faulty = faulty(&diagnostics);
        faulty.extend(self.truth.incomplete().map(Arc::from));
        if !faulty.is_empty() {
            faulty.extend(self.unreadable(project));
        }
        let mut view = if faulty.is_empty() {
            self.mended = None;
            self.good = project.files.clone();
            View { site: Arc::clone(&self.truth), ..View::default() }
        } else {
            self.remember(project, &faulty);
            self.hold(project, &faulty, before)
        };
        view.stale = view.site.drifts().filter(|drift| drift.state != State::Unpinned).cloned().collect();
        (view.base_path, view.language) =
            (view.site.config().base_path().into(), view.site.config().language.to_string());
        view.diagnostics = diagnostics.into();
        view
    }

    /// Plans a course; returns what is said of it, without hints, which are for reports. Templates of its own are tried:
    /// what is wrong with one is otherwise not known before a page is made.
    fn plan(&self, project: &Project, was: &Site) -> (Arc<Site>, Vec<Diagnostic>) {
        let site = site::plan(project, &self.options, was);
        let told = site.diagnostics().filter(|said| said.severity != Severity::Hint).cloned();
        let has_templates = project.below("templates").next().is_some();
        let faults = if has_templates { site.template_faults() } else { &[] };
        let told = told.chain(faults.iter().cloned()).collect();
        (Arc::new(site), told)
    }

    /// The starters that were text and are not.
    fn unreadable(&self, project: &Project) -> impl Iterator<Item = Arc<str>> {
        let is_lost = |(path, file): &(&Arc<str>, &File)| {
            !matches!(file, File::Text(_)) && matches!(self.good.get(*path), Some(File::Text(_)))
        };
        project.below("code").filter(is_lost).map(|(path, _)| Arc::clone(path))
    }

    /// Takes over what is not faulty.
    fn remember(&mut self, project: &Project, faulty: &BTreeSet<Arc<str>>) {
        let mut good = project.files.clone();
        for path in faulty {
            match self.good.get(path) {
                Some(file) => good.insert(Arc::clone(path), file.clone()),
                None => good.remove(path),
            };
        }
        self.good = good;
    }

    fn hold(&mut self, project: &Project, faulty_now: &BTreeSet<Arc<str>>, before: &View) -> View {
        let was = self.mended.as_ref().unwrap_or(&self.truth);
        let (mended, told) = self.plan(&mend(project, faulty_now, &self.good), was);
        self.mended = Some(Arc::clone(&mended));
        let mut faulty_still = faulty(&told);
        faulty_still.extend(mended.incomplete().map(Arc::from));
        let mut view = View { site: Arc::clone(&mended), ..View::default() };
        for (path, output) in mended.outputs() {
            let is_good = !faulty_still.contains(&output.from) && mended.can_make(output);
            let now = || self.truth.outputs().get(path).filter(|now| !faulty_now.contains(&now.from));
            if is_good {
                view.held.extend(faulty_now.contains(&output.from).then(|| Arc::clone(path)));
            } else if now().is_some_and(|now| self.truth.can_make(now)) {
                view.other.insert(Arc::clone(path), Arc::clone(&self.truth));
            } else if let Some((site, was)) = before.find(path)
                && is_former(was, output, project)
            {
                view.other.insert(Arc::clone(path), Arc::clone(site));
                view.held.insert(Arc::clone(path));
            } else if !matches!(output.recipe, Recipe::File(_) | Recipe::Bytes(_)) {
                view.lost.insert(Arc::clone(path), Arc::clone(&output.from));
            }
        }
        view
    }
}

impl View {
    /// What is shown at an output path, and the site that it is a file of.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<(&Arc<Site>, &Output)> {
        if let Some(site) = self.other.get(path) {
            return Some((site, site.output(path)?));
        }
        if self.lost.contains_key(path) {
            return None;
        }
        let of = |site| Site::output(site, path);
        // Pages that are shown as they were name styles and scripts by the hash that these had then.
        let is_style = |output: &Output| output.from.strip_prefix("static/").is_some_and(theme::is_theme_asset);
        let styles = || self.other.values().find_map(|site| Some((site, of(site).filter(|found| is_style(found))?)));
        of(&self.site).map(|output| (&self.site, output)).or_else(styles)
    }

    /// Makes what is shown at an output path; nothing where nothing is shown, or where a template fails.
    #[must_use]
    pub fn make(&self, path: &str) -> Option<Bytes> {
        let (site, _) = self.find(path)?;
        site.make(path)?.ok()
    }

    /// The output paths at which something is shown, sorted.
    #[must_use]
    pub fn paths(&self) -> Vec<Arc<str>> {
        let mut paths = self.site.paths();
        paths.retain(|path| self.find(path).is_some());
        paths
    }
}

/// The course with its faulty files as they were when they were good. One that never was stays as it is, so that its page
/// has a place; a template has none, and is left out.
fn mend(project: &Project, faulty: &BTreeSet<Arc<str>>, good: &Files) -> Project {
    let mut mended = Project { files: project.files.clone(), diagnostics: project.diagnostics.clone() };
    for path in faulty {
        if let Some(file) = good.get(path) {
            mended.put(path, Some(file.clone()));
        } else if path.starts_with("templates/") || path.starts_with("static/") {
            mended.put(path, None);
        }
    }
    mended
}

/// Whether what was shown at a path is an earlier form of what is made there now, and not something else that had the path.
fn is_former(was: &Output, is: &Output, project: &Project) -> bool {
    let is_made = |output: &Output| matches!(output.recipe, Recipe::Theme(_) | Recipe::Search);
    was.from == is.from || is_made(was) && is_made(is) && !project.files.contains_key(&was.from)
}

#[cfg(test)]
mod tests;
