//! An excerpt → HTML: a `figure` with a `pre`, whose lines have ids and markers. Its notes are the `ol` that follows.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::Range;

use super::bind::BoundNote;
use super::code::{self, Marker, Overlay, Tag};
use super::escape;
use super::note_layout::NoteLayout;
use crate::code::excerpt::{Occurrence, Row, ViewRow};
use crate::code::listing::Lines;
use crate::code::{Listing, SelectedRows};
use crate::config::Config;
use crate::course::link::line_anchor;
use crate::course::url;
use crate::document::Excerpt;

/// An excerpt of a page with its file, its rows and its bound notes.
#[derive(Debug)]
pub struct BoundExcerpt<'a> {
    /// The excerpt in the document.
    pub excerpt: &'a Excerpt,
    /// The file.
    pub listing: &'a Listing,
    /// The rows that are shown.
    pub shown: &'a SelectedRows,
    /// The binding of each note.
    pub bound: &'a [BoundNote],
    /// Its number on the page, from 1.
    pub number: usize,
    /// Whether it is the excerpt that a home page begins with, which has buttons to step through its notes.
    pub is_lens: bool,
    /// A prefix of its ids; empty except where several pages are on one.
    pub prefix: String,
}

impl BoundExcerpt<'_> {
    /// Returns the id of the figure.
    #[must_use]
    pub fn id(&self) -> String {
        format!("{}E{}", self.prefix, self.number)
    }

    /// Returns the id of a note, whose index starts at 0.
    #[must_use]
    pub fn note_id(&self, note: usize) -> String {
        format!("{}-N{}", self.id(), note + 1)
    }

    /// Returns the line number, from 1, to which an anchor of a note is bound.
    #[must_use]
    pub fn anchor_line(&self, note: usize, event: usize) -> Option<usize> {
        let anchors = &self.bound.get(note)?.anchors;
        let index = anchors.binary_search_by_key(&event, |&(anchor, _)| anchor).ok()?;
        self.shown.line_number(anchors[index].1)
    }

    /// Returns the lines of the file, from 0, that a note covers.
    #[must_use]
    pub fn lines(&self, note: usize) -> Vec<Lines> {
        let rows = self.bound.get(note).map_or(&[][..], |bound| &bound.rows);
        rows.iter()
            .filter_map(|rows| {
                let mut numbers = rows.clone().filter_map(|row| self.shown.line_number(row));
                let first = numbers.next()?;
                let last = numbers.next_back().unwrap_or(first);
                Some(first - 1..last)
            })
            .collect()
    }

    /// Returns the code that a note is bound to: lines of the file, from 0, and bytes of their text.
    #[must_use]
    pub fn tokens(&self, note: usize) -> Vec<(usize, Range<usize>)> {
        let found = self.bound.get(note).map_or(&[][..], |bound| &bound.tokens);
        found
            .iter()
            .filter_map(|found| match self.shown.rows[found.row] {
                Row::Line(line) => {
                    let cut = self.shown.cut(self.listing, line);
                    Some((line, found.columns.start + cut..found.columns.end + cut))
                }
                Row::Omitted(_) => None,
            })
            .collect()
    }

    /// Returns the layout of its notes next to the code.
    #[must_use]
    pub fn layout(&self) -> NoteLayout {
        NoteLayout::new(self.shown.rows.len(), self.bound).folded()
    }

    /// Writes the figure. `file` is the link to the starter's page, `layout` comes from [`Self::layout`].
    #[must_use]
    pub fn figure(&self, config: &Config, file: &str, layout: &NoteLayout) -> String {
        let view = self.shown.view(self.listing);
        let overlays = self.overlays(&view);
        let mut out = String::with_capacity(view.rows.len() * 160);
        let numbers = if self.excerpt.numbers { "" } else { " data-numbers=\"false\"" };
        let (rows, id) = (layout.figure_classes(), self.id());
        let label = escape::attribute(&self.label(config));
        let _ = writeln!(out, "<figure class=\"excerpt{rows}\" id=\"{id}\" aria-label=\"{label}\"{numbers}>");
        self.head(&mut out, config, file);
        out.push_str("<pre class=\"listing\" tabindex=\"0\"><code>");
        for (row, line) in view.rows.iter().enumerate() {
            layout.write_part_tags(&mut out, row);
            match line {
                ViewRow::Omitted(count) => self.omission(&mut out, config, file, row, *count),
                ViewRow::Line(line) => {
                    let (number, skips) = (line.line + 1, self.skips_markers(row));
                    code::open_line(&mut out, &format!("{id}-L{number}"), number, row, skips, line.text);
                    code::push_markers(&mut out, layout, row, |note| self.marker(config, note, line.line));
                    let over = overlays.get(&row).map_or(&[][..], Vec::as_slice);
                    code::push_line(&mut out, line.text, &line.tokens, over);
                    code::close_line(&mut out);
                }
            }
        }
        layout.write_part_tags(&mut out, view.rows.len());
        out.push_str("</code></pre>\n");
        self.foot(&mut out, config, layout);
        out.push_str("</figure>\n");
        out
    }

    /// Returns the name of the file.
    #[must_use]
    pub fn name(&self) -> &str {
        url::file_name(self.listing.source().path())
    }

    /// Returns the label of the figure: its caption, else its file and lines.
    fn label(&self, config: &Config) -> String {
        match (&self.excerpt.caption, self.shown.bounds()) {
            (Some(caption), _) => caption.clone(),
            (None, Some((first, last))) => format!("{}, {}", self.name(), line_range(config, first, last)),
            (None, None) => self.name().to_owned(),
        }
    }

    fn head(&self, out: &mut String, config: &Config, file: &str) {
        let (file, labels) = (escape::attribute(file), &config.labels);
        let _ = write!(out, "<figcaption><a class=\"file\" href=\"{file}\">{}</a>", escape::text(self.name()));
        if let Some((first, last)) = self.shown.bounds() {
            let lines = line_range(config, first, last);
            let _ = write!(out, " <span class=\"lines\">{}</span>", escape::text(&lines));
        }
        if self.is_lens {
            self.stepper(out, config);
        }
        let veil = if self.bound.is_empty() {
            String::new()
        } else {
            format!("<button class=\"veil\" type=\"button\">{}</button> ", escape::text(&labels.hide_notes))
        };
        let _ = writeln!(
            out,
            " <span class=\"actions\">{veil}<a href=\"{file}\">{}</a> <button class=\"copy\" type=\"button\">{}</button></span></figcaption>",
            escape::text(&labels.open_starter),
            escape::text(&labels.copy)
        );
    }

    /// Writes the buttons that step through the notes, and which note is chosen: at first the one in the middle, so that
    /// both buttons lead to a note. Only scripts give them a meaning.
    fn stepper(&self, out: &mut String, config: &Config) {
        let labels = &config.labels;
        let count = self.bound.iter().filter(|bound| !bound.rows.is_empty()).count();
        let button = |name: &str, class: &str| {
            let name = escape::attribute(name);
            format!("<button class=\"step {class}\" type=\"button\" aria-label=\"{name}\"></button>")
        };
        let at = labels.note_of.replace("{n}", &count.div_ceil(2).to_string()).replace("{m}", &count.to_string());
        let _ = write!(
            out,
            " <span class=\"stepper\">{} <span role=\"status\" data-words=\"{}\">{}</span> {} <kbd aria-hidden=\"true\">j</kbd> \
             <kbd aria-hidden=\"true\">k</kbd></span>",
            button(&labels.previous_note, "back"),
            escape::attribute(&labels.note_of),
            escape::text(&at),
            button(&labels.next_note, "on"),
        );
    }

    /// Returns whether markers between a row and the line above it are hidden.
    fn skips_markers(&self, row: usize) -> bool {
        let rows = row.checked_sub(1).and_then(|above| self.shown.rows.get(above..=row));
        matches!(rows, Some([Row::Line(above), Row::Line(line)]) if above + 1 < *line)
    }

    /// Writes what follows the code: the button that unfolds it, its caption, why line numbers skip, the keyboard
    /// shortcuts.
    fn foot(&self, out: &mut String, config: &Config, layout: &NoteLayout) {
        let labels = &config.labels;
        if layout.is_folded() {
            let all = escape::text(&labels.show_all_lines.with(self.shown.rows.len()));
            let _ = writeln!(out, "<button class=\"unfold\" type=\"button\">{all}</button>");
        }
        let skips = self.excerpt.numbers && (0..self.shown.rows.len()).any(|row| self.skips_markers(row));
        if self.excerpt.caption.is_none() && self.bound.is_empty() && !skips {
            return;
        }
        out.push_str("<div class=\"under\">");
        if let Some(caption) = &self.excerpt.caption {
            let _ = write!(out, "<p class=\"caption\">{}</p>", escape::text(caption));
        }
        if skips {
            let _ = write!(out, "<p class=\"skips\">{}</p>", escape::text(&labels.skipped_markers));
        }
        if !self.bound.is_empty() {
            let keys = escape::text(&labels.step_notes);
            let _ = write!(out, "<p class=\"keys\"><kbd>j</kbd> <kbd>k</kbd> {keys}</p>");
        }
        out.push_str("</div>\n");
    }

    /// Writes the row for omitted lines, which links to them in the file.
    fn omission(&self, out: &mut String, config: &Config, file: &str, row: usize, count: usize) {
        let page = file.split('#').next().unwrap_or_default();
        let href = escape::attribute(&format!("{page}#{}", line_anchor(&self.omitted(row))));
        let label = escape::text(&line_count(config, count));
        let _ = write!(out, "<a class=\"omitted\" href=\"{href}\">⋯ {label}\n</a>");
    }

    /// Returns the ranges of lines, from 0, that are omitted and linked to.
    pub fn omissions(&self) -> impl Iterator<Item = Lines> + '_ {
        let rows = self.shown.rows.iter().enumerate();
        rows.filter(|(_, shown)| matches!(shown, Row::Omitted(_))).map(|(row, _)| self.omitted(row))
    }

    fn omitted(&self, row: usize) -> Lines {
        let above = row.checked_sub(1).and_then(|row| self.shown.line_number(row)).unwrap_or(0);
        let below = self.shown.line_number(row + 1).unwrap_or(above + 2);
        above..below - 1
    }

    fn marker(&self, config: &Config, note: usize, line: usize) -> Marker {
        let label = marker_label(config, note + 1, line + 1);
        Marker { note: self.note_id(note), number: note + 1, label }
    }

    fn overlays(&self, view: &crate::code::View<'_>) -> BTreeMap<usize, Vec<Overlay>> {
        let mut overlays: BTreeMap<usize, Vec<Overlay>> = BTreeMap::new();
        let mut add = |found: Occurrence, tag| {
            overlays.entry(found.row).or_default().push(Overlay { columns: found.columns, tag });
        };
        for (note, bound) in self.bound.iter().enumerate() {
            for found in &bound.tokens {
                add(found.clone(), Tag::Bound(note + 1));
            }
        }
        let mut known = BTreeSet::new();
        for (term, _) in self.excerpt.marks.iter().filter(|(term, _)| known.insert(term)) {
            for found in view.all(term) {
                add(found, Tag::Mark);
            }
        }
        overlays
    }
}

