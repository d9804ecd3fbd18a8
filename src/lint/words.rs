//! The words of a text, in any script: what is compared when sentences are.

use std::ops::Range;

/// A word: a run of letters and digits, marks and single joints such as `'`, `-` and `.` within it included. Scripts that
/// set no spaces have no such runs: there each character stands for itself, but a run of katakana is one word.
#[derive(Debug, PartialEq, Eq)]
pub struct Word {
    /// Where it stands.
    pub range: Range<usize>,
    /// Whether it is a single character of a script without spaces.
    pub is_glyph: bool,
}

/// The words of `text`.
#[must_use]
pub fn words(text: &str) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    let mut open: Option<(usize, bool)> = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let goes_on = |katakana: bool| match open {
            Some((_, of)) => of == katakana,
            None => false,
        };
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

/// The text of words as it is compared: lower case, one space between them.
#[must_use]
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

/// Han and hiragana.
fn is_glyph(c: char) -> bool {
    matches!(c, '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{309f}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn is_katakana(c: char) -> bool {
    matches!(c, '\u{30a1}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}')
}

/// Whether a character is a letter or digit of a script that sets spaces between words.
#[must_use]
pub fn is_spaced_letter(c: char) -> bool {
    // Hangul sets spaces, but its particles stand directly after a name.
    let hangul = matches!(c, '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7af}');
    let south_east_asian = matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}');
    c.is_alphabetic() && !is_glyph(c) && !is_katakana(c) && !hangul && !south_east_asian
}

fn joins(c: char) -> bool {
    c.is_alphanumeric() && !is_glyph(c)
}

fn is_joint(c: char) -> bool {
    matches!(c, '\'' | '’' | '-' | '.' | ',' | '\u{2011}' | '\u{ad}')
}

/// Vowel signs, accents and joiners that are no letters by themselves.
fn is_mark(c: char) -> bool {
    matches!(
        c,
        '\u{300}'
            ..='\u{36f}'
                | '\u{94d}'
                | '\u{9cd}'
                | '\u{a4d}'
                | '\u{acd}'
                | '\u{b4d}'
                | '\u{bcd}'
                | '\u{c4d}'
                | '\u{ccd}'
                | '\u{d4d}'
                | '\u{200c}'
                | '\u{200d}'
    )
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
