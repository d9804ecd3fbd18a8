//! Text → the search terms in it. `static/search.js` turns a query into terms by the same steps, and a test compares
//! the two:
//!
//! 1. fold: Unicode compatibility normalization (NFKC); accents of Latin, Greek and Cyrillic, the points of Hebrew and
//!    Arabic, and characters that are not visible are removed; a letter such as `ø` is written with those of `REPLACED`;
//! 2. split into words of letters, digits and `§`. In scripts written without spaces, and in Korean, whose words take
//!    endings, every pair of neighboring letters is a term, and so is the last letter of a run. An apostrophe inside a
//!    word is dropped;
//! 3. split identifiers at `_`, `-` and where capitals start; an identifier with several parts is also a term as a
//!    whole. So is a number with its unit (`80gb` for "80 GB"), a number with a decimal point or thousands separators, and
//!    a word with its signs: `c++`, `c#`, `.net`. Two or three operators in a row are a term: `->`, `<<<`. All are
//!    lower-cased, `ς` as `σ`, and cut to `MAX_TERM_LENGTH` letters;
//! 4. stem: Harman's S-stemmer (How effective is suffixing?, 1991), which here also turns `gpus` into `gpu`; then a
//!    final `e` is removed and a final `y` becomes `i`, so that a word matches its plural.

use std::borrow::Cow;

use infralens_source::source::script::is_basic_ideograph;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The maximum length of a term in letters; the rest is cut off.
const MAX_TERM_LENGTH: usize = 40;
/// Shorter words are not stemmed.
const MIN_STEMMED_LENGTH: usize = 4;

/// Scripts without spaces between words, and Hangul.
const UNSEGMENTED_SCRIPTS: [(char, char); 11] = [
    ('\u{e00}', '\u{eff}'),
    ('\u{1000}', '\u{109f}'),
    ('\u{1780}', '\u{17ff}'),
    ('\u{3005}', '\u{3007}'),
    ('\u{3040}', '\u{31ff}'),
    ('\u{3400}', '\u{4dbf}'),
    ('\u{4e00}', '\u{9fff}'),
    ('\u{a960}', '\u{a97f}'),
    ('\u{ac00}', '\u{d7af}'),
    ('\u{f900}', '\u{faff}'),
    ('\u{20000}', '\u{3ffff}'),
];

