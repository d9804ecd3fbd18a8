//! Parses `stateDiagram` and `stateDiagram-v2`.

use std::collections::BTreeSet;

use super::DiagramError;
use super::canvas::Canvas;
use super::graph::{Direction, Edge, Graph, Marker, Shape};
use super::parser::{DiagramParser, GraphParser, JOINS};
use super::source::Cursor;
use super::text::Label;

#[derive(Default)]
pub(super) struct States<'a> {
    parser: GraphParser<'a>,
    /// The states whose label is a description instead of their name.
    described: BTreeSet<usize>,
    /// The note that is not closed yet: its state, its lines, and where it begins.
    note: Option<(usize, Vec<&'a str>, Cursor<'a>)>,
}

impl<'a> DiagramParser<'a> for States<'a> {
    fn line(&mut self, line: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let start = line.clone();
        if let Some((state, mut text, begin)) = self.note.take() {
            match line.take_rest() {
                "end note" => self.parser.note(Some(state), &text.join("\n")),
                more => {
                    text.push(more);
                    self.note = Some((state, text, begin));
                }
            }
            Ok(())
        } else if line.eat("}") {
            self.parser.close("}", &start)
        } else if line.rest().trim() == "--" {
            line.take_rest();
            self.parser.region(&start)
        } else {
            self.statement(start, line)
        }
    }

    fn draw(mut self) -> Result<Canvas, DiagramError> {
        if let Some((.., begin)) = &self.note {
            return Err(begin.error("this note has no `end note`"));
        }
        let Graph { items, direction, .. } = &mut self.parser.graph;
        for at in 0..items.len() {
            // Bars are drawn across where edges lead sideways.
            let direction = items[at].parent.and_then(|group| items[group].direction).unwrap_or(*direction);
            if items[at].shape == Shape::Bar && matches!(direction, Direction::LR | Direction::RL) {
                items[at].shape = Shape::VerticalBar;
            }
        }
        self.parser.draw("{", "}")
    }
}

impl<'a> States<'a> {
    fn statement(&mut self, start: Cursor<'a>, line: &mut Cursor<'a>) -> Result<(), DiagramError> {
        match line.keyword() {
            "state" => return self.state(start, line),
            "note" => return self.note(start, line),
            // Hints that do not apply here.
            "hide" | "scale" => _ = line.take_rest(),
            word if self.parser.statement(word, &start, line)? => {}
            _ => {
                *line = start;
                return self.transition(line);
            }
        }
        Ok(())
    }

    /// Parses the rest of `state "text" as id`, `state id <<choice>>`, `state id {`.
    fn state(&mut self, start: Cursor<'a>, line: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let text = line.quoted()?;
        let start_of_name = line.clone();
        if text.is_some() && line.keyword() != "as" {
            return Err(start_of_name.expected("`as` and a name"));
        }
        let name = line.clone().name(JOINS);
        let (state, _) = self.named(line)?;
        if line.eat("{") {
            self.parser.open(name, text.unwrap_or(name), start);
            return Ok(());
        }
        let kind = line.enclosed("<<", ">>")?.or(line.enclosed("[[", "]]")?);
        let shape = match kind {
            Some("choice") => Some(Shape::Diamond),
            Some("fork" | "join") => Some(Shape::Bar),
            Some(kind) => {
                return Err(start.error(&format!("`{kind}` is not a kind of state; use choice, fork or join")));
            }
            None => None,
        };
        let item = &mut self.parser.graph.items[state];
        if let Some(shape) = shape.filter(|_| item.shape != Shape::Group) {
            (item.shape, item.label) = (shape, Label::default());
        } else if let Some(text) = text {
            item.label = Label::new(text);
        }
        Ok(())
    }

    /// Parses the rest of `note right of id : text`, or of the form with several lines up to `end note`.
    fn note(&mut self, start: Cursor<'a>, line: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let side = line.clone();
        if !matches!(line.keyword(), "right" | "left") || line.keyword() != "of" {
            return Err(side.expected("`right of` or `left of`"));
        }
        let (state, _) = self.named(line)?;
        if line.eat(":") {
            self.parser.note(Some(state), line.take_rest());
        } else {
            self.note = Some((state, Vec::new(), start));
        }
        Ok(())
    }

    /// Parses `a --> b : text`, `a : text` or `a`.
    fn transition(&mut self, line: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let (from, is_named) = self.place(line, Shape::Start)?;
        if line.eat("-->") {
            let (to, _) = self.place(line, Shape::Finish)?;
            let label = Label::new(line.text_after_colon());
            self.parser.graph.edges.push(Edge { from, to, head: Marker::Arrow, label, ..Edge::default() });
        } else if line.eat(":") {
            let text = line.take_rest();
            let item = &mut self.parser.graph.items[from];
            if is_named && item.shape != Shape::Group {
                let is_first = self.described.insert(from);
                let before = if is_first { String::new() } else { item.label.lines.join("\n") + "\n" };
                item.label = Label::new(&(before + text));
            }
        } else if !line.is_done() {
            return Err(line.expected("`-->` or `:`"));
        }
        Ok(())
    }

    /// Takes the name of a state, or `[*]`, which has the shape `mark`. Returns the item, and whether it has a name.
    fn place(&mut self, line: &mut Cursor<'a>, mark: Shape) -> Result<(usize, bool), DiagramError> {
        if !line.eat("[*]") {
            return self.named(line);
        }
        let scope = self.parser.scope();
        let state = self.parser.graph.item(&format!("{mark:?} {scope:?}"), mark, scope);
        self.parser.graph.items[state].label = Label::default();
        Ok((state, false))
    }

    /// Takes the name of a state and its `:::class`; adds the state if it is new.
    fn named(&mut self, line: &mut Cursor<'a>) -> Result<(usize, bool), DiagramError> {
        let start = line.clone();
        let name = line.name(JOINS);
        if name.is_empty() {
            return Err(start.expected("a state"));
        }
        self.parser.suffix(name, line)?;
        let scope = self.parser.scope();
        Ok((self.parser.graph.item(name, Shape::Round, scope), true))
    }
}
