//! Makes the Markdown parser read a page as the format defines it, by giving it a text that differs from the page.
//!
//! 1. A code span takes precedence over a formula, and an excerpt does not become a paragraph because its caption contains a
//!    backtick. Where the parser decides otherwise, the dollar signs or backticks that misled it are replaced by control
//!    characters that the page does not contain, and the page is parsed again.
//! 2. The parser knows where emphasis and quotations begin and end by the spaces around words, which Chinese and Japanese do
//!    not have. Where these scripts need another decision (`flanks`), a letter or a punctuation mark that the page does not
//!    contain is inserted next to the delimiter.
//!
//! 3. The first two lines of a prediction are HTML to the parser, so it does not read the question. The tags are replaced by
//!    characters that make the first line a block of its own, and the question a paragraph; what is between `<code>` and
//!    `</code>` by characters without a meaning.
//!
//! The events get the original characters back, and their spans are those of the page.

use std::borrow::Cow;

use pulldown_cmark::{CowStr, Event};

use super::events::with_texts;
use super::flanks::{self, Side};
use super::prediction::{self, Head};
use infralens_source::source::Span;

/// The places at which the parser has read a page differently from the format.
#[derive(Debug, Default)]
pub struct Misread {
    /// Formulas that contain a backtick.
    pub formulas: Vec<Span>,
    /// Offsets of backticks in the opening line of an excerpt, because of which it became a paragraph.
    pub backticks: Vec<usize>,
    /// The beginnings of predictions.
    pub predictions: Vec<Head>,
}

/// A part of the beginning of a prediction.
#[derive(Debug)]
struct Cover {
    span: Span,
    part: Part,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Details,
    Summary,
    SummaryEnd,
    Code,
}

impl Misread {
    /// Returns the offsets of the backticks and of the dollar signs that open the formulas, in a text that begins at `start` in
    /// its page.
    fn offsets(&self, text: &str, start: usize) -> Vec<usize> {
        let dollars = self.formulas.iter().flat_map(|span| {
            let formula = &text[span.start - start..span.end - start];
            span.start..span.end - formula.trim_start_matches('$').len()
        });
        self.backticks.iter().copied().chain(dollars).map(|offset| offset - start).collect()
    }

    /// Returns the tags of predictions, in a text that begins at `start`.
    fn covers(&self, start: usize) -> Vec<Cover> {
        let parts = self.predictions.iter().flat_map(|head| {
            let tags =
                [(&head.details, Part::Details), (&head.summary, Part::Summary), (&head.summary_end, Part::SummaryEnd)];
            tags.into_iter().chain(head.code.iter().map(|code| (code, Part::Code)))
        });
        parts.map(|(span, part)| Cover { span: span.start - start..span.end - start, part }).collect()
    }
}

/// The characters that can be hidden.
const HIDDEN: [char; 2] = ['$', '`'];
/// What `<details>` is covered with, so that it is a block of its own; a zero stands for a character that covers.
const COMMENT: &[u8] = b"<!--\0\0-->";
/// The length of the characters that are inserted.
const SIGN: usize = 3;

/// A Markdown text with some of its characters hidden, and others inserted.
#[derive(Debug, Default)]
pub struct Masked<'a> {
    original: &'a str,
    text: Cow<'a, str>,
    /// The replacement for each character of [`HIDDEN`], and what covers the tags of predictions: control characters that the
    /// text does not contain.
    marks: Option<[char; 3]>,
    /// The characters that are inserted, which the original does not contain: a letter and a punctuation mark.
    signs: Option<[char; 2]>,
    /// Where they are inserted: the offset in the original, and that in the text.
    inserted: Vec<(usize, usize)>,
    /// The parts of predictions that are covered, in their order.
    covers: Vec<Cover>,
}

