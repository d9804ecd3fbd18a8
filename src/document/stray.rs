//! Lists below an excerpt that look like its notes and are none. Only the list directly below the fence holds notes, so
//! whatever ends it loses the rest.
//!
//! From the end of an excerpt and its notes to the next excerpt, these are found:
//!
//! 1. a numbered list that counts on from the notes, or begins above 1 near them: an error, whatever it says;
//! 2. near the excerpt, a list whose items begin with code: an error where that code is in the excerpt, which is known
//!    only with the file. So is such a list after a heading if it counts on from the notes;
//! 3. the same for the numbered items below the item that holds the excerpt;
//! 4. a point of a list within a note, which may speak only of lines that its note covers.
//!
//! *Near* ends at a heading, a code block, a rule, or the second paragraph.

use std::collections::BTreeSet;

use pulldown_cmark::{Event, Tag, TagEnd};

use super::note::{first_anchor, items};
use super::{Anchor, Body, Events, Excerpt};
use crate::diag::{Diagnostic, Place, codes};
use crate::source::{Source, Span};

/// A list with items that begin with code, and that are an error where that code is in the excerpt.
#[derive(Debug)]
pub struct Stray {
    /// The code that the items begin with.
    pub anchors: Vec<Anchor>,
    /// The note, from 0, that the list is in.
    pub note: Option<usize>,
    /// Whether its items have numbers, as notes have.
    pub is_numbered: bool,
}

/// Finds the lists below each excerpt that look like its notes.
pub fn find(source: &Source, body: &Body, excerpts: &mut [Excerpt], out: &mut Vec<Diagnostic>) {
    let fences: Vec<usize> = excerpts.iter().map(|excerpt| excerpt.fence.start).collect();
    let notes: BTreeSet<usize> =
        excerpts.iter().flat_map(|excerpt| &excerpt.notes).map(|note| note.events.start).collect();
    // The first excerpt from an event on.
    let next = |event| fences.get(fences.partition_point(|&fence| fence < event)).copied().unwrap_or(body.events.len());
    for excerpt in excerpts.iter_mut().filter(|excerpt| excerpt.closing.is_some()) {
        let from = excerpt.list.as_ref().map_or(excerpt.fence.end, |list| list.end);
        let mut walk = Walk {
            source,
            body,
            notes: &notes,
            until: next(from),
            next: excerpt.list.as_ref().map(|list| list.start).and_then(|list| number(body, list)),
            near: true,
            blocks: 0,
            below_heading: false,
            between: None,
            found: Vec::new(),
            end: 0,
            out,
        };
        walk.next = walk.next.map(|first| first + excerpt.notes.len() as u64);
        walk.below(from);
        walk.within(excerpt, next(excerpt.fence.end));
        (excerpt.strays, excerpt.strays_end) = (walk.found, walk.end);
    }
}

/// The first number of the list that begins with event `index`.
fn number(body: &Body, index: usize) -> Option<u64> {
    match body.events.get(index)? {
        (Event::Start(Tag::List(first)), _) => *first,
        _ => None,
    }
}

struct Walk<'a> {
    source: &'a Source,
    body: &'a Body,
    /// Where the notes of all excerpts begin.
    notes: &'a BTreeSet<usize>,
    /// The event at which the next excerpt begins.
    until: usize,
    /// The number that the next note would have.
    next: Option<u64>,
    near: bool,
    /// Blocks since the excerpt that are no lists.
    blocks: usize,
    below_heading: bool,
    /// The block that ended the list of notes.
    between: Option<Span>,
    found: Vec<Stray>,
    /// Where the last of what was found ends.
    end: usize,
    out: &'a mut Vec<Diagnostic>,
}

