//! Edits as an editor makes them: of documents, and of the names of files.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::answer::Answerer;
use infralens_author::fix::difference;
use infralens_author::relocate::{self, PageName};
use infralens_source::change::Change;
use infralens_source::diag::{Edit, Fix};

impl Answerer<'_> {
    /// Returns edits and renamed files as one change of the workspace; `None` if a file of them cannot be named, or if files
    /// are renamed and the editor cannot do that.
    pub fn workspace_edit(&self, edits: &[Edit], renames: &[(Arc<str>, Arc<str>)]) -> Option<Value> {
        let mut files: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
        for edit in edits {
            let (_, lines) = self.buffers.lines(&self.planned.project, &edit.place.file)?;
            let edit_of = json!({ "range": lines.range(&edit.span()), "newText": edit.text });
            files.entry(&edit.place.file).or_default().push(edit_of);
        }
        if !self.abilities.document_changes {
            let changes: Option<serde_json::Map<String, Value>> = files
                .into_iter()
                .map(|(path, edits)| Some((self.buffers.uri(path)?.as_str().to_owned(), edits.into())))
                .collect();
            return changes.filter(|_| renames.is_empty()).map(|changes| json!({ "changes": changes }));
        }
        let mut changes = Vec::new();
        for (path, edits) in files {
            let version = self.buffers.buffer(path).map(|buffer| buffer.version);
            let document = json!({ "uri": self.buffers.uri(path)?, "version": version });
            changes.push(json!({ "textDocument": document, "edits": edits }));
        }
        for (from, to) in renames {
            let (from, to) = (self.buffers.uri(from)?, self.buffers.uri(to)?);
            changes.push(json!({ "kind": "rename", "oldUri": from, "newUri": to }));
        }
        Some(json!({ "documentChanges": changes }))
    }

    /// Returns a fix as a change of the workspace.
    pub fn fix_edit(&self, fix: &Fix) -> Option<Value> {
        self.workspace_edit(&fix.edits, fix.rename.as_slice())
    }

    /// Returns what else changes if a page is renamed, as `move` does it; the editor renames the page itself.
    pub fn will_rename(&self, from: &str, to: &str) -> Option<Value> {
        let [old, new] = [from, to].map(|path| PageName { text: path, path: Some(path.to_owned()) });
        let plan = relocate::plan(&self.planned.project, &old, &new).ok()?;
        let (mut edits, mut renames) = (Vec::new(), Vec::new());
        for change in &plan.changes {
            match change {
                Change::Replace { source, text } => {
                    let (span, new) = difference(source.text(), text);
                    edits.push(Edit::new(source, span, new));
                }
                Change::Rename { from: page, .. } if **page == *from => {}
                Change::Rename { from, to } => renames.push((Arc::clone(from), Arc::clone(to))),
                Change::Create { .. } | Change::Add { .. } => return None,
            }
        }
        self.workspace_edit(&edits, &renames)
    }
}
