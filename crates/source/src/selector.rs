//! Parses selectors, which select a part of a starter file: a region, lines, a symbol or a cell of a
//! notebook.

use std::fmt;

use crate::source::{Span, is_name_char};

/// A selector, as written after `#`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selector {
    /// The lines between two markers.
    Region(String),
    /// The first and last line in the file on disk, from 1.
    Lines(usize, usize),
    /// A function, method, class, struct or kernel by name.
    Symbol(String),
    /// A cell of a notebook, by its id or a tag; and the first and last of its lines that are meant, from 1, if not all.
    Cell(String, Option<(usize, usize)>),
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Region(name) => write!(f, "{name}"),
            Self::Lines(first, last) if first == last => write!(f, "L{first}"),
            Self::Lines(first, last) => write!(f, "L{first}-L{last}"),
            Self::Symbol(name) => write!(f, "fn:{name}"),
            Self::Cell(name, None) => write!(f, "cell:{name}"),
            Self::Cell(name, Some((first, last))) => write!(f, "cell:{name}:{}", Self::Lines(*first, *last)),
        }
    }
}

impl Selector {
    /// Parses one selector.
    ///
    /// # Errors
    ///
    /// Returns a message if the last line is before the first or begin at 0, or a name is empty or has an invalid character.
    pub fn parse(text: &str) -> Result<Self, String> {
        if let Some(name) = text.strip_prefix("fn:") {
            return if name.is_empty() {
                Err("`fn:` needs the name of a symbol".into())
            } else {
                Ok(Self::Symbol(name.into()))
            };
        }
        if let Some(cell) = text.strip_prefix("cell:") {
            return parse_cell(cell);
        }
        if let Some(lines) = parse_lines(text) {
            return lines;
        }
        match text.chars().find(|&c| !is_name_char(c)) {
            _ if text.is_empty() => Err("there is no selector here".into()),
            Some(c) => Err(format!("`{text}` is not a selector: the name of a region cannot contain `{c}`")),
            None => Ok(Self::Region(text.into())),
        }
    }

    /// Returns whether it selects lines by number, which changes when lines are added above them.
    pub fn is_by_lines(&self) -> bool {
        matches!(self, Self::Lines(..) | Self::Cell(_, Some(_)))
    }
}

/// Returns whether a cell of a notebook can be selected by this id or tag.
pub fn is_cell_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(is_name_char)
}

/// Parses `NAME` or `NAME:L3-L5`.
fn parse_cell(text: &str) -> Result<Selector, String> {
    let (name, lines) = text.split_once(':').map_or((text, None), |(name, lines)| (name, Some(lines)));
    if !is_cell_name(name) {
        return Err(format!("`{name}` cannot name a cell: names are letters, digits, `_` and `-`"));
    }
    match lines.map(|lines| parse_lines(lines).ok_or(lines)) {
        None => Ok(Selector::Cell(name.into(), None)),
        Some(Ok(Ok(Selector::Lines(first, last)))) => Ok(Selector::Cell(name.into(), Some((first, last)))),
        Some(Ok(Err(message))) => Err(message),
        Some(Ok(Ok(_)) | Err(_)) => Err(format!("`{text}` has no lines after the name of its cell")),
    }
}

/// Returns a help text for a text that looks like lines but is not a selector: `24-31`, `L8-L`, `l8:12`, `L9-L3`.
pub fn line_help(text: &str) -> Option<String> {
    let (first, rest) = split_number(text.trim())?;
    let between = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
    let is_joined = between.len() < rest.len() && rest.len() - between.len() <= " .. ".len();
    if rest.is_empty() {
        return Some(format!("a line is written `L{first}`, several `L{first}-L{}`", first + 1));
    }
    if !is_joined {
        return None;
    }
    if between.is_empty() || between.eq_ignore_ascii_case("L") {
        return Some(format!("lines are written with the number of the last one, as in `L{first}-L{}`", first + 1));
    }
    let (last, rest) = split_number(between)?;
    let (first, last) = (first.min(last), first.max(last));
    rest.is_empty().then(|| format!("lines are written `L{first}-L{last}`"))
}

/// Splits a line number from 1, with or without `L`, from the beginning of a text.
fn split_number(text: &str) -> Option<(usize, &str)> {
    let digits = text.strip_prefix(['L', 'l']).unwrap_or(text);
    let rest = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = digits[..digits.len() - rest.len()].parse().ok()?;
    (1..usize::MAX).contains(&number).then_some((number, rest))
}

