//! Finds text that probably goes on after a `#`: YAML reads what follows ` #` as a comment, so `title: Learn C # first` is
//! `Learn C`.

use super::to_scalar;
use crate::diag::{Diagnostic, Edit, Fix, codes};
use crate::source::{Source, Span};

/// Reports a comment after the text without quotes at `span`, unless it is written as comments usually are: after two
/// spaces, or after a name, a path or a number.
pub(super) fn after(source: &Source, span: &Span, text: &str) -> Option<Diagnostic> {
    let line = line_end(source, span.end);
    let comment = source.text().get(span.end..line)?.trim_end().strip_prefix(' ')?;
    let number = comment.strip_prefix('#')?.starts_with(|first: char| first.is_ascii_digit());
    if !number && !is_prose(text) {
        return None;
    }
    let whole = span.start..span.end + 1 + comment.len();
    let first_line = source.first_line(&whole);
    let title = "put it in quotes";
    let quoted = to_scalar(source.text().get(first_line.clone())?);
    let fix = (first_line == whole).then(|| Fix::new(title, vec![Edit::new(source, whole, quoted)]));
    let message = format!("this text ends before `{comment}`, which YAML reads as a comment");
    let help = "put the text in quotes if it goes on; write two spaces before the `#` of a comment";
    let place = span.end + 1..span.end + 1 + comment.len();
    Some(source.diagnostic(codes::W0101, place, message).help(help).fix(fix))
}

/// Whether a comment is all that follows the key at `span`: then its value is nothing.
pub(super) fn is_value(source: &Source, key: &Span) -> bool {
    let rest = source.text().get(key.end..line_end(source, key.end)).unwrap_or_default();
    rest.trim_start_matches([':', ' ', '"', '\'']).starts_with('#')
}

fn line_end(source: &Source, at: usize) -> usize {
    source.text()[at..].find('\n').map_or(source.text().len(), |length| at + length)
}

/// Whether a text is words, and not a name such as `lab-01-x`, a path, a date or a hash.
fn is_prose(text: &str) -> bool {
    let is_word = |c: char| c.is_alphabetic();
    text.contains(char::is_whitespace)
        || !text.is_ascii()
        || text.starts_with(char::is_uppercase) && text.chars().all(is_word)
}
