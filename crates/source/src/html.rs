//! Splits raw HTML in Markdown as browsers do: into text, comments and tags, with the ranges of attribute values.

use std::collections::BTreeSet;
use std::ops::Range;

use pulldown_cmark::Event;

/// Elements that never have content, and so no end tag.
pub const VOID: [&str; 14] =
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];
/// Elements whose content is text up to their end tag, whatever it looks like.
const RAW_TEXT: [&str; 8] = ["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"];
/// Elements whose content is not HTML: inside them, `<x/>` is a complete element, and ids belong to the image or formula.
pub const FOREIGN: [&str; 2] = ["svg", "math"];

/// A part of some HTML.
#[derive(Debug)]
pub enum Piece<'a> {
    /// Text, the content of a script or style, or a declaration such as `<!DOCTYPE html>`.
    Text,
    Comment {
        /// Whether it has an end; otherwise it extends to the end of the HTML.
        closed: bool,
    },
    Tag(Tag<'a>),
    /// The start of a tag or declaration without its `>`, and everything after it.
    Broken,
}

#[derive(Debug)]
pub struct Tag<'a> {
    /// The whole tag, from `<` to `>`.
    pub text: &'a str,
    /// The element's name as it is written.
    pub name: &'a str,
    pub closing: bool,
    /// Whether it ends in `/>`.
    pub self_closing: bool,
    /// Its attributes; of two with the same name, browsers read the first.
    pub attributes: Vec<Attribute>,
}

#[derive(Debug)]
pub struct Attribute {
    /// Its name in lower case.
    pub name: String,
    /// The range of its value in the tag's text, without quotes; empty if it has no value.
    pub value: Range<usize>,
    /// The range of the whole attribute in the tag's text.
    pub all: Range<usize>,
}

/// What the browser does with the URL in an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leads {
    /// The reader follows it.
    Link,
    /// The page shows it as an image.
    Picture,
    /// The page shows one of several images: `a.png 1x, b.png 2x`.
    Pictures,
    /// The page loads it: a video, a script, a frame.
    File,
}

impl<'a> Tag<'a> {
    /// Parses the tag that `text` begins with; `None` if it has no closing `>`.
    fn parse(text: &'a str) -> Option<Self> {
        let closing = text.starts_with("</");
        let start = if closing { 2 } else { 1 };
        let mut at = skip(text, start, |c| !(c.is_ascii_whitespace() || matches!(c, '/' | '>')));
        let name = &text[start..at];
        let (mut attributes, mut known) = (Vec::new(), BTreeSet::new());
        loop {
            at = skip(text, at, |c| c.is_ascii_whitespace() || c == '/');
            if text[at..].chars().next()? == '>' {
                let self_closing = text[..at].ends_with('/');
                return Some(Self { text: &text[..=at], name, closing, self_closing, attributes });
            }
            let attribute = attribute(text, at)?;
            at = attribute.all.end;
            if known.insert(attribute.name.clone()) {
                attributes.push(attribute);
            }
        }
    }

    /// Returns the element's name in lower case.
    pub fn element(&self) -> String {
        self.name.to_ascii_lowercase()
    }

    pub fn value(&self, attribute: &Attribute) -> &'a str {
        &self.text[attribute.value.clone()]
    }

    /// Returns what the URL in an attribute is for; `None` if the attribute does not contain one.
    pub fn leads(&self, attribute: &Attribute) -> Option<Leads> {
        match (self.element().as_str(), attribute.name.as_str()) {
            ("a" | "area", "href") => Some(Leads::Link),
            ("img", "src") => Some(Leads::Picture),
            ("img" | "source", "srcset") => Some(Leads::Pictures),
            ("audio" | "embed" | "iframe" | "input" | "script" | "source" | "track" | "video", "src")
            | ("video", "poster")
            | ("object", "data")
            | ("link" | "image" | "use", "href")
            | ("image" | "use", "xlink:href") => Some(Leads::File),
            _ => None,
        }
    }

    /// Returns the ranges of the URLs of an attribute in the tag's text.
    pub fn urls(&self, attribute: &Attribute) -> Vec<Range<usize>> {
        match self.leads(attribute) {
            None => Vec::new(),
            Some(Leads::Pictures) => candidates(self.text, attribute.value.clone()),
            Some(_) => vec![attribute.value.clone()],
        }
    }
}

/// Parses the attribute at byte `at` of a tag; `None` if it is cut off.
fn attribute(text: &str, at: usize) -> Option<Attribute> {
    let first = text[at..].chars().next()?.len_utf8();
    let name_end = skip(text, at + first, |c| !(c.is_ascii_whitespace() || matches!(c, '/' | '>' | '=')));
    let name = text[at..name_end].to_ascii_lowercase();
    let equals = skip(text, name_end, |c| c.is_ascii_whitespace());
    if !text[equals..].starts_with('=') {
        return Some(Attribute { name, value: name_end..name_end, all: at..name_end });
    }
    let start = skip(text, equals + 1, |c| c.is_ascii_whitespace());
    if let Some(quote) = text[start..].chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let end = start + 1 + text[start + 1..].find(quote)?;
        return Some(Attribute { name, value: start + 1..end, all: at..end + 1 });
    }
    let end = skip(text, start, |c| !(c.is_ascii_whitespace() || c == '>'));
    Some(Attribute { name, value: start..end, all: at..end })
}

