//! Parses comments as region markers.

use std::ops::Range;

use super::comment::Comment;
use infralens_source::selector::parse_lines;
use infralens_source::source::is_name_char;

/// A marker. Its parts are byte ranges of its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Marker {
    pub form: Form,
    /// The name, valid or not; `None` if there is none.
    pub name: Option<Range<usize>>,
    pub keyword: Range<usize>,
    /// Whether it is written as a marker must be.
    pub is_exact: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `ANCHOR: name`
    Anchor,
    /// `ANCHOR_END: name`
    AnchorEnd,
    /// `#region name`
    Region,
    /// `#region`, alone or with several words.
    Fold,
    /// `# region`, alone or with several words: a fold or prose.
    PerhapsFold,
    /// `#endregion`, with any text after it.
    RegionEnd,
}

pub(super) fn read(line: &str, comment: &Comment) -> Option<Marker> {
    let text = &line[comment.text.clone()];
    let at = comment.text.start;
    for (keyword, form) in [("ANCHOR_END:", Form::AnchorEnd), ("ANCHOR:", Form::Anchor)] {
        if let Some(rest) = text.strip_prefix(keyword) {
            let name = rest.trim_start();
            let start = at + text.len() - name.len();
            let name = (!name.is_empty()).then(|| start..start + name.len());
            return Some(Marker { form, name, keyword: at..at + keyword.len(), is_exact: true });
        }
    }
    match text.strip_prefix('#') {
        Some(rest) => read_fold(rest, at + 1, false),
        // The `#` that opens the comment is part of the marker.
        None if comment.hash => read_fold(text, at, comment.spaced),
        None => None,
    }
    .or_else(|| read_misspelled(text, at))
}

/// Parses `ANCHOR a`, `ANCHOR : a` and `Anchor-End: a`, which were meant as markers. In lower case, `anchor` is a word of
/// prose; the end of a region is not.
fn read_misspelled(text: &str, at: usize) -> Option<Marker> {
    let end = text.find(|c: char| !(c.is_ascii_alphabetic() || matches!(c, '_' | '-'))).unwrap_or(text.len());
    let (keyword, rest) = (&text[..end], text[end..].trim_start());
    let form = match keyword.to_ascii_uppercase().replace('-', "_").as_str() {
        "ANCHOR_END" => Form::AnchorEnd,
        "ANCHOR" if keyword == "ANCHOR" => Form::Anchor,
        _ => return None,
    };
    let name = rest.strip_prefix(':').unwrap_or(rest).trim();
    let start = at + text.len() - rest.strip_prefix(':').unwrap_or(rest).trim_start().len();
    is_name(name).then(|| Marker {
        form,
        name: Some(start..start + name.len()),
        keyword: at..at + end,
        is_exact: false,
    })
}

/// Parses `region …` or `endregion …` at byte `at` of its line. `spaced` tells whether a space separates it from its `#`.
fn read_fold(text: &str, at: usize, spaced: bool) -> Option<Marker> {
    let (keyword, ends) = if text.starts_with("endregion") { ("endregion", true) } else { ("region", false) };
    let rest = text.strip_prefix(keyword)?;
    if rest.starts_with(is_name_char) {
        return None;
    }
    let words = rest.trim_start();
    let is_one = !words.is_empty() && words.len() < rest.len() && !words.contains(char::is_whitespace);
    let is_named = is_one && (!spaced || words.chars().all(is_name_char));
    let form = match (ends, spaced) {
        (true, _) => Form::RegionEnd,
        (false, _) if is_named => Form::Region,
        (false, false) => Form::Fold,
        (false, true) => Form::PerhapsFold,
    };
    let start = at + text.len() - words.len();
    let name = (form == Form::Region).then(|| start..start + words.len());
    Some(Marker { form, name, keyword: at..at + keyword.len(), is_exact: true })
}

/// Returns whether `name` is valid for a region: letters, digits, `_` and `-`, and not the form of lines.
pub(super) fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(is_name_char) && parse_lines(name).is_none()
}
