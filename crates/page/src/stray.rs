//! Finds lists below an excerpt that look like its notes but are not. Only the list directly below the fence contains
//! notes, so items after whatever ends that list are lost.
//!
//! Between an excerpt with its notes and the next excerpt, these are found:
//!
//! 1. a numbered list that continues the numbers of the notes, or begins above 1 near them: always an error;
//! 2. near the excerpt, a list whose items begin with code: an error if that code is in the excerpt, which is known only
//!    with the file. The same holds after a heading for a list that continues the numbers of the notes;
//! 3. the same for the numbered items below the item that contains the excerpt;
//! 4. an item of a list inside a note, which may only refer to lines that its note covers.
//!
//! *Near* ends at a heading, a code block, a rule, or the second paragraph.

use std::collections::BTreeSet;

use pulldown_cmark::{Event, Tag, TagEnd};

use super::note::{first_anchor, items};
use super::{Anchor, Body, Events, Excerpt};
use infralens_source::diag::{Diagnostic, codes};
use infralens_source::source::{Source, Span};

/// A list whose items begin with code. It is an error if that code is in the excerpt.
#[derive(Debug)]
pub struct StrayList {
    /// The code that the items begin with.
    pub anchors: Vec<Anchor>,
    /// The index of the note that contains the list, if it is inside one.
    pub note: Option<usize>,
    /// Whether its items are numbered, as notes are.
    pub is_numbered: bool,
}

/// Finds lists near an excerpt that look like its notes. Some are errors whatever the code is, and are reported; whether the
/// others are errors depends on the starter, so they are added to the excerpt and checked in `render`.
pub fn find(source: &Source, body: &Body, excerpts: &mut [Excerpt], out: &mut Vec<Diagnostic>) {
    let fences: Vec<usize> = excerpts.iter().map(|excerpt| excerpt.fence.start).collect();
    let notes: BTreeSet<usize> =
        excerpts.iter().flat_map(|excerpt| &excerpt.notes).map(|note| note.events.start).collect();
    // The first event of the first excerpt from `event` on.
    let next = |event| fences.get(fences.partition_point(|&fence| fence < event)).copied().unwrap_or(body.events.len());
    for excerpt in excerpts.iter_mut().filter(|excerpt| excerpt.closing.is_some()) {
        let from = excerpt.list.as_ref().map_or(excerpt.fence.end, |list| list.end);
        let mut search = Search {
            source,
            body,
            notes: &notes,
            until: next(from),
            next: excerpt.list.as_ref().map(|list| list.start).and_then(|list| number(body, list)),
            near: true,
            blocks: 0,
            below_heading: false,
            interruption: None,
            found: Vec::new(),
            end: 0,
            out,
        };
        search.next = search.next.map(|first| first + excerpt.notes.len() as u64);
        search.below(from);
        search.inside_notes(excerpt, next(excerpt.fence.end));
        (excerpt.strays, excerpt.strays_end) = (search.found, search.end);
    }
}

/// Returns the first number of the list that begins at event `index`; `None` if there is no numbered list.
fn number(body: &Body, index: usize) -> Option<u64> {
    match body.events.get(index)? {
        (Event::Start(Tag::List(first)), _) => first,
        _ => None,
    }
}

/// The search below one excerpt.
struct Search<'a> {
    source: &'a Source,
    body: &'a Body,
    /// The first events of the notes of all excerpts.
    notes: &'a BTreeSet<usize>,
    /// The first event of the next excerpt.
    until: usize,
    /// The number that the next note would have.
    next: Option<u64>,
    near: bool,
    /// The number of blocks since the excerpt that are not lists.
    blocks: usize,
    below_heading: bool,
    /// The first line of the block that ended the list of notes.
    interruption: Option<Span>,
    found: Vec<StrayList>,
    /// The offset at which the last stray list or line ends.
    end: usize,
    out: &'a mut Vec<Diagnostic>,
}

