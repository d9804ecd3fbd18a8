//! Lays out the items and edges of a graph.
//!
//! 1. A closed group, whose border no edge crosses, is laid out by itself, in its own direction, and is from then on
//!    treated like a single item. Inner groups come first, and the whole graph comes last.
//! 2. dugong, a port of the library that Mermaid itself uses, finds the positions.
//! 3. The content of each closed group is moved to the position of the group, outer groups first.

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
pub(super) const MAX_NESTING: usize = 16;
/// The maximum number of layout steps, as dugong counts them. They take about a second.
const BUDGET: usize = 6_000_000;

/// Determines the positions of all items and edges of `graph`.
pub(super) fn layout(graph: &mut Graph) -> Result<(), DiagramError> {
    let parts = graph.items.len() + graph.edges.len();
    if parts > MAX_PARTS {
        let message = format!("a diagram may have at most {MAX_PARTS} nodes, edges and groups; this has {parts}");
        return Err(DiagramError::new(message));
    }
    if graph.groups.iter().any(|group| graph.around(*group).count() >= MAX_NESTING) {
        return Err(DiagramError::new(format!("groups may nest at most {MAX_NESTING} deep")));
    }
    for at in 0..graph.items.len() {
        let direction = graph.items[at].parent.and_then(|group| graph.items[group].direction);
        let is_sideways = matches!(direction.unwrap_or(graph.direction), Direction::LR | Direction::RL);
        let item = &mut graph.items[at];
        let (width, height) = shape::size(item);
        let is_turned = is_sideways && item.shape == Shape::Bar;
        (item.area.width, item.area.height) = if is_turned { (height, width) } else { (width, height) };
    }
    let mut is_closed: Vec<bool> = graph.items.iter().map(|item| item.shape == Shape::Group).collect();
    for edge in &graph.edges {
        let [from, to]: [Vec<usize>; 2] = [edge.from, edge.to].map(|end| graph.around(end).collect());
        for group in from.iter().chain(&to).filter(|group| !from.contains(group) || !to.contains(group)) {
            is_closed[*group] = false;
        }
    }
    let homes = (0..graph.items.len()).map(|item| graph.around(item).find(|group| is_closed[*group])).collect();
    let closed = graph.groups.iter().copied().filter(|group| is_closed[*group]).map(Some);
    let scopes: Vec<Option<usize>> = std::iter::once(None).chain(closed).collect();
    let mut builder = LayoutBuilder { graph, is_closed, homes, budget: Budget(BUDGET) };
    for scope in scopes.iter().rev() {
        builder.layout_scope(*scope).map_err(|error| match error {
            LayoutError::Work(_) => DiagramError::new("this diagram is too complex to lay out in time; split it"),
            error => DiagramError::new(format!("no layout was found: {error}")),
        })?;
    }
    for scope in scopes {
        builder.place(scope);
    }
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

/// In it, a scope is a closed group, or, if it is `None`, the whole graph.
struct LayoutBuilder<'a> {
    graph: &'a mut Graph,
    /// For each item, whether it is a closed group.
    is_closed: Vec<bool>,
    /// For each item, the scope in which it is laid out. Both ends of an edge have the same.
    homes: Vec<Option<usize>>,
    budget: Budget,
}

