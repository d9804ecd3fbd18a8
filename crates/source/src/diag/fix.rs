//! Fixes: what would mend a diagnostic, as edits of files.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Place;
use super::near::Near;
use crate::source::{Source, Span};

/// A change that mends a diagnostic. It is made whole or not at all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fix {
    /// What the fix does, as a command to the author, without a full stop.
    pub title: String,
    /// Whether it can be made without asking: it follows from the course what was meant.
    pub sure: bool,
    /// The edits; none of them overlap.
    pub edits: Vec<Edit>,
    /// The old and the new path of a file that has the wrong name.
    pub rename: Option<(Arc<str>, Arc<str>)>,
}

/// The replacement of a span of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// What is replaced; its span is never `None`.
    pub place: Place,
    pub text: String,
}

impl Edit {
    /// Creates the edit that replaces a span of a file.
    pub fn new(source: &Source, span: Span, text: impl Into<String>) -> Self {
        Self { place: source.place(span), text: text.into() }
    }

    pub fn span(&self) -> Span {
        self.place.span.map_or(0..0, |(start, end)| start..end)
    }
}

impl Fix {
    /// Creates a fix that an author must confirm.
    pub fn new(title: impl Into<String>, edits: Vec<Edit>) -> Self {
        Self { title: title.into(), sure: false, edits, rename: None }
    }

    /// Creates a fix that gives a file another name.
    pub fn rename(from: &Arc<str>, to: impl Into<Arc<str>>) -> Self {
        let to = to.into();
        Self {
            rename: Some((Arc::clone(from), Arc::clone(&to))),
            ..Self::new(format!("rename it to `{to}`"), Vec::new())
        }
    }

    /// Whether two fixes make the same edits and renames.
    pub fn is_same(&self, other: &Self) -> bool {
        self.edits == other.edits && self.rename == other.rename
    }

    /// Sets whether the fix can be made without asking.
    pub fn sure(mut self, sure: bool) -> Self {
        self.sure = sure;
        self
    }

    /// Creates the fix that writes a text for a span.
    pub fn write(source: &Source, span: Span, text: &str) -> Self {
        Self::new(format!("write `{text}`"), vec![Edit::new(source, span, text)])
    }

    /// Creates the fix that writes something else for `written` in the destination of the link that is `span`.
    pub fn in_link(source: &Source, span: &Span, written: &str, near: &Near<'_>) -> Option<Self> {
        let destination = source.text().get(span.clone())?.rfind("](").map_or(0, |end| end + 2);
        Self::instead(source, &(span.start + destination..span.end), written, near)
    }

    /// Creates the fix that writes a similar name for `written`; `None` if it cannot be told where in `span` that is.
    pub fn instead(source: &Source, span: &Span, written: &str, near: &Near<'_>) -> Option<Self> {
        let text = source.text().get(span.clone())?;
        let (at, _) = text.match_indices(written).next().filter(|_| !written.is_empty())?;
        let is_only = text.rfind(written) == Some(at);
        let start = span.start + at;
        let edit = Edit::new(source, start..start + written.len(), &*near.name);
        let fix = Self::new(format!("write `{}`", near.name), vec![edit]).sure(near.is_sure);
        is_only.then_some(fix)
    }
}
