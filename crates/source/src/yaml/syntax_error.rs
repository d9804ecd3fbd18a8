//! Turns the errors of the YAML parser into diagnostics with plain messages and help: `E0103`.

use serde_yaml::granit_parser::{ErrorKind, ScanError};

use super::{MAX_DEPTH, to_scalar};
use crate::diag::{Diagnostic, Edit, Fix, Place, codes};
use crate::source::{Source, Span, lines_from};

const QUOTE: &str = "put the value in quotes";
const BRACKET: &str = "close each `[` with `]` and each `{` with `}`, and put `,` between the entries";

/// Creates the diagnostic for a syntax error in YAML that begins at byte `start` of `source`; `bracket` is the innermost
/// `[` or `{` that is still open.
pub(super) fn explain(error: &ScanError, source: &Source, start: usize, bracket: Option<Span>) -> Diagnostic {
    let mut at = start + error.marker().byte_offset().unwrap_or_default();
    let mut rest = source.text().get(at..).unwrap_or_default();
    if let ErrorKind::UnexpectedCharacter { character } = *error.kind() {
        // The parser points at the value that contains the character.
        let before = rest.find(character).unwrap_or_default();
        (at, rest) = (at + before, &rest[before..]);
    }
    let first = rest.chars().next().filter(|&first| !matches!(first, '\r' | '\n'));
    let place = source.place(at..at + first.map_or(0, char::len_utf8));
    if *error.kind() == ErrorKind::RecursionLimitExceeded {
        return too_deep(place);
    }
    if let Some(tab) = tab(error.kind(), source, start, at) {
        return source
            .diagnostic(codes::E0103, tab..tab + 1, "YAML cannot be indented with tabs")
            .help("indent with spaces")
            .fix(Fix::new("write spaces for the tab", vec![Edit::new(source, tab..tab + 1, "  ")]));
    }
    if let Some((cause, message, help)) = cause(error.kind(), source, start..at.min(source.text().len())) {
        let (text, end) = (&source.text()[cause.clone()], cause.end);
        let fix = match text.chars().next() {
            Some('：') => Some(Fix::write(source, cause.clone(), ": ")),
            Some(quote @ ('"' | '\'')) => {
                Some(Fix::new(format!("write `{quote}` at its end"), vec![Edit::new(source, end..end, quote)]))
            }
            _ => None,
        };
        return source.diagnostic(codes::E0103, cause, message).help(help).fix(fix);
    }
    let (message, mut help) = explanation(error.kind());
    // The innermost open bracket may begin after the place that the parser reports.
    let end = |start: usize| if start == at { at + rest.find('\n').unwrap_or(rest.len()) } else { at };
    let inside = bracket.as_ref().and_then(|bracket| source.text().get(bracket.start..end(bracket.start)));
    if inside.is_some_and(has_bare_color) {
        help = "` #` begins a comment, so put a color in quotes, as in `\"#c2185b\"`";
    } else if inside.is_some_and(|inside| inside.contains(" #")) {
        help = "` #` begins a comment, which hides the rest of its line: put a text with ` #` in quotes";
    }
    let mut diagnostic = Diagnostic::new(codes::E0103, place, message);
    if let Some(bracket) = bracket.as_ref().filter(|bracket| is_passed_by_a_key(source, bracket.start, at)) {
        let line =
            source.text().get(bracket.start..).and_then(|rest| rest.lines().next()).unwrap_or_default().trim_end();
        let message = format!("this `{}` is not closed", line.chars().next().unwrap_or_default());
        let help = if help.starts_with("` #`") { help } else { BRACKET };
        let span = bracket.start..bracket.start + line.len();
        let ends: String = open_brackets(line).iter().rev().collect();
        let fix = Fix::new(format!("write `{ends}` at its end"), vec![Edit::new(source, span.end..span.end, &*ends)]);
        let fix = Some(fix).filter(|_| !ends.is_empty() && !line.contains(['"', '\'', '#']));
        return source.diagnostic(codes::E0103, span, message).help(help).fix(fix);
    }
    if let Some(bracket) = bracket.filter(|bracket| bracket.start != at) {
        diagnostic = diagnostic.related(source.place(bracket), "opened here, and not closed before the error");
    }
    let is_quotable = help == QUOTE || *error.kind() == ErrorKind::MappingValueNotAllowed;
    let diagnostic = diagnostic.fix(if is_quotable { in_quotes(source, at) } else { None });
    if help.is_empty() { diagnostic } else { diagnostic.help(help) }
}

/// Returns the fix that puts the value of the line at an offset in quotes: what follows the first `: ` of a line with a key.
fn in_quotes(source: &Source, at: usize) -> Option<Fix> {
    let span = source.line_span(source.line(at));
    let line = source.text()[span.clone()].trim_end();
    let (key, value) = line.split_once(": ")?;
    let is_key = key.trim_start_matches([' ', '-']).chars().all(|c| c.is_alphanumeric() || "_-".contains(c));
    let is_whole = is_key && !value.contains(['"', '\'', '#', '{', '[']);
    let end = span.start + line.len();
    is_whole.then(|| {
        Fix::new("put the value in quotes", vec![Edit::new(source, end - value.len()..end, to_scalar(value.trim()))])
    })
}