/// Characters that are removed: accents, points, and what is not visible, such as soft hyphens and zero-width spaces.
const REMOVED: [(char, char); 27] = [
    ('\u{300}', '\u{36f}'),
    ('\u{591}', '\u{5bd}'),
    ('\u{5bf}', '\u{5bf}'),
    ('\u{5c1}', '\u{5c2}'),
    ('\u{5c4}', '\u{5c5}'),
    ('\u{5c7}', '\u{5c7}'),
    ('\u{610}', '\u{61a}'),
    ('\u{64b}', '\u{65f}'),
    ('\u{670}', '\u{670}'),
    ('\u{6d6}', '\u{6dc}'),
    ('\u{6df}', '\u{6e4}'),
    ('\u{6e7}', '\u{6e8}'),
    ('\u{6ea}', '\u{6ed}'),
    ('\u{8d3}', '\u{8e1}'),
    ('\u{8e3}', '\u{8ff}'),
    ('\u{20d0}', '\u{20f0}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{ad}', '\u{ad}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{640}', '\u{640}'),
    ('\u{180e}', '\u{180e}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{202a}', '\u{202e}'),
    ('\u{2060}', '\u{2064}'),
    ('\u{2066}', '\u{206f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// Letters that Unicode does not take apart, and what is typed for them.
const REPLACED: [(char, &str); 19] = [
    ('ß', "ss"),
    ('ẞ', "SS"),
    ('ł', "l"),
    ('Ł', "L"),
    ('đ', "d"),
    ('Đ', "D"),
    ('ð', "d"),
    ('Ð', "D"),
    ('ø', "o"),
    ('Ø', "O"),
    ('æ', "ae"),
    ('Æ', "Ae"),
    ('œ', "oe"),
    ('Œ', "Oe"),
    ('ı', "i"),
    ('ħ', "h"),
    ('Ħ', "H"),
    ('þ', "th"),
    ('Þ', "Th"),
];

/// The characters of operators. Code has other signs, but these make the operators of two or three.
const OPERATORS: &str = "-+*/%=<>!&|^:";
/// The number of operators in a row that are a term.
const OPERATOR_LENGTHS: std::ops::RangeInclusive<usize> = 2..=3;
/// The length of the longest unit of a number in letters.
const MAX_UNIT_LENGTH: usize = 5;

/// What terms are put together in; reused, because most of the terms of a course are made here.
#[derive(Default)]
struct Buffers {
    word: Vec<char>,
    part: String,
    whole: String,
}

/// Passes characters as one term.
fn pass(chars: &[char], part: &mut String, each: &mut impl FnMut(&str)) {
    part.clear();
    part.extend(chars);
    each(part);
}

/// Passes each occurrence of a term in a text to `each`, in order.
pub fn terms(text: &str, mut each: impl FnMut(&str)) {
    let chars: Vec<char> = folded(text).chars().collect();
    let mut buffers = Buffers::default();
    let mut at = 0;
    while at < chars.len() {
        if let Some(number) = Number::at(&chars, at) {
            number.terms(&chars, &mut buffers, &mut each);
            at = number.end;
        } else if is_word(chars[at]) || is_leading_dot(&chars, at) {
            at = identifier(&chars, at, &mut buffers, &mut each);
        } else if is_operator(chars[at]) {
            let run = chars[at..].iter().take_while(|&&c| is_operator(c)).count();
            if OPERATOR_LENGTHS.contains(&run) {
                pass(&chars[at..at + run], &mut buffers.part, &mut each);
            }
            at += run;
        } else if is_unsegmented(chars[at]) {
            let run = chars[at..].iter().take_while(|&&c| is_unsegmented(c)).count();
            chars[at..at + run].windows(2).for_each(|pair| pass(pair, &mut buffers.part, &mut each));
            pass(&chars[at + run - 1..at + run], &mut buffers.part, &mut each);
            at += run;
        } else {
            at += 1;
        }
    }
}

/// Returns a name as one term, in which spaces and punctuation do not matter: `lab04` for "Lab 04".
pub fn key(name: &str) -> String {
    let chars: Vec<char> = folded(name).chars().collect();
    let mut key = String::new();
    let mut at = 0;
    while at < chars.len() {
        let signs = if at > 0 && is_word(chars[at - 1]) { sign_length(&chars, at) } else { 0 };
        let is_part = is_word(chars[at]) || is_unsegmented(chars[at]) || is_leading_dot(&chars, at);
        let length = if is_part { 1 } else { signs };
        chars[at..at + length].iter().for_each(|&c| push_lower(&mut key, c));
        at += length.max(1);
    }
    stem(&mut key);
    key
}

/// Step 1: folds a text.
fn folded(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return text.into();
    }
    let mut folded = String::with_capacity(text.len());
    // Nothing is composed across a space or an ideograph, and most words are plain.
    for word in text.split_inclusive(|c| c == ' ' || is_basic_ideograph(c)) {
        if word.chars().all(|c| c.is_ascii() || is_basic_ideograph(c)) {
            folded.push_str(word);
            continue;
        }
        let mut plain = String::new();
        for c in word.nfkd().filter(|&c| c.is_ascii() || !is_in(c, &REMOVED)) {
            match REPLACED.iter().find(|(letter, _)| *letter == c) {
                Some((_, letters)) => plain.push_str(letters),
                None => plain.push(c),
            }
        }
        folded.extend(plain.nfkc());
    }
    folded.into()
}

/// A number that is also a term as a whole, because it has separators or a unit.
struct Number {
    /// Where it starts, where its digits end, and where its unit ends.
    start: usize,
    digits_end: usize,
    end: usize,
    has_separators: bool,
}

impl Number {
    /// Returns the number that starts at `start`, if there is one.
    fn at(chars: &[char], start: usize) -> Option<Self> {
        let digits = |at: usize| chars[at..].iter().take_while(|c| c.is_ascii_digit()).count();
        let mut end = start + digits(start);
        if end == start {
            return None;
        }
        let mut has_separators = false;
        loop {
            let more = digits((end + 1).min(chars.len()));
            if !matches!((chars.get(end), more), (Some('.'), 1..) | (Some(','), 3)) {
                break;
            }
            end += 1 + more;
            has_separators = true;
        }
        let number = Self { start, digits_end: end, end: Self::unit_end(chars, end).unwrap_or(end), has_separators };
        (number.has_separators || number.end > end).then_some(number)
    }

    /// Returns the end of the unit that follows a number, if one does: a short word, or `%`.
    fn unit_end(chars: &[char], after: usize) -> Option<usize> {
        let start = after + usize::from(chars.get(after) == Some(&' '));
        if chars.get(start) == Some(&'%') {
            return Some(start + 1);
        }
        let is_letter = |&&c: &&char| c.is_alphabetic() && !is_unsegmented(c);
        let length = chars.get(start..)?.iter().take_while(is_letter).count();
        let end = start + length;
        let is_word_at = |at: usize| chars.get(at).is_some_and(|&c| is_word(c));
        let goes_on = match chars.get(end) {
            // `17 C++` has no unit.
            Some('+' | '#') => true,
            Some('\'' | '’' | '-') => is_word_at(end + 1),
            Some('_') => is_word_at(end + chars[end..].iter().take_while(|&&c| c == '_').count()),
            _ => is_word_at(end),
        };
        ((1..=MAX_UNIT_LENGTH).contains(&length) && !goes_on).then_some(end)
    }

    /// Passes its groups of digits, its unit, the number and the number with its unit.
    fn terms(&self, chars: &[char], buffers: &mut Buffers, each: &mut impl FnMut(&str)) {
        let Buffers { part, whole, .. } = buffers;
        whole.clear();
        for group in chars[self.start..self.digits_end].split(|c| !c.is_ascii_digit()) {
            part.clear();
            part.extend(group);
            stem(part);
            each(part);
        }
        whole.extend(chars[self.start..self.digits_end].iter().filter(|&&c| c != ','));
        part.clear();
        chars[self.digits_end..self.end].iter().filter(|&&c| c != ' ').for_each(|&c| push_lower(part, c));
        stem(part);
        if !part.is_empty() && part != "%" {
            each(part);
        }
        if self.has_separators {
            stem(whole);
            each(whole);
        }
        if !part.is_empty() {
            whole.push_str(part);
            stem(whole);
            each(whole);
        }
    }
}

/// Returns whether the dot at `at` belongs to the word after it, as in `.NET`.
fn is_leading_dot(chars: &[char], at: usize) -> bool {
    let joins = |c: char| is_word(c) || is_unsegmented(c) || matches!(c, '.' | ')' | ']' | '}');
    chars[at] == '.'
        && chars.get(at + 1).is_some_and(|&c| c.is_alphabetic() && !is_unsegmented(c))
        && !(at > 0 && joins(chars[at - 1]))
}

/// Returns how many signs after a word belong to it, as in `C++` and `C#`.
fn sign_length(chars: &[char], at: usize) -> usize {
    match chars.get(at..).unwrap_or_default() {
        ['+', '+', rest @ ..] if rest.first() != Some(&'+') => 2,
        ['#', rest @ ..] if !rest.first().is_some_and(|&c| c == '#' || is_word(c)) => 1,
        _ => 0,
    }
}

/// Step 3: splits the identifier that starts at `start`, with the signs that belong to it; returns its end.
fn identifier(chars: &[char], start: usize, buffers: &mut Buffers, each: &mut impl FnMut(&str)) -> usize {
    let Buffers { word, part, whole } = buffers;
    let is_word_at = |at: usize| chars.get(at).is_some_and(|&c| is_word(c));
    let dots = usize::from(chars[start] == '.');
    let (mut at, mut parts) = (start + dots, 0);
    whole.clear();
    loop {
        word.clear();
        while is_word_at(at) {
            word.push(chars[at]);
            at += if matches!(chars.get(at + 1), Some('\'' | '’')) && is_word_at(at + 2) { 2 } else { 1 };
        }
        let mut from = 0;
        while from < word.len() {
            let to = (from + 1..word.len()).find(|&at| starts_part(word, at)).unwrap_or(word.len());
            part.clear();
            word[from..to].iter().for_each(|&c| push_lower(part, c));
            from = to;
            whole.push_str(part);
            parts += 1;
            stem(part);
            each(part);
        }
        let joined =
            if chars.get(at) == Some(&'-') { 1 } else { chars[at..].iter().take_while(|&&c| c == '_').count() };
        if joined == 0 || !is_word_at(at + joined) {
            break;
        }
        at += joined;
    }
    let signs = sign_length(chars, at);
    if parts == 1 {
        whole.insert_str(0, if dots > 0 { "." } else { "" });
        whole.extend(&chars[at..at + signs]);
    }
    if parts > 1 || dots + signs > 0 {
        stem(whole);
        each(whole);
    }
    at + signs
}

/// Appends a letter in lower case. A final sigma is the same letter as any other sigma.
fn push_lower(text: &mut String, c: char) {
    if c.is_ascii() {
        text.push(c.to_ascii_lowercase());
    } else {
        text.extend(c.to_lowercase().map(|c| if c == 'ς' { 'σ' } else { c }));
    }
}

/// Returns whether a new part of an identifier starts at `at`, which is above 0: at a capital after a lower-case letter or
/// a digit (`kv|Cache`), or at the last of several capitals if two lower-case letters follow (`KV|Cache`, but not `GPUs`).
fn starts_part(word: &[char], at: usize) -> bool {
    let is = |at: usize, fits: fn(char) -> bool| word.get(at).is_some_and(|&c| fits(c));
    is(at, char::is_uppercase) && {
        let follows = is(at - 1, |c| c.is_lowercase() || c.is_numeric());
        let ends = is(at - 1, char::is_uppercase) && is(at + 1, char::is_lowercase) && is(at + 2, char::is_lowercase);
        follows || ends
    }
}

/// Step 4: stems a term and limits its length.
fn stem(word: &mut String) {
    if let Some((end, _)) = word.char_indices().nth(MAX_TERM_LENGTH) {
        word.truncate(end);
    }
    if word.len() < MIN_STEMMED_LENGTH || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return;
    }
    let ends = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    let cut = match () {
        () if ends(&["ies"]) && !ends(&["eies", "aies"]) => 2,
        () if ends(&["es"]) && !ends(&["aes", "ees", "oes"]) => 1,
        () if ends(&["s"]) && !ends(&["ss"]) && !(ends(&["us"]) && word.len() > MIN_STEMMED_LENGTH) => 1,
        () => 0,
    };
    word.truncate(word.len() - cut);
    if word.len() >= MIN_STEMMED_LENGTH {
        match word.pop() {
            Some('y') => word.push('i'),
            Some('e') | None => {}
            Some(other) => word.push(other),
        }
    }
}

