//! Writes predictions: the question, a field for what the reader predicts, and the answer, which is folded.

use std::collections::BTreeMap;

use super::super::raw_html::ElementStack;
use super::super::{escape, practice};
use super::Writer;
use infralens_page::{Document, Prediction};

/// The number of hexadecimal digits of the name of a field.
const DIGITS: usize = 8;

/// The first or the last line of a prediction, and whether it is the last.
pub type PredictionCut<'a> = (&'a Prediction, bool);

/// Returns the first and last lines of all predictions of a page, by their first events.
pub fn cuts(document: &Document) -> BTreeMap<usize, PredictionCut<'_>> {
    let predictions = document.body.predictions.iter();
    predictions.flat_map(|one| [(one.open.start, (one, false)), (one.close.start, (one, true))]).collect()
}

impl<'a> Writer<'a> {
    /// Writes the beginning or the end of a prediction; returns the index of the next event.
    pub(super) fn prediction_cut(&mut self, (prediction, is_end): PredictionCut<'a>) -> usize {
        if is_end {
            self.margin.open();
            let closers = self.leave();
            let field = if self.target.is_own_page() { self.field(prediction) } else { String::new() };
            self.push(format!("{closers}</details>\n{field}</div>\n"));
            return prediction.close.end;
        }
        self.raw(ElementStack::start_block);
        self.no_link_depth += 1;
        let question = self.question(prediction.question.start + 1..prediction.question.end - 1);
        self.no_link_depth -= 1;
        let (open, label) = (self.target.open_attribute(), escape::text(&self.cx.config.labels.predict));
        let head = format!("<div class=\"predict\">\n<details{open}><summary><b>{label}</b> {question}</summary>\n");
        self.push(head);
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
