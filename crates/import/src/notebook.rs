//! Turns a Jupyter notebook into the Markdown of a page, in which each code cell is an include of this cell.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::directive::CELL;
use super::edits::Text;
use infralens_source::source::Source;
use infralens_starter::notebook::{Cell, CellKind};
use infralens_starter::{Listing, language};
use serde_json::Value;

/// Returns a notebook in which every code cell has a name that a selector can contain: a cell without one is given an id, as
/// Jupyter gives it.
pub fn with_ids(source: &Arc<Source>) -> Arc<Source> {
    let listing = Listing::new(source).0;
    let needs_id = |cell: &Cell| cell.kind == CellKind::Code && cell.selector().is_none();
    let json = serde_json::from_str::<Value>(&source.text()[source.start()..]).ok();
    let Some(mut json) = json.filter(|_| listing.cells().iter().any(needs_id)) else { return Arc::clone(source) };
    let ids: BTreeSet<String> = listing.cells().iter().map(|cell| cell.name.clone()).collect();
    let mut free = (1..).map(|number| format!("cell-{number}")).filter(|id| !ids.contains(id));
    let written = json["cells"].as_array_mut().into_iter().flatten();
    for (written, cell) in written.zip(listing.cells()).filter(|(_, cell)| needs_id(cell)) {
        let id = free.next().unwrap_or_default();
        written["id"] = Value::String(format!("{id}{}", if cell.lines.is_empty() { "-empty" } else { "" }));
    }
    json["nbformat_minor"] = json["nbformat_minor"].as_u64().unwrap_or(0).max(5).into();
    Arc::new(Source::new(Arc::clone(source.path()), format!("{json:#}\n")))
}

/// Returns the Markdown of a notebook; `None` if it cannot be read, which planning the project reports.
pub fn markdown(source: &Arc<Source>) -> Option<Text> {
    let listing = Listing::new(&with_ids(source)).0;
    let mut lines: Vec<(String, usize)> = Vec::new();
    let mut places = Places { source, at: source.start(), line: 1 };
    for cell in listing.cells() {
        let first = places.next(cell.kind, &listing, cell);
        let mut add = |text: &str, row| lines.push((text.to_owned(), first + row));
        let code = match cell.kind {
            CellKind::Markdown => {
                cell.text.lines().enumerate().for_each(|(row, line)| add(line, row));
                None
            }
            CellKind::Raw if cell.text.starts_with("---\n") && first < 20 => {
                cell.text.lines().enumerate().for_each(|(row, line)| add(line, row));
                None
            }
            CellKind::Raw => Some(("text".to_owned(), cell.text.trim_end().to_owned())),
            CellKind::Code => {
                let name = cell.selector().filter(|_| !cell.lines.is_empty());
                name.map(|_| {
                    (
                        language::word(listing.language_path(), ""),
                        format!("{{{{#{CELL} /{} {}}}}}", source.path(), cell.name),
                    )
                })
            }
        };
        if let Some((word, body)) = code.filter(|(_, body)| !body.is_empty()) {
            // More backticks than the text of a raw cell has.
            let ticks = "`".repeat(body.split(|c| c != '`').map(str::len).max().unwrap_or(0).max(2) + 1);
            format!("{ticks}{word}\n{body}\n{ticks}").lines().for_each(|line| add(line, 0));
        }
        add("", 0);
    }
    (!lines.is_empty()).then(|| Text::from_lines(lines.into_iter()))
}

/// Finds the lines of the file at which the texts of the cells begin.
struct Places<'s> {
    source: &'s Source,
    at: usize,
    line: usize,
}

impl Places<'_> {
    /// Returns the line, from 1, of the first line of the next cell: that below the next `"source"` which has its text; that
    /// of the cell before if none has.
    fn next(&mut self, kind: CellKind, listing: &Listing, cell: &Cell) -> usize {
        const KEY: &str = "\"source\":";
        const MOST: usize = 8;
        let first = if kind == CellKind::Code {
            cell.lines.clone().next().map_or("", |line| listing.line(line))
        } else {
            cell.text.lines().next().unwrap_or_default()
        };
        let quoted = Value::from(first).to_string();
        let begins = |at: usize| {
            let rest = self.source.text()[at..].trim_start_matches([' ', '\n', '\r', '[']);
            rest.starts_with(quoted.trim_end_matches('"')).then(|| self.source.text().len() - rest.len())
        };
        let keys = self.source.text()[self.at..].match_indices(KEY).take(MOST);
        if let Some(at) = keys.map(|(offset, _)| self.at + offset + KEY.len()).find_map(begins) {
            (self.at, self.line) = (at, self.source.line(at) + 1);
        }
        self.line
    }
}
