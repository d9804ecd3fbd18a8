//! `filler`: sentences that appear in several places, and empty phrases.
//!
//! Repeated sentences are found by their shingles, which are all runs of [`RUN`] words in a sentence:
//!
//! 1. the shingles of each page are hashed in parallel with a rolling hash;
//! 2. the hashes of all pages are put into a table, each with the first sentence that has it, and the first one that has it
//!    elsewhere: on another page, or in another cell of the same column;
//! 3. a sentence with such a hash is compared with these two word by word, and reported once.
//!
//! Steps 2 and 3 process a partition of all hashes at a time, so that only a part of the table is in memory. Each step
//! reads each word once, so time and memory are linear in the size of the course.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::collections::hash_map::Entry;
use std::sync::{Arc, LazyLock};

use aho_corasick::AhoCorasick;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::at;
use super::words;
use infralens_page::Document;
use infralens_page::text::Passage;
use infralens_source::diag::{Diagnostic, Place, codes};
use infralens_source::source::{Source, Span};

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
    found: Vec<Sentence>,
}

#[derive(Debug)]
struct Sentence {
    span: Span,
    /// The table and the column that it is in.
    column: Option<(usize, usize)>,
    /// Its words as they are compared, each with a space before and after.
    plain: String,
    /// The number of words in a run in its script.
    run: usize,
    /// The hash of each run.
    hashes: Vec<u64>,
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
        Self { source: Arc::clone(&document.source), found }
    }
}

impl Sentence {
    fn new(span: Span, column: Option<(usize, usize)>, plain: &str, run: usize) -> Self {
        let words: Vec<u64> = plain.split(' ').map(word_hash).collect();
        // The factor of a run's first word in the hash when the word after the run is added.
        let oldest = (0..run).fold(1_u64, |power, _| power.wrapping_mul(BASE));
        let mut hash = 0_u64;
        let mut hashes = Vec::with_capacity(words.len() + 1 - run);
        for (index, word) in words.iter().enumerate() {
            hash = hash.wrapping_mul(BASE).wrapping_add(*word);
            if let Some(gone) = index.checked_sub(run) {
                hash = hash.wrapping_sub(words[gone].wrapping_mul(oldest));
            }
            if index + 1 >= run {
                hashes.push(hash);
            }
        }
        Self { span, column, plain: format!(" {plain} "), run, hashes }
    }

    /// Returns its runs of words, each with the spaces around it.
    fn runs(&self) -> Vec<&str> {
        let spaces: Vec<usize> = self.plain.match_indices(' ').map(|(at, _)| at).collect();
        spaces.iter().zip(spaces.iter().skip(self.run)).map(|(&from, &to)| &self.plain[from..=to]).collect()
    }

    /// Returns whether it contains a run of words that is meaningful: at least half are distinct words with letters.
    fn has(&self, run: &str) -> bool {
        let words: HashSet<&str> = run.split(' ').filter(|word| word.contains(char::is_alphabetic)).collect();
        let all = run.matches(' ').count() - 1;
        words.len() * 2 >= all && self.plain.contains(run)
    }
}

/// The multiplier of the rolling hash: an odd number without a pattern.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// Hashes a word with FNV-1a. Collisions only cost a comparison.
fn word_hash(word: &str) -> u64 {
    word.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

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
    /// Returns the keys under which run `nth` is stored: its hash, with `false`; and for a cell of a table, also a hash of the
    /// run, the page, the table and the column, with `true`.
    fn keys(self, nth: usize) -> impl Iterator<Item = (u64, bool)> {
        let hash = self.sentence.hashes[nth];
        let in_column = self.sentence.column.map(|(table, column)| {
            let place = [self.page, table, column].map(|number| number as u64 + 1);
            (place.into_iter().fold(hash, |hash, number| hash.wrapping_mul(BASE).wrapping_add(number)), true)
        });
        std::iter::once((hash, false)).chain(in_column)
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

    /// Finds its first run of words, of those in one partition, that is also in another sentence.
    fn repetition(self, all: &[Located<'_>], table: &Table, part: u64) -> Option<Repetition> {
        let runs = OnceCell::new();
        (0..self.sentence.hashes.len()).find_map(|nth| {
            self.keys(nth).filter(|(key, _)| part_of(*key) == part).find_map(|(key, in_column)| {
                let pair = table.get(&key)?;
                let mut others = [pair.first, pair.other].into_iter().filter(|&number| number != NONE);
                let run = || runs.get_or_init(|| self.sentence.runs()).get(nth).copied();
                let has_run = |other: &Sentence| run().is_some_and(|run| other.has(run));
                let is_repetition = |other: Located<'_>| self.conflicts(other, in_column) && has_run(other.sentence);
                let other = others.find(|&number| is_repetition(all[number as usize]))?;
                Some(Repetition { nth, in_column, other })
            })
        })
    }
}

/// A run of words that two sentences have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Repetition {
    /// The number of the run in the sentence.
    nth: usize,
    /// Whether both are in the same column.
    in_column: bool,
    /// The other sentence.
    other: u32,
}

/// The runs of one partition of all hashes.
type Table = FxHashMap<u64, Places>;

/// The number of partitions, one for each value of four bits. They are processed in parallel.
const PARTS: u64 = 16;

/// Returns the partition to which a hash belongs.
fn part_of(hash: u64) -> u64 {
    hash >> 60
}

/// Reports every sentence that is repeated elsewhere.
pub fn repeated(pages: &[&Sentences]) -> Vec<Diagnostic> {
    let all: Vec<Located<'_>> = pages
        .iter()
        .enumerate()
        .flat_map(|(page, of)| of.found.iter().map(move |sentence| Located { page, source: &of.source, sentence }))
        .take(NONE as usize)
        .collect();
    let of_part = |part: u64| -> Vec<(usize, Repetition)> {
        let table = table(&all, part);
        let repetitions = all.iter().enumerate();
        repetitions.filter_map(|(number, whole)| Some((number, whole.repetition(&all, &table, part)?))).collect()
    };
    let mut found: Vec<(usize, Repetition)> = (0..PARTS).into_par_iter().flat_map_iter(of_part).collect();
    found.sort_unstable();
    found.dedup_by_key(|(number, _)| *number);
    found
        .into_iter()
        .map(|(number, repetition)| report(all[number], all[repetition.other as usize], repetition.in_column))
        .collect()
}

/// Builds the table of one partition (step 2).
fn table(all: &[Located<'_>], part: u64) -> Table {
    let mut places = Table::default();
    for (sentence, &whole) in (0..).zip(all) {
        let keys = (0..whole.sentence.hashes.len()).flat_map(|nth| whole.keys(nth));
        for (key, in_column) in keys.filter(|(key, _)| part_of(*key) == part) {
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
    places
}

fn report(whole: Located<'_>, other: Located<'_>, in_column: bool) -> Diagnostic {
    let line = other.source.position(other.sentence.span.start).line;
    let same = whole.sentence.plain == other.sentence.plain;
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
