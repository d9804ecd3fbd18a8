//! Parses code fences: the opening line, and fences with `file=`, which show code of a starter file.

mod terms;
pub mod write;

use std::collections::BTreeSet;

pub use terms::Light;
use terms::{lights, terms};

use super::foreign::attribute;
use super::stray::StrayList;
use super::{Events, Note};
use infralens_source::diag::{Diagnostic, Edit, Fix, codes, nearest, similar};
use infralens_source::selector::{FileRef, line_help};
use infralens_source::source::{Source, Span, lines_from};

/// A fence that shows code of a starter file, with the notes that explain it.
#[derive(Debug, Default)]
pub struct Excerpt {
    /// The fence's events, from `Start` to after `End`.
    pub fence: Events,
    /// The language named after the backticks. Only the pin is highlighted with it.
    pub language: String,
    pub file: FileRef,
    /// The caption above the code.
    pub caption: Option<String>,
    /// Whether line numbers are visible.
    pub numbers: bool,
    /// Terms of which every occurrence is highlighted, with the span of each.
    pub marks: Vec<(String, Span)>,
    /// The lines that are lit, with the span of the term that names them.
    pub lights: Vec<(Light, Span)>,
    /// The piece of code with which the excerpt is compared; the lines that are not in it are lit.
    pub since: Option<FileRef>,
    /// The span of the value by which it shows what its cells of a notebook recorded, if it does.
    pub output: Option<Span>,
    /// The body of the fence: the excerpt as it was when its notes were last reviewed.
    pub pin: String,
    /// The span of the fence's opening line.
    pub head: Span,
    /// The span of the whole fence, from its first backtick.
    pub block: Span,
    /// The span of the closing backticks. `None` if they are missing, which is an error; the body is unknown then.
    pub closing: Option<Span>,
    /// The events of the ordered list directly below, if there is one.
    pub list: Option<Events>,
    pub notes: Vec<Note>,
    /// Lists that look like notes but are not.
    pub strays: Vec<StrayList>,
    /// The offset at which the last stray list or reported stray line ends; 0 if there is none.
    pub strays_end: usize,
}

/// The words after the backticks of an opening line.
#[derive(Debug, Default)]
pub struct Info {
    /// The first word, if it is not an attribute.
    pub language: String,
    /// The attributes, in the order written.
    pub attributes: Vec<Attribute>,
    /// The parts that could not be parsed, and why.
    pub errors: Vec<(Span, String)>,
}

/// An attribute of a fence, `key=value`.
#[derive(Debug)]
pub struct Attribute {
    pub key: String,
    pub key_span: Span,
    /// The value without its quotes.
    pub value: String,
    /// The span of the value without its quotes.
    pub span: Span,
}

impl Info {
    pub fn attribute(&self, key: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.key == key)
    }
}

/// By so many columns, a line of marks may be indented more than the fence and still open or close one.
const DEEPEST: usize = 3;

pub const ATTRIBUTES: [&str; 7] = ["file", "caption", "numbers", "mark", "light", "since", "output"];

/// The help text for backticks in the attributes of a fence of backticks.
pub(super) const BACKTICKS: &str =
    "a fence of backticks cannot have a backtick after its first word; use `~~~` for this one";

/// Returns the span of the fence's opening line, from the first backtick, without its line end.
pub fn head(source: &Source, block: &Span) -> Span {
    source.first_line(block)
}

/// Parses the opening line of a fence. Attributes are `key=value`, `key="…"` or `key='…'`, without escapes.
pub fn read_info(source: &Source, head: &Span) -> Info {
    let line = &source.text()[head.clone()];
    let span = |range: Span| head.start + range.start..head.start + range.end;
    let mut info = Info::default();
    let mut at = line.len() - line.trim_start_matches(['`', '~']).len();
    // The form of pandoc and others, `{.python key=value}`.
    let line = if line[at..].trim_start().starts_with('{') { line.trim_end_matches('}') } else { line };
    while let Some(start) = line[at..].find(|c: char| !c.is_whitespace()).map(|skip| at + skip) {
        let word_end = line[start..].find(char::is_whitespace).map_or(line.len(), |len| start + len);
        let word = &line[start..word_end];
        at = word_end;
        let Some((key, _)) = word.split_once('=') else {
            let unquoted = info.attributes.last_mut().filter(|last| {
                let is_text = matches!(last.key.as_str(), "caption" | "title");
                is_text && source.text()[last.span.end..head.start + start].trim().is_empty()
            });
            if let Some(text) = unquoted {
                text.span.end = head.start + word_end;
                source.text()[text.span.clone()].clone_into(&mut text.value);
                info.errors.retain(|(at, _)| at.start != text.span.start);
                info.errors.push((text.span.clone(), UNQUOTED.into()));
            } else if info.language.is_empty() && info.attributes.is_empty() {
                info.language = word.split([',', '{']).next().unwrap_or_default().to_string();
            } else {
                let message = "this is not an attribute; put quotes around a value that has spaces";
                info.errors.push((span(start..word_end), message.into()));
            }
            continue;
        };
        let equals = start + key.len();
        let curly = curly(line, equals + 1);
        let (value, end) = match &curly {
            Some(quoted) => (Some(quoted.start + '“'.len_utf8()..quoted.end - '”'.len_utf8()), quoted.end),
            None => value(line, equals + 1, word_end),
        };
        at = end;
        info.errors.extend(curly.map(|quoted| (span(quoted), CURLY.into())));
        match value {
            Some(value) => info.attributes.push(Attribute {
                key: key.to_string(),
                key_span: span(start..equals),
                value: line[value.clone()].to_string(),
                span: span(value),
            }),
            None => info.errors.push((span(equals + 1..line.len()), UNCLOSED.into())),
        }
    }
    info
}

