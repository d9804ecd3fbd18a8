//! Draws Mermaid and Pikchr sources as SVG that a strict Content-Security-Policy allows.
//!
//! 1. Refuse a source larger than the limit.
//! 2. Mermaid: a parser per type of diagram reads the source line by line (a line that it cannot parse is an error with
//!    its place). Graphs are laid out with text widths from a fixed table, and all types are drawn on one canvas.
//! 3. Pikchr: its C library draws, and known elements and attributes of the result are written again.
//!
//! An SVG contains no style, script, link, external reference or event attribute; its ids begin with the given id. It uses
//! classes, so that the style sheet can color it for both themes. An author's own colors stay, with black or white text
//! on them. The font of the text is the page's; its size (14 px) must not be changed.
//!
//! | class | on | meaning |
//! | --- | --- | --- |
//! | `drawing` | `svg` | color and font of all text |
//! | `d-node`, `d-node-line` | outline of a node | its fill, its stroke |
//! | `d-group`, `d-group-line` | subgraph, composite state, frame | its fill, its stroke |
//! | `d-note`, `d-note-line` | note | its fill, its stroke |
//! | `d-edge` | line, arrow | stroke |
//! | `d-solid` | filled arrow heads, dots | fill; the stroke of `d-edge` |
//! | `d-page`, `d-page-line` | hollow heads, numbers | fill, stroke: the page's |
//! | `d-label` | background of edge labels | fill |
//! | `d-faint` | lifelines, frames, dividers | stroke |
//! | `d-tint-gray`, `-green`, `-blue`, `-ochre` | shapes of Pikchr | the fills that an author can name |
//! | `d-soft` | text | secondary text: edge labels, types |
//! | `d-mono` | text | the font of code |
//!
//! **Limits:** 64 KiB of source; 1,000 nodes, edges and groups together; groups 16 deep; a bounded number of steps to
//! lay them out; 256 bytes in a text of Pikchr, and 1 MiB of output from it.

mod canvas;
mod class;
mod edge;
mod flowchart;
mod graph;
mod layout;
mod paint;
mod parser;
mod pikchr;
mod sequence;
mod sequence_drawing;
mod shape;
mod source;
mod state;
mod text;

pub use canvas::Drawing;
pub use pikchr::WORDS as PIKCHR_WORDS;

use parser::GraphParser;

/// The maximum size of a source in bytes.
const MAX_SOURCE: usize = 64 << 10;

/// The language of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notation {
    /// Diagrams with automatic layout: <https://mermaid.js.org>.
    Mermaid,
    /// Diagrams with explicit positions: <https://pikchr.org>.
    Pikchr,
}

/// Why a diagram cannot be drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiagramError {
    /// The line of the source, from 0; `None` if the error is not in one line.
    pub line: Option<usize>,
    /// The byte in that line, from 0.
    pub column: Option<usize>,
    /// The message, in one line.
    pub message: String,
}

impl DiagramError {
    fn new(message: impl Into<String>) -> Self {
        Self { line: None, column: None, message: message.into() }
    }

    fn at(line: usize, column: usize, message: impl Into<String>) -> Self {
        Self { line: Some(line), column: Some(column), message: message.into() }
    }
}

/// Draws `source`.
///
/// # Errors
/// Returns the first syntax error in the source, or the limit that it exceeds.
pub fn draw(notation: Notation, source: &str) -> Result<Drawing, DiagramError> {
    if source.len() > MAX_SOURCE {
        let message = format!("a diagram may have at most {MAX_SOURCE} bytes; this has {}", source.len());
        return Err(DiagramError::new(message));
    }
    if let Some((line, column)) = source.lines().enumerate().find_map(|(line, text)| Some((line, text.find('\0')?))) {
        return Err(DiagramError::at(line, column, "a NUL character"));
    }
    match notation {
        Notation::Mermaid => mermaid(source),
        Notation::Pikchr => pikchr::draw(source),
    }
}

/// The supported types of Mermaid diagrams.
const TYPES: &str = "flowchart, graph, sequenceDiagram, classDiagram, stateDiagram, stateDiagram-v2";

fn mermaid(source: &str) -> Result<Drawing, DiagramError> {
    let mut script = source::read(source)?;
    let (start, mut graph) = (script.header.clone(), GraphParser::default());
    let canvas = match script.header.take_while(|c| c.is_alphanumeric() || c == '-') {
        "flowchart" | "graph" | "flowchart-elk" => {
            graph.flowchart_header(&mut script.header)?;
            graph.draw(&mut script, GraphParser::flowchart_line, ["subgraph", "end"])?
        }
        "stateDiagram" | "stateDiagram-v2" => graph.draw(&mut script, GraphParser::state_line, ["{", "}"])?,
        "classDiagram" | "classDiagram-v2" => graph.draw(&mut script, GraphParser::class_line, ["{", "}"])?,
        "sequenceDiagram" => sequence::draw(&mut script)?,
        "" => return Err(start.expected(&format!("a type of diagram ({TYPES})"))),
        name => return Err(start.error(format!("`{name}` is not supported; use one of {TYPES}"))),
    };
    let view = canvas.view();
    Ok(canvas.finish(script.title, script.description, view, [view[2], view[3]]))
}

#[cfg(test)]
mod tests;
