//! Defines [`Diagnostic`]: a problem and its place, in one form for every stage and every report format.

pub mod codes;
pub mod conflict;
mod fix;
pub mod hidden;
mod near;

use std::sync::Arc;

pub use codes::Code;
pub use fix::{Edit, Fix};
pub use near::{Near, nearest, similar};
use serde::{Deserialize, Serialize};

use crate::source::{Source, Span, is_name_char};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Severity {
    /// No site is built until this is fixed.
    Error,
    /// The site is built all the same, unless `--strict` is given.
    Warning,
    /// Never affects the exit status.
    Hint,
}

impl Severity {
    /// Returns the word that reports print.
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Hint => "hint",
        }
    }
}

/// A place in a file of the course, or the file as a whole.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place {
    /// Path from the course's root, with `/`.
    pub file: Arc<str>,
    /// The byte range in that file's text; `None` for the whole file.
    pub span: Option<(usize, usize)>,
}

impl Place {
    pub fn new(file: &Arc<str>, span: Span) -> Self {
        Self { file: Arc::clone(file), span: Some((span.start, span.end)) }
    }

    /// Creates the place of a whole file.
    pub fn file(path: impl Into<Arc<str>>) -> Self {
        Self { file: path.into(), span: None }
    }
}

/// One problem: a short message, its place with a label, related places, and help.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The rule that is violated.
    pub code: Code,
    /// The severity: that of the code, unless lowered to a hint.
    pub severity: Severity,
    /// The message, without a full stop.
    pub message: String,
    pub place: Place,
    /// The text next to the carets; may be empty.
    pub label: String,
    pub related: Vec<(Place, String)>,
    /// Longer texts, such as a diff, which are printed unchanged.
    pub notes: Vec<String>,
    /// Advice on how to fix it.
    pub help: Vec<String>,
    /// Changes that would fix it; the first is the best one.
    pub fixes: Vec<Fix>,
}

impl Diagnostic {
    /// Creates a diagnostic with the severity of its code.
    pub fn new(code: Code, place: Place, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            message: message.into(),
            place,
            label: String::new(),
            related: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
            fixes: Vec::new(),
        }
    }

    /// Sets the text next to the carets.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// Adds "did you mean …" if a similar name is given.
    pub fn nearest(self, name: Option<&str>) -> Self {
        match name {
            Some(name) => self.help(format!("did you mean `{name}`?")),
            None => self,
        }
    }

    /// Adds "did you mean …" if a similar name is given, with the fix that writes it at the place, where nothing but the
    /// misspelled name is.
    pub fn meant(self, near: Option<Near<'_>>) -> Self {
        let Some(near) = near else { return self };
        let edit = Edit { place: self.place.clone(), text: near.name.to_string() };
        let is_plain = near.name.chars().all(|c| is_name_char(c) || matches!(c, ' ' | '.' | '/' | ':'));
        let fix = Fix::new(format!("write `{}`", near.name), vec![edit]).sure(near.is_sure);
        self.nearest(Some(&near.name)).fix(Some(fix).filter(|_| is_plain && !near.name.contains(": ")))
    }

    /// Adds a help text, with the fix that does what it says: it writes a text at the place.
    pub fn write(self, text: &str, help: impl Into<String>) -> Self {
        let edit = Edit { place: self.place.clone(), text: text.to_owned() };
        self.help(help).fix(Fix::new(format!("write `{text}`"), vec![edit]))
    }

    /// Adds "did you mean …", with the fix that writes the similar name for `written`, if there is one.
    pub fn instead(self, source: &Source, written: &str, near: Option<Near<'_>>) -> Self {
        let Some(near) = near else { return self };
        let fix = self.place.span.and_then(|(start, end)| Fix::instead(source, &(start..end), written, &near));
        self.nearest(Some(&near.name)).fix(fix)
    }

    /// Adds a fix, if there is one, and none with the same edits.
    pub fn fix(mut self, fix: impl Into<Option<Fix>>) -> Self {
        let new = fix.into().filter(|fix| !self.fixes.iter().any(|known| known.is_same(fix)));
        self.fixes.extend(new);
        self
    }

    pub fn related(mut self, place: Place, label: impl Into<String>) -> Self {
        self.related.push((place, label.into()));
        self
    }

    /// Adds a longer text.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Lowers the severity to a hint.
    pub fn hint(mut self) -> Self {
        self.severity = Severity::Hint;
        self
    }

    fn order(&self) -> (&Place, Code, &str) {
        (&self.place, self.code, &self.message)
    }
}

/// Sorts diagnostics by place, then by code, and removes duplicates.
pub fn sort(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by(|a, b| a.order().cmp(&b.order()));
    diagnostics.dedup();
}

/// Writes a number and a noun, such as `1 file` or `2 files`.
pub fn quantity(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// The maximum number of names that a message lists.
pub const LISTED: usize = 12;

/// Lists names in backticks with commas between them, and `…` in place of those after the first [`LISTED`].
pub fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names = names.into_iter();
    let mut shown: Vec<String> = names.by_ref().take(LISTED).map(|name| format!("`{name}`")).collect();
    shown.extend(names.next().map(|_| "…".to_owned()));
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagnostics_are_sorted_by_place_without_duplicates() {
        let at = |span| Diagnostic::new(codes::E0104, Place::new(&Arc::from("a.md"), span), "m");
        let mut all = vec![at(9..10), at(2..3), at(9..10)];
        sort(&mut all);
        assert_eq!(all.iter().map(|d| d.place.span).collect::<Vec<_>>(), [Some((2, 3)), Some((9, 10))]);
    }
}
