//! The outlines of nodes: how large, where an edge meets them, how they are drawn.

use std::fmt::Write as _;

use super::canvas::{
    Anchor, Canvas, FAINT, Fill, Line, NO_FILL, NO_LINE, NODE, NODE_LINE, NOTE, NOTE_LINE, SOLID, Type, Voice,
    push_point,
};
use super::geometry::{Area, Point};
use super::graph::{Node, Record, Shape};
use super::metrics::{LINE, bold_width, width};
use super::style::Paint;

/// Between text and outline, in pixels.
const PAD: f64 = 14.0;
/// How far slanted and pointed sides reach in.
const SLANT: f64 = 14.0;
/// Half the height of the ellipse at a cylinder's end.
const LID: f64 = 7.0;

/// Width and height of a node, in pixels.
pub(super) fn size(node: &Node) -> (f64, f64) {
    let (w, h) = (node.label.width, node.label.height);
    match &node.shape {
        Shape::Box | Shape::Round => (w + 2.0 * PAD, h + PAD),
        Shape::Note => (w + 2.0 * PAD, h + PAD / 2.0 + 4.0),
        Shape::Stadium | Shape::Subroutine => (w + 3.0 * PAD, h + PAD),
        Shape::Cylinder => (w + 2.0 * PAD, h + PAD + 3.0 * LID),
        Shape::Circle => (w.hypot(h) + PAD, w.hypot(h) + PAD),
        Shape::DoubleCircle => (w.hypot(h) + PAD + 10.0, w.hypot(h) + PAD + 10.0),
        Shape::Flag | Shape::Hexagon => (w + 2.0 * PAD + SLANT, h + PAD),
        Shape::LeanRight | Shape::LeanLeft | Shape::Trapezoid | Shape::Funnel => (w + 2.0 * PAD + 2.0 * SLANT, h + PAD),
        Shape::Diamond if node.label.is_empty() => (26.0, 26.0),
        // A text of w × h just fits a diamond of W × H where w/W + h/H is 1.
        Shape::Diamond => (1.5 * w + 50.0, h / (1.0 - w / (1.5 * w + 36.0)) + 10.0),
        Shape::Start | Shape::Finish => (16.0, 16.0),
        Shape::Bar => (70.0, 7.0),
        Shape::Post => (7.0, 70.0),
        Shape::Record(record) => record_size(node, record),
    }
}

/// The corners of an outline with straight sides.
fn corners(shape: &Shape, area: &Area) -> Vec<Point> {
    let (l, t, r, b) = (area.left(), area.top(), area.right(), area.bottom());
    let points: Vec<(f64, f64)> = match shape {
        Shape::Diamond => vec![(area.x, t), (r, area.y), (area.x, b), (l, area.y)],
        Shape::Hexagon => {
            vec![(l + SLANT, t), (r - SLANT, t), (r, area.y), (r - SLANT, b), (l + SLANT, b), (l, area.y)]
        }
        Shape::LeanRight => vec![(l + SLANT, t), (r, t), (r - SLANT, b), (l, b)],
        Shape::LeanLeft => vec![(l, t), (r - SLANT, t), (r, b), (l + SLANT, b)],
        Shape::Trapezoid => vec![(l + SLANT, t), (r - SLANT, t), (r, b), (l, b)],
        Shape::Funnel => vec![(l, t), (r, t), (r - SLANT, b), (l + SLANT, b)],
        Shape::Flag => vec![(l, t), (r, t), (r, b), (l, b), (l + SLANT, area.y)],
        _ => vec![(l, t), (r, t), (r, b), (l, b)],
    };
    points.into_iter().map(|(x, y)| Point { x, y }).collect()
}

