//! What the YAML parser complains about, in plain words: `E0103`.

use serde_yaml::granit_parser::{ErrorKind, ScanError};

use super::MAX_DEPTH;
use crate::diag::{Diagnostic, Place, codes};
use crate::source::{Source, Span};

const QUOTE: &str = "put the value in quotes";
const BRACKET: &str = "close each `[` with `]` and each `{` with `}`, and put `,` between the entries";

/// The diagnostic of a syntax error in YAML that begins at byte `start` of `source`; `bracket` is the `[` or `{` that is
/// open there.
pub(super) fn explain(error: &ScanError, source: &Source, start: usize, bracket: Option<Span>) -> Diagnostic {
    let mut at = start + error.marker().byte_offset().unwrap_or_default();
    let mut rest = source.text().get(at..).unwrap_or_default();
    if let ErrorKind::UnexpectedCharacter { character } = *error.kind() {
        // The parser points at the value that the character stands in.
        let before = rest.find(character).unwrap_or_default();
        (at, rest) = (at + before, &rest[before..]);
    }
    let first = rest.chars().next().filter(|&first| !matches!(first, '\r' | '\n'));
    let place = Place::new(source.path(), at..at + first.map_or(0, char::len_utf8));
    if *error.kind() == ErrorKind::RecursionLimitExceeded {
        return too_deep(place);
    }
    let (message, help) = words(error.kind());
    let mut diagnostic = Diagnostic::new(codes::E0103, place, message);
    if let Some(bracket) = bracket.filter(|bracket| bracket.start != at) {
        diagnostic = diagnostic.related(Place::new(source.path(), bracket), "opened here and not closed before");
    }
    if help.is_empty() { diagnostic } else { diagnostic.help(help) }
}

/// The diagnostic of lists and maps that are nested too deep.
pub(super) fn too_deep(place: Place) -> Diagnostic {
    let message = format!("lists and maps are nested deeper than {MAX_DEPTH}");
    Diagnostic::new(codes::E0103, place, message)
}

/// Message and help; the help may be empty.
fn words(kind: &ErrorKind) -> (String, &'static str) {
    let (message, help) = match kind {
        ErrorKind::UnexpectedCharacter { character } => return character_words(*character),
        ErrorKind::DirectiveDisallowed => ("a line that begins with `%` is not known here", "remove it"),
        ErrorKind::BomInsideDocument => ("a byte order mark stands inside the text", "remove it"),
        ErrorKind::CommentInterceptedScalar => {
            ("a comment stands between the lines of one value", "put it above the key")
        }
        ErrorKind::UnknownAnchor | ErrorKind::MissingAnchorOrAliasName => (
            "`*name` repeats the value at `&name`, and there is none before it",
            "put text that begins with `*` in quotes",
        ),
        _ => match placement_words(kind).or_else(|| quoting_words(kind)) {
            Some(words) => words,
            None => return (kind.to_string(), ""),
        },
    };
    (message.to_owned(), help)
}

/// Colons, dashes, brackets and indentation.
fn placement_words(kind: &ErrorKind) -> Option<(&'static str, &'static str)> {
    Some(match kind {
        ErrorKind::MappingValueNotAllowed
        | ErrorKind::InvalidColonPlacement
        | ErrorKind::InvalidMappingValueWhitespace
        | ErrorKind::FlowMappingValueAdjacentCollection => (
            "a `:` does not fit here",
            "put a value that holds `: ` in quotes; otherwise look at the indentation and at the line above",
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
            ("a line that is neither `key: value` nor a list item", "look at its indentation and at the line above")
        }
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabAtBlockScalarStart
        | ErrorKind::TabInPlainScalar => ("a tab cannot indent YAML", "indent with spaces"),
        ErrorKind::UnclosedFlowCollection { .. }
        | ErrorKind::UnexpectedEofFlowSequence
        | ErrorKind::UnexpectedEofFlowMapping
        | ErrorKind::UnexpectedEofImplicitFlowMapping
        | ErrorKind::ExpectedFlowMappingSeparator
        | ErrorKind::ExpectedFlowSequenceSeparator
        | ErrorKind::InvalidFlowScalarIndent => ("a `,` or a closing bracket is missing", BRACKET),
        ErrorKind::MisplacedFlowCollectionEnd | ErrorKind::MismatchedFlowCollectionEnd { .. } => {
            ("a bracket that closes none", BRACKET)
        }
        _ => return None,
    })
}

fn quoting_words(kind: &ErrorKind) -> Option<(&'static str, &'static str)> {
    Some(match kind {
        ErrorKind::UnclosedQuotedScalar
        | ErrorKind::InvalidQuotedScalarIndent
        | ErrorKind::DocumentIndicatorInQuotedScalar => (
            "a quoted text is not closed before",
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
            ("a `\\` in double quotes that begins no known escape", "write `\\\\`, or use single quotes")
        }
        ErrorKind::PlainScalarStartsWithDashFlowIndicator => ("a value cannot begin with `-` and a bracket", QUOTE),
        ErrorKind::InvalidBlockScalarIndent => {
            ("a line of the text block has less indentation than its first", "indent it")
        }
        _ => return None,
    })
}

fn character_words(character: char) -> (String, &'static str) {
    if character.is_control() || !character.is_ascii_punctuation() {
        return (format!("the character U+{:04X} cannot stand in YAML", u32::from(character)), "remove it");
    }
    (format!("a value cannot begin with `{character}`"), QUOTE)
}
