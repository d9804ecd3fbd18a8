//! What is shown while something is wrong: each page in its last good form, and everything else as it is now.
//!
//! 1. The course is built as it is. Without an error, that is what is shown.
//! 2. Else it is built again, mended: each file that an error stands in is as it was when it last had none, so that an
//!    error in one page's front matter does not take its title from all others, and one in the settings holds nothing back.
//! 3. Of each file of that site the first is shown that there is: as it is mended, if no error stands in what it is made of;
//!    as it is now, under the same condition; as it was shown before. What was never good has no form to show.
//!
//! A pin that is not as its file holds nothing back: the page shows the file's code.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use imbl::ordmap::DiffItem;

use crate::diag::{self, Diagnostic, Severity, codes};
use crate::output::Bytes;
use crate::project::{File, Files, Project};
use crate::render::pin::{Drift, State};
use crate::site::{Memo, Options, Output, OutputFiles};
use crate::theme;

/// Builds a course as it changes.
pub struct Keeper {
    /// The course as it is.
    truth: Memo,
    /// The course with its faulty files as they were, while there are any.
    mended: Option<Memo>,
    /// Every file as it was when no error stood in it.
    good: Files,
}

/// What is to be shown of a course.
#[derive(Default)]
pub struct View {
    /// The site.
    pub outputs: OutputFiles,
    /// Pages that are shown as they were before the errors.
    pub held: BTreeSet<Arc<str>>,
    /// Pages that never were without an error.
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
    /// Nothing built yet.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self { truth: Memo::new(options), mended: None, good: Files::default() }
    }

    /// The course as it was built last.
    #[must_use]
    pub fn course(&self) -> &Memo {
        &self.truth
    }

    /// Forgets what a build that did not end has left; what was good is still good.
    pub fn forget(&mut self) {
        self.truth = self.truth.anew();
        self.mended = None;
    }

    /// Builds the course, and says what is to be shown after `before`.
    pub fn build(&mut self, project: &Project, before: &View) -> View {
        // With an error in what all pages are made of, nothing is left in the course as it is for the mended one to keep.
        if self.mended.is_none() && !self.good.is_empty() && reach_all(&self.good, &project.files) {
            self.mended = Some(self.truth.clone());
        }
        self.truth.build(project);
        // Hints are for reports.
        let told = self.truth.diagnostics().filter(|said| said.severity != Severity::Hint);
        let mut diagnostics: Vec<Diagnostic> = told.cloned().collect();
        diag::sort(&mut diagnostics);
        let mut faulty = faulty(&diagnostics);
        faulty.extend(self.truth.incomplete().map(Arc::from));
        if !faulty.is_empty() {
            faulty.extend(self.unreadable(project));
        }
        let mut view = if faulty.is_empty() {
            self.mended = None;
            self.good = project.files.clone();
            View { outputs: self.truth.outputs().files.clone(), ..View::default() }
        } else {
            self.remember(project, &faulty);
            self.hold(project, &faulty, before)
        };
        let shown = self.mended.as_ref().unwrap_or(&self.truth);
        view.stale = shown.drifts().filter(|drift| drift.state != State::Unpinned).cloned().collect();
        (view.base_path, view.language) = (shown.config().base_path().into(), shown.config().language.to_string());
        view.diagnostics = diagnostics.into();
        view
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
        let mended = self.mended.get_or_insert_with(|| self.truth.clone());
        mended.build(&mend(project, faulty_now, &self.good));
        let mut faulty_still = faulty(mended.diagnostics());
        faulty_still.extend(mended.incomplete().map(Arc::from));
        let mut view = View::default();
        for (path, output) in &mended.outputs().files {
            let good = Some(output).filter(|good| !faulty_still.contains(&good.from));
            let now = self.truth.outputs().files.get(path).filter(|now| !faulty_now.contains(&now.from));
            let was = before.outputs.get(path).filter(|was| is_former(was, output, project));
            let forms = [(good, faulty_now.contains(&output.from)), (now, false), (was, true)];
            // Without a template, or a track, a page is empty.
            let form = forms.into_iter().find_map(|(form, held)| Some((form.filter(|form| !is_blank(form))?, held)));
            if let Some((form, is_held)) = form {
                view.outputs.insert(Arc::clone(path), form.clone());
                view.held.extend(is_held.then(|| Arc::clone(path)));
            } else if matches!(output.bytes, Bytes::Made(_)) {
                view.lost.insert(Arc::clone(path), Arc::clone(&output.from));
            }
        }
        view.keep_styles(before);
        view
    }
}

impl View {
    /// Pages that are shown as they were name styles and scripts by the hash that these had then.
    fn keep_styles(&mut self, before: &Self) {
        if self.held.is_empty() {
            return;
        }
        for (path, output) in &before.outputs {
            if output.from.strip_prefix("static/").is_some_and(theme::is_processed) {
                self.outputs.entry(Arc::clone(path)).or_insert_with(|| output.clone());
            }
        }
    }
}

/// Whether the files differ in what all pages are made of.
fn reach_all(was: &Files, is: &Files) -> bool {
    was.diff(is).any(|item| {
        let (DiffItem::Add(path, _) | DiffItem::Remove(path, _) | DiffItem::Update { old: (path, _), .. }) = item;
        path.starts_with("templates/") || **path == *"content/site.yaml"
    })
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
    let both_made = matches!((&was.bytes, &is.bytes), (Bytes::Made(_), Bytes::Made(_)));
    was.from == is.from || both_made && !project.files.contains_key(&was.from)
}

fn is_blank(output: &Output) -> bool {
    matches!(&output.bytes, Bytes::Made(bytes) if bytes.is_empty())
}

#[cfg(test)]
mod tests;
