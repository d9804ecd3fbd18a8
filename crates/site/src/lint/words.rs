//! Splits a text in any script into words, by which sentences are compared.

use std::ops::Range;

use infralens_source::source::script::{is_glyph, is_katakana};

/// A word: a run of letters and digits, which may contain combining marks and single joints such as `'`, `-` and `.`. In
/// scripts without spaces each character is a word, except that a run of katakana is one.
#[derive(Debug, PartialEq, Eq)]
pub struct Word {
    pub range: Range<usize>,
    /// Whether it is a single character of a script without spaces.
    pub is_glyph: bool,
}

/// Returns the words of `text`.
pub fn words(text: &str) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    let mut open: Option<(usize, bool)> = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let goes_on = |katakana: bool| open.is_some_and(|(_, of)| of == katakana);
        let next = chars.peek().map(|&(_, next)| next);
        if !c.is_ascii() && is_glyph(c) {
            close(&mut found, &mut open, at);
            found.push(Word { range: at..at + c.len_utf8(), is_glyph: true });
        } else if c.is_alphanumeric() || c == '_' {
            if !goes_on(is_katakana(c)) {
                close(&mut found, &mut open, at);
                open = Some((at, is_katakana(c)));
            }
        } else if !(open.is_some() && (is_mark(c) || is_joint(c) && next.is_some_and(joins))) {
            close(&mut found, &mut open, at);
        }
    }
    close(&mut found, &mut open, text.len());
    found
}

fn close(found: &mut Vec<Word>, open: &mut Option<(usize, bool)>, end: usize) {
    if let Some((start, _)) = open.take() {
        found.push(Word { range: start..end, is_glyph: false });
    }
}

/// Joins words in the form in which they are compared: lower case, with one space between them.
pub fn plain(text: &str, words: &[Word]) -> String {
    let mut plain = String::with_capacity(text.len());
    for word in words {
        if !plain.is_empty() {
            plain.push(' ');
        }
        let written = &text[word.range.clone()];
        if written.is_ascii() {
            let start = plain.len();
            plain.push_str(written);
            plain[start..].make_ascii_lowercase();
        } else {
            let lower = written.chars().flat_map(char::to_lowercase);
            plain.extend(lower.map(|c| if c == '’' { '\'' } else { c }));
        }
    }
    plain
}

fn joins(c: char) -> bool {
    c.is_alphanumeric() && !is_glyph(c)
}

fn is_joint(c: char) -> bool {
    matches!(c, '\'' | '’' | '-' | '.' | ',' | '\u{2011}' | '\u{ad}')
}

/// Returns whether `c` is a vowel sign, accent or joiner, which is not a letter by itself.
fn is_mark(c: char) -> bool {
    const VIRAMAS: [u32; 9] = [0x94d, 0x9cd, 0xa4d, 0xacd, 0xb4d, 0xbcd, 0xc4d, 0xccd, 0xd4d];
    matches!(c, '\u{300}'..='\u{36f}' | '\u{200c}' | '\u{200d}') || VIRAMAS.contains(&u32::from(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<&str> {
        words(text).into_iter().map(|word| &text[word.range]).collect()
    }

    #[test]
    fn words_of_any_script() {
        assert_eq!(of("Don’t write key-value; 8,192 or 3.5."), ["Don’t", "write", "key-value", "8,192", "or", "3.5"]);
        assert_eq!(of("a,b – (c) … n_kv/h"), ["a,b", "c", "n_kv", "h"]);
        assert_eq!(of("Größe naïve cafe\u{301}"), ["Größe", "naïve", "cafe\u{301}"]);
        assert_eq!(of("数を数える GPUメモリ。"), ["数", "を", "数", "え", "る", "GPU", "メモリ"]);
        assert_eq!(of("हिन्दी में"), ["हिन्दी", "में"]);
        assert_eq!(of("한국어 문장"), ["한국어", "문장"]);
        assert_eq!(of(""), [""; 0]);
    }

    #[test]
    fn they_are_compared_without_case_and_punctuation() {
        let text = "The  “Same”, words’ END";
        assert_eq!(plain(text, &words(text)), "the same words end");
    }
}
