//! Characters hidden from the Markdown parser where it would give them a meaning that the format does not.
//!
//! Two constructs are read differently from the parser: a code span wins over a formula, and an excerpt may not become a
//! paragraph because its caption holds a backtick. Where the parser decides otherwise, the characters that misled it are
//! hidden, each by one byte, so that every span stays exact; the page is parsed again, and the events get the
//! characters back.

use std::borrow::Cow;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, Tag};

use crate::source::Span;

/// Where the parser has read a page differently from the format.
#[derive(Debug, Default)]
pub struct Misread {
    /// Formulas that hold a backtick.
    pub formulas: Vec<Span>,
    /// Backticks in the opening line of an excerpt, which make it a paragraph.
    pub backticks: Vec<usize>,
}

impl Misread {
    /// What to hide from the parser, which begins at `start`: the backticks, and the dollar signs that open the formulas.
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
    /// What is written for each character of [`HIDDEN`]: control characters that the text does not have.
    marks: Option<[char; 2]>,
}

impl<'a> Masked<'a> {
    /// Takes a text as it is.
    pub fn new(text: &'a str) -> Self {
        Self { text: Cow::Borrowed(text), marks: None }
    }

    /// The text as the parser gets it.
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

    /// The event with the characters that were hidden from the parser.
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

/// Two control characters that a text does not have and to which Markdown gives no meaning.
fn free_marks(text: &str) -> Option<[char; 2]> {
    let mut free = ('\x01'..='\x08').chain('\x0e'..='\x1f').filter(|&mark| !text.contains(mark));
    Some([free.next()?, free.next()?])
}
