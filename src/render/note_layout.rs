//! Lays out notes next to code: their distances, their order where there is only one column, and the lanes at the right
//! edge of the code that hold markers and the lines below them. Everything becomes classes, one per power of two that a
//! number is the sum of, because the site's policy forbids style attributes; so a few rules serve listings of any length.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

use super::bind::BoundNote;

/// Excerpts with more rows than this are folded if scripts run.
const FOLDED_ABOVE: usize = 45;
/// The number of visible rows of a folded excerpt.
const ROWS_WHEN_FOLDED: usize = 36;
/// The number of lanes in which lines below markers are drawn.
const LANES: usize = 3;

/// The heights, in pixels, of a row of code, of a line of a note, and of what a note has besides: the line with its code
/// and the space around it.
const ROW: usize = 24;
const NOTE_LINE: usize = 22;
const NOTE_HEAD: usize = 40;
/// The letters of a note that fit on one line in the margin, with a wide font.
const NOTE_LETTERS: usize = 38;
/// The number of columns of notes below the code.
const NOTE_COLUMNS: usize = 3;
/// Code with at most this many rows stays in view above notes that, with it, are higher than a screen.
const MAX_STAYING: usize = 12;
const SCREEN: usize = 840;
/// The height of the caption below the code, and by how much notes may always be longer than the code.
const CAPTION: usize = 32;
const TOLERANCE: usize = 96;

/// The widest indent, in columns, that the style sheet knows of a line.
const MAX_INDENT: usize = 60;
/// The letter of the classes for a number of rows or columns.
const NUMBER: char = 'n';
/// The letter of the classes for a position in the order.
const ORDER: char = 'o';

/// The content of a lane in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    /// Nothing.
    Empty,
    /// The marker of the note with this index.
    Marker(usize),
    /// The line below a marker.
    Line,
    /// The end of that line.
    LineEnd,
}

/// A piece of the code. On narrow screens, notes are shown between the pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CodePart {
    rows: Range<usize>,
    order: usize,
}

/// The layout of the notes of a listing.
#[derive(Debug, Default)]
pub struct NoteLayout {
    /// The number of rows of the listing.
    rows: usize,
    /// The row at which it is folded.
    fold: Option<usize>,
    parts: Vec<CodePart>,
    /// The row next to which each note starts, never above the previous one.
    at: Vec<usize>,
    cells: BTreeMap<usize, Vec<Cell>>,
}

impl NoteLayout {
    /// Lays out bound notes next to a number of rows.
    #[must_use]
    pub fn new(rows: usize, bound: &[BoundNote]) -> Self {
        let mut at: Vec<usize> = Vec::with_capacity(bound.len());
        for bound in bound {
            let above = at.last().copied().unwrap_or(0);
            at.push(bound.rows.first().map_or(above, |rows| rows.start.max(above)));
        }
        Self { rows, fold: None, parts: parts(rows, bound), at, cells: cells(bound) }
    }

    /// Returns the layout, folded if there are too many rows.
    #[must_use]
    pub fn folded(mut self) -> Self {
        if self.rows > FOLDED_ABOVE {
            self.fold = Some(ROWS_WHEN_FOLDED);
            let cut = |part: CodePart| match part.rows {
                Range { start, end } if start < ROWS_WHEN_FOLDED && end > ROWS_WHEN_FOLDED => {
                    vec![
                        CodePart { rows: start..ROWS_WHEN_FOLDED, ..part },
                        CodePart { rows: ROWS_WHEN_FOLDED..end, ..part },
                    ]
                }
                _ => vec![part],
            };
            self.parts = std::mem::take(&mut self.parts).into_iter().flat_map(cut).collect();
        }
        self
    }

    /// Returns whether it is folded.
    #[must_use]
    pub fn is_folded(&self) -> bool {
        self.fold.is_some()
    }

