//! The captured groups of a match, for patterns that refer to them, such as the word that ends a here-document.

use onig::Region;
use std::rc::Rc;

/// The texts of groups 0 to 9.
#[derive(Debug, Clone)]
pub struct Groups(Rc<[Option<Box<str>>]>);

impl Groups {
    /// Returns the groups of a match in a line.
    pub fn of(line: &str, region: &Region) -> Self {
        let text = |group| region.pos(group).and_then(|(start, end)| line.get(start..end)).map(Box::from);
        Self((0..10).map(text).collect())
    }

    /// Returns an empty set of groups.
    pub fn none() -> Self {
        Self(Rc::new([]))
    }

    /// Replaces `\1` and the like in a regular expression by the captured texts.
    pub fn fill(&self, source: &str) -> String {
        let mut out = String::with_capacity(source.len() + 16);
        let mut chars = source.chars();
        while let Some(c) = chars.next() {
            if c != '\\' {
                out.push(c);
                continue;
            }
            let Some(escaped) = chars.next() else { break };
            let Some(group) = escaped.to_digit(10) else {
                out.extend(['\\', escaped]);
                continue;
            };
            let taken = self.0.get(group as usize).and_then(Option::as_deref).unwrap_or_default();
            for c in taken.chars() {
                if c.is_ascii_punctuation() || c.is_whitespace() {
                    out.push('\\');
                }
                out.push(c);
            }
        }
        out
    }
}
