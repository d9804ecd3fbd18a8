//! Draws a sequence diagram: columns for participants, and rows for events, from top to bottom.
//!
//! 1. Columns are far enough apart for every text between them.
//! 2. Rows are drawn one event after the other, with the active participants and the open blocks as state.
//! 3. Boxes and blocks are drawn below lifelines, and lifelines below messages and notes.

use super::canvas::{
    Anchor, Area, BEHIND_TEXT, BOLD, Canvas, EDGE, FAINT, GROUP, Look, NODE, PLAIN, Point, REVERSED, SOFT, SOLID,
};
use super::edge::draw_markers;
use super::graph::{Edge, Item};
use super::paint::Paint;
use super::sequence::{Event, Sequence, Side};
use super::shape;
use super::text::{LINE, Label, width};

/// The distance between the text and the border of a participant or note, in pixels.
const PAD: f64 = 12.0;
/// The width of an activation bar.
const BAR: f64 = 10.0;
/// The width of the loop of a message from a participant to itself.
const LOOP: f64 = 34.0;
/// The distance between rows.
const ROW: f64 = 12.0;
/// The minimum distance between participants.
const GAP: f64 = 28.0;
/// The height beyond which the participants are repeated at the bottom.
const MIRROR: f64 = 560.0;
/// The style of the label in the corner of a block.
const TAB: Look = Look { fill: NODE.fill, line: FAINT.line };

pub(super) fn draw(sequence: &Sequence) -> Canvas {
    let columns = columns(sequence);
    let head = sequence.participants.iter().map(|participant| participant.label.height).fold(LINE, f64::max) + PAD;
    let top = if sequence.boxes.is_empty() { 0.0 } else { LINE + PAD };
    let mut drawing =
        Drawing { active: vec![Vec::new(); columns.len()], columns, y: top + head + ROW, ..Drawing::default() };
    sequence.events.iter().for_each(|event| drawing.event(event));
    for participant in 0..drawing.columns.len() {
        while drawing.deactivate(participant) {}
    }
    let bottom = drawing.y + ROW / 2.0;
    let names = if bottom > MIRROR { vec![top, bottom] } else { vec![top] };
    let mut canvas = Canvas::default();
    let low = PAD / 2.0 + if names.len() > 1 { bottom + head } else { bottom };
    for (number, item) in sequence.boxes.iter().enumerate() {
        let participants = sequence.participants.iter().zip(&drawing.columns);
        let areas =
            participants.filter(|(participant, _)| participant.parent == Some(number)).map(|(participant, x)| {
                let half = participant.label.width / 2.0 + PAD + GAP / 3.0;
                Area::between(x - half, 0.0, x + half, low)
            });
        areas.reduce(|all, area| all.union(&area)).iter().for_each(|area| shape::draw(&mut canvas, item, area));
    }
    // Inner blocks end first, and outer blocks must be drawn below them.
    drawing.frames.iter().rev().for_each(|frame| canvas.append(frame));
    for (participant, x) in sequence.participants.iter().zip(drawing.columns.iter().copied()) {
        let ends = [top + head, bottom].map(|y| Point { x, y });
        canvas.lines(&ends, FAINT, &Paint::dashed("3 3"));
        for y in &names {
            let width = participant.label.width + 2.0 * PAD;
            shape::draw(&mut canvas, participant, &Area { x, y: y + head / 2.0, width, height: head });
        }
    }
    canvas.append(&drawing.bars);
    canvas.append(&drawing.front);
    canvas
}

