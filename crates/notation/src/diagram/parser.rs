//! What the parsers of flowcharts and of state and class diagrams share: groups, notes and styles.

use std::collections::BTreeMap;

use super::DiagramError;
use super::canvas::Canvas;
use super::edge::draw_graph;
use super::graph::{Direction, Edge, Graph, Shape, Stroke};
use super::layout::layout;
use super::paint::Paint;
use super::source::{Cursor, Lines, Script, is_word};
use super::text::Label;

/// The characters that may join the words of a name of a state or class.
pub(super) const JOINS: &[char] = &['-', '.'];
pub(super) const NO_LINKS: &str = "a diagram in a page has no links; put the link into the text";

/// A group that is not closed yet.
struct Open<'a> {
    group: usize,
    /// The item to which new items are added: the group, or the last of its regions.
    scope: usize,
    start: Cursor<'a>,
}

/// The state of parsing a graph. Styles are applied at the end, because they may name later items.
#[derive(Default)]
pub(super) struct GraphParser<'a> {
    pub graph: Graph,
    open: Vec<Open<'a>>,
    /// The paint of each class. A `style` is a class with its own text as name.
    classes: BTreeMap<&'a str, Paint>,
    /// Items, the class of each, and where it is given.
    uses: Vec<(&'a str, &'a str, Cursor<'a>)>,
}

/// Parses a line, and those after it that belong to it.
type LineParser<'a> = fn(&mut GraphParser<'a>, &mut Cursor<'a>, &mut Lines<'a>) -> Result<(), DiagramError>;

impl<'a> GraphParser<'a> {
    /// Parses the rest of the source, and draws it; `open` and `close` are the words around a group.
    pub fn draw(
        mut self,
        script: &mut Script<'a>,
        parse: LineParser<'a>,
        [open, close]: [&str; 2],
    ) -> Result<Canvas, DiagramError> {
        script.header.finish()?;
        while let Some(mut line) = script.lines.next() {
            parse(&mut self, &mut line, &mut script.lines)?;
            line.finish()?;
        }
        if let Some(group) = self.open.last() {
            return Err(group.start.unclosed(open, close));
        }
        self.apply_styles()?;
        layout(&mut self.graph)?;
        Ok(draw_graph(&self.graph))
    }

    /// Returns the innermost open group or region.
    pub fn scope(&self) -> Option<usize> {
        self.open.last().map(|open| open.scope)
    }

    /// Begins a group.
    pub fn open(&mut self, name: &str, label: &str, start: Cursor<'a>) {
        let group = self.graph.group(name, Label::new(label), self.scope());
        self.open.push(Open { group, scope: group, start });
    }

    /// Closes the innermost group; `word` is the word that closes it.
    pub fn close(&mut self, word: &str, start: &Cursor) -> Result<(), DiagramError> {
        self.open.pop().map(|_| ()).ok_or_else(|| start.error(format!("this `{word}` closes nothing")))
    }

    /// Begins a region of the innermost group; the items in the group so far become its first region.
    pub fn region(&mut self, start: &Cursor) -> Result<(), DiagramError> {
        let open = self.open.last_mut().ok_or_else(|| start.error("`--` divides a composite state only"))?;
        let graph = &mut self.graph;
        if open.scope == open.group {
            let first = graph.items.len();
            let members = graph.items.iter_mut().filter(|item| item.parent == Some(open.group));
            members.for_each(|item| item.parent = Some(first));
            let first = graph.add(Label::default(), Shape::Group, Some(open.group));
            // Groups come after the groups around them.
            let at = graph.groups.iter().position(|group| *group == open.group).map_or(0, |at| at + 1);
            graph.groups.insert(at, first);
        }
        open.scope = graph.add(Label::default(), Shape::Group, Some(open.group));
        graph.groups.push(open.scope);
        Ok(())
    }

