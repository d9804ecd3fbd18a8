//! Highlighted code → HTML: one `span` per line, with markers and highlighted terms on top.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use unicode_width::UnicodeWidthChar;

use super::escape;
use super::note_layout::{Cell, NoteLayout};
use super::page::Explanation;
use infralens_page::look::{Look, Mark};
use infralens_source::diag::hidden;
use infralens_source::put;
use infralens_source::source::script;
use infralens_starter::Listing;
use infralens_starter::highlight::{self, Class, Token};

/// An element around a part of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlay {
    /// Bytes of the line's text.
    pub columns: Range<usize>,
    /// The element around it.
    pub tag: Tag,
}

/// The elements that can be put around code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tag {
    /// `b.bound`: the code that the note with this number is bound to.
    Bound(usize),
    /// `mark`: code that the author highlighted.
    Mark,
    /// `u`: words that the line which this one replaces does not have.
    Changed,
    /// `s`: words that the line which replaces this one does not have.
    Gone,
    /// `bdi.unseen`: a character that makes the code look like other code. The style sheet shows its name, and the element
    /// keeps it from changing the direction of the line.
    Unseen(char),
}

impl Tag {
    /// Returns the tag that starts its element. `ids` are those of notes whose code has none yet, by number.
    fn open(self, ids: &mut BTreeMap<usize, String>) -> Cow<'static, str> {
        match self {
            Self::Bound(note) => {
                let id = ids.remove(&note).map(|id| format!(" id=\"{id}\"")).unwrap_or_default();
                format!("<b{id} class=\"bound\" data-note=\"{note}\">").into()
            }
            Self::Mark => "<mark>".into(),
            Self::Changed => "<u>".into(),
            Self::Gone => "<s>".into(),
            Self::Unseen(character) => {
                format!("<bdi class=\"unseen\" data-unseen=\"{}\">", hidden::code_point(character)).into()
            }
        }
    }

    fn close(self) -> &'static str {
        match self {
            Self::Bound(_) => "</b>",
            Self::Mark => "</mark>",
            Self::Changed => "</u>",
            Self::Gone => "</s>",
            Self::Unseen(_) => "</bdi>",
        }
    }
}

/// Writes a line's text with its highlighting; spans never leave the line.
pub fn push_line(out: &mut String, text: &str, tokens: &[Token], overlays: &[Overlay]) {
    push_line_with_ids(out, text, tokens, overlays, &mut BTreeMap::new());
}

/// Writes a line as [`push_line`] does. The first element of each note in `ids`, by number, gets the id, which is removed
/// from them.
pub fn push_line_with_ids(
    out: &mut String,
    text: &str,
    tokens: &[Token],
    overlays: &[Overlay],
    ids: &mut BTreeMap<usize, String>,
) {
    let mut at = 0;
    let mut open: Vec<Tag> = Vec::new();
    let unseen = hidden::find(text, |_| true);
    let unseen = unseen.into_iter().map(|at| Overlay { columns: at.range, tag: Tag::Unseen(at.character) });
    let mut edges = edges(overlays.iter().cloned().chain(unseen)).into_iter().peekable();
    let mut active: BTreeMap<Tag, usize> = BTreeMap::new();
    for token in tokens {
        let end = (at + token.len as usize).min(text.len());
        while at < end {
            let mut has_changed = false;
            while let Some((_, begins, tag)) = edges.next_if(|(edge, ..)| *edge <= at) {
                has_changed = true;
                let count = active.entry(tag).or_default();
                *count = if begins { *count + 1 } else { count.saturating_sub(1) };
                if *count == 0 {
                    active.remove(&tag);
                }
            }
            if has_changed {
                set_open_tags(out, &mut open, active.keys().copied().collect(), ids);
            }
            let cut = edges.peek().map_or(end, |(edge, ..)| end.min(*edge));
            push_run(out, &text[at..cut], token.class);
            at = cut;
        }
    }
    set_open_tags(out, &mut open, Vec::new(), ids);
}

/// Returns a code span, with the attributes of its element.
pub fn span(text: &str, attributes: &str) -> String {
    let mut out = format!("<code translate=\"no\"{attributes}>");
    push_line(&mut out, text, &[uncolored(text)], &[]);
    out + "</code>"
}

pub fn uncolored(text: &str) -> Token {
    Token { len: u32::try_from(text.len()).unwrap_or(u32::MAX), class: Class::Text }
}

