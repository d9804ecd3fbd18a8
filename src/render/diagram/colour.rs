//! Colours that an author writes: those that CSS has names for, `#…`, `rgb(…)` and `hsl(…)`.

/// A colour of the author's own. It stays as it is in both themes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Colour {
    /// As it stands in an attribute.
    pub css: String,
    /// Red, green and blue, if it covers what is behind it.
    rgb: Option<[u8; 3]>,
}

impl Colour {
    /// The colour that `text` writes, or none.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        if text == "none" || text == "transparent" {
            return Some(Self { css: "none".to_owned(), rgb: None });
        }
        let [red, green, blue] = hex(&text).or_else(|| function(&text)).or_else(|| named(&text))?;
        Some(Self { css: format!("#{red:02x}{green:02x}{blue:02x}"), rgb: Some([red, green, blue]) })
    }

    /// Black or white, whichever reads better on this colour; none if one sees through it.
    pub fn ink(&self) -> Option<&'static str> {
        let [red, green, blue] = self.rgb?.map(|part| {
            let part = f64::from(part) / 255.0;
            if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        });
        // At this luminance (WCAG 2) black and white contrast alike.
        let is_light = 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179;
        Some(if is_light { "#000" } else { "#fff" })
    }
}

fn hex(text: &str) -> Option<[u8; 3]> {
    let digits = text.strip_prefix('#')?;
    let values: Vec<u8> =
        digits.chars().map(|c| c.to_digit(16).and_then(|value| u8::try_from(value).ok())).collect::<Option<_>>()?;
    match values[..] {
        [r, g, b] | [r, g, b, _] => Some([r * 17, g * 17, b * 17]),
        [r1, r2, g1, g2, b1, b2] | [r1, r2, g1, g2, b1, b2, _, _] => Some([r1 * 16 + r2, g1 * 16 + g2, b1 * 16 + b2]),
        _ => None,
    }
}

