//! Formats diagnostics, one format per file: [`human`] for a terminal, [`json`] for programs, [`sarif`] for code
//! scanning services, [`github`] for jobs on GitHub.

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

use serde::Serialize;

pub use brief::{brief, summary};
pub use github::github;
pub use human::human;
pub use json::json;
pub use sarif::sarif;

use infralens_source::diag::{Diagnostic, Place, Severity, hidden, quantity};
use infralens_source::project::{File, Project};
use infralens_source::source::{Position, Source};

/// Returns the file at a path of the course, as far as it is text; `None` if there is no such file.
pub fn readable<'p>(project: &'p Project, path: &str) -> Option<&'p Source> {
    match project.files.get(path)? {
        File::Text(source) => Some(source),
        File::Binary(binary) => Some(binary.readable(path)),
        File::Refused(_) => None,
    }
}

/// How many diagnostics there are of each severity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// The number of errors, with which the course is not built.
    pub errors: usize,
    /// The number of warnings, which `--strict` treats like errors.
    pub warnings: usize,
    /// The number of hints, which are shown and never counted.
    pub hints: usize,
}

impl Counts {
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

/// Writes the errors and warnings, such as `3 errors, 1 warning`; nothing if there are none.
impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [(self.errors, "error"), (self.warnings, "warning")];
        let counts = counts.into_iter().filter(|&(count, _)| count > 0);
        f.write_str(&counts.map(|(count, noun)| quantity(count, noun)).collect::<Vec<_>>().join(", "))
    }
}

/// Replaces control characters, which a terminal would act on, by pictures of them, and names characters that change the
/// direction of a line or cannot be seen, as in `<U+202E>`. Line feeds and tabs stay.
///
/// Sources and paths may come from other people, and such a character in them could change what the terminal shows.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(hidden::is_unprintable) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            // The Unicode block "Control Pictures".
            '\0'..='\u{8}' | '\u{b}'..='\u{1f}' => {
                out.extend(char::from_u32(0x2400 + u32::from(character)));
            }
            '\u{7f}' => out.push('\u{2421}'),
            _ if hidden::is_unprintable(character) => {
                put(&mut out, format_args!("<{}>", hidden::code_point(character)));
            }
            _ => out.push(character),
        }
    }
    Cow::Owned(out)
}

/// Like [`visible`], but also replaces line feeds and tabs.
pub fn one_line(text: &str) -> Cow<'_, str> {
    match visible(text) {
        text if text.contains(['\n', '\t']) => Cow::Owned(text.replace('\n', "\u{240a}").replace('\t', "\u{2409}")),
        text => text,
    }
}

/// Computes positions in the order of a report, each from the one before, so that the columns of a long line are
/// counted once and not for each diagnostic.
#[derive(Default)]
struct Cursor {
    /// The last position of a start, and that of an end.
    last: [Option<(Arc<str>, usize, Position)>; 2],
}

impl Cursor {
    /// Returns the position of an offset at which a place starts.
    fn position(&mut self, source: &Source, offset: usize) -> Position {
        self.of(source, offset, 0)
    }

    /// Returns the position of the start (0) or end (1) of a place.
    fn of(&mut self, source: &Source, offset: usize, kind: usize) -> Position {
        let offset = source.text().floor_char_boundary(offset);
        let mut known: Vec<_> = self.last.iter().flatten().filter(|(path, ..)| path == source.path()).collect();
        known.sort_by_key(|(_, last, _)| last.abs_diff(offset));
        let mut near = known.into_iter().map(|(_, last, position)| position_in_line(source, *last, *position, offset));
        let position = near.find_map(|position| position).unwrap_or_else(|| source.position(offset));
        self.last[kind] = Some((Arc::clone(source.path()), offset, position));
        position
    }
}

/// Returns the positions of both ends of a place; `None` for a whole file, or one that is not text.
fn positions(place: &Place, project: &Project, cursor: &mut Cursor) -> Option<(Position, Position)> {
    let (start, end) = place.span?;
    let source = readable(project, &place.file)?;
    Some((cursor.of(source, start, 0), cursor.of(source, end.max(start), 1)))
}

/// Returns the position of `offset` if it is in the line of `from`, whose position is known.
fn position_in_line(source: &Source, from: usize, position: Position, offset: usize) -> Option<Position> {
    let [from, to] = [from, offset].map(|offset| offset.max(source.start()));
    let between = source.text().get(from.min(to)..from.max(to)).filter(|between| !between.contains('\n'))?;
    let count = between.chars().count();
    let column = if from <= to { position.column + count } else { position.column.checked_sub(count)? };
    Some(Position { column, ..position })
}

/// Appends formatted text, which cannot fail for a `String`.
fn put(out: &mut String, text: fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}

/// Appends JSON, and escapes characters above ASCII that a terminal would act on; those of ASCII are escaped already.
fn escape(json: &str, out: &mut String) {
    for character in json.chars() {
        if !character.is_ascii() && hidden::is_unprintable(character) || character == '\u{7f}' {
            for unit in character.encode_utf16(&mut [0; 2]) {
                put(out, format_args!("\\u{unit:04x}"));
            }
        } else {
            out.push(character);
        }
    }
}
