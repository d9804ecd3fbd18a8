//! `filler`: sentences that appear in several places, and empty phrases.
//!
//! Repeated sentences are found by their shingles, which are all runs of [`RUN`] words in a sentence:
//!
//! 1. the shingles of each page are hashed in parallel with a rolling hash;
//! 2. a sieve of two to four bytes per hash finds nearly all hashes that occur once, which are most of them;
//! 3. the others are put into a table, each with the first sentence that has it, and the first one that has it elsewhere: on
//!    another page, or in another cell of the same column;
//! 4. a sentence with such a hash is reported once.
//!
//! Each step reads each word once, so time and memory are linear in the size of the course. Hashes of 64 bits stand for the
//! words, which are not kept: of a million different runs, two have the same hash once in some thirty million courses.

use std::collections::hash_map::Entry;
use std::sync::{Arc, LazyLock};

use aho_corasick::AhoCorasick;
use rustc_hash::FxHashMap;

use super::at;
use super::words;
use infralens_page::Document;
use infralens_page::text::Passage;
use infralens_source::diag::{Diagnostic, Place, codes};
use infralens_source::source::{Source, Span, word_hash};

/// The number of words in a row that are not a coincidence if they are repeated.
const RUN: usize = 12;
/// The same in scripts without spaces, where a character is about half a word.
const GLYPH_RUN: usize = 24;
/// Stands for no sentence. At most this many sentences are compared.
const NONE: u32 = u32::MAX;

/// Finds all of [`PHRASES`] at once.
static SEARCH: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::builder().ascii_case_insensitive(true).build(PHRASES).ok());
/// Phrases that can be cut without loss, in lower case.
const PHRASES: [&str; 16] = [
    "it is important to note that",
    "it is worth noting that",
    "it should be noted that",
    "it’s important to note that",
    "it’s worth noting that",
    "it is worth mentioning that",
    "plays a crucial role",
    "plays a vital role",
    "plays an important role",
    "as mentioned above",
    "in today’s world",
    "in today’s fast-paced",
    "in this day and age",
    "needless to say",
    "it goes without saying",
    "last but not least",
];

/// The long sentences of a page.
#[derive(Debug)]
pub struct Sentences {
    source: Arc<Source>,
    found: Box<[Sentence]>,
}

#[derive(Debug)]
struct Sentence {
    span: Span,
    /// The table and the column that it is in.
    column: Option<(usize, usize)>,
    /// The hash of each meaningful run.
    hashes: Box<[u64]>,
}

impl Sentences {
    /// Returns the sentences of `passages` that are long enough to be compared.
    pub fn of(document: &Document, passages: &[Passage]) -> Self {
        let mut found = Vec::new();
        for passage in passages {
            for range in &passage.sentences {
                let text = &passage.text[range.clone()];
                let words = words::words(text);
                let glyphs = words.iter().filter(|word| word.is_glyph).count();
                let run = if glyphs * 2 > words.len() { GLYPH_RUN } else { RUN };
                if words.len() >= run {
                    found.push(Sentence::new(passage.span(range), passage.column, &words::plain(text, &words), run));
                }
            }
        }
        Self { source: Arc::clone(&document.source), found: found.into() }
    }
}

impl Sentence {
    fn new(span: Span, column: Option<(usize, usize)>, plain: &str, run: usize) -> Self {
        let words = plain.split(' ').map(|word| (word_hash(word), word.contains(char::is_alphabetic)));
        let words: Vec<(u64, bool)> = words.collect();
        // The factor of a run's first word in the hash when the word after the run is added.
        let oldest = (0..run).fold(1_u64, |power, _| power.wrapping_mul(BASE));
        let mut hash = 0_u64;
        let mut hashes = Vec::with_capacity(words.len() + 1 - run);
        for (end, (word, _)) in (1..).zip(&words) {
            hash = hash.wrapping_mul(BASE).wrapping_add(*word);
            let Some(start) = usize::checked_sub(end, run) else { continue };
            if start > 0 {
                hash = hash.wrapping_sub(words[start - 1].0.wrapping_mul(oldest));
            }
            hashes.extend(is_meaningful(&words[start..end]).then_some(hash));
        }
        Self { span, column, hashes: hashes.into() }
    }
}

/// Returns whether a run of words is meaningful: at least half are distinct words with letters. Words are given by their hashes,
/// with whether they have letters.
fn is_meaningful(run: &[(u64, bool)]) -> bool {
    let mut distinct = 0;
    run.iter().enumerate().any(|(at, word)| {
        distinct += usize::from(word.1 && !run[..at].contains(word));
        distinct * 2 >= run.len()
    })
}

/// The multiplier of the rolling hash: an odd number without a pattern.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// The first sentence that contains a run of words, and the first that repeats it: on another page, or in another cell of the
/// same column. `other` is [`NONE`] until one is found.
struct Places {
    first: u32,
    other: u32,
}

/// A sentence and the page that it is on.
#[derive(Clone, Copy)]
struct Located<'a> {
    page: usize,
    source: &'a Source,
    sentence: &'a Sentence,
}

