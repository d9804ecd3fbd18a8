//! Makes the Markdown parser read a page as the format defines it, by giving it a text that differs from the page.
//!
//! 1. A code span takes precedence over a formula, and an excerpt does not become a paragraph because its caption contains a
//!    backtick. Where the parser decides otherwise, the dollar signs or backticks that misled it are replaced by control
//!    characters that the page does not contain, and the page is parsed again.
//! 2. The parser knows where emphasis and quotations begin and end by the spaces around words, which Chinese and Japanese do
//!    not have. Where these scripts need another decision (`flanks`), a letter or a punctuation mark that the page does not
//!    contain is inserted next to the delimiter.
//!
//! The events get the original characters back, and their spans are those of the page.

use std::borrow::Cow;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, Tag};

use super::flanks::{self, Side};
use infralens_source::source::Span;

/// The places at which the parser has read a page differently from the format.
#[derive(Debug, Default)]
pub struct Misread {
    /// Formulas that contain a backtick.
    pub formulas: Vec<Span>,
    /// Offsets of backticks in the opening line of an excerpt, because of which it became a paragraph.
    pub backticks: Vec<usize>,
}

impl Misread {
    /// Returns the offsets of the characters to hide, relative to `start`, where the parser begins: the backticks, and the
    /// dollar signs that open the formulas.
    pub fn offsets(&self, page: &str, start: usize) -> Vec<usize> {
        let dollars = self.formulas.iter().flat_map(|span| {
            let text = &page[span.clone()];
            span.start..span.start + text.len() - text.trim_start_matches('$').len()
        });
        self.backticks.iter().copied().chain(dollars).map(|offset| offset - start).collect()
    }
}

/// The characters that can be hidden.
const HIDDEN: [char; 2] = ['$', '`'];
/// The length of the characters that are inserted.
const SIGN: usize = 3;

/// A Markdown text with some of its characters hidden, and others inserted.
#[derive(Debug)]
pub struct Masked<'a> {
    text: Cow<'a, str>,
    /// The replacement for each character of [`HIDDEN`]: control characters that the text does not contain.
    marks: Option<[char; 2]>,
    /// The characters that are inserted, which the original does not contain: a letter and a punctuation mark.
    signs: Option<[char; 2]>,
    /// Where they are inserted, as offsets in the original.
    inserted: Vec<usize>,
}

impl<'a> Masked<'a> {
    /// Wraps a text in which nothing is hidden.
    pub fn new(text: &'a str) -> Self {
        let mut masked = Self { text: Cow::Borrowed(text), marks: None, signs: None, inserted: Vec::new() };
        let places = flanks::misread(text);
        let Some(signs) = (!places.is_empty()).then(|| free_signs(text)).flatten() else { return masked };
        let mut changed = String::with_capacity(text.len() + places.len() * SIGN);
        let mut from = 0;
        for (at, side) in places {
            changed.push_str(&text[from..at]);
            changed.push(signs[usize::from(side == Side::Punctuation)]);
            masked.inserted.push(at);
            from = at;
        }
        changed.push_str(&text[from..]);
        masked.text = Cow::Owned(changed);
        masked.signs = Some(signs);
        masked
    }

    /// Returns the text for the parser.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the span in the original of a span of the parser.
    pub fn original(&self, span: &Span) -> Span {
        let original = |offset: usize| {
            // How many characters are inserted before the offset: each moves what follows it.
            let (mut low, mut high) = (0, self.inserted.len());
            while low < high {
                let middle = low.midpoint(high);
                if self.inserted[middle] + middle * SIGN < offset { low = middle + 1 } else { high = middle }
            }
            offset - low * SIGN
        };
        original(span.start)..original(span.end)
    }

    /// Hides the characters at these offsets of the original. Returns whether that changes anything.
    pub fn hide(&mut self, offsets: &[usize]) -> bool {
        let Some(marks) = self.marks.or_else(|| free_marks(&self.text)) else { return false };
        self.marks = Some(marks);
        let mut bytes = std::mem::take(&mut self.text).into_owned().into_bytes();
        let mut changed = false;
        for &offset in offsets {
            let before = self.inserted.partition_point(|&at| at <= offset);
            let Some(byte) = bytes.get_mut(offset + before * SIGN) else { continue };
            for (hidden, mark) in HIDDEN.into_iter().zip(marks) {
                if char::from(*byte) == hidden {
                    // Both are ASCII, so the text stays UTF-8.
                    *byte = u8::try_from(mark).unwrap_or(*byte);
                    changed = true;
                }
            }
        }
        self.text = Cow::Owned(String::from_utf8(bytes).unwrap_or_default());
        changed
    }

    /// Restores the original characters in a text of the parser.
    pub fn restore_text<'e>(&self, text: CowStr<'e>) -> CowStr<'e> {
        let is_mark = |c: char| self.marks.is_some_and(|marks| marks.contains(&c));
        let is_sign = |c: char| self.signs.is_some_and(|signs| signs.contains(&c));
        if !text.contains(|c| is_mark(c) || is_sign(c)) {
            return text;
        }
        let back = |c| {
            let hidden = self.marks.and_then(|marks| marks.iter().position(|&mark| mark == c));
            hidden.map_or(c, |at| HIDDEN[at])
        };
        text.chars().filter(|&c| !is_sign(c)).map(back).collect::<String>().into()
    }

    /// Restores the original characters in an event.
    pub fn restore<'e>(&self, event: Event<'e>) -> Event<'e> {
        if self.marks.is_none() && self.signs.is_none() {
            return event;
        }
        let back = |text: CowStr<'e>| self.restore_text(text);
        match event {
            Event::Text(text) => Event::Text(back(text)),
            Event::Code(text) => Event::Code(back(text)),
            Event::InlineMath(text) => Event::InlineMath(back(text)),
            Event::DisplayMath(text) => Event::DisplayMath(back(text)),
            Event::Html(text) => Event::Html(back(text)),
            Event::InlineHtml(text) => Event::InlineHtml(back(text)),
            Event::FootnoteReference(label) => Event::FootnoteReference(back(label)),
            Event::Start(Tag::FootnoteDefinition(label)) => Event::Start(Tag::FootnoteDefinition(back(label))),
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(back(info))))
            }
            Event::Start(Tag::Heading { level, id, classes, attrs }) => Event::Start(Tag::Heading {
                level,
                id: id.map(back),
                classes: classes.into_iter().map(back).collect(),
                attrs: attrs.into_iter().map(|(name, value)| (back(name), value.map(back))).collect(),
            }),
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                Event::Start(Tag::Link { link_type, dest_url: back(dest_url), title: back(title), id: back(id) })
            }
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                Event::Start(Tag::Image { link_type, dest_url: back(dest_url), title: back(title), id: back(id) })
            }
            event => event,
        }
    }
}

/// Returns two control characters that a text does not contain and that have no meaning in Markdown.
fn free_marks(text: &str) -> Option<[char; 2]> {
    let mut free = ('\x01'..='\x08').chain('\x0e'..='\x1f').filter(|&mark| !text.contains(mark));
    Some([free.next()?, free.next()?])
}

/// Returns a character that counts as a letter and one that is punctuation, neither of which a text contains. Each takes
/// [`SIGN`] bytes.
fn free_signs(text: &str) -> Option<[char; 2]> {
    let letter = ('\u{e000}'..='\u{e0ff}').find(|&sign| !text.contains(sign))?;
    let punctuation = ('\u{2e00}'..='\u{2e2e}').find(|&sign| !text.contains(sign))?;
    Some([letter, punctuation])
}