const UNQUOTED: &str = "a text with spaces needs quotes";

/// Returns what to write instead of a part of an opening line with an error.
fn instead(source: &Source, info: &Info, error: Diagnostic, span: &Span) -> Diagnostic {
    let text = &source.text()[span.clone()];
    match error.message.as_str() {
        CURLY => {
            let plain = format!("\"{}\"", text.trim_matches(QUOTES));
            error.help(CURLY_HELP).fix(Fix::write(source, span.clone(), &plain))
        }
        UNQUOTED => match info.attributes.iter().find(|attribute| attribute.span == *span) {
            Some(attribute) => {
                let fix = Fix::write(source, span.clone(), &format!("\"{text}\""));
                error.help(format!("write `{}=\"{text}\"`", attribute.key)).fix(fix)
            }
            None => error,
        },
        UNCLOSED => {
            let (quote, end) = (&text[..first_len(text)], span.start + text.trim_end().len());
            let title = format!("write `{quote}` at its end");
            error.help(&*title).fix(Fix::new(&*title, vec![Edit::new(source, end..end, quote)]))
        }
        _ => attribute::on_excerpt(text).into_iter().fold(error, Diagnostic::help),
    }
}

/// The message for a quote without an end.
const UNCLOSED: &str = "this quote is not closed";
/// The message for curly quotes, and its help text.
pub(super) const CURLY: &str = "curly quotes do not enclose a value";
pub(super) const CURLY_HELP: &str = "write the quotes as on a keyboard: `\"…\"`";

const QUOTES: [char; 6] = ['“', '”', '„', '‘', '’', '‚'];

/// Returns the range of a value in curly quotes, which editors write by themselves, with its quotes.
pub(super) fn curly(line: &str, start: usize) -> Option<Span> {
    let inner = start + line[start..].chars().next().filter(|c| QUOTES.contains(c))?.len_utf8();
    let end = line[inner..].find(QUOTES).filter(|len| *len > 0).map(|len| inner + len);
    end.map(|end| start..end + first_len(&line[end..]))
}

