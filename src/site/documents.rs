//! The settings, the bibliography and every page, each understood from its own file.

use std::sync::Arc;

use super::kept::{Named, renew};
use super::starters::Starters;
use crate::config::Config;
use crate::course::Summary;
use crate::diag::{Diagnostic, Place, codes, conflict};
use crate::document::{self, Document, placement};
use crate::project::{Binary, File, Project};
use crate::references::References;
use crate::source::Source;

/// Reads site.yaml; without it, the defaults.
#[must_use]
pub fn config(project: &Project) -> (Config, Vec<Diagnostic>) {
    match project.files.get("content/site.yaml") {
        Some(File::Text(source)) => with_conflicts(source, Config::read(source)),
        Some(File::Binary(binary)) => (Config::unread(), vec![not_text("content/site.yaml", binary)]),
        Some(File::Refused(_)) => (Config::unread(), Vec::new()),
        None => {
            let missing =
                Diagnostic::new(codes::E0009, Place::file("content/site.yaml"), "`content/site.yaml` is missing")
                    .help("a course needs it; the least is a line `title: …`");
            (Config::unread(), vec![missing])
        }
    }
}

/// Reads references.yaml, which a course need not have.
#[must_use]
pub fn references(project: &Project) -> (References, Vec<Diagnostic>) {
    match project.files.get("content/references.yaml") {
        Some(File::Text(source)) => with_conflicts(source, References::read(source)),
        Some(File::Binary(binary)) => (References::unread(), vec![not_text("content/references.yaml", binary)]),
        Some(File::Refused(_)) => (References::unread(), Vec::new()),
        None => (References::default(), Vec::new()),
    }
}

/// What is reported of a references.yaml without a word, if pages cite it.
#[must_use]
pub fn empty_references(project: &Project) -> Option<Diagnostic> {
    let source = project.text("content/references.yaml").filter(|source| source.is_blank())?;
    let message = format!("`{}` is empty, and pages cite what was in it", source.path());
    let diagnostic = Diagnostic::new(codes::E0011, Place::file(Arc::clone(source.path())), message);
    Some(diagnostic.help("put its entries back, or remove the citations and the file"))
}

/// What was read of a file of settings, and where a merge left its markers: what cannot be read there follows from them.
fn with_conflicts<T>(source: &Source, (value, mut diagnostics): (T, Vec<Diagnostic>)) -> (T, Vec<Diagnostic>) {
    diagnostics.extend(conflict::in_page(source, |_| false));
    (value, diagnostics)
}

/// What is said of templates that are no text; the others are read where they are used.
#[must_use]
pub fn templates(project: &Project) -> Vec<Diagnostic> {
    let binary = project.below("templates").filter_map(|(path, file)| match file {
        File::Binary(binary) => Some(not_text(path, binary)),
        File::Text(_) | File::Refused(_) => None,
    });
    binary.collect()
}

/// Whether a path is that of a folder in which sections, labs or tracks are.
#[must_use]
pub fn may_hold_pages(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let is_folder = !path.ends_with(".md");
    is_folder
        && matches!(
            *parts,
            ["content"]
                | ["content", "tracks"]
                | ["content", "tracks", _]
                | ["content", "tracks", _, "handbook" | "labs"]
        )
}

/// A content file and what became of it.
#[derive(Debug)]
pub struct Understood {
    path: Arc<str>,
    file: File,
    /// Nothing where the file is no text, or its name has no place in a course.
    pub document: Option<Document>,
    /// What the course needs to know of it.
    pub summary: Option<Summary>,
    /// What is said of it.
    pub diagnostics: Vec<Diagnostic>,
}

impl Named for Understood {
    fn name(&self) -> &str {
        &self.path
    }
}

impl Named for (&Arc<str>, &File) {
    fn name(&self) -> &str {
        self.0
    }
}

/// Understands every Markdown file under `content/`, in the order of their paths; what `was` understood of the very same
/// file is kept.
#[must_use]
pub fn parse_all(was: &[Arc<Understood>], project: &Project) -> Vec<Arc<Understood>> {
    let pages: Vec<_> = project.below("content").filter(|(path, _)| path.ends_with(".md")).collect();
    renew(was, &pages, |(_, file), kept| kept.file.is_same(file), |(path, file)| parse(path, file))
}

/// The content files of a course that can be understood at all.
#[must_use]
pub fn all(project: &Project) -> Vec<Document> {
    let understood = parse_all(&[], project).into_iter().filter_map(Arc::into_inner);
    understood.filter_map(|understood| understood.document).collect()
}

