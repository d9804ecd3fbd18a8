//! The course as it will be, held against the course as it is: a move must not bring a problem that was not there.

use std::collections::BTreeSet;

use super::Plan;
use crate::change;
use crate::diag::{Code, Diagnostic, Severity};
use crate::project::Project;
use crate::site::{self, Options, Site};

/// What the course would complain of after the move, and does not before it; with the course as it would be.
///
/// A problem that was there before may say new names, or be told at another place: for each that was there and is not
/// found again, one of the same code is taken for the same.
#[must_use]
pub fn new_problems(project: &Project, plan: &Plan) -> (Project, Vec<Diagnostic>) {
    let after = change::preview(project, &plan.changes);
    let mut before = problems(project);
    let is_error = |problem: &&Diagnostic| problem.severity == Severity::Error;
    let faulty: BTreeSet<String> = before.iter().filter(is_error).map(|problem| said(problem, plan).1).collect();
    let mut new = Vec::new();
    for problem in problems(&after) {
        let said = said(&problem, plan);
        // An error may have hidden what is a mere warning.
        if problem.severity != Severity::Error && faulty.contains(&said.1) {
            continue;
        }
        match before.iter().position(|known| self::said(known, plan) == said) {
            Some(same) => drop(before.swap_remove(same)),
            None => new.push(problem),
        }
    }
    // An error that is gone may have hidden warnings.
    if before.iter().any(|problem| problem.severity == Severity::Error) {
        new.retain(|problem| problem.severity == Severity::Error);
    }
    let mut gone: Vec<Code> = before.iter().map(|problem| problem.code).collect();
    new.retain(|problem| match gone.iter().position(|&code| code == problem.code) {
        Some(same) => {
            gone.swap_remove(same);
            false
        }
        None => true,
    });
    (after, new)
}

fn problems(project: &Project) -> Vec<Diagnostic> {
    let mut found = site::plan(project, &Options::default(), &Site::default()).judge();
    found.retain(|problem| problem.severity != Severity::Hint);
    found
}

/// What a problem says of which file, with the old names where the new ones stand.
fn said(problem: &Diagnostic, plan: &Plan) -> (Code, String, String) {
    let mut names = vec![(&*plan.page.1, &*plan.page.0), (&*plan.url.1, &*plan.url.0)];
    names.extend(plan.folder.as_ref().map(|(from, to)| (to.as_str(), from.as_str())));
    let old = |text: &str| names.iter().fold(text.to_owned(), |text, (new, old)| text.replace(new, old));
    (problem.code, old(&problem.place.file), old(&problem.message))
}
