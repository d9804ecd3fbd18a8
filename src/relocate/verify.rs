//! Compares the diagnostics of the course before and after a move: a move must not cause new problems.

use std::collections::BTreeSet;

use super::Plan;
use crate::change;
use crate::diag::{Code, Diagnostic, Severity};
use crate::project::Project;
use crate::site::{self, Options, Site};

/// Returns the course after the move, and the diagnostics that it has and the course before the move does not have.
///
/// A diagnostic may mention new names or another place after the move. So, for each old diagnostic that is gone, one new
/// diagnostic with the same code counts as the same.
#[must_use]
pub fn new_problems(project: &Project, plan: &Plan) -> (Project, Vec<Diagnostic>) {
    let after = change::preview(project, &plan.changes);
    let mut before = problems(project);
    let is_error = |problem: &&Diagnostic| problem.severity == Severity::Error;
    let faulty: BTreeSet<String> = before.iter().filter(is_error).map(|problem| identity(problem, plan).1).collect();
    let mut new = Vec::new();
    for problem in problems(&after) {
        let identity = identity(&problem, plan);
        // An error in this file may have hidden its warnings before.
        if problem.severity != Severity::Error && faulty.contains(&identity.1) {
            continue;
        }
        match before.iter().position(|known| self::identity(known, plan) == identity) {
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

/// Returns the code, file and message of a diagnostic, with the new names replaced by the old ones.
fn identity(problem: &Diagnostic, plan: &Plan) -> (Code, String, String) {
    let mut names = vec![(&*plan.page.1, &*plan.page.0), (&*plan.url.1, &*plan.url.0)];
    names.extend(plan.folder.as_ref().map(|(from, to)| (to.as_str(), from.as_str())));
    let old = |text: &str| names.iter().fold(text.to_owned(), |text, (new, old)| text.replace(new, old));
    (problem.code, old(&problem.place.file), old(&problem.message))
}