/// Where the line from the middle of a node towards `to` leaves its outline.
pub(super) fn border(shape: &Shape, area: &Area, to: Point) -> Point {
    let (dx, dy) = (to.x - area.x, to.y - area.y);
    let length = dx.hypot(dy);
    if length < 1e-6 {
        return Point { x: area.x, y: area.bottom() };
    }
    let reach = match shape {
        Shape::Circle | Shape::DoubleCircle | Shape::Start | Shape::Finish => area.width / 2.0 / length,
        _ => {
            let corners = corners(shape, area);
            let next = corners.iter().cycle().skip(1);
            let hits = corners.iter().zip(next).filter_map(|(a, b)| {
                // middle + t·d = a + s·(b − a)
                let (ex, ey) = (b.x - a.x, b.y - a.y);
                let across = dx * ey - dy * ex;
                let t = ((a.x - area.x) * ey - (a.y - area.y) * ex) / across;
                let s = ((a.x - area.x) * dy - (a.y - area.y) * dx) / across;
                (across.abs() > 1e-9 && t > 0.0 && (-1e-6..=1.0 + 1e-6).contains(&s)).then_some(t)
            });
            hits.fold(f64::INFINITY, f64::min)
        }
    };
    let reach = if reach.is_finite() { reach } else { 0.0 };
    Point { x: area.x + dx * reach, y: area.y + dy * reach }
}

/// Draws a node.
pub(super) fn draw(canvas: &mut Canvas, node: &Node, area: &Area) {
    let (paint, plain) = (&node.paint, Paint::default());
    let look = Type { ink: paint.ink(), ..Type::default() };
    let mut middle = area.y;
    match &node.shape {
        Shape::Box => canvas.rect(area, 4.0, NODE, NODE_LINE, paint),
        Shape::Round => canvas.rect(area, 9.0, NODE, NODE_LINE, paint),
        Shape::Stadium => canvas.rect(area, area.height / 2.0, NODE, NODE_LINE, paint),
        Shape::Subroutine => {
            canvas.rect(area, 0.0, NODE, NODE_LINE, paint);
            let inner = Area { width: area.width - PAD, ..*area };
            canvas.rect(&inner, 0.0, NO_FILL, NODE_LINE, paint);
        }
        Shape::Cylinder => {
            canvas.path(cylinder(area), area, NODE, NODE_LINE, paint);
            middle += LID;
        }
        Shape::Circle => canvas.circle(area, NODE, NODE_LINE, paint),
        Shape::DoubleCircle => {
            canvas.circle(area, NODE, NODE_LINE, paint);
            canvas.circle(&Area { width: area.width - 8.0, ..*area }, NO_FILL, NODE_LINE, paint);
        }
        Shape::Start => canvas.circle(area, SOLID, NO_LINE, paint),
        Shape::Finish => {
            canvas.circle(area, NO_FILL, Line("d-edge", 1.4), &plain);
            canvas.circle(&Area { width: area.width - 7.0, ..*area }, SOLID, NO_LINE, paint);
        }
        Shape::Bar | Shape::Post => canvas.rect(area, 2.0, SOLID, NO_LINE, paint),
        Shape::Note => canvas.rect(area, 0.0, NOTE, NOTE_LINE, paint),
        Shape::Record(record) => return draw_record(canvas, node, record, area),
        shape => polygon(canvas, shape, area, NODE, paint),
    }
    let shift = if node.shape == Shape::Flag { SLANT / 2.0 } else { 0.0 };
    canvas.text(area.x + shift, middle, &node.label.lines, Anchor::Middle, look);
}

fn polygon(canvas: &mut Canvas, shape: &Shape, area: &Area, fill: Fill, paint: &Paint) {
    canvas.lines(&corners(shape, area), fill, NODE_LINE, paint);
}

