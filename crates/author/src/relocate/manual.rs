//! Completes a move that the author began by renaming the page's file: everything else still refers to the old name.

use std::sync::Arc;

use super::Plan;
use super::names::{self, PageName};
use infralens_site::parse_pages;
use infralens_source::change::{Change, Refusal};
use infralens_source::project::{File, Project};
use infralens_source::source::Source;

/// A page's file that the author has renamed.
pub struct ManualMove {
    /// The course as it was before the file was renamed.
    pub before: Project,
    /// The old path of the page's file.
    pub from: Arc<str>,
    /// The current path of the page's file.
    pub to: Arc<str>,
    /// Why the old name is refused if the file was not renamed.
    pub unknown: Refusal,
}

impl ManualMove {
    /// Detects a renamed file: there is no page `old`, but a page `new` whose old name could have been `old`.
    pub fn find(project: &Project, old: &PageName<'_>, new: &PageName<'_>) -> Option<Self> {
        let pages = parse_pages(project);
        let unknown = names::find(&pages, old).err()?;
        let page = names::find(&pages, new).ok()?;
        let from = names::target(&pages, project, page, old).ok()?.path;
        let mut before = project.clone();
        let source = Source::new(Arc::clone(&from), page.source.text());
        before.put(page.source.path(), None);
        before.put(&from, Some(File::Text(Arc::new(source))));
        Some(Self { before, from, to: Arc::clone(page.source.path()), unknown })
    }

    /// Removes from the plan of the complete move what the author has already done.
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
