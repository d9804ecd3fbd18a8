//! The `json` format: one object per line, for editors and scripts.

use serde::Serialize;

use super::{Cursor, Sources, escape, positions};
use infralens_source::diag::Diagnostic;
use infralens_source::source::Position;

/// The position of a diagnostic about a whole file.
const TOP: Position = Position { line: 1, column: 1 };

/// One line. Its keys are a public format.
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

/// Returns one JSON object per line for each diagnostic, in their order.
///
/// Lines and columns count from 1, columns in characters without a byte order mark; the end is exclusive. A
/// diagnostic about a whole file, or about one that is not text, is at 1:1.
pub fn json(diagnostics: &[Diagnostic], sources: &dyn Sources) -> String {
    let mut out = String::new();
    let mut cursor = Cursor::default();
    for diagnostic in diagnostics {
        let (start, end) = positions(&diagnostic.place, sources, &mut cursor).unwrap_or((TOP, TOP));
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
