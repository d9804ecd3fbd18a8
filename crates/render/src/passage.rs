//! The plain text of a page for the search, as a reader sees it: its text by heading, and each note separately.

use pulldown_cmark::{Event, LinkType, Tag, TagEnd};

use super::bind::anchors;
use super::copy::MarkdownCopy;
use super::goal::cited;
use super::markdown::tabs::{self, TabCutKind};
use super::{ResolvedPage, math, starting_at};
use infralens_page::glossary::Term;
use infralens_page::{Anchor, Events, Kind, Link, Note, is_drawn, is_inline};
use infralens_source::html::{self, Piece};
use infralens_source::source::{LABEL, shortened};

/// Elements of HTML whose text is not shown.
const UNSEEN_ELEMENTS: [&str; 6] = ["script", "style", "template", "title", "noscript", "textarea"];
/// The characters that HTML most often writes by name.
const ENTITIES: [(&str, &str); 6] =
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&amp;", "&")];

/// The text below a heading, or in a tab.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Passage {
    /// The id of the heading or the tab; empty for the text before the first heading.
    pub id: String,
    /// The heading, or the title of the tab.
    pub heading: String,
    /// The text up to the next heading, without that in tabs and notes: with formulas as text and the names of excerpts'
    /// files, but without markup, diagrams and calculators.
    pub text: String,
    pub has_table: bool,
    /// Whether it has a diagram or a picture.
    pub has_figure: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteText {
    /// Its id on the page, such as `E1-N2`.
    pub id: String,
    /// The code that it is bound to, as written on the page.
    pub code: String,
    pub text: String,
    /// The id of the heading above it.
    pub section: String,
}

