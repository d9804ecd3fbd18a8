//! Reads Jupyter notebooks: their code cells become one text, one below the other, with a table of the cells, so that
//! whatever works on the lines of a file works on theirs. Nothing is executed: outputs are those that were recorded.
//!
//! 1. [`Notebook::parse`] reads the JSON (format 4) and names the cells;
//! 2. a [`Listing`] of its code knows the cells, and so what the number and the id of a line are.

mod output;

use std::sync::Arc;

use serde_json::Value;

use super::language;
use super::listing::{Lines, Listing, NO_LINES, SelectError};
use infralens_source::diag::{Diagnostic, Place, codes, listed, quantity, similar};
use infralens_source::selector::{Selector, is_cell_name, parse_lines};
use infralens_source::source::{Source, Span};
pub use output::{Output, Picture};

/// The format that is read.
const FORMAT: u64 = 4;

/// A notebook: its cells, and the text of its code.
#[derive(Debug, Default)]
pub(super) struct Notebook {
    pub cells: Vec<Cell>,
    /// The code cells, each from the beginning of a line on.
    pub code: String,
    /// The extension that files in its language have.
    pub extension: String,
}

#[derive(Debug)]
pub struct Cell {
    pub kind: CellKind,
    /// The name in ids and on its page: a tag or an id that no other cell has, else the number among the cells of its kind.
    pub name: String,
    /// Its id, if it has one, and its tags, if they can be written in a selector.
    names: Vec<String>,
    /// The lines of a code cell in the text of the code, from 0.
    pub lines: Lines,
    /// The text of another cell.
    pub text: String,
    /// What it printed and showed when the notebook was saved.
    pub outputs: Vec<Output>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellKind {
    Code,
    Markdown,
    /// Text for other programs.
    Raw,
}

pub fn is_notebook(path: &str) -> bool {
    language::extension(path).is_some_and(|extension| extension == "ipynb")
}

/// Returns a text that the format splits into lines, or not.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(lines) => lines.iter().map(Value::as_str).collect(),
        _ => None,
    }
}

impl Notebook {
    /// Reads a notebook.
    ///
    /// # Errors
    ///
    /// A diagnostic if it is not JSON, not a notebook in format 4, or has no cells.
    pub fn parse(source: &Source) -> Result<Self, Box<Diagnostic>> {
        let path = source.path();
        let report = |place: Place, message: String| Diagnostic::new(codes::E0320, place, message);
        let whole = |message: String| report(Place::file(path.clone()), message);
        let json: Value = serde_json::from_str(&source.text()[source.start()..]).map_err(|error| {
            let line = source.line_span(error.line().saturating_sub(1));
            let at = source.text().floor_char_boundary((line.start + error.column().saturating_sub(1)).min(line.end));
            let reason = error.to_string();
            let reason = reason.split(" at line ").next().unwrap_or_default();
            report(source.place(at..line.end), format!("`{path}` is not JSON: {reason}"))
        })?;
        match json["nbformat"].as_u64() {
            Some(FORMAT) => {}
            Some(other) => {
                let error =
                    whole(format!("`{path}` is a notebook in format {other}, and only format {FORMAT} is read"));
                let convert =
                    "save it with a current Jupyter, or convert it: `jupyter nbconvert --to notebook --nbformat 4`";
                return Err(error.help(convert).into());
            }
            None => return Err(whole(format!("`{path}` is not a notebook: it has no `nbformat`")).into()),
        }
        let Some(cells) = json["cells"].as_array().filter(|cells| !cells.is_empty()) else {
            return Err(whole(format!("`{path}` has no cells")).help("a starter has code").into());
        };
        let mut notebook = Self { cells: Vec::new(), code: String::new(), extension: extension(&json["metadata"]) };
        for (at, cell) in cells.iter().enumerate() {
            let added = notebook.add(cell);
            added.ok_or_else(|| {
                whole(format!("cell {} of `{path}` has no `cell_type`, or no text as its `source`", at + 1))
            })?;
        }
        notebook.name_cells();
        Ok(notebook)
    }

