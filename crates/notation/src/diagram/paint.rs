//! Parses an author's own colors and strokes, such as `fill:#f96,stroke:navy`.

use lightningcss::traits::Parse;
use lightningcss::values::color::CssColor;
pub(super) use lightningcss::values::color::RGBA;

use super::DiagramError;
use super::source::Cursor;

/// An author's own colors and strokes. The theme determines what is `None`.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Paint {
    pub fill: Option<RGBA>,
    pub line: Option<RGBA>,
    pub text: Option<RGBA>,
    /// Stroke width in pixels.
    pub width: Option<f64>,
    /// The lengths of dashes and gaps, in the form of the attribute `stroke-dasharray`.
    pub dash: Option<String>,
}

impl Paint {
    /// Creates the paint of a dashed line.
    pub fn dashed(dash: &str) -> Self {
        Self { dash: Some(dash.to_owned()), ..Self::default() }
    }

    /// Returns the color of text on this fill; `None` for the theme's color.
    pub fn text_color(&self) -> Option<String> {
        self.text.map(css).or_else(|| self.fill.and_then(contrast_color).map(str::to_owned))
    }

    /// Replaces every property that `other` sets.
    pub fn apply(&mut self, other: &Self) {
        let Self { fill, line, text, width, dash } = other.clone();
        self.fill = fill.or(self.fill);
        self.line = line.or(self.line);
        self.text = text.or(self.text);
        self.width = width.or(self.width);
        self.dash = dash.or(self.dash.take());
    }

    /// Parses `property:value,…` up to the end of the statement.
    pub fn read(cursor: &mut Cursor) -> Result<Self, DiagramError> {
        let start = cursor.clone();
        let mut paint = Self::default();
        for declaration in split(cursor.take_while(|c| c != ';')) {
            let (property, value) =
                declaration.split_once(':').ok_or_else(|| start.error("expected `property:value`"))?;
            let (property, value) = (property.trim(), value.trim().trim_end_matches("!important").trim());
            let unknown = || start.error(format!("`{value}` is not a valid value of `{property}`"));
            match property {
                "fill" | "background" | "background-color" => paint.fill = Some(color(value).ok_or_else(unknown)?),
                "stroke" | "border-color" => paint.line = Some(color(value).ok_or_else(unknown)?),
                "color" => paint.text = Some(color(value).ok_or_else(unknown)?),
                "stroke-width" => {
                    let width = value.trim_end_matches("px").parse().ok().filter(|width| (0.0..=20.0).contains(width));
                    paint.width = Some(width.ok_or_else(unknown)?);
                }
                "stroke-dasharray" => {
                    let is_dash = |c: char| c.is_ascii_digit() || matches!(c, ' ' | '.');
                    let dash = Some(value.to_owned()).filter(|value| value.chars().all(is_dash) && value.len() < 40);
                    paint.dash = Some(dash.ok_or_else(unknown)?);
                }
                // The page determines sizes and fonts, because the layout depends on them.
                "rx" | "ry" | "opacity" => {}
                property if property.starts_with("font") => {}
                property => {
                    let known = "fill, stroke, color, stroke-width, stroke-dasharray";
                    return Err(start.error(format!("`{property}` is not supported; use {known}")));
                }
            }
        }
        Ok(paint)
    }
}

/// Splits at commas outside parentheses.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    let parts = text.split(move |c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.filter(|part| !part.trim().is_empty())
}

/// The functions with which a color can be given.
const FUNCTIONS: [&str; 4] = ["rgb", "rgba", "hsl", "hsla"];

/// Parses a CSS color: a name, `#…`, `rgb(…)` or `hsl(…)`; `none` is transparent.
pub(super) fn color(text: &str) -> Option<RGBA> {
    let text = text.trim().to_ascii_lowercase();
    if text == "none" {
        return Some(RGBA::transparent());
    }
    // The library also accepts functions that contain other colors, and panics when it mixes a color of the system.
    let is_simple = |(name, rest): (&str, &str)| FUNCTIONS.contains(&name) && !rest.contains('(');
    let color = text.split_once('(').is_none_or(is_simple).then(|| CssColor::parse_string(&text))?;
    RGBA::try_from(&color.ok()?).ok()
}

/// Formats a color for an attribute. Alpha is ignored, except that a fully transparent color is `none`.
pub(super) fn css(color: RGBA) -> String {
    let RGBA { red, green, blue, alpha } = color;
    if alpha == 0 { "none".to_owned() } else { format!("#{red:02x}{green:02x}{blue:02x}") }
}

/// Returns black or white, whichever has more contrast with this color; `None` if the color is transparent.
pub(super) fn contrast_color(color: RGBA) -> Option<&'static str> {
    let [red, green, blue] = [color.red, color.green, color.blue].map(|part| {
        let part = f64::from(part) / 255.0;
        if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    });
    // At this luminance (WCAG 2), black and white have the same contrast.
    let is_light = 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179;
    (color.alpha > 0).then_some(if is_light { "#000" } else { "#fff" })
}
