//! What is offered at a place where nothing is wrong: a note on code that none explains, and what `adopt` would bind.

use infralens_page::fence::write::line_end;
use infralens_page::{Excerpt, Kind};
use infralens_render::bind::BoundNote;
use infralens_render::page::ResolvedExcerpt;
use infralens_render::{ResolvedPage, unbound};
use infralens_site::Site;
use infralens_source::diag::{Edit, Fix};
use infralens_source::project::Project;
use infralens_source::source::{Source, Span};

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
        let resolved = page.facts.excerpts.iter().find(|one| document.body.excerpts[one.index].head == code.head)?;
        let written = &source.text()[code.span.clone()];
        let title = format!("add a note on {written}, line {} of `{}`", code.place.1, code.place.0);
        let edits = note_in_order(source, &document.body.excerpts[resolved.index], resolved, written, code.place.1);
        Some(Fix::new(title, edits))
    });
    notes.collect()
}

/// Returns the edits that add a note on a line, from 1, where the order of the lines puts it. The notes below it are numbered
/// anew, unless they have other numbers than their places.
fn note_in_order(
    source: &Source,
    excerpt: &Excerpt,
    resolved: &ResolvedExcerpt,
    written: &str,
    line: usize,
) -> Vec<Edit> {
    let first_line = |bound: &BoundNote| resolved.shown.line_number(bound.rows.first()?.start);
    let is_below = |bound: &BoundNote| first_line(bound).is_some_and(|first| first > line);
    let place = resolved.bound.iter().position(is_below).unwrap_or(excerpt.notes.len()).min(excerpt.notes.len());
    let text = source.text();
    let line_end = line_end(text, excerpt.head.start);
    let note = format!("{}. {written} — TODO: what it does", place + 1);
    if place == excerpt.notes.len() {
        let (end, lines) = excerpt.notes.last().map_or((excerpt.block.end, 2), |last| (last.span.end, 1));
        let end = text[..end].trim_end().len();
        return vec![Edit::new(source, end..end, format!("{}{note}", line_end.repeat(lines)))];
    }
    let mut edits = Vec::new();
    for (index, below) in excerpt.notes.iter().enumerate().skip(place) {
        let (start, number) = (below.span.start, (index + 1).to_string());
        let is_numbered = text[below.span.clone()].strip_prefix(&number).is_some_and(|rest| rest.starts_with('.'));
        let (old, mut new) = if is_numbered { (number.len(), (index + 2).to_string()) } else { (0, String::new()) };
        if index == place {
            let indent = text[..start].rsplit('\n').next().unwrap_or_default();
            new = format!("{note}{line_end}{indent}{new}");
        }
        edits.push(Edit::new(source, start..start + old, new));
    }
    edits.retain(|edit| !edit.text.is_empty());
    edits
}
