//! Scripts: which characters belong to text without spaces between words, and which are punctuation.

use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_script::{Script, UnicodeScript};

/// Scripts without spaces between words.
const UNSPACED: [Script; 8] = [
    Script::Han,
    Script::Hiragana,
    Script::Katakana,
    Script::Bopomofo,
    Script::Thai,
    Script::Lao,
    Script::Khmer,
    Script::Myanmar,
];

/// The characters of Chinese, Japanese and Korean text as markdown-cjk-friendly defines them: wide, full-width and half-width
/// ones that are not emoji, and Hangul. From Unicode 16.
const CJK: [(u32, u32); 61] = [
    (0x1100, 0x11ff),
    (0x20a9, 0x20a9),
    (0x2329, 0x232a),
    (0x2630, 0x2637),
    (0x268a, 0x268f),
    (0x2e80, 0x2e99),
    (0x2e9b, 0x2ef3),
    (0x2f00, 0x2fd5),
    (0x2ff0, 0x303e),
    (0x3041, 0x3096),
    (0x3099, 0x30ff),
    (0x3105, 0x312f),
    (0x3131, 0x318e),
    (0x3190, 0x31e5),
    (0x31ef, 0x321e),
    (0x3220, 0x3247),
    (0x3250, 0xa48c),
    (0xa490, 0xa4c6),
    (0xa960, 0xa97c),
    (0xac00, 0xd7a3),
    (0xd7b0, 0xd7c6),
    (0xd7cb, 0xd7fb),
    (0xf900, 0xfaff),
    (0xfe10, 0xfe19),
    (0xfe30, 0xfe52),
    (0xfe54, 0xfe66),
    (0xfe68, 0xfe6b),
    (0xff01, 0xffbe),
    (0xffc2, 0xffc7),
    (0xffca, 0xffcf),
    (0xffd2, 0xffd7),
    (0xffda, 0xffdc),
    (0xffe0, 0xffe6),
    (0xffe8, 0xffee),
    (0x16fe0, 0x16fe4),
    (0x16ff0, 0x16ff6),
    (0x17000, 0x18cd5),
    (0x18cff, 0x18d1e),
    (0x18d80, 0x18df2),
    (0x1aff0, 0x1aff3),
    (0x1aff5, 0x1affb),
    (0x1affd, 0x1affe),
    (0x1b000, 0x1b122),
    (0x1b132, 0x1b132),
    (0x1b150, 0x1b152),
    (0x1b155, 0x1b155),
    (0x1b164, 0x1b167),
    (0x1b170, 0x1b2fb),
    (0x1d300, 0x1d356),
    (0x1d360, 0x1d376),
    (0x1f200, 0x1f200),
    (0x1f202, 0x1f202),
    (0x1f210, 0x1f219),
    (0x1f21b, 0x1f22e),
    (0x1f230, 0x1f231),
    (0x1f237, 0x1f237),
    (0x1f23b, 0x1f23b),
    (0x1f240, 0x1f248),
    (0x1f260, 0x1f265),
    (0x20000, 0x2fffd),
    (0x30000, 0x3fffd),
];

/// Returns whether a character belongs to Chinese, Japanese or Korean text.
pub fn is_cjk(c: char) -> bool {
    let code = u32::from(c);
    let next = CJK.partition_point(|&(first, _)| first <= code);
    CJK[..next].last().is_some_and(|&(_, last)| code <= last)
}

/// Returns whether a character is punctuation or a symbol, as Markdown defines it.
pub fn is_punctuation(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_punctuation();
    }
    get_general_category(c).abbreviation().starts_with(['P', 'S'])
}

/// Returns whether a character is a digit of any script.
pub fn is_digit(c: char) -> bool {
    get_general_category(c) == GeneralCategory::DecimalNumber
}

/// Returns whether a character is of the block CJK Unified Ideographs, of which nearly all Chinese text consists; this needs no table.
pub fn is_basic_ideograph(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}')
}

/// Returns whether a character belongs to a script that puts no spaces between words. Hangul does.
pub fn is_unspaced(c: char) -> bool {
    is_basic_ideograph(c) || !c.is_ascii() && is_of(c, &UNSPACED)
}

/// Returns whether a character is a letter of a script that puts spaces between words. Korean does, but its particles follow
/// a name directly, so it counts as none.
pub fn is_spaced_letter(c: char) -> bool {
    c.is_ascii_alphabetic() || c.is_alphabetic() && !is_unspaced(c) && c.script() != Script::Hangul
}

