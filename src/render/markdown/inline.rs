//! Words, code spans, formulas, footnote references, task marks.

use pulldown_cmark::Event;

use super::super::math::{self, Display};
use super::super::{escape, with_fragment};
use super::Writer;
use crate::diag::codes;
use crate::source::Span;

impl<'a> Writer<'a> {
    /// Writes an event that is neither start nor end.
    pub(super) fn inline(&mut self, at: usize, event: &'a Event<'static>, span: &Span, out: &mut Vec<Event<'a>>) {
        match event {
            Event::Code(text) => self.code_span(at, text, out),
            Event::InlineMath(source) => self.formula(source, Display::Inline, span, out),
            Event::DisplayMath(source) => self.formula(source, Display::Block, span, out),
            Event::FootnoteReference(label) => self.footnote_reference(label, out),
            Event::TaskListMarker(done) => {
                let labels = &self.cx.config.labels;
                let (checked, label) = if *done { (" checked", &labels.task_done) } else { ("", &labels.task_open) };
                let label = escape::attribute(label);
                let html = format!("<input type=\"checkbox\" disabled{checked} aria-label=\"{label}\"> ");
                out.push(Event::InlineHtml(html.into()));
            }
            _ => out.push(event.clone()),
        }
    }

    /// A code span that binds a note links to its line; one that names a bound token links to its note.
    fn code_span(&mut self, at: usize, text: &str, out: &mut Vec<Event<'a>>) {
        let code = format!("<code>{}</code>", escape::text(text));
        let html = if let Some(line) = self.bindings.get(&at) {
            format!("<a class=\"back\" href=\"{}\">{code}</a>", escape::attribute(line))
        } else if let (0, Some(note)) = (self.unlinked, self.tokens.get(text)) {
            format!("<a class=\"token\" href=\"#{note}\">{code}</a>")
        } else {
            code
        };
        out.push(Event::InlineHtml(html.into()));
    }

    fn formula(&mut self, source: &str, display: Display, span: &Span, out: &mut Vec<Event<'a>>) {
        let block = matches!(display, Display::Block);
        match math::mathml(source, display) {
            Ok(mathml) if block => out.push(Event::InlineHtml(format!("<span class=\"math\">{mathml}</span>").into())),
            Ok(mathml) => out.push(Event::InlineHtml(mathml.into())),
            Err(error) => {
                let opening = if block { 2 } else { 1 };
                let inside = span.start + opening;
                // A formula in a quote or list has lost its markers: then the whole of it is the place.
                let exact = self.document().source.text()[inside..].starts_with(source);
                let at = if exact { inside + error.at.start..inside + error.at.end } else { span.clone() };
                self.report(codes::E0203, &at, error.message);
            }
        }
    }

    fn footnote_reference(&mut self, label: &str, out: &mut Vec<Event<'a>>) {
        let Some(index) = self.footnotes.iter().position(|known| *known == label) else { return };
        let number = index + 1;
        let html = if self.frame.is_home() {
            let first = self.referred.insert(number);
            let id = if first { format!(" id=\"F{number}-1\"") } else { String::new() };
            format!("<sup class=\"footnote\"><a href=\"#F{number}\"{id}>{number}</a></sup>")
        } else {
            let link = with_fragment(&self.frame.base, &self.frame.owner, &format!("F{number}"));
            format!("<sup class=\"footnote\"><a href=\"{}\">{number}</a></sup>", escape::attribute(&link))
        };
        out.push(Event::InlineHtml(html.into()));
    }
}
