//! A Markdown starter, typeset: its lines are shown as what they mean, and every row keeps the number of its line, so that
//! notes are next to rows as they are next to code.
//!
//! 1. [`Sheet::new`] parses the file and splits it into blocks; an item of a list is a block of its own;
//! 2. [`Sheet::typeset`] writes each block: what it means, and its source.

mod blocks;
mod inline;
mod table;
#[cfg(test)]
mod tests;
mod writer;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use self::blocks::Block;
use self::writer::Writer;
use super::bind::BoundNote;
use super::code;
use super::note_layout::NoteLayout;
use super::page::Explanation;
use infralens_course::config::Config;
use infralens_page::look::Look;
use infralens_page::{HeadingIds, is_inline, slug};
use infralens_source::source::{Source, Span};
use infralens_source::url;
use infralens_starter::Listing;

/// What is put before the ids of headings, so that they differ from all others on the page.
const PREFIX: &str = "doc-";
/// The maximum nesting depth of blocks. A file that is nested more deeply is shown as source.
const DEPTH_LIMIT: usize = 64;

/// The letters of a note that fit on one line beside a block.
const NOTE_LETTERS: usize = 44;

/// Resolves a link to another file; `None` if there is nothing to link to.
pub type Resolve<'a> = dyn Fn(&str) -> Option<String> + 'a;

pub fn is_markdown(path: &str) -> bool {
    let name = url::file_name(path).to_ascii_lowercase();
    name.rsplit_once('.').is_some_and(|(_, extension)| matches!(extension, "md" | "markdown"))
}

/// Writes a text that is a part of another file, such as a cell of a notebook: its lines and headings have no ids.
pub(super) fn part(config: &Config, text: &str, resolve: &Resolve<'_>) -> String {
    let listing = Listing::new(&Arc::new(Source::new("part.md", text))).0;
    let Some(mut sheet) = Sheet::new(&listing) else { return code::plain("markdown", text, &Look::default()) };
    (sheet.is_part, sheet.has_title) = (true, false);
    let blocks = sheet.typeset(config, &[], &BTreeSet::new(), resolve).blocks;
    let html =
        blocks.iter().map(|block| format!("{}<div class=\"set\">{}</div>{}", block.open, block.html, block.close));
    html.collect::<Vec<_>>().join("\n")
}

/// Returns the id of the heading that a link `#id` to a Markdown starter names, on the page of that file.
pub fn heading_id(listing: &Listing, id: &str) -> Option<String> {
    let sheet = Sheet::new(listing)?;
    let found = sheet.headings.into_values().find(|heading| heading.id.strip_prefix(PREFIX) == Some(id))?;
    Some(found.id)
}

/// A parsed Markdown starter.
pub struct Sheet<'a> {
    listing: &'a Listing,
    events: Vec<(Event<'a>, Span)>,
    blocks: Vec<Block>,
    /// The headings by their first event.
    headings: BTreeMap<usize, Heading>,
    /// The number of each footnote, by its label in lower case.
    footnotes: BTreeMap<String, usize>,
    /// Whether its only heading of the first level is its first one, which then is the title of the page.
    has_title: bool,
    /// Whether it has places to fill in: empty cells, rows of `_`, items that end in a colon.
    is_form: bool,
    /// Whether it is a part of another file.
    is_part: bool,
}

/// A heading of a Markdown starter.
struct Heading {
    level: u8,
    id: String,
    title: String,
}

/// A Markdown starter as HTML.
#[derive(Debug)]
pub struct Typeset {
    pub blocks: Vec<TypesetBlock>,
    /// Whether it has the heading of the page.
    pub has_title: bool,
    /// The whole file, to be copied.
    pub text: String,
}

/// A block with its source and its notes.
#[derive(Debug)]
pub struct TypesetBlock {
    /// The start tags around it: those of its list, and its own.
    pub open: String,
    /// What its source means.
    pub html: String,
    /// The lines of its source.
    pub source: String,
    /// The indices of its notes.
    pub notes: Range<usize>,
    /// The layout of its notes on wide screens.
    pub layout: NoteLayout,
    /// The end tags.
    pub close: String,
}

impl<'a> Sheet<'a> {
    /// Parses a starter. Returns `None` if it is not Markdown, or nested too deeply.
    pub fn new(listing: &'a Listing) -> Option<Self> {
        if !is_markdown(listing.source().path()) {
            return None;
        }
        let front = blocks::front_matter_lines(listing);
        let events = parse(listing, front)?;
        let is_form = blocks::has_fields(listing, &events);
        let headings = headings(&events);
        let first_level = |heading: &&Heading| heading.level == 1;
        let has_title = headings.values().next().is_some_and(|heading| heading.level == 1)
            && headings.values().filter(first_level).count() == 1;
        let footnotes = footnotes(&events);
        let blocks = blocks::split(listing, &events, front);
        Some(Self { listing, events, blocks, headings, footnotes, has_title, is_form, is_part: false })
    }

