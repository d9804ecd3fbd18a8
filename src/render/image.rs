//! The sizes of pictures in pixels, so that a page does not jump when they load.

use resvg::usvg::roxmltree::Document;

use crate::project::File;

/// Returns whether a file can be shown by `img`, according to its extension. An SVG in `img` runs no scripts.
#[must_use]
pub fn is_picture(path: &str) -> bool {
    const EXTENSIONS: [&str; 9] = ["avif", "bmp", "gif", "ico", "jpeg", "jpg", "png", "svg", "webp"];
    let extension = path.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    extension.is_some_and(|extension| EXTENSIONS.contains(&extension.as_str()))
}

/// Returns whether a file can be shown by `img`, according to its extension and to how it begins.
#[must_use]
pub fn is_valid(path: &str, file: &File) -> bool {
    is_picture(path)
        && match file {
            File::Text(source) => Document::parse(source.text()).is_ok_and(|it| it.root_element().has_tag_name("svg")),
            File::Binary(binary) => imagesize::image_type(&binary.bytes).is_ok(),
            File::Refused(_) => false,
        }
}

/// Returns width and height; `None` if the format does not specify them.
#[must_use]
pub fn size(file: &File) -> Option<(u32, u32)> {
    match file {
        File::Text(source) => svg_size(source.text()),
        File::Binary(binary) => {
            let size = imagesize::blob_size(&binary.bytes).ok()?;
            Some((u32::try_from(size.width).ok()?, u32::try_from(size.height).ok()?))
        }
        File::Refused(_) => None,
    }
}

/// Returns an SVG's `width` and `height` in pixels, else those of its `viewBox`.
fn svg_size(text: &str) -> Option<(u32, u32)> {
    let document = Document::parse(text).ok()?;
    let svg = document.root_element();
    let pixels = |name: &str| number(svg.attribute(name)?.trim_end_matches("px"));
    if let (Some(width), Some(height)) = (pixels("width"), pixels("height")) {
        return Some((width, height));
    }
    let view_box: Vec<&str> = svg.attribute("viewBox")?.split([' ', ',']).filter(|part| !part.is_empty()).collect();
    match view_box.as_slice() {
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
}
