//! Footnotes: which there are, and which number each has.

use std::collections::BTreeMap;

use pulldown_cmark::Event;

use super::Writer;
use crate::document::{Document, Events};
use crate::source::Span;

/// The footnotes of a document.
#[derive(Debug)]
pub(super) struct Footnotes<'a> {
    /// Labels in the order of their first reference: in the text, then in the footnotes that are shown.
    order: Vec<&'a str>,
    /// The number of each, from 1.
    numbers: BTreeMap<&'a str, usize>,
    /// The events of each that is defined; of two definitions, the first.
    defined: BTreeMap<&'a str, Events>,
}

impl<'a> Footnotes<'a> {
    fn new(document: &'a Document) -> Self {
        let (footnotes, events) = (&document.body.footnotes, &document.body.events);
        let defined = footnotes.iter().rev().map(|(label, events)| (label.as_str(), events.clone())).collect();
        let mut found = Self { order: Vec::new(), numbers: BTreeMap::new(), defined };
        // They are in the order of their events, and none is inside another.
        let ends = footnotes.iter().map(|(_, events)| events.end);
        let starts = footnotes.iter().map(|(_, events)| events.start).chain([events.len()]);
        for (start, end) in std::iter::once(0).chain(ends).zip(starts) {
            found.number_references(&events[start..end]);
        }
        // A footnote that nothing refers to is not shown, so what it refers to may not be shown either.
        let mut read = 0;
        while let Some(label) = found.order.get(read) {
            if let Some(shown) = found.defined.get(label) {
                let shown = shown.clone();
                found.number_references(&events[shown]);
            }
            read += 1;
        }
        found
    }

    /// Numbers what these events refer to.
    fn number_references(&mut self, events: &'a [(Event<'a>, Span)]) {
        for (event, _) in events {
            if let Event::FootnoteReference(label) = event {
                let next = self.order.len() + 1;
                if *self.numbers.entry(label).or_insert(next) == next {
                    self.order.push(label);
                }
            }
        }
    }

    /// Those that are defined: their numbers and their events.
    pub(super) fn listed(&self) -> Vec<(usize, Events)> {
        let numbered = (1..).zip(&self.order);
        numbered.filter_map(|(number, label)| Some((number, self.defined.get(label)?.clone()))).collect()
    }

    /// The number of one.
    pub(super) fn number(&self, label: &str) -> Option<usize> {
        self.numbers.get(label).copied()
    }
}

impl<'a> Writer<'a> {
    /// The footnotes of the document.
    pub(super) fn footnote_list(&self) -> &Footnotes<'a> {
        let document = self.document();
        self.footnotes.get_or_init(|| Footnotes::new(document))
    }
}
