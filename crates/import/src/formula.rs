//! Rewrites the formulas of a page to the form that they have here: `$…$` in a line, `$$…$$` as a block.

use std::ops::Range;

use super::edits::{Edit, Text};
use infralens_notation::math::{Display, mathml};

/// The marks before and after a formula, and how it is shown.
pub type Delimiters = (&'static str, &'static str, Display);

/// An environment such as `\begin{align}` is a formula by itself, with its marks.
const ENVIRONMENT: Delimiters = ("\\begin{", "\\end{", Display::Block);
/// The formulas of a book of mdBook with `mathjax-support`.
pub const MATHJAX: &[Delimiters] = &[
    ("$$", "$$", Display::Block),
    ("\\\\[", "\\\\]", Display::Block),
    ("\\\\(", "\\\\)", Display::Inline),
    ENVIRONMENT,
];
/// The formulas of the preprocessor `katex` of mdBook.
pub const KATEX: &[Delimiters] = &[("$$", "$$", Display::Block), ("$", "$", Display::Inline)];
/// The formulas of notebooks.
pub const JUPYTER: &[Delimiters] = &[KATEX[0], KATEX[1], ENVIRONMENT];
/// What may be a formula in a book of mdBook without formulas.
pub const MDBOOK: &[Delimiters] = &[MATHJAX[0], MATHJAX[1], MATHJAX[2], ENVIRONMENT, KATEX[1]];
/// The formulas of `pymdownx.arithmatex` in a site of MkDocs.
pub const ARITHMATEX: &[Delimiters] = &[
    ("$$", "$$", Display::Block),
    ("\\[", "\\]", Display::Block),
    ("\\(", "\\)", Display::Inline),
    ("$", "$", Display::Inline),
    ENVIRONMENT,
];

/// The length, in bytes, of the longest formula that is recognized.
const LONGEST: usize = 4000;

/// Rewrites the formulas outside of `skipped`, which is sorted, and escapes dollar signs that are not part of one. Also
/// returns the lines, of the book, of those that cannot be typeset, which become code, and of those that have no end.
pub fn rewrite(text: &Text, delimiters: &[Delimiters], skipped: &[Range<usize>]) -> (Text, Vec<usize>) {
    let (mut edits, mut left): (Vec<Edit>, Vec<usize>) = (Vec::new(), Vec::new());
    for (at, found) in marks(&text.text, delimiters, skipped) {
        let Some(Formula { inner, end, display }) = found else {
            let rest = &text.text[at..];
            edits.extend(rest.starts_with('$').then(|| (at..at, "\\".to_owned())));
            left.extend(rest.starts_with("\\\\").then(|| text.line(at)));
            continue;
        };
        let inner = &text.text[inner];
        let inner = if delimiters == MATHJAX { unescaped(inner) } else { inner.to_owned() };
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
            let behind = space(text.text[end..].starts_with(|c: char| c.is_ascii_digit()));
            format!("{before}${}${behind}", inner.trim())
        };
        edits.push((at..end, new));
    }
    (text.edited(edits), left)
}

/// Returns the offsets of what looks like a formula in a text without any: an operator or a single letter between marks.
pub fn possible_formulas(text: &str, delimiters: &[Delimiters], skipped: &[Range<usize>]) -> Vec<usize> {
    let is_formula = |found: &Formula| {
        let inner = text[found.inner.clone()].trim();
        (inner.len() == 1 || inner.contains(['\\', '^', '_', '='])) && mathml(inner, found.display).is_ok()
    };
    let found = marks(text, delimiters, skipped).into_iter();
    found.filter(|(_, found)| found.as_ref().is_some_and(is_formula)).map(|(at, _)| at).collect()
}

/// A formula: what is between its marks, the end, and how it is shown.
struct Formula {
    inner: Range<usize>,
    end: usize,
    display: Display,
}

/// Returns the offsets outside of `skipped` at which a formula begins; and those of dollar signs, and of other marks, that
/// begin none.
fn marks(text: &str, delimiters: &[Delimiters], skipped: &[Range<usize>]) -> Vec<(usize, Option<Formula>)> {
    let mut found = Vec::new();
    let (mut at, mut next_skipped) = (0, 0);
    while let Some(offset) = text[at..].find(['$', '\\']) {
        at += offset;
        while skipped.get(next_skipped).is_some_and(|skipped| skipped.end <= at) {
            next_skipped += 1;
        }
        let next = skipped.get(next_skipped);
        if let Some(skipped) = next.filter(|skipped| skipped.start <= at) {
            at = skipped.end;
            continue;
        }
        let end = next.map_or(text.len(), |skipped| skipped.start);
        let formula = formula(&text[..end], at, delimiters);
        let is_mark = text[at..].starts_with('$') || delimiters.iter().any(|(open, ..)| text[at..].starts_with(open));
        // In MkDocs, brackets in a line of text are only escaped.
        let is_bracket = open_at(&text[at..], delimiters).is_some_and(|open| open == "\\[");
        let formula = formula.filter(|found| !is_bracket || is_alone(text, at, found.end));
        // What follows a backslash is escaped.
        let is_escape = text[at..].starts_with('\\');
        let escaped = if is_escape { text[at + 1..].chars().next().map_or(0, char::len_utf8) } else { 0 };
        let after = formula.as_ref().map_or(at + 1 + escaped, |formula| formula.end);
        if is_mark {
            found.push((at, formula));
        }
        at = after;
    }
    found
}