/// `rgb(…)`, `hsl(…)` and their forms with an alpha, which is left out.
fn function(text: &str) -> Option<[u8; 3]> {
    let (name, rest) = text.split_once('(')?;
    let parts: Vec<&str> = rest.strip_suffix(')')?.split([',', ' ', '/']).filter(|part| !part.is_empty()).collect();
    let number = |part: &str, whole: f64| match part.strip_suffix('%') {
        Some(percent) => percent.parse::<f64>().ok().map(|percent| percent / 100.0 * whole),
        None => part.trim_end_matches("deg").parse::<f64>().ok(),
    };
    let &[first, second, third] = parts.get(..3)? else {
        return None;
    };
    match name {
        "rgb" | "rgba" => {
            Some([byte(number(first, 255.0)?), byte(number(second, 255.0)?), byte(number(third, 255.0)?)])
        }
        "hsl" | "hsla" => {
            let (hue, saturation, lightness) = (number(first, 360.0)?, number(second, 1.0)?, number(third, 1.0)?);
            let part = |offset: f64| {
                let k = (offset + hue.rem_euclid(360.0) / 30.0) % 12.0;
                let amount = saturation * lightness.min(1.0 - lightness);
                byte((lightness - amount * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0)) * 255.0)
            };
            Some([part(0.0), part(8.0), part(4.0)])
        }
        _ => None,
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the range of a byte first")]
fn byte(value: f64) -> u8 {
    value.round().clamp(0.0, 255.0) as u8
}

fn named(text: &str) -> Option<[u8; 3]> {
    let (_, digits) = NAMES.split("; ").filter_map(|entry| entry.split_once(' ')).find(|(name, _)| *name == text)?;
    hex(&format!("#{digits}"))
}

/// The names that CSS has for colours.
const NAMES: &str = "\
    aliceblue f0f8ff; antiquewhite faebd7; aqua 00ffff; aquamarine 7fffd4; azure f0ffff; beige f5f5dc; \
    bisque ffe4c4; black 000000; blanchedalmond ffebcd; blue 0000ff; blueviolet 8a2be2; brown a52a2a; \
    burlywood deb887; cadetblue 5f9ea0; chartreuse 7fff00; chocolate d2691e; coral ff7f50; cornflowerblue 6495ed; \
    cornsilk fff8dc; crimson dc143c; cyan 00ffff; darkblue 00008b; darkcyan 008b8b; darkgoldenrod b8860b; \
    darkgray a9a9a9; darkgreen 006400; darkgrey a9a9a9; darkkhaki bdb76b; darkmagenta 8b008b; \
    darkolivegreen 556b2f; darkorange ff8c00; darkorchid 9932cc; darkred 8b0000; darksalmon e9967a; \
    darkseagreen 8fbc8f; darkslateblue 483d8b; darkslategray 2f4f4f; darkslategrey 2f4f4f; darkturquoise 00ced1; \
    darkviolet 9400d3; deeppink ff1493; deepskyblue 00bfff; dimgray 696969; dimgrey 696969; dodgerblue 1e90ff; \
    firebrick b22222; floralwhite fffaf0; forestgreen 228b22; fuchsia ff00ff; gainsboro dcdcdc; \
    ghostwhite f8f8ff; gold ffd700; goldenrod daa520; gray 808080; green 008000; greenyellow adff2f; grey 808080; \
    honeydew f0fff0; hotpink ff69b4; indianred cd5c5c; indigo 4b0082; ivory fffff0; khaki f0e68c; \
    lavender e6e6fa; lavenderblush fff0f5; lawngreen 7cfc00; lemonchiffon fffacd; lightblue add8e6; \
    lightcoral f08080; lightcyan e0ffff; lightgoldenrodyellow fafad2; lightgray d3d3d3; lightgreen 90ee90; \
    lightgrey d3d3d3; lightpink ffb6c1; lightsalmon ffa07a; lightseagreen 20b2aa; lightskyblue 87cefa; \
    lightslategray 778899; lightslategrey 778899; lightsteelblue b0c4de; lightyellow ffffe0; lime 00ff00; \
    limegreen 32cd32; linen faf0e6; magenta ff00ff; maroon 800000; mediumaquamarine 66cdaa; mediumblue 0000cd; \
    mediumorchid ba55d3; mediumpurple 9370db; mediumseagreen 3cb371; mediumslateblue 7b68ee; \
    mediumspringgreen 00fa9a; mediumturquoise 48d1cc; mediumvioletred c71585; midnightblue 191970; \
    mintcream f5fffa; mistyrose ffe4e1; moccasin ffe4b5; navajowhite ffdead; navy 000080; oldlace fdf5e6; \
    olive 808000; olivedrab 6b8e23; orange ffa500; orangered ff4500; orchid da70d6; palegoldenrod eee8aa; \
    palegreen 98fb98; paleturquoise afeeee; palevioletred db7093; papayawhip ffefd5; peachpuff ffdab9; \
    peru cd853f; pink ffc0cb; plum dda0dd; powderblue b0e0e6; purple 800080; rebeccapurple 663399; red ff0000; rosybrown bc8f8f; \
    royalblue 4169e1; saddlebrown 8b4513; salmon fa8072; sandybrown f4a460; seagreen 2e8b57; seashell fff5ee; \
    sienna a0522d; silver c0c0c0; skyblue 87ceeb; slateblue 6a5acd; slategray 708090; slategrey 708090; \
    snow fffafa; springgreen 00ff7f; steelblue 4682b4; tan d2b48c; teal 008080; thistle d8bfd8; tomato ff6347; \
    turquoise 40e0d0; violet ee82ee; wheat f5deb3; white ffffff; whitesmoke f5f5f5; yellow ffff00; \
    yellowgreen 9acd32";

#[cfg(test)]
mod tests {
    use super::*;

    fn css(text: &str) -> Option<String> {
        Colour::parse(text).map(|colour| colour.css)
    }

    #[test]
    fn colours_in_every_notation() {
        assert_eq!(css("#F96").as_deref(), Some("#ff9966"));
        assert_eq!(css("rebeccapurple"), css("#663399"));
        assert_eq!(css("RGB(255, 0 , 10)").as_deref(), Some("#ff000a"));
        assert_eq!(css("hsl(120, 100%, 25%)").as_deref(), Some("#008000"));
        assert_eq!(css("transparent").as_deref(), Some("none"));
        for wrong in ["#12", "url(#x)", "rgb(1,2)", "\"", "reddish", "#ggg", "expression(1)"] {
            assert_eq!(css(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn text_on_a_colour_is_black_or_white() {
        let ink = |text| Colour::parse(text).and_then(|colour| colour.ink());
        assert_eq!((ink("yellow"), ink("navy"), ink("none")), (Some("#000"), Some("#fff"), None));
    }
}
