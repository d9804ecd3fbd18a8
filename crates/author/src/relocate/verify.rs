//! Compares the diagnostics of the course before and after a move: a move must not cause new problems.

use std::collections::{BTreeMap, BTreeSet};

use super::Plan;
use infralens_site::{self as site, Options, Site};
use infralens_source::change;
use infralens_source::diag::{Code, Diagnostic, Severity};
use infralens_source::project::Project;

/// Returns the course after the move, and the diagnostics that it has and the course before the move does not have.
///
/// A diagnostic may change its message or place because names change. First, diagnostics with the same code, file and
/// message, after new names are replaced by old ones, are paired. Then each remaining old diagnostic cancels one remaining
/// new diagnostic with the same code.
pub fn new_problems(project: &Project, plan: &Plan, options: &Options) -> (Project, Vec<Diagnostic>) {
    let after = change::preview(project, &plan.changes);
    let mut before: BTreeMap<Identity, usize> = BTreeMap::new();
    let mut faulty: BTreeSet<String> = BTreeSet::new();
    for problem in problems(project, options) {
        let identity = identity(&problem, plan);
        if problem.severity == Severity::Error {
            faulty.insert(identity.1.clone());
        }
        *before.entry(identity).or_default() += 1;
    }
    let mut new = Vec::new();
    for problem in problems(&after, options) {
        let identity = identity(&problem, plan);
        // An error in this file may have hidden its warnings before.
        let may_be_new = problem.severity == Severity::Error || !faulty.contains(&identity.1);
        if may_be_new && !take(&mut before, &identity) {
            new.push(problem);
        }
    }
    let mut gone: BTreeMap<Code, usize> = BTreeMap::new();
    for ((code, ..), number) in before.into_iter().filter(|&(_, number)| number > 0) {
        *gone.entry(code).or_default() += number;
    }
    // An error that is gone may have hidden warnings.
    if gone.keys().any(|code| code.severity() == Severity::Error) {
        new.retain(|problem| problem.severity == Severity::Error);
    }
    new.retain(|problem| !take(&mut gone, &problem.code));
    (after, new)
}

/// Takes one of the diagnostics that are counted under a key; false if none is left.
fn take<K: Ord>(counts: &mut BTreeMap<K, usize>, key: &K) -> bool {
    let left = counts.get_mut(key).filter(|count| **count > 0);
    left.is_some_and(|count| {
        *count -= 1;
        true
    })
}

fn problems(project: &Project, options: &Options) -> Vec<Diagnostic> {
    let mut found = site::plan(project, options, &Site::default()).judge();
    found.retain(|problem| problem.severity != Severity::Hint);
    found
}

/// The code, file and message of a diagnostic, with the new names replaced by the old ones.
type Identity = (Code, String, String);

fn identity(problem: &Diagnostic, plan: &Plan) -> Identity {
    let mut names = vec![(&*plan.page.1, &*plan.page.0), (&*plan.url.1, &*plan.url.0)];
    names.extend(plan.folder.as_ref().map(|(from, to)| (to.as_str(), from.as_str())));
    let old = |text: &str| names.iter().fold(text.to_owned(), |text, (new, old)| text.replace(new, old));
    (problem.code, old(&problem.place.file), old(&problem.message))
}
