//! What is in the way of a line. Finding what is near a place takes the same time in a large drawing as in a small one.

use std::ops::RangeInclusive;

use super::Measures;
use super::route::Rect;

/// What a line may not meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// A stop, by its index.
    Stop(usize),
    /// The title of a lane.
    Title,
    /// A piece of a line, and the stop that the line begins at.
    Line { from: usize },
}

/// The obstacles of a drawing, by the cells of a grid that they are in: a cell is as wide as a column and as high as a lane.
#[derive(Debug, Clone)]
pub struct Obstacles {
    cell: (i32, i32),
    /// The obstacles of each cell, by row and column.
    rows: Vec<Vec<Vec<(Obstacle, Rect)>>>,
}

impl Obstacles {
    /// Returns no obstacles, for a drawing with these measures.
    pub fn new(measures: Measures) -> Self {
        Self { cell: (measures.pitch, measures.lane.0 + measures.lane.1), rows: Vec::new() }
    }

    /// Adds an obstacle. Of two pieces of lines from the same stop, one on the other, only the longer one is kept.
    pub fn add(&mut self, obstacle: Obstacle, place: Rect) {
        let (rows, columns) = self.cells(place);
        self.rows.resize_with(self.rows.len().max(rows.end() + 1), Vec::new);
        for row in &mut self.rows[rows] {
            row.resize_with(row.len().max(columns.end() + 1), Vec::new);
            for known in &mut row[columns.clone()] {
                if !known.iter().any(|&(other, taken)| other == obstacle && taken.contains(place)) {
                    known.retain(|&(other, taken)| other != obstacle || !place.contains(taken));
                    known.push((obstacle, place));
                }
            }
        }
    }

    /// Returns the obstacles in the cells of a place, some of them more than once.
    pub fn near(&self, place: Rect) -> impl Iterator<Item = (Obstacle, Rect)> {
        let (rows, columns) = self.cells(place);
        let rows = self.rows.iter().take(rows.end() + 1).skip(*rows.start());
        rows.flat_map(move |row| row.iter().take(columns.end() + 1).skip(*columns.start())).flatten().copied()
    }

    /// Returns the rows and the columns of the grid that a place is in; what is outside of the grid counts to its edge.
    fn cells(&self, place: Rect) -> (RangeInclusive<usize>, RangeInclusive<usize>) {
        let cells = |from: i32, to: i32, size: i32| {
            let [from, to] = [from, to].map(|at| usize::try_from(at / size.max(1)).unwrap_or(0));
            from..=to
        };
        (cells(place.top, place.bottom, self.cell.1), cells(place.left, place.right, self.cell.0))
    }
}
