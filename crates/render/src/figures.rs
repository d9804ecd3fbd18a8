//! The values of a page, and the figures in its text: the numbers with a unit, a decimal point or a thousands separator.
//! Each figure is printed by a value, or is listed in `given`.
//!
//! A figure's place on the page is the event that has it and the offset in that event's text, not a place in the source:
//! there, it may be written in another way, as in `80&nbsp;GB`.

mod printing;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use printing::ByQuantity;

use super::calculator::stack::Front;
use infralens_page::text::{self, EventOffset};
use infralens_page::{Body, Document, Link};
use infralens_source::diag::{Diagnostic, codes};
use infralens_source::source::Span;
use infralens_units::{CompiledSheet, Figure, Quantity, figure};

/// The values of a page and the figures that they print.
#[derive(Debug, Default, PartialEq)]
pub struct PageValues {
    /// The values, in the order of their declarations.
    pub values: Vec<PageValue>,
    /// Whether all of them could be computed, so that what they print is known.
    pub is_complete: bool,
    /// Whether each figure of the page must be printed by a value or be given.
    pub is_checked: bool,
    /// Whether the page shows calculators.
    pub has_calculators: bool,
    /// The front calculator of the course, if it is on this page.
    pub front: Option<Front>,
    /// The figures in the front matter and in the text, in order; empty if figures are not checked.
    pub figures: Vec<PrintedFigure>,
    /// The calculators, as JSON and as read from it, by the indices of their blocks.
    pub calculators: BTreeMap<usize, (String, CompiledSheet)>,
    /// The pins that do not say what their value is.
    pub drifts: Vec<PinDrift>,
    /// The diagnostics of computing the values.
    pub diagnostics: Vec<Diagnostic>,
    /// The index of the first value with each name.
    names: BTreeMap<String, usize>,
    /// The names of values that are also the ids of headings.
    headings: BTreeSet<String>,
    /// The number in the list of figures, from 1, of everything that prints a figure.
    numbers: BTreeMap<Origin, usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PageValue {
    pub name: String,
    /// The index of its block among the blocks of the page that declare values.
    pub block: usize,
    /// The index of its declaration in the block.
    pub declaration: usize,
    pub formula: String,
    /// The words of its comment.
    pub about: String,
    /// How it is printed: its pin, if it has one. Empty for a record, and if it could not be computed.
    pub printed: String,
    pub is_pinned: bool,
    /// The number that it is; `None` for a record, and if it could not be computed, which is reported.
    pub quantity: Option<Quantity>,
    /// The title of the calculator that shows it.
    pub calculator: Option<String>,
    /// The names of the records that it was computed from, sorted.
    pub records: Vec<String>,
}

/// A pin that does not say what its value is.
#[derive(Debug, Clone, PartialEq)]
pub struct PinDrift {
    pub name: String,
    /// The text of the pin, which is empty if `sync` is to fill it.
    pub pinned: String,
    pub span: Span,
    /// The text that the pin should have.
    pub text: String,
}

/// A figure in the text of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct PrintedFigure {
    pub span: Span,
    /// Its place among the events of the page; `None` in front matter.
    pub events: Option<Range<EventOffset>>,
    /// Its text as readers see it.
    pub text: String,
    /// Where it comes from.
    pub origin: Origin,
    pub figure: Figure,
    /// Its id on the page, such as `V3-1` for the first figure of the third entry in the list of figures; empty if its
    /// origin is unknown, and in front matter.
    pub id: String,
}

/// An entry in the list of a page's figures: everything that comes from one origin.
#[derive(Debug, PartialEq)]
pub struct Entry<'a> {
    /// Its id on the page, such as `V3`.
    pub id: String,
    pub origin: Origin,
    /// The figures, in the order of the page, at least one.
    pub figures: Vec<&'a PrintedFigure>,
}

impl PageValue {
    /// Returns the words of a link to the value that has none: how the value is printed, or its name.
    pub fn words(&self) -> &str {
        if self.printed.is_empty() { &self.name } else { &self.printed }
    }
}

impl PrintedFigure {
    /// Prints a value as this figure is printed; one of another dimension as itself.
    pub fn print(&self, value: &PageValue) -> String {
        let alike = value.quantity.filter(|&quantity| self.figure.distance(quantity).is_some());
        alike.map_or_else(|| value.printed.clone(), |quantity| self.figure.adapt(quantity))
    }
}

/// Where a figure comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// The value with this index prints it.
    Value(usize),
    /// The entry of `given` with this index lists it.
    Given(usize),
    /// The link around it names the value with this index, which prints something else.
    Misnamed(usize),
    /// Nothing prints it. The value with this index, if any, is the nearest one of its size and dimension.
    Unknown(Option<usize>),
}

impl PinDrift {
    pub fn diagnostic(&self, document: &Document) -> Diagnostic {
        let Self { name, pinned, span, text } = self;
        let at = if span.is_empty() { span.start - 1..span.end } else { span.clone() };
        let place = document.source.place(at);
        if pinned.is_empty() {
            let message = format!("the pin of `{name}` is empty");
            return Diagnostic::new(codes::W0601, place, message).help(format!("`infralens sync` fills it: `{text}`"));
        }
        let message = format!("`{name}` is {text}, and its pin says {pinned}");
        Diagnostic::new(codes::E0606, place, message)
            .help("`infralens sync` updates the pin and lists the sentences that print it; read them again")
    }
}

impl Origin {
    /// Whether a value prints the figure, or it is given.
    pub fn is_known(self) -> bool {
        matches!(self, Self::Value(_) | Self::Given(_))
    }
}

