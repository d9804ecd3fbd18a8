//! Checks dollar signs. `$` opens a formula only if no letter or digit comes before it and no digit follows the closing
//! `$`; letters of scripts without spaces between words may. A formula never contains a backtick, because code spans take
//! precedence over formulas.

use pulldown_cmark::Event;
use unicode_normalization::char::is_combining_mark;

use super::Body;
use infralens_source::diag::{Diagnostic, codes};
use infralens_source::source::script::{is_digit, is_unspaced};
use infralens_source::source::{Source, Span};

/// What to write if the braces of a formula do not pair.
pub const PAIRS: &str = "write a `}` for each `{`; for a brace of its own, write `\\{`";

/// Reports the formula at `span` (which includes the dollar signs) if it is more likely money than math, or two formulas.
pub fn check(source: &Source, span: &Span) -> Option<Diagnostic> {
    let text = source.text();
    // The parser ends a formula only where its braces pair. A text in it may have a price.
    let inner = text[span.clone()].trim_matches('$');
    if inner.replace("\\$", "").contains('$') && !inner.contains("\\text") && !inner.contains("\\mbox") {
        let message = "this is read as one formula, because its braces do not pair before";
        return Some(source.diagnostic(codes::E0203, span.clone(), message).help(PAIRS));
    }
    // An accent belongs to its letter.
    let before = text[..span.start].chars().rev().find(|&c| !is_combining_mark(c));
    let after = text[span.end..].chars().next();
    let label = match (before, after) {
        (Some(c), _) if c.is_alphanumeric() && (is_digit(c) || !is_unspaced(c)) => {
            format!("`{c}` is directly before the opening `$`")
        }
        (_, Some(c)) if is_digit(c) => format!("`{c}` is directly after the closing `$`"),
        _ => return None,
    };
    let diagnostic = source.diagnostic(codes::E0202, span.clone(), "this is read as a formula");
    Some(diagnostic.label(label).help("for dollar signs, write `\\$`; for a formula, put a space there"))
}

/// Reports the spans that were surely meant as formulas, because they contain a TeX command, but are not formulas because
/// of a backtick that belongs to no code span. `formulas` are the spans that the parser read as formulas with a backtick.
pub fn formulas_with_backticks(source: &Source, body: &Body, formulas: &[Span]) -> Vec<Diagnostic> {
    if formulas.is_empty() {
        return Vec::new();
    }
    let codes = body.spans_of(|event| matches!(event, Event::Code(_)));
    let has_code = |formula: &Span| {
        let next = codes.partition_point(|code| code.end <= formula.start);
        codes.get(next).is_some_and(|code| code.start < formula.end)
    };
    let has_command = |formula: &Span| {
        let mut parts = source.text()[formula.clone()].split('\\').skip(1);
        parts.any(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
    };
    let lost = formulas.iter().filter(|formula| !has_code(formula) && has_command(formula));
    lost.map(|formula| formula_with_backtick(source, formula)).collect()
}

pub fn formula_with_backtick(source: &Source, formula: &Span) -> Diagnostic {
    source
        .diagnostic(codes::E0203, formula.clone(), "this is not a formula, because it contains a backtick")
        .help("write `‘` for the backtick; for dollar signs, write `\\$`")
}
