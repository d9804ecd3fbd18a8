//! How notes stand beside code: how far apart, in which order where there is one column only, and the lanes at the
//! code's right edge in which markers and the lines below them run. All of it becomes classes, one per power of two that a
//! number is the sum of: the site's policy forbids style attributes, and few rules serve listings of any length.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

use super::bind::Bound;

/// Excerpts with more rows than this are folded where scripts run.
const LONGEST: usize = 45;
/// So many rows of a folded excerpt are shown.
const FOLDED: usize = 36;
/// Lanes in which the line below a marker is drawn.
const LANES: usize = 3;

/// The widest indent, in columns, by which a wrapped line hangs.
const WIDEST: usize = 20;
/// The letter of the classes of a number of rows or columns.
const NUMBER: char = 'n';
/// The letter of the classes of a place in the order.
const ORDER: char = 'o';

/// What stands in a lane of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    /// Nothing.
    Empty,
    /// The marker of a note, from 0.
    Ring(usize),
    /// The line below a marker.
    Stem,
    /// The end of that line.
    Foot,
}

/// A piece of the code: on narrow screens notes stand between the pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    rows: Range<usize>,
    order: usize,
}

/// Where the notes of a listing stand.
#[derive(Debug, Default)]
pub struct Level {
    /// Rows of the listing.
    rows: usize,
    /// The row at which it is folded.
    fold: Option<usize>,
    parts: Vec<Part>,
    /// The row that each note stands at, never above the one before.
    at: Vec<usize>,
    cells: BTreeMap<usize, Vec<Cell>>,
}

impl Level {
    /// Of so many rows, and of where the notes are bound.
    #[must_use]
    pub fn new(rows: usize, bound: &[Bound]) -> Self {
        let mut at: Vec<usize> = Vec::with_capacity(bound.len());
        for bound in bound {
            let above = at.last().copied().unwrap_or(0);
            at.push(bound.rows.first().map_or(above, |rows| rows.start.max(above)));
        }
        Self { rows, fold: None, parts: parts(rows, bound), at, cells: cells(bound) }
    }

    /// The same, folded if it is long.
    #[must_use]
    pub fn folded(mut self) -> Self {
        if self.rows > LONGEST {
            self.fold = Some(FOLDED);
            let cut = |part: Part| match part.rows {
                Range { start, end } if start < FOLDED && end > FOLDED => {
                    vec![Part { rows: start..FOLDED, ..part }, Part { rows: FOLDED..end, ..part }]
                }
                _ => vec![part],
            };
            self.parts = std::mem::take(&mut self.parts).into_iter().flat_map(cut).collect();
        }
        self
    }

    /// Whether it is folded.
    #[must_use]
    pub fn is_folded(&self) -> bool {
        self.fold.is_some()
    }

    /// The classes of the listing's figure: how many rows it has.
    #[must_use]
    pub fn figure(&self) -> String {
        powers(NUMBER, self.rows)
    }

    /// The classes of the list of notes: rows above its first note.
    #[must_use]
    pub fn list(&self) -> String {
        powers(NUMBER, self.at.first().copied().unwrap_or(0))
    }

    /// The classes of a note, from 0: rows down to the next one, its place in the order, and whether it is folded away.
    #[must_use]
    pub fn note(&self, note: usize) -> String {
        let at = self.at.get(note).copied().unwrap_or(0);
        let next = self.at.get(note + 1).copied();
        let mut classes = powers(NUMBER, next.unwrap_or(at) - at);
        classes.push_str(&powers(ORDER, note + 1));
        match self.fold {
            Some(fold) if at >= fold => classes.push_str(" rest"),
            Some(fold) if next.is_none_or(|next| next >= fold) => classes.push_str(" edge"),
            _ => {}
        }
        classes
    }

    /// Opens and closes parts before a row is written; call it once more after the last row.
    pub fn cut(&self, out: &mut String, row: usize) {
        if row > 0 && (row == self.rows || self.part_at(row).is_some()) {
            out.push_str("</span>");
        }
        if let Some(part) = self.part_at(row) {
            let rest = if self.fold.is_some_and(|fold| row >= fold) { " rest" } else { "" };
            // Writing to a String cannot fail.
            let _ = write!(out, "<span class=\"part{}{rest}\">", powers(ORDER, part.order));
        }
    }

    fn part_at(&self, row: usize) -> Option<&Part> {
        let index = self.parts.binary_search_by_key(&row, |part| part.rows.start).ok()?;
        self.parts.get(index)
    }

    /// What stands at the right edge of a row, from left to right.
    pub fn cells(&self, row: usize) -> impl Iterator<Item = Cell> + '_ {
        self.cells.get(&row).into_iter().flatten().rev().copied()
    }
}

/// The code in pieces that end where notes end: the note of each follows it.
fn parts(rows: usize, bound: &[Bound]) -> Vec<Part> {
    let ends = bound.iter().map(|bound| bound.rows.last().map_or(0, |rows| rows.end)).chain([rows]);
    let mut parts = Vec::new();
    let mut from = 0;
    for (index, end) in ends.enumerate() {
        if end > from {
            parts.push(Part { rows: from..end, order: index + 1 });
            from = end;
        }
    }
    parts
}

