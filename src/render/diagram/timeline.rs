//! Draws a sequence: columns for participants, and rows for what happens, from top to bottom.
//!
//! 1. Columns: far enough apart for every text between them.
//! 2. Rows: one event after the other, remembering what is active and which blocks are open.
//! 3. Layers: boxes and blocks below lifelines, lifelines below messages and notes.

use super::canvas::{
    Anchor, Canvas, EDGE, FAINT, GROUP, GROUP_LINE, LABEL, Line, NO_FILL, NO_LINE, NODE, NODE_LINE, NOTE, NOTE_LINE,
    SOLID, Type, Voice,
};
use super::colour::Colour;
use super::columns::{columns, draw_boxes};
use super::edge::{Tip, draw_head};
use super::geometry::{Area, Point};
use super::graph::Head;
use super::label::Label;
use super::metrics::{LINE, width};
use super::sequence::{Event, Sequence, Side};
use super::style::Paint;

/// Between the text and the border of a participant or a note.
pub(super) const PAD: f64 = 12.0;
/// Width of the bar of one who is active.
pub(super) const BAR: f64 = 10.0;
/// How far a message to oneself reaches out.
pub(super) const LOOP: f64 = 34.0;
/// Between rows.
const ROW: f64 = 12.0;
/// The frames of blocks, and what divides them.
const FRAME: Line = Line(FAINT.0, 1.2);
/// A diagram higher than this names its participants below, too.
const MIRROR: f64 = 560.0;

/// Draws `sequence`.
pub(super) fn draw(sequence: &Sequence) -> Canvas {
    let columns = columns(sequence);
    let head = sequence.participants.iter().map(|participant| participant.label.height).fold(LINE, f64::max) + PAD;
    let top = if sequence.boxes.is_empty() { 0.0 } else { LINE + PAD };
    let mut drawing = Drawing {
        columns: &columns,
        active: vec![Vec::new(); columns.len()],
        y: top + head + ROW,
        open: Vec::new(),
        back: Canvas::default(),
        bars: Canvas::default(),
        front: Canvas::default(),
    };
    for event in &sequence.events {
        drawing.event(event);
    }
    for participant in 0..columns.len() {
        while !drawing.active[participant].is_empty() {
            drawing.deactivate(participant);
        }
    }
    let bottom = drawing.y + ROW / 2.0;
    let mut canvas = Canvas::default();
    draw_boxes(&mut canvas, sequence, &columns, bottom + if bottom > MIRROR { head } else { 0.0 } + PAD / 2.0);
    canvas.append(&drawing.back);
    for (participant, x) in sequence.participants.iter().zip(&columns) {
        let ends = [top + head, bottom].map(|y| Point { x: *x, y });
        canvas.lines(&ends, NO_FILL, FAINT, &Paint { dash: Some("3 3".to_owned()), ..Paint::default() });
        for y in [Some(top), (bottom > MIRROR).then_some(bottom)].into_iter().flatten() {
            let size = participant.label.width + 2.0 * PAD;
            let area = Area { x: *x, y: y + head / 2.0, width: size, height: head };
            let radius = if participant.is_actor { head / 2.0 } else { 4.0 };
            canvas.rect(&area, radius, NODE, NODE_LINE, &Paint::default());
            canvas.text(*x, area.y, &participant.label.lines, Anchor::Middle, Type::default());
        }
    }
    canvas.append(&drawing.bars);
    canvas.append(&drawing.front);
    canvas
}

struct Drawing<'a> {
    columns: &'a [f64],
    /// Where each bar of each participant began.
    active: Vec<Vec<f64>>,
    /// Where the next row begins.
    y: f64,
    open: Vec<Block>,
    back: Canvas,
    bars: Canvas,
    front: Canvas,
}

/// A block that has begun.
struct Block {
    kind: &'static str,
    text: Label,
    colour: Option<Colour>,
    top: f64,
    /// How far what happens in it reaches to the left and to the right.
    reach: Option<(f64, f64)>,
    dividers: Vec<(f64, Label)>,
}

