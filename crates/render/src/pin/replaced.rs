//! What has replaced a piece of a pin's code in the file.

use std::ops::Range;

use super::super::bind::{ExcerptContext, Stale};
use super::LineMatch;
use infralens_source::diag::nearest;
use infralens_starter::excerpt::{Pin, words_of};

impl ExcerptContext<'_> {
    /// Returns what has become of code that the excerpt does not have, if its pin has it: the code in its place, or the similar
    /// name in the lines that have replaced its line.
    pub(crate) fn stale(&self, text: &str) -> Option<Stale> {
        let pin = Pin::new(self.listing.language_path(), &self.excerpt.pin);
        let pinned = pin.view(&self.view.lines());
        let old = pinned.find(text, 1)?;
        let lines = LineMatch::new(&pinned, self.view);
        let row = |matched: Option<usize>| Some((matched?, lines.aligned[matched?]?));
        let [above, below] = lines.nearest[old.row].map(row);
        let above = above.map_or((0, 0), |(old, new)| (old + 1, new + 1));
        let below = below.unwrap_or((lines.pin.len(), lines.file.len()));
        let new = lines.file.get(above.1..below.1)?;
        // Of as many lines as before, each has replaced the one at its place.
        let line = new.get(old.row - above.0).filter(|_| new.len() == below.0 - above.0);
        let there = line.and_then(|line| in_place(lines.pin[old.row], &old.columns, line));
        let words = new.iter().flat_map(|line| words_of(line)).map(|(_, word)| word);
        let found = there.or_else(|| nearest(text, words)).map(str::trim);
        let found = found.filter(|found| *found != text && self.view.count(found) > 0);
        Some(found.map_or(Stale::Gone, |found| Stale::Replaced(found.to_owned())))
    }
}

/// Returns what a line has in place of a range of an older one; `None` if the change is not within the range.
fn in_place<'n>(old: &str, range: &Range<usize>, new: &'n str) -> Option<&'n str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let same = |pair: &(char, char)| pair.0 == pair.1;
    let length = |pairs: Vec<(char, char)>| pairs.iter().map(|pair| pair.0.len_utf8()).sum::<usize>();
    let start = length(old.chars().zip(new.chars()).take_while(same).collect());
    // Words change whole.
    let start = old[..start].trim_end_matches(is_word).len();
    let end = length(old[start..].chars().rev().zip(new[start..].chars().rev()).take_while(same).collect());
    let end = old[old.len() - end..].trim_start_matches(is_word).len();
    let is_within = range.start <= start && old.len() - end <= range.end;
    is_within.then(|| new.get(range.start..new.len() - (old.len() - range.end)))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_within_a_range_has_its_text() {
        let replaced = |old: &str, text: &str, new: &'static str| {
            let start = old.find(text).unwrap_or_default();
            in_place(old, &(start..start + text.len()), new)
        };
        assert_eq!(replaced("loss = model(None)", "None", "loss = model(batch)"), Some("batch"));
        assert_eq!(replaced("loss = model(None)", "loss = model", "loss = model(batch)"), None);
        assert_eq!(replaced("f(x)", "f(x)", "f(x, y)"), Some("f(x, y)"));
        assert_eq!(replaced("a = size_of", "size_of", "a = size"), Some("size"));
        assert_eq!(replaced("é = x", "x", "é = ü"), Some("ü"));
        assert_eq!(replaced("é = xß", "xß", "é = xà"), Some("xà"));
    }
}