/// Returns the first offset from `at` on at which `skipped` is false.
fn skip(text: &str, at: usize, skipped: impl Fn(char) -> bool) -> usize {
    text[at..].find(|c| !skipped(c)).map_or(text.len(), |len| at + len)
}

/// Returns the ranges of the URLs of a `srcset` at `value`, without their widths.
fn candidates(text: &str, value: Range<usize>) -> Vec<Range<usize>> {
    let text = &text[..value.end];
    let (mut found, mut at) = (Vec::new(), value.start);
    loop {
        at = skip(text, at, |c| c.is_ascii_whitespace() || c == ',');
        if at == text.len() {
            return found;
        }
        let end = skip(text, at, |c| !c.is_ascii_whitespace());
        let url = text[at..end].trim_end_matches(',');
        found.push(at..at + url.len());
        at = if at + url.len() < end { end } else { skip(text, end, |c| c != ',') };
    }
}

/// Splits some HTML into parts, each with its range. No part is empty, and together they cover all of it.
pub fn pieces(html: &str) -> impl Iterator<Item = (Range<usize>, Piece<'_>)> {
    // The raw text element whose content comes next.
    let (mut at, mut within) = (0, None);
    std::iter::from_fn(move || {
        let rest = &html[at..];
        let raw_text = within.take().map_or(0, |name| raw_text(rest, name));
        let text = if raw_text > 0 { raw_text } else { rest.find('<').unwrap_or(rest.len()) };
        let (len, piece) = if text > 0 { (text, Piece::Text) } else { markup(rest)? };
        if let Piece::Tag(tag) = &piece {
            let is_raw = !tag.closing && RAW_TEXT.iter().any(|name| tag.name.eq_ignore_ascii_case(name));
            within = is_raw.then_some(tag.name);
        }
        at += len;
        Some((at - len..at, piece))
    })
}

/// Parses the part that a text beginning with `<` begins with, and returns its length.
fn markup(text: &str) -> Option<(usize, Piece<'_>)> {
    let name = text.strip_prefix("</").or_else(|| text.strip_prefix('<'))?;
    if text.starts_with("<!--") {
        let len = comment(text);
        Some((len.unwrap_or(text.len()), Piece::Comment { closed: len.is_some() }))
    } else if name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        let tag = Tag::parse(text);
        Some(tag.map_or((text.len(), Piece::Broken), |tag| (tag.text.len(), Piece::Tag(tag))))
    } else if ["<!", "<?", "</"].iter().any(|opening| text.starts_with(opening)) {
        // Browsers take these for comments.
        Some(text.find('>').map_or((text.len(), Piece::Broken), |end| (end + 1, Piece::Text)))
    } else {
        Some((1, Piece::Text))
    }
}

/// Returns the length of the comment that `text` begins with, if it has an end.
fn comment(text: &str) -> Option<usize> {
    const OPENING: usize = "<!--".len();
    let rest = &text[OPENING..];
    // Browsers take these two for whole comments.
    if let Some(short) = [">", "->"].into_iter().find(|short| rest.starts_with(short)) {
        return Some(OPENING + short.len());
    }
    let ends = rest.match_indices('>').filter(|(at, _)| rest[..*at].ends_with("--") || rest[..*at].ends_with("--!"));
    ends.map(|(at, _)| OPENING + at + 1).next()
}

/// Returns the length of the text inside an element of that name, up to its end tag or the end.
fn raw_text(text: &str, name: &str) -> usize {
    let is_end = |at: &usize| {
        let rest = &text[at + 2..];
        rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
            && !rest[name.len()..].starts_with(|c: char| !(c.is_ascii_whitespace() || matches!(c, '/' | '>')))
    };
    text.match_indices("</").map(|(at, _)| at).find(is_end).unwrap_or(text.len())
}

/// Returns the tags in some HTML outside of comments, each with its offset.
pub fn tags(html: &str) -> impl Iterator<Item = (usize, Tag<'_>)> {
    pieces(html).filter_map(|(range, piece)| match piece {
        Piece::Tag(tag) => Some((range.start, tag)),
        _ => None,
    })
}

/// Returns the ranges of the URLs in the attributes of some HTML, in order, and what they are for.
pub fn urls(html: &str) -> Vec<(Leads, Range<usize>)> {
    let mut found = Vec::new();
    for (start, tag) in tags(html).filter(|(_, tag)| !tag.closing) {
        for attribute in &tag.attributes {
            let Some(leads) = tag.leads(attribute) else { continue };
            found.extend(tag.urls(attribute).into_iter().map(|url| (leads, start + url.start..start + url.end)));
        }
    }
    found
}

