//! The `json` format: one object per line, for editors and scripts.

use serde::Serialize;

use super::{Cursor, Sources, escape, positions};
use infralens_source::diag::{Diagnostic, Edit, Fix};
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
    fixes: Vec<FixObject<'a>>,
}

/// A change that would fix the diagnostic.
#[derive(Serialize)]
struct FixObject<'a> {
    title: &'a str,
    /// Whether `check --fix` makes it.
    sure: bool,
    edits: Vec<EditObject<'a>>,
    /// The new path of the file, if its name is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    rename: Option<&'a str>,
}

/// The replacement of a part of a file.
#[derive(Serialize)]
struct EditObject<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    text: &'a str,
}

impl<'a> FixObject<'a> {
    fn new(fix: &'a Fix, sources: &dyn Sources) -> Self {
        let edit = |edit: &'a Edit| {
            let (start, end) = positions(&edit.place, sources, &mut Cursor::default()).unwrap_or((TOP, TOP));
            EditObject {
                file: &edit.place.file,
                line: start.line,
                column: start.column,
                end_line: end.line,
                end_column: end.column,
                text: &edit.text,
            }
        };
        let rename = fix.rename.as_ref().map(|(_, to)| &**to);
        Self { title: &fix.title, sure: fix.sure, edits: fix.edits.iter().map(edit).collect(), rename }
    }
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
            fixes: diagnostic.fixes.iter().map(|fix| FixObject::new(fix, sources)).collect(),
        };
        if let Ok(json) = serde_json::to_string(&object) {
            escape(&json, &mut out);
            out.push('\n');
        }
    }
    out
}
