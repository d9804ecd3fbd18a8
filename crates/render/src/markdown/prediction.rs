//! Writes predictions: the question, a field for what the reader predicts, and the answer, which is folded.

use std::collections::BTreeMap;

use pulldown_cmark::Event;

use super::super::raw_html::ElementStack;
use super::super::{escape, practice};
use super::{Writer, push};
use infralens_page::{Document, Prediction};

/// The number of hexadecimal digits of the name of a field.
const DIGITS: usize = 8;

/// The first or the last line of a prediction.
#[derive(Debug, Clone, Copy)]
pub struct PredictionCut<'a> {
    prediction: &'a Prediction,
    is_end: bool,
}

/// Returns the first and last lines of all predictions of a page, by their first events.
pub fn cuts(document: &Document) -> BTreeMap<usize, PredictionCut<'_>> {
    let cuts = document.body.predictions.iter().flat_map(|prediction| {
        let cut = |is_end| PredictionCut { prediction, is_end };
        [(prediction.open.start, cut(false)), (prediction.close.start, cut(true))]
    });
    cuts.collect()
}

impl<'a> Writer<'a> {
    /// Writes the beginning or the end of a prediction; returns the index of the next event.
    pub(super) fn prediction_cut(&mut self, cut: PredictionCut<'a>, out: &mut Vec<Event<'a>>) -> usize {
        let PredictionCut { prediction, is_end } = cut;
        if is_end {
            self.margin.open();
            let closers = self.leave();
            let field = if self.target.is_own_page() { self.field(prediction) } else { String::new() };
            push(out, format!("{closers}</details>\n{field}</div>\n"));
            return prediction.close.end;
        }
        self.raw(out, ElementStack::start_block);
        self.no_link_depth += 1;
        let question = self.question(prediction.question.start + 1..prediction.question.end - 1);
        self.no_link_depth -= 1;
        let (open, label) = (self.target.open_attribute(), escape::text(&self.cx.config.labels.predict));
        let head = format!("<div class=\"predict\">\n<details{open}><summary><b>{label}</b> {question}</summary>\n");
        push(out, head);
        self.enter("in this answer");
        self.margin.close();
        prediction.question.end
    }

    /// Returns the field of a prediction. Its name depends on the page and the words of the question: what the reader has
    /// written in it stays when questions are reordered.
    fn field(&self, prediction: &Prediction) -> String {
        let placement = &self.document().placement;
        let (track, name) = (placement.track.as_deref().unwrap_or_default(), practice::unnumbered(&placement.name));
        let words = self.document().body.text(prediction.question.clone());
        let hash = blake3::hash(format!("{track}\n{name}\n{words}").as_bytes()).to_hex();
        let label = escape::text(&self.cx.config.labels.your_prediction);
        format!(
            "<p class=\"guess\"><label>{label} <input name=\"{}\" autocomplete=\"off\"></label></p>\n",
            &hash[..DIGITS]
        )
    }
}
