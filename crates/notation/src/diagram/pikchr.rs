//! Draws Pikchr: the C library draws, and each known element of its SVG is written again.
//!
//! 1. Refuse long texts.
//! 2. Set the default colors to unusual values, to distinguish them from the author's own colors.
//! 3. Call the library, and convert its error report.
//! 4. Write known elements and attributes again: default colors become classes, and text on an author's color becomes
//!    black or white.

use std::ops::Range;

use resvg::usvg::roxmltree::{Document, Error, Node};

use super::DiagramError;
use super::canvas::{Area, Canvas, Drawing, Point};
use super::paint::{color, contrast_color, css};
use super::text::FONT;
use crate::svg::number;

mod ffi;

/// The line before the source. The author may override each of these settings.
const SETTINGS: &str = "fgcolor = 0x010203; bgcolor = 0xfdfefc; thickness = 0.01; tint_gray = 0x010204; \
    tint_green = 0x010205; tint_blue = 0x010206; tint_ochre = 0x010207\n";
/// The first two settings as they appear in the drawing.
const FOREGROUND: &str = "rgb(1,2,3)";
const BACKGROUND: &str = "rgb(253,254,252)";
/// The others: fills of the site's palette, and the class of each. As the color of a line, each is a faint line.
const TINTS: [(&str, &str); 4] = [
    ("rgb(1,2,4)", "d-tint-gray"),
    ("rgb(1,2,5)", "d-tint-green"),
    ("rgb(1,2,6)", "d-tint-blue"),
    ("rgb(1,2,7)", "d-tint-ochre"),
];
/// The maximum length of a text in bytes. A macro can repeat it in each of the 100,000 tokens that the library reads at
/// most, and the library has no limit on the memory that this takes.
const MAX_TEXT: usize = 256;
/// The maximum size of the library's SVG in bytes, because macros can make a large drawing from a small source.
const MAX_DRAWING: usize = 1 << 20;
/// The words that begin a statement or an attribute.
pub const WORDS: &str = "arc arrow box circle cylinder diamond dot ellipse file line move oval spline text color fill thickness \
    thick thin solid dashed dotted invisible at with same then go heading until even chop close from to left right up down \
    above below ljust rjust center bold italic mono big small aligned width height radius diameter fit behind first last \
    previous of the way between and as define assert print";
const TOO_LARGE: &str = "the drawing is too large for a page; split it";

/// Returns the drawing that `source` describes.
pub(super) fn draw(source: &str) -> Result<Drawing, DiagramError> {
    if let Some(text) = texts(source).find(|text| text.len() > MAX_TEXT) {
        let line = source[..text.start].matches('\n').count();
        let column = text.start - source[..text.start].rfind('\n').map_or(0, |newline| newline + 1);
        let message = format!("this text has {} bytes; a text may have at most {MAX_TEXT}", text.len());
        return Err(DiagramError::at(line, column, message));
    }
    let drawing = ffi::draw(&format!("{SETTINGS}{source}\n")).map_err(|report| problem(&report))?;
    match drawing.svg.as_str() {
        svg if svg.len() > MAX_DRAWING => return Err(DiagramError::new(TOO_LARGE)),
        svg if svg.starts_with("<!-- empty") => return Err(DiagramError::new("an empty diagram")),
        svg if !svg.starts_with("<svg") => return Err(DiagramError::new("`print` is not supported")),
        _ => {}
    }
    let document = Document::parse(&drawing.svg).map_err(|error| match error {
        Error::UnknownEntityReference(name, _) => {
            DiagramError::new(format!("write the character itself instead of `&{name};`"))
        }
        _ => DiagramError::new("a character that SVG does not allow"),
    })?;
    // All positions are inside the view box.
    let view = values(document.root_element().attribute("viewBox").unwrap_or_default());
    let Some(view) = view.try_into().ok().filter(|view: &[f64; 4]| view.iter().all(|value| value.abs() <= 1e7)) else {
        return Err(DiagramError::new("a number in this diagram is too large"));
    };
    let mut writer = Writer::default();
    document.root_element().children().filter(Node::is_element).for_each(|node| writer.element(node));
    let [title, description] = ["accTitle", "accDescr"].map(|name| comment(source, name).map(str::to_owned));
    Ok(writer.canvas.finish(title, description, view, [drawing.width, drawing.height].map(f64::from)))
}

/// Finds the texts in `source`, as ranges of what is between their quotation marks. One without an end takes the rest.
fn texts(source: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = source.as_bytes();
    let after = |end: &str, from: usize| source[from..].find(end).map_or(bytes.len(), |at| from + at + end.len());
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let start = at + 1;
            at = match &bytes[at..] {
                [b'#', ..] | [b'/', b'/', ..] => after("\n", at),
                [b'/', b'*', ..] => after("*/", at + 2),
                [b'"', ..] => {
                    let mut end = start;
                    while bytes.get(end).is_some_and(|byte| *byte != b'"') {
                        end += if bytes[end] == b'\\' { 2 } else { 1 };
                    }
                    at = end + 1;
                    return Some(start..end.min(bytes.len()));
                }
                _ => start,
            };
        }
        None
    })
}

/// Returns the value of a named comment, which uses Mermaid's names: `# accTitle: Three queues`.
pub(super) fn comment<'a>(source: &'a str, name: &str) -> Option<&'a str> {
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
    let message = match lines[at].trim_start_matches("ERROR: ").trim_end_matches('.') {
        "syntax error" => "Pikchr cannot read this line",
        message => message,
    };
    let message = message.to_owned();
    DiagramError { line, column, message }
}

