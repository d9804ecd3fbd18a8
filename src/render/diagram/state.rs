//! Reads `stateDiagram` and `stateDiagram-v2`.

use std::collections::BTreeSet;

use super::DiagramError;
use super::graph::{Direction, Edge, End, Graph, Head, Node, Shape, Stroke};
use super::label::Label;
use super::source::{Cursor, Script};
use super::style::{Paint, Styles};

/// The graph of states and transitions.
pub(super) fn read(script: &mut Script) -> Result<Graph, DiagramError> {
    script.header.finish()?;
    let mut reader = Reader::default();
    for cursor in &mut script.lines {
        reader.line(cursor)?;
    }
    if let Some(note) = &reader.note {
        return Err(note.at.error("this note has no `end note`"));
    }
    if let Some(open) = reader.open.last() {
        return Err(open.at.error("this `{` is not closed"));
    }
    reader.turn_bars();
    reader.styles.apply(&mut reader.graph)?;
    Ok(reader.graph)
}

/// What may join the words of a name.
const JOINS: &[char] = &['-', '.'];

#[derive(Default)]
struct Reader<'a> {
    graph: Graph,
    styles: Styles<'a>,
    /// The composite states that have begun, each with its region if it has any.
    open: Vec<Open<'a>>,
    /// The states that have a description in place of their name.
    described: BTreeSet<String>,
    /// The note whose text is being read.
    note: Option<Note<'a>>,
}

struct Open<'a> {
    group: usize,
    /// The last of its regions, where what follows stands.
    region: Option<usize>,
    at: Cursor<'a>,
}

struct Note<'a> {
    of: End,
    text: Vec<&'a str>,
    at: Cursor<'a>,
}

impl<'a> Reader<'a> {
    fn scope(&self) -> Option<usize> {
        self.open.last().map(|open| open.region.unwrap_or(open.group))
    }

    fn line(&mut self, cursor: &mut Cursor<'a>) -> Result<(), DiagramError> {
        cursor.skip_space();
        let start = cursor.clone();
        if let Some(mut note) = self.note.take() {
            if cursor.rest() == "end note" {
                let text = note.text.join("\n");
                self.add_note(note.of, &text);
            } else {
                note.text.push(cursor.take_rest());
                self.note = Some(note);
            }
            return Ok(());
        }
        if cursor.eat("}") {
            self.open.pop().ok_or_else(|| start.error("this `}` closes nothing"))?;
            return cursor.finish();
        }
        if cursor.rest() == "--" {
            return self.region(&start);
        }
        if cursor.eat_word("direction") {
            let name = cursor.take_rest();
            let direction = Direction::named(name).ok_or_else(|| start.error(&format!("`{name}` is no direction")))?;
            match self.scope() {
                Some(group) => self.graph.groups[group].direction = Some(direction),
                None => self.graph.direction = direction,
            }
            return Ok(());
        }
        if cursor.eat_word("state") {
            return self.state(start, cursor);
        }
        if cursor.eat_word("note") {
            return self.note(start, cursor);
        }
        if cursor.eat_word("class") {
            return self.styles.class_statement(cursor);
        }
        // Hints to other programs, with nothing to draw.
        if self.styles.statement(cursor)? || cursor.eat_word("hide") || cursor.eat_word("scale") {
            return Ok(());
        }
        self.transition(cursor)
    }

    /// `--`: what stands in the composite state so far becomes one region, what follows another.
    fn region(&mut self, start: &Cursor) -> Result<(), DiagramError> {
        let open = self.open.last_mut().ok_or_else(|| start.error("`--` divides a composite state only"))?;
        let graph = &mut self.graph;
        let add = |graph: &mut Graph| {
            let name = format!("region {}", graph.groups.len());
            graph.group(&name, Label::default(), Some(open.group))
        };
        if open.region.is_none() {
            let first = add(graph);
            let nodes = graph.nodes.iter_mut().map(|node| &mut node.group);
            let groups = graph.groups.iter_mut().take(first).map(|group| &mut group.parent);
            let members = nodes.chain(groups).filter(|place| **place == Some(open.group));
            members.for_each(|place| *place = Some(first));
        }
        open.region = Some(add(graph));
        Ok(())
    }

