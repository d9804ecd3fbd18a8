//! The footnotes of a document and their numbers.

use std::collections::BTreeMap;

use pulldown_cmark::Event;

use infralens_page::{Document, Events};

#[derive(Debug)]
pub(super) struct Footnotes<'a> {
    /// Labels in the order of their first reference: in the text, then in footnotes that are shown.
    order: Vec<String>,
    /// The number of each label, from 1.
    numbers: BTreeMap<String, usize>,
    /// The events of each defined footnote; of duplicate definitions, the first.
    defined: BTreeMap<&'a str, Events>,
}

impl<'a> Footnotes<'a> {
    pub(super) fn new(document: &'a Document) -> Self {
        let (footnotes, events) = (&document.body.footnotes, &document.body.events);
        let defined = footnotes.iter().rev().map(|(label, events)| (label.as_str(), events.clone())).collect();
        let mut found = Self { order: Vec::new(), numbers: BTreeMap::new(), defined };
        // The parser reads a reference to a footnote that is not defined as text.
        if footnotes.is_empty() {
            return found;
        }
        // Footnotes are sorted by their events and not nested.
        let ends = footnotes.iter().map(|(_, events)| events.end);
        let starts = footnotes.iter().map(|(_, events)| events.start).chain([events.len()]);
        for (start, end) in std::iter::once(0).chain(ends).zip(starts) {
            found.number_references(document, start..end);
        }
        // A footnote without references is not shown, so its own references may not count.
        let mut read = 0;
        while let Some(label) = found.order.get(read) {
            if let Some(shown) = found.defined.get(label.as_str()) {
                let shown = shown.clone();
                found.number_references(document, shown);
            }
            read += 1;
        }
        found
    }

    /// Numbers the footnotes that these events refer to.
    fn number_references(&mut self, document: &Document, events: Events) {
        for (event, _) in document.body.events.range(events) {
            if let Event::FootnoteReference(label) = event {
                let next = self.order.len() + 1;
                if *self.numbers.entry(label.to_string()).or_insert(next) == next {
                    self.order.push(label.into_string());
                }
            }
        }
    }

    /// Returns the numbers and events of the defined footnotes.
    pub(super) fn listed(&self) -> Vec<(usize, Events)> {
        let numbered = (1..).zip(&self.order);
        numbered.filter_map(|(number, label)| Some((number, self.defined.get(label.as_str())?.clone()))).collect()
    }

    pub(super) fn number(&self, label: &str) -> Option<usize> {
        self.numbers.get(label).copied()
    }
}
