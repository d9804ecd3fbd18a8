//! The settings, the bibliography and every page, each parsed from its own file.

use std::sync::{Arc, OnceLock};

use super::WithDiagnostics;
use super::isolate::isolate;
use super::lint::Own;
use super::names;
use super::reuse::update;
use super::starters::Starters;
use infralens_course::config::{Config, Language};
use infralens_course::course::Summary;
use infralens_course::links::Links;
use infralens_course::references::References;
use infralens_page::placement::NoPlace;
use infralens_page::{self as document, Document, placement, translation};
use infralens_source::diag::{Diagnostic, Place, codes, conflict};
use infralens_source::project::{Binary, File, LINKS, Project, REFERENCES, SITE};
use infralens_source::source::Source;
use infralens_source::url;

/// Reads site.yaml; uses defaults if it is missing.
pub fn config(project: &Project) -> WithDiagnostics<Config> {
    settings(project, SITE, Config::read, Config::unread).unwrap_or_else(|| {
        let missing = Diagnostic::new(codes::E0009, Place::file(SITE), "`content/site.yaml` is missing")
            .help("every course needs it; one line, `title: …`, is enough");
        WithDiagnostics { value: Config::unread(), diagnostics: vec![missing] }
    })
}

/// Reads references.yaml, which is optional.
pub fn references(project: &Project) -> WithDiagnostics<References> {
    settings(project, REFERENCES, References::read, References::unread).unwrap_or_else(|| {
        // Its entries may be in a file whose name is reported.
        let is_misnamed = names::nearly(project, REFERENCES).is_some();
        let value = if is_misnamed { References::unread() } else { References::default() };
        WithDiagnostics { value, diagnostics: Vec::new() }
    })
}

/// Reads links.yaml, which is optional.
pub fn links(project: &Project) -> WithDiagnostics<Links> {
    settings(project, LINKS, Links::read, Links::unread).unwrap_or_default()
}

/// Reads a YAML file of the course, with `unread` in place of one that is not text; `None` if there is none.
fn settings<T>(
    project: &Project,
    path: &str,
    read: fn(&Source) -> (T, Vec<Diagnostic>),
    unread: fn() -> T,
) -> Option<WithDiagnostics<T>> {
    let (value, diagnostics) = match project.files.get(path)? {
        File::Text(source) => {
            let (value, mut diagnostics) = read(source);
            // Merge conflict markers explain the other errors.
            diagnostics.extend(conflict::in_page(source, |_| false));
            (value, diagnostics)
        }
        File::Binary(binary) => (unread(), vec![not_text(path, binary)]),
        File::Refused(_) => (unread(), Vec::new()),
    };
    Some(WithDiagnostics { value, diagnostics })
}

/// Reports a blank references.yaml. The caller does so only if pages cite references.
pub fn empty_references(project: &Project) -> Option<Diagnostic> {
    let source = project.text(REFERENCES).filter(|source| source.is_blank())?;
    let message = format!("`{}` is empty, but pages cite references", source.path());
    let diagnostic = Diagnostic::new(codes::E0011, Place::file(Arc::clone(source.path())), message);
    Some(diagnostic.help("restore its entries, or remove the citations and the file"))
}

/// Reports templates that are not text; the others are read where they are used.
pub fn templates(project: &Project) -> Vec<Diagnostic> {
    let binary = project.below("templates").filter_map(|(path, file)| match file {
        File::Binary(binary) => Some(not_text(path, binary)),
        File::Text(_) | File::Refused(_) => None,
    });
    binary.collect()
}

/// Returns whether a path is a folder that may contain sections, labs or tracks.
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

/// A parsed content file or README.
#[derive(Debug)]
pub struct ParsedFile {
    path: Arc<str>,
    file: File,
    /// `None` if the file is not text or its path has no place in a course.
    pub document: Option<Document>,
    /// The summary that the course is linked from.
    pub summary: Option<Summary>,
    /// The diagnostics of parsing it.
    pub diagnostics: Vec<Diagnostic>,
    /// What lints find in it by itself, once they have run.
    pub linted: OnceLock<Own>,
}