fn parse(path: &Arc<str>, file: &File) -> Understood {
    let placement = placement::place(path);
    let unread = placement.clone().ok().map(|placement| Summary::unread(path, placement));
    let (document, summary, diagnostics) = match (file, placement) {
        (File::Refused(_), _) => (None, unread, Vec::new()),
        (File::Binary(binary), _) => (None, unread, vec![not_text(path, binary)]),
        (_, Err((message, help))) => {
            (None, None, vec![Diagnostic::new(codes::E0006, Place::file(Arc::clone(path)), message).help(help)])
        }
        (File::Text(source), Ok(placement)) => {
            let (document, diagnostics) = document::parse(source, placement);
            let summary = Summary::new(&document, &diagnostics);
            (Some(document), Some(summary), diagnostics)
        }
    };
    Understood { path: Arc::clone(path), file: file.clone(), document, summary, diagnostics }
}

impl Understood {
    /// The README of a starter folder, which is `below` the folder `code`.
    pub fn readme(source: &Arc<Source>, below: &str) -> Self {
        let (document, diagnostics) = document::parse(source, placement::readme(below));
        let file = File::Text(Arc::clone(source));
        Self { path: Arc::clone(source.path()), file, document: Some(document), summary: None, diagnostics }
    }

    /// Its path from the course's root.
    #[must_use]
    pub fn path(&self) -> &Arc<str> {
        &self.path
    }

    /// Whether it was read from this very file.
    pub fn is_of(&self, source: &Arc<Source>) -> bool {
        matches!(&self.file, File::Text(own) if Arc::ptr_eq(own, source))
    }

    /// What is above the Markdown.
    fn head(&self) -> Option<&str> {
        self.document.as_ref().map(|document| &document.source.text()[..document.body_start])
    }

    /// Whether the course knows the same of both: all of it follows from path, front matter, minutes and headings. Where
    /// something is wrong, it is not said how far the front matter goes.
    #[must_use]
    pub fn has_same_summary(&self, other: &Self) -> bool {
        if !self.diagnostics.is_empty() || !other.diagnostics.is_empty() {
            return false;
        }
        let rest = |of: &Self| {
            let summary = of.summary.as_ref()?;
            Some((summary.minutes, Arc::clone(&summary.headings), Arc::clone(&summary.html_ids)))
        };
        self.path == other.path && self.head() == other.head() && rest(self) == rest(other)
    }

    /// Whether a course has the same structure with either. Where something is wrong, more may depend on it.
    #[must_use]
    pub fn has_same_structure(&self, other: &Self) -> bool {
        let is_sound = self.diagnostics.is_empty() && other.diagnostics.is_empty();
        let summaries = self.summary.as_ref().zip(other.summary.as_ref());
        is_sound && summaries.is_some_and(|(summary, other)| summary.has_same_structure(other))
    }
}

/// What is said of a file that must be text and is not.
pub fn not_text(path: &str, binary: &Binary) -> Diagnostic {
    let (byte, line) = (binary.bad_byte, line_of(binary));
    let readable = binary.readable(path);
    // Before a NUL there may be bytes that are not UTF-8 either: then the place is near, and nothing is cut in two.
    let rest = readable.text().get(byte..).unwrap_or_default();
    let character = rest.chars().next().map_or(0, char::len_utf8);
    let place = Place::new(readable.path(), byte..byte + character);
    if binary.bytes.get(byte) == Some(&0) {
        return Diagnostic::new(
            codes::E0001,
            place,
            format!("`{path}` is not text: byte {byte}, on line {line}, is NUL"),
        );
    }
    Diagnostic::new(
        codes::E0001,
        place,
        format!("`{path}` is not UTF-8: byte {byte}, on line {line}, is not part of a character"),
    )
    .help("save the file as UTF-8")
}

fn line_of(binary: &Binary) -> usize {
    binary.bytes[..binary.bad_byte.min(binary.bytes.len())].split(|&byte| byte == b'\n').count()
}

/// The content files and READMEs of a course, understood.
#[derive(Default, Clone)]
pub struct Documents {
    pub(super) of_course: Arc<Vec<Arc<Understood>>>,
    pub(super) starters: Arc<Starters>,
}

impl Documents {
    /// The one at a path.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&Document> {
        let of = |list: &'_ [Arc<Understood>]| list.binary_search_by(|known| (**known.path()).cmp(path)).ok();
        let found = of(&self.of_course).map(|at| &self.of_course[at]);
        let found = found.or_else(|| of(&self.starters.readmes).map(|at| &self.starters.readmes[at]));
        found?.document.as_ref()
    }

    /// The draft whose page would be at an output path.
    #[must_use]
    pub fn draft_at(&self, url: &str) -> Option<&Document> {
        let documents = self.of_course.iter().filter_map(|understood| understood.document.as_ref());
        documents.into_iter().find(|document| document.front.common.draft && *document.placement.url == *url)
    }
}
