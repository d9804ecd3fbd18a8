//! Starter files and folders → their own pages: the whole listing with line anchors, and beside it the notes of every
//! page that explains it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

use super::bind::Bound;
use super::code::{self, Marker, Overlay, Tag};
use super::excerpt;
use super::level::Level;
use super::page::{Explanation, Page, Starter, StarterNote};
use crate::code::Listing;
use crate::code::listing::Lines;
use crate::config::Config;
use crate::course::link::line_anchor;
use crate::course::{Course, PageId};
use crate::document::Kind;

/// What the pages of the course say of one starter.
#[derive(Debug, Default)]
pub struct Mentions<'a> {
    readers: Vec<PageId>,
    explanations: Vec<(PageId, &'a Explanation)>,
    ranges: BTreeSet<(usize, usize)>,
}

/// What every starter is said to be, from all pages that are published.
#[must_use]
pub fn mentions<'a>(
    pages: impl Iterator<Item = (Option<PageId>, &'a Page)>,
    course: &Course,
) -> BTreeMap<&'a str, Mentions<'a>> {
    let mut all: BTreeMap<&str, Mentions<'_>> = BTreeMap::new();
    for (id, page) in pages {
        for path in &page.starters {
            all.entry(path).or_default().readers.extend(id);
        }
        for (id, explanation) in id.into_iter().flat_map(|id| page.explanations.iter().map(move |note| (id, note))) {
            all.entry(&explanation.file).or_default().explanations.push((id, explanation));
        }
        for (path, lines) in &page.line_links {
            all.entry(path).or_default().ranges.insert((lines.start, lines.end));
        }
    }
    for mentions in all.values_mut() {
        mentions.readers.sort_by_key(|&page| rank(course, page));
        mentions.readers.dedup();
        mentions.explanations.sort_by_key(|(page, note)| {
            let first = note.lines.first().map_or(0, |lines| lines.start);
            (first, rank(course, *page), note.id.clone())
        });
    }
    all
}

/// Labs first, in the order of tracks and numbers; then everything else by URL.
fn rank(course: &Course, page: PageId) -> (bool, Option<usize>, Option<u64>, PageId) {
    let entry = &course.pages[page];
    let lab = entry.kind == Kind::Lab;
    (!lab, entry.track.filter(|_| lab), entry.number().map(|number| number.value).filter(|_| lab), page)
}

/// The page of one starter.
#[must_use]
pub fn starter(config: &Config, listing: &Listing, mentions: Option<&Mentions<'_>>) -> Starter {
    let none = Mentions::default();
    let mentions = mentions.unwrap_or(&none);
    let bound: Vec<Bound> = mentions.explanations.iter().map(|(_, found)| bound(listing, &found.lines)).collect();
    let level = Level::new(listing.shown_before(listing.line_count()), &bound);
    let notes = mentions.explanations.iter().enumerate();
    let notes: Vec<StarterNote> =
        notes.map(|(index, (page, found))| note(config, &level, index, *page, found)).collect();
    Starter {
        path: Arc::clone(listing.source().path()),
        listing: listing_html(config, listing, &level, &notes, mentions),
        classes: level.figure(),
        list_classes: level.list(),
        picked: excerpt::picked(config),
        copy: excerpt::copy(config),
        lines: listing.line_count(),
        notes,
        readers: mentions.readers.clone(),
    }
}

fn note(config: &Config, level: &Level, index: usize, page: PageId, explanation: &Explanation) -> StarterNote {
    let first = explanation.lines.first().cloned().unwrap_or(0..1);
    StarterNote {
        id: format!("N{}", index + 1),
        line: format!("L{}", first.start + 1),
        label: excerpt::lines_of(config, index + 1, &first),
        classes: level.note(index),
        reach: excerpt::reach(&explanation.lines),
        lines: explanation.lines.clone(),
        page,
        note: explanation.id.clone(),
        number: explanation.number,
        html: explanation.html.clone(),
    }
}

/// Lines of a note as rows.
fn bound(listing: &Listing, lines: &[Lines]) -> Bound {
    let rows = lines.iter().map(|lines| listing.shown_before(lines.start)..listing.shown_before(lines.end)).collect();
    Bound { rows, ..Bound::default() }
}

fn listing_html(
    config: &Config,
    listing: &Listing,
    level: &Level,
    notes: &[StarterNote],
    mentions: &Mentions<'_>,
) -> String {
    let mut tokens: BTreeMap<usize, Vec<Overlay>> = BTreeMap::new();
    for (number, (_, found)) in (1..).zip(&mentions.explanations) {
        for (line, columns) in found.tokens.iter().cloned() {
            tokens.entry(line).or_default().push(Overlay { columns, tag: Tag::Bound(number) });
        }
    }
    let mut anchors: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for &(start, end) in mentions.ranges.iter().filter(|(start, end)| end - start > 1) {
        anchors.entry(first_visible(listing, start)).or_default().push(line_anchor(&(start..end)));
    }
    let mut out = String::from("<pre class=\"listing\" tabindex=\"0\"><code>");
    let mut row = 0;
    for line in (0..listing.line_count()).filter(|&line| !listing.is_marker(line)) {
        level.cut(&mut out, row);
        code::open_line(&mut out, &format!("L{}", line + 1), line + 1, row, listing.line(line));
        code::push_markers(&mut out, level, row, |note| Marker {
            note: notes.get(note).map_or_else(String::new, |note| note.id.clone()),
            number: note + 1,
            label: excerpt::note_on(config, note + 1, line + 1),
        });
        for anchor in anchors.get(&line).into_iter().flatten() {
            // Writing to a String cannot fail.
            let _ = write!(out, "<span id=\"{anchor}\"></span>");
        }
        let over = tokens.get(&line).map_or(&[][..], Vec::as_slice);
        code::push_line(&mut out, listing.line(line), listing.tokens(line), over);
        code::close_line(&mut out);
        row += 1;
    }
    level.cut(&mut out, row);
    out.push_str("</code></pre>");
    out
}

/// The first line at or after `line` that is shown; a range may begin at a marker.
fn first_visible(listing: &Listing, line: usize) -> usize {
    (line..listing.line_count()).find(|&line| !listing.is_marker(line)).unwrap_or(line)
}
