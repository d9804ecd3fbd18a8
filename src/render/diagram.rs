//! Diagrams: Mermaid and Pikchr sources to SVG that a strict Content-Security-Policy lets through.
//!
//! 1. Refuse a source larger than the limit.
//! 2. Mermaid: the reader of the family reads it line by line (a line that is not understood is an error with its
//!    place), graphs are laid out with widths of text from a fixed table, and all families draw on one canvas.
//! 3. Pikchr: its library draws, and the result is written again from a list of known elements and attributes.
//!
//! An SVG holds no style, script, link, outside reference or event attribute; its ids begin with the one given. It
//! draws with classes, for the style sheet to give both themes; colors that an author writes stay as they are, with
//! black or white text upon them. The face of the text is the page's, its size (14 px) must not be changed.
//!
//! | class | on | meaning |
//! | --- | --- | --- |
//! | `drawing` | `svg` | color and face of all text |
//! | `d-node`, `d-node-line` | outline of a node | its fill, its stroke |
//! | `d-group`, `d-group-line` | subgraph, composite state, frame | its fill, its stroke |
//! | `d-note`, `d-note-line` | note | its fill, its stroke |
//! | `d-edge` | line, arrow | stroke |
//! | `d-solid` | filled arrow heads, dots | fill; the stroke of `d-edge` |
//! | `d-page`, `d-page-line` | hollow heads, numbers; between slices | fill, stroke: the page's |
//! | `d-label` | behind labels of edges | fill: what is behind them |
//! | `d-faint` | lifelines, frames, dividers | stroke |
//! | `d-soft` | text | second voice: labels of edges, types |
//! | `d-mono` | text | the face of code |
//! | `d-1` … `d-8` | slices | fills to tell parts apart |
//!
//! **Limits:** 64 KiB of source; 1,000 nodes, edges and groups together; groups 16 deep; a bounded number of steps to
//! lay them out; 40 parts of a pie; 1 MiB of what Pikchr draws.

mod canvas;
mod edge;
mod flowchart;
mod graph;
mod layout;
mod paint;
mod pie;
mod pikchr;
mod reader;
mod records;
mod sequence;
mod shape;
mod source;
mod state;
mod text;
mod timeline;

/// How many bytes a source may have.
const MAX_SOURCE: usize = 64 << 10;

/// The language of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notation {
    /// As code hosts draw it: <https://mermaid.js.org>.
    Mermaid,
    /// Exact, by hand: <https://pikchr.org>.
    Pikchr,
}

/// Why a diagram cannot be drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiagramError {
    /// The line of the source, from 0, if one is to blame.
    pub line: Option<usize>,
    /// The byte in that line, from 0.
    pub column: Option<usize>,
    /// What is wrong, in one line.
    pub message: String,
}

impl DiagramError {
    fn new(message: &str) -> Self {
        Self { line: None, column: None, message: message.to_owned() }
    }

    fn at(line: usize, column: usize, message: &str) -> Self {
        Self { line: Some(line), column: Some(column), message: message.to_owned() }
    }
}

/// Draws `source` as one `<svg>` element. Ids in it begin with `id`; `title` names it for those who do not see it.
///
/// # Errors
/// The first thing in the source that is not understood, or a limit that it exceeds.
pub fn svg(notation: Notation, source: &str, id: &str, title: &str) -> Result<String, DiagramError> {
    if source.len() > MAX_SOURCE {
        let message = format!("a diagram may have at most {MAX_SOURCE} bytes; this has {}", source.len());
        return Err(DiagramError::new(&message));
    }
    if let Some((line, column)) = source.lines().enumerate().find_map(|(line, text)| Some((line, text.find('\0')?))) {
        return Err(DiagramError::at(line, column, "a character that no page can hold"));
    }
    match notation {
        Notation::Mermaid => mermaid(source, id, title),
        Notation::Pikchr => pikchr::svg(source, id, title),
    }
}

/// The types of Mermaid diagrams that are drawn.
const TYPES: &str = "flowchart, graph, sequenceDiagram, classDiagram, stateDiagram, stateDiagram-v2, erDiagram, pie";

fn mermaid(source: &str, id: &str, title: &str) -> Result<String, DiagramError> {
    let mut script = source::read(source)?;
    let start = script.header.clone();
    let canvas = match script.header.take_while(|c| c.is_alphanumeric() || c == '-') {
        "flowchart" | "graph" | "flowchart-elk" => reader::draw(flowchart::Flowchart::default(), &mut script)?,
        "stateDiagram" | "stateDiagram-v2" => reader::draw(state::States::default(), &mut script)?,
        "classDiagram" | "classDiagram-v2" => reader::draw(records::Records::new(false), &mut script)?,
        "erDiagram" => reader::draw(records::Records::new(true), &mut script)?,
        "sequenceDiagram" => reader::draw(sequence::Sequence::default(), &mut script)?,
        "pie" => reader::draw(pie::Pie::default(), &mut script)?,
        "" => return Err(start.expected(&format!("a type of diagram ({TYPES})"))),
        name => return Err(start.error(&format!("`{name}` is not supported; these are: {TYPES}"))),
    };
    let words = (script.title.as_deref().unwrap_or(title), script.description.as_deref());
    let view = canvas.view();
    Ok(canvas.finish(id, words, view, [view[2], view[3]]))
}

#[cfg(test)]
mod tests;
