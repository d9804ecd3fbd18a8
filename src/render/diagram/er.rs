//! Reads `erDiagram`.

use super::DiagramError;
use super::graph::{Direction, Edge, End, Graph, Head, Record, Shape, Stroke};
use super::label::{Label, plain};
use super::source::{Cursor, Script, is_word};
use super::style::Styles;

/// The graph of entities and their relations.
pub(super) fn read(script: &mut Script) -> Result<Graph, DiagramError> {
    script.header.finish()?;
    let mut reader = Reader { graph: Graph::default(), styles: Styles::default(), body: None };
    for cursor in &mut script.lines {
        reader.line(cursor)?;
    }
    if let Some((_, at)) = reader.body {
        return Err(at.error("this `{` is not closed"));
    }
    reader.graph.nodes.iter_mut().for_each(|node| tidy(&mut node.shape));
    reader.styles.apply(&mut reader.graph)?;
    Ok(reader.graph)
}

struct Reader<'a> {
    graph: Graph,
    styles: Styles<'a>,
    /// The entity whose attributes are being read.
    body: Option<(usize, Cursor<'a>)>,
}

/// How many there are at an end: as written before the line, and after it.
const NUMBERS: &[(&str, &str, Head)] =
    &[("||", "||", Head::One), ("|o", "o|", Head::ZeroOrOne), ("}|", "|{", Head::Many), ("}o", "o{", Head::ZeroOrMany)];

impl<'a> Reader<'a> {
    fn line(&mut self, cursor: &mut Cursor<'a>) -> Result<(), DiagramError> {
        cursor.skip_space();
        let start = cursor.clone();
        if let Some((entity, _)) = self.body {
            if cursor.eat("}") {
                self.body = None;
                return cursor.finish();
            }
            return self.attribute(entity, cursor);
        }
        if cursor.eat_word("direction") {
            let name = cursor.take_rest();
            self.graph.direction =
                Direction::named(name).ok_or_else(|| start.error(&format!("`{name}` is no direction")))?;
            return Ok(());
        }
        if cursor.eat_word("class") {
            return self.styles.class_statement(cursor);
        }
        if self.styles.statement(cursor)? {
            return Ok(());
        }
        let from = self.entity(cursor)?;
        cursor.skip_space();
        if cursor.eat("{") {
            if !cursor.eat("}") {
                self.body = Some((from, start));
            }
            return cursor.finish();
        }
        if cursor.is_done() { Ok(()) } else { self.relation(from, cursor) }
    }

    fn relation(&mut self, from: usize, cursor: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let relation = "a relation, as `||--o{`";
        let tail = NUMBERS.iter().find(|(before, ..)| cursor.eat(before)).ok_or_else(|| cursor.expected(relation))?.2;
        let stroke = match (cursor.eat("--"), cursor.eat("..")) {
            (true, _) => Stroke::Solid,
            (_, true) => Stroke::Dashed,
            _ => return Err(cursor.expected("`--` or `..`")),
        };
        let head = NUMBERS.iter().find(|(_, after, _)| cursor.eat(after)).ok_or_else(|| cursor.expected(relation))?.2;
        cursor.skip_space();
        let to = self.entity(cursor)?;
        cursor.skip_space();
        let label = if cursor.eat(":") { Label::new(cursor.take_rest()) } else { Label::default() };
        // Both ends carry marks: they need more room than an arrow.
        let length = if label.is_empty() { 2 } else { 1 };
        self.graph.edges.push(Edge { tail, head, stroke, label, length, ..Edge::new(End::Node(from), End::Node(to)) });
        cursor.finish()
    }

    /// Takes the name of an entity, with its title in brackets; the entity is made if it is new.
    fn entity(&mut self, cursor: &mut Cursor<'a>) -> Result<usize, DiagramError> {
        let start = cursor.clone();
        let quoted = cursor.quoted()?;
        let name = quoted.unwrap_or_else(|| cursor.name(&['-', '.']));
        if name.is_empty() {
            return Err(cursor.expected("an entity"));
        }
        let shape = Shape::Record(Record { kind: None, parts: vec![Vec::new()] });
        let End::Node(entity) = self.graph.end(name, shape, None) else {
            return Err(start.error(&format!("`{name}` is no entity")));
        };
        if cursor.eat("[") {
            let title = cursor.until("]").ok_or_else(|| start.error("this `[` is not closed"))?;
            self.graph.nodes[entity].label = Label::new(title);
        }
        self.styles.suffix(name, cursor)?;
        Ok(entity)
    }

    /// `type name PK, FK "comment"`.
    fn attribute(&mut self, entity: usize, cursor: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let word = |c: char| is_word(c) || matches!(c, '-' | '.' | '(' | ')' | '[' | ']' | '*' | ',');
        let kind = cursor.take_while(word);
        cursor.skip_space();
        let name = cursor.take_while(word);
        if kind.is_empty() || name.is_empty() {
            return Err(cursor.expected("an attribute, as `int id PK \"comment\"`"));
        }
        cursor.skip_space();
        let keys = cursor.take_while(|c| c != '"').trim();
        let is_key = |key: &str| matches!(key.trim(), "PK" | "FK" | "UK");
        if !keys.is_empty() && !keys.split(',').all(is_key) {
            return Err(cursor.error(&format!("`{keys}` is no key; keys are PK, FK and UK")));
        }
        let comment = cursor.quoted()?.unwrap_or_default();
        if let Shape::Record(record) = &mut self.graph.nodes[entity].shape {
            let row = [kind, name, keys, comment].map(plain).into();
            record.parts.iter_mut().for_each(|part| part.push(Vec::clone(&row)));
        }
        cursor.finish()
    }
}

/// Takes the columns out that are empty in every row, and a compartment without rows.
fn tidy(shape: &mut Shape) {
    let Shape::Record(record) = shape else { return };
    record.parts.retain(|part| !part.is_empty());
    for column in [3, 2] {
        let mut rows = record.parts.iter_mut().flatten();
        if rows.all(|row| row.get(column).is_none_or(String::is_empty)) {
            for row in record.parts.iter_mut().flatten().filter(|row| row.len() > column) {
                row.remove(column);
            }
        }
    }
}
