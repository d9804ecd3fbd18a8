//! `filler`: sentences that stand in several places, and phrases that say nothing.
//!
//! Repeated sentences are found by their shingles, every run of [`RUN`] words within a sentence:
//!
//! 1. the shingles of all sentences are hashed into one table, each with the first sentence that has it and the first
//!    that has it elsewhere: on another page, or in another cell of the same column;
//! 2. a sentence whose shingle has such a pair is compared with them word by word, and reported once.
//!
//! Both steps look at each word once: time and memory are linear in the course.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::at;
use super::text::Passage;
use super::words::{self, Word};
use crate::diag::{Diagnostic, Place, codes};
use crate::document::Document;
use crate::source::{Source, Span};

/// So many words in a row are no coincidence.
const RUN: usize = 12;
/// The same in scripts that set no spaces, where a character is about half a word.
const GLYPH_RUN: usize = 24;
/// No sentence; so many, at most, are compared with each other.
const NONE: u32 = u32::MAX;

/// What may be cut without loss, in lower case.
const PHRASES: [&str; 14] = [
    "it is important to note that",
    "it is worth noting that",
    "it should be noted that",
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
    /// The table and the column that it stands in.
    column: Option<(usize, usize)>,
    /// Its words as they are compared, each with a space before and after.
    plain: String,
    /// Where each word begins in `plain`, and the end.
    starts: Vec<u32>,
    run: usize,
}

impl Sentences {
    /// Those of `passages` that are long enough to be compared.
    #[must_use]
    pub fn of(document: &Document, passages: &[Passage]) -> Self {
        let mut found = Vec::new();
        for passage in passages {
            for range in passage.sentences() {
                let text = &passage.text[range.clone()];
                let words = words::words(text);
                let glyphs = words.iter().filter(|word| word.is_glyph).count();
                let run = if glyphs * 2 > words.len() { GLYPH_RUN } else { RUN };
                if words.len() >= run {
                    found.push(Sentence::new(passage.span(&range), passage.column, text, &words, run));
                }
            }
        }
        Self { source: Arc::clone(&document.source), found }
    }
}

impl Sentence {
    fn new(span: Span, column: Option<(usize, usize)>, text: &str, words: &[Word], run: usize) -> Self {
        let plain = format!(" {} ", words::plain(text, words));
        let spaces = plain.match_indices(' ').filter_map(|(at, _)| u32::try_from(at).ok());
        let starts = spaces.collect();
        Self { span, column, plain, starts, run }
    }

    /// The runs of words, each with the spaces around it.
    fn runs(&self) -> impl Iterator<Item = &str> {
        self.starts.windows(self.run + 1).map(|ends| {
            let (from, to) = (ends[0] as usize, ends[self.run] as usize);
            &self.plain[from..=to]
        })
    }
}

/// Where a run of words stands first, and where it stands elsewhere.
struct Places {
    first: u32,
    other: u32,
}

/// A sentence in the course: its page and itself.
#[derive(Clone, Copy)]
struct Whole<'a> {
    page: usize,
    source: &'a Source,
    sentence: &'a Sentence,
}

impl Whole<'_> {
    /// The keys under which a run of its words is looked up: the run, and the run in this column.
    fn keys(self, run: &str) -> impl Iterator<Item = (u64, bool)> {
        let column = self.sentence.column.map(|column| (hash(&(self.page, column, run)), true));
        std::iter::once((hash(run), false)).chain(column)
    }

    /// Whether two sentences with the same run of words should not both stand where they do.
    fn conflicts(self, other: Whole<'_>, in_column: bool) -> bool {
        if in_column { self.sentence.span != other.sentence.span } else { self.page != other.page }
    }

    fn place(self) -> Place {
        Place::new(self.source.path(), self.sentence.span.clone())
    }
}

fn hash(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Every sentence that stands elsewhere, too.
#[must_use]
pub fn repeated(pages: &[Sentences]) -> Vec<Diagnostic> {
    let all: Vec<Whole<'_>> = pages
        .iter()
        .enumerate()
        .flat_map(|(page, of)| of.found.iter().map(move |sentence| Whole { page, source: &of.source, sentence }))
        .take(NONE as usize)
        .collect();
    let places = index(&all);
    let mut found = Vec::new();
    for &whole in &all {
        let twin = whole.sentence.runs().find_map(|run| {
            whole.keys(run).find_map(|(key, in_column)| {
                let pair = places.get(&key)?;
                [pair.first, pair.other].into_iter().filter(|&index| index != NONE).find_map(|index| {
                    let other = all[index as usize];
                    let same = whole.conflicts(other, in_column) && other.sentence.plain.contains(run);
                    same.then_some((other, in_column))
                })
            })
        });
        found.extend(twin.map(|(other, in_column)| report(whole, other, in_column)));
    }
    found
}

/// Step 1.
fn index(all: &[Whole<'_>]) -> HashMap<u64, Places> {
    let runs = all.iter().map(|whole| whole.sentence.starts.len().saturating_sub(whole.sentence.run)).sum();
    let mut places: HashMap<u64, Places> = HashMap::with_capacity(runs);
    for (number, &whole) in (0..).zip(all) {
        for run in whole.sentence.runs() {
            for (key, in_column) in whole.keys(run) {
                match places.entry(key) {
                    Entry::Vacant(entry) => {
                        entry.insert(Places { first: number, other: NONE });
                    }
                    Entry::Occupied(mut entry) => {
                        let pair = entry.get_mut();
                        if pair.other == NONE && whole.conflicts(all[pair.first as usize], in_column) {
                            pair.other = number;
                        }
                    }
                }
            }
        }
    }
    places
}

fn report(whole: Whole<'_>, other: Whole<'_>, in_column: bool) -> Diagnostic {
    let line = other.source.position(other.sentence.span.start).line;
    let same = whole.sentence.plain == other.sentence.plain;
    let what = if same { "this sentence stands" } else { "a dozen words of this sentence stand" };
    let (message, help) = if in_column {
        (
            format!("{what} twice in this column, also on line {line}"),
            "say in each row what is true of that row alone; what is true of all of them stands better above the table",
        )
    } else {
        (
            format!("{what} on another page, too: `{}`, line {line}", other.source.path()),
            "say on each page what is true of that page alone, or say it on one of them and link to it",
        )
    };
    Diagnostic::new(codes::FILLER, whole.place(), message).related(other.place(), "here, too").help(help)
}

/// Phrases that say nothing.
pub fn phrases(document: &Document, passages: &[Passage], out: &mut Vec<Diagnostic>) {
    for passage in passages {
        let lower = passage.text.to_ascii_lowercase();
        for phrase in PHRASES {
            for (start, _) in lower.match_indices(phrase) {
                let range = start..start + phrase.len();
                if !passage.is_code(start) {
                    let message = format!("`{phrase}` says nothing");
                    out.push(at(document, passage.span(&range), codes::FILLER, message).help("leave it out"));
                }
            }
        }
    }
}
