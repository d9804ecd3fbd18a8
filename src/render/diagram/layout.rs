//! Lays out the items and edges of a graph.
//!
//! 1. A closed group, whose border no edge crosses, is laid out by itself, in its own direction, and is then placed like a
//!    single item.
//! 2. All other items are laid out together by dugong, a port of the library that Mermaid itself uses.
//! 3. The content of a closed group is moved to the position of the group.

use dugong::graphlib::GraphOptions;
use dugong::{EdgeLabel, GraphLabel, LayoutError, NodeLabel, WorkControl, WorkError};

use super::DiagramError;
use super::canvas::{Area, Point};
use super::graph::{Direction, Edge, Graph, Item, Shape, Stroke};
use super::shape;
use super::text::LINE;

/// The distance between neighboring items and between ranks, in pixels.
const GAP: f64 = 36.0;
/// The distance between the border of a group and its content, in pixels.
const PADDING: f64 = 14.0;
/// The maximum number of items and edges together.
pub(super) const MAX_PARTS: usize = 1_000;
/// The maximum nesting depth of groups.
const MAX_NESTING: usize = 16;
/// The maximum number of layout steps, as dugong counts them. They take about a second.
const BUDGET: usize = 6_000_000;

/// Determines the positions of all items and edges of `graph`.
pub(super) fn layout(graph: &mut Graph) -> Result<(), DiagramError> {
    let parts = graph.items.len() + graph.edges.len();
    if parts > MAX_PARTS {
        let message = format!("a diagram may have at most {MAX_PARTS} nodes, edges and groups; this has {parts}");
        return Err(DiagramError::new(&message));
    }
    if graph.groups.iter().any(|group| graph.around(*group).count() >= MAX_NESTING) {
        return Err(DiagramError::new(&format!("groups may nest at most {MAX_NESTING} deep")));
    }
    for item in &mut graph.items {
        (item.area.width, item.area.height) = shape::size(item);
    }
    let mut is_closed: Vec<bool> = graph.items.iter().map(|item| item.shape == Shape::Group).collect();
    for edge in &graph.edges {
        let [from, to]: [Vec<usize>; 2] = [edge.from, edge.to].map(|end| graph.around(end).collect());
        for group in from.iter().chain(&to).filter(|group| !from.contains(group) || !to.contains(group)) {
            is_closed[*group] = false;
        }
    }
    let direction = graph.direction;
    let mut builder = LayoutBuilder { graph, is_closed, budget: Budget(BUDGET) };
    builder.layout_scope(None, direction).map_err(|error| match error {
        LayoutError::Work(_) => DiagramError::new("this diagram is too complex to lay out in time; split it"),
        error => DiagramError::new(&format!("no layout was found: {error}")),
    })?;
    Ok(())
}

type DugongGraph = dugong::graphlib::Graph<NodeLabel, EdgeLabel, GraphLabel>;

struct Budget(usize);

impl WorkControl for Budget {
    fn charge(&mut self, units: usize) -> Result<(), WorkError> {
        self.0 = self.0.checked_sub(units).ok_or(WorkError::Interrupted)?;
        Ok(())
    }
}

struct LayoutBuilder<'a> {
    graph: &'a mut Graph,
    /// For each item, whether it is a closed group.
    is_closed: Vec<bool>,
    budget: Budget,
}