fn open_at(text: &str, delimiters: &[Delimiters]) -> Option<&'static str> {
    delimiters.iter().map(|(open, ..)| *open).find(|open| text.starts_with(open))
}

/// Whether nothing else is in the lines between two offsets.
fn is_alone(text: &str, start: usize, end: usize) -> bool {
    let before = text[..start].rsplit('\n').next().unwrap_or_default();
    let after = text[end..].split('\n').next().unwrap_or_default();
    before.chars().all(|c| c.is_ascii_digit() || " \t>-*+.)".contains(c)) && after.trim().is_empty()
}

/// Returns the formula that begins at `at`.
fn formula(text: &str, at: usize, delimiters: &[Delimiters]) -> Option<Formula> {
    let &(open, close, display) = delimiters.iter().find(|(open, ..)| text[at..].starts_with(open))?;
    let mut start = at + open.len();
    let longest = text.floor_char_boundary(start + LONGEST);
    let is_environment = open == ENVIRONMENT.0;
    let name = if is_environment { &text[start..=start + text[start..longest].find('}')?] } else { "" };
    let close = format!("{close}{name}");
    let mut closes = text[start..longest].match_indices(&close).map(|(offset, _)| start + offset);
    let is_dollar = open == "$";
    // Between dollar signs, none is part of a formula.
    let mut end = closes.find(|&end| !is_dollar || !text[start..end].ends_with('\\'))?;
    let after = end + close.len();
    if is_environment {
        (start, end) = (at, after);
    }
    let inner = &text[start..end];
    let is_price = text[after..].starts_with(|c: char| c.is_ascii_digit()) && !inner.contains('\\');
    let is_money = is_dollar && (is_price || inner.starts_with([' ', '$']) || inner.ends_with(' '));
    let lines: Vec<&str> = inner.split('\n').collect();
    let is_blank = |line: &&str| line.trim_matches([' ', '>']).is_empty();
    let ends_paragraph = lines.len() > 2 && lines[1..lines.len() - 1].iter().any(is_blank);
    let is_formula = !inner.trim().is_empty() && !is_money && !ends_paragraph;
    is_formula.then_some(Formula { inner: start..end, end: after, display })
}

/// Returns a formula as Markdown leaves it to `MathJax`: a backslash before punctuation only keeps Markdown from reading it.
fn unescaped(tex: &str) -> String {
    let mut new = String::with_capacity(tex.len());
    let mut characters = tex.chars().peekable();
    while let Some(character) = characters.next() {
        let escaped = characters.next_if(|next| character == '\\' && next.is_ascii_punctuation());
        new.push(escaped.unwrap_or(character));
    }
    new
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
        assert_eq!(
            rewritten(text, ARITHMATEX),
            ("A $x_1$ 2, $y$ for \\$5 or \\$ 6.\n\n$$\nz\n$$\n".to_owned(), vec![])
        );
        let text = "\\\\( x \\\\) \\\\[ y \\\\] $5 and $6 $$z$$";
        assert_eq!(rewritten(text, MATHJAX).0, "$x$ $$ y $$ \\$5 and \\$6 $$z$$");
    }

    #[test]
    fn escaped_brackets_are_no_formula_and_a_digit_may_follow_one() {
        let text = "As before\\[3\\]\\[4\\].\n\n- \\[ x \\]\n\nabout $\\approx$1.2 for $5,$6.\n";
        let expected = "As before\\[3\\]\\[4\\].\n\n- $$ x $$\n\nabout $\\approx$ 1.2 for \\$5,\\$6.\n";
        assert_eq!(rewritten(text, ARITHMATEX), (expected.to_owned(), vec![]));
    }

    #[test]
    fn amounts_are_no_formulas() {
        let text = "$10-$20, US$10/US$20, ($1) and ($2), **$3**, $4 and $x$, $5 to $ 6.";
        let expected = "\\$10-\\$20, US\\$10/US\\$20, (\\$1) and (\\$2), **\\$3**, \\$4 and $x$, \\$5 to \\$ 6.";
        for delimiters in [ARITHMATEX, KATEX, JUPYTER] {
            assert_eq!(rewritten(text, delimiters), (expected.to_owned(), vec![]));
        }
    }

    #[test]
    fn what_cannot_be_typeset_becomes_code() {
        assert_eq!(rewritten("a\n$\\fraq{1}$ $1", ARITHMATEX), ("a\n`\\fraq{1}` \\$1".to_owned(), vec![2]));
        assert_eq!(rewritten("a\n\\\\(x\n\nb\\\\)", MATHJAX), ("a\n\\\\(x\n\nb\\\\)".to_owned(), vec![2]));
    }

    #[test]
    fn mathjax_reads_what_markdown_leaves() {
        let text =
            "\\\\( a\\_1 \\\\) \\\\(\\\\{\\\\}\\\\) $x^2$\n\n\\begin{align}\na &= b \\\\\\\\\nc &= d\n\\end{align}\n";
        let expected = "$a_1$ $\\{\\}$ \\$x^2\\$\n\n$$\\begin{align}\na &= b \\\\\nc &= d\n\\end{align}$$\n";
        assert_eq!(rewritten(text, MATHJAX), (expected.to_owned(), vec![]));
    }

    #[test]
    fn possible_formulas_have_an_operator_or_one_letter() {
        let text = "$5 and $6, $HOME/$USER, $x$, `$y$`, \\(z^2\\)";
        let code = text.find('`').map(|at| at..at + 5);
        assert_eq!(possible_formulas(text, ARITHMATEX, code.as_slice()), [24, 36]);
    }
}
