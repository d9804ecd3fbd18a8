//! HTML written in Markdown, tag by tag against an allow-list. A [`Stack`] holds what is open, a frame for each Markdown
//! container, so that no author's tag closes or outlives an element of the page.

use std::fmt::Write;

use super::escape;
use crate::document::html::{Tag, unescape};

/// Elements that may stand among words.
const INLINE: [&str; 27] = [
    "a", "abbr", "b", "bdi", "bdo", "br", "cite", "code", "del", "dfn", "em", "i", "img", "ins", "kbd", "mark", "q",
    "s", "samp", "small", "span", "strong", "sub", "sup", "u", "var", "wbr",
];
/// Elements that may stand as blocks, besides those of [`INLINE`].
const BLOCK: [&str; 25] = [
    "blockquote",
    "caption",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "figcaption",
    "figure",
    "h2",
    "h3",
    "h4",
    "hr",
    "li",
    "ol",
    "p",
    "pre",
    "summary",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
];
const VOID: [&str; 4] = ["br", "hr", "img", "wbr"];
/// Attributes that any allowed element may have.
const ATTRIBUTES: [&str; 13] = [
    "title", "lang", "dir", "open", "colspan", "rowspan", "scope", "start", "reversed", "value", "alt", "width",
    "height",
];

/// What is open, innermost last: a frame of element names for each Markdown container.
#[derive(Debug)]
pub struct Stack(Vec<Vec<String>>);

impl Default for Stack {
    fn default() -> Self {
        Self(vec![Vec::new()])
    }
}

impl Stack {
    /// Whether one of the elements of these names is open.
    #[must_use]
    pub fn is_within(&self, names: &[&str]) -> bool {
        self.0.iter().flatten().any(|open| names.contains(&open.as_str()))
    }

    /// A Markdown container begins.
    pub fn enter(&mut self) {
        self.0.push(Vec::new());
    }

    /// A Markdown container ends: the tags that close what was opened in it.
    pub fn leave(&mut self) -> String {
        let frame = if self.0.len() > 1 { self.0.pop().unwrap_or_default() } else { std::mem::take(&mut self.0[0]) };
        frame.iter().rev().fold(String::new(), |mut closers, name| {
            // Writing to a String cannot fail.
            let _ = write!(closers, "</{name}>");
            closers
        })
    }

    fn open(&mut self, name: &str) {
        if let Some(frame) = self.0.last_mut() {
            frame.push(name.to_string());
        }
    }

    /// Closes `name` and what is open inside it; nothing if it is not open in this container.
    fn close(&mut self, name: &str) -> String {
        let Some(frame) = self.0.last_mut() else { return String::new() };
        let Some(from) = frame.iter().rposition(|open| open == name) else { return String::new() };
        frame.drain(from..).rev().fold(String::new(), |mut closers, name| {
            let _ = write!(closers, "</{name}>");
            closers
        })
    }
}

/// Rewrites the URL of an `href` or `src`; `None` drops the attribute (the reason has been reported).
pub type Urls<'a> = dyn FnMut(&str, bool) -> Option<String> + 'a;

/// Writes `html` with allowed tags kept and everything else as text. `block` allows block elements. Returns the byte
/// ranges of what was not allowed, with the element's or attribute's name.
pub fn push(
    out: &mut String,
    html: &str,
    block: bool,
    stack: &mut Stack,
    urls: &mut Urls<'_>,
) -> Vec<(std::ops::Range<usize>, String)> {
    let mut refused = Vec::new();
    let mut at = 0;
    while at < html.len() {
        let Some(start) = html[at..].find('<').map(|offset| at + offset) else { break };
        push_text(out, &html[at..start]);
        if let Some(comment) = html[start..].strip_prefix("<!--") {
            at = comment.find("-->").map_or(html.len(), |end| start + 4 + end + 3);
            continue;
        }
        match Tag::parse(&html[start..]) {
            Some(tag) if allowed(tag.name, block) => {
                let end = start + tag.text.len();
                write_tag(out, &tag, stack, urls, &mut |attribute| refused.push((start..end, attribute.to_string())));
                at = end;
            }
            Some(tag) => {
                if !tag.closing {
                    refused.push((start..start + tag.text.len(), format!("<{}>", tag.name)));
                }
                escape::push_text(out, &html[start..start + tag.text.len()]);
                at = start + tag.text.len();
            }
            None => {
                out.push_str("&lt;");
                at = start + 1;
            }
        }
    }
    push_text(out, &html[at.min(html.len())..]);
    refused
}