impl LayoutBuilder<'_> {
    /// Lays out the content of the group `scope` (`None`: the whole graph) with its top left at the origin; returns its size.
    fn layout_scope(&mut self, scope: Option<usize>, direction: Direction) -> Result<(f64, f64), LayoutError> {
        let items: Vec<usize> = self.graph.order().filter(|item| self.is_visible(*item, scope)).collect();
        for group in items.iter().copied() {
            if !self.is_closed[group] {
                continue;
            }
            let direction = self.graph.items[group].direction.unwrap_or(direction);
            let (width, height) = self.layout_scope(Some(group), direction)?;
            let item = &mut self.graph.items[group];
            item.area.width = width.max(item.label.width).max(LINE) + 2.0 * PADDING;
            item.area.height = height + title_height(item) + 2.0 * PADDING;
        }
        if items.is_empty() {
            return Ok((0.0, 0.0));
        }
        let mut dugong = self.dugong_graph(scope, direction, &items);
        dugong::layout_controlled(&mut dugong, &mut self.budget)?;
        self.apply(&dugong, &items);
        let content = self.content(scope).unwrap_or_default();
        self.shift(scope, -content.left(), -content.top());
        Ok((content.width, content.height))
    }

    /// Whether an item is inside `scope`, but not inside a closed group in it.
    fn is_visible(&self, item: usize, scope: Option<usize>) -> bool {
        let mut inside = self.graph.around(item).take_while(|group| Some(*group) != scope);
        self.graph.is_in(item, scope) && inside.all(|group| !self.is_closed[group])
    }

    /// Whether the layout treats an item as a single node: everything but open groups.
    fn is_leaf(&self, item: usize) -> bool {
        self.graph.items[item].shape != Shape::Group || self.is_closed[item]
    }

    /// Returns the node for an edge to `item` in the layout of `scope`: the closed group around the item, the item, or, because
    /// dugong does not support edges to open groups, the first leaf in it. `None` if the item is outside of `scope`.
    fn target(&self, item: usize, scope: Option<usize>) -> Option<usize> {
        let inside = self.graph.around(item).take_while(|group| Some(*group) != scope);
        let shown = inside.filter(|group| self.is_closed[*group]).last().unwrap_or(item);
        let mut leaves = self.graph.order().filter(|leaf| self.is_leaf(*leaf) && self.is_visible(*leaf, Some(shown)));
        let target = if self.is_leaf(shown) { Some(shown) } else { leaves.next() };
        target.filter(|_| self.graph.is_in(item, scope))
    }

    fn dugong_graph(&self, scope: Option<usize>, direction: Direction, items: &[usize]) -> DugongGraph {
        let mut dugong = DugongGraph::new(GraphOptions { multigraph: true, compound: true, directed: true });
        dugong.set_graph(GraphLabel { rankdir: direction, nodesep: GAP, ranksep: GAP, ..GraphLabel::default() });
        dugong.set_default_node_label(NodeLabel::default);
        dugong.set_default_edge_label(EdgeLabel::default);
        for item in items {
            let area = if self.is_leaf(*item) { self.graph.items[*item].area } else { Area::default() };
            dugong.set_node(key(*item), NodeLabel { width: area.width, height: area.height, ..NodeLabel::default() });
            if let Some(parent) = self.graph.items[*item].parent.filter(|parent| Some(*parent) != scope) {
                dugong.set_parent(key(*item), key(parent));
            }
        }
        for (number, edge) in self.graph.edges.iter().enumerate() {
            let ends = self.target(edge.from, scope).zip(self.target(edge.to, scope));
            // An edge inside a closed group has its route from the layout of that group.
            if let Some((from, to)) =
                ends.filter(|(from, to)| from != to || *from == edge.from || !self.is_closed[*from])
            {
                let (width, height) = label_size(edge);
                let weight = if edge.stroke == Stroke::Hidden { 0.0 } else { 1.0 };
                let label = EdgeLabel { width, height, minlen: 1 + edge.extra.min(19), weight, ..EdgeLabel::default() };
                dugong.set_edge_named(key(from), key(to), Some(number.to_string()), Some(label));
            }
        }
        dugong
    }

    /// Applies the positions that dugong computed, moves the content of closed groups along, and frames open groups.
    fn apply(&mut self, dugong: &DugongGraph, items: &[usize]) {
        for key in dugong.edges() {
            let number = key.name.as_ref().and_then(|name| name.parse::<usize>().ok());
            if let Some((edge, number)) = dugong.edge_by_key(key).zip(number) {
                let drawn = &mut self.graph.edges[number];
                drawn.points = edge.points.iter().map(|point| Point { x: point.x, y: point.y }).collect();
                drawn.label_at = edge.x.zip(edge.y).map(|(x, y)| Point { x, y });
            }
        }
        // Groups come after the groups around them: from the last to the first, frames grow outwards.
        for index in items.iter().rev().copied() {
            let Some(label) = dugong.node(&key(index)) else { continue };
            let item = &self.graph.items[index];
            let (x, y) = (label.x.unwrap_or_default(), label.y.unwrap_or_default());
            let mut area = Area { x, y, ..item.area };
            if item.shape == Shape::Group {
                let content = self.content(Some(index)).unwrap_or_default();
                let above = PADDING + title_height(item);
                if self.is_closed[index] {
                    let top = f64::midpoint(area.top() + above, area.bottom() - PADDING) - content.height / 2.0;
                    self.shift(Some(index), x - content.width / 2.0, top);
                } else {
                    let width = label.width.max(item.label.width + 2.0 * PADDING);
                    let (left, right) = (content.left() - PADDING, content.right() + PADDING);
                    let frame = Area::between(left, content.top() - above, right, content.bottom() + PADDING);
                    area = frame.union(&Area { x, y, width, height: label.height });
                }
            }
            self.graph.items[index].area = area;
        }
    }

    /// Returns the bounding box of the content of `scope`.
    fn content(&self, scope: Option<usize>) -> Option<Area> {
        let items = (0..self.graph.items.len()).filter(|item| self.graph.is_in(*item, scope));
        let edges = self.graph.edges.iter().filter(|edge| self.graph.contains_edge(scope, edge));
        let routes = edges.flat_map(|edge| {
            let (width, height) = (edge.label.width, edge.label.height);
            let label = edge.label_at.map(|Point { x, y }| Area { x, y, width, height });
            label.into_iter().chain(Area::around(edge.points.iter().copied()))
        });
        items.map(|item| self.graph.items[item].area).chain(routes).reduce(|all, area| all.union(&area))
    }

    /// Moves the content of `scope`.
    fn shift(&mut self, scope: Option<usize>, x: f64, y: f64) {
        for item in 0..self.graph.items.len() {
            if self.graph.is_in(item, scope) {
                let area = &mut self.graph.items[item].area;
                (area.x, area.y) = (area.x + x, area.y + y);
            }
        }
        for edge in 0..self.graph.edges.len() {
            if self.graph.contains_edge(scope, &self.graph.edges[edge]) {
                let edge = &mut self.graph.edges[edge];
                for point in edge.points.iter_mut().chain(&mut edge.label_at) {
                    (point.x, point.y) = (point.x + x, point.y + y);
                }
            }
        }
    }
}

/// Returns the height of a group's title.
fn title_height(group: &Item) -> f64 {
    if group.label.is_empty() { 0.0 } else { group.label.height - LINE / 4.0 }
}

/// Returns the size that the labels of an edge need in the middle of it.
fn label_size(edge: &Edge) -> (f64, f64) {
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
