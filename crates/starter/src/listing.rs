//! Parses a starter file: its lines, highlighting and regions, and its symbols on demand.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::highlight::{self, Highlighted, Token};
use super::locate::LineIndex;
use super::notebook::{Cell, Notebook, is_notebook};
use super::region::{self, Region, RegionProblemKind, Regions};
use super::symbol::{self, Names, Symbol, SymbolError};
use infralens_source::diag::{Code, Diagnostic, Fix, LISTED, Near, codes, conflict, listed, quantity, similar};
use infralens_source::output::hash;
use infralens_source::selector::{self, Selector};
use infralens_source::source::{Source, Span};

/// A range of lines, from 0.
pub type Lines = Range<usize>;

/// A parsed starter file. Depends on its own file alone.
#[derive(Debug)]
pub struct Listing {
    file: Arc<Source>,
    /// The text of its lines: the file, or the code of a notebook.
    source: Arc<Source>,
    /// The path by which the language of the lines is known.
    language_path: Arc<str>,
    pub(super) cells: Option<Vec<Cell>>,
    tokens: Highlighted,
    regions: Regions,
    /// Indices of the regions, sorted by name.
    region_names: Vec<usize>,
    symbols: OnceLock<Option<(Vec<Symbol>, Names)>>,
    /// Its lines indexed by their text, built when code is searched for.
    pub(super) by_text: OnceLock<LineIndex>,
}

/// A selector that cannot be resolved: the parts of a diagnostic without its place.
#[derive(Debug)]
pub struct SelectError {
    pub code: Code,
    pub message: String,
    pub help: Vec<String>,
    /// The selector that was probably meant, without `#`.
    pub near: Option<Box<Near<'static>>>,
}

impl SelectError {
    pub(super) fn new(code: Code, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { code, message: message.into(), help: vec![help.into()], near: None }
    }

    /// Adds the selector that was probably meant.
    pub(super) fn near(self, near: Option<Near<'static>>) -> Self {
        Self { near: near.map(Box::new), ..self }
    }

    /// Returns the diagnostic of a selector that is written in a span of a page.
    pub fn diagnostic(self, page: &Source, code: Code, span: &Span, selector: &Selector) -> Diagnostic {
        let mut diagnostic = page.diagnostic(code, span.clone(), self.message);
        diagnostic.help = self.help;
        let written = selector.to_string();
        // A fence has a span for each selector; a link is a span in which the selector follows `#`.
        let is_whole = page.text().get(span.clone()) == Some(&written);
        let written = if is_whole { written } else { format!("#{written}") };
        let near =
            self.near.map(|near| near.written(|near| if is_whole { near.to_owned() } else { format!("#{near}") }));
        diagnostic.fix(near.and_then(|near| Fix::in_link(page, span, &written, &near)))
    }
}

/// What to write instead of lines that a file does not have.
pub(super) const NO_LINES: &str = "write numbers that it has, or a region or `fn:NAME`, which move with their code";

impl Listing {
    /// Parses a starter file, and reports region markers that do not match. A notebook that cannot be read has no cells.
    pub fn new(file: &Arc<Source>) -> (Self, Vec<Diagnostic>) {
        if !is_notebook(file.path()) {
            return Self::of_lines(file, Arc::clone(file), Arc::clone(file.path()), None);
        }
        let (notebook, error) = match Notebook::parse(file) {
            Ok(notebook) => (notebook, None),
            Err(error) => (Notebook::default(), Some(*error)),
        };
        let code = Arc::new(Source::new(Arc::clone(file.path()), notebook.code));
        let language_path = format!("{}.{}", file.path(), notebook.extension).into();
        let (listing, diagnostics) = Self::of_lines(file, code, language_path, Some(notebook.cells));
        let diagnostics = diagnostics.into_iter().map(|diagnostic| listing.placed(diagnostic));
        let diagnostics = error.into_iter().chain(diagnostics).collect();
        (listing, diagnostics)
    }

    fn of_lines(
        file: &Arc<Source>,
        source: Arc<Source>,
        language_path: Arc<str>,
        cells: Option<Vec<Cell>>,
    ) -> (Self, Vec<Diagnostic>) {
        let (mut tokens, mut regions) = (Highlighted::default(), Regions::default());
        for (part, at, text) in parts(&source, cells.as_deref()) {
            let language = highlight::by_path(&language_path, text.lines().next().unwrap_or_default());
            tokens.append(highlight::highlight(language, text));
            regions.append(region::regions(&language_path, text), part.start, at);
        }
        let mut region_names: Vec<usize> = (0..regions.named.len()).collect();
        region_names.sort_unstable_by(|&a, &b| regions.named[a].name.cmp(&regions.named[b].name));
        let listing = Self {
            file: Arc::clone(file),
            source,
            language_path,
            cells,
            regions,
            region_names,
            tokens,
            symbols: OnceLock::new(),
            by_text: OnceLock::new(),
        };
        let regions = listing.regions.problems.iter().map(|problem| listing.region_problem(problem));
        let diagnostics = regions.chain(conflict::in_code(&listing.source)).collect();
        (listing, diagnostics)
    }

