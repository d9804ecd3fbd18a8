//! The human format: message, place, the lines with carets, and help, like the messages of compilers.
//!
//! `annotate-snippets` draws the lines; the text above and below them is formatted here. The time for a diagnostic
//! does not depend on the length of its file: only the lines that are shown are passed on, and of a long line only
//! the part around the place.

use annotate_snippets::renderer::{self, Style};
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};

use super::{Counts, Cursor, one_line, put, readable, visible};
use infralens_source::diag::{Diagnostic, Place, Severity};
use infralens_source::project::Project;
use infralens_source::source::{Source, Span};

/// The maximum width of a line; longer ones are cut around the place. It is fixed, so that a report is the same
/// everywhere.
const WIDTH: usize = 140;
/// The maximum number of lines in one drawing.
const LINES: usize = 60;
/// The number of bytes of a line that are passed on, before and after the start of the place. More than [`WIDTH`]
/// needs.
const BEFORE: usize = 400;
const AFTER: usize = 1600;
/// The maximum distance in lines of two places in one drawing.
const NEAR: usize = 12;

/// Formats all diagnostics and their number; empty if there are none.
///
/// `styled` adds the escape sequences of a terminal. Without it, the text contains no control character except line
/// feeds and tabs, whatever the course contains.
pub fn human(diagnostics: &[Diagnostic], project: &Project, styled: bool) -> String {
    let mut out = format_all(diagnostics, project, styled);
    count(&mut out, Counts::of(diagnostics), styled);
    out
}

/// Formats diagnostics in their order, each with its lines.
pub(super) fn format_all<'d>(
    diagnostics: impl IntoIterator<Item = &'d Diagnostic>,
    project: &Project,
    styled: bool,
) -> String {
    let formatter = Formatter::new(project, styled);
    let mut out = String::new();
    let mut cursor = Cursor::default();
    for diagnostic in diagnostics {
        formatter.diagnostic(&mut out, &mut cursor, diagnostic);
        out.push('\n');
    }
    out
}

/// Writes the line that counts errors and warnings, if there are any.
pub(super) fn count(out: &mut String, counts: Counts, styled: bool) {
    let strong = if styled { renderer::DEFAULT_EMPHASIS_STYLE } else { Style::new() };
    if counts.errors + counts.warnings > 0 {
        put(out, format_args!("{strong}{counts}{strong:#}\n"));
    }
}

/// Writes diagnostics of one project in one style.
struct Formatter<'a> {
    project: &'a Project,
    renderer: Renderer,
    styled: bool,
    strong: Style,
    frame: Style,
}

/// A place and its label.
type LabeledPlace<'a> = (&'a Place, &'a str);

/// A place in a text, and its label.
struct Mark<'a> {
    span: Span,
    label: &'a str,
    kind: AnnotationKind,
}

impl<'a> Formatter<'a> {
    fn new(project: &'a Project, styled: bool) -> Self {
        let renderer = if styled { Renderer::styled() } else { Renderer::plain() };
        let style = |style| if styled { style } else { Style::new() };
        Self {
            project,
            renderer: renderer.term_width(WIDTH),
            styled,
            strong: style(renderer::DEFAULT_EMPHASIS_STYLE),
            frame: style(renderer::DEFAULT_LINE_NUM_STYLE),
        }
    }

    fn diagnostic(&self, out: &mut String, cursor: &mut Cursor, diagnostic: &Diagnostic) {
        let (level, style) = match diagnostic.severity {
            Severity::Error => (Level::ERROR, renderer::DEFAULT_ERROR_STYLE),
            Severity::Warning => (Level::WARNING, renderer::DEFAULT_WARNING_STYLE),
            Severity::Hint => (Level::INFO, renderer::DEFAULT_INFO_STYLE),
        };
        let style = if self.styled { style } else { Style::new() };
        let Self { strong, .. } = self;
        let (word, code) = (diagnostic.severity.word(), diagnostic.code.id);
        let message = one_line(&diagnostic.message);
        put(out, format_args!("{style}{word}[{code}]{style:#}{strong}: {message}{strong:#}\n"));

        let (nearby, apart): (Vec<_>, Vec<_>) =
            diagnostic.related.iter().partition(|(place, _)| self.is_near(&diagnostic.place, place));
        let nearby: Vec<LabeledPlace<'_>> = nearby.into_iter().map(|(place, label)| (place, label.as_str())).collect();
        let gutter = self.place(out, cursor, level, (&diagnostic.place, &diagnostic.label), &nearby);
        for note in &diagnostic.notes {
            self.footer(out, gutter, "note", note);
        }
        for help in &diagnostic.help {
            self.footer(out, gutter, "help", help);
        }
        for (place, label) in apart {
            put(out, format_args!("{strong}note{strong:#}: {}\n", one_line(label)));
            self.place(out, &mut Cursor::default(), Level::NOTE, (place, ""), &[]);
        }
    }

