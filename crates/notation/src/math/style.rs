//! Maps the CSS declarations of math-core to classes.

/// Returns the class for `property: value` on the element `name`; empty if it can be dropped; `None` if it is unknown.
pub(super) fn class(name: &str, property: &str, value: &str) -> Option<String> {
    let fixed = |class: &str| Some(class.to_owned());
    match (property, value) {
        // `text-align` has the same effect.
        ("justify-items", _) | ("padding-left", "0.1em") | ("padding-bottom", "0") => fixed(""),
        // The attribute of a space has the same effect.
        ("width", _) if name == "mspace" => fixed(""),
        ("text-align", "left") => fixed("math-left"),
        ("text-align", "right") => fixed("math-right"),
        ("padding-right", "0.1em") => fixed("math-px01"),
        ("padding-top", "0") => fixed("math-py0"),
        ("padding-left", "1em") => fixed("math-pl1"),
        ("padding-left", _) if name == "mpadded" => mu(value).map(|mu| format!("math-padl-{mu}")),
        ("padding-right", _) if name == "mpadded" => mu(value).map(|mu| format!("math-padr-{mu}")),
        ("padding-left", "0") => fixed("math-pl0"),
        ("padding-right", "0") => fixed("math-pr0"),
        ("padding-top", "0.1667em") => fixed("math-cfrac"),
        ("width", "100%") => fixed("math-numbered"),
        ("width", "50%") => fixed("math-side"),
        ("width", "7.5%") => fixed("math-side-narrow"),
        ("margin-left", _) => mu(value.strip_prefix('-')?).map(|mu| format!("math-back-{mu}")),
        ("math-shift", "compact") => fixed("math-compact"),
        ("font-variant-caps", "small-caps") => fixed("math-small-caps"),
        ("font-size", _) => size(value).map(|size| format!("math-size-{size}")),
        ("color", _) => color(value).map(|color| format!("math-{color}")),
        (_, "0.05em solid currentcolor") => side(property).map(|side| format!("math-border-{side}")),
        (_, "0.05em dashed currentcolor") => side(property).map(|side| format!("math-border-{side}-dashed")),
        _ => None,
    }
}

/// Returns the class for one of the strikes of `menclose`.
pub(super) fn strike(notation: &str) -> Option<&'static str> {
    match notation {
        "updiagonalstrike" => Some("math-strike-up"),
        "downdiagonalstrike" => Some("math-strike-down"),
        "horizontalstrike" => Some("math-strike-across"),
        _ => None,
    }
}

/// Returns the class for math-core's class of a font.
pub(super) fn face(class: &str) -> Option<&'static str> {
    match class {
        "math-core-sans-serif-font" => Some("math-sans"),
        "math-core-serif-font" => Some("math-serif"),
        _ => None,
    }
}

/// Parses one of TeX's three spaces, in eighteenths of an em. Lengths are rounded to four digits or, from `\!`, exact.
fn mu(length: &str) -> Option<u8> {
    let em: f64 = length.strip_suffix("em").or((length == "0").then_some("0"))?.parse().ok()?;
    [0, 3, 4, 5].into_iter().find(|mu| (em * 18.0 - f64::from(*mu)).abs() < 0.01)
}

fn size(value: &str) -> Option<&str> {
    let percent = value.strip_suffix('%')?;
    percent.bytes().all(|byte| byte.is_ascii_digit()).then_some(percent)
}

fn side(property: &str) -> Option<&str> {
    property.strip_prefix("border-").filter(|side| matches!(*side, "top" | "left" | "right"))
}

/// Returns the name of the hue of `#rrggbb`. A fixed color would be illegible in one of the two themes; a hue is not.
fn color(value: &str) -> Option<&'static str> {
    let rgb = u32::from_str_radix(value.strip_prefix('#')?, 16).ok()?;
    let [_, red, green, blue] = rgb.to_be_bytes().map(i32::from);
    let (most, least) = (red.max(green).max(blue), red.min(green).min(blue));
    let span = most - least;
    if span * 6 < most || most < 24 {
        return Some("gray");
    }
    let hue = if most == red {
        60 * (green - blue) / span
    } else if most == green {
        120 + 60 * (blue - red) / span
    } else {
        240 + 60 * (red - green) / span
    };
    Some(match hue {
        ..=-45 => "pink",
        -44..=14 => "red",
        15..=64 => "orange",
        65..=155 => "green",
        156..=199 => "teal",
        200..=249 => "blue",
        250..=289 => "purple",
        _ => "pink",
    })
}
