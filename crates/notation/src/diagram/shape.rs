//! The shapes of items: their sizes, the points where edges meet them, and how they are drawn.

use super::canvas::{
    Anchor, Area, BOLD, Canvas, EDGE, FAINT, GROUP, KIND, NODE, NOTE, OUTLINE, PLAIN, Point, SOLID, TextStyle,
    push_point, text_width,
};
use super::graph::{Item, Shape};
use super::paint::{Paint, css};
use super::text::LINE;
use crate::svg::number;

/// The distance between text and outline, and between the cells of a row, in pixels.
const PAD: f64 = 14.0;
/// The horizontal extent of slanted and pointed sides.
const SLANT: f64 = 14.0;
/// Half the height of the ellipse at an end of a cylinder.
const LID: f64 = 7.0;

/// Returns the width and the height of an item that is not a group, in pixels, where edges lead up or down.
pub(super) fn size(item: &Item) -> (f64, f64) {
    let (w, h) = (item.label.width, item.label.height);
    match item.shape {
        Shape::Group => (0.0, 0.0),
        Shape::Box | Shape::Round => (w + 2.0 * PAD, h + PAD),
        Shape::Note => (w + 2.0 * PAD, h + PAD / 2.0 + 4.0),
        Shape::Stadium | Shape::Subroutine => (w + 3.0 * PAD, h + PAD),
        Shape::Cylinder => (w + 2.0 * PAD, h + PAD + 3.0 * LID),
        Shape::Circle => (w.hypot(h) + PAD, w.hypot(h) + PAD),
        Shape::DoubleCircle => (w.hypot(h) + PAD + 10.0, w.hypot(h) + PAD + 10.0),
        Shape::Flag | Shape::Hexagon => (w + 2.0 * PAD + SLANT, h + PAD),
        Shape::LeanRight | Shape::LeanLeft | Shape::Trapezoid | Shape::Funnel => (w + 2.0 * PAD + 2.0 * SLANT, h + PAD),
        Shape::Diamond if item.label.is_empty() => (26.0, 26.0),
        // A text of w × h just fits a diamond of W × H where w/W + h/H is 1.
        Shape::Diamond => (1.5 * w + 50.0, h / (1.0 - w / (1.5 * w + 36.0)) + 10.0),
        Shape::Start | Shape::Finish => (16.0, 16.0),
        Shape::Bar => (70.0, 7.0),
        Shape::Class => {
            let compartments = compartments(item);
            let widths = compartments.iter().flatten().map(|(style, line)| text_width(line, style));
            (widths.fold(0.0, f64::max) + 2.0 * PAD, compartments.iter().map(|lines| height(lines)).sum())
        }
    }
}

/// Returns the corners of an outline with straight sides.
fn corners(shape: Shape, area: &Area) -> Vec<Point> {
    let (l, t, r, b) = (area.left(), area.top(), area.right(), area.bottom());
    let (from_left, from_right) = (l + SLANT, r - SLANT);
    let points = match shape {
        Shape::Diamond => vec![(area.x, t), (r, area.y), (area.x, b), (l, area.y)],
        Shape::Hexagon => {
            vec![(from_left, t), (from_right, t), (r, area.y), (from_right, b), (from_left, b), (l, area.y)]
        }
        Shape::LeanRight => vec![(from_left, t), (r, t), (from_right, b), (l, b)],
        Shape::LeanLeft => vec![(l, t), (from_right, t), (r, b), (from_left, b)],
        Shape::Trapezoid => vec![(from_left, t), (from_right, t), (r, b), (l, b)],
        Shape::Funnel => vec![(l, t), (r, t), (from_right, b), (from_left, b)],
        Shape::Flag => vec![(l, t), (r, t), (r, b), (l, b), (from_left, area.y)],
        _ => vec![(l, t), (r, t), (r, b), (l, b)],
    };
    points.into_iter().map(|(x, y)| Point { x, y }).collect()
}

/// Returns the point where the line from `from`, inside an item, toward `to` crosses its outline.
pub(super) fn border(shape: Shape, area: &Area, from: Point, to: Point) -> Point {
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    let reach = if matches!(shape, Shape::Circle | Shape::DoubleCircle | Shape::Start | Shape::Finish) {
        area.width / 2.0 / dx.hypot(dy)
    } else {
        let corners = corners(shape, area);
        let sides = corners.iter().zip(corners.iter().cycle().skip(1));
        let hits = sides.filter_map(|(a, b)| {
            // from + t·d = a + s·(b − a)
            let (ex, ey) = (b.x - a.x, b.y - a.y);
            let across = dx * ey - dy * ex;
            let t = ((a.x - from.x) * ey - (a.y - from.y) * ex) / across;
            let s = ((a.x - from.x) * dy - (a.y - from.y) * dx) / across;
            (across.abs() > 1e-9 && t > 0.0 && (-1e-6..=1.0 + 1e-6).contains(&s)).then_some(t)
        });
        hits.fold(f64::INFINITY, f64::min)
    };
    let reach = if reach.is_finite() { reach } else { 0.0 };
    Point { x: from.x + dx * reach, y: from.y + dy * reach }
}

