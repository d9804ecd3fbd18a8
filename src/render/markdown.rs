//! Events → HTML. Most events go to pulldown-cmark's own writer; those that the course gives a meaning to are written
//! here: headings, links, citations, fences, excerpts with notes, tables, alerts, footnotes, math, pictures, raw HTML.

mod block;
mod footnote;
mod inline;
mod link;
mod link_target;
mod raw;
mod table;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

use pulldown_cmark::{CowStr, Event};

use self::footnote::Footnotes;
use self::table::Table;
pub use link_target::LinkTarget;

use super::excerpt::BoundExcerpt;
use super::page::Links;
use super::practice;
use super::raw_html::ElementStack;
use super::{Context, Subject};
use crate::code::listing::Lines;
use crate::config::{RawHtml, SectionForm};
use crate::course::{starter, url};
use crate::diag::{Diagnostic, Place};
use crate::document::contract::{self, Section};
use crate::document::destination;
use crate::document::{Anchor, Document, Events, Glossary, Kind};
use crate::source::Span;

/// What writing yields besides HTML.
#[derive(Debug, Default)]
pub struct Findings {
    /// What is wrong with links, formulas and the like.
    pub diagnostics: Vec<Diagnostic>,
    /// Keys of cited references, in the order of their first citation.
    pub cited: Vec<String>,
    /// Starter files that links lead to.
    pub starters: Vec<Arc<str>>,
    /// Lines of starter files that links lead to.
    pub line_links: Vec<(Arc<str>, Lines)>,
    /// The ids of the terms that are mentioned.
    pub mentions: Vec<String>,
    /// Files of `code/` that are shown as pictures.
    pub images: Vec<Arc<str>>,
    /// Where links lead.
    pub links: Links,
    /// Whether a reference is cited that the bibliography may have where it could not be read.
    pub has_missing_reference: bool,
    /// URLs out of the course, by the number that their links have.
    pub external_urls: Vec<String>,
}

/// Writes events of one document as HTML.
pub struct Writer<'a> {
    cx: Context<'a>,
    subject: Subject<'a>,
    excerpts: &'a [BoundExcerpt<'a>],
    target: LinkTarget,
    findings: Findings,
    /// Excerpts by the event that starts their fence.
    fences: BTreeMap<usize, &'a BoundExcerpt<'a>>,
    /// Code spans that are bindings: the link to their line.
    bindings: BTreeMap<usize, String>,
    /// Where the bindings of a note begin, and the event after them.
    note_heads: BTreeMap<usize, usize>,
    /// Bound tokens: the note that explains them.
    tokens: BTreeMap<&'a str, String>,
    /// Where questions are asked, and where answers below a heading start and end.
    questions: Questions,
    /// What is to be said out loud: its events up to the first heading.
    spoken: Option<Events>,
    /// Footnotes, from the first time that one is asked for.
    footnotes: OnceCell<Footnotes<'a>>,
    /// Numbers of the footnotes that have been referred to: the first reference is where a footnote leads back to.
    referenced: BTreeSet<usize>,
    /// Open elements that this writer closes itself, innermost last.
    closers: Vec<String>,
    tables: Vec<Table>,
    html: ElementStack,
    /// The terms that have been mentioned, by index.
    mentioned: BTreeSet<usize>,
    /// How many headings and links are open: there, tokens and terms are not linked.
    no_link_depth: usize,
    /// Whether a question is open, which is a button: of a link only the words are shown. A footnote keeps its own.
    in_question: bool,
    diagrams: usize,
    /// The numbers of links that lead out.
    external_numbers: BTreeMap<String, usize>,
    /// The keys of [`Findings::cited`].
    cited: BTreeSet<String>,
}

/// Where a lab's questions stand.
#[derive(Debug, Default)]
struct Questions {
    lists: Vec<Events>,
    answers: BTreeMap<usize, usize>,
}