/// Returns whether a character is a word by itself: Han, hiragana and bopomofo.
pub fn is_glyph(c: char) -> bool {
    const WORDS: [Script; 3] = [Script::Han, Script::Hiragana, Script::Bopomofo];
    !c.is_ascii() && !is_katakana(c) && is_of(c, &WORDS) && !is_punctuation(c)
}

pub fn is_katakana(c: char) -> bool {
    matches!(c, '\u{30a1}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}')
}

/// Returns whether a character is Han, kana, bopomofo or wide punctuation, so that a line break after it and before another
/// one of these is no space.
pub fn is_wide(c: char) -> bool {
    let is_east_asian = || is_of(c, &UNSPACED[..4]);
    !c.is_ascii() && c.script() != Script::Hangul && is_cjk(c) && (is_punctuation(c) || is_east_asian())
}

/// Returns whether a character belongs to some scripts, and not to all.
fn is_of(c: char, scripts: &[Script]) -> bool {
    let own = c.script_extension();
    !own.is_common() && !own.is_inherited() && scripts.iter().any(|&script| own.contains_script(script))
}

/// Returns whether a character has the width of those around it: the quotation marks, dashes and ellipses that Chinese and
/// Japanese share with other scripts, and variation selectors.
pub fn is_neutral(c: char) -> bool {
    matches!(c, '‘' | '’' | '“' | '”' | '—' | '―' | '…' | '‥' | '·' | '\u{fe00}'..='\u{fe0e}' | '\u{e0100}'..='\u{e01ef}')
}

/// Returns how many words a text has for the time that it takes to read it. In scripts without spaces, two letters are one.
pub fn count_words(text: &str) -> usize {
    let is_glyph = |c: &char| is_unspaced(*c) && c.is_alphanumeric();
    let (mut words, mut glyphs) = (0, 0);
    for part in text.split_whitespace() {
        let found = part.chars().filter(is_glyph).count();
        let has_others = found == 0 || part.chars().any(|c| c.is_alphanumeric() && !is_glyph(&c));
        (words, glyphs) = (words + usize::from(has_others), glyphs + found);
    }
    words + glyphs.div_ceil(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_in_any_script() {
        assert_eq!(count_words("One, two — 3 한국어 문장"), 6);
        assert_eq!(count_words("缓存的大小，是四。"), 4);
        assert_eq!(count_words("用 GPU计算 ไทย"), 4);
        assert_eq!(count_words(" "), 0);
    }

    #[test]
    fn punctuation_is_what_the_parser_takes_for_it() {
        use pulldown_cmark::{Event, Parser, Tag};
        // What Unicode 16 has added is newer than the parser's table.
        const NEW: &str = "᭎᭏᭿␧␨␩㇤㇥🢲🢳🢴🢵🢶🢷🢸🢹🢺🢻🣀🣁🪉🪏🪾🫆🫜🫟🫩";
        let is_strong = |c: char| {
            let text = format!("x**{c}y**");
            Parser::new(&text).any(|event| event == Event::Start(Tag::Strong))
        };
        let differ: Vec<char> = ('\u{80}'..='\u{ffff}')
            .chain('\u{1d000}'..='\u{1dfff}')
            .chain('\u{1f000}'..='\u{1faff}')
            .filter(|&c| !c.is_whitespace() && !NEW.contains(c) && is_strong(c) == is_punctuation(c))
            .collect();
        assert_eq!(differ, [] as [char; 0]);
    }

    #[test]
    fn scripts_without_spaces() {
        for c in "素の数ーヽ々〇ㄅㆠไม່ខမ𠀀﨑ｱｰ".chars() {
            assert!(is_unspaced(c), "{c}");
        }
        for c in "aéя값ㄱ5é√①".chars() {
            assert!(!is_unspaced(c), "{c}");
        }
    }

    #[test]
    fn what_needs_no_table_is_in_it() {
        for c in ('\u{4e00}'..='\u{9fff}').filter(|&c| get_general_category(c) != GeneralCategory::Unassigned) {
            assert!(UNSPACED.iter().any(|&script| c.script_extension().contains_script(script)), "{c}");
            assert!(c.is_alphanumeric(), "{c}");
        }
    }

    #[test]
    fn wide_characters() {
        for c in "字かカーㄅ々〇，。：「（！～𠀀﨑ｱ｡〽".chars() {
            assert!(is_wide(c), "{c}");
        }
        for c in "aé값ㄱ한5,.”—…１Ａ⭐ไ".chars() {
            assert!(!is_wide(c), "{c}");
        }
    }
}
