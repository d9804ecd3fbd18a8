//! Formats the diagnostics of a command: errors first, a limited number of them with their lines and help, as many in one
//! line each, the others as a number by code; and a summary by code.

use std::collections::{BTreeMap, BTreeSet};

use super::{Counts, Cursor, human, one_line, positions, put};
use infralens_source::diag::codes::Code;
use infralens_source::diag::{Diagnostic, Severity, quantity};
use infralens_source::project::Project;

/// The number of diagnostics that are shown with their lines and help. It is fixed, so that a report is the same everywhere.
const SHOWN: usize = 50;
/// The number of diagnostics after them that have a line each.
const LISTED: usize = 50;

/// Formats diagnostics like [`human`](super::human), first errors, then warnings, then hints, each in their order.
/// After [`SHOWN`] of them, each of the next [`LISTED`] is one line, and all others are one line per code, so that a report
/// of thousands can be read to its end.
pub fn brief(diagnostics: &[Diagnostic], project: &Project, styled: bool) -> String {
    let mut sorted: Vec<&Diagnostic> = diagnostics.iter().collect();
    sorted.sort_by_key(|diagnostic| diagnostic.severity);
    let (shown, others) = sorted.split_at(sorted.len().min(SHOWN));
    let (listed, rest) = others.split_at(others.len().min(LISTED));
    let mut out = human::format_all(shown.iter().copied(), project, styled);
    if !listed.is_empty() {
        put(&mut out, format_args!("… and {} more, each in one line:\n", listed.len()));
        let mut cursor = Cursor::default();
        for diagnostic in listed {
            line(&mut out, &mut cursor, project, diagnostic);
        }
        for ((_, code), found) in by_code(rest) {
            let files: BTreeSet<&str> = found.iter().map(|diagnostic| &*diagnostic.place.file).collect();
            let files = quantity(files.len(), "file");
            put(&mut out, format_args!("… and {} × `{}` in {files}\n", found.len(), code.id));
        }
        out.push('\n');
    }
    human::count(&mut out, Counts::of(diagnostics), styled);
    out
}

/// Counts errors and warnings by code, each code on a line with its title, and names the command that explains them.
/// Empty if there are none.
pub fn summary(diagnostics: &[Diagnostic]) -> String {
    let counted: Vec<&Diagnostic> =
        diagnostics.iter().filter(|diagnostic| diagnostic.severity != Severity::Hint).collect();
    let codes: Vec<(Code, usize)> =
        by_code(&counted).into_iter().map(|((_, code), found)| (code, found.len())).collect();
    let mut out = String::new();
    let [(first, _), others @ ..] = codes.as_slice() else { return out };
    if others.is_empty() {
        put(&mut out, format_args!("`infralens explain {}` says more\n", first.id));
        return out;
    }
    let numbers = codes.iter().map(|(_, number)| number.to_string().len()).max().unwrap_or_default();
    let ids = codes.iter().map(|(code, _)| code.id.len()).max().unwrap_or_default();
    for (code, number) in &codes {
        put(&mut out, format_args!("  {number:>numbers$}  {:ids$}  {}\n", code.id, code.title));
    }
    out.push_str("`infralens explain CODE` says more about each\n");
    out
}

/// Writes a diagnostic as `path:line:column: error[CODE]: message`.
fn line(out: &mut String, cursor: &mut Cursor, project: &Project, diagnostic: &Diagnostic) {
    let (word, code) = (diagnostic.severity.word(), diagnostic.code.id);
    out.push_str(&one_line(&diagnostic.place.file));
    if let Some((at, _)) = positions(&diagnostic.place, project, cursor) {
        put(out, format_args!(":{}:{}", at.line, at.column));
    }
    put(out, format_args!(": {word}[{code}]: {}\n", one_line(&diagnostic.message)));
}

/// Returns the diagnostics by code: first codes of errors, then of warnings, then of hints, each sorted.
fn by_code<'d>(diagnostics: &[&'d Diagnostic]) -> BTreeMap<(Severity, Code), Vec<&'d Diagnostic>> {
    let mut codes: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for &diagnostic in diagnostics {
        codes.entry((diagnostic.severity, diagnostic.code)).or_default().push(diagnostic);
    }
    codes
}
