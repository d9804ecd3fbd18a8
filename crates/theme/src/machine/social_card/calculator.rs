//! The card of the front calculator: its question, the answer in the default case, and the bar.

use std::fmt::Write;

use super::{accent, frame, heading, line, text};
use infralens_course::config::Config;
use infralens_render::calculator::stack::Front;
use infralens_render::escape;

/// The left end of the bar, its length, its top and its height.
const BAR: [f64; 4] = [80.0, 1040.0, 450.0, 84.0];
/// How strong the accent is in each part; after the last, the first follows.
const STRENGTHS: [&str; 4] = ["1", "0.62", "0.36", "0.18"];
const PENCIL: &str = "#b93815";

/// Draws the card.
pub fn svg(config: &Config, front: &Front) -> String {
    let accent = accent(config);
    let mut out = frame(config, Some(&config.title));
    let (mut at, _) = heading(&mut out, &front.title, 140.0);
    for (words, size, weight) in [(&front.answer, 44.0, "700"), (&front.sum, 30.0, "400")] {
        at += size * 1.5;
        let fill = format!("#46534b\" font-weight=\"{weight}");
        line(&mut out, &text::first_line(words, size), [80.0, at, size], &fill);
    }
    let [left, length, top, height] = BAR;
    let case = &front.case;
    // Writing to a String cannot fail.
    for (number, (start, part)) in case.bars().into_iter().enumerate() {
        let strength = STRENGTHS[number % STRENGTHS.len()];
        let _ = writeln!(
            out,
            "<rect x=\"{:.1}\" y=\"{top}\" width=\"{:.1}\" height=\"{height}\" fill=\"{accent}\" \
             fill-opacity=\"{strength}\" stroke=\"#fbfcfa\" stroke-width=\"3\"/>",
            left + start * length,
            part.max(0.0) * length,
        );
    }
    let limit = left + case.share(case.limit) * length;
    let _ = writeln!(
        out,
        "<pattern id=\"over\" width=\"14\" height=\"14\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">\
         <path d=\"M7 0V14\" stroke=\"{PENCIL}\" stroke-width=\"4\"/></pattern>\
         <rect x=\"{limit:.1}\" y=\"{top}\" width=\"{over:.1}\" height=\"{height}\" fill=\"url(#over)\"/>\
         <path d=\"M{limit:.1} {above}V{below}\" stroke=\"#17201b\" stroke-width=\"5\"/>",
        over = left + length - limit,
        above = top - 16.0,
        below = top + height + 16.0,
    );
    let anchor = if limit > left + length * 0.8 {
        "end"
    } else if limit < left + length * 0.2 {
        "start"
    } else {
        "middle"
    };
    let _ = writeln!(
        out,
        "<text x=\"{limit:.1}\" y=\"{y}\" font-size=\"30\" font-weight=\"700\" text-anchor=\"{anchor}\" fill=\"#17201b\">\
         {name}</text>",
        y = top + height + 56.0,
        name = escape::text(&text::first_line(&front.limit, 30.0)),
    );
    out.push_str("</svg>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::super::png;
    use super::*;
    use infralens_render::calculator::stack::Case;

    #[test]
    fn the_card_shows_the_answer_and_the_bar() {
        let case = Case { parts: vec![30.0, 90.0], total: 120.0, limit: 80.0 };
        let words = |text: &str| text.to_owned();
        let front = Front {
            block: 0,
            title: words("Will it fit?"),
            answer: words("No"),
            sum: words("120 of 80"),
            limit: words("a <card>"),
            case,
        };
        let drawn = svg(&Config::default(), &front);
        for text in ["Will it fit?", "No", "120 of 80", "a &lt;card&gt;", "url(#over)", "width=\"260.0\"", "M773.3"] {
            assert!(drawn.contains(text), "{text} in {drawn}");
        }
        assert!(png(&drawn).starts_with(b"\x89PNG"));
    }
}
