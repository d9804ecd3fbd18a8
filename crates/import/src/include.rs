//! Reads the directives with which a book includes files, and the lines that they select.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use super::edits::Text;
use super::{Dialect, Kind, find};
use infralens_source::change::Change;
use infralens_source::project::{File, Project};
use infralens_source::selector::Selector;
use infralens_source::source::{Source, lines_from};
use infralens_source::url;
use infralens_starter::Listing;
use infralens_starter::excerpt::{SelectedRows, View};

/// The maximum number of bytes that a page includes: the size that a page may have.
const INCLUDE_LIMIT: usize = 4 << 20;

/// The first and the last line, from 1; `None` is the end of the file.
type LineRange = (usize, Option<usize>);

/// Which lines of a file are included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// All.
    Whole,
    /// The lines between two markers.
    Region(String),
    /// Some ranges of lines, of which there is at least one.
    Lines(Vec<LineRange>),
}

/// A file to be included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Include {
    /// The path; one that begins with a slash is that from the root of the project.
    pub path: String,
    /// The lines.
    pub part: Part,
    /// Whether the path is relative to a folder of the settings, instead of that of the page.
    pub is_snippet: bool,
    /// The lines of the file that are marked.
    pub marked: Vec<LineRange>,
    /// The title of the code.
    pub title: Option<String>,
}

impl Include {
    /// Returns the paths from the root at which the file may be, for a page in `folder`. `bases` are the folders of snippets.
    pub fn paths(&self, folder: &str, bases: &[String]) -> Vec<String> {
        let join = |base: &str| url::join("", &format!("{base}/{}", self.path));
        match self.path.strip_prefix('/') {
            Some(path) => url::join("", path).into_iter().collect(),
            None if self.is_snippet => bases.iter().filter_map(|base| join(base)).collect(),
            None => url::join(folder, &self.path).into_iter().collect(),
        }
    }
}

/// A directive such as `{{#name arguments}}`.
#[derive(Debug, PartialEq, Eq)]
pub struct Directive<'t> {
    /// The byte at which it begins.
    pub start: usize,
    /// The byte after it.
    pub end: usize,
    /// The name; that of a mark that only surrounds or escapes others is empty.
    pub name: &'t str,
    /// What follows the name.
    pub arguments: &'t str,
}

/// A snippet of MkDocs: `--8<-- "a"`.
const SNIPPET: &str = "snippet";
/// An include of the extension `markdown_include_variants`: `{* a ln[1:5] hl[3] *}`.
pub const VARIANT: &str = "variant";
/// An include of the extension `mdx_include`: `{! a [ln:1-5] !}`.
const MDX: &str = "mdx";

/// Returns the directives in `text` in their order, other than escaped ones.
pub fn directives(dialect: Dialect, text: &str) -> Vec<Directive<'_>> {
    match dialect {
        Dialect::MdBook => braces(text, "{{#", "}}"),
        Dialect::MkDocs => {
            let mut found = braces(text, "{!", "!}");
            found.extend(snippets(text));
            found.sort_by_key(|directive| directive.start);
            found
        }
    }
}

/// Returns what is between two marks in a line of `text`, unless it is escaped: `{{#include a}}`. None contains another.
fn braces<'t>(text: &'t str, open: &str, close: &str) -> Vec<Directive<'t>> {
    let mut found = Vec::new();
    for (line_start, line) in lines_from(text, 0) {
        let mut at = 0;
        while let Some(start) = line[at..].find(open).map(|length| at + length) {
            at = start + open.len();
            if line[..start].ends_with('\\') {
                continue;
            }
            let Some(length) = line[at..].find(close) else { break };
            let inner = line[at..at + length].trim();
            let split = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
            let (name, arguments) = if open == "{!" { (MDX, inner) } else { split };
            at += length + close.len();
            let (start, end) = (line_start + start, line_start + at);
            found.push(Directive { start, end, name, arguments: arguments.trim() });
        }
    }
    found
}

