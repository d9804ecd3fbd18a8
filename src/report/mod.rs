//! Diagnostics → text, a format a file: [`human`] for a terminal, [`json`] for programs, [`sarif`] for services that scan
//! code, [`github`] for jobs there.

mod brief;
mod github;
mod human;
mod json;
mod sarif;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt::{self, Write};
use std::sync::Arc;

pub use brief::{brief, summary};
pub use github::github;
pub use human::human;
pub use json::json;
pub use sarif::sarif;

use crate::diag::{Diagnostic, Place, Severity};
use crate::project::{File, Project};
use crate::source::{Position, Source};

/// Where a report finds the text that diagnostics point into.
pub trait Sources {
    /// The file at a path of the course, as far as it can be read; none where there is no such file.
    fn source(&self, path: &str) -> Option<&Source>;
}

impl Sources for Project {
    fn source(&self, path: &str) -> Option<&Source> {
        match self.files.get(path)? {
            File::Text(source) => Some(source),
            File::Binary(binary) => Some(binary.readable(path)),
            File::Refused(_) => None,
        }
    }
}

/// How many diagnostics there are of each severity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Errors: the course has no site.
    pub errors: usize,
    /// Warnings: refused under `--strict`.
    pub warnings: usize,
    /// Hints: shown, never counted against the course.
    pub hints: usize,
}

impl Counts {
    /// Counts diagnostics.
    #[must_use]
    pub fn of(diagnostics: &[Diagnostic]) -> Self {
        let mut counts = Self::default();
        for diagnostic in diagnostics {
            match diagnostic.severity {
                Severity::Error => counts.errors += 1,
                Severity::Warning => counts.warnings += 1,
                Severity::Hint => counts.hints += 1,
            }
        }
        counts
    }
}

/// `3 errors, 1 warning`: what there is of the two that count; empty where there is neither.
impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [(self.errors, "error"), (self.warnings, "warning")];
        for (index, (count, word)) in counts.into_iter().filter(|&(count, _)| count > 0).enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            let plural = if count == 1 { "" } else { "s" };
            write!(f, "{comma}{count} {word}{plural}")?;
        }
        Ok(())
    }
}

/// `text` without what a terminal would act on: control characters and marks of text direction are shown as signs.
/// Line feeds and tabs stay.
///
/// Sources and paths are not the author's alone: an escape sequence in them could rewrite what the terminal shows.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|character| sign(character).is_some()) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|character| sign(character).unwrap_or(character)).collect())
}

/// [`visible`] on one line: line feeds and tabs are shown as signs, too.
#[must_use]
pub fn one_line(text: &str) -> Cow<'_, str> {
    match visible(text) {
        text if text.contains(['\n', '\t']) => Cow::Owned(text.replace('\n', "\u{240a}").replace('\t', "\u{2409}")),
        text => text,
    }
}

/// The sign for a character that must not reach a terminal.
fn sign(character: char) -> Option<char> {
    match character {
        '\n' | '\t' => None,
        // Unicode has a picture for each of these.
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(character)),
        '\u{7f}' => Some('\u{2421}'),
        '\u{80}'..='\u{9f}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            Some(char::REPLACEMENT_CHARACTER)
        }
        '\u{feff}' | '\u{2028}' | '\u{2029}' => Some(char::REPLACEMENT_CHARACTER),
        _ => None,
    }
}

/// Finds positions in the order of a report, each from the one before: a column is counted once, however many
/// diagnostics a long line has.
#[derive(Default)]
struct Cursor {
    last: Option<(Arc<str>, usize, Position)>,
}

impl Cursor {
    /// The position of an offset.
    fn position(&mut self, source: &Source, offset: usize) -> Position {
        let offset = source.text().floor_char_boundary(offset);
        let position = match &self.last {
            Some((path, last, position)) if path == source.path() => {
                onward(source, *last, *position, offset).unwrap_or_else(|| source.position(offset))
            }
            _ => source.position(offset),
        };
        self.last = Some((Arc::clone(source.path()), offset, position));
        position
    }
}

/// Both ends of a place; nothing for a file as a whole, or one that is not text.
fn positions(place: &Place, sources: &dyn Sources, cursor: &mut Cursor) -> Option<(Position, Position)> {
    let (start, end) = place.span?;
    let source = sources.source(&place.file)?;
    let from = cursor.position(source, start);
    let to = onward(source, start, from, end).unwrap_or_else(|| source.position(end.max(start)));
    Some((from, to))
}

/// The position of `offset`, if it comes after that of `from` in the same line.
fn onward(source: &Source, from: usize, position: Position, offset: usize) -> Option<Position> {
    let between = source.text().get(from.max(source.start())..offset)?;
    (!between.contains('\n')).then(|| Position { column: position.column + between.chars().count(), ..position })
}

/// The line of an offset, from 0, without counting its column.
fn line(source: &Source, offset: usize) -> usize {
    let text = &source.text()[source.start()..];
    let open = text.is_empty() || text.ends_with('\n');
    let (mut line, mut beyond) = (0, source.line_count() + usize::from(open));
    while beyond - line > 1 {
        let middle = line.midpoint(beyond);
        if source.line_span(middle).start <= offset {
            line = middle;
        } else {
            beyond = middle;
        }
    }
    line
}

/// Appends formatted text; a `String` takes all of it.
fn put(out: &mut String, text: fmt::Arguments<'_>) {
    let written = out.write_fmt(text);
    debug_assert!(written.is_ok(), "a string takes any text");
}

/// Appends JSON, in which the control characters of ASCII are escaped already; a terminal acts on these, too.
fn escape(json: &str, out: &mut String) {
    for character in json.chars() {
        if matches!(character, '\u{7f}'..='\u{9f}') {
            put(out, format_args!("\\u{:04x}", u32::from(character)));
        } else {
            out.push(character);
        }
    }
}
