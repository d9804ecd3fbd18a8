//! Draws edges: a smooth line along the route, what it has at its ends, and its texts.

use super::canvas::{Anchor, Canvas, EDGE, LABEL, Line, NO_FILL, NO_LINE, PAGE, SOLID, Type, Voice, push_point};
use super::geometry::{Area, Point};
use super::graph::{Edge, End, Graph, Head, Shape, Stroke};
use super::label::Label;
use super::metrics::LINE;
use super::places::{Places, Route};
use super::shape::border;
use super::style::Paint;

/// Draws a graph: groups, then edges, then nodes, then the texts of edges.
pub(super) fn draw_all(graph: &Graph, places: &Places) -> Canvas {
    let mut canvas = Canvas::default();
    for (group, area) in graph.groups.iter().zip(&places.groups) {
        canvas.rect(area, 6.0, super::canvas::GROUP, super::canvas::GROUP_LINE, &group.paint);
        let middle = area.top() + 5.0 + group.label.height / 2.0;
        let ink = group.paint.text.as_ref().map(|colour| colour.css.as_str());
        let look = Type { ink, ..Type::default() };
        canvas.text(area.x, middle, &group.label.lines, Anchor::Middle, look);
    }
    let ways: Vec<(&Edge, Vec<Point>)> = graph
        .edges
        .iter()
        .zip(&places.edges)
        .filter(|(edge, route)| edge.stroke != Stroke::Hidden && route.points.len() > 1)
        .map(|(edge, route)| (edge, way(graph, places, edge, route)))
        .collect();
    for (edge, way) in &ways {
        draw_line(&mut canvas, edge, way);
    }
    for (node, area) in graph.nodes.iter().zip(&places.nodes) {
        super::shape::draw(&mut canvas, node, area);
    }
    for (edge, route) in graph.edges.iter().zip(&places.edges) {
        if let Some(at) = route.label {
            draw_label(&mut canvas, &edge.label, at, &edge.paint);
        }
    }
    for (edge, way) in &ways {
        draw_end_label(&mut canvas, &edge.tail_label, way.iter());
        draw_end_label(&mut canvas, &edge.head_label, way.iter().rev());
    }
    canvas
}

/// Makes room in a loop for its text, which stands where the loop is widest.
fn narrow(points: &mut [Point], area: &Area, label: &Label, at: Point) {
    let squeeze = |value: &mut f64, border: f64, middle: f64, extent: f64| {
        let factor = ((middle - border - extent / 2.0 - 4.0) / (middle - border)).clamp(0.2, 1.0);
        *value = border + (*value - border) * factor;
    };
    let is_beside = at.x > area.right();
    for point in points {
        if is_beside && point.x > area.right() {
            squeeze(&mut point.x, area.right(), at.x, label.width + 6.0);
        } else if !is_beside && point.y > area.bottom() {
            squeeze(&mut point.y, area.bottom(), at.y, label.height);
        }
    }
}

/// The corners of an edge, from the outline of what it leaves to the outline of what it reaches.
fn way(graph: &Graph, places: &Places, edge: &Edge, route: &Route) -> Vec<Point> {
    let mut points = route.points.clone();
    if let (End::Node(node), true, Some(at)) = (edge.from, edge.from == edge.to, route.label) {
        narrow(&mut points, &places.nodes[node], &edge.label, at);
    }
    trim(&mut points, graph, places, edge.from);
    points.reverse();
    trim(&mut points, graph, places, edge.to);
    points.reverse();
    points
}

/// Makes `points` begin at the outline of `end`.
fn trim(points: &mut Vec<Point>, graph: &Graph, places: &Places, end: End) {
    let (shape, area) = match end {
        End::Node(node) => (&graph.nodes[node].shape, places.nodes[node]),
        End::Group(group) => (&Shape::Box, places.groups[group]),
    };
    // A route to an open group leads to a node in it.
    let is_inside =
        |point: &Point| (point.x - area.x).abs() < area.width / 2.0 && (point.y - area.y).abs() < area.height / 2.0;
    while points.len() > 2 && points.get(1).is_some_and(is_inside) {
        points.remove(0);
    }
    let Some(next) = points.get(1).copied() else { return };
    if let (End::Group(_), Some(first)) = (end, points.first_mut()) {
        if is_inside(first) {
            *first = crossing(*first, next, &area);
        }
    } else if let Some(first) = points.first_mut() {
        *first = border(shape, &area, next);
    }
}

