//! What is meant by code that is not in an excerpt: the same code written with other white space or quotes, code elsewhere
//! in the file, or a name that is near.

use std::ops::Range;

use super::Scene;
use crate::code::excerpt::words;
use crate::diag::{Diagnostic, nearest};

impl Scene<'_> {
    /// Adds what may be meant by `text`, which is not in the excerpt.
    pub(super) fn guess(&self, text: &str, said: Diagnostic) -> Diagnostic {
        if let Some(written) = self.written(text) {
            return said.help(format!("the excerpt has it as `{written}`: write it as it stands there"));
        }
        if let Some(line) = self.outside_line(text) {
            let holder = self.listing.covering_selector(&(line..line + 1));
            let of = holder.map_or_else(String::new, |(holder, _)| format!(", in `#{holder}`"));
            let said =
                said.help(format!("it is on line {} of the file{of}, which the excerpt does not show", line + 1));
            return said.nearest(self.nearest(text));
        }
        said.nearest(self.nearest(text))
    }

    fn nearest(&self, text: &str) -> Option<&str> {
        nearest(text, self.view.identifiers()).filter(|near| *near != text)
    }

    /// The piece of a line that reads the same, but for white space and the kind of its quotes.
    fn written(&self, text: &str) -> Option<&str> {
        let wanted: String = folded(text).map(|(_, c)| c).collect();
        if wanted.is_empty() {
            return None;
        }
        (0..self.view.rows.len()).find_map(|row| {
            let line = self.view.text(row);
            let found = same(line, &wanted)?;
            Some(&line[found])
        })
    }

    /// The first line of the file, from 0, that has the code and is not shown.
    fn outside_line(&self, text: &str) -> Option<usize> {
        let has_it =
            |line: &usize| !self.listing.is_marker(*line) && words(self.listing.line(*line), text).next().is_some();
        (0..self.listing.line_count()).find(has_it)
    }
}

/// The characters of a text without white space, all quotes alike, each with its bytes.
fn folded(text: &str) -> impl Iterator<Item = (Range<usize>, char)> {
    let shown = text.char_indices().filter(|(_, c)| !c.is_whitespace());
    shown.map(|(at, c)| {
        let plain = if matches!(c, '"' | '\u{2018}' | '\u{2019}' | '\u{201c}' | '\u{201d}') { '\'' } else { c };
        (at..at + c.len_utf8(), plain)
    })
}

/// The bytes of `line` that read like `wanted`, which is folded, as whole words.
fn same(line: &str, wanted: &str) -> Option<Range<usize>> {
    let (places, plain): (Vec<Range<usize>>, String) = folded(line).unzip();
    plain.match_indices(wanted).find_map(|(at, _)| {
        let first = plain[..at].chars().count();
        let last = first + wanted.chars().count() - 1;
        let found = places.get(first)?.start..places.get(last)?.end;
        words(line, &line[found.clone()]).any(|range| range == found).then_some(found)
    })
}
