//! A starter file, understood by itself: lines, highlighting, regions, and symbols where they are asked for.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::highlight::{self, Highlighted, Token};
use super::locate::LineIndex;
use super::region::{self, Region, RegionProblemKind, Regions};
use super::selector::{self, Selector};
use super::symbol::{self, Names, Symbol, SymbolError};
use crate::diag::{Code, Diagnostic, Place, codes, conflict, nearest};
use crate::source::{Source, Span};

/// How many names a help lists before it breaks off.
const LISTED: usize = 12;

/// A range of lines, from 0.
pub type Lines = Range<usize>;

/// A starter file. Depends on its own file alone.
#[derive(Debug)]
pub struct Listing {
    source: Arc<Source>,
    lines: Vec<Span>,
    tokens: Highlighted,
    regions: Regions,
    /// The regions by name.
    region_names: Vec<usize>,
    symbols: OnceLock<Option<(Vec<Symbol>, Names)>>,
    /// Its lines by their text, made where code is looked for.
    pub(super) by_text: OnceLock<LineIndex>,
}

/// Why a selector shows nothing: a code, a message without place, and help.
#[derive(Debug)]
pub struct SelectError {
    /// Which rule.
    pub code: Code,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Vec<String>,
}

impl Listing {
    /// Understands a starter file; region markers that do not pair are reported.
    #[must_use]
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

    /// The file.
    #[must_use]
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// How many lines it has on disk.
    #[must_use]
    pub fn line_count(&self) -> usize {
        self.lines.len()
    }

    /// The text of a line without its line end.
    #[must_use]
    pub fn line(&self, line: usize) -> &str {
        self.lines.get(line).map_or("", |span| &self.source.text()[span.clone()])
    }

    /// The highlighting of a line; the tokens cover it from end to end.
    #[must_use]
    pub fn tokens(&self, line: usize) -> &[Token] {
        self.tokens.line(line)
    }

    /// How many lines before `line` are shown, which all are but region markers.
    #[must_use]
    pub fn shown_before(&self, line: usize) -> usize {
        let line = line.min(self.line_count());
        line - self.regions.marker_lines.partition_point(|&marker| marker < line)
    }

    /// Whether a line is a region marker, which is never shown.
    #[must_use]
    pub fn is_marker(&self, line: usize) -> bool {
        self.regions.marker_lines.binary_search(&line).is_ok()
    }

    /// The regions, in the order of their opening markers.
    #[must_use]
    pub fn regions(&self) -> &[Region] {
        &self.regions.named
    }

    /// Whether some of its region markers do not pair, which is an error of the file.
    #[must_use]
    pub fn has_broken_markers(&self) -> bool {
        !self.regions.problems.is_empty()
    }

    /// Whether a selector names a region whose markers do not pair: what it selects then follows from that error.
    #[must_use]
    pub fn is_doubtful(&self, selector: &Selector) -> bool {
        matches!(selector, Selector::Region(name) if self.regions.is_doubtful(name))
    }

    /// The symbols, in the order in which they begin; none in a language whose symbols are not known.
    #[must_use]
    pub fn symbols(&self) -> &[Symbol] {
        self.known_symbols().map_or(&[], |(symbols, _)| symbols)
    }

    fn known_symbols(&self) -> Option<&(Vec<Symbol>, Names)> {
        let text = &self.source.text()[self.source.start()..];
        let read = || {
            let symbols = symbol::symbols(self.source.path(), text)?;
            let names = Names::new(&symbols);
            Some((symbols, names))
        };
        self.symbols.get_or_init(read).as_ref()
    }

    fn find_symbol(&self, name: &str) -> Result<&Symbol, SymbolError> {
        let known = self.known_symbols();
        known.map_or(Err(SymbolError::NoSymbols), |(symbols, names)| symbol::find(symbols, names, name))
    }

    /// The lines that a selector names.
    ///
    /// # Errors
    ///
    /// A region, line or symbol that the file does not have.
    pub fn select(&self, selector: &Selector) -> Result<Lines, SelectError> {
        match selector {
            Selector::Region(name) => self.region(name),
            Selector::Lines(first, last) if *last <= self.lines.len() => Ok(first - 1..*last),
            Selector::Lines(..) => Err(SelectError {
                code: codes::E0307,
                message: format!("`{}` has {} lines, not `{selector}`", self.source.path(), self.lines.len()),
                help: Vec::new(),
            }),
            Selector::Symbol(name) => self.symbol(name),
        }
    }