    pub fn file(&self) -> &Arc<Source> {
        &self.file
    }

    /// Returns the text of the lines: that of the file, or of a notebook's code.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// Returns the path by which the language of the lines is known: that of the file, and for a notebook that of a file with
    /// the code of its cells.
    pub fn language_path(&self) -> &str {
        &self.language_path
    }

    /// Returns whether it is a notebook that cannot be read, which was reported.
    pub fn is_unread(&self) -> bool {
        self.cells.as_ref().is_some_and(Vec::is_empty)
    }

    /// Returns the path of the file with the hash of its bytes, so that a report of a mistake says which version it is about.
    pub fn identity(&self) -> String {
        format!("{}@{}", self.source.path(), hash(self.file.text().as_bytes()))
    }

    /// Returns the number of lines on disk.
    pub fn line_count(&self) -> usize {
        self.source.line_count()
    }

    /// Returns the text of a line without its line end; empty for a line that does not exist.
    pub fn line(&self, line: usize) -> &str {
        &self.source.text()[self.source.line_span(line)]
    }

    /// Returns the highlighting of a line. The tokens cover all of it.
    pub fn tokens(&self, line: usize) -> &[Token] {
        self.tokens.line(line)
    }

    /// Returns the number of lines before `line` that are not region markers.
    pub fn shown_before(&self, line: usize) -> usize {
        let line = line.min(self.line_count());
        line - self.regions.marker_lines.partition_point(|&marker| marker < line)
    }

    /// Returns whether a line is a region marker, which is never shown.
    pub fn is_marker(&self, line: usize) -> bool {
        self.regions.marker_lines.binary_search(&line).is_ok()
    }

    /// Returns the regions, in the order of their opening markers.
    pub fn regions(&self) -> &[Region] {
        &self.regions.named
    }

    /// Returns whether some of its region markers do not match, which is reported as an error of the file.
    pub fn has_broken_markers(&self) -> bool {
        !self.regions.problems.is_empty()
    }

    /// Returns whether a selector names a region whose markers do not match, so that its lines are uncertain.
    pub fn is_doubtful(&self, selector: &Selector) -> bool {
        matches!(selector, Selector::Region(name) if self.regions.is_doubtful(name))
    }

    /// Returns the symbols, in the order in which they begin; empty if the language is not supported.
    pub fn symbols(&self) -> &[Symbol] {
        self.known_symbols().map_or(&[], |(symbols, _)| symbols)
    }

    fn known_symbols(&self) -> Option<&(Vec<Symbol>, Names)> {
        let read = || {
            let mut symbols = Vec::new();
            for (part, at, text) in parts(&self.source, self.cells.as_deref()) {
                let of_part = symbol::symbols(&self.language_path, text, &self.tokens.part(&part))?;
                symbols.extend(of_part.into_iter().map(|symbol| symbol.moved(part.start, at)));
            }
            let names = Names::new(&symbols);
            Some((symbols, names))
        };
        self.symbols.get_or_init(read).as_ref()
    }

    fn find_symbol(&self, name: &str) -> Result<&Symbol, SymbolError> {
        let known = self.known_symbols();
        known.map_or(Err(SymbolError::NoSymbols), |(symbols, names)| symbol::find(symbols, names, name))
    }

    /// Returns the number of a symbol among those that its path refers to, from 1; `None` if it is the only one.
    pub(super) fn number_of(&self, symbol: &Symbol) -> Option<usize> {
        let Err(SymbolError::Ambiguous { lines, .. }) = self.find_symbol(&symbol.path) else { return None };
        lines.iter().position(|&line| line == symbol.line + 1).map(|at| at + 1)
    }

    /// Returns the lines that a selector selects.
    ///
    /// # Errors
    ///
    /// Fails if the file does not have the region, line or symbol.
    pub fn select(&self, selector: &Selector) -> Result<Lines, SelectError> {
        match selector {
            Selector::Region(name) => self.region(name),
            Selector::Cell(name, lines) => self.cell(name, *lines),
            Selector::Lines(..) if self.is_notebook() => Err(self.lines_without_cell(selector)),
            Selector::Lines(first, last) if *last <= self.line_count() => Ok(first - 1..*last),
            Selector::Lines(..) => {
                let count = quantity(self.line_count(), "line");
                let message = format!("`{}` has {count}, not `{selector}`", self.source.path());
                Err(SelectError::new(codes::E0307, message, NO_LINES))
            }
            Selector::Symbol(name) => self.symbol(name),
        }
    }

