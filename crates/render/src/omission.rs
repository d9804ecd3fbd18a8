//! The lines that an excerpt leaves out: a row that opens them in place, or links to them if there are many, or none has
//! code.

use infralens_source::put;
use std::ops::Range;

use super::code;
use super::escape;
use super::excerpt::{BoundExcerpt, line_count};
use super::note_layout::power_classes;
use infralens_course::config::Config;
use infralens_starter::listing::Lines;

/// The maximum number of lines that open in place.
const MAX_OPENED: usize = 40;
/// The letters of the omissions of an excerpt that open. The style sheet has rules for each of them.
const LETTERS: [char; 4] = ['a', 'b', 'c', 'd'];

struct Omission {
    row: usize,
    /// The lines of the file, from 0.
    lines: Lines,
    /// Those that are no markers, if they open in place, with the letter of the omission.
    opened: Option<(char, Vec<usize>)>,
}

pub struct Omissions<'a> {
    excerpt: &'a BoundExcerpt<'a>,
    all: Vec<Omission>,
}

impl<'a> Omissions<'a> {
    /// Finds the omissions of an excerpt.
    pub fn new(excerpt: &'a BoundExcerpt<'a>) -> Self {
        let mut letters = LETTERS.iter();
        let omission = |(row, lines): (usize, Lines)| {
            let visible = lines.clone().filter(|&line| !excerpt.listing.is_marker(line)).collect::<Vec<_>>();
            // Blank lines are not worth opening.
            let has_code = visible.iter().any(|&line| !excerpt.listing.line(line).trim().is_empty());
            let letter = if has_code && lines.len() <= MAX_OPENED { letters.next() } else { None };
            Omission { row, opened: letter.map(|&letter| (letter, visible)), lines }
        };
        Self { excerpt, all: excerpt.shown.omissions().into_iter().map(omission).collect() }
    }

    /// Returns the ranges of lines, from 0, that do not open, but are linked to.
    pub fn linked(&self) -> impl Iterator<Item = Lines> + '_ {
        self.all.iter().filter(|omission| omission.opened.is_none()).map(|omission| omission.lines.clone())
    }

    /// Returns whether any of them opens in place.
    pub fn any_opens(&self) -> bool {
        self.all.iter().any(|omission| omission.opened.is_some())
    }

    /// Returns the classes by which rows that open within a range of rows make it higher.
    pub fn classes(&self, rows: &Range<usize>) -> String {
        let inside = self.all.iter().filter(|omission| rows.contains(&omission.row));
        let opened = inside.filter_map(|omission| omission.opened.as_ref());
        opened.map(|(letter, lines)| power_classes(*letter, lines.len())).collect()
    }

    /// Writes the row for `count` omitted lines. `file` is the link to the starter's page.
    pub fn write(&self, out: &mut String, config: &Config, file: &str, row: usize, count: usize) {
        let Some(omission) = self.all.iter().find(|omission| omission.row == row) else { return };
        let label = escape::text(&line_count(config, count));
        let Some((letter, lines)) = &omission.opened else {
            let page = file.split('#').next().unwrap_or_default();
            if self.excerpt.is_record() {
                put!(out, "<span class=\"omitted\">⋯ {label}\n</span>");
                return;
            }
            let anchor = self.excerpt.listing.anchor(&omission.lines);
            let href = escape::attribute(&format!("{page}#{anchor}"));
            put!(out, "<a class=\"omitted\" href=\"{href}\">⋯ {label}\n</a>");
            return;
        };
        put!(
            out,
            "<label class=\"omitted\"><input class=\"in-{letter}\" type=\"checkbox\">⋯ {label}\n</label>\
             <span class=\"opened in-{letter}\">"
        );
        for &line in lines {
            let view = self.excerpt.shown.line(self.excerpt.listing, line);
            code::open_line(out, &format!("{}-", self.excerpt.id()), self.excerpt.listing, line, "");
            code::push_line(out, view.text, &view.tokens, &[]);
            code::close_line(out);
        }
        out.push_str("</span>");
    }
}