/// Parses every Markdown file below `content/`, sorted by path; keeps what `previous` parsed from unchanged files.
pub fn parse_all(
    previous: &[Arc<ParsedFile>],
    project: &Project,
    config: &Config,
    isolates_bugs: bool,
) -> Vec<Arc<ParsedFile>> {
    let is_page = |path: &str| path.ends_with(".md") && config.languages.of(path).is_none();
    let pages: Vec<_> = project.below("content").filter(|(path, _)| is_page(path)).collect();
    update(
        (previous, |known: &ParsedFile| known.path()),
        (&pages, |(path, _)| path),
        |(_, file), previous| previous.file.is_same(file),
        |(path, file)| {
            isolate(isolates_bugs, path, || parse(path, file, config)).unwrap_or_else(|bug| {
                let summary = placement::place(path).ok().map(|placement| Summary::unread(path, placement));
                ParsedFile::new(path, file, None, summary, vec![*bug])
            })
        },
    )
}

/// Returns the content files that could be parsed.
pub fn parse_pages(project: &Project) -> Vec<Document> {
    let parsed = parse_all(&[], project, &config(project).value, false).into_iter().filter_map(Arc::into_inner);
    parsed.filter_map(|parsed| parsed.document).collect()
}

fn parse(path: &Arc<str>, file: &File, config: &Config) -> ParsedFile {
    let placement = placement::place(path);
    let unread = placement.clone().ok().map(|placement| Summary::unread(path, placement));
    let (document, summary, diagnostics) = match (file, placement) {
        (File::Refused(_), _) => (None, unread, Vec::new()),
        (File::Binary(binary), _) => (None, unread, vec![not_text(path, binary)]),
        (_, Err(NoPlace { at, message, help })) => {
            let error = Diagnostic::new(codes::E0006, Place::file(at), message).help(help);
            (None, None, vec![of_language(error, path, config)])
        }
        (File::Text(source), Ok(placement)) => {
            let (document, diagnostics) = document::parse(source, placement);
            let summary = Summary::new(&document, &diagnostics);
            (Some(document), Some(summary), diagnostics)
        }
    };
    ParsedFile::new(path, file, document, summary, diagnostics)
}

/// Adds the languages of the course to an error about a name with a dot, which may be meant for a translation.
fn of_language(error: Diagnostic, path: &str, config: &Config) -> Diagnostic {
    let Some((_, suffix)) = url::file_name(path).trim_end_matches(".md").rsplit_once('.') else { return error };
    let mut tags = config.languages.tags().map(|tag| format!("`{}`", &***tag)).peekable();
    if tags.peek().is_none() {
        if !Language::is_known(suffix) {
            return error;
        }
        let help =
            format!("if it is a translation, declare its language in `site.yaml`: `languages: {{ {suffix}: {{}} }}`");
        return error.help(help);
    }
    let tags = tags.collect::<Vec<_>>().join(", ");
    error.help(format!("a translation is named `NAME.LANG.md`, and the other languages of this course are {tags}"))
}

impl ParsedFile {
    fn new(
        path: &Arc<str>,
        file: &File,
        document: Option<Document>,
        summary: Option<Summary>,
        diagnostics: Vec<Diagnostic>,
    ) -> Self {
        let (path, file) = (Arc::clone(path), file.clone());
        Self { path, file, document, summary, diagnostics, linted: OnceLock::new() }
    }

    /// Returns this page in another language.
    pub fn translated(&self, document: Document, diagnostics: Vec<Diagnostic>) -> Self {
        let summary = Some(Summary::new(&document, &diagnostics));
        Self::new(&self.path, &self.file, Some(document), summary, diagnostics)
    }

    /// Parses the README of a starter folder; `below` is the folder's path below `code/`.
    pub fn readme(source: &Arc<Source>, below: &str) -> Self {
        let (document, diagnostics) = document::parse(source, placement::readme(below));
        Self::new(source.path(), &File::Text(Arc::clone(source)), Some(document), None, diagnostics)
    }

    /// Returns the path from the course's root.
    pub fn path(&self) -> &Arc<str> {
        &self.path
    }

