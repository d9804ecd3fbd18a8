//! Parses `classDiagram`: classes with their members, and relations between them.

use super::DiagramError;
use super::graph::{Edge, Marker, Shape, Stroke};
use super::parser::{GraphParser, JOINS, NO_LINKS};
use super::source::{Cursor, Lines, is_word};
use super::text::{Label, plain};

/// The texts of a marker before and after the line of a relation, and the marker.
const MARKS: &[(&str, &str, Marker)] = &[
    ("<|", "|>", Marker::Triangle),
    ("()", "()", Marker::Lollipop),
    ("<", ">", Marker::Open),
    ("*", "*", Marker::Diamond),
    ("o", "o", Marker::HollowDiamond),
];

impl<'a> GraphParser<'a> {
    pub fn class_line(&mut self, line: &mut Cursor<'a>, more: &mut Lines<'a>) -> Result<(), DiagramError> {
        let start = line.clone();
        if line.eat("}") {
            return self.close("}", &start);
        }
        if let Some(kind) = line.enclosed("<<", ">>")? {
            let class = self.named_class(line)?;
            self.set_kind(class, kind);
            return Ok(());
        }
        match line.keyword() {
            "class" => self.class(&start, line, more),
            "namespace" => self.namespace(start, line),
            "note" => {
                let class = if line.keyword() == "for" { Some(self.named_class(line)?) } else { None };
                let text = line.quoted()?.ok_or_else(|| line.expected("a text in quotes"))?;
                self.note(class, text);
                Ok(())
            }
            "link" | "callback" => Err(start.error(NO_LINKS)),
            word if self.statement(word, &start, line)? => Ok(()),
            // `class` is optional.
            _ => {
                *line = start.clone();
                self.class(&start, line, more)
            }
        }
    }

    /// Parses the rest of `namespace name {`.
    fn namespace(&mut self, start: Cursor<'a>, line: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let name = line.name(JOINS);
        if name.is_empty() || !line.eat("{") {
            return Err(line.expected("a name and `{`"));
        }
        // No class can have a name with a backtick in it.
        self.open(&format!("`{name}"), name, start);
        Ok(())
    }

    /// Parses `name`, `name["text"]`, `name <<kind>>`, `name {`, `name : member`, `name <|-- other : text`.
    fn class(&mut self, start: &Cursor<'a>, line: &mut Cursor<'a>, more: &mut Lines<'a>) -> Result<(), DiagramError> {
        let class = self.named_class(line)?;
        if let Some(kind) = line.enclosed("<<", ">>")? {
            self.set_kind(class, kind);
        }
        if line.eat("{") {
            if let Some(members) = line.until("}") {
                members.split(';').for_each(|member| self.member(class, member.trim()));
            } else {
                self.member(class, line.take_rest());
                start.block("{", "}", more)?.into_iter().for_each(|member| self.member(class, member));
            }
        } else if line.eat(":") {
            self.member(class, line.take_rest());
        } else if !line.is_done() {
            self.relation(class, line)?;
        }
        Ok(())
    }

    /// Parses the rest of `A "1" <|-- "n" B : text`.
    fn relation(&mut self, from: usize, line: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let start = line.clone();
        let tail_label = Label::new(line.quoted()?.unwrap_or_default());
        let tail = MARKS.iter().find(|(mark, ..)| line.eat(mark));
        let stroke = match (line.eat("--"), line.eat("..")) {
            (false, false) => {
                return Err(start.expected("a relation (`<|--`, `*--`, `o--`, `-->`, `..>`, `--`) or `:`"));
            }
            (true, _) => Stroke::Solid,
            (false, true) => Stroke::Dashed,
        };
        let head = MARKS.iter().find(|(_, mark, _)| line.eat_here(mark));
        let [tail, head] = [tail, head].map(|mark| mark.map_or(Marker::None, |(.., marker)| *marker));
        let head_label = Label::new(line.quoted()?.unwrap_or_default());
        let to = self.named_class(line)?;
        let label = Label::new(line.text_after_colon());
        let edge = Edge { from, to, tail, head, stroke, label, tail_label, head_label, ..Edge::default() };
        self.graph.edges.push(edge);
        Ok(())
    }

    /// Takes a name with its type parameters, its text and its `:::class`; adds the class if it is new.
    fn named_class(&mut self, line: &mut Cursor<'a>) -> Result<usize, DiagramError> {
        let start = line.clone();
        let name = line.enclosed("`", "`")?.unwrap_or_else(|| line.name(JOINS));
        if name.is_empty() {
            return Err(start.expected("a class"));
        }
        let scope = self.scope();
        let class = self.graph.item(name, Shape::Class, scope);
        let generic = line.enclosed("~", "~")?.map(|parameters| format!("{name}&lt;{parameters}&gt;"));
        if let Some(text) = line.enclosed("[", "]")?.map(str::to_owned).or(generic) {
            self.graph.items[class].label = Label::new(&text);
        }
        self.suffix(name, line)?;
        Ok(class)
    }

    fn set_kind(&mut self, class: usize, kind: &str) {
        self.graph.items[class].kind = Some(format!("«{}»", kind.trim()));
    }

    /// Adds a field, a method or, in `<<…>>`, the kind of the class.
    fn member(&mut self, class: usize, text: &str) {
        if let Some(kind) = text.strip_prefix("<<").and_then(|kind| kind.strip_suffix(">>")) {
            self.set_kind(class, kind);
        } else if !text.is_empty() {
            let (text, is_method) = (generic(&plain(text)), text.contains('('));
            let text =
                match text.split_once(')').map(|(call, result)| (call, result.trim_matches(['*', '$', ' ', ':']))) {
                    Some((call, "")) => format!("{call})"),
                    Some((call, result)) => format!("{call}): {result}"),
                    None => text.trim_end_matches(['*', '$']).to_owned(),
                };
            self.graph.items[class].members[usize::from(is_method)].push(text);
        }
    }
}

/// Replaces `~` by angle brackets: `List~int~` becomes `List<int>`. A `~` between words opens, and the next other one closes.
fn generic(text: &str) -> String {
    let (mut out, mut depth) = (String::with_capacity(text.len()), 0_usize);
    let mut parts = text.split('~').peekable();
    while let Some(part) = parts.next() {
        out.push_str(part);
        match parts.peek() {
            Some(next) if out.ends_with(is_word) && next.starts_with(is_word) => {
                depth += 1;
                out.push('<');
            }
            Some(_) if depth > 0 => {
                depth -= 1;
                out.push('>');
            }
            Some(_) => out.push('~'),
            None => {}
        }
    }
    out
}
