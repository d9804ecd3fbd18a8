//! What an author says about looks: `classDef`, `class`, `style`, `linkStyle` and `:::`.

use std::collections::BTreeMap;

use super::DiagramError;
use super::colour::Colour;
use super::graph::{End, Graph};
use super::source::Cursor;

/// Colours and strokes of the author's own; what is none follows the theme.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Paint {
    pub fill: Option<Colour>,
    pub line: Option<Colour>,
    pub text: Option<Colour>,
    /// Stroke width in pixels.
    pub width: Option<f64>,
    /// Lengths of dashes and gaps, as they stand in an attribute.
    pub dash: Option<String>,
}

impl Paint {
    /// The colour of text on it, if it is not the theme's.
    pub fn ink(&self) -> Option<&str> {
        let own = self.text.as_ref().map(|colour| colour.css.as_str());
        own.or_else(|| self.fill.as_ref().and_then(Colour::ink))
    }

    /// Lets `other` decide where it says something.
    fn apply(&mut self, other: &Self) {
        let Self { fill, line, text, width, dash } = other.clone();
        self.fill = fill.or(self.fill.take());
        self.line = line.or(self.line.take());
        self.text = text.or(self.text.take());
        self.width = width.or(self.width);
        self.dash = dash.or(self.dash.take());
    }
}

