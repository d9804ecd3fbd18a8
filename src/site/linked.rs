//! The documents, linked; what of it a change leaves as it is.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::documents::Understood;
use super::pages::Reach;
use crate::config::Config;
use crate::course::{self, Course, PageId};
use crate::diag::Diagnostic;

/// The linked course.
#[derive(Debug, Default, Clone)]
pub struct Linked {
    /// The course.
    pub course: Course,
    /// The page of each document.
    pub ids: Vec<Option<PageId>>,
    /// What is said of it.
    pub diagnostics: Vec<Diagnostic>,
}

impl Linked {
    /// Links these documents.
    pub fn new(documents: &[Arc<Understood>], config: &Config, drafts: bool) -> Self {
        let summaries = documents.iter().filter_map(|understood| understood.summary.clone()).collect();
        let (course, diagnostics) = course::assemble(summaries, config, drafts);
        let ids = documents.iter().map(|understood| course.page_of(understood.path())).collect();
        Self { course, ids, diagnostics }
    }
}

/// How far it reaches for the course that documents have changed from what they were.
pub fn reach(was: &[Arc<Understood>], is: &[Arc<Understood>]) -> Reach {
    if was.len() != is.len() {
        return Reach::All;
    }
    let mut headings = BTreeSet::new();
    for (was, is) in was.iter().zip(is).filter(|(was, is)| !Arc::ptr_eq(was, is)) {
        if !is.has_face_of(was) {
            return Reach::All;
        }
        if !is.has_headings_of(was) {
            headings.insert(Arc::clone(is.path()));
        }
    }
    if headings.is_empty() { Reach::Nothing } else { Reach::Headings(headings) }
}

/// The same course with the headings that these of its documents have now.
pub fn with_headings(mut linked: Arc<Linked>, documents: &[Arc<Understood>], of: &BTreeSet<Arc<str>>) -> Arc<Linked> {
    let course = &mut Arc::make_mut(&mut linked).course;
    for path in of {
        let at = documents.binary_search_by(|known| known.path().cmp(path)).ok();
        if let Some(summary) = at.and_then(|at| documents[at].summary.as_ref()) {
            course.set_headings(path, summary);
        }
    }
    linked
}