/// Returns the ids in some HTML to which links can lead: those of elements, and the names of `<a name>`.
pub fn ids(html: &str) -> Vec<String> {
    let (mut found, mut foreign) = (Vec::new(), 0_usize);
    for (_, tag) in tags(html) {
        let element = tag.element();
        if FOREIGN.contains(&element.as_str()) && !tag.self_closing {
            foreign = if tag.closing { foreign.saturating_sub(1) } else { foreign + 1 };
        }
        if tag.closing || foreign > 0 {
            continue;
        }
        let named = tag.attributes.iter().filter(|attribute| is_id(&element, &attribute.name));
        found.extend(named.map(|attribute| unescape(tag.value(attribute))).filter(|id| !id.is_empty()));
    }
    found
}

/// Returns whether an attribute of an element gives it an id to which links can lead.
pub fn is_id(element: &str, attribute: &str) -> bool {
    attribute == "id" || element == "a" && attribute == "name"
}

/// Resolves the character references in the value of an attribute, as Markdown does.
pub fn unescape(value: &str) -> String {
    let (mut text, mut rest) = (String::with_capacity(value.len()), value);
    while let Some(at) = rest.find('&') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let written = &rest[..reference(rest).unwrap_or(1)];
        match pulldown_cmark::Parser::new(written).nth(1) {
            Some(Event::Text(meant)) => text.push_str(&meant),
            _ => text.push_str(written),
        }
        rest = &rest[written.len()..];
    }
    text + rest
}

/// Returns the length of the character reference that a text may begin with: `&` and a name or number up to `;`.
pub fn reference(text: &str) -> Option<usize> {
    const LONGEST: usize = 34;
    let inner = text.strip_prefix('&')?;
    let end = inner.bytes().take(LONGEST).position(|byte| byte == b';').filter(|&end| end > 0)?;
    let fits = inner[..end].bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'#');
    fits.then_some(end + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(html: &str) -> Vec<&str> {
        urls(html).into_iter().map(|(_, range)| &html[range]).collect()
    }

    #[test]
    fn urls_have_places() {
        let html = "<p>a < b</p><A title=x href = 'a.md' ><!-- <a href=no> --><img alt=\"\" src=b.png /></a><a href>";
        assert_eq!(found(html), ["a.md", "b.png", ""]);
        assert_eq!(found("</"), [""; 0]);
        assert_eq!(
            found("<img srcset='a.png, b.png 2x,c,d.png 10w,'><video poster=p src=v>"),
            ["a.png", "b.png", "c,d.png", "p", "v"]
        );
        assert_eq!(found("<script>\"<img src=x>\"</script ><a href=y href=z></a href=w>"), ["y"]);
    }

    #[test]
    fn character_references_are_read_as_in_markdown() {
        for (written, meant) in [
            ("5&nbsp;GB", "5\u{a0}GB"),
            ("?a=1&#38;c=3&#x26;d&#038;e", "?a=1&c=3&d&e"),
            ("&amp;lt; &lt;b&gt; &quot;&#39;&apos;&eacute;", "&lt; <b> \"''é"),
            ("a & b && &copy=1 &nope; &; &#; &", "a & b && &copy=1 &nope; &; &#; &"),
            ("&amp;&amp;", "&&"),
        ] {
            assert_eq!(unescape(written), meant);
        }
    }

    #[test]
    fn ids_that_links_may_end_in() {
        assert_eq!(
            ids("<a name=x></a><p id='y&amp;z' name=n><svg><g id=g /></svg><b id=''><i id=j>"),
            ["x", "y&z", "j"]
        );
    }

    #[test]
    fn parts_are_those_of_browsers() {
        let kinds = |html: &str| {
            let each = pieces(html).map(|(range, piece)| {
                let kind = match piece {
                    Piece::Text => 't',
                    Piece::Comment { closed: true } => 'c',
                    Piece::Comment { closed: false } => 'C',
                    Piece::Tag(_) => 'T',
                    Piece::Broken => 'B',
                };
                (kind, &html[range])
            });
            each.map(|(kind, text)| format!("{kind}{text}")).collect::<Vec<_>>().join("|")
        };
        assert_eq!(kinds("a<b x='>'>c</b>"), "ta|T<b x='>'>|tc|T</b>");
        assert_eq!(kinds("<!-->a<!-- - > -- --!>b<!-- <i>"), "c<!-->|ta|c<!-- - > -- --!>|tb|C<!-- <i>");
        assert_eq!(kinds("1 < 2<>< /b></>"), "t1 |t<|t 2|t<|t>|t<|t /b>|t</>");
        assert_eq!(kinds("<?php \"<b>\"<i"), "t<?php \"<b>|t\"|B<i");
        assert_eq!(kinds("<STYLE>a<b></x></style>c"), "T<STYLE>|ta<b></x>|T</style>|tc");
        assert_eq!(kinds("<b <i>x<u a=\">"), "T<b <i>|tx|B<u a=\">");
    }
}
