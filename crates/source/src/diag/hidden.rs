//! Finds characters that make a text look like another one: controls of its direction, characters that cannot be seen, and
//! letters that look like those of another script. A compiler reads such a text differently from a person.
//!
//! 1. each character that cannot be seen is judged by its neighbors, because emoji and some scripts need joiners;
//! 2. each word with letters of several scripts is judged as a whole.

mod lookalike;
#[cfg(test)]
mod tests;

use std::iter::Peekable;
use std::ops::Range;

use lookalike::{PUNCTUATION, lookalikes, paired};
use unicode_normalization::char::is_combining_mark;

use super::{Diagnostic, Edit, Fix, codes};
use crate::source::Source;

/// The longest sequence of tags that makes a flag: the code of a region, and the tag that ends it.
const FLAG: usize = 7;
const SPACES: [char; 2] = [' ', '\n'];

/// A character that makes a text look like another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hidden {
    /// The bytes of the character.
    pub range: Range<usize>,
    pub character: char,
    /// What is wrong with it.
    pub kind: Kind,
}

/// How a character makes a text look like another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// It cannot be seen; with what it is.
    Unseen(&'static str),
    /// It looks like another character, in the word at these bytes.
    Lookalike(char, Range<usize>),
}

/// Finds such characters in a text. `is_code` says of a byte whether it is part of code, where more characters mislead.
pub fn find(text: &str, is_code: impl Fn(usize) -> bool) -> Vec<Hidden> {
    let mut found = Vec::new();
    let mut end = 0;
    let is_plain = |byte: u8| matches!(byte, b'\t' | b'\n' | b' '..=b'~');
    // What is between two spaces depends on nothing else, and most of it is plain.
    while let Some(next) = text.as_bytes()[end..].iter().position(|byte| !is_plain(*byte)) {
        let start = text[end..end + next].rfind(SPACES).map_or(end, |space| end + space + 1);
        end = text[end + next..].find(SPACES).map_or(text.len(), |space| end + next + space + 1);
        find_within(text, start..end, &is_code, &mut found);
    }
    found
}

/// Finds such characters in a part of a text that begins after a space or at the start of the text, and ends with one.
fn find_within(text: &str, part: Range<usize>, is_code: impl Fn(usize) -> bool, found: &mut Vec<Hidden>) {
    let start = part.start;
    let mut chars = text[part].char_indices().map(|(at, c)| (start + at, c)).peekable();
    let mut neighbors = Neighbors::default();
    while let Some((at, c)) = chars.next() {
        let range = at..at + c.len_utf8();
        neighbors.after = chars.peek().map(|&(_, c)| c);
        if let Some(name) = unseen(c) {
            if neighbors.is_unexpected(c) && (c != '\r' || is_code(at)) {
                found.push(Hidden { range, character: c, kind: Kind::Unseen(name) });
            }
        } else if let Some(like) = paired(PUNCTUATION, c) {
            if is_code(at) {
                found.push(Hidden { range: range.clone(), character: c, kind: Kind::Lookalike(like, range) });
            }
        } else if is_word(c) {
            let word = at..end_of_word(range.end, &mut chars);
            if !text[word.clone()].is_ascii() {
                lookalikes(text, &word, found);
            }
            neighbors.pass(text[word].chars().next_back().unwrap_or(c));
            continue;
        }
        neighbors.pass(c);
    }
}

/// Reports such characters in a file of code.
pub fn in_code(source: &Source) -> Vec<Diagnostic> {
    let text = &source.text()[source.start()..];
    report(source, source.start(), &find(text, |_| true))
}

