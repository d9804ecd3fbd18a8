//! Parses a starter file: its lines, highlighting and regions, and its symbols on demand.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::highlight::{self, Highlighted, Token};
use super::locate::LineIndex;
use super::region::{self, Region, RegionProblemKind, Regions};
use super::symbol::{self, Names, Symbol, SymbolError};
use infralens_source::diag::{Code, Diagnostic, Fix, Near, codes, conflict, similar};
use infralens_source::output::hash;
use infralens_source::selector::{self, Selector};
use infralens_source::source::{Source, Span};

/// The maximum number of names that a help text lists.
const LISTED: usize = 12;

/// A range of lines, from 0.
pub type Lines = Range<usize>;

/// A parsed starter file. Depends on its own file alone.
#[derive(Debug)]
pub struct Listing {
    source: Arc<Source>,
    lines: Vec<Span>,
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

impl Listing {
    /// Parses a starter file, and reports region markers that do not match.
    pub fn new(source: &Arc<Source>) -> (Self, Vec<Diagnostic>) {
        let text = &source.text()[source.start()..];
        let language = highlight::by_path(source.path(), text.lines().next().unwrap_or_default());
        let tokens = highlight::highlight(language, text);
        let lines: Vec<Span> = (0..source.line_count()).map(|line| source.line_span(line)).collect();
        let regions = region::regions(source.path(), text);
        let mut region_names: Vec<usize> = (0..regions.named.len()).collect();
        region_names.sort_unstable_by(|&a, &b| regions.named[a].name.cmp(&regions.named[b].name));
        let listing = Self {
            source: Arc::clone(source),
            regions,
            region_names,
            lines,
            tokens,
            symbols: OnceLock::new(),
            by_text: OnceLock::new(),
        };
        let regions = listing.regions.problems.iter().map(|problem| listing.region_problem(problem));
        let diagnostics = regions.chain(conflict::in_code(source)).collect();
        (listing, diagnostics)
    }

    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// Returns the path of the file with the hash of its bytes, so that a report of a mistake says which version it is about.
    pub fn identity(&self) -> String {
        format!("{}@{}", self.source.path(), hash(self.source.text().as_bytes()))
    }

    /// Returns the number of lines on disk.
    pub fn line_count(&self) -> usize {
        self.lines.len()
    }

    /// Returns the text of a line without its line end.
    pub fn line(&self, line: usize) -> &str {
        self.lines.get(line).map_or("", |span| &self.source.text()[span.clone()])
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
        let text = &self.source.text()[self.source.start()..];
        let read = || {
            let symbols = symbol::symbols(self.source.path(), text, &self.tokens)?;
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
            Selector::Lines(first, last) if *last <= self.lines.len() => Ok(first - 1..*last),
            Selector::Lines(..) => {
                let (path, count) = (self.source.path(), self.lines.len());
                let plural = if count == 1 { "" } else { "s" };
                let message = format!("`{path}` has {count} line{plural}, not `{selector}`");
                Err(SelectError { code: codes::E0307, message, help: Vec::new(), near: None })
            }
            Selector::Symbol(name) => self.symbol(name),
        }
    }

    fn region(&self, name: &str) -> Result<Lines, SelectError> {
        let by_name = self.region_names.binary_search_by(|&at| self.regions.named[at].name.as_str().cmp(name));
        let found = by_name.map(|at| self.regions.named[self.region_names[at]].lines.clone());
        found.map_err(|_| {
            let names = self.regions.named.iter().map(|region| region.name.as_str());
            let is_symbol = self.find_symbol(name).is_ok();
            let near_marker = self.near_marker(name);
            let mut meant = None;
            let help = match similar(name, names.clone()) {
                _ if near_marker.is_some() => near_marker.unwrap_or_default(),
                _ if selector::line_help(name).is_some() => selector::line_help(name).unwrap_or_default(),
                Some(near) => {
                    let help = format!("did you mean `{}`?", near.name);
                    meant = Some(near.into_owned());
                    help
                }
                None if is_symbol => {
                    meant = Some(Near { name: format!("fn:{name}").into(), is_sure: true });
                    format!("did you mean `fn:{name}`?")
                }
                None if self.regions.named.is_empty() => {
                    "the file has no regions: mark one with `ANCHOR: name` and `ANCHOR_END: name` in comments".into()
                }
                None => format!("its regions are {}", listed(names)),
            };
            SelectError {
                code: codes::E0305,
                message: format!("`{}` has no region `{name}`", self.source.path()),
                help: vec![help],
                near: meant.map(Box::new),
            }
        })
    }

    /// Returns what to write if a line was probably meant as the marker that opens a region.
    fn near_marker(&self, name: &str) -> Option<String> {
        let line = self.source.text().lines().position(|line| region::is_near_marker(line, name))?;
        let (open, close) = region::markers(self.source.path(), name);
        Some(format!(
            "line {} is not a marker as it is written: write `{open}` there, and `{close}` at the end",
            line + 1
        ))
    }

