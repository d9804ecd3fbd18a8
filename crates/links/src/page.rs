//! What is read of an HTML page: its title, and whether it has an anchor.

use infralens_source::html::{self, Piece};
use infralens_source::url;

/// The length at which titles are cut, in characters.
const MAX_TITLE: usize = 200;

/// Returns the title of a page, on one line.
pub fn title(page: &str) -> Option<String> {
    let mut pieces = html::pieces(page);
    pieces.find(|(_, piece)| matches!(piece, Piece::Tag(tag) if !tag.closing && tag.element() == "title"))?;
    let (range, piece) = pieces.next()?;
    let text = matches!(piece, Piece::Text).then(|| page.get(range)).flatten()?;
    let text = html::unescape(text).split_whitespace().collect::<Vec<_>>().join(" ");
    // The page may have another encoding than UTF-8.
    let is_readable = !text.is_empty() && !text.contains(|c: char| c.is_control() || c == char::REPLACEMENT_CHARACTER);
    is_readable.then(|| text.chars().take(MAX_TITLE).collect())
}

/// Returns whether a page has an anchor; `None` if that cannot be told, because a script reads it or makes the page.
pub fn has_anchor(page: &str, anchor: &str) -> Option<bool> {
    let ids = html::ids(page);
    let decoded = url::decode(anchor);
    // Code hosts put this before the ids of what others wrote.
    let is_named = |id: &String| [anchor, &decoded].contains(&id.strip_prefix("user-content-").unwrap_or(id));
    if decoded.eq_ignore_ascii_case("top") || ids.iter().any(is_named) {
        return Some(true);
    }
    let lines = decoded.trim_start_matches('L');
    let is_line = lines.len() < decoded.len() && lines.chars().all(|c| c.is_ascii_digit() || "-L".contains(c));
    let is_for_script = is_line || decoded.starts_with(['!', '/', ':']) || decoded.contains('=');
    (!ids.is_empty() && !is_for_script).then_some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_one_line_of_text() {
        let of = |page: &str| title(page);
        assert_eq!(of("<!doctype html><title>\n A &amp;\n B</title>").as_deref(), Some("A & B"));
        assert_eq!(
            of("<head><TITLE lang=en>A <b>b</b></TITLE><svg><title>x</title></svg>").as_deref(),
            Some("A <b>b</b>")
        );
        for none in
            ["", "<title></title>", "<p>title</p>", "<title>", "<!-- <title>a</title> -->", "<title>\u{fffd}</title>"]
        {
            assert_eq!(of(none), None, "{none}");
        }
        assert_eq!(of(&format!("<title>{}", "x".repeat(500))).map(|title| title.len()), Some(MAX_TITLE));
    }

    #[test]
    fn an_anchor_is_an_id_or_a_name() {
        let page = "<h2 id=a>A</h2><a name=\"b\"></a><h2 id='user-content-c'>C</h2><p id=größe>";
        for found in ["a", "b", "c", "gr%C3%B6%C3%9Fe", "größe", "top"] {
            assert_eq!(has_anchor(page, found), Some(true), "{found}");
        }
        assert_eq!(has_anchor(page, "d"), Some(false));
        for unknown in ["L3", "L3-L9", "page=3", "!/x", "/x", ":~:text=a"] {
            assert_eq!(has_anchor(page, unknown), None, "{unknown}");
        }
        assert_eq!(has_anchor("<script src=x></script>", "d"), None);
    }
}
