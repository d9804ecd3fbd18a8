//! What a glossary does not define: a term without its colon, which is a paragraph like any other, one in a list or a table,
//! and one that is defined again, which no page ever shows.

use std::collections::BTreeMap;

use pulldown_cmark::{Event, Tag};

use super::at;
use infralens_page::{Document, Glossary};
use infralens_source::diag::{Diagnostic, codes};
use infralens_source::source::Span;

/// The letters of the longest line that is taken for a term.
const LONGEST: usize = 40;

/// Checks the page of the glossary.
pub fn glossary(document: &Document, out: &mut Vec<Diagnostic>) {
    let before = out.len();
    let mut depth = 0;
    for (event, span) in document.body.events.iter() {
        match event {
            Event::Start(tag) => {
                match tag {
                    Tag::Paragraph if depth == 0 => out.extend(without_colon(document, &span)),
                    Tag::List(_) if depth == 0 => out.extend(listed(document, &span)),
                    _ => {}
                }
                depth += 1;
            }
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    twice(document, out);
    if out.len() == before {
        out.extend(nothing(document));
    }
}

/// What to write for a term, and its definition if that is known.
fn how(term: &str, definition: &str) -> String {
    let definition = if definition.is_empty() { "its definition" } else { definition };
    format!("write a line `{term}`, and below it a line `: {definition}`")
}

/// Reports a list whose items begin with a term in bold or code and a colon or a dash, or of which all begin with words and a
/// colon.
fn listed(document: &Document, span: &Span) -> Option<Diagnostic> {
    let lines = document.source.text()[span.clone()].lines();
    let items: Vec<Option<(&str, &str, bool)>> = lines.filter_map(item).map(defined).collect();
    let found = items.iter().flatten().find(|(.., is_marked)| *is_marked);
    let found = found.or_else(|| items.iter().all(Option::is_some).then(|| items.first()?.as_ref()).flatten());
    let (term, definition, _) = found?;
    let message = format!("`{term}` is not defined here, because a list is not read as definitions");
    Some(at_line(document, span, message).help(how(term, definition)))
}

/// Returns the text of an item that begins on a line.
fn item(line: &str) -> Option<&str> {
    ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark))
}

/// Returns a term, its definition and whether the term is in bold or code, if the text of an item has both.
fn defined(text: &str) -> Option<(&str, &str, bool)> {
    let is_marked = text.starts_with(['*', '_', '`']);
    let ends = if is_marked { &[":", " — ", " – ", " - "][..] } else { &[": "] };
    let (term, definition) = ends.iter().filter_map(|end| text.split_once(end)).min_by_key(|(term, _)| term.len())?;
    let term = term.trim_matches(['*', '_', '`', ':', ' ']);
    let definition = definition.trim_start_matches(['*', '_', '`', ':', ' ']).trim_end();
    let is_term = !term.is_empty() && term.chars().count() <= LONGEST;
    (is_term && !definition.is_empty()).then_some((term, definition, is_marked))
}

/// Reports a glossary that has a text and defines nothing.
fn nothing(document: &Document) -> Option<Diagnostic> {
    let is_empty = document.body.words > 0 && Glossary::new(&document.body).is_empty();
    let first = document.body.events.iter().next().filter(|_| is_empty)?.1;
    let message = "this glossary defines no term, so no page explains one".to_owned();
    Some(at_line(document, &first, message).help(how("KV cache", "the keys and values of earlier tokens")))
}

fn at_line(document: &Document, span: &Span, message: String) -> Diagnostic {
    at(document, document.source.first_line(span), codes::W0208, message)
}

/// Reports a paragraph that begins with a line like a term.
fn without_colon(document: &Document, span: &Span) -> Option<Diagnostic> {
    let (text, first) = (document.source.text(), document.source.first_line(span));
    let line = text[first.clone()].trim();
    let is_term = line.chars().count() <= LONGEST && line.ends_with(|c: char| c.is_alphanumeric() || c == ')');
    let is_followed = first.end < span.end && !text[first.end..span.end].trim().is_empty();
    (is_term && is_followed).then(|| {
        let message = format!("`{line}` is followed by text, but not by its definition");
        at(document, first, codes::W0208, message).help("begin the line below the term with `: `").hint()
    })
}

/// Reports names that have been defined above.
fn twice(document: &Document, out: &mut Vec<Diagnostic>) {
    let glossary = Glossary::new(&document.body);
    let mut known = BTreeMap::new();
    for term in &glossary.terms {
        let span = document.body.events.span(term.at);
        for name in &term.names {
            let Some(first) = known.insert(name.to_lowercase(), span.clone()).filter(|first| *first != span) else {
                continue;
            };
            known.insert(name.to_lowercase(), first.clone());
            let message = format!("`{name}` has been defined above, and pages show that definition");
            out.push(
                at(document, document.source.first_line(&span), codes::DUPLICATE_TITLE, message)
                    .related(document.source.place(document.source.first_line(&first)), "the definition above")
                    .help("make one definition of both, or give this term a name of its own"),
            );
        }
    }
}
