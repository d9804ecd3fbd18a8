//! Helpers that the tests of several crates share.

use crate::diag::{Diagnostic, Place};
use crate::source::Source;

/// Returns what was reported about a source, a line for each diagnostic: code, line:column of both ends and message;
/// in brackets, the label and other places; in parentheses, the help.
pub fn said(source: &Source, diagnostics: &[Diagnostic]) -> Vec<String> {
    let at = |place: &Place| {
        let (start, end) = place.span.unwrap_or_default();
        let (start, end) = (source.position(start), source.position(end));
        if start.line == end.line {
            format!("{}:{}-{}", start.line, start.column, end.column)
        } else {
            format!("{}:{}-{}:{}", start.line, start.column, end.line, end.column)
        }
    };
    let line = |one: &Diagnostic| {
        let label = Some(format!(" [{}]", one.label)).filter(|_| !one.label.is_empty());
        let others = one.related.iter().map(|(place, label)| format!(" [{} {label}]", at(place)));
        let help = one.help.iter().map(|help| format!(" ({help})"));
        let more: String = label.into_iter().chain(others).chain(help).collect();
        format!("{} {} {}{more}", one.code.id, at(&one.place), one.message)
    };
    diagnostics.iter().map(line).collect()
}
