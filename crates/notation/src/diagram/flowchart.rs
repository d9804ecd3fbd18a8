//! Parses `flowchart` and `graph`.

use super::DiagramError;
use super::graph::{Edge, Marker, Shape, Stroke};
use super::layout::MAX_PARTS;
use super::parser::{GraphParser, direction};
use super::source::{Cursor, Lines};
use super::text::Label;

impl<'a> GraphParser<'a> {
    /// Parses what follows `flowchart` or `graph`.
    pub fn flowchart_header(&mut self, line: &mut Cursor<'a>) -> Result<(), DiagramError> {
        if !line.is_done() && !line.eat(";") {
            self.graph.direction = direction(line)?;
        }
        self.flowchart_line(line, &mut Lines::default())
    }

    /// Parses a line of a flowchart, which may have several statements.
    pub fn flowchart_line(&mut self, line: &mut Cursor<'a>, _: &mut Lines<'a>) -> Result<(), DiagramError> {
        while !line.is_done() {
            if line.eat(";") {
                continue;
            }
            self.flowchart_statement(line)?;
            if !line.is_done() && !line.eat(";") {
                return Err(line.expected("an edge (`-->`, `---`, `-.->`, `==>`) or the end of the line"));
            }
        }
        Ok(())
    }

    fn flowchart_statement(&mut self, line: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let start = line.clone();
        match line.keyword() {
            "subgraph" => self.subgraph(start, line),
            "end" => self.close("end", &start),
            word if self.statement(word, &start, line)? => Ok(()),
            _ => {
                *line = start;
                self.chain(line)
            }
        }
    }

    /// Parses the rest of `subgraph`, `subgraph title`, `subgraph id [title]`.
    fn subgraph(&mut self, start: Cursor<'a>, line: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let text = line.take_while(|c| c != ';').trim();
        let (id, title) = match text.split_once('[') {
            Some((id, title)) => {
                let title = title.trim_end().strip_suffix(']');
                (id.trim(), title.ok_or_else(|| start.error("this `[` is not closed"))?)
            }
            None => (text.trim_matches('"'), text),
        };
        let name = if id.is_empty() { format!("subgraph {}", self.graph.groups.len()) } else { id.to_owned() };
        if self.graph.find(&name).is_some_and(|item| self.graph.items[item].shape == Shape::Group) {
            return Err(start.error(format!("the subgraph `{name}` already exists")));
        }
        self.open(&name, title, start);
        Ok(())
    }

    /// Parses `A & B --> C -->|text| D`.
    fn chain(&mut self, line: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let start = line.clone();
        let mut from = self.nodes(line)?;
        while let Some(pattern) = edge(line)? {
            let to = self.nodes(line)?;
            let count = from.len() * to.len();
            if count > MAX_PARTS {
                return Err(start.error(format!("this creates {count} edges; a diagram may have at most {MAX_PARTS}")));
            }
            let pairs = from.iter().flat_map(|from| to.iter().map(|to| (*from, *to)));
            self.graph.edges.extend(pairs.map(|(from, to)| Edge { from, to, ..pattern.clone() }));
            from = to;
        }
        Ok(())
    }

    fn nodes(&mut self, line: &mut Cursor<'a>) -> Result<Vec<usize>, DiagramError> {
        let mut nodes = Vec::new();
        loop {
            nodes.push(self.node(line)?);
            if !line.eat("&") {
                return Ok(nodes);
            }
        }
    }

    fn node(&mut self, line: &mut Cursor<'a>) -> Result<usize, DiagramError> {
        let start = line.clone();
        let name = line.name(&['-', '.', '/', ':', '*', '+', '#']);
        match name {
            "" => return Err(start.expected("a node")),
            "end" => return Err(start.error("`end` ends a subgraph; as the name of a node write `End`")),
            _ => {}
        }
        let scope = self.scope();
        let node = self.graph.item(name, Shape::Box, scope);
        if line.rest().starts_with(['(', '[', '{', '>', '@']) {
            let (shape, text) = shape(line)?;
            let item = &mut self.graph.items[node];
            if item.shape != Shape::Group {
                (item.shape, item.label) = (shape, Label::new(text));
            }
        }
        self.suffix(name, line)?;
        Ok(node)
    }
}

