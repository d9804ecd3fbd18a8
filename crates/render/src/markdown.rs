//! Markdown events → HTML. Most events go to pulldown-cmark's writer; those with a special meaning in a course are
//! written here: headings, links, citations, fences, excerpts with notes, tables, alerts, footnotes, math, pictures,
//! raw HTML.

mod block;
mod footnote;
pub(super) mod foreign;
mod inline;
mod link;
mod link_target;
mod margin;
mod prediction;
mod raw;
pub(super) mod table;
pub mod tabs;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pulldown_cmark::{CowStr, Event, Tag};

use self::footnote::Footnotes;
use self::margin::Margin;
use self::prediction::PredictionCut;
use self::table::Table;
use self::tabs::TabCut;
pub(super) use block::alert_head;
pub(super) use inline::task_box;
pub use link_target::LinkTarget;

use super::bind::anchors;
use super::excerpt::BoundExcerpt;
use super::page::{Drawn, Facts};
use super::practice;
use super::raw_html::ElementStack;
use super::resolved_page::ResolvedPage;
use super::{Context, Subject};
use infralens_course::config::{RawHtml, SectionForm};
use infralens_course::course::{starter, url};
use infralens_page::contract::{self, Section};
use infralens_page::destination;
use infralens_page::{Anchor, Document, Events, Glossary, Kind};
use infralens_source::diag::Diagnostic;
use infralens_source::put;
use infralens_source::source::Span;

/// Writes the events of one document as HTML.
pub struct Writer<'a> {
    cx: Context<'a>,
    subject: Subject<'a>,
    excerpts: &'a [BoundExcerpt<'a>],
    target: LinkTarget,
    /// The facts that are found while HTML is written.
    facts: Facts,
    drawn: Arc<Drawn>,
    diagnostics: Vec<Diagnostic>,
    /// The excerpts by the event that starts their fence.
    fences: BTreeMap<usize, &'a BoundExcerpt<'a>>,
    /// The links of code spans that are bindings.
    bindings: BTreeMap<usize, String>,
    /// The event at which the bindings of a note start, and the event after them.
    note_heads: BTreeMap<usize, usize>,
    /// The note that explains each bound token.
    tokens: BTreeMap<&'a str, String>,
    /// The lists of questions, and the answers below headings.
    questions: Questions,
    /// The events of the spoken explanation, up to the first heading.
    spoken: Option<Events>,
    footnotes: Footnotes<'a>,
    /// How many references to each footnote have been written, by its number. A footnote links back to each of them.
    referenced: BTreeMap<usize, usize>,
    /// The closing tags of open elements that this writer closes itself, innermost last.
    closers: Vec<String>,
    tables: Vec<Table>,
    tab_cuts: BTreeMap<usize, TabCut>,
    prediction_cuts: BTreeMap<usize, PredictionCut<'a>>,
    html: ElementStack,
    /// The glossary terms that have been linked, by index.
    mentioned: BTreeSet<usize>,
    /// The glossary terms in questions, which only show their definitions.
    asked: BTreeSet<usize>,
    /// How many headings, links and questions are open: in them, tokens and terms are not linked.
    no_link_depth: usize,
    /// Whether a note is open: in it, tokens are not linked.
    in_note: bool,
    /// Whether a question is open, which is a button: links in it are reduced to their text.
    pub(super) in_question: bool,
    diagrams: usize,
    external_numbers: BTreeMap<String, usize>,
    /// The keys in [`Facts::reading`].
    cited: BTreeSet<String>,
    margin: Margin,
    /// The originals of stale translations that have been written.
    originals: BTreeSet<usize>,
    /// The marks of changes that are still to be written, by event.
    pub(super) marks: BTreeMap<usize, &'a str>,
    /// What is written of the passage.
    out: Vec<Event<'a>>,
}

/// The positions of a lab's questions.
#[derive(Debug, Default)]
struct Questions {
    lists: Vec<Events>,
    answers: BTreeMap<usize, usize>,
}

