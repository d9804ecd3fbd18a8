//! The settings, the bibliography and every page, each understood from its own file.

use std::sync::Arc;

use rayon::prelude::*;

use crate::config::Config;
use crate::diag::{Diagnostic, Place, codes};
use crate::document::{self, Document, placement};
use crate::project::{Binary, File, Project};
use crate::references::References;

/// Reads site.yaml; without it, the defaults.
#[must_use]
pub fn config(project: &Project) -> (Config, Vec<Diagnostic>) {
    match project.files.get("content/site.yaml") {
        Some(File::Text(source)) => Config::read(source),
        Some(File::Binary(binary)) => (Config::default(), vec![not_text("content/site.yaml", binary)]),
        Some(File::Refused(_)) => (Config::default(), Vec::new()),
        None => {
            let missing =
                Diagnostic::new(codes::E0009, Place::file("content/site.yaml"), "`content/site.yaml` is missing")
                    .help("a course needs it; the least is a line `title: …`");
            (Config::default(), vec![missing])
        }
    }
}

/// Reads references.yaml, which a course need not have.
#[must_use]
pub fn references(project: &Project) -> (References, Vec<Diagnostic>) {
    match project.files.get("content/references.yaml") {
        Some(File::Text(source)) => References::read(source),
        Some(File::Binary(binary)) => (References::default(), vec![not_text("content/references.yaml", binary)]),
        _ => (References::default(), Vec::new()),
    }
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

/// Understands every Markdown file under `content/`, in the order of their paths.
#[must_use]
pub fn parse_all(project: &Project) -> (Vec<Document>, Vec<Diagnostic>) {
    let pages: Vec<_> = project.below("content").filter(|(path, _)| path.ends_with(".md")).collect();
    let parsed: Vec<(Option<Document>, Vec<Diagnostic>)> =
        pages.into_par_iter().map(|(path, file)| parse(path, file)).collect();
    let (documents, diagnostics): (Vec<_>, Vec<_>) = parsed.into_iter().unzip();
    (documents.into_iter().flatten().collect(), diagnostics.concat())
}

fn parse(path: &Arc<str>, file: &File) -> (Option<Document>, Vec<Diagnostic>) {
    match (file, placement::place(path)) {
        (File::Refused(_), _) => (None, Vec::new()),
        (File::Binary(binary), _) => (None, vec![not_text(path, binary)]),
        (_, Err((message, help))) => {
            (None, vec![Diagnostic::new(codes::E0006, Place::file(Arc::clone(path)), message).help(help)])
        }
        (File::Text(source), Ok(placement)) => {
            let (document, diagnostics) = document::parse(source, placement);
            (Some(document), diagnostics)
        }
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

/// The references that front matter lists must be in the bibliography.
#[must_use]
pub fn check_citations(documents: &[Document], references: &References) -> Vec<Diagnostic> {
    let listed = documents
        .iter()
        .flat_map(|document| document.front.common.reading.iter().map(move |key| (document.source.path(), key)));
    listed
        .filter(|(_, key)| references.get(&key.value).is_none())
        .map(|(path, key)| {
            let message = format!("`content/references.yaml` has no `{}`", key.value);
            Diagnostic::new(codes::E0408, Place::new(path, key.span.clone()), message)
                .nearest(references.nearest(&key.value))
        })
        .collect()
}
