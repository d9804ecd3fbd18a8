//! Parses notes: the items of the ordered list under an excerpt, each of which begins with the code that it explains.
//!
//! ```text
//! item    = binding { ("/" | "…" | "...") binding } note
//! binding = code span [ "(" number ")" ] | link to "#region", "#L3-L5" or "#fn:name"
//! ```

use pulldown_cmark::{Event, Tag};

use super::{Body, Events};
use infralens_source::diag::{Diagnostic, codes};
use infralens_source::selector::{Selector, line_help};
use infralens_source::source::{Source, Span};

/// A note: one item of the list.
#[derive(Debug)]
pub struct Note {
    /// The events inside the item.
    pub events: Events,
    pub span: Span,
    /// The code that it is bound to, in the order written; empty if that could not be parsed.
    pub bindings: Vec<Binding>,
    /// The index of the first event after the bindings.
    pub body: usize,
    /// A code span after the bindings that would be one of them if the separator before it were `/` or `…`.
    pub missed_binding: Option<(String, Span)>,
    /// What follows the last code span if it resembles `(2)`, such as `(2nd)`.
    pub missed_number: Option<String>,
}

/// Code that a note is bound to: one anchor, or the lines from one to another.
#[derive(Debug)]
pub struct Binding {
    /// The anchor, or the first line of a range.
    pub from: Anchor,
    /// The last line of a range.
    pub to: Option<Anchor>,
}

/// One end of a binding.
#[derive(Debug)]
pub enum Anchor {
    /// A code span, whose text is looked up in the lines of the excerpt.
    Token {
        text: String,
        /// Which occurrence of the text is meant, from 1.
        nth: usize,
        /// The span of the code span in the page, including `(2)` if that is written.
        span: Span,
        /// The index of the code span's event.
        event: usize,
    },
    /// A link into the excerpt.
    Place {
        /// The lines, region or symbol that it points to.
        selector: Selector,
        span: Span,
        /// The index of the event that starts the link.
        event: usize,
    },
}

impl Anchor {
    pub fn span(&self) -> &Span {
        match self {
            Self::Token { span, .. } | Self::Place { span, .. } => span,
        }
    }

    /// Returns the index of its first event.
    pub fn event(&self) -> usize {
        match self {
            Self::Token { event, .. } | Self::Place { event, .. } => *event,
        }
    }
}

/// A separator between two bindings.
enum Separator {
    /// `/`
    And,
    /// `…` or `...`
    To,
}

/// Separators between code spans that are common in prose but do not separate bindings.
const OTHER_SEPARATORS: [&str; 13] = [",", "，", "、", "and", "&", "+", "-", "–", "to", "..", "→", "->", "=>"];

/// Parses the list with the events `list`, from `Start` to after `End`.
pub fn read(source: &Source, body: &Body, list: Events, out: &mut Vec<Diagnostic>) -> Vec<Note> {
    items(body, list)
        .into_iter()
        .map(|(events, span)| {
            let mut cursor = Cursor::new(source, body, events.clone());
            let mut note = Note {
                body: events.start,
                events,
                span,
                bindings: Vec::new(),
                missed_binding: None,
                missed_number: None,
            };
            match cursor.bindings() {
                Ok(bindings) => {
                    note.bindings = bindings;
                    note.body = cursor.at;
                    note.missed_binding = cursor.missed_binding();
                    note.missed_number = cursor.missed_number();
                }
                Err(diagnostic) => out.push(*diagnostic),
            }
            note
        })
        .collect()
}

/// Parses the anchor that an item begins with, as in a note; `None` if it does not begin with one.
pub fn first_anchor(source: &Source, body: &Body, events: Events) -> Option<Anchor> {
    Cursor::new(source, body, events).anchor().ok().flatten()
}

/// Returns the items of a list, each as the events inside it and its span.
pub fn items(body: &Body, list: Events) -> Vec<(Events, Span)> {
    let is_whole =
        |item: &Events| item.end <= list.end && matches!(body.events.event(item.start), Event::Start(Tag::Item));
    let items = body.events.children(list.start + 1..list.end).filter(is_whole);
    items.map(|item| (item.start + 1..item.end - 1, body.events.span(item.start))).collect()
}