/// Reports characters that were found in the text of a file from byte `start`: one diagnostic for characters that cannot be
/// seen in a row, and one for a word.
pub fn report(source: &Source, start: usize, found: &[Hidden]) -> Vec<Diagnostic> {
    let is_one = |first: &Hidden, next: &Hidden| match (&first.kind, &next.kind) {
        (Kind::Unseen(_), Kind::Unseen(_)) => first.range.end == next.range.start,
        (Kind::Lookalike(_, word), Kind::Lookalike(_, other)) => word == other,
        _ => false,
    };
    found
        .chunk_by(is_one)
        .map(|found| {
            let (first, last) = (&found[0], &found[found.len() - 1]);
            let place = |range: &Range<usize>| source.place(start + range.start..start + range.end);
            match &first.kind {
                Kind::Unseen(name) => {
                    let others =
                        if found.len() > 1 { format!(", and {} more", found.len() - 1) } else { String::new() };
                    let message = format!("there is a {name} {} here{others}", code_point(first.character));
                    Diagnostic::new(codes::TEXT_DAMAGE, place(&(first.range.start..last.range.end)), message)
                        .help("remove it, or write the character that was meant")
                }
                Kind::Lookalike(like, word) => {
                    let (character, written) = (first.character, &source.text()[start + word.start..start + word.end]);
                    let point = code_point(character);
                    let message = format!("the `{character}` in `{written}` is {point}, which looks like `{like}`");
                    let edits = found.iter().filter_map(|one| match one.kind {
                        Kind::Lookalike(like, _) => Some(Edit { place: place(&one.range), text: like.to_string() }),
                        Kind::Unseen(_) => None,
                    });
                    let fix = Fix::new(format!("write `{like}`"), edits.collect());
                    Diagnostic::new(codes::TEXT_DAMAGE, place(word), message)
                        .help(format!("write `{like}`, {}", code_point(*like)))
                        .fix(fix)
                }
            }
        })
        .collect()
}

/// Returns the name of a character in the form `U+202E`.
pub fn code_point(character: char) -> String {
    format!("U+{:04X}", u32::from(character))
}

/// Whether a character must not reach a terminal, because it changes what is shown there, or is never seen.
pub fn is_unprintable(c: char) -> bool {
    unseen(c).is_some() && !matches!(c, '\t' | '\n' | '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
}

/// The characters around one that is judged.
#[derive(Default)]
struct Neighbors {
    before: Option<char>,
    after: Option<char>,
    /// How many tags may still follow the emoji of a flag.
    tags: usize,
}

impl Neighbors {
    fn pass(&mut self, c: char) {
        self.tags = match c {
            '\u{1f3f4}' => FLAG,
            '\u{e0020}'..='\u{e007e}' => self.tags.saturating_sub(1),
            _ => 0,
        };
        self.before = Some(c);
    }

    /// Whether a character that cannot be seen has no business between its neighbors.
    fn is_unexpected(&self, c: char) -> bool {
        let before = |is: fn(char) -> bool| self.before.is_some_and(is);
        let after = |is: fn(char) -> bool| self.after.is_some_and(is);
        match c {
            // A page of a printer, as in the sources of GNU.
            '\u{c}' => false,
            '\r' => self.after != Some('\n'),
            '\u{200b}' => !before(is_unspaced) && !after(is_unspaced),
            '\u{200c}' => !before(has_joiners) && !after(has_joiners),
            '\u{200d}' => {
                let is_emoji = before(|c| is_pictograph(c) || is_modifier(c)) && after(is_pictograph);
                !is_emoji && !before(has_joiners) && !after(has_joiners)
            }
            '\u{34f}' => !after(is_combining_mark),
            '\u{115f}' | '\u{1160}' => !before(is_jamo) && !after(is_jamo),
            '\u{180b}'..='\u{180f}' => !before(|c| matches!(c, '\u{1820}'..='\u{18af}')),
            '\u{fe00}'..='\u{fe02}' if before(has_forms) => false,
            '\u{fe0e}' | '\u{fe0f}' => !before(is_pictograph) && self.after != Some('\u{20e3}'),
            '\u{e0100}'..='\u{e01ef}' => !before(has_forms),
            '\u{e0020}'..='\u{e007f}' => self.tags == 0,
            _ => true,
        }
    }
}

/// Returns what a character is that cannot be seen, or controls how others are seen.
fn unseen(c: char) -> Option<&'static str> {
    Some(match c {
        '\t' | '\n' | ' '..='~' => return None,
        '\u{202d}' | '\u{202e}' => "direction override",
        '\u{202a}' | '\u{202b}' => "direction embedding",
        '\u{2066}'..='\u{2068}' => "direction isolate",
        '\u{202c}' | '\u{2069}' => "direction end",
        '\u{200e}' | '\u{200f}' | '\u{61c}' => "direction mark",
        '\u{ad}' => "soft hyphen",
        '\u{200b}' => "zero-width space",
        '\u{200c}' => "zero-width non-joiner",
        '\u{200d}' => "zero-width joiner",
        '\u{2060}' => "word joiner",
        '\u{2028}' => "line separator",
        '\u{2029}' => "paragraph separator",
        '\u{feff}' => "byte order mark",
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => "Hangul filler",
        '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => {
            "variation selector"
        }
        '\u{e0020}'..='\u{e007f}' => "tag character",
        '\u{34f}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180e}'
        | '\u{2061}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => "hidden character",
        _ if c.is_control() => "control character",
        _ => return None,
    })
}

