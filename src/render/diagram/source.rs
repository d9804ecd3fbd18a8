//! A Mermaid source, line by line: comments and settings cut off, and a cursor that parsers move along a line.

use super::DiagramError;

/// A source without what no diagram draws.
pub(super) struct Script<'a> {
    /// The line that names the type of diagram.
    pub header: Cursor<'a>,
    /// The lines after it that say something.
    pub lines: Vec<Cursor<'a>>,
    /// `title:` of the front matter, or else `accTitle:`.
    pub title: Option<String>,
    /// `accDescr:`, for those who do not see the picture.
    pub description: Option<String>,
}

/// Cuts off front matter, comments (`%%`) and settings (`%%{…}%%`, whose themes a page has of its own).
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
    let mut said = Vec::new();
    while let Some((number, text)) = lines.next() {
        let start = text.trim();
        if start.starts_with("%%{") {
            let mut last = start;
            while !last.ends_with("}%%") {
                let Some((_, text)) = lines.next() else {
                    return Err(DiagramError::at(number, 0, "this `%%{` has no `}%%`"));
                };
                last = text.trim();
            }
        } else if let Some(value) = start.strip_prefix("accTitle:") {
            title = Some(value.trim().to_owned());
        } else if let Some(value) = start.strip_prefix("accDescr:") {
            description = Some(value.trim().to_owned());
        } else if start.strip_prefix("accDescr").is_some_and(|rest| rest.trim() == "{") {
            let block = lines.by_ref().map(|(_, text)| text.trim()).take_while(|text| *text != "}");
            description = Some(block.collect::<Vec<_>>().join(" "));
        } else if !start.is_empty() && !start.starts_with("%%") {
            said.push(Cursor { line: number, text: text.trim_end(), at: text.len() - text.trim_start().len() });
        }
    }
    if said.is_empty() {
        return Err(DiagramError { line: None, column: None, message: "an empty diagram".to_owned() });
    }
    Ok(Script { header: said.remove(0), lines: said, title, description })
}

/// A place in a line.
#[derive(Clone)]
pub(super) struct Cursor<'a> {
    /// The line, counted from 0.
    pub line: usize,
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// What is left of the line.
    pub fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Whether nothing but space is left.
    pub fn is_done(&self) -> bool {
        self.rest().trim().is_empty()
    }

    /// The next character.
    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Whether what is left begins with `text`.
    pub fn sees(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    pub fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Steps over `text` if it is next.
    pub fn eat(&mut self, text: &str) -> bool {
        let is_next = self.sees(text);
        self.at += if is_next { text.len() } else { 0 };
        is_next
    }

    /// Steps over `word` and the space after it, if it is next and is a word of its own.
    pub fn eat_word(&mut self, word: &str) -> bool {
        let Some(found) = self.rest().get(..word.len()) else {
            return false;
        };
        let after = self.rest()[word.len()..].chars().next();
        if found != word || after.is_some_and(|c| is_word(c) || c == '-') {
            return false;
        }
        self.at += word.len();
        self.skip_space();
        true
    }

    /// Takes characters while they are wanted.
    pub fn take_while(&mut self, mut is_wanted: impl FnMut(char) -> bool) -> &'a str {
        let rest = self.rest();
        let taken = &rest[..rest.find(|c| !is_wanted(c)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    /// Takes a word: letters, digits and `_`.
    pub fn word(&mut self) -> &'a str {
        self.take_while(is_word)
    }

    /// Takes a name: a word in which the characters of `joins` may stand between letters, where they begin nothing else.
    pub fn name(&mut self, joins: &[char]) -> &'a str {
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

    /// Takes what stands before `end`, and steps over `end`; nothing if `end` does not come.
    pub fn until(&mut self, end: &str) -> Option<&'a str> {
        let found = &self.rest()[..self.rest().find(end)?];
        self.at += found.len() + end.len();
        Some(found)
    }

    /// Takes all that is left, without the space around it.
    pub fn take_rest(&mut self) -> &'a str {
        let rest = self.rest();
        self.at = self.text.len();
        rest.trim()
    }

    /// Takes `"…"` if it is next; an error if it does not end.
    pub fn quoted(&mut self) -> Result<Option<&'a str>, DiagramError> {
        let start = self.clone();
        if !self.eat("\"") {
            return Ok(None);
        }
        self.until("\"").map(Some).ok_or_else(|| start.error("this `\"` is not closed"))
    }

    /// An error at this place.
    pub fn error(&self, message: &str) -> DiagramError {
        DiagramError::at(self.line, self.at, message)
    }

    /// An error that says what was expected, and what stands here instead.
    pub fn expected(&self, what: &str) -> DiagramError {
        let found: String = self.rest().trim().chars().take(24).collect();
        let found = if found.is_empty() { "the line ends".to_owned() } else { format!("found `{found}`") };
        self.error(&format!("expected {what}, {found}"))
    }

    /// Nothing may be left.
    pub fn finish(&mut self) -> Result<(), DiagramError> {
        self.skip_space();
        if self.is_done() { Ok(()) } else { Err(self.expected("the end of the line")) }
    }
}

/// Whether `c` may stand in a name.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
