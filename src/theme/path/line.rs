//! Routes lines between stops: horizontal and vertical, with rounded corners and an arrowhead. Of all routes of a few
//! shapes, a line takes the shortest that meets no stop, no title and no other line.

use std::cell::Cell;
use std::fmt::Write;

use super::graph::Graph;
use super::obstacles::{Obstacle, Obstacles};
use super::route::{Point, Rect, Routes};
use super::{Measures, to_i32};

/// How far lines stay from stops, and from lines that begin elsewhere.
const CLEARANCE: i32 = 4;
/// The cost of a corner, in units of length.
const CORNER: i32 = 40;
/// The length of an arrowhead, and half its width.
const ARROW: (i32, i32) = (6, 4);

/// A line from a stop to one that requires it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The index of the prerequisite.
    pub from: usize,
    /// The index of the stop that requires it.
    pub to: usize,
    /// Its corners, from its first point to its last.
    pub corners: Vec<Point>,
}

/// Routes the lines of one drawing.
#[derive(Debug, Clone, Copy)]
pub struct Router<'a> {
    pub graph: &'a Graph,
    pub measures: Measures,
    /// The upper left corners of the stops.
    pub stops: &'a [(i32, i32)],
}

impl Router<'_> {
    /// Returns the lines in the order of the stops that they lead to, and the pairs of stops between which there is no
    /// room for a line. Short lines are routed first, because they have fewer routes. `obstacles` has the titles of the
    /// lanes at first, and the stops and the lines in the end.
    pub fn lines(&self, obstacles: &mut Obstacles) -> (Vec<Line>, Vec<(usize, usize)>) {
        for (stop, &corner) in self.stops.iter().enumerate() {
            obstacles.add(Obstacle::Stop(stop), Rect::sized(corner, self.measures.stop));
        }
        let needs = self.graph.needs.iter().enumerate();
        let mut pairs: Vec<(usize, usize)> =
            needs.flat_map(|(to, needs)| needs.iter().map(move |&from| (from, to))).collect();
        pairs.sort_by_key(|&(from, to)| (self.distance(from, to), to, from));
        let (mut lines, mut left): (Vec<Line>, Vec<(usize, usize)>) = (Vec::new(), Vec::new());
        for (from, to) in pairs {
            let Some(corners) = self.best(from, to, obstacles) else {
                left.push((from, to));
                continue;
            };
            segments(&corners).for_each(|piece| obstacles.add(Obstacle::Line { from }, piece));
            lines.push(Line { from, to, corners });
        }
        lines.sort_by_key(|line| (line.to, line.from));
        (lines, left)
    }

    fn distance(&self, from: usize, to: usize) -> usize {
        let (a, b) = (self.graph.positions[from], self.graph.positions[to]);
        a.lane.abs_diff(b.lane) * 2 + a.column.abs_diff(b.column)
    }

    /// Returns the shortest route that is free.
    fn best(&self, from: usize, to: usize, obstacles: &Obstacles) -> Option<Vec<Point>> {
        let mut best: Option<(i32, Vec<Point>)> = None;
        let is_free = |piece: Rect| is_free(from, to, piece, obstacles);
        let routes = Routes { router: self, from, to, is_free: &is_free, best: Cell::new(i32::MAX) };
        routes.each(&mut |corners, detour| {
            let cost = detour + cost(corners);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, corners.to_vec()));
                routes.best.set(cost);
            }
        });
        best.map(|(_, corners)| corners)
    }
}

/// Returns whether a piece of a line between two stops stays away from stops, titles and other lines. Lines from the
/// same stop may share their beginning, like the branches of a tree, but do not cross.
fn is_free(start: usize, end: usize, piece: Rect, obstacles: &Obstacles) -> bool {
    let near = piece.grown(CLEARANCE);
    obstacles.near(near).all(|(obstacle, taken)| match obstacle {
        Obstacle::Stop(stop) if stop == start || stop == end => !piece.meets(taken.grown(-1)),
        Obstacle::Line { from } if from == start => !piece.crosses(taken),
        Obstacle::Title => !piece.meets(taken),
        Obstacle::Stop(_) | Obstacle::Line { .. } => !near.meets(taken),
    })
}

/// Returns the parts of a line between its corners.
pub fn segments(corners: &[Point]) -> impl Iterator<Item = Rect> + Clone + '_ {
    corners.windows(2).map(|ends| Rect::between(ends[0], ends[1]))
}

/// Returns the cost of a line or of its beginning: its length, and something for each corner.
pub fn cost(corners: &[Point]) -> i32 {
    let length: i32 = corners.windows(2).map(|ends| distance(ends[0], ends[1])).sum();
    length + CORNER * to_i32(corners.len())
}

/// Returns path data through some corners, rounded if there is space, with an arrowhead at the end if `arrow` is set.
pub fn path_data(corners: &[Point], radius: i32, arrow: bool) -> String {
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
    if let (true, Some(&end), Some(&before)) = (arrow, corners.last(), corners.iter().nth_back(1)) {
        let (x, y) = point_towards(end, before, ARROW.0);
        let across = if y == end.1 { (0, ARROW.1) } else { (ARROW.1, 0) };
        let _ = write!(path, "M{} {}L{} {}", x - across.0, y - across.1, end.0, end.1);
        let _ = write!(path, "L{} {}", x + across.0, y + across.1);
    }
    path
}

/// Returns the distance along a line that is not slanted.
pub fn distance(a: Point, b: Point) -> i32 {
    (a.0 - b.0).abs() + (a.1 - b.1).abs()
}

/// Returns the point at a distance from `from` towards `to`, which differ in one coordinate only.
fn point_towards(from: Point, to: Point, distance: i32) -> Point {
    (from.0 + (to.0 - from.0).signum() * distance, from.1 + (to.1 - from.1).signum() * distance)
}