    fn region(&self, name: &str) -> Result<Lines, SelectError> {
        let regions = &self.regions.named;
        if let Ok(at) = self.region_names.binary_search_by(|&at| regions[at].name.as_str().cmp(name)) {
            return Ok(regions[self.region_names[at]].lines.clone());
        }
        let names = || regions.iter().map(|region| region.name.as_str());
        let symbol = || self.find_symbol(name).ok().map(|_| Near { name: format!("fn:{name}").into(), is_sure: true });
        let advice = self.near_marker(name).or_else(|| selector::line_help(name));
        let near = similar(name, names()).map(Near::into_owned).or_else(symbol).filter(|_| advice.is_none());
        let help = advice.unwrap_or_else(|| match &near {
            Some(near) => format!("did you mean `{}`?", near.name),
            None if regions.is_empty() => {
                "the file has no regions: mark one with `ANCHOR: name` and `ANCHOR_END: name` in comments".into()
            }
            None => format!("its regions are {}", listed(names())),
        });
        Err(SelectError::new(codes::E0305, format!("`{}` has no region `{name}`", self.source.path()), help).near(near))
    }

    /// Returns what to write if a line was probably meant as the marker that opens a region.
    fn near_marker(&self, name: &str) -> Option<String> {
        let mut lines = (0..self.line_count()).filter(|line| !self.is_marker(*line));
        let is_beside = |line: &usize| region::is_beside_code(&self.language_path, self.line(*line), name);
        if let Some(line) = lines.clone().find(is_beside) {
            let line = self.line_name(line);
            return Some(format!("{line} has code before its marker, so it is no marker: put it on a line of its own"));
        }
        let line = lines.find(|line| !name.is_empty() && region::is_near_marker(self.line(*line), name))?;
        let (open, close) = region::markers(&self.language_path, name);
        Some(format!(
            "{} is not a marker as it is written: write `{open}` there, and `{close}` at the end",
            self.line_name(line)
        ))
    }

    fn symbol(&self, name: &str) -> Result<Lines, SelectError> {
        let path = self.source.path();
        let found = self.find_symbol(name).map_err(|error| match error {
            SymbolError::NoSymbols => {
                let why = format!("because the language of `{path}` is not supported");
                SelectError::new(codes::E0310, format!("`fn:{name}` cannot be found, {why}"), "use a region or lines")
            }
            SymbolError::NotFound { nearest } => SelectError {
                code: codes::E0308,
                message: format!("`{path}` does not define `{name}`"),
                near: nearest.as_ref().map(|near| Box::new(near.written(|near| format!("fn:{near}")))),
                help: nearest
                    .map(|near| format!("did you mean `fn:{}`?", near.name))
                    .or_else(|| self.defines())
                    .into_iter()
                    .chain(self.uncertain())
                    .collect(),
            },
            SymbolError::Ambiguous { lines, names } => {
                let message =
                    format!("`{path}` defines `{name}` {} times, on {}", lines.len(), self.line_names(&lines));
                SelectError::new(codes::E0309, message, self.choices(&names, &lines))
            }
            SymbolError::TooFew { name: bare, lines } => {
                let (times, near, help) = match lines.as_slice() {
                    [line] => {
                        let times = format!("only once, on {}", self.line_name(line - 1));
                        (times, Some(Near::unsure(format!("fn:{bare}"))), format!("write `fn:{bare}`"))
                    }
                    lines => {
                        let count = lines.len();
                        let help = format!("write a number from `fn:{bare}(1)` to `fn:{bare}({count})`");
                        (format!("{count} times, on {}", self.line_names(lines)), None, help)
                    }
                };
                let message = format!("`{path}` defines `{bare}` {times}, so there is no `{name}`");
                SelectError::new(codes::E0308, message, help).near(near)
            }
        })?;
        match found.doubt {
            None => Ok(found.lines.clone()),
            Some(line) => Err(self.doubt(name, found, line)),
        }
    }

    /// The error for a symbol of which brackets and indentation give different ends.
    fn doubt(&self, name: &str, symbol: &Symbol, line: usize) -> SelectError {
        let (end, lines) = (self.line_name(symbol.lines.end - 1), self.selector_of_lines(&symbol.lines));
        let what = if self.is_notebook() { "cell" } else { "file" };
        let contradiction = if line + 1 == symbol.lines.end {
            format!("{end}, where its brackets or the {what} end, is not indented like its first line")
        } else {
            let line = self.line_name(line);
            format!("{end}, where its brackets or the {what} end, does not fit the indentation of {line}")
        };
        let help = format!(
            "mark it as a region with `ANCHOR: name` and `ANCHOR_END: name`, or select its lines, as in `{lines}`"
        );
        let message = format!("the end of `fn:{name}` is uncertain: {contradiction}");
        SelectError::new(codes::E0317, message, help).near(Some(Near::unsure(lines)))
    }

