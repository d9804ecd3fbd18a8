//! Starter files → their own pages: the whole listing with line anchors, and next to it the notes of every page that
//! explains it.

use std::collections::{BTreeMap, BTreeSet};

use super::ResolvedPage;
use super::bind::BoundNote;
use super::code::{self, Marker};
use super::excerpt;
use super::note_layout::{Breadth, NUMBER, NoteLayout, power_classes};
use super::page::{AnnotatedStarter, Explanation, NoteHtml, Shown, ShownCell};
use super::recorded;
use super::typeset::{self, Resolve, Sheet};
use infralens_course::config::Config;
use infralens_course::course::{Course, PageId, starter};
use infralens_page::Kind;
use infralens_page::look::Look;
use infralens_source::html::{self, Piece};
use infralens_source::put;
use infralens_source::url;
use infralens_starter::Listing;
use infralens_starter::listing::Lines;
use infralens_starter::notebook::{Cell, CellKind};

/// Sorts the pages that name a starter: labs in the order of tracks and numbers, then the others by URL.
pub fn sort_pages(readers: &mut [PageId], course: &Course) {
    readers.sort_by_key(|&page| {
        let entry = &course.pages[page];
        let lab = entry.kind == Kind::Lab;
        (!lab, entry.track.filter(|_| lab), entry.number().map(|number| number.value).filter(|_| lab), page)
    });
}