impl LayoutBuilder<'_> {
    /// Lays out the items whose home is `scope`, and determines the size of that group.
    fn layout_scope(&mut self, scope: Option<usize>) -> Result<(), LayoutError> {
        let items: Vec<usize> = self.graph.order().filter(|item| self.homes[*item] == scope).collect();
        if !items.is_empty() {
            let mut dugong = self.dugong_graph(scope, &items);
            dugong::layout_controlled(&mut dugong, &mut self.budget)?;
            self.apply(&dugong, &items);
        }
        if let Some(group) = scope {
            let content = self.content(scope, None);
            let item = &mut self.graph.items[group];
            item.area.width = content.width.max(item.label.width).max(LINE) + 2.0 * PADDING;
            item.area.height = content.height + above(item) + PADDING;
        }
        Ok(())
    }

    /// Whether the layout treats an item as a single node: everything but open groups.
    fn is_leaf(&self, item: usize) -> bool {
        self.graph.items[item].shape != Shape::Group || self.is_closed[item]
    }

    /// Returns the node for an edge to `item`: because dugong does not support edges to open groups, the first leaf in one.
    fn target(&self, item: usize) -> Option<usize> {
        let is_inside = |leaf: &usize| self.homes[*leaf] == self.homes[item] && self.graph.is_in(*leaf, Some(item));
        let mut leaves = self.graph.order().filter(|leaf| self.is_leaf(*leaf));
        if self.is_leaf(item) { Some(item) } else { leaves.find(is_inside) }
    }

    fn dugong_graph(&self, scope: Option<usize>, items: &[usize]) -> DugongGraph {
        let around = scope.into_iter().flat_map(|group| std::iter::once(group).chain(self.graph.around(group)));
        let direction =
            around.filter(|group| self.is_closed[*group]).find_map(|group| self.graph.items[group].direction);
        let rankdir = direction.unwrap_or(self.graph.direction);
        let mut dugong = DugongGraph::new(GraphOptions { multigraph: true, compound: true, directed: true });
        dugong.set_graph(GraphLabel { rankdir, nodesep: GAP, ranksep: GAP, ..GraphLabel::default() });
        dugong.set_default_node_label(NodeLabel::default);
        dugong.set_default_edge_label(EdgeLabel::default);
        for item in items {
            let area = if self.is_leaf(*item) { self.graph.items[*item].area } else { Area::default() };
            dugong.set_node(key(*item), NodeLabel { width: area.width, height: area.height, ..NodeLabel::default() });
            if let Some(parent) = self.graph.items[*item].parent.filter(|parent| Some(*parent) != scope) {
                dugong.set_parent(key(*item), key(parent));
            }
        }
        let edges = self.graph.edges.iter().enumerate().filter(|(_, edge)| self.homes[edge.from] == scope);
        for (number, edge) in edges {
            if let Some((from, to)) = self.target(edge.from).zip(self.target(edge.to)) {
                let (width, height) = label_size(edge);
                let weight = if edge.stroke == Stroke::Hidden { 0.0 } else { 1.0 };
                let label = EdgeLabel { width, height, minlen: 1 + edge.extra.min(19), weight, ..EdgeLabel::default() };
                dugong.set_edge_named(key(from), key(to), Some(number.to_string()), Some(label));
            }
        }
        dugong
    }

    /// Applies the positions that dugong computed, and frames open groups.
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
            let Some(node) = dugong.node(&key(index)) else { continue };
            let item = &self.graph.items[index];
            let mut area = Area { x: node.x.unwrap_or_default(), y: node.y.unwrap_or_default(), ..item.area };
            if !self.is_leaf(index) {
                let content = self.content(self.homes[index], Some(index));
                let (left, right) = (content.left() - PADDING, content.right() + PADDING);
                let frame = Area::between(left, content.top() - above(item), right, content.bottom() + PADDING);
                let width = node.width.max(item.label.width + 2.0 * PADDING);
                area = frame.union(&Area { width, height: node.height, ..area });
            }
            self.graph.items[index].area = area;
        }
    }

    /// Returns the bounding box of what is laid out in `scope`, or of what of it is in the open group `inside`.
    fn content(&self, scope: Option<usize>, inside: Option<usize>) -> Area {
        let holds = |item: usize| self.homes[item] == scope && self.graph.is_in(item, inside);
        let items = (0..self.graph.items.len()).filter(|item| holds(*item)).map(|item| self.graph.items[item].area);
        let edges = self.graph.edges.iter().filter(|edge| holds(edge.from) && holds(edge.to)).flat_map(|edge| {
            let (width, height) = (edge.label.width, edge.label.height);
            let label = edge.label_at.map(|Point { x, y }| Area { x, y, width, height });
            label.into_iter().chain(Area::around(edge.points.iter().copied()))
        });
        items.chain(edges).reduce(|all, area| all.union(&area)).unwrap_or_default()
    }

    /// Moves what is laid out in `scope` into that group, or, in the whole graph, to the origin.
    fn place(&mut self, scope: Option<usize>) {
        let content = self.content(scope, None);
        let (left, top) = scope.map_or((0.0, 0.0), |group| {
            let item = &self.graph.items[group];
            (item.area.x - content.width / 2.0, item.area.top() + above(item))
        });
        let (x, y) = (left - content.left(), top - content.top());
        let items = self.graph.items.iter_mut().zip(&self.homes).filter(|(_, home)| **home == scope);
        items.for_each(|(item, _)| (item.area.x, item.area.y) = (item.area.x + x, item.area.y + y));
        for edge in self.graph.edges.iter_mut().filter(|edge| self.homes[edge.from] == scope) {
            for point in edge.points.iter_mut().chain(&mut edge.label_at) {
                (point.x, point.y) = (point.x + x, point.y + y);
            }
        }
    }
}

/// Returns the distance between the top of a group and its content: the padding, and its title.
fn above(group: &Item) -> f64 {
    PADDING + if group.label.is_empty() { 0.0 } else { group.label.height - LINE / 4.0 }
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