    /// Adds a cell; `None` if it is not valid.
    fn add(&mut self, cell: &Value) -> Option<()> {
        let kind = match cell["cell_type"].as_str()? {
            "code" => CellKind::Code,
            "markdown" => CellKind::Markdown,
            _ => CellKind::Raw,
        };
        let mut text = text(&cell["source"])?;
        let tags = cell["metadata"]["tags"].as_array().into_iter().flatten();
        let names = tags.chain([&cell["id"]]).filter_map(Value::as_str).filter(|name| is_cell_name(name));
        let first = self.cells.last().map_or(0, |last| last.lines.end);
        let mut lines = first..first;
        if kind == CellKind::Code {
            let code = text.trim_start_matches('\u{feff}');
            lines.end += code.lines().count();
            self.code.extend(code.lines().flat_map(|line| [line, "\n"]));
            text.clear();
        }
        let outputs = cell["outputs"].as_array().into_iter().flatten().filter_map(Output::read).collect();
        let names = names.map(str::to_owned).collect();
        self.cells.push(Cell { kind, name: String::new(), names, lines, text, outputs });
        Some(())
    }

    /// Gives each cell the first of its names that no other cell has, and that cannot be mistaken for lines of one; else a
    /// number.
    fn name_cells(&mut self) {
        let mut all: Vec<&str> = self.cells.iter().flat_map(Cell::distinct_names).collect();
        all.sort_unstable();
        let is_only = |name: &&String| {
            let first = all.partition_point(|known| *known < name.as_str());
            let last = name.rsplit('-').next().unwrap_or_default();
            all.get(first + 1) != Some(&name.as_str()) && parse_lines(last).is_none()
        };
        let mut counts = [0; 3];
        let named = self.cells.iter().map(|cell| {
            counts[cell.kind as usize] += 1;
            let mut number = counts[cell.kind as usize].to_string();
            while all.binary_search(&number.as_str()).is_ok() {
                number.push('_');
            }
            cell.names.iter().find(is_only).cloned().unwrap_or(number)
        });
        let named: Vec<String> = named.collect();
        for (cell, name) in self.cells.iter_mut().zip(named) {
            cell.name = name;
        }
    }
}

impl Cell {
    /// Returns the selector of a code cell that has a name. The number of another changes with the cells above.
    pub fn selector(&self) -> Option<Selector> {
        let has_name = self.kind == CellKind::Code && self.names.contains(&self.name);
        has_name.then(|| Selector::Cell(self.name.clone(), None))
    }

    /// Returns its names, each once.
    fn distinct_names(&self) -> impl Iterator<Item = &str> {
        let is_first = |(at, name): &(usize, &String)| !self.names[..*at].contains(name);
        self.names.iter().enumerate().filter(is_first).map(|(_, name)| name.as_str())
    }
}

/// Returns the extension of files in a language, Python's for a word that means none.
pub fn extension_of(word: &str) -> String {
    language::extension_of_word(&word.to_lowercase()).unwrap_or_else(|| "py".into())
}

/// Returns the extension of files in the language of a notebook with these metadata: Python's if they do not say it.
fn extension(metadata: &Value) -> String {
    let info = &metadata["language_info"];
    let is_plain = |text: &&str| !text.is_empty() && text.chars().all(char::is_alphanumeric);
    let extension = info["file_extension"].as_str().map(|extension| extension.trim_start_matches('.')).filter(is_plain);
    let word = info["name"].as_str().or_else(|| metadata["kernelspec"]["language"].as_str());
    extension.map_or_else(|| extension_of(word.unwrap_or_default()), str::to_lowercase)
}

impl Listing {
    /// Returns the cells of a notebook, in its order; none for another file.
    pub fn cells(&self) -> &[Cell] {
        self.cells.as_deref().unwrap_or_default()
    }

    pub fn is_notebook(&self) -> bool {
        self.cells.is_some()
    }

