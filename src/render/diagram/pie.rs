//! Parses and draws `pie`.

use std::f64::consts::TAU;

use super::DiagramError;
use super::canvas::{Anchor, Area, Canvas, EDGE, Look, Point, TextStyle, push_point};
use super::paint::Paint;
use super::parser::DiagramParser;
use super::source::Cursor;
use super::text::{LINE, bold_width, plain};

/// The radius in pixels.
const RADIUS: f64 = 100.0;
/// The maximum number of slices.
const MAX_PARTS: usize = 40;
/// The classes of the fills, which the slices use in turn.
const FILLS: [&str; 8] = ["d-1", "d-2", "d-3", "d-4", "d-5", "d-6", "d-7", "d-8"];

#[derive(Default)]
pub(super) struct Pie<'a> {
    header: Option<Cursor<'a>>,
    title: Option<String>,
    shows_data: bool,
    parts: Vec<(String, f64)>,
}

impl<'a> DiagramParser<'a> for Pie<'a> {
    fn header(&mut self, line: &mut Cursor<'a>) -> Result<(), DiagramError> {
        self.header = Some(line.clone());
        self.settings(line);
        Ok(())
    }

    fn line(&mut self, line: &mut Cursor<'a>) -> Result<(), DiagramError> {
        if self.settings(line) {
            return Ok(());
        }
        let name = line.quoted()?.ok_or_else(|| line.expected("a slice, as `\"name\" : 12.5`"))?;
        let start = line.clone();
        let number = if line.eat(":") { line.take_rest().parse().ok() } else { None };
        let number = number.filter(|number| (0.0..1e15).contains(number));
        self.parts.push((plain(name), number.ok_or_else(|| start.expected("`:` and a number that is not negative"))?));
        if self.parts.len() > MAX_PARTS {
            return Err(line.error(&format!("a pie may have at most {MAX_PARTS} slices")));
        }
        Ok(())
    }

    fn draw(self) -> Result<Canvas, DiagramError> {
        let total: f64 = self.parts.iter().map(|(_, number)| number).sum();
        if total <= 0.0 {
            let message = "a pie needs a slice larger than 0";
            return Err(self.header.map_or_else(|| DiagramError::new(message), |header| header.error(message)));
        }
        let mut canvas = Canvas::default();
        if let Some(title) = self.title {
            let at = Point { x: bold_width(&title) / 2.0 - RADIUS, y: -RADIUS - LINE * 1.5 };
            canvas.text(at, &[title], Anchor::Middle, TextStyle::Bold, None);
        }
        #[expect(clippy::cast_precision_loss, reason = "at most 40 parts")]
        let mut at = Point { x: RADIUS + 24.0, y: -(self.parts.len().saturating_sub(1) as f64) * LINE * 0.6 };
        let mut before = 0.0;
        for ((name, number), class) in self.parts.iter().zip(FILLS.iter().cycle()) {
            let fill = (*class, "none");
            slice(&mut canvas, before / total, (before + number) / total, Look { fill, line: ("d-page-line", 1.5) });
            before += number;
            // Rounded to a tenth, without a trailing zero.
            let percent = (number / total * 1000.0).round() / 10.0;
            let amount = if self.shows_data { format!("{number} · ") } else { String::new() };
            let look = Look { fill, line: (EDGE.line.0, 0.8) };
            canvas.rect(&Area { x: at.x, y: at.y, width: 12.0, height: 12.0 }, 2.0, look, &Paint::default());
            let text = format!("{name} ({amount}{percent} %)");
            canvas.text(Point { x: at.x + 14.0, ..at }, &[text], Anchor::Start, TextStyle::Plain, None);
            at.y += LINE * 1.2;
        }
        Ok(canvas)
    }
}

impl Pie<'_> {
    /// Parses `showData` and `title`, on the first line or on lines of their own; returns whether one was there.
    fn settings(&mut self, line: &mut Cursor) -> bool {
        let shows_data = line.eat_word("showData");
        let has_title = line.eat_word("title");
        self.shows_data |= shows_data;
        if has_title {
            self.title = Some(plain(line.take_rest()));
        }
        shows_data || has_title
    }
}

/// Draws the slice between two fractions of the circle, clockwise from the top.
fn slice(canvas: &mut Canvas, from: f64, to: f64, look: Look) {
    let area = Area { x: 0.0, y: 0.0, width: 2.0 * RADIUS, height: 2.0 * RADIUS };
    if to - from > 0.9999 {
        return canvas.circle(&area, look, &Paint::default());
    }
    let at = |share: f64| Point { x: RADIUS * (share * TAU).sin(), y: -RADIUS * (share * TAU).cos() };
    let mut data = String::from("M0,0");
    push_point(&mut data, "L", at(from));
    push_point(&mut data, &format!("A{RADIUS},{RADIUS} 0 {} 1 ", u8::from(to - from > 0.5)), at(to));
    canvas.path(data + "Z", &area, look, &Paint::default());
}
