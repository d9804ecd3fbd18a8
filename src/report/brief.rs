//! What a command prints of its diagnostics: errors first, not too many, and in the end a summary by code.

use std::collections::BTreeMap;

use super::{Counts, Sources, human, put};
use crate::diag::codes::Code;
use crate::diag::{Diagnostic, Severity};

/// How many diagnostics are drawn with their lines. Fixed, so that a report is the same wherever it goes.
const DRAWN: usize = 50;

/// The diagnostics as [`human`](super::human) draws them, errors first, then warnings, then hints, each in their order.
/// After [`DRAWN`] of them, the others are counted by code.
#[must_use]
pub fn brief(diagnostics: &[Diagnostic], sources: &dyn Sources, styled: bool) -> String {
    let mut ordered: Vec<&Diagnostic> = diagnostics.iter().collect();
    ordered.sort_by_key(|diagnostic| diagnostic.severity);
    let (drawn, others) = ordered.split_at(ordered.len().min(DRAWN));
    let mut out = human::drawn(drawn.iter().copied(), sources, styled);
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

/// How many errors and warnings there are of each code, a line each with what the code is about; then who explains them.
/// Empty where there are neither.
#[must_use]
pub fn summary(diagnostics: &[Diagnostic]) -> String {
    let counted: Vec<&Diagnostic> = diagnostics.iter().filter(|said| said.severity != Severity::Hint).collect();
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

/// How often each code is reported: first those of errors, then of warnings, then of hints, each by their names.
fn by_code(diagnostics: &[&Diagnostic]) -> Vec<(Code, usize)> {
    let mut codes: BTreeMap<(Severity, &str), (Code, usize)> = BTreeMap::new();
    for diagnostic in diagnostics {
        codes.entry((diagnostic.severity, diagnostic.code.id)).or_insert((diagnostic.code, 0)).1 += 1;
    }
    codes.into_values().collect()
}
