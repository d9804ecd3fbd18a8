//! Code fences: the words after the backticks, and those fences that show code of a starter file.

pub mod write;

use super::foreign::attribute;
use super::stray::Stray;
use super::{Events, Note};
use crate::code::selector::{FileRef, line_help};
use crate::diag::{Diagnostic, Place, codes, nearest};
use crate::source::{Source, Span};

/// A fence that shows code of a starter file, with the notes that explain it.
#[derive(Debug)]
pub struct Excerpt {
    /// The fence's events, from `Start` to after `End`.
    pub fence: Events,
    /// The language named after the backticks; only the pin is read by it.
    pub language: String,
    /// What is shown.
    pub file: FileRef,
    /// A line above the code.
    pub caption: Option<String>,
    /// Whether line numbers are visible.
    pub numbers: bool,
    /// Terms whose every occurrence is lit, with the span of each.
    pub marks: Vec<(String, Span)>,
    /// The fence's body: the excerpt as it was when its notes were last agreed with.
    pub pin: String,
    /// Where the opening line of the fence stands.
    pub head: Span,
    /// Where all of the fence stands, from its first backtick.
    pub block: Span,
    /// The backticks that close it; nothing if they are missing, which is an error: what it holds is not known then.
    pub closing: Option<Span>,
    /// The events of the ordered list that follows, if one does.
    pub list: Option<Events>,
    /// Its items, understood.
    pub notes: Vec<Note>,
    /// Lists that look like notes and are none.
    pub strays: Vec<Stray>,
    /// Where the last of them ends, or what was reported of one; 0 without any.
    pub strays_end: usize,
}

/// What stands after the backticks.
#[derive(Debug, Default)]
pub struct Info {
    /// The first word, if it is not an attribute.
    pub language: String,
    /// `key=value`, with the span of the key and of the value without its quotes.
    pub attributes: Vec<(String, Span, String, Span)>,
    /// Spans that could not be read, and why.
    pub errors: Vec<(Span, String)>,
}

const ATTRIBUTES: [&str; 4] = ["file", "caption", "numbers", "mark"];

/// What is said of backticks in the attributes of a fence of backticks.
pub(super) const BACKTICKS: &str =
    "a fence of backticks cannot have a backtick after its first word; use `~~~` for this one";

/// The span of the fence's opening line, from the first backtick, without its line end.
#[must_use]
pub fn head(source: &Source, block: &Span) -> Span {
    let text = &source.text()[block.clone()];
    let end = text.find('\n').unwrap_or(text.len());
    block.start..block.start + text[..end].trim_end().len()
}

/// Reads a fence's opening line. Attributes are `key=value`, `key="…"` or `key='…'`, without escapes.
#[must_use]
pub fn read_info(source: &Source, head: &Span) -> Info {
    let line = &source.text()[head.clone()];
    let fence = line.len() - line.trim_start_matches(['`', '~']).len();
    let mut info = Info::default();
    let mut at = fence;
    while let Some(start) = line[at..].find(|c: char| !c.is_whitespace()).map(|skip| at + skip) {
        let word_end = line[start..].find(char::is_whitespace).map_or(line.len(), |len| start + len);
        let Some(equals) = line[start..word_end].find('=').map(|len| start + len) else {
            if info.language.is_empty() && info.attributes.is_empty() {
                let word = &line[start..word_end];
                info.language = word.split([',', '{']).next().unwrap_or_default().to_string();
            } else {
                let span = head.start + start..head.start + word_end;
                info.errors.push((span, "this is no attribute; put quotes round a value that has spaces".into()));
            }
            at = word_end;
            continue;
        };
        let (value, end) = value(line, equals + 1, word_end);
        if let Some(value) = value {
            let key = line[start..equals].to_string();
            let span = |range: Span| head.start + range.start..head.start + range.end;
            info.attributes.push((key, span(start..equals), line[value.clone()].to_string(), span(value)));
        } else {
            info.errors.push((head.start + equals + 1..head.end, "this quote is not closed".into()));
        }
        at = end;
    }
    info
}

/// The range of a value that begins at `start`, and where reading goes on; no range if its quote is not closed.
fn value(line: &str, start: usize, word_end: usize) -> (Option<Span>, usize) {
    match line[start..].chars().next() {
        Some(quote @ ('"' | '\'')) => {
            let inner = start + 1;
            match line[inner..].find(quote) {
                Some(len) => (Some(inner..inner + len), inner + len + 1),
                None => (None, line.len()),
            }
        }
        _ => (Some(start..word_end), word_end),
    }
}