/// Where the line from `inside` to `outside` leaves `area`.
fn crossing(inside: Point, outside: Point, area: &Area) -> Point {
    let (dx, dy) = (outside.x - inside.x, outside.y - inside.y);
    let x = if dx > 0.0 { area.right() } else { area.left() };
    let y = if dy > 0.0 { area.bottom() } else { area.top() };
    let reach = |distance: f64, step: f64| {
        if step.abs() < 1e-9 { f64::INFINITY } else { distance / step }
    };
    let t = reach(x - inside.x, dx).min(reach(y - inside.y, dy)).clamp(0.0, 1.0);
    Point { x: inside.x + dx * t, y: inside.y + dy * t }
}

fn draw_line(canvas: &mut Canvas, edge: &Edge, way: &[Point]) {
    let mut points = way.to_vec();
    let tail = ending(&mut points, edge.tail);
    points.reverse();
    let head = ending(&mut points, edge.head);
    points.reverse();
    let mut paint = Paint { fill: None, ..edge.paint.clone() };
    if edge.stroke == Stroke::Dashed && paint.dash.is_none() {
        paint.dash = Some("4 4".to_owned());
    }
    let line = if edge.stroke == Stroke::Thick { Line(EDGE.0, 2.8) } else { EDGE };
    let bounds = points.iter().map(|point| Area { x: point.x, y: point.y, ..Area::default() });
    if let Some(bounds) = bounds.reduce(|all, area| all.union(&area)) {
        canvas.path(curve(&points), &bounds, NO_FILL, line, &paint);
    }
    for (place, head) in [(tail, edge.tail), (head, edge.head)] {
        draw_head(canvas, place, head, &edge.paint);
    }
}

/// The tip of an edge and the direction it points in, of length 1.
#[derive(Clone, Copy)]
pub(super) struct Tip {
    pub at: Point,
    pub dx: f64,
    pub dy: f64,
}

impl Tip {
    /// The tip at `at` of a line that comes from `from`.
    pub fn new(from: Point, at: Point) -> Self {
        let (dx, dy) = (at.x - from.x, at.y - from.y);
        let length = dx.hypot(dy).max(1e-9);
        Self { at, dx: dx / length, dy: dy / length }
    }

    /// The point `back` behind the tip and `aside` to its right.
    pub fn point(&self, back: f64, aside: f64) -> Point {
        Point { x: self.at.x - self.dx * back - self.dy * aside, y: self.at.y - self.dy * back + self.dx * aside }
    }
}

/// The tip at the first of `points`, which moves back to where the line meets what stands at the tip.
fn ending(points: &mut [Point], head: Head) -> Tip {
    let (Some(first), Some(next)) = (points.first().copied(), points.get(1).copied()) else {
        return Tip { at: Point::default(), dx: 1.0, dy: 0.0 };
    };
    let tip = Tip::new(next, first);
    let room = (first.x - next.x).hypot(first.y - next.y);
    points[0] = tip.point(length(head).min(room * 0.9), 0.0);
    tip
}

/// How far before its tip a line ends.
fn length(head: Head) -> f64 {
    match head {
        Head::Arrow => 7.0,
        Head::Circle | Head::Lollipop => 9.0,
        Head::Triangle => 12.0,
        Head::Diamond | Head::HollowDiamond => 15.0,
        _ => 0.0,
    }
}

