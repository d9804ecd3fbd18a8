//! Parses comments as region markers.

use std::ops::Range;

use super::comment::Comment;

/// A marker. Its parts are byte ranges of its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Marker {
    pub form: Form,
    /// The name, valid or not; `None` if there is none.
    pub name: Option<Range<usize>>,
    pub keyword: Range<usize>,
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

/// Parses a comment of `line` as a marker.
pub(super) fn read(line: &str, comment: &Comment) -> Option<Marker> {
    let text = &line[comment.text.clone()];
    let at = comment.text.start;
    for (keyword, form) in [("ANCHOR_END:", Form::AnchorEnd), ("ANCHOR:", Form::Anchor)] {
        if let Some(rest) = text.strip_prefix(keyword) {
            let name = rest.trim_start();
            let start = at + text.len() - name.len();
            let name = (!name.is_empty()).then(|| start..start + name.len());
            return Some(Marker { form, name, keyword: at..at + keyword.len() });
        }
    }
    match text.strip_prefix('#') {
        Some(rest) => read_fold(rest, at + 1, false),
        // The `#` that opens the comment is part of the marker.
        None if comment.hash => read_fold(text, at, comment.spaced),
        None => None,
    }
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
    Some(Marker { form, name, keyword: at..at + keyword.len() })
}

/// Returns whether `name` is valid for a region: letters, digits, `_` and `-`, and not the form of lines.
pub(super) fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(is_name_char) && !is_lines(name)
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

/// Returns whether `name` is a selector of lines: `L10`, `L3-L5`, `L3-5`.
fn is_lines(name: &str) -> bool {
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let Some(rest) = name.strip_prefix('L') else {
        return false;
    };
    let (first, last) = rest.split_once('-').unwrap_or((rest, rest));
    is_number(first) && is_number(last.strip_prefix('L').unwrap_or(last))
}