/// Parses `L10`, `L10-L24` or `L10-24`. Returns `None` if the text does not look like lines at all.
///
/// # Errors
///
/// Returns a message if lines run backwards, begin at 0, or have a number that is too large.
pub fn parse_lines(text: &str) -> Option<Result<Selector, String>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let first = first.strip_prefix('L').filter(|digits| is_number(digits))?;
    let last = last.strip_prefix('L').unwrap_or(last);
    if !is_number(last) {
        return None;
    }
    Some(match (first.parse::<usize>(), last.parse::<usize>()) {
        (Ok(0), _) | (_, Ok(0)) => Err("lines are counted from 1".into()),
        (Ok(first), Ok(last)) if last < first => Err(format!("lines {first} to {last} run backwards")),
        (Ok(first), Ok(last)) => Ok(Selector::Lines(first, last)),
        _ => Err(format!("`{text}` has a line number that is too large")),
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A parsed `PATH#SELECTOR,SELECTOR`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileRef {
    /// The path as written; empty for the lab's own starter.
    pub path: String,
    pub path_span: Span,
    /// The selectors with their spans, in the order written; empty for the whole file.
    pub selectors: Vec<(Selector, Span)>,
    /// Whether one of the selectors is invalid, so that the lines are unknown.
    pub is_unread: bool,
    pub span: Span,
}

impl FileRef {
    /// Returns whether a selector selects lines by number.
    pub fn is_by_lines(&self) -> bool {
        self.selectors.iter().any(|(selector, _)| selector.is_by_lines())
    }

    /// Returns the selectors with a `#` before them; empty for the whole file.
    pub fn hash(&self) -> String {
        let names: Vec<String> = self.selectors.iter().map(|(selector, _)| selector.to_string()).collect();
        if names.is_empty() { String::new() } else { format!("#{}", names.join(",")) }
    }

    /// Parses a file reference at byte `at` of its source. Also returns the spans and messages of errors.
    pub fn parse(text: &str, at: usize) -> (Self, Vec<(Span, String)>) {
        let (path, selectors) = text.split_once('#').map_or((text, None), |(path, rest)| (path, Some(rest)));
        let mut errors = Vec::new();
        let mut parsed = Vec::new();
        let mut start = at + path.len() + 1;
        for part in selectors.into_iter().flat_map(|all| all.split(',')) {
            let span = start..start + part.len();
            start = span.end + 1;
            match Selector::parse(part.trim()) {
                Ok(selector) => parsed.push((selector, span)),
                Err(message) => errors.push((span, message)),
            }
        }
        let file = Self {
            path: path.into(),
            path_span: at..at + path.len(),
            selectors: parsed,
            is_unread: !errors.is_empty(),
            span: at..at + text.len(),
        };
        (file, errors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form() {
        assert_eq!(Selector::parse("ledger"), Ok(Selector::Region("ledger".into())));
        assert_eq!(Selector::parse("L10"), Ok(Selector::Lines(10, 10)));
        assert_eq!(Selector::parse("L10-L24"), Ok(Selector::Lines(10, 24)));
        assert_eq!(Selector::parse("fn:A.b"), Ok(Selector::Symbol("A.b".into())));
        assert_eq!(Selector::parse("cell:load"), Ok(Selector::Cell("load".into(), None)));
        assert_eq!(Selector::parse("cell:a-1:L3"), Ok(Selector::Cell("a-1".into(), Some((3, 3)))));
        assert_eq!(Selector::parse("cell:1:L3-5").map(|it| it.to_string()), Ok("cell:1:L3-L5".into()));
        assert_eq!(Selector::parse("Layer-2"), Ok(Selector::Region("Layer-2".into())));
        for bad in
            ["", "fn:", "L0", "L9-L3", "a b", "L99999999999999999999999", "cell:", "cell:a b", "cell:a:", "cell:a:3"]
        {
            assert!(Selector::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn help_for_texts_that_look_like_lines() {
        let wanted =
            |text: &str| line_help(text).and_then(|help| Some(help.rsplit_once('`')?.0.rsplit_once('`')?.1.to_owned()));
        for (text, right) in [
            ("24-31", "L24-L31"),
            ("l24-l31", "L24-L31"),
            ("L24:31", "L24-L31"),
            ("L24–L31", "L24-L31"),
            ("24..31", "L24-L31"),
            ("L9-L3", "L3-L9"),
            ("L8-L", "L8-L9"),
            ("L8-", "L8-L9"),
            ("8", "L8-L9"),
        ] {
            assert_eq!(wanted(text).as_deref(), Some(right), "{text}");
        }
        for text in ["ledger", "2nd-pass", "L", "Layer-2", "v1.2.3", "", "L0", "3d-tensor", "99999999999999999999999"] {
            assert_eq!(line_help(text), None, "{text}");
        }
    }

    #[test]
    fn spans_of_the_parts() {
        let (file, errors) = FileRef::parse("a.py#one,L3-L5", 100);
        assert_eq!((file.path.as_str(), file.path_span), ("a.py", 100..104));
        assert_eq!(file.selectors[1], (Selector::Lines(3, 5), 109..114));
        assert!(errors.is_empty());
        let (_, errors) = FileRef::parse("#a b", 7);
        assert_eq!(errors[0].0, 8..11);
    }
}