impl<'a> Masked<'a> {
    /// Wraps a text in which nothing is hidden.
    pub fn new(text: &'a str) -> Self {
        let mut masked = Self { original: text, text: Cow::Borrowed(text), ..Self::default() };
        let places = flanks::misread(text);
        let Some(signs) = (!places.is_empty()).then(|| free_signs(text)).flatten() else { return masked };
        let mut changed = String::with_capacity(text.len() + places.len() * SIGN);
        let mut from = 0;
        for (at, side) in places {
            changed.push_str(&text[from..at]);
            masked.inserted.push((at, changed.len()));
            changed.push(signs[usize::from(side == Side::Punctuation)]);
            from = at;
        }
        changed.push_str(&text[from..]);
        masked.text = Cow::Owned(changed);
        masked.signs = Some(signs);
        masked
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the span in the original of a span of the parser.
    pub fn original(&self, span: &Span) -> Span {
        // Each character that is inserted before an offset moves what follows it.
        let original = |offset: usize| offset - self.inserted.partition_point(|&(_, at)| at < offset) * SIGN;
        original(span.start)..original(span.end)
    }

    /// Hides what was misread: the backticks, the dollar signs that open the formulas, and the tags of predictions. The original
    /// begins at `start` in its page. Returns whether that changes anything.
    pub fn hide(&mut self, misread: &Misread, start: usize) -> bool {
        let (offsets, covers) = (misread.offsets(self.original, start), misread.covers(start));
        if offsets.is_empty() && covers.is_empty() {
            return false;
        }
        let Some(marks) = self.marks.or_else(|| free_marks(&self.text)) else { return false };
        self.marks = Some(marks);
        let mut bytes = std::mem::take(&mut self.text).into_owned().into_bytes();
        let mut changed = !covers.is_empty();
        let index = |offset: usize| offset + self.inserted.partition_point(|&(at, _)| at <= offset) * SIGN;
        let cover = u8::try_from(marks[2]).unwrap_or_default();
        for Cover { span, part } in &covers {
            for (nth, offset) in span.clone().enumerate() {
                let Some(byte) = bytes.get_mut(index(offset)) else { continue };
                *byte = match part {
                    Part::Details => COMMENT.get(nth).copied().filter(|&byte| byte != 0).unwrap_or(cover),
                    Part::SummaryEnd => b' ',
                    Part::Summary | Part::Code => cover,
                };
            }
        }
        for offset in offsets {
            let Some(byte) = bytes.get_mut(index(offset)) else { continue };
            for (hidden, mark) in HIDDEN.into_iter().zip(marks) {
                if char::from(*byte) == hidden {
                    // Both are ASCII, so the text stays UTF-8.
                    *byte = u8::try_from(mark).unwrap_or(*byte);
                    changed = true;
                }
            }
        }
        self.text = Cow::Owned(String::from_utf8(bytes).unwrap_or_default());
        self.covers.extend(covers);
        self.covers.sort_by_key(|cover| cover.span.start);
        changed
    }

    /// Restores the original characters in a text of the parser.
    pub fn restore_text<'e>(&self, text: CowStr<'e>) -> CowStr<'e> {
        let is_mark = |c: char| self.marks.is_some_and(|marks| marks.contains(&c));
        let is_sign = |c: char| self.signs.is_some_and(|signs| signs.contains(&c));
        if !text.contains(|c| is_mark(c) || is_sign(c)) {
            return text;
        }
        let back = |c| match self.marks.and_then(|marks| marks.iter().position(|&mark| mark == c)) {
            Some(at) => HIDDEN.get(at).copied(),
            None => Some(c),
        };
        text.chars().filter(|&c| !is_sign(c)).filter_map(back).collect::<String>().into()
    }

    /// Returns whether a block of the original is the first line of a prediction.
    pub fn is_prediction(&self, block: &Span) -> bool {
        self.covered(block).is_some_and(|cover| cover.part == Part::Details)
    }

    /// Returns the first part of a prediction that is covered and begins in a span of the original.
    fn covered(&self, span: &Span) -> Option<&Cover> {
        let first = self.covers.partition_point(|cover| cover.span.start < span.start);
        self.covers.get(first).filter(|cover| cover.span.start < span.end)
    }

    /// Returns whether a tag is next to covered code.
    fn borders_code(&self, tag: &Span) -> bool {
        let next = self.covers.partition_point(|cover| cover.span.start < tag.end);
        let is_code = |index: Option<usize>, is_at: &dyn Fn(&Span) -> bool| {
            let cover = index.and_then(|index| self.covers.get(index));
            cover.is_some_and(|cover| cover.part == Part::Code && is_at(&cover.span))
        };
        is_code(Some(next), &|code| code.start == tag.end)
            || is_code(next.checked_sub(1), &|code| code.end == tag.start)
    }

    /// Restores the original characters in an event, whose span in the original is known. `None` if it is a part of what
    /// covers a prediction.
    pub fn restore<'e>(&self, event: Event<'e>, span: Span) -> Option<(Event<'e>, Span)>
    where
        'a: 'e,
    {
        if self.covers.is_empty() {
            return Some((self.restore_characters(event), span));
        }
        match event {
            Event::Html(_) if self.is_prediction(&span) => {
                Some((Event::Html(CowStr::Borrowed(&self.original[span.clone()])), span))
            }
            Event::InlineHtml(_) if self.borders_code(&span) => None,
            Event::Text(text) => match self.covered(&span).filter(|cover| cover.span.start == span.start) {
                Some(Cover { part: Part::Code, span: code }) => {
                    let text = prediction::code_text(&self.original[code.clone()]);
                    Some((Event::Code(text.into()), code.clone()))
                }
                Some(_) => {
                    let text = self.restore_text(text).trim_start().to_owned();
                    (!text.is_empty()).then(|| (Event::Text(text.clone().into()), span.end - text.len()..span.end))
                }
                None => Some((Event::Text(self.restore_text(text)), span)),
            },
            event => Some((self.restore_characters(event), span)),
        }
    }

    pub fn restore_characters<'e>(&self, event: Event<'e>) -> Event<'e> {
        if self.marks.is_none() && self.signs.is_none() {
            return event;
        }
        with_texts(&event, |text| self.restore_text(text.clone()))
    }
}

/// Returns three control characters that a text does not contain and that have no meaning in Markdown.
fn free_marks(text: &str) -> Option<[char; 3]> {
    let mut free = ('\x01'..='\x08').chain('\x0e'..='\x1f').filter(|&mark| !text.contains(mark));
    Some([free.next()?, free.next()?, free.next()?])
}

/// Returns a character that counts as a letter and one that is punctuation, neither of which a text contains. Each takes
/// [`SIGN`] bytes.
fn free_signs(text: &str) -> Option<[char; 2]> {
    let letter = ('\u{e000}'..='\u{e0ff}').find(|&sign| !text.contains(sign))?;
    let punctuation = ('\u{2e00}'..='\u{2e2e}').find(|&sign| !text.contains(sign))?;
    Some([letter, punctuation])
}
