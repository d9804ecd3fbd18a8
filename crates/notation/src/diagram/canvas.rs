//! The canvas on which all types of diagrams are drawn: shapes, lines and text, written as one SVG.
//!
//! The style of an element is given twice: by a class, for the style sheet, and by presentation attributes, which any rule
//! of a style sheet overrides. So a drawing is legible in both themes even without a style sheet. An author's own color
//! replaces the class.

use super::paint::{Paint, css};
use super::text::{FONT, LINE, bold_width, width};
use crate::svg::{Markup, number};

/// Space around a drawing, in pixels.
const MARGIN: f64 = 8.0;

/// A point, in pixels from the top left.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Point {
    pub x: f64,
    pub y: f64,
}

/// A rectangle, by its center and its size.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Area {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Area {
    pub fn left(&self) -> f64 {
        self.x - self.width / 2.0
    }

    pub fn top(&self) -> f64 {
        self.y - self.height / 2.0
    }

    pub fn right(&self) -> f64 {
        self.x + self.width / 2.0
    }

    pub fn bottom(&self) -> f64 {
        self.y + self.height / 2.0
    }

    pub fn between(left: f64, top: f64, right: f64, bottom: f64) -> Self {
        Self { x: f64::midpoint(left, right), y: f64::midpoint(top, bottom), width: right - left, height: bottom - top }
    }

    /// Returns the bounding box of `points`; `None` if there are none.
    pub fn around(points: impl IntoIterator<Item = Point>) -> Option<Self> {
        let areas = points.into_iter().map(|Point { x, y }| Self { x, y, ..Self::default() });
        areas.reduce(|all, area| all.union(&area))
    }

    /// Returns the bounding box of both.
    pub fn union(&self, other: &Self) -> Self {
        let (left, top) = (self.left().min(other.left()), self.top().min(other.top()));
        Self::between(left, top, self.right().max(other.right()), self.bottom().max(other.bottom()))
    }
}

/// The fill and the outline of a shape. Each is a class, and the default without a style sheet: a color, and a width in
/// pixels.
#[derive(Clone, Copy)]
pub(super) struct Look {
    pub fill: (&'static str, &'static str),
    pub line: (&'static str, f64),
}

const fn look(fill: (&'static str, &'static str), line: (&'static str, f64)) -> Look {
    Look { fill, line }
}

const NOTHING: (&str, &str) = ("", "none");
const NO_LINE: (&str, f64) = ("", 0.0);
const LINE_OF_NODE: (&str, f64) = ("d-node-line", 1.2);
const LINE_OF_EDGE: (&str, f64) = ("d-edge", 1.4);
const FILL_OF_PAGE: (&str, &str) = ("d-page", "Canvas");

pub(super) const NODE: Look = look(("d-node", "Canvas"), LINE_OF_NODE);
pub(super) const OUTLINE: Look = look(NOTHING, LINE_OF_NODE);
pub(super) const GROUP: Look = look(("d-group", "none"), ("d-group-line", 1.0));
pub(super) const NOTE: Look = look(("d-note", "Canvas"), ("d-note-line", 1.0));
pub(super) const BEHIND_TEXT: Look = look(("d-label", "Canvas"), NO_LINE);
pub(super) const SOLID: Look = look(("d-solid", "currentColor"), NO_LINE);
pub(super) const SOLID_LINED: Look = look(SOLID.fill, LINE_OF_EDGE);
pub(super) const HOLLOW: Look = look(FILL_OF_PAGE, LINE_OF_EDGE);
pub(super) const EDGE: Look = look(NOTHING, LINE_OF_EDGE);
pub(super) const THICK_EDGE: Look = look(NOTHING, ("d-edge", 2.8));
pub(super) const FAINT: Look = look(NOTHING, ("d-faint", 1.0));

/// The style of a line of text: its attributes.
pub(super) type TextStyle = &'static [(&'static str, &'static str)];

pub(super) const PLAIN: TextStyle = &[];
pub(super) const BOLD: TextStyle = &[("font-weight", "bold")];
/// Secondary text: labels of edges, types, comments.
pub(super) const SOFT: TextStyle = &[("class", "d-soft")];
/// The kind of a class, such as `«interface»`.
pub(super) const KIND: TextStyle = &[("font-style", "italic"), ("class", "d-soft")];
/// Text in the page's background color, on a shape filled with the color of lines.
pub(super) const REVERSED: TextStyle = &[("fill", FILL_OF_PAGE.1), ("class", FILL_OF_PAGE.0)];

/// Returns the width of a line of text in this style.
pub(super) fn text_width(line: &str, style: TextStyle) -> f64 {
    if style == BOLD { bold_width(line) } else { width(line) }
}

/// The part of a line of text that is placed at its point.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
}

/// A drawing under construction. The order of calls is the order of layers.
#[derive(Default)]
pub(super) struct Canvas {
    pub out: Markup,
    bounds: Option<Area>,
}

impl Canvas {
    /// Draws a rectangle with corners rounded by `radius`.
    pub fn rect(&mut self, area: &Area, radius: f64, look: Look, paint: &Paint) {
        let [x, y, width, height, rx] = [area.left(), area.top(), area.width, area.height, radius].map(number);
        let mut attributes = vec![("x", x), ("y", y), ("width", width), ("height", height), ("rx", rx)];
        attributes.retain(|(name, value)| *name != "rx" || value != "0");
        self.shape("rect", attributes, area, look, paint);
    }

