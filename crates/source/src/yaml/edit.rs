//! Adds keys and list items to YAML text in place, in the style of the text around them.

use super::{Node, Tree};
use crate::source::{Source, Span};

/// The bytes to replace, and the new text.
type Edit = (Span, String);

/// Returns the edit that adds an item to the list at a key of the map `root`, or the key with a list of this item. The YAML text
/// ends at byte `end`, which is after comments that follow the last value of `root`. `None` if something else is at the key.
pub fn add_to_list(source: &Source, root: &Tree, end: usize, key: &str, item: &str) -> Option<Edit> {
    let Node::Map(entries) = &*root.value else { return None };
    match entries.iter().find(|(known, _)| known.value == key) {
        None => Some(add_entry(source, root, end, &format!("{key}: [{}]", to_scalar(item)))),
        Some((_, list)) => match &*list.value {
            Node::List(items) => Some(add_item(source, &list.span, items, item)),
            _ => None,
        },
    }
}

/// Returns the edit that adds a key and its value, as YAML, to a map: at byte `end`, unless the map is in braces.
pub fn add_entry(source: &Source, map: &Tree, end: usize, entry: &str) -> Edit {
    let text = source.text();
    if text[map.span.clone()].starts_with('{') {
        let end = map.span.end - 1;
        let comma = if text[..end].trim_end().ends_with(['{', ',']) { "" } else { "," };
        return (end..end, format!("{comma} {entry}"));
    }
    let line_end = line_end(text);
    let before = if text[..end].ends_with('\n') { "" } else { line_end };
    (end..end, format!("{before}{}{entry}{line_end}", line_start(text, map.span.start)))
}

/// Returns the edit that adds `value` at the end of the list with these items at `list`. It has the quotes of the last item if
/// they need no escapes in it, and a line of its own if that item has one.
fn add_item(source: &Source, list: &Span, items: &[Tree], value: &str) -> Edit {
    let text = source.text();
    let Some(previous) = items.last() else {
        let start = list.start + 1;
        return (start..start, to_scalar(value));
    };
    let previous_text = &text[previous.span.clone()];
    let added = match previous_text.chars().next() {
        Some(quote @ ('"' | '\'')) if !value.contains(['"', '\'', '\\']) => format!("{quote}{value}{quote}"),
        _ => to_scalar(value),
    };
    if text[list.clone()].starts_with('[') {
        let indent = line_start(text, previous.span.start);
        let has_own_line = indent.trim().is_empty() && items.len() > 1;
        let gap = if has_own_line { format!("{}{indent}", line_end(text)) } else { " ".to_owned() };
        return (previous.span.end..previous.span.end, format!(",{gap}{added}"));
    }
    // The dash may be lines above the last item, which can begin with an anchor or an indicator of its own.
    let mut before = text[..previous.span.start].lines().rev();
    let line = before.find(|line| line.trim_start().starts_with('-')).unwrap_or_default();
    let indent = &line[..line.len() - line.trim_start().len()];
    let dash = if line.trim() == "-" && line.ends_with(' ') { line.to_owned() } else { format!("{indent}- ") };
    let previous_end = previous.span.start + previous_text.trim_end().len();
    let end = text[previous_end..].find(['\r', '\n']).map_or(text.len(), |length| previous_end + length);
    (end..end, format!("{}{dash}{added}", line_end(text)))
}

/// Writes text as a YAML scalar: plain if it cannot be read as anything else, otherwise in double quotes.
pub fn to_scalar(text: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | '/');
    let is_plain = text.starts_with(char::is_alphabetic)
        && text.chars().all(is_word)
        && !text.ends_with(' ')
        && !matches!(text.to_lowercase().as_str(), "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "y" | "n");
    // YAML reads a quoted string of JSON as the same text.
    if is_plain { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}

/// Returns the text between the start of a line and the byte `at` in it.
fn line_start(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    text[start..at].trim_start_matches('\u{feff}')
}

fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::parse;

    #[test]
    fn an_item_has_the_quotes_of_the_last_one_if_it_can() {
        let added = |before: &str, value: &str| {
            let source = Source::new("a.yaml", before);
            let list = parse(&source, 0..before.len()).root.expect("a list");
            let Node::List(items) = &*list.value else { panic!("no list") };
            add_item(&source, &list.span, items, value).1
        };
        assert_eq!(added("['a']", "b"), ", 'b'");
        assert_eq!(added("['a']", "it's"), r#", "it's""#);
        assert_eq!(added(r#"["a"]"#, r"b\n"), r#", "b\\n""#);
    }

    #[test]
    fn words_are_quoted_where_yaml_would_read_something_else() {
        for word in ["ledger", "Bank conflict", "shared/loop.py", "zéro"] {
            assert_eq!(to_scalar(word), word);
        }
        assert_eq!(["true", "9-lives", "-", "a: b"].map(to_scalar), ["\"true\"", "\"9-lives\"", "\"-\"", "\"a: b\""]);
        assert_eq!(to_scalar("\"\u{7}\\"), r#""\"\u0007\\""#);
    }
}
