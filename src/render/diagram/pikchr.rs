//! Draws Pikchr: its own library lays out and draws, and each element of what it draws is written again.
//!
//! 1. Give the default colours values of their own, so that they can be told from the author's.
//! 2. Let the library draw; say where it stopped if it did.
//! 3. Write known elements and attributes again, with default colours as classes, and text in black or white where it
//!    stands on a colour of the author's.

use roxmltree::{Document, Node};

use super::super::svg::{Markup, number, push_number};
use super::DiagramError;
use super::canvas::{Frame, frame};
use super::colour::Colour;
use super::geometry::Area;
use super::metrics::FONT;

mod ffi;

/// Stands before the source, on a line of its own. The author may set each of these again.
const SETTINGS: &str = "fgcolor = 0x010203; bgcolor = 0xfdfefc; thickness = 0.01\n";
/// What stands for the first two in the drawing.
const FOREGROUND: &str = "rgb(1,2,3)";
const BACKGROUND: &str = "rgb(253,254,252)";
/// How many bytes the library's drawing may have: macros can make a large one from a small source.
const MAX_DRAWING: usize = 1 << 20;

/// The drawing that `source` describes.
pub(super) fn svg(source: &str, id: &str, title: &str) -> Result<String, DiagramError> {
    let refuse = |message: &str| DiagramError { line: None, column: None, message: message.to_owned() };
    let too_large = "a diagram this large does not belong in a page; split it";
    let drawing = ffi::draw(&format!("{SETTINGS}{source}\n")).map_err(|report| match report.trim_end() {
        report if report.ends_with("Out of memory") => refuse(too_large),
        report => problem(report),
    })?;
    let text = drawing.svg.as_str();
    if text.len() > MAX_DRAWING {
        return Err(refuse(too_large));
    }
    if text.starts_with("<!-- empty") {
        return Err(refuse("an empty diagram"));
    }
    if !text.starts_with("<svg") {
        return Err(refuse("`print` has no place in a page"));
    }
    let document = Document::parse(text).map_err(|error| match error {
        roxmltree::Error::UnknownEntityReference(name, _) => {
            refuse(&format!("write the character itself for `&{name};`"))
        }
        _ => refuse("a character that no page can hold"),
    })?;
    let mut writer = Writer::default();
    for node in document.root_element().children().filter(Node::is_element) {
        writer.element(node).ok_or_else(|| refuse("a number in this diagram is too large"))?;
    }
    let [width, height] = [drawing.width, drawing.height].map(|size| size.to_string());
    let view = document.root_element().attribute("viewBox").and_then(numbers).unwrap_or_default();
    let (title, description) = (said(source, "accTitle").unwrap_or(title), said(source, "accDescr"));
    Ok(frame(&Frame { id, title, description, view: &view, width: &width, height: &height }, &writer.out))
}

/// What a comment of the source says in words, by Mermaid's name for it: `# accTitle: Three queues`.
fn said<'a>(source: &'a str, name: &str) -> Option<&'a str> {
    let comments = source.lines().filter_map(|line| line.trim_start().strip_prefix('#'));
    let mut said = comments.filter_map(|line| line.trim_start().strip_prefix(name)?.trim_start().strip_prefix(':'));
    said.next().map(str::trim).filter(|text| !text.is_empty())
}

/// The place and the message in the library's report: lines of the source, a line of carets, `ERROR: message`.
fn problem(report: &str) -> DiagramError {
    let mut lines = report.lines().take_while(|line| !line.starts_with("Called from"));
    let (mut line, mut column) = (None, None);
    let mut message = report.trim();
    let mut last = "";
    for text in &mut lines {
        if let Some(found) = text.strip_prefix("ERROR: ") {
            message = found;
            let number = last.strip_prefix("/*").and_then(|rest| rest.split("*/").next());
            line =
                number.and_then(|number| number.trim().parse::<usize>().ok()).and_then(|number| number.checked_sub(2));
        } else if text.trim_start().starts_with('^') {
            // Each line of the source stands after a margin of 12.
            column = (text.len() - text.trim_start().len()).checked_sub(12);
        } else {
            last = text;
        }
    }
    let column = column.filter(|_| line.is_some());
    DiagramError { line, column, message: message.trim_end_matches('.').to_owned() }
}