    pub fn cell_of(&self, line: usize) -> Option<&Cell> {
        let cells = self.cells();
        cells.get(cells.partition_point(|cell| cell.lines.end <= line))
    }

    pub fn begins_cell(&self, line: usize) -> bool {
        self.cell_of(line).is_some_and(|cell| cell.lines.start == line)
    }

    /// Returns the number of a line (from 0), from 1: that in its cell, if it has one.
    pub fn number(&self, line: usize) -> usize {
        line + 1 - self.cell_of(line).map_or(0, |cell| cell.lines.start)
    }

    /// Returns the id of a line (from 0) on the page of the file: `L3`, in a notebook `NAME-L3`.
    pub fn line_id(&self, line: usize) -> String {
        self.anchor(&(line..line + 1))
    }

    /// Returns the id of lines (from 0) on the page of the file: `L3-L5`, in a notebook `NAME-L3-L5`, up to the end of the
    /// first cell.
    pub fn anchor(&self, lines: &Lines) -> String {
        let cell = self.cell_of(lines.start);
        let end = cell.map_or(lines.end, |cell| lines.end.min(cell.lines.end));
        let lines = self.numbers(lines.start, end);
        cell.map_or_else(|| lines.to_string(), |cell| format!("{}-{lines}", cell.name))
    }

    /// Returns the selectors of lines (from 0), one per cell, joined by commas.
    pub fn selector_of_lines(&self, lines: &Lines) -> String {
        let mut selectors = Vec::new();
        let (mut start, last) = (lines.start, lines.end.max(lines.start + 1));
        while let Some(cell) = self.cell_of(start).filter(|_| start < last) {
            let part = self.numbers(start, last.min(cell.lines.end));
            selectors.push(format!("cell:{}:{part}", cell.name));
            start = cell.lines.end;
        }
        if selectors.is_empty() { self.numbers(lines.start, last).to_string() } else { selectors.join(",") }
    }

    /// Returns the selector of lines (from 0) if a single one selects them.
    pub fn one_selector_of_lines(&self, lines: &Lines) -> Option<String> {
        let selector = self.selector_of_lines(lines);
        Selector::parse(&selector).is_ok_and(|selector| self.select(&selector).is_ok()).then_some(selector)
    }

    /// Returns the first and last line, from 1, that a selector names by their numbers, counted in the whole text, whether there
    /// are such lines or not.
    pub fn numbered_lines(&self, selector: &Selector) -> Option<(usize, usize)> {
        match selector {
            Selector::Lines(first, last) => Some((*first, *last)),
            Selector::Cell(name, Some((first, last))) => {
                let above = self.cell(name, None).map_or(0, |cell| cell.start);
                Some((above + first, above + last))
            }
            _ => None,
        }
    }

    /// Returns the place of a span of the text: of a notebook, the file.
    pub fn place(&self, span: Span) -> Place {
        if self.is_notebook() { Place::file(Arc::clone(self.source().path())) } else { self.source().place(span) }
    }

    /// Numbers lines from `start` to before `end`, which are in one cell.
    fn numbers(&self, start: usize, end: usize) -> Selector {
        let first = self.number(start);
        Selector::Lines(first, first + end.max(start + 1) - start - 1)
    }

    /// Names a line (from 0) in a message: "line 3", "line 3 of the cell `load`".
    pub fn line_name(&self, line: usize) -> String {
        let cell = self.cell_of(line).map_or_else(String::new, |cell| format!(" of the cell `{}`", cell.name));
        format!("line {}{cell}", self.number(line))
    }

    /// Names lines (from 0) in a list: "lines 3-5", "line 3 of the cell `load`" for those that begin there.
    pub fn lines_name(&self, lines: &Lines) -> String {
        if self.is_notebook() {
            return self.line_name(lines.start);
        }
        format!("lines {}-{}", lines.start + 1, lines.end)
    }

