//! Diagnostics: what is wrong where, in one shape for every stage and every report format.

pub mod codes;
pub mod conflict;

use std::sync::Arc;

pub use codes::Code;

use crate::source::Span;

/// How much a diagnostic weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The course has no site until this is mended.
    Error,
    /// Published all the same, refused under `--strict`.
    Warning,
    /// Never counts.
    Hint,
}

impl Severity {
    /// The word that reports print.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Hint => "hint",
        }
    }
}

/// A place in a file of the course. Without a span it is the file as a whole.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Path from the course's root, with `/`.
    pub file: Arc<str>,
    /// Bytes in that file's text.
    pub span: Option<(usize, usize)>,
}

impl Place {
    /// A span of a file.
    #[must_use]
    pub fn new(file: &Arc<str>, span: Span) -> Self {
        Self { file: Arc::clone(file), span: Some((span.start, span.end)) }
    }

    /// A file as a whole.
    #[must_use]
    pub fn file(path: impl Into<Arc<str>>) -> Self {
        Self { file: path.into(), span: None }
    }
}

/// One problem: a terse message, where it is, what is said at that place, other places that belong to it, and help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Which rule speaks.
    pub code: Code,
    /// How much it weighs; the code's own severity unless lowered.
    pub severity: Severity,
    /// The message, without a full stop.
    pub message: String,
    /// Where.
    pub place: Place,
    /// What stands beside the carets; may be empty.
    pub label: String,
    /// Other places, each with what is said there.
    pub related: Vec<(Place, String)>,
    /// Longer text, such as a diff; shown as it is.
    pub notes: Vec<String>,
    /// What to do.
    pub help: Vec<String>,
}

impl Diagnostic {
    /// A diagnostic of the code's own severity.
    #[must_use]
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
        }
    }

    /// Says something beside the carets.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds a line of help.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// Adds "did you mean …" where there is a near name.
    #[must_use]
    pub fn nearest(self, name: Option<&str>) -> Self {
        match name {
            Some(name) => self.help(format!("did you mean `{name}`?")),
            None => self,
        }
    }

    /// Adds another place.
    #[must_use]
    pub fn related(mut self, place: Place, label: impl Into<String>) -> Self {
        self.related.push((place, label.into()));
        self
    }

    /// Adds longer text.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Makes it a hint, which never counts.
    #[must_use]
    pub fn hint(mut self) -> Self {
        self.severity = Severity::Hint;
        self
    }

    fn order(&self) -> (&Place, &'static str, &str) {
        (&self.place, self.code.id, &self.message)
    }
}

/// Sorts by place, then code, and drops what is said twice.
pub fn sort(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by(|a, b| a.order().cmp(&b.order()));
    diagnostics.dedup();
}

/// The longest name, in bytes, that [`nearest`] compares.
const NAME_LIMIT: usize = 160;
/// How many names [`nearest`] compares at most: there may be as many wrong names as right ones.
const NAMES_LIMIT: usize = 100;
/// How many names are looked at for those that could be near by their length.
const LOOKS_LIMIT: usize = 20_000;

/// The candidate nearest to `name`, if one is near enough to be what was meant.
///
/// Near enough: at most a third of the longer name's characters differ (Damerau–Levenshtein), letter case apart. Names of
/// more than [`NAME_LIMIT`] bytes are nobody's slip, and comparing them would take long. Of the names that could be near by
/// their length, the first [`NAMES_LIMIT`] are compared.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > NAME_LIMIT {
        return None;
    }
    let wanted = name.to_lowercase();
    let length = wanted.chars().count();
    // Of names whose lengths differ too much, it need not be counted how many characters do.
    let limit = |other: usize| length.max(other).max(3) / 3;
    candidates
        .into_iter()
        .take(LOOKS_LIMIT)
        .filter(|candidate| candidate.len() <= NAME_LIMIT)
        .filter(|candidate| {
            let other = candidate.chars().count();
            length.abs_diff(other) <= limit(other)
        })
        .take(NAMES_LIMIT)
        .filter_map(|candidate| {
            let distance = strsim::damerau_levenshtein(&wanted, &candidate.to_lowercase());
            (distance <= limit(candidate.chars().count())).then_some((distance, candidate))
        })
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_near() {
        assert_eq!(nearest("atention", ["attention", "tension"]), Some("attention"));
        assert_eq!(nearest("titel", ["title", "file"]), Some("title"));
        assert_eq!(nearest("x", ["transformer"]), None);
    }

    #[test]
    fn sorted_by_place_and_said_once() {
        let at = |span| Diagnostic::new(codes::E0104, Place::new(&Arc::from("a.md"), span), "m");
        let mut all = vec![at(9..10), at(2..3), at(9..10)];
        sort(&mut all);
        assert_eq!(all.iter().map(|d| d.place.span).collect::<Vec<_>>(), [Some((2, 3)), Some((9, 10))]);
    }
}