impl<'a> Writer<'a> {
    /// Creates a writer of one document for one target.
    pub fn new(
        ResolvedPage { cx, subject, facts }: ResolvedPage<'a>,
        excerpts: &'a [BoundExcerpt<'a>],
        sections: &[Section],
        target: LinkTarget,
    ) -> Self {
        let mut writer = Self {
            cx,
            subject,
            excerpts,
            tab_cuts: if target.is_own_page() { tabs::cuts(subject.document) } else { BTreeMap::new() },
            prediction_cuts: prediction::cuts(subject.document),
            target,
            facts: Facts::default(),
            drawn: Arc::clone(&facts.drawn),
            diagnostics: Vec::new(),
            fences: excerpts.iter().map(|prepared| (prepared.excerpt.fence.start, prepared)).collect(),
            bindings: BTreeMap::new(),
            note_heads: BTreeMap::new(),
            tokens: BTreeMap::new(),
            questions: Questions::default(),
            spoken: None,
            footnotes: Footnotes::new(subject.document),
            referenced: BTreeMap::new(),
            closers: Vec::new(),
            tables: Vec::new(),
            html: ElementStack::default(),
            mentioned: BTreeSet::new(),
            asked: BTreeSet::new(),
            no_link_depth: 0,
            in_note: false,
            in_question: false,
            diagrams: 0,
            external_numbers: BTreeMap::new(),
            cited: BTreeSet::new(),
            margin: Margin::new(subject.document.placement.kind),
            originals: BTreeSet::new(),
            marks: BTreeMap::new(),
            out: Vec::new(),
        };
        if let Some(marks) = cx.marks_of(subject.document).filter(|_| writer.target.is_own_page()) {
            writer.marks = marks.text.iter().map(|(at, html)| (*at, html.as_str())).collect();
        }
        writer.index_bindings();
        writer.index_questions(sections);
        writer
    }

    pub fn document(&self) -> &'a Document {
        self.subject.document
    }

    pub fn is_dry_run(&self) -> bool {
        self.target.is_dry_run
    }

    pub fn glossary(&self) -> &'a Glossary {
        self.cx.glossary
    }

    /// Returns the role of a section of the lab contract.
    pub fn role(&self, section: &Section) -> Option<SectionForm> {
        self.cx.role(section)
    }

    /// Returns the facts that were found, and diagnostics about links, formulas and other elements.
    pub fn finish(mut self) -> (Facts, Vec<Diagnostic>) {
        self.report_html();
        self.facts.drawn = self.drawn;
        (self.facts, self.diagnostics)
    }

    /// Writes a range of events in which HTML tags must be balanced.
    pub fn html(&mut self, events: Events) -> String {
        self.enter("in this part of the page");
        self.margin.close();
        let html = self.passage(events);
        self.margin.open();
        html + &self.leave()
    }

    /// Writes a range of events. HTML elements that it opens may be closed in a later range.
    pub fn passage(&mut self, events: Events) -> String {
        let outer = std::mem::replace(&mut self.out, Vec::with_capacity(events.len()));
        let (mut at, mut from, last) = (events.start, events.start, self.document().body.events.len());
        while at < events.end {
            self.write_marks(from..=at);
            // A footnote is written at the end of the page.
            let is_footnote = matches!(self.document().body.events.event(at), Event::Start(Tag::FootnoteDefinition(_)));
            at = self.event(at, events.end);
            from = if is_footnote { at } else { from };
        }
        self.write_marks(from..=if at == last { last } else { at.saturating_sub(1) });
        let out = std::mem::replace(&mut self.out, outer);
        if self.target.is_dry_run {
            return String::new();
        }
        let mut html = String::with_capacity(events.len() * 24);
        pulldown_cmark::html::push_html(&mut html, out.into_iter());
        html
    }

    /// Starts a part of the page in which HTML tags must be balanced; `container` names it in messages, as in "in this
    /// example".
    pub fn enter(&mut self, container: &'static str) {
        self.html.enter(container);
    }

    /// Ends the part; returns the tags that close its open elements.
    pub fn leave(&mut self) -> String {
        let closers = self.html.leave();
        if self.closes_html() { closers } else { String::new() }
    }

    /// Writes a question, which is a button.
    pub fn question(&mut self, events: Events) -> String {
        self.in_question = true;
        let html = self.html(events);
        self.in_question = false;
        html
    }

    /// Writes the list of footnotes that are referred to; empty if there are none.
    pub fn footnotes(&mut self) -> String {
        let mut items = String::new();
        // Footnotes may refer to each other, so all of them are written before the ways back.
        let listed = self.footnotes.listed();
        let bodies: Vec<_> = listed.into_iter().map(|(number, events)| (number, self.html(events))).collect();
        let prefix = &self.target.prefix;
        let back = super::escape::attribute(&self.cx.config.labels.back_to_text);
        for (number, body) in bodies {
            put!(items, "<li id=\"{prefix}F{number}\">{body}");
            for time in 1..=self.referenced.get(&number).copied().unwrap_or(1) {
                let (label, sign) = if time == 1 {
                    (String::new(), String::new())
                } else {
                    (format!("-{time}"), format!("<sup>{time}</sup>"))
                };
                put!(
                    items,
                    "<a class=\"footnote-back\" href=\"#{prefix}F{number}-{time}\" aria-label=\"{back} {number}{label}\">↩{sign}</a>"
                );
            }
            items.push_str("</li>\n");
        }
        if items.is_empty() {
            return items;
        }
        let label = super::escape::attribute(&self.cx.config.labels.footnotes);
        format!("<section class=\"footnotes\" aria-label=\"{label}\">\n<ol>\n{items}</ol>\n</section>\n")
    }

    /// Writes the event at `at`; returns the index of the next one.
    fn event(&mut self, at: usize, end: usize) -> usize {
        let (event, span) = (self.document().body.events.event(at), self.document().body.events.span(at));
        if let Some(&answer_end) = self.questions.answers.get(&at) {
            let reveal = super::escape::text(&self.cx.config.labels.reveal);
            let open = self.target.open_attribute();
            self.push(format!("<details class=\"answer\"{open}><summary>{reveal}</summary>\n"));
            self.questions.answers.remove(&at);
            let html = self.html(at..answer_end.min(end));
            self.push(html);
            self.push("</details>\n");
            return answer_end.min(end);
        }
        if let Some(cut) = self.tab_cuts.remove(&at) {
            return self.tab_cut(&cut);
        }
        if let Some(&cut) = self.prediction_cuts.get(&at) {
            return self.prediction_cut(cut);
        }
        if let Some(body) = self.note_heads.remove(&at) {
            let next = self.note_head(at, body, end);
            self.note_heads.insert(at, body);
            return next;
        }
        if let Some(spoken) = self.spoken.take_if(|spoken| spoken.start == at) {
            return self.spoken(at..spoken.end.min(end));
        }
        match event {
            Event::Start(tag) => self.start(at, tag, &span),
            Event::End(tag) => {
                self.raw(ElementStack::leave);
                self.end(at, tag);
                at + 1
            }
            Event::Text(_) => self.text(0, at, end),
            Event::InlineHtml(_) => {
                let document = self.document();
                let html = destination::fragment(&document.source, &document.body, at..at + 1);
                self.raw_html(&html, false);
                at + 1
            }
            _ => {
                self.inline(at, event, &span);
                at + 1
            }
        }
    }

    /// Inserts finished HTML between events.
    pub(super) fn push(&mut self, html: impl Into<CowStr<'a>>) {
        self.out.push(Event::Html(html.into()));
    }

    fn raw(&mut self, close: impl FnOnce(&mut ElementStack) -> String) {
        let closers = close(&mut self.html);
        if !closers.is_empty() && self.closes_html() {
            self.push(closers);
        }
    }

    /// Returns whether unclosed HTML elements are closed; trusted HTML is left to the author.
    fn closes_html(&self) -> bool {
        self.cx.config.markdown.raw_html != RawHtml::Trusted
    }

    fn report(&mut self, code: infralens_source::diag::Code, span: &Span, message: String) -> &mut Diagnostic {
        let place = self.document().source.place(span.clone());
        self.diagnostics.push(Diagnostic::new(code, place, message));
        let last = self.diagnostics.len() - 1;
        &mut self.diagnostics[last]
    }

    fn index_bindings(&mut self) {
        for prepared in self.excerpts {
            for (index, note) in prepared.excerpt.notes.iter().enumerate() {
                if note.bindings.is_empty() {
                    // The start of the note could not be parsed, so its links into the excerpt are left out.
                    let links = &self.subject.document.body.links;
                    let inside = links.iter().filter(|link| note.events.contains(&link.events.start));
                    let into_code = inside.filter(|link| link.target.starts_with('#'));
                    self.bindings.extend(into_code.map(|link| (link.events.start, String::new())));
                }
                let id = prepared.note_id(index);
                self.note_heads.extend(note.bindings.first().map(|first| (first.from.event(), note.body)));
                for anchor in anchors(note) {
                    // A failed binding has been reported; its link is left out.
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

    /// Returns the link to a line of an excerpt, numbered from 1 in the text of its file.
    fn line_href(&self, prepared: &BoundExcerpt<'_>, line: usize) -> String {
        let id = prepared.listing.line_id(line - 1);
        if self.target.page == starter::page_url(prepared.listing.source().path()) {
            return format!("#{id}");
        }
        let page = if self.target.is_whole() {
            String::new()
        } else {
            url::relative(&self.target.page, &self.target.own_page)
        };
        format!("{page}#{}-{id}", prepared.id())
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

    /// Writes the spoken explanation below its speaking time.
    fn spoken(&mut self, spoken: Events) -> usize {
        let duration = practice::speaking_time(&self.document().body.text(spoken.clone()), &self.cx.config.labels);
        let html = self.html(spoken.clone());
        self.push(format!(
            "<div class=\"spoken\">\n<p class=\"label\">{}</p>\n{html}</div>\n",
            super::escape::text(&duration)
        ));
        spoken.end
    }
}