/// Returns the content of a starter's page: its listing, and the notes of the pages that use it, in the order of
/// [`sort_pages`], and of READMEs. A Markdown file is typeset; `resolve` resolves its links.
pub fn annotate_starter<'a>(
    config: &Config,
    listing: &Listing,
    readers: &[(PageId, ResolvedPage<'a>)],
    readmes: &[ResolvedPage<'a>],
    resolve: &Resolve<'_>,
) -> AnnotatedStarter<'a> {
    let path = &**listing.source().path();
    let mut notes = Vec::new();
    for (rank, (page, source)) in readers.iter().enumerate() {
        notes.extend(source.explanations(path).into_iter().map(|(found, text)| (rank, *page, found, text)));
    }
    // The home page repeats some notes of a lab, to show what a lab is like.
    let is_home = |rank: usize| readers[rank].1.subject.document.placement.kind == Kind::Home;
    if notes.iter().any(|(rank, ..)| !is_home(*rank)) {
        notes.retain(|(rank, ..)| !is_home(*rank));
    }
    // Notes of one page on one line stay in its order.
    notes.sort_by_key(|(rank, _, note, _)| (note.lines.first().map_or(0, |lines| lines.start), *rank));
    let notes: Vec<_> = notes.into_iter().map(|(_, page, found, text)| (page, found, text)).collect();
    let sources = readers.iter().map(|(_, source)| source).chain(readmes);
    let links = sources.flat_map(|source| &source.facts.line_links).filter(|(file, _)| **file == *path);
    let linked: BTreeSet<(usize, usize)> = links.map(|(_, lines)| (lines.start, lines.end)).collect();

    if let Some(sheet) = Sheet::new(listing) {
        let found: Vec<_> = notes.iter().map(|(_, found, text)| (*found, letters(&text.html))).collect();
        let typeset = sheet.typeset(config, &found, &linked, resolve);
        return AnnotatedStarter { shown: Shown::Typeset(typeset), notes };
    }
    if listing.is_notebook() {
        let cells = notebook(config, listing, &notes, &linked, resolve);
        return AnnotatedStarter { shown: Shown::Notebook(cells), notes };
    }
    let bound: Vec<BoundNote> = notes.iter().map(|(_, found, _)| bound(listing, &found.lines, 0)).collect();
    // At rest, each is one line.
    let layout = NoteLayout::new(listing.shown_before(listing.line_count()), &bound, &vec![1; bound.len()]);
    let whole = 0..listing.line_count();
    let html = listing_html(config, listing, &whole, &layout, notes.iter().map(|(_, found, _)| *found), 0, &linked);
    let skips = skips(listing, &whole);
    AnnotatedStarter { shown: Shown::Listing { html, layout, skips }, notes }
}

/// Returns whether the numbers of some lines skip markers.
fn skips(listing: &Listing, lines: &Lines) -> bool {
    lines.clone().skip(1).any(|line| listing.is_marker(line - 1) && !listing.is_marker(line))
}

/// Writes the cells of a notebook; each has the notes that begin in it.
fn notebook(
    config: &Config,
    listing: &Listing,
    notes: &[(PageId, &Explanation, NoteHtml)],
    linked: &BTreeSet<(usize, usize)>,
    resolve: &Resolve<'_>,
) -> Vec<ShownCell> {
    let base = starter::page_url(listing.source().path());
    let picture = |url: String| url::relative(&base, &url);
    let mut next = 0;
    let is_empty = |cell: &&Cell| cell.kind == CellKind::Code && cell.lines.is_empty() && cell.outputs.is_empty();
    let cells = listing.cells().iter().filter(|cell| !is_empty(cell)).map(|cell| match cell.kind {
        CellKind::Raw => ShownCell::Text(code::plain("", &cell.text, &Look::default())),
        CellKind::Markdown => ShownCell::Text(typeset::part(config, &cell.text, resolve)),
        CellKind::Code => {
            let first = next;
            let is_here = |(_, found, _): &(PageId, &Explanation, NoteHtml)| {
                found.lines.first().is_none_or(|lines| lines.start < cell.lines.end)
            };
            next += notes[first..].iter().take_while(|note| is_here(note)).count();
            let here = || notes[first..next].iter().map(|(_, found, _)| *found);
            let above = listing.shown_before(cell.lines.start);
            let bound: Vec<BoundNote> = here().map(|found| bound(listing, &found.lines, above)).collect();
            let rows = listing.shown_before(cell.lines.end) - above;
            let layout = NoteLayout::new(rows, &bound, &vec![1; bound.len()]);
            ShownCell::Code {
                label: excerpt::cell_label(config, cell),
                html: listing_html(config, listing, &cell.lines, &layout, here(), first, linked),
                breadth: Breadth::of(cell.lines.clone().map(|line| listing.line(line))),
                skips: skips(listing, &cell.lines),
                output: recorded::html(config, listing, cell, &picture),
                notes: first..next,
                layout,
            }
        }
    });
    cells.collect()
}

/// Converts those lines of a note to rows that are in the cell of the first one, below `above` rows.
fn bound(listing: &Listing, lines: &[Lines], above: usize) -> BoundNote {
    let cell = lines.first().and_then(|lines| listing.cell_of(lines.start));
    let end = cell.map_or(usize::MAX, |cell| cell.lines.end);
    let inside = lines.iter().filter(|lines| lines.start < end);
    let row = |line: usize| listing.shown_before(line.min(end)) - above;
    BoundNote { rows: inside.map(|lines| row(lines.start)..row(lines.end)).collect(), ..BoundNote::default() }
}

/// Writes some lines of the listing with `notes`, the first of which has the index `first`. `linked` are the ranges of lines that
/// pages link to.
fn listing_html<'a>(
    config: &Config,
    listing: &Listing,
    lines: &Lines,
    layout: &NoteLayout,
    notes: impl Iterator<Item = &'a Explanation>,
    first: usize,
    linked: &BTreeSet<(usize, usize)>,
) -> String {
    let tokens = code::bound_tokens(notes);
    let mut anchors: BTreeMap<usize, Vec<(String, String)>> = BTreeMap::new();
    for &(start, end) in linked.iter().filter(|(start, end)| end - start > 1) {
        let rows = listing.shown_before(end) - listing.shown_before(start);
        let anchor = (listing.anchor(&(start..end)), power_classes(NUMBER, rows));
        // A range may start at a marker.
        let first = (start..listing.line_count()).find(|&line| !listing.is_marker(line));
        anchors.entry(first.unwrap_or(start)).or_default().push(anchor);
    }
    let mut out = String::from("<pre class=\"listing\" tabindex=\"0\" translate=\"no\"><code>");
    let mut row = 0;
    for line in lines.clone().filter(|&line| !listing.is_marker(line)) {
        layout.write_part_tags(&mut out, row);
        let skips = line > lines.start && listing.is_marker(line - 1);
        code::open_line(&mut out, "", listing, line, if skips { " gap" } else { "" });
        code::push_markers(&mut out, layout, row, |note| Marker {
            note: format!("N{}", first + note + 1),
            number: first + note + 1,
            label: excerpt::marker_label(config, first + note + 1, listing.number(line)),
        });
        for (anchor, rows) in anchors.get(&line).into_iter().flatten() {
            // As high as its lines, so that without scripts, too, they are marked when they are linked to.
            put!(out, "<span class=\"reach{rows}\" id=\"{anchor}\"></span>");
        }
        let over = tokens.get(&line).map_or(&[][..], Vec::as_slice);
        code::push_line(&mut out, listing.line(line), listing.tokens(line), over);
        code::close_line(&mut out);
        row += 1;
    }
    layout.write_part_tags(&mut out, row);
    out.push_str("</code></pre>");
    out
}

/// Returns the number of letters of some HTML.
fn letters(html: &str) -> usize {
    let pieces = html::pieces(html).filter(|(_, piece)| matches!(piece, Piece::Text));
    pieces.map(|(range, _)| html[range].chars().count()).sum()
}