/// Returns the directives of MkDocs in `text` that are alone in their lines: `--8<-- "a"`, several paths between two lines
/// `--8<--`, and `{* a *}`.
fn snippets(text: &str) -> Vec<Directive<'_>> {
    let mut found: Vec<Directive<'_>> = Vec::new();
    let mut block = None;
    for (line_start, line) in lines_from(text, 0) {
        let content = line.trim_start_matches([' ', '\t', '>']);
        let start = line_start + line.len() - content.len();
        let content = content.trim_end();
        let unescaped = content.trim_start_matches(';');
        let variant = content.strip_prefix("{*").and_then(|rest| rest.strip_suffix("*}"));
        let (name, arguments) = match (marked(unescaped), variant) {
            (Some(_), _) if unescaped.len() < content.len() => {
                found.push(Directive { start, end: start + 1, name: "", arguments: "" });
                continue;
            }
            (Some(""), _) => {
                block = if block.is_some() { None } else { Some(found.len()) };
                ("", "")
            }
            (Some(rest), _) => match rest.trim().strip_prefix(['"', '\'']).and_then(|path| path.strip_suffix(['"', '\''])) {
                Some(path) => (SNIPPET, path),
                None => continue,
            },
            (None, Some(arguments)) => (VARIANT, arguments.trim()),
            (None, None) if block.is_some() && !content.is_empty() => {
                if unescaped.len() < content.len() { ("", "") } else { (SNIPPET, content) }
            }
            (None, None) => continue,
        };
        found.push(Directive { start, end: start + content.len(), name, arguments });
    }
    // A block without an end is text.
    found.truncate(block.unwrap_or(found.len()));
    found
}

/// Returns what follows the scissors at the beginning of a line: `--8<--`.
fn marked(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('-').strip_prefix("8<-")?;
    line.starts_with('-').then(|| rest.trim_start_matches('-'))
}

/// Reads ranges of lines such as `1:5,7`, whose ends have `sign` between them; `None` for anything else.
fn ranges(text: &str, sign: char, single_is_open: bool) -> Option<Vec<LineRange>> {
    let number = |text: &str| text.trim().parse::<usize>().ok();
    let range = |range: &str| match range.split_once(sign) {
        Some((first, last)) => {
            let first = if first.trim().is_empty() { 1 } else { number(first)?.max(1) };
            Some((first, if last.trim().is_empty() { None } else { Some(number(last)?) }))
        }
        None => number(range).map(|line| (line.max(1), (!single_is_open).then_some(line.max(1)))),
    };
    text.split(',').map(range).collect()
}

/// Returns the value of an option of an include: `ln[…]`.
fn option<'t>(arguments: &'t str, open: &str) -> Option<&'t str> {
    arguments.split_once(open)?.1.split_once(']').map(|(value, _)| value)
}

