//! Reads and draws `pie`.

use std::f64::consts::TAU;
use std::fmt::Write as _;

use super::DiagramError;
use super::canvas::{Anchor, Canvas, Fill, Line, Type, push_point};
use super::geometry::{Area, Point};
use super::label::plain;
use super::metrics::{LINE, bold_width, width};
use super::source::Script;
use super::style::Paint;

/// In pixels.
const RADIUS: f64 = 100.0;
/// How many parts can be told apart.
const MAX_PARTS: usize = 40;
/// Fills in turn; without a style sheet, shades of the text's colour would do, but only a stroke parts them surely.
const FILLS: [Fill; 8] = [
    Fill("d-1", "none"),
    Fill("d-2", "none"),
    Fill("d-3", "none"),
    Fill("d-4", "none"),
    Fill("d-5", "none"),
    Fill("d-6", "none"),
    Fill("d-7", "none"),
    Fill("d-8", "none"),
];
const BORDER: Line = Line("d-page-line", 1.5);

/// Draws the pie that `script` describes.
pub(super) fn draw(script: &mut Script) -> Result<Canvas, DiagramError> {
    let header = &mut script.header;
    header.skip_space();
    let mut shows_data = header.eat_word("showData");
    let mut title = if header.eat_word("title") { Some(plain(header.take_rest())) } else { None };
    header.finish()?;
    let mut parts = Vec::new();
    for cursor in &mut script.lines {
        cursor.skip_space();
        if cursor.eat_word("showData") {
            shows_data = true;
        } else if cursor.eat_word("title") {
            title = Some(plain(cursor.take_rest()));
        } else {
            let name = cursor.quoted()?.ok_or_else(|| cursor.expected("a part, as `\"name\" : 12.5`"))?;
            cursor.skip_space();
            let is_part = cursor.eat(":");
            let number = cursor.clone().take_rest().parse::<f64>().ok();
            let number = number.filter(|number| is_part && number.is_finite() && *number >= 0.0 && *number < 1e15);
            parts.push((plain(name), number.ok_or_else(|| cursor.expected("`:` and a number that is not negative"))?));
        }
        if parts.len() > MAX_PARTS {
            return Err(cursor.error(&format!("a pie may have at most {MAX_PARTS} parts")));
        }
    }
    let total: f64 = parts.iter().map(|(_, number)| number).sum();
    if total <= 0.0 {
        return Err(script.header.error("a pie needs a part larger than 0"));
    }
    Ok(paint(&parts, total, title.as_deref(), shows_data))
}

fn paint(parts: &[(String, f64)], total: f64, title: Option<&str>, shows_data: bool) -> Canvas {
    let mut canvas = Canvas::default();
    if let Some(title) = title {
        let look = Type { is_bold: true, ..Type::default() };
        let x = -RADIUS + bold_width(title) / 2.0;
        canvas.cover(&Area { x, y: -RADIUS - LINE * 1.5, width: bold_width(title), height: LINE });
        canvas.text(x, -RADIUS - LINE * 1.5, &[title.to_owned()], Anchor::Middle, look);
    }
    #[expect(clippy::cast_precision_loss, reason = "at most 40 parts")]
    let mut y = -(parts.len().saturating_sub(1) as f64) * LINE * 0.6;
    let mut before = 0.0;
    for ((name, number), fill) in parts.iter().zip(FILLS.iter().cycle()) {
        slice(&mut canvas, before / total, (before + number) / total, *fill);
        before += number;
        // To a tenth, and that only where it says something.
        let percent = (number / total * 1000.0).round() / 10.0;
        let amount = if shows_data { format!("{number} · ") } else { String::new() };
        let text = format!("{name} ({amount}{percent} %)");
        let x = RADIUS + 24.0;
        canvas.rect(&Area { x, y, width: 12.0, height: 12.0 }, 2.0, *fill, Line("d-edge", 0.8), &Paint::default());
        canvas.cover(&Area::between(x, y - LINE / 2.0, x + 14.0 + width(&text), y + LINE / 2.0));
        canvas.text(x + 14.0, y, &[text], Anchor::Start, Type::default());
        y += LINE * 1.2;
    }
    canvas
}

/// Draws the slice between two shares of the whole, clockwise from the top.
fn slice(canvas: &mut Canvas, from: f64, to: f64, fill: Fill) {
    let area = Area { x: 0.0, y: 0.0, width: 2.0 * RADIUS, height: 2.0 * RADIUS };
    if to - from > 0.9999 {
        canvas.circle(&area, fill, BORDER, &Paint::default());
        return;
    }
    let at = |share: f64| Point { x: RADIUS * (share * TAU).sin(), y: -RADIUS * (share * TAU).cos() };
    let mut data = String::from("M0,0L");
    push_point(&mut data, at(from));
    let is_large = u8::from(to - from > 0.5);
    // Writing to a string cannot fail.
    let _ = write!(data, "A{RADIUS},{RADIUS} 0 {is_large} 1 ");
    push_point(&mut data, at(to));
    data.push('Z');
    canvas.path(data, &area, fill, BORDER, &Paint::default());
}