    /// The rest of `state "text" as id`, `state id <<choice>>`, `state id {`.
    fn state(&mut self, start: Cursor<'a>, cursor: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let text = cursor.quoted()?;
        cursor.skip_space();
        if text.is_some() && !cursor.eat_word("as") {
            return Err(cursor.expected("`as` and a name"));
        }
        let name = cursor.name(JOINS);
        if name.is_empty() {
            return Err(cursor.expected("the name of a state"));
        }
        self.styles.suffix(name, cursor)?;
        cursor.skip_space();
        if cursor.eat("{") {
            let group = match self.graph.find(name) {
                Some(End::Group(group)) => group,
                _ => self.graph.group(name, Label::new(text.unwrap_or(name)), self.scope()),
            };
            self.open.push(Open { group, region: None, at: start });
            return cursor.finish();
        }
        let kinds = [("<<choice>>", Shape::Diamond), ("<<fork>>", Shape::Bar), ("<<join>>", Shape::Bar)];
        let kind = kinds
            .into_iter()
            .find(|(mark, _)| cursor.eat(mark) || cursor.eat(&mark.replace("<<", "[[").replace(">>", "]]")));
        let end = self.end(name);
        if let End::Node(node) = end {
            let node = &mut self.graph.nodes[node];
            match (kind, text) {
                (Some((_, shape)), _) => (node.shape, node.label) = (shape, Label::default()),
                (None, Some(text)) => node.label = Label::new(text),
                (None, None) => {}
            }
        }
        cursor.finish()
    }

    /// The rest of `note right of id : text`, or of its form with lines up to `end note`.
    fn note(&mut self, start: Cursor<'a>, cursor: &mut Cursor<'a>) -> Result<(), DiagramError> {
        if !(cursor.eat_word("right") || cursor.eat_word("left")) || !cursor.eat_word("of") {
            return Err(cursor.expected("`right of` or `left of`"));
        }
        let name = cursor.name(JOINS);
        if name.is_empty() {
            return Err(cursor.expected("the name of a state"));
        }
        let of = self.end(name);
        cursor.skip_space();
        if cursor.eat(":") {
            self.add_note(of, cursor.take_rest());
        } else {
            cursor.finish()?;
            self.note = Some(Note { of, text: Vec::new(), at: start });
        }
        Ok(())
    }

    fn add_note(&mut self, of: End, text: &str) {
        let group = self.graph.around(of).next();
        let node = Node { label: Label::new(text), shape: Shape::Note, group, paint: Paint::default() };
        let added = End::Node(self.graph.add(node));
        self.graph.edges.push(Edge { stroke: Stroke::Dashed, ..Edge::new(of, added) });
    }

    /// `a --> b : text`, `a : text` or `a`.
    fn transition(&mut self, cursor: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let (name, from) = (cursor.clone().name(JOINS), self.place(cursor, Shape::Start)?);
        cursor.skip_space();
        if cursor.eat("-->") {
            cursor.skip_space();
            let to = self.place(cursor, Shape::Finish)?;
            cursor.skip_space();
            let label = if cursor.eat(":") { Label::new(cursor.take_rest()) } else { Label::default() };
            self.graph.edges.push(Edge { head: Head::Arrow, label, ..Edge::new(from, to) });
            return cursor.finish();
        }
        if cursor.eat(":") {
            let text = cursor.take_rest();
            if let End::Node(node) = from {
                let label = &mut self.graph.nodes[node].label;
                let is_first = self.described.insert(name.to_owned());
                *label =
                    Label::new(&if is_first { text.to_owned() } else { format!("{}\n{text}", label.lines.join("\n")) });
            }
            return Ok(());
        }
        if cursor.is_done() { Ok(()) } else { Err(cursor.expected("`-->` or `:`")) }
    }

    /// A state, or `[*]`, which is `mark` in the state that it stands in.
    fn place(&mut self, cursor: &mut Cursor<'a>, mark: Shape) -> Result<End, DiagramError> {
        if cursor.eat("[*]") {
            let scope = self.scope();
            let end = self.graph.end(&format!("{mark:?} {scope:?}"), mark, scope);
            if let End::Node(node) = end {
                self.graph.nodes[node].label = Label::default();
            }
            return Ok(end);
        }
        let name = cursor.name(JOINS);
        if name.is_empty() {
            return Err(cursor.expected("a state"));
        }
        self.styles.suffix(name, cursor)?;
        Ok(self.end(name))
    }

    /// Puts bars across where edges lead sideways.
    fn turn_bars(&mut self) {
        let Graph { nodes, groups, direction, .. } = &mut self.graph;
        for node in nodes.iter_mut().filter(|node| node.shape == Shape::Bar) {
            let direction = node.group.and_then(|group| groups[group].direction).unwrap_or(*direction);
            if matches!(direction, Direction::Left | Direction::Right) {
                node.shape = Shape::Post;
            }
        }
    }

    fn end(&mut self, name: &str) -> End {
        let scope = self.scope();
        let end = self.graph.end(name, Shape::Round, scope);
        if let End::Node(node) = end {
            let node = &mut self.graph.nodes[node];
            node.group = node.group.or(scope);
        }
        end
    }
}
