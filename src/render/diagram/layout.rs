//! Gives the items and edges of a graph their places.
//!
//! 1. A closed group, whose border no edge crosses, is laid out by itself, in its own direction, and is then placed in
//!    its surroundings like a single item.
//! 2. All other items are laid out together by dugong, a port of the library that Mermaid itself uses.
//! 3. What is inside a closed group is moved to where the group came to be.

use dugong::graphlib::{Graph as Plan, GraphOptions};
use dugong::{EdgeLabel, GraphLabel, LayoutError, NodeLabel, RankDir, WorkControl, WorkError};

use super::DiagramError;
use super::canvas::{Area, Point};
use super::graph::{Direction, Edge, Graph, Shape, Stroke};
use super::shape;
use super::text::LINE;

/// Between items side by side, and between ranks, in pixels.
const GAP: f64 = 36.0;
/// Between the border of a group and what it holds.
const PADDING: f64 = 14.0;
/// How many items and edges a diagram may have, together.
pub(super) const MAX_PARTS: usize = 1_000;
/// How many groups may be nested.
const MAX_NESTING: usize = 16;
/// Steps that a layout may take, as dugong counts them: about a second's.
const BUDGET: usize = 6_000_000;

/// The corners of an edge from end to end, and the middle of its label.
#[derive(Clone, Default)]
pub(super) struct Route {
    pub points: Vec<Point>,
    pub label: Option<Point>,
}

/// The places of the items and edges of a graph.
pub(super) struct Layout {
    pub areas: Vec<Area>,
    pub routes: Vec<Route>,
}

/// Lays out `graph`.
pub(super) fn layout(graph: &Graph) -> Result<Layout, DiagramError> {
    let parts = graph.items.len() + graph.edges.len();
    if parts > MAX_PARTS {
        let message = format!("a diagram may have at most {MAX_PARTS} nodes, edges and groups; this has {parts}");
        return Err(DiagramError::new(&message));
    }
    if graph.groups.iter().any(|group| graph.around(*group).count() >= MAX_NESTING) {
        return Err(DiagramError::new(&format!("groups may nest at most {MAX_NESTING} deep")));
    }
    let sizes = graph.items.iter().map(shape::size);
    let areas = sizes.map(|(width, height)| Area { width, height, ..Area::default() }).collect();
    let is_closed = graph.items.iter().map(|item| item.shape == Shape::Group).collect();
    let mut planner =
        Planner { graph, areas, routes: vec![Route::default(); graph.edges.len()], is_closed, budget: Budget(BUDGET) };
    for edge in &graph.edges {
        let [from, to]: [Vec<usize>; 2] = [edge.from, edge.to].map(|end| graph.around(end).collect());
        for group in from.iter().chain(&to).filter(|group| !from.contains(group) || !to.contains(group)) {
            planner.is_closed[*group] = false;
        }
    }
    planner.scope(None, graph.direction).map_err(|error| match error {
        LayoutError::Work(_) => {
            DiagramError::new("a diagram this large and entangled takes too long to lay out; split it")
        }
        error => DiagramError::new(&format!("no layout was found: {error}")),
    })?;
    Ok(Layout { areas: planner.areas, routes: planner.routes })
}

struct Budget(usize);

impl WorkControl for Budget {
    fn charge(&mut self, units: usize) -> Result<(), WorkError> {
        self.0 = self.0.checked_sub(units).ok_or(WorkError::Interrupted)?;
        Ok(())
    }
}

struct Planner<'a> {
    graph: &'a Graph,
    areas: Vec<Area>,
    routes: Vec<Route>,
    /// Which items are groups that are laid out by themselves.
    is_closed: Vec<bool>,
    budget: Budget,
}

