//! Widths of text, from a fixed table: a diagram comes out alike on every machine, whatever fonts it has.

/// Size of all text, in pixels. The style sheet may choose the face, but not another size.
pub(super) const FONT: f64 = 14.0;
/// From one line of text to the next.
pub(super) const LINE: f64 = 19.0;

/// Advance widths from space to tilde in hundredths of an em. They are those of one of the widest faces in use
/// (`DejaVu Sans`), so that no other face overflows what was measured with them.
const ASCII: [u8; 95] = [
    32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84,
    84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79, 69, 63, 61, 73, 68, 99, 69,
    61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97, 63, 61, 63, 63, 41, 52, 39, 63,
    59, 82, 59, 59, 52, 64, 34, 64, 84,
];

/// Width of one line of text in pixels.
pub(super) fn width(text: &str) -> f64 {
    text.chars().map(|c| f64::from(advance(c))).sum::<f64>() * FONT / 100.0
}

/// Width of one line of bold text in pixels.
pub(super) fn bold_width(text: &str) -> f64 {
    width(text) * 1.12
}

/// Advance width in hundredths of an em.
fn advance(c: char) -> u8 {
    match c {
        ' '..='~' => ASCII.get(c as usize - ' ' as usize).copied().unwrap_or(100),
        '\u{300}'..='\u{36F}' | '\u{200B}'..='\u{200F}' | '\u{20D0}'..='\u{20FF}' | '\u{FE00}'..='\u{FE0F}' => 0,
        '\u{A0}'..='\u{24F}' | '\u{370}'..='\u{3FF}' => 70,
        '\u{400}'..='\u{52F}' => 85,
        // Symbols, and the scripts whose characters fill a square.
        '\u{2010}'.. => 100,
        _ => 80,
    }
}

/// `text` in lines of at most `limit` pixels, broken at spaces; a word longer than that is broken where it must be.
pub(super) fn wrap(text: &str, limit: f64) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut line, mut used) = (String::new(), 0.0);
    for word in text.split_whitespace() {
        let (space, wide) = (if line.is_empty() { 0.0 } else { width(" ") }, width(word));
        if used + space + wide > limit && !line.is_empty() {
            lines.push(std::mem::take(&mut line));
            used = 0.0;
        } else if space > 0.0 {
            line.push(' ');
            used += space;
        }
        for c in word.chars() {
            let next = f64::from(advance(c)) * FONT / 100.0;
            if wide > limit && used + next > limit && !line.is_empty() {
                lines.push(std::mem::take(&mut line));
                used = 0.0;
            }
            line.push(c);
            used += next;
        }
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_grow_with_the_text() {
        assert!((width("ii") - 2.0 * width("i")).abs() < 1e-9);
        assert!(width("W") > width("i") && width("中") >= FONT && bold_width("a") > width("a"));
        assert!(width("e\u{301}") - width("e") < 1e-9);
    }

    #[test]
    fn lines_break_at_spaces_and_long_words_anywhere() {
        assert_eq!(wrap("one two three", width("one two ")), ["one two", "three"]);
        assert_eq!(wrap("", 10.0), [""]);
        let lines = wrap(&"x".repeat(100), 100.0);
        assert!(lines.len() > 4 && lines.iter().all(|line| width(line) <= 100.0));
    }
}
