//! Marks what a translated page has in another language: blocks that are still in that of the source, and the current
//! originals of blocks that were translated from earlier ones.

use pulldown_cmark::{Tag, TagEnd};

use super::super::escape;
use super::Writer;
use infralens_course::config::{Config, Language};
use infralens_page::Document;
use infralens_source::source::Span;

impl Writer<'_> {
    /// Returns the attributes of a block of the source that begins at an offset; empty if its language is that of the page.
    pub(super) fn foreign(&self, at: usize) -> String {
        attributes_at(self.document(), self.cx.config, at)
    }

    /// Writes the start tag of a block of the source, and returns true; a table or an alert is put into an element instead.
    pub(super) fn start_foreign(&mut self, at: usize, tag: &Tag<'_>, span: &Span) -> bool {
        let name = match tag {
            Tag::Paragraph => "p",
            Tag::Item => "li",
            Tag::BlockQuote(None) => "blockquote",
            Tag::DefinitionListDefinition if !self.in_questions(at) => "dd",
            Tag::Table(_) | Tag::BlockQuote(Some(_)) => "div",
            _ => return false,
        };
        // A definition begins after its term.
        let is_meant = |block: &Span| name == "dd" || block.start == span.start;
        let attributes = attributes_if(self.document(), self.cx.config, span.start, is_meant);
        if attributes.is_empty() {
            return false;
        }
        self.push(format!("<{name}{attributes}>"));
        name != "div"
    }

    /// Returns what stands before and after the end of an element: the original of a stale block, and the end of what is
    /// around a table or an alert of the source.
    pub(super) fn around_end(&mut self, at: usize, tag: TagEnd) -> [String; 2] {
        if self.document().translated.is_none() {
            return [String::new(), String::new()];
        }
        let span = self.document().body.events.span(at);
        match tag {
            TagEnd::Item | TagEnd::DefinitionListDefinition => [self.original(&span), String::new()],
            TagEnd::Paragraph => [String::new(), self.original(&span)],
            TagEnd::Table | TagEnd::BlockQuote(Some(_)) => {
                let end = if self.foreign(span.start).is_empty() { "" } else { "</div>\n" };
                [String::new(), end.to_owned() + &self.original(&span)]
            }
            _ => [String::new(), String::new()],
        }
    }

    /// Returns the original of a stale block that ends with an element, folded; empty if there is none.
    pub(super) fn original(&mut self, span: &Span) -> String {
        let Some(translated) = self.document().translated.as_ref() else { return String::new() };
        let found = translated.original_at(span).filter(|at| self.originals.insert(*at));
        let (Some(at), Some(language)) = (found, self.cx.config.languages.of_source()) else { return String::new() };
        let summary = escape::text(&self.cx.config.labels.original_changed);
        let attributes = attributes(language, &self.cx.config.language);
        let text = escape::text(&translated.originals[at].1);
        format!("<details class=\"original\"><summary>{summary}</summary><p{attributes}>{text}</p></details>\n")
    }
}

/// Returns the attributes of a block that begins at an offset; empty if its language is that of the page.
pub(crate) fn attributes_at(document: &Document, config: &Config, at: usize) -> String {
    attributes_if(document, config, at, |block| block.start == at)
}

fn attributes_if(document: &Document, config: &Config, at: usize, is_meant: impl Fn(&Span) -> bool) -> String {
    let block = document.translated.as_ref().and_then(|translated| translated.foreign_at(at));
    let language = block.filter(|block| is_meant(block)).and(config.languages.of_source());
    language.map_or_else(String::new, |language| attributes(language, &config.language))
}

fn attributes(language: &Language, page: &Language) -> String {
    let direction = match (language.is_right_to_left(), page.is_right_to_left()) {
        (true, false) => " dir=\"rtl\"",
        (false, true) => " dir=\"ltr\"",
        _ => "",
    };
    format!(" lang=\"{}\"{direction}", escape::attribute(language))
}
