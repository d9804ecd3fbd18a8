//! The body of one fence, written as its container needs it. Every other byte of the page stays.

use crate::document::Excerpt;
use crate::source::{Source, Span};

/// The shortest fence.
const FENCE: usize = 3;

/// Gives the fence of `excerpt` in `page` the lines `code` as its body. Changes `text`, in which everything up to the end of
/// the fence stands as in the page.
pub fn rewrite(page: &Source, excerpt: &Excerpt, code: &[String], text: &mut String) {
    let old = page.text();
    let line_end = line_end(old, excerpt.head.start);
    let prefix = prefix(page, excerpt.head.start);
    let body = body(old, excerpt);
    let mut written = String::new();
    if !old[..body.start].ends_with('\n') {
        written.push_str(line_end);
    }
    for line in code {
        let line = format!("{prefix}{line}");
        written.push_str(line.trim_end());
        written.push_str(line_end);
    }
    if body.end == old.len() && !old.ends_with('\n') && closing(old, excerpt).is_none() {
        // The page ends within the fence, and without a line end: so it still does.
        written.truncate(written.trim_end_matches(['\r', '\n']).len());
    }
    let mark = old[excerpt.head.clone()].chars().next().unwrap_or('`');
    let length = run(&old[excerpt.head.clone()], mark);
    let needed = code.iter().map(|line| run(line.trim_start(), mark)).filter(|&run| run >= FENCE).max();
    let longer = needed.map_or(0, |needed| (needed + 1).saturating_sub(length));
    let longer = mark.to_string().repeat(longer);
    if let Some(closing) = closing(old, excerpt) {
        text.insert_str(closing.end, &longer);
    }
    text.replace_range(body, &written);
    text.insert_str(excerpt.head.start, &longer);
}

/// How many of `mark` a text begins with.
fn run(text: &str, mark: char) -> usize {
    text.chars().take_while(|&c| c == mark).count()
}

/// The run of the closing fence; nothing if the fence is closed by the end of its container.
fn closing(text: &str, excerpt: &Excerpt) -> Option<Span> {
    let block = text[excerpt.block.clone()].trim_end();
    let (before, last) = block.rsplit_once('\n')?;
    let mark = text[excerpt.head.clone()].chars().next()?;
    let start = last.find(|c: char| !matches!(c, ' ' | '\t' | '>')).unwrap_or(last.len());
    let length = run(&last[start..], mark);
    let is_fence = start + length == last.len() && length >= run(&text[excerpt.head.clone()], mark);
    let at = excerpt.block.start + before.len() + 1 + start;
    is_fence.then_some(at..at + length)
}

/// The bytes of the body: from after the opening line to the start of the closing one.
fn body(text: &str, excerpt: &Excerpt) -> Span {
    let start = text[excerpt.head.start..].find('\n').map_or(text.len(), |end| excerpt.head.start + end + 1);
    let end = match closing(text, excerpt) {
        Some(closing) => text[..closing.start].rfind('\n').map_or(start, |end| end + 1),
        None => excerpt.block.end,
    };
    start..end.max(start)
}

/// What each line of the body begins with: the opening line's own beginning, list markers as spaces.
fn prefix(page: &Source, head: usize) -> String {
    let text = page.text();
    let start = text[..head].rfind('\n').map_or(page.start(), |end| end + 1);
    text[start..head].chars().map(|c| if matches!(c, '>' | '\t') { c } else { ' ' }).collect()
}

/// The line end of the line at `offset`, or the page's first, or `\n`.
fn line_end(text: &str, offset: usize) -> &'static str {
    let end = text[offset..].find('\n').map(|end| offset + end).or_else(|| text.find('\n'));
    match end {
        Some(end) if text[..end].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}
