//! Writes what is on a line of a Markdown starter: text, links, footnotes, HTML.

use super::PREFIX;
use super::writer::Writer;
use crate::code::{self, Overlay};
use crate::{escape, raw_html};
use infralens_page::destination::MappedText;
use infralens_source::html::{self, Piece};
use infralens_source::put;
use infralens_source::source::Span;
use infralens_source::url;

/// So many `_` in a row are a place to write on.
const BLANK: &str = "___";

impl Writer<'_> {
    pub(super) fn open_link(&mut self, target: &str) {
        let href = if self.in_link > 0 { None } else { self.href(target) };
        self.in_link += 1;
        let Some(href) = href else {
            self.closers.push("</span>");
            return self.out.push_str("<span>");
        };
        self.closers.push("</a>");
        put!(self.out, "<a href=\"{}\">", escape::attribute(&href));
    }

    /// Returns the URL of a link's target: in the file itself, a region, else a heading.
    fn href(&self, target: &str) -> Option<String> {
        let Some(id) = target.strip_prefix('#') else { return (self.resolve)(target) };
        if self.sheet.is_part {
            return None;
        }
        let id = url::decode(id);
        let region = self.listing().regions().iter().find(|region| region.name == id);
        if let Some(region) = region {
            let line = region.lines.clone().find(|&line| !self.listing().is_marker(line))?;
            return Some(format!("#L{}", line + 1));
        }
        let mut headings = self.sheet.headings.values();
        let heading = headings.find(|heading| heading.id.strip_prefix(PREFIX) == Some(&id))?;
        Some(format!("#{}", heading.id))
    }

    /// Returns the attribute with an id, the first time; a part of another file has none.
    fn id_once(&mut self, id: String) -> String {
        let attribute = format!(" id=\"{id}\"");
        if self.written.insert(id) && !self.sheet.is_part { attribute } else { String::new() }
    }

    pub(super) fn footnote_reference(&mut self, label: &str) {
        let Some(number) = self.sheet.footnotes.get(&label.to_lowercase()) else { return };
        let id = self.id_once(format!("{PREFIX}back-{number}-"));
        let href = if self.sheet.is_part { String::new() } else { format!(" href=\"#{PREFIX}note-{number}-\"") };
        put!(self.out, "<sup{id}><a{href}>{number}</a></sup>");
    }

    pub(super) fn footnote(&mut self, label: &str) {
        let number = self.sheet.footnotes.get(&label.to_lowercase()).copied().unwrap_or_default();
        // No heading has an id that ends in `-` and a number before it.
        let id = self.id_once(format!("{PREFIX}note-{number}-"));
        put!(self.out, "<div class=\"defined\"{id} data-number=\"{number}\">");
    }

    /// Writes text, in which rows of `_` are places to write on.
    pub(super) fn text(&mut self, text: &str, span: &Span) {
        let is_written = self.listing().source().text()[span.clone()] == *text;
        let mut rest = text;
        while let Some(at) = rest.find(BLANK) {
            let end = at + rest[at..].bytes().take_while(|&byte| byte == b'_').count();
            let from = text.len() - rest.len();
            self.marked(&rest[..at], is_written.then_some(span.start + from));
            put!(self.out, "<span class=\"blank-run\">{}</span>", &rest[at..end]);
            rest = &rest[end..];
        }
        self.marked(rest, is_written.then_some(span.end - rest.len()));
    }

    pub(super) fn code_span(&mut self, text: &str, span: &Span) {
        let start = self.listing().source().text()[span.clone()].find(text).map(|at| span.start + at);
        self.out.push_str("<code translate=\"no\">");
        self.marked(text, start);
        self.out.push_str("</code>");
    }

    /// Writes text on one line; what notes are bound to is marked if it is known where the text starts in the file.
    fn marked(&mut self, text: &str, start: Option<usize>) {
        let bound = start.map_or_else(Vec::new, |start| {
            let line = self.line_of(start);
            self.overlays(line, start - self.listing().source().line_span(line).start, text.len())
        });
        code::push_line(&mut self.out, text, &[code::uncolored(text)], &bound);
    }

    /// Returns what notes are bound to in `len` bytes of a line from `column` on.
    pub(super) fn overlays(&self, line: usize, column: usize, len: usize) -> Vec<Overlay> {
        let within = |at: usize| at.saturating_sub(column).min(len);
        let bound = self.tokens.get(&line).into_iter().flatten();
        bound
            .map(|over| Overlay { columns: within(over.columns.start)..within(over.columns.end), tag: over.tag })
            .filter(|over| !over.columns.is_empty())
            .collect()
    }

    /// Writes HTML of the file: whatever the site allows on its own pages, here only what is safe. Pictures are not
    /// published with a starter, so that their words are shown.
    pub(super) fn raw_html(&mut self, html: &str, start: usize, is_block: bool) {
        let resolve = self.resolve;
        for (range, piece) in html::pieces(html) {
            if let Piece::Tag(tag) = &piece
                && tag.element() == "img"
            {
                let alt = tag.attributes.iter().find(|attribute| attribute.name == "alt");
                self.out.push_str(&escape::text(&html::unescape(alt.map_or("", |alt| tag.value(alt)))));
                continue;
            }
            let mapped = MappedText::plain(&html[range], start);
            let mut rewrite = |target: &str, _, _: &Span| resolve(target);
            raw_html::write_safe(&mut self.out, &mapped, is_block, &mut self.html, &mut rewrite);
        }
    }
}
