//! Reads the directives with which a book includes files, and the lines that they select.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::edits::Text;
use super::{Dialect, Kind, find};
use infralens_source::change::Change;
use infralens_source::project::{File, Project};
use infralens_source::selector::Selector;
use infralens_source::source::lines_from;
use infralens_source::url;
use infralens_starter::Listing;
use infralens_starter::excerpt::SelectedRows;

/// What is before the path of a snippet of MkDocs.
const SNIPPET: &str = "--8<-- \"";

/// The maximum number of bytes that a page includes: the size that a page may have.
const INCLUDE_LIMIT: usize = 4 << 20;

/// Which lines of a file are included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// All.
    Whole,
    /// The lines between two markers.
    Region(String),
    /// From the first to the last line, from 1; `None` is the end of the file.
    Lines(usize, Option<usize>),
}

/// A file to be included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Include {
    pub path: String,
    /// The lines.
    pub part: Part,
    /// Whether it is a snippet, whose path is relative to a folder of the settings.
    pub is_snippet: bool,
}

impl Include {
    /// Returns the paths from the root of the book at which a snippet may be, in these folders.
    pub fn snippet_paths<'a>(&'a self, folders: &'a [String]) -> impl Iterator<Item = String> + 'a {
        let folders = folders.iter().filter(|_| self.is_snippet);
        folders.filter_map(|base| url::join("", &format!("{base}/{}", self.path.trim_start_matches('/'))))
    }

    /// Returns the path from the root of the book. What begins with a slash is not relative to `folder`.
    pub fn path_from_root(&self, folder: &str) -> Option<String> {
        url::join(if self.path.starts_with('/') { "" } else { folder }, &self.path)
    }
}

/// A directive `{{#name arguments}}`.
#[derive(Debug, PartialEq, Eq)]
pub struct Directive<'t> {
    /// The byte at which it begins.
    pub start: usize,
    /// The byte after it.
    pub end: usize,
    pub name: &'t str,
    /// What follows the name.
    pub arguments: &'t str,
}

/// Returns the directives in `text` in their order, other than escaped ones.
pub fn directives(dialect: Dialect, text: &str) -> Vec<Directive<'_>> {
    match dialect {
        Dialect::MdBook => braces(text),
        Dialect::MkDocs => snippets(text),
    }
}

/// Returns the directives of mdBook in `text`, other than escaped ones: `{{#include a}}`. None contains another.
fn braces(text: &str) -> Vec<Directive<'_>> {
    let mut found = Vec::new();
    for (line_start, line) in lines_from(text, 0) {
        let mut at = 0;
        while let Some(start) = line[at..].find("{{#").map(|length| at + length) {
            at = start + "{{#".len();
            if line[..start].ends_with('\\') {
                continue;
            }
            let Some(length) = line[at..].find("}}") else { break };
            let inner = line[at..at + length].trim();
            let (name, arguments) = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
            at += length + "}}".len();
            let (start, end) = (line_start + start, line_start + at);
            found.push(Directive { start, end, name, arguments: arguments.trim() });
        }
    }
    found
}

/// Returns the snippets of MkDocs in `text`, each alone in its line: `--8<-- "a"`.
fn snippets(text: &str) -> Vec<Directive<'_>> {
    let mut found = Vec::new();
    for (line_start, line) in lines_from(text, 0) {
        let content = line.trim_start_matches([' ', '\t', '>']);
        let path = content.strip_prefix(SNIPPET).and_then(|rest| rest.split_once('"')).map(|(path, _)| path);
        found.extend(path.map(|path| {
            let start = line_start + line.len() - content.len();
            let end = start + SNIPPET.len() + path.len() + 1;
            Directive { start, end, name: "snippet", arguments: path }
        }));
    }
    found
}

