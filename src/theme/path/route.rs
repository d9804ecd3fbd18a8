//! The routes that a line may take, and the rectangles that it may not touch.

use std::cell::Cell;

use super::line::{Router, cost, distance};
use super::to_i32;

/// A point of a drawing.
pub type Point = (i32, i32);

/// How far from the middle of its place a line may be: lines with different ends share a gap side by side.
const SHIFTS: [i32; 5] = [0, 6, -6, 12, -12];
/// The same for the ends at a stop's side, between which arrowheads have room.
const ENDS: [i32; 5] = [0, 10, -10, 20, -20];
/// The distance between two lines below a row of stops.
const TRACK: i32 = 6;

/// A rectangle, or without a width or a height a piece of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rect {
    pub left: i32,
    pub top: i32,
    pub right: i32,
    pub bottom: i32,
}

impl Rect {
    /// Returns the rectangle at an upper left corner.
    pub fn sized((left, top): Point, (width, height): (i32, i32)) -> Self {
        Self { left, top, right: left + width, bottom: top + height }
    }

    /// Returns the piece between two points.
    pub fn between(a: Point, b: Point) -> Self {
        Self { left: a.0.min(b.0), top: a.1.min(b.1), right: a.0.max(b.0), bottom: a.1.max(b.1) }
    }

    /// Returns the rectangle with a margin around it.
    #[must_use]
    pub fn grown(self, margin: i32) -> Self {
        Self {
            left: self.left - margin,
            top: self.top - margin,
            right: self.right + margin,
            bottom: self.bottom + margin,
        }
    }

    /// Returns whether the two have a point in common.
    pub fn meets(self, other: Self) -> bool {
        self.left <= other.right && other.left <= self.right && self.top <= other.bottom && other.top <= self.bottom
    }

    /// Returns whether all of the other is in this.
    pub fn contains(self, other: Self) -> bool {
        self.left <= other.left && other.right <= self.right && self.top <= other.top && other.bottom <= self.bottom
    }

    /// Returns whether two pieces of lines cross, inside of both.
    pub fn crosses(self, other: Self) -> bool {
        let inside = |upright: Self, level: Self| {
            let is_cross = upright.left == upright.right && level.top == level.bottom;
            is_cross
                && level.left < upright.left
                && upright.left < level.right
                && upright.top < level.top
                && level.top < upright.bottom
        };
        inside(self, other) || inside(other, self)
    }
}

/// The routes from one stop to another.
pub struct Routes<'a> {
    /// The drawing.
    pub router: &'a Router<'a>,
    /// The prerequisite.
    pub from: usize,
    /// The stop that requires it.
    pub to: usize,
    /// Whether nothing is in the way of a piece of a line.
    pub is_free: &'a dyn Fn(Rect) -> bool,
    /// The cost of the best route that has been found, in units of length.
    pub best: Cell<i32>,
}