    /// Returns the selectors of the code cells that have a name.
    pub fn selectable_cells(&self) -> impl Iterator<Item = String> {
        self.cells().iter().filter_map(Cell::selector).map(|selector| selector.to_string())
    }

    /// Changes a diagnostic whose places are in the text of the code, if that is not the text of the file: it then is about
    /// the file, and its message names the line and its cell. What would fix it cannot be written into the file.
    pub fn placed(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        if !self.is_notebook() {
            return diagnostic;
        }
        let places = diagnostic.related.iter_mut().map(|(place, text)| (place, text));
        for (place, text) in [(&mut diagnostic.place, &mut diagnostic.message)].into_iter().chain(places) {
            if let Some((start, _)) = place.span.take() {
                *text = format!("{}: {text}", self.line_name(self.source().line(start)));
            }
        }
        diagnostic.fixes.clear();
        diagnostic
    }

    /// Returns the lines of a cell, or some of them.
    pub(super) fn cell(&self, name: &str, lines: Option<(usize, usize)>) -> Result<Lines, SelectError> {
        let path = self.source().path();
        let error = |message: String, help: &str| Err(SelectError::new(codes::E0321, message, help));
        if !self.is_notebook() {
            let help = "write a region, lines, or `fn:NAME`";
            return error(format!("`{path}` has no cells, because it is not a notebook"), help);
        }
        let found: Vec<&Cell> =
            self.cells().iter().filter(|cell| cell.names.iter().any(|known| known == name)).collect();
        let cell = match found.as_slice() {
            [cell] if cell.kind == CellKind::Code => cell,
            [_] => return error(format!("the cell `{name}` of `{path}` is not code"), "name a code cell"),
            [] => return Err(self.no_cell(name)),
            several => {
                let names =
                    several.iter().map(|cell| format!("`cell:{}`", cell.name)).collect::<Vec<_>>().join(" and ");
                let message = format!("`{path}` has {} cells `{name}`: {names}", several.len());
                return error(message, "name one of them by its id, or by a tag of its own");
            }
        };
        let count = cell.lines.len();
        match lines {
            None => Ok(cell.lines.clone()),
            Some((first, last)) if last <= count => Ok(cell.lines.start + first - 1..cell.lines.start + last),
            Some((first, last)) => {
                let (count, lines) = (quantity(count, "line"), Selector::Lines(first, last));
                let message = format!("the cell `{name}` of `{path}` has {count}, not `{lines}`");
                Err(SelectError::new(codes::E0307, message, NO_LINES))
            }
        }
    }

    /// The error for a cell that does not exist.
    fn no_cell(&self, name: &str) -> SelectError {
        let code = || self.cells().iter().filter(|cell| cell.kind == CellKind::Code);
        let shown = || code().filter(|cell| !cell.names.is_empty()).map(|cell| cell.name.as_str());
        let names = || code().flat_map(|cell| &cell.names).map(String::as_str);
        let near = similar(name, names()).map(|near| near.written(|name| format!("cell:{name}")));
        let help = match &near {
            Some(near) => format!("did you mean `{}`?", near.name),
            None if code().any(|cell| cell.names.is_empty() && cell.name == name) => {
                "this is the number of a cell without a name, which changes with the cells above it: give the cell a tag".into()
            }
            None if names().next().is_none() => "no cell has an id or a tag that is letters, digits, `_` and `-`: give it a tag".into(),
            None => format!("its code cells are {}", listed(shown())),
        };
        SelectError::new(codes::E0321, format!("`{}` has no cell `{name}`", self.source().path()), help).near(near)
    }

    pub(super) fn lines_without_cell(&self, selector: &Selector) -> SelectError {
        let name = self.cells().iter().find(|cell| cell.kind == CellKind::Code).map_or("NAME", |cell| &cell.name);
        let message = format!("`{selector}` alone names no lines of a notebook");
        let form = format!("write `cell:NAME:{selector}`, as in `cell:{name}:{selector}`");
        SelectError::new(codes::E0321, message, format!("lines are counted in their cell: {form}"))
    }
}