/// Returns the starts and ends of overlays from left to right; at the same byte, ends come first.
fn edges(overlays: impl Iterator<Item = Overlay>) -> Vec<(usize, bool, Tag)> {
    let filled = overlays.filter(|active| !active.columns.is_empty());
    let both = |active: Overlay| [(active.columns.start, true, active.tag), (active.columns.end, false, active.tag)];
    let mut edges: Vec<_> = filled.flat_map(both).collect();
    edges.sort_unstable();
    edges
}

/// Writes a run of one class. Punctuation is half of all runs in most languages, so it has the shortest element.
fn push_run(out: &mut String, text: &str, class: Class) {
    match class.css().filter(|_| !text.trim().is_empty()) {
        Some(_) if class == Class::Punctuation => {
            out.push_str("<i>");
            push_text(out, text);
            out.push_str("</i>");
        }
        Some(name) => {
            out.push_str("<span class=\"");
            out.push_str(name);
            out.push_str("\">");
            push_text(out, text);
            out.push_str("</span>");
        }
        None => push_text(out, text),
    }
}

/// Writes text. Chinese, Japanese and Korean characters get an element in which each takes two columns: otherwise their width
/// is that of whatever font has them.
fn push_text(out: &mut String, text: &str) {
    if text.is_ascii() {
        return escape::push_text(out, text);
    }
    let is_double = |c: char| script::is_cjk(c) && c.width() == Some(2);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| is_double(c) != is_double(first)).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        if is_double(first) {
            out.push_str("<span class=\"cjk\">");
            escape::push_text(out, run);
            out.push_str("</span>");
        } else {
            escape::push_text(out, run);
        }
        rest = after;
    }
}

/// Closes and opens elements so that exactly `wanted` are open.
fn set_open_tags(out: &mut String, open: &mut Vec<Tag>, wanted: Vec<Tag>, ids: &mut BTreeMap<usize, String>) {
    if *open == wanted {
        return;
    }
    for tag in open.iter().rev() {
        out.push_str(tag.close());
    }
    for tag in &wanted {
        out.push_str(&tag.open(ids));
    }
    *open = wanted;
}

/// A marker in a listing: a link to the note.
#[derive(Debug)]
pub struct Marker {
    /// The note's id.
    pub note: String,
    /// Its number, which is shown.
    pub number: usize,
    /// The label for screen readers, which starts with the number.
    pub label: String,
}

/// Starts a line (from 0): its id, which begins with `prefix`, and its number for the style sheet to show, so that copied text
/// does not contain it. `classes` are further classes, each after a space.
pub fn open_line(out: &mut String, prefix: &str, listing: &Listing, line: usize, classes: &str) {
    let (id, number) = (listing.line_id(line), line_numbers(listing, line));
    put!(out, "<span class=\"line{classes}\" id=\"{prefix}{id}\"{number}>");
}

/// Returns the attributes with the number of a line (from 0): by `data-line` scripts know it, and in a notebook, where numbers
/// are those in a cell, `data-local` is shown.
pub fn line_numbers(listing: &Listing, line: usize) -> String {
    let shown = if listing.is_notebook() { format!(" data-local=\"{}\"", listing.number(line)) } else { String::new() };
    format!(" data-line=\"{}\"{shown}", line + 1)
}

/// Writes the cells at the right edge of a row. They come first in the line so that code flows around them. `marker`
/// returns the marker of a note by its index.
pub fn push_markers(out: &mut String, layout: &NoteLayout, row: usize, marker: impl Fn(usize) -> Marker) {
    let mut cells = layout.cells(row).peekable();
    if cells.peek().is_none() {
        return;
    }
    out.push_str("<span class=\"markers\">");
    for cell in cells {
        match cell {
            Cell::Empty => out.push_str("<i></i>"),
            Cell::Line => out.push_str("<i class=\"stem\"></i>"),
            Cell::LineEnd => out.push_str("<i class=\"stem end\"></i>"),
            Cell::Marker(note) => push_marker(out, &marker(note)),
        }
    }
    out.push_str("</span>");
}

/// Writes a marker. The style sheet writes the number, so that it is not in the text of the code.
pub fn push_marker(out: &mut String, Marker { note, number, label }: &Marker) {
    let label = escape::attribute(label);
    put!(out, "<a class=\"marker\" href=\"#{note}\" aria-label=\"{label}\" data-at=\"{number}\"></a>");
}

pub fn close_line(out: &mut String) {
    out.push_str("\n</span>");
}

