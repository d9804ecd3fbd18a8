//! Finds code spans of a page that name code of an excerpt to which no note is bound.

use std::collections::BTreeSet;
use std::sync::Arc;

use pulldown_cmark::Event;

use super::bind::anchors;
use super::page::Facts;
use infralens_page::{Document, contains};
use infralens_source::source::{Source, Span};

/// The letters and digits of the shortest code that is worth a note.
const FEWEST_LETTERS: usize = 2;

/// A code span that is in an excerpt of its page, but not in the lines of a note.
#[derive(Debug, Clone)]
pub struct UnboundCode {
    pub page: Arc<Source>,
    pub span: Span,
    pub text: String,
    /// The span of the excerpt's opening line.
    pub head: Span,
    /// The file that the excerpt shows, and the line, from 1, with the code.
    pub place: (Arc<str>, usize),
}

/// Finds such code spans, each text once, at the first excerpt that has it in a line that no note covers. A text that is
/// bound anywhere on the page is not among them.
pub fn find(document: &Document, facts: &Facts) -> Vec<UnboundCode> {
    let excerpts = &document.body.excerpts;
    let mut heads: Vec<Span> = excerpts
        .iter()
        .flat_map(|excerpt| excerpt.notes.iter().flat_map(anchors))
        .map(|anchor| anchor.span().clone())
        .collect();
    heads.sort_by_key(|span| span.start);
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    for (event, span) in document.body.events.iter() {
        let Event::Code(text) = event else { continue };
        let letters = text.chars().filter(|c| c.is_alphanumeric()).count();
        if letters < FEWEST_LETTERS || contains(&heads, span.start) || !seen.insert(text.to_string()) {
            continue;
        }
        let mut places = Vec::new();
        let mut is_bound = false;
        for resolved in &facts.excerpts {
            let view = resolved.shown.view(&resolved.listing);
            for place in view.all(&text) {
                let covers = |note: &super::bind::BoundNote| note.rows.iter().any(|rows| rows.contains(&place.row));
                is_bound |= resolved.bound.iter().any(covers);
                places.extend(resolved.shown.line_number(place.row).map(|line| (resolved, line)));
            }
        }
        if let (false, Some((resolved, line))) = (is_bound, places.first()) {
            found.push(UnboundCode {
                page: Arc::clone(&document.source),
                span,
                text: text.to_string(),
                head: excerpts[resolved.index].head.clone(),
                place: (Arc::clone(resolved.listing.source().path()), *line),
            });
        }
    }
    found
}
