//! Splits a Markdown starter into blocks, each with the lines of its source.

use std::ops::Range;

use pulldown_cmark::{Event, Tag, TagEnd};

use super::end_of;
use infralens_source::put;
use infralens_source::source::Span;
use infralens_starter::Listing;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Front,
    Code,
    Table,
    Item(Place),
    Heading,
    Other,
    /// Lines of which nothing is shown, such as the targets of links.
    Silent,
}

/// The place of an item in its list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The number of the item, if its list is numbered.
    pub(super) number: Option<u64>,
    pub(super) is_first: bool,
    pub(super) is_last: bool,
    has_task: bool,
}

#[derive(Debug)]
pub(super) struct Block {
    pub(super) kind: Kind,
    pub(super) events: Range<usize>,
    /// The lines of its source, from 0.
    pub(super) lines: Range<usize>,
    /// The lines at which its rows begin: the lines of code, the rows of a table, otherwise its first line.
    pub(super) rows: Vec<usize>,
}

impl Block {
    /// Returns the name of its kind, which is a class.
    fn class(&self) -> &'static str {
        match self.kind {
            Kind::Front => "b-front",
            Kind::Code => "b-code",
            Kind::Table => "b-table",
            Kind::Item(_) => "b-item",
            Kind::Heading => "b-heading",
            Kind::Other => "b-other",
            Kind::Silent => "b-silent",
        }
    }

    /// Returns how many rows high it is if rows have a known height: those of text are as high as it is.
    pub(super) fn height(&self) -> usize {
        if matches!(self.kind, Kind::Code | Kind::Table) { self.rows.len() } else { usize::MAX }
    }

    /// Returns how many of its rows are as high as lines of a note. Rows of a table are higher than those of code.
    pub(super) fn rows_of_lines(&self, lines: usize) -> usize {
        if self.kind == Kind::Table { (2 * lines).div_ceil(3) } else { lines }
    }

    /// Returns the start tags around it.
    pub(super) fn open(&self) -> String {
        let own = format!("class=\"block {}\"", self.class());
        let Kind::Item(place) = &self.kind else { return format!("<div {own}>") };
        let mut open = String::new();
        if place.is_first {
            match place.number {
                Some(1) => open.push_str("<ol class=\"items\">\n"),
                Some(start) => put!(open, "<ol class=\"items\" start=\"{start}\">\n"),
                None => open.push_str("<ul class=\"items\">\n"),
            }
        }
        let number = place.number.map_or_else(String::new, |number| format!(" data-number=\"{number}.\""));
        put!(open, "<li {own}{number}>");
        open
    }

    /// Returns the end tags of [`Self::open`].
    pub(super) fn close(&self) -> String {
        match &self.kind {
            Kind::Item(Place { is_last: true, number: Some(_), .. }) => "</li>\n</ol>".into(),
            Kind::Item(Place { is_last: true, number: None, .. }) => "</li>\n</ul>".into(),
            Kind::Item(_) => "</li>".into(),
            _ => "</div>".into(),
        }
    }
}

/// Returns the number of lines of the front matter, its `---` included; 0 if there is none.
pub(super) fn front_matter_lines(listing: &Listing) -> usize {
    if listing.line(0).trim_end() != "---" {
        return 0;
    }
    let is_end = |line: &usize| matches!(listing.line(*line).trim_end(), "---" | "...");
    let end = (1..listing.line_count()).find(is_end).unwrap_or(0);
    // Two rules with text between them are not YAML.
    let has_key = (1..end).any(|line| listing.line(line).contains(':'));
    if end > 1 && !has_key || end == 0 { 0 } else { end + 1 }
}

/// Returns whether a text ends in a colon, so that an answer is expected after it. In a form, questions are asked, too.
pub(super) fn is_open(text: &str, is_form: bool) -> bool {
    text.trim_end().ends_with([':', '：']) || is_form && text.trim_end().ends_with(['?', '？'])
}

