//! Parses `classDiagram` and `erDiagram`: boxes with rows, and relations between them.

use super::DiagramError;
use super::canvas::Canvas;
use super::graph::{Edge, Marker, Record, Shape, Stroke};
use super::parser::{DiagramParser, GraphParser, JOINS, NO_LINKS};
use super::source::{Cursor, is_word};
use super::text::{Label, plain};

/// The texts of a marker before and after the line of a relation, and the marker.
type Marks = &'static [(&'static str, &'static str, Marker)];

const CLASS_MARKS: Marks = &[
    ("<|", "|>", Marker::Triangle),
    ("()", "()", Marker::Lollipop),
    ("<", ">", Marker::Open),
    ("*", "*", Marker::Diamond),
    ("o", "o", Marker::HollowDiamond),
];
const ENTITY_MARKS: Marks = &[
    ("||", "||", Marker::One),
    ("|o", "o|", Marker::ZeroOrOne),
    ("}|", "|{", Marker::Many),
    ("}o", "o{", Marker::ZeroOrMany),
];

pub(super) struct Records<'a> {
    parser: GraphParser<'a>,
    /// Whether the boxes are entities instead of classes.
    is_er: bool,
    /// The box that is not closed yet, and where it begins.
    body: Option<(usize, Cursor<'a>)>,
}

impl<'a> DiagramParser<'a> for Records<'a> {
    fn line(&mut self, line: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let start = line.clone();
        if let Some((item, _)) = self.body {
            if line.eat("}") {
                self.body = None;
                return Ok(());
            }
            return self.row(item, line);
        }
        if line.eat("}") {
            return self.parser.close("}", &start);
        }
        if let Some(kind) = if self.is_er { None } else { line.enclosed("<<", ">>")? } {
            let class = self.named(line)?;
            self.kind(class, kind);
            return Ok(());
        }
        match line.keyword() {
            "class" if !self.is_er => self.item(start, line),
            "namespace" if !self.is_er => self.namespace(start, line),
            "note" if !self.is_er => {
                let class = if line.eat_word("for") { Some(self.named(line)?) } else { None };
                let text = line.quoted()?.ok_or_else(|| line.expected("a text in quotes"))?;
                self.parser.note(class, text);
                Ok(())
            }
            "link" | "callback" if !self.is_er => Err(start.error(NO_LINKS)),
            word if self.parser.statement(word, &start, line)? => Ok(()),
            // `class` is optional.
            _ => {
                *line = start.clone();
                self.item(start, line)
            }
        }
    }

    fn draw(mut self) -> Result<Canvas, DiagramError> {
        if let Some((_, start)) = &self.body {
            return Err(start.error("this `{` is not closed"));
        }
        for item in &mut self.parser.graph.items {
            let Shape::Record(record) = &mut item.shape else { continue };
            record.parts.retain(|part| !part.is_empty());
            // Columns for keys and comments take no space if all of their cells are empty.
            for column in [3, 2] {
                if record.parts.iter().flatten().all(|row| row.get(column).is_none_or(String::is_empty)) {
                    record.parts.iter_mut().flatten().for_each(|row| row.truncate(column));
                }
            }
        }
        self.parser.draw("{", "}")
    }
}

impl<'a> Records<'a> {
    pub fn new(is_er: bool) -> Self {
        Self { parser: GraphParser::default(), is_er, body: None }
    }

    /// Parses the rest of `namespace name {`.
    fn namespace(&mut self, start: Cursor<'a>, line: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let name = line.name(JOINS);
        if name.is_empty() || !line.eat("{") {
            return Err(line.expected("a name and `{`"));
        }
        if self.parser.scope().is_some() {
            return Err(start.error("a namespace in a namespace is not supported"));
        }
        // No class can have a name with a backtick in it.
        self.parser.open(&format!("`{name}"), name, start);
        Ok(())
    }

    /// Parses `name`, `name["text"]`, `name <<kind>>`, `name {`, `name : member`, `name <|-- other : text`.
    fn item(&mut self, start: Cursor<'a>, line: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let item = self.named(line)?;
        if let Some(kind) = line.enclosed("<<", ">>")? {
            self.kind(item, kind);
        }
        if line.eat("{") {
            if let Some(rows) = if self.is_er { line.eat("}").then_some("") } else { line.until("}") } {
                rows.split(';').for_each(|row| self.member(item, row.trim()));
                return Ok(());
            }
            self.body = Some((item, start));
            return if line.is_done() { Ok(()) } else { self.row(item, line) };
        } else if !self.is_er && line.eat(":") {
            self.member(item, line.take_rest());
        } else if !line.is_done() {
            self.relation(item, line)?;
        }
        Ok(())
    }

