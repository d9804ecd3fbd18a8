//! Parses comments that are alone on their line, in the comment styles of a file.

use std::ops::Range;

/// A way to write a comment on one line: its delimiters. An empty closing one means the end of the line.
pub type CommentStyle = (&'static str, &'static str);

/// A comment that is alone on its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Comment {
    /// The byte range in the line of its text, without delimiters and the white space inside them.
    pub text: Range<usize>,
    /// Whether a single `#` opens it.
    pub hash: bool,
    /// Whether there is white space between the opening delimiter and the text.
    pub spaced: bool,
}

/// Returns all ways in which `line` can be parsed as one comment.
pub(super) fn comments(line: &str, styles: &'static [CommentStyle]) -> impl Iterator<Item = Comment> {
    styles.iter().filter_map(move |&(open, close)| comment(line, open, close))
}

/// Parses `line` as a comment. The last character of `open` may be repeated (`///`, `;;`, `/**`).
fn comment(line: &str, open: &str, close: &str) -> Option<Comment> {
    let rest = line.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let is_word = open.ends_with(|c: char| c.is_ascii_alphabetic());
    let opened = rest.get(..open.len()).filter(|start| start.eq_ignore_ascii_case(open))?;
    let repeated = open.chars().last().filter(|_| !is_word);
    let inner = rest[opened.len()..].trim_start_matches(|c| Some(c) == repeated);
    let text = inner.trim_start();
    let spaced = text.len() < inner.len();
    if is_word && !spaced {
        return None;
    }
    let start = line.len() - text.len();
    let text = text.trim_end().strip_suffix(close)?;
    let text = match close.chars().next() {
        Some(first) => text.trim_end_matches(first),
        None => text,
    };
    let hash = open == "#" && inner.len() + 1 == rest.len();
    Some(Comment { text: start..start + text.trim_end().len(), hash, spaced })
}
