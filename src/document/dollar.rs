//! Dollar signs: `$` opens a formula only where no letter or digit stands before it and no digit follows its close.

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