/// A position in the events of an item, from which bindings are parsed.
struct Cursor<'a> {
    source: &'a Source,
    body: &'a Body,
    at: usize,
    end: usize,
    /// How many bytes of the text from event `at` on have been consumed.
    offset: usize,
}

impl<'a> Cursor<'a> {
    /// Begins inside the paragraph that an item with blank lines begins with.
    fn new(source: &'a Source, body: &'a Body, events: Events) -> Self {
        let is_loose = !events.is_empty() && matches!(body.events.event(events.start), Event::Start(Tag::Paragraph));
        Self { source, body, at: events.start + usize::from(is_loose), end: events.end, offset: 0 }
    }

    fn bindings(&mut self) -> Result<Vec<Binding>, Box<Diagnostic>> {
        let Some(first) = self.anchor()? else { return Err(Box::new(self.unbound())) };
        let mut bindings = vec![Binding { from: first, to: None }];
        loop {
            let before = (self.at, self.offset);
            let Some(separator) = self.separator() else { break };
            let Some(anchor) = self.anchor()? else {
                (self.at, self.offset) = before;
                break;
            };
            match (separator, bindings.last_mut()) {
                (Separator::To, Some(last)) if last.to.is_none() => {
                    self.check_range(&last.from, &anchor)?;
                    last.to = Some(anchor);
                }
                (Separator::To, _) => return Err(Box::new(self.double_range(&anchor))),
                (Separator::And, _) => bindings.push(Binding { from: anchor, to: None }),
            }
        }
        Ok(bindings)
    }

