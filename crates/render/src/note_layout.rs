//! Lays out notes next to code: their distances, their order where there is only one column, and the lanes at the right
//! edge of the code that hold markers and the lines below them. Everything becomes classes, one per power of two that a
//! number is the sum of, because the site's policy forbids style attributes; so a few rules serve listings of any length.

use infralens_source::put;
use std::collections::BTreeMap;
use std::ops::Range;

use unicode_width::UnicodeWidthChar;

use super::bind::BoundNote;

/// Excerpts with more rows than this are folded if scripts run.
const FOLDED_ABOVE: usize = 45;
/// The least number of visible rows of a folded excerpt, and of those that a fold hides: fewer are not worth a click.
const ROWS_WHEN_FOLDED: usize = 36;
const WORTH_FOLDING: usize = 10;
/// The number of lanes in which lines below markers are drawn.
const LANES: usize = 3;

/// The heights, in pixels, of a row of code, of a line of a note, and of the space around a note.
const ROW: usize = 24;
const NOTE_LINE: usize = 22;
const NOTE_SPACE: usize = 8;
/// The letters of a note that fit on one line in a margin of 420 pixels, with a wide font.
const NOTE_LETTERS: usize = 46;
/// The rows below the code, beside its caption and the space below it, that notes may take.
const ROWS_OF_CAPTION: usize = 2;
/// By how many rows a note may stand above or below its line, so that both are on the screen. Only notes that leave no other
/// place go further down.
const FARTHEST: usize = 11;
/// A line of more columns makes a listing broad, and one of more than the other leaves no room for the course column in a
/// window of 1440 pixels: at 13 pixels, as many fit in 700 pixels, and as many beside notes of 300.
const COLUMNS: usize = 76;
const COLUMNS_BESIDE_COURSE: usize = 91;
/// The number of columns of a tab.
const TAB: usize = 4;

/// The letter of the classes for a number of rows or columns.
pub(super) const NUMBER: char = 'n';
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

#[derive(Debug, Default)]
pub struct NoteLayout {
    /// The number of rows of the listing.
    rows: usize,
    /// The row at which it is folded, which is below the lines of all notes.
    fold: Option<usize>,
    parts: Vec<CodePart>,
    /// The row next to which each note starts if the one above it leaves room, never above that one's. Row 0 is the head of
    /// the listing, if it has one.
    at: Vec<usize>,
    cells: BTreeMap<usize, Vec<Cell>>,
}

impl NoteLayout {
    /// Lays out bound notes of these lengths, in letters, next to a number of rows.
    pub fn new(rows: usize, bound: &[BoundNote], lengths: &[usize]) -> Self {
        let height = |letters: &usize| letters.div_ceil(NOTE_LETTERS).max(1) * NOTE_LINE + NOTE_SPACE;
        let heights: Vec<usize> = lengths.iter().map(height).collect();
        let layout = Self::level(rows, bound);
        Self { at: places(rows, &layout.at, &heights), ..layout }
    }

    /// Lays out bound notes next to a number of rows that have no head: each starts at its row.
    pub fn level(rows: usize, bound: &[BoundNote]) -> Self {
        Self { rows, fold: None, parts: parts(rows, bound), at: starts(bound), cells: cells(bound) }
    }

    /// Returns the layout, folded below its last note if there are too many rows.
    pub fn folded(mut self, bound: &[BoundNote]) -> Self {
        let explained = bound.iter().filter_map(|bound| bound.rows.last()).map(|rows| rows.end).max().unwrap_or(0);
        let fold = explained.max(ROWS_WHEN_FOLDED);
        if self.rows > FOLDED_ABOVE && self.rows >= fold + WORTH_FOLDING {
            self.fold = Some(fold);
            let cut = |part: CodePart| match part.rows {
                Range { start, end } if start < fold && end > fold => {
                    vec![CodePart { rows: start..fold, ..part }, CodePart { rows: fold..end, ..part }]
                }
                _ => vec![part],
            };
            self.parts = std::mem::take(&mut self.parts).into_iter().flat_map(cut).collect();
        }
        self
    }

    pub fn is_folded(&self) -> bool {
        self.fold.is_some()
    }

    /// Returns the classes of the listing's figure: the number of rows.
    pub fn figure_classes(&self) -> String {
        power_classes(NUMBER, self.rows)
    }

    /// Returns the classes of the list of notes: the number of rows above the first note, with the head of the listing.
    pub fn list_classes(&self) -> String {
        power_classes(NUMBER, self.at.first().copied().unwrap_or(0))
    }