/// The brackets around the text of a node, and its shape; longer brackets come first.
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

/// Takes the shape and the text of a node from its opening bracket.
fn shape<'a>(line: &mut Cursor<'a>) -> Result<(Shape, &'a str), DiagramError> {
    let start = line.clone();
    for (open, close, shape) in SHAPES {
        *line = start.clone();
        if !line.eat(open) {
            continue;
        }
        let text = match line.quoted()? {
            Some(text) => line.eat(close).then_some(text),
            // Two brackets can close a `[/` or `[\`, so the text must not contain the other one.
            None => line.until(close).filter(|text| !(close.ends_with(']') && text.contains(']'))),
        };
        if let Some(text) = text {
            return Ok((*shape, text));
        }
    }
    Err(start.error(if start.rest().starts_with('@') {
        "`@{…}` is not supported; write the shape as brackets, as in `id[text]` or `id{text}`"
    } else {
        "this bracket is not closed"
    }))
}

/// How an edge begins, its stroke, the character that lengthens it, and what follows its text.
const LINES: &[(&str, Stroke, char, &str)] = &[
    ("--", Stroke::Solid, '-', "--"),
    ("==", Stroke::Thick, '=', "=="),
    ("-.", Stroke::Dashed, '.', ".-"),
    ("~~~", Stroke::Hidden, '~', ""),
];

/// Takes an edge with its text, if one is next: `-->`, `<-->|text|`, `-- text -->`, `-.-`, `===`, `~~~`.
fn edge(line: &mut Cursor) -> Result<Option<Edge>, DiagramError> {
    let start = line.clone();
    line.eat("");
    let tail = line.take_one(&['<', 'o', 'x']);
    let Some((begin, stroke, body, end)) = LINES.iter().find(|(begin, ..)| line.eat_here(begin)) else {
        *line = start;
        return if tail == Some('<') { Err(line.expected("an edge")) } else { Ok(None) };
    };
    let length = |line: &mut Cursor| std::iter::from_fn(|| line.take_one(&[*body])).count();
    let mut edge = Edge { tail: head(tail), stroke: *stroke, extra: length(line), ..Edge::default() };
    let is_ended = *stroke != Stroke::Dashed || line.eat_here("-");
    let is_line = is_ended && (edge.extra > 0 || matches!(stroke, Stroke::Dashed | Stroke::Hidden));
    edge.head = head(if is_ended { line.take_one(MARKERS) } else { None });
    if edge.head == Marker::None && !is_line {
        let quoted = line.quoted()?;
        let unclosed = || start.error("this edge has no end, as in `-->` or `-- text -->`");
        let text = line.until(end).ok_or_else(unclosed)?;
        edge.label = Label::new(quoted.unwrap_or(text).trim_end_matches('.'));
        edge.extra = if *stroke == Stroke::Dashed { 0 } else { length(line) };
        edge.head = head(line.take_one(MARKERS));
    } else {
        edge.label = Label::new(line.enclosed("|", "|")?.unwrap_or_default());
    }
    // The shortest edge without a marker has one more character.
    let is_short = edge.head == Marker::None && !matches!(stroke, Stroke::Dashed | Stroke::Hidden);
    edge.extra = edge.extra.saturating_sub(usize::from(is_short && begin.len() == 2));
    Ok(Some(edge))
}

/// The characters of markers.
const MARKERS: &[char] = &['>', 'o', 'x'];

fn head(c: Option<char>) -> Marker {
    match c {
        Some('o') => Marker::Circle,
        Some('x') => Marker::Cross,
        Some(_) => Marker::Arrow,
        None => Marker::None,
    }
}
