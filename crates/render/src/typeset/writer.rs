//! Writes the blocks of a Markdown starter. A row, which is a line of text, of code or of a table, has the id of its first
//! line and the number of that line, which leads to its source. The ids of other lines are in the rows that show them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Tag, TagEnd};

use super::blocks::{self, Block, Kind};
use super::table::Table;
use super::{Resolve, Sheet, end_of, is_text};
use crate::code::{self, Marker, Overlay};
use crate::markdown::{alert_head, task_box};
use crate::note_layout::NoteLayout;
use crate::page::Explanation;
use crate::raw_html::ElementStack;
use crate::{escape, excerpt};
use infralens_course::config::Config;
use infralens_course::course::link::line_anchor;
use infralens_source::html::{self, Piece};
use infralens_source::put;
use infralens_source::source::Span;
use infralens_starter::Listing;
use infralens_starter::highlight;

/// Writes the blocks of a sheet, in order.
pub(super) struct Writer<'w> {
    pub(super) sheet: &'w Sheet<'w>,
    config: &'w Config,
    pub(super) resolve: &'w Resolve<'w>,
    /// The notes that begin at each line.
    markers: BTreeMap<usize, Vec<usize>>,
    /// The code that notes are bound to, by line.
    pub(super) tokens: BTreeMap<usize, Vec<Overlay>>,
    /// The ids of ranges of lines, by the first of these that is shown.
    ranges: BTreeMap<usize, Vec<String>>,
    /// The first line whose id is not written yet.
    line: usize,
    pub(super) out: String,
    pub(super) html: ElementStack,
    /// The open elements: for each, whether it is an item of a list.
    open: Vec<bool>,
    /// Whether a row of an item's own text is open.
    in_item_text: bool,
    /// Whether the number of a row is the first of its block, which alone can be reached by the keyboard.
    is_first_row: bool,
    /// The end tags of links and pictures.
    pub(super) closers: Vec<&'static str>,
    pub(super) in_link: usize,
    pub(super) table: Table,
    /// The footnotes and references to them whose ids are written.
    pub(super) written: BTreeSet<String>,
}

impl<'w> Writer<'w> {
    pub(super) fn new(
        sheet: &'w Sheet<'w>,
        config: &'w Config,
        notes: &[(&Explanation, usize)],
        linked: &BTreeSet<(usize, usize)>,
        resolve: &'w Resolve<'w>,
    ) -> Self {
        let mut markers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (index, (note, _)) in notes.iter().enumerate() {
            for lines in &note.lines {
                markers.entry(lines.start).or_default().push(index);
            }
        }
        let mut ranges: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for &(start, end) in linked.iter().filter(|(start, end)| end - start > 1) {
            ranges.entry(start).or_default().push(line_anchor(&(start..end)));
        }
        Self {
            sheet,
            config,
            resolve,
            markers,
            tokens: code::bound_tokens(notes.iter().map(|(note, _)| *note)),
            ranges,
            line: 0,
            out: String::new(),
            html: ElementStack::default(),
            open: Vec::new(),
            in_item_text: false,
            is_first_row: true,
            closers: Vec::new(),
            in_link: 0,
            table: Table::default(),
            written: BTreeSet::new(),
        }
    }

