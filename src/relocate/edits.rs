//! Collects edits of several files: each replaces a byte range, and every other byte stays.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::change::Change;
use crate::source::{Source, Span};

/// The edits of several files.
#[derive(Debug, Default)]
pub struct Edits(BTreeMap<Arc<str>, File>);

#[derive(Debug)]
struct File {
    source: Arc<Source>,
    edits: Vec<(Span, String)>,
}

impl Edits {
    /// Replaces `span` of the file by `text`, unless it already has that text.
    pub fn put(&mut self, source: &Arc<Source>, span: Span, text: String) {
        if source.text()[span.clone()] != text {
            let file = self.0.entry(Arc::clone(source.path()));
            let file = file.or_insert_with(|| File { source: Arc::clone(source), edits: Vec::new() });
            file.edits.push((span, text));
        }
    }

    /// Whether there is no edit.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the edited files with their new texts, in the order of their paths.
    pub fn changes(self) -> Vec<Change> {
        let files = self.0.into_values();
        files.map(|file| Change::Replace { text: apply(file.source.text(), file.edits), source: file.source }).collect()
    }
}

/// Applies edits to a text. Only the first edit of a place counts: a second one, as through a YAML alias, is the same.
fn apply(text: &str, mut edits: Vec<(Span, String)>) -> String {
    edits.sort_by_key(|(span, _)| (span.start, span.end));
    let mut out = String::with_capacity(text.len() + 64);
    let mut at = 0;
    for (span, new) in &edits {
        if span.start >= at {
            out.push_str(&text[at..span.start]);
            out.push_str(new);
            at = span.end;
        }
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_applied_in_order_and_once_per_place() {
        let edits = vec![(6..7, "C".to_owned()), (1..2, "A".into()), (6..7, "D".into()), (3..3, "+".into())];
        assert_eq!(apply("0a2345c7", edits), "0A2+345C7");
    }
}