    fn event(&self) -> Option<Event<'a>> {
        (self.at < self.end).then(|| self.body.events.event(self.at))
    }

    fn anchor(&mut self) -> Result<Option<Anchor>, Box<Diagnostic>> {
        let Some(event) = self.event() else { return Ok(None) };
        let index = self.at;
        let mut span = self.body.events.span(index);
        match event {
            Event::Code(code) => {
                let text = code.to_string();
                self.at += 1;
                self.offset = 0;
                let (nth, bytes) = self.nth().unwrap_or((1, 0));
                span.end += bytes;
                Ok(Some(Anchor::Token { text, nth, span, event: index }))
            }
            Event::Start(Tag::Link { dest_url, .. }) if dest_url.starts_with('#') => {
                let selector = Selector::parse(&dest_url[1..])
                    .map_err(|problem| Box::new(self.bad_link(&span, problem, &dest_url[1..])))?;
                while self.at < self.end && self.body.events.span(self.at).end <= span.end {
                    self.at += 1;
                }
                self.offset = 0;
                Ok(Some(Anchor::Place { selector, span, event: index }))
            }
            _ => Ok(None),
        }
    }

    /// Consumes `(2)` directly after a code span. Returns the number and how many bytes were consumed. The brackets may be
    /// wide, and have white space inside.
    fn nth(&mut self) -> Option<(usize, usize)> {
        let text = self.text();
        let (digits, rest) = text.trim_start().strip_prefix(['(', '（'])?.split_once([')', '）'])?;
        let nth = digits.trim().parse().ok().filter(|&nth| nth > 0)?;
        let consumed = text.len() - rest.len();
        self.consume(consumed);
        Some((nth, consumed))
    }

    /// Consumes a separator and the white space around it.
    fn separator(&mut self) -> Option<Separator> {
        let text = self.text();
        let (separator, rest) = [("/", Separator::And), ("…", Separator::To), ("...", Separator::To)]
            .into_iter()
            .find_map(|(sign, separator)| Some((separator, text.trim_start().strip_prefix(sign)?)))?;
        self.consume(text.len() - rest.trim_start().len());
        Some(separator)
    }

    /// Returns the next code span if one of [`OTHER_SEPARATORS`] is all that comes before it.
    fn missed_binding(&self) -> Option<(String, Span)> {
        if !OTHER_SEPARATORS.contains(&self.text().trim()) {
            return None;
        }
        let is_text = |event: &Event<'_>| matches!(event, Event::Text(_) | Event::SoftBreak);
        match self.body.events.range(self.at..self.end).find(|(event, _)| !is_text(event))? {
            (Event::Code(code), span) => Some((code.to_string(), span)),
            _ => None,
        }
    }

    /// Returns what comes next if it was probably meant to choose one of several places, as `(2)` does: `(2nd)`, `[2]`,
    /// `(line 4)`, `#2`, `②`.
    fn missed_number(&self) -> Option<String> {
        let text = self.text();
        let text = text.trim_start();
        let end = match text.chars().next()? {
            open @ ('(' | '[' | '（') => {
                let (inside, rest) = text[open.len_utf8()..].split_once([')', ']', '）'])?;
                is_ordinal(inside.trim()).then(|| text.len() - rest.len())?
            }
            '#' => 1 + text[1..].find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len() - 1),
            circled @ '①'..='⑳' => circled.len_utf8(),
            _ => return None,
        };
        (end > 1).then(|| text[..end].to_owned())
    }

    /// Returns the text from here to the next event that is not text. A line break is a space.
    fn text(&self) -> String {
        let mut text = String::new();
        for (event, _) in self.body.events.range(self.at..self.end) {
            match event {
                Event::Text(part) => text.push_str(&part),
                Event::SoftBreak => text.push(' '),
                _ => break,
            }
        }
        text.split_off(self.offset.min(text.len()))
    }

    /// Moves on by `bytes` bytes of [`Cursor::text`].
    fn consume(&mut self, bytes: usize) {
        self.offset += bytes;
        while let Some(event) = self.event() {
            let len = match event {
                Event::Text(part) => part.len(),
                Event::SoftBreak => 1,
                _ => return,
            };
            if self.offset < len {
                return;
            }
            self.offset -= len;
            self.at += 1;
        }
    }

    /// Returns the span of the first line from here on.
    fn first_line(&self) -> Span {
        self.source.first_line(&self.body.events.get(self.at).map_or(0..0, |(_, span)| span))
    }

    fn unbound(&self) -> Diagnostic {
        self.source
            .diagnostic(codes::E0312, self.first_line(), "this note does not begin with the code that it explains")
            .help(
                "begin it with a code span that is in the excerpt, or with a link to `#region`, `#L3-L5` or `#fn:name`",
            )
            .help("if this list is not meant as notes, put a paragraph between the fence and the list")
    }

    fn bad_link(&self, span: &Span, problem: String, selector: &str) -> Diagnostic {
        let help = "a note's link points into its excerpt: `#region`, `#L3-L5` or `#fn:name`";
        self.source
            .diagnostic(codes::E0311, span.clone(), problem)
            .help(line_help(selector).unwrap_or_else(|| help.into()))
    }

    fn check_range(&self, from: &Anchor, to: &Anchor) -> Result<(), Box<Diagnostic>> {
        match [from, to].into_iter().find(|anchor| matches!(anchor, Anchor::Place { .. })) {
            None => Ok(()),
            Some(link) => Err(Box::new(
                self.source
                    .diagnostic(codes::E0312, link.span().clone(), "both ends of a range must be code spans")
                    .help("bind the note to the link alone, or write both ends of the range as code spans"),
            )),
        }
    }

    fn double_range(&self, anchor: &Anchor) -> Diagnostic {
        self.source
            .diagnostic(codes::E0312, anchor.span().clone(), "this range already has an end")
            .help("join several ranges with `/`")
    }
}

/// Whether some words name one of several, or a line: `2`, `2.`, `2nd`, `#2`, `second`, `last`, `line 4`.
fn is_ordinal(text: &str) -> bool {
    const WORDS: [&str; 6] = ["first", "second", "third", "fourth", "fifth", "last"];
    let text = text.to_ascii_lowercase();
    let number = text.trim_start_matches("line ").trim_start_matches(['#', 'l']);
    let digits = number.trim_start_matches(|c: char| c.is_ascii_digit());
    WORDS.contains(&text.as_str())
        || digits.len() < number.len() && matches!(digits, "" | "." | "st" | "nd" | "rd" | "th")
}
