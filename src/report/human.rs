//! The human format: message, place, the lines with carets, help; drawn as compilers draw it.
//!
//! What is drawn beside the lines is the renderer's; what stands above and below them is set here. A diagnostic costs
//! the same whatever its file holds: the renderer is given only the lines that are meant, and of a long line only the
//! part around them.

use annotate_snippets::renderer::{self, Style};
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};

use super::{Counts, Cursor, Sources, line, one_line, put, visible};
use crate::diag::{Diagnostic, Place, Severity};
use crate::source::{Source, Span};

/// Columns that a line may take; the renderer cuts longer ones around what is meant. Fixed, so that a report is the
/// same wherever it goes.
const WIDTH: usize = 140;
/// Most lines of a file in one drawing.
const LINES: usize = 60;
/// Most bytes of a line that the renderer is given, before and from what is meant. More than [`WIDTH`] needs.
const BEFORE: usize = 400;
const AFTER: usize = 1600;
/// Most lines between two places that share a drawing.
const NEAR: usize = 12;

/// All diagnostics, then how many there are; empty where there is nothing to say.
///
/// `styled` adds the escape sequences of a terminal; without it no control character but the line feed and the tab is
/// in the text, whatever the course holds.
#[must_use]
pub fn human(diagnostics: &[Diagnostic], sources: &dyn Sources, styled: bool) -> String {
    let mut out = drawn(diagnostics, sources, styled);
    count(&mut out, Counts::of(diagnostics), styled);
    out
}

/// The diagnostics in their order, each with its lines.
pub(super) fn drawn<'d>(
    diagnostics: impl IntoIterator<Item = &'d Diagnostic>,
    sources: &dyn Sources,
    styled: bool,
) -> String {
    let pen = Pen::new(sources, styled);
    let mut out = String::new();
    let mut cursor = Cursor::default();
    for diagnostic in diagnostics {
        pen.diagnostic(&mut out, &mut cursor, diagnostic);
        out.push('\n');
    }
    out
}

/// The line that counts errors and warnings; none where there are none.
pub(super) fn count(out: &mut String, counts: Counts, styled: bool) {
    let strong = if styled { renderer::DEFAULT_EMPHASIS_STYLE } else { Style::new() };
    if counts.errors + counts.warnings > 0 {
        put(out, format_args!("{strong}{counts}{strong:#}\n"));
    }
}

/// What every drawing of a report needs.
struct Pen<'a> {
    sources: &'a dyn Sources,
    renderer: Renderer,
    styled: bool,
    strong: Style,
    frame: Style,
}

/// A place and what is said there.
type Said<'a> = (&'a Place, &'a str);

/// What is said, as it is drawn in the lines of a text.
struct Mark<'a> {
    span: Span,
    label: &'a str,
    kind: AnnotationKind,
}

impl<'a> Pen<'a> {
    fn new(sources: &'a dyn Sources, styled: bool) -> Self {
        let renderer = if styled { Renderer::styled() } else { Renderer::plain() };
        let style = |style| if styled { style } else { Style::new() };
        Self {
            sources,
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

        let (beside, apart): (Vec<_>, Vec<_>) =
            diagnostic.related.iter().partition(|(place, _)| self.is_near(&diagnostic.place, place));
        let beside: Vec<Said<'_>> = beside.into_iter().map(|(place, label)| (place, label.as_str())).collect();
        let gutter = self.place(out, cursor, level, (&diagnostic.place, &diagnostic.label), &beside);
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

    /// Where it is and, if that is in a text, its lines, with what is `said` there and `beside` it. Returns how many
    /// columns stand before the frame.
    fn place(
        &self,
        out: &mut String,
        cursor: &mut Cursor,
        level: Level<'_>,
        said: Said<'_>,
        beside: &[Said<'_>],
    ) -> usize {
        let Self { frame, .. } = self;
        let file = one_line(&said.0.file);
        let Some((source, mark)) = self.mark(AnnotationKind::Primary, said) else {
            let label = if said.1.is_empty() { String::new() } else { format!(": {}", one_line(said.1)) };
            put(out, format_args!(" {frame}-->{frame:#} {file}{label}\n"));
            return 2;
        };
        let at = cursor.position(source, mark.span.start);
        let beside = beside.iter().filter_map(|&said| self.mark(AnnotationKind::Context, said));
        let marks: Vec<_> = std::iter::once(mark).chain(beside.map(|(_, mark)| mark)).collect();
        let drawn = self.renderer.render(&[Group::with_level(level).element(draw(source, &marks))]);
        let gutter = drawn.bytes().take_while(|&byte| byte == b' ').count();
        let indent = " ".repeat(gutter.saturating_sub(1));
        put(out, format_args!("{indent}{frame}-->{frame:#} {file}:{}:{}\n{drawn}\n", at.line, at.column));
        gutter
    }

    /// Help or a note below the lines; what follows its first line is set under it.
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

    fn mark<'b>(&self, kind: AnnotationKind, (place, label): Said<'b>) -> Option<(&'a Source, Mark<'b>)> {
        let (source, span) = self.text(place)?;
        Some((source, Mark { span, label, kind }))
    }

    /// The text of a place, and its span made fit for drawing.
    fn text(&self, place: &Place) -> Option<(&'a Source, Span)> {
        let (start, end) = place.span?;
        let source = self.sources.source(&place.file)?;
        Some((source, fit(source, start, end)))
    }

    /// Whether another place can be drawn in the lines of the first: both short, and not far from each other.
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

/// A span within the text, on character borders, that does not end with a line end.
fn fit(source: &Source, start: usize, end: usize) -> Span {
    let text = source.text();
    let start = text.floor_char_boundary(start.clamp(source.start(), text.len()));
    let end = text.floor_char_boundary(end.clamp(start, text.len()));
    let end = start + text[start..end].trim_end_matches(['\r', '\n']).len();
    let (first, last) = lines(source, &(start..end));
    if last - first < LINES { start..end } else { start..source.line_span(first).end.max(start) }
}

/// The first and the last line of a span, from 0.
fn lines(source: &Source, span: &Span) -> (usize, usize) {
    (line(source, span.start), line(source, span.end))
}

/// The lines of all marks, with the marks in them. The first mark is the one that long lines are cut around.
fn draw<'a>(source: &Source, marks: &[Mark<'a>]) -> Snippet<'a, Annotation<'a>> {
    let focus = marks.first().map_or(0, |mark| mark.span.start);
    let start = marks.iter().map(|mark| mark.span.start).min().unwrap_or(focus);
    let end = marks.iter().map(|mark| mark.span.end).max().unwrap_or(focus);
    let (first, last) = lines(source, &(start..end));
    let mut drawn = String::new();
    let mut parts: Vec<(Span, usize)> = Vec::new();
    for line in first..=last {
        let part = cut(source, source.line_span(line), focus);
        parts.push((part.clone(), drawn.len()));
        drawn.push_str(&visible(&source.text()[part]));
        drawn.push('\n');
    }
    let place = |offset: usize| {
        let line = line(source, offset);
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
    Snippet::source(drawn).line_start(first + 1).annotations(annotations)
}

/// The part of a line that is drawn: all of it unless it is long.
fn cut(source: &Source, line: Span, focus: usize) -> Span {
    let focus = if (line.start..=line.end).contains(&focus) { focus } else { line.start };
    let text = source.text();
    let start = text.floor_char_boundary(focus.saturating_sub(BEFORE)).max(line.start);
    let end = text.floor_char_boundary((focus + AFTER).min(line.end)).max(start);
    start..end
}