impl Walk<'_> {
    /// Looks at what follows the notes, from event `from` on.
    fn below(&mut self, from: usize) {
        let mut at = from;
        while at < self.until {
            let (event, span) = &self.body.events[at];
            match event {
                Event::Start(Tag::List(first)) => {
                    self.list(at, *first, at == from);
                    at = self.end_of(at);
                    continue;
                }
                Event::Start(Tag::DefinitionList) if self.near => {
                    let end = self.end_of(at);
                    let titles = self.starts(at..end, &Tag::DefinitionListTitle);
                    self.perhaps(&titles, false);
                    at = end;
                    continue;
                }
                Event::End(TagEnd::Item) => {
                    self.siblings(at + 1);
                    return;
                }
                Event::Code(_) => self.line(span),
                _ => self.passes(event),
            }
            if self.between.is_none() && matches!(event, Event::Start(_) | Event::Rule) {
                self.between = Some(self.first_line(span));
            }
            at += 1;
        }
    }

    /// Something that the notes do not go beyond.
    fn passes(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(Tag::Heading { .. }) => {
                self.near = false;
                self.below_heading = true;
            }
            Event::Start(Tag::CodeBlock(_)) | Event::Rule => self.near = false,
            Event::Start(Tag::Paragraph | Tag::Table(_) | Tag::FootnoteDefinition(_)) => {
                self.blocks += 1;
                self.near &= self.blocks < 2;
            }
            _ => {}
        }
    }

    /// The end of what begins at `start`, as far as it is to be looked at.
    fn end_of(&self, start: usize) -> usize {
        let mut depth = 0_usize;
        for (at, (event, _)) in self.body.events[..self.until].iter().enumerate().skip(start) {
            match event {
                Event::Start(_) => depth += 1,
                Event::End(_) => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return at + 1;
            }
        }
        self.until
    }

    /// A list that is not the one directly below the fence.
    fn list(&mut self, at: usize, first: Option<u64>, is_next: bool) {
        let end = self.end_of(at);
        let items: Vec<Events> = items(self.body, at..end).into_iter().map(|(events, _)| events).collect();
        let continues = first.is_some_and(|first| first > 1 && self.next == Some(first));
        let is_late = self.near && first.is_some_and(|first| first > 1) && self.next.is_some();
        let is_second = is_next && first.is_some() && self.next.is_some();
        if is_second || is_late || continues && !self.below_heading {
            let place = self.first_line(&self.body.events[at].1);
            self.lost(&place, is_second);
            self.next = first.map(|first| first + items.len() as u64);
        } else if self.near || continues {
            self.perhaps(&items, first.is_some());
        }
        if self.between.is_none() {
            self.between = Some(self.first_line(&self.body.events[at].1));
        }
    }

    /// The numbered items below the one that holds the excerpt, but for those that are notes or hold an excerpt of their
    /// own: notes that were not indented under their excerpt are such items.
    fn siblings(&mut self, from: usize) {
        let mut items: Vec<Events> = Vec::new();
        let mut depth = 0_usize;
        for at in from..self.until {
            let (event, span) = &self.body.events[at];
            let has_number = || self.source.text()[span.start..].starts_with(|c: char| c.is_ascii_digit());
            match event {
                Event::Start(Tag::Item) if depth == 0 && has_number() && !self.notes.contains(&(at + 1)) => {
                    items.push(at + 1..self.until);
                    depth += 1;
                }
                Event::Start(_) => depth += 1,
                Event::End(_) if depth == 0 => break,
                Event::End(_) => depth -= 1,
                _ => {}
            }
        }
        if depth > 0 {
            items.pop();
        }
        self.perhaps(&items, true);
    }

    /// What begins with this tag among some events, each to the end of all.
    fn starts(&self, events: Events, tag: &Tag<'_>) -> Vec<Events> {
        let is_start = |at: &usize| matches!(&self.body.events[*at].0, Event::Start(start) if start == tag);
        let end = events.end;
        events.filter(is_start).map(|at| at + 1..end).collect()
    }

    /// The code spans that items begin with. A link begins one, too, but elsewhere than in a note it leads to a heading.
    fn anchors(&self, items: &[Events]) -> Vec<Anchor> {
        let anchors = items.iter().filter_map(|events| first_anchor(self.source, self.body, events.clone()));
        anchors.filter(|anchor| matches!(anchor, Anchor::Token { .. })).collect()
    }

    fn perhaps(&mut self, items: &[Events], is_numbered: bool) {
        let anchors = self.anchors(items);
        if let Some(last) = anchors.last() {
            self.end = self.end.max(last.span().end);
            self.found.push(Stray { anchors, note: None, is_numbered });
        }
    }

    /// A code span at the start of a line of a paragraph that has the next note's number: below text, a list that does
    /// not begin with 1 is more text.
    fn line(&mut self, code: &Span) {
        let Some(next) = self.next.filter(|next| *next > 1 && !self.below_heading) else { return };
        if self.is_lost_line(code, next, INDENT) {
            self.next = Some(next + 1);
        }
    }

    /// Reports a code span that begins a line of a paragraph under the number `next`.
    fn is_lost_line(&mut self, code: &Span, next: u64, help: &str) -> bool {
        let before = &self.source.text()[..code.start];
        let Some(number) = before.trim_end_matches(' ').strip_suffix(['.', ')']) else { return false };
        let line = number.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_first = line.trim_end_matches([' ', '\t', '>']).ends_with('\n');
        if is_first && before.ends_with(' ') && number[line.len()..].parse() == Ok(next) {
            let at = line.len()..code.end;
            self.end = self.end.max(code.end);
            let said = Diagnostic::new(
                codes::E0211,
                Place::new(self.source.path(), at),
                "this line is no note, but goes on with the paragraph above it",
            );
            self.out.push(said.help(help));
            return true;
        }
        false
    }

    /// A list that was surely meant to go on with the notes.
    fn lost(&mut self, place: &Span, is_second: bool) {
        self.end = self.end.max(place.end);
        let place = Place::new(self.source.path(), place.clone());
        let said = if is_second {
            Diagnostic::new(codes::E0211, place, "this is a second list, and its items are no notes").help(
                "number it as the notes above, with `.` or `)` alike; for another list, put a paragraph between the two \
                 and begin with 1",
            )
        } else {
            let message = "this list is no part of the notes: their list has ended above it";
            let said = Diagnostic::new(codes::E0211, place, message);
            let ended = self.between.clone().map(|span| Place::new(self.source.path(), span));
            ended.into_iter().fold(said, |said, ended| said.related(ended, "this ended the list of notes")).help(INDENT)
        };
        self.out.push(said);
    }

    /// Lists in the notes themselves, as far as no other excerpt begins there.
    fn within(&mut self, excerpt: &Excerpt, until: usize) {
        let first = excerpt.list.as_ref().and_then(|list| number(self.body, list.start));
        for (index, note) in excerpt.notes.iter().enumerate() {
            let events = note.events.start..note.events.end.min(until).max(note.events.start);
            // A note that is indented too far is a line of the note above it.
            let mut next = first.map_or(0, |first| first + index as u64 + 1);
            for at in events.clone() {
                if let [(Event::Text(_), _), (Event::Code(_), span)] = &self.body.events[at - 1..=at] {
                    next += u64::from(self.is_lost_line(span, next, OUTDENT));
                }
            }
            let anchors = self.anchors(&self.starts(events, &Tag::Item));
            if !anchors.is_empty() {
                self.found.push(Stray { anchors, note: Some(index), is_numbered: false });
            }
        }
    }

    fn first_line(&self, span: &Span) -> Span {
        let line = self.source.text()[span.clone()].lines().next().unwrap_or_default();
        span.start..span.start + line.trim_end().len()
    }
}

/// What to write where something between two notes has ended their list.
const INDENT: &str = "indent what is between by three spaces, so that it belongs to its note; another list begins with 1, below a heading";
/// What to write where a note has become a line of the one above it.
const OUTDENT: &str = "write its number exactly below the number of the note above";
