//! Updates links to line numbers: the edits of a page, and whether the new page has the links that were meant.

use std::collections::BTreeMap;

use infralens_page::Document;
use infralens_page::link_title::{LinkSources, quoted, title};
use infralens_render::line_link::{LinkChange, LinkDrift};
use infralens_source::source::Span;

/// Returns the edits that bring links up to date; `None` if it cannot be told where one of them is written.
pub(super) fn edits(document: &Document, drifts: &[LinkDrift], is_careful: bool) -> Option<Vec<(Span, String)>> {
    let sources = LinkSources::new(document);
    let mut edits = Vec::new();
    for drift in drifts {
        let written = sources.of(&document.body.links[index(document, drift)?]);
        if written.is_empty() {
            return None;
        }
        for source in written {
            edits.push(match &drift.change {
                LinkChange::Move(anchor) => {
                    let fragment = source.destination.text.find('#')? + 1..source.destination.text.len();
                    (source.destination.span(fragment), anchor.clone())
                }
                LinkChange::Fill(text) | LinkChange::Replace(text) => {
                    let space = if source.title.is_empty() { " " } else { "" };
                    (source.title, format!("{space}{}", quoted(text, source.is_in_table, is_careful)))
                }
            });
        }
    }
    // Several links may have one definition.
    edits.sort_by_key(|(span, _)| span.start);
    edits.dedup();
    Some(edits)
}

/// Returns the lines of updated links; `None` if the new page does not have the links that were meant: these with the change,
/// and those that share a definition with them, and all others as they were.
pub(super) fn lines(before: &Document, after: &Document, drifts: &[LinkDrift]) -> Option<Vec<usize>> {
    if drifts.is_empty() {
        return Some(Vec::new());
    }
    let (old, new) = (links(before), links(after));
    let mut changed = BTreeMap::new();
    let mut lines = Vec::new();
    for drift in drifts {
        let at = index(before, drift)?;
        let (target, title) = old[at].clone();
        let meant = match &drift.change {
            LinkChange::Move(anchor) => (format!("{}#{anchor}", target.split_once('#')?.0), title.clone()),
            LinkChange::Fill(text) | LinkChange::Replace(text) => (target.clone(), text.clone()),
        };
        if new.get(at) != Some(&meant) {
            return None;
        }
        lines.push(after.source.position(after.body.links[at].span.start).line);
        changed.insert((target, title), meant);
    }
    let is_meant = old.len() == new.len()
        && old.iter().zip(&new).all(|(old, new)| old == new || changed.get(old).is_some_and(|meant| meant == new));
    is_meant.then_some(lines)
}

/// Returns the destination and title of each link.
fn links(document: &Document) -> Vec<(String, String)> {
    let title = |link| title(document, link).map(|(_, title)| title).unwrap_or_default();
    document.body.links.iter().map(|link| (link.target.clone(), title(link))).collect()
}

fn index(document: &Document, drift: &LinkDrift) -> Option<usize> {
    let links = &document.body.links;
    let at = links.partition_point(|link| link.span.start < drift.span.start);
    links.get(at).is_some_and(|link| link.span == drift.span && !link.image).then_some(at)
}
