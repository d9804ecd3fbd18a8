//! Reads `flowchart` and `graph`.

use super::DiagramError;
use super::graph::{Direction, Edge, End, Graph, Head, Shape, Stroke};
use super::label::Label;
use super::source::{Cursor, Script};
use super::style::Styles;

/// The graph that a flowchart describes.
pub(super) fn read(script: &mut Script) -> Result<Graph, DiagramError> {
    let mut reader = Reader { graph: Graph::default(), styles: Styles::default(), open: Vec::new() };
    let header = &mut script.header;
    header.skip_space();
    let direction = header.take_while(|c| c != ';' && !c.is_whitespace());
    reader.graph.direction = match Direction::named(direction) {
        Some(direction) => direction,
        None if direction.is_empty() => Direction::Down,
        None => return Err(header.error(&format!("`{direction}` is no direction; they are TB, TD, BT, LR, RL"))),
    };
    for cursor in std::iter::once(header).chain(&mut script.lines) {
        reader.line(cursor)?;
    }
    if let Some((_, cursor)) = reader.open.last() {
        return Err(cursor.error("this `subgraph` has no `end`"));
    }
    reader.styles.apply(&mut reader.graph)?;
    Ok(reader.graph)
}

struct Reader<'a> {
    graph: Graph,
    styles: Styles<'a>,
    /// The subgraphs that have begun, and where.
    open: Vec<(usize, Cursor<'a>)>,
}

impl<'a> Reader<'a> {
    fn line(&mut self, cursor: &mut Cursor<'a>) -> Result<(), DiagramError> {
        loop {
            cursor.skip_space();
            if cursor.eat(";") {
                continue;
            }
            if cursor.is_done() {
                return Ok(());
            }
            self.statement(cursor)?;
            cursor.skip_space();
            if !cursor.is_done() && !cursor.sees(";") {
                return Err(cursor.expected("an edge (`-->`, `---`, `-.->`, `==>`) or the end of the line"));
            }
        }
    }

    fn statement(&mut self, cursor: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let start = cursor.clone();
        if cursor.eat_word("subgraph") {
            return self.subgraph(start, cursor);
        }
        if cursor.eat_word("end") {
            let closed = self.open.pop().map(|_| ());
            return closed.ok_or_else(|| start.error("this `end` ends nothing; as the name of a node write `End`"));
        }
        if cursor.eat_word("direction") {
            let name = cursor.word();
            let direction = Direction::named(name).ok_or_else(|| start.error(&format!("`{name}` is no direction")))?;
            match self.open.last() {
                Some((group, _)) => self.graph.groups[*group].direction = Some(direction),
                None => self.graph.direction = direction,
            }
            return Ok(());
        }
        if cursor.eat_word("click") {
            return Err(start.error("a diagram in a page has no links; put the link into the text"));
        }
        if cursor.eat_word("class") {
            return self.styles.class_statement(cursor);
        }
        if self.styles.statement(cursor)? {
            return Ok(());
        }
        self.chain(cursor)
    }

    /// `subgraph`, `subgraph title`, `subgraph id [title]`.
    fn subgraph(&mut self, start: Cursor<'a>, cursor: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let text = cursor.take_while(|c| c != ';').trim();
        let (id, title) = match text.split_once('[') {
            Some((id, title)) => {
                let title = title.trim_end().strip_suffix(']');
                (id.trim(), title.ok_or_else(|| start.error("this `[` is not closed"))?)
            }
            None => (text.trim_matches('"'), text),
        };
        let name = if id.is_empty() { format!("subgraph {}", self.graph.groups.len()) } else { id.to_owned() };
        let parent = self.open.last().map(|(group, _)| *group);
        if let Some(End::Group(_)) = self.graph.find(&name) {
            return Err(start.error(&format!("there is a subgraph `{name}` already")));
        }
        let group = self.graph.group(&name, Label::new(title), parent);
        self.open.push((group, start));
        Ok(())
    }

    /// `A & B --> C -->|text| D`.
    fn chain(&mut self, cursor: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let mut from = self.nodes(cursor)?;
        loop {
            cursor.skip_space();
            let Some(pattern) = link(cursor)? else { return Ok(()) };
            let to = self.nodes(cursor)?;
            for from in &from {
                let edges = to.iter().map(|to| Edge { from: *from, to: *to, ..pattern.clone() });
                self.graph.edges.extend(edges);
            }
            from = to;
        }
    }

    fn nodes(&mut self, cursor: &mut Cursor<'a>) -> Result<Vec<End>, DiagramError> {
        let mut ends = vec![self.node(cursor)?];
        loop {
            let before = cursor.clone();
            cursor.skip_space();
            if !cursor.eat("&") {
                *cursor = before;
                return Ok(ends);
            }
            ends.push(self.node(cursor)?);
        }
    }

    fn node(&mut self, cursor: &mut Cursor<'a>) -> Result<End, DiagramError> {
        cursor.skip_space();
        let start = cursor.clone();
        let name = cursor.name(&['-', '.', '/', ':', '*', '+', '#']);
        if name.is_empty() {
            return Err(cursor.expected("a node"));
        }
        if name == "end" {
            return Err(start.error("`end` ends a subgraph; as the name of a node write `End`"));
        }
        let group = self.open.last().map(|(group, _)| *group);
        let end = self.graph.end(name, Shape::Box, group);
        let form = shape(cursor)?;
        if let End::Node(at) = end {
            let node = &mut self.graph.nodes[at];
            // As on a code host: the first subgraph that mentions a node has it.
            node.group = node.group.or(group);
            if let Some((shape, text)) = form {
                (node.shape, node.label) = (shape, Label::new(text));
            }
        }
        self.styles.suffix(name, cursor)?;
        Ok(end)
    }
}

