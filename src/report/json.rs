//! The `json` format: one object per line, for editors and scripts.

use serde_json::{Value, json};

use super::{Cursor, escape, positions};
use infralens_source::diag::{Diagnostic, Edit, Fix, Place};
use infralens_source::project::Project;

/// Returns one JSON object per line for each diagnostic, in their order.
///
/// Lines and columns count from 1, columns in characters without a byte order mark; the end is exclusive. A
/// diagnostic about a whole file, or about one that is not text, is at 1:1.
pub fn json(diagnostics: &[Diagnostic], project: &Project) -> String {
    let mut out = String::new();
    let mut cursor = Cursor::default();
    for diagnostic in diagnostics {
        let [line, column, end_line, end_column] = ends(&diagnostic.place, project, &mut cursor);
        // Its keys are a public format.
        let object = json!({
            "severity": diagnostic.severity.word(),
            "code": diagnostic.code.id,
            "message": diagnostic.message,
            "file": diagnostic.place.file,
            "line": line,
            "column": column,
            "end_line": end_line,
            "end_column": end_column,
            "help": (!diagnostic.help.is_empty()).then(|| diagnostic.help.join("\n")),
            "fixes": diagnostic.fixes.iter().map(|found| fix(found, project)).collect::<Vec<_>>(),
        });
        escape(&format!("{object}\n"), &mut out);
    }
    out
}

/// Returns a change that would fix a diagnostic, with the new path of the file if its name is wrong.
fn fix(fix: &Fix, project: &Project) -> Value {
    let edit = |edit: &Edit| {
        let [line, column, end_line, end_column] = ends(&edit.place, project, &mut Cursor::default());
        let (file, text) = (&edit.place.file, &edit.text);
        json!({ "file": file, "line": line, "column": column, "end_line": end_line, "end_column": end_column, "text": text })
    };
    let edits: Vec<Value> = fix.edits.iter().map(edit).collect();
    let mut object = json!({ "title": fix.title, "sure": fix.sure, "edits": edits });
    if let Some((_, to)) = &fix.rename {
        object["rename"] = json!(to);
    }
    object
}

/// Returns the line and the column of the start and of the end of a place.
fn ends(place: &Place, project: &Project, cursor: &mut Cursor) -> [usize; 4] {
    positions(place, project, cursor).map_or([1; 4], |(start, end)| [start.line, start.column, end.line, end.column])
}
