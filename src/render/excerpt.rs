//! An excerpt with its notes → HTML: a `figure` with one `pre`, its lines with ids and markers, and the `ol` of notes.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::bind::Bound;
use super::code::{self, Marker, Overlay, Tag};
use super::escape;
use crate::code::excerpt::{Found, ViewRow};
use crate::code::listing::Lines;
use crate::code::{Listing, Shown};
use crate::config::Config;
use crate::document::Excerpt;

/// An excerpt of a page, bound to its file.
#[derive(Debug)]
pub struct Prepared<'a> {
    /// As the page has it.
    pub excerpt: &'a Excerpt,
    /// The file.
    pub listing: &'a Listing,
    /// What of it.
    pub shown: Shown,
    /// Where its notes are bound, one for each.
    pub bound: Vec<Bound>,
    /// Its number on the page, from 1.
    pub number: usize,
}

impl Prepared<'_> {
    /// The id of the figure.
    #[must_use]
    pub fn id(&self) -> String {
        format!("E{}", self.number)
    }

    /// The id of a note, from 0.
    #[must_use]
    pub fn note_id(&self, note: usize) -> String {
        format!("E{}-N{}", self.number, note + 1)
    }

    /// The number in the file, from 1, of the line where an anchor of a note is bound.
    #[must_use]
    pub fn anchor_line(&self, note: usize, event: usize) -> Option<usize> {
        let &(_, row) = self.bound.get(note)?.anchors.iter().find(|&&(anchor, _)| anchor == event)?;
        self.line_number(row)
    }

    /// The number in the file of the line in a row.
    fn line_number(&self, row: usize) -> Option<usize> {
        match self.shown.rows.get(row)? {
            crate::code::excerpt::Row::Line(line) => Some(line + 1),
            crate::code::excerpt::Row::Omitted(_) => None,
        }
    }

    /// The lines of the file, from 0, that a note covers.
    #[must_use]
    pub fn lines(&self, note: usize) -> Vec<Lines> {
        let rows = self.bound.get(note).map_or(&[][..], |bound| &bound.rows);
        rows.iter()
            .filter_map(|rows| {
                let mut numbers = rows.clone().filter_map(|row| self.line_number(row));
                let first = numbers.next()?;
                let last = numbers.next_back().unwrap_or(first);
                Some(first - 1..last)
            })
            .collect()
    }

    /// The figure. `file` is the link to the starter's page, `notes` says whether the list of notes stands on this page.
    #[must_use]
    pub fn figure(&self, config: &Config, file: &str) -> String {
        let view = self.shown.view(self.listing);
        let markers = self.markers(config);
        let overlays = self.overlays(&view);
        let mut out = String::with_capacity(view.rows.len() * 160);
        let numbers = if self.excerpt.numbers { "" } else { " data-numbers=\"false\"" };
        let _ = writeln!(out, "<figure class=\"excerpt\" id=\"{}\"{numbers}>", self.id());
        self.head(&mut out, config, file);
        out.push_str("<pre class=\"listing\" tabindex=\"0\"><code>");
        for (row, line) in view.rows.iter().enumerate() {
            match line {
                ViewRow::Omitted(count) => {
                    let label = omitted(config, *count);
                    let _ = write!(out, "<span class=\"omitted\">⋯ {}\n</span>", escape::text(&label));
                }
                ViewRow::Line(line) => {
                    code::open_line(&mut out, &format!("E{}-L{}", self.number, line.line + 1), line.line + 1);
                    let over = overlays.get(&row).map_or(&[][..], Vec::as_slice);
                    code::push_line(&mut out, line.text, &line.tokens, over);
                    code::close_line(&mut out, markers.get(&row).map_or(&[][..], Vec::as_slice));
                }
            }
        }
        out.push_str("</code></pre>\n</figure>\n");
        out
    }

    fn head(&self, out: &mut String, config: &Config, file: &str) {
        let path = self.listing.source().path();
        let name = path.rsplit('/').next().unwrap_or(path);
        out.push_str("<figcaption>");
        let _ = write!(out, "<a class=\"file\" href=\"{}\">{}</a>", escape::attribute(file), escape::text(name));
        if let Some((first, last)) = self.shown.bounds() {
            let lines = line_range(config, first, last);
            let _ = write!(out, " <span class=\"lines\">{}</span>", escape::text(&lines));
        }
        if let Some(caption) = &self.excerpt.caption {
            let _ = write!(out, " <span class=\"caption\">{}</span>", escape::text(caption));
        }
        out.push_str("</figcaption>\n");
    }

    fn markers(&self, config: &Config) -> BTreeMap<usize, Vec<Marker>> {
        let mut markers: BTreeMap<usize, Vec<Marker>> = BTreeMap::new();
        for (note, bound) in self.bound.iter().enumerate() {
            for &row in &bound.starts {
                let line = self.line_number(row).unwrap_or_default();
                let label = format!("{} {}, {}", config.labels.note, note + 1, line_range(config, line, line));
                markers.entry(row).or_default().push(Marker { note: self.note_id(note), number: note + 1, label });
            }
        }
        markers
    }

    fn overlays(&self, view: &crate::code::View<'_>) -> BTreeMap<usize, Vec<Overlay>> {
        let mut overlays: BTreeMap<usize, Vec<Overlay>> = BTreeMap::new();
        let mut lay = |found: Found, tag| {
            overlays.entry(found.row).or_default().push(Overlay { columns: found.columns, tag });
        };
        for found in self.bound.iter().flat_map(|bound| &bound.tokens) {
            lay(found.clone(), Tag::Bound);
        }
        for (term, _) in &self.excerpt.marks {
            for found in view.all(term) {
                lay(found, Tag::Mark);
            }
        }
        overlays
    }
}

/// "1 line", "14 lines".
fn omitted(config: &Config, count: usize) -> String {
    if count == 1 { config.labels.omitted_line.clone() } else { config.labels.omitted_lines.with(count) }
}

/// "Line 3", "Lines 3–9"; both from 1.
#[must_use]
pub fn line_range(config: &Config, first: usize, last: usize) -> String {
    if first == last {
        format!("{} {first}", config.labels.line)
    } else {
        format!("{} {first}–{last}", config.labels.lines)
    }
}
