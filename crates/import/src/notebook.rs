//! Turns a Jupyter notebook into the Markdown of a page, in which each code cell is an include of this cell.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::directive::CELL;
use super::edits::Text;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use infralens_source::project::{Binary, File, Project};
use infralens_source::source::Source;
use infralens_source::url;
use infralens_starter::notebook::{Cell, CellKind, is_notebook};
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

/// A picture that is attached to a cell of a notebook.
struct Attachment {
    /// The index of the cell.
    cell: usize,
    /// Its name in the text of the cell, after `attachment:`.
    name: String,
    /// The path of the file that it becomes, from the folder of the notebook.
    path: String,
    bytes: Vec<u8>,
}

/// Returns the pictures that are attached to the cells of a notebook.
fn attachments(source: &Source) -> Vec<Attachment> {
    const KEY: &str = "attachments";
    let text = &source.text()[source.start()..];
    let json = if text.contains(KEY) { serde_json::from_str(text).unwrap_or_default() } else { Value::Null };
    let stem = url::file_name(source.path()).trim_end_matches(".ipynb");
    let cells = json["cells"].as_array().into_iter().flatten().enumerate();
    let named = cells.flat_map(|(cell, json)| json[KEY].as_object().into_iter().flatten().map(move |one| (cell, one)));
    let found = named.filter_map(|(cell, (name, kinds))| {
        let data = kinds.as_object()?.values().find_map(Value::as_str)?;
        let bytes = STANDARD.decode(data.split_whitespace().collect::<String>()).ok()?;
        let path = format!("{KEY}/{stem}/{}-{name}", cell + 1);
        let is_name = url::file_name(name) == name && !name.contains(['\\', ':']);
        is_name.then(|| Attachment { cell, name: name.clone(), path, bytes })
    });
    found.collect()
}

/// Returns a project in which pictures that are attached to notebooks are files.
pub fn with_attachments(project: &Project) -> Project {
    let mut whole = project.clone();
    let notebooks = project.files.keys().filter(|path| is_notebook(path)).filter_map(|path| project.text(path));
    for source in notebooks {
        for Attachment { path, bytes, .. } in attachments(source) {
            let path = url::join(url::folder(source.path()), &path).unwrap_or(path);
            let file = match String::from_utf8(bytes) {
                Ok(text) => File::Text(Source::new(path.as_str(), text).into()),
                Err(error) => {
                    let bad_byte = error.utf8_error().valid_up_to();
                    File::Binary(Binary::new(error.into_bytes(), bad_byte).into())
                }
            };
            whole.put(&path.into(), Some(file));
        }
    }
    whole
}

/// Returns the Markdown of a notebook; `None` if it cannot be read, which planning the project reports.
pub fn markdown(source: &Arc<Source>) -> Option<Text> {
    let listing = Listing::new(&with_ids(source)).0;
    let mut lines: Vec<(String, usize)> = Vec::new();
    let mut places = Places { source, at: source.start(), line: 1 };
    let attachments = attachments(source);
    for (index, cell) in listing.cells().iter().enumerate() {
        let first = places.next(&listing, cell);
        let mut add = |text: &str, row| lines.push((text.to_owned(), first + row));
        let code = match cell.kind {
            CellKind::Markdown => {
                let of_cell = attachments.iter().filter(|attachment| attachment.cell == index);
                let text = of_cell.fold(cell.text.clone(), |text, Attachment { name, path, .. }| {
                    let names = [url::encode(name), name.clone()];
                    names
                        .iter()
                        .fold(text, |text, name| text.replace(&format!("attachment:{name}"), &url::encode(path)))
                });
                text.lines().enumerate().for_each(|(row, line)| add(line, row));
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
    /// Returns the line, from 1, of the first line of the next cell, as JSON writes it; that of the cell before if it is not
    /// found.
    fn next(&mut self, listing: &Listing, cell: &Cell) -> usize {
        let code = cell.lines.clone().next().map(|line| listing.line(line));
        let quoted = Value::from(code.or(cell.text.lines().next()).unwrap_or_default()).to_string();
        let rest = &self.source.text()[self.at..];
        if let Some(offset) = rest.find(quoted.trim_end_matches('"')).filter(|_| quoted.len() > 2) {
            self.at += offset + quoted.len() - 1;
            self.line = self.source.line(self.at) + 1;
        }
        self.line
    }
}
