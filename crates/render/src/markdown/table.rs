//! Writes tables. On narrow screens each row becomes a card, whose values are labeled with the column headings.

use pulldown_cmark::{Alignment, Event, Tag, TagEnd};

use super::super::escape;
use super::Writer;
use infralens_source::source::Span;

/// The width of a phone, and the smallest width of the text column, in CSS pixels.
const PHONE: usize = 280;
const COLUMN: usize = 500;
/// The approximate width of a letter, and the padding of a cell.
const LETTER: usize = 9;
const PADDING: usize = 24;
/// Tables with more columns are hard to read on a phone, however short the words are.
const FEW_COLUMNS: usize = 3;
/// A name in a column heading is not broken at its hyphens if it has at most this many letters.
const MAX_NAME: usize = 16;

/// A table that is open.
pub(super) struct Table {
    alignments: Vec<Alignment>,
    /// The column headings as plain text.
    labels: Vec<String>,
    column: usize,
    /// Whether the current row is the header.
    pub(super) head: bool,
}

/// Measurements of a table before it is laid out.
#[derive(Default)]
pub(crate) struct Measure {
    /// The column headings as plain text.
    labels: Vec<String>,
    /// The length of the longest word of each column, which is its minimum width.
    longest: Vec<usize>,
}

impl Measure {
    /// Measures the table that some events are.
    pub(crate) fn of<'e>(events: impl Iterator<Item = Event<'e>>) -> Self {
        let mut measure = Self::default();
        let (mut head, mut column, mut text) = (true, 0, String::new());
        for event in events {
            match event {
                Event::Start(Tag::TableHead | Tag::TableRow) => column = 0,
                Event::End(TagEnd::TableHead) => head = false,
                Event::End(TagEnd::TableCell) => {
                    measure.cell(column, head, std::mem::take(&mut text));
                    column += 1;
                }
                Event::Text(part) | Event::Code(part) | Event::InlineMath(part) => text.push_str(&part),
                Event::SoftBreak | Event::HardBreak => text.push(' '),
                _ => {}
            }
        }
        measure
    }

    fn cell(&mut self, column: usize, head: bool, text: String) {
        let longest = text.split_whitespace().map(|word| word.chars().count()).max().unwrap_or(0);
        match self.longest.get_mut(column) {
            Some(known) => *known = longest.max(*known),
            None => self.longest.push(longest),
        }
        if head {
            self.labels.push(text);
        }
    }

    /// Returns the width below which the table must be scrolled, for these widths of a letter and of a cell's padding.
    pub(crate) fn width(&self, letter: usize, padding: usize) -> usize {
        self.longest.iter().map(|letters| letters * letter + padding).sum()
    }
}

impl Writer<'_> {
    /// Starts a table. If it may need scrolling, it can be reached with the keyboard.
    pub(super) fn table(&mut self, at: usize, alignments: &[Alignment], span: &Span) {
        let measure = if self.target.is_dry_run { Measure::default() } else { self.measure(at) };
        let width = measure.width(LETTER, PADDING);
        let attributes = if width > COLUMN {
            let label = escape::attribute(&self.last_heading(span));
            format!("table cards scrolled\" tabindex=\"0\" role=\"group\" aria-label=\"{label}")
        } else if width > PHONE || alignments.len() > FEW_COLUMNS {
            "table cards".to_owned()
        } else {
            "table".to_owned()
        };
        self.tables.push(Table { alignments: alignments.to_vec(), labels: measure.labels, column: 0, head: false });
        self.push(format!("<div class=\"{attributes}\">\n<table>\n"));
    }

    /// Returns whether the table that starts at an event may need scrolling, for which it also uses the margin.
    pub(super) fn is_wide_table(&self, at: usize) -> bool {
        self.measure(at).width(LETTER, PADDING) > COLUMN
    }

    fn measure(&self, at: usize) -> Measure {
        Measure::of(self.document().body.events.range(at..self.skip(at)).map(|(event, _)| event))
    }

    pub(super) fn row(&mut self, head: bool, html: &'static str) {
        if let Some(table) = self.tables.last_mut() {
            table.column = 0;
            table.head = head;
        }
        self.push(html);
    }

    pub(super) fn cell(&mut self) {
        let Some(table) = self.tables.last_mut() else { return };
        let label = table.labels.get(table.column).map_or("", |label| label.trim());
        let align = match table.alignments.get(table.column) {
            Some(Alignment::Left) => "left",
            Some(Alignment::Center) => "center",
            Some(Alignment::Right) => "right",
            _ => "",
        };
        // A name such as `GPT-3` stays on one line above its numbers.
        let is_name = label.contains('-') && !label.contains(' ') && label.chars().count() <= MAX_NAME;
        let unbroken = if table.head && is_name { " unbroken" } else { "" };
        let class = format!("{align}{unbroken}");
        let class = if class.is_empty() { class } else { format!(" class=\"{}\"", class.trim()) };
        table.column += 1;
        let cell = match (table.head, label) {
            // An empty cell is not a heading.
            (_, "") => format!("<td{class}>"),
            (true, _) => format!("<th scope=\"col\"{class}>"),
            (false, label) => format!("<td{class} data-label=\"{}\">", escape::attribute(label)),
        };
        self.push(cell);
    }

    pub(super) fn end_cell(&mut self) {
        let table = self.tables.last().filter(|table| table.head);
        let label = table.and_then(|table| table.labels.get(table.column.checked_sub(1)?));
        self.push(if label.is_some_and(|label| !label.trim().is_empty()) { "</th>" } else { "</td>" });
    }
}
