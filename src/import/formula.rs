//! Rewrites the formulas of a page to the form that they have here: `$…$` in a line, `$$…$$` as a block.

use std::ops::Range;

use super::edits::{Edit, Text};
use crate::render::math::{Display, mathml};

/// The marks before and after a formula, and how it is shown.
pub type Delimiters = (&'static str, &'static str, Display);

/// The formulas of a book of mdBook with `mathjax-support`.
pub const MATHJAX: &[Delimiters] =
    &[("$$", "$$", Display::Block), ("\\\\[", "\\\\]", Display::Block), ("\\\\(", "\\\\)", Display::Inline)];
/// The formulas of the preprocessor `katex` of mdBook.
pub const KATEX: &[Delimiters] = &[("$$", "$$", Display::Block), ("$", "$", Display::Inline)];
/// The formulas of `pymdownx.arithmatex` in a site of MkDocs.
pub const ARITHMATEX: &[Delimiters] = &[
    ("$$", "$$", Display::Block),
    ("\\[", "\\]", Display::Block),
    ("\\(", "\\)", Display::Inline),
    ("$", "$", Display::Inline),
];

/// The length, in bytes, of the longest formula that is recognized.
const LONGEST: usize = 4000;

/// Rewrites the formulas outside of `code`, which is sorted. Also returns the lines, of the book, of those that cannot be
/// typeset: they become code.
pub fn rewrite(text: &Text, delimiters: &[Delimiters], code: &[Range<usize>]) -> (Text, Vec<usize>) {
    let (mut edits, mut left): (Vec<Edit>, Vec<usize>) = (Vec::new(), Vec::new());
    let (mut at, mut next_code) = (0, 0);
    while let Some(offset) = text.text[at..].find(['$', '\\']) {
        at += offset;
        while code.get(next_code).is_some_and(|code| code.end <= at) {
            next_code += 1;
        }
        let next = code.get(next_code);
        if let Some(code) = next.filter(|code| code.start <= at) {
            at = code.end;
            continue;
        }
        let end = next.map_or(text.text.len(), |code| code.start);
        let Some((inner, after, display)) = formula(&text.text[..end], at, delimiters) else {
            // What follows a backslash is escaped.
            let is_escape = text.text[at..].starts_with('\\');
            at += 1 + if is_escape { text.text[at + 1..].chars().next().map_or(0, char::len_utf8) } else { 0 };
            continue;
        };
        let inner = &text.text[inner];
        // The lines of a formula in a list or a quote begin with the marks of these.
        let tex: Vec<&str> = inner.lines().map(|line| line.trim_start_matches([' ', '>'])).collect();
        let new = if inner.contains('`') || mathml(&tex.join("\n"), display).is_err() {
            left.push(text.line(at));
            format!("`{}`", inner.trim().replace('`', "'"))
        } else if display == Display::Block {
            format!("$${inner}$$")
        } else {
            // A formula is not directly after a letter or before a digit.
            let space = |is_needed: bool| if is_needed { " " } else { "" };
            let before = space(text.text[..at].ends_with(char::is_alphanumeric));
            let behind = space(text.text[after..].starts_with(|c: char| c.is_ascii_digit()));
            format!("{before}${}${behind}", inner.trim())
        };
        edits.push((at..after, new));
        at = after;
    }
    (text.edited(edits), left)
}

/// Returns the formula that begins at `at`: its content, its end, and how it is shown.
fn formula(text: &str, at: usize, delimiters: &[Delimiters]) -> Option<(Range<usize>, usize, Display)> {
    let (open, close, display) = delimiters.iter().find(|(open, ..)| text[at..].starts_with(open))?;
    let start = at + open.len();
    let longest = text.floor_char_boundary(start + LONGEST);
    let mut closes = text[start..longest].match_indices(close).map(|(offset, _)| start + offset);
    let is_dollar = *open == "$";
    let end = closes.find(|&end| {
        let (inner, after) = (&text[start..end], &text[end + close.len()..]);
        let is_tight = !inner.ends_with([' ', '\\']) && !after.starts_with(|c: char| c.is_ascii_digit());
        !is_dollar || is_tight
    })?;
    let inner = &text[start..end];
    let is_money = is_dollar && inner.starts_with([' ', '$']);
    let lines: Vec<&str> = inner.split('\n').collect();
    let is_blank = |line: &&str| line.trim_matches([' ', '>']).is_empty();
    let ends_paragraph = lines.len() > 2 && lines[1..lines.len() - 1].iter().any(is_blank);
    (!inner.trim().is_empty() && !is_money && !ends_paragraph).then_some((start..end, end + close.len(), *display))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(text: &str, delimiters: &[Delimiters]) -> (String, Vec<usize>) {
        let (new, left) = rewrite(&Text::new(text.to_owned()), delimiters, &[]);
        (new.text, left)
    }

    #[test]
    fn formulas_have_dollar_signs() {
        let text = "A\\( x_1 \\)2, $y$ for \\$5 or $ 6.\n\n\\[\nz\n\\]\n";
        assert_eq!(rewritten(text, ARITHMATEX), ("A $x_1$ 2, $y$ for \\$5 or $ 6.\n\n$$\nz\n$$\n".to_owned(), vec![]));
        let text = "\\\\( x \\\\) \\\\[ y \\\\] $5 and $6 $$z$$";
        assert_eq!(rewritten(text, MATHJAX).0, "$x$ $$ y $$ $5 and $6 $$z$$");
    }

    #[test]
    fn what_cannot_be_typeset_becomes_code() {
        assert_eq!(rewritten("a\n$\\fraq{1}$ $1", ARITHMATEX), ("a\n`\\fraq{1}` $1".to_owned(), vec![2]));
    }
}
