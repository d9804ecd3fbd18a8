//! Edits as an editor makes them: of documents, and of the names of files.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::answer::Answerer;
use infralens_author::assist::rename::unread_use;
use infralens_author::fix::difference;
use infralens_author::relocate::{self, PageName};
use infralens_page::placement;
use infralens_source::change::{Change, preview};
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

    /// Returns what else changes if pages are renamed, as `move` does it one after another; the editor renames the pages
    /// themselves.
    ///
    /// # Errors
    ///
    /// A page that cannot be read may name one of them.
    pub fn will_rename(&self, pages: &[(Arc<str>, Arc<str>)]) -> Result<Option<Value>, String> {
        for (from, _) in pages {
            // A section is named without its number, and linked with it.
            let file = from.rsplit('/').next().unwrap_or(from).trim_end_matches(".md");
            let name = placement::place(from).ok().map(|place| place.name);
            let mut names = std::iter::once(file).chain(name.as_deref());
            if let Some(refusal) = names.find_map(|name| unread_use(&self.planned.site, name, &[])) {
                return Err(refusal.message);
            }
        }
        Ok(self.moved(pages))
    }

    fn moved(&self, pages: &[(Arc<str>, Arc<str>)]) -> Option<Value> {
        let before = &self.planned.project;
        let mut after = before.clone();
        // Where each file of the course is after the moves so far, and what has moved besides the pages.
        let mut now: BTreeMap<Arc<str>, Arc<str>> =
            before.files.keys().map(|path| (Arc::clone(path), Arc::clone(path))).collect();
        let mut renames = Vec::new();
        for (from, to) in pages {
            let [old, new] = [from, to].map(|path| PageName { text: path, path: Some(path.to_string()) });
            let plan = relocate::plan(&after, &old, &new).ok()?;
            for change in &plan.changes {
                let Change::Rename { from, to } = change else { continue };
                for path in now.values_mut() {
                    if let Some(rest) =
                        path.strip_prefix(&**from).filter(|rest| rest.is_empty() || rest.starts_with('/'))
                    {
                        *path = format!("{to}{rest}").into();
                    }
                }
                let is_page = pages.iter().any(|(page, _)| page == from);
                renames.extend((!is_page).then(|| (Arc::clone(from), Arc::clone(to))));
            }
            if plan.changes.iter().any(|change| matches!(change, Change::Create { .. } | Change::Add { .. })) {
                return None;
            }
            after = preview(&after, &plan.changes);
        }
        let edits = now.iter().filter_map(|(old, new)| {
            let (old, new) = (before.text(old)?, after.text(new)?);
            let (span, text) = difference(old.text(), new.text());
            (old.text() != new.text()).then(|| Edit::new(old, span, text))
        });
        self.workspace_edit(&edits.collect::<Vec<_>>(), &renames)
    }
}