    /// Returns whether it was parsed from this very source.
    pub fn is_of(&self, source: &Arc<Source>) -> bool {
        matches!(&self.file, File::Text(own) if Arc::ptr_eq(own, source))
    }

    /// Returns the text above the Markdown: the front matter.
    fn head(&self) -> Option<&str> {
        self.document.as_ref().map(|document| &document.source.text()[..document.body_start])
    }

    /// Returns whether both have the same summary, which follows from path, front matter, minutes and headings. Returns
    /// false if either has diagnostics, because the extent of the front matter is then uncertain.
    pub fn has_same_summary(&self, other: &Self) -> bool {
        if !self.diagnostics.is_empty() || !other.diagnostics.is_empty() {
            return false;
        }
        let rest = |of: &Self| {
            let summary = of.summary.as_ref()?;
            Some((summary.minutes, Arc::clone(&summary.headings), Arc::clone(&summary.html_ids)))
        };
        // The texts in the front matter of a page are those of its translation.
        let texts = |of: &Self| {
            let document = of.document.as_ref().filter(|document| document.translated.is_some())?;
            Some(translation::texts_of(&document.front))
        };
        self.path == other.path
            && self.head() == other.head()
            && rest(self) == rest(other)
            && texts(self) == texts(other)
    }

    /// Returns whether the structure of the course is the same with either file. Returns false if either has
    /// diagnostics.
    pub fn has_same_structure(&self, other: &Self) -> bool {
        let is_reusable = self.diagnostics.is_empty() && other.diagnostics.is_empty();
        let summaries = self.summary.as_ref().zip(other.summary.as_ref());
        is_reusable && summaries.is_some_and(|(summary, other)| summary.has_same_structure(other))
    }
}

/// Reports a file that must be text and is not.
pub fn not_text(path: &str, binary: &Binary) -> Diagnostic {
    if binary.bytes.starts_with(&[0xff, 0xfe]) || binary.bytes.starts_with(&[0xfe, 0xff]) {
        let message = format!("`{path}` is UTF-16, and files of a course are UTF-8");
        return Diagnostic::new(codes::E0001, Place::file(Arc::from(path)), message).help("save the file as UTF-8");
    }
    let byte = binary.bad_byte;
    let line = binary.bytes[..byte.min(binary.bytes.len())].split(|&byte| byte == b'\n').count();
    let readable = binary.readable(path);
    // Bytes before a NUL may be invalid UTF-8, too; then the place is approximate, but never within a character.
    let rest = readable.text().get(byte..).unwrap_or_default();
    let character = rest.chars().next().map_or(0, char::len_utf8);
    let (place, at) = (readable.place(byte..byte + character), format!("byte {byte}, on line {line},"));
    if binary.bytes.get(byte) == Some(&0) {
        return Diagnostic::new(codes::E0001, place, format!("`{path}` is not text: {at} is NUL"));
    }
    let message = format!("`{path}` is not UTF-8: {at} is not part of a character");
    Diagnostic::new(codes::E0001, place, message).help("save the file as UTF-8")
}

/// The parsed content files and READMEs of a course.
#[derive(Default, Clone)]
pub struct Documents {
    pub(super) of_course: Arc<Vec<Arc<ParsedFile>>>,
    pub(super) starters: Arc<Starters>,
}

impl Documents {
    pub fn get(&self, path: &str) -> Option<&Document> {
        let of = |list: &'_ [Arc<ParsedFile>]| list.binary_search_by(|known| (**known.path()).cmp(path)).ok();
        let found = of(&self.of_course).map(|at| &self.of_course[at]);
        let found = found.or_else(|| of(&self.starters.readmes).map(|at| &self.starters.readmes[at]));
        found?.document.as_ref()
    }

    /// Returns the draft whose page would be at an output path.
    pub fn draft_at(&self, url: &str) -> Option<&Document> {
        let documents = self.of_course.iter().filter_map(|parsed| parsed.document.as_ref());
        documents.into_iter().find(|document| document.front.common.draft && *document.placement.url == *url)
    }
}
