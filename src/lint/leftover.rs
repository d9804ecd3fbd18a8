//! `todo`: the word that scaffolds and authors leave where something is still to be done.

use super::text::holds;
use super::{Input, damage};
use crate::diag::{Diagnostic, Place, codes};
use crate::source::{Source, Span};

/// The word, in capitals.
const WORD: &str = concat!("TO", "DO");

/// In a text, code apart.
pub fn left(source: &Source, within: Span, code: &[Span], out: &mut Vec<Diagnostic>) {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let text = &source.text()[within.clone()];
    for (offset, word) in text.match_indices(WORD) {
        let alone = !text[..offset].ends_with(is_part) && !text[offset + word.len()..].starts_with(is_part);
        let at = within.start + offset;
        if alone && !holds(code, at) {
            let place = Place::new(source.path(), at..at + word.len());
            out.push(
                Diagnostic::new(codes::TO_DO, place, "something is left to do here")
                    .help("do it and remove the word; a code span may hold it, where a page speaks about it"),
            );
        }
    }
}

/// In the settings and the bibliography; their text is looked at for damage, too.
#[must_use]
pub fn settings(input: Input<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for path in ["content/references.yaml", "content/site.yaml"] {
        if let Some(source) = input.cx.project.text(path) {
            left(source, 0..source.text().len(), &[], &mut found);
            damage::characters(source, &[], &mut found);
        }
    }
    found
}
