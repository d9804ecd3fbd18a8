//! Reads `classDiagram`.

use std::collections::BTreeMap;

use super::DiagramError;
use super::graph::{Direction, Edge, End, Graph, Head, Node, Record, Shape, Stroke};
use super::label::{Label, plain};
use super::source::{Cursor, Script};
use super::style::{Paint, Styles};

/// The graph of classes and their relations.
pub(super) fn read(script: &mut Script) -> Result<Graph, DiagramError> {
    script.header.finish()?;
    let mut reader = Reader::default();
    for cursor in &mut script.lines {
        reader.line(cursor)?;
    }
    if let Some(at) = reader.body.map(|(_, at)| at).or(reader.space.map(|(_, at)| at)) {
        return Err(at.error("this `{` is not closed"));
    }
    for (class, mut record) in reader.records {
        record.parts.retain(|part| !part.is_empty());
        reader.graph.nodes[class].shape = Shape::Record(record);
    }
    reader.styles.apply(&mut reader.graph)?;
    Ok(reader.graph)
}

/// What may join the words of a name.
const JOINS: &[char] = &['-', '.'];

#[derive(Default)]
struct Reader<'a> {
    graph: Graph,
    styles: Styles<'a>,
    /// What each class holds: fields, then methods.
    records: BTreeMap<usize, Record>,
    /// The namespace that has begun.
    space: Option<(usize, Cursor<'a>)>,
    /// The class whose members are being read.
    body: Option<(usize, Cursor<'a>)>,
}

/// How a relation may begin and end.
const HEADS: &[(&str, &str, Head)] = &[
    ("<|", "|>", Head::Triangle),
    ("()", "()", Head::Lollipop),
    ("<", ">", Head::Open),
    ("*", "*", Head::Diamond),
    ("o", "o", Head::HollowDiamond),
];

impl<'a> Reader<'a> {
    fn line(&mut self, cursor: &mut Cursor<'a>) -> Result<(), DiagramError> {
        cursor.skip_space();
        let start = cursor.clone();
        if let Some((class, _)) = self.body {
            if cursor.eat("}") {
                self.body = None;
                return cursor.finish();
            }
            self.member(class, cursor.take_rest());
            return Ok(());
        }
        if cursor.eat("}") {
            self.space.take().ok_or_else(|| start.error("this `}` closes nothing"))?;
            return cursor.finish();
        }
        if cursor.eat_word("direction") {
            let name = cursor.take_rest();
            self.graph.direction =
                Direction::named(name).ok_or_else(|| start.error(&format!("`{name}` is no direction")))?;
            return Ok(());
        }
        if cursor.eat_word("namespace") {
            return self.namespace(start, cursor);
        }
        if cursor.eat_word("class") {
            return self.class(start, cursor);
        }
        if cursor.eat_word("note") {
            return self.note(cursor);
        }
        if cursor.eat_word("cssClass") {
            return self.styles.class_statement(cursor);
        }
        if self.styles.statement(cursor)? {
            return Ok(());
        }
        if cursor.eat_word("click") || cursor.eat_word("link") || cursor.eat_word("callback") {
            return Err(start.error("a diagram in a page has no links; put the link into the text"));
        }
        if cursor.eat("<<") {
            let kind = cursor.until(">>").ok_or_else(|| start.error("this `<<` has no `>>`"))?;
            cursor.skip_space();
            let class = self.named(cursor)?;
            self.record(class).kind = Some(format!("«{}»", kind.trim()));
            return cursor.finish();
        }
        self.relation(cursor)
    }

    fn namespace(&mut self, start: Cursor<'a>, cursor: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let name = cursor.name(&['.', '-']);
        cursor.skip_space();
        if name.is_empty() || !cursor.eat("{") {
            return Err(cursor.expected("a name and `{`"));
        }
        if self.space.is_some() {
            return Err(start.error("a namespace in a namespace is not supported"));
        }
        // No class can have a name with a backtick in it.
        let group = self.graph.group(&format!("`{name}"), Label::new(name), None);
        self.space = Some((group, start));
        cursor.finish()
    }

    /// The rest of `class Name["text"]:::style { members }`.
    fn class(&mut self, start: Cursor<'a>, cursor: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let name = cursor.clone().name(JOINS);
        let class = self.named(cursor)?;
        self.graph.nodes[class].group = self.space.as_ref().map(|(group, _)| *group).or(self.graph.nodes[class].group);
        if cursor.eat("[") {
            let text = cursor.until("]").ok_or_else(|| start.error("this `[` is not closed"))?;
            self.graph.nodes[class].label = Label::new(text);
            self.styles.suffix(name, cursor)?;
        }
        cursor.skip_space();
        if cursor.eat("<<") {
            let kind = cursor.until(">>").ok_or_else(|| start.error("this `<<` has no `>>`"))?;
            self.record(class).kind = Some(format!("«{}»", kind.trim()));
            cursor.skip_space();
        }
        if cursor.eat("{") {
            cursor.skip_space();
            if let Some(members) = cursor.until("}") {
                members.split(';').for_each(|member| self.member(class, member.trim()));
            } else {
                self.member(class, cursor.take_rest());
                self.body = Some((class, start));
            }
        }
        cursor.finish()
    }

    fn note(&mut self, cursor: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let of = if cursor.eat_word("for") { Some(self.named(cursor)?) } else { None };
        cursor.skip_space();
        let text = cursor.quoted()?.ok_or_else(|| cursor.expected("a text in quotes"))?;
        let group = of.and_then(|class| self.graph.nodes[class].group);
        let note = self.graph.add(Node { label: Label::new(text), shape: Shape::Note, group, paint: Paint::default() });
        if let Some(class) = of {
            self.graph.edges.push(Edge { stroke: Stroke::Dashed, ..Edge::new(End::Node(class), End::Node(note)) });
        }
        cursor.finish()
    }

    /// `A "1" <|-- "n" B : text`, or `A : member`.
    fn relation(&mut self, cursor: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let from = self.named(cursor)?;
        cursor.skip_space();
        if cursor.eat(":") {
            self.member(from, cursor.take_rest());
            return Ok(());
        }
        if cursor.is_done() {
            return Ok(());
        }
        let tail_label = cursor.quoted()?.unwrap_or_default();
        cursor.skip_space();
        let mut edge = Edge::new(End::Node(from), End::Node(from));
        edge.tail_label = Label::new(tail_label);
        edge.tail = HEADS.iter().find(|(begin, ..)| cursor.eat(begin)).map_or(Head::None, |(.., head)| *head);
        edge.stroke = match (cursor.eat("--"), cursor.eat("..")) {
            (true, _) => Stroke::Solid,
            (_, true) => Stroke::Dashed,
            _ => return Err(cursor.expected("a relation (`<|--`, `*--`, `o--`, `-->`, `..>`, `--`) or `:`")),
        };
        edge.head = HEADS.iter().find(|(_, end, _)| cursor.eat(end)).map_or(Head::None, |(.., head)| *head);
        cursor.skip_space();
        edge.head_label = Label::new(cursor.quoted()?.unwrap_or_default());
        cursor.skip_space();
        edge.to = End::Node(self.named(cursor)?);
        cursor.skip_space();
        if cursor.eat(":") {
            edge.label = Label::new(cursor.take_rest());
        }
        self.graph.edges.push(edge);
        cursor.finish()
    }

    /// Takes the name of a class, with its parameters; the class is made if it is new.
    fn named(&mut self, cursor: &mut Cursor<'a>) -> Result<usize, DiagramError> {
        let start = cursor.clone();
        let name = if cursor.eat("`") {
            cursor.until("`").ok_or_else(|| start.error("this backtick is not closed"))?
        } else {
            cursor.name(JOINS)
        };
        if name.is_empty() {
            return Err(cursor.expected("a class"));
        }
        let parameters = if cursor.eat("~") {
            Some(cursor.until("~").ok_or_else(|| start.error("this `~` has no second `~`"))?)
        } else {
            None
        };
        self.styles.suffix(name, cursor)?;
        let space = self.space.as_ref().map(|(group, _)| *group);
        let End::Node(class) = self.graph.end(name, Shape::Record(Record::default()), space) else {
            return Err(start.error(&format!("`{name}` is no class")));
        };
        if let Some(parameters) = parameters {
            self.graph.nodes[class].label = Label::new(&format!("{name}&lt;{parameters}&gt;"));
        }
        Ok(class)
    }

    /// A field, a method or, in `<<…>>`, what kind of class it is.
    fn member(&mut self, class: usize, text: &str) {
        if text.is_empty() {
            return;
        }
        if let Some(kind) = text.strip_prefix("<<").and_then(|kind| kind.strip_suffix(">>")) {
            self.record(class).kind = Some(format!("«{}»", kind.trim()));
            return;
        }
        let (text, is_method) = (generic(&plain(text)), text.contains('('));
        let text = match text.split_once(')').map(|(call, result)| (call, result.trim_matches(['*', '$', ' ', ':']))) {
            Some((call, "")) => format!("{call})"),
            Some((call, result)) => format!("{call}): {result}"),
            None => text.trim_end_matches(['*', '$']).to_owned(),
        };
        if let Some(part) = self.record(class).parts.get_mut(usize::from(is_method)) {
            part.push(vec![text]);
        }
    }

    fn record(&mut self, class: usize) -> &mut Record {
        self.records.entry(class).or_insert_with(|| Record { kind: None, parts: vec![Vec::new(), Vec::new()] })
    }
}

/// `List~int~` as it is meant: `List<int>`.
fn generic(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut depth = 0_usize;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let opens = depth == 0 || chars.peek().is_some_and(|next| next.is_alphanumeric());
        match c {
            '~' if opens && chars.peek().is_some() => {
                depth += 1;
                out.push('<');
            }
            '~' if depth > 0 => {
                depth -= 1;
                out.push('>');
            }
            c => out.push(c),
        }
    }
    out
}
