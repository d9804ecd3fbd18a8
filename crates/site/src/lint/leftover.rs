//! `todo`: the word that scaffolds and authors leave where something is still to be done. There is one warning per front
//! matter and per section, however often the word is in it.

use super::{Input, damage};
use infralens_page::{Document, contains};
use infralens_source::diag::{Diagnostic, codes};
use infralens_source::project::{REFERENCES, SITE};
use infralens_source::source::{Source, Span};

const WORD: &str = concat!("TO", "DO");
/// The deepest heading that begins a section.
const SECTION: u8 = 2;

/// Checks a page except its code: the front matter, the text above the sections, and each section.
pub fn page(document: &Document, code: &[Span], out: &mut Vec<Diagnostic>) {
    let headings = document.body.headings.iter();
    let sections = headings.filter(|heading| heading.top_level && heading.level <= SECTION);
    let mut starts = vec![(0, "the front matter".to_owned()), (document.body_start, "this page".to_owned())];
    starts.extend(sections.map(|heading| (heading.span.start, format!("the section `{}`", heading.text))));
    let ends = starts.iter().skip(1).map(|(start, _)| *start).chain([document.source.text().len()]);
    for ((start, what), end) in starts.iter().zip(ends) {
        out.extend(left(&document.source, *start..end.max(*start), what, code));
    }
}

/// Checks the settings and the bibliography, also for damaged text.
pub fn settings(input: Input<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for path in [REFERENCES, SITE] {
        if let Some(source) = input.cx.project.text(path) {
            found.extend(left(source, 0..source.text().len(), "this file", &[]));
            damage::characters(source, &[], &mut found);
        }
    }
    found
}

/// Reports the word in a part of a text. `what` names the part.
fn left(source: &Source, within: Span, what: &str, code: &[Span]) -> Option<Diagnostic> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let text = &source.text()[within.clone()];
    let mut places = text.match_indices(WORD).filter_map(|(offset, word)| {
        let alone = !text[..offset].ends_with(is_part) && !text[offset + word.len()..].starts_with(is_part);
        let at = within.start + offset;
        (alone && !contains(code, at)).then(|| at..at + word.len())
    });
    let first = places.next()?;
    let diagnostic = |message: String, label| {
        source
            .diagnostic(codes::TO_DO, first, message)
            .label(label)
            .help("do it and remove the word; to write about the word itself, put it in a code span")
    };
    Some(match places.count() {
        0 => diagnostic("something is left to do here".to_owned(), ""),
        others => diagnostic(format!("{} things are left to do in {what}", others + 1), "the first"),
    })
}
