//! Draws boxes, lines and text, and puts them into one SVG that names its parts by class.
//!
//! What an element looks like is said twice: by a class, for the style sheet, and by attributes that any rule of a
//! style sheet beats, so that without one the drawing is legible in both themes. A colour of the author's own takes
//! the place of the class.

use super::super::svg::{Markup, number, push_number};
use super::geometry::{Area, Point};
use super::metrics::{FONT, LINE};
use super::style::Paint;

/// Space around a drawing, in pixels.
const MARGIN: f64 = 8.0;

/// What is inside an outline: its class, and what it is filled with where no style sheet says.
#[derive(Clone, Copy)]
pub(super) struct Fill(pub &'static str, pub &'static str);

/// An outline: its class, and its width in pixels.
#[derive(Clone, Copy)]
pub(super) struct Line(pub &'static str, pub f64);

pub(super) const NO_FILL: Fill = Fill("", "none");
pub(super) const NODE: Fill = Fill("d-node", "Canvas");
pub(super) const GROUP: Fill = Fill("d-group", "none");
pub(super) const NOTE: Fill = Fill("d-note", "Canvas");
pub(super) const PAGE: Fill = Fill("d-page", "Canvas");
pub(super) const LABEL: Fill = Fill("d-label", "Canvas");
pub(super) const SOLID: Fill = Fill("d-solid", "currentColor");

pub(super) const NO_LINE: Line = Line("", 0.0);
pub(super) const NODE_LINE: Line = Line("d-node-line", 1.2);
pub(super) const GROUP_LINE: Line = Line("d-group-line", 1.0);
pub(super) const NOTE_LINE: Line = Line("d-note-line", 1.0);
pub(super) const EDGE: Line = Line("d-edge", 1.4);
pub(super) const FAINT: Line = Line("d-faint", 1.0);

/// Where a line of text is held.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
}

/// How loud a text is.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Voice {
    #[default]
    Plain,
    /// Labels of edges, kinds, comments.
    Soft,
    /// In the page's colour, on what is filled with a line's.
    Reversed,
}

/// How text looks.
#[derive(Clone, Copy, Default)]
pub(super) struct Type<'a> {
    pub is_bold: bool,
    pub is_italic: bool,
    pub voice: Voice,
    /// A colour of the author's own.
    pub ink: Option<&'a str>,
}

/// A drawing under construction. The order of calls is the order of layers.
#[derive(Default)]
pub(super) struct Canvas {
    out: Markup,
    bounds: Option<Area>,
}

impl Canvas {
    /// A rectangle with corners rounded by `radius`.
    pub fn rect(&mut self, area: &Area, radius: f64, fill: Fill, line: Line, paint: &Paint) {
        self.cover(area);
        let [x, y, width, height, radius] = [area.left(), area.top(), area.width, area.height, radius].map(number);
        let mut attributes = vec![("x", x), ("y", y), ("width", width), ("height", height)];
        if radius != "0" {
            attributes.push(("rx", radius));
        }
        self.shape("rect", attributes, fill, line, paint);
    }

    /// A circle around the middle of `area`, as wide as it.
    pub fn circle(&mut self, area: &Area, fill: Fill, line: Line, paint: &Paint) {
        self.cover(area);
        let attributes = vec![("cx", number(area.x)), ("cy", number(area.y)), ("r", number(area.width / 2.0))];
        self.shape("circle", attributes, fill, line, paint);
    }

    /// The path `data`, which stays within `area`.
    pub fn path(&mut self, data: String, area: &Area, fill: Fill, line: Line, paint: &Paint) {
        self.cover(area);
        self.shape("path", vec![("d", data)], fill, line, paint);
    }

    /// A line through `points`, closed if it is to be filled.
    pub fn lines(&mut self, points: &[Point], fill: Fill, line: Line, paint: &Paint) {
        let mut data = String::new();
        for (at, point) in points.iter().enumerate() {
            data.push(if at == 0 { 'M' } else { 'L' });
            push_point(&mut data, *point);
            self.cover(&Area { x: point.x, y: point.y, ..Area::default() });
        }
        if fill.1 != "none" {
            data.push('Z');
        }
        self.shape("path", vec![("d", data)], fill, line, paint);
    }

    /// Lines of text, their middle at the height `y`, each held at `x`.
    pub fn text(&mut self, x: f64, y: f64, lines: &[String], anchor: Anchor, look: Type) {
        let mut attributes = Vec::new();
        if anchor == Anchor::Start {
            attributes.push(("text-anchor", "start"));
        }
        if look.is_bold {
            attributes.push(("font-weight", "bold"));
        }
        if look.is_italic {
            attributes.push(("font-style", "italic"));
        }
        match (look.ink, look.voice) {
            (Some(ink), _) => attributes.push(("fill", ink)),
            (None, Voice::Soft) => attributes.push(("class", "d-soft")),
            (None, Voice::Reversed) => attributes.extend([("fill", PAGE.1), ("class", PAGE.0)]),
            (None, Voice::Plain) => {}
        }
        #[expect(clippy::cast_precision_loss, reason = "a label has far fewer than 2^52 lines")]
        let first = y - (lines.len().saturating_sub(1)) as f64 * LINE / 2.0 + FONT * 0.35;
        for (at, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_empty()) {
            #[expect(clippy::cast_precision_loss, reason = "a label has far fewer than 2^52 lines")]
            let (x, y) = (number(x), number(first + at as f64 * LINE));
            let mut attributes = attributes.clone();
            attributes.extend([("x", x.as_str()), ("y", y.as_str())]);
            self.out.open("text", &attributes);
            self.out.text(line);
            self.out.close("text");
        }
    }

