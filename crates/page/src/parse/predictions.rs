//! Finds predictions among the HTML blocks of a page.

use pulldown_cmark::Event;

use super::comments::{OpenPair, Pair};
use super::{BodyBuilder, trim_end};
use crate::prediction::{self, Prediction};
use crate::{Events, destination};
use infralens_source::diag::{Edit, Fix, codes};
use infralens_source::source::Span;

/// The message about a `<summary>` that is not as it should be.
const OTHER_FORM: &str = "this prediction is written in another form";

impl BodyBuilder<'_> {
    /// Handles an HTML block that begins or ends a prediction, or should. Returns whether it does.
    pub(super) fn prediction(&mut self, start: usize, span: &Span, html: &str) -> bool {
        if !self.has_predictions {
            return false;
        }
        let events = start..self.body.events.len() + 1;
        let parent = self.parent();
        if self.masked.is_prediction(&(span.start - self.start..span.end - self.start)) {
            let at = trim_end(self.source, span);
            self.pairs.push(OpenPair { pair: Pair::Prediction, events, at, parent, titles: Vec::new(), depth: 1 });
            return true;
        }
        if let Some(head) = prediction::head(self.source, span) {
            self.misread.predictions.push(head);
            return true;
        }
        let written = destination::fragment(self.source, &self.body, start + 1..self.body.events.len());
        for meant in prediction::meant(html) {
            self.report_prediction(written.span(meant), OTHER_FORM);
        }
        let is_open = |open: &OpenPair| open.pair == Pair::Prediction && open.parent == parent;
        let Some(index) = self.pairs.iter().rposition(is_open) else { return false };
        self.pairs[index].depth += prediction::depth(html);
        if self.pairs[index].depth > 0 {
            return false;
        }
        self.report_unclosed(index + 1);
        if let Some(open) = self.pairs.pop() {
            self.end_prediction(open, events, span, html);
        }
        true
    }

    /// Adds a prediction, if its form is right up to the end.
    fn end_prediction(&mut self, open: OpenPair, close: Events, span: &Span, html: &str) {
        let [question] = open.titles.as_slice() else {
            return self.report_prediction(open.at, OTHER_FORM);
        };
        let before = &self.source.text()[self.start..span.start];
        let before = &before[..before.rfind('\n').map_or(0, |end| end)];
        let line = before.rfind('\n').map_or(before, |end| &before[end + 1..]);
        if question.end == close.start {
            self.report_prediction(open.at, "this prediction has no answer");
        } else if html.trim() != prediction::END || !line.trim_matches(['>', ' ', '\t', '\r']).is_empty() {
            self.report_prediction(self.source.first_line(span), "a prediction does not end like this");
        } else {
            self.body.predictions.push(Prediction { open: open.events, question: question.clone(), close });
        }
    }

    /// Reports the text of a `<summary>` within a line that is meant as the question of a prediction.
    pub(super) fn check_summary(&mut self, index: usize, text: &str) {
        let Some((Event::InlineHtml(tag), span)) = index.checked_sub(1).and_then(|before| self.body.events.get(before))
        else {
            return;
        };
        let is_summary = tag.get(..8).is_some_and(|name| name.eq_ignore_ascii_case("<summary"));
        if self.has_predictions && is_summary && prediction::is_meant(text) {
            self.report_prediction(span, OTHER_FORM);
        }
    }

    /// Reports a prediction in another form.
    pub(super) fn report_prediction(&mut self, at: Span, message: &str) {
        let line = self.source.text()[at.end..].lines().next().unwrap_or_default();
        let word = prediction::meant_word(line).filter(|word| line[word.clone()] != *"Predict:");
        let fix = word.map(|word| {
            let space = if line[word.end..].starts_with(' ') { "" } else { " " };
            let edit = Edit::new(self.source, at.end + word.start..at.end + word.end, format!("Predict:{space}"));
            Fix::new("write `Predict:`", vec![edit])
        });
        self.out.push(self.source.diagnostic(codes::E0215, at, message).help(prediction::HELP).fix(fix));
    }
}
