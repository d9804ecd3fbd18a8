//! Document → Markdown for programs. It is the author's text, except that excerpts contain the code that they show,
//! citations are written out, and links lead to the copies of other pages.

use std::collections::BTreeSet;

use pulldown_cmark::{Event, LinkType, Tag};

use super::bind::anchors;
use super::excerpt::{BoundExcerpt, line_count, lines_label};
use super::figures::PageValues;
use super::goal::{Goal, To, cited};
use super::page::Piece;
use super::{Context, Subject, starting_at};
use infralens_course::config::SectionForm;
use infralens_course::course::link;
use infralens_course::course::{starter, url};
use infralens_page::contract::Section;
use infralens_page::destination::{MappedText, destinations};
use infralens_page::fence::write as fence;
use infralens_page::{Anchor, Document, Events, Link};
use infralens_source::html;
use infralens_source::source::{LABEL, Span, in_order, shortened};
use infralens_starter::excerpt::{OMISSION, ViewRow};

/// The length of the longest address that a citation contains, in bytes.
const LONGEST_URL: usize = 2000;

/// The replacement of a part of the document.
enum Edit {
    Text(String),
    Insert(Piece),
}

/// Writes the Markdown copy of a document for the page at the output path `base`.
pub struct MarkdownCopy<'a> {
    cx: Context<'a>,
    subject: Subject<'a>,
    excerpts: &'a [BoundExcerpt<'a>],
    base: &'a str,
}

/// Returns the URL of an output path for a copy at the output path `from`: absolute if the site's address is known.
/// Parentheses are escaped, because they end a destination in Markdown.
pub fn address(base_url: Option<&str>, from: &str, to: &str) -> String {
    let url = base_url.map_or_else(|| url::relative(from, to), |base| absolute(base, &url::encode(to)));
    url.replace('(', "%28").replace(')', "%29")
}

/// Returns the absolute URL of a path from `base`, which ends with a slash; `../` leads to the folder above it.
pub fn absolute(base: &str, path: &str) -> String {
    let (mut base, mut path) = (base, path);
    while let Some(rest) = path.strip_prefix("../") {
        let folder = base.trim_end_matches('/');
        base = &folder[..folder.rfind('/').map_or(folder.len(), |slash| slash + 1)];
        path = rest;
    }
    format!("{base}{path}")
}