/// Markers, each in the lowest lane that is free, with lines below them to the end of what the note covers.
fn cells(bound: &[Bound]) -> BTreeMap<usize, Vec<Cell>> {
    let mut rings: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
    for (note, bound) in bound.iter().enumerate() {
        for rows in &bound.rows {
            rings.entry(rows.start).or_default().push((note, rows.end));
        }
    }
    let mut cells: BTreeMap<usize, Vec<Cell>> = BTreeMap::new();
    for (row, notes) in rings {
        let taken = |cells: &BTreeMap<usize, Vec<Cell>>, lane: usize| {
            cells.get(&row).and_then(|cells| cells.get(lane)).is_some_and(|&cell| cell != Cell::Empty)
        };
        let lanes: Vec<usize> = (0..).filter(|&lane| !taken(&cells, lane)).take(notes.len()).collect();
        for (&(note, end), &lane) in notes.iter().zip(lanes.iter().rev()) {
            put(&mut cells, row, lane, Cell::Ring(note));
            let below = if lane < LANES { row + 1..end } else { 0..0 };
            for at in below {
                put(&mut cells, at, lane, if at + 1 == end { Cell::Foot } else { Cell::Stem });
            }
        }
    }
    cells
}

fn put(cells: &mut BTreeMap<usize, Vec<Cell>>, row: usize, lane: usize, cell: Cell) {
    let lanes = cells.entry(row).or_default();
    if lanes.len() <= lane {
        lanes.resize(lane + 1, Cell::Empty);
    }
    lanes[lane] = cell;
}

/// The classes of a number, each with a space before it, one per power of two that it is the sum of: 21 is ` n1 n4 n16`.
fn powers(letter: char, number: usize) -> String {
    let mut classes = String::new();
    for power in (0..usize::BITS).map(|bit| 1 << bit).filter(|power| number & power != 0) {
        // Writing to a String cannot fail.
        let _ = write!(classes, " {letter}{power}");
    }
    classes
}

/// The classes of a line's own indent, by which it hangs where it is wrapped.
#[must_use]
pub fn indent(text: &str) -> String {
    let blank = text.bytes().take_while(u8::is_ascii_whitespace);
    let columns: usize = blank.map(|byte| if byte == b'\t' { 4 } else { 1 }).sum();
    powers(NUMBER, columns.min(WIDEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(rows: Range<usize>) -> Bound {
        Bound { rows: vec![rows], ..Bound::default() }
    }

    #[test]
    fn a_number_is_a_class_for_each_power_of_two() {
        assert_eq!(powers(NUMBER, 21), " n1 n4 n16");
        assert_eq!(powers(NUMBER, 0), "");
        assert_eq!(powers(ORDER, 4096), " o4096");
        assert_eq!(indent("\t  x"), " n2 n4");
        assert_eq!(indent(&" ".repeat(400)), " n4 n16");
        assert_eq!(indent(""), "");
    }

    #[test]
    fn a_note_is_as_high_as_the_rows_down_to_the_next() {
        let level = Level::new(21, &[bound(2..3), bound(3..4), bound(15..17), bound(9..10)]);
        assert_eq!(level.list(), " n2");
        assert_eq!(level.note(0), " n1 o1");
        assert_eq!(level.note(1), " n4 n8 o2");
        assert_eq!(level.note(2), " o1 o2", "the next one is bound above it, and stands below it all the same");
        assert_eq!(level.note(3), " o4");
    }

    #[test]
    fn code_is_cut_where_notes_end_and_a_note_inside_another_follows_it() {
        let level = Level::new(9, &[bound(0..5), bound(2..3), bound(6..7)]);
        let part = |rows, order| Part { rows, order };
        assert_eq!(level.parts, [part(0..5, 1), part(5..7, 3), part(7..9, 4)]);
        let mut html = String::new();
        (0..=9).for_each(|row| level.cut(&mut html, row));
        let open = |order| format!("<span class=\"part{order}\">");
        assert_eq!(html, format!("{}</span>{}</span>{}</span>", open(" o1"), open(" o1 o2"), open(" o4")));
    }

    #[test]
    fn a_long_listing_is_folded_with_its_notes() {
        let level = Level::new(46, &[bound(0..1), bound(30..40), bound(45..46)]).folded();
        assert_eq!(level.parts.iter().map(|part| part.rows.clone()).collect::<Vec<_>>(), [0..1, 1..36, 36..40, 40..46]);
        assert_eq!((level.note(1), level.note(2)), (" n1 n2 n4 n8 o2 edge".into(), " o1 o2 rest".into()));
        assert!(!Level::new(45, &[]).folded().is_folded());
    }

    #[test]
    fn markers_stand_in_lanes_that_are_free() {
        let rings = |level: &Level, row| level.cells(row).collect::<Vec<_>>();
        let level = Level::new(9, &[bound(0..4), bound(0..1), bound(1..2), bound(5..7)]);
        assert_eq!(rings(&level, 0), [Cell::Ring(0), Cell::Ring(1)]);
        assert_eq!(rings(&level, 1), [Cell::Stem, Cell::Ring(2)]);
        assert_eq!(rings(&level, 2), [Cell::Stem, Cell::Empty]);
        assert_eq!(rings(&level, 3), [Cell::Foot, Cell::Empty]);
        assert_eq!(rings(&level, 6), [Cell::Foot]);
        let two = Bound { rows: vec![0..1, 3..5], ..Bound::default() };
        let level = Level::new(5, &[two]);
        let cells: Vec<_> = (0..5).flat_map(|row| rings(&level, row)).collect();
        assert_eq!(cells, [Cell::Ring(0), Cell::Ring(0), Cell::Foot]);
    }
}