impl Directive<'_> {
    /// Writes a directive of mdBook with another path, from the root of the book.
    pub fn with_path(&self, path: &str) -> String {
        let part = self.arguments.find([':', ' ', '\t']).map_or("", |end| &self.arguments[end..]);
        format!("{{{{#{} /{path}{part}}}}}", self.name)
    }

    /// Returns what the directive includes; `None` if it is another directive.
    pub fn include(&self) -> Option<Include> {
        // Options such as `editable` follow the path, and `>` makes one relative.
        let words = self.arguments.trim_start_matches(['>', '<', '+', '-']).trim_start();
        let first = words.split_whitespace().next().unwrap_or_default();
        let lines = |open, sign| option(words, open).map(|lines| (lines, ranges(lines, sign, false)));
        let (path, part) = match self.name {
            "include" | "rustdoc_include" => self.arguments.split_once(':').map_or((self.arguments, None), part_of_mdbook),
            "playground" | "playpen" => first.split_once(':').map_or((first, None), part_of_mdbook),
            SNIPPET if self.arguments.contains("://") => (self.arguments, None),
            SNIPPET => match self.arguments.split_once(':') {
                Some((path, part)) => (path, Some((part, ranges(part, ':', true)))),
                None => (self.arguments, None),
            },
            VARIANT => (first, lines("ln[", ':')),
            MDX => (first, lines("[ln:", '-')),
            _ => return None,
        };
        let part = match part {
            None | Some(("" | ":", _)) => Part::Whole,
            Some((_, Some(ranges))) => Part::Lines(ranges),
            Some((name, None)) => Part::Region(name.to_owned()),
        };
        let is_variant = self.name == VARIANT;
        Some(Include {
            path: path.trim().to_owned(),
            part,
            is_snippet: matches!(self.name, SNIPPET | VARIANT | MDX),
            marked: option(words, "hl[").filter(|_| is_variant).and_then(|lines| ranges(lines, ':', false)).unwrap_or_default(),
            title: option(words, "title[").filter(|_| is_variant).map(|title| title.trim_matches(['"', '\'']).to_owned()),
        })
    }
}

/// Reads what mdBook has between a path and the end: `anchor`, `5`, `5:`, `:7` or `5:7`.
fn part_of_mdbook<'t>((path, part): (&'t str, &'t str)) -> (&'t str, Option<(&'t str, Option<Vec<LineRange>>)>) {
    let mut parts = part.trim().split(':').map(str::trim);
    let first = parts.next().unwrap_or_default();
    let ranges = match parts.next() {
        Some(last) => ranges(&format!("{first}:{last}"), ':', false),
        None => ranges(first, ':', false),
    };
    let name = if ranges.is_some() { part.trim() } else { first };
    (path, Some((name, ranges)))
}

/// What is lost, and the reason.
pub type LossDetail = (Kind, String);

/// The code of a book that the new project shows.
pub struct Code<'p> {
    project: &'p Project,
    dialect: Dialect,
    /// The folders in which the files of snippets are searched.
    bases: Vec<String>,
    listings: BTreeMap<String, Arc<Listing>>,
    /// The bytes that the page may still include. A few files that include each other several times are a huge text.
    left: usize,
    /// The files that excerpts show: the path in `code/`, and the file.
    files: BTreeMap<String, Arc<Source>>,
    pub excerpts: usize,
    /// The abbreviations of the book and what they mean.
    pub terms: BTreeMap<String, String>,
}

