//! Notes: the items of the ordered list under an excerpt, each beginning with the code that it is bound to.
//!
//! ```text
//! item    = binding { ("/" | "…" | "...") binding } note
//! binding = code span [ "(" number ")" ] | link to "#region", "#L3-L5" or "#fn:name"
//! ```

use pulldown_cmark::{Event, Tag};

use super::{Body, Events};
use crate::code::selector::{Selector, line_help};
use crate::diag::{Diagnostic, Place, codes};
use crate::source::{Source, Span};

/// One item of the list.
#[derive(Debug)]
pub struct Note {
    /// The events inside the item.
    pub events: Events,
    /// Where the item stands.
    pub span: Span,
    /// What it is bound to, in the order written; empty where that could not be read.
    pub bindings: Vec<Binding>,
    /// The index of the first event after the bindings.
    pub body: usize,
    /// A code span behind the bindings that only a sign other than theirs keeps from being one.
    pub beside: Option<(String, Span)>,
}

/// Code that a note is bound to: one anchor, or the lines from one to another.
#[derive(Debug)]
pub struct Binding {
    /// Where it starts.
    pub from: Anchor,
    /// Where a range ends.
    pub to: Option<Anchor>,
}

/// One end of a binding.
#[derive(Debug)]
pub enum Anchor {
    /// A code span: its text as it stands in a line, and which occurrence, from 1.
    Token {
        /// The text.
        text: String,
        /// Which of its occurrences.
        nth: usize,
        /// The code span in the page, and `(2)` where it is written.
        span: Span,
        /// The event of the code span.
        event: usize,
    },
    /// A link into the excerpt.
    Place {
        /// What it points at.
        selector: Selector,
        /// The link in the page.
        span: Span,
        /// The event that starts the link.
        event: usize,
    },
}

impl Anchor {
    /// Where it stands in the page.
    #[must_use]
    pub fn span(&self) -> &Span {
        match self {
            Self::Token { span, .. } | Self::Place { span, .. } => span,
        }
    }

    /// The index of its first event.
    #[must_use]
    pub fn event(&self) -> usize {
        match self {
            Self::Token { event, .. } | Self::Place { event, .. } => *event,
        }
    }
}

/// What joins one binding to the next.
enum Joint {
    And,
    To,
}

/// What joins code spans elsewhere, but no bindings.
const SIGNS: [&str; 9] = [",", "and", "&", "+", "-", "–", "to", "..", "→"];

/// Reads the list whose events are `list` (from `Start` to after `End`).
pub fn read(source: &Source, body: &Body, list: Events, out: &mut Vec<Diagnostic>) -> Vec<Note> {
    items(body, list)
        .into_iter()
        .map(|(events, span)| {
            let mut cursor = Cursor { source, body, at: events.start, end: events.end, offset: 0 };
            let mut note = Note { body: events.start, events, span, bindings: Vec::new(), beside: None };
            match cursor.bindings() {
                Ok(bindings) => {
                    note.bindings = bindings;
                    note.body = cursor.at;
                    note.beside = cursor.beside();
                }
                Err(diagnostic) => out.push(*diagnostic),
            }
            note
        })
        .collect()
}

/// The code that an item begins with, read as a note's binding is; nothing where it begins otherwise.
pub fn first_anchor(source: &Source, body: &Body, events: Events) -> Option<Anchor> {
    let mut cursor = Cursor { source, body, at: events.start, end: events.end, offset: 0 };
    if matches!(cursor.event(), Some(Event::Start(Tag::Paragraph))) {
        cursor.at += 1;
    }
    cursor.anchor().ok().flatten()
}

/// The items of a list, each as the events inside it and its span.
pub fn items(body: &Body, list: Events) -> Vec<(Events, Span)> {
    let mut depth = 0_usize;
    let mut start = list.start;
    let mut items = Vec::new();
    for index in list {
        match &body.events[index].0 {
            Event::Start(Tag::Item) if depth == 1 => {
                start = index + 1;
                depth += 1;
            }
            Event::Start(_) => depth += 1,
            Event::End(_) => {
                depth -= 1;
                if depth == 1 {
                    items.push((start..index, body.events[start - 1].1.clone()));
                }
            }
            _ => {}
        }
    }
    items
}

/// Walks over the first events of an item.
struct Cursor<'a> {
    source: &'a Source,
    body: &'a Body,
    at: usize,
    end: usize,
    /// Bytes of the text before `at` that are taken already.
    offset: usize,
}