impl ResolvedPage<'_> {
    /// Returns the text by heading, for the search, without the terms of the glossary on its page.
    pub fn passages(&self) -> Vec<Passage> {
        let (document, excerpts) = (self.subject.document, self.prepared(""));
        let is_glossary = document.placement.kind == Kind::Glossary;
        let terms = if is_glossary { &*self.cx.glossary.terms } else { &[] };
        let body = &document.body;
        let mut passages = vec![Passage::default()];
        let cuts = tabs::cuts(document);
        // The passage that is being read, and the one in which the open tabs began.
        let (mut passage, mut outer) = (0, 0);
        let mut at = 0;
        while at < body.events.len() {
            if let Some(cut) = cuts.get(&at) {
                match cut.kind {
                    TabCutKind::Begin => outer = passage,
                    TabCutKind::Title(number, tab) => {
                        let heading = self.text(cut.events.clone());
                        passages.push(Passage { id: tabs::id(number, tab), heading, ..Passage::default() });
                        passage = passages.len() - 1;
                    }
                    TabCutKind::End => passage = outer,
                }
                at = cut.events.end;
            } else if let Some(term) = starting_at(terms, at, |term| term.at) {
                at = term.end;
            } else if let Some(heading) = starting_at(&body.headings, at, |heading| heading.events.start) {
                let text = self.text(heading.events.clone());
                passages.push(Passage { id: heading.id.clone(), heading: text, ..Passage::default() });
                passage = passages.len() - 1;
                at = heading.events.end;
            } else if let Some(excerpt) = starting_at(&body.excerpts, at, |excerpt| excerpt.fence.start) {
                let shown = excerpts.iter().find(|shown| shown.excerpt.fence.start == at);
                if let (Some(shown), Some(Passage { text, .. })) = (shown, passages.get_mut(passage)) {
                    push(text, &format!(" {} ", shown.name()));
                }
                at = excerpt.list.as_ref().unwrap_or(&excerpt.fence).end;
            } else if let Some(passage) = passages.get_mut(passage) {
                let event = body.events.event(at);
                let is_diagram = matches!(&event, Event::Start(Tag::CodeBlock(kind)) if is_drawn(kind));
                passage.has_table |= matches!(event, Event::Start(Tag::Table(_)));
                passage.has_figure |= is_diagram || matches!(event, Event::Start(Tag::Image { .. }));
                at = self.push_event(at, &mut passage.text);
            } else {
                at += 1;
            }
        }
        for passage in &mut passages {
            passage.text.truncate(passage.text.trim_end().len());
        }
        passages.retain(|passage| !(passage.heading.is_empty() && passage.text.is_empty()));
        passages
    }

    /// Returns the notes as plain text, for the search.
    pub fn note_texts(&self) -> Vec<NoteText> {
        let headings = &self.subject.document.body.headings;
        let mut notes = Vec::new();
        for prepared in &self.prepared("") {
            let above = headings.partition_point(|heading| heading.events.start < prepared.excerpt.fence.start);
            let section = headings[..above].last().map(|heading| heading.id.clone()).unwrap_or_default();
            for (index, note) in prepared.excerpt.notes.iter().enumerate() {
                let text = self.text(note.body..note.events.end);
                let text = text.trim_start_matches(['—', '–', '-', ':', '：', '－', ' ']).to_owned();
                let (id, code) = (prepared.note_id(index), bound_code(note));
                notes.push(NoteText { id, code, text, section: section.clone() });
            }
        }
        notes
    }

    /// Returns the definition of a term of the glossary, whose page this is, as plain text.
    pub fn definition(&self, term: &Term) -> String {
        let document = self.subject.document;
        let is_start = |at: &usize| {
            matches!(document.body.events.get(*at), Some((Event::Start(Tag::DefinitionListDefinition), _)))
        };
        let start = (term.at..term.end).find(is_start).unwrap_or(term.end);
        self.text(start..term.end)
    }

    /// Returns the text of a range of events as readers see it.
    pub fn text(&self, events: Events) -> String {
        let mut text = String::new();
        let mut at = events.start;
        while at < events.end {
            at = self.push_event(at, &mut text);
        }
        text.truncate(text.trim_end().len());
        text
    }

    /// Adds the text of an event; returns the index of the next event.
    fn push_event(&self, at: usize, text: &mut String) -> usize {
        let body = &self.subject.document.body;
        let events = &body.events;
        match events.event(at) {
            // A calculator is found by itself.
            Event::Start(Tag::CodeBlock(kind)) if is_drawn(&kind) || self.is_calculator(at) => {
                push(text, " ");
                return body.end_of(at);
            }
            Event::Start(Tag::HtmlBlock) => {
                let end = body.end_of(at);
                let html = events.range(at + 1..end - 1).map(|(event, _)| match event {
                    Event::Html(html) | Event::Text(html) => html.into_string(),
                    _ => String::new(),
                });
                push(text, &(seen_text(&html.collect::<String>()) + " "));
                return end;
            }
            Event::Start(Tag::Link { link_type, .. }) => return self.push_link(at, link_type, text),
            Event::Text(part) | Event::Code(part) => push(text, &part),
            Event::InlineMath(formula) => push(text, &math::text(&formula)),
            Event::DisplayMath(formula) => push(text, &format!(" {} ", math::text(&formula))),
            Event::SoftBreak | Event::HardBreak => push(text, " "),
            Event::End(end) if end == TagEnd::Image || !is_inline(end) => push(text, " "),
            _ => {}
        }
        at + 1
    }

    /// Adds the words that the page writes for a link: those of a citation, and of a link without text.
    fn push_link(&self, at: usize, link_type: LinkType, text: &mut String) -> usize {
        let body = &self.subject.document.body;
        let Some(link) = starting_at(&body.links, at, |link| link.events.start) else { return at + 1 };
        if link.target.starts_with('@') && link_type != LinkType::ReferenceUnknown {
            push(text, &self.citation(&link.target));
            return link.events.end;
        }
        let inside = at + 1..link.events.end - 1;
        if inside.len() <= 1 && body.text(inside).trim().is_empty() {
            push(text, &self.link_words(link));
        }
        at + 1
    }

    /// Returns the words of a link without text.
    fn link_words(&self, link: &Link) -> String {
        let values = self.cx.values_of(self.subject.document);
        if let Some(value) =
            values.and_then(|values| values.values.get(values.named_by(&self.subject.document.body, link)?))
        {
            return value.words().to_owned();
        }
        let target =
            MarkdownCopy::new(self.cx, self.subject, &[], &self.subject.document.placement.url).resolve(&link.target);
        target.map_or_else(|| link.target.clone(), |(_, title)| shortened(&title, LABEL).into_owned())
    }

    /// Returns the words of a citation without text: "(Vaswani et al. 2017; Dao 2023)".
    fn citation(&self, target: &str) -> String {
        let cited = cited(target).filter_map(|(key, locator)| {
            let short = self.cx.references.get(key.trim_start_matches('@'))?.short();
            Some(if locator.is_empty() { short } else { format!("{short}, {locator}") })
        });
        let cited: Vec<String> = cited.collect();
        if cited.is_empty() { String::new() } else { format!("({})", cited.join("; ")) }
    }

    /// Returns whether a code block is shown as a calculator.
    fn is_calculator(&self, at: usize) -> bool {
        let block = starting_at(&self.subject.document.body.values, at, |block| block.events.start);
        block.is_some_and(|block| block.calculator.is_some())
    }
}

fn bound_code(note: &Note) -> String {
    let codes = anchors(note).map(|anchor| match anchor {
        Anchor::Token { text, .. } => text.clone(),
        Anchor::Place { selector, .. } => format!("#{selector}"),
    });
    codes.collect::<Vec<_>>().join(" / ")
}

/// Returns the text of raw HTML that a page shows: without tags, comments and scripts.
pub fn seen_text(html: &str) -> String {
    let mut text = String::new();
    let mut unseen: Option<String> = None;
    for (at, piece) in html::pieces(html) {
        match piece {
            Piece::Tag(tag) => {
                let name = tag.name.to_ascii_lowercase();
                if unseen.as_ref() == Some(&name) && tag.closing {
                    unseen = None;
                } else if unseen.is_none() && !tag.closing && UNSEEN_ELEMENTS.contains(&&*name) {
                    unseen = Some(name);
                }
                text.push(' ');
            }
            Piece::Text if unseen.is_none() && !html[at.clone()].starts_with("<!") => text.push_str(&html[at]),
            Piece::Text | Piece::Comment { .. } | Piece::Broken => {}
        }
    }
    ENTITIES.iter().fold(text, |text, (name, character)| text.replace(name, character))
}

/// Appends text, with any white space reduced to one space, and without characters that only say where a line may break.
fn push(text: &mut String, part: &str) {
    for c in part.chars().filter(|c| !matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}')) {
        if !c.is_whitespace() {
            text.push(c);
        } else if !text.is_empty() && !text.ends_with(' ') {
            text.push(' ');
        }
    }
}