impl<'p> Code<'p> {
    /// Creates an empty collection.
    pub fn new(project: &'p Project, dialect: Dialect, bases: Vec<String>) -> Self {
        let (listings, files, terms) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { project, dialect, bases, listings, left: INCLUDE_LIMIT, files, excerpts: 0, terms }
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

    /// Returns the path of a snippet from the root, if it exists.
    pub fn snippet(&self, path: &str) -> Option<String> {
        let paths = self.bases.iter().filter_map(|base| url::join(base, path));
        paths.into_iter().find(|path| self.project.files.contains_key(path.as_str()))
    }

    /// Returns the path of an included file from the root, for a page in `folder`.
    pub fn path(&self, folder: &str, include: &Include) -> Option<String> {
        let paths = include.paths(folder, &self.bases);
        paths.iter().find(|path| self.project.files.contains_key(path.as_str())).or(paths.first()).cloned()
    }

    /// Returns the path of the file that a file in `folder` includes, and the included lines without markers.
    ///
    /// # Errors
    /// Why the lines cannot be included.
    pub fn text(&mut self, folder: &str, include: &Include) -> Result<(String, Text), LossDetail> {
        let (path, listing) = self.listing(folder, include)?;
        let (_, ranges) = select(&listing, &path, include)?;
        let shown = ranges.into_iter().flatten().filter(|&line| !listing.is_marker(line));
        let text = Text::from_lines(shown.map(|line| (listing.line(line).to_owned(), line + 1)));
        self.charge(text.text.len())?;
        Ok((path, text))
    }

    fn charge(&mut self, bytes: usize) -> Result<(), LossDetail> {
        let left = self.left.checked_sub(bytes);
        self.left =
            left.ok_or_else(|| (Kind::Include, format!("the page includes more than {} MiB", INCLUDE_LIMIT >> 20)))?;
        Ok(())
    }

    /// Returns the excerpt that shows the included lines; the file is copied. `marks` are lines of the block, as in `2,4-5`.
    ///
    /// # Errors
    /// What is lost because the lines cannot be an excerpt.
    pub fn excerpt(&mut self, folder: &str, include: &Include, marks: Option<&str>) -> Result<Shown, LossDetail> {
        let (path, listing) = self.listing(folder, include)?;
        let (selectors, ranges) = select(&listing, &path, include)?;
        let below = if path.contains('/') { path.clone() } else { format!("book/{path}") };
        if listing.has_broken_markers() {
            return Err((Kind::Copy, "its region markers do not match".to_owned()));
        }
        if !below.split('/').all(is_plain) || ranges.iter().cloned().flatten().all(|line| listing.is_marker(line)) {
            return Err((Kind::Copy, "its path or its lines cannot be an excerpt".to_owned()));
        }
        let marked = |line| is_in(&include.marked, line);
        let mut shown = self.show(below, listing, (&selectors, ranges), marks, marked);
        shown.missing |= include.marked.iter().any(|(first, _)| !shown.numbers().any(|line| line == *first));
        // Line numbers need the code in the fence, which alone can show that the file has changed.
        if shown.light.is_empty() && !matches!(selectors.first(), Some(Selector::Lines(..))) {
            shown.pin.clear();
        }
        self.charge(shown.pin.len())?;
        Ok(shown)
    }

    /// Creates a file for code that a page of the book contains, and returns the excerpt that shows it.
    pub fn own(&mut self, name: &str, code: &str, marks: Option<&str>) -> Shown {
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, "txt"));
        let names = (2..).map(|number| format!("{stem}-{number}.{extension}"));
        let mut paths = [name.to_owned()].into_iter().chain(names).map(|name| format!("book/{name}"));
        let is_free = |path: &String| self.files.get(&format!("code/{path}")).is_none_or(|file| file.text() == code);
        // There are more names than files.
        let path = paths.find(is_free).unwrap_or_default();
        let listing = Arc::new(Listing::new(&Arc::new(Source::new(path.as_str(), code))).0);
        let all = vec![0..listing.line_count()];
        self.show(path, listing, (&[], all), marks, |_| false)
    }

    fn show(
        &mut self,
        path: String,
        listing: Arc<Listing>,
        (selectors, ranges): (&[Selector], Vec<Range<usize>>),
        marks: Option<&str>,
        is_marked: impl Fn(usize) -> bool,
    ) -> Shown {
        let rows = SelectedRows::new(&listing, ranges);
        let pin = rows.view(&listing).lines().into_iter().flat_map(|line| [line, "\n"]).collect();
        let names = selectors.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        self.files.insert(format!("code/{path}"), Arc::clone(listing.source()));
        self.excerpts += 1;
        let file = if names.is_empty() { path } else { format!("{path}#{names}") };
        let mut shown = Shown { file, light: String::new(), missing: false, pin, rows, listing };
        let marks = marks.and_then(|marks| self::ranges(marks, '-', false)).unwrap_or_default();
        let lit = shown.numbers().enumerate().filter(|&(row, line)| is_in(&marks, row + 1) || is_marked(line));
        let light = runs(lit.map(|(_, line)| line)).map(|(first, last)| Selector::Lines(first, last).to_string());
        shown.light = light.collect::<Vec<_>>().join(", ");
        let count = shown.numbers().count();
        shown.missing = marks.iter().any(|&(_, last)| last.is_none_or(|last| last > count));
        shown
    }

    /// Returns the changes that create the files of excerpts.
    pub fn into_changes(self) -> Vec<Change> {
        let add = |(path, source): (String, _)| Change::Add { path: path.into(), file: File::Text(source) };
        self.files.into_iter().map(add).collect()
    }

    fn listing(&mut self, folder: &str, include: &Include) -> Result<(String, Arc<Listing>), LossDetail> {
        if include.path.contains("://") {
            return Err((Kind::Include, format!("`{}` is on another site", include.path)));
        }
        let path = self.path(folder, include);
        let path = path.ok_or_else(|| (Kind::Include, format!("`{}` is outside of the book", include.path)))?;
        if let Some(listing) = self.listings.get(&path) {
            return Ok((path, Arc::clone(listing)));
        }
        let File::Text(source) = find(self.project, &path).map_err(|why| (Kind::Include, why))? else {
            return Err((Kind::Include, format!("`{path}` is not text")));
        };
        let source = if self.dialect == Dialect::MkDocs { &with_regions(source) } else { source };
        let listing = Arc::new(Listing::new(source).0);
        self.listings.insert(path.clone(), Arc::clone(&listing));
        Ok((path, listing))
    }
}

