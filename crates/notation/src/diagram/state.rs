//! Parses `stateDiagram` and `stateDiagram-v2`.

use super::DiagramError;
use super::graph::{Edge, Marker, Shape};
use super::parser::{GraphParser, JOINS};
use super::source::{Cursor, Lines};
use super::text::Label;

impl<'a> GraphParser<'a> {
    pub fn state_line(&mut self, line: &mut Cursor<'a>, more: &mut Lines<'a>) -> Result<(), DiagramError> {
        let start = line.clone();
        if line.eat("}") {
            return self.close("}", &start);
        }
        match line.keyword() {
            "" if line.rest().trim() == "--" => {
                line.take_rest();
                return self.region(&start);
            }
            "state" => return self.state(start, line),
            "note" => return self.state_note(&start, line, more),
            // Hints that do not apply here.
            "hide" | "scale" => _ = line.take_rest(),
            word if self.statement(word, &start, line)? => {}
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
        let state = self.named_state(line)?;
        if line.eat("{") {
            self.open(name, text.unwrap_or(name), start);
            return Ok(());
        }
        let kind = line.enclosed("<<", ">>")?.or(line.enclosed("[[", "]]")?);
        let shape = match kind {
            Some("choice") => Some(Shape::Diamond),
            Some("fork" | "join") => Some(Shape::Bar),
            Some(kind) => {
                return Err(start.error(format!("`{kind}` is not a kind of state; use choice, fork or join")));
            }
            None => None,
        };
        let item = &mut self.graph.items[state];
        if let Some(shape) = shape.filter(|_| item.shape != Shape::Group) {
            (item.shape, item.label) = (shape, Label::default());
        } else if let Some(text) = text {
            item.label = Label::new(text);
        }
        Ok(())
    }

    /// Parses the rest of `note right of id : text`, or of the form with several lines up to `end note`.
    fn state_note(
        &mut self,
        start: &Cursor<'a>,
        line: &mut Cursor<'a>,
        more: &mut Lines<'a>,
    ) -> Result<(), DiagramError> {
        let side = line.clone();
        if !matches!(line.keyword(), "right" | "left") || line.keyword() != "of" {
            return Err(side.expected("`right of` or `left of`"));
        }
        let state = self.named_state(line)?;
        if line.eat(":") {
            self.note(Some(state), line.take_rest());
        } else {
            self.note(Some(state), &start.block("note", "end note", more)?.join("\n"));
        }
        Ok(())
    }

    /// Parses `a --> b : text`, `a : text` or `a`.
    fn transition(&mut self, line: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let name = line.clone().name(JOINS);
        let from = self.place(line, Shape::Start)?;
        if line.eat("-->") {
            let to = self.place(line, Shape::Finish)?;
            let label = Label::new(line.text_after_colon());
            self.graph.edges.push(Edge { from, to, head: Marker::Arrow, label, ..Edge::default() });
        } else if line.eat(":") {
            let text = line.take_rest();
            let item = &mut self.graph.items[from];
            if !matches!(item.shape, Shape::Group | Shape::Start) {
                // The first description replaces the name, and others follow it.
                let before = if item.label == Label::new(name) { String::new() } else { item.label.lines.join("\n") };
                item.label = Label::new(&format!("{before}\n{text}"));
            }
        } else if !line.is_done() {
            return Err(line.expected("`-->` or `:`"));
        }
        Ok(())
    }

    /// Takes the name of a state, or `[*]`, which has the shape `mark`.
    fn place(&mut self, line: &mut Cursor<'a>, mark: Shape) -> Result<usize, DiagramError> {
        if !line.eat("[*]") {
            return self.named_state(line);
        }
        let scope = self.scope();
        let state = self.graph.item(&format!("{mark:?} {scope:?}"), mark, scope);
        self.graph.items[state].label = Label::default();
        Ok(state)
    }

    /// Takes the name of a state and its `:::class`; adds the state if it is new.
    fn named_state(&mut self, line: &mut Cursor<'a>) -> Result<usize, DiagramError> {
        let start = line.clone();
        let name = line.name(JOINS);
        if name.is_empty() {
            return Err(start.expected("a state"));
        }
        self.suffix(name, line)?;
        let scope = self.scope();
        Ok(self.graph.item(name, Shape::Round, scope))
    }
}
