//! The `json` format: one object a line, for editors and scripts.

use serde::Serialize;

use super::{Cursor, Sources, onward, put};
use crate::diag::{Diagnostic, Place};
use crate::source::Position;

/// What one line holds; its keys are the contract.
#[derive(Serialize)]
struct Object<'a> {
    severity: &'static str,
    code: &'static str,
    message: &'a str,
    file: &'a str,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    help: Option<String>,
}

/// One JSON object a line for every diagnostic, in their order.
///
/// Lines and columns count from 1, columns in characters without a byte order mark; the end is the first place after
/// what is meant. A diagnostic about a file as a whole, or about one that is not text, is at 1:1.
#[must_use]
pub fn json(diagnostics: &[Diagnostic], sources: &dyn Sources) -> String {
    let mut out = String::new();
    let mut cursor = Cursor::default();
    for diagnostic in diagnostics {
        let (start, end) = positions(&diagnostic.place, sources, &mut cursor);
        let object = Object {
            severity: diagnostic.severity.word(),
            code: diagnostic.code.id,
            message: &diagnostic.message,
            file: &diagnostic.place.file,
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            help: (!diagnostic.help.is_empty()).then(|| diagnostic.help.join("\n")),
        };
        if let Ok(json) = serde_json::to_string(&object) {
            escape(&json, &mut out);
            out.push('\n');
        }
    }
    out
}

fn positions(place: &Place, sources: &dyn Sources, cursor: &mut Cursor) -> (Position, Position) {
    const TOP: Position = Position { line: 1, column: 1 };
    let (Some((start, end)), Some(source)) = (place.span, sources.source(&place.file)) else {
        return (TOP, TOP);
    };
    let from = cursor.position(source, start);
    let to = onward(source, start, from, end).unwrap_or_else(|| source.position(end.max(start)));
    (from, to)
}

/// JSON itself escapes the control characters of ASCII only; a terminal acts on these, too.
fn escape(json: &str, out: &mut String) {
    for character in json.chars() {
        if matches!(character, '\u{7f}'..='\u{9f}') {
            put(out, format_args!("\\u{:04x}", u32::from(character)));
        } else {
            out.push(character);
        }
    }
}
