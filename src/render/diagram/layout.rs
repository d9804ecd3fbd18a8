//! Gives the nodes, groups and edges of a graph their places.
//!
//! 1. A group that no edge crosses the border of is laid out by itself, in its own direction, and then stands in its
//!    surroundings like a node.
//! 2. All others are laid out together by dugong, a port of the library that Mermaid itself uses.
//! 3. Places inside a group are moved to where the group came to stand.

use dugong::graphlib::{Graph as Plan, GraphOptions};
use dugong::{EdgeLabel, GraphLabel, LayoutError, NodeLabel, RankDir, WorkControl, WorkError};

use super::DiagramError;
use super::geometry::{Area, Point};
use super::graph::{Direction, Edge, End, Graph, Stroke};
use super::metrics::LINE;
use super::places::{Places, Route};
use super::shape;

/// Between nodes side by side, and between ranks, in pixels.
const GAP: f64 = 36.0;
/// Between the border of a group and what it holds.
const PADDING: f64 = 14.0;
/// How many nodes, edges and groups a diagram may have, together.
const MAX_ITEMS: usize = 1_000;
/// How many groups may stand one in another.
const MAX_NESTING: usize = 16;
/// Steps that a layout may take, as dugong counts them: about a second's.
const BUDGET: usize = 6_000_000;

/// Lays out `graph`.
pub(super) fn places(graph: &Graph) -> Result<Places, DiagramError> {
    let refuse = |message: String| DiagramError { line: None, column: None, message };
    let items = graph.nodes.len() + graph.edges.len() + graph.groups.len();
    if items > MAX_ITEMS {
        return Err(refuse(format!(
            "a diagram may have at most {MAX_ITEMS} nodes, edges and groups; this has {items}"
        )));
    }
    if (0..graph.groups.len()).any(|group| graph.around(End::Group(group)).count() >= MAX_NESTING) {
        return Err(refuse(format!("groups may nest at most {MAX_NESTING} deep")));
    }
    let sizes = graph.nodes.iter().map(shape::size);
    let nodes = sizes.map(|(width, height)| Area { x: 0.0, y: 0.0, width, height }).collect();
    let groups = vec![Area::default(); graph.groups.len()];
    let places = Places { nodes, groups, edges: vec![Route::default(); graph.edges.len()] };
    let mut layout = Layout { graph, places, is_closed: closed(graph), budget: Budget(BUDGET) };
    layout.scope(None, graph.direction).map_err(|error| refuse(reason(&error)))?;
    Ok(layout.places)
}

fn reason(error: &LayoutError) -> String {
    match error {
        LayoutError::Work(_) => "a diagram so large and so entangled takes too long to lay out; split it".to_owned(),
        error => format!("no layout was found: {error}"),
    }
}

/// Which groups no edge leaves: those that can be laid out by themselves.
fn closed(graph: &Graph) -> Vec<bool> {
    let mut is_closed = vec![true; graph.groups.len()];
    for edge in &graph.edges {
        let from: Vec<usize> = graph.around(edge.from).collect();
        let to: Vec<usize> = graph.around(edge.to).collect();
        for group in
            from.iter().filter(|group| !to.contains(group)).chain(to.iter().filter(|group| !from.contains(group)))
        {
            is_closed[*group] = false;
        }
    }
    is_closed
}

struct Budget(usize);

impl WorkControl for Budget {
    fn charge(&mut self, units: usize) -> Result<(), WorkError> {
        self.0 = self.0.checked_sub(units).ok_or(WorkError::Interrupted)?;
        Ok(())
    }
}

struct Layout<'a> {
    graph: &'a Graph,
    places: Places,
    is_closed: Vec<bool>,
    budget: Budget,
}

