//! A move that was begun by hand: the page's file has its new name, and everything else still names the old one.

use std::sync::Arc;

use super::Plan;
use super::names::{self, Typed};
use crate::change::Change;
use crate::project::{File, Project};
use crate::site::documents;
use crate::source::Source;

/// What was done by hand.
pub struct Move {
    /// The course as it was before.
    pub before: Project,
    /// The page's file as it was called.
    pub from: Arc<str>,
    /// The page's file as it is called now.
    pub to: Arc<str>,
}

impl Move {
    /// Finds what was done, if there is no page `old` and there is a page `new` that could have been called so.
    pub fn find(project: &Project, old: &Typed<'_>, new: &Typed<'_>) -> Option<Self> {
        let pages = documents::all(project);
        if names::find(&pages, old).is_ok() {
            return None;
        }
        let page = names::find(&pages, new).ok()?;
        let from = names::target(&pages, project, page, old).ok()?.path;
        let mut before = Project { files: project.files.clone(), diagnostics: project.diagnostics.clone() };
        let source = Source::new(Arc::clone(&from), page.source.text());
        before.put(page.source.path(), None);
        before.put(&from, Some(File::Text(Arc::new(source))));
        Some(Self { before, from, to: Arc::clone(page.source.path()) })
    }

    /// What of a plan for all of the move is left to be done.
    pub fn rest(&self, mut plan: Plan, project: &Project) -> Plan {
        plan.changes.retain(|change| !matches!(change, Change::Rename { from, .. } if *from == self.from));
        for change in &mut plan.changes {
            if let (Change::Replace { source, .. }, Some(page)) = (change, project.text(&self.to))
                && *source.path() == self.from
            {
                *source = Arc::clone(page);
            }
        }
        plan
    }
}
