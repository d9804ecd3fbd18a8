//! Writes the tables of a Markdown starter. Empty cells are places to write in.

use std::ops::Range;

use pulldown_cmark::{Alignment, Event, Tag, TagEnd};

use super::end_of;
use super::writer::Writer;
use crate::escape;
use crate::markdown::table::Measure;
use infralens_source::put;
use infralens_source::url;

/// The width of a table on a narrow phone, and the approximate width of a letter and the padding of a cell, in pixels.
const PHONE: usize = 260;
const LETTER: usize = 8;
const PADDING: usize = 6;

/// The table that is open.
#[derive(Default)]
pub(super) struct Table {
    alignments: Vec<Alignment>,
    column: usize,
    is_head: bool,
    /// Whether the first column has no heading, because its cells name the rows.
    names_rows: bool,
    /// What comes first in a row: its number and its markers.
    lead: String,
    /// The end tag of the open cell.
    pub(super) close: &'static str,
}

impl Writer<'_> {
    /// Starts a table. If it may need scrolling, it can be reached with the keyboard.
    pub(super) fn open_table(&mut self, at: usize, alignments: &[Alignment]) {
        self.table = Table { alignments: alignments.to_vec(), ..Table::default() };
        self.out.push_str("<div class=\"fits\"");
        // The width below which it must be scrolled: that of the longest words.
        let events = &self.sheet.events[at..end_of(&self.sheet.events, at)];
        if Measure::of(events.iter().map(|(event, _)| event.clone())).width(LETTER, PADDING) > PHONE {
            let above = self.sheet.headings.range(..at).next_back();
            let label = above.map_or(url::file_name(self.sheet.listing.source().path()), |(_, heading)| &heading.title);
            let label = escape::attribute(label);
            put!(self.out, " tabindex=\"0\" role=\"group\" aria-label=\"{label}\"");
        }
        self.out.push_str("><table><thead>");
    }

    pub(super) fn open_table_row(&mut self, at: usize, is_head: bool, lines: Range<usize>) {
        let (open, lead) = self.row_parts("tr", "", lines.start..lines.start + 1);
        let names_rows = if is_head { self.is_empty_cell(at + 1) } else { self.table.names_rows };
        self.table = Table { column: 0, is_head, names_rows, lead, ..std::mem::take(&mut self.table) };
        self.out.push_str(&open);
    }

    /// Returns whether the cell that starts at an event is empty.
    fn is_empty_cell(&self, at: usize) -> bool {
        matches!(self.sheet.events.get(at), Some((Event::Start(Tag::TableCell), _)))
            && matches!(self.sheet.events.get(at + 1), Some((Event::End(TagEnd::TableCell), _)))
    }

    pub(super) fn open_cell(&mut self, at: usize) {
        let is_empty = self.is_empty_cell(at);
        let table = &mut self.table;
        let align = match table.alignments.get(table.column) {
            Some(Alignment::Center) => "center",
            Some(Alignment::Right) => "right",
            _ => "",
        };
        let field = if is_empty && !table.is_head { "field" } else { "" };
        let class = format!("{align} {field}");
        let class = if class == " " { String::new() } else { format!(" class=\"{}\"", class.trim()) };
        let is_name = table.column == 0 && table.names_rows;
        let (open, close) = match (table.is_head, is_empty, is_name) {
            (true, false, _) => (format!("<th scope=\"col\"{class}>"), "</th>"),
            (false, false, true) => (format!("<th scope=\"row\"{class}>"), "</th>"),
            _ => (format!("<td{class}>"), "</td>"),
        };
        table.column += 1;
        table.close = close;
        let lead = std::mem::take(&mut table.lead);
        self.out.push_str(&open);
        self.out.push_str(&lead);
    }
}
