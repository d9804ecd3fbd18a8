//! What a glossary does not define: a term without its colon, which is a paragraph like any other, and one that is defined
//! again, which no page ever shows.

use std::collections::BTreeMap;

use pulldown_cmark::{Event, Tag};

use super::at;
use infralens_page::{Document, Glossary};
use infralens_source::diag::{Diagnostic, codes};

/// The letters of the longest line that is taken for a term.
const LONGEST: usize = 40;

/// Checks the page of the glossary.
pub fn glossary(document: &Document, out: &mut Vec<Diagnostic>) {
    without_colon(document, out);
    twice(document, out);
}

/// Reports paragraphs that begin with a line like a term.
fn without_colon(document: &Document, out: &mut Vec<Diagnostic>) {
    let mut depth = 0;
    for (event, span) in document.body.events.iter() {
        match event {
            Event::Start(Tag::Paragraph) if depth == 0 => {
                let first = document.source.first_line(&span);
                let line = document.source.text()[first.clone()].trim();
                let is_term =
                    line.chars().count() <= LONGEST && line.ends_with(|c: char| c.is_alphanumeric() || c == ')');
                if is_term && first.end < span.end && !document.source.text()[first.end..span.end].trim().is_empty() {
                    let message = format!("`{line}` is followed by text, but not by its definition");
                    let help = "begin the line below the term with `: `";
                    out.push(at(document, first, codes::W0208, message).help(help).hint());
                }
                depth += 1;
            }
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
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