fn first_len(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

/// Returns the range of the value that begins at `start`, `None` if its quote is not closed, and where parsing goes on.
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

/// Returns the error of an attribute.
pub(super) fn invalid(source: &Source, span: Span, message: impl Into<String>) -> Diagnostic {
    source.diagnostic(codes::E0206, span, message)
}

/// Parses the fence with the events `fence` if it is an excerpt, which has a `file=` attribute.
pub fn excerpt(
    source: &Source,
    fence: Events,
    block: &Span,
    pin: String,
    out: &mut Vec<Diagnostic>,
) -> Option<Excerpt> {
    let head = head(source, block);
    let info = read_info(source, &head);
    let Some(file) = info.attribute("file") else {
        out.extend(missing_file(source, &head, &info));
        return None;
    };
    let line = &source.text()[head.clone()];
    if line.starts_with('`') && line.trim_start_matches('`').contains('`') {
        out.push(
            source
                .diagnostic(codes::E0207, head.clone(), "Markdown reads this as a paragraph, not as a fence")
                .help(BACKTICKS),
        );
    }
    report_errors(source, &info, out);
    report_repeated(source, &info, out);
    let mut excerpt = Excerpt {
        fence,
        file: file_ref(source, &head, file, out),
        numbers: true,
        pin,
        head,
        block: block.clone(),
        closing: closing(source, block),
        language: info.language,
        ..Excerpt::default()
    };
    for attribute in &info.attributes {
        set(&mut excerpt, source, attribute, out);
    }
    Some(excerpt)
}

impl Excerpt {
    /// Returns the files that it names: the one that it shows, and the one that it is compared with.
    pub fn files(&self) -> impl Iterator<Item = &FileRef> {
        std::iter::once(&self.file).chain(&self.since)
    }

    /// Returns whether lines are lit by their numbers.
    pub fn is_lit_by_lines(&self) -> bool {
        self.lights.iter().any(|(light, _)| matches!(light, Light::Lines(..)))
    }
}

/// Reports what cannot be read in an opening line.
pub(super) fn report_errors(source: &Source, info: &Info, out: &mut Vec<Diagnostic>) {
    out.extend(
        info.errors
            .iter()
            .map(|(span, message)| instead(source, info, invalid(source, span.clone(), &**message), span)),
    );
}

/// Reports attributes that are given twice.
pub(super) fn report_repeated(source: &Source, info: &Info, out: &mut Vec<Diagnostic>) {
    let mut seen = BTreeSet::new();
    let repeated = info.attributes.iter().filter(|attribute| !seen.insert(attribute.key.as_str()));
    out.extend(repeated.map(|again| {
        invalid(source, again.key_span.clone(), format!("`{}` is given twice", again.key)).help("keep one of the two")
    }));
}

/// Reports an opening line without `file=` that was probably meant as an excerpt.
fn missing_file(source: &Source, head: &Span, info: &Info) -> Option<Diagnostic> {
    if let Some(near) = info.attributes.iter().find(|attribute| nearest(&attribute.key, ["file"]).is_some()) {
        let message = format!("unknown fence attribute `{}`", near.key);
        let file = similar(&near.key, ["file"]);
        return Some(invalid(source, near.key_span.clone(), message).instead(source, &near.key, file));
    }
    let (span, written) = loose_word(source, head, info)?;
    let error = invalid(source, span, "this fence does not show code of a file");
    Some(match written {
        Some(written) => error.write(&written, format!("write `{written}`")),
        None => error.help("write `file=PATH#SELECTOR`, without spaces around the `=`"),
    })
}

/// Parses the value of `file=` or `since=`, and reports what is wrong with it.
pub(super) fn file_ref(source: &Source, head: &Span, file: &Attribute, out: &mut Vec<Diagnostic>) -> FileRef {
    if file.value.is_empty() {
        let key = &file.key;
        let help = format!("`{key}=#region` is the lab's own starter");
        out.push(invalid(source, head.clone(), format!("`{key}=` does not name a file")).help(help));
    }
    let (file, errors) = FileRef::parse(&file.value, file.span.start);
    out.extend(errors.into_iter().map(|(span, message)| {
        let lines = line_help(&source.text()[span.clone()]);
        let help = "a selector is a region's name, `L10` or `L10-L24`, `fn:NAME`, or `cell:NAME` in a notebook; join several with commas";
        source.diagnostic(codes::E0311, span, message).help(lines.unwrap_or_else(|| help.into()))
    }));
    file
}

/// Returns the backticks or tildes of an opening line.
pub(super) fn marks<'s>(source: &'s Source, head: &Span) -> &'s str {
    let line = &source.text()[head.clone()];
    &line[..run(line)]
}

/// Describes the closing line of a fence in words, such as "3 backticks", because a quoted run of backticks is unreadable.
pub(super) fn closing_words(source: &Source, head: &Span) -> String {
    let marks = marks(source, head);
    format!("{} {}", marks.len(), if marks.starts_with('~') { "tildes" } else { "backticks" })
}

/// Returns the length of the run of backticks or of tildes that a line begins with.
pub(super) fn run(line: &str) -> usize {
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'));
    mark.map_or(0, |mark| line.chars().take_while(|&c| c == mark).count())
}

/// Returns a line of a block without indentation and quote marks, and the offset in the line at which that begins.
pub(super) fn content(line: &str) -> (usize, &str) {
    let start = line.find(|c: char| !matches!(c, ' ' | '\t' | '>')).unwrap_or(line.len());
    (start, line[start..].trim_end())
}

/// Returns the span of the marks in the closing line; `None` if only the end of its container closes the block.
pub(super) fn closing(source: &Source, block: &Span) -> Option<Span> {
    let text = source.text()[block.clone()].trim_end();
    let (before, last) = text.rsplit_once('\n')?;
    let (start, marks) = content(last);
    let is_closing = run(marks) == marks.len()
        && run(marks) >= run(text)
        && marks.starts_with(&text[..1])
        && columns(&last[..start]) <= column(source, block.start) + DEEPEST;
    let at = block.start + before.len() + 1 + start;
    is_closing.then_some(at..at + marks.len())
}