    /// Draws a circle with the center and the width of `area`.
    pub fn circle(&mut self, area: &Area, look: Look, paint: &Paint) {
        let attributes = vec![("cx", number(area.x)), ("cy", number(area.y)), ("r", number(area.width / 2.0))];
        self.shape("circle", attributes, area, look, paint);
    }

    /// Draws the path `data`, whose bounding box is `area`.
    pub fn path(&mut self, data: String, area: &Area, look: Look, paint: &Paint) {
        self.shape("path", vec![("d", data)], area, look, paint);
    }

    /// Draws a line through `points`, closed if it is to be filled.
    pub fn lines(&mut self, points: &[Point], look: Look, paint: &Paint) {
        let mut data = String::new();
        for (at, point) in points.iter().enumerate() {
            push_point(&mut data, if at == 0 { "M" } else { "L" }, *point);
        }
        data.push_str(if look.fill == NOTHING { "" } else { "Z" });
        self.path(data, &Area::around(points.iter().copied()).unwrap_or_default(), look, paint);
    }

    /// Draws lines of text around a point, vertically centered; `text_color` is an author's own color.
    pub fn text(&mut self, at: Point, lines: &[String], anchor: Anchor, style: TextStyle, text_color: Option<&str>) {
        let mut attributes = Vec::new();
        attributes.extend((anchor == Anchor::Start).then_some(("text-anchor", "start")));
        attributes.extend(style.iter().filter(|(name, _)| text_color.is_none() || *name != "class"));
        attributes.extend(text_color.map(|color| ("fill", color)));
        #[expect(clippy::cast_precision_loss, reason = "a label has far fewer than 2^52 lines")]
        let mut middle = at.y - (lines.len().saturating_sub(1)) as f64 * LINE / 2.0;
        for line in lines {
            let width = text_width(line, style);
            let left = if anchor == Anchor::Start { at.x } else { at.x - width / 2.0 };
            if !line.is_empty() {
                self.cover(&Area::between(left, middle - LINE / 2.0, left + width, middle + LINE / 2.0));
                let (x, y) = (number(at.x), number(middle + FONT * 0.35));
                let place = [("x", x.as_str()), ("y", y.as_str())];
                self.out.element("text", &[&attributes[..], &place].concat(), line);
            }
            middle += LINE;
        }
    }

    /// Draws the content of `other` on top.
    pub fn append(&mut self, other: &Self) {
        self.out.append(&other.out);
        other.bounds.iter().for_each(|bounds| self.cover(bounds));
    }

