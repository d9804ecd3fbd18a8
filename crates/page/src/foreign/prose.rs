//! Extracts the running text of a page, block by block, with the offsets of the source: code, formulas, HTML, markup and
//! the prefixes of quotes are masked.

use pulldown_cmark::{Event, LinkType, Tag, TagEnd};

use crate::{Body, is_inline};
use infralens_source::source::{Source, Span};

/// The character that replaces each byte that is not text.
pub const MASK: char = '\0';

/// A paragraph, a heading, a cell, or another block that contains text directly.
#[derive(Debug)]
pub struct TextBlock {
    /// The offset in the source at which it begins.
    pub start: usize,
    /// The bytes of the source from there on. Bytes that are not text are masked, so that offsets stay valid. A character
    /// that Markdown escapes keeps its backslash.
    pub text: String,
    /// Whether it is the first block of a quote that is not an alert.
    pub opens_quote: bool,
    pub in_quote: bool,
}

impl TextBlock {
    /// Returns the lines of the text without masked bytes and white space before them, or white space after them, each with
    /// the offset in the source of its first character.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let is_empty = |c: char| c == MASK || c.is_whitespace();
        let mut at = 0;
        self.text.split('\n').map(move |line| {
            let start = at + line.len() - line.trim_start_matches(is_empty).len();
            at += line.len() + 1;
            (self.start + start, line.trim_start_matches(is_empty).trim_end())
        })
    }

    /// Converts a range of the text to a span of the source.
    pub fn span(&self, range: &Span) -> Span {
        self.start + range.start..self.start + range.end
    }
}

/// Returns the text blocks of a page, in order.
pub fn blocks(source: &Source, body: &Body) -> Vec<TextBlock> {
    let mut collector = Collector { source, blocks: Vec::new(), open: None, hidden: 0, quotes: 0, opens_quote: false };
    for (event, span) in body.events.iter() {
        collector.event(&event, &span);
    }
    collector.close();
    collector.blocks
}

/// Collects text blocks from events.
struct Collector<'a> {
    source: &'a Source,
    blocks: Vec<TextBlock>,
    open: Option<TextBlock>,
    /// The number of open code blocks, HTML blocks and bare addresses, whose text is not searched.
    hidden: usize,
    quotes: usize,
    /// Whether a quote that is not an alert has begun, and none of its blocks has ended.
    opens_quote: bool,
}

impl Collector<'_> {
    fn event(&mut self, event: &Event<'_>, span: &Span) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(*tag),
            Event::Text(_) if self.hidden == 0 => self.push(span),
            Event::SoftBreak | Event::HardBreak => self.push(span),
            Event::Rule => self.opens_quote = false,
            Event::InlineHtml(_) if self.is_in_braces(span) => self.push(span),
            Event::Code(_) | Event::InlineMath(_) | Event::DisplayMath(_) | Event::InlineHtml(_) => self.mask(span),
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Link { link_type: LinkType::Autolink | LinkType::Email, .. } => self.hidden += 1,
            _ if is_inline(tag.to_end()) => {}
            _ => {
                self.close();
                self.hidden += usize::from(matches!(tag, Tag::CodeBlock(_) | Tag::HtmlBlock));
                self.quotes += usize::from(matches!(tag, Tag::BlockQuote(_)));
                self.opens_quote = match tag {
                    Tag::BlockQuote(kind) => kind.is_none(),
                    Tag::Paragraph => self.opens_quote,
                    _ => false,
                };
            }
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            // Inside a line, only the text of an address is hidden.
            TagEnd::Link => self.hidden = 0,
            _ if is_inline(tag) => {}
            _ => {
                self.close();
                self.quotes -= usize::from(matches!(tag, TagEnd::BlockQuote(_)));
                self.opens_quote = false;
                if matches!(tag, TagEnd::CodeBlock | TagEnd::HtmlBlock) {
                    self.hidden = 0;
                }
            }
        }
    }

    /// Returns whether the tag at `span` is in double braces, as in `{{<figure>}}`, which is not HTML.
    fn is_in_braces(&self, span: &Span) -> bool {
        let text = self.source.text();
        text[..span.start].ends_with("{{") && text[span.end..].starts_with("}}")
    }

    /// Adds the text at `span`. Text that the parser moved backward is left out.
    fn push(&mut self, span: &Span) {
        let text = self.source.text();
        let end = self.open.as_ref().map_or(span.start, |open| open.start + open.text.len());
        if span.start < end {
            return;
        }
        let is_escaped = text[..span.start].ends_with('\\') && (self.open.is_none() || span.start > end);
        let start = span.start - usize::from(is_escaped);
        self.mask(&(start..start));
        if let Some(open) = &mut self.open {
            open.text.push_str(&text[start..span.end]);
        }
    }

    /// Masks everything up to the end of `span`. Begins a block at `span` if none is open.
    fn mask(&mut self, span: &Span) {
        let open = self.open.get_or_insert_with(|| TextBlock {
            start: span.start,
            text: String::new(),
            opens_quote: self.opens_quote,
            in_quote: self.quotes > 0,
        });
        let end = open.start + open.text.len();
        open.text.extend(std::iter::repeat_n(MASK, span.end.saturating_sub(end)));
    }

    fn close(&mut self) {
        self.blocks.extend(self.open.take());
    }
}