    /// Returns the classes of a note: the number of rows to the next one, and its position in the order.
    pub fn note_classes(&self, note: usize) -> String {
        let at = self.at.get(note).copied().unwrap_or(0);
        let next = self.at.get(note + 1).copied().unwrap_or(at);
        power_classes(NUMBER, next - at) + &power_classes(ORDER, note + 1)
    }

    /// Writes the tags that end and start parts before a row. Call it once more after the last row.
    pub fn write_part_tags(&self, out: &mut String, row: usize) {
        if row > 0 && (row == self.rows || self.part_at(row).is_some()) {
            out.push_str("</span>");
        }
        if let Some(part) = self.part_at(row) {
            let rest = if self.fold.is_some_and(|fold| row >= fold) { " rest" } else { "" };
            put!(out, "<span class=\"part{}{rest}\">", power_classes(ORDER, part.order));
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

/// Returns the first row of each note, never above that of the note before it.
pub(super) fn starts(bound: &[BoundNote]) -> Vec<usize> {
    let mut last = 0;
    let start = |bound: &BoundNote| {
        last = bound.rows.first().map_or(last, |rows| rows.start.max(last));
        last
    };
    bound.iter().map(start).collect()
}

/// Returns the row next to which each note starts, counted from the listing's head, which is row 0. `lines` are the rows of
/// their code, in order, and `heights` their heights in pixels.
///
/// A note starts at its line, or below the note above it. Notes that would go on below the code take whole rows from the
/// gaps between notes, the last gap first, so that those which are level stay level; then all of them start higher.
fn places(rows: usize, lines: &[usize], heights: &[usize]) -> Vec<usize> {
    let mut at: Vec<usize> = lines.iter().map(|line| line + 1).collect();
    let (mut tops, mut end) = (Vec::with_capacity(at.len()), 0);
    for (at, height) in at.iter().zip(heights) {
        let top = end.max(at * ROW);
        tops.push(top);
        end = top + height;
    }
    // The end is that of the code with its caption.
    let mut below = (rows + 1 + ROWS_OF_CAPTION) * ROW;
    let mut above: usize = heights.iter().sum();
    for (note, height) in heights.iter().enumerate().rev() {
        above -= height;
        let level = at[note];
        let lowest = below.saturating_sub(*height).min((level + FARTHEST) * ROW);
        if tops[note] > lowest {
            let highest = above.div_ceil(ROW).max(level.saturating_sub(FARTHEST));
            at[note] = (lowest / ROW).max(highest).min(tops[note] / ROW);
            // The note above it may push it down again as far as this.
            below = lowest.max(at[note] * ROW);
        } else {
            below = tops[note];
        }
    }
    // One that is below the note above it, and not raised, is no lower than the next.
    for note in (1..at.len()).rev() {
        at[note - 1] = at[note - 1].min(at[note]);
    }
    at
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
        put!(classes, " {letter}{power}");
    }
    classes
}

/// How much room the lines of a listing need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Breadth {
    /// The text column has it.
    Text,
    /// It takes some from the notes.
    Broad,
    /// The course column gives way, too.
    Broadest,
}

impl Breadth {
    /// Returns the breadth of a listing with these lines.
    pub fn of<'t>(lines: impl Iterator<Item = &'t str>) -> Self {
        // What is shorter in bytes cannot be wider in columns, but for tabs.
        let long = lines.filter(|line| line.len() > COLUMNS || line.contains('\t'));
        match long.map(|line| line.chars().map(columns).sum::<usize>()).max() {
            Some(widest) if widest > COLUMNS_BESIDE_COURSE => Self::Broadest,
            Some(widest) if widest > COLUMNS => Self::Broad,
            _ => Self::Text,
        }
    }

    /// Returns the classes of its element, each after a space.
    pub fn classes(self) -> &'static str {
        match self {
            Self::Text => "",
            Self::Broad => " broad",
            Self::Broadest => " broad broadest",
        }
    }
}

