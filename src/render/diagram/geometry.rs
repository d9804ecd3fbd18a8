//! Points and boxes.

/// A point, in pixels from the top left.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Point {
    pub x: f64,
    pub y: f64,
}

/// A box by its middle and its size.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Area {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Area {
    pub fn left(&self) -> f64 {
        self.x - self.width / 2.0
    }

    pub fn top(&self) -> f64 {
        self.y - self.height / 2.0
    }

    pub fn right(&self) -> f64 {
        self.x + self.width / 2.0
    }

    pub fn bottom(&self) -> f64 {
        self.y + self.height / 2.0
    }

    pub fn between(left: f64, top: f64, right: f64, bottom: f64) -> Self {
        Self { x: f64::midpoint(left, right), y: f64::midpoint(top, bottom), width: right - left, height: bottom - top }
    }

    /// The smallest box around both.
    pub fn union(&self, other: &Self) -> Self {
        let (left, top) = (self.left().min(other.left()), self.top().min(other.top()));
        Self::between(left, top, self.right().max(other.right()), self.bottom().max(other.bottom()))
    }
}
