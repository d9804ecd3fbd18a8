//! The one place where text becomes HTML.

use pulldown_cmark_escape::{escape_html, escape_html_body_text};

/// Text for an element's content.
pub fn push_text(out: &mut String, text: &str) {
    for (index, part) in text.split('\r').enumerate() {
        // As it is, a parser of HTML would take it for the end of a line, which in code it is not.
        if index > 0 {
            out.push_str("&#13;");
        }
        // Writing to a String cannot fail.
        let _ = escape_html_body_text(&mut *out, part);
    }
}

/// Text for an attribute's value in double quotes.
pub fn push_attribute(out: &mut String, text: &str) {
    let _ = escape_html(&mut *out, text);
}

/// Text for an element's content.
#[must_use]
pub fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    push_text(&mut out, text);
    out
}

/// Text for an attribute's value in double quotes.
#[must_use]
pub fn attribute(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    push_attribute(&mut out, text);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_carriage_return_ends_no_line() {
        assert_eq!(text("a < b\rc & d"), "a &lt; b&#13;c &amp; d");
        assert_eq!(text("a < b"), "a &lt; b");
    }
}
