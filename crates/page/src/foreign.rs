//! Warns about text that looks like markup and is not, and says what to write instead: syntax of other tools, and Markdown
//! with a missing end. A form is one piece of such syntax: its delimiters, and a test of what is between them. Code blocks
//! are searched only for includes and annotations on lines of their own.
//!
//! 1. [`prose`] gives the text of each block with everything else masked; [`forms`], [`alert`], [`table`] and [`reference`]
//!    search it;
//! 2. [`block`], the rest of [`alert`], [`table`] and [`reference`], and the title are checked in the events of the parser;
//! 3. in a README, which is often written for a code host, each form is reported only once.

pub mod alert;
pub mod attribute;
pub mod block;
mod fits;
mod forms;
mod markup;
mod prose;
mod reference;
mod table;

use std::collections::BTreeMap;

use pulldown_cmark::{Event, Tag};

use super::{Document, Kind, contains};
use infralens_source::diag::{Diagnostic, codes, conflict};
use infralens_source::source::{Source, Span};

/// Reports everything on a page that looks as if it had a meaning but has none. `unresolved` are the spans of reference
/// links without a definition.
pub fn check(document: &Document, unresolved: &[Span]) -> Vec<Diagnostic> {
    let (source, body) = (&*document.source, &document.body);
    let blocks = prose::blocks(source, body);
    let mut found = Vec::new();
    for block in &blocks {
        forms::check(source, block, &mut found);
        alert::check(source, block, &mut found);
        table::without_delimiter(source, block, &mut found);
    }
    alert::without_text(source, body, &mut found);
    block::check(source, body, &mut found);
    markup::in_html(source, body, &mut found);
    table::surplus(source, body, &mut found);
    // An unclosed code block may have swallowed the other end.
    if body.unclosed.is_empty() {
        reference::check(source, body, &blocks, unresolved, &mut found);
    }
    found.extend(body.events.iter().filter_map(|(event, span)| definition(source, &event, &span)));
    found.extend(repeated_title(document));
    found.extend(markup::in_title(document));
    let code = body.spans_of(|event| matches!(event, Event::Start(Tag::CodeBlock(_))));
    found.extend(conflict::in_page(source, |at| contains(&code, at)));
    if document.placement.kind == Kind::Readme { once(found) } else { found }
}

/// Quotes a part of a page for a message: its first line, shortened if it is long.
fn quoted(source: &Source, span: &Span) -> String {
    const LONGEST: usize = 48;
    let text = source.text()[span.clone()].trim();
    let line = text.lines().next().unwrap_or_default().trim_end();
    let end = line.char_indices().nth(LONGEST).map_or(line.len(), |(at, _)| at);
    if end < text.len() { format!("{}…", line[..end].trim_end()) } else { line.to_owned() }
}

/// Reports a definition whose colon has no space after it. It may be a definition that only some Markdown parsers accept,
/// or a line of prose that happens to begin with a colon.
fn definition(source: &Source, event: &Event<'_>, span: &Span) -> Option<Diagnostic> {
    let Event::Start(Tag::DefinitionListDefinition) = event else { return None };
    let at = source.first_line(span);
    let text = &source.text()[at.clone()];
    text.strip_prefix(':').filter(|after| after.starts_with(|c: char| !c.is_whitespace()))?;
    let message = "this line is read as a definition of the line above, but its colon has no space after it";
    let help = "begin an answer or a definition with `: `; for a line of text that begins with a colon, write `\\:`";
    Some(source.diagnostic(codes::W0208, at, message).help(help))
}

/// Reports a first heading that repeats the title of the front matter, which the page already shows.
fn repeated_title(document: &Document) -> Option<Diagnostic> {
    let first = document.body.headings.first().filter(|first| first.level == 1 && first.top_level)?;
    let (title, heading) = (words(&document.front.common.title), words(&first.text));
    let lab = document.placement.number.as_ref().filter(|_| document.placement.kind == Kind::Lab);
    let is_same =
        heading == title || lab.is_some_and(|number| heading == words(&format!("lab {}: {title}", number.text)));
    let help = "leave this heading out: the page shows the `title` of its front matter; its text begins with `##`";
    (is_same && document.placement.kind != Kind::Readme && !title.is_empty()).then(|| {
        document.source.diagnostic(codes::W0211, first.span.clone(), "this heading repeats the title").help(help)
    })
}

/// Returns the words of a text in lower case, without punctuation.
fn words(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// Keeps the first diagnostic of each form, and adds how many more there are.
fn once(found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut first: BTreeMap<(&str, Vec<String>), (Diagnostic, usize)> = BTreeMap::new();
    for diagnostic in found {
        let form = (diagnostic.code.id, diagnostic.help.clone());
        let before = |known: &Diagnostic| known.place <= diagnostic.place;
        match first.get_mut(&form) {
            Some((known, more)) if before(known) => *more += 1,
            Some((known, more)) => (*known, *more) = (diagnostic, *more + 1),
            None => drop(first.insert(form, (diagnostic, 0))),
        }
    }
    let counted = first.into_values().map(|(diagnostic, more)| match more {
        0 => diagnostic,
        _ => diagnostic.note(format!("{more} more in this file")),
    });
    counted.collect()
}