impl PageValues {
    /// Indexes the values by their names.
    pub fn index(&mut self, body: &Body) {
        for (index, value) in self.values.iter().enumerate() {
            self.names.entry(value.name.clone()).or_insert(index);
        }
        let ids = body.anchors.iter().map(|(id, _)| id);
        self.headings = ids.filter(|id| self.names.contains_key(*id)).cloned().collect();
    }

    /// Returns the index of the value with this name.
    pub fn named(&self, name: &str) -> Option<usize> {
        self.names.get(name).copied()
    }

    /// Returns the value that a link names, as in `[13.48 GB](#weights)`. A heading with that id goes first, unless the
    /// text of the link is one figure.
    pub fn named_by(&self, body: &Body, link: &Link) -> Option<usize> {
        let name = link.target.strip_prefix('#')?;
        let value = self.named(name)?;
        let text = || body.text(link.events.start + 1..link.events.end - 1);
        (!self.headings.contains(name) || figure::is_one(&text())).then_some(value)
    }

    /// Returns the id in the list of figures of everything that comes from one origin, such as `V3`.
    pub fn entry_id(&self, origin: Origin) -> Option<String> {
        self.numbers.get(&origin).map(|number| format!("V{number}"))
    }

    /// Finds the figures of a page in this language.
    pub fn find_figures(&mut self, document: &Document, language: &str) {
        let mut found = Vec::new();
        for passage in text::passages(document) {
            for mut figure in figure::find(&passage.text) {
                let range = figure.span.clone();
                if passage.is_code(range.start) || passage.is_code(range.end - 1) {
                    continue;
                }
                figure.is_rounded = figure::is_rounded(&passage.text[..range.start], language);
                let (span, events) = (passage.span(&range), passage.events(&range));
                let text = passage.text[range].to_owned();
                let origin = Origin::Unknown(None);
                found.push(PrintedFigure { span, events, text, origin, figure, id: String::new() });
            }
        }
        found.sort_by_key(|figure| figure.span.start);
        self.figures = found;
        self.find_origins(document);
        let mut places: BTreeMap<Origin, usize> = BTreeMap::new();
        for figure in self.figures.iter_mut().filter(|figure| figure.origin.is_known()) {
            let next = self.numbers.len() + 1;
            let number = *self.numbers.entry(figure.origin).or_insert(next);
            // Front matter is shown in several places, so a figure in it has no place of its own.
            if figure.events.is_some() {
                let place = places.entry(figure.origin).or_default();
                *place += 1;
                figure.id = format!("V{number}-{place}");
            }
        }
    }

    fn find_origins(&mut self, document: &Document) {
        let mut given: BTreeMap<(String, String), usize> = BTreeMap::new();
        for (index, (text, _)) in document.front.common.given.0.iter().enumerate() {
            if let Some(figure) = figure::find(&text.value).into_iter().next().or_else(|| figure::read(&text.value)) {
                given.entry((figure.digits, figure.format.unit.name)).or_insert(index);
            }
        }
        let mut named: BTreeMap<usize, usize> = BTreeMap::new();
        for link in document.body.links.iter().filter(|link| link.target.starts_with('#')) {
            let before = |at: usize| self.figures.partition_point(|figure| figure.span.start < at);
            let (first, end) = (before(link.span.start), before(link.span.end));
            // A link around several figures does not say which of them is the value.
            if end == first + 1
                && let Some(value) = self.named_by(&document.body, link)
            {
                named.insert(first, value);
            }
        }
        let by_quantity = ByQuantity::new(&self.values);
        let mut known: BTreeMap<(String, String, bool), Origin> = BTreeMap::new();
        for (index, PrintedFigure { figure, origin, .. }) in self.figures.iter_mut().enumerate() {
            if let Some(&named) = named.get(&index) {
                // A value that could not be computed is reported already.
                let is_printed = self.values[named].quantity.is_none_or(|quantity| figure.is_printed_by(quantity));
                *origin = if is_printed { Origin::Value(named) } else { Origin::Misnamed(named) };
                continue;
            }
            let key = (figure.digits.clone(), figure.format.unit.name.clone());
            let given = given.get(&key).copied().map(Origin::Given);
            *origin = *known.entry((key.0, key.1, figure.is_rounded)).or_insert_with(|| {
                let value = || by_quantity.printing(figure, &self.values).map(Origin::Value);
                given.or_else(value).unwrap_or_else(|| Origin::Unknown(by_quantity.nearest(figure)))
            });
        }
    }

    /// Returns the entries of the list of figures, in the order in which they are first printed.
    pub fn entries(&self) -> Vec<Entry<'_>> {
        let mut entries: Vec<Entry<'_>> = Vec::new();
        for figure in &self.figures {
            let Some(number) = self.numbers.get(&figure.origin) else { continue };
            match entries.get_mut(number - 1) {
                Some(entry) => entry.figures.push(figure),
                None => {
                    entries.push(Entry { id: format!("V{number}"), origin: figure.origin, figures: vec![figure] });
                }
            }
        }
        entries
    }

    /// Returns the figures that begin in the texts of some events, in order.
    pub fn figures_in(&self, events: Range<usize>) -> &[PrintedFigure] {
        let event = |figure: &PrintedFigure| figure.events.as_ref().map(|events| events.start.0);
        let first = self.figures.partition_point(|figure| event(figure) < Some(events.start));
        let last = self.figures.partition_point(|figure| event(figure) < Some(events.end));
        &self.figures[first..last.max(first)]
    }
}