    /// Lists the names of several symbols, each with its line, from 1.
    fn choices(&self, names: &[String], lines: &[usize]) -> String {
        let first = names.iter().zip(lines).take(LISTED);
        let listed: Vec<String> =
            first.map(|(name, line)| format!("`fn:{name}` ({})", self.line_name(line - 1))).collect();
        format!("choose one: {}{}", listed.join(", "), if names.len() > LISTED { ", …" } else { "" })
    }

    /// Names several lines, from 1: "lines 3, 9".
    fn line_names(&self, lines: &[usize]) -> String {
        if self.is_notebook() {
            return lines.iter().map(|line| self.line_name(line - 1)).collect::<Vec<_>>().join(" and ");
        }
        format!("lines {}", lines.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
    }

    /// Says where a symbol may be hidden that is not found.
    fn uncertain(&self) -> Option<String> {
        let symbol = self.symbols().iter().find(|symbol| symbol.doubt.is_some())?;
        let (name, line) = (&symbol.path, self.line_name(symbol.line));
        Some(format!("the end of `{name}` ({line}) is uncertain, and definitions below that line may be missing"))
    }

    /// Lists the symbols that the file defines, for a help text.
    fn defines(&self) -> Option<String> {
        let symbols = self.symbols();
        let names = listed(symbols.iter().map(|symbol| symbol.path.as_str()));
        (!symbols.is_empty()).then(|| format!("it defines {names}"))
    }

    fn region_problem(&self, problem: &region::RegionProblem) -> Diagnostic {
        let name = &problem.name;
        let offset = self.source.start();
        let place = self.source.place(problem.at.start + offset..problem.at.end + offset);
        let report = |message: String| Diagnostic::new(codes::E0306, place.clone(), message);
        match &problem.kind {
            RegionProblemKind::Duplicate { first } => report(format!("region `{name}` is defined twice"))
                .help("give one of the two another name")
                .related(self.source.place(self.source.line_span(*first)), "the first"),
            RegionProblemKind::Unterminated => {
                let help = || format!("close it with `ANCHOR_END: {name}`, or `#endregion` for a `#region`");
                report(format!("region `{name}` is not closed")).help(self.near_marker(name).unwrap_or_else(help))
            }
            RegionProblemKind::NeverOpened => {
                let (message, open) = match name.as_str() {
                    "" => ("no `#region` is open here".to_owned(), "#region NAME".to_owned()),
                    _ => (format!("region `{name}` is closed but never opened"), format!("ANCHOR: {name}")),
                };
                let help = || format!("write `{open}` in a comment on a line of its own above it, or remove this line");
                report(message).help(self.near_marker(name).unwrap_or_else(help))
            }
            RegionProblemKind::EndedTwice => {
                report(format!("region `{name}` is closed twice")).help("remove one of the two, or correct its name")
            }
            RegionProblemKind::Misspelled { is_end } => {
                let written = format!("ANCHOR{}: {name}", if *is_end { "_END" } else { "" });
                let (at, line) =
                    (problem.at.end + offset, self.source.line_span(self.source.line(problem.at.start + offset)));
                let keyword = self.source.text()[line.start..at].to_ascii_lowercase().rfind("anchor");
                let fix = keyword.map(|keyword| Fix::write(&self.source, line.start + keyword..at, &written));
                report("this is not written as a marker".into()).help(format!("write `{written}`")).fix(fix)
            }
            RegionProblemKind::BadName if name.is_empty() => {
                report("a region needs a name".into()).help("write `ANCHOR: name` and `ANCHOR_END: name`")
            }
            RegionProblemKind::BadName => report(format!("a region cannot have the name `{name}`"))
                .help("names are letters, digits, `_` and `-`, and never of the form `L10`"),
        }
    }
}

/// Returns the texts that are read for themselves, the file or each cell of a notebook: each with its lines and its offset
/// in the text, both from 0.
fn parts<'s>(source: &'s Source, cells: Option<&'s [Cell]>) -> impl Iterator<Item = (Lines, usize, &'s str)> {
    let whole = cells.is_none().then(|| (0..source.line_count(), 0, &source.text()[source.start()..]));
    let of_cells = cells.unwrap_or_default().iter().filter(|cell| !cell.lines.is_empty()).map(|cell| {
        let [start, end] = [cell.lines.start, cell.lines.end].map(|line| source.line_span(line).start);
        (cell.lines.clone(), start, &source.text()[start..end])
    });
    whole.into_iter().chain(of_cells)
}