/// Understands the fence at `fence` if it is an excerpt: if it has a `file=`.
pub fn excerpt(
    source: &Source,
    fence: Events,
    block: &Span,
    pin: String,
    out: &mut Vec<Diagnostic>,
) -> Option<Excerpt> {
    let head = head(source, block);
    let info = read_info(source, &head);
    let report = |span: Span, message: String| Diagnostic::new(codes::E0206, Place::new(source.path(), span), message);
    let Some((.., file, file_span)) = info.attributes.iter().find(|(key, ..)| key == "file") else {
        let near = info.attributes.iter().find(|(key, ..)| nearest(key, ["file"]).is_some());
        out.extend(near.map(|(key, span, ..)| {
            report(span.clone(), format!("unknown fence attribute `{key}`")).nearest(Some("file"))
        }));
        if near.is_none() {
            out.extend(
                loose_word(source, &head, &info)
                    .map(|(span, help)| report(span, "this fence shows no code of a file".into()).help(help)),
            );
        }
        return None;
    };
    if let Some(text) = source.text()[head.clone()].strip_prefix('`') {
        let is_hidden = text.trim_start_matches('`').contains('`');
        let said = "this is no fence for Markdown, but a paragraph";
        out.extend(
            is_hidden
                .then(|| Diagnostic::new(codes::E0207, Place::new(source.path(), head.clone()), said).help(BACKTICKS)),
        );
    }
    out.extend(info.errors.into_iter().map(|(span, message)| {
        let instead = attribute::on_excerpt(&source.text()[span.clone()]);
        instead.into_iter().fold(report(span, message), Diagnostic::help)
    }));
    if file.is_empty() {
        out.push(report(head.clone(), "`file=` names no file".into()).help("`file=#region` is the lab's own starter"));
    }
    let (file, errors) = FileRef::parse(file, file_span.start);
    out.extend(errors.into_iter().map(|(span, message)| {
        let lines = line_help(&source.text()[span.clone()]);
        let help = "a selector is a region's name, `L10` or `L10-L24`, or `fn:NAME`; join several with commas";
        Diagnostic::new(codes::E0311, Place::new(source.path(), span), message)
            .help(lines.unwrap_or_else(|| help.into()))
    }));
    let mut excerpt = Excerpt {
        fence,
        language: info.language,
        file,
        caption: None,
        numbers: true,
        marks: Vec::new(),
        pin,
        head,
        block: block.clone(),
        closing: closing(source, block),
        list: None,
        notes: Vec::new(),
        strays: Vec::new(),
        strays_end: 0,
    };
    let mut seen: Vec<&str> = Vec::new();
    for (key, key_span, value, span) in &info.attributes {
        if seen.contains(&key.as_str()) {
            out.push(report(key_span.clone(), format!("`{key}` is given twice")));
        }
        seen.push(key);
        if let Err(problem) = set(&mut excerpt, key, value, span) {
            let place = if ATTRIBUTES.contains(&key.as_str()) { span } else { key_span };
            let said = report(place.clone(), problem);
            out.push(match attribute::on_excerpt(key).filter(|_| !ATTRIBUTES.contains(&key.as_str())) {
                Some(instead) => said.help(instead),
                None => said.nearest(nearest(key, ATTRIBUTES).filter(|known| known != key)),
            });
        }
    }
    Some(excerpt)
}

/// The backticks or tildes of an opening line.
pub(super) fn marks<'s>(source: &'s Source, head: &Span) -> &'s str {
    let line = &source.text()[head.clone()];
    &line[..run(line)]
}

/// What a fence is closed by, in words: in backticks, backticks cannot be told apart.
pub(super) fn closing_words(source: &Source, head: &Span) -> String {
    let marks = marks(source, head);
    format!("{} {}", marks.len(), if marks.starts_with('~') { "tildes" } else { "backticks" })
}

/// How many of its first character a text begins with, if that is a backtick or a tilde.
pub(super) fn run(line: &str) -> usize {
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'));
    mark.map_or(0, |mark| line.chars().take_while(|&c| c == mark).count())
}

/// A line of a block without what its containers put before it, and where that begins.
pub(super) fn inside(line: &str) -> (usize, &str) {
    let start = line.find(|c: char| !matches!(c, ' ' | '\t' | '>')).unwrap_or(line.len());
    (start, line[start..].trim_end())
}

