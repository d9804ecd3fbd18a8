//! The one place where text becomes HTML.

use pulldown_cmark_escape::{escape_html, escape_html_body_text};

/// Text for an element's content.
pub fn push_text(out: &mut String, text: &str) {
    // Writing to a String cannot fail.
    let _ = escape_html_body_text(&mut *out, text);
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