pub(super) fn draw(canvas: &mut Canvas, item: &Item, area: &Area) {
    let paint = &item.paint;
    let (mut at, mut text_color) = (Point { x: area.x, y: area.y }, paint.text_color());
    let smaller = |by: f64| Area { width: area.width - by, ..*area };
    match item.shape {
        Shape::Group => {
            canvas.rect(area, 6.0, GROUP, paint);
            at.y = area.top() + 5.0 + item.label.height / 2.0;
            // The fill of a group is only a tint.
            text_color = paint.text.map(css);
        }
        Shape::Box => canvas.rect(area, 4.0, NODE, paint),
        Shape::Round => canvas.rect(area, 9.0, NODE, paint),
        Shape::Stadium => canvas.rect(area, area.height / 2.0, NODE, paint),
        Shape::Subroutine => {
            canvas.rect(area, 0.0, NODE, paint);
            canvas.rect(&smaller(PAD), 0.0, OUTLINE, paint);
        }
        Shape::Cylinder => {
            canvas.path(cylinder(area), area, NODE, paint);
            at.y += LID;
        }
        Shape::Circle => canvas.circle(area, NODE, paint),
        Shape::DoubleCircle => {
            canvas.circle(area, NODE, paint);
            canvas.circle(&smaller(8.0), OUTLINE, paint);
        }
        Shape::Start => canvas.circle(area, SOLID, paint),
        Shape::Finish => {
            canvas.circle(area, EDGE, &Paint::default());
            canvas.circle(&smaller(7.0), SOLID, paint);
        }
        Shape::Bar => canvas.rect(area, 2.0, SOLID, paint),
        Shape::Note => canvas.rect(area, 0.0, NOTE, paint),
        Shape::Class => return draw_class(canvas, item, area),
        shape => canvas.lines(&corners(shape, area), NODE, paint),
    }
    at.x += if item.shape == Shape::Flag { SLANT / 2.0 } else { 0.0 };
    canvas.text(at, &item.label.lines, Anchor::Middle, PLAIN, text_color.as_deref());
}

/// Returns the path of a cylinder: the front and back of its lid, its right side, its bottom, and its left side.
fn cylinder(area: &Area) -> String {
    let (l, t, r, b) = (area.left(), area.top() + LID, area.right(), area.bottom() - LID);
    let mut data = String::new();
    push_point(&mut data, "M", Point { x: l, y: t });
    for (sweep, x, y) in [(0, r, t), (0, l, t), (1, r, t), (1, l, b)] {
        if y > t {
            push_point(&mut data, "L", Point { x: r, y });
        }
        let arc = format!("A{},{LID} 0 0 {sweep} ", number(area.width / 2.0));
        push_point(&mut data, &arc, Point { x, y });
    }
    data + "Z"
}

/// Returns the lines in each compartment of a class: its kind and its name, its fields, and its methods.
fn compartments(item: &Item) -> Vec<Vec<(TextStyle, &String)>> {
    let kind = item.kind.iter().map(|line| (KIND, line));
    let head = kind.chain(item.label.lines.iter().map(|line| (BOLD, line))).collect();
    let members = item.members.iter().map(|lines| lines.iter().map(|line| (PLAIN, line)).collect());
    std::iter::once(head).chain(members).filter(|lines: &Vec<_>| !lines.is_empty()).collect()
}

#[expect(clippy::cast_precision_loss, reason = "a class has far fewer than 2^52 members")]
fn height(lines: &[(TextStyle, &String)]) -> f64 {
    lines.len() as f64 * LINE + PAD / 2.0
}

fn draw_class(canvas: &mut Canvas, item: &Item, area: &Area) {
    let text_color = item.paint.text_color();
    canvas.rect(area, 4.0, NODE, &item.paint);
    let (mut top, mut x, mut anchor) = (area.top(), area.x, Anchor::Middle);
    for lines in compartments(item) {
        if anchor == Anchor::Start {
            let ends = [area.left(), area.right()].map(|x| Point { x, y: top });
            canvas.lines(&ends, if item.paint.line.is_some() { OUTLINE } else { FAINT }, &item.paint);
        }
        let mut y = top + PAD / 4.0 + LINE / 2.0;
        for (style, line) in &lines {
            canvas.text(Point { x, y }, std::slice::from_ref(*line), anchor, style, text_color.as_deref());
            y += LINE;
        }
        // All but the first are aligned at the left.
        (top, x, anchor) = (top + height(&lines), area.left() + PAD, Anchor::Start);
    }
}
