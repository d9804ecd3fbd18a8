//! Finds the icons of MkDocs, and the attributes in braces.

use std::ops::Range;

/// Returns the icons of MkDocs in a part of a text, which has no other elements, and the attributes in braces, in order.
/// Attributes are directly after an element or an icon, or alone in their line; other braces are text. The spaces after one that begins a line or a word belong to it: left there, they would indent the text of a list item.
pub fn braces_and_icons(whole: &str, span: Range<usize>) -> Vec<Range<usize>> {
    let text = &whole[span.clone()];
    let icons = icons(text);
    let is_alone = |start: usize, end: usize| {
        whole[..span.start + start].trim_end_matches(' ').chars().next_back().is_none_or(|c| c == '\n')
            && whole[span.start + end..].trim_start_matches(' ').chars().next().is_none_or(|c| c == '\n')
    };
    let is_after_element = |start: usize| {
        let before = text[..start].trim_end_matches(' ').len();
        (start == 0 && !whole[..span.start].ends_with(char::is_whitespace))
            || icons.binary_search_by_key(&before, |icon| icon.end).is_ok()
    };
    let braces = text.match_indices('{').filter_map(|(start, _)| {
        let after = start + 1;
        let end = after + text[after..].find(['{', '}']).filter(|&length| text[after + length..].starts_with('}'))? + 1;
        if !is_after_element(start) && !is_alone(start, end) {
            return None;
        }
        let inner = text[start + 1..end - 1].trim();
        let key = inner.split_once('=').map(|(key, _)| key);
        let is_key = |key: &str| !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
        let is_list = inner.starts_with(['.', '#', ':']) || key.is_some_and(is_key);
        is_list.then(|| text[..start].trim_end_matches(' ').len()..end)
    });
    let mut found: Vec<Range<usize>> = braces.chain(icons.iter().cloned()).collect();
    found.sort_by_key(|range| range.start);
    let (mut ranges, mut begins) = (Vec::<Range<usize>>::new(), true);
    for range in found {
        let (start, end) = (span.start + range.start, span.start + range.end);
        let last = ranges.last().map_or(0, |last| last.end);
        if last == 0 || last < start {
            begins = whole[..start].chars().next_back().is_none_or(char::is_whitespace);
        }
        let rest = &text[range.end..];
        let spaces = if begins { rest.len() - rest.trim_start_matches(' ').len() } else { 0 };
        if last < end {
            ranges.push(start.max(last)..end + spaces);
        }
    }
    ranges
}

/// Returns the icons in a text, in order.
fn icons(text: &str) -> Vec<Range<usize>> {
    let families = ["material", "octicons", "fontawesome", "simple"].into_iter();
    let found = families.flat_map(|family| {
        text.match_indices(family).filter_map(move |(at, _)| {
            let start = at.checked_sub(1).filter(|&start| text.as_bytes()[start] == b':')?;
            let length = text[at..].find(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))?;
            text[at + length..].starts_with(':').then_some(start..at + length + 1)
        })
    });
    let mut found: Vec<Range<usize>> = found.collect();
    found.sort_by_key(|icon| icon.end);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_a_line_or_a_word_takes_the_spaces_after_it_along() {
        let left_from = |text: &str, from: usize| {
            let icons = braces_and_icons(text, from..text.len()).into_iter();
            infralens_source::source::edited(text, icons.map(|range| (range, String::new())).collect())
        };
        let left = |text: &str| left_from(text, 0);
        assert_eq!(left("-   :material-clock: **Fast**"), "-   **Fast**");
        assert_eq!(left("- :material-clock:{ .lg .middle } Fast"), "- Fast");
        assert_eq!(left("- :octicons-a-24: { .x }  Fast"), "- Fast");
        assert_eq!(left("Press :material-check: now:material-x: or :simple-d:."), "Press now or .");
        assert_eq!(left_from("[a](b){ .c } :simple-d:.", "[a](b)".len()), "[a](b) .");
        assert_eq!(left("A paragraph {x=1}\n{ .wide }"), "A paragraph {x=1}\n");
    }
}