#[derive(Default)]
struct Writer {
    out: Markup,
    /// The shapes so far that the author filled, and the colour of text upon them.
    grounds: Vec<(Area, Option<&'static str>)>,
}

impl Writer {
    /// Writes `node`, if it is known; none if it holds a number that is none.
    fn element(&mut self, node: Node) -> Option<()> {
        let geometry: &[&str] = match node.tag_name().name() {
            "path" => &["d"],
            "polygon" => &["points"],
            "circle" => &["cx", "cy", "r"],
            "ellipse" => &["cx", "cy", "rx", "ry"],
            "text" => &["x", "y", "transform"],
            _ => return Some(()),
        };
        let mut attributes = Vec::new();
        for name in geometry {
            if let Some(value) = node.attribute(*name) {
                attributes.push((*name, numbers(value)?));
            }
        }
        let mut classes = Vec::new();
        if node.has_tag_name("text") {
            self.text(node, &mut attributes, &mut classes);
        } else {
            style(node.attribute("style").unwrap_or_default(), &mut attributes, &mut classes)?;
            self.ground(node, &attributes, &classes);
        }
        if !classes.is_empty() {
            attributes.push(("class", classes.join(" ")));
        }
        let attributes: Vec<(&str, &str)> = attributes.iter().map(|(key, value)| (*key, value.as_str())).collect();
        if node.has_tag_name("text") {
            self.out.open("text", &attributes);
            self.out.text(node.text().unwrap_or_default());
            self.out.close("text");
        } else {
            self.out.empty(node.tag_name().name(), &attributes);
        }
        Some(())
    }