impl<'a> MarkdownCopy<'a> {
    /// Creates the writer; `excerpts` are those of the document.
    pub fn new(cx: Context<'a>, subject: Subject<'a>, excerpts: &'a [BoundExcerpt<'a>], base: &'a str) -> Self {
        Self { cx, subject, excerpts, base }
    }

    /// Writes the whole body. The reading list is inserted at the end of the `sections` that are for it.
    pub fn body(&self, sections: &[Section]) -> Vec<Piece> {
        let (body, end) = (&self.document().body, self.document().source.text().len());
        let mut edits = self.edits();
        for generated in &body.generated {
            let span = body.events.span(generated.events.start);
            edits.push((span, Edit::Insert(Piece::Part(generated.part))));
        }
        for section in sections.iter().filter(|section| self.cx.role(section) == Some(SectionForm::Reading)) {
            let at = self.end(&section.body);
            edits.push((at..at, Edit::Insert(Piece::Reading)));
        }
        self.apply(edits, self.document().body_start..end)
    }

    /// Writes the content of a section, without its heading.
    pub fn section(&self, section: &Section) -> String {
        let start = self.document().body.events.get(section.body.start).map(|(_, span)| span.start);
        let Some(start) = start.filter(|_| !section.body.is_empty()) else { return String::new() };
        let (mut edits, end) = (self.edits(), self.end(&section.body));
        edits.retain(|(span, _)| span.start >= start && span.end <= end);
        let pieces = self.apply(edits, start..end).into_iter();
        pieces.filter_map(|piece| if let Piece::Text(text) = piece { Some(text) } else { None }).collect()
    }

    fn document(&self) -> &'a Document {
        self.subject.document
    }

    fn edits(&self) -> Vec<(Span, Edit)> {
        let mut edits: Vec<(Span, Edit)> = Vec::new();
        edits.extend(self.comments().into_iter().map(|span| (span, Edit::Text(String::new()))));
        edits.extend(self.destinations());
        edits.extend(self.document().body.links.iter().filter_map(|link| self.link(link)));
        for prepared in self.excerpts {
            edits.extend(self.excerpt(prepared).into_iter().map(|(span, text)| (span, Edit::Text(text))));
        }
        edits.extend(self.line_labels());
        edits
    }

    /// Returns the byte at which a range of events ends in the file, which is the start of the next event.
    fn end(&self, events: &Events) -> usize {
        let next = self.document().body.events.get(events.end);
        next.map_or(self.document().source.text().len(), |(_, span)| span.start)
    }

    fn written(&self, span: Span) -> &'a str {
        &self.document().source.text()[span]
    }

    /// Applies edits from top to bottom. An edit within another one is dropped.
    fn apply(&self, mut edits: Vec<(Span, Edit)>, within: Span) -> Vec<Piece> {
        edits.retain(|(span, _)| span.start >= within.start);
        let (mut pieces, mut text, mut at) = (Vec::new(), String::new(), within.start);
        for (span, edit) in in_order(self.document().source.text(), edits) {
            text.push_str(self.written(at..span.start));
            at = span.end;
            match edit {
                Edit::Text(new) => text.push_str(&new),
                Edit::Insert(cut) => pieces.extend([Piece::Text(std::mem::take(&mut text)), cut]),
            }
        }
        text.push_str(self.written(at..within.end.max(at)));
        pieces.push(Piece::Text(text));
        for piece in &mut pieces {
            if let Piece::Text(text) = piece
                && text.contains('\r')
            {
                *text = text.replace("\r\n", "\n");
            }
        }
        pieces
    }

    /// Returns the comments, which are removed. Those that generate a part are not among them.
    fn comments(&self) -> Vec<Span> {
        let body = &self.document().body;
        let parts: BTreeSet<usize> =
            body.generated.iter().map(|found| body.events.span(found.events.start).start).collect();
        let mut comments = Vec::new();
        for (event, span) in body.events.iter() {
            if !matches!(event, Event::Start(Tag::HtmlBlock) | Event::InlineHtml(_)) || parts.contains(&span.start) {
                continue;
            }
            for (at, piece) in html::pieces(self.written(span.clone())) {
                let is_comment = matches!(piece, html::Piece::Comment { .. });
                comments.extend(is_comment.then_some(span.start + at.start..span.start + at.end));
            }
        }
        comments
    }

    fn destinations(&self) -> impl Iterator<Item = (Span, Edit)> {
        destinations(self.document()).into_iter().filter_map(|written| {
            let (url, _) = self.resolve(&written.text)?;
            let MappedText { text, .. } = &written;
            Some((written.span(0..text.len()), Edit::Text(url)))
        })
    }

    /// Returns the edit for a citation or a link without text.
    fn link(&self, link: &Link) -> Option<(Span, Edit)> {
        let events = &self.document().body.events;
        let (Event::Start(Tag::Link { link_type, .. }), span) = events.get(link.events.start)? else { return None };
        let inside = link.events.start + 1..link.events.end - 1;
        if link.target.starts_with('@') {
            let own = (link_type == LinkType::ReferenceUnknown).then(|| self.document().body.text(inside));
            return Some((span, Edit::Text(self.citation(&link.target, own.as_deref()))));
        }
        // Copies list where figures come from at their end.
        let named =
            |values: &'a PageValues| Some(values.values.get(values.named_by(&self.document().body, link)?)?.words());
        if let Some(words) = self.cx.values_of(self.document()).and_then(named) {
            let text = self.document().body.text(inside);
            return Some((span, Edit::Text(escape(if text.trim().is_empty() { words } else { &text }))));
        }
        if link_type != LinkType::Inline || !self.document().body.text(inside).trim().is_empty() {
            return None;
        }
        let (_, title) = self.resolve(&link.target)?;
        let at = span.start + 1;
        Some((at..at, Edit::Text(escape(&shortened(&title, LABEL)))))
    }

    fn citation(&self, target: &str, own: Option<&str>) -> String {
        let cited = cited(target).enumerate().filter_map(|(index, (key, locator))| {
            let reference = self.cx.references.get(key.trim_start_matches('@'))?;
            let text = escape(&own.filter(|_| index == 0).map_or_else(|| reference.short(), str::to_owned));
            let url = reference.url.as_ref().map(|url| destination(&url.to_string()));
            let url = url.filter(|url| url.len() <= LONGEST_URL);
            let text = url.map_or_else(|| text.clone(), |url| format!("[{text}]({url})"));
            Some(if locator.is_empty() { text } else { format!("{text}, {locator}") })
        });
        let cited = cited.collect::<Vec<_>>().join("; ");
        if own.is_some() { cited } else { format!("({cited})") }
    }

    /// Returns the edits for labels that bind a note to lines. The lines are named, because they cannot be linked to.
    fn line_labels(&self) -> Vec<(Span, Edit)> {
        let mut edits = Vec::new();
        for prepared in self.excerpts {
            for (index, note) in prepared.excerpt.notes.iter().enumerate() {
                let covered = prepared.lines(index);
                let covered = covered.first().map(|lines| lines_label(self.cx.config, prepared.listing, lines));
                for anchor in anchors(note) {
                    let Anchor::Place { event, .. } = anchor else { continue };
                    let link = starting_at(&self.document().body.links, *event, |link| link.events.start);
                    let Some(link) = link else { continue };
                    let label = escape(&self.document().body.text(event + 1..link.events.end - 1));
                    let covered = covered.as_ref().map(|lines| format!(" ({lines})")).unwrap_or_default();
                    edits.push((link.span.clone(), Edit::Text(format!("{label}{covered}"))));
                }
            }
        }
        edits
    }

    /// Returns the edits of a fence: the code that it shows, below a line that names it.
    fn excerpt(&self, prepared: &BoundExcerpt<'_>) -> Vec<(Span, String)> {
        let (excerpt, source) = (prepared.excerpt, &self.document().source);
        let (head, config) = (&excerpt.head, self.cx.config);
        let path = prepared.listing.source().path();
        let mut caption_line = match self.subject.command(prepared) {
            Some(command) => code_span(command),
            None => format!(
                "[`{}`]({})",
                url::file_name(path),
                self.address(&self.cx.config.shared(starter::raw_url(path)))
            ),
        };
        if let Some((first, last)) = prepared.shown.bounds() {
            caption_line = caption_line + ", " + &lines_label(config, prepared.listing, &(first - 1..last));
        }
        if let Some(caption) = &excerpt.caption {
            caption_line = caption_line + ": " + &escape(caption);
        }
        let prefix = fence::prefix(source, head.start);
        let line_end = fence::line_end(source.text(), head.start);
        let gap = format!("{line_end}{}{line_end}{prefix}", prefix.trim_end());
        let caption = if self.is_below_text(head.start) { gap[line_end.len()..].to_owned() } else { String::new() }
            + &caption_line
            + &gap;
        let view = prepared.shown.view(prepared.listing);
        let row = |row: &ViewRow<'_>| match row {
            ViewRow::Line(line) => line.text.to_owned(),
            ViewRow::Omitted(count) => format!("{OMISSION} {}", line_count(config, *count)),
        };
        let code: Vec<String> = view.rows.iter().map(row).collect();
        let fence_length = self.written(head.clone()).chars().take_while(|mark| matches!(mark, '`' | '~')).count();
        let mut edits =
            vec![(head.start..head.start, caption), (head.start + fence_length..head.end, excerpt.language.clone())];
        edits.extend(fence::edits(source, excerpt, &code));
        edits
    }

    /// Returns whether a line inserted at `at` would continue the paragraph above it.
    fn is_below_text(&self, at: usize) -> bool {
        let (above, line) = self.written(0..at).rsplit_once('\n').unwrap_or_default();
        let is_bare = |line: &str| line.chars().all(|c| c.is_whitespace() || c == '>');
        is_bare(line) && at > self.document().body_start && !is_bare(above.rsplit('\n').next().unwrap_or_default())
    }

    fn address(&self, to: &str) -> String {
        address(self.cx.config.base_url.as_deref(), self.base, to)
    }

    /// Returns the URL and the title of a link's target; `None` if the link is left unchanged.
    pub(super) fn resolve(&self, target: &str) -> Option<(String, String)> {
        let course = self.cx.course;
        if target.starts_with('#') {
            return None;
        }
        let found = link::resolve(course, self.cx.project, self.subject.origin(), target).ok()?;
        let Goal { to, title } = Goal::of(self.cx, found)?;
        let url = match to {
            To::External(_) | To::Here(_) => return None,
            To::File(url, rest) => self.address(&url) + &rest,
            To::Page(page, heading) => {
                let fragment = heading.map(|id| format!("#{}", url::encode(&id))).unwrap_or_default();
                self.address(&url::copy(&course.pages[page].url)) + &fragment
            }
        };
        Some((url, title))
    }
}

/// Escapes a URL as the destination of a link.
pub fn destination(url: &str) -> String {
    url.replace('(', "%28").replace(')', "%29").replace(' ', "%20")
}

fn code_span(text: &str) -> String {
    let marks = if text.contains('`') { ("`` ", " ``") } else { ("`", "`") };
    format!("{}{text}{}", marks.0, marks.1)
}

/// Escapes plain text as one line of Markdown.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut before = ' ';
    let mut rest = text.trim().chars().peekable();
    while let Some(c) = rest.next() {
        let is_inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let is_mark = match c {
            '\\' | '`' | '*' | '[' | ']' | '<' | '|' | '$' => true,
            // Between letters, an underscore has no special meaning.
            '_' => !(is_inside(Some(before)) && is_inside(rest.peek().copied())),
            _ => false,
        };
        if is_mark {
            escaped.push('\\');
        }
        escaped.push(if c.is_whitespace() { ' ' } else { c });
        before = c;
    }
    escaped
}
