//! Finds letters of other scripts that look like those around them.

use std::ops::Range;

use super::{Hidden, Kind};

/// Letters of other scripts that look like Latin ones, and these. Letters that formulas use, such as `ν` and `ρ`, are not
/// among them.
pub(super) const LOOKALIKES: (&str, &str) = (
    "аеорсухѕіјԁԛԝһӏүѵАВЕКМНОРСТУХЅІЈԌԚԜӀҮѴΑΒΕΖΗΙΚΜΝΟΡΤΥΧοϳϲϹͿօսոհցզՕᎪᏴᏟᎠᎬᏀᎻᎫᏦᏞᎷᏢᏚᎢᏙᎳᏃᎡⅬⅭⅮⅯⅼⅽⅾⅿ",
    "aeopcyxsijdqwhlyvABEKMHOPCTYXSIJGQWIYVABEZHIKMNOPTYXojcCJounhgqOABCDEGHJKLMPSTVWZRLCDMlcdm",
);
/// Latin letters that look like Cyrillic ones, and these.
pub(super) const LATIN_LOOKALIKES: (&str, &str) = ("aceopxyi", "асеорхуі");
/// Letters and marks that look like the punctuation of programming languages, and this.
pub(super) const PUNCTUATION: (&str, &str) = ("\u{1c3}\u{1c0}\u{a789}\u{37e}", "!|:;");

/// The scripts whose letters are mistaken for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Cyrillic,
    Greek,
    Armenian,
    Cherokee,
    Numeral,
    Other,
}

impl Script {
    fn of(c: char) -> Self {
        match c {
            'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => Self::Latin,
            '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Self::Greek,
            '\u{400}'..='\u{52f}' => Self::Cyrillic,
            '\u{530}'..='\u{58f}' => Self::Armenian,
            '\u{13a0}'..='\u{13ff}' => Self::Cherokee,
            '\u{2160}'..='\u{217f}' => Self::Numeral,
            _ => Self::Other,
        }
    }
}

/// Finds the letters of a word that are mistaken for Latin ones: those of a script from which the word, or its part between
/// two `_`, has no letter that shows the script. Also finds Latin letters between two Cyrillic ones.
pub(super) fn lookalikes(text: &str, word: &Range<usize>, found: &mut Vec<Hidden>) {
    let has = |is: fn(Script) -> bool| text[word.clone()].chars().any(|c| is(Script::of(c)));
    if !has(|script| script == Script::Latin) || !has(|script| !matches!(script, Script::Latin | Script::Other)) {
        return;
    }
    let mut start = word.start;
    let whole = Shown::of(&text[word.clone()]);
    for part in text[word.clone()].split('_') {
        let own = Shown::of(part);
        let (mut before, mut letters) = (Script::Other, part.char_indices().peekable());
        while let Some((at, c)) = letters.next() {
            let script = Script::of(c);
            let after = letters.peek().map_or(Script::Other, |&(_, c)| Script::of(c));
            let is_shown = |shown: &Shown| shown.0.contains(&script);
            let like = match script {
                Script::Other => None,
                Script::Latin => {
                    paired(LATIN_LOOKALIKES, c).filter(|_| before == Script::Cyrillic && after == Script::Cyrillic)
                }
                _ => paired(LOOKALIKES, c).filter(|_| !is_shown(if own.1 { &own } else { &whole })),
            };
            if let Some(like) = like {
                let range = start + at..start + at + c.len_utf8();
                found.push(Hidden { range, character: c, kind: Kind::Lookalike(like, word.clone()) });
            }
            before = script;
        }
        start += part.len() + 1;
    }
}

/// The scripts of a word that a reader recognizes by a letter, and whether it has Latin letters.
struct Shown(Vec<Script>, bool);

impl Shown {
    fn of(word: &str) -> Self {
        let mut shown = Self(Vec::new(), false);
        for c in word.chars() {
            let script = Script::of(c);
            shown.1 |= script == Script::Latin;
            if !matches!(script, Script::Other | Script::Latin)
                && paired(LOOKALIKES, c).is_none()
                && !shown.0.contains(&script)
            {
                shown.0.push(script);
            }
        }
        shown
    }
}

/// Returns the character of the second text at the place that another has in the first.
pub(super) fn paired((from, to): (&str, &str), c: char) -> Option<char> {
    if c.is_ascii() && !from.is_ascii() {
        return None;
    }
    from.chars().zip(to.chars()).find(|(from, _)| *from == c).map(|(_, to)| to)
}