    /// Parses the rest of a statement that all graphs have, if `word` begins one; returns whether it does.
    pub fn statement(&mut self, word: &str, start: &Cursor<'a>, line: &mut Cursor<'a>) -> Result<bool, DiagramError> {
        match word {
            "direction" => {
                let direction = direction(line)?;
                match self.scope() {
                    Some(group) => self.graph.items[group].direction = Some(direction),
                    None => self.graph.direction = direction,
                }
            }
            "classDef" => {
                let (names, paint) = (list(line)?, Paint::read(line)?);
                for name in names {
                    self.classes.entry(name).or_default().apply(&paint);
                }
            }
            "style" => {
                let (names, text) = (list(line)?, line.rest());
                self.classes.insert(text, Paint::read(line)?);
                self.uses.extend(names.into_iter().map(|name| (name, text, start.clone())));
            }
            "linkStyle" => {
                return Err(start.error("edges have the colors of the page; `style` and `classDef` color nodes"));
            }
            "class" | "cssClass" => {
                let quoted = line.quoted()?.map(|names| names.split(',').map(str::trim).collect());
                let names = quoted.map_or_else(|| list(line), Ok)?;
                let class = class_name(line)?;
                self.uses.extend(names.into_iter().map(|name| (name, class, start.clone())));
            }
            "click" => return Err(start.error(NO_LINKS)),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Parses `:::class` after the item `name`, if it is next.
    pub fn suffix(&mut self, name: &'a str, line: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let start = line.clone();
        if line.eat_here(":::") {
            self.uses.push((name, class_name(line)?, start));
        }
        Ok(())
    }

    /// Adds a note, connected to `item` if there is one.
    pub fn note(&mut self, item: Option<usize>, text: &str) {
        let parent = item.map_or(self.scope(), |item| self.graph.items[item].parent);
        let to = self.graph.add(Label::new(text), Shape::Note, parent);
        self.graph.edges.extend(item.map(|from| Edge { from, to, stroke: Stroke::Dashed, ..Edge::default() }));
    }

    fn apply_styles(&mut self) -> Result<(), DiagramError> {
        if let Some(default) = self.classes.get("default") {
            let items = self.graph.items.iter_mut().filter(|item| item.shape != Shape::Group);
            items.for_each(|item| item.paint.apply(default));
        }
        // Styles, which have a colon, have priority over classes.
        self.uses.sort_by_key(|(_, class, _)| class.contains(':'));
        for (name, class, at) in &self.uses {
            let item = self.graph.find(name).ok_or_else(|| at.error(format!("the diagram has no `{name}`")))?;
            let paint = self.classes.get(class);
            let paint = paint.ok_or_else(|| at.error(format!("no `classDef` defines `{class}`")))?;
            self.graph.items[item].paint.apply(paint);
        }
        Ok(())
    }
}

/// Parses a direction of the layout.
pub(super) fn direction(line: &mut Cursor) -> Result<Direction, DiagramError> {
    let start = line.clone();
    match line.take_while(|c| c != ';' && !c.is_whitespace()) {
        "TB" | "TD" | "v" => Ok(Direction::TB),
        "BT" | "^" => Ok(Direction::BT),
        "LR" | ">" => Ok(Direction::LR),
        "RL" | "<" => Ok(Direction::RL),
        name => Err(start.error(format!("`{name}` is not a direction; use TB, TD, BT, LR or RL"))),
    }
}

fn class_name<'a>(line: &mut Cursor<'a>) -> Result<&'a str, DiagramError> {
    let class = line.take_while(|c| is_word(c) || c == '-');
    if class.is_empty() { Err(line.expected("the name of a class")) } else { Ok(class) }
}

/// Parses a comma-separated list of names.
fn list<'a>(line: &mut Cursor<'a>) -> Result<Vec<&'a str>, DiagramError> {
    let mut names = Vec::new();
    while names.is_empty() || line.eat(",") {
        match line.take_while(|c| c != ',' && c != ';' && !c.is_whitespace()) {
            "" => return Err(line.expected("a name")),
            name => names.push(name),
        }
    }
    Ok(names)
}
