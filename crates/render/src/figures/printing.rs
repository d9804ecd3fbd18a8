//! Finds the values that print a figure, in time that does not grow with the number of values.

use std::collections::BTreeMap;

use super::PageValue;
use infralens_units::{Dimension, Figure};

/// How far rounding may take a number between units, relative to it.
const TOLERANCE: f64 = 1e-9;
/// Values that differ from a figure by more than this part of the larger of the two were not meant by it.
const NEAREST: f64 = 0.5;

/// A value in base units, whether it lacks a pin, and its index.
type Entry = (f64, bool, usize);

/// The values of a page, sorted, by their dimensions. Of values that are equal, it has the first one with a pin, or the first.
#[derive(Debug, Default, PartialEq)]
pub struct ByQuantity(BTreeMap<Dimension, Vec<Entry>>);

impl ByQuantity {
    pub fn new(values: &[PageValue]) -> Self {
        let mut sorted: BTreeMap<Dimension, Vec<Entry>> = BTreeMap::new();
        for (index, value) in values.iter().enumerate() {
            if let Some(quantity) = value.quantity {
                sorted.entry(quantity.dimension).or_default().push((quantity.value, !value.is_pinned, index));
            }
        }
        for entries in sorted.values_mut() {
            entries.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
            entries.dedup_by_key(|entry| entry.0.to_bits());
        }
        Self(sorted)
    }

    /// Returns the first value with a pin that prints the figure, or the first one that does.
    pub fn printing(&self, figure: &Figure, values: &[PageValue]) -> Option<usize> {
        let unit = &figure.format.unit;
        let entries = self.0.get(&unit.dimension)?;
        let last_digit = figure.format.last_digit();
        let [low, high] = [figure.number - last_digit, figure.number + last_digit].map(|number| unit.to_base(number));
        let first = entries.partition_point(|entry| entry.0 < low - low.abs() * TOLERANCE);
        let near = entries[first..].iter().take_while(|entry| entry.0 <= high + high.abs() * TOLERANCE);
        let printing = near.filter(|entry| values[entry.2].quantity.is_some_and(|value| figure.is_printed_by(value)));
        printing.map(|entry| (entry.1, entry.2)).min().map(|(_, index)| index)
    }

    /// Returns the value of the figure's size and dimension that is nearest to it.
    pub fn nearest(&self, figure: &Figure) -> Option<usize> {
        let quantity = figure.quantity();
        let entries = self.0.get(&quantity.dimension)?;
        let next = entries.partition_point(|entry| entry.0 < quantity.value);
        let beside = entries[next.saturating_sub(1)..].iter().take(2);
        let distance = |entry: &Entry| {
            let larger = entry.0.abs().max(quantity.value.abs());
            if larger > 0.0 { (entry.0 - quantity.value).abs() / larger } else { 0.0 }
        };
        let near = beside.map(|entry| (distance(entry), entry.2)).filter(|(distance, _)| *distance <= NEAREST);
        near.min_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, index)| index)
    }
}
