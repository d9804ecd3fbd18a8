//! Letters of scripts with and without spaces between words.

/// Returns whether `c` is Han or hiragana.
#[must_use]
pub fn is_glyph(c: char) -> bool {
    matches!(c, '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{309f}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Returns whether `c` is katakana.
#[must_use]
pub fn is_katakana(c: char) -> bool {
    matches!(c, '\u{30a1}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}')
}

/// Returns whether `c` is a letter of a script that puts spaces between words.
#[must_use]
pub fn is_spaced_letter(c: char) -> bool {
    // Korean puts spaces between words, but its particles follow a name directly.
    let hangul = matches!(c, '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7af}');
    let south_east_asian = matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}');
    c.is_alphabetic() && !is_glyph(c) && !is_katakana(c) && !hangul && !south_east_asian
}
