//! Declares the keys of `site.yaml` that change the look of a site: its logo, colors, fonts and links.

use serde::Serialize;

use infralens_source::diag::similar;
use infralens_source::yaml::{Decoder, Spanned, choices, record, validated_text};

record! {
    /// The logo. It replaces the mark before the title in the top bar.
    #[derive(Serialize)]
    pub struct Logo {
        /// The picture, as a path below `static/`.
        required light: Spanned<String>;
        /// Another picture for dark colors.
        optional dark: Option<Spanned<String>>;
        /// Whether the picture contains the title, which is then not written next to it.
        optional replaces_title: bool;
    }
}

record! {
    #[derive(Serialize)]
    pub struct Colors {
        /// The color of links, labels and markers.
        optional accent: Option<Accent>;
    }
}

record! {
    #[derive(Serialize)]
    pub struct Accent {
        /// The color for light colors.
        required light: Spanned<Color>;
        /// The color for dark colors. Without it, `light` is made lighter until it can be read.
        optional dark: Option<Spanned<Color>>;
    }
}

record! {
    #[derive(Serialize)]
    pub struct Fonts {
        /// The family of the text.
        optional text: Option<FontFamily>;
        /// The family of code.
        optional code: Option<FontFamily>;
        /// The family of everything around the text: the bars, tables and labels.
        optional interface: Option<FontFamily>;
        /// The files of these families. A family without files is seen by readers who have it installed.
        optional files: Vec<FontFile>;
    }
}

record! {
    #[derive(Serialize)]
    pub struct FontFile {
        /// The family that it belongs to.
        required family: Spanned<FontFamily>;
        /// The path of the file below `static/`.
        required file: Spanned<String>;
        /// Its weight, such as `700`, or the two ends of the range of a variable font.
        optional weight: FontWeight = "400";
        /// Its style.
        optional style: FontStyle;
    }
}

choices! {
    /// The style of a font's file.
    pub enum FontStyle {
        /// Upright.
        Normal = "normal",
        /// Italic.
        Italic = "italic",
    }
}

record! {
    /// A link in the top bar or at the end of every page.
    #[derive(Serialize)]
    pub struct SiteLink {
        /// Its text.
        required label: String;
        /// A page or file, relative to `content/`, or an address.
        required link: Spanned<String>;
    }
}

validated_text! {
    /// An sRGB color as `#` and six hexadecimal digits in lower case.
    pub struct Color = "a color such as `\"#0b6450\"`", validate_color;
}

validated_text! {
    /// The name of a font family.
    pub struct FontFamily = "a name of letters, digits, spaces and `-`", validate_family;
}

validated_text! {
    /// A font weight, or two as a range.
    pub struct FontWeight = "a number from 1 to 1000, or two such as `200 900`", validate_weight;
}

impl Fonts {
    /// Returns the families that the pages use.
    pub fn families(&self) -> impl Iterator<Item = &FontFamily> {
        [&self.text, &self.code, &self.interface].into_iter().flatten()
    }

    /// Reports files of families that the pages do not use.
    pub(super) fn check(&self, decoder: &mut Decoder<'_>) {
        for family in self.files.iter().map(|file| &file.family).filter(|family| !family.is_empty()) {
            if self.families().all(|used| *used != family.value) {
                let message = format!("no font of the pages has the family `{}`", family.value);
                let near = similar(family, self.families().map(|used| &**used));
                decoder.reject(&family.span, |_| message, "`text`, `code` and `interface` name the families", near);
            }
        }
    }
}

/// The `#` may be left out, because YAML reads an unquoted `#` as a comment, and each digit may stand for two.
fn validate_color(text: &str) -> Result<String, &'static str> {
    let digits = text.strip_prefix('#').unwrap_or(text).to_ascii_lowercase();
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err("it contains another character than hexadecimal digits");
    }
    match digits.len() {
        6 => Ok(format!("#{digits}")),
        3 => Ok(digits.chars().fold("#".to_owned(), |color, digit| format!("{color}{digit}{digit}"))),
        _ => Err("it does not have six digits, or three"),
    }
}

fn validate_family(text: &str) -> Result<String, &'static str> {
    let fits = |found: char| found.is_alphanumeric() || matches!(found, ' ' | '-');
    if text.chars().all(fits) { Ok(text.to_owned()) } else { Err("this contains another character") }
}

fn validate_weight(text: &str) -> Result<String, &'static str> {
    let weights: Option<Vec<u16>> = text.split(' ').map(|weight| weight.parse().ok()).collect();
    let is_weight = |weight: &u16| (1..=1000).contains(weight);
    match weights.as_deref() {
        Some([one]) if is_weight(one) => Ok(one.to_string()),
        Some([least, most]) if is_weight(least) && is_weight(most) && least < most => Ok(format!("{least} {most}")),
        _ => Err("this is not a weight"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_are_read_in_every_spelling() {
        let read = |text| Color::parse(text).map(|color| color.to_string());
        for text in ["#0B6450", "0b6450"] {
            assert_eq!(read(text).as_deref(), Ok("#0b6450"));
        }
        assert_eq!(read("#f80").as_deref(), Ok("#ff8800"));
        assert!(["green", "#12345", "#1234567", "#", "rgb(0,0,0)", "#ééé"].into_iter().all(|text| read(text).is_err()));
    }

    #[test]
    fn weights_are_numbers_or_ranges() {
        let read = |text| FontWeight::parse(text).map(|weight| weight.to_string());
        assert_eq!(read("0700").as_deref(), Ok("700"));
        assert_eq!(read("200 900").as_deref(), Ok("200 900"));
        assert!(["bold", "0", "1001", "900 200", "1 2 3", ""].into_iter().all(|text| read(text).is_err()));
    }
}
