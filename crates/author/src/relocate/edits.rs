//! Collects edits of several files: each replaces a byte range, and every other byte stays.

use std::collections::BTreeMap;
use std::sync::Arc;

use infralens_source::change::Change;
use infralens_source::source::{Source, Span, edited};

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
        // A place may have been named twice, as through a YAML alias; both edits are the same.
        let change = |File { source, edits }| Change::Replace { text: edited(source.text(), edits), source };
        self.0.into_values().map(change).collect()
    }
}
