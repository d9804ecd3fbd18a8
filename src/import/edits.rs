//! A text that is edited in steps, and of which each line remembers the line of the book that it comes from.

use std::ops::Range;

/// A text with the origin of each of its lines.
#[derive(Debug, Clone)]
pub struct Text {
    /// The text.
    pub text: String,
    /// The lines of the book, from 1, that the lines come from.
    lines: Vec<usize>,
}

/// The replacement of a range of a text.
pub type Edit = (Range<usize>, String);

impl Text {
    /// Creates a text as it is in the book.
    pub fn new(text: String) -> Self {
        let lines = (1..=text.matches('\n').count() + 1).collect();
        Self { text, lines }
    }

    /// Creates a text from lines and their origins.
    pub fn from_lines(lines: impl Iterator<Item = (String, usize)>) -> Self {
        let (mut text, mut origins) = (String::new(), Vec::new());
        for (line, origin) in lines {
            text.extend([&*line, "\n"]);
            origins.push(origin);
        }
        origins.push(origins.last().copied().unwrap_or(1));
        Self { text, lines: origins }
    }

    /// Returns the line of the book that the line with the byte at `offset` comes from.
    pub fn line(&self, offset: usize) -> usize {
        let line = self.text[..offset.min(self.text.len())].matches('\n').count();
        self.lines.get(line).or(self.lines.last()).copied().unwrap_or(1)
    }

    /// Makes edits, which may be in any order. Of two that overlap, the first is made.
    pub fn edited(&self, mut edits: Vec<Edit>) -> Self {
        edits.sort_by_key(|(range, _)| range.start);
        let mut new = Self { text: String::with_capacity(self.text.len()), lines: vec![self.line(0)] };
        let (mut at, mut line) = (0, 0);
        for (range, replacement) in edits.into_iter().chain([(self.text.len()..self.text.len(), String::new())]) {
            if range.start < at {
                continue;
            }
            if at < range.start && (new.text.is_empty() || new.text.ends_with('\n')) {
                // What begins this line is only now known.
                new.lines.pop();
                new.lines.push(self.lines.get(line).copied().unwrap_or(1));
            }
            for c in self.text[at..range.start].chars() {
                new.text.push(c);
                if c == '\n' {
                    line += 1;
                    new.lines.push(self.lines.get(line).copied().unwrap_or(1));
                }
            }
            new.lines.extend(replacement.matches('\n').map(|_| self.lines.get(line).copied().unwrap_or(1)));
            new.text.push_str(&replacement);
            line += self.text[range.clone()].matches('\n').count();
            at = range.end;
        }
        new
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
