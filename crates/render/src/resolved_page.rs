//! A resolved page, and every form in which it can be written.

use pulldown_cmark::Event;

use super::calculator::{self, CalculatorText};
use super::copy::MarkdownCopy;
use super::excerpt::BoundExcerpt;
use super::markdown::foreign::attributes_at;
use super::markdown::{LinkTarget, Writer};
use super::omission::Omissions;
use super::page::{Explanation, Facts, NoteHtml, Piece, ResolvedExcerpt, Segment};
use super::{Context, Subject, body, code, escape, toc};
use infralens_course::course::starter as starters;
use infralens_page::{Body, Events, Heading};

/// A document with the facts of its page, from which its HTML and its Markdown copy are written.
#[derive(Debug, Clone, Copy)]
pub struct ResolvedPage<'a> {
    pub cx: Context<'a>,
    pub subject: Subject<'a>,
    pub facts: &'a Facts,
}

impl<'a> ResolvedPage<'a> {
    /// Returns the excerpts; `prefix` is put before their ids.
    pub(super) fn prepared(&self, prefix: &str) -> Vec<BoundExcerpt<'a>> {
        let excerpts = &self.subject.document.body.excerpts;
        let lens = self.subject.document.lens();
        let marks = self.cx.marks_of(self.subject.document).filter(|_| prefix.is_empty());
        let prepare = |resolved: &'a ResolvedExcerpt| BoundExcerpt {
            excerpt: &excerpts[resolved.index],
            listing: &resolved.listing,
            shown: &resolved.shown,
            bound: &resolved.bound,
            lit: marks.and_then(|marks| marks.lit.get(&resolved.index)).unwrap_or(&resolved.lit),
            compared: self.compared(resolved),
            number: resolved.index + 1,
            is_lens: lens == Some(resolved.index) && prefix.is_empty(),
            prefix: prefix.into(),
            lang: attributes_at(self.subject.document, self.cx.config, excerpts[resolved.index].block.start),
        };
        self.facts.excerpts.iter().map(prepare).collect()
    }

    /// Returns the excerpt of the page that shows all of the piece which an excerpt is compared with: its number, and its
    /// caption.
    fn compared(&self, resolved: &ResolvedExcerpt) -> Option<(usize, Option<&'a str>)> {
        let since = resolved.lit.since.as_ref()?;
        let others = self.facts.excerpts.iter().filter(|other| other.index != resolved.index);
        let mut of_file = others.filter(|other| other.listing.source().path() == since.listing.source().path());
        let found = of_file.find(|other| since.is_shown_in(&other.shown))?;
        let caption = self.subject.document.body.excerpts[found.index].caption.as_deref();
        Some((found.index + 1, caption))
    }

    fn write(&self, target: LinkTarget) -> Vec<Segment> {
        let excerpts = self.prepared(&target.prefix);
        let sections = &self.facts.sections;
        body(&mut Writer::new(*self, &excerpts, sections, target), sections)
    }

    /// Returns the body for the page itself.
    pub fn body(&self) -> Vec<Segment> {
        self.write(LinkTarget::own_page(&self.subject.document.placement.url))
    }

    /// Returns the body for the print page that has the page as a chapter; empty if there is none.
    pub fn chapter(&self) -> Vec<Segment> {
        let page = self.subject.page.filter(|&page| self.cx.course.pages[page].published);
        let Some(place) = page.and_then(|page| self.cx.course.chapter_place(page)) else { return Vec::new() };
        let own = &self.subject.document.placement.url;
        self.write(LinkTarget::print_page(own, &place.print_url, &place.prefix()))
    }

    /// Returns the body as Markdown, with links for the copy of the page.
    pub fn copy(&self) -> Vec<Piece> {
        let excerpts = self.prepared("");
        let base = &self.subject.document.placement.url;
        MarkdownCopy::new(self.cx, self.subject, &excerpts, base).body(&self.facts.sections)
    }

    /// Returns the headings that "on this page" lists.
    pub fn toc(&self) -> impl Iterator<Item = &'a Heading> + use<'a> {
        toc(self.subject.document)
    }

    pub fn has_tabs(&self) -> bool {
        !self.subject.document.body.tabs.is_empty()
    }

    /// Returns whether an excerpt of the page has lit lines, marked words, or omissions that open.
    pub fn has_lit_code(&self) -> bool {
        self.prepared("").iter().any(|prepared| {
            let is_lit = !prepared.lit.rows.is_empty() || prepared.lit.since.is_some();
            is_lit || !prepared.excerpt.marks.is_empty() || Omissions::new(prepared).any_opens()
        })
    }

    /// Returns whether an excerpt of the page is compared with another piece.
    pub fn has_comparison(&self) -> bool {
        self.prepared("").iter().any(|prepared| prepared.lit.since.is_some())
    }

    /// Returns whether the page has a calculator that stacks values against a limit.
    pub fn has_stack(&self) -> bool {
        let mut calculators = self.subject.document.body.values.iter().filter_map(|block| block.calculator.as_ref());
        calculators.any(|calculator| calculator.stack.is_some())
    }

    /// Returns the notes that explain a starter file, as HTML for the page of that file.
    pub fn explanations(&self, file: &str) -> Vec<(&'a Explanation, NoteHtml)> {
        let (excerpts, body) = (self.prepared(""), &self.subject.document.body);
        let placement = &self.subject.document.placement;
        let target = LinkTarget::other_page(&placement.url, &starters::page_url(file), &placement.name);
        let mut writer = Writer::new(*self, &excerpts, &[], target);
        let of_file = self.facts.explanations.iter().filter(|found| *found.file == *file);
        let mut html = |found: &'a Explanation| NoteHtml {
            head: note_head(body, found.events.start..found.body),
            html: writer.html(found.events.clone()),
        };
        of_file.map(|found| (found, html(found))).collect()
    }

    /// Returns the page's calculators, for the search.
    pub fn calculators(&self) -> Vec<CalculatorText> {
        let document = self.subject.document;
        let Some(values) = self.cx.values_of(document) else { return Vec::new() };
        (0..document.body.values.len()).filter_map(|block| calculator::text(document, values, block)).collect()
    }
}

/// Writes the code that a note starts with, without its links.
fn note_head(body: &Body, events: Events) -> String {
    let parts = body.events.range(events).filter_map(|(event, _)| match event {
        Event::Code(code) => Some(code::span(&code, "")),
        Event::Text(text) => Some(escape::text(&text)),
        _ => None,
    });
    parts.collect()
}
