//! Reports tables that lose text: rows with more cells than the table has columns, and lines that only look like a table.

use pulldown_cmark::{Event, Tag, TagEnd};

use super::prose::TextBlock;
use super::quoted;
use crate::Body;
use infralens_source::diag::{Diagnostic, codes};
use infralens_source::source::{Source, Span};

/// Reports rows whose last cells are dropped because the table has no column for them.
pub fn surplus(source: &Source, body: &Body, out: &mut Vec<Diagnostic>) {
    let (mut columns, mut cells, mut end) = (0, 0, 0);
    for (event, span) in body.events.iter() {
        match event {
            Event::Start(Tag::Table(alignments)) => columns = alignments.len(),
            Event::Start(Tag::TableRow) => cells = 0,
            Event::End(TagEnd::TableCell) => (cells, end) = (cells + 1, span.end),
            Event::End(TagEnd::TableRow) if cells == columns && end < span.end => {
                out.extend(lost(source, end..span.end, columns));
            }
            _ => {}
        }
    }
}

/// Reports the rest of a row if there is text in it.
fn lost(source: &Source, rest: Span, columns: usize) -> Option<Diagnostic> {
    let is_frame = |c: char| c == '|' || c.is_whitespace();
    let text = &source.text()[rest.clone()];
    let start = rest.start + text.len() - text.trim_start_matches(is_frame).len();
    let span = start..rest.start + text.trim_end_matches(is_frame).len();
    (!span.is_empty()).then(|| {
        let message =
            format!("`{}` is dropped: this row has more cells than the table has columns", quoted(source, &span));
        source.diagnostic(codes::W0210, span, message).help(format!(
            "write `\\|` for a `|` in a cell, also in code; or add a column to the first two rows, which have {columns}"
        ))
    })
}

/// Reports lines of a paragraph that were meant as a table.
pub fn without_delimiter(source: &Source, block: &TextBlock, out: &mut Vec<Diagnostic>) {
    let lines: Vec<(usize, &str)> = block.lines().collect();
    let found = lines.windows(2).find_map(|pair| {
        let [(at, first), (below, second)] = pair else { return None };
        let written = |at: &usize| source.text()[*at..].lines().next().unwrap_or_default().trim_end();
        let (first_written, second_written) = (written(at), written(below));
        let span = *at..*at + first_written.len();
        if is_delimiter(second) && first.contains('|') {
            let (cells, dashes) = (cells(first_written), cells(second_written));
            let message =
                format!("this is not a table: its first row has {cells} cells, and the row of dashes {dashes}");
            return Some((cells != dashes).then(|| {
                source.diagnostic(codes::W0210, span, message).help("give both rows the same number of cells")
            }));
        }
        let row = "| --- ".repeat(cells(first_written)) + "|";
        (is_row(first, first_written) && is_row(second, second_written)).then(|| {
            let message = "these lines are not a table: the row of dashes below the first line is missing";
            let help = format!("write `{row}` below it");
            Some(source.diagnostic(codes::W0210, span, message).help(help))
        })
    });
    out.extend(found.flatten());
}

/// Returns whether a line begins and ends like the row of a table, both its text and its source.
fn is_row(line: &str, written: &str) -> bool {
    let is_framed =
        |line: &str| line.len() > 1 && line.starts_with('|') && line.ends_with('|') && !line.ends_with("\\|");
    is_framed(line) && is_framed(written) && cells(written) > 1 && line.contains("| ")
}

/// Returns whether a line is the row of dashes below the first row of a table.
fn is_delimiter(line: &str) -> bool {
    let is_part = |byte: u8| matches!(byte, b'|' | b'-' | b':' | b' ' | b'\t');
    line.contains('-') && line.contains('|') && line.bytes().all(is_part)
}

fn cells(line: &str) -> usize {
    // Without escapes, which separate nothing.
    let line = line.trim().replace("\\\\", "  ").replace("\\|", "  ");
    let line = line.strip_prefix('|').unwrap_or(&line);
    line.matches('|').count() + usize::from(!line.ends_with('|'))
}