/// Returns the ends of the brackets that a line opens and does not close, the outermost first.
fn open_brackets(line: &str) -> Vec<char> {
    let mut open = Vec::new();
    for c in line.chars() {
        match c {
            '[' => open.push(']'),
            '{' => open.push('}'),
            ']' | '}' if open.last() == Some(&c) => drop(open.pop()),
            _ => {}
        }
    }
    open
}

/// Returns the tab in an indentation that is the cause of an error at `at`. The parser may notice it a line later, or name the
/// line above it, which goes on.
fn tab(kind: &ErrorKind, source: &Source, start: usize, at: usize) -> Option<usize> {
    let indented = |line: usize| {
        let span = source.line_span(line);
        let text = source.text().get(span.clone()).filter(|_| span.start >= start)?;
        let tab = text.find('\t').filter(|tab| text[..*tab].trim().is_empty() && !text.trim().is_empty())?;
        Some(span.start + tab)
    };
    let line = source.line(at.min(source.text().len()));
    match kind {
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabAtBlockScalarStart
        | ErrorKind::TabInPlainScalar
        | ErrorKind::CommentInterceptedScalar => indented(line).or_else(|| indented(line + 1)),
        ErrorKind::ExpectedDocumentStart => indented(line).or_else(|| indented(line.checked_sub(1)?)),
        kind if placement_message(kind).is_some() => indented(line),
        _ => None,
    }
}

/// Returns the place of what an error comes from if that is above the place at which the parser notices it, and what to say
/// of it: a quote that is not closed, or a line without its colon.
fn cause(kind: &ErrorKind, source: &Source, above: Span) -> Option<(Span, &'static str, &'static str)> {
    let text = source.text().get(above.clone())?;
    let line = source.text()[above.end..].lines().next().unwrap_or_default();
    match kind {
        ErrorKind::SimpleKeyExpected | ErrorKind::ExpectedBlockMappingKey if line.contains('：') => {
            let colon = above.end + line.find('：')?;
            Some((colon..colon + '：'.len_utf8(), "this wide colon does not end a key", "write `: `, as on a keyboard"))
        }
        ErrorKind::UnclosedQuotedScalar
        | ErrorKind::InvalidQuotedScalarIndent
        | ErrorKind::DocumentIndicatorInQuotedScalar => {
            let line = |(at, line): (usize, &str)| open_quote(line).map(|quote| at + quote..at + line.trim_end().len());
            let found = lines_from(text, above.start).filter_map(line).last()?;
            let help = "close it with the quote that opened it, and indent its further lines";
            Some((found, "this quoted text is not closed", help))
        }
        ErrorKind::MappingValueNotAllowed => {
            let complete = text.rsplit_once('\n').map_or("", |(lines, _)| lines);
            let (start, line) = lines_from(complete, above.start).filter(|(_, line)| !line.trim().is_empty()).last()?;
            let is_bare = !line.contains(':') && !line.starts_with([' ', '\t', '-', '#', '[', '{', '"', '\'']);
            let help = "write a `:` and a space after its key; if it goes on with the line above, indent it";
            is_bare.then(|| (start..start + line.trim_end().len(), "this line has a key without a `:`", help))
        }
        _ => None,
    }
}

/// Returns where a line opens a quote as the beginning of a value, and does not close it.
fn open_quote(line: &str) -> Option<usize> {
    let begins =
        |at: &usize| *at == 0 || line[..*at].ends_with(' ') && line[..*at].trim_end().ends_with([':', '-', '[', ',']);
    let mut quotes = line.char_indices().filter(|(_, c)| matches!(c, '"' | '\'')).map(|(at, _)| at);
    let at = quotes.find(begins)?;
    let quote = &line[at..=at];
    (line[at..].matches(quote).count() % 2 == 1).then_some(at)
}

/// Returns whether an error at `at` is in a line with a key of its own, below the line with the open bracket and no deeper: the
/// bracket was to end before it.
fn is_passed_by_a_key(source: &Source, bracket: usize, at: usize) -> bool {
    let [opening, line] = [bracket, at.min(source.text().len())].map(|at| {
        let span = source.line_span(source.line(at));
        (span.start, source.text().get(span).unwrap_or_default())
    });
    let depth = |line: &str| line.len() - line.trim_start_matches([' ', '-']).len();
    let key = line.1.trim_start().split_once(':').map_or("", |(key, _)| key);
    line.0 > opening.0
        && depth(line.1) <= depth(opening.1)
        && !key.is_empty()
        && key.chars().all(|c| c.is_alphanumeric() || "_-".contains(c))
}

/// Returns whether a text has a color such as `#c2185b` that YAML reads as a comment.
fn has_bare_color(text: &str) -> bool {
    text.split(" #").skip(1).any(|after| after.bytes().take_while(u8::is_ascii_hexdigit).count() >= 3)
}

/// Creates the diagnostic for lists and maps that are nested too deep.
pub(super) fn too_deep(place: Place) -> Diagnostic {
    let message = format!("lists and maps are nested deeper than {MAX_DEPTH}");
    Diagnostic::new(codes::E0103, place, message)
}