/// An excerpt in the new project.
pub struct Shown {
    /// The value of `file=`.
    pub file: String,
    /// The value of `light=`.
    pub light: String,
    /// Whether some marked lines are not shown.
    pub missing: bool,
    /// The body of the fence.
    pub pin: String,
    rows: SelectedRows,
    listing: Arc<Listing>,
}

impl Shown {
    /// Returns the numbers of the shown lines.
    fn numbers(&self) -> impl Iterator<Item = usize> {
        (0..self.rows.rows.len()).filter_map(|row| self.rows.line_number(row))
    }

    /// Returns the binding of a note to the line of the excerpt, from 0, of which `code` is a part.
    pub fn binding(&self, row: usize, code: &str) -> Option<String> {
        let view: View<'_> = self.rows.view(&self.listing);
        let is_here = |nth: &usize| view.find(code, *nth).is_some_and(|found| found.row == row);
        let nth = (1..=view.count(code)).find(is_here).filter(|_| !code.contains('`'));
        match nth {
            Some(1) => Some(format!("`{code}`")),
            Some(nth) => Some(format!("`{code}` ({nth})")),
            None => self.rows.line_number(row).map(|line| format!("[{line}](#L{line})")),
        }
    }
}

/// Whether a name can be a part of the path of a starter.
pub fn is_plain(name: &str) -> bool {
    !name.starts_with('.')
        && !matches!(name, "target" | "node_modules" | "__pycache__")
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+".contains(c))
}

/// Whether a line is in one of some ranges.
pub fn is_in(ranges: &[LineRange], line: usize) -> bool {
    ranges.iter().any(|&(first, last)| first <= line && last.is_none_or(|last| line <= last))
}

/// Returns lines as ranges without gaps.
pub fn runs(lines: impl Iterator<Item = usize>) -> impl Iterator<Item = (usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for line in lines.collect::<BTreeSet<usize>>() {
        match runs.last_mut().filter(|(_, last)| last + 1 == line) {
            Some((_, last)) => *last = line,
            None => runs.push((line, line)),
        }
    }
    runs.into_iter()
}