impl Routes<'_> {
    /// Calls a function with the corners of each free route, and with how far its ends are from where they are expected.
    pub fn each(&self, found: &mut dyn FnMut(&[Point], i32)) {
        let (width, height) = self.router.measures.stop;
        let (ax, ay) = self.router.stops[self.from];
        for shift in shifts(ENDS, 10, height) {
            let start = (ax + width, ay + height / 2 + shift);
            self.leave_side(start, 2 * shift.abs(), found);
        }
        // Twice the shift, because the lower edge of a stop is longer than its side.
        for shift in shifts(SHIFTS, 4, width / 2) {
            for y in [ay + height, ay] {
                self.leave_edge((ax + width / 2 + 2 * shift, y), shift.abs(), found);
            }
        }
    }

    /// The routes that begin at a stop's right side.
    fn leave_side(&self, start: Point, detour: i32, found: &mut dyn FnMut(&[Point], i32)) {
        for (end, off) in self.sides() {
            if start.1 == end.1 && self.goes_on(&[start], end) {
                found(&[start, end], detour + off);
            }
        }
        for first in self.channels().filter(|&first| first > start.0) {
            let turn = (first, start.1);
            if !self.goes_on(&[start], turn) {
                continue;
            }
            for (end, off) in self.sides().filter(|(end, _)| first < end.0) {
                let bend = (first, end.1);
                if self.goes_on(&[start, turn], bend) && self.goes_on(&[start, turn, bend], end) {
                    found(&[start, turn, bend, end], detour + off);
                }
            }
            self.along(&[start, turn], detour, found);
        }
    }

    /// The routes that begin at a stop's lower or upper edge.
    fn leave_edge(&self, start: Point, detour: i32, found: &mut dyn FnMut(&[Point], i32)) {
        for (end, off) in self.sides().filter(|(end, _)| start.0 < end.0) {
            let turn = (start.0, end.1);
            if self.goes_on(&[start], turn) && self.goes_on(&[start, turn], end) {
                found(&[start, turn, end], detour + off);
            }
        }
        self.along(&[start], detour, found);
    }

    /// The routes that go on from their last corner up or down to the space between two lanes, and through it.
    fn along(&self, way: &[Point], detour: i32, found: &mut dyn FnMut(&[Point], i32)) {
        let Some(&from) = way.last() else { return };
        for track in self.tracks() {
            let turn = (from.0, track);
            if !self.goes_on(way, turn) {
                continue;
            }
            let way = [way, &[turn]].concat();
            for (end, off) in self.tops().filter(|(end, _)| track < end.1) {
                let last = (end.0, track);
                if self.goes_on(&way, last) && self.goes_on(&[&way[..], &[last]].concat(), end) {
                    found(&[&way[..], &[last, end]].concat(), detour + off);
                }
            }
            for channel in self.channels() {
                let last = (channel, track);
                if self.goes_on(&way, last) {
                    self.end(&[&way[..], &[last]].concat(), detour, found);
                }
            }
        }
    }

    /// The routes that go on from their last corner, in a channel, to the left side of the stop.
    fn end(&self, way: &[Point], detour: i32, found: &mut dyn FnMut(&[Point], i32)) {
        let Some(&(channel, _)) = way.last() else { return };
        for (end, off) in self.sides().filter(|(end, _)| channel < end.0) {
            let bend = (channel, end.1);
            if self.goes_on(way, bend) && self.goes_on(&[way, &[bend]].concat(), end) {
                found(&[way, &[bend, end]].concat(), detour + off);
            }
        }
    }

    /// Returns whether a way may go on to a point: whether it may still be shorter than the best, and nothing is between.
    fn goes_on(&self, way: &[Point], to: Point) -> bool {
        let Some(&last) = way.last() else { return false };
        let ((x, y), (width, height)) = (self.router.stops[self.to], self.router.measures.stop);
        let rest = (x - to.0).max(to.0 - x - width).max(0) + (y - to.1).max(to.1 - y - height).max(0);
        cost(way) + distance(last, to) + rest < self.best.get() && (self.is_free)(Rect::between(last, to))
    }

    /// Returns the ends at the left side of the stop that the routes lead to.
    fn sides(&self) -> impl Iterator<Item = (Point, i32)> + use<> {
        let ((x, y), height) = (self.router.stops[self.to], self.router.measures.stop.1);
        shifts(ENDS, 10, height).map(move |shift| ((x, y + height / 2 + shift), 2 * shift.abs()))
    }

    /// Returns the ends at its upper edge.
    fn tops(&self) -> impl Iterator<Item = (Point, i32)> + use<> {
        let ((x, y), width) = (self.router.stops[self.to], self.router.measures.stop.0);
        shifts(SHIFTS, 4, width / 2).map(move |shift| ((x + width / 2 + 2 * shift, y), 20 + 2 * shift.abs()))
    }

    /// Returns the x positions in three gaps: after the prerequisite, before the stop that requires it, and at the left
    /// edge of the drawing.
    fn channels(&self) -> impl Iterator<Item = i32> + use<> {
        let (measures, positions) = (self.router.measures, &self.router.graph.positions);
        let (after, before) = (positions[self.from].column + 1, positions[self.to].column);
        let gaps = [before, after, 0].map(to_i32).into_iter();
        let room = measures.pitch - measures.stop.0;
        let middle = measures.inset.0 - room / 2;
        let shifts = shifts(SHIFTS, 4, room);
        shifts
            .flat_map(move |shift| gaps.clone().map(move |column| middle + column * measures.pitch + shift))
            .filter(|&x| x > 2)
    }

    /// Returns the y positions below the stops of each lane, above those of the next.
    fn tracks(&self) -> impl Iterator<Item = i32> + use<> {
        let measures = self.router.measures;
        let (height, gap) = measures.lane;
        let below = height - measures.inset.1 - measures.stop.1;
        let room = below + gap + measures.inset.1;
        let lanes = [self.from, self.to].map(|stop| to_i32(self.router.graph.positions[stop].lane));
        let (first, last) = (lanes[0].min(lanes[1]) - 1, lanes[0].max(lanes[1]));
        (first.max(0)..=last).flat_map(move |lane| {
            let last = (lane + 1) * (height + gap) - gap - below;
            (1..).map(move |track| track * TRACK).take_while(move |&at| at < room - 4).map(move |at| last + at)
        })
    }
}

/// Returns those of some shifts that stay within a length and keep a distance from its ends.
fn shifts(from: [i32; 5], distance: i32, length: i32) -> impl Iterator<Item = i32> + Clone {
    from.into_iter().filter(move |shift| shift.abs() * 2 < length - distance)
}
