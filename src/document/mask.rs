//! Makes the Markdown parser read a page as the format defines it.
//!
//! The format differs from the parser in two ways: a code span takes precedence over a formula, and an excerpt does not
//! become a paragraph because its caption contains a backtick. Where the parser decides otherwise, the dollar signs or
//! backticks that misled it are replaced by control characters that the page does not contain, and the page is parsed
//! again; the events get the original characters back. One byte replaces one byte, so all spans stay valid.

use std::borrow::Cow;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, Tag};

use crate::source::Span;

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

/// A Markdown text with some of its characters hidden.
#[derive(Debug)]
pub struct Masked<'a> {
    text: Cow<'a, str>,
    /// The replacement for each character of [`HIDDEN`]: control characters that the text does not contain.
    marks: Option<[char; 2]>,
}

impl<'a> Masked<'a> {
    /// Wraps a text in which nothing is hidden.
    pub fn new(text: &'a str) -> Self {
        Self { text: Cow::Borrowed(text), marks: None }
    }

    /// Returns the text for the parser.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Hides the characters at these offsets. Returns whether that changes anything.
    pub fn hide(&mut self, offsets: &[usize]) -> bool {
        let Some(marks) = self.marks.or_else(|| free_marks(&self.text)) else { return false };
        self.marks = Some(marks);
        let mut bytes = std::mem::take(&mut self.text).into_owned().into_bytes();
        let mut changed = false;
        for &offset in offsets {
            let Some(byte) = bytes.get_mut(offset) else { continue };
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

    /// Restores the hidden characters in an event.
    pub fn restore<'e>(&self, event: Event<'e>) -> Event<'e> {
        let Some(marks) = self.marks else { return event };
        let back = |text: CowStr<'e>| restored(text, marks);
        match event {
            Event::Text(text) => Event::Text(back(text)),
            Event::Code(text) => Event::Code(back(text)),
            Event::InlineMath(text) => Event::InlineMath(back(text)),
            Event::DisplayMath(text) => Event::DisplayMath(back(text)),
            Event::Html(text) => Event::Html(back(text)),
            Event::InlineHtml(text) => Event::InlineHtml(back(text)),
            Event::FootnoteReference(label) => Event::FootnoteReference(back(label)),
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(back(info))))
            }
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

fn restored(text: CowStr<'_>, marks: [char; 2]) -> CowStr<'_> {
    if !text.contains(marks) {
        return text;
    }
    let back = |c| marks.iter().position(|&mark| mark == c).map_or(c, |at| HIDDEN[at]);
    text.chars().map(back).collect::<String>().into()
}

/// Returns two control characters that a text does not contain and that have no meaning in Markdown.
fn free_marks(text: &str) -> Option<[char; 2]> {
    let mut free = ('\x01'..='\x08').chain('\x0e'..='\x1f').filter(|&mark| !text.contains(mark));
    Some([free.next()?, free.next()?])
}