    fn cover(&mut self, area: &Area) {
        self.bounds = Some(self.bounds.map_or(*area, |bounds| bounds.union(area)));
    }

    fn shape(&mut self, name: &str, geometry: Vec<(&str, String)>, area: &Area, look: Look, paint: &Paint) {
        self.cover(area);
        let Look { fill, line } = look;
        let (mut attributes, mut classes) = (geometry, Vec::new());
        let own_fill = paint.fill.filter(|_| fill != NOTHING).map(css);
        if own_fill.is_none() && fill != NOTHING {
            classes.push(fill.0);
        }
        if own_fill.is_some() && fill == GROUP.fill {
            // Items on a group have the theme's colors, and a tint suits both themes.
            attributes.push(("fill-opacity", "0.2".to_owned()));
        }
        attributes.push(("fill", own_fill.unwrap_or_else(|| fill.1.to_owned())));
        if line != NO_LINE {
            if paint.line.is_none() {
                classes.push(line.0);
            }
            attributes.push(("stroke", paint.line.map_or_else(|| "currentColor".to_owned(), css)));
            attributes.push(("stroke-width", number(paint.width.unwrap_or(line.1))));
            attributes.extend(paint.dash.clone().map(|dash| ("stroke-dasharray", dash)));
        }
        if !classes.is_empty() {
            attributes.push(("class", classes.join(" ")));
        }
        self.out.empty(name, &attributes);
    }

    /// Returns the view box of the drawing with a margin: left, top, width and height.
    pub fn view(&self) -> [f64; 4] {
        let bounds = self.bounds.unwrap_or_default();
        let (left, top) = ((bounds.left() - MARGIN).floor(), (bounds.top() - MARGIN).floor());
        [left, top, (bounds.right() + MARGIN - left).ceil(), (bounds.bottom() + MARGIN - top).ceil()]
    }

    /// Returns the drawing with this view box and this size in pixels. An accessible title and a description are the
    /// author's.
    pub fn finish(self, title: Option<String>, description: Option<String>, view: [f64; 4], size: [f64; 2]) -> Drawing {
        Drawing { title, description, view, size, content: self.out }
    }
}

/// A drawing, which can be written with any ids.
#[derive(Debug, Clone)]
pub struct Drawing {
    title: Option<String>,
    description: Option<String>,
    view: [f64; 4],
    size: [f64; 2],
    content: Markup,
}

impl Drawing {
    /// Returns its width and height in pixels.
    pub fn size(&self) -> [usize; 2] {
        self.size.map(|side| number(side).parse().unwrap_or_default())
    }

    /// Returns one `<svg>` element. Ids in it begin with `id`; `title` is its accessible name if its source has none.
    pub fn svg(&self, id: &str, title: &str) -> String {
        let (title, description) = (self.title.as_deref().unwrap_or(title), self.description.as_deref());
        let (title_id, description_id) = (format!("{id}-title"), format!("{id}-desc"));
        let named_by = if description.is_some() { format!("{title_id} {description_id}") } else { title_id.clone() };
        let (view, [width, height], font) = (self.view.map(number).join(" "), self.size.map(number), number(FONT));
        let attributes = [
            ("xmlns", "http://www.w3.org/2000/svg"),
            ("id", id),
            ("class", "drawing"),
            ("role", "img"),
            ("aria-labelledby", &named_by),
            ("width", &width),
            ("height", &height),
            ("viewBox", &view),
            ("fill", "currentColor"),
            ("font-size", &font),
            ("text-anchor", "middle"),
        ];
        let mut out = Markup::default();
        out.open("svg", &attributes);
        for (name, id, text) in [("title", &title_id, Some(title)), ("desc", &description_id, description)] {
            if let Some(text) = text {
                out.element(name, &[("id", id)], text);
            }
        }
        out.append(&self.content);
        out.close("svg");
        out.finish()
    }
}

/// Appends a command and `x,y` to the data of a path.
pub(super) fn push_point(data: &mut String, command: &str, point: Point) {
    data.extend([command, &number(point.x), ",", &number(point.y)]);
}