/// Returns the message and the help, which may be empty.
fn explanation(kind: &ErrorKind) -> (String, &'static str) {
    let (message, help) = match kind {
        ErrorKind::UnexpectedCharacter { character } => return character_message(*character),
        ErrorKind::DirectiveDisallowed => ("lines that begin with `%` are not supported", "remove it"),
        ErrorKind::BomInsideDocument => ("a byte order mark inside the text", "remove it"),
        ErrorKind::CommentInterceptedScalar => (
            "a comment between the lines of one value",
            "move it above the key, or put the value in quotes if its `#` is text",
        ),
        ErrorKind::UnknownAnchor | ErrorKind::MissingAnchorOrAliasName => (
            "`*name` repeats the value at `&name`, but there is no such `&name` before it",
            "put text that begins with `*` in quotes",
        ),
        _ => match placement_message(kind).or_else(|| quoting_message(kind)) {
            Some(message) => message,
            None => return (kind.to_string(), ""),
        },
    };
    (message.to_owned(), help)
}

/// Returns the message and help for misplaced colons, dashes and brackets, and for wrong indentation.
fn placement_message(kind: &ErrorKind) -> Option<(&'static str, &'static str)> {
    Some(match kind {
        ErrorKind::MappingValueNotAllowed
        | ErrorKind::InvalidColonPlacement
        | ErrorKind::InvalidMappingValueWhitespace
        | ErrorKind::FlowMappingValueAdjacentCollection => (
            "a `:` does not fit here",
            "put a value that contains `: ` in quotes; otherwise check the indentation and the line above",
        ),
        ErrorKind::BlockSequenceEntryNotAllowed | ErrorKind::BlockEntryInFlowCollection => {
            ("a list item cannot begin here", "put each `- item` on a line of its own")
        }
        ErrorKind::ExpectedBlockMappingKey
        | ErrorKind::SimpleKeyExpected
        | ErrorKind::InvalidSimpleKey
        | ErrorKind::MappingKeyNotAllowed
        | ErrorKind::ExpectedBlockSequenceEntry
        | ErrorKind::InvalidIndentation => {
            ("this line is neither `key: value` nor a list item", "check its indentation and the line above")
        }
        ErrorKind::ExpectedDocumentStart => (
            "nothing can follow here, because the value before it is complete",
            "indent all keys alike, and write nothing after a closing bracket",
        ),
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabAtBlockScalarStart
        | ErrorKind::TabInPlainScalar => ("YAML cannot be indented with tabs", "indent with spaces"),
        ErrorKind::UnclosedFlowCollection { .. }
        | ErrorKind::UnexpectedEofFlowSequence
        | ErrorKind::UnexpectedEofFlowMapping
        | ErrorKind::UnexpectedEofImplicitFlowMapping
        | ErrorKind::ExpectedFlowMappingSeparator
        | ErrorKind::ExpectedFlowSequenceSeparator
        | ErrorKind::InvalidFlowScalarIndent => ("a `,` or a closing bracket is missing", BRACKET),
        ErrorKind::MisplacedFlowCollectionEnd | ErrorKind::MismatchedFlowCollectionEnd { .. } => {
            ("this bracket closes nothing", BRACKET)
        }
        _ => return None,
    })
}

fn quoting_message(kind: &ErrorKind) -> Option<(&'static str, &'static str)> {
    Some(match kind {
        ErrorKind::UnclosedQuotedScalar
        | ErrorKind::InvalidQuotedScalarIndent
        | ErrorKind::DocumentIndicatorInQuotedScalar => (
            "the quoted text is not closed before this point",
            "close it with the quote that opened it, and indent its further lines",
        ),
        ErrorKind::InvalidTrailingSingleQuotedScalar => {
            ("text after the closing quote", "put the whole value in quotes; within '…', a ' is written ''")
        }
        ErrorKind::InvalidTrailingDoubleQuotedScalar => {
            ("text after the closing quote", "put the whole value in quotes; within \"…\", a \" is written \\\"")
        }
        ErrorKind::UnknownQuotedScalarEscape
        | ErrorKind::InvalidQuotedScalarHexEscape
        | ErrorKind::InvalidLowSurrogateHexEscape
        | ErrorKind::InvalidLowSurrogate
        | ErrorKind::MissingLowSurrogate
        | ErrorKind::UnpairedLowSurrogate
        | ErrorKind::InvalidUnicodeEscape => {
            ("unknown escape in double quotes", "write `\\\\` for a backslash, or use single quotes")
        }
        ErrorKind::PlainScalarStartsWithDashFlowIndicator => ("a value cannot begin with `-` and a bracket", QUOTE),
        ErrorKind::InvalidBlockScalarIndent => {
            ("this line of the text block is indented less than its first line", "indent it")
        }
        _ => return None,
    })
}

fn character_message(character: char) -> (String, &'static str) {
    if character.is_control() || !character.is_ascii_punctuation() {
        return (format!("YAML does not allow the character U+{:04X} here", u32::from(character)), "remove it");
    }
    (format!("a value cannot begin with `{character}`"), QUOTE)
}
