//! Parses what the opening line of a code block says about its look: a title above the code, and marked lines. The forms are
//! those of other generators: `title="x"`, `{1,3-5}` or `hl_lines="1 3-5"`, and for a change `ins={2}` and `del={1}`.

use std::ops::RangeInclusive;

use infralens_source::source::Span;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// The text above the code.
    pub title: Option<String>,
    /// Ranges of lines, from 1, each with the span in the opening line that names it.
    pub marks: Vec<(Span, RangeInclusive<usize>, Mark)>,
}

/// How a line is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Highlighted,
    /// Added by a change.
    Added,
    /// Removed by a change.
    Removed,
}

/// What an item says.
enum Effect {
    Title(String),
    Marks(Mark, Vec<RangeInclusive<usize>>),
}

impl Look {
    /// Reads the look from an opening line. Items of other kinds are ignored.
    pub fn read(line: &str) -> Self {
        let mut look = Self::default();
        for (range, item) in OpeningLine::parse(line).items {
            match effect(&item, &line[range.clone()]) {
                Some(Effect::Title(title)) => look.title = Some(title),
                Some(Effect::Marks(mark, lines)) => {
                    look.marks.extend(lines.into_iter().map(|lines| (range.clone(), lines, mark)));
                }
                None => {}
            }
        }
        look
    }

    /// Returns whether an item, which is written as `text`, is part of a look.
    pub fn has_effect(item: &Item, text: &str) -> bool {
        effect(item, text).is_some()
    }

    /// Returns how each line of a text of `count` lines is marked. Of several marks of a line, a change comes first.
    pub fn line_marks(&self, count: usize) -> Vec<Option<Mark>> {
        const ALL: [Mark; 3] = [Mark::Removed, Mark::Added, Mark::Highlighted];
        let mut lines = vec![None; count];
        for kind in ALL {
            // How many more ranges cover a line than the line above it.
            let mut changes = vec![0_isize; count + 1];
            for (_, range, _) in self.marks.iter().filter(|(_, _, mark)| *mark == kind) {
                changes[count.min(range.start() - 1)] += 1;
                changes[count.min(*range.end())] -= 1;
            }
            let mut covering = 0;
            for (line, change) in lines.iter_mut().zip(changes) {
                covering += change;
                *line = line.or((covering > 0).then_some(kind));
            }
        }
        lines
    }
}

fn effect(item: &Item, text: &str) -> Option<Effect> {
    match item {
        Item::Braces(inner) => Some(Effect::Marks(Mark::Highlighted, lines(inner)?)),
        Item::Attribute(name, true) => {
            let value = text.split_once('=')?.1;
            let value = ['"', '\'']
                .into_iter()
                .find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote))
                .unwrap_or(value);
            let in_braces = value.strip_prefix('{').and_then(|value| value.strip_suffix('}')).unwrap_or(value);
            let mark = match name.as_str() {
                "title" | "caption" if !value.trim().is_empty() => return Some(Effect::Title(value.to_owned())),
                "mark" | "hl_lines" => Mark::Highlighted,
                "ins" => Mark::Added,
                "del" => Mark::Removed,
                _ => return None,
            };
            Some(Effect::Marks(mark, lines(in_braces)?))
        }
        _ => None,
    }
}

/// Parses a list of lines such as `1,3-5`; `None` if it is not one.
fn lines(text: &str) -> Option<Vec<RangeInclusive<usize>>> {
    let parts = text.split([',', ' ']).filter(|part| !part.is_empty());
    let ranges = parts.map(|part| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.parse().ok()?, last.parse().ok()?);
        (1..=last).contains(&first).then_some(first..=last)
    });
    let ranges: Vec<RangeInclusive<usize>> = ranges.collect::<Option<_>>()?;
    (!ranges.is_empty()).then_some(ranges)
}

/// The opening line of a fence in the syntax of any tool: the language, and the other items with their ranges.
pub struct OpeningLine {
    pub language: String,
    pub items: Vec<(Span, Item)>,
}

pub enum Item {
    /// `name`, or `name=value` if the flag is set.
    Attribute(String, bool),
    /// The text in `{…}`.
    Braces(String),
    /// `[name]`, a title in `VitePress`.
    Title,
}

impl OpeningLine {
    pub fn parse(line: &str) -> Self {
        let mut at = line.len() - line.trim_start_matches(['`', '~']).len();
        let mut info = Self { language: String::new(), items: Vec::new() };
        at += line[at..].len() - line[at..].trim_start().len();
        let end = at + word(&line[at..]);
        if !line[end..].starts_with('=') {
            line[at..end].clone_into(&mut info.language);
            at = end;
        }
        while let Some(skip) = line[at..].find(|c: char| !(c.is_whitespace() || matches!(c, ',' | ':'))) {
            at += skip;
            let (end, item) = item(line, at);
            info.items.push((at..end, item));
            at = end;
        }
        info
    }
}

/// Returns the length of the word that a text begins with.
fn word(text: &str) -> usize {
    text.find(|c: char| c.is_whitespace() || matches!(c, ',' | ':' | '{' | '[' | '=')).unwrap_or(text.len())
}

/// Parses the item at `at`. Returns its end, which is always greater than `at`, and the item.
fn item(line: &str, at: usize) -> (usize, Item) {
    let rest = &line[at..];
    let until = |close: char| rest.find(close).map_or(line.len(), |len| at + len + close.len_utf8());
    if rest.starts_with('{') {
        let end = until('}');
        return (end, Item::Braces(line[at + 1..end].trim_end_matches('}').trim().to_owned()));
    }
    if rest.starts_with('[') {
        return (until(']'), Item::Title);
    }
    let name = at + word(rest);
    if !line[name..].starts_with('=') {
        return (
            name.max(at + rest.chars().next().map_or(1, char::len_utf8)),
            Item::Attribute(line[at..name].into(), false),
        );
    }
    let value = name + 1;
    let close = line[value..].chars().next().and_then(|c| match c {
        '"' | '\'' => Some(c),
        '{' => Some('}'),
        '[' => Some(']'),
        _ => None,
    });
    let end = match close {
        Some(close) => line[value + 1..].find(close).map_or(line.len(), |len| value + 1 + len + close.len_utf8()),
        None => line[value..].find(|c: char| c.is_whitespace() || c == ',').map_or(line.len(), |len| value + len),
    };
    (end, Item::Attribute(line[at..name].into(), true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_several_generators() {
        let marks = |line: &str| {
            let found = Look::read(line).marks.into_iter();
            found.map(|(_, lines, mark)| (*lines.start(), *lines.end(), mark)).collect::<Vec<_>>()
        };
        assert_eq!(Look::read("```js title=\"a b.js\"").title.as_deref(), Some("a b.js"));
        assert_eq!(Look::read("```js").title, None);
        let highlighted = [(1, 1, Mark::Highlighted), (3, 5, Mark::Highlighted)];
        for line in ["```js {1,3-5}", "```js{1,3-5}", "```js hl_lines=\"1 3-5\"", "```js mark={1,3-5} title=x"] {
            assert_eq!(marks(line), highlighted, "{line}");
        }
        assert_eq!(marks("```js del={1} ins={2}"), [(1, 1, Mark::Removed), (2, 2, Mark::Added)]);
        for line in ["```js {0}", "```js {3-1}", "```js {a}", "```js {}", "```js hl_lines=\"x\"", "```js mark=\"term\""]
        {
            assert_eq!(marks(line), [], "{line}");
        }
    }
}
