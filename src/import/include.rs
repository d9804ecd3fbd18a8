//! Reads the directives with which a book includes files, and the lines that they select.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::edits::Text;
use super::{Kind, find};
use crate::change::Change;
use crate::code::Listing;
use crate::code::excerpt::SelectedRows;
use crate::code::selector::Selector;
use crate::course::url;
use crate::project::{File, Project};

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
    /// The path as written.
    pub path: String,
    /// The lines.
    pub part: Part,
    /// Whether it is a snippet, whose path is relative to a folder of the settings.
    pub is_snippet: bool,
}

impl Include {
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
    /// Its name.
    pub name: &'t str,
    /// What follows the name.
    pub arguments: &'t str,
}

/// Returns the directives in `text`, other than escaped ones: `{{#include a}}` and `--8<-- "a"`.
pub fn directives(text: &str) -> impl Iterator<Item = Directive<'_>> {
    let mut found: Vec<Directive<'_>> = braces(text).chain(snippets(text)).collect();
    found.sort_by_key(|directive| directive.start);
    found.into_iter()
}

fn snippets(text: &str) -> impl Iterator<Item = Directive<'_>> {
    text.match_indices("--8<-- \"").filter_map(|(start, mark)| {
        let path = start + mark.len();
        let end = path + text[path..].find('"').filter(|&length| !text[path..path + length].contains('\n'))?;
        let before = &text[text[..start].rfind('\n').map_or(0, |end| end + 1)..start];
        let is_alone = before.chars().all(|c| matches!(c, ' ' | '\t' | '>'));
        is_alone.then_some(Directive { start, end: end + 1, name: "snippet", arguments: &text[path..end] })
    })
}

fn braces(text: &str) -> impl Iterator<Item = Directive<'_>> {
    text.match_indices("{{#").filter_map(|(start, _)| {
        let length = text[start..].find("}}").filter(|&length| !text[start..start + length].contains('\n'))?;
        let inner = text[start + 3..start + length].trim();
        let (name, arguments) = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
        let is_escaped = text[..start].ends_with('\\');
        (!is_escaped).then_some(Directive { start, end: start + length + 2, name, arguments: arguments.trim() })
    })
}

impl Directive<'_> {
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
pub type Why = (Kind, String);

/// The code of a book that the new project shows.
pub struct Code<'p> {
    project: &'p Project,
    /// The folders in which the files of snippets are searched.
    snippets: Vec<String>,
    listings: BTreeMap<String, Arc<Listing>>,
    /// The files that excerpts show: the path in `code/`, and the file.
    files: BTreeMap<String, &'p File>,
    /// The number of excerpts.
    pub excerpts: usize,
}

impl<'p> Code<'p> {
    /// Creates an empty collection.
    pub fn new(project: &'p Project, snippets: Vec<String>) -> Self {
        Self { project, snippets, listings: BTreeMap::new(), files: BTreeMap::new(), excerpts: 0 }
    }

    /// Returns the included lines without markers, as the page of a file in `folder` shows them.
    ///
    /// # Errors
    /// Why the lines cannot be found.
    pub fn text(&mut self, folder: &str, include: &Include) -> Result<Text, Why> {
        let (path, listing) = self.listing(folder, include)?;
        let lines = selector(&listing, &path, include)?.1;
        let shown = lines.filter(|&line| !listing.is_marker(line));
        Ok(Text::from_lines(shown.map(|line| (listing.line(line).to_owned(), line + 1))))
    }