impl Layout<'_> {
    /// Lays out what `scope` holds (none: everything) with its top left at the origin; its size.
    fn scope(&mut self, scope: Option<usize>, direction: Direction) -> Result<(f64, f64), LayoutError> {
        let ends: Vec<End> = self.graph.ends().filter(|end| self.is_visible(*end, scope)).collect();
        for end in &ends {
            let End::Group(group) = *end else { continue };
            if self.is_closed[group] {
                let direction = self.graph.groups[group].direction.unwrap_or(direction);
                let (width, height) = self.scope(Some(group), direction)?;
                self.places.groups[group] = framed(self.graph, group, width, height);
            }
        }
        if ends.is_empty() {
            return Ok((0.0, 0.0));
        }
        let mut plan = self.plan(scope, direction, &ends);
        dugong::layout_controlled(&mut plan, &mut self.budget)?;
        self.take(&plan, &ends);
        Ok(self.begin_at_origin(scope))
    }

    /// Whether `end` stands inside `scope`, and in no closed group there.
    fn is_visible(&self, end: End, scope: Option<usize>) -> bool {
        let mut inside = self.graph.around(end).take_while(|group| Some(*group) != scope);
        self.graph.is_in(end, scope) && inside.all(|group| !self.is_closed[group])
    }

    /// Whether `end` has a size of its own, and does not follow from what it holds.
    fn is_leaf(&self, end: End) -> bool {
        matches!(end, End::Node(_)) || matches!(end, End::Group(group) if self.is_closed[group])
    }

    /// What an edge to `end` leads to in the layout of `scope`: a node, a closed group, or for an open group the
    /// first of those in it. None if it stands outside.
    fn target(&self, end: End, scope: Option<usize>) -> Option<End> {
        if !self.graph.is_in(end, scope) {
            return None;
        }
        let inside = self.graph.around(end).take_while(|group| Some(*group) != scope);
        let closed = inside.filter(|group| self.is_closed[*group]).last();
        match (closed, end) {
            (Some(group), _) => Some(End::Group(group)),
            (None, End::Group(group)) if !self.is_closed[group] => {
                self.graph.ends().find(|end| self.is_leaf(*end) && self.is_visible(*end, Some(group)))
            }
            (None, end) => Some(end),
        }
    }

    fn plan(&self, scope: Option<usize>, direction: Direction, ends: &[End]) -> Plan<NodeLabel, EdgeLabel, GraphLabel> {
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
        for end in ends {
            let area = if self.is_leaf(*end) { self.places.area(*end) } else { Area::default() };
            plan.set_node(key(*end), NodeLabel { width: area.width, height: area.height, ..NodeLabel::default() });
            if let Some(parent) = self.graph.around(*end).next().filter(|parent| Some(*parent) != scope) {
                plan.set_parent(key(*end), key(End::Group(parent)));
            }
        }
        self.plan_edges(scope, &mut plan);
        plan
    }

    fn plan_edges(&self, scope: Option<usize>, plan: &mut Plan<NodeLabel, EdgeLabel, GraphLabel>) {
        for (number, edge) in self.graph.edges.iter().enumerate() {
            let (Some(from), Some(to)) = (self.target(edge.from, scope), self.target(edge.to, scope)) else {
                continue;
            };
            // What stays in a closed group has its way from the group's own layout.
            if from == to && from != edge.from && matches!(from, End::Group(_)) {
                continue;
            }
            let (width, height) = room(edge);
            let weight = if edge.stroke == Stroke::Hidden { 0.0 } else { 1.0 };
            let label = EdgeLabel { width, height, minlen: edge.length.min(20), weight, ..EdgeLabel::default() };
            plan.set_edge_named(key(from), key(to), Some(number.to_string()), Some(label));
        }
    }

    /// Takes the places that dugong found, moves what stands in closed groups along, and frames open groups.
    fn take(&mut self, plan: &Plan<NodeLabel, EdgeLabel, GraphLabel>, ends: &[End]) {
        for key in plan.edges() {
            let Some((edge, number)) =
                plan.edge_by_key(key).zip(key.name.as_ref().and_then(|name| name.parse::<usize>().ok()))
            else {
                continue;
            };
            let points = edge.points.iter().map(|point| Point { x: point.x, y: point.y }).collect();
            let label = edge.x.zip(edge.y).map(|(x, y)| Point { x, y });
            self.places.edges[number] = Route { points, label };
        }
        // Groups come after the groups around them, so that from the last to the first frames grow outwards.
        for end in ends.iter().rev() {
            let Some(label) = plan.node(&key(*end)) else { continue };
            let (x, y) = (label.x.unwrap_or_default(), label.y.unwrap_or_default());
            match *end {
                End::Node(node) => (self.places.nodes[node].x, self.places.nodes[node].y) = (x, y),
                End::Group(group) if self.is_closed[group] => {
                    self.settle(group, Area { x, y, ..self.places.groups[group] });
                }
                End::Group(group) => {
                    let area = Area { x, y, width: label.width, height: label.height };
                    self.places.groups[group] = self.frame(group, area);
                }
            }
        }
    }

    /// Moves what the closed group holds, laid out at the origin, to where the group stands now.
    fn settle(&mut self, group: usize, area: Area) {
        let title = title_height(self.graph, group);
        let (width, height) =
            self.places.held(self.graph, Some(group)).map_or((0.0, 0.0), |held| (held.width, held.height));
        let left = area.x - width / 2.0;
        let top = f64::midpoint(area.top() + title + PADDING, area.bottom() - PADDING) - height / 2.0;
        self.places.shift(self.graph, Some(group), left, top);
        self.places.groups[group] = area;
    }

    /// The frame of an open group: what dugong gave it, and enough for its content and its title.
    fn frame(&self, group: usize, area: Area) -> Area {
        let title = title_height(self.graph, group);
        let wide = Area { width: area.width.max(self.graph.groups[group].label.width + 2.0 * PADDING), ..area };
        self.places.held(self.graph, Some(group)).map_or(wide, |held| {
            let (left, right) = (held.left() - PADDING, held.right() + PADDING);
            wide.union(&Area::between(left, held.top() - PADDING - title, right, held.bottom() + PADDING))
        })
    }

    /// Moves everything in `scope` so that its top left is the origin; its size.
    fn begin_at_origin(&mut self, scope: Option<usize>) -> (f64, f64) {
        let Some(held) = self.places.held(self.graph, scope) else {
            return (0.0, 0.0);
        };
        self.places.shift(self.graph, scope, -held.left(), -held.top());
        (held.width, held.height)
    }
}