impl Directive<'_> {
    /// Writes the directive with another path, from the root of the book.
    pub fn with_path(&self, path: &str) -> String {
        let part = self.arguments.find([':', ' ', '\t']).map_or("", |end| &self.arguments[end..]);
        match self.name {
            "snippet" => format!("{SNIPPET}{}\"", self.arguments),
            name => format!("{{{{#{name} /{path}{part}}}}}"),
        }
    }

    /// Returns what the directive includes; `None` if it is another directive.
    pub fn include(&self) -> Option<Include> {
        let first = match self.name {
            "include" | "rustdoc_include" | "snippet" => self.arguments,
            // Options such as `editable` follow the path.
            "playground" | "playpen" => self.arguments.split_whitespace().next().unwrap_or_default(),
            _ => return None,
        };
        let mut parts = first.split(':').map(str::trim);
        let path = parts.next().unwrap_or_default();
        // The paths of snippets are relative to the book.
        let path = if self.name == "snippet" { format!("/{path}") } else { path.to_owned() };
        let part = match (parts.next(), parts.next()) {
            (None, _) | (Some(""), None | Some("")) => Part::Whole,
            (Some(start), end) => match (start.parse::<usize>(), end) {
                (Ok(line), None) => Part::Lines(line.max(1), Some(line.max(1))),
                (Ok(line), Some(end)) => Part::Lines(line.max(1), end.parse().ok()),
                (Err(_), Some(end)) if start.is_empty() => Part::Lines(1, end.parse().ok()),
                _ => Part::Region(start.to_owned()),
            },
        };
        Some(Include { path, part, is_snippet: self.name == "snippet" })
    }
}

/// What is lost, and the reason.
pub type LossDetail = (Kind, String);

/// The lines of the markers of a section of MkDocs: `--8<-- [start:name]` and `--8<-- [end:name]`.
type Sections = BTreeMap<String, [Option<usize>; 2]>;

/// A file that pages include.
struct Included {
    listing: Listing,
    sections: Sections,
}

/// The code of a book that the new project shows.
pub struct Code<'p> {
    project: &'p Project,
    dialect: Dialect,
    /// The folders in which the files of snippets are searched.
    snippets: Vec<String>,
    listings: BTreeMap<String, Arc<Included>>,
    /// The bytes that the page may still include. A few files that include each other several times are a huge text.
    left: usize,
    /// The files that excerpts show: the path in `code/`, and the file.
    files: BTreeMap<String, &'p File>,
    pub excerpts: usize,
}

impl<'p> Code<'p> {
    /// Creates an empty collection.
    pub fn new(project: &'p Project, dialect: Dialect, snippets: Vec<String>) -> Self {
        let (listings, files) = (BTreeMap::new(), BTreeMap::new());
        Self { project, dialect, snippets, listings, left: INCLUDE_LIMIT, files, excerpts: 0 }
    }

    /// Begins a new page, which may include as much as any other.
    pub fn begin_page(&mut self) {
        self.left = INCLUDE_LIMIT;
    }

    /// Returns the directives in `text` in their order, other than escaped ones.
    pub fn directives<'t>(&self, text: &'t str) -> Vec<Directive<'t>> {
        directives(self.dialect, text)
    }

    /// Returns a part of a code block without the backslashes before escaped directives.
    pub fn unescaped(&self, code: &str) -> String {
        match self.dialect {
            Dialect::MdBook => code.replace("\\{{#", "{{#"),
            Dialect::MkDocs => code.to_owned(),
        }
    }

    /// Returns the path of the file that a file in `folder` includes, and the included lines without markers.
    ///
    /// # Errors
    /// Why the lines cannot be included.
    pub fn text(&mut self, folder: &str, include: &Include) -> Result<(String, Text), LossDetail> {
        let (path, file) = self.listing(folder, include)?;
        let lines = selector(&file, &path, include)?.1;
        let shown = lines.filter(|&line| !file.listing.is_marker(line));
        let text = Text::from_lines(shown.map(|line| (file.listing.line(line).to_owned(), line + 1)));
        self.charge(text.text.len())?;
        Ok((path, text))
    }

    fn charge(&mut self, bytes: usize) -> Result<(), LossDetail> {
        let left = self.left.checked_sub(bytes);
        self.left =
            left.ok_or_else(|| (Kind::Include, format!("the page includes more than {} MiB", INCLUDE_LIMIT >> 20)))?;
        Ok(())
    }

    /// Returns the value of `file=` that shows the included lines, and the body of the fence; the file is copied.
    ///
    /// # Errors
    /// What is lost because the lines cannot be an excerpt.
    pub fn excerpt(&mut self, folder: &str, include: &Include) -> Result<(String, String), LossDetail> {
        let (path, included) = self.listing(folder, include)?;
        let (selector, lines) = selector(&included, &path, include)?;
        let listing = &included.listing;
        let below = if path.contains('/') { path.clone() } else { format!("book/{path}") };
        let is_plain = |part: &str| {
            !part.starts_with('.')
                && !matches!(part, "target" | "node_modules" | "__pycache__")
                && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+".contains(c))
        };
        let rows = SelectedRows::new(listing, vec![lines]);
        if listing.has_broken_markers() {
            return Err((Kind::Copy, "its region markers do not match".to_owned()));
        }
        let file = self.project.files.get(path.as_str()).filter(|_| below.split('/').all(is_plain));
        let Some(file) = file.filter(|_| !rows.rows.is_empty()) else {
            return Err((Kind::Copy, "its path or its lines cannot be an excerpt".to_owned()));
        };
        // An excerpt by line numbers needs its code in the fence, which alone can show that the file has changed.
        let pin = match &selector {
            Some(Selector::Lines(..)) => rows.view(listing).lines().into_iter().flat_map(|line| [line, "\n"]).collect(),
            _ => String::new(),
        };
        self.charge(pin.len())?;
        self.files.insert(format!("code/{below}"), file);
        self.excerpts += 1;
        Ok((format!("{below}{}", selector.map_or(String::new(), |selector| format!("#{selector}"))), pin))
    }

    /// Returns the changes that create the files of excerpts.
    pub fn into_changes(self) -> Vec<Change> {
        let add = |(path, file): (String, &File)| Change::Add { path: path.into(), file: file.clone() };
        self.files.into_iter().map(add).collect()
    }

    fn listing(&mut self, folder: &str, include: &Include) -> Result<(String, Arc<Included>), LossDetail> {
        let mut snippets = include.snippet_paths(&self.snippets);
        let path = snippets
            .find(|path| self.project.files.contains_key(path.as_str()))
            .or_else(|| include.path_from_root(folder))
            .ok_or_else(|| (Kind::Include, format!("`{}` is outside of the book", include.path)))?;
        if let Some(included) = self.listings.get(&path) {
            return Ok((path, Arc::clone(included)));
        }
        let File::Text(source) = find(self.project, &path).map_err(|why| (Kind::Include, why))? else {
            return Err((Kind::Include, format!("`{path}` is not text")));
        };
        let listing = Listing::new(source).0;
        let included = Arc::new(Included { sections: sections(&listing), listing });
        self.listings.insert(path.clone(), Arc::clone(&included));
        Ok((path, included))
    }
}