/// Draws what stands at the tip of an edge.
pub(super) fn draw_head(canvas: &mut Canvas, tip: Tip, head: Head, paint: &Paint) {
    let solid = Paint { fill: paint.line.clone(), dash: None, width: None, ..paint.clone() };
    let open = Paint { fill: None, ..solid.clone() };
    let at = |back: f64, aside: f64| tip.point(back, aside);
    let mut strokes = |lines: &[[Point; 2]]| lines.iter().for_each(|line| canvas.lines(line, NO_FILL, EDGE, &open));
    let bar = |back: f64| [at(back, -5.0), at(back, 5.0)];
    let foot = [[at(9.0, 0.0), at(0.0, -5.5)], [at(9.0, 0.0), at(0.0, 5.5)]];
    let ring = |back: f64| {
        let middle = at(back, 0.0);
        Area { x: middle.x, y: middle.y, width: 8.0, height: 8.0 }
    };
    let diamond = [at(0.0, 0.0), at(7.5, -4.5), at(15.0, 0.0), at(7.5, 4.5)];
    match head {
        Head::None => {}
        Head::Arrow => canvas.lines(&[at(0.0, 0.0), at(8.5, -4.0), at(8.5, 4.0)], SOLID, NO_LINE, &solid),
        Head::Open => strokes(&[[at(8.0, -4.5), at(0.0, 0.0)], [at(8.0, 4.5), at(0.0, 0.0)]]),
        Head::Cross => strokes(&[[at(10.0, -4.5), at(1.0, 4.5)], [at(10.0, 4.5), at(1.0, -4.5)]]),
        Head::Circle => canvas.circle(&ring(4.5), SOLID, NO_LINE, &solid),
        Head::Lollipop => canvas.circle(&ring(4.5), PAGE, EDGE, &open),
        Head::Triangle => canvas.lines(&[at(0.0, 0.0), at(12.0, -6.0), at(12.0, 6.0)], PAGE, EDGE, &open),
        Head::Diamond => canvas.lines(&diamond, SOLID, EDGE, &solid),
        Head::HollowDiamond => canvas.lines(&diamond, PAGE, EDGE, &open),
        Head::One => strokes(&[bar(6.0), bar(10.0)]),
        Head::Many => strokes(&[foot[0], foot[1], bar(12.0)]),
        Head::ZeroOrOne => {
            strokes(&[bar(6.0)]);
            canvas.circle(&ring(13.0), PAGE, EDGE, &open);
        }
        Head::ZeroOrMany => {
            strokes(&foot);
            canvas.circle(&ring(13.0), PAGE, EDGE, &open);
        }
    }
}

/// A B-spline along `points` that begins and ends at the outer ones, as Mermaid draws it.
fn curve(points: &[Point]) -> String {
    let mix = |weights: &[(f64, Point)]| {
        let total: f64 = weights.iter().map(|(weight, _)| weight).sum();
        let sum =
            |part: fn(&Point) -> f64| weights.iter().map(|(weight, point)| weight * part(point)).sum::<f64>() / total;
        Point { x: sum(|point| point.x), y: sum(|point| point.y) }
    };
    let mut data = String::from("M");
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return data;
    };
    push_point(&mut data, *first);
    for (at, window) in points.windows(3).enumerate() {
        let &[before, here, after] = window else { continue };
        if at == 0 {
            data.push('L');
            push_point(&mut data, mix(&[(5.0, before), (1.0, here)]));
        }
        spline(
            &mut data,
            mix(&[(2.0, before), (1.0, here)]),
            mix(&[(1.0, before), (2.0, here)]),
            mix(&[(1.0, before), (4.0, here), (1.0, after)]),
        );
        if at + 3 == points.len() {
            spline(
                &mut data,
                mix(&[(2.0, here), (1.0, after)]),
                mix(&[(1.0, here), (2.0, after)]),
                mix(&[(1.0, here), (5.0, after)]),
            );
        }
    }
    data.push('L');
    push_point(&mut data, *last);
    data
}

fn spline(data: &mut String, first: Point, second: Point, end: Point) {
    data.push('C');
    push_point(data, first);
    data.push(' ');
    push_point(data, second);
    data.push(' ');
    push_point(data, end);
}

fn draw_label(canvas: &mut Canvas, label: &Label, at: Point, paint: &Paint) {
    if label.is_empty() {
        return;
    }
    let back = Area { x: at.x, y: at.y, width: label.width + 6.0, height: label.height };
    canvas.rect(&back, 2.0, LABEL, NO_LINE, &Paint::default());
    let ink = paint.text.as_ref().map(|colour| colour.css.as_str());
    canvas.text(at.x, at.y, &label.lines, Anchor::Middle, Type { voice: Voice::Soft, ink, ..Type::default() });
}

/// Draws a text beside the first point of a way.
fn draw_end_label<'a>(canvas: &mut Canvas, label: &Label, mut way: impl Iterator<Item = &'a Point>) {
    let (Some(first), Some(next)) = (way.next(), way.next()) else {
        return;
    };
    if !label.is_empty() {
        let tip = Tip::new(*next, *first);
        let beside = tip.point(LINE, (label.width / 2.0 + 6.0) * tip.dy.abs() + (LINE / 2.0 + 3.0) * tip.dx.abs());
        draw_label(canvas, label, beside, &Paint::default());
    }
}
