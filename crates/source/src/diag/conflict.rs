//! Finds conflict markers that a merge left in a text file.

use super::{Diagnostic, codes};
use crate::source::{Source, Span};

const OURS: &str = "<<<<<<<";
const BASE: &str = "|||||||";
const BETWEEN: &str = "=======";
const THEIRS: &str = ">>>>>>>";

/// A conflict that is not closed yet: its markers so far.
struct Conflict {
    ours: Span,
    /// With the style `diff3` of Git, the text before both changes is in the conflict, too.
    base: Option<Span>,
    between: Option<Span>,
}

/// Reports each conflict in a page, including a single marker, because one is easily left behind. Lines for which `is_code`
/// is true are examples of conflicts, and are skipped.
pub fn in_page(source: &Source, is_code: impl Fn(usize) -> bool) -> Vec<Diagnostic> {
    find(source, is_code, true)
}

/// Reports each complete conflict in a file of code.
pub fn in_code(source: &Source) -> Vec<Diagnostic> {
    find(source, |_| false, false)
}

fn find(source: &Source, is_code: impl Fn(usize) -> bool, with_single: bool) -> Vec<Diagnostic> {
    // Nearly every file has none.
    if ![OURS, BASE, THEIRS].iter().any(|marker| source.text().contains(marker)) {
        return Vec::new();
    }
    let (mut open, mut found): (Option<Conflict>, Vec<Diagnostic>) = (None, Vec::new());
    let single = |marker: Span| with_single.then(|| report(source, marker, &[]));
    for (index, span) in (0..source.line_count()).map(|index| (index, source.line_span(index))) {
        let line = &source.text()[span.clone()];
        if is_code(span.start) {
            continue;
        }
        if is_marker(line, OURS) {
            let begun = Conflict { ours: span, base: None, between: None };
            found.extend(open.replace(begun).and_then(|left| single(left.ours)));
        } else if line == BETWEEN {
            if let Some(open) = &mut open {
                open.between = Some(span);
            }
        } else if line == BASE || is_marker(line, BASE) {
            match &mut open {
                Some(open) if open.between.is_none() => open.base = Some(span),
                _ if line == BASE => {}
                _ => found.extend(single(span)),
            }
        } else if is_marker(line, THEIRS) {
            match open.take() {
                Some(Conflict { ours, base, between: Some(between) }) => {
                    let base = base.map(|base| (base, "the text before both changes begins here"));
                    let others = [(between, "the other version begins here"), (span, "and ends here")];
                    found.push(report(source, ours, &base.into_iter().chain(others).collect::<Vec<_>>()));
                }
                left => {
                    found.extend(left.and_then(|left| single(left.ours)));
                    found.extend(single(span).filter(|_| !is_quote(source, index)));
                }
            }
        }
    }
    found.extend(open.and_then(|left| single(left.ours)));
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

fn report(source: &Source, span: Span, others: &[(Span, &str)]) -> Diagnostic {
    let text = source.text();
    let has_base =
        text[span.clone()].starts_with(BASE) || others.iter().any(|(other, _)| text[other.clone()].starts_with(BASE));
    let help = if has_base {
        "keep one of the two versions, and remove the lines that begin with `<<<<<<<`, `|||||||`, `=======` and `>>>>>>>`, and what \
         is between `|||||||` and `=======`"
    } else {
        "keep one of the two versions, and remove the lines that begin with `<<<<<<<`, `=======` and `>>>>>>>`"
    };
    let diagnostic = source.diagnostic(codes::W0212, span, "this is left from a merge conflict").help(help);
    others.iter().fold(diagnostic, |diagnostic, (other, label)| diagnostic.related(source.place(other.clone()), *label))
}