    /// Returns the value of `file=` that shows the included lines, and the body of the fence; the file is copied.
    ///
    /// # Errors
    /// What is lost because the lines cannot be an excerpt.
    pub fn excerpt(&mut self, folder: &str, include: &Include) -> Result<(String, String), Why> {
        let (path, listing) = self.listing(folder, include)?;
        let (selector, lines) = selector(&listing, &path, include)?;
        let below = if path.contains('/') { path.clone() } else { format!("book/{path}") };
        let is_plain = |part: &str| {
            !part.starts_with('.')
                && !matches!(part, "target" | "node_modules" | "__pycache__")
                && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+".contains(c))
        };
        let rows = SelectedRows::new(&listing, vec![lines]);
        if listing.has_broken_markers() {
            return Err((Kind::Copy, "its region markers do not match".to_owned()));
        }
        let file = self.project.files.get(path.as_str()).filter(|_| below.split('/').all(is_plain));
        let Some(file) = file.filter(|_| !rows.rows.is_empty()) else {
            return Err((Kind::Copy, "its path or its lines cannot be an excerpt".to_owned()));
        };
        self.files.insert(format!("code/{below}"), file);
        self.excerpts += 1;
        // An excerpt by line numbers needs its code in the fence, which alone can show that the file has changed.
        let pin = match &selector {
            Some(Selector::Lines(..)) => {
                rows.view(&listing).lines().into_iter().flat_map(|line| [line, "\n"]).collect()
            }
            _ => String::new(),
        };
        Ok((format!("{below}{}", selector.map_or(String::new(), |selector| format!("#{selector}"))), pin))
    }

    /// Returns the changes that create the files of excerpts.
    pub fn into_changes(self) -> Vec<Change> {
        let add = |(path, file): (String, &File)| Change::Add { path: path.into(), file: file.clone() };
        self.files.into_iter().map(add).collect()
    }

    fn listing(&mut self, folder: &str, include: &Include) -> Result<(String, Arc<Listing>), Why> {
        let mut snippets = self.snippets.iter().filter(|_| include.is_snippet);
        let snippet = snippets.find_map(|base| {
            let path = url::join("", &format!("{base}/{}", include.path.trim_start_matches('/')))?;
            self.project.files.contains_key(path.as_str()).then_some(path)
        });
        let path = snippet
            .or_else(|| include.path_from_root(folder))
            .ok_or_else(|| (Kind::Include, format!("`{}` is outside of the book", include.path)))?;
        if let Some(listing) = self.listings.get(&path) {
            return Ok((path, Arc::clone(listing)));
        }
        let File::Text(source) = find(self.project, &path).map_err(|why| (Kind::Include, why))? else {
            return Err((Kind::Include, format!("`{path}` is not text")));
        };
        let listing = Arc::new(Listing::new(source).0);
        self.listings.insert(path.clone(), Arc::clone(&listing));
        Ok((path, listing))
    }
}

/// Returns the selector of an include, `None` for the whole file, and its lines.
fn selector(
    listing: &Listing,
    path: &str,
    include: &Include,
) -> Result<(Option<Selector>, std::ops::Range<usize>), Why> {
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
    if let Some(section) = section(listing, &selector) {
        return Ok(section);
    }
    let lines = listing.select(&selector);
    let lines = lines.map_err(|_| (Kind::Include, format!("`{path}` has no region `{selector}`")))?;
    Ok((Some(selector), lines))
}

/// Returns the lines between the markers of a section, as MkDocs has them: `--8<-- [start:name]`.
fn section(listing: &Listing, selector: &Selector) -> Option<(Option<Selector>, std::ops::Range<usize>)> {
    let Selector::Region(name) = selector else { return None };
    let find = |word: &str| {
        let marker = format!("--8<-- [{word}:{name}]");
        (0..listing.line_count()).find(|&line| listing.line(line).contains(&marker))
    };
    let (first, last) = (find("start")? + 1, find("end")?);
    (first < last).then_some((Some(Selector::Lines(first + 1, last)), first..last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_read() {
        let text =
            r"{{#include a.rs:here}} \{{#include b}} {{#playground c.rs editable}} {{#include d:2:}} {{#title x}}";
        let read: Vec<_> = directives(text).map(|directive| (directive.name, directive.include())).collect();
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
