//! Contrast between colors, as WCAG 2.2 defines it, and the nearest shade of a color that has enough of it.

use std::fmt;

use infralens_course::config::look::Color;

/// The contrast that text needs. Lines and icons need 3.
pub const OF_TEXT: f64 = 4.5;

/// A color in sRGB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rgb([u8; 3]);

impl Rgb {
    /// Parses hexadecimal digits, as in `#0b6450`.
    pub fn parse(text: &str) -> Option<Self> {
        let color = Color::parse(text).ok()?;
        let part = |at: usize| u8::from_str_radix(color.get(at..at + 2)?, 16).ok();
        Some(Self([part(1)?, part(3)?, part(5)?]))
    }

    /// Returns the relative luminance: 0 for black, 1 for white.
    fn luminance(self) -> f64 {
        let linear = self.0.map(|part| match f64::from(part) / 255.0 {
            part if part <= 0.04045 => part / 12.92,
            part => ((part + 0.055) / 1.055).powf(2.4),
        });
        linear.into_iter().zip([0.2126, 0.7152, 0.0722]).map(|(part, weight)| part * weight).sum()
    }

    /// Returns the gray that looks about as light.
    pub fn gray(self) -> Self {
        let [red, green, blue] = self.0.map(u32::from);
        Self([u8::try_from((red * 2126 + green * 7152 + blue * 722 + 5000) / 10_000).unwrap_or(u8::MAX); 3])
    }

    /// Returns the contrast to another color, from 1 to 21.
    pub fn contrast(self, other: Self) -> f64 {
        let (one, other) = (self.luminance(), other.luminance());
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    /// Returns whether text in this color can be read on all `backgrounds`.
    fn is_readable(self, backgrounds: &[Self]) -> bool {
        backgrounds.iter().all(|&background| self.contrast(background) >= OF_TEXT)
    }

    /// Returns the nearest color that can be read on all `backgrounds`: this color, mixed with as little black or white as
    /// possible. `None` if even black and white cannot be read.
    pub fn nearest_readable(self, backgrounds: &[Self]) -> Option<Self> {
        let mixed = |end: u16, amount: u16| {
            let mix = |part: u8| (u16::from(part) * (255 - amount) + end * amount + 127) / 255;
            Self(self.0.map(|part| u8::try_from(mix(part)).unwrap_or(u8::MAX)))
        };
        let shades = (0..=255).flat_map(|amount| [mixed(0, amount), mixed(255, amount)]);
        shades.into_iter().find(|shade| shade.is_readable(backgrounds))
    }
}

impl fmt::Display for Rgb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn color(text: &str) -> Rgb {
        Rgb::parse(text).expect("a color")
    }

    #[test]
    fn contrast_is_that_of_the_standard() {
        let (black, white) = (color("#000000"), color("#ffffff"));
        assert!((black.contrast(white) - 21.0).abs() < 1e-9 && (white.contrast(white) - 1.0).abs() < 1e-9);
        // The grays on either side of 4.5 on white that are often quoted.
        assert!(color("#767676").contrast(white) > OF_TEXT && color("#777777").contrast(white) < OF_TEXT);
    }

    #[test]
    fn the_nearest_readable_shade_is_only_just_readable() {
        let white = color("#ffffff");
        let found = color("#ff8800").nearest_readable(&[white]).expect("a shade");
        assert!((OF_TEXT..OF_TEXT + 0.1).contains(&found.contrast(white)), "{found}");
        assert_eq!(found.to_string(), "#b46000");
        assert_eq!(color("#0b6450").nearest_readable(&[white]), Some(color("#0b6450")));
        let light = color("#0b6450").nearest_readable(&[color("#101513")]).expect("a lighter shade");
        assert!(light.contrast(color("#101513")) >= OF_TEXT);
        assert_eq!(white.nearest_readable(&[white, color("#000000"), color("#777777")]), None);
    }
}
