//! The plain text of a page for the search: its text by heading, and each note separately.

use pulldown_cmark::{CodeBlockKind, Event, Tag, TagEnd};

use super::bind::anchors;
use super::excerpt::BoundExcerpt;
use super::markdown::tabs::{self, TabCutKind};
use crate::document::glossary::Term;
use crate::document::{Anchor, Document, EventList, Events, Note, is_inline};

/// Languages of fences that are drawn as diagrams.
const DIAGRAM_LANGUAGES: [&str; 2] = ["mermaid", "pikchr"];

/// The text below a heading, or in a tab.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Passage {
    /// The id of the heading or the tab; empty for the text before the first heading.
    pub id: String,
    /// The heading, or the title of the tab.
    pub heading: String,
    /// The text up to the next heading, without that in tabs, with the names of excerpts' files, but without markup, formulas, diagrams,
    /// citations and notes.
    pub text: String,
}

/// A note on code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteText {
    /// Its id on the page, such as `E1-N2`.
    pub id: String,
    /// The code that it is bound to, as written on the page.
    pub code: String,
    /// Its text.
    pub text: String,
    /// The heading above it.
    pub heading: String,
}

/// Returns the text of a page by heading, without the `terms` of the glossary, which are empty for other pages.
#[must_use]
pub fn passages(document: &Document, excerpts: &[BoundExcerpt<'_>], terms: &[Term]) -> Vec<Passage> {
    let body = &document.body;
    let mut passages = vec![Passage::default()];
    let cuts = tabs::cuts(document);
    // The passage that is being read, and the one in which the open tabs began.
    let (mut passage, mut outer) = (0, 0);
    let mut at = 0;
    while at < body.events.len() {
        let heading = body.headings.binary_search_by_key(&at, |heading| heading.events.start);
        let excerpt = body.excerpts.binary_search_by_key(&at, |excerpt| excerpt.fence.start);
        let term = terms.binary_search_by_key(&at, |term| term.at);
        let text = passages.get_mut(passage).map(|passage| &mut passage.text);
        if let Some(cut) = cuts.get(&at) {
            match cut.kind {
                TabCutKind::Begin => outer = passage,
                TabCutKind::Title(number, tab) => {
                    let heading = body.text(cut.events.clone());
                    passages.push(Passage { id: tabs::id(number, tab), heading, text: String::new() });
                    passage = passages.len() - 1;
                }
                TabCutKind::End => passage = outer,
            }
            at = cut.events.end;
        } else if let Ok(index) = term {
            at = terms[index].end;
        } else if let Ok(index) = heading {
            let heading = &body.headings[index];
            let (id, heading_text) = (heading.id.clone(), heading.text.clone());
            passages.push(Passage { id, heading: heading_text, text: String::new() });
            passage = passages.len() - 1;
            at = heading.events.end;
        } else if let Ok(index) = excerpt {
            let shown = excerpts.iter().find(|shown| shown.excerpt.fence.start == at);
            if let (Some(shown), Some(text)) = (shown, text) {
                push(text, &format!(" {} ", shown.name()));
            }
            let excerpt = &body.excerpts[index];
            at = excerpt.list.as_ref().unwrap_or(&excerpt.fence).end;
        } else {
            at = text.map_or(at + 1, |text| push_event(document, at, text));
        }
    }
    passages.retain(|passage| !(passage.heading.is_empty() && passage.text.trim().is_empty()));
    passages
}

/// Returns the notes of a page.
#[must_use]
pub fn note_texts(document: &Document, excerpts: &[BoundExcerpt<'_>]) -> Vec<NoteText> {
    let headings = &document.body.headings;
    let heading = |at: usize| {
        let before = headings.partition_point(|heading| heading.events.start < at);
        headings[..before].last().map(|heading| heading.text.clone()).unwrap_or_default()
    };
    let of = |prepared: &BoundExcerpt<'_>, index: usize, note: &Note| NoteText {
        id: prepared.note_id(index),
        heading: heading(prepared.excerpt.fence.start),
        code: bound_code(note),
        text: plain_text(document, note.body..note.events.end)
            .trim_start_matches(['—', '–', '-', ':', '：', '－', ' '])
            .to_owned(),
    };
    let notes = |prepared: &BoundExcerpt<'_>| {
        let notes = prepared.excerpt.notes.iter().enumerate();
        notes.map(|(index, note)| of(prepared, index, note)).collect::<Vec<_>>()
    };
    excerpts.iter().flat_map(notes).collect()
}

fn bound_code(note: &Note) -> String {
    let codes: Vec<String> = anchors(note)
        .map(|anchor| match anchor {
            Anchor::Token { text, .. } => text.clone(),
            Anchor::Place { selector, .. } => format!("#{selector}"),
        })
        .collect();
    codes.join(" / ")
}

fn plain_text(document: &Document, events: Events) -> String {
    let mut text = String::new();
    let mut at = events.start;
    while at < events.end {
        at = push_event(document, at, &mut text);
    }
    text.truncate(text.trim_end().len());
    text
}

/// Returns whether a fence is drawn: its language may be followed by a caption.
fn is_diagram(info: &str) -> bool {
    info.split_whitespace().next().is_some_and(|language| DIAGRAM_LANGUAGES.contains(&language))
}

/// Adds the text of an event; returns the index of the next event.
fn push_event(document: &Document, at: usize, text: &mut String) -> usize {
    let events = &document.body.events;
    match events.event(at) {
        Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) if is_diagram(&info) => {
            return after(events, at, TagEnd::CodeBlock);
        }
        Event::Start(Tag::Link { dest_url, .. }) if dest_url.starts_with('@') => {
            return after(events, at, TagEnd::Link);
        }
        Event::Text(part) | Event::Code(part) => push(text, &part),
        Event::SoftBreak | Event::HardBreak | Event::InlineMath(_) | Event::DisplayMath(_) => push(text, " "),
        Event::End(end) if end == TagEnd::Image || !is_inline(end) => push(text, " "),
        _ => {}
    }
    at + 1
}

/// Returns the index after the end of the element that starts at `at`.
fn after(events: &EventList, at: usize, end: TagEnd) -> usize {
    at + events.range(at..events.len()).take_while(|(event, _)| *event != Event::End(end)).count() + 1
}

/// Appends text, with any white space reduced to one space.
fn push(text: &mut String, part: &str) {
    for c in part.chars() {
        if !c.is_whitespace() {
            text.push(c);
        } else if !text.is_empty() && !text.ends_with(' ') {
            text.push(' ');
        }
    }
}
