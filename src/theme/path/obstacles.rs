//! What is in the way of a line. Finding what is near a place takes the same time in a large drawing as in a small one.

use std::collections::BTreeMap;

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
    cells: BTreeMap<(i32, i32), Vec<(Obstacle, Rect)>>,
}

impl Obstacles {
    /// Returns no obstacles, for a drawing with these measures.
    pub fn new(measures: Measures) -> Self {
        Self { cell: (measures.pitch, measures.lane.0 + measures.lane.1), cells: BTreeMap::new() }
    }

    /// Adds an obstacle. Of two pieces of lines from the same stop, one on the other, only the longer one is kept.
    pub fn add(&mut self, obstacle: Obstacle, place: Rect) {
        for cell in place.cells(self.cell) {
            let known = self.cells.entry(cell).or_default();
            if !known.iter().any(|&(other, taken)| other == obstacle && taken.contains(place)) {
                known.retain(|&(other, taken)| other != obstacle || !place.contains(taken));
                known.push((obstacle, place));
            }
        }
    }

    /// Returns the obstacles in the cells of a place, some of them more than once.
    pub fn near(&self, place: Rect) -> impl Iterator<Item = (Obstacle, Rect)> {
        place.cells(self.cell).filter_map(|cell| self.cells.get(&cell)).flatten().copied()
    }
}