    pub(super) fn listing(&self) -> &'w Listing {
        self.sheet.listing
    }

    pub(super) fn line_of(&self, offset: usize) -> usize {
        self.listing().source().line(offset)
    }

    /// Writes what a block means.
    pub(super) fn block(&mut self, block: &Block, layout: &NoteLayout, is_last: bool) -> String {
        self.is_first_row = true;
        match block.kind {
            Kind::Front => self.front_matter(block.lines.clone()),
            Kind::Silent => {
                self.open_row("div", "", block.lines.clone());
                self.out.push_str("</div>");
            }
            Kind::Code => self.code(block.events.start, Some(layout)),
            _ => {
                let mut at = block.events.start;
                while at < block.events.end {
                    at = self.event(at, block);
                }
            }
        }
        let end = if is_last { self.listing().line_count() } else { block.lines.end };
        self.ids_before(end);
        std::mem::take(&mut self.out)
    }

    /// Writes the lines of a block's source.
    pub(super) fn source(&self, block: &Block) -> String {
        let mut out = String::from("<pre class=\"origin\" translate=\"no\"><code>");
        let mut is_first = true;
        for line in block.lines.clone().filter(|&line| !self.listing().is_marker(line)) {
            let (number, text) = (line + 1, self.listing().line(line));
            let label = escape::attribute(&self.config.labels.line_as_shown.with(number));
            let reached = if is_first { "" } else { " tabindex=\"-1\"" };
            put!(
                out,
                "<span class=\"src\" id=\"S{number}\" data-line=\"{number}\"><a class=\"no\" href=\"#L{number}\" \
                 aria-label=\"{label}\"{reached} data-at=\"{number}\"></a>"
            );
            code::push_line(&mut out, text, &[code::uncolored(text)], &[]);
            out.push_str("\n</span>");
            is_first = false;
        }
        out.push_str("</code></pre>");
        out
    }

    /// Writes the ids of the lines before `end` that are not written yet.
    fn ids_before(&mut self, end: usize) {
        for line in (self.line..end).filter(|_| !self.sheet.is_part) {
            self.range_ids(line);
            put!(self.out, "<span class=\"at\" id=\"L{}\"></span>", line + 1);
        }
        self.line = self.line.max(end);
    }

    fn range_ids(&mut self, line: usize) {
        for id in self.ranges.remove(&line).unwrap_or_default() {
            put!(self.out, "<span class=\"at\" id=\"{id}\"></span>");
        }
    }

    /// Starts a row that shows `lines`.
    fn open_row(&mut self, element: &str, class: &str, lines: Range<usize>) {
        let (open, lead) = self.row_parts(element, class, lines);
        self.out.extend([open, lead]);
    }

    /// Returns the start tag of a row, and what comes first in it: its number, the ids of lines above it of which nothing
    /// is shown, and the markers of its notes.
    pub(super) fn row_parts(&mut self, element: &str, class: &str, lines: Range<usize>) -> (String, String) {
        let number = lines.start + 1;
        // Two blocks may begin on a line.
        let is_new = lines.start >= self.line && !self.sheet.is_part;
        let id = if is_new { format!(" id=\"L{number}\"") } else { String::new() };
        let last = if lines.len() > 1 { format!(" data-last=\"{}\"", lines.end) } else { String::new() };
        let open = if self.sheet.is_part {
            format!("<{element} class=\"row{class}\">")
        } else {
            format!("<{element} class=\"row{class}\"{id} data-line=\"{number}\"{last}>")
        };
        let before = std::mem::take(&mut self.out);
        if is_new {
            let label = escape::attribute(&self.config.labels.source_of_line.with(number));
            let reached = if std::mem::take(&mut self.is_first_row) { "" } else { " tabindex=\"-1\"" };
            put!(
                self.out,
                "<a class=\"no\" href=\"#S{number}\" aria-label=\"{label}\"{reached} data-at=\"{number}\"></a>"
            );
            self.ids_before(lines.start);
            self.range_ids(lines.start);
            self.line = lines.start + 1;
        }
        let notes: Vec<(usize, usize)> = lines
            .flat_map(|line| self.markers.remove(&line).unwrap_or_default().into_iter().map(move |note| (line, note)))
            .collect();
        if !notes.is_empty() {
            self.out.push_str("<span class=\"markers\">");
            for (line, note) in notes {
                let number = note + 1;
                let label = excerpt::marker_label(self.config, number, line + 1);
                code::push_marker(&mut self.out, &Marker { note: format!("N{number}"), number, label });
            }
            self.out.push_str("</span>");
        }
        (open, std::mem::replace(&mut self.out, before))
    }

    /// Writes the front matter: its keys and values in a line, or as they are if there is more to them.
    fn front_matter(&mut self, lines: Range<usize>) {
        let listing = self.listing();
        let inner = lines.start + 1..lines.end.saturating_sub(1);
        let pair = |line: usize| {
            let text = listing.line(line);
            let (key, value) = text.split_once(':').filter(|(key, _)| !key.starts_with([' ', '\t', '-', '#']))?;
            let value = value.trim().trim_matches(['"', '\'']);
            let is_plain = !value.is_empty() && !value.starts_with(['[', '{', '|', '>', '&', '*']);
            is_plain.then(|| (key.trim().replace('_', " "), value))
        };
        let pairs: Option<Vec<_>> = inner.clone().map(|line| Some((line, pair(line)?))).collect();
        self.open_row("div", "", lines);
        if let Some(pairs) = pairs {
            for (index, (line, (key, value))) in pairs.into_iter().enumerate() {
                self.ids_before(line + 1);
                let dot = if index > 0 { " · " } else { "" };
                put!(self.out, "{dot}<span>{} {}</span>", escape::text(&key), escape::text(value));
            }
        } else {
            for line in inner {
                self.ids_before(line + 1);
                self.out.push_str(&escape::text(listing.line(line)));
                self.out.push_str("<br>\n");
            }
        }
        self.out.push_str("</div>");
    }

    /// Writes the event at `at`; returns the index of the next one.
    fn event(&mut self, at: usize, block: &Block) -> usize {
        let sheet = self.sheet;
        let (event, span) = &sheet.events[at];
        if is_text(event) {
            if self.open.last() == Some(&true) && !self.in_item_text {
                self.in_item_text = true;
                let lines = self.text_lines(at);
                self.open_row("div", "", lines);
                self.html.enter("");
            }
        } else {
            self.end_item_text(at);
        }
        match event {
            Event::Start(tag) => return self.start(at, tag, span, block),
            Event::End(tag) => self.end(at, *tag, block),
            Event::Text(text) => self.text(text, span),
            Event::Code(text) => self.code_span(text, span),
            Event::InlineHtml(html) => self.raw_html(html, span.start, false),
            Event::FootnoteReference(label) => self.footnote_reference(label),
            Event::TaskListMarker(done) => {
                self.out.push_str(&task_box(*done, &self.config.labels));
            }
            Event::SoftBreak | Event::HardBreak => {
                self.out.push_str(if matches!(event, Event::HardBreak) { "<br>\n" } else { "\n" });
                if let Some((_, next)) = sheet.events.get(at + 1) {
                    let line = self.line_of(next.start);
                    self.ids_before(line + 1);
                }
            }
            Event::Rule => {
                let line = self.line_of(span.start);
                self.open_row("div", "", line..line + 1);
                self.out.push_str("<hr></div>\n");
            }
            _ => {}
        }
        at + 1
    }

    /// Returns the lines of the text that begins at an event.
    fn text_lines(&self, at: usize) -> Range<usize> {
        let events = &self.sheet.events[at..];
        let count = events.iter().take_while(|(event, _)| is_text(event)).count().max(1);
        let (first, last) = (&events[0].1, &events[count - 1].1);
        self.line_of(first.start)..self.line_of(last.end.saturating_sub(1).max(first.start)) + 1
    }

    /// Ends the row of an item's own text before the event at `at`, which is a block or the end of the item.
    fn end_item_text(&mut self, at: usize) {
        if std::mem::take(&mut self.in_item_text) {
            let closers = self.html.leave();
            self.out.push_str(&closers);
            self.blank(at);
            self.out.push_str("</div>\n");
        }
    }

    /// Writes a place to write on if the text of an item expects an answer and the item ends with it. `end` is the event
    /// after the text.
    fn blank(&mut self, end: usize) {
        let events = &self.sheet.events;
        let is_end = matches!(events.get(end), Some((Event::End(TagEnd::Item), _)));
        let last = events[..end].iter().rev().find(|(event, _)| !matches!(event, Event::End(_)));
        let text = last.map_or("", |(event, span)| match event {
            Event::Text(_) => &self.listing().source().text()[span.clone()],
            _ => "",
        });
        if is_end && blocks::is_open(text, self.sheet.is_form) {
            self.out.push_str("<span class=\"blank\"></span>");
        }
    }

    fn start(&mut self, at: usize, tag: &Tag<'_>, span: &Span, block: &Block) -> usize {
        let sheet = self.sheet;
        let text = &self.listing().source().text()[span.clone()];
        let last = span.start + text.trim_end().len().max(1) - 1;
        let lines = self.line_of(span.start)..self.line_of(last) + 1;
        if let Tag::CodeBlock(_) = tag {
            self.code(at, None);
            return end_of(&sheet.events, at);
        }
        if let Tag::HtmlBlock = tag {
            return self.html_block(at, lines);
        }
        self.open.push(matches!(tag, Tag::Item));
        match tag {
            Tag::Paragraph => self.open_row("p", "", lines),
            Tag::Heading { .. } => self.heading(at, lines),
            Tag::BlockQuote(None) => self.out.push_str("<blockquote>\n"),
            Tag::BlockQuote(Some(kind)) => {
                self.out.push_str(&alert_head(*kind, &self.config.labels));
            }
            Tag::List(None) => self.out.push_str("<ul>\n"),
            Tag::List(Some(1)) => self.out.push_str("<ol>\n"),
            Tag::List(Some(start)) => put!(self.out, "<ol start=\"{start}\">\n"),
            Tag::Item if at != block.events.start => self.out.push_str("<li>"),
            Tag::FootnoteDefinition(label) => self.footnote(label),
            Tag::Table(alignments) => self.open_table(at, alignments),
            Tag::TableHead | Tag::TableRow => self.open_table_row(at, matches!(tag, Tag::TableHead), lines),
            Tag::TableCell => self.open_cell(at),
            Tag::Emphasis => self.out.push_str("<em>"),
            Tag::Strong => self.out.push_str("<strong>"),
            Tag::Strikethrough => self.out.push_str("<del>"),
            Tag::Link { link_type, dest_url, .. } => {
                let target =
                    if *link_type == LinkType::Email { format!("mailto:{dest_url}") } else { dest_url.to_string() };
                self.open_link(&target);
            }
            // A starter's pictures are not published with it.
            Tag::Image { dest_url, .. } => self.open_link(dest_url),
            _ => {}
        }
        self.html.enter("");
        at + 1
    }

    fn end(&mut self, at: usize, tag: TagEnd, block: &Block) {
        self.open.pop();
        let closers = self.html.leave();
        self.out.push_str(&closers);
        let tags = match tag {
            TagEnd::Paragraph => {
                self.blank(at + 1);
                "</p>\n"
            }
            TagEnd::Heading(level) => {
                put!(self.out, "</h{}>\n", self.level(level as u8));
                ""
            }
            TagEnd::BlockQuote(None) => "</blockquote>\n",
            TagEnd::BlockQuote(Some(_)) | TagEnd::FootnoteDefinition => "</div>\n",
            TagEnd::List(true) => "</ol>\n",
            TagEnd::List(false) => "</ul>\n",
            TagEnd::Item if at + 1 != block.events.end => "</li>\n",
            TagEnd::Table => "</tbody></table></div>\n",
            TagEnd::TableHead => "</tr></thead>\n<tbody>\n",
            TagEnd::TableRow => "</tr>\n",
            TagEnd::TableCell => self.table.close,
            TagEnd::Emphasis => "</em>",
            TagEnd::Strong => "</strong>",
            TagEnd::Strikethrough => "</del>",
            TagEnd::Link | TagEnd::Image => {
                self.in_link = self.in_link.saturating_sub(1);
                self.closers.pop().unwrap_or_default()
            }
            _ => "",
        };
        self.out.push_str(tags);
    }

    /// Returns the level at which a heading is written: below that of the page, unless it is the page's own.
    fn level(&self, level: u8) -> u8 {
        if self.sheet.has_title { level } else { (level + 1).min(6) }
    }

    fn heading(&mut self, at: usize, lines: Range<usize>) {
        let Some(heading) = self.sheet.headings.get(&at) else { return };
        let element = format!("h{}", self.level(heading.level));
        self.open_row(&element, "", lines);
        if !self.sheet.is_part {
            put!(self.out, "<span class=\"at\" id=\"{}\"></span>", escape::attribute(&heading.id));
        }
    }

    /// Writes a block of code, line for line.
    fn code(&mut self, at: usize, layout: Option<&NoteLayout>) {
        let sheet = self.sheet;
        let events = &sheet.events[at..end_of(&sheet.events, at)];
        let info = match &events[0].0 {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => &**info,
            _ => "",
        };
        let body = code_text(events);
        let language = info.split([' ', ',', '{']).next().unwrap_or_default();
        let highlighted = highlight::highlight(highlight::by_token(language), &body);
        self.out.push_str("<pre class=\"ts-lines\" tabindex=\"0\" translate=\"no\"><code>");
        let mut row = 0;
        for (index, (text, line)) in body.lines().zip(code_lines(self.listing(), events)).enumerate() {
            if self.listing().is_marker(line) {
                continue;
            }
            if let Some(layout) = layout {
                layout.write_part_tags(&mut self.out, row);
            }
            self.open_row("span", "", line..line + 1);
            let written = self.listing().line(line);
            // What is left out before it is the prefix of a quote or an item.
            let bound = written.strip_suffix(text).map(|cut| self.overlays(line, cut.len(), text.len()));
            code::push_line(&mut self.out, text, highlighted.line(index), &bound.unwrap_or_default());
            self.out.push_str("\n</span>");
            row += 1;
        }
        if let Some(layout) = layout.filter(|_| row > 0) {
            layout.write_part_tags(&mut self.out, row);
        }
        self.out.push_str("</code></pre>\n");
    }

    /// Writes a block of HTML; returns the index of the next event.
    fn html_block(&mut self, at: usize, lines: Range<usize>) -> usize {
        let sheet = self.sheet;
        let end = end_of(&sheet.events, at);
        let html: String = sheet.events[at..end]
            .iter()
            .map(|(event, _)| if let Event::Html(html) = event { &**html } else { "" })
            .collect();
        // A comment says nothing to readers.
        let is_comment = html::pieces(&html)
            .all(|(range, piece)| matches!(piece, Piece::Comment { .. }) || html[range].trim().is_empty());
        self.open_row("div", if is_comment { " unsaid" } else { "" }, lines);
        self.html.enter("");
        self.raw_html(&html, sheet.events[at].1.start, true);
        let closers = self.html.leave();
        self.out.push_str(&closers);
        self.out.push_str("</div>\n");
        end
    }
}

fn code_text(events: &[(Event<'_>, Span)]) -> String {
    events.iter().map(|(event, _)| if let Event::Text(text) = event { &**text } else { "" }).collect()
}

/// Returns the lines of the file that a block of code shows.
pub(super) fn code_lines(listing: &Listing, events: &[(Event<'_>, Span)]) -> Range<usize> {
    let first = events.iter().find(|(event, _)| matches!(event, Event::Text(_)));
    let first = first.map_or(0, |(_, span)| listing.source().line(span.start));
    first..(first + code_text(events).lines().count()).min(listing.line_count())
}