/// The size of a closed group around content of this size.
fn framed(graph: &Graph, group: usize, width: f64, height: f64) -> Area {
    let width = width.max(graph.groups[group].label.width).max(LINE) + 2.0 * PADDING;
    Area { x: 0.0, y: 0.0, width, height: height + title_height(graph, group) + 2.0 * PADDING }
}

/// The room that the texts of an edge need in the middle of it.
fn room(edge: &Edge) -> (f64, f64) {
    let ends = [&edge.tail_label, &edge.head_label].into_iter().filter(|label| !label.is_empty());
    let (beside, above) =
        ends.fold((0.0, 0.0), |(beside, above), label| (label.width.max(beside), label.height + above));
    match (edge.label.is_empty(), above > 0.0) {
        (true, false) => (0.0, 0.0),
        (true, true) => (beside, above),
        (false, _) => (edge.label.width + 8.0 + beside, edge.label.height + 4.0 + 1.4 * above),
    }
}

fn title_height(graph: &Graph, group: usize) -> f64 {
    let label = &graph.groups[group].label;
    if label.is_empty() { 0.0 } else { label.height - LINE / 4.0 }
}

fn key(end: End) -> String {
    match end {
        End::Node(node) => format!("n{node}"),
        End::Group(group) => format!("g{group}"),
    }
}