    /// Parses the rest of `A "1" <|-- "n" B : text`.
    fn relation(&mut self, from: usize, line: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let (marks, help) = if self.is_er {
            (ENTITY_MARKS, "a relation, as `||--o{`")
        } else {
            (CLASS_MARKS, "a relation (`<|--`, `*--`, `o--`, `-->`, `..>`, `--`) or `:`")
        };
        let start = line.clone();
        let tail_label = Label::new(line.quoted()?.unwrap_or_default());
        let tail = marks.iter().find(|(mark, ..)| line.eat(mark));
        let stroke = match (line.eat("--"), line.eat("..")) {
            (false, false) => return Err(start.expected(help)),
            (true, _) => Stroke::Solid,
            (false, true) => Stroke::Dashed,
        };
        let head = marks.iter().find(|(_, mark, _)| line.eat_here(mark));
        if self.is_er && (tail.is_none() || head.is_none()) {
            return Err(start.expected(help));
        }
        let [tail, head] = [tail, head].map(|mark| mark.map_or(Marker::None, |(.., head)| *head));
        let quoted = if self.is_er { None } else { line.quoted()? };
        let to = self.named(line)?;
        let label = Label::new(line.text_after_colon());
        // Markers at both ends need more space than an arrow.
        let extra = usize::from(self.is_er && label.is_empty());
        let head_label = Label::new(quoted.unwrap_or_default());
        let edge = Edge { from, to, tail, head, stroke, label, tail_label, head_label, extra, ..Edge::default() };
        self.parser.graph.edges.push(edge);
        Ok(())
    }

    /// Takes a name with its type parameters, its text and its `:::class`; adds the item if it is new.
    fn named(&mut self, line: &mut Cursor<'a>) -> Result<usize, DiagramError> {
        let start = line.clone();
        let quoted = if self.is_er { line.quoted()? } else { line.enclosed("`", "`")? };
        let name = quoted.unwrap_or_else(|| line.name(JOINS));
        if name.is_empty() {
            return Err(start.expected(if self.is_er { "an entity" } else { "a class" }));
        }
        let (scope, count) = (self.parser.scope(), if self.is_er { 1 } else { 2 });
        let shape = Shape::Record(Record { kind: None, parts: vec![Vec::new(); count] });
        let item = self.parser.graph.item(name, shape, scope);
        let generic = line.enclosed("~", "~")?.map(|parameters| format!("{name}&lt;{parameters}&gt;"));
        if let Some(text) = line.enclosed("[", "]")?.map(str::to_owned).or(generic) {
            self.parser.graph.items[item].label = Label::new(&text);
        }
        self.parser.suffix(name, line)?;
        Ok(item)
    }

    /// Parses a line between `{` and `}`: a member, or `type name PK, FK "comment"`.
    fn row(&mut self, item: usize, line: &mut Cursor<'a>) -> Result<(), DiagramError> {
        if !self.is_er {
            self.member(item, line.take_rest());
            return Ok(());
        }
        let word = |c: char| is_word(c) || matches!(c, '-' | '.' | '(' | ')' | '[' | ']' | '*' | ',');
        let kind = line.take_while(word);
        let name = line.take_while(word);
        if kind.is_empty() || name.is_empty() {
            return Err(line.expected("an attribute, as `int id PK \"comment\"`"));
        }
        let keys = line.take_while(|c| c != '"').trim();
        if !keys.is_empty() && !keys.split(',').all(|key| matches!(key.trim(), "PK" | "FK" | "UK")) {
            return Err(line.error(&format!("`{keys}` is not a key; use PK, FK or UK")));
        }
        let comment = line.quoted()?.unwrap_or_default();
        self.push(item, 0, [kind, name, keys, comment].map(plain).into());
        Ok(())
    }

    /// Adds a field, a method or, in `<<…>>`, the kind of the class.
    fn member(&mut self, class: usize, text: &str) {
        if let Some(kind) = text.strip_prefix("<<").and_then(|kind| kind.strip_suffix(">>")) {
            self.kind(class, kind);
        } else if !text.is_empty() {
            let (text, is_method) = (generic(&plain(text)), text.contains('('));
            let text =
                match text.split_once(')').map(|(call, result)| (call, result.trim_matches(['*', '$', ' ', ':']))) {
                    Some((call, "")) => format!("{call})"),
                    Some((call, result)) => format!("{call}): {result}"),
                    None => text.trim_end_matches(['*', '$']).to_owned(),
                };
            self.push(class, usize::from(is_method), vec![text]);
        }
    }

    fn kind(&mut self, item: usize, kind: &str) {
        if let Shape::Record(record) = &mut self.parser.graph.items[item].shape {
            record.kind = Some(format!("«{}»", kind.trim()));
        }
    }

    fn push(&mut self, item: usize, part: usize, row: Vec<String>) {
        if let Shape::Record(record) = &mut self.parser.graph.items[item].shape {
            record.parts[part].push(row);
        }
    }
}

/// Replaces `~` by angle brackets: `List~int~` becomes `List<int>`.
fn generic(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut depth = 0_usize;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let opens = depth == 0 || chars.peek().is_some_and(|next| next.is_alphanumeric());
        if c == '~' && opens && chars.peek().is_some() {
            depth += 1;
            out.push('<');
        } else if c == '~' && depth > 0 {
            depth -= 1;
            out.push('>');
        } else {
            out.push(c);
        }
    }
    out
}
