//! The text of a label: what Mermaid's escapes stand for, in lines that are not too long.

use super::metrics::{LINE, width, wrap};

/// Labels are broken into lines of about this width, in pixels.
const WRAP: f64 = 210.0;

/// Lines of text and the room they take.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Label {
    pub lines: Vec<String>,
    pub width: f64,
    pub height: f64,
}

impl Label {
    /// The label that `raw` writes, wrapped.
    pub fn new(raw: &str) -> Self {
        Self::of(plain(raw).lines().flat_map(|line| wrap(line, WRAP)).collect())
    }

    /// The label of these lines as they are.
    pub fn of(lines: Vec<String>) -> Self {
        let widest = lines.iter().map(|line| width(line)).fold(0.0, f64::max);
        #[expect(clippy::cast_precision_loss, reason = "a label has far fewer than 2^52 lines")]
        let height = lines.len() as f64 * LINE;
        Self { lines, width: widest, height }
    }

    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        self.lines.iter().all(String::is_empty)
    }
}

/// The text that `raw` writes: quotes and backticks off, `<br>` and `\n` as line breaks, entities decoded.
pub(super) fn plain(raw: &str) -> String {
    let raw = raw.trim();
    let raw = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')).unwrap_or(raw).trim();
    let raw = match raw.strip_prefix('`').and_then(|raw| raw.strip_suffix('`')) {
        Some(markdown) => markdown.replace("**", ""),
        None => raw.to_owned(),
    };
    let raw = raw.replace("\\n", "\n");
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw.as_str();
    while let Some(at) = rest.find(['<', '&', '#']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let (length, meaning) = escape(rest).unwrap_or((1, rest.chars().next()));
        text.extend(meaning);
        rest = &rest[length..];
    }
    text.push_str(rest);
    text
}

/// The escape that `text` begins with: its length, and the character it stands for.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_stand_for_characters() {
        assert_eq!(plain("\"a<br/>b<BR>c\\nd\""), "a\nb\nc\nd");
        assert_eq!(plain("#quot;x#quot; &lt;b> #35;1 C# & d; #x41;"), "\"x\" <b> #1 C# & d; A");
        assert_eq!(plain("`**bold** text`"), "bold text");
        assert_eq!(plain("Vec<u8> a < b"), "Vec<u8> a < b");
    }

    #[test]
    fn long_labels_wrap() {
        let label = Label::new("a rather long label that would make a node wider than a column of text is");
        assert!(label.lines.len() > 1 && label.width <= WRAP);
        assert!(Label::new("").is_empty());
    }
}
