//! Finds the spans of link destinations in a page's file, so that they can be rewritten in place.
//!
//! The parser gives the span of a whole link and its destination with escapes resolved. The source of the destination is
//! located here, and is accepted only if resolving its escapes gives the same; otherwise its span stays unknown.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Tag};

use super::{Body, Definition, Document, Events, Link};
use infralens_source::html::{self, Leads};
use infralens_source::source::{Source, Span};

/// A text with escapes resolved, and the offset in the file of each of its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappedText {
    /// The text without the escapes.
    pub text: String,
    /// The offset in the file of each byte, and of the end.
    at: Vec<usize>,
}

impl MappedText {
    /// Maps a text without escapes that begins at byte `start` of its file.
    pub fn plain(text: &str, start: usize) -> Self {
        Self { text: text.to_owned(), at: (start..=start + text.len()).collect() }
    }

    /// Returns the span in the file of a part of the text.
    pub fn span(&self, part: Range<usize>) -> Span {
        self.at[part.start]..self.at[part.end]
    }

    /// Maps `text` to `raw`, its escaped form at offset `start` of the file, which may contain backslash escapes and
    /// character references. Returns `None` if `raw` is not an escaped form of `text`.
    pub(super) fn align(raw: &str, start: usize, text: &str) -> Option<Self> {
        let mut at = Vec::with_capacity(text.len() + 1);
        let mut rest = raw;
        for c in text.chars() {
            let len = if rest.starts_with(c) && !is_escape(rest, c) {
                c.len_utf8()
            } else if let Some(escaped) = rest.strip_prefix('\\') {
                escaped.chars().next().filter(|&escaped| escaped == c)?.len_utf8() + 1
            } else {
                html::reference(rest)?
            };
            at.extend(std::iter::repeat_n(start + raw.len() - rest.len(), c.len_utf8()));
            rest = &rest[len..];
        }
        at.push(start + raw.len());
        rest.is_empty().then(|| Self { text: text.to_owned(), at })
    }
}

/// Returns whether `rest` begins with an escaped `c` although its first character is already `c`: `\\` or `&amp;`.
fn is_escape(rest: &str, c: char) -> bool {
    match c {
        '\\' => rest.starts_with("\\\\"),
        '&' => html::reference(rest).is_some_and(|len| html::unescape(&rest[..len]) == "&"),
        _ => false,
    }
}

/// Returns the destinations of links, images and reference definitions, and those of links and images in raw HTML.
/// Citations and reference links have no destination of their own.
pub fn destinations(document: &Document) -> Vec<MappedText> {
    let source = &document.source;
    let links = document.body.links.iter().filter_map(|link| inline(document, link));
    let definitions = document.body.definitions.iter().filter_map(|definition| of_definition(source, definition));
    let raw = fragments(source, &document.body);
    let raw = raw.iter().flat_map(urls).map(|(_, written)| written);
    links.chain(definitions).chain(raw).collect()
}

pub(super) fn of_definition(source: &Source, definition: &Definition) -> Option<MappedText> {
    let label = label_end(&source.text()[definition.span.clone()])?;
    after(source, definition.span.start + label..definition.span.end, &definition.target)
}

/// Returns the destination of an inline link or image.
pub(super) fn inline(document: &Document, link: &Link) -> Option<MappedText> {
    let events = &document.body.events;
    let (Event::Start(Tag::Link { link_type, .. } | Tag::Image { link_type, .. }), span) =
        events.get(link.events.start)?
    else {
        return None;
    };
    if link_type != LinkType::Inline {
        return None;
    }
    // The text of the link may contain brackets. After it, the first `](` belongs to the link.
    let inside = link.events.start + 1..link.events.end - 1;
    let inner = inside.map(|index| events.span(index).end).max().unwrap_or(span.start);
    let bracket = document.source.text().get(inner..span.end)?.find("](")?;
    after(&document.source, inner + bracket + 2..span.end, &link.target)
}

/// Returns the length of `[label]:`.
fn label_end(definition: &str) -> Option<usize> {
    let mut escaped = false;
    let close = definition.bytes().position(|byte| {
        let found = byte == b']' && !escaped;
        escaped = byte == b'\\' && !escaped;
        found
    })?;
    definition[close..].starts_with("]:").then_some(close + 2)
}

/// Maps the destination that `span` begins with, after white space and the marks of a quote that continues on the next line.
fn after(source: &Source, span: Span, target: &str) -> Option<MappedText> {
    let text = source.text().get(span.clone())?;
    let spaces = text.len() - text.trim_start().len();
    let marks = text.len() - text.trim_start_matches(|c: char| c.is_whitespace() || c == '>').len();
    let quoted = text[..marks].contains('\n').then_some(marks);
    [Some(spaces), quoted].into_iter().flatten().find_map(|skip| {
        let raw = destination(&text[skip..])?;
        MappedText::align(&text[skip + raw.start..skip + raw.end], span.start + skip + raw.start, target)
    })
}

/// Returns the range of the destination that `text` begins with: in angle brackets, or up to a space or the closing
/// parenthesis.
fn destination(text: &str) -> Option<Range<usize>> {
    let pointed = text.starts_with('<');
    let (mut escaped, mut open) = (false, 0_usize);
    for (at, c) in text.char_indices().skip(usize::from(pointed)) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '>' if pointed => return Some(1..at),
            '\n' if pointed => return None,
            _ if pointed => {}
            '(' => open += 1,
            ')' if open == 0 => return Some(0..at),
            ')' => open -= 1,
            '\0'..=' ' => return Some(0..at),
            _ => {}
        }
    }
    (!pointed).then_some(0..text.len())
}

