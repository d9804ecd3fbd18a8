//! Terms → their postings, the entries in which they occur, in shards: ranges of the sorted terms, each in a file of
//! its own.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::entry::{Entry, NAME_STRENGTH};

/// The maximum number of entries listed for a term. If it occurs in more, the ones with the greatest strength are
/// listed.
const MAX_LISTED: usize = 600;
/// The bits of a posting that hold the strength.
const BITS: u32 = NAME_STRENGTH.ilog2() + 1;
/// The approximate maximum size of a shard in bytes.
const BYTES: usize = 12 * 1024;
/// The approximate size in bytes of a posting, and of a term without its letters and postings.
const POSTING_BYTES: usize = 2;
const TERM_BYTES: usize = 4;

/// The digits of postings.
pub const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The postings of every term.
#[derive(Default)]
pub struct Postings(FxHashMap<Box<str>, Vec<u32>>);

impl Postings {
    /// Adds an entry to the postings of each of its terms. Entries must be added in the order of their numbers.
    pub fn add(&mut self, number: usize, entry: &Entry) {
        for (term, strength) in entry.terms() {
            match self.0.get_mut(term) {
                Some(postings) => postings.push(posting(number, strength)),
                None => _ = self.0.insert(term.into(), vec![posting(number, strength)]),
            }
        }
    }
}

/// A range of the sorted terms with their postings.
#[derive(Debug)]
pub struct Shard {
    pub first: Box<str>,
    /// `term postings`, separated by commas. A term that occurs in more entries than are listed is followed by their
    /// number.
    pub text: String,
}

/// Splits the sorted terms into shards, at least one.
pub fn shards(postings: Postings) -> Vec<Shard> {
    let mut sorted: Vec<(Box<str>, Vec<u32>)> = postings.0.into_iter().collect();
    sorted.par_sort_unstable();
    let mut shards: Vec<Shard> = Vec::new();
    let mut bytes = 0;
    for (term, postings) in sorted {
        let size = term.len() + TERM_BYTES + postings.len().min(MAX_LISTED) * POSTING_BYTES;
        bytes += size;
        if let Some(shard) = shards.last_mut().filter(|_| bytes <= BYTES) {
            shard.text.push(',');
            write_term(&mut shard.text, &term, &postings);
        } else {
            bytes = size;
            let mut text = String::with_capacity(BYTES);
            write_term(&mut text, &term, &postings);
            shards.push(Shard { first: term, text });
        }
    }
    if shards.is_empty() {
        shards.push(Shard { first: "".into(), text: String::new() });
    }
    for shard in &mut shards {
        shard.text.shrink_to_fit();
    }
    shards
}

fn write_term(text: &mut String, term: &str, postings: &[u32]) {
    text.extend([term, " "]);
    if postings.len() > MAX_LISTED {
        write(text, strongest(postings));
        text.extend([" ", &postings.len().to_string()]);
    } else {
        write(text, postings.iter().copied());
    }
}

fn posting(number: usize, strength: u32) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX >> BITS) << BITS | strength
}

/// Selects the strongest postings, and among equally strong ones the first, in the order of their entries.
fn strongest(postings: &[u32]) -> impl Iterator<Item = u32> {
    let strength = |posting: u32| posting & ((1 << BITS) - 1);
    let mut counts = [0; 1 << BITS];
    for &posting in postings {
        counts[strength(posting) as usize] += 1;
    }
    let mut left = MAX_LISTED;
    let mut weakest = NAME_STRENGTH;
    while weakest > 0 && counts[weakest as usize] < left {
        left -= counts[weakest as usize];
        weakest -= 1;
    }
    postings.iter().copied().filter(move |&posting| {
        let is_listed = strength(posting) > weakest || strength(posting) == weakest && left > 0;
        left -= usize::from(is_listed && strength(posting) == weakest);
        is_listed
    })
}

/// Writes numbers of variable length, as source maps do: five bits per character, the lowest first; a sixth bit says that
/// more follow. Each number is the difference from the entry of the previous posting, shifted, plus the strength.
fn write(text: &mut String, postings: impl Iterator<Item = u32>) {
    let mut last = 0;
    for posting in postings {
        let entry = posting >> BITS;
        let mut rest = posting - (last << BITS);
        last = entry;
        loop {
            let digit = (rest & 31) as usize;
            rest >>= 5;
            text.push(char::from(DIGITS[if rest > 0 { digit | 32 } else { digit }]));
            if rest == 0 {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn postings_are_written_as_differences() {
        let mut text = String::new();
        write(&mut text, [posting(0, 1), posting(1, 15), posting(900, 3)].into_iter());
        // 1; 16 + 15 = 31; 899 · 16 + 3 = 14387 = 19 + 32 · (1 + 32 · 14)
        assert_eq!(text, "BfzhO");
    }

    #[test]
    fn a_common_term_lists_its_strongest_entries() {
        let listed = |strength: fn(usize) -> u32| {
            let postings: Vec<u32> = (0..3000).map(|number| posting(number, strength(number))).collect();
            strongest(&postings).collect::<Vec<_>>()
        };
        let every = |step: usize| (0..600).map(|number| number * step).collect::<Vec<_>>();
        assert_eq!(
            listed(|number| if number % 5 == 0 { 9 } else { 2 }),
            every(5).iter().map(|&at| posting(at, 9)).collect::<Vec<_>>()
        );
        assert_eq!(listed(|_| 15), every(1).iter().map(|&at| posting(at, 15)).collect::<Vec<_>>());
        assert_eq!(listed(|_| 1), every(1).iter().map(|&at| posting(at, 1)).collect::<Vec<_>>());
        let mixed = listed(|number| if number == 2999 { 4 } else { 3 });
        assert_eq!((mixed.len(), mixed[598], mixed[599]), (600, posting(598, 3), posting(2999, 4)));
    }
}