/// Returns the selectors of an include, none for the whole file, and their lines.
fn select(listing: &Listing, path: &str, include: &Include) -> Result<(Vec<Selector>, Vec<Range<usize>>), LossDetail> {
    let count = listing.line_count();
    let name = match &include.part {
        Part::Whole => return Ok((Vec::new(), vec![0..count])),
        Part::Region(name) => name,
        Part::Lines(ranges) => {
            let ends = |&(first, last): &LineRange| (first, last.unwrap_or(count).min(count));
            if ranges.iter().map(ends).any(|(first, last)| first > last) {
                return Err((Kind::Include, format!("`{path}` has only {count} lines")));
            }
            let ends = || ranges.iter().map(ends);
            let selectors = ends().map(|(first, last)| Selector::Lines(first, last));
            return Ok((selectors.collect(), ends().map(|(first, last)| first - 1..last).collect()));
        }
    };
    let selector = Selector::Region(name.clone());
    if let Ok(lines) = listing.select(&selector) {
        return Ok((vec![selector], vec![lines]));
    }
    // A marker that is not in a comment, as in plain text.
    let at = |word: &str| {
        (0..count).find(|&line| {
            let rest = listing.line(line).split_once(word).map(|(_, rest)| rest.trim_start());
            let rest = rest.and_then(|rest| rest.strip_prefix(name.as_str()));
            rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || "-_".contains(c)))
        })
    };
    match (at("ANCHOR:"), at("ANCHOR_END:")) {
        (Some(start), Some(end)) if start + 1 < end => {
            Ok((vec![Selector::Lines(start + 2, end)], vec![start + 1..end]))
        }
        _ => Err((Kind::Include, format!("`{path}` has no region `{selector}`"))),
    }
}

/// Returns a file whose sections of MkDocs are regions: `--8<-- [start:name]` becomes `ANCHOR: name`.
fn with_regions(source: &Arc<Source>) -> Arc<Source> {
    let marker = |line: &str| {
        let at = line.find("-8<-")?;
        let start = line[..at].trim_end_matches('-').len();
        let rest = marked(&line[start..])?.trim_start().strip_prefix('[')?;
        let (inner, after) = rest.split_once(']')?;
        let (end, name) = inner.split_once(':')?;
        let word = match end.trim() {
            "start" => "ANCHOR",
            "end" => "ANCHOR_END",
            _ => return None,
        };
        Some(format!("{}{word}: {}{after}", &line[..start], name.trim()))
    };
    if !source.text().contains("8<-") {
        return Arc::clone(source);
    }
    let lines = source.text().split_inclusive('\n').map(|line| marker(line).unwrap_or_else(|| line.to_owned()));
    Arc::new(Source::new(Arc::clone(source.path()), lines.collect::<String>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(dialect: Dialect, text: &str) -> Vec<String> {
        let line = |found: Directive<'_>| match found.include() {
            Some(Include { path, part, marked, .. }) => format!("{} {path} {part:?} {marked:?}", found.name),
            None => found.name.to_owned(),
        };
        directives(dialect, text).into_iter().map(line).collect()
    }

    #[test]
    fn directives_of_mdbook_are_read() {
        let text =
            r"{{#include a.rs:here}} \{{#include b}} {{#playground c.rs editable}} {{#include d:2:}} {{#title x}}";
        let expected = [
            "include a.rs Region(\"here\") []", "playground c.rs Whole []", "include d Lines([(2, None)]) []", "title",
        ];
        assert_eq!(read(Dialect::MdBook, text), expected);
    }

    #[test]
    fn directives_of_mkdocs_are_read() {
        let text = "--8<-- \"a.md:4\"\n-8<- 'b.md:1:3,7:'\n;--8<-- \"no\"\n--8<--\nc.md:part\n; d.md\n--8<--\n\
            {* ../e.py ln[1:5,7] hl[3] title[\"E\"] *}\nIn {!> f.md [ln:2-3] !} and \\{! no !}\n--8<--\nopen\n";
        let expected = [
            "snippet a.md Lines([(4, None)]) []", "snippet b.md Lines([(1, Some(3)), (7, None)]) []", "", "",
            "snippet c.md Region(\"part\") []", "", "", "variant ../e.py Lines([(1, Some(5)), (7, Some(7))]) [(3, Some(3))]",
            "mdx f.md Lines([(2, Some(3))]) []",
        ];
        assert_eq!(read(Dialect::MkDocs, text), expected);
    }
}
