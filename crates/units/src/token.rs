//! Splits a line of a sheet into tokens with spans.

use super::evaluate::Problem;
use super::unit::Unit;
use infralens_source::diag::codes;
use infralens_source::source::Span;

#[derive(Debug, Clone)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind {
    /// A number, its unit, and how many digits follow its decimal point.
    Number {
        number: f64,
        unit: Unit,
        decimals: usize,
    },
    Name(String),
    /// The name of a page, which the name of one of its values follows.
    Page(String),
    Text(String),
    Mark(&'static str),
}

const MARKS: [&str; 22] =
    ["..", "<=", ">=", "==", "!=", "<", ">", "=", "+", "-", "*", "/", "^", "(", ")", "[", "]", ",", ".", ":", "|", "~"];

/// Splits a text, which begins at `offset` in its file, up to the comment. Returns the tokens and where the comment's
/// `#` is, relative to the text.
///
/// # Errors
///
/// Returns the first character that begins no token.
pub(super) fn tokens(text: &str, offset: usize) -> Result<(Vec<Token>, Option<usize>), Problem> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first == '#' {
            return Ok((found, Some(at)));
        }
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (kind, length) = token(rest, first)
            .map_err(|message| Problem::new(codes::E0601, offset + at..offset + at + first.len_utf8(), message))?;
        found.push(Token { kind, span: offset + at..offset + at + length });
        at += length;
    }
    Ok((found, None))
}

fn token(text: &str, first: char) -> Result<(TokenKind, usize), String> {
    if first.is_ascii_digit() {
        return number(text);
    }
    if matches!(first, '"' | '\'') {
        let length = text[1..].find(first).ok_or_else(|| format!("this text has no closing `{first}`"))?;
        return Ok((TokenKind::Text(text[1..=length].to_owned()), length + 2));
    }
    if first.is_ascii_alphabetic() || first == '_' {
        if let Some(length) = page(text) {
            return Ok((TokenKind::Page(text[..length].to_owned()), length));
        }
        let length = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
        return Ok((TokenKind::Name(text[..length].to_owned()), length));
    }
    let mark = MARKS.iter().find(|mark| text.starts_with(**mark));
    mark.map(|mark| (TokenKind::Mark(mark), mark.len())).ok_or_else(|| format!("`{first}` has no meaning in a formula"))
}

/// Returns the length of the name of a page, with its track or without: words joined by hyphens and directly followed by
/// a point and a name, such as `lab-01-transformer-memory.kv`. A minus between two names needs spaces only there.
fn page(text: &str) -> Option<usize> {
    let chain =
        |text: &str| text.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_')).unwrap_or(text.len());
    let mut start = 0;
    let mut end = chain(text);
    if text[end..].starts_with('/') {
        start = end + 1;
        end = start + chain(&text[start..]);
    }
    let name = &text[start..end];
    let is_page = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.contains('-')
        && name.split('-').all(|word| !word.is_empty())
        && text[end..].strip_prefix('.')?.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    is_page.then_some(end)
}

/// Reads a number and the unit after it.
fn number(text: &str) -> Result<(TokenKind, usize), String> {
    let digits = |from: usize| {
        let rest = &text[from..];
        from + rest.find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(rest.len())
    };
    let begins = |from: usize, c: char| text[from..].starts_with(c);
    let is_digit = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    let mut end = digits(0);
    let mut decimals = 0;
    if begins(end, '.') && is_digit(end + 1) {
        let after = digits(end + 1);
        decimals = text[end + 1..after].bytes().filter(u8::is_ascii_digit).count();
        end = after;
    }
    if begins(end, 'e') {
        let sign = usize::from(begins(end + 1, '-') || begins(end + 1, '+'));
        if is_digit(end + 1 + sign) {
            end = digits(end + 1 + sign);
        }
    }
    let written = &text[..end];
    let number: f64 = written.replace('_', "").parse().map_err(|_| format!("`{written}` is not a number"))?;
    if !number.is_finite() {
        return Err(format!("`{written}` is too large for a number"));
    }
    let space = text[end..].len() - text[end..].trim_start_matches([' ', '\u{a0}', '\u{202f}']).len();
    // `3/min(a, b)` calls a function.
    let read = |unit: Option<(Unit, usize)>, to: usize| {
        unit.filter(|(_, length)| !begins(to + length, '(')).map(|(unit, length)| (unit, to + length))
    };
    let per = || Unit::read(&format!("1{}", &text[end..])).map(|(unit, length)| (unit, length - 1));
    let found = if begins(end, '/') { read(per(), end) } else { read(Unit::read(&text[end + space..]), end + space) };
    let (unit, end) = found.unwrap_or((Unit::one(), end));
    Ok((TokenKind::Number { number, unit, decimals }, end))
}
