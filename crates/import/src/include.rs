//! Finds the files that a book includes and the lines that its directives select, and makes excerpts of them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use super::directive::{Directive, Include, LineRange, Part, directives, is_in, marked};
use super::edits::Text;
use super::{Book, Dialect, Kind, find, mdx, notebook, vitepress};
use infralens_source::change::Change;
use infralens_source::project::{File, Project};
use infralens_source::selector::Selector;
use infralens_source::source::Source;
use infralens_source::url;
use infralens_starter::Listing;
use infralens_starter::excerpt::{SelectedRows, View};
use infralens_starter::notebook::{Cell, is_notebook};

/// The maximum number of bytes that a page includes: the size that a page may have.
const INCLUDE_LIMIT: usize = 4 << 20;

/// What to do about files that are outside of what was read.
pub const WITHIN: &str = "`--within DIR` names a folder that contains both";

/// What is lost, and the reason.
pub type LossDetail = (Kind, String);
/// What is lost of a page, each with its line in the book.
pub type Left = Vec<(usize, LossDetail)>;

/// The code of a book that the new project shows.
pub struct Code<'p> {
    project: &'p Project,
    pub book: &'p Book,
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
    pub fn new(project: &'p Project, book: &'p Book) -> Self {
        let (listings, files, terms) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { project, book, listings, left: INCLUDE_LIMIT, files, excerpts: 0, terms }
    }

    /// Begins a new page, which may include as much as any other.
    pub fn begin_page(&mut self) {
        self.left = INCLUDE_LIMIT;
    }

    /// Writes the components and containers of the Markdown at a path as blocks of MkDocs. Also returns what is not taken over.
    pub fn plain(&self, text: Text, path: &str) -> (Text, Left) {
        let (dialect, folders) = (self.book.dialect, mdx::Folders { top: &self.book.top, page: path });
        let is_mdx = dialect == Dialect::Docusaurus || dialect == Dialect::Starlight && path.ends_with(".mdx");
        let (text, left) = if is_mdx { mdx::markdown(&text, folders) } else { (text, Vec::new()) };
        let has_containers = dialect == Dialect::VitePress || dialect.has_components();
        (if has_containers { vitepress::containers(&text) } else { text }, left)
    }

    /// Writes the Markdown of a file at a path that pages include.
    pub fn part(&self, text: Text, path: &str) -> (Text, Left) {
        let folders = mdx::Folders { top: &self.book.top, page: path };
        let text = if self.book.dialect.has_components() { mdx::included(&text, folders) } else { text };
        self.plain(text, path)
    }

    /// Returns the directives in `text` in their order, other than escaped ones.
    pub fn directives<'t>(&self, text: &'t str) -> Vec<Directive<'t>> {
        directives(self.book.dialect, text)
    }

    /// Returns a part of a code block without the backslashes before escaped directives.
    pub fn unescaped(&self, code: &str) -> String {
        match self.book.dialect {
            Dialect::MdBook => code.replace("\\{{#", "{{#"),
            _ => code.to_owned(),
        }
    }

    /// Returns the path of a snippet from the root, if it exists.
    pub fn snippet(&self, path: &str) -> Option<String> {
        let paths = self.book.bases.iter().filter_map(|base| url::join(base, path));
        paths.into_iter().find(|path| self.project.files.contains_key(path.as_str()))
    }

    /// Returns the path of an included file from the root, for a page in `folder`.
    pub fn path(&self, folder: &str, include: &Include) -> Option<String> {
        let paths = include.paths(folder, &self.book.bases);
        paths.iter().find(|path| self.project.files.contains_key(path.as_str())).or(paths.last()).cloned()
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
        let below = self.free_path(if path.contains('/') { path.clone() } else { format!("book/{path}") }, &listing);
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

    /// Returns the path in `code/` for a file with this path, whose other characters become hyphens.
    fn free_path(&self, path: String, listing: &Listing) -> String {
        let sign = |c: char| if c == '/' || is_plain(&format!("a{c}")) { c } else { '-' };
        let plain: String = path.chars().map(sign).collect();
        let other = self.files.get(&format!("code/{plain}"));
        if other.is_none_or(|file| file.text() == listing.file().text()) { plain } else { path }
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
        self.files.insert(format!("code/{path}"), Arc::clone(listing.file()));
        self.excerpts += 1;
        let file = if names.is_empty() { path } else { format!("{path}#{names}") };
        let is_cell = |cell: &&Cell| cell.selector().is_some_and(|selector| selectors.contains(&selector));
        let output = listing.cells().iter().find(is_cell).is_some_and(|cell| !cell.outputs.is_empty());
        let mut shown = Shown { file, light: String::new(), missing: false, output, pin, rows, listing };
        let marks = marks.and_then(|marks| super::directive::ranges(marks, '-', false)).unwrap_or_default();
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
        let path =
            path.ok_or_else(|| (Kind::Include, format!("`{}` is outside of the book; {WITHIN}", include.path)))?;
        if let Some(listing) = self.listings.get(&path) {
            return Ok((path, Arc::clone(listing)));
        }
        let File::Text(source) = find(self.project, &path).map_err(|why| (Kind::Include, why))? else {
            return Err((Kind::Include, format!("`{path}` is not text")));
        };
        let source = match self.book.dialect {
            _ if is_notebook(&path) => &notebook::with_ids(source),
            Dialect::MkDocs => &with_regions(source),
            _ => source,
        };
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
    /// Whether recorded outputs are shown below.
    pub output: bool,
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
        Part::Cell(name) => {
            let selector = Selector::Cell(name.clone(), None);
            let lines = listing.select(&selector).map_err(|error| (Kind::Include, error.message))?;
            return Ok((vec![selector], vec![lines]));
        }
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
