//! Text → the search terms in it. `static/search.js` turns a query into terms by the same steps, and a test compares
//! the two:
//!
//! 1. fold: Unicode compatibility normalization (NFKC), and accents of Latin, Greek and Cyrillic are removed;
//! 2. split into words of letters, digits and `§`. In scripts written without spaces, and in Korean, whose words take
//!    endings, every pair of neighboring letters is a term, and so is the last letter of a run. An apostrophe inside a
//!    word is dropped;
//! 3. split identifiers at `_`, `-` and where capitals start; an identifier with several parts is also a term as a
//!    whole. All are lower-cased, `ς` as `σ`, and cut to `MAX_TERM_LENGTH` letters;
//! 4. stem: Harman's S-stemmer (How effective is suffixing?, 1991), which here also turns `gpus` into `gpu`; then a
//!    final `e` is removed and a final `y` becomes `i`, so that a word matches its plural.

use std::borrow::Cow;

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

/// Passes each occurrence of a term in a text to `each`, in order.
pub fn terms(text: &str, mut each: impl FnMut(&str)) {
    let chars: Vec<char> = folded(text).chars().collect();
    let (mut part, mut whole) = (String::new(), String::new());
    let mut at = 0;
    while at < chars.len() {
        if is_word(chars[at]) {
            at = identifier(&chars, at, (&mut part, &mut whole), &mut each);
        } else if is_unsegmented(chars[at]) {
            let run = chars[at..].iter().take_while(|&&c| is_unsegmented(c)).count();
            for length in [2, 1] {
                let pairs = chars[at..at + run].windows(length.min(run)).skip(if length == 1 { run - 1 } else { 0 });
                for pair in pairs.filter(|pair| pair.len() == length) {
                    part.clear();
                    part.extend(pair);
                    each(&part);
                }
            }
            at += run;
        } else {
            at += 1;
        }
    }
}

/// Returns a name as one term, in which spaces and punctuation do not matter: `lab04` for "Lab 04".
pub fn key(name: &str) -> String {
    let mut key = String::new();
    for c in folded(name).chars().filter(|&c| is_word(c) || is_unsegmented(c)) {
        push_lower(&mut key, c);
    }
    stem(&mut key);
    key
}

/// Step 1: folds a text.
fn folded(text: &str) -> Cow<'_, str> {
    let is_accent = |c: &char| ('\u{300}'..='\u{36f}').contains(c);
    if text.is_ascii() { text.into() } else { text.nfkd().filter(|c| !is_accent(c)).nfkc().collect::<String>().into() }
}

/// Step 3: splits the identifier that starts at `start`; returns its end. The two strings are buffers, reused because
/// most of the terms of a course are made here.
fn identifier(
    chars: &[char],
    start: usize,
    (part, whole): (&mut String, &mut String),
    each: &mut impl FnMut(&str),
) -> usize {
    let is_word_at = |at: usize| chars.get(at).is_some_and(|&c| is_word(c));
    let (mut at, mut parts) = (start, 0);
    whole.clear();
    let mut word: Vec<char> = Vec::new();
    loop {
        word.clear();
        while is_word_at(at) {
            word.push(chars[at]);
            at += if matches!(chars.get(at + 1), Some('\'' | '’')) && is_word_at(at + 2) { 2 } else { 1 };
        }
        let mut from = 0;
        while from < word.len() {
            let to = (from + 1..word.len()).find(|&at| starts_part(&word, at)).unwrap_or(word.len());
            let letters = &word[std::mem::replace(&mut from, to)..to];
            part.clear();
            for &c in letters {
                push_lower(part, c);
            }
            whole.push_str(part);
            parts += 1;
            stem(part);
            each(part);
        }
        let joined = match chars.get(at) {
            Some('-') => 1,
            _ => chars[at..].iter().take_while(|&&c| c == '_').count(),
        };
        if joined == 0 || !is_word_at(at + joined) {
            break;
        }
        at += joined;
    }
    if parts > 1 {
        stem(whole);
        each(whole);
    }
    at
}

/// Appends a letter in lower case. A final sigma is the same letter as any other sigma.
fn push_lower(text: &mut String, c: char) {
    text.extend(c.to_lowercase().map(|c| if c == 'ς' { 'σ' } else { c }));
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
    c >= UNSEGMENTED_SCRIPTS[0].0 && UNSEGMENTED_SCRIPTS.iter().any(|&(first, last)| (first..=last).contains(&c))
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
        assert_eq!(of("…, -- ' _ \0"), [""; 0]);
    }

    #[test]
    fn identifiers_are_found_by_their_parts_and_as_a_whole() {
        assert_eq!(of("kv_cache_bytes"), ["kv", "cach", "byt", "kvcachebyt"]);
        assert_eq!(of("kvCache KVCache"), ["kv", "cach", "kvcach", "kv", "cach", "kvcach"]);
        assert_eq!(of("GPUs LLMs"), ["gpu", "llm"]);
        assert_eq!(of("__init__ layer-norm"), ["init", "layer", "norm", "layernorm"]);
        assert_eq!(of("torch.nn::Linear fp16 H100"), ["torch", "nn", "linear", "fp16", "h100"]);
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
    fn terms_have_a_maximum_length() {
        assert_eq!(of(&"á".repeat(500)), ["a".repeat(40)]);
    }

    /// `tests/browser/search.py` compares the script with the same list.
    #[test]
    fn the_script_makes_the_same_terms() {
        let list = include_str!("../../tests/browser/terms.json");
        let list: Vec<(String, Vec<String>)> = serde_json::from_str(list).expect("texts with their terms");
        for (text, terms) in list {
            assert_eq!(of(&text), terms, "{text}");
        }
    }
}