/// Whether a script is written without spaces, so that a zero-width space separates its words: Thai, Lao, Tibetan, Burmese,
/// Khmer and their relatives.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{fff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{1950}'..='\u{1aaf}' | '\u{a9e0}'..='\u{aadf}')
}

/// Whether a script has letters that join, so that joiners and non-joiners are part of its spelling: Arabic, the scripts of
/// India and their relatives.
fn has_joiners(c: char) -> bool {
    matches!(c, '\u{620}'..='\u{8ff}' | '\u{900}'..='\u{fff}' | '\u{1000}'..='\u{109f}' | '\u{1700}'..='\u{1cff}')
        || matches!(c, '\u{a800}'..='\u{abff}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
        || matches!(c, '\u{10a00}'..='\u{11fff}' | '\u{1e900}'..='\u{1e95f}')
}

fn is_jamo(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{115e}' | '\u{1161}'..='\u{11ff}' | '\u{a960}'..='\u{a97c}' | '\u{d7b0}'..='\u{d7fb}')
}

/// Whether a character can be the start of an emoji.
fn is_pictograph(c: char) -> bool {
    matches!(c, '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{21ff}')
        || matches!(c, '\u{2300}'..='\u{23ff}' | '\u{24c2}' | '\u{25a0}'..='\u{27bf}' | '\u{2900}'..='\u{297f}')
        || matches!(c, '\u{2b00}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}')
        || matches!(c, '\u{1f000}'..='\u{1faff}')
}

/// Whether a character changes the emoji before it.
fn is_modifier(c: char) -> bool {
    matches!(c, '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}' | '\u{20e3}')
}

/// Whether a character has variants that a selector chooses: ideographs, their punctuation, operators, and some letters.
fn has_forms(c: char) -> bool {
    matches!(c, '\u{2200}'..='\u{22ff}' | '\u{2a00}'..='\u{2aff}' | '\u{3000}'..='\u{303f}' | '\u{3400}'..='\u{9fff}')
        || matches!(c, '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}' | '\u{20000}'..='\u{3ffff}')
        || matches!(c, '\u{1000}'..='\u{109f}' | '\u{a840}'..='\u{a877}' | '\u{a9e0}'..='\u{a9ff}' | '\u{aa60}'..='\u{aa7f}')
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric() || is_combining_mark(c)
}

/// Passes over the rest of a word, and returns its end.
fn end_of_word(start: usize, chars: &mut Peekable<impl Iterator<Item = (usize, char)>>) -> usize {
    let is_part = |c: char| is_word(c) && unseen(c).is_none() && paired(PUNCTUATION, c).is_none();
    let mut end = start;
    while let Some((at, c)) = chars.next_if(|&(_, c)| is_part(c)) {
        end = at + c.len_utf8();
    }
    end
}
