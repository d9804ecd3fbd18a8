//! Finds mojibake: UTF-8 that was decoded as Windows-1252 or Latin-1 and encoded again.
//!
//! Each character is converted back to the byte that it was decoded from. If such bytes are valid UTF-8, the text is
//! damaged. But letters may also come before quotation marks and the like on purpose. Therefore two-byte characters count
//! only from `Â` and `Ã`, and not in a word of capitals; others count if the damage is typical (`â€™`, `ðŸ…`, a byte order
//! mark) or at least [`LONG`] characters long.

use std::ops::Range;

/// The characters of Windows-1252 from 0x80 to 0x9F; U+FFFD for undefined bytes.
const HIGH: [char; 32] = [
    '€', '\u{fffd}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{fffd}', 'Ž', '\u{fffd}', '\u{fffd}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{fffd}', 'ž', 'Ÿ',
];

/// The number of characters from which on damage is certain: three letters of Cyrillic, or two of Chinese.
const LONG: usize = 6;

/// Returns the damaged ranges of a text, each with the original.
pub fn find(text: &str) -> Vec<(Range<usize>, String)> {
    let mut found: Vec<(Range<usize>, String)> = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(|c| matches!(c, '\u{c2}'..='\u{f4}')).map(|offset| at + offset) {
        let (end, original, certain) = run(text, start);
        if certain {
            found.push((start..end, original));
            at = end;
        } else {
            at = start + text[start..].chars().next().map_or(1, char::len_utf8);
        }
    }
    found
}

/// Returns the end of the damage that begins at `start`, the original, and whether it is certain.
fn run(text: &str, start: usize) -> (usize, String, bool) {
    let mut end = start;
    let mut original = String::new();
    let mut certain = false;
    let mut length = 0;
    while let Some((len, c)) = sequence(&text[end..]) {
        length += text[end..end + len].chars().count();
        certain |= length >= LONG || is_typical(&text[..end], &text[end..end + len], c);
        original.push(c);
        end += len;
    }
    (end, original, certain)
}

/// Decodes the original of the first characters of a text, if they are UTF-8 as bytes. Also returns their length.
fn sequence(text: &str) -> Option<(usize, char)> {
    let mut bytes = Vec::with_capacity(4);
    let mut length = 0;
    let first = byte(text.chars().next()?)?;
    let count = match first {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return None,
    };
    for c in text.chars().take(count) {
        bytes.push(byte(c)?);
        length += c.len_utf8();
    }
    let decoded = std::str::from_utf8(&bytes).ok()?;
    Some((length, decoded.chars().next()?))
}

/// Returns the byte that was decoded as `c`.
fn byte(c: char) -> Option<u8> {
    let of_1252 = HIGH.iter().position(|&high| high == c && c != '\u{fffd}');
    match of_1252 {
        Some(index) => u8::try_from(0x80 + index).ok(),
        None => u8::try_from(u32::from(c)).ok(),
    }
}

fn is_typical(before: &str, damage: &str, was: char) -> bool {
    match damage.chars().next() {
        Some('Â' | 'Ã') => !before.ends_with(char::is_uppercase),
        Some('â') => matches!(was, '\u{2000}'..='\u{2bff}') && !damage.starts_with("â…"),
        Some('ð') => damage.starts_with("ðŸ"),
        Some('ï') => matches!(was, '\u{feff}' | '\u{fffd}' | '\u{fb00}'..='\u{fb06}'),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::find;

    fn was(text: &str) -> Vec<String> {
        find(text).into_iter().map(|(_, was)| was).collect()
    }

    #[test]
    fn damage_is_read_back() {
        assert_eq!(was("donâ€™t"), ["’"]);
        assert_eq!(was("cafÃ© Â· 5Â\u{a0}µs naÃ¯ve"), ["é", "·", "\u{a0}", "ï"].map(String::from));
        assert_eq!(was("aâ€“b â†’ â€œcâ€\u{9d}"), ["–", "→", "“", "”"].map(String::from));
        assert_eq!(was("ï»¿title ðŸ˜€"), ["\u{feff}", "😀"].map(String::from));
        assert_eq!(was("Ð¿Ñ€Ð¸Ð²ÐµÑ‚"), ["привет"]);
        assert_eq!(was("æ–‡å\u{ad}—"), ["文字"]);
        let (range, _) = &find("é donâ€™t")[0];
        assert_eq!(&"é donâ€™t"[range.clone()], "â€™");
    }

    #[test]
    fn letters_beside_quotation_marks_are_none() {
        for text in [
            "Größe, „groß“, Spaß…",
            "« CAFÉ»",
            "“‘café’”",
            "MAÇÃ” NÃO",
            "Ã alone, Â alone, à la",
            "Ångström–Ü, Ä–Ö–Ü",
            "4 ×\u{a0}2",
            "æ ø å",
            "ȘI mâ…",
            "привет 文字 ’“”—",
        ] {
            assert_eq!(was(text), [""; 0], "{text}");
        }
    }
}