impl Search<'_> {
    /// Searches the blocks after the notes, from event `from` on.
    fn below(&mut self, from: usize) {
        let mut at = from;
        while at < self.until {
            let (event, span) = (self.body.events.event(at), self.body.events.span(at));
            match event {
                Event::Start(Tag::List(first)) => {
                    self.list(at, first, at == from);
                    at = self.end_of(at);
                    continue;
                }
                Event::Start(Tag::DefinitionList) if self.near => {
                    let end = self.end_of(at);
                    let titles = self.starts(at..end, &Tag::DefinitionListTitle);
                    self.add(&titles, false);
                    at = end;
                    continue;
                }
                Event::End(TagEnd::Item) => {
                    self.siblings(at + 1);
                    return;
                }
                Event::Code(_) => self.line(&span),
                _ => self.block(&event),
            }
            if self.interruption.is_none() && matches!(event, Event::Start(_) | Event::Rule) {
                self.interruption = Some(self.first_line(&span));
            }
            at += 1;
        }
    }

    /// Updates what is known of the distance to the excerpt for a block that is not a list.
    fn block(&mut self, event: &Event<'_>) {
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

    /// Returns the end of the element that begins at `start`, or of the search if that comes first.
    fn end_of(&self, start: usize) -> usize {
        self.body.end_of(start).min(self.until)
    }

    /// Handles a list that is not the one directly below the fence.
    fn list(&mut self, at: usize, first: Option<u64>, is_next: bool) {
        let end = self.end_of(at);
        let items: Vec<Events> = items(self.body, at..end).into_iter().map(|(events, _)| events).collect();
        let continues = first.is_some_and(|first| first > 1 && self.next == Some(first));
        let is_late = self.near && first.is_some_and(|first| first > 1) && self.next.is_some();
        let is_second = is_next && first.is_some() && self.next.is_some();
        if is_second || is_late || continues && !self.below_heading {
            let place = self.first_line(&self.body.events.span(at));
            self.report_list(&place, is_second);
            self.next = first.map(|first| first + items.len() as u64);
        } else if self.near || continues {
            self.add(&items, first.is_some());
        }
        if self.interruption.is_none() {
            self.interruption = Some(self.first_line(&self.body.events.span(at)));
        }
    }

    /// Searches the numbered items below the one that contains the excerpt, except those that are notes or contain an
    /// excerpt themselves. Notes that were not indented under their excerpt are such items.
    fn siblings(&mut self, from: usize) {
        let events = &self.body.events;
        let has_number = |item: &Events| {
            self.source.text()[events.span(item.start).start..].starts_with(|c: char| c.is_ascii_digit())
        };
        let is_lost = |item: &Events| item.end <= self.until && !self.notes.contains(&(item.start + 1));
        let items = events
            .children(from..self.until)
            .take_while(|item| matches!(events.event(item.start), Event::Start(Tag::Item)))
            .filter(|item| is_lost(item) && has_number(item));
        let items: Vec<Events> = items.map(|item| item.start + 1..self.until).collect();
        self.add(&items, true);
    }

    /// Returns the elements with this tag among `events`, each from its start to the end of `events`.
    fn starts(&self, events: Events, tag: &Tag<'_>) -> Vec<Events> {
        let is_start = |at: &usize| matches!(self.body.events.event(*at), Event::Start(start) if start == *tag);
        let end = events.end;
        events.filter(is_start).map(|at| at + 1..end).collect()
    }

    /// Returns the code spans that items begin with. Links do not count: outside of notes they lead to headings.
    fn anchors(&self, items: &[Events]) -> Vec<Anchor> {
        let anchors = items.iter().filter_map(|events| first_anchor(self.source, self.body, events.clone()));
        anchors.filter(|anchor| matches!(anchor, Anchor::Token { .. })).collect()
    }

    /// Adds a list if any of its items begins with code.
    fn add(&mut self, items: &[Events], is_numbered: bool) {
        let anchors = self.anchors(items);
        if let Some(last) = anchors.last() {
            self.end = self.end.max(last.span().end);
            self.found.push(StrayList { anchors, note: None, is_numbered });
        }
    }

    /// Reports a line of a paragraph that begins with the number of the next note and a code span. Directly below text, a
    /// list that does not begin with 1 is part of the paragraph.
    fn line(&mut self, code: &Span) {
        let Some(next) = self.next.filter(|next| *next > 1 && !self.below_heading) else { return };
        if self.report_line(code, next, INDENT) {
            self.next = Some(next + 1);
        }
    }

    /// Reports the line that the code span at `code` is in if it begins with the number `next` and that code span. Returns
    /// whether it does.
    fn report_line(&mut self, code: &Span, next: u64, help: &str) -> bool {
        let before = &self.source.text()[..code.start];
        let Some(number) = before.trim_end_matches(' ').strip_suffix(['.', ')']) else { return false };
        let line = number.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_first = line.trim_end_matches([' ', '\t', '>']).ends_with('\n');
        if is_first && before.ends_with(' ') && number[line.len()..].parse() == Ok(next) {
            let at = line.len()..code.end;
            self.end = self.end.max(code.end);
            let message = "this line is not a note, because it is part of the paragraph above it";
            self.out.push(self.source.diagnostic(codes::E0211, at, message).help(help));
            return true;
        }
        false
    }

    /// Reports a list that was surely meant to continue the notes.
    fn report_list(&mut self, place: &Span, is_second: bool) {
        self.end = self.end.max(place.end);
        let diagnostic = if is_second {
            self.source.diagnostic(codes::E0211, place.clone(), "this is a second list, and its items are not notes").help(
                "use `.` or `)` after the numbers as in the notes above; for another list, put a paragraph between the two \
                 and begin with 1",
            )
        } else {
            let message = "this list is not part of the notes, because their list has ended above it";
            let diagnostic = self.source.diagnostic(codes::E0211, place.clone(), message).help(INDENT);
            match self.interruption.clone().map(|span| self.source.place(span)) {
                Some(place) => diagnostic.related(place, "this ended the list of notes"),
                None => diagnostic,
            }
        };
        self.out.push(diagnostic);
    }

    /// Searches lists inside the notes themselves, up to the event `until` at which another excerpt begins.
    fn inside_notes(&mut self, excerpt: &Excerpt, until: usize) {
        let first = excerpt.list.as_ref().and_then(|list| number(self.body, list.start));
        for (index, note) in excerpt.notes.iter().enumerate() {
            let events = note.events.start..note.events.end.min(until).max(note.events.start);
            // A note that is indented too far becomes a line of the note above it.
            let mut next = first.map_or(0, |first| first + index as u64 + 1);
            for at in events.clone() {
                let [before, event] = [at - 1, at].map(|at| self.body.events.event(at));
                if let (Event::Text(_), Event::Code(_)) = (before, event) {
                    next += u64::from(self.report_line(&self.body.events.span(at), next, OUTDENT));
                }
            }
            let anchors = self.anchors(&self.starts(events, &Tag::Item));
            if !anchors.is_empty() {
                self.found.push(StrayList { anchors, note: Some(index), is_numbered: false });
            }
        }
    }

    fn first_line(&self, span: &Span) -> Span {
        self.source.first_line(span)
    }
}

/// The help text if something between two notes has ended their list.
const INDENT: &str = "indent the blocks between the notes by three spaces, so that they belong to a note; begin another list with 1, below a heading";
/// The help text if a note has become a line of the one above it.
const OUTDENT: &str = "write its number exactly below the number of the note above";
