//! The values of a page, and the figures in its text: the numbers with a unit, a decimal point or a thousands separator.
//! Each figure is printed by a value, or is listed in `given`.

use std::collections::BTreeMap;

use crate::diag::{Diagnostic, Place, codes};
use crate::document::text::{self, Passage};
use crate::document::{Body, Document};
use crate::source::Span;
use crate::values::{CompiledSheet, Figure, Quantity, figure};

/// The values of a page and the figures that they print.
#[derive(Debug, Default, PartialEq)]
pub struct PageValues {
    /// The values, in the order of their declarations.
    pub values: Vec<PageValue>,
    /// Whether each figure of the page must be printed by a value or be given.
    pub is_checked: bool,
    /// Whether the page shows calculators.
    pub has_calculators: bool,
    /// The figures in the front matter and in the text, in order; empty if figures are not checked.
    pub figures: Vec<PrintedFigure>,
    /// The calculators, as JSON and as read from it, by the indices of their blocks.
    pub calculators: BTreeMap<usize, (String, CompiledSheet)>,
    /// The pins that do not say what their value is.
    pub drifts: Vec<PinDrift>,
    /// The diagnostics of computing the values.
    pub diagnostics: Vec<Diagnostic>,
}

/// A value of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct PageValue {
    /// Its name.
    pub name: String,
    /// The index of its block among the blocks of the page that declare values.
    pub block: usize,
    /// The index of its declaration in the block.
    pub declaration: usize,
    /// Its formula as written.
    pub formula: String,
    /// The words of its comment.
    pub about: String,
    /// How it is printed: its pin, if it has one. Empty for a record, and if it could not be computed.
    pub printed: String,
    /// Whether it has a pin.
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
    /// The name of the value.
    pub name: String,
    /// The text of the pin, which is empty if `sync` is to fill it.
    pub pinned: String,
    /// The span of that text.
    pub span: Span,
    /// The text that the pin should have.
    pub text: String,
}

/// A figure in the text of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct PrintedFigure {
    /// Its span in the source.
    pub span: Span,
    /// Its text as readers see it.
    pub text: String,
    /// Where it comes from.
    pub origin: Origin,
    /// The figure as it was read.
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
    /// The origin.
    pub origin: Origin,
    /// The figures, in the order of the page, at least one.
    pub figures: Vec<&'a PrintedFigure>,
}

impl PrintedFigure {
    /// Prints a value as this figure is printed; one of another dimension as itself.
    #[must_use]
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
    /// Returns the diagnostic for a pin of a document.
    #[must_use]
    pub fn diagnostic(&self, document: &Document) -> Diagnostic {
        let Self { name, pinned, span, text } = self;
        let at = if span.is_empty() { span.start - 1..span.end } else { span.clone() };
        let place = Place::new(document.source.path(), at);
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
    #[must_use]
    pub fn is_known(self) -> bool {
        matches!(self, Self::Value(_) | Self::Given(_))
    }
}

impl PageValues {
    /// Returns the index of the value with this name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<usize> {
        self.values.iter().position(|value| value.name == name)
    }

    /// Finds the figures of a page.
    pub fn find_figures(&mut self, document: &Document) {
        let given: Vec<Option<Figure>> = document
            .front
            .common
            .given
            .0
            .iter()
            .map(|(text, _)| figure::find(&text.value).into_iter().next())
            .collect();
        let mut found = Vec::new();
        for passage in text::passages(document) {
            for figure in figure::find(&passage.text) {
                let range = figure.span.clone();
                let span = passage.span(&range);
                if is_code(&passage, &figure) {
                    continue;
                }
                let named = self.named_by_link(&document.body, &span);
                let origin = self.origin(&figure, named, &given);
                let text = passage.text[range].to_owned();
                found.push(PrintedFigure { span, text, origin, figure, id: String::new() });
            }
        }
        found.sort_by_key(|figure| figure.span.start);
        let mut numbers: Vec<(Origin, usize)> = Vec::new();
        for figure in found.iter_mut().filter(|figure| figure.origin.is_known()) {
            let at = numbers.iter().position(|(origin, _)| *origin == figure.origin).unwrap_or_else(|| {
                numbers.push((figure.origin, 0));
                numbers.len() - 1
            });
            // Front matter is shown in several places, so a figure in it has no place of its own.
            if figure.span.start >= document.body_start {
                numbers[at].1 += 1;
                figure.id = format!("V{}-{}", at + 1, numbers[at].1);
            }
        }
        self.figures = found;
    }

    /// Returns the entries of the list of figures, in the order in which they are first printed.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry<'_>> {
        let mut entries: Vec<Entry<'_>> = Vec::new();
        for figure in self.figures.iter().filter(|figure| figure.origin.is_known()) {
            match entries.iter_mut().find(|entry| entry.origin == figure.origin) {
                Some(entry) => entry.figures.push(figure),
                None => entries.push(Entry {
                    id: format!("V{}", entries.len() + 1),
                    origin: figure.origin,
                    figures: vec![figure],
                }),
            }
        }
        entries
    }

    /// Returns the figures within a span.
    #[must_use]
    pub fn figures_in(&self, span: &Span) -> &[PrintedFigure] {
        let first = self.figures.partition_point(|figure| figure.span.start < span.start);
        let last = self.figures.partition_point(|figure| figure.span.start < span.end);
        &self.figures[first..last.max(first)]
    }

    /// Returns the value that the link around a span names, as in `[13.48 GB](#weights)`.
    fn named_by_link(&self, body: &Body, span: &Span) -> Option<usize> {
        let before = body.links.partition_point(|link| link.span.start <= span.start);
        let link = body.links[..before].iter().rev().take(2).find(|link| link.span.end >= span.end)?;
        self.named(link.target.strip_prefix('#')?)
    }

    fn origin(&self, figure: &Figure, named: Option<usize>, given: &[Option<Figure>]) -> Origin {
        let is_printed_by =
            |&index: &usize| self.values[index].quantity.is_some_and(|quantity| figure.is_printed_by(quantity));
        if let Some(named) = named {
            // A value that could not be computed is reported already.
            let is_unknown = self.values[named].quantity.is_none();
            return if is_unknown || is_printed_by(&named) { Origin::Value(named) } else { Origin::Misnamed(named) };
        }
        let same = |given: &Option<Figure>| {
            given.as_ref().is_some_and(|given| given.digits == figure.digits && given.format.unit == figure.format.unit)
        };
        if let Some(index) = given.iter().position(same) {
            return Origin::Given(index);
        }
        let mut printing = (0..self.values.len()).filter(is_printed_by);
        let first = printing.next();
        if let Some(index) = first.into_iter().chain(printing).find(|&index| self.values[index].is_pinned).or(first) {
            return Origin::Value(index);
        }
        let distance = |index: &usize| figure.distance(self.values[*index].quantity?).map(|far| (far, *index));
        // At most twice or half the figure: a value of another size is not what was meant.
        let near = (0..self.values.len()).filter_map(|index| distance(&index)).filter(|(far, _)| *far <= 0.5);
        Origin::Unknown(near.min_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, index)| index))
    }
}

fn is_code(passage: &Passage, figure: &Figure) -> bool {
    passage.is_code(figure.span.start) || passage.is_code(figure.span.end - 1)
}