/// The marks of the closing line; nothing if the block is closed by the end of its container.
pub(super) fn closing(source: &Source, block: &Span) -> Option<Span> {
    let text = source.text()[block.clone()].trim_end();
    let (before, last) = text.rsplit_once('\n')?;
    let (start, marks) = inside(last);
    let is_closing = run(marks) == marks.len() && run(marks) >= run(text) && marks.starts_with(&text[..1]);
    let at = block.start + before.len() + 1 + start;
    is_closing.then_some(at..at + marks.len())
}

/// An opening line of a fence within another that should have been closed above it: its marks would have closed this one.
/// A line that is indented so far that it would open no fence is code.
pub(super) fn swallowed(source: &Source, head: &Span, closing: &Span) -> Option<Span> {
    let outer = marks(source, head);
    let column = head.start - source.text()[..head.start].rfind('\n').map_or(0, |end| end + 1);
    let body = head.end..closing.start;
    let mut at = body.start;
    source.text()[body].split_inclusive('\n').find_map(|line| {
        let (start, text) = inside(line);
        let begin = at + start;
        at += line.len();
        let info = text.trim_start_matches(|mark| outer.starts_with(mark));
        let opens = text.starts_with(outer) && start < column + 4 && !info.is_empty();
        (opens && !(outer.starts_with('`') && info.contains('`'))).then(|| begin..begin + text.len())
    })
}

/// A word of an opening line without `file=` that is meant to name code, and what to write for it.
fn loose_word(source: &Source, head: &Span, info: &Info) -> Option<(Span, String)> {
    // `{#id .class}` is a notation of other tools.
    if source.text()[head.clone()].contains('{') {
        return None;
    }
    let has_bare_sign = info.attributes.iter().any(|(key, ..)| key.is_empty());
    info.errors.iter().find_map(|(span, _)| match &source.text()[span.clone()] {
        "file" if has_bare_sign => {
            Some((span.clone(), "write `file=PATH#SELECTOR`, without spaces around the `=`".to_owned()))
        }
        word if word.starts_with('#') && word[1..].starts_with(char::is_alphabetic) => {
            Some((span.clone(), format!("write `file={word}`")))
        }
        _ => None,
    })
}

fn set(excerpt: &mut Excerpt, key: &str, value: &str, span: &Span) -> Result<(), String> {
    match key {
        "file" => {}
        "caption" => excerpt.caption = Some(value.to_string()).filter(|caption| !caption.trim().is_empty()),
        "numbers" => match value {
            "true" => excerpt.numbers = true,
            "false" => excerpt.numbers = false,
            _ => return Err(format!("`numbers` is `true` or `false`, not `{value}`")),
        },
        "mark" => excerpt.marks = terms(value, span.start),
        _ => return Err(format!("unknown fence attribute `{key}`")),
    }
    Ok(())
}

/// The terms of `mark="a, b"`, each with its span.
fn terms(value: &str, at: usize) -> Vec<(String, Span)> {
    let mut start = at;
    let mut terms = Vec::new();
    for part in value.split(',') {
        let lead = part.len() - part.trim_start().len();
        let term = part.trim();
        if !term.is_empty() {
            terms.push((term.to_string(), start + lead..start + lead + term.len()));
        }
        start += part.len() + 1;
    }
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(line: &str) -> Info {
        read_info(&Source::new("a.md", line), &(0..line.len()))
    }

    #[test]
    fn attributes_with_and_without_quotes() {
        let info = info("```python file=a.py#x caption=\"A 'b' c\" mark='p, q' numbers=false");
        assert_eq!(info.language, "python");
        let values: Vec<_> = info.attributes.iter().map(|(key, _, value, _)| (key.as_str(), value.as_str())).collect();
        assert_eq!(values, [("file", "a.py#x"), ("caption", "A 'b' c"), ("mark", "p, q"), ("numbers", "false")]);
        assert_eq!(info.attributes[0].3, 15..21);
    }

    #[test]
    fn a_fence_without_language_and_one_with_an_open_quote() {
        assert_eq!(info("~~~ file=#x").language, "");
        assert_eq!(info("``` rust,ignore").language, "rust");
        assert_eq!(info("```py file=a caption=\"x").errors.len(), 1);
    }

    #[test]
    fn terms_have_spans() {
        assert_eq!(terms("a,  bc", 10), [("a".to_string(), 10..11), ("bc".to_string(), 14..16)]);
    }
}
