//! How far apart the participants of a sequence stand: enough for every text between them.

use super::canvas::{Anchor, Canvas, GROUP, GROUP_LINE, Type};
use super::geometry::Area;
use super::metrics::LINE;
use super::sequence::{Event, Sequence, Side};
use super::style::Paint;
use super::timeline::{BAR, LOOP, PAD};

/// Least distance between the borders of participants, in pixels.
const GAP: f64 = 28.0;

/// The middle of each participant's column.
pub(super) fn columns(sequence: &Sequence) -> Vec<f64> {
    let halves: Vec<f64> =
        sequence.participants.iter().map(|participant| participant.label.width / 2.0 + PAD).collect();
    // From which column, at least how far.
    let mut needs: Vec<Vec<(usize, f64)>> = vec![Vec::new(); halves.len() + 1];
    let mut need = |from: usize, to: usize, distance: f64| needs[to].push((from, distance));
    for event in &sequence.events {
        match event {
            Event::Message { from, to, text, number, .. } => {
                let number = number.map_or(0.0, |_| 2.0 * BAR);
                if from == to {
                    need(*from, from + 1, text.width.max(LOOP) + number + 2.0 * BAR + PAD);
                } else {
                    need(*from.min(to), *from.max(to), text.width + 2.0 * (BAR + PAD) + number);
                }
            }
            Event::Note { side: Side::Right, last, text, .. } => need(*last, last + 1, text.width + 3.0 * PAD + BAR),
            Event::Note { side: Side::Left, first, text, .. } if *first > 0 => {
                need(first - 1, *first, text.width + 3.0 * PAD + BAR);
            }
            Event::Note { side: Side::Over, first, last, text } if first == last => {
                let half = text.width / 2.0 + 2.0 * PAD;
                need(*last, last + 1, half);
                if *first > 0 {
                    need(first - 1, *first, half);
                }
            }
            Event::Note { side: Side::Over, first, last, text } => need(*first, *last, text.width - 2.0 * PAD),
            _ => {}
        }
    }
    let mut columns: Vec<f64> = Vec::with_capacity(halves.len());
    for (at, half) in halves.iter().enumerate() {
        let beside = at.checked_sub(1).map(|before| columns[before] + halves[before] + half + GAP);
        let apart = needs[at].iter().map(|(from, distance)| columns[*from] + distance);
        columns.push(apart.chain(beside).fold(*half, f64::max));
    }
    columns
}

/// Draws the boxes around participants, down to `bottom`.
pub(super) fn draw_boxes(canvas: &mut Canvas, sequence: &Sequence, columns: &[f64], bottom: f64) {
    for group in &sequence.boxes {
        let Some((first, last)) = group.members else { continue };
        let half = |at: usize| sequence.participants[at].label.width / 2.0 + PAD + GAP / 3.0;
        let area = Area::between(columns[first] - half(first), 0.0, columns[last] + half(last), bottom);
        let paint = Paint { fill: group.colour.clone(), ..Paint::default() };
        canvas.rect(&area, 6.0, GROUP, GROUP_LINE, &paint);
        canvas.text(area.x, LINE / 2.0 + 5.0, &group.label.lines, Anchor::Middle, Type::default());
    }
}
