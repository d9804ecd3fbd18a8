//! The sizes of pictures in pixels, so that a page does not jump when they load.

use super::escape;
use infralens_source::html::{self, Tag};
use infralens_source::project::File;

/// The root element of an SVG is within so many bytes, or its size is not known. A size is read again for every page that
/// shows the picture.
const ROOT_WITHIN: usize = 16 << 10;

/// Writes a picture. `title` is an attribute, or empty.
pub fn html(src: &str, alt: &str, title: &str, size: Option<(u32, u32)>) -> String {
    let (src, alt) = (escape::attribute(src), escape::attribute(alt));
    let size = size.map_or_else(String::new, |(width, height)| format!(" width=\"{width}\" height=\"{height}\""));
    format!("<img src=\"{src}\" alt=\"{alt}\"{title}{size} loading=\"lazy\" decoding=\"async\">")
}

/// Returns whether a file can be shown by `img`, according to its extension. An SVG in `img` runs no scripts.
pub fn is_picture(path: &str) -> bool {
    const EXTENSIONS: [&str; 9] = ["avif", "bmp", "gif", "ico", "jpeg", "jpg", "png", "svg", "webp"];
    let extension = path.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    extension.is_some_and(|extension| EXTENSIONS.contains(&extension.as_str()))
}

/// Returns whether a file can be shown by `img`, according to its extension and to how it begins.
pub fn is_valid(path: &str, file: &File) -> bool {
    is_picture(path)
        && match file {
            File::Text(source) => root(source.text()).is_some(),
            File::Binary(binary) => imagesize::image_type(&binary.bytes).is_ok(),
            File::Refused(_) => false,
        }
}

/// Returns width and height; `None` if the format does not specify them.
pub fn size(file: &File) -> Option<(u32, u32)> {
    match file {
        File::Text(source) => svg_size(source.text()),
        File::Binary(binary) => size_of("", &binary.bytes),
        File::Refused(_) => None,
    }
}

/// Returns width and height of a picture in a format that has this extension.
pub fn size_of(extension: &str, bytes: &[u8]) -> Option<(u32, u32)> {
    if extension == "svg" {
        return svg_size(std::str::from_utf8(bytes).ok()?);
    }
    let size = imagesize::blob_size(bytes).ok()?;
    Some((u32::try_from(size.width).ok()?, u32::try_from(size.height).ok()?))
}

/// Returns the tag of the root element of an SVG. What follows it is not read.
fn root(text: &str) -> Option<Tag<'_>> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let start = &text[..text.floor_char_boundary(ROOT_WITHIN)];
    let (_, first) = html::tags(start).next().filter(|_| start.starts_with('<'))?;
    let name = first.name.rsplit_once(':').map_or(first.name, |(_, name)| name);
    (name == "svg" && !first.closing).then_some(first)
}

/// Returns an SVG's `width` and `height` in pixels, else those of its `viewBox`.
fn svg_size(text: &str) -> Option<(u32, u32)> {
    let svg = root(text)?;
    // The names of attributes are in lower case here.
    let value = |name: &str| Some(svg.value(svg.attributes.iter().find(|attribute| attribute.name == name)?));
    let pixels = |name: &str| number(value(name)?.trim_end_matches("px"));
    if let (Some(width), Some(height)) = (pixels("width"), pixels("height")) {
        return Some((width, height));
    }
    let view_box =
        value("viewbox")?.split(|c: char| c == ',' || c.is_ascii_whitespace()).filter(|part| !part.is_empty());
    match view_box.collect::<Vec<_>>().as_slice() {
        [_, _, width, height] => Some((number(width)?, number(height)?)),
        _ => None,
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to lie between 1 and 65535")]
fn number(text: &str) -> Option<u32> {
    let value: f64 = text.trim().parse().ok()?;
    let rounded = value.round();
    (1.0..=65_535.0).contains(&rounded).then_some(rounded as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_an_svg_is_read() {
        assert_eq!(svg_size("<svg xmlns='http://www.w3.org/2000/svg' width='20px' height='10.4'/>"), Some((20, 10)));
        assert_eq!(svg_size("<svg viewBox='0 0 300 150' width='100%'/>"), Some((300, 150)));
        assert_eq!(svg_size("<svg/>"), None);
        assert_eq!(svg_size("no xml"), None);
    }

    #[test]
    fn only_the_root_of_an_svg_is_read() {
        let before = "\u{feff}<?xml version=\"1.0\"?>\n<!-- <a> -->\n<!DOCTYPE svg PUBLIC \"-//W3C\" \"x\" [\n<!ENTITY n \"u\">\n]>\n";
        let svg = "<svg:svg xmlns:svg='u'\r\n  viewBox='0\n0,30\t20'";
        assert_eq!(svg_size(&format!("{before}{svg}><g")), Some((30, 20)));
        assert_eq!(svg_size(&format!("<!--{}-->{svg}>", "x".repeat(ROOT_WITHIN))), None);
        assert_eq!(svg_size(&format!("<svg a='{}' width='1' height='1'>", "\u{e9}".repeat(ROOT_WITHIN))), None);
        let no_roots = ["<html><svg>", "Text <svg>", "</svg><svg>", "<svg", ""];
        assert!(no_roots.iter().all(|text| root(text).is_none()));
    }
}
