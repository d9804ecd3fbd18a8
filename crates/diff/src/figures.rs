//! The values of a page, and the sentences that print them.

use super::lines::{Line, Sign};
use super::pages::{Pair, View};
use super::{Change, Kind, Quote};
use infralens_page::text::{self, Passage};
use infralens_render::figures::{Origin, PageValue, PageValues};
use infralens_source::source::Span;

/// What a formula is in a passage.
const FORMULA: char = '\u{fffc}';

/// Returns the values of a page that have changed.
pub(crate) fn changes(pair: &Pair<'_>) -> Vec<Change> {
    let [before, after] = [&pair.old, &pair.new].map(|view| view.source.cx.values_of(view.document()));
    let before = before.map_or(&[][..], |values| &values.values);
    let mut changes = Vec::new();
    let mut passages = None;
    for (index, value) in after.iter().flat_map(|values| values.values.iter().enumerate()) {
        let declared = &pair.new.document().body.values[value.block].sheet.declarations[value.declaration];
        let (what, lines) = match before.iter().find(|old| old.name == value.name) {
            Some(old) if old.printed != value.printed => {
                (format!("`{}`: {} → {}", value.name, old.words(), value.words()), formulas(old, value))
            }
            Some(old) if old.formula != value.formula => {
                (format!("`{}` is still {}, by another formula", value.name, value.words()), formulas(old, value))
            }
            None if value.calculator.is_some() => {
                (format!("`{}` added: {}", value.name, value.words()), vec![formula(Sign::New, value)])
            }
            _ => continue,
        };
        let is_printed = !before.iter().any(|old| old.name == value.name && old.printed == value.printed);
        let passages = passages.get_or_insert_with(|| text::passages(pair.new.document()));
        let change = Change::new(Kind::Figure, what).on(&pair.new).at(pair.new.place(declared.span.start)).lines(lines);
        let quotes =
            after.filter(|_| is_printed).map_or_else(Vec::new, |values| sentences(&pair.new, values, index, passages));
        changes.push(Change { quotes, ..change });
    }
    let is_gone = |old: &&PageValue| {
        old.calculator.is_some() && after.is_none_or(|values| values.values.iter().all(|value| value.name != old.name))
    };
    for old in before.iter().filter(is_gone) {
        let declared = &pair.old.document().body.values[old.block].sheet.declarations[old.declaration];
        let change = Change::new(Kind::Figure, format!("`{}` removed: it was {}", old.name, old.words()));
        changes.push(change.on(&pair.new).at(pair.old.place(declared.span.start)));
    }
    changes
}

fn formulas(old: &PageValue, new: &PageValue) -> Vec<Line> {
    if old.formula == new.formula { Vec::new() } else { vec![formula(Sign::Old, old), formula(Sign::New, new)] }
}

fn formula(sign: Sign, value: &PageValue) -> Line {
    Line::new(sign, format!("{} = {}", value.name, value.formula))
}

/// Returns the sentences that print a value.
fn sentences(view: &View<'_>, values: &PageValues, index: usize, passages: &[Passage]) -> Vec<Quote> {
    let printed = values.figures.iter().filter(|figure| figure.origin == Origin::Value(index));
    let named = view.document().body.links.iter();
    let named = named.filter(|link| values.named_by(&view.document().body, link) == Some(index));
    let mut places: Vec<usize> =
        printed.map(|figure| figure.span.start).chain(named.map(|link| link.span.start)).collect();
    places.sort_unstable();
    let mut found: Vec<(Span, String)> = places.into_iter().filter_map(|at| sentence_at(passages, at)).collect();
    found.dedup();
    found.into_iter().map(|(span, text)| quote(view, &span, text)).collect()
}

/// Returns the sentence to which the byte at `at` of the source belongs, as it is there and as readers see it. A link at the
/// beginning of a sentence begins before its words do.
pub(crate) fn sentence_at(passages: &[Passage], at: usize) -> Option<(Span, String)> {
    let whole = |passage: &Passage| 0..passage.text.len();
    let is_near = |passage: &&Passage| !passage.text.is_empty() && at < passage.span(&whole(passage)).end;
    let passage = passages.iter().find(is_near)?;
    let found = passage.sentences.iter().find(|range| at < passage.span(range).end).cloned();
    let range = found.unwrap_or_else(|| whole(passage));
    Some((passage.span(&range), passage.text[range].replace(FORMULA, "(a formula)")))
}

pub(crate) fn quote(view: &View<'_>, span: &Span, text: String) -> Quote {
    Quote { label: "sentence".to_owned(), place: view.place(span.start), text }
}
