//! Tags of HTML that an author wrote among Markdown: their names, their attributes, and where the values stand.

use std::ops::Range;

/// A tag at the start of some text.
#[derive(Debug)]
pub struct Tag<'a> {
    /// All of it, from `<` to `>`.
    pub text: &'a str,
    /// The element's name as it is written.
    pub name: &'a str,
    /// Whether it is an end tag.
    pub closing: bool,
    /// Where the attributes stand in `text`.
    attributes: Range<usize>,
}

impl<'a> Tag<'a> {
    /// The tag that `text` begins with.
    #[must_use]
    pub fn parse(text: &'a str) -> Option<Self> {
        let closing = text.starts_with("</");
        let start = if closing { 2 } else { 1 };
        let rest = text.get(start..)?;
        let name_len = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(rest.len());
        let name = &rest[..name_len];
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        let inside = start + name_len;
        let mut quote = None;
        for (offset, c) in text[inside..].char_indices() {
            match (quote, c) {
                (None, '"' | '\'') => quote = Some(c),
                (Some(open), c) if open == c => quote = None,
                (None, '>') => {
                    let end = inside + offset;
                    let attributes = inside..inside + text[inside..end].trim_end_matches('/').len();
                    return Some(Self { text: &text[..=end], name, closing, attributes });
                }
                (None, '<') => return None,
                _ => {}
            }
        }
        None
    }

    /// Names, and where the values stand in the tag's text; a name alone has an empty value.
    #[must_use]
    pub fn attributes(&self) -> Vec<(&'a str, Range<usize>)> {
        let end = self.attributes.end;
        let text = &self.text[..end];
        let mut found = Vec::new();
        let mut rest = text[self.attributes.start..].trim_start();
        while !rest.is_empty() {
            let name_end = rest.find(|c: char| c.is_whitespace() || c == '=').unwrap_or(rest.len());
            let name = &rest[..name_end];
            rest = rest[name_end..].trim_start();
            let mut value = end..end;
            if let Some(after) = rest.strip_prefix('=').map(str::trim_start) {
                let (lead, len, left) = attribute_value(after);
                value = end - after.len() + lead..end - after.len() + lead + len;
                rest = left;
            }
            let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
            let stuck = name.is_empty() && value.is_empty();
            if plain && !name.is_empty() {
                found.push((name, value));
            }
            rest = if stuck { skip_one(rest) } else { rest.trim_start() };
        }
        found
    }

    /// Whether an attribute of this name, in small letters, says where a link or a picture leads.
    #[must_use]
    pub fn is_url(&self, attribute: &str) -> bool {
        self.name.eq_ignore_ascii_case("a") && attribute == "href"
            || self.name.eq_ignore_ascii_case("img") && attribute == "src"
    }
}

/// The quote before a value, the value's length, and what comes after it.
fn attribute_value(text: &str) -> (usize, usize, &str) {
    if let Some(quote) = text.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let inner = &text[1..];
        let end = inner.find(quote).unwrap_or(inner.len());
        return (1, end, inner.get(end + 1..).unwrap_or_default());
    }
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (0, end, &text[end..])
}

fn skip_one(text: &str) -> &str {
    let mut chars = text.chars();
    chars.next();
    chars.as_str().trim_start()
}

/// The tags in some HTML, each with where it begins; comments are left out.
#[must_use]
pub fn tags(html: &str) -> Vec<(usize, Tag<'_>)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = html[at..].find('<').map(|offset| at + offset) {
        if let Some(comment) = html[start..].strip_prefix("<!--") {
            at = comment.find("-->").map_or(html.len(), |end| start + 4 + end + 3);
        } else if let Some(tag) = Tag::parse(&html[start..]) {
            at = start + tag.text.len();
            found.push((start, tag));
        } else {
            at = start + 1;
        }
    }
    found
}

/// Where the values of `href` and `src` stand in some HTML, in its order.
#[must_use]
pub fn urls(html: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (start, tag) in tags(html) {
        let values = tag.attributes().into_iter().filter(|(name, _)| tag.is_url(&name.to_ascii_lowercase()));
        found.extend(values.map(|(_, value)| start + value.start..start + value.end));
    }
    found
}

/// The references that matter in attributes; others stay as they are and are escaped again.
#[must_use]
pub fn unescape(value: &str) -> String {
    value.replace("&quot;", "\"").replace("&#39;", "'").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_have_places() {
        let html = "<p>a < b</p><A title=x href = 'a.md' ><!-- <a href=no> --><img alt=\"\" src=b.png/></a><a href>";
        let found: Vec<&str> = urls(html).into_iter().map(|range| &html[range]).collect();
        assert_eq!(found, ["a.md", "b.png", ""]);
        assert_eq!(urls("</"), [0..0; 0]);
    }
}
