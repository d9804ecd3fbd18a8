//! The `github` format: workflow commands with which a job on GitHub annotates files, one line per diagnostic.

use super::{Cursor, positions, put, readable, visible};
use infralens_source::diag::{Diagnostic, Severity};
use infralens_source::project::Project;

/// Returns one `::error`, `::warning` or `::notice` line per diagnostic, in their order.
///
/// Lines and columns count from 1, columns in characters. Columns are only given for a range within one line, because
/// GitHub refuses others. A diagnostic about a whole file has neither. `base` is the path from the repository to the
/// course: empty, or with a slash at its end.
pub fn github(diagnostics: &[Diagnostic], project: &Project, base: &str) -> String {
    let mut out = String::new();
    let mut cursor = Cursor::default();
    for diagnostic in diagnostics {
        let command = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Hint => "notice",
        };
        put(&mut out, format_args!("::{command} file={}{}", property(base), property(&diagnostic.place.file)));
        if let Some((start, end)) = positions(&diagnostic.place, project, &mut cursor) {
            put(&mut out, format_args!(",line={},endLine={}", start.line, end.line));
            if start.line == end.line {
                put(&mut out, format_args!(",col={},endColumn={}", start.column, end.column));
            }
        }
        let title = format!("{} {}", diagnostic.code.id, diagnostic.code.title);
        let message = data(&message(diagnostic, project));
        put(&mut out, format_args!(",title={}::{message}\n", property(&title)));
    }
    out
}

/// Returns the whole diagnostic as lines, including labels and other places, for which an annotation has no fields.
fn message(diagnostic: &Diagnostic, project: &Project) -> String {
    let mut lines = vec![diagnostic.message.clone()];
    lines.extend((!diagnostic.label.is_empty()).then(|| diagnostic.label.clone()));
    for (place, label) in &diagnostic.related {
        let at = place.span.zip(readable(project, &place.file));
        let at = at.map(|((start, _), source)| format!(":{}", source.line(start) + 1));
        lines.push(format!("{}{}: {label}", place.file, at.unwrap_or_default()));
    }
    lines.extend(diagnostic.notes.iter().map(|note| note.trim_end_matches('\n').to_owned()));
    lines.extend(diagnostic.help.iter().map(|help| format!("help: {help}")));
    lines.join("\n")
}

/// Escapes characters that would end a line.
fn data(text: &str) -> String {
    visible(&text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")).into_owned()
}

/// Also escapes characters that would end a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
