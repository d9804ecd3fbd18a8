//! Estimates how long a page takes to read.

use pulldown_cmark::{Event, Tag};

use super::{Body, is_drawn};

/// Slower than prose is read, because readers of a course stop to compute and to look at the code.
const WORDS_PER_MINUTE: usize = 100;
const LINES_PER_MINUTE: usize = 12;
/// What is no prose takes longer than its words say, by the clock of a reader who was new to the field.
const FORMULAS_PER_MINUTE: usize = 3;
const ROWS_PER_MINUTE: usize = 10;
const MINUTES_PER_DRAWING: usize = 2;

impl Body {
    /// Returns the minutes that it takes to read. A calculator takes as long as a drawing, and a prediction one minute.
    pub fn minutes(&self) -> usize {
        let lines: usize = self.excerpts.iter().map(|excerpt| excerpt.pin.lines().count()).sum();
        let (mut formulas, mut rows) = (0_usize, 0_usize);
        let mut drawings = self.values.iter().filter(|block| block.calculator.is_some()).count();
        for (event, _) in self.events.iter() {
            match event {
                Event::InlineMath(_) | Event::DisplayMath(_) => formulas += 1,
                Event::Start(Tag::TableRow) => rows += 1,
                Event::Start(Tag::Image { .. }) => drawings += 1,
                Event::Start(Tag::CodeBlock(kind)) if is_drawn(&kind) => drawings += 1,
                _ => {}
            }
        }
        let text = self.words.div_ceil(WORDS_PER_MINUTE) + lines.div_ceil(LINES_PER_MINUTE);
        let tables = rows.div_ceil(ROWS_PER_MINUTE) + drawings * MINUTES_PER_DRAWING;
        text + formulas.div_ceil(FORMULAS_PER_MINUTE) + tables + self.predictions.len()
    }
}