    fn region(&self, name: &str) -> Result<Lines, SelectError> {
        let by_name = self.region_names.binary_search_by(|&at| self.regions.named[at].name.as_str().cmp(name));
        let found = by_name.map(|at| self.regions.named[self.region_names[at]].lines.clone());
        found.map_err(|_| {
            let names = self.regions.named.iter().map(|region| region.name.as_str());
            let is_symbol = self.find_symbol(name).is_ok();
            let help = match nearest(name, names.clone()) {
                _ if selector::line_help(name).is_some() => selector::line_help(name).unwrap_or_default(),
                Some(near) => format!("did you mean `{near}`?"),
                None if is_symbol => format!("did you mean `fn:{name}`?"),
                None if self.regions.named.is_empty() => {
                    "the file has no regions: mark one with `ANCHOR: name` and `ANCHOR_END: name` in comments".into()
                }
                None => format!("its regions are {}", listed(names)),
            };
            SelectError {
                code: codes::E0305,
                message: format!("`{}` has no region `{name}`", self.source.path()),
                help: vec![help],
            }
        })
    }

    fn symbol(&self, name: &str) -> Result<Lines, SelectError> {
        let path = self.source.path();
        self.find_symbol(name).map(|symbol| symbol.lines.clone()).map_err(|error| match error {
            SymbolError::NoSymbols => SelectError {
                code: codes::E0310,
                message: format!("`fn:{name}` cannot be found: `{path}` is in a language whose symbols are not known"),
                help: vec!["use a region or lines".into()],
            },
            SymbolError::NotFound { nearest } => SelectError {
                code: codes::E0308,
                message: format!("`{path}` defines no `{name}`"),
                help: nearest
                    .map(|near| format!("did you mean `fn:{near}`?"))
                    .or_else(|| self.defines())
                    .into_iter()
                    .collect(),
            },
            SymbolError::Ambiguous { lines, paths } => SelectError {
                code: codes::E0309,
                message: format!("`{path}` defines `{name}` {} times, on lines {}", lines.len(), numbers(&lines)),
                help: vec![ambiguous_help(&paths)],
            },
        })
    }

    /// What the file defines, in words; a long list breaks off.
    fn defines(&self) -> Option<String> {
        let symbols = self.symbols();
        let names = listed(symbols.iter().map(|symbol| symbol.path.as_str()));
        (!symbols.is_empty()).then(|| format!("it defines {names}"))
    }

    fn region_problem(&self, problem: &region::RegionProblem) -> Diagnostic {
        let name = &problem.name;
        let offset = self.source.start();
        let place = Place::new(self.source.path(), problem.at.start + offset..problem.at.end + offset);
        let said = |message: String| Diagnostic::new(codes::E0306, place.clone(), message);
        match &problem.kind {
            RegionProblemKind::Duplicate { first } => said(format!("region `{name}` is marked twice"))
                .related(Place::new(self.source.path(), self.source.line_span(*first)), "the first"),
            RegionProblemKind::Unterminated => said(format!("region `{name}` is not closed"))
                .help(format!("close it with `ANCHOR_END: {name}`, or `#endregion` for a `#region`")),
            RegionProblemKind::NeverOpened if name.is_empty() => said("there is no `#region` open here".into()),
            RegionProblemKind::NeverOpened => said(format!("region `{name}` is closed but never opened")),
            RegionProblemKind::EndedTwice => said(format!("region `{name}` is closed twice")),
            RegionProblemKind::BadName if name.is_empty() => {
                said("a region needs a name".into()).help("write `ANCHOR: name` and `ANCHOR_END: name`")
            }
            RegionProblemKind::BadName => said(format!("`{name}` cannot name a region"))
                .help("names are letters, digits, `_` and `-`, and never of the form `L10`"),
        }
    }
}

fn ambiguous_help(paths: &[String]) -> String {
    let mut distinct: Vec<&str> = paths.iter().map(String::as_str).collect();
    distinct.dedup();
    if distinct.len() == paths.len() {
        format!("choose one: {}", list(distinct.iter().map(|path| format!("fn:{path}"))))
    } else {
        "mark the one that is meant as a region".into()
    }
}

fn numbers(lines: &[usize]) -> String {
    lines.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// The first of some names; a long list breaks off.
fn listed<'a>(mut names: impl Iterator<Item = &'a str>) -> String {
    let first = list(names.by_ref().take(LISTED));
    if names.next().is_some() { first + ", …" } else { first }
}

fn list<T: AsRef<str>>(names: impl Iterator<Item = T>) -> String {
    names.map(|name| format!("`{}`", name.as_ref())).collect::<Vec<_>>().join(", ")
}