/// Returns whether there are places to fill in.
pub(super) fn has_fields(listing: &Listing, events: &[(Event<'_>, Span)]) -> bool {
    let text = listing.source().text();
    let mut in_head = false;
    let mut before: Option<&Event<'_>> = None;
    for (index, (event, _)) in events.iter().enumerate() {
        match event {
            Event::Start(Tag::TableHead) => in_head = true,
            Event::End(TagEnd::TableHead) => in_head = false,
            Event::End(TagEnd::TableCell) if matches!(before, Some(Event::Start(Tag::TableCell))) && !in_head => {
                return true;
            }
            Event::Text(words) if words.contains("___") => return true,
            Event::End(TagEnd::Item) => {
                let last = events[..index].iter().rev().find(|(event, _)| !matches!(event, Event::End(_)));
                if last.is_some_and(|(event, at)| matches!(event, Event::Text(_)) && is_open(&text[at.clone()], false))
                {
                    return true;
                }
            }
            _ => {}
        }
        before = Some(event);
    }
    false
}

/// Splits a file whose first `front` lines are front matter.
pub(super) fn split(listing: &Listing, events: &[(Event<'_>, Span)], front: usize) -> Vec<Block> {
    let mut splitter = Splitter { listing, events, blocks: Vec::new(), line: 0 };
    if front > 0 {
        splitter.push(Kind::Front, 0..0, 0..front);
    }
    let mut at = 0;
    while at < events.len() {
        let end = end_of(events, at);
        match &events[at].0 {
            Event::Start(Tag::List(start)) => splitter.list(*start, at + 1..end - 1),
            Event::Start(Tag::CodeBlock(_)) => splitter.add(Kind::Code, at..end),
            Event::Start(Tag::Table(_)) => splitter.add(Kind::Table, at..end),
            Event::Start(Tag::Heading { .. }) => splitter.add(Kind::Heading, at..end),
            _ => splitter.add(Kind::Other, at..end),
        }
        at = end;
    }
    splitter.silent(listing.line_count());
    splitter.blocks
}

struct Splitter<'a> {
    listing: &'a Listing,
    events: &'a [(Event<'a>, Span)],
    blocks: Vec<Block>,
    /// The first line that belongs to no block yet.
    line: usize,
}

impl Splitter<'_> {
    fn is_empty(&self, line: usize) -> bool {
        self.listing.line(line).trim().is_empty() || self.listing.is_marker(line)
    }

    fn list(&mut self, start: Option<u64>, items: Range<usize>) {
        let (mut at, mut number) = (items.start, start);
        while at < items.end {
            let end = end_of(self.events, at);
            let has_task =
                self.events[at..end].iter().take(3).any(|(event, _)| matches!(event, Event::TaskListMarker(_)));
            let place = Place { number, is_first: at == items.start, is_last: end >= items.end, has_task };
            let lines = self.lines_of(&(at..end));
            if place.is_first {
                self.silent(lines.start);
            }
            self.push(Kind::Item(place), at..end, lines);
            number = number.map(|number| number.saturating_add(1));
            at = end;
        }
    }

    fn add(&mut self, kind: Kind, events: Range<usize>) {
        let lines = self.lines_of(&events);
        if (lines.clone()).all(|line| self.is_empty(line)) {
            return;
        }
        self.silent(lines.start);
        self.push(kind, events, lines);
    }

    /// Returns the lines of events, without empty ones around them.
    fn lines_of(&self, events: &Range<usize>) -> Range<usize> {
        let source = self.listing.source();
        let span = &self.events[events.start].1;
        let (first, last) = (source.line(span.start), source.line(span.end.saturating_sub(1).max(span.start)));
        let start = first.max(self.line);
        let mut lines = start..(last + 1).max(start);
        while lines.len() > 1 && self.is_empty(lines.end - 1) {
            lines.end -= 1;
        }
        lines
    }

    /// Adds the lines up to `end` that belong to no block, if they say anything.
    fn silent(&mut self, end: usize) {
        let mut lines = self.line..end.max(self.line);
        while !lines.is_empty() && self.is_empty(lines.start) {
            lines.start += 1;
        }
        while !lines.is_empty() && self.is_empty(lines.end - 1) {
            lines.end -= 1;
        }
        if !lines.is_empty() {
            self.push(Kind::Silent, 0..0, lines);
        }
    }

    fn push(&mut self, kind: Kind, events: Range<usize>, lines: Range<usize>) {
        let rows = match kind {
            Kind::Code => {
                let rows = super::writer::code_lines(self.listing, &self.events[events.clone()]);
                rows.filter(|&line| !self.listing.is_marker(line)).collect()
            }
            Kind::Table => {
                let rows = self.events[events.clone()].iter();
                let starts = rows.filter(|(event, _)| matches!(event, Event::Start(Tag::TableHead | Tag::TableRow)));
                starts.map(|(_, span)| self.listing.source().line(span.start)).collect()
            }
            _ => vec![lines.start],
        };
        let rows = if rows.is_empty() { vec![lines.start] } else { rows };
        self.line = lines.end;
        self.blocks.push(Block { kind, events, lines, rows });
    }
}
