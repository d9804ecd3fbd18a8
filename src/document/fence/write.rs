//! The body of one fence, written as its container needs it. Every other byte of the page stays.

use super::Excerpt;
use crate::source::{Source, Span};

/// The shortest fence.
const FENCE: usize = 3;

/// What gives the fence of `excerpt` in `page` the lines `code` as its body: what is put where, from the first place to the
/// last. A fence that is not closed stays as it is.
#[must_use]
pub fn edits(page: &Source, excerpt: &Excerpt, code: &[String]) -> Vec<(Span, String)> {
    let Some(closing) = &excerpt.closing else { return Vec::new() };
    let old = page.text();
    let line_end = line_end(old, excerpt.head.start);
    let prefix = prefix(page, excerpt.head.start);
    let mut written = String::new();
    for line in code {
        let line = format!("{prefix}{line}");
        written.push_str(line.trim_end());
        written.push_str(line_end);
    }
    let mark = old[excerpt.head.clone()].chars().next().unwrap_or('`');
    let length = run(&old[excerpt.head.clone()], mark);
    let needed = code.iter().map(|line| run(line.trim_start(), mark)).filter(|&run| run >= FENCE).max();
    let longer = needed.map_or(0, |needed| (needed + 1).saturating_sub(length));
    let longer = mark.to_string().repeat(longer);
    let (opening, end) = (excerpt.head.start, closing.end);
    vec![(opening..opening, longer.clone()), (body(old, excerpt, closing), written), (end..end, longer)]
}

/// How many of `mark` a text begins with.
fn run(text: &str, mark: char) -> usize {
    text.chars().take_while(|&c| c == mark).count()
}

/// The bytes of the body: from after the opening line to the start of the closing one.
fn body(text: &str, excerpt: &Excerpt, closing: &Span) -> Span {
    let start = text[excerpt.head.start..].find('\n').map_or(text.len(), |end| excerpt.head.start + end + 1);
    let end = text[..closing.start].rfind('\n').map_or(start, |end| end + 1);
    start..end.max(start)
}

/// What each line of a block begins with that begins at `head`: the first line's own beginning, list markers as spaces.
#[must_use]
pub fn prefix(page: &Source, head: usize) -> String {
    let text = page.text();
    let start = text[..head].rfind('\n').map_or(page.start(), |end| end + 1);
    let blank = |part: &str| part.chars().map(|c| if matches!(c, '>' | '\t') { c } else { ' ' }).collect::<String>();
    let before = &text[start..head];
    let prefix = match before.split_once("[^").and_then(|(outside, label)| Some((outside, label.split_once("]:")?.1))) {
        // The text of a footnote stands four columns in, however long its label is.
        Some((outside, inside)) => blank(outside) + "    " + &blank(inside.trim_start()),
        None => blank(before),
    };
    // The space after a `>` belongs to it, and would be taken from code that begins with one.
    if prefix.ends_with('>') { prefix + " " } else { prefix }
}

/// The line end of the line at `offset`.
#[must_use]
pub fn line_end(text: &str, offset: usize) -> &'static str {
    let end = text[offset..].find('\n').map_or(text.len(), |end| offset + end);
    if text[..end].ends_with('\r') { "\r\n" } else { "\n" }
}
