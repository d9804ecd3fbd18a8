//! Escapes text for HTML. Nothing else does.

use pulldown_cmark_escape::{escape_html, escape_html_body_text};

/// Appends text, escaped for the content of an element.
pub fn push_text(out: &mut String, text: &str) {
    for (index, part) in text.split('\r').enumerate() {
        // An HTML parser would read a carriage return as a line break, which it is not in code.
        if index > 0 {
            out.push_str("&#13;");
        }
        // Writing to a String cannot fail.
        let _ = escape_html_body_text(&mut *out, part);
    }
}

/// Escapes text for an attribute value in double quotes.
pub fn push_attribute(out: &mut String, text: &str) {
    let _ = escape_html(&mut *out, text);
}

/// Escapes text for the content of an element.
#[must_use]
pub fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    push_text(&mut out, text);
    out
}

/// Escapes text for an attribute value in double quotes.
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
