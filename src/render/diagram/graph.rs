//! Nodes, edges and groups: what flowcharts, states, classes and entities have in common.

use std::collections::BTreeMap;

use super::label::Label;
use super::style::Paint;

/// Where the edges lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Direction {
    #[default]
    Down,
    Up,
    Right,
    Left,
}

impl Direction {
    /// The direction that Mermaid calls `name`.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "TB" | "TD" | "v" => Some(Self::Down),
            "BT" | "^" => Some(Self::Up),
            "LR" | ">" => Some(Self::Right),
            "RL" | "<" => Some(Self::Left),
            _ => None,
        }
    }
}

/// The outline of a node.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    Box,
    Round,
    Stadium,
    Subroutine,
    Cylinder,
    Circle,
    DoubleCircle,
    Flag,
    Diamond,
    Hexagon,
    LeanRight,
    LeanLeft,
    Trapezoid,
    Funnel,
    /// The dot where states begin.
    Start,
    /// The ringed dot where they end.
    Finish,
    /// Where states fork or join: a bar across the direction of the edges.
    Bar,
    /// The same where they lead sideways.
    Post,
    Note,
    /// A class or an entity.
    Record(Record),
}

/// A box in compartments.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Record {
    /// A line above the name, as `«interface»`.
    pub kind: Option<String>,
    /// The compartments below the name: rows of cells.
    pub parts: Vec<Vec<Vec<String>>>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub label: Label,
    pub shape: Shape,
    /// The group it stands in.
    pub group: Option<usize>,
    pub paint: Paint,
}

/// A subgraph, a composite state, a namespace.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Group {
    pub label: Label,
    /// The group it stands in.
    pub parent: Option<usize>,
    pub direction: Option<Direction>,
    pub paint: Paint,
}

/// What an edge ends at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Node(usize),
    Group(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Stroke {
    #[default]
    Solid,
    Dashed,
    Thick,
    Hidden,
}

/// What an edge has at an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Head {
    #[default]
    None,
    Arrow,
    /// Two strokes.
    Open,
    Circle,
    Cross,
    /// An empty triangle: inherits.
    Triangle,
    /// A filled diamond: is made of.
    Diamond,
    /// An empty diamond: has.
    HollowDiamond,
    /// An empty circle: offers.
    Lollipop,
    One,
    ZeroOrOne,
    Many,
    ZeroOrMany,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Edge {
    pub from: End,
    pub to: End,
    pub tail: Head,
    pub head: Head,
    pub stroke: Stroke,
    pub label: Label,
    /// Texts beside the ends, as numbers of a relation.
    pub tail_label: Label,
    pub head_label: Label,
    /// How many ranks it spans at least.
    pub length: usize,
    pub paint: Paint,
}

impl Edge {
    /// A plain line from one end to the other.
    pub fn new(from: End, to: End) -> Self {
        let (tail, head, stroke) = (Head::None, Head::None, Stroke::Solid);
        let (label, tail_label, head_label) = (Label::default(), Label::default(), Label::default());
        Self { from, to, tail, head, stroke, label, tail_label, head_label, length: 1, paint: Paint::default() }
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct Graph {
    pub direction: Direction,
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    pub groups: Vec<Group>,
    names: BTreeMap<String, End>,
}

impl Graph {
    /// What the source calls `name`.
    pub fn find(&self, name: &str) -> Option<End> {
        self.names.get(name).copied()
    }

    /// The node or group called `name`; if there is none, a new node that shows its name and stands in `group`.
    pub fn end(&mut self, name: &str, shape: Shape, group: Option<usize>) -> End {
        if let Some(end) = self.find(name) {
            return end;
        }
        let end = End::Node(self.add(Node { label: Label::new(name), shape, group, paint: Paint::default() }));
        self.names.insert(name.to_owned(), end);
        end
    }

    /// A node without a name, which nothing else can refer to.
    pub fn add(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// A group called `name`. A node of that name, made by an edge that came first, becomes the group.
    pub fn group(&mut self, name: &str, label: Label, parent: Option<usize>) -> usize {
        self.groups.push(Group { label, parent, direction: None, paint: Paint::default() });
        let group = self.groups.len() - 1;
        if let Some(End::Node(node)) = self.names.insert(name.to_owned(), End::Group(group)) {
            self.remove(node, group);
        }
        group
    }

    /// Takes `node` out; its edges lead to `group` instead.
    fn remove(&mut self, node: usize, group: usize) {
        self.nodes.remove(node);
        let moved = |end: &mut End| match *end {
            End::Node(at) if at == node => *end = End::Group(group),
            End::Node(at) if at > node => *end = End::Node(at - 1),
            _ => {}
        };
        self.names.values_mut().for_each(moved);
        for edge in &mut self.edges {
            moved(&mut edge.from);
            moved(&mut edge.to);
        }
    }

    /// The groups that `end` stands in, innermost first.
    pub fn around(&self, end: End) -> impl Iterator<Item = usize> {
        let first = match end {
            End::Node(node) => self.nodes[node].group,
            End::Group(group) => self.groups[group].parent,
        };
        std::iter::successors(first, |group| self.groups[*group].parent)
    }

    /// Groups, outer ones before those in them, then nodes.
    pub fn ends(&self) -> impl Iterator<Item = End> + use<> {
        (0..self.groups.len()).map(End::Group).chain((0..self.nodes.len()).map(End::Node))
    }

    /// Whether `end` stands inside `scope`.
    pub fn is_in(&self, end: End, scope: Option<usize>) -> bool {
        scope.is_none_or(|scope| self.around(end).any(|group| group == scope))
    }
}