fn cylinder(area: &Area) -> String {
    let (l, t, r, b) = (area.left(), area.top() + LID, area.right(), area.bottom() - LID);
    let mut data = String::from("M");
    push_point(&mut data, Point { x: l, y: t });
    let radius = super::super::svg::number(area.width / 2.0);
    // Writing to a string cannot fail. The lid in front and behind, down the right side, the bottom, and back up.
    for (sweep, x, y) in [(0, r, t), (0, l, t), (1, r, t)] {
        let _ = write!(data, "A{radius},{LID} 0 0 {sweep} ");
        push_point(&mut data, Point { x, y });
    }
    data.push('L');
    push_point(&mut data, Point { x: r, y: b });
    let _ = write!(data, "A{radius},{LID} 0 0 1 ");
    push_point(&mut data, Point { x: l, y: b });
    data.push('Z');
    data
}

/// Between the cells of a row.
const CELL_GAP: f64 = 14.0;

/// The widths of the columns of a record.
fn columns(record: &Record) -> Vec<f64> {
    let mut widths: Vec<f64> = Vec::new();
    for row in record.parts.iter().flatten() {
        for (at, cell) in row.iter().enumerate() {
            match widths.get_mut(at) {
                Some(known) => *known = known.max(width(cell)),
                None => widths.push(width(cell)),
            }
        }
    }
    widths
}

#[expect(clippy::cast_precision_loss, reason = "a record has far fewer than 2^52 rows")]
fn head_height(node: &Node, record: &Record) -> f64 {
    (node.label.lines.len() + usize::from(record.kind.is_some())) as f64 * LINE + PAD / 2.0
}

#[expect(clippy::cast_precision_loss, reason = "a record has far fewer than 2^52 rows")]
fn part_height(part: &[Vec<String>]) -> f64 {
    part.len() as f64 * LINE + PAD / 2.0
}

fn record_size(node: &Node, record: &Record) -> (f64, f64) {
    let name = node.label.lines.iter().map(|line| bold_width(line)).fold(0.0, f64::max);
    let kind = record.kind.as_ref().map_or(0.0, |kind| width(kind));
    let columns = columns(record);
    let gaps = columns.iter().skip(1).map(|_| CELL_GAP).sum::<f64>();
    let inner = name.max(kind).max(columns.iter().sum::<f64>() + gaps);
    let parts = record.parts.iter().map(|part| part_height(part)).sum::<f64>();
    (inner + 2.0 * PAD, head_height(node, record) + parts)
}

fn draw_record(canvas: &mut Canvas, node: &Node, record: &Record, area: &Area) {
    let ink = node.paint.ink();
    canvas.rect(area, 4.0, NODE, NODE_LINE, &node.paint);
    let head = head_height(node, record);
    let mut y = area.top() + head / 2.0;
    if let Some(kind) = &record.kind {
        let look = Type { voice: Voice::Soft, is_italic: true, ink, ..Type::default() };
        canvas.text(area.x, area.top() + PAD / 4.0 + LINE / 2.0, std::slice::from_ref(kind), Anchor::Middle, look);
        y += LINE / 2.0;
    }
    canvas.text(area.x, y, &node.label.lines, Anchor::Middle, Type { is_bold: true, ink, ..Type::default() });
    let columns = columns(record);
    let mut top = area.top() + head;
    for part in &record.parts {
        let ends = [area.left(), area.right()].map(|x| Point { x, y: top });
        let line = Paint { fill: None, ..node.paint.clone() };
        canvas.lines(&ends, NO_FILL, if node.paint.line.is_some() { NODE_LINE } else { FAINT }, &line);
        let mut y = top + PAD / 4.0 + LINE / 2.0;
        for row in part {
            let mut x = area.left() + PAD;
            for (at, (cell, width)) in row.iter().zip(&columns).enumerate() {
                // The second column names things; those around it say what they are.
                let look = Type {
                    voice: if row.len() > 1 && at != 1 { Voice::Soft } else { Voice::Plain },
                    ink,
                    ..Type::default()
                };
                canvas.text(x, y, std::slice::from_ref(cell), Anchor::Start, look);
                x += width + CELL_GAP;
            }
            y += LINE;
        }
        top += part_height(part);
    }
}
