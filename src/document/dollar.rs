//! Dollar signs: `$` opens a formula only if no letter or digit is before it and no digit follows its close. A formula
//! never holds a backtick, because code spans win over formulas.

use pulldown_cmark::Event;

use super::Body;
use crate::diag::{Diagnostic, Place, codes};
use crate::source::{Source, Span};

/// What is wrong with the formula at `span` (its dollar signs included), if it is more likely money than math.
pub fn check(source: &Source, span: &Span) -> Option<Diagnostic> {
    let text = source.text();
    let before = text[..span.start].chars().next_back();
    let after = text[span.end..].chars().next();
    let glued = match (before, after) {
        (Some(c), _) if c.is_alphanumeric() => format!("`{c}` stands directly before its `$`"),
        (_, Some(c)) if c.is_ascii_digit() => format!("`{c}` follows its closing `$`"),
        _ => return None,
    };
    let diagnostic =
        Diagnostic::new(codes::E0202, Place::new(source.path(), span.clone()), "this is read as a formula");
    Some(diagnostic.label(glued).help("for dollar signs, write `\\$`; for a formula, put a space there"))
}

/// Reports what was surely meant as a formula, because it has a command of TeX, and is none because of a backtick that
/// belongs to no code span. `formulas` is what would have been formulas with a backtick in them.
pub fn formulas_with_backticks(source: &Source, body: &Body, formulas: &[Span]) -> Vec<Diagnostic> {
    if formulas.is_empty() {
        return Vec::new();
    }
    let codes: Vec<&Span> =
        body.events.iter().filter(|(event, _)| matches!(event, Event::Code(_))).map(|(_, span)| span).collect();
    let has_code = |formula: &Span| {
        let next = codes.partition_point(|code| code.end <= formula.start);
        codes.get(next).is_some_and(|code| code.start < formula.end)
    };
    let has_command = |formula: &Span| {
        let mut parts = source.text()[formula.clone()].split('\\').skip(1);
        parts.any(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
    };
    let lost = formulas.iter().filter(|formula| !has_code(formula) && has_command(formula));
    lost.map(|formula| holds_backtick(source, formula)).collect()
}

/// What is said of a formula that holds a backtick.
pub fn holds_backtick(source: &Source, formula: &Span) -> Diagnostic {
    let place = Place::new(source.path(), formula.clone());
    Diagnostic::new(codes::E0203, place, "this is no formula, because it holds a backtick")
        .help("write `‘` for the backtick; for dollar signs, write `\\$`")
}
