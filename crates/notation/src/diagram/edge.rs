//! Draws a graph: its items, and its edges as smooth lines with markers and labels.

use super::canvas::{
    Anchor, Area, BEHIND_TEXT, Canvas, EDGE, HOLLOW, Look, Point, SOFT, SOLID, SOLID_LINED, THICK_EDGE, push_point,
};
use super::graph::{Edge, Graph, Marker, Shape, Stroke};
use super::paint::Paint;
use super::shape::{self, border};
use super::text::{LINE, Label};

/// Draws a graph: groups, then edges, then nodes, then the labels of edges.
pub(super) fn draw_graph(graph: &Graph) -> Canvas {
    let mut canvas = Canvas::default();
    let shown = graph.edges.iter().filter(|edge| edge.stroke != Stroke::Hidden && edge.points.len() > 1);
    let shown: Vec<(&Edge, Vec<Point>)> = shown.map(|edge| (edge, trimmed(graph, edge))).collect();
    for group in &graph.groups {
        shape::draw(&mut canvas, &graph.items[*group], &graph.items[*group].area);
    }
    for (edge, points) in &shown {
        draw_line(&mut canvas, edge, points);
    }
    for item in graph.order().skip(graph.groups.len()) {
        shape::draw(&mut canvas, &graph.items[item], &graph.items[item].area);
    }
    for (edge, points) in &shown {
        if let Some(at) = edge.label_at {
            draw_label(&mut canvas, &edge.label, at);
        }
        draw_end_label(&mut canvas, &edge.tail_label, points.iter());
        draw_end_label(&mut canvas, &edge.head_label, points.iter().rev());
    }
    canvas
}

/// Returns the points of an edge, from the outline of one item to the outline of the other.
fn trimmed(graph: &Graph, edge: &Edge) -> Vec<Point> {
    let mut points = edge.points.clone();
    if let Some(at) = edge.label_at.filter(|_| edge.from == edge.to) {
        make_room(&mut points, &graph.items[edge.from].area, &edge.label, at);
    }
    for item in [edge.from, edge.to] {
        trim(&mut points, graph.items[item].shape, &graph.items[item].area);
        points.reverse();
    }
    points
}

/// Narrows a loop, to the right of an item or below it, so that its label is outside of it.
fn make_room(points: &mut [Point], area: &Area, label: &Label, at: Point) {
    let (right, bottom, is_beside) = (area.right(), area.bottom(), at.x > area.right());
    let (reach, half) = if is_beside { (at.x - right, label.width / 2.0) } else { (at.y - bottom, label.height / 2.0) };
    let share = ((reach - half - 6.0) / reach).clamp(0.2, 1.0);
    for point in points {
        if is_beside {
            point.x -= (point.x - right).max(0.0) * (1.0 - share);
        } else {
            point.y -= (point.y - bottom).max(0.0) * (1.0 - share);
        }
    }
}

/// Moves the first of `points` to the outline of an item.
fn trim(points: &mut Vec<Point>, shape: Shape, area: &Area) {
    let is_inside =
        |point: &Point| (point.x - area.x).abs() < area.width / 2.0 && (point.y - area.y).abs() < area.height / 2.0;
    // A route to a group leads to an item in it.
    while points.len() > 2 && is_inside(&points[1]) {
        points.remove(0);
    }
    let &mut [ref mut first, next, ..] = points.as_mut_slice() else { return };
    if shape != Shape::Group {
        *first = border(shape, area, Point { x: area.x, y: area.y }, next);
    } else if is_inside(first) {
        *first = border(shape, area, *first, next);
    }
}

fn draw_line(canvas: &mut Canvas, edge: &Edge, points: &[Point]) {
    let mut points = points.to_vec();
    draw_markers(canvas, &mut points, [edge.tail, edge.head]);
    let look = if edge.stroke == Stroke::Thick { THICK_EDGE } else { EDGE };
    canvas.path(curve(&points), &Area::around(points).unwrap_or_default(), look, &edge.stroke.paint());
}

/// Draws the markers at the ends of a line, and shortens the line so that it does not cross them.
pub(super) fn draw_markers(canvas: &mut Canvas, points: &mut [Point], ends: [Marker; 2]) {
    for marker in ends {
        let tip = Tip::new(points[1], points[0]);
        let room = (points[0].x - points[1].x).hypot(points[0].y - points[1].y);
        points[0] = tip.point(draw_marker(canvas, tip, marker).min(room * 0.9), 0.0);
        points.reverse();
    }
}

