//! Lays out notes next to code: their distances, their order where there is only one column, and the lanes at the right
//! edge of the code that hold markers and the lines below them. Everything becomes classes, one per decimal digit,
//! because the site's policy forbids style attributes; so a few rules serve listings of any length.

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

/// The class prefixes for a number of rows, by decimal place from the right.
const ROWS: [&str; 5] = ["u", "t", "h", "k", "m"];
/// The class prefixes for a position in the order.
const ORDER: [&str; 4] = ["o", "p", "q", "r"];

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

    /// Returns the classes of the listing's figure: the number of rows.
    #[must_use]
    pub fn figure_classes(&self) -> String {
        digit_classes(self.rows, &ROWS)
    }

    /// Returns the classes of the list of notes: the number of rows above the first note.
    #[must_use]
    pub fn list_classes(&self) -> String {
        digit_classes(self.at.first().copied().unwrap_or(0), &ROWS)
    }

    /// Returns the classes of a note: the number of rows to the next one, its position in the order, and whether it is
    /// folded away.
    #[must_use]
    pub fn note_classes(&self, note: usize) -> String {
        let at = self.at.get(note).copied().unwrap_or(0);
        let next = self.at.get(note + 1).copied();
        let mut classes = digit_classes(next.unwrap_or(at) - at, &ROWS);
        classes.push_str(&digit_classes(note + 1, &ORDER));
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
            let _ = write!(out, "<span class=\"part{}{rest}\">", digit_classes(part.order, &ORDER));
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

/// Returns a class for each nonzero decimal digit of a number, each after a space: 407 is ` u7 h4`.
#[must_use]
pub fn digit_classes(number: usize, places: &[&str]) -> String {
    let mut classes = String::new();
    let mut rest = number;
    for place in places {
        if !rest.is_multiple_of(10) {
            // Writing to a String cannot fail.
            let _ = write!(classes, " {place}{}", rest % 10);
        }
        rest /= 10;
    }
    classes
}

/// Returns the classes of a line's indent, by which its continuation is indented when it is wrapped.
#[must_use]
pub fn indent_classes(text: &str) -> String {
    let blank = text.bytes().take_while(u8::is_ascii_whitespace);
    let columns: usize = blank.map(|byte| if byte == b'\t' { 4 } else { 1 }).sum();
    digit_classes(columns.min(99), &ROWS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(rows: Range<usize>) -> BoundNote {
        BoundNote { rows: vec![rows], ..BoundNote::default() }
    }

    #[test]
    fn numbers_become_a_class_per_digit() {
        assert_eq!(digit_classes(407, &ROWS), " u7 h4");
        assert_eq!(digit_classes(0, &ROWS), "");
        assert_eq!(digit_classes(5000, &ROWS), " k5");
        assert_eq!(indent_classes("\t  x"), " u6");
        assert_eq!(indent_classes(""), "");
    }

    #[test]
    fn the_height_of_a_note_is_the_distance_to_the_next() {
        let layout = NoteLayout::new(21, &[bound(2..3), bound(3..4), bound(15..17), bound(9..10)]);
        assert_eq!(layout.list_classes(), " u2");
        assert_eq!(layout.note_classes(0), " u1 o1");
        assert_eq!(layout.note_classes(1), " u2 t1 o2");
        assert_eq!(layout.note_classes(2), " o3", "the next one is bound above it, but is still placed below it");
        assert_eq!(layout.note_classes(3), " o4");
    }

    #[test]
    fn code_is_split_where_notes_end() {
        let layout = NoteLayout::new(9, &[bound(0..5), bound(2..3), bound(6..7)]);
        let part = |rows, order| CodePart { rows, order };
        assert_eq!(layout.parts, [part(0..5, 1), part(5..7, 3), part(7..9, 4)]);
        let mut html = String::new();
        (0..=9).for_each(|row| layout.write_part_tags(&mut html, row));
        let open = |order| format!("<span class=\"part o{order}\">");
        assert_eq!(html, format!("{}</span>{}</span>{}</span>", open(1), open(3), open(4)));
    }

    #[test]
    fn a_long_listing_is_folded_with_its_notes() {
        let layout = NoteLayout::new(46, &[bound(0..1), bound(30..40), bound(45..46)]).folded();
        assert_eq!(
            layout.parts.iter().map(|part| part.rows.clone()).collect::<Vec<_>>(),
            [0..1, 1..36, 36..40, 40..46]
        );
        assert_eq!((layout.note_classes(1), layout.note_classes(2)), (" u5 t1 o2 edge".into(), " o3 rest".into()));
        assert!(!NoteLayout::new(45, &[]).folded().is_folded());
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
