//! Writes code blocks, and replaces the body of one fence, indented and quoted as its container requires; all other bytes
//! of the page stay as they are.

use super::{Excerpt, run};
use infralens_source::source::{Source, Span};

const SHORTEST_FENCE: usize = 3;

/// Returns the edits that give the fence of `excerpt` in `page` the lines `code` as its body: spans and their replacements,
/// sorted. The fence is made longer if `code` contains one of its length. An unclosed fence is not changed.
pub fn edits(page: &Source, excerpt: &Excerpt, code: &[String]) -> Vec<(Span, String)> {
    let Some(closing) = &excerpt.closing else { return Vec::new() };
    let old = page.text();
    let line_end = line_end(old, excerpt.head.start);
    let prefix = prefix(page, excerpt.head.start);
    let mut new_body = String::new();
    for line in code {
        new_body.push_str(format!("{prefix}{line}").trim_end());
        new_body.push_str(line_end);
    }
    let mark = old[excerpt.head.clone()].chars().next().unwrap_or('`');
    let length = run(&old[excerpt.head.clone()]);
    let similar = code.iter().map(|line| line.trim_start()).filter(|line| line.starts_with(mark));
    let needed = similar.map(run).filter(|&run| run >= SHORTEST_FENCE).max();
    let longer = needed.map_or(0, |needed| (needed + 1).saturating_sub(length));
    let longer = mark.to_string().repeat(longer);
    let (opening, end) = (excerpt.head.start, closing.end);
    vec![(opening..opening, longer.clone()), (body(old, opening, closing), new_body), (end..end, longer)]
}

/// Returns the span of the body of a fence that begins at `head`: from the end of its opening line to the start of the closing
/// one.
pub(crate) fn body(text: &str, head: usize, closing: &Span) -> Span {
    let start = text[head..].find('\n').map_or(text.len(), |end| head + end + 1);
    let end = text[..closing.start].rfind('\n').map_or(start, |end| end + 1);
    start..end.max(start)
}

/// Returns the prefix of each line of the block that begins at offset `head`: the indentation and quote marks of its first
/// line, with spaces for list markers.
pub fn prefix(page: &Source, head: usize) -> String {
    let text = page.text();
    let start = text[..head].rfind('\n').map_or(page.start(), |end| end + 1);
    let blank = |part: &str| part.chars().map(|c| if matches!(c, '>' | '\t') { c } else { ' ' }).collect::<String>();
    let before = &text[start..head];
    let prefix = match before.split_once("[^").and_then(|(outside, label)| Some((outside, label.split_once("]:")?.1))) {
        // The text of a footnote is indented by four columns, however long its label is.
        Some((outside, inside)) => blank(outside) + "    " + &blank(inside.trim_start()),
        None => blank(before),
    };
    // The parser removes one space after a `>`, which would otherwise be one of the code.
    if prefix.ends_with('>') { prefix + " " } else { prefix }
}

/// Returns the line end of the line at `offset`: `\r\n` or `\n`.
pub fn line_end(text: &str, offset: usize) -> &'static str {
    let end = text[offset..].find('\n').map_or(text.len(), |end| offset + end);
    if text[..end].ends_with('\r') { "\r\n" } else { "\n" }
}

/// Writes a code block, whose fence is longer than any in `body`. `attributes` follow the language, with a space before them.
pub fn code_block(language: &str, attributes: &str, body: &str) -> String {
    let mark = if attributes.contains('`') { '~' } else { '`' };
    let longest = body.lines().map(|line| {
        let line = line.trim_start();
        line.len() - line.trim_start_matches(mark).len()
    });
    let fence = mark.to_string().repeat(longest.max().unwrap_or(0).max(2) + 1);
    let end = if body.is_empty() || body.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}{attributes}\n{body}{end}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_longer_than_those_inside() {
        assert_eq!(code_block("md", "", "```\n"), "````md\n```\n````");
        assert_eq!(code_block("", " title=\"`a`\"", "x"), "~~~ title=\"`a`\"\nx\n~~~");
    }
}