    /// Writes its blocks with `notes`, which are sorted by their first lines and come with their lengths in letters.
    /// `linked` are the ranges of lines that pages link to.
    pub fn typeset(
        &self,
        config: &Config,
        notes: &[(&Explanation, usize)],
        linked: &BTreeSet<(usize, usize)>,
        resolve: &Resolve<'_>,
    ) -> Typeset {
        let mut writer = Writer::new(self, config, notes, linked, resolve);
        let mut blocks = Vec::with_capacity(self.blocks.len());
        let mut first = 0;
        for (index, block) in self.blocks.iter().enumerate() {
            let next = self.blocks.get(index + 1).map_or(usize::MAX, |next| next.lines.start);
            let of_block = notes[first..].iter().take_while(|(note, _)| first_line(note) < next).count();
            let notes_here = first..first + of_block;
            first = notes_here.end;
            let of_block = &notes[notes_here.clone()];
            let bound: Vec<BoundNote> = of_block.iter().map(|(note, _)| bound(block, note)).collect();
            let layout = NoteLayout::level(block.rows.len(), &bound);
            let lengths: Vec<usize> = of_block.iter().map(|(_, letters)| *letters).collect();
            blocks.push(TypesetBlock {
                open: block.open(),
                html: writer.block(block, &layout, index + 1 == self.blocks.len()),
                source: writer.source(block),
                notes: notes_here,
                close: block.close(),
                layout: NoteLayout::level(block.rows.len(), &raised(block, &bound, &lengths)),
            });
        }
        let source = self.listing.source();
        Typeset { blocks, has_title: self.has_title, text: source.text()[source.start()..].to_owned() }
    }
}

fn first_line(note: &Explanation) -> usize {
    note.lines.first().map_or(0, |lines| lines.start)
}

/// Converts the lines of a note to rows of its block.
fn bound(block: &Block, note: &Explanation) -> BoundNote {
    let row = |line: usize| block.rows.partition_point(|&row| row <= line).saturating_sub(1);
    let lines = note.lines.iter().filter(|lines| block.lines.contains(&lines.start));
    let rows =
        lines.map(|lines| row(lines.start)..row(lines.end.saturating_sub(1)).max(row(lines.start)) + 1).collect();
    BoundNote { rows, ..BoundNote::default() }
}

/// Moves notes that would end below their block up by whole rows: the gap above the last note is used first, then that
/// above the note before it.
fn raised(block: &Block, bound: &[BoundNote], lengths: &[usize]) -> Vec<BoundNote> {
    let mut end = block.height();
    let raise = |(note, letters): (&BoundNote, &usize)| {
        let at = note.rows.first().map_or(0, |rows| rows.start);
        end = end.saturating_sub(block.rows_of_lines(1 + letters.div_ceil(NOTE_LETTERS))).min(at);
        BoundNote { rows: vec![end..end + 1], ..BoundNote::default() }
    };
    let mut raised: Vec<BoundNote> = bound.iter().zip(lengths).rev().map(raise).collect();
    raised.reverse();
    raised
}

/// Parses the Markdown below the first `front` lines.
fn parse<'a>(listing: &'a Listing, front: usize) -> Option<Vec<(Event<'a>, Span)>> {
    let source = listing.source();
    let start = if front == 0 {
        source.start()
    } else if front < listing.line_count() {
        source.line_span(front).start
    } else {
        source.text().len()
    };
    // As the code hosts show it: no formulas, no typographic quotes, no ids in braces.
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM;
    let mut events: Vec<(Event<'a>, Span)> = Vec::new();
    let mut depth = 0_usize;
    for (event, span) in Parser::new_ext(&source.text()[start..], options).into_offset_iter() {
        let span = span.start + start..span.end + start;
        match &event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            // A row of `_` comes in several parts.
            Event::Text(text) => {
                if let Some((Event::Text(before), at)) = events.last_mut()
                    && at.end == span.start
                    && source.text()[at.clone()] == **before
                    && source.text()[span.clone()] == **text
                {
                    at.end = span.end;
                    *before = source.text()[at.clone()].into();
                    continue;
                }
            }
            _ => {}
        }
        if depth > DEPTH_LIMIT {
            return None;
        }
        events.push((event, span));
    }
    Some(events)
}

fn headings(events: &[(Event<'_>, Span)]) -> BTreeMap<usize, Heading> {
    let mut headings = BTreeMap::new();
    let mut ids = HeadingIds::default();
    let mut open: Option<(usize, HeadingLevel, String)> = None;
    for (index, (event, _)) in events.iter().enumerate() {
        match (event, &mut open) {
            (Event::Start(Tag::Heading { level, .. }), _) => open = Some((index, *level, String::new())),
            (Event::Text(text) | Event::Code(text), Some((.., title))) => title.push_str(text),
            (Event::SoftBreak | Event::HardBreak, Some((.., title))) => title.push(' '),
            (Event::End(TagEnd::Heading(_)), Some(_)) => {
                if let Some((at, level, title)) = open.take() {
                    let id = format!("{PREFIX}{}", ids.give(slug(&title), 1));
                    headings.insert(at, Heading { level: level as u8, id, title });
                }
            }
            _ => {}
        }
    }
    headings
}

/// Numbers the footnotes in the order of their first references; those without one follow.
fn footnotes(events: &[(Event<'_>, Span)]) -> BTreeMap<String, usize> {
    let mut numbers = BTreeMap::new();
    let labels = |is_defined: bool| {
        events.iter().filter_map(move |(event, _)| match event {
            Event::FootnoteReference(label) if !is_defined => Some(label),
            Event::Start(Tag::FootnoteDefinition(label)) if is_defined => Some(label),
            _ => None,
        })
    };
    for label in labels(false).chain(labels(true)) {
        let next = numbers.len() + 1;
        numbers.entry(label.to_lowercase()).or_insert(next);
    }
    numbers
}

/// Returns the index after the `End` event that matches the `Start` event at `start`.
fn end_of(events: &[(Event<'_>, Span)], start: usize) -> usize {
    let mut depth = 0_usize;
    for (index, (event, _)) in events.iter().enumerate().skip(start) {
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return index + 1;
        }
    }
    events.len()
}

/// Returns whether an event is part of a line of text.
fn is_text(event: &Event<'_>) -> bool {
    match event {
        Event::Start(tag) => is_inline(tag.to_end()),
        Event::End(tag) => is_inline(*tag),
        Event::Html(_) | Event::Rule => false,
        _ => true,
    }
}
