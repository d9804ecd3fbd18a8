//! Draws Pikchr: the C library draws, and each known element of its SVG is written again.
//!
//! 1. Set the default colors to unusual values, to distinguish them from the author's own colors.
//! 2. Call the library, and convert its error report.
//! 3. Write known elements and attributes again: default colors become classes, and text on an author's color becomes
//!    black or white.

use resvg::usvg::roxmltree::{Document, Error, Node};

use super::super::svg::{number, push_number};
use super::DiagramError;
use super::canvas::{Area, Canvas, Point};
use super::paint::{color, contrast_color, css};
use super::text::FONT;

mod ffi;

/// The line before the source. The author may override each of these settings.
const SETTINGS: &str = "fgcolor = 0x010203; bgcolor = 0xfdfefc; thickness = 0.01\n";
/// The first two settings as they appear in the drawing.
const FOREGROUND: &str = "rgb(1,2,3)";
const BACKGROUND: &str = "rgb(253,254,252)";
/// The maximum size of the library's SVG in bytes, because macros can make a large drawing from a small source.
const MAX_DRAWING: usize = 1 << 20;
const TOO_LARGE: &str = "the drawing is too large for a page; split it";

/// Returns the drawing that `source` describes.
pub(super) fn svg(source: &str, id: &str, title: &str) -> Result<String, DiagramError> {
    let drawing = ffi::draw(&format!("{SETTINGS}{source}\n")).map_err(|report| problem(&report))?;
    match drawing.svg.as_str() {
        svg if svg.len() > MAX_DRAWING => return Err(DiagramError::new(TOO_LARGE)),
        svg if svg.starts_with("<!-- empty") => return Err(DiagramError::new("an empty diagram")),
        svg if !svg.starts_with("<svg") => return Err(DiagramError::new("`print` is not supported")),
        _ => {}
    }
    let document = Document::parse(&drawing.svg).map_err(|error| match error {
        Error::UnknownEntityReference(name, _) => {
            DiagramError::new(&format!("write the character itself instead of `&{name};`"))
        }
        _ => DiagramError::new("a character that SVG does not allow"),
    })?;
    let mut writer = Writer::default();
    for node in document.root_element().children().filter(Node::is_element) {
        writer.element(node).ok_or_else(|| DiagramError::new("a number in this diagram is too large"))?;
    }
    let view = values(document.root_element().attribute("viewBox").unwrap_or_default());
    let view = view.try_into().unwrap_or_default();
    let words = (comment(source, "accTitle").unwrap_or(title), comment(source, "accDescr"));
    Ok(writer.canvas.finish(id, words, view, [drawing.width, drawing.height].map(f64::from)))
}

/// Returns the value of a named comment, which uses Mermaid's names: `# accTitle: Three queues`.
fn comment<'a>(source: &'a str, name: &str) -> Option<&'a str> {
    let comments = source.lines().filter_map(|line| line.trim_start().strip_prefix('#'));
    let mut named = comments.filter_map(|line| line.trim_start().strip_prefix(name)?.trim_start().strip_prefix(':'));
    named.next().map(str::trim).filter(|text| !text.is_empty())
}

/// Parses the library's error report: lines of the source, a line of carets, `ERROR: message`, and macro calls.
fn problem(report: &str) -> DiagramError {
    let lines: Vec<&str> = report.lines().take_while(|line| !line.starts_with("Called from")).collect();
    let Some(at) = lines.iter().position(|line| line.starts_with("ERROR: ")) else {
        let is_full = report.trim_end().ends_with("Out of memory");
        return DiagramError::new(if is_full { TOO_LARGE } else { report.trim() });
    };
    let (carets, place) = match lines[..at] {
        [.., place, carets] => (carets, place),
        _ => ("", ""),
    };
    // Each line of the source begins with its number, in a margin of 12 characters.
    let number = place.strip_prefix("/*").and_then(|rest| rest.split("*/").next());
    let line = number.and_then(|number| number.trim().parse::<usize>().ok()).and_then(|number| number.checked_sub(2));
    let column = carets.find('^').and_then(|column| column.checked_sub(12)).filter(|_| line.is_some());
    let message = lines[at].trim_start_matches("ERROR: ").trim_end_matches('.').to_owned();
    DiagramError { line, column, message }
}