/// What opens a node's text, what closes it, and its outline; longer ones first.
const SHAPES: &[(&str, &str, Shape)] = &[
    ("(((", ")))", Shape::DoubleCircle),
    ("([", "])", Shape::Stadium),
    ("((", "))", Shape::Circle),
    ("(", ")", Shape::Round),
    ("[[", "]]", Shape::Subroutine),
    ("[(", ")]", Shape::Cylinder),
    ("[/", "/]", Shape::LeanRight),
    ("[/", "\\]", Shape::Trapezoid),
    ("[\\", "\\]", Shape::LeanLeft),
    ("[\\", "/]", Shape::Funnel),
    ("[", "]", Shape::Box),
    ("{{", "}}", Shape::Hexagon),
    ("{", "}", Shape::Diamond),
    (">", "]", Shape::Flag),
];

/// Takes the outline and the text of a node, if they are next.
fn shape<'a>(cursor: &mut Cursor<'a>) -> Result<Option<(Shape, &'a str)>, DiagramError> {
    if cursor.sees("@{") {
        return Err(
            cursor.error("`@{…}` is not supported; write the shape as brackets, as in `id[text]` or `id{text}`")
        );
    }
    let start = cursor.clone();
    for (open, close, shape) in SHAPES {
        *cursor = start.clone();
        if !cursor.eat(open) {
            continue;
        }
        cursor.skip_space();
        let text = if let Some(text) = cursor.quoted()? {
            cursor.skip_space();
            cursor.eat(close).then_some(text)
        } else {
            // Sides may slant in two ways each: a text must not run over the bracket that closes it the other way.
            cursor.until(close).filter(|text| !(close.ends_with(']') && text.contains(']')))
        };
        if let Some(text) = text {
            return Ok(Some((shape.clone(), text)));
        }
    }
    *cursor = start;
    let is_open = cursor.peek().is_some_and(|c| matches!(c, '(' | '[' | '{' | '>'));
    if is_open { Err(cursor.error("this bracket is not closed")) } else { Ok(None) }
}

/// Takes an edge, with its text, if one is next.
fn link(cursor: &mut Cursor) -> Result<Option<Edge>, DiagramError> {
    let start = cursor.clone();
    let mut edge = Edge::new(End::Node(0), End::Node(0));
    let tail = cursor.peek().filter(|c| matches!(c, '<' | 'o' | 'x'));
    if let Some(c) = tail {
        cursor.eat(c.encode_utf8(&mut [0; 4]));
        edge.tail = head(c);
    }
    let Some((stroke, line, body, end)) = STROKES.iter().find(|(_, line, ..)| cursor.sees(line)) else {
        *cursor = start;
        return if tail == Some('<') { Err(cursor.expected("an edge")) } else { Ok(None) };
    };
    edge.stroke = *stroke;
    cursor.eat(line);
    let more = cursor.take_while(|c| body.contains(c)).len();
    let end_of_line = end.is_empty() || cursor.eat(end);
    if let Some(c) = cursor.peek().filter(|c| end_of_line && matches!(c, '>' | 'o' | 'x')) {
        cursor.eat(c.encode_utf8(&mut [0; 4]));
        edge.head = head(c);
        edge.length = more + 1;
    } else if more > 0 && end_of_line || edge.stroke == Stroke::Hidden || (edge.stroke == Stroke::Dashed && end_of_line)
    {
        edge.length = if edge.stroke == Stroke::Dashed { more + 1 } else { more.max(1) };
    } else {
        return text_link(&start, cursor, edge, (body, end)).map(Some);
    }
    cursor.skip_space();
    if cursor.eat("|") {
        let text = cursor.until("|").ok_or_else(|| cursor.error("this text of an edge has no second `|`"))?;
        edge.label = Label::new(text);
    }
    Ok(Some(edge))
}

/// Each kind of line: how it begins, what makes it longer, what must follow.
const STROKES: &[(Stroke, &str, &str, &str)] = &[
    (Stroke::Solid, "--", "-", ""),
    (Stroke::Thick, "==", "=", ""),
    (Stroke::Dashed, "-.", ".", "-"),
    (Stroke::Hidden, "~~~", "~", ""),
];

fn head(c: char) -> Head {
    match c {
        'o' => Head::Circle,
        'x' => Head::Cross,
        _ => Head::Arrow,
    }
}

/// The rest of `-- text -->`, whose beginning has been read.
fn text_link(
    start: &Cursor,
    cursor: &mut Cursor,
    mut edge: Edge,
    (body, end): (&str, &str),
) -> Result<Edge, DiagramError> {
    cursor.skip_space();
    let close = if edge.stroke == Stroke::Dashed { ".-".to_owned() } else { body.repeat(2) };
    let unclosed = || start.error("this edge has no end, as in `-->` or `-- text -->`");
    let quoted = cursor.quoted()?;
    let rest = cursor.until(&close).ok_or_else(unclosed)?;
    let text = quoted.unwrap_or(rest);
    let more = if end.is_empty() { cursor.take_while(|c| body.contains(c)).len() } else { 0 };
    edge.label = Label::new(text.trim_end_matches('.'));
    edge.length = more.max(1);
    if let Some(c) = cursor.peek().filter(|c| matches!(c, '>' | 'o' | 'x')) {
        cursor.eat(c.encode_utf8(&mut [0; 4]));
        edge.head = head(c);
        edge.length = more + 1;
    }
    Ok(edge)
}