impl Drawing<'_> {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Message { from, to, text, is_dashed, tail, head, number } => {
                let paint = Paint { dash: is_dashed.then(|| "4 4".to_owned()), ..Paint::default() };
                if from == to {
                    self.message_to_self(*from, text, *head, &paint, *number);
                } else {
                    self.message(*from, *to, text, (*tail, *head), &paint, *number);
                }
            }
            Event::Note { side, first, last, text } => self.note(*side, *first, *last, text),
            Event::Activate(participant) => self.active[*participant].push(self.y - ROW),
            Event::Deactivate(participant) => self.deactivate(*participant),
            Event::Begin { kind, text, colour } => {
                let block = Block {
                    kind,
                    text: text.clone(),
                    colour: colour.clone(),
                    top: self.y,
                    reach: None,
                    dividers: Vec::new(),
                };
                self.open.push(block);
                self.y += if *kind == "rect" { ROW } else { text.height.max(LINE) + ROW };
            }
            Event::Divide(text) => {
                let y = self.y;
                if let Some(block) = self.open.last_mut() {
                    block.dividers.push((y, text.clone()));
                }
                self.y += text.height.max(LINE / 2.0) + ROW / 2.0 + 4.0;
            }
            Event::End => self.end(),
        }
    }

    fn deactivate(&mut self, participant: usize) {
        let Some(top) = self.active[participant].pop() else {
            return;
        };
        let x = self.columns[participant] + self.lean(participant);
        let bar = Area::between(x - BAR / 2.0, top, x + BAR / 2.0, (self.y - ROW / 2.0).max(top + BAR));
        self.bars.rect(&bar, 1.0, NODE, NODE_LINE, &Paint::default());
    }

    /// How far the bars that a participant has beside it are moved to the right.
    #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52 bars")]
    fn lean(&self, participant: usize) -> f64 {
        self.active[participant].len() as f64 * BAR / 2.0
    }

    /// Where a line that comes from the right (or the left) ends at a participant.
    fn side(&self, participant: usize, is_right: bool) -> f64 {
        let x = self.columns[participant];
        match (self.active[participant].len(), is_right) {
            (0, _) => x,
            (_, true) => x + self.lean(participant),
            (_, false) => x - BAR / 2.0,
        }
    }

    /// Makes the open blocks reach from `left` to `right`.
    fn reach(&mut self, left: f64, right: f64) {
        if let Some(block) = self.open.last_mut() {
            let (from, to) = block.reach.unwrap_or((left, right));
            block.reach = Some((from.min(left), to.max(right)));
        }
    }

    fn message(
        &mut self,
        from: usize,
        to: usize,
        text: &Label,
        ends: (Head, Head),
        paint: &Paint,
        number: Option<usize>,
    ) {
        let is_right = to > from;
        let line = self.y + text.height + 4.0;
        let [start, end] = [self.side(from, is_right), self.side(to, !is_right)].map(|x| Point { x, y: line });
        let shift = number.map_or(0.0, |_| if is_right { BAR } else { -BAR });
        let middle = f64::midpoint(start.x, end.x) + shift;
        self.front.text(middle, self.y + text.height / 2.0, &text.lines, Anchor::Middle, Type::default());
        let back = |head: Head, tip: &Tip| tip.point(if head == Head::Arrow { 7.0 } else { 0.0 }, 0.0);
        let (tail, head) = (Tip::new(end, start), Tip::new(start, end));
        self.front.lines(&[back(ends.0, &tail), back(ends.1, &head)], NO_FILL, EDGE, paint);
        draw_head(&mut self.front, tail, ends.0, &Paint::default());
        draw_head(&mut self.front, head, ends.1, &Paint::default());
        self.number(start, number);
        self.reach(start.x.min(end.x) - BAR / 2.0, start.x.max(end.x) + BAR / 2.0);
        self.y = line + ROW;
    }

    fn message_to_self(&mut self, at: usize, text: &Label, head: Head, paint: &Paint, number: Option<usize>) {
        let x = self.side(at, true);
        let line = self.y + text.height + 4.0;
        let shift = number.map_or(4.0, |_| BAR + 4.0);
        self.front.text(x + shift, self.y + text.height / 2.0, &text.lines, Anchor::Start, Type::default());
        let low = line + LINE;
        let corners = [(x, line), (x + LOOP, line), (x + LOOP, low), (x + 7.0, low)].map(|(x, y)| Point { x, y });
        self.front.lines(&corners, NO_FILL, EDGE, paint);
        let tip = Tip::new(Point { x: x + LOOP, y: low }, Point { x, y: low });
        draw_head(&mut self.front, tip, head, &Paint::default());
        self.number(Point { x, y: line }, number);
        self.reach(x, x + shift + text.width.max(LOOP));
        self.y = low + ROW;
    }

    fn number(&mut self, at: Point, number: Option<usize>) {
        let Some(number) = number else { return };
        let text = number.to_string();
        let size = (width(&text) + 6.0).max(18.0);
        let area = Area { x: at.x, y: at.y, width: size, height: 18.0 };
        self.front.rect(&area, 9.0, SOLID, NO_LINE, &Paint::default());
        self.front.text(at.x, at.y, &[text], Anchor::Middle, Type { voice: Voice::Reversed, ..Type::default() });
    }

    fn note(&mut self, side: Side, first: usize, last: usize, text: &Label) {
        let wide = text.width + 2.0 * PAD;
        let (left, right) = match side {
            Side::Right => (self.columns[last] + BAR + PAD / 2.0, self.columns[last] + BAR + PAD / 2.0 + wide),
            Side::Left => (self.columns[first] - BAR - PAD / 2.0 - wide, self.columns[first] - BAR - PAD / 2.0),
            Side::Over => {
                let middle = f64::midpoint(self.columns[first], self.columns[last]);
                let half = f64::max(wide / 2.0, (self.columns[last] - self.columns[first]) / 2.0 + 2.0 * PAD);
                let half = if first == last { wide / 2.0 } else { half };
                (middle - half, middle + half)
            }
        };
        let area = Area::between(left, self.y, right, self.y + text.height + PAD / 2.0);
        self.front.rect(&area, 0.0, NOTE, NOTE_LINE, &Paint::default());
        self.front.text(area.x, area.y, &text.lines, Anchor::Middle, Type::default());
        self.reach(left, right);
        self.y = area.bottom() + ROW;
    }

    /// Draws the block that ends here, around what happened in it.
    fn end(&mut self) {
        let Some(block) = self.open.pop() else { return };
        let (left, right) = block.reach.unwrap_or((self.columns.first().copied().unwrap_or(0.0), 0.0));
        let tab = width(block.kind) + PAD;
        let texts =
            block.dividers.iter().map(|(_, text)| text.width).chain([tab + block.text.width]).fold(0.0, f64::max);
        let (left, right) = (left - 1.5 * PAD, (right + 1.5 * PAD).max(left + texts + 2.0 * PAD));
        let area = Area::between(left, block.top, right, self.y);
        let paint = Paint { fill: block.colour, ..Paint::default() };
        if block.kind == "rect" {
            // Below the frames of blocks within it, which have been drawn already.
            let mut below = Canvas::default();
            below.rect(&area, 4.0, GROUP, GROUP_LINE, &paint);
            below.append(&self.back);
            self.back = below;
        } else {
            self.back.rect(&area, 2.0, NO_FILL, FRAME, &paint);
            let corner = Area::between(left, block.top, left + tab, block.top + LINE);
            self.front.rect(&corner, 2.0, NODE, FRAME, &Paint::default());
            self.front.text(
                corner.x,
                corner.y,
                &[block.kind.to_owned()],
                Anchor::Middle,
                Type { is_bold: true, ..Type::default() },
            );
            self.caption(left + tab + PAD / 2.0, block.top + 2.0, &block.text);
        }
        for (y, text) in &block.dividers {
            let ends = [left, right].map(|x| Point { x, y: *y });
            self.back.lines(&ends, NO_FILL, FRAME, &Paint { dash: Some("4 4".to_owned()), ..Paint::default() });
            self.caption(left + PAD / 2.0, y + 2.0, text);
        }
        self.reach(left, right);
        self.y += ROW;
    }

    /// What a block, or a part of it, is about: `[text]`.
    fn caption(&mut self, left: f64, top: f64, text: &Label) {
        if !text.is_empty() {
            let lines = [format!("[{}]", text.lines.join(" "))];
            let size = width(&lines[0]);
            self.front.rect(
                &Area::between(left, top, left + size, top + LINE - 2.0),
                2.0,
                LABEL,
                NO_LINE,
                &Paint::default(),
            );
            self.front.text(
                left,
                top + LINE / 2.0 - 1.0,
                &lines,
                Anchor::Start,
                Type { voice: Voice::Soft, ..Type::default() },
            );
        }
    }
}
