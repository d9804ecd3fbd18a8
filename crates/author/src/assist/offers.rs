//! What is offered at a place where nothing is wrong: a note on code that none explains, and what `adopt` would bind.

use infralens_page::Kind;
use infralens_render::{ResolvedPage, unbound};
use infralens_site::Site;
use infralens_source::diag::{Edit, Fix};
use infralens_source::project::Project;
use infralens_source::source::Span;

use crate::adopt::{Bound, adopt_within, touch};
use crate::fix::edit_of;

/// Returns the changes that are offered at a span of a page. An author confirms each.
pub fn offers(site: &Site, path: &str, at: &Span) -> Vec<Fix> {
    let Some(page) = site.source(path) else { return Vec::new() };
    let mut offered = notes(&page, at);
    let judge = |project: &Project| {
        let site = site.replan(project);
        (site.all_drifts(), site.diagnostics().cloned().collect())
    };
    let adoption = adopt_within(&[page.subject], at, site.project(), site.code(), &judge);
    let edits: Vec<Edit> = adoption.changes.iter().filter_map(edit_of).collect();
    let bound: Vec<String> = adoption.bound.iter().map(Bound::summary).collect();
    offered.extend((!edits.is_empty()).then(|| Fix::new(format!("adopt: {}", bound.join("; ")), edits)));
    offered
}

/// Returns a note below its excerpt for each code span of a lab that is in an excerpt, but in no line with a note.
fn notes(page: &ResolvedPage<'_>, at: &Span) -> Vec<Fix> {
    let document = page.subject.document;
    if document.placement.kind != Kind::Lab {
        return Vec::new();
    }
    let source = &document.source;
    let found = unbound::find(document, page.facts).into_iter().filter(|code| touch(&code.span, at));
    let notes = found.filter_map(|code| {
        let excerpt = document.body.excerpts.iter().find(|excerpt| excerpt.head == code.head)?;
        let written = &source.text()[code.span.clone()];
        let (end, gap) = excerpt.notes.last().map_or((excerpt.block.end, "\n\n"), |last| (last.span.end, "\n"));
        let end = source.text()[..end].trim_end().len();
        let note = format!("{gap}{}. {written} — TODO: what it does", excerpt.notes.len() + 1);
        let title = format!("add a note on {written}, line {} of `{}`", code.place.1, code.place.0);
        Some(Fix::new(title, vec![Edit::new(source, end..end, note)]))
    });
    notes.collect()
}