/// Returns the code that notes are bound to, by line.
pub fn bound_tokens<'a>(notes: impl Iterator<Item = &'a Explanation>) -> BTreeMap<usize, Vec<Overlay>> {
    let mut tokens: BTreeMap<usize, Vec<Overlay>> = BTreeMap::new();
    for (number, note) in (1..).zip(notes) {
        for (line, columns) in note.tokens.iter().cloned() {
            tokens.entry(line).or_default().push(Overlay { columns, tag: Tag::Bound(number) });
        }
    }
    tokens
}

/// Returns a text of Rust without the marks of its hidden lines, which begin with `# ` or are `#`, and these lines, from 0;
/// `None` if there are none. A line that begins with `##` is shown with one `#`.
pub fn without_hidden_marks(body: &str) -> Option<(String, BTreeSet<usize>)> {
    let (mut text, mut hidden) = (String::with_capacity(body.len()), BTreeSet::new());
    for (index, line) in body.split_inclusive('\n').enumerate() {
        let (indentation, rest) = line.split_at(line.len() - line.trim_start_matches([' ', '\t']).len());
        let after = rest.strip_prefix('#');
        let is_hidden = after.is_some_and(|after| after.trim_end().is_empty() || after.starts_with(' '));
        let is_escaped = after.is_some_and(|after| after.starts_with('#'));
        hidden.extend(is_hidden.then_some(index));
        text.push_str(indentation);
        text.push_str(match after {
            Some(after) if is_hidden => after.strip_prefix(' ').unwrap_or(after),
            Some(after) if is_escaped => after,
            _ => rest,
        });
    }
    (text != body).then_some((text, hidden))
}

/// Writes a fence without a starter file, highlighted by the first word of its info string.
pub fn plain(language: &str, body: &str, look: &Look) -> String {
    folded(language, body, look, &BTreeSet::new(), "")
}

/// Writes a fence as [`plain`] does, with lines (from 0) that a switch shows, on which their number is the label.
pub fn folded(language: &str, body: &str, look: &Look, hidden: &BTreeSet<usize>, label: &str) -> String {
    let known = highlight::by_token(language);
    let mut out = String::with_capacity(body.len() * 2);
    if let Some(title) = &look.title {
        put!(out, "<figure class=\"titled\">\n<figcaption>{}</figcaption>\n", escape::text(title));
    }
    out.push_str("<pre class=\"code\" tabindex=\"0\" translate=\"no\"><code");
    if !language.is_empty() {
        put!(out, " class=\"language-{}\"", escape::attribute(language));
    }
    out.push('>');
    if !hidden.is_empty() {
        let label = escape::text(label);
        put!(out, "<label class=\"unhide\"><input type=\"checkbox\">⋯ {label}</label>");
    }
    let highlighted = highlight::highlight(known, body);
    let marks = look.line_marks(body.lines().count());
    for (index, (line, mark)) in body.lines().zip(marks).enumerate() {
        let (open, close) = match mark {
            Some(Mark::Highlighted) => ("<mark class=\"row\">", "</mark>"),
            Some(Mark::Added) => ("<ins class=\"row\">", "</ins>"),
            Some(Mark::Removed) => ("<del class=\"row\">", "</del>"),
            None => ("", ""),
        };
        let (hide, end) = if hidden.contains(&index) { ("<span class=\"hid\">", "</span>") } else { ("", "") };
        out.extend([hide, open]);
        push_line(&mut out, line, highlighted.line(index), &[]);
        out.extend(["\n", close, end]);
    }
    out.push_str("</code></pre>\n");
    if look.title.is_some() {
        out.push_str("</figure>\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_lines_lose_their_marks() {
        let body = "# use a;\nfn f() {\n    #[test]\n    # g();\n#\n    ## h\n}\n";
        let shown = "use a;\nfn f() {\n    #[test]\n    g();\n\n    # h\n}\n";
        assert_eq!(without_hidden_marks(body), Some((shown.to_owned(), BTreeSet::from([0, 3, 4]))));
        assert_eq!(without_hidden_marks("#![no_std]\nfn f() {}\n"), None);
    }

    #[test]
    fn wide_characters_take_two_columns() {
        let html = |text: &str| {
            let mut out = String::new();
            push_text(&mut out, text);
            out
        };
        assert_eq!(html("a < b"), "a &lt; b");
        assert_eq!(html("# 缓存的大小，4 KB"), "# <span class=\"cjk\">缓存的大小，</span>4 KB");
        assert_eq!(html("한국어é🎉ｱ"), "<span class=\"cjk\">한국어</span>é🎉ｱ");
    }
}