/// Joins the raw HTML among some events.
pub fn fragment(source: &Source, body: &Body, events: Events) -> MappedText {
    let mut fragment = MappedText { text: String::new(), at: Vec::new() };
    let mut end = events.clone().next().map_or(0, |first| body.events.span(first).start);
    for (event, span) in body.events.range(events) {
        let (Event::Html(html) | Event::InlineHtml(html)) = event else { continue };
        // If the file has the line in another form, all of its bytes are mapped to where the line begins.
        let start =
            span.end.checked_sub(html.len()).filter(|&start| source.text().get(start..span.end) == Some(&*html));
        fragment.at.extend((0..html.len()).map(|index| start.map_or(span.start, |start| start + index)));
        fragment.text.push_str(&html);
        end = if start.is_some() { span.end } else { span.start };
    }
    fragment.at.push(end);
    fragment
}

/// Returns the raw HTML of a document: each HTML block, and each inline tag.
pub(super) fn fragments(source: &Source, body: &Body) -> Vec<MappedText> {
    let is_html = |index: &usize| matches!(body.events.event(*index), Event::Html(_) | Event::InlineHtml(_));
    let html: Vec<usize> = (0..body.events.len()).filter(is_html).collect();
    let runs = html.chunk_by(|one, next| one + 1 == *next);
    runs.map(|run| fragment(source, body, run[0]..run[0] + run.len())).collect()
}

/// Returns the URLs in some raw HTML, with what each of them is for.
pub(super) fn urls(block: &MappedText) -> Vec<(Leads, MappedText)> {
    let mapped = html::urls(&block.text).into_iter().filter_map(|(leads, value)| {
        let (raw, start) = (&block.text[value.clone()], block.at[value.start]);
        let is_contiguous = block.at[value.end] == start + raw.len();
        Some((leads, MappedText::align(raw, start, &html::unescape(raw)).filter(|_| is_contiguous)?))
    });
    mapped.collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{parse, placement};

    /// The source of each destination, and the destination.
    fn found(text: &str) -> Vec<(String, String)> {
        let source = Arc::new(Source::new("code/README.md", text));
        let (document, _) = parse(&source, placement::readme(""));
        let written = destinations(&document);
        written.into_iter().map(|w| (text[w.span(0..w.text.len())].to_owned(), w.text)).collect()
    }

    #[test]
    fn each_form_of_a_destination() {
        for (text, raw, meant) in [
            ("[a](b.md)", "b.md", "b.md"),
            ("[a]( b.md 'title (x)' )", "b.md", "b.md"),
            ("[a](<b c.md> \"t\")", "b c.md", "b c.md"),
            ("[a](b_(c).md)", "b_(c).md", "b_(c).md"),
            ("[a](b\\_c\\(.md)", "b\\_c\\(.md", "b_c(.md"),
            ("[a](x\\y.md)", "x\\y.md", "x\\y.md"),
            ("[a](x\\\\y.md)", "x\\\\y.md", "x\\y.md"),
            ("[a](b&amp;c.md)", "b&amp;c.md", "b&c.md"),
            ("[a](b&c.md)", "b&c.md", "b&c.md"),
            ("[a](&#98;.md)", "&#98;.md", "b.md"),
            ("[a](b&#038;&eacute;.md)", "b&#038;&eacute;.md", "b&é.md"),
            ("x <a href='b&#38;&nbsp;c.md'>y</a>", "b&#38;&nbsp;c.md", "b&\u{a0}c.md"),
            ("[`](` *b* \\]( [x] ](é.md#z)", "é.md#z", "é.md#z"),
            ("![a](b.png)", "b.png", "b.png"),
            ("[ ](b.md)", "b.md", "b.md"),
            ("[a](\n  b.md)", "b.md", "b.md"),
            ("> [a](\n> b.md)", "b.md", "b.md"),
            ("> [a]:\r\n> <b.md>\r\n> \"t\"", "b.md", "b.md"),
            ("[a\\]b]: b.md 'x'", "b.md", "b.md"),
            ("| t |\n| - |\n| [a\\|b](c\\|d.md) |", "c\\|d.md", "c|d.md"),
            ("x <a href=\"b&amp;c.md\">y</a>", "b&amp;c.md", "b&c.md"),
            ("- <picture>\n  <source srcset='b.png 2x'>\n  </picture>", "b.png", "b.png"),
            ("<p>\n  <img src='b.png'>\n</p>", "b.png", "b.png"),
            ("> <p>\r\n> <a\r\n> href=b.md>x</a></p>", "b.md", "b.md"),
        ] {
            assert_eq!(found(text), [(raw.to_owned(), meant.to_owned())], "{text}");
        }
    }

    #[test]
    fn links_within_links_and_definitions_with_their_use() {
        let all: Vec<String> =
            found("[![a](p.png)](q.md) [b] [c][b]\n\n[b]: r.md").into_iter().map(|(raw, _)| raw).collect();
        assert_eq!(all, ["q.md", "p.png", "r.md"]);
    }

    #[test]
    fn texts_without_a_destination() {
        for text in ["`[a](b.md)`", "```\n[a](b.md)\n```", "[@key]", "<https://e.org>", "<!-- <a href='b.md'> -->"] {
            assert_eq!(found(text), [], "{text}");
        }
    }
}
