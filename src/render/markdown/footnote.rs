//! Footnotes: which there are, and which number each has.

use std::collections::BTreeMap;

use pulldown_cmark::Event;

use super::Writer;
use crate::document::{Document, Events};

/// The footnotes of a document.
#[derive(Debug)]
pub(super) struct Footnotes<'a> {
    /// Labels in the order of their first reference: in the text, then in the footnotes themselves.
    order: Vec<&'a str>,
    /// The number of each, from 1.
    numbers: BTreeMap<&'a str, usize>,
    /// The events of each that is defined; of two definitions, the first.
    defined: BTreeMap<&'a str, Events>,
}

impl<'a> Footnotes<'a> {
    fn new(document: &'a Document) -> Self {
        let footnotes = &document.body.footnotes;
        let defined = footnotes.iter().rev().map(|(label, events)| (label.as_str(), events.clone())).collect();
        // They are in the order of their events, and none lies in another.
        let inside = |index: usize| {
            let next = footnotes.partition_point(|(_, events)| events.start <= index);
            next.checked_sub(1).is_some_and(|at| footnotes[at].1.contains(&index))
        };
        let references = document.body.events.iter().enumerate().filter_map(|(index, (event, _))| match event {
            Event::FootnoteReference(label) => Some((index, label.as_ref())),
            _ => None,
        });
        let (within, text): (Vec<_>, Vec<_>) = references.partition(|&(index, _)| inside(index));
        let mut found = Self { order: Vec::new(), numbers: BTreeMap::new(), defined };
        for (_, label) in text.into_iter().chain(within) {
            let next = found.order.len() + 1;
            if *found.numbers.entry(label).or_insert(next) == next {
                found.order.push(label);
            }
        }
        found
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
