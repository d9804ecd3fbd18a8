//! Finds conflict markers that a merge left in a text file.

use super::{Diagnostic, Place, codes};
use crate::source::{Source, Span};

const OURS: &str = "<<<<<<<";
const BETWEEN: &str = "=======";
const THEIRS: &str = ">>>>>>>";

/// A marker: the index of its line, and its span.
type Marker = (usize, Span);

/// Reports each conflict in a page, including a single marker, because one is easily left behind. Lines for which `is_code`
/// is true are examples of conflicts, and are skipped.
pub fn in_page(source: &Source, is_code: impl Fn(usize) -> bool) -> Vec<Diagnostic> {
    find(source, is_code, true)
}

/// Reports each complete conflict in a file of code.
#[must_use]
pub fn in_code(source: &Source) -> Vec<Diagnostic> {
    find(source, |_| false, false)
}

fn find(source: &Source, is_code: impl Fn(usize) -> bool, with_single: bool) -> Vec<Diagnostic> {
    // Nearly every file has none.
    if !source.text().contains(OURS) && !source.text().contains(THEIRS) {
        return Vec::new();
    }
    let (mut open, mut middle, mut found): (Option<Marker>, Option<Marker>, Vec<Diagnostic>) = (None, None, Vec::new());
    let left = |marker: Marker| report(source, marker.1, &[]);
    for (index, span) in (0..source.line_count()).map(|index| (index, source.line_span(index))) {
        let line = &source.text()[span.clone()];
        if is_code(span.start) {
            continue;
        }
        if is_marker(line, OURS) {
            found.extend(open.replace((index, span)).filter(|_| with_single).map(left));
            middle = None;
        } else if line == BETWEEN && open.is_some() {
            middle = Some((index, span));
        } else if is_marker(line, THEIRS) {
            match (open.take(), middle.take()) {
                (Some((_, first)), Some((_, between))) => found.push(report(source, first, &[between, span])),
                (first, _) => {
                    found.extend(first.filter(|_| with_single).map(left));
                    found.extend((with_single && !is_quote(source, index)).then(|| report(source, span, &[])));
                }
            }
        }
    }
    found.extend(open.filter(|_| with_single).map(left));
    found
}

/// Whether a line consists of a marker and the name of a branch.
fn is_marker(line: &str, marker: &str) -> bool {
    line.strip_prefix(marker).is_some_and(|rest| rest.starts_with(' ') && !rest.trim().is_empty())
}

/// Whether the line before or after this one belongs to a quote.
fn is_quote(source: &Source, index: usize) -> bool {
    let is_quoted = |index: usize| source.text()[source.line_span(index)].starts_with('>');
    index.checked_sub(1).is_some_and(is_quoted) || is_quoted(index + 1)
}

fn report(source: &Source, span: Span, others: &[Span]) -> Diagnostic {
    let diagnostic =
        Diagnostic::new(codes::W0212, Place::new(source.path(), span), "this is left from a merge conflict").help(
            "keep one of the two versions, and remove the lines that begin with `<<<<<<<`, `=======` and `>>>>>>>`",
        );
    let labels = ["the other version begins here", "and ends here"];
    let places = others.iter().map(|span| Place::new(source.path(), span.clone()));
    places.zip(labels).fold(diagnostic, |diagnostic, (place, label)| diagnostic.related(place, label))
}