/// Returns the center of each participant's column.
fn columns(sequence: &Sequence) -> Vec<f64> {
    let halves = sequence.participants.iter().map(|participant| participant.label.width / 2.0 + PAD);
    let halves: Vec<f64> = halves.collect();
    // For each column, the minimum distances from earlier columns.
    let mut needs: Vec<Vec<(usize, f64)>> = vec![Vec::new(); halves.len() + 1];
    for event in &sequence.events {
        let (first, last, room) = match event {
            Event::Message(Edge { from, to, label: text, .. }, number) => {
                let room = number.map_or(0.0, |_| 2.0 * BAR) + 2.0 * BAR;
                if from == to {
                    (*from, from + 1, text.width.max(LOOP) + room + PAD)
                } else {
                    (*from.min(to), *from.max(to), text.width + room + 2.0 * PAD)
                }
            }
            Event::Note { side, first, last, item } => {
                let width = item.label.width;
                match side {
                    Side::Right => (*last, last + 1, width + 3.0 * PAD + BAR),
                    Side::Left => (first.wrapping_sub(1), *first, width + 3.0 * PAD + BAR),
                    Side::Over if first == last => {
                        needs[last + 1].push((*last, width / 2.0 + 2.0 * PAD));
                        (first.wrapping_sub(1), *first, width / 2.0 + 2.0 * PAD)
                    }
                    Side::Over => (*first, *last, width - 2.0 * PAD),
                }
            }
            _ => continue,
        };
        if first < last {
            needs[last].push((first, room));
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

#[derive(Default)]
struct Drawing<'a> {
    columns: Vec<f64>,
    /// The tops of the open activation bars of each participant.
    active: Vec<Vec<f64>>,
    /// The top of the next row.
    y: f64,
    open: Vec<Block<'a>>,
    /// The frames of closed blocks.
    frames: Vec<Canvas>,
    bars: Canvas,
    front: Canvas,
}

/// A block that is not closed yet.
struct Block<'a> {
    kind: &'static str,
    text: &'a Label,
    paint: Paint,
    top: f64,
    /// The horizontal extent of its content.
    reach: Option<(f64, f64)>,
    dividers: Vec<(f64, &'a Label)>,
}

impl<'a> Drawing<'a> {
    fn event(&mut self, event: &'a Event) {
        match event {
            Event::Message(message, number) => self.message(message, *number),
            Event::Note { side, first, last, item } => self.note(*side, *first, *last, item),
            Event::Activate(participant) => self.active[*participant].push(self.y - ROW),
            Event::Deactivate(participant) => {
                self.deactivate(*participant);
            }
            Event::Begin { kind, text, color } => {
                let paint = Paint { fill: *color, ..Paint::default() };
                self.open.push(Block { kind, text, paint, top: self.y, reach: None, dividers: Vec::new() });
                self.y += if *kind == "rect" { ROW } else { text.height.max(LINE) + ROW };
            }
            Event::Divide(text) => {
                self.open.last_mut().into_iter().for_each(|block| block.dividers.push((self.y, text)));
                self.y += text.height.max(LINE / 2.0) + ROW / 2.0 + 4.0;
            }
            Event::End => self.end(),
        }
    }

    /// Draws the activation bar that ends here; returns whether there is one.
    fn deactivate(&mut self, participant: usize) -> bool {
        let Some(top) = self.active[participant].pop() else { return false };
        let x = self.columns[participant] + self.lean(participant);
        let bar = Area::between(x - BAR / 2.0, top, x + BAR / 2.0, (self.y - ROW / 2.0).max(top + BAR));
        self.bars.rect(&bar, 1.0, NODE, &Paint::default());
        true
    }

    /// Returns the offset to the right of a participant's innermost bar.
    #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52 bars")]
    fn lean(&self, participant: usize) -> f64 {
        self.active[participant].len() as f64 * BAR / 2.0
    }

    /// Returns the position where a line from the right (or the left) ends at a participant.
    fn side(&self, participant: usize, is_right: bool) -> f64 {
        let shift = match self.active[participant].len() {
            0 => 0.0,
            _ if is_right => self.lean(participant),
            _ => -BAR / 2.0,
        };
        self.columns[participant] + shift
    }

    /// Extends the innermost block so that it covers `left` to `right`.
    fn reach(&mut self, left: f64, right: f64) {
        if let Some(block) = self.open.last_mut() {
            let (from, to) = block.reach.unwrap_or((left, right));
            block.reach = Some((from.min(left), to.max(right)));
        }
    }

    fn message(&mut self, message: &Edge, number: Option<usize>) {
        let Edge { from, to, label: text, stroke, tail, head, .. } = message;
        let (is_self, is_right) = (from == to, to >= from);
        let y = self.y + text.height + 4.0;
        let start = Point { x: self.side(*from, is_right), y };
        let end = Point { x: self.side(*to, !is_right || is_self), y: if is_self { y + LINE } else { y } };
        let mut points = vec![start, end];
        if is_self {
            points.splice(1..1, [start, end].map(|Point { y, .. }| Point { x: start.x + LOOP, y }));
        }
        let shift = number.map_or(0.0, |_| if is_right { BAR } else { -BAR });
        let (x, anchor) = if is_self {
            (start.x + 4.0 + shift, Anchor::Start)
        } else {
            (f64::midpoint(start.x, end.x) + shift, Anchor::Middle)
        };
        self.front.text(Point { x, y: self.y + text.height / 2.0 }, &text.lines, anchor, PLAIN, None);
        draw_markers(&mut self.front, &mut points, [*tail, *head]);
        self.front.lines(&points, EDGE, &stroke.paint());
        if let Some(number) = number.map(|number| number.to_string()) {
            let area = Area { x: start.x, y, width: (width(&number) + 6.0).max(18.0), height: 18.0 };
            self.front.rect(&area, 9.0, SOLID, &Paint::default());
            self.front.text(start, &[number], Anchor::Middle, REVERSED, None);
        }
        if is_self {
            self.reach(start.x, x + text.width.max(LOOP));
        } else {
            self.reach(start.x.min(end.x) - BAR / 2.0, start.x.max(end.x) + BAR / 2.0);
        }
        self.y = end.y + ROW;
    }

    fn note(&mut self, side: Side, first: usize, last: usize, item: &Item) {
        let (from, to, wide) = (self.columns[first], self.columns[last], item.label.width + 2.0 * PAD);
        let (left, right) = match side {
            Side::Right => (to + BAR + PAD / 2.0, to + BAR + PAD / 2.0 + wide),
            Side::Left => (from - BAR - PAD / 2.0 - wide, from - BAR - PAD / 2.0),
            Side::Over => {
                let minimum = if first == last { 0.0 } else { (to - from) / 2.0 + 2.0 * PAD };
                let half = f64::max(wide / 2.0, minimum);
                (f64::midpoint(from, to) - half, f64::midpoint(from, to) + half)
            }
        };
        let area = Area::between(left, self.y, right, self.y + item.label.height + PAD / 2.0);
        shape::draw(&mut self.front, item, &area);
        self.reach(left, right);
        self.y = area.bottom() + ROW;
    }

    /// Draws the block that ends here around its content.
    fn end(&mut self) {
        let Some(block) = self.open.pop() else { return };
        let (left, right) = block.reach.unwrap_or((self.columns.first().copied().unwrap_or(0.0), 0.0));
        let tab = width(block.kind) + PAD;
        let texts = block.dividers.iter().map(|(_, text)| text.width).fold(tab + block.text.width, f64::max);
        let (left, right) = (left - 1.5 * PAD, (right + 1.5 * PAD).max(left + texts + 2.0 * PAD));
        let mut frame = Canvas::default();
        let area = Area::between(left, block.top, right, self.y);
        if block.kind == "rect" {
            frame.rect(&area, 4.0, GROUP, &block.paint);
        } else {
            frame.rect(&area, 2.0, FAINT, &Paint::default());
            let corner = Area::between(left, block.top, left + tab, block.top + LINE);
            self.front.rect(&corner, 2.0, TAB, &Paint::default());
            let at = Point { x: corner.x, y: corner.y };
            self.front.text(at, &[block.kind.to_owned()], Anchor::Middle, BOLD, None);
            self.caption(left + tab + PAD / 2.0, block.top + 2.0, block.text);
        }
        for (y, text) in &block.dividers {
            frame.lines(&[left, right].map(|x| Point { x, y: *y }), FAINT, &Paint::dashed("4 4"));
            self.caption(left + PAD / 2.0, y + 2.0, text);
        }
        self.frames.push(frame);
        self.reach(left, right);
        self.y += ROW;
    }

    /// Draws the caption of a block or of a part of it: `[text]`.
    fn caption(&mut self, left: f64, top: f64, text: &Label) {
        if !text.is_empty() {
            let lines = [format!("[{}]", text.lines.join(" "))];
            let area = Area::between(left, top, left + width(&lines[0]), top + LINE - 2.0);
            self.front.rect(&area, 2.0, BEHIND_TEXT, &Paint::default());
            let at = Point { x: left, y: top + LINE / 2.0 - 1.0 };
            self.front.text(at, &lines, Anchor::Start, SOFT, None);
        }
    }
}