fn column(source: &Source, at: usize) -> usize {
    columns(&source.text()[source.line_span(source.line(at)).start..at])
}

/// Returns how many columns the beginning of a line takes; a tab goes on to the next multiple of four.
fn columns(text: &str) -> usize {
    text.chars().fold(0, |columns, c| if c == '\t' { (columns / 4 + 1) * 4 } else { columns + 1 })
}

/// Finds the opening line of another fence inside a fence that should have been closed above it: a line that begins with
/// the marks of the outer fence. Lines that are indented too far to open a fence do not count.
pub(super) fn swallowed(source: &Source, head: &Span, closing: &Span) -> Option<Span> {
    let outer = marks(source, head);
    let deepest = column(source, head.start) + DEEPEST;
    let body = head.end..closing.start;
    lines_from(&source.text()[body.clone()], body.start).find_map(|(at, line)| {
        let (start, text) = content(line);
        let begin = at + start;
        let info = text.trim_start_matches(|mark| outer.starts_with(mark));
        let opens = text.starts_with(outer) && columns(&line[..start]) <= deepest && !info.is_empty();
        (opens && !(outer.starts_with('`') && info.contains('`'))).then(|| begin..begin + text.len())
    })
}

/// Finds a word in an opening line without `file=` that was meant to name code, and what to write instead.
fn loose_word(source: &Source, head: &Span, info: &Info) -> Option<(Span, Option<String>)> {
    // `{#id .class}` is a notation of other tools.
    if source.text()[head.clone()].contains('{') {
        return None;
    }
    let has_bare_sign = info.attribute("").is_some();
    info.errors.iter().find_map(|(span, _)| match &source.text()[span.clone()] {
        "file" if has_bare_sign => Some((span.clone(), None)),
        word if word.starts_with('#') && word[1..].starts_with(char::is_alphabetic) => {
            Some((span.clone(), Some(format!("file={word}"))))
        }
        _ => None,
    })
}

/// Sets the property of `excerpt` that an attribute sets. Reports what is wrong with it.
fn set(excerpt: &mut Excerpt, source: &Source, attribute: &Attribute, out: &mut Vec<Diagnostic>) {
    let (key, value) = (attribute.key.as_str(), attribute.value.as_str());
    match (key, value) {
        ("file", _) => {}
        ("caption", _) => excerpt.caption = Some(value.to_string()).filter(|caption| !caption.trim().is_empty()),
        ("numbers", "true") => excerpt.numbers = true,
        ("numbers", "false") => excerpt.numbers = false,
        ("output", "true") => excerpt.output = Some(attribute.span.clone()),
        ("output", "false") => excerpt.output = None,
        ("output" | "numbers", _) => {
            let message = format!("`{key}` is `true` or `false`, not `{value}`");
            out.push(invalid(source, attribute.span.clone(), message));
        }
        ("mark", _) => excerpt.marks = terms(value, attribute.span.start),
        ("light", _) => {
            let (lights, errors) = lights(value, attribute.span.start);
            excerpt.lights = lights;
            out.extend(errors.into_iter().map(|(span, message)| {
                invalid(source, span, message).help(
                    "lines are written with the numbers of the file, as in `L12-L14`, in a notebook `cell:NAME:L3`",
                )
            }));
        }
        ("since", _) => excerpt.since = Some(file_ref(source, &excerpt.head, attribute, out)),
        _ => {
            let unknown = invalid(source, attribute.key_span.clone(), format!("unknown fence attribute `{key}`"));
            out.push(match attribute::on_excerpt(key) {
                Some(instead) => unknown.help(instead),
                None => unknown.instead(source, key, similar(key, ATTRIBUTES)),
            });
        }
    }
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
        let values: Vec<_> = info.attributes.iter().map(|it| (it.key.as_str(), it.value.as_str())).collect();
        assert_eq!(values, [("file", "a.py#x"), ("caption", "A 'b' c"), ("mark", "p, q"), ("numbers", "false")]);
        assert_eq!(info.attributes[0].span, 15..21);
    }

    #[test]
    fn a_fence_without_language_and_one_with_an_open_quote() {
        assert_eq!(info("~~~ file=#x").language, "");
        assert_eq!(info("``` rust,ignore").language, "rust");
        assert_eq!(info("```py file=a caption=\"x").errors.len(), 1);
        assert_eq!(info("``` {.py file=a.py}").attributes[0].value, "a.py");
    }
}