/// Returns the columns that a character takes.
fn columns(character: char) -> usize {
    if character == '\t' { TAB } else { character.width().unwrap_or(0) }
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
    }

    /// Notes of a line each.
    fn short(rows: usize, bound: &[BoundNote]) -> NoteLayout {
        NoteLayout::new(rows, bound, &vec![30; bound.len()])
    }

    #[test]
    fn the_height_of_a_note_is_the_distance_to_the_next() {
        let layout = short(21, &[bound(2..3), bound(4..5), bound(15..17), bound(9..10)]);
        assert_eq!(layout.list_classes(), " n1 n2");
        assert_eq!(layout.note_classes(0), " n2 o1");
        assert_eq!(layout.note_classes(1), " n1 n2 n8 o2");
        assert_eq!(layout.note_classes(2), " o1 o2", "the next one is bound above it, and is below it all the same");
        assert_eq!(layout.note_classes(3), " o4");
    }

    #[test]
    fn notes_that_are_longer_than_their_code_rise_by_whole_rows() {
        let places = |rows, lines: &[usize], heights: &[usize]| {
            super::places(rows, lines, &heights.iter().map(|rows| rows * ROW).collect::<Vec<_>>())
        };
        assert_eq!(places(12, &[1, 5, 9], &[2, 2, 2]), [2, 6, 10], "each at its line");
        assert_eq!(places(12, &[1, 5, 9], &[2, 2, 6]), [2, 6, 9], "the last gap gives way first");
        assert_eq!(places(12, &[1, 5, 9], &[2, 2, 8]), [2, 5, 7], "then the one before it");
        assert_eq!(places(12, &[1, 5, 9], &[3, 3, 9]), [0, 3, 6], "then all of them, up to the head");
        assert_eq!(super::places(6, &[2, 3], &[74, 74]), [2, 5], "by no more rows than they need");
        assert_eq!(places(4, &[0, 2], &[9, 9]), [0, 9], "what is left over goes on below");
        assert_eq!(places(60, &[56, 58], &[12, 12])[0], 57 - FARTHEST, "never so far that the line is out of sight");
        assert_eq!(places(60, &[20, 22, 24], &[12, 12, 12]), [12, 24, 36], "nor so far down");
        assert!(places(9, &[], &[]).is_empty());
    }

    #[test]
    fn lines_are_measured_in_columns() {
        let breadth = |line: &str| Breadth::of([line].into_iter());
        assert_eq!(
            [76, 77, 91, 92].map(|columns| breadth(&"x".repeat(columns))),
            [Breadth::Text, Breadth::Broad, Breadth::Broad, Breadth::Broadest]
        );
        assert_eq!((breadth(&"汉".repeat(38)), breadth(&"汉".repeat(39))), (Breadth::Text, Breadth::Broad));
        assert_eq!((breadth(&"\t".repeat(20)), breadth(&"é".repeat(76))), (Breadth::Broad, Breadth::Text));
    }

    #[test]
    fn code_is_split_where_notes_end() {
        let layout = short(9, &[bound(0..5), bound(2..3), bound(6..7)]);
        let part = |rows, order| CodePart { rows, order };
        assert_eq!(layout.parts, [part(0..5, 1), part(5..7, 3), part(7..9, 4)]);
        let mut html = String::new();
        (0..=9).for_each(|row| layout.write_part_tags(&mut html, row));
        let open = |order| format!("<span class=\"part{order}\">");
        assert_eq!(html, format!("{}</span>{}</span>{}</span>", open(" o1"), open(" o1 o2"), open(" o4")));
    }

    #[test]
    fn a_fold_hides_no_note() {
        let fold = |rows, notes: &[BoundNote]| short(rows, notes).folded(notes);
        let layout = fold(60, &[bound(0..1), bound(30..40)]);
        assert_eq!(layout.parts.iter().map(|part| part.rows.clone()).collect::<Vec<_>>(), [0..1, 1..40, 40..60]);
        assert!(!fold(60, &[bound(51..52)]).is_folded(), "too little is left");
        assert!(!fold(45, &[]).is_folded() && fold(46, &[]).is_folded());
    }

    #[test]
    fn markers_use_free_lanes() {
        let markers = |layout: &NoteLayout, row| layout.cells(row).collect::<Vec<_>>();
        let layout = short(9, &[bound(0..4), bound(0..1), bound(1..2), bound(5..7)]);
        assert_eq!(markers(&layout, 0), [Cell::Marker(0), Cell::Marker(1)]);
        assert_eq!(markers(&layout, 1), [Cell::Line, Cell::Marker(2)]);
        assert_eq!(markers(&layout, 2), [Cell::Line, Cell::Empty]);
        assert_eq!(markers(&layout, 3), [Cell::LineEnd, Cell::Empty]);
        assert_eq!(markers(&layout, 6), [Cell::LineEnd]);
        let two = BoundNote { rows: vec![0..1, 3..5], ..BoundNote::default() };
        let layout = short(5, &[two]);
        let cells: Vec<_> = (0..5).flat_map(|row| markers(&layout, row)).collect();
        assert_eq!(cells, [Cell::Marker(0), Cell::Marker(0), Cell::LineEnd]);
    }
}