    /// Writes a place and, if it is in a text, its lines with the label there, and the places `nearby`. Returns the
    /// number of columns before the frame.
    fn place(
        &self,
        out: &mut String,
        cursor: &mut Cursor,
        level: Level<'_>,
        labeled: LabeledPlace<'_>,
        nearby: &[LabeledPlace<'_>],
    ) -> usize {
        let Self { frame, .. } = self;
        let file = one_line(&labeled.0.file);
        let Some((source, mark)) = self.mark(AnnotationKind::Primary, labeled) else {
            let label = if labeled.1.is_empty() { String::new() } else { format!(": {}", one_line(labeled.1)) };
            put(out, format_args!(" {frame}-->{frame:#} {file}{label}\n"));
            return 2;
        };
        let at = cursor.position(source, mark.span.start);
        let nearby = nearby.iter().filter_map(|&other| self.mark(AnnotationKind::Context, other));
        let marks: Vec<_> = std::iter::once(mark).chain(nearby.map(|(_, mark)| mark)).collect();
        let shown = self.renderer.render(&[Group::with_level(level).element(draw(source, &marks))]);
        let gutter = shown.bytes().take_while(|&byte| byte == b' ').count();
        let indent = " ".repeat(gutter.saturating_sub(1));
        put(out, format_args!("{indent}{frame}-->{frame:#} {file}:{}:{}\n{shown}\n", at.line, at.column));
        gutter
    }

    /// Writes help or a note below the lines, with its further lines indented.
    fn footer(&self, out: &mut String, gutter: usize, word: &str, text: &str) {
        let Self { strong, frame, .. } = self;
        let indent = " ".repeat(gutter);
        put(out, format_args!("{indent}{frame}={frame:#} {strong}{word}{strong:#}: "));
        for (index, line) in visible(text.trim_end_matches('\n')).split('\n').enumerate() {
            if index > 0 && !line.is_empty() {
                put(out, format_args!("{indent}  {:1$}", "", word.len() + 2));
            }
            put(out, format_args!("{line}\n"));
        }
    }

    fn mark<'b>(&self, kind: AnnotationKind, (place, label): LabeledPlace<'b>) -> Option<(&'a Source, Mark<'b>)> {
        let (source, span) = self.text(place)?;
        Some((source, Mark { span, label, kind }))
    }

    /// Returns the text of a place, and its span adjusted for drawing.
    fn text(&self, place: &Place) -> Option<(&'a Source, Span)> {
        let (start, end) = place.span?;
        let source = readable(self.project, &place.file)?;
        Some((source, fit(source, start, end)))
    }

    /// Whether another place can be in the same drawing: both lines are short and near each other.
    fn is_near(&self, place: &Place, other: &Place) -> bool {
        if place.file != other.file {
            return false;
        }
        let (Some((source, one)), Some((_, other))) = (self.text(place), self.text(other)) else {
            return false;
        };
        let (first, last) = lines(source, &(one.start.min(other.start)..one.end.max(other.end)));
        last - first <= NEAR && (first..=last).all(|line| source.line_span(line).len() <= BEFORE)
    }
}

/// Adjusts a span so that it is within the text, on character boundaries, and does not end with a line end.
fn fit(source: &Source, start: usize, end: usize) -> Span {
    let text = source.text();
    let start = text.floor_char_boundary(start.clamp(source.start(), text.len()));
    let end = text.floor_char_boundary(end.clamp(start, text.len()));
    let end = start + text[start..end].trim_end_matches(['\r', '\n']).len();
    let (first, last) = lines(source, &(start..end));
    if last - first < LINES { start..end } else { start..source.line_span(first).end.max(start) }
}

/// Returns the first and the last line of a span, from 0.
fn lines(source: &Source, span: &Span) -> (usize, usize) {
    (source.line(span.start), source.line(span.end))
}

/// Returns the lines of all marks, with the marks in them. Long lines are cut around the first mark.
fn draw<'a>(source: &Source, marks: &[Mark<'a>]) -> Snippet<'a, Annotation<'a>> {
    let focus = marks.first().map_or(0, |mark| mark.span.start);
    let start = marks.iter().map(|mark| mark.span.start).min().unwrap_or(focus);
    let end = marks.iter().map(|mark| mark.span.end).max().unwrap_or(focus);
    let (first, last) = lines(source, &(start..end));
    let mut shown = String::new();
    let mut parts: Vec<(Span, usize)> = Vec::new();
    for line in first..=last {
        let part = cut(source, source.line_span(line), focus);
        parts.push((part.clone(), shown.len()));
        shown.push_str(&visible(&source.text()[part]));
        shown.push('\n');
    }
    let place = |offset: usize| {
        let line = source.line(offset);
        parts.get(line.saturating_sub(first)).map_or(0, |(part, start)| {
            let before = part.start..offset.clamp(part.start, part.end);
            start + visible(&source.text()[before]).len()
        })
    };
    let annotations: Vec<_> = marks
        .iter()
        .map(|mark| {
            let label = (!mark.label.is_empty()).then(|| one_line(mark.label));
            mark.kind.span(place(mark.span.start)..place(mark.span.end)).label(label)
        })
        .collect();
    Snippet::source(shown).line_start(first + 1).annotations(annotations)
}

/// Returns the part of a line that is shown: all of it unless it is long.
fn cut(source: &Source, line: Span, focus: usize) -> Span {
    let focus = if (line.start..=line.end).contains(&focus) { focus } else { line.start };
    let text = source.text();
    let start = text.floor_char_boundary(focus.saturating_sub(BEFORE)).max(line.start);
    let end = text.floor_char_boundary((focus + AFTER).min(line.end)).max(start);
    start..end
}