#[derive(Default)]
struct Writer {
    canvas: Canvas,
    /// The filled shapes so far, and the color of text on them.
    backgrounds: Vec<(Area, Option<&'static str>)>,
}

impl Writer {
    /// Writes `node` with its known attributes.
    fn element(&mut self, node: Node) {
        let (mut attributes, mut classes) = (Vec::new(), Vec::new());
        for attribute in node.attributes() {
            let (name, value) = (attribute.name(), attribute.value());
            match name {
                // The whole drawing has this one.
                "text-anchor" if value == "middle" => {}
                "d" | "points" | "cx" | "cy" | "r" | "rx" | "ry" | "x" | "y" | "transform" | "text-anchor"
                | "font-style" | "font-weight" | "dominant-baseline" => attributes.push((name, rounded(value))),
                "font-family" => classes.push("d-mono"),
                "font-size" => {
                    let percent = value.trim_end_matches('%').parse::<f64>().ok();
                    attributes.extend(percent.map(|percent| (name, number(percent * FONT / 100.0))));
                }
                "style" => style(value, &mut attributes, &mut classes),
                _ => {}
            }
        }
        let name = node.tag_name().name();
        if name == "text" {
            attributes.extend(self.text_color(node).map(|color| ("fill", color)));
        } else {
            self.remember_background(node, &attributes, &classes);
        }
        if !classes.is_empty() {
            attributes.push(("class", classes.join(" ")));
        }
        let out = &mut self.canvas.out;
        match name {
            "text" => out.element(name, &attributes, node.text().unwrap_or_default()),
            "path" | "polygon" | "circle" | "ellipse" => out.empty(name, &attributes),
            _ => {}
        }
    }

    /// Returns the author's color of a text, or else the color that suits the shape that it is on.
    fn text_color(&self, node: Node) -> Option<String> {
        let own = node.attribute("fill").filter(|fill| *fill != FOREGROUND && tint(fill).is_none());
        let own = own.and_then(color).map(css);
        let [x, y] = ["x", "y"].map(|name| value(node, name));
        let holds = |area: &Area| (x - area.x).abs() <= area.width / 2.0 && (y - area.y).abs() <= area.height / 2.0;
        let background = self.backgrounds.iter().rev().find(|(area, _)| holds(area));
        own.or_else(|| background?.1.map(str::to_owned))
    }

    /// Remembers a filled shape, because later text may be on it.
    fn remember_background(&mut self, node: Node, attributes: &[(&str, String)], classes: &[&str]) {
        let fill = attributes.iter().find(|(name, _)| *name == "fill").and_then(|(_, fill)| color(fill));
        let fill = fill.filter(|fill| fill.alpha > 0);
        let is_themed = classes.iter().any(|class| *class == "d-page" || class.starts_with("d-tint"));
        if (fill.is_some() || is_themed) && !node.has_tag_name("polygon") {
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

/// The default colors: the property, its value in the library's drawing, the class, and the value without a style sheet.
const COLORS: [(&str, &str, &str, Option<&str>); 4] = [
    ("fill", FOREGROUND, "d-solid", None),
    ("fill", BACKGROUND, "d-page", Some("Canvas")),
    ("stroke", FOREGROUND, "d-edge", Some("currentColor")),
    ("stroke", BACKGROUND, "d-page-line", Some("Canvas")),
];

/// Converts the declarations of a style to attributes, and default colors also to classes.
fn style<'a>(style: &'a str, attributes: &mut Vec<(&'a str, String)>, classes: &mut Vec<&'static str>) {
    for (property, value) in style.split(';').filter_map(|declaration| declaration.split_once(':')) {
        let default = COLORS.iter().find(|(of, color, ..)| *of == property && *color == value);
        let attribute = match (default, property) {
            (Some((.., class, plain)), _) => {
                classes.push(class);
                plain.map(str::to_owned)
            }
            (None, "fill") if tint(value).is_some() => {
                classes.extend(tint(value));
                Some("none".to_owned())
            }
            (None, "stroke") if tint(value).is_some() => {
                classes.push("d-faint");
                Some("currentColor".to_owned())
            }
            (None, "fill" | "stroke") => color(value).map(css),
            (None, "stroke-linejoin" | "stroke-width" | "stroke-dasharray") => Some(rounded(value)),
            _ => None,
        };
        attributes.extend(attribute.map(|value| (property, value)));
    }
}

/// Returns the class of a fill of the site's palette.
fn tint(value: &str) -> Option<&'static str> {
    TINTS.iter().find(|(color, _)| *color == value).map(|(_, class)| *class)
}

/// Rounds the numbers of an attribute: the library writes six digits, and nobody sees a tenth of a pixel.
fn rounded(value: &str) -> String {
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(start);
        let (digits, after) = from.split_at(from.find(|c| !is_part(c)).unwrap_or(from.len()));
        out.push_str(before);
        // A number with an exponent is rare, and stays.
        let parsed = digits.parse().ok().filter(|_| !after.starts_with('e'));
        out.push_str(&parsed.map_or_else(|| digits.to_owned(), number));
        rest = after;
    }
    out + rest
}

fn values(text: &str) -> Vec<f64> {
    text.split([',', ' ']).filter_map(|value| value.parse().ok()).collect()
}

/// Returns the bounding box of the points of a path.
fn bounds(data: &str) -> Option<Area> {
    let points = data.split(|c: char| c.is_ascii_uppercase()).map(values).flat_map(|numbers| {
        // An arc has five numbers, its radii and flags, before the point where it ends.
        let skipped = if numbers.len() == 7 { 5 } else { 0 };
        let points = numbers[skipped..].chunks_exact(2).map(|point| Point { x: point[0], y: point[1] });
        points.collect::<Vec<_>>()
    });
    Area::around(points)
}