impl Located<'_> {
    /// Returns the keys under which its runs are stored: the hash of each, with `false`; and for a cell of a table, also a hash
    /// of the run, the page, the table and the column, with `true`.
    fn keys(self) -> impl Iterator<Item = (u64, bool)> {
        self.sentence.hashes.iter().flat_map(move |&hash| {
            let in_column = self.sentence.column.map(|(table, column)| {
                let place = [self.page, table, column].map(|number| number as u64 + 1);
                (place.into_iter().fold(hash, |hash, number| hash.wrapping_mul(BASE).wrapping_add(number)), true)
            });
            std::iter::once((hash, false)).chain(in_column)
        })
    }

    /// Returns whether two sentences with the same run of words are a repetition: on different pages, or in one column.
    fn conflicts(self, other: Located<'_>, in_column: bool) -> bool {
        if !in_column {
            return self.page != other.page;
        }
        let (one, two) = (self.sentence, other.sentence);
        self.page == other.page && one.column == two.column && one.span != two.span
    }

    fn place(self) -> Place {
        self.source.place(self.sentence.span.clone())
    }

    /// Finds another sentence that has one of its runs of words, and whether both are in the same column.
    fn repetition<'a>(self, all: &[Located<'a>], table: &Table) -> Option<(Located<'a>, bool)> {
        self.keys().find_map(|(key, in_column)| {
            let pair = table.get(key)?;
            let others = [pair.first, pair.other].into_iter().filter(|&number| number != NONE);
            let mut others = others.map(|number| all[number as usize]);
            Some((others.find(|&other| self.conflicts(other, in_column))?, in_column))
        })
    }
}

/// The runs of words that may be in several places.
struct Table {
    sieve: Sieve,
    places: FxHashMap<u64, Places>,
}

impl Table {
    /// Steps 2 and 3.
    fn new(all: &[Located<'_>]) -> Self {
        let mut sieve = Sieve::new(all.iter().map(|whole| whole.sentence.hashes.len()).sum());
        for (key, _) in all.iter().flat_map(|whole| whole.keys()) {
            sieve.add(key);
        }
        let mut places = FxHashMap::<u64, Places>::default();
        for (sentence, &whole) in (0..).zip(all) {
            for (key, in_column) in whole.keys().filter(|(key, _)| sieve.may_be_repeated(*key)) {
                match places.entry(key) {
                    Entry::Vacant(entry) => {
                        entry.insert(Places { first: sentence, other: NONE });
                    }
                    Entry::Occupied(mut entry) => {
                        let pair = entry.get_mut();
                        if pair.other == NONE && whole.conflicts(all[pair.first as usize], in_column) {
                            pair.other = sentence;
                        }
                    }
                }
            }
        }
        Self { sieve, places }
    }

    fn get(&self, key: u64) -> Option<&Places> {
        self.sieve.may_be_repeated(key).then(|| self.places.get(&key)).flatten()
    }
}

/// Knows which hashes it has met once, and which more often; those that share their first bits count as one.
struct Sieve {
    once: Vec<u64>,
    again: Vec<u64>,
    /// How far a hash is shifted to be the number of its bit.
    shift: u32,
}

impl Sieve {
    /// Makes a sieve for a number of hashes, with at least eight bits for each.
    fn new(hashes: usize) -> Self {
        let bits = (hashes * 8).next_power_of_two().max(64);
        let words = vec![0; bits / 64];
        Self { once: words.clone(), again: words, shift: u64::BITS - bits.ilog2() }
    }

    /// Returns the index of a hash's word, and its bit there.
    fn place(&self, hash: u64) -> (usize, u64) {
        let bit = hash >> self.shift;
        ((bit / 64) as usize, 1 << (bit % 64))
    }

    fn add(&mut self, hash: u64) {
        let (word, bit) = self.place(hash);
        self.again[word] |= self.once[word] & bit;
        self.once[word] |= bit;
    }

    fn may_be_repeated(&self, hash: u64) -> bool {
        let (word, bit) = self.place(hash);
        self.again[word] & bit != 0
    }
}

/// Reports every sentence that is repeated elsewhere.
pub fn repeated(pages: &[&Sentences]) -> Vec<Diagnostic> {
    let all: Vec<Located<'_>> = pages
        .iter()
        .enumerate()
        .flat_map(|(page, of)| of.found.iter().map(move |sentence| Located { page, source: &of.source, sentence }))
        .take(NONE as usize)
        .collect();
    let table = Table::new(&all);
    let repeated = all.iter().filter_map(|&whole| Some((whole, whole.repetition(&all, &table)?)));
    repeated.map(|(whole, (other, in_column))| report(whole, other, in_column)).collect()
}

fn report(whole: Located<'_>, other: Located<'_>, in_column: bool) -> Diagnostic {
    let line = other.source.position(other.sentence.span.start).line;
    let same = whole.sentence.hashes == other.sentence.hashes;
    let what = if same { "this sentence is" } else { "a dozen words of this sentence are" };
    let (message, help) = if in_column {
        (
            format!("{what} repeated in this column, on line {line}"),
            "write in each row what is true of that row alone, and above the table what is true of all rows",
        )
    } else {
        (
            format!("{what} repeated on another page: `{}`, line {line}", other.source.path()),
            "write on each page what is true of that page alone, or write it on one page and link to that",
        )
    };
    Diagnostic::new(codes::FILLER, whole.place(), message).related(other.place(), "also here").help(help)
}

/// Reports empty phrases.
pub fn phrases(document: &Document, passages: &[Passage], out: &mut Vec<Diagnostic>) {
    for passage in passages {
        for found in SEARCH.iter().flat_map(|search| search.find_overlapping_iter(&passage.text)) {
            let (phrase, range) = (PHRASES[found.pattern()], found.range());
            if !passage.is_code(range.start) {
                let message = format!("`{phrase}` is an empty phrase");
                let help = if phrase.starts_with("plays") { "say what it does" } else { "remove it" };
                out.push(at(document, passage.span(&range), codes::FILLER, message).help(help));
            }
        }
    }
}