    /// Returns the classes that say where notes of these lengths, in letters, are on wide screens: `below` the code, so
    /// that there is no hole, if they would be more than a third longer than the code next to it; and with `stay`, code
    /// that is short stays in view above notes that fill the screen.
    #[must_use]
    pub fn pair_classes(&self, lengths: &[usize]) -> &'static str {
        let height = |letters: usize, width: usize| NOTE_HEAD + letters.div_ceil(width) * NOTE_LINE;
        let beside = |end: usize, (at, letters): (&usize, &usize)| end.max(at * ROW) + height(*letters, NOTE_LETTERS);
        let end = self.at.iter().zip(lengths).fold(0, beside);
        let code = self.rows * ROW + CAPTION;
        let over = end.saturating_sub(code);
        if over <= TOLERANCE || over * 3 <= code {
            return "";
        }
        let columns = lengths.len().clamp(1, NOTE_COLUMNS);
        let width = if columns == 1 { 2 * NOTE_LETTERS } else { NOTE_LETTERS };
        let below = lengths.iter().map(|&letters| height(letters, width)).sum::<usize>() / columns;
        let is_short = self.rows <= MAX_STAYING && code + below > SCREEN;
        if is_short { " below stay" } else { " below" }
    }

    /// Returns the classes of the listing's figure: the number of rows.
    #[must_use]
    pub fn figure_classes(&self) -> String {
        power_classes(NUMBER, self.rows)
    }

    /// Returns the classes of the list of notes: the number of rows above the first note.
    #[must_use]
    pub fn list_classes(&self) -> String {
        power_classes(NUMBER, self.at.first().copied().unwrap_or(0))
    }

    /// Returns the classes of a note: the number of rows to the next one, its position in the order, and whether it is
    /// folded away.
    #[must_use]
    pub fn note_classes(&self, note: usize) -> String {
        let at = self.at.get(note).copied().unwrap_or(0);
        let next = self.at.get(note + 1).copied();
        let mut classes = power_classes(NUMBER, next.unwrap_or(at) - at);
        classes.push_str(&power_classes(ORDER, note + 1));
        match self.fold {
            Some(fold) if at >= fold => classes.push_str(" rest"),
            Some(fold) if next.is_none_or(|next| next >= fold) => classes.push_str(" edge"),
            _ => {}
        }
        classes
    }

    /// Writes the tags that end and start parts before a row. Call it once more after the last row.
    pub fn write_part_tags(&self, out: &mut String, row: usize) {
        if row > 0 && (row == self.rows || self.part_at(row).is_some()) {
            out.push_str("</span>");
        }
        if let Some(part) = self.part_at(row) {
            let rest = if self.fold.is_some_and(|fold| row >= fold) { " rest" } else { "" };
            // Writing to a String cannot fail.
            let _ = write!(out, "<span class=\"part{}{rest}\">", power_classes(ORDER, part.order));
        }
    }

    fn part_at(&self, row: usize) -> Option<&CodePart> {
        let index = self.parts.binary_search_by_key(&row, |part| part.rows.start).ok()?;
        self.parts.get(index)
    }

    /// Returns the cells at the right edge of a row, from left to right.
    pub fn cells(&self, row: usize) -> impl Iterator<Item = Cell> + '_ {
        self.cells.get(&row).into_iter().flatten().rev().copied()
    }
}

/// Splits the code where notes end, so that each note can follow its piece.
fn parts(rows: usize, bound: &[BoundNote]) -> Vec<CodePart> {
    let ends = bound.iter().map(|bound| bound.rows.last().map_or(0, |rows| rows.end)).chain([rows]);
    let mut parts = Vec::new();
    let mut from = 0;
    for (index, end) in ends.enumerate() {
        if end > from {
            parts.push(CodePart { rows: from..end, order: index + 1 });
            from = end;
        }
    }
    parts
}

/// Puts each marker in the lowest free lane, with a line below it to the end of the rows that the note covers.
fn cells(bound: &[BoundNote]) -> BTreeMap<usize, Vec<Cell>> {
    let mut markers: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
    for (note, bound) in bound.iter().enumerate() {
        for rows in &bound.rows {
            markers.entry(rows.start).or_default().push((note, rows.end));
        }
    }
    let mut cells: BTreeMap<usize, Vec<Cell>> = BTreeMap::new();
    for (row, notes) in markers {
        let is_taken = |cells: &BTreeMap<usize, Vec<Cell>>, lane: usize| {
            cells.get(&row).and_then(|cells| cells.get(lane)).is_some_and(|&cell| cell != Cell::Empty)
        };
        let lanes: Vec<usize> = (0..).filter(|&lane| !is_taken(&cells, lane)).take(notes.len()).collect();
        for (&(note, end), &lane) in notes.iter().zip(lanes.iter().rev()) {
            set_cell(&mut cells, row, lane, Cell::Marker(note));
            let below = if lane < LANES { row + 1..end } else { 0..0 };
            for at in below {
                set_cell(&mut cells, at, lane, if at + 1 == end { Cell::LineEnd } else { Cell::Line });
            }
        }
    }
    cells
}

fn set_cell(cells: &mut BTreeMap<usize, Vec<Cell>>, row: usize, lane: usize, cell: Cell) {
    let lanes = cells.entry(row).or_default();
    if lanes.len() <= lane {
        lanes.resize(lane + 1, Cell::Empty);
    }
    lanes[lane] = cell;
}

/// Returns the classes of a number, each after a space, one per power of two that it is the sum of: 21 is ` n1 n4 n16`.
pub(super) fn power_classes(letter: char, number: usize) -> String {
    let mut classes = String::new();
    for power in (0..usize::BITS).map(|bit| 1 << bit).filter(|power| number & power != 0) {
        // Writing to a String cannot fail.
        let _ = write!(classes, " {letter}{power}");
    }
    classes
}

/// Returns the classes of a height in rows.
#[must_use]
pub fn row_classes(rows: usize) -> String {
    power_classes(NUMBER, rows)
}

