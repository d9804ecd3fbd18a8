//! Routes lines between stops: horizontal and vertical, around the stops in between, with rounded corners.

use std::fmt::Write;

use super::graph::Graph;
use super::{Measures, to_i32};

/// Routes the lines of one drawing.
#[derive(Debug, Clone, Copy)]
pub struct Router<'a> {
    pub graph: &'a Graph,
    pub measures: Measures,
    /// The upper left corners of the stops.
    pub stops: &'a [(i32, i32)],
}

impl Router<'_> {
    /// Returns the line from a stop to one that requires it, as SVG path data.
    pub fn line(&self, from: usize, to: usize) -> String {
        rounded_path(&self.corners(from, to), self.measures.radius)
    }

    /// Returns the corners of a line. It is straight if nothing is in between; else it runs down or up from the stop's
    /// middle and into the other's left side; else through the gap next to the lane and the one before the other's
    /// column.
    fn corners(&self, from: usize, to: usize) -> Vec<(i32, i32)> {
        let (a, b) = (self.graph.positions[from], self.graph.positions[to]);
        let ((ax, ay), (bx, by)) = (self.stops[from], self.stops[to]);
        let (width, height) = self.measures.stop;
        let (middle, end) = (ay + height / 2, (bx, by + height / 2));
        if a.lane == b.lane && self.graph.is_free(a.lane, a.column + 1..b.column) {
            return vec![(ax + width, middle), end];
        }
        let down = a.lane <= b.lane;
        let start = (ax + width / 2, if down { ay + height } else { ay });
        let between = if down { a.lane + 1..b.lane } else { b.lane + 1..a.lane };
        let is_clear = between.into_iter().all(|lane| self.graph.is_free(lane, a.column..a.column + 1));
        if a.lane != b.lane && is_clear && self.graph.is_free(b.lane, a.column..b.column) {
            return vec![start, (start.0, end.1), end];
        }
        let gap = if a.lane == b.lane { self.channel_below(a.lane, from) } else { self.gap_beside(a.lane, down, from) };
        let channel = bx - (self.measures.pitch - width) / 2 - offset(from, self.measures.pitch - width);
        vec![start, (start.0, gap), (channel, gap), (channel, end.1), end]
    }

    /// Returns the y position of a line between a lane and its neighbor.
    fn gap_beside(&self, lane: usize, down: bool, from: usize) -> i32 {
        let (height, gap) = self.measures.lane;
        let top = to_i32(lane) * (height + gap);
        let at = if down { top + height + gap / 2 } else { top - gap / 2 };
        at + offset(from, 2 * self.space_below())
    }

    /// Returns the y position of a line below the stops of its lane.
    fn channel_below(&self, lane: usize, from: usize) -> i32 {
        let (height, gap) = self.measures.lane;
        (to_i32(lane) + 1) * (height + gap) - gap - self.space_below() / 2 + offset(from, self.space_below())
    }

    /// Returns the height of a lane below its stops.
    fn space_below(&self) -> i32 {
        self.measures.lane.0 - self.measures.inset.1 - self.measures.stop.1
    }
}

/// Returns the offset that keeps the lines of different stops apart, at most a third of the available space.
fn offset(stop: usize, room: i32) -> i32 {
    let steps = [0, 1, -1, 2, -2];
    steps[stop % steps.len()] * room / 7
}

/// Returns path data through some corners, rounded if there is space.
fn rounded_path(corners: &[(i32, i32)], radius: i32) -> String {
    let mut path = String::new();
    for (index, &(x, y)) in corners.iter().enumerate() {
        let (before, after) = (index.checked_sub(1).map(|at| corners[at]), corners.get(index + 1));
        // Writing to a String cannot fail.
        let _ = match (before, after) {
            (None, _) => write!(path, "M{x} {y}"),
            (_, None) => write!(path, "L{x} {y}"),
            (Some(before), Some(&after)) => {
                let reach = radius.min(distance(before, (x, y)) / 2).min(distance((x, y), after) / 2);
                let (from, to) = (point_towards((x, y), before, reach), point_towards((x, y), after, reach));
                write!(path, "L{} {}Q{x} {y} {} {}", from.0, from.1, to.0, to.1)
            }
        };
    }
    path
}

fn distance(a: (i32, i32), b: (i32, i32)) -> i32 {
    (a.0 - b.0).abs() + (a.1 - b.1).abs()
}

/// Returns the point at a distance from `from` towards `to`, which differ in one coordinate only.
fn point_towards(from: (i32, i32), to: (i32, i32), distance: i32) -> (i32, i32) {
    (from.0 + (to.0 - from.0).signum() * distance, from.1 + (to.1 - from.1).signum() * distance)
}

#[cfg(test)]
mod tests {
    use super::super::{Drawing, PAGE_MEASURES};
    use super::*;

    fn lines(needs: &[&[usize]], lanes: &[usize]) -> Vec<(usize, String)> {
        let graph = Graph::new(needs.iter().map(|needs| needs.to_vec()).collect(), lanes.to_vec());
        Drawing::new(&graph, PAGE_MEASURES).lines
    }

    #[test]
    fn adjacent_stops_have_a_straight_line() {
        assert_eq!(lines(&[&[], &[0]], &[0, 0]), [(0, "M186 62L225 62".to_string())]);
    }

    #[test]
    fn a_line_bends_into_another_lane() {
        assert_eq!(lines(&[&[], &[0]], &[0, 1]), [(0, "M97 92L97 164Q97 176 109 176L225 176".to_string())]);
    }

    #[test]
    fn a_line_goes_around_the_stops_in_its_way() {
        let lines = lines(&[&[], &[], &[1], &[0, 2]], &[0, 1, 1, 1]);
        let around = &lines.iter().find(|(from, _)| *from == 0).expect("a line").1;
        assert_eq!(around.matches('Q').count(), 3, "{around}");
        assert!(around.ends_with("L442 176"), "{around}");
    }
}
