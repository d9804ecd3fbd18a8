//! Where the nodes, groups and edges of a graph stand.

use super::geometry::{Area, Point};
use super::graph::{End, Graph};

/// The way of an edge: its corners from end to end, and the middle of its label.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Route {
    pub points: Vec<Point>,
    pub label: Option<Point>,
}

/// Where everything stands.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Places {
    pub nodes: Vec<Area>,
    pub groups: Vec<Area>,
    pub edges: Vec<Route>,
}

impl Places {
    /// Where `end` stands.
    pub fn area(&self, end: End) -> Area {
        match end {
            End::Node(node) => self.nodes[node],
            End::Group(group) => self.groups[group],
        }
    }

    /// The box around all that stands in `scope`.
    pub fn held(&self, graph: &Graph, scope: Option<usize>) -> Option<Area> {
        let areas = graph.ends().filter(|end| graph.is_in(*end, scope)).map(|end| self.area(end));
        let edges = graph.edges.iter().zip(&self.edges);
        let inner = edges.filter(|(edge, _)| graph.is_in(edge.from, scope) && graph.is_in(edge.to, scope));
        let ways = inner.flat_map(|(edge, route)| {
            let label =
                route.label.map(|at| Area { x: at.x, y: at.y, width: edge.label.width, height: edge.label.height });
            let points = route.points.iter().map(|point| Area { x: point.x, y: point.y, ..Area::default() });
            label.into_iter().chain(points)
        });
        areas.chain(ways).reduce(|all, area| all.union(&area))
    }

    /// Moves all that stands in `scope`.
    pub fn shift(&mut self, graph: &Graph, scope: Option<usize>, x: f64, y: f64) {
        for end in graph.ends() {
            if graph.is_in(end, scope) {
                let area = match end {
                    End::Node(node) => &mut self.nodes[node],
                    End::Group(group) => &mut self.groups[group],
                };
                (area.x, area.y) = (area.x + x, area.y + y);
            }
        }
        for (number, edge) in graph.edges.iter().enumerate() {
            if graph.is_in(edge.from, scope) && graph.is_in(edge.to, scope) {
                let route = &mut self.edges[number];
                for point in route.points.iter_mut().chain(&mut route.label) {
                    (point.x, point.y) = (point.x + x, point.y + y);
                }
            }
        }
    }
}
