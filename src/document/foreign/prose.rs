//! The running text of a page, block by block, at the places of the source: what is code, formula, HTML, markup or the
//! prefix of a quote is masked.

use pulldown_cmark::{Event, LinkType, Tag, TagEnd};

use crate::document::Body;
use crate::source::{Source, Span};

/// What stands in the place of a byte that is not text.
pub const MASK: char = '\0';

/// A paragraph, a heading, a cell, or another block that holds text directly.
#[derive(Debug)]
pub struct Block {
    /// Where it begins in the source.
    pub start: usize,
    /// The bytes of the source from there on, those that are not text masked, so that offsets stay. A character that
    /// Markdown escapes has its backslash before it.
    pub text: String,
    /// Whether it is the first block of a quote that is not an alert.
    pub opens_quote: bool,
    /// Whether it lies in a quote.
    pub in_quote: bool,
}

impl Block {
    /// The lines of the text, each with where its first character that is text lies in the source; without masked bytes
    /// and white space around them.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let is_empty = |c: char| c == MASK || c.is_whitespace();
        let mut at = 0;
        self.text.split('\n').map(move |line| {
            let start = at + line.len() - line.trim_start_matches(is_empty).len();
            at += line.len() + 1;
            (self.start + start, line.trim_matches(is_empty))
        })
    }

    /// A range of the text as a range of the source.
    pub fn span(&self, range: &Span) -> Span {
        self.start + range.start..self.start + range.end
    }
}

/// The blocks of a page, in its order.
pub fn blocks(source: &Source, body: &Body) -> Vec<Block> {
    let mut reader = Reader { source, found: Vec::new(), open: None, hidden: 0, quotes: 0, opens_quote: false };
    for (event, span) in &body.events {
        reader.event(event, span);
    }
    reader.close();
    reader.found
}

struct Reader<'a> {
    source: &'a Source,
    found: Vec<Block>,
    open: Option<Block>,
    /// Blocks of code and HTML, and bare addresses, that are open.
    hidden: usize,
    quotes: usize,
    /// Whether a quote has begun just now.
    opens_quote: bool,
}

impl Reader<'_> {
    fn event(&mut self, event: &Event<'_>, span: &Span) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(*tag),
            Event::Text(_) if self.hidden == 0 => self.push(span),
            Event::SoftBreak | Event::HardBreak => self.push(span),
            Event::InlineHtml(_) if self.is_in_braces(span) => self.push(span),
            Event::Code(_) | Event::InlineMath(_) | Event::DisplayMath(_) | Event::InlineHtml(_) => self.mask(span),
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Link { link_type: LinkType::Autolink | LinkType::Email, .. } => self.hidden += 1,
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. } => {}
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
            // Nothing but an address is hidden within a line.
            TagEnd::Link => self.hidden = 0,
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Image => {}
            _ => {
                self.close();
                self.quotes -= usize::from(matches!(tag, TagEnd::BlockQuote(_)));
                if matches!(tag, TagEnd::CodeBlock | TagEnd::HtmlBlock) {
                    self.hidden = 0;
                }
            }
        }
    }

    /// A tag in `{{<figure>}}` is no HTML.
    fn is_in_braces(&self, span: &Span) -> bool {
        let text = self.source.text();
        text[..span.start].ends_with("{{") && text[span.end..].starts_with("}}")
    }

    fn push(&mut self, span: &Span) {
        let text = self.source.text();
        let end = self.open.as_ref().map_or(span.start, |open| open.start + open.text.len());
        // Not before what is known: text that Markdown moved is left out.
        if span.start < end {
            return;
        }
        let is_escaped = text[..span.start].ends_with('\\') && (self.open.is_none() || span.start > end);
        let start = span.start - usize::from(is_escaped);
        let open = self.open.get_or_insert_with(|| Block {
            start,
            text: String::new(),
            opens_quote: self.opens_quote,
            in_quote: self.quotes > 0,
        });
        open.text.extend(std::iter::repeat_n(MASK, start - (open.start + open.text.len())));
        open.text.push_str(&text[start..span.end]);
    }

    /// Marks that a block goes on to here with what is not text.
    fn mask(&mut self, span: &Span) {
        let open = self.open.get_or_insert_with(|| Block {
            start: span.start,
            text: String::new(),
            opens_quote: self.opens_quote,
            in_quote: self.quotes > 0,
        });
        let known = open.start + open.text.len();
        open.text.extend(std::iter::repeat_n(MASK, span.end.saturating_sub(known)));
    }

    fn close(&mut self) {
        self.found.extend(self.open.take());
    }
}
