//! Breaks labels into lines. The widths of characters come from a fixed table, so that a diagram is the same on every
//! machine, whatever fonts it has.

/// The size of all text, in pixels. A style sheet may change the font, but not its size.
pub(super) const FONT: f64 = 14.0;
/// The height of a line of text, in pixels.
pub(super) const LINE: f64 = 19.0;
/// The maximum width of a line in a label, in pixels.
pub(super) const WRAP: f64 = 210.0;

/// The advance widths of the characters from space to tilde, in hundredths of an em. They are those of `DejaVu Sans`, one of
/// the widest fonts in use, so that text in other fonts fits, too.
const ASCII: [u8; 95] = [
    32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84,
    84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79, 69, 63, 61, 73, 68, 99, 69,
    61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97, 63, 61, 63, 63, 41, 52, 39, 63,
    59, 82, 59, 59, 52, 64, 34, 64, 84,
];

/// Lines of text and their size in pixels.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Label {
    pub lines: Vec<String>,
    pub width: f64,
    pub height: f64,
}

impl Label {
    /// Creates a label from text with escapes, and wraps it.
    pub fn new(raw: &str) -> Self {
        let lines: Vec<String> = plain(raw).lines().flat_map(|line| wrap(line, WRAP)).collect();
        let widest = lines.iter().map(|line| width(line)).fold(0.0, f64::max);
        #[expect(clippy::cast_precision_loss, reason = "a label has far fewer than 2^52 lines")]
        let height = lines.len() as f64 * LINE;
        Self { lines, width: widest, height }
    }

    /// Whether all lines are empty.
    pub fn is_empty(&self) -> bool {
        self.lines.iter().all(String::is_empty)
    }
}

/// Returns the width of one line of text in pixels.
pub(super) fn width(text: &str) -> f64 {
    text.chars().map(advance).sum()
}

/// Returns the width of one line of bold text in pixels.
pub(super) fn bold_width(text: &str) -> f64 {
    width(text) * 1.12
}

/// Returns the advance width of a character in pixels.
fn advance(c: char) -> f64 {
    let hundredths = match c {
        ' '..='~' => ASCII.get(c as usize - ' ' as usize).copied().unwrap_or(100),
        '\u{300}'..='\u{36F}' | '\u{200B}'..='\u{200F}' | '\u{20D0}'..='\u{20FF}' | '\u{FE00}'..='\u{FE0F}' => 0,
        '\u{A0}'..='\u{24F}' | '\u{370}'..='\u{3FF}' => 70,
        '\u{400}'..='\u{52F}' => 85,
        // Symbols, and scripts with full-width characters.
        '\u{2010}'.. => 100,
        _ => 80,
    };
    f64::from(hundredths) * FONT / 100.0
}

/// Breaks `text` at spaces into lines of at most `limit` pixels. Longer words are broken anywhere.
pub(super) fn wrap(text: &str, limit: f64) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0.0;
    for word in text.split_whitespace() {
        let (space, wide) = (if used > 0.0 { width(" ") } else { 0.0 }, width(word));
        if space > 0.0 && used + space + wide > limit {
            lines.push(String::new());
            used = 0.0;
        } else if let Some(line) = lines.last_mut().filter(|_| space > 0.0) {
            line.push(' ');
            used += space;
        }
        for c in word.chars() {
            if wide > limit && used > 0.0 && used + advance(c) > limit {
                lines.push(String::new());
                used = 0.0;
            }
            lines.last_mut().into_iter().for_each(|line| line.push(c));
            used += advance(c);
        }
    }
    lines
}

/// Decodes a Mermaid text: removes quotes and backticks, replaces `<br>` and `\n` by line breaks, and decodes entities.
pub(super) fn plain(raw: &str) -> String {
    let raw = raw.trim();
    let raw = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')).unwrap_or(raw).trim();
    let markdown = raw.strip_prefix('`').and_then(|raw| raw.strip_suffix('`'));
    let raw = markdown.map_or_else(|| raw.to_owned(), |raw| raw.replace("**", "")).replace("\\n", "\n");
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw.as_str();
    while let Some(at) = rest.find(['<', '&', '#']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let (length, meaning) = escape(rest).unwrap_or((1, rest.chars().next()));
        text.extend(meaning);
        rest = &rest[length..];
    }
    text + rest
}

/// Decodes the escape at the start of `text`; returns its length and its character.
fn escape(text: &str) -> Option<(usize, Option<char>)> {
    if text.starts_with('<') {
        let length = text.find('>')? + 1;
        let tag = text[1..length - 1].trim_end_matches('/').trim();
        return tag.eq_ignore_ascii_case("br").then_some((length, Some('\n')));
    }
    // Mermaid writes `#quot;`, HTML `&quot;`; numbers are `#35;` or `&#35;`.
    let length = text.bytes().take(12).position(|byte| byte == b';')? + 1;
    let name = text[1..length - 1].trim_start_matches('#');
    let meaning = match name {
        "quot" => '"',
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "apos" => '\'',
        "nbsp" => '\u{A0}',
        _ => match name.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok().and_then(char::from_u32)?,
            None => name.parse().ok().and_then(char::from_u32)?,
        },
    };
    Some((length, Some(meaning)))
}