    fn text(&self, node: Node, attributes: &mut Vec<(&'static str, String)>, classes: &mut Vec<&'static str>) {
        for (name, values) in
            [("text-anchor", &["start", "end"][..]), ("font-style", &["italic"]), ("font-weight", &["bold"])]
        {
            let value = node.attribute(name).filter(|value| values.contains(value));
            attributes.extend(value.map(|value| (name, value.to_owned())));
        }
        if node.has_attribute("font-family") {
            classes.push("d-mono");
        }
        let percent = node.attribute("font-size").and_then(|size| size.strip_suffix('%')?.parse::<f64>().ok());
        attributes.extend(percent.map(|percent| ("font-size", number(percent * FONT / 100.0))));
        attributes.push(("dominant-baseline", "central".to_owned()));
        let at = |name| node.attribute(name).and_then(|value| value.parse::<f64>().ok()).unwrap_or_default();
        let (x, y) = (at("x"), at("y"));
        let holds = |area: &Area| (x - area.x).abs() <= area.width / 2.0 && (y - area.y).abs() <= area.height / 2.0;
        let ground = self.grounds.iter().rev().find(|(area, _)| holds(area)).and_then(|(_, ink)| *ink);
        let colour = node.attribute("fill").filter(|fill| *fill != FOREGROUND).and_then(Colour::parse);
        let ink = colour.map(|colour| colour.css).or(ground.map(str::to_owned));
        attributes.extend(ink.map(|ink| ("fill", ink)));
    }

    /// Remembers what text may come to stand on.
    fn ground(&mut self, node: Node, attributes: &[(&str, String)], classes: &[&str]) {
        let value = |name: &str| attributes.iter().find(|(key, _)| *key == name).map(|(_, value)| value.as_str());
        let fill = value("fill").and_then(Colour::parse).filter(|fill| fill.css != "none");
        let is_page = classes.contains(&"d-page");
        if fill.is_none() && !is_page || node.has_tag_name("polygon") {
            return;
        }
        let size = |name: &str| value(name).and_then(|value| value.parse::<f64>().ok()).unwrap_or_default();
        let (rx, ry) = (size("r").max(size("rx")), size("r").max(size("ry")));
        let area = match value("d") {
            Some(data) => bounds(data),
            None => Some(Area { x: size("cx"), y: size("cy"), width: 2.0 * rx, height: 2.0 * ry }),
        };
        self.grounds.extend(area.map(|area| (area, fill.and_then(|fill| fill.ink()))));
    }
}

/// Each declaration of a style as an attribute, or as a class for a default colour.
fn style(style: &str, attributes: &mut Vec<(&'static str, String)>, classes: &mut Vec<&'static str>) -> Option<()> {
    for declaration in style.split(';') {
        let Some((property, value)) = declaration.split_once(':') else {
            continue;
        };
        let value = value.trim();
        match (property.trim(), value) {
            ("fill", "none") => attributes.push(("fill", "none".to_owned())),
            ("fill", FOREGROUND) => classes.push("d-solid"),
            ("fill", BACKGROUND) => {
                attributes.push(("fill", "Canvas".to_owned()));
                classes.push("d-page");
            }
            ("stroke", FOREGROUND) => {
                attributes.push(("stroke", "currentColor".to_owned()));
                classes.push("d-edge");
            }
            ("stroke", BACKGROUND) => {
                attributes.push(("stroke", "Canvas".to_owned()));
                classes.push("d-page-line");
            }
            ("fill", _) => attributes.extend(Colour::parse(value).map(|colour| ("fill", colour.css))),
            ("stroke", _) => attributes.extend(Colour::parse(value).map(|colour| ("stroke", colour.css))),
            ("stroke-width", _) => attributes.push(("stroke-width", numbers(value)?)),
            ("stroke-dasharray", _) => attributes.push(("stroke-dasharray", numbers(value)?)),
            ("stroke-linejoin", "round") => attributes.push(("stroke-linejoin", "round".to_owned())),
            _ => {}
        }
    }
    Some(())
}

/// `text` with its numbers shortened; none if it holds anything but numbers, commands of a path and `rotate(…)`.
fn numbers(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let is_number = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e');
        if c.is_ascii_digit() || matches!(c, '-' | '.') {
            let length = rest.find(|c| !is_number(c)).unwrap_or(rest.len());
            let value: f64 = rest[..length].parse().ok()?;
            if value.abs() > 1e7 {
                return None;
            }
            push_number(&mut out, value);
            rest = &rest[length..];
        } else if let Some(after) = rest.strip_prefix("rotate(") {
            out.push_str("rotate(");
            rest = after;
        } else if matches!(c, 'M' | 'L' | 'A' | 'Q' | 'C' | 'Z' | ',' | ' ' | ')') {
            out.push(c);
            rest = &rest[1..];
        } else {
            return None;
        }
    }
    Some(out)
}

/// The box around the corners of a path.
fn bounds(data: &str) -> Option<Area> {
    let mut all: Option<Area> = None;
    for command in data.split_inclusive(|c: char| c.is_ascii_alphabetic()).collect::<Vec<_>>().windows(2) {
        let &[before, text] = command else { continue };
        let values: Vec<f64> =
            text.split([',', ' ', 'M', 'L', 'A', 'Q', 'C', 'Z']).filter_map(|value| value.parse().ok()).collect();
        // An arc has its radii and flags before the point where it ends.
        let points = if before.ends_with('A') { values.get(5..)? } else { &values };
        for point in points.chunks_exact(2) {
            let area = Area { x: *point.first()?, y: *point.last()?, ..Area::default() };
            all = Some(all.map_or(area, |all| all.union(&area)));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_say_what_is_drawn() {
        let [plain, named] = ["box", "# accTitle: A box & more\n  # accDescr : It is empty.\nbox"]
            .map(|source| svg(source, "D1", "Heading").unwrap_or_else(|error| error.message));
        assert!(plain.contains(">Heading</title>") && !plain.contains("<desc"), "{plain}");
        assert!(named.contains(">A box &amp; more</title>") && named.contains(">It is empty.</desc>"), "{named}");
        assert_eq!(said("# accTitle:\nbox \"accTitle: no\"", "accTitle"), None);
    }
}