/// Formats a number of lines: "1 line", "14 lines".
#[must_use]
pub fn line_count(config: &Config, count: usize) -> String {
    if count == 1 { config.labels.omitted_line.clone() } else { config.labels.omitted_lines.with(count) }
}

/// Formats a range of line numbers from 1: "Line 3", "Lines 3–9".
#[must_use]
pub fn line_range(config: &Config, first: usize, last: usize) -> String {
    if first == last {
        format!("{} {first}", config.labels.line)
    } else {
        format!("{} {first}–{last}", config.labels.lines)
    }
}

/// Returns the label of a note's marker: "1, note on line 57". It starts with the visible text.
#[must_use]
pub fn marker_label(config: &Config, number: usize, line: usize) -> String {
    format!("{number}, {}", config.labels.note_on_line.with(line))
}

/// Returns the label of the link from a note to its lines, numbered from 1: "1, line 57".
#[must_use]
pub fn note_link_label(config: &Config, number: usize, lines: &Lines) -> String {
    format!("{number}, {}", line_range(config, lines.start + 1, lines.end))
}

/// Formats ranges of lines, given from 0, for the script, which counts from 1: `63-64 70-70`.
#[must_use]
pub fn line_ranges(lines: &[Lines]) -> String {
    lines.iter().map(|lines| format!("{}-{}", lines.start + 1, lines.end)).collect::<Vec<_>>().join(" ")
}