impl Planner<'_> {
    /// Lays out the content of `scope` (`None`: everything) with its top left at the origin; returns its size.
    fn scope(&mut self, scope: Option<usize>, direction: Direction) -> Result<(f64, f64), LayoutError> {
        let items: Vec<usize> = self.graph.order().filter(|item| self.is_visible(*item, scope)).collect();
        for group in items.iter().copied() {
            if !self.is_closed[group] {
                continue;
            }
            let direction = self.graph.items[group].direction.unwrap_or(direction);
            let (width, height) = self.scope(Some(group), direction)?;
            let width = width.max(self.graph.items[group].label.width).max(LINE) + 2.0 * PADDING;
            self.areas[group] = Area { width, height: height + self.title(group) + 2.0 * PADDING, ..Area::default() };
        }
        if items.is_empty() {
            return Ok((0.0, 0.0));
        }
        let mut plan = self.plan(scope, direction, &items);
        dugong::layout_controlled(&mut plan, &mut self.budget)?;
        self.take(&plan, &items);
        let content = self.content(scope).unwrap_or_default();
        self.shift(scope, -content.left(), -content.top());
        Ok((content.width, content.height))
    }

    /// Tells whether an item is inside `scope`, but not in a closed group there.
    fn is_visible(&self, item: usize, scope: Option<usize>) -> bool {
        let mut inside = self.graph.around(item).take_while(|group| Some(*group) != scope);
        self.graph.is_in(item, scope) && inside.all(|group| !self.is_closed[group])
    }

    /// Tells whether an item has a size of its own, which does not follow from its content.
    fn is_leaf(&self, item: usize) -> bool {
        self.graph.items[item].shape != Shape::Group || self.is_closed[item]
    }

    /// Returns where an edge to `item` leads in the layout of `scope`: to the closed group around it, to the item, or,
    /// as dugong has no edges to open groups, to the first leaf in it. `None` if the item is outside.
    fn target(&self, item: usize, scope: Option<usize>) -> Option<usize> {
        let inside = self.graph.around(item).take_while(|group| Some(*group) != scope);
        let shown = inside.filter(|group| self.is_closed[*group]).last().unwrap_or(item);
        let mut leaves = self.graph.order().filter(|leaf| self.is_leaf(*leaf) && self.is_visible(*leaf, Some(shown)));
        let target = if self.is_leaf(shown) { Some(shown) } else { leaves.next() };
        target.filter(|_| self.graph.is_in(item, scope))
    }

    fn plan(
        &self,
        scope: Option<usize>,
        direction: Direction,
        items: &[usize],
    ) -> Plan<NodeLabel, EdgeLabel, GraphLabel> {
        let mut plan = Plan::new(GraphOptions { multigraph: true, compound: true, directed: true });
        let rankdir = match direction {
            Direction::Down => RankDir::TB,
            Direction::Up => RankDir::BT,
            Direction::Right => RankDir::LR,
            Direction::Left => RankDir::RL,
        };
        plan.set_graph(GraphLabel { rankdir, nodesep: GAP, ranksep: GAP, ..GraphLabel::default() });
        plan.set_default_node_label(NodeLabel::default);
        plan.set_default_edge_label(EdgeLabel::default);
        for item in items {
            let area = if self.is_leaf(*item) { self.areas[*item] } else { Area::default() };
            plan.set_node(key(*item), NodeLabel { width: area.width, height: area.height, ..NodeLabel::default() });
            if let Some(parent) = self.graph.items[*item].parent.filter(|parent| Some(*parent) != scope) {
                plan.set_parent(key(*item), key(parent));
            }
        }
        for (number, edge) in self.graph.edges.iter().enumerate() {
            let ends = self.target(edge.from, scope).zip(self.target(edge.to, scope));
            // An edge inside a closed group has its route from the layout of that group.
            if let Some((from, to)) =
                ends.filter(|(from, to)| from != to || *from == edge.from || !self.is_closed[*from])
            {
                let (width, height) = room(edge);
                let weight = if edge.stroke == Stroke::Hidden { 0.0 } else { 1.0 };
                let label = EdgeLabel { width, height, minlen: 1 + edge.extra.min(19), weight, ..EdgeLabel::default() };
                plan.set_edge_named(key(from), key(to), Some(number.to_string()), Some(label));
            }
        }
        plan
    }

    /// Takes the places that dugong found, moves the content of closed groups along, and frames open groups.
    fn take(&mut self, plan: &Plan<NodeLabel, EdgeLabel, GraphLabel>, items: &[usize]) {
        for key in plan.edges() {
            let number = key.name.as_ref().and_then(|name| name.parse::<usize>().ok());
            if let Some((edge, number)) = plan.edge_by_key(key).zip(number) {
                let points = edge.points.iter().map(|point| Point { x: point.x, y: point.y }).collect();
                self.routes[number] = Route { points, label: edge.x.zip(edge.y).map(|(x, y)| Point { x, y }) };
            }
        }
        // Groups come after the groups around them: from the last to the first, frames grow outwards.
        for item in items.iter().rev().copied() {
            let Some(label) = plan.node(&key(item)) else { continue };
            let (x, y) = (label.x.unwrap_or_default(), label.y.unwrap_or_default());
            let area = Area { x, y, ..self.areas[item] };
            if self.graph.items[item].shape != Shape::Group {
                self.areas[item] = area;
                continue;
            }
            let content = self.content(Some(item)).unwrap_or_default();
            let above = PADDING + self.title(item);
            if self.is_closed[item] {
                let top = f64::midpoint(area.top() + above, area.bottom() - PADDING) - content.height / 2.0;
                self.shift(Some(item), x - content.width / 2.0, top);
                self.areas[item] = area;
            } else {
                let width = label.width.max(self.graph.items[item].label.width + 2.0 * PADDING);
                let (left, right) = (content.left() - PADDING, content.right() + PADDING);
                let frame = Area::between(left, content.top() - above, right, content.bottom() + PADDING);
                self.areas[item] = frame.union(&Area { x, y, width, height: label.height });
            }
        }
    }

    /// Returns the box around the content of `scope`.
    fn content(&self, scope: Option<usize>) -> Option<Area> {
        let items = (0..self.areas.len()).filter(|item| self.graph.is_in(*item, scope));
        let edges = self.graph.edges.iter().zip(&self.routes).filter(|(edge, _)| self.holds(scope, edge));
        let routes = edges.flat_map(|(edge, route)| {
            let (width, height) = (edge.label.width, edge.label.height);
            let label = route.label.map(|Point { x, y }| Area { x, y, width, height });
            label.into_iter().chain(Area::around(route.points.iter().copied()))
        });
        items.map(|item| self.areas[item]).chain(routes).reduce(|all, area| all.union(&area))
    }

    /// Moves the content of `scope`.
    fn shift(&mut self, scope: Option<usize>, x: f64, y: f64) {
        for item in (0..self.areas.len()).filter(|item| self.graph.is_in(*item, scope)) {
            let area = &mut self.areas[item];
            (area.x, area.y) = (area.x + x, area.y + y);
        }
        for (number, edge) in self.graph.edges.iter().enumerate() {
            if self.holds(scope, edge) {
                let route = &mut self.routes[number];
                for point in route.points.iter_mut().chain(&mut route.label) {
                    (point.x, point.y) = (point.x + x, point.y + y);
                }
            }
        }
    }

    fn holds(&self, scope: Option<usize>, edge: &Edge) -> bool {
        self.graph.is_in(edge.from, scope) && self.graph.is_in(edge.to, scope)
    }

    /// Returns the height of a group's title.
    fn title(&self, group: usize) -> f64 {
        let label = &self.graph.items[group].label;
        if label.is_empty() { 0.0 } else { label.height - LINE / 4.0 }
    }
}

/// Returns the room that the texts of an edge need in the middle of it.
fn room(edge: &Edge) -> (f64, f64) {
    let ends = [&edge.tail_label, &edge.head_label].into_iter().filter(|label| !label.is_empty());
    let (beside, above) =
        ends.fold((0.0, 0.0), |(beside, above), label| (label.width.max(beside), label.height + above));
    if edge.label.is_empty() {
        (beside, above)
    } else {
        (edge.label.width + 8.0 + beside, edge.label.height + 4.0 + 1.4 * above)
    }
}

fn key(item: usize) -> String {
    format!("n{item}")
}
