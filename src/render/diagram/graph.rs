//! Items and the edges between them: the tree that flowcharts, states, classes and entities are read into.

use std::collections::BTreeMap;

use super::paint::Paint;
use super::text::Label;

/// Where the edges lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Direction {
    #[default]
    Down,
    Up,
    Right,
    Left,
}

/// The outline of an item.
#[derive(Debug, Clone, PartialEq)]
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
pub(super) struct Item {
    pub label: Label,
    pub shape: Shape,
    /// The group that it is in.
    pub parent: Option<usize>,
    /// The direction of the edges in a group.
    pub direction: Option<Direction>,
    pub paint: Paint,
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

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Edge {
    pub from: usize,
    pub to: usize,
    pub tail: Head,
    pub head: Head,
    pub stroke: Stroke,
    pub label: Label,
    /// Texts beside the ends, as the multiplicities of a relation.
    pub tail_label: Label,
    pub head_label: Label,
    /// How many ranks it spans more than one.
    pub extra: usize,
    pub paint: Paint,
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

    /// Returns the item called `name`, or makes one that shows its name. The first group that mentions an item has it.
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

    /// Adds an item without a name, which nothing else can refer to.
    pub fn add(&mut self, label: Label, shape: Shape, parent: Option<usize>) -> usize {
        self.items.push(Item { label, shape, parent, direction: None, paint: Paint::default() });
        self.items.len() - 1
    }

    /// Makes the item called `name` a group, unless it is one: a new item, or one that an edge has mentioned before.
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

    /// Tells whether an item is inside `scope`; everything is inside `None`.
    pub fn is_in(&self, item: usize, scope: Option<usize>) -> bool {
        scope.is_none_or(|scope| self.around(item).any(|group| group == scope))
    }

    /// Returns the groups, outer ones before those in them, and then the other items.
    pub fn order(&self) -> impl Iterator<Item = usize> {
        let others = (0..self.items.len()).filter(|item| self.items[*item].shape != Shape::Group);
        self.groups.iter().copied().chain(others)
    }
}