/// Returns the selector of an include, `None` for the whole file, and its lines.
fn selector(
    Included { listing, sections }: &Included,
    path: &str,
    include: &Include,
) -> Result<(Option<Selector>, std::ops::Range<usize>), LossDetail> {
    let count = listing.line_count();
    let selector = match &include.part {
        Part::Whole => return Ok((None, 0..count)),
        Part::Region(name) => Selector::Region(name.clone()),
        Part::Lines(first, last) => {
            let last = last.unwrap_or(count).min(count);
            if *first > last {
                return Err((Kind::Include, format!("`{path}` has only {count} lines")));
            }
            Selector::Lines(*first, last)
        }
    };
    if let Part::Region(name) = &include.part
        && let Some([Some(start), Some(end)]) = sections.get(name)
        && start + 1 < *end
    {
        return Ok((Some(Selector::Lines(start + 2, *end)), start + 1..*end));
    }
    let lines = listing.select(&selector);
    let lines = lines.map_err(|_| (Kind::Include, format!("`{path}` has no region `{selector}`")))?;
    Ok((Some(selector), lines))
}

/// Returns the sections that the markers of MkDocs in a file begin and end.
fn sections(listing: &Listing) -> Sections {
    let mut sections = Sections::new();
    for line in 0..listing.line_count() {
        let marker = listing.line(line).split_once("--8<-- [").and_then(|(_, rest)| rest.split_once(']'));
        let (at, name) = match marker.and_then(|(marker, _)| marker.split_once(':')) {
            Some(("start", name)) => (0, name),
            Some(("end", name)) => (1, name),
            _ => continue,
        };
        sections.entry(name.to_owned()).or_default()[at].get_or_insert(line);
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_read() {
        let text =
            r"{{#include a.rs:here}} \{{#include b}} {{#playground c.rs editable}} {{#include d:2:}} {{#title x}}";
        let read: Vec<_> = braces(text).into_iter().map(|directive| (directive.name, directive.include())).collect();
        let include = |path: &str, part| Some(Include { path: path.to_owned(), part, is_snippet: false });
        let expected = [
            ("include", include("a.rs", Part::Region("here".to_owned()))),
            ("playground", include("c.rs", Part::Whole)),
            ("include", include("d", Part::Lines(2, None))),
            ("title", None),
        ];
        assert_eq!(read, expected);
    }
}