    /// Puts what `other` has drawn on top.
    pub fn append(&mut self, other: &Self) {
        self.out.append(&other.out);
        if let Some(bounds) = &other.bounds {
            self.cover(bounds);
        }
    }

    /// Makes room for `area`.
    pub fn cover(&mut self, area: &Area) {
        self.bounds = Some(self.bounds.map_or(*area, |bounds| bounds.union(area)));
    }

    fn shape(&mut self, name: &str, attributes: Vec<(&str, String)>, fill: Fill, line: Line, paint: &Paint) {
        let width = number(paint.width.unwrap_or(line.1));
        let mut attributes = attributes;
        let mut classes = Vec::new();
        let own_fill = paint.fill.as_ref().filter(|_| fill.1 != "none" || fill.0 == GROUP.0);
        let own_line = paint.line.as_ref().filter(|_| line.1 > 0.0);
        if own_fill.is_none() && !fill.0.is_empty() {
            classes.push(fill.0);
        }
        let filled = own_fill.map_or(fill.1, |colour| colour.css.as_str());
        attributes.push(("fill", filled.to_owned()));
        if own_fill.is_some() && fill.0 == GROUP.0 {
            // Other things stand upon it, in the theme's colours: a tint suits both themes.
            attributes.push(("fill-opacity", "0.2".to_owned()));
        }
        if line.1 > 0.0 {
            if own_line.is_none() {
                classes.push(line.0);
            }
            attributes.push(("stroke", own_line.map_or("currentColor", |colour| colour.css.as_str()).to_owned()));
            attributes.push(("stroke-width", width));
            attributes.extend(paint.dash.clone().map(|dash| ("stroke-dasharray", dash)));
        }
        if !classes.is_empty() {
            attributes.push(("class", classes.join(" ")));
        }
        let attributes: Vec<(&str, &str)> = attributes.iter().map(|(key, value)| (*key, value.as_str())).collect();
        self.out.empty(name, &attributes);
    }

    /// The whole drawing. Ids in it begin with `id`, and `title` names it for those who do not see it.
    pub fn finish(self, id: &str, title: &str, description: Option<&str>) -> String {
        let bounds = self.bounds.unwrap_or_default();
        let (left, top) = ((bounds.left() - MARGIN).floor(), (bounds.top() - MARGIN).floor());
        let [width, height] =
            [bounds.right() + MARGIN - left, bounds.bottom() + MARGIN - top].map(f64::ceil).map(number);
        let view = format!("{} {} {width} {height}", number(left), number(top));
        frame(&Frame { id, title, description, view: &view, width: &width, height: &height }, &self.out)
    }
}

/// What stands around a drawing.
pub(super) struct Frame<'a> {
    pub id: &'a str,
    pub title: &'a str,
    pub description: Option<&'a str>,
    /// `viewBox`.
    pub view: &'a str,
    pub width: &'a str,
    pub height: &'a str,
}

/// The SVG element around `content`.
pub(super) fn frame(frame: &Frame, content: &Markup) -> String {
    let Frame { id, width, height, .. } = frame;
    let (title_id, description_id) = (format!("{id}-title"), format!("{id}-desc"));
    let named_by = if frame.description.is_some() { format!("{title_id} {description_id}") } else { title_id.clone() };
    let size = number(FONT);
    let mut out = Markup::default();
    let attributes = [
        ("xmlns", "http://www.w3.org/2000/svg"),
        ("id", *id),
        ("class", "drawing"),
        ("role", "img"),
        ("aria-labelledby", named_by.as_str()),
        ("width", *width),
        ("height", *height),
        ("viewBox", frame.view),
        ("fill", "currentColor"),
        ("font-size", size.as_str()),
        ("text-anchor", "middle"),
    ];
    out.open("svg", &attributes);
    out.open("title", &[("id", &title_id)]);
    out.text(frame.title);
    out.close("title");
    if let Some(description) = frame.description {
        out.open("desc", &[("id", &description_id)]);
        out.text(description);
        out.close("desc");
    }
    out.append(content);
    out.close("svg");
    out.finish()
}

/// Appends `x,y` to the data of a path.
pub(super) fn push_point(data: &mut String, point: Point) {
    push_number(data, point.x);
    data.push(',');
    push_number(data, point.y);
}