impl Cursor<'_> {
    fn bindings(&mut self) -> Result<Vec<Binding>, Box<Diagnostic>> {
        if matches!(self.event(), Some(Event::Start(Tag::Paragraph))) {
            self.at += 1;
        }
        let Some(first) = self.anchor()? else { return Err(Box::new(self.unbound())) };
        let mut bindings = vec![Binding { from: first, to: None }];
        loop {
            let before = (self.at, self.offset);
            let Some(joint) = self.joint() else { break };
            let Some(anchor) = self.anchor()? else {
                (self.at, self.offset) = before;
                break;
            };
            match (joint, bindings.last_mut()) {
                (Joint::To, Some(last)) if last.to.is_none() => {
                    self.check_range(&last.from, &anchor)?;
                    last.to = Some(anchor);
                }
                (Joint::To, _) => return Err(Box::new(self.double_range(&anchor))),
                (Joint::And, _) => bindings.push(Binding { from: anchor, to: None }),
            }
        }
        Ok(bindings)
    }

    fn event(&self) -> Option<&Event<'static>> {
        (self.at < self.end).then(|| &self.body.events[self.at].0)
    }

    fn anchor(&mut self) -> Result<Option<Anchor>, Box<Diagnostic>> {
        let Some(event) = self.event() else { return Ok(None) };
        let index = self.at;
        let mut span = self.body.events[index].1.clone();
        match event {
            Event::Code(code) => {
                let text = code.to_string();
                self.at += 1;
                self.offset = 0;
                let nth = match self.nth() {
                    Some((nth, bytes)) => {
                        span.end += bytes;
                        nth
                    }
                    None => 1,
                };
                Ok(Some(Anchor::Token { text, nth, span, event: index }))
            }
            Event::Start(Tag::Link { dest_url, .. }) if dest_url.starts_with('#') => {
                let selector = Selector::parse(&dest_url[1..])
                    .map_err(|problem| Box::new(self.bad_link(&span, problem, &dest_url[1..])))?;
                while self.at < self.end && self.body.events[self.at].1.end <= span.end {
                    self.at += 1;
                }
                self.offset = 0;
                Ok(Some(Anchor::Place { selector, span, event: index }))
            }
            _ => Ok(None),
        }
    }

    /// `(2)` directly after a code span: the number, and how many bytes of text it takes.
    fn nth(&mut self) -> Option<(usize, usize)> {
        let text = self.text();
        let lead = text.len() - text.trim_start().len();
        let rest = text[lead..].strip_prefix('(')?;
        let digits = rest.split_once(')').map(|(digits, _)| digits)?;
        let nth = digits.parse().ok().filter(|&nth| nth > 0)?;
        let taken = lead + digits.len() + 2;
        self.take(taken);
        Some((nth, taken))
    }

    fn joint(&mut self) -> Option<Joint> {
        let text = self.text();
        let lead = text.len() - text.trim_start().len();
        let rest = &text[lead..];
        let (joint, sign) = [("/", true), ("…", false), ("...", false)]
            .into_iter()
            .find_map(|(sign, and)| rest.starts_with(sign).then_some((and, sign)))
            .map(|(and, sign)| (if and { Joint::And } else { Joint::To }, sign))?;
        let after = &rest[sign.len()..];
        let trail = after.len() - after.trim_start().len();
        self.take(lead + sign.len() + trail);
        Some(joint)
    }

    /// The code span that comes next, if only a sign stands before it that joins things elsewhere.
    fn beside(&self) -> Option<(String, Span)> {
        if !SIGNS.contains(&self.text().trim()) {
            return None;
        }
        let is_text = |event: &Event<'_>| matches!(event, Event::Text(_) | Event::SoftBreak);
        match self.body.events[self.at..self.end].iter().find(|(event, _)| !is_text(event))? {
            (Event::Code(code), span) => Some((code.to_string(), span.clone())),
            _ => None,
        }
    }

    /// The text from here to the next event that is not text; a line break is a space.
    fn text(&self) -> String {
        let mut text = String::new();
        for (event, _) in &self.body.events[self.at..self.end] {
            match event {
                Event::Text(part) => text.push_str(part),
                Event::SoftBreak => text.push(' '),
                _ => break,
            }
        }
        text.split_off(self.offset.min(text.len()))
    }

    /// Moves on by `bytes` of [`Cursor::text`].
    fn take(&mut self, bytes: usize) {
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

    fn place(&self, span: Span) -> Place {
        Place::new(self.source.path(), span)
    }

    /// Where the item's first line stands.
    fn here(&self) -> Span {
        let span = self.body.events.get(self.at).map_or(0..0, |(_, span)| span.clone());
        let line = self.source.text()[span.clone()].lines().next().map_or(0, |line| line.trim_end().len());
        span.start..span.start + line
    }

    fn unbound(&self) -> Diagnostic {
        Diagnostic::new(
            codes::E0312,
            self.place(self.here()),
            "this note does not begin with the code that it explains",
        )
        .help(
            "begin it with a code span that stands in the excerpt, or with a link to `#region`, `#L3-L5` or `#fn:name`",
        )
        .help("if this list is no list of notes, put a paragraph between the fence and the list")
    }

    fn bad_link(&self, span: &Span, problem: String, selector: &str) -> Diagnostic {
        let help = "a note's link points into its excerpt: `#region`, `#L3-L5` or `#fn:name`";
        Diagnostic::new(codes::E0311, self.place(span.clone()), problem)
            .help(line_help(selector).unwrap_or_else(|| help.into()))
    }

    fn check_range(&self, from: &Anchor, to: &Anchor) -> Result<(), Box<Diagnostic>> {
        match [from, to].into_iter().find(|anchor| matches!(anchor, Anchor::Place { .. })) {
            None => Ok(()),
            Some(link) => Err(Box::new(
                Diagnostic::new(
                    codes::E0312,
                    self.place(link.span().clone()),
                    "a range runs from one code span to another",
                )
                .help("bind the note to the link alone, or name the range's ends as code spans"),
            )),
        }
    }

    fn double_range(&self, anchor: &Anchor) -> Diagnostic {
        Diagnostic::new(codes::E0312, self.place(anchor.span().clone()), "this range has an end already")
            .help("join several ranges with `/`")
    }
}