fn allowed(name: &str, block: bool) -> bool {
    let name = name.to_ascii_lowercase();
    INLINE.contains(&name.as_str()) || block && BLOCK.contains(&name.as_str())
}

/// Text between tags: character references stay, everything else is escaped.
fn push_text(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        escape::push_text(out, &rest[..at]);
        let reference = reference(&rest[at..]);
        out.push_str(reference.unwrap_or("&amp;"));
        rest = &rest[at + reference.map_or(1, str::len)..];
    }
    escape::push_text(out, rest);
}

/// The character reference that `text` begins with.
fn reference(text: &str) -> Option<&str> {
    let end = text.char_indices().take(34).find(|&(_, c)| c == ';')?.0;
    let name = text[1..end].strip_prefix('#').map_or(&text[1..end], |number| number.trim_start_matches(['x', 'X']));
    (!name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric())).then_some(&text[..=end])
}

fn write_tag(out: &mut String, tag: &Tag<'_>, stack: &mut Stack, urls: &mut Urls<'_>, refuse: &mut dyn FnMut(&str)) {
    let name = tag.name.to_ascii_lowercase();
    if tag.closing {
        out.push_str(&stack.close(&name));
        return;
    }
    let _ = write!(out, "<{name}");
    for (attribute, value) in tag.attributes() {
        let attribute = attribute.to_ascii_lowercase();
        let value = &tag.text[value];
        let value = if tag.is_url(&attribute) {
            urls(&unescape(value), name == "img")
        } else if ATTRIBUTES.contains(&attribute.as_str()) {
            Some(unescape(value))
        } else {
            refuse(&attribute);
            None
        };
        if let Some(value) = value {
            let _ = write!(out, " {attribute}=\"{}\"", escape::attribute(&value));
        }
    }
    out.push('>');
    if !VOID.contains(&name.as_str()) {
        stack.open(&name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn safe(html: &str, block: bool) -> (String, Vec<String>) {
        let mut stack = Stack::default();
        let mut out = String::new();
        let refused = push(&mut out, html, block, &mut stack, &mut |url, _| Some(format!("r/{url}")));
        out.push_str(&stack.leave());
        (out, refused.into_iter().map(|(_, name)| name).collect())
    }

    #[test]
    fn allowed_tags_stay_and_are_closed() {
        assert_eq!(safe("<kbd>Ctrl", false).0, "<kbd>Ctrl</kbd>");
        assert_eq!(safe("a <b>b <i>c</b> d", false).0, "a <b>b <i>c</i></b> d");
        assert_eq!(safe("</div></main>x", true).0, "&lt;/main&gt;x");
        assert_eq!(
            safe("<details open><summary>S</summary>", true).0,
            "<details open=\"\"><summary>S</summary></details>"
        );
        assert_eq!(safe("<a href='x\"y'>z</a>", false).0, "<a href=\"r/x&quot;y\">z</a>");
        assert_eq!(safe("&copy; &nope & <3", false).0, "&copy; &amp;nope &amp; &lt;3");
    }

    #[test]
    fn what_is_not_allowed_is_text() {
        let (html, refused) = safe("<script>alert(1)</script>", true);
        assert_eq!(html, "&lt;script&gt;alert(1)&lt;/script&gt;");
        assert_eq!(refused, ["<script>"]);
        assert_eq!(
            safe("<b onclick=\"x()\" style=a>t</b>", false),
            ("<b>t</b>".into(), vec!["onclick".into(), "style".into()])
        );
        assert_eq!(safe("<div>x</div>", false).0, "&lt;div&gt;x&lt;/div&gt;");
        assert_eq!(safe("<!-- a --><b", false).0, "&lt;b");
        assert_eq!(safe("<b = = \u{e9}=x>t", false).0, "<b>t</b>");
    }
}
