//! Text on a social card: which characters can be drawn, how wide text is, and how a title is broken into lines.

use std::fmt::Write;
use std::sync::Arc;

use resvg::usvg;

use super::FONTS;
use infralens_render::escape;

/// The font sizes of a title, and how many lines it may have.
const TITLE_SIZES: [f32; 4] = [76.0, 64.0, 54.0, 46.0];
const MAX_TITLE_LINES: usize = 3;
/// The maximum width of a line of a title.
const MAX_WIDTH: f32 = 1040.0;
/// The maximum number of characters that are looked at: more do not fit in the smallest size.
const MAX_CHARACTERS: usize = 220;
/// The width of a space relative to the font size.
const SPACE_WIDTH: f32 = 0.27;
/// The ranges of characters that the embedded fonts have.
const COVERED: [(char, char); 7] = [
    (' ', '~'),
    ('\u{a0}', '\u{17f}'),
    ('\u{218}', '\u{21b}'),
    ('\u{370}', '\u{3ff}'),
    ('\u{400}', '\u{45f}'),
    ('\u{2010}', '\u{2026}'),
    ('\u{2190}', '\u{2193}'),
];

/// Returns whether the fonts can draw a text.
fn is_covered(text: &str) -> bool {
    text.chars().all(|c| COVERED.iter().any(|&(first, last)| (first..=last).contains(&c)))
}

/// Returns the font size of a title and its lines; no lines if the fonts lack its script.
pub fn title(text: &str) -> (f32, Vec<String>) {
    let words = words(text);
    let widths = widths(&words);
    let fits = |size: f32| {
        widths.iter().all(|width| width * size <= MAX_WIDTH) && wrap(&words, &widths, size).len() <= MAX_TITLE_LINES
    };
    let size = TITLE_SIZES.into_iter().find(|&size| fits(size)).unwrap_or(TITLE_SIZES[TITLE_SIZES.len() - 1]);
    (size, first_lines(text, size, MAX_TITLE_LINES))
}

/// Returns the first lines of a text; none if the fonts lack its script.
pub fn first_lines(text: &str, size: f32, max: usize) -> Vec<String> {
    let words = words(text);
    let mut lines = wrap(&words, &widths(&words), size);
    let is_cut = lines.len() > max;
    lines.truncate(max);
    let last = lines.len().saturating_sub(1);
    lines.iter().enumerate().map(|(at, line)| truncated(line, size, is_cut && at == last)).collect()
}

/// Returns the first line of a text; empty if the fonts lack its script.
pub fn first_line(text: &str, size: f32) -> String {
    first_lines(text, size, 1).pop().unwrap_or_default()
}

fn words(text: &str) -> Vec<String> {
    if !is_covered(text.trim()) {
        return Vec::new();
    }
    let truncated: String = text.chars().take(MAX_CHARACTERS).collect();
    let mut words: Vec<String> = truncated.split_whitespace().map(str::to_owned).collect();
    if truncated.len() < text.len() && !words.is_empty() {
        words.push("…".into());
    }
    words
}

/// Shortens a line to the available width, with an ellipsis if something is omitted.
fn truncated(line: &str, size: f32, is_cut: bool) -> String {
    let whole = if is_cut { format!("{} …", line.trim_end_matches(['…', ' '])) } else { line.to_owned() };
    if widths(std::slice::from_ref(&whole))[0] * size <= MAX_WIDTH {
        return whole;
    }
    let ends: Vec<String> = line.char_indices().map(|(at, _)| format!("{}…", line[..at].trim_end())).collect();
    let fits = widths(&ends).partition_point(|end| end * size <= MAX_WIDTH);
    ends[fits.saturating_sub(1)].clone()
}

/// Breaks words into lines of the available width; only a single word may be wider.
fn wrap(words: &[String], widths: &[f32], size: f32) -> Vec<String> {
    let mut lines: Vec<(String, f32)> = Vec::new();
    for (word, word_width) in words.iter().zip(widths) {
        match lines.last_mut() {
            Some((line, long)) if *long + (SPACE_WIDTH + word_width) * size <= MAX_WIDTH => {
                line.push(' ');
                line.push_str(word);
                *long += (SPACE_WIDTH + word_width) * size;
            }
            _ => lines.push((word.clone(), word_width * size)),
        }
    }
    lines.into_iter().map(|(line, _)| line).collect()
}

/// Returns the widths of texts relative to the font size.
fn widths(texts: &[String]) -> Vec<f32> {
    let mut svg =
        String::from("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 9 9\" font-family=\"Lens Card\">");
    for (at, text) in texts.iter().enumerate() {
        // Writing to a String cannot fail.
        let _ = write!(svg, "<text id=\"t{at}\" font-size=\"100\" font-weight=\"700\">{}</text>", escape::text(text));
    }
    svg.push_str("</svg>");
    let options = usvg::Options { fontdb: Arc::clone(&FONTS), ..usvg::Options::default() };
    let tree = usvg::Tree::from_str(&svg, &options).ok();
    let width = |at: usize| {
        let node = tree.as_ref()?.node_by_id(&format!("t{at}"))?;
        Some(node.abs_bounding_box().width() / 100.0)
    };
    (0..texts.len()).map(|at| width(at).unwrap_or_default()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_titles_are_wrapped_shrunk_and_cut() {
        let (size, lines) = title("Attention");
        assert!((size - TITLE_SIZES[0]).abs() < 0.1 && lines == ["Attention"]);
        let (size, lines) = title(
            "What a transformer of seventy billion parameters keeps in memory while it is trained and while it answers its many users",
        );
        assert!(size < TITLE_SIZES[0] && lines.len() <= MAX_TITLE_LINES, "{size} {lines:?}");
        assert_eq!(
            lines.join(" "),
            "What a transformer of seventy billion parameters keeps in memory while it is trained and while it answers its many users"
        );
        for long in ["word ".repeat(60), "w".repeat(300), format!("a {}", "Ж".repeat(300))] {
            let (size, lines) = title(&long);
            assert!(lines.len() <= MAX_TITLE_LINES && lines.iter().any(|line| line.ends_with('…')), "{lines:?}");
            for width in widths(&lines) {
                assert!(width > 0.0 && width * size <= MAX_WIDTH, "{width} {lines:?}");
            }
        }
    }

    #[test]
    fn text_that_the_fonts_lack_is_left_out() {
        assert!(title("注意力机制").1.is_empty());
        assert!(title("").1.is_empty());
        assert_eq!(title("Größe Ωμέγα Ёж – “x” → 1").1.len(), 1);
        assert!(COVERED.iter().all(|&(first, last)| first <= last));
    }
}
