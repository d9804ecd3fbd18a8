//! Items and the edges between them: the model of flowcharts and of state and class diagrams.

use std::collections::BTreeMap;

/// The direction in which edges lead, from the top (`T`), bottom (`B`), left (`L`) or right (`R`) to the other side.
pub(super) use dugong::RankDir as Direction;

use super::canvas::{Area, Point};
use super::paint::Paint;
use super::text::Label;

/// The outline of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A frame around other items: a subgraph, a composite state, a namespace.
    Group,
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
    /// The dot of the initial state.
    Start,
    /// The ringed dot of a final state.
    Finish,
    /// A fork or join.
    Bar,
    Note,
    Class,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Item {
    pub label: Label,
    pub shape: Shape,
    /// The line above the name of a class, as `«interface»`.
    pub kind: Option<String>,
    /// The fields and the methods of a class.
    pub members: [Vec<String>; 2],
    /// The group that it is in.
    pub parent: Option<usize>,
    /// The direction of the edges in a group.
    pub direction: Option<Direction>,
    pub paint: Paint,
    /// The position and the size, which the layout determines.
    pub area: Area,
}

impl Item {
    /// Creates an item without a parent, in the colors of the theme.
    pub fn new(label: Label, shape: Shape) -> Self {
        let (kind, members, parent, direction, paint, area) = Default::default();
        Self { label, shape, kind, members, parent, direction, paint, area }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Stroke {
    #[default]
    Solid,
    Dashed,
    Thick,
    Hidden,
}

impl Stroke {
    pub fn paint(self) -> Paint {
        if self == Self::Dashed { Paint::dashed("4 4") } else { Paint::default() }
    }
}

/// The marker at an end of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Marker {
    #[default]
    None,
    Arrow,
    /// Two strokes.
    Open,
    Circle,
    Cross,
    /// A hollow triangle: inheritance.
    Triangle,
    /// A filled diamond: composition.
    Diamond,
    /// A hollow diamond: aggregation.
    HollowDiamond,
    /// A hollow circle: a provided interface.
    Lollipop,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Edge {
    pub from: usize,
    pub to: usize,
    pub tail: Marker,
    pub head: Marker,
    pub stroke: Stroke,
    pub label: Label,
    /// Texts next to the ends, such as the multiplicities of a relation.
    pub tail_label: Label,
    pub head_label: Label,
    /// The number of ranks that it spans, minus one.
    pub extra: usize,
    /// The points from end to end, which the layout determines, and the center of the label.
    pub points: Vec<Point>,
    pub label_at: Option<Point>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Graph {
    pub direction: Direction,
    pub items: Vec<Item>,
    pub edges: Vec<Edge>,
    /// The items that are groups, outer ones before those in them.
    pub groups: Vec<usize>,
    names: BTreeMap<String, usize>,
}

impl Graph {
    /// Returns the item that the source calls `name`.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.names.get(name).copied()
    }

    /// Returns the item `name`, or adds one with its name as label. An item belongs to the first group that mentions it.
    pub fn item(&mut self, name: &str, shape: Shape, parent: Option<usize>) -> usize {
        if let Some(at) = self.find(name) {
            let item = &mut self.items[at];
            item.parent = item.parent.or(parent.filter(|_| item.shape != Shape::Group));
            return at;
        }
        let at = self.add(Label::new(name), shape, parent);
        self.names.insert(name.to_owned(), at);
        at
    }

    /// Adds an item without a name.
    pub fn add(&mut self, label: Label, shape: Shape, parent: Option<usize>) -> usize {
        self.items.push(Item { parent, ..Item::new(label, shape) });
        self.items.len() - 1
    }

    /// Adds the group `name`, or turns an item of that name, which an edge has mentioned before, into a group.
    pub fn group(&mut self, name: &str, label: Label, parent: Option<usize>) -> usize {
        let at = self.item(name, Shape::Box, parent);
        let item = &mut self.items[at];
        if item.shape != Shape::Group {
            (item.shape, item.label, item.parent) = (Shape::Group, label, parent.or(item.parent));
            self.groups.push(at);
        }
        at
    }

    /// Returns the groups that an item is in, innermost first.
    pub fn around(&self, item: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.items[item].parent, |group| self.items[*group].parent)
    }

    /// Whether an item is inside the group `scope`; every item is inside `None`.
    pub fn is_in(&self, item: usize, scope: Option<usize>) -> bool {
        scope.is_none_or(|scope| self.around(item).any(|group| group == scope))
    }

    /// Returns the groups, outer ones before those in them, and then the other items.
    pub fn order(&self) -> impl Iterator<Item = usize> {
        let others = (0..self.items.len()).filter(|item| self.items[*item].shape != Shape::Group);
        self.groups.iter().copied().chain(others)
    }
}
