//! What a page is written from, and every form in which it is written.

use std::collections::BTreeMap;

use super::copy::Copy;
use super::excerpt::Prepared;
use super::markdown::{Frame, Writer};
use super::page::{Explanation, Facts, Piece, Practice, Resolved, Segment, TocEntry};
use super::passage::{self, Passage, Remark};
use super::{Context, Subject, body, contract_sections, practice, toc};
use crate::course::{self, starter as starters};
use crate::diag::Diagnostic;
use crate::document::Kind;

/// A document with the facts of its page: everything that its HTML and its Markdown copy are written from.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The course.
    pub cx: Context<'a>,
    /// The document.
    pub subject: Subject<'a>,
    /// What is known of it.
    pub facts: &'a Facts,
}

impl<'a> Source<'a> {
    /// The excerpts; `prefix` is put before their ids.
    pub(super) fn prepared(&self, prefix: &str) -> Vec<Prepared<'a>> {
        let excerpts = &self.subject.document.body.excerpts;
        let prepare = |resolved: &'a Resolved| Prepared {
            excerpt: &excerpts[resolved.index],
            listing: &resolved.listing,
            shown: &resolved.shown,
            bound: &resolved.bound,
            number: resolved.index + 1,
            prefix: prefix.into(),
        };
        self.facts.excerpts.iter().map(prepare).collect()
    }

    fn write(&self, frame: Frame) -> Vec<Segment> {
        let excerpts = self.prepared(&frame.prefix);
        let sections = contract_sections(self.cx, self.subject.document);
        body(&mut Writer::new(self.cx, self.subject, &excerpts, &sections, frame), &sections)
    }

    /// The body for the page itself.
    #[must_use]
    pub fn body(&self) -> Vec<Segment> {
        self.write(Frame::home(&self.subject.document.placement.url))
    }

    /// The body for the page that shows all of a track; nothing for what is neither section nor lab.
    #[must_use]
    pub fn chapter(&self) -> Vec<Segment> {
        let known = self.subject.page.map(|page| &self.cx.course.pages[page]).filter(|page| page.published);
        let chapter = known.and_then(|page| Some((page.chapter_id()?, self.cx.course.tracks[page.track?].print_url())));
        let Some((chapter, base)) = chapter else { return Vec::new() };
        self.write(Frame::print(&self.subject.document.placement.url, &base, &course::chapter_prefix(&chapter)))
    }

    /// The body as Markdown, with links for the copy of the page.
    #[must_use]
    pub fn copy(&self) -> Vec<Piece> {
        let excerpts = self.prepared("");
        let base = &self.subject.document.placement.url;
        Copy::new(self.cx, self.subject, &excerpts, base).whole(&contract_sections(self.cx, self.subject.document))
    }

    /// The headings that "on this page" lists.
    #[must_use]
    pub fn toc(&self) -> Vec<TocEntry<'a>> {
        toc(self.subject.document)
    }

    /// A lab's questions and spoken explanation, for the practice page and for cards.
    #[must_use]
    pub fn practice(&self) -> Practice {
        let sections = contract_sections(self.cx, self.subject.document);
        // What is wrong in them is known of the page itself.
        practice::practice(self.cx, self.subject, &self.prepared(""), &sections, &mut Vec::new())
    }

    /// The notes that explain a starter file, as the page of that file shows them: HTML, links relative to that page.
    #[must_use]
    pub fn explanations(&self, file: &str) -> Vec<(&'a Explanation, String)> {
        let of_file: Vec<&Explanation> = self.facts.explanations.iter().filter(|found| *found.file == *file).collect();
        let html = self.explain(of_file.iter().copied(), &mut Vec::new());
        of_file.into_iter().zip(html).collect()
    }

    /// Writes notes for the pages of the starters that they explain.
    pub(super) fn explain<'e>(
        &self,
        explanations: impl IntoIterator<Item = &'e Explanation>,
        out: &mut Vec<Diagnostic>,
    ) -> Vec<String> {
        let placement = &self.subject.document.placement;
        let excerpts = self.prepared("");
        let mut writers: BTreeMap<&str, Writer<'_>> = BTreeMap::new();
        let mut write = |found: &'e Explanation| {
            let writer = writers.entry(&found.file).or_insert_with(|| {
                let frame = Frame::abroad(&placement.url, &starters::page_url(&found.file), &placement.name);
                Writer::new(self.cx, self.subject, &excerpts, &[], frame)
            });
            writer.html(found.events.clone())
        };
        let html = explanations.into_iter().map(&mut write).collect();
        out.extend(writers.into_values().flat_map(|writer| writer.finish().diagnostics));
        html
    }

    /// Its text by heading, for the search.
    #[must_use]
    pub fn passages(&self) -> Vec<Passage> {
        let is_glossary = self.subject.document.placement.kind == Kind::Glossary;
        let terms = if is_glossary { &*self.cx.glossary.terms } else { &[] };
        passage::passages(self.subject.document, &self.prepared(""), terms)
    }

    /// Its notes in words, for the search.
    #[must_use]
    pub fn remarks(&self) -> Vec<Remark> {
        passage::remarks(self.subject.document, &self.prepared(""))
    }
}