/// The tip of an edge and the direction that it points in, of length 1.
#[derive(Clone, Copy)]
struct Tip {
    at: Point,
    dx: f64,
    dy: f64,
}

impl Tip {
    /// Creates the tip at `at` of a line that comes from `from`.
    fn new(from: Point, at: Point) -> Self {
        let (dx, dy) = (at.x - from.x, at.y - from.y);
        let length = dx.hypot(dy).max(1e-9);
        Self { at, dx: dx / length, dy: dy / length }
    }

    /// Returns the point at a distance of `back` behind the tip and `aside` to its right.
    fn point(&self, back: f64, aside: f64) -> Point {
        Point { x: self.at.x - self.dx * back - self.dy * aside, y: self.at.y - self.dy * back + self.dx * aside }
    }
}

/// Draws the marker at the tip of a line. Returns the distance from the tip at which the line ends, so that it does not
/// cross the marker.
fn draw_marker(canvas: &mut Canvas, tip: Tip, marker: Marker) -> f64 {
    // The points of a marker: how far behind the tip, and how far to the right.
    const DIAMOND: &[(f64, f64)] = &[(0.0, 0.0), (7.5, -4.5), (15.0, 0.0), (7.5, 4.5)];
    let (length, look, points): (f64, Look, &[(f64, f64)]) = match marker {
        Marker::None => return 0.0,
        Marker::Circle | Marker::Lollipop => {
            let Point { x, y } = tip.point(4.5, 0.0);
            let look = if marker == Marker::Circle { SOLID } else { HOLLOW };
            canvas.circle(&Area { x, y, width: 8.0, height: 8.0 }, look, &Paint::default());
            return 9.0;
        }
        Marker::Arrow => (7.0, SOLID, &[(0.0, 0.0), (8.5, -4.0), (8.5, 4.0)]),
        Marker::Open => (0.0, EDGE, &[(8.0, -4.5), (0.0, 0.0), (8.0, 4.5)]),
        Marker::Cross => (0.0, EDGE, &[(10.0, -4.5), (1.0, 4.5), (5.5, 0.0), (10.0, 4.5), (1.0, -4.5)]),
        Marker::Triangle => (12.0, HOLLOW, &[(0.0, 0.0), (12.0, -6.0), (12.0, 6.0)]),
        Marker::Diamond => (15.0, SOLID_LINED, DIAMOND),
        Marker::HollowDiamond => (15.0, HOLLOW, DIAMOND),
    };
    let points: Vec<Point> = points.iter().map(|(back, aside)| tip.point(*back, *aside)).collect();
    canvas.lines(&points, look, &Paint::default());
    length
}

/// Returns the path of a smooth line that begins and ends at the outer `points` and bends towards those between them.
fn curve(points: &[Point]) -> String {
    let mut data = String::new();
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return data };
    push_point(&mut data, "M", *first);
    for (at, pair) in points.windows(2).enumerate() {
        let middle = Point { x: f64::midpoint(pair[0].x, pair[1].x), y: f64::midpoint(pair[0].y, pair[1].y) };
        if at == 0 {
            push_point(&mut data, "L", middle);
        } else {
            push_point(&mut data, "Q", pair[0]);
            push_point(&mut data, " ", middle);
        }
    }
    push_point(&mut data, "L", *last);
    data
}

fn draw_label(canvas: &mut Canvas, label: &Label, at: Point) {
    if !label.is_empty() {
        let back = Area { x: at.x, y: at.y, width: label.width + 6.0, height: label.height };
        canvas.rect(&back, 2.0, BEHIND_TEXT, &Paint::default());
        canvas.text(at, &label.lines, Anchor::Middle, SOFT, None);
    }
}

/// Draws a label next to the first of `points`.
fn draw_end_label<'a>(canvas: &mut Canvas, label: &Label, mut points: impl Iterator<Item = &'a Point>) {
    if let (Some(first), Some(next)) = (points.next(), points.next()) {
        let tip = Tip::new(*next, *first);
        let aside = (label.width / 2.0 + 6.0) * tip.dy.abs() + (LINE / 2.0 + 3.0) * tip.dx.abs();
        draw_label(canvas, label, tip.point(LINE, aside));
    }
}
