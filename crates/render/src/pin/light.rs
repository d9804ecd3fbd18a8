//! Moves the numbers in `light=` with the lines that they name. A pin has no numbers, so that those of its lines are taken to
//! begin where the excerpt begins now.

use std::collections::BTreeMap;

use super::super::bind::ExcerptContext;
use super::super::lit::MovedLight;
use super::align;
use infralens_page::fence::Light;
use infralens_starter::excerpt::{Row, View, ViewRow};

impl ExcerptContext<'_> {
    /// Returns the numbers that must change because the file has other code than the pin.
    pub(super) fn moved_lights(&self, pinned: &View<'_>) -> Vec<MovedLight> {
        if !self.excerpt.is_lit_by_lines() {
            return Vec::new();
        }
        let (numbers, moved) = (self.pin_numbers(pinned), self.moved_rows(pinned));
        let number = |old: usize| self.shown.line_number(*moved.get(*numbers.get(&old)?)?);
        let lights = self.excerpt.lights.iter().filter_map(|(light, span)| {
            let Light::Lines(selector) = light else { return None };
            let (first, last) = self.listing.numbered_lines(selector)?;
            let (new_first, new_last) = (number(first)?, number(last)?);
            let is_moved = (new_first, new_last) != (first, last) && new_first <= new_last;
            is_moved.then(|| (span.clone(), self.listing.selector_of_lines(&(new_first - 1..new_last))))
        });
        lights.collect()
    }

    /// Returns the rows of the pin by the number, from 1, that their lines had.
    fn pin_numbers(&self, pinned: &View<'_>) -> BTreeMap<usize, usize> {
        let mut parts = self.shown.rows.split(|row| matches!(row, Row::Omitted(_)));
        let mut part = parts.next().unwrap_or_default().iter();
        let (mut last, mut numbers) = (0, BTreeMap::new());
        for (row, shown) in pinned.rows.iter().enumerate() {
            if matches!(shown, ViewRow::Omitted(_)) {
                part = parts.next().unwrap_or_default().iter();
                continue;
            }
            // What the pin has more than the file continues its numbers.
            last = if let Some(Row::Line(line)) = part.next() { line + 1 } else { last + 1 };
            numbers.entry(last).or_insert(row);
        }
        numbers
    }

    /// Returns the row of the file in which the line of each row of the pin is now; for one that has changed, the row that is as
    /// far below the nearest line that has not.
    fn moved_rows(&self, pinned: &View<'_>) -> Vec<usize> {
        let texts = |view: &View<'_>| (0..view.rows.len()).map(|row| view.text(row).to_owned()).collect::<Vec<_>>();
        let (pin, file) = (texts(pinned), texts(self.view));
        let [pin, file] = [&pin, &file].map(|lines| lines.iter().map(String::as_str).collect::<Vec<_>>());
        let mut next = 0;
        let follow = |at: Option<usize>| {
            let row = at.unwrap_or(next);
            next = row + 1;
            row
        };
        align::aligned(&pin, &file).into_iter().map(follow).collect()
    }
}