fn is_word(c: char) -> bool {
    let is_other = |c: char| c.is_alphanumeric() || is_combining_mark(c) || c == '§';
    c.is_ascii_alphanumeric() || !c.is_ascii() && !is_unsegmented(c) && is_other(c)
}

fn is_unsegmented(c: char) -> bool {
    is_basic_ideograph(c) || c >= UNSEGMENTED_SCRIPTS[0].0 && is_in(c, &UNSEGMENTED_SCRIPTS)
}

fn is_operator(c: char) -> bool {
    OPERATORS.contains(c)
}

fn is_in(c: char, ranges: &[(char, char)]) -> bool {
    ranges.iter().any(|&(first, last)| (first..=last).contains(&c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        terms(text, |term| found.push(term.to_owned()));
        found
    }

    #[test]
    fn words_are_folded_and_meet_their_plurals() {
        assert_eq!(of("Caches, cache; BATCHES batch"), ["cach", "cach", "batch", "batch"]);
        assert_eq!(of("queries query keys focus classes"), ["queri", "queri", "key", "focus", "class"]);
        assert_eq!(of("Économie naïve ﬁle ＧＰＵ"), ["economi", "naiv", "fil", "gpu"]);
        assert_eq!(of("don’t the model's"), ["dont", "the", "model"]);
        assert_eq!(of("…, - ' _ \0"), [""; 0]);
        assert_eq!(of(&"á".repeat(500)), ["a".repeat(40)]);
    }

    #[test]
    fn identifiers_are_found_by_their_parts_and_as_a_whole() {
        assert_eq!(of("kv_cache_bytes"), ["kv", "cach", "byt", "kvcachebyt"]);
        assert_eq!(of("kvCache KVCache"), ["kv", "cach", "kvcach", "kv", "cach", "kvcach"]);
        assert_eq!(of("GPUs LLMs"), ["gpu", "llm"]);
        assert_eq!(of("__init__ layer-norm"), ["init", "layer", "norm", "layernorm"]);
        assert_eq!(of("torch.nn::Linear fp16 H100"), ["torch", "nn", "::", "linear", "fp16", "h100"]);
    }

    #[test]
    fn scripts_without_spaces_are_pairs() {
        assert_eq!(of("GPU显存大小"), ["gpu", "显存", "存大", "大小", "小"]);
        assert_eq!(of("存"), ["存"]);
        assert_eq!(of("キャッシュ"), ["キャ", "ャッ", "ッシ", "シュ", "ュ"]);
        assert_eq!(of("한국어"), ["한국", "국어", "어"]);
        assert_eq!(of("हिन्दी भाषा"), ["हिन्दी", "भाषा"]);
    }

    #[test]
    fn a_name_is_one_term_however_it_is_written() {
        for name in ["Bank conflicts", "bank_conflict", "BankConflict", "bank-conflict"] {
            assert_eq!(key(name), "bankconflict");
        }
        assert_eq!([key("Lab 04"), key("§4"), key("GPU显存"), key("… !")], ["lab04", "§4", "gpu显存", ""]);
        assert_eq!(of("Handbook §4"), ["handbook", "§4"]);
    }

    #[test]
    fn numbers_are_found_with_their_units() {
        assert_eq!(of("80 GB"), ["80", "gb", "80gb"]);
        assert_eq!([of("80GB"), of("80 gb"), of("80\u{a0}GB")], [of("80 GB"), of("80 GB"), of("80 GB")]);
        assert_eq!(of("13.48 GB/s"), ["13", "48", "gb", "13.48", "13.48gb", "s"]);
        assert_eq!(of("1,024 bytes"), ["1", "024", "byt", "1024", "1024byt"]);
        assert_eq!(of("45 % and 45%"), ["45", "45%", "and", "45", "45%"]);
        assert_eq!(of("f(1, 2) 4 threads"), ["f", "1", "2", "4", "thread"]);
    }

    #[test]
    fn signs_belong_to_the_names_of_languages() {
        assert_eq!(of("C++, C# and .NET"), ["c", "c++", "c", "c#", "and", "net", ".net"]);
        assert_eq!(
            of("g++ libstdc++: C++/CUDA f(x).net a.b i+++j"),
            ["g", "g++", "libstdc", "libstdc++", "c", "c++", "cuda", "f", "x", "net", "a", "b", "i", "+++", "j"]
        );
        assert_eq!(
            [key("C++"), key("C#"), key("C"), key("ASP.NET"), key(".NET")],
            ["c++", "c#", "c", "aspnet", ".net"]
        );
    }

    #[test]
    fn operators_of_two_or_three_signs_are_terms() {
        assert_eq!(
            of("p->next kernel<<<grid, block>>>(x)"),
            ["p", "->", "next", "kernel", "<<<", "grid", "block", ">>>", "x"]
        );
        assert_eq!(of("a + b ==== c"), ["a", "b", "c"]);
    }

    #[test]
    fn letters_and_points_fold_as_accents_do() {
        assert_eq!(
            of("Straße Łódź đ smørrebrød æther œuvre ısı"),
            ["strass", "lodz", "d", "smorrebrod", "aether", "oeuvr", "isi"]
        );
        assert_eq!(of("עִבְרִית مُخَبَّأَة mo\u{ad}dule zero\u{200b}width"), ["עברית", "مخباة", "modul", "zerowidth"]);
    }

    #[test]
    fn the_script_has_the_same_tables() {
        let script = include_str!("../../../../static/search.js").replace("\" +\n    \"", "");
        let class = |ranges: &[(char, char)]| {
            let code = |c: char| format!("\\\\u{{{:x}}}", u32::from(c));
            let range = |&(first, last): &(char, char)| {
                if first == last { code(first) } else { format!("{}-{}", code(first), code(last)) }
            };
            ranges.iter().map(range).collect::<String>()
        };
        let replaced = REPLACED.map(|(letter, letters)| format!("{letter}{letters}")).join(" ");
        for table in [&class(&UNSEGMENTED_SCRIPTS), &class(&REMOVED), &replaced, OPERATORS] {
            assert!(script.contains(&format!("\"{table}\"")), "the script lacks {table}");
        }
    }

    /// `tests/browser/search.py` compares the script with the same list.
    #[test]
    fn the_script_makes_the_same_terms() {
        let list = include_str!("../../../../tests/browser/terms.json");
        let list: Vec<(String, Vec<String>)> = serde_json::from_str(list).expect("texts with their terms");
        for (text, terms) in list {
            assert_eq!(of(&text), terms, "{text}");
        }
    }
}
