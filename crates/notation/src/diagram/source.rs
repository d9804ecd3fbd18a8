//! Splits a Mermaid source into lines without comments and settings, each with a cursor that moves along it.

use super::DiagramError;

/// A source without comments and settings.
pub(super) struct Script<'a> {
    /// The line that names the type of the diagram.
    pub header: Cursor<'a>,
    /// The lines after it, except blank ones.
    pub lines: Lines<'a>,
    /// `title:` of the front matter, or else `accTitle:`.
    pub title: Option<String>,
    /// `accDescr:`, the accessible description.
    pub description: Option<String>,
}

/// The lines that are not parsed yet.
pub(super) type Lines<'a> = std::vec::IntoIter<Cursor<'a>>;

/// Removes front matter, comments (`%%`) and settings (`%%{…}%%`, which only choose themes that pages do not use).
pub(super) fn read(source: &str) -> Result<Script<'_>, DiagramError> {
    let mut lines = source.lines().enumerate().peekable();
    let (mut title, mut description) = (None, None);
    while lines.next_if(|(_, text)| text.trim().is_empty()).is_some() {}
    if lines.next_if(|(_, text)| text.trim() == "---").is_some() {
        for (_, text) in lines.by_ref().take_while(|(_, text)| text.trim() != "---") {
            let value = text.trim().strip_prefix("title:").map(|value| value.trim().trim_matches(['"', '\'']));
            title = title.or(value.map(str::to_owned));
        }
    }
    let mut kept = Vec::new();
    while let Some((number, text)) = lines.next() {
        let start = text.trim();
        if start.starts_with("%%{") {
            let is_last = |text: &str| text.trim().ends_with("}%%");
            if !is_last(start) && !lines.by_ref().any(|(_, text)| is_last(text)) {
                return Err(DiagramError::at(number, 0, "this `%%{` has no `}%%`"));
            }
        } else if let Some(value) = start.strip_prefix("accTitle:") {
            title = Some(value.trim().to_owned());
        } else if let Some(value) = start.strip_prefix("accDescr:") {
            description = Some(value.trim().to_owned());
        } else if start.strip_prefix("accDescr").is_some_and(|rest| rest.trim() == "{") {
            let block = lines.by_ref().map(|(_, text)| text.trim()).take_while(|text| *text != "}");
            description = Some(block.collect::<Vec<_>>().join(" "));
        } else if !start.is_empty() && !start.starts_with("%%") {
            kept.push(Cursor { line: number, text: text.trim_end(), at: text.len() - text.trim_start().len() });
        }
    }
    let mut lines = kept.into_iter();
    let header = lines.next().ok_or_else(|| DiagramError::new("an empty diagram"))?;
    Ok(Script { header, lines, title, description })
}

/// A position in a line.
#[derive(Clone)]
pub(super) struct Cursor<'a> {
    /// The line, counted from 0.
    line: usize,
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Whether only space is left.
    pub fn is_done(&self) -> bool {
        self.rest().trim().is_empty()
    }

    /// Takes the next character if it is one of `wanted`.
    pub fn take_one(&mut self, wanted: &[char]) -> Option<char> {
        let found = self.rest().chars().next().filter(|c| wanted.contains(c));
        self.at += found.map_or(0, char::len_utf8);
        found
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Skips space, and then `text` if it is next; returns whether it was.
    pub fn eat(&mut self, text: &str) -> bool {
        self.skip_space();
        self.eat_here(text)
    }

    /// Skips `text` if it is next, without space before it; returns whether it was.
    pub fn eat_here(&mut self, text: &str) -> bool {
        let is_next = self.rest().starts_with(text);
        self.at += if is_next { text.len() } else { 0 };
        is_next
    }

    /// Takes the next word; takes nothing and returns "" if a `-` follows, because the word may be a part of a name.
    pub fn keyword(&mut self) -> &'a str {
        let start = self.clone();
        let word = self.take_while(is_word);
        if self.rest().starts_with('-') {
            *self = start;
            return "";
        }
        word
    }

    /// Skips space, and takes characters while `is_wanted` is true for them.
    pub fn take_while(&mut self, is_wanted: impl Fn(char) -> bool) -> &'a str {
        self.skip_space();
        let rest = self.rest();
        let taken = &rest[..rest.find(|c| !is_wanted(c)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    /// Skips space, and takes a name: letters, digits and `_`, and the characters of `joins` between them.
    pub fn name(&mut self, joins: &[char]) -> &'a str {
        self.skip_space();
        let rest = self.rest();
        let mut chars = rest.char_indices().peekable();
        let mut end = 0;
        while let Some((at, c)) = chars.next() {
            let is_joint = at > 0 && joins.contains(&c) && chars.peek().is_some_and(|(_, next)| is_word(*next));
            if !is_word(c) && !is_joint {
                break;
            }
            end = at + c.len_utf8();
        }
        self.at += end;
        &rest[..end]
    }

    /// Takes the text before `end`, and skips `end`; takes nothing and returns `None` if there is no `end`.
    pub fn until(&mut self, end: &str) -> Option<&'a str> {
        let found = &self.rest()[..self.rest().find(end)?];
        self.at += found.len() + end.len();
        Some(found)
    }

    /// Takes the rest of the line, without the space around it.
    pub fn take_rest(&mut self) -> &'a str {
        let rest = self.rest();
        self.at = self.text.len();
        rest.trim()
    }

    /// Takes the text between `open` and `close` if `open` is next; returns an error if `close` is missing.
    pub fn enclosed(&mut self, open: &str, close: &str) -> Result<Option<&'a str>, DiagramError> {
        let start = self.clone();
        if !self.eat(open) {
            return Ok(None);
        }
        self.until(close).map(Some).ok_or_else(|| start.error(format!("this `{open}` is not closed")))
    }

    /// Takes `"…"` if it is next.
    pub fn quoted(&mut self) -> Result<Option<&'a str>, DiagramError> {
        self.enclosed("\"", "\"")
    }

    /// Takes the text of an optional `: text` at the end of the line; "" if there is none.
    pub fn text_after_colon(&mut self) -> &'a str {
        if self.eat(":") { self.take_rest() } else { "" }
    }

    /// Creates an error at the next character that is not a space.
    pub fn error(&self, message: impl Into<String>) -> DiagramError {
        DiagramError::at(self.line, self.text.len() - self.rest().trim_start().len(), message)
    }

    /// Creates an error that says what was expected and what was found.
    pub fn expected(&self, what: &str) -> DiagramError {
        let found: String = self.rest().trim().chars().take(24).collect();
        let found = if found.is_empty() { "the line ends".to_owned() } else { format!("found `{found}`") };
        self.error(format!("expected {what}, {found}"))
    }

    /// Creates the error that what begins here with `open` has no `close`.
    pub fn unclosed(&self, open: &str, close: &str) -> DiagramError {
        self.error(format!("this `{open}` has no `{close}`"))
    }

    /// Takes the `lines` up to `close`, which must follow because `open` begins here.
    pub fn block(&self, open: &str, close: &str, lines: &mut Lines<'a>) -> Result<Vec<&'a str>, DiagramError> {
        let mut block = Vec::new();
        for line in lines.map(|line| line.rest().trim()) {
            if line == close {
                return Ok(block);
            }
            block.push(line);
        }
        Err(self.unclosed(open, close))
    }

    /// Returns an error unless only space is left.
    pub fn finish(&self) -> Result<(), DiagramError> {
        if self.is_done() { Ok(()) } else { Err(self.expected("the end of the line")) }
    }
}

/// Whether `c` may occur in a name.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