impl<'a> Writer<'a> {
    /// A writer for one document and one page that its HTML stands on.
    #[must_use]
    pub fn new(
        cx: Context<'a>,
        subject: Subject<'a>,
        excerpts: &'a [BoundExcerpt<'a>],
        sections: &[Section],
        target: LinkTarget,
    ) -> Self {
        let mut writer = Self {
            cx,
            subject,
            excerpts,
            target,
            findings: Findings::default(),
            fences: excerpts.iter().map(|prepared| (prepared.excerpt.fence.start, prepared)).collect(),
            bindings: BTreeMap::new(),
            note_heads: BTreeMap::new(),
            tokens: BTreeMap::new(),
            questions: Questions::default(),
            spoken: None,
            footnotes: OnceCell::new(),
            referenced: BTreeSet::new(),
            closers: Vec::new(),
            tables: Vec::new(),
            html: ElementStack::default(),
            mentioned: BTreeSet::new(),
            no_link_depth: 0,
            in_question: false,
            diagrams: 0,
            external_numbers: BTreeMap::new(),
            cited: BTreeSet::new(),
        };
        writer.index_bindings();
        writer.index_questions(sections);
        writer
    }

    /// The document that is written.
    #[must_use]
    pub fn document(&self) -> &'a Document {
        self.subject.document
    }

    /// The terms that readers can look up.
    #[must_use]
    pub fn glossary(&self) -> &'a Glossary {
        self.cx.glossary
    }

    /// What a section of the contract is for.
    #[must_use]
    pub fn role(&self, section: &Section) -> Option<SectionForm> {
        self.cx.config.labs.sections.get(section.entry).and_then(|entry| entry.form)
    }

    /// What was found on the way.
    #[must_use]
    pub fn finish(mut self) -> Findings {
        self.report_html();
        self.findings
    }

    /// Writes a range of events, in which all HTML must pair.
    pub fn html(&mut self, events: Events) -> String {
        self.enter("in this part of the page");
        self.passage(events) + &self.leave()
    }

    /// Writes a range of events; what HTML opens in it may be closed in a later one.
    pub fn passage(&mut self, events: Events) -> String {
        let mut out = Vec::with_capacity(events.len());
        let mut at = events.start;
        while at < events.end {
            at = self.event(at, events.end, &mut out);
        }
        let mut html = String::with_capacity(events.len() * 24);
        pulldown_cmark::html::push_html(&mut html, out.into_iter());
        html
    }

    /// Begins a part of the page in which all HTML must pair; `container` says which, as in "in this example".
    pub fn enter(&mut self, container: &'static str) {
        self.html.enter(container);
    }

    /// Ends it; returns the tags that close what is open.
    pub fn leave(&mut self) -> String {
        let closers = self.html.leave();
        if self.closes_html() { closers } else { String::new() }
    }

    /// The same of a question, which is a button wherever it stands.
    pub fn question(&mut self, events: Events) -> String {
        self.in_question = true;
        let html = self.html(events);
        self.in_question = false;
        html
    }

    /// The footnotes that are referred to, as a list; empty if there are none.
    pub fn footnotes(&mut self) -> String {
        let mut items = String::new();
        let prefix = self.target.prefix.clone();
        for (number, events) in self.footnote_list().listed() {
            let body = self.html(events);
            let back = super::escape::attribute(&self.cx.config.labels.back_to_text);
            // Writing to a String cannot fail.
            let _ = writeln!(
                items,
                "<li id=\"{prefix}F{number}\">{body}<a class=\"footnote-back\" href=\"#{prefix}F{number}-1\" aria-label=\"{back} {number}\">↩</a></li>"
            );
        }
        if items.is_empty() {
            return items;
        }
        let label = super::escape::attribute(&self.cx.config.labels.footnotes);
        format!("<section class=\"footnotes\" aria-label=\"{label}\">\n<ol>\n{items}</ol>\n</section>\n")
    }

    /// Writes the event at `at`; the index of the next one to write.
    fn event(&mut self, at: usize, end: usize, out: &mut Vec<Event<'a>>) -> usize {
        let (event, span) = &self.document().body.events[at];
        if let Some(&answer_end) = self.questions.answers.get(&at) {
            let reveal = super::escape::text(&self.cx.config.labels.reveal);
            let open = self.target.open_attribute();
            push(out, format!("<details class=\"answer\"{open}><summary>{reveal}</summary>\n"));
            self.questions.answers.remove(&at);
            let html = self.html(at..answer_end.min(end));
            push(out, html);
            push(out, "</details>\n".into());
            return answer_end.min(end);
        }
        if let Some(body) = self.note_heads.remove(&at) {
            let next = self.note_head(at, body, out);
            self.note_heads.insert(at, body);
            return next;
        }
        if let Some(spoken) = self.spoken.take_if(|spoken| spoken.start == at) {
            return self.spoken(at..spoken.end.min(end), out);
        }
        match event {
            Event::Start(tag) => self.start(at, tag, span, out),
            Event::End(tag) => {
                self.raw(out, ElementStack::leave);
                self.end(at, *tag, out);
                at + 1
            }
            Event::InlineHtml(_) => {
                let document = self.document();
                let html = destination::fragment(&document.source, &document.body.events[at..=at]);
                self.raw_html(&html, false, out);
                at + 1
            }
            _ => {
                self.inline(at, event, span, out);
                at + 1
            }
        }
    }

    fn raw(&mut self, out: &mut Vec<Event<'a>>, close: impl FnOnce(&mut ElementStack) -> String) {
        let closers = close(&mut self.html);
        if !closers.is_empty() && self.closes_html() {
            out.push(Event::InlineHtml(closers.into()));
        }
    }

    /// Whether elements of HTML that are left open are closed; trusted HTML is the author's own affair.
    fn closes_html(&self) -> bool {
        self.cx.config.markdown.raw_html != RawHtml::Trusted
    }

    fn report(&mut self, code: crate::diag::Code, span: &Span, message: String) -> &mut Diagnostic {
        let place = Place::new(self.document().source.path(), span.clone());
        self.findings.diagnostics.push(Diagnostic::new(code, place, message));
        let last = self.findings.diagnostics.len() - 1;
        &mut self.findings.diagnostics[last]
    }

    fn index_bindings(&mut self) {
        for prepared in self.excerpts {
            for (index, note) in prepared.excerpt.notes.iter().enumerate() {
                if note.bindings.is_empty() {
                    // What it begins with could not be read: its links into the excerpt lead nowhere.
                    let links = &self.subject.document.body.links;
                    let inside = links.iter().filter(|link| note.events.contains(&link.events.start));
                    let into_code = inside.filter(|link| link.target.starts_with('#'));
                    self.bindings.extend(into_code.map(|link| (link.events.start, String::new())));
                }
                let id = prepared.note_id(index);
                self.note_heads.extend(note.bindings.first().map(|first| (first.from.event(), note.body)));
                for anchor in note.bindings.iter().flat_map(|binding| std::iter::once(&binding.from).chain(&binding.to))
                {
                    // What could not be bound has been reported; its link leads nowhere.
                    let line = prepared.anchor_line(index, anchor.event());
                    let href = line.map(|line| self.line_href(prepared, line)).unwrap_or_default();
                    self.bindings.insert(anchor.event(), href);
                    if let Anchor::Token { text, .. } = anchor {
                        self.tokens.entry(text).or_insert_with(|| id.clone());
                    }
                }
            }
        }
        if self.document().placement.kind != Kind::Lab || !self.target.is_whole() {
            self.tokens.clear();
        }
    }

    /// The link from here to a line of an excerpt, counted from 1 in its file.
    fn line_href(&self, prepared: &BoundExcerpt<'_>, line: usize) -> String {
        if self.target.page == starter::page_url(prepared.listing.source().path()) {
            return format!("#L{line}");
        }
        let page = if self.target.is_whole() {
            String::new()
        } else {
            url::relative(&self.target.page, &self.target.own_page)
        };
        format!("{page}#{}-L{line}", prepared.id())
    }

    fn index_questions(&mut self, sections: &[Section]) {
        if !self.target.is_whole() {
            return;
        }
        let body = &self.document().body;
        for section in sections
            .iter()
            .filter(|section| self.role(section) == Some(SectionForm::Questions))
            .cloned()
            .collect::<Vec<_>>()
        {
            for question in contract::questions(body, section.body.clone()) {
                let end = question.question.end + 1;
                let below_heading = body.headings.binary_search_by_key(&end, |heading| heading.events.end).is_ok();
                if let (true, [answer]) = (below_heading, question.answers.as_slice()) {
                    self.questions.answers.extend((answer.start < answer.end).then_some((answer.start, answer.end)));
                }
            }
            self.questions.lists.push(section.body);
        }
        let spoken = sections.iter().find(|section| self.role(section) == Some(SectionForm::Spoken));
        self.spoken = spoken.map(|section| practice::spoken_events(body, section)).filter(|spoken| !spoken.is_empty());
    }

    /// Writes what is to be said out loud, under how long that takes.
    fn spoken(&mut self, spoken: Events, out: &mut Vec<Event<'a>>) -> usize {
        let duration = practice::speaking_time(&self.document().body.text(spoken.clone()), &self.cx.config.labels);
        let html = self.html(spoken.clone());
        push(
            out,
            format!(
                "<div class=\"spoken\">\n<p class=\"label\">{}</p>\n{html}</div>\n",
                super::escape::text(&duration)
            ),
        );
        spoken.end
    }
}

/// Finished HTML between events.
fn push(out: &mut Vec<Event<'_>>, html: String) {
    out.push(Event::Html(CowStr::from(html)));
}
