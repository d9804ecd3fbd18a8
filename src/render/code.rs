//! Highlighted code → HTML: one `span` a line, closed at its end, with markers and lit terms laid over it.

use std::fmt::Write;
use std::ops::Range;

use super::escape;
use crate::code::Listing;
use crate::code::highlight::{self, Token};

/// Something laid over a part of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlay {
    /// Bytes of the line's text.
    pub columns: Range<usize>,
    /// The element around it.
    pub tag: Tag,
}

/// The elements that lie over code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tag {
    /// `b.bound`: a note is bound to it.
    Bound,
    /// `mark`: the author lit it.
    Mark,
}

impl Tag {
    fn open(self) -> &'static str {
        match self {
            Self::Bound => "<b class=\"bound\">",
            Self::Mark => "<mark>",
        }
    }

    fn close(self) -> &'static str {
        match self {
            Self::Bound => "</b>",
            Self::Mark => "</mark>",
        }
    }
}

/// Writes a line's text with its highlighting; spans never leave the line.
pub fn push_line(out: &mut String, text: &str, tokens: &[Token], overlays: &[Overlay]) {
    let mut at = 0;
    let mut open: Vec<Tag> = Vec::new();
    for token in tokens {
        let end = (at + token.len as usize).min(text.len());
        while at < end {
            let cut = next_edge(overlays, at, end);
            let tags = tags_at(overlays, at);
            switch(out, &mut open, tags);
            push_run(out, &text[at..cut], token.class.css());
            at = cut;
        }
    }
    switch(out, &mut open, Vec::new());
}

fn push_run(out: &mut String, text: &str, class: Option<&str>) {
    match class.filter(|_| !text.trim().is_empty()) {
        Some(class) => {
            out.push_str("<span class=\"");
            out.push_str(class);
            out.push_str("\">");
            escape::push_text(out, text);
            out.push_str("</span>");
        }
        None => escape::push_text(out, text),
    }
}

/// Closes and opens elements so that exactly `wanted` are open.
fn switch(out: &mut String, open: &mut Vec<Tag>, wanted: Vec<Tag>) {
    if *open == wanted {
        return;
    }
    for tag in open.iter().rev() {
        out.push_str(tag.close());
    }
    for tag in &wanted {
        out.push_str(tag.open());
    }
    *open = wanted;
}

fn tags_at(overlays: &[Overlay], at: usize) -> Vec<Tag> {
    let mut tags: Vec<Tag> = overlays.iter().filter(|over| over.columns.contains(&at)).map(|over| over.tag).collect();
    tags.sort_unstable();
    tags.dedup();
    tags
}

/// The first edge of an overlay after `at`, at most `end`.
fn next_edge(overlays: &[Overlay], at: usize, end: usize) -> usize {
    let edges = overlays.iter().flat_map(|over| [over.columns.start, over.columns.end]);
    edges.filter(|&edge| edge > at && edge < end).min().unwrap_or(end)
}

/// A marker at a line: a link to the note.
#[derive(Debug)]
pub struct Marker {
    /// The note's id.
    pub note: String,
    /// Its number, which is shown.
    pub number: usize,
    /// What a screen reader says; holds the number.
    pub label: String,
}

/// Opens a line: its id, and its number for the style sheet to show, so that copied text has none.
pub fn open_line(out: &mut String, id: &str, number: usize) {
    // Writing to a String cannot fail.
    let _ = write!(out, "<span class=\"line\" id=\"{id}\" data-line=\"{number}\">");
}

/// Closes a line, its markers at the right.
pub fn close_line(out: &mut String, markers: &[Marker]) {
    if !markers.is_empty() {
        out.push_str("<span class=\"markers\">");
        for Marker { note, number, label } in markers {
            let label = escape::attribute(label);
            let _ = write!(out, "<a class=\"marker\" href=\"#{note}\" aria-label=\"{label}\">{number}</a>");
        }
        out.push_str("</span>");
    }
    out.push_str("\n</span>");
}

/// A fence that shows no starter file: highlighted by the word after the backticks.
#[must_use]
pub fn plain(language: &str, body: &str) -> String {
    let known = highlight::by_token(language);
    let mut out = String::with_capacity(body.len() * 2);
    out.push_str("<pre class=\"code\" tabindex=\"0\"><code");
    if !language.is_empty() {
        let _ = write!(out, " class=\"language-{}\"", escape::attribute(language));
    }
    out.push('>');
    let highlighted = highlight::highlight(known, body);
    for (index, line) in body.lines().enumerate() {
        push_line(&mut out, line, highlighted.line(index), &[]);
        out.push('\n');
    }
    out.push_str("</code></pre>\n");
    out
}

/// Writes a whole line of a listing.
pub fn push_listing_line(out: &mut String, listing: &Listing, line: usize) {
    push_line(out, listing.line(line), listing.tokens(line), &[]);
}
