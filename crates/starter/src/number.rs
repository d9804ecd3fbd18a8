//! Finds the number between two texts in a piece of code.

use crate::Listing;
use crate::excerpt::is_word;
use crate::highlight::Class;

/// Why no number was found.
#[derive(Debug, PartialEq)]
pub enum Miss {
    /// No line matches.
    Lost,
    /// Several places match, the first two of which are in these lines, counted from 0.
    Doubled(usize, usize),
    /// Between the texts in the only line that has both is something else.
    NotANumber(String),
}

/// Finds the number between two texts in one of some lines of a file.
///
/// # Errors
///
/// Fails if not exactly one place has these texts around a hole, or if no number stands there.
pub fn number_between(
    (before, after): (&str, &str),
    listing: &Listing,
    lines: impl Iterator<Item = usize>,
) -> Result<f64, Miss> {
    let (mut found, mut other) = (None, None);
    for line in lines.filter(|&line| !listing.is_marker(line)) {
        let (text, code) = (listing.line(line), code_end(listing, line));
        for (at, _) in text.match_indices(before) {
            let hole = at + before.len();
            let is_inside = |c: char| c.is_ascii_digit() || matches!(c, '.' | '_');
            let is_part = before.starts_with(is_word) && text[..at].ends_with(is_word)
                || text[..hole].ends_with(is_inside)
                || before.is_empty() && text[..hole].ends_with(|c| is_word(c) || matches!(c, '-' | '+'));
            if is_part {
                continue;
            }
            let rest = &text[hole..];
            match number(rest, after, code.saturating_sub(hole)) {
                Some(_) if found.is_some() => return Err(Miss::Doubled(found.map_or(0, |(line, _)| line), line)),
                Some(number) => found = Some((line, number)),
                None if rest.contains(after) => other = other.or_else(|| Some(instead(rest, after))),
                None => {}
            }
        }
    }
    let found = found.map(|(_, number)| number);
    found.ok_or_else(|| other.filter(|text| !text.is_empty()).map_or(Miss::Lost, Miss::NotANumber))
}

/// Returns where the comment at the end of a line begins.
pub(super) fn code_end(listing: &Listing, line: usize) -> usize {
    let comment = listing.tokens(line).iter().rev().take_while(|token| token.class == Class::Comment);
    listing.line(line).len() - comment.map(|token| token.len as usize).sum::<usize>()
}

/// Reads a number at the beginning of a text, if it is followed by `after`; without that, by nothing that continues an
/// expression. The comment begins at `code`.
fn number(text: &str, after: &str, code: usize) -> Option<f64> {
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(text.len());
    let sign = usize::from(text.starts_with(['-', '+']));
    let whole = digits(&text[sign..]);
    let mut end = sign + whole;
    let mut decimals = 0;
    if let Some(rest) = text[end..].strip_prefix('.')
        && !rest.starts_with('.')
    {
        decimals = digits(rest);
        end += 1 + decimals;
    }
    if whole + decimals == 0 {
        return None;
    }
    if let Some(rest) = text[end..].strip_prefix(['e', 'E']) {
        let sign = usize::from(rest.starts_with(['-', '+']));
        let power = digits(&rest[sign..]);
        end += if power > 0 { 1 + sign + power } else { 0 };
    }
    let rest = &text[end..];
    let ends = if after.is_empty() {
        let next = text.get(end..code.max(end)).unwrap_or(rest).trim_start();
        next.is_empty() || next.starts_with([',', ';', ')', ']', '}', ':', '"', '\'', '`'])
    } else {
        rest.starts_with(after)
    };
    let number: f64 = text[..end].replace('_', "").parse().ok()?;
    (ends && number.is_finite()).then_some(number)
}

/// Returns what stands where a number is expected, for a message.
fn instead(text: &str, after: &str) -> String {
    const LONGEST: usize = 40;
    let text = if after.is_empty() { text } else { text.split(after).next().unwrap_or_default() };
    text.trim().chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use infralens_source::source::Source;

    fn find_in(name: &str, code: &str, pattern: &str) -> Result<f64, Miss> {
        let (listing, _) = Listing::new(&Arc::new(Source::new(format!("code/l/{name}"), code)));
        number_between(pattern.split_once("{}").unwrap(), &listing, 0..listing.line_count())
    }

    fn find(code: &str, pattern: &str) -> Result<f64, Miss> {
        find_in("a.py", code, pattern)
    }

    #[test]
    fn the_number_at_the_hole() {
        for (code, pattern, expected) in [
            ("n_head: int = 12", "n_head: int = {}", 12.0),
            ("n_head: int = 12  # heads", "n_head: int = {}", 12.0),
            ("n_head: int = 12# heads", "n_head: int = {}", 12.0),
            ("\"n_head\": 12,", "\"n_head\": {}", 12.0),
            ("lr = 6e-4", "lr = {}", 6e-4),
            ("lr=-1_000.5E+2;", "lr={}", -100_050.0),
            ("f(8, 16)", "f({}, ", 8.0),
            ("x = 1.5f;", "x = {}f", 1.5),
            ("x = 2.", "x = {}", 2.0),
            ("x = .5", "x = {}", 0.5),
            ("bx = 3\nx = 4", "x = {}", 4.0),
            ("# 3 layers", "# {} layers", 3.0),
            ("n = -12  # heads", "{}  # heads", -12.0),
            ("# ANCHOR: a\na = 7\n# ANCHOR_END: a", "a = {}", 7.0),
        ] {
            assert_eq!(find(code, pattern), Ok(expected), "{code}");
        }
        assert_eq!(find_in("a.c", "int n = 8 // 2", "n = {}"), Ok(8.0));
        assert_eq!(find_in("a.c", "int n = 8 /* 2 */", "n = {}"), Ok(8.0));
    }

    #[test]
    fn what_is_lost_doubled_or_no_number() {
        assert_eq!(find("a = 1", "b = {}"), Err(Miss::Lost));
        assert_eq!(find("a = 1\n\na = 2", "a = {}"), Err(Miss::Doubled(0, 2)));
        assert_eq!(find("a = 12", "a = 1{}"), Err(Miss::Lost));
        assert_eq!(find("a = 1; a = 1", "a = {}"), Err(Miss::Doubled(0, 0)));
        for expression in
            ["4 * 16", "n", "0x10", "4*n", "12 if x else 3", "1 << 4", "8 // 2 + 1", "2 ** 3", "3.f", "1..2"]
        {
            let found = find(&format!("a = {expression}"), "a = {}");
            assert_eq!(found, Err(Miss::NotANumber(expression.into())));
        }
        assert_eq!(find("a = 4 * 16)", "a = {})"), Err(Miss::NotANumber("4 * 16".into())));
    }
}