/// Returns the classes of a line's indent, by which its continuation is indented when it is wrapped.
#[must_use]
pub fn indent_classes(text: &str) -> String {
    let blank = text.bytes().take_while(u8::is_ascii_whitespace);
    let columns: usize = blank.map(|byte| if byte == b'\t' { 4 } else { 1 }).sum();
    power_classes(NUMBER, columns.min(MAX_INDENT))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(rows: Range<usize>) -> BoundNote {
        BoundNote { rows: vec![rows], ..BoundNote::default() }
    }

    #[test]
    fn a_number_is_a_class_for_each_power_of_two() {
        assert_eq!(power_classes(NUMBER, 21), " n1 n4 n16");
        assert_eq!(power_classes(NUMBER, 0), "");
        assert_eq!(power_classes(ORDER, 4096), " o4096");
        assert_eq!(indent_classes("\t  x"), " n2 n4");
        assert_eq!(indent_classes(&" ".repeat(400)), " n4 n8 n16 n32");
        assert_eq!(indent_classes(""), "");
    }

    #[test]
    fn the_height_of_a_note_is_the_distance_to_the_next() {
        let layout = NoteLayout::new(21, &[bound(2..3), bound(3..4), bound(15..17), bound(9..10)]);
        assert_eq!(layout.list_classes(), " n2");
        assert_eq!(layout.note_classes(0), " n1 o1");
        assert_eq!(layout.note_classes(1), " n4 n8 o2");
        assert_eq!(layout.note_classes(2), " o1 o2", "the next one is bound above it, and is below it all the same");
        assert_eq!(layout.note_classes(3), " o4");
    }

    #[test]
    fn code_is_split_where_notes_end() {
        let layout = NoteLayout::new(9, &[bound(0..5), bound(2..3), bound(6..7)]);
        let part = |rows, order| CodePart { rows, order };
        assert_eq!(layout.parts, [part(0..5, 1), part(5..7, 3), part(7..9, 4)]);
        let mut html = String::new();
        (0..=9).for_each(|row| layout.write_part_tags(&mut html, row));
        let open = |order| format!("<span class=\"part{order}\">");
        assert_eq!(html, format!("{}</span>{}</span>{}</span>", open(" o1"), open(" o1 o2"), open(" o4")));
    }

    #[test]
    fn a_long_listing_is_folded_with_its_notes() {
        let layout = NoteLayout::new(46, &[bound(0..1), bound(30..40), bound(45..46)]).folded();
        assert_eq!(
            layout.parts.iter().map(|part| part.rows.clone()).collect::<Vec<_>>(),
            [0..1, 1..36, 36..40, 40..46]
        );
        assert_eq!(
            (layout.note_classes(1), layout.note_classes(2)),
            (" n1 n2 n4 n8 o2 edge".into(), " o1 o2 rest".into())
        );
        assert!(!NoteLayout::new(45, &[]).folded().is_folded());
    }

    #[test]
    fn notes_much_longer_than_their_code_are_below_it() {
        let layout = |rows, notes: &[usize]| {
            NoteLayout::new(rows, &notes.iter().map(|&at| bound(at..at + 1)).collect::<Vec<_>>())
        };
        let classes = |rows, notes: &[usize], lengths: &[usize]| layout(rows, notes).pair_classes(lengths);
        assert_eq!(classes(6, &[0, 2, 4], &[180, 150, 160]), " below");
        assert_eq!(classes(30, &[0, 2, 4], &[180, 150, 160]), "", "there is room beside the code");
        assert_eq!(classes(30, &[27, 28], &[300, 400]), " below", "the last lines are those that are explained");
        assert_eq!(classes(2, &[0], &[60]), "", "a small hole is not one");
        assert_eq!(classes(2, &[0], &[4000]), " below stay", "more than a screen about two lines");
        assert_eq!(classes(2, &[], &[]), "");
    }

    #[test]
    fn markers_use_free_lanes() {
        let markers = |layout: &NoteLayout, row| layout.cells(row).collect::<Vec<_>>();
        let layout = NoteLayout::new(9, &[bound(0..4), bound(0..1), bound(1..2), bound(5..7)]);
        assert_eq!(markers(&layout, 0), [Cell::Marker(0), Cell::Marker(1)]);
        assert_eq!(markers(&layout, 1), [Cell::Line, Cell::Marker(2)]);
        assert_eq!(markers(&layout, 2), [Cell::Line, Cell::Empty]);
        assert_eq!(markers(&layout, 3), [Cell::LineEnd, Cell::Empty]);
        assert_eq!(markers(&layout, 6), [Cell::LineEnd]);
        let two = BoundNote { rows: vec![0..1, 3..5], ..BoundNote::default() };
        let layout = NoteLayout::new(5, &[two]);
        let cells: Vec<_> = (0..5).flat_map(|row| markers(&layout, row)).collect();
        assert_eq!(cells, [Cell::Marker(0), Cell::Marker(0), Cell::LineEnd]);
    }
}
