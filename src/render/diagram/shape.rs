//! The shapes of items: their sizes, the points where edges meet them, and how they are drawn.

use std::fmt::Write as _;

use super::canvas::{
    Anchor, Area, Canvas, EDGE, FAINT, GROUP, NODE, NOTE, OUTLINE, Point, SOLID, TextStyle, push_point,
};
use super::graph::{Item, Shape};
use super::paint::{Paint, css};
use super::text::{LINE, bold_width, width};

/// The distance between text and outline, and between the cells of a row, in pixels.
const PAD: f64 = 14.0;
/// The horizontal extent of slanted and pointed sides.
const SLANT: f64 = 14.0;
/// Half the height of the ellipse at an end of a cylinder.
const LID: f64 = 7.0;

/// Returns the width and the height of an item that is not a group, in pixels.
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
        Shape::VerticalBar => (7.0, 70.0),
        Shape::Class => {
            let names = item.label.lines.iter().map(|line| bold_width(line));
            let others = item.kind.iter().chain(item.members.iter().flatten()).map(|line| width(line));
            let height = head_height(item) + compartments(item).map(|lines| height(lines.len())).sum::<f64>();
            (names.chain(others).fold(0.0, f64::max) + 2.0 * PAD, height)
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

/// Draws an item.
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
        Shape::Bar | Shape::VerticalBar => canvas.rect(area, 2.0, SOLID, paint),
        Shape::Note => canvas.rect(area, 0.0, NOTE, paint),
        Shape::Class => return draw_class(canvas, item, area),
        shape => canvas.lines(&corners(shape, area), NODE, paint),
    }
    at.x += if item.shape == Shape::Flag { SLANT / 2.0 } else { 0.0 };
    canvas.text(at, &item.label.lines, Anchor::Middle, TextStyle::Plain, text_color.as_deref());
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
        let mut arc = String::from("A");
        super::super::svg::push_number(&mut arc, area.width / 2.0);
        // Writing to a string cannot fail.
        let _ = write!(arc, ",{LID} 0 0 {sweep} ");
        push_point(&mut data, &arc, Point { x, y });
    }
    data + "Z"
}

/// Returns the height of `lines` lines in a class.
#[expect(clippy::cast_precision_loss, reason = "a class has far fewer than 2^52 members")]
fn height(lines: usize) -> f64 {
    lines as f64 * LINE + PAD / 2.0
}

fn head_height(item: &Item) -> f64 {
    height(item.label.lines.len() + usize::from(item.kind.is_some()))
}

/// Returns the fields and the methods of a class, if it has any.
fn compartments(item: &Item) -> impl Iterator<Item = &Vec<String>> {
    item.members.iter().filter(|lines| !lines.is_empty())
}

fn draw_class(canvas: &mut Canvas, item: &Item, area: &Area) {
    let text_color = item.paint.text_color();
    canvas.rect(area, 4.0, NODE, &item.paint);
    let mut top = area.top() + head_height(item);
    let mut name = Point { x: area.x, y: f64::midpoint(area.top(), top) };
    if let Some(kind) = &item.kind {
        let at = Point { x: area.x, y: area.top() + PAD / 4.0 + LINE / 2.0 };
        canvas.text(at, std::slice::from_ref(kind), Anchor::Middle, TextStyle::Kind, text_color.as_deref());
        name.y += LINE / 2.0;
    }
    canvas.text(name, &item.label.lines, Anchor::Middle, TextStyle::Bold, text_color.as_deref());
    for lines in compartments(item) {
        let ends = [area.left(), area.right()].map(|x| Point { x, y: top });
        canvas.lines(&ends, if item.paint.line.is_some() { OUTLINE } else { FAINT }, &item.paint);
        let at = Point { x: area.left() + PAD, y: top + height(lines.len()) / 2.0 };
        canvas.text(at, lines, Anchor::Start, TextStyle::Plain, text_color.as_deref());
        top += height(lines.len());
    }
}
