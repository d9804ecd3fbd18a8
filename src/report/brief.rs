//! Formats the diagnostics of a command: errors first, a limited number of them, and a summary by code.

use std::collections::BTreeMap;

use super::{Counts, Sources, human, put};
use crate::diag::codes::Code;
use crate::diag::{Diagnostic, Severity};

/// The number of diagnostics that are shown with their lines. It is fixed, so that a report is the same everywhere.
const SHOWN: usize = 50;

/// Formats diagnostics like [`human`](super::human), first errors, then warnings, then hints, each in their order.
/// After [`SHOWN`] of them, the others are counted by code.
#[must_use]
pub fn brief(diagnostics: &[Diagnostic], sources: &dyn Sources, styled: bool) -> String {
    let mut sorted: Vec<&Diagnostic> = diagnostics.iter().collect();
    sorted.sort_by_key(|diagnostic| diagnostic.severity);
    let (shown, others) = sorted.split_at(sorted.len().min(SHOWN));
    let mut out = human::format_all(shown.iter().copied(), sources, styled);
    if !others.is_empty() {
        let by_code = by_code(others).into_iter().map(|(code, number)| match number {
            1 => code.id.to_owned(),
            _ => format!("{} ×{number}", code.id),
        });
        let by_code: Vec<String> = by_code.collect();
        put(&mut out, format_args!("… and {} more: {}\n\n", others.len(), by_code.join(", ")));
    }
    human::count(&mut out, Counts::of(diagnostics), styled);
    out
}

/// Counts errors and warnings by code, each code on a line with its title, and names the command that explains them.
/// Empty if there are none.
#[must_use]
pub fn summary(diagnostics: &[Diagnostic]) -> String {
    let counted: Vec<&Diagnostic> =
        diagnostics.iter().filter(|diagnostic| diagnostic.severity != Severity::Hint).collect();
    let codes = by_code(&counted);
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

/// Returns how often each code is reported: first codes of errors, then of warnings, then of hints, each sorted.
fn by_code(diagnostics: &[&Diagnostic]) -> Vec<(Code, usize)> {
    let mut codes: BTreeMap<(Severity, &str), (Code, usize)> = BTreeMap::new();
    for diagnostic in diagnostics {
        codes.entry((diagnostic.severity, diagnostic.code.id)).or_insert((diagnostic.code, 0)).1 += 1;
    }
    codes.into_values().collect()
}