/// Styles met while a source is read; names may be used before they are defined.
#[derive(Default)]
pub(super) struct Styles<'a> {
    classes: BTreeMap<String, Paint>,
    /// Which class a node or group has, and where that is said.
    uses: Vec<(String, String, Cursor<'a>)>,
    own: Vec<(String, Paint, Cursor<'a>)>,
    links: Vec<(Option<usize>, Paint, Cursor<'a>)>,
}

impl<'a> Styles<'a> {
    /// Reads a line of style, if `cursor` stands at one.
    pub fn statement(&mut self, cursor: &mut Cursor<'a>) -> Result<bool, DiagramError> {
        let start = cursor.clone();
        if cursor.eat_word("classDef") {
            let names = list(cursor)?;
            let paint = declarations(cursor)?;
            for name in names {
                self.classes.entry(name).or_default().apply(&paint);
            }
        } else if cursor.eat_word("style") {
            let names = list(cursor)?;
            let paint = declarations(cursor)?;
            self.own.extend(names.into_iter().map(|name| (name, paint.clone(), start.clone())));
        } else if cursor.eat_word("linkStyle") {
            let numbers = list(cursor)?;
            let paint = declarations(cursor)?;
            for number in numbers {
                let number = match number.as_str() {
                    "default" => None,
                    number => Some(number.parse().map_err(|_| start.error("expected numbers of edges, or `default`"))?),
                };
                self.links.push((number, paint.clone(), start.clone()));
            }
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Reads the rest of `class A,B name` (or `cssClass "A,B" name`), whose keyword has been read.
    pub fn class_statement(&mut self, cursor: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let start = cursor.clone();
        let names = match cursor.quoted()? {
            Some(names) => names.split(',').map(|name| name.trim().to_owned()).collect(),
            None => list(cursor)?,
        };
        cursor.skip_space();
        let class = cursor.take_while(|c| c != ';' && !c.is_whitespace());
        if class.is_empty() {
            return Err(cursor.expected("the name of a class"));
        }
        self.uses.extend(names.into_iter().map(|name| (name, class.to_owned(), start.clone())));
        Ok(())
    }

    /// Reads `:::name` after the node `id`, if it is next.
    pub fn suffix(&mut self, id: &str, cursor: &mut Cursor<'a>) -> Result<(), DiagramError> {
        let start = cursor.clone();
        if cursor.eat(":::") {
            let class = cursor.take_while(|c| super::source::is_word(c) || c == '-');
            if class.is_empty() {
                return Err(cursor.expected("the name of a class"));
            }
            self.uses.push((id.to_owned(), class.to_owned(), start));
        }
        Ok(())
    }

    /// Paints what has been named.
    pub fn apply(self, graph: &mut Graph) -> Result<(), DiagramError> {
        if let Some(default) = self.classes.get("default") {
            graph.nodes.iter_mut().for_each(|node| node.paint.apply(default));
        }
        for (id, class, at) in &self.uses {
            let unknown = || at.error(&format!("no `classDef` defines `{class}`"));
            let paint = self.classes.get(class).ok_or_else(unknown)?;
            paint_of(graph, id, at)?.apply(paint);
        }
        for (id, paint, at) in &self.own {
            paint_of(graph, id, at)?.apply(paint);
        }
        let count = graph.edges.len();
        for (number, paint, at) in &self.links {
            match number {
                None => graph.edges.iter_mut().for_each(|edge| edge.paint.apply(paint)),
                Some(number) => {
                    let missing = || at.error(&format!("there is no edge {number}: the diagram has {count}, from 0"));
                    graph.edges.get_mut(*number).ok_or_else(missing)?.paint.apply(paint);
                }
            }
        }
        Ok(())
    }
}

fn paint_of<'g>(graph: &'g mut Graph, id: &str, at: &Cursor) -> Result<&'g mut Paint, DiagramError> {
    match graph.find(id) {
        Some(End::Node(node)) => Ok(&mut graph.nodes[node].paint),
        Some(End::Group(group)) => Ok(&mut graph.groups[group].paint),
        None => Err(at.error(&format!("the diagram has no `{id}`"))),
    }
}

/// Takes names with commas between them, and the space after them.
fn list(cursor: &mut Cursor) -> Result<Vec<String>, DiagramError> {
    let mut names = Vec::new();
    loop {
        cursor.skip_space();
        let name = cursor.take_while(|c| c != ',' && c != ';' && !c.is_whitespace());
        if name.is_empty() {
            return Err(cursor.expected("a name"));
        }
        names.push(name.to_owned());
        cursor.skip_space();
        if !cursor.eat(",") {
            return Ok(names);
        }
    }
}

/// Takes `property:value,…` up to the end of the statement.
fn declarations(cursor: &mut Cursor) -> Result<Paint, DiagramError> {
    let start = cursor.clone();
    let mut paint = Paint::default();
    let text = cursor.take_while(|c| c != ';');
    for declaration in split(text) {
        let (property, value) = declaration.split_once(':').ok_or_else(|| start.error("expected `property:value`"))?;
        let value = value.trim().trim_end_matches("!important").trim();
        let unknown = || start.error(&format!("`{value}` is no value of `{}`", property.trim()));
        let colour = || Colour::parse(value).ok_or_else(unknown);
        match property.trim() {
            "fill" | "background" | "background-color" => paint.fill = Some(colour()?),
            "stroke" | "border-color" => paint.line = Some(colour()?),
            "color" => paint.text = Some(colour()?),
            "stroke-width" => {
                let width = value.trim_end_matches("px").parse().ok().filter(|width| (0.0..=20.0).contains(width));
                paint.width = Some(width.ok_or_else(unknown)?);
            }
            "stroke-dasharray" => {
                let is_list = value.chars().all(|c| c.is_ascii_digit() || matches!(c, ' ' | '.')) && value.len() < 40;
                paint.dash = Some(is_list.then(|| value.to_owned()).ok_or_else(unknown)?);
            }
            // Sizes and faces are the page's, so that text fits what was measured for it.
            property if property.starts_with("font") || matches!(property, "rx" | "ry" | "opacity") => {}
            property => {
                let known = "fill, stroke, color, stroke-width, stroke-dasharray";
                return Err(start.error(&format!("a diagram has no `{property}`; it has {known}")));
            }
        }
    }
    Ok(paint)
}

/// Splits at commas outside parentheses.
fn split(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let parts = text.split(move |c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.filter(|part| !part.trim().is_empty()).collect()
}