#[derive(Default)]
struct Writer {
    canvas: Canvas,
    /// The filled shapes so far, and the color of text on them.
    backgrounds: Vec<(Area, Option<&'static str>)>,
}

impl Writer {
    /// Writes `node` if its element is known; returns `None` if an attribute has an invalid number.
    fn element(&mut self, node: Node) -> Option<()> {
        let name = node.tag_name().name();
        let geometry: &[&str] = match name {
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
        let class = if name == "text" {
            self.text(node, &mut attributes);
            node.has_attribute("font-family").then(|| "d-mono".to_owned())
        } else {
            let classes = style(node.attribute("style").unwrap_or_default(), &mut attributes)?;
            self.remember_background(node, &attributes, &classes);
            Some(classes.join(" ")).filter(|classes| !classes.is_empty())
        };
        attributes.extend(class.map(|class| ("class", class)));
        let attributes: Vec<(&str, &str)> = attributes.iter().map(|(key, value)| (*key, value.as_str())).collect();
        let out = &mut self.canvas.out;
        if name == "text" {
            out.open(name, &attributes);
            out.text(node.text().unwrap_or_default());
            out.close(name);
        } else {
            out.empty(name, &attributes);
        }
        Some(())
    }

    fn text(&self, node: Node, attributes: &mut Vec<(&'static str, String)>) {
        for (name, known) in
            [("text-anchor", ["start", "end"]), ("font-style", ["italic"; 2]), ("font-weight", ["bold"; 2])]
        {
            let value = node.attribute(name).filter(|value| known.contains(value));
            attributes.extend(value.map(|value| (name, value.to_owned())));
        }
        let percent = node.attribute("font-size").and_then(|size| size.strip_suffix('%')?.parse::<f64>().ok());
        attributes.extend(percent.map(|percent| ("font-size", number(percent * FONT / 100.0))));
        attributes.push(("dominant-baseline", "central".to_owned()));
        let [x, y] = ["x", "y"].map(|name| value(node, name));
        let holds = |area: &Area| (x - area.x).abs() <= area.width / 2.0 && (y - area.y).abs() <= area.height / 2.0;
        let background =
            self.backgrounds.iter().rev().find(|(area, _)| holds(area)).and_then(|(_, text_color)| *text_color);
        let own = node.attribute("fill").filter(|fill| *fill != FOREGROUND).and_then(color).map(css);
        attributes.extend(own.or(background.map(str::to_owned)).map(|text_color| ("fill", text_color)));
    }

    /// Remembers a filled shape, because later text may be on it.
    fn remember_background(&mut self, node: Node, attributes: &[(&str, String)], classes: &[&str]) {
        let fill = attributes.iter().find(|(name, _)| *name == "fill").and_then(|(_, fill)| color(fill));
        let fill = fill.filter(|fill| fill.alpha > 0);
        if (fill.is_some() || classes.contains(&"d-page")) && !node.has_tag_name("polygon") {
            let [x, y, r, rx, ry] = ["cx", "cy", "r", "rx", "ry"].map(|name| value(node, name));
            let round = Area { x, y, width: 2.0 * r.max(rx), height: 2.0 * r.max(ry) };
            let area = node.attribute("d").map_or(Some(round), bounds);
            self.backgrounds.extend(area.map(|area| (area, fill.and_then(contrast_color))));
        }
    }
}

/// Returns a numeric attribute; 0 if it is missing.
fn value(node: Node, name: &str) -> f64 {
    node.attribute(name).and_then(|value| value.parse().ok()).unwrap_or_default()
}

/// The attributes that a style may set.
const PROPERTIES: [&str; 5] = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin"];
/// The default colors: the property, its value in the library's drawing, the class, and the value without a style sheet.
const COLORS: [(&str, &str, &str, Option<&str>); 4] = [
    ("fill", FOREGROUND, "d-solid", None),
    ("fill", BACKGROUND, "d-page", Some("Canvas")),
    ("stroke", FOREGROUND, "d-edge", Some("currentColor")),
    ("stroke", BACKGROUND, "d-page-line", Some("Canvas")),
];

/// Converts the declarations of a style to attributes, and returns the classes for default colors.
fn style(style: &str, attributes: &mut Vec<(&'static str, String)>) -> Option<Vec<&'static str>> {
    let mut classes = Vec::new();
    for (property, value) in style.split(';').filter_map(|declaration| declaration.split_once(':')) {
        let value = value.trim();
        let Some(name) = PROPERTIES.into_iter().find(|name| *name == property.trim()) else { continue };
        let default = COLORS.iter().find(|(of, color, ..)| *of == name && *color == value);
        classes.extend(default.map(|(_, _, class, _)| *class));
        let attribute = match (default, name) {
            (Some((.., plain)), _) => plain.map(str::to_owned),
            (None, "fill" | "stroke") => color(value).map(css),
            (None, "stroke-linejoin") => (value == "round").then(|| value.to_owned()),
            (None, _) => Some(numbers(value)?),
        };
        attributes.extend(attribute.map(|value| (name, value)));
    }
    Some(classes)
}

/// Shortens the numbers in `text`; returns `None` if it contains anything but numbers, path commands and `rotate(…)`.
fn numbers(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let is_number = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e');
        let length = if c.is_ascii_digit() || matches!(c, '-' | '.') {
            let length = rest.find(|c| !is_number(c)).unwrap_or(rest.len());
            push_number(&mut out, rest[..length].parse().ok().filter(|value: &f64| value.abs() <= 1e7)?);
            length
        } else {
            let known = ["rotate(", "M", "L", "A", "Q", "C", "Z", ",", " ", ")"];
            let command = known.into_iter().find(|command| rest.starts_with(command))?;
            out.push_str(command);
            command.len()
        };
        rest = &rest[length..];
    }
    Some(out)
}

/// Returns the numbers in a text.
fn values(text: &str) -> Vec<f64> {
    text.split(|c: char| c == ',' || c == ' ' || c.is_ascii_uppercase())
        .filter_map(|value| value.parse().ok())
        .collect()
}

/// Returns the bounding box of the points of a path.
fn bounds(data: &str) -> Option<Area> {
    let commands = data.split_inclusive(|c: char| c.is_ascii_uppercase()).collect::<Vec<_>>();
    let corners = commands.windows(2).flat_map(|pair| {
        // An arc has its radii and flags before the point where it ends.
        let skipped = if pair[0].ends_with('A') { 5 } else { 0 };
        let values = values(pair[1]);
        values
            .get(skipped..)
            .unwrap_or_default()
            .chunks_exact(2)
            .map(|point| Point { x: point[0], y: point[1] })
            .collect::<Vec<_>>()
    });
    Area::around(corners)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_give_title_and_description() {
        let [plain, named] = ["box", "# accTitle: A box & more\n  # accDescr : It is empty.\nbox"]
            .map(|source| svg(source, "D1", "Heading").unwrap_or_else(|error| error.message));
        assert!(plain.contains(">Heading</title>") && !plain.contains("<desc"), "{plain}");
        assert!(named.contains(">A box &amp; more</title>") && named.contains(">It is empty.</desc>"), "{named}");
        assert_eq!(comment("# accTitle:\nbox \"accTitle: no\"", "accTitle"), None);
    }
}
