//! A text that is edited in steps, and of which each line remembers the line of the book that it comes from.

use std::ops::Range;

use infralens_source::source::in_order;

/// A text with the origin of each of its lines.
#[derive(Debug, Clone)]
pub struct Text {
    pub text: String,
    /// The offset at which each line begins, and the line of the book, from 1, that it comes from.
    lines: Vec<(usize, usize)>,
}

/// The replacement of a range of a text.
pub type Edit = (Range<usize>, String);

/// Whether an offset is in one of some ranges, which are sorted and do not overlap.
pub fn is_within(ranges: &[Range<usize>], offset: usize) -> bool {
    let at = ranges.partition_point(|range| range.end <= offset);
    ranges.get(at).is_some_and(|range| range.start <= offset)
}

impl Text {
    /// Creates a text as it is in the book.
    pub fn new(text: String) -> Self {
        let origins = (1..=text.matches('\n').count() + 1).collect();
        Self::with_origins(text, origins)
    }

    fn with_origins(text: String, origins: Vec<usize>) -> Self {
        let starts = [0].into_iter().chain(text.match_indices('\n').map(|(at, _)| at + 1));
        Self { lines: starts.zip(origins).collect(), text }
    }

    /// Creates a text from lines and their origins.
    pub fn from_lines(lines: impl Iterator<Item = (String, usize)>) -> Self {
        let (mut text, mut origins) = (String::new(), Vec::new());
        for (line, origin) in lines {
            text.extend([&*line, "\n"]);
            origins.push(origin);
        }
        origins.push(origins.last().copied().unwrap_or(1));
        Self::with_origins(text, origins)
    }

    /// Returns the lines without their ends, and their origins.
    pub fn lines(&self) -> impl Iterator<Item = (&str, usize)> {
        self.text.lines().zip(self.lines.iter().map(|(_, origin)| *origin))
    }

    /// Returns the line of the book that the line with the byte at `offset` comes from.
    pub fn line(&self, offset: usize) -> usize {
        let after = self.lines.partition_point(|(start, _)| *start <= offset);
        self.origin(after.saturating_sub(1))
    }

    /// Returns the line of the book that a line, counted from 0, comes from.
    fn origin(&self, line: usize) -> usize {
        self.lines.get(line).map_or(1, |(_, origin)| *origin)
    }

    /// Makes edits, which may be in any order.
    pub fn edited(&self, edits: Vec<Edit>) -> Self {
        let (mut text, mut origins) = (String::with_capacity(self.text.len()), vec![self.line(0)]);
        let (mut at, mut line) = (0, 0);
        let end = (self.text.len()..self.text.len(), String::new());
        for (range, replacement) in in_order(&self.text, edits).chain([end]) {
            if at < range.start && (text.is_empty() || text.ends_with('\n')) {
                // What begins this line is only now known.
                origins.pop();
                origins.push(self.origin(line));
            }
            let kept = &self.text[at..range.start];
            text.push_str(kept);
            for _ in kept.matches('\n') {
                line += 1;
                origins.push(self.origin(line));
            }
            origins.extend(replacement.matches('\n').map(|_| self.origin(line)));
            text.push_str(&replacement);
            line += self.text[range.clone()].matches('\n').count();
            at = range.end;
        }
        Self::with_origins(text, origins)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_origin() {
        let text = Text::new("a\nb\nc\nd\n".to_owned());
        let once = text.edited(vec![(4..4, "new\n".to_owned()), (0..2, String::new())]);
        assert_eq!(once.text, "b\nnew\nc\nd\n");
        let twice = once.edited(vec![(0..1, "1\n2".to_owned())]);
        assert_eq!(twice.text, "1\n2\nnew\nc\nd\n");
        let origins: Vec<usize> = "12ncd".chars().filter_map(|c| Some(twice.line(twice.text.find(c)?))).collect();
        assert_eq!(origins, [2, 2, 3, 3, 4]);
    }
}