    fn symbol(&self, name: &str) -> Result<Lines, SelectError> {
        let path = self.source.path();
        let found = self.find_symbol(name).map_err(|error| match error {
            SymbolError::NoSymbols => SelectError {
                code: codes::E0310,
                message: format!("`fn:{name}` cannot be found, because the language of `{path}` is not supported"),
                help: vec!["use a region or lines".into()],
                near: None,
            },
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
            SymbolError::Ambiguous { lines, names } => SelectError {
                code: codes::E0309,
                message: format!("`{path}` defines `{name}` {} times, on lines {}", lines.len(), numbers(&lines)),
                help: vec![choices(&names, &lines)],
                near: None,
            },
            SymbolError::TooFew { name: bare, lines } => SelectError {
                code: codes::E0308,
                message: match lines.as_slice() {
                    [line] => format!("`{path}` defines `{bare}` only once, on line {line}, so there is no `{name}`"),
                    _ => format!(
                        "`{path}` defines `{bare}` {} times, on lines {}, so there is no `{name}`",
                        lines.len(),
                        numbers(&lines)
                    ),
                },
                help: vec![match lines.len() {
                    1 => format!("write `fn:{bare}`"),
                    count => format!("write a number from `fn:{bare}(1)` to `fn:{bare}({count})`"),
                }],
                near: (lines.len() == 1).then(|| Box::new(Near::unsure(format!("fn:{bare}")))),
            },
        })?;
        match found.doubt {
            None => Ok(found.lines.clone()),
            Some(line) => Err(Self::doubt(name, found, line)),
        }
    }

    /// The error for a symbol of which brackets and indentation give different ends.
    fn doubt(name: &str, symbol: &Symbol, line: usize) -> SelectError {
        let (start, end) = (symbol.lines.start + 1, symbol.lines.end);
        let contradiction = if line + 1 == end {
            format!("line {end}, where its brackets or the file end, is not indented like its first line")
        } else {
            format!("line {end}, where its brackets or the file end, does not fit the indentation of line {}", line + 1)
        };
        SelectError {
            code: codes::E0317,
            message: format!("the end of `fn:{name}` is uncertain: {contradiction}"),
            help: vec![format!(
                "mark it as a region with `ANCHOR: name` and `ANCHOR_END: name`, or select its lines, as in `L{start}-L{end}`"
            )],
            near: Some(Box::new(Near::unsure(format!("L{start}-L{end}")))),
        }
    }

    /// Says where a symbol may be hidden that is not found.
    fn uncertain(&self) -> Option<String> {
        let symbol = self.symbols().iter().find(|symbol| symbol.doubt.is_some())?;
        let (name, line) = (&symbol.path, symbol.line + 1);
        Some(format!("the end of `{name}` (line {line}) is uncertain, and definitions below that line may be missing"))
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
                .related(self.source.place(self.source.line_span(*first)), "the first"),
            RegionProblemKind::Unterminated => report(format!("region `{name}` is not closed"))
                .help(format!("close it with `ANCHOR_END: {name}`, or `#endregion` for a `#region`")),
            RegionProblemKind::NeverOpened if name.is_empty() => report("no `#region` is open here".into()),
            RegionProblemKind::NeverOpened => {
                let near = self.near_marker(name);
                near.into_iter().fold(report(format!("region `{name}` is closed but never opened")), Diagnostic::help)
            }
            RegionProblemKind::EndedTwice => report(format!("region `{name}` is closed twice")),
            RegionProblemKind::Misspelled { is_end } => report("this is not written as a marker".into())
                .help(format!("write `ANCHOR{}: {name}`", if *is_end { "_END" } else { "" })),
            RegionProblemKind::BadName if name.is_empty() => {
                report("a region needs a name".into()).help("write `ANCHOR: name` and `ANCHOR_END: name`")
            }
            RegionProblemKind::BadName => report(format!("a region cannot have the name `{name}`"))
                .help("names are letters, digits, `_` and `-`, and never of the form `L10`"),
        }
    }
}

/// Lists the names of several symbols, each with its line.
fn choices(names: &[String], lines: &[usize]) -> String {
    let first = names.iter().zip(lines).take(LISTED);
    let listed: Vec<String> = first.map(|(name, line)| format!("`fn:{name}` (line {line})")).collect();
    format!("choose one: {}{}", listed.join(", "), if names.len() > LISTED { ", …" } else { "" })
}

fn numbers(lines: &[usize]) -> String {
    lines.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Lists names in backticks, with `…` in place of those after the first [`LISTED`].
fn listed<'a>(mut names: impl Iterator<Item = &'a str>) -> String {
    let first = list(names.by_ref().take(LISTED));
    if names.next().is_some() { first + ", …" } else { first }
}

fn list<T: AsRef<str>>(names: impl Iterator<Item = T>) -> String {
    names.map(|name| format!("`{}`", name.as_ref())).collect::<Vec<_>>().join(", ")
}
