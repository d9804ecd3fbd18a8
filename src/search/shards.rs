//! Terms → the pages that they stand on, in shards: runs of the sorted terms, each a script of its own. Where a shard
//! begins is told by the term itself, so that a term that comes or goes changes one shard, and no border elsewhere.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::sync::Arc;

use imbl::OrdMap;
use rayon::prelude::*;

use super::Script;
use super::entry::{Entry, STRONGEST};

/// The most pages that are listed for a term: of those that stand on more, the ones for which they are strongest.
const MOST: usize = 600;
/// The bits that hold how strong a term is for a page.
const BITS: u32 = STRONGEST.ilog2() + 1;
/// How many terms a shard has on average: so many for a site of one page, fewer the more pages there are, but not fewer
/// than the least.
const TERMS: u32 = 1 << 17;
const LEAST_TERMS: u32 = 64;
const MOST_TERMS: u32 = 1024;

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The pages of a term by number, sorted: the number above, how strong the term is below.
type Postings = Arc<[u32]>;

/// Every term with its pages, and the shards.
#[derive(Debug, Default, Clone)]
pub struct Shards {
    terms: OrdMap<Arc<str>, Postings>,
    /// The scripts, by the term at which they begin; the first begins at the empty one.
    pub scripts: OrdMap<Arc<str>, Script>,
    /// How many entries there are.
    entries: usize,
}

impl Shards {
    /// The shards of these entries.
    pub fn new(entries: &[Arc<Entry>]) -> Self {
        let mut all: HashMap<&str, Vec<u32>> = HashMap::new();
        for (number, entry) in entries.iter().enumerate() {
            for (term, strength) in entry.terms() {
                all.entry(term).or_default().push(posting(number, strength));
            }
        }
        let mut sorted: Vec<(Arc<str>, Postings)> =
            all.into_iter().map(|(term, postings)| (term.into(), postings.into())).collect();
        sorted.par_sort_unstable();
        let begins = |(term, _): &(Arc<str>, Postings)| is_border(term, entries.len());
        let runs: Vec<_> = sorted.chunk_by(|_, next| !begins(next)).collect();
        let scripts: Vec<(Arc<str>, Script)> = runs
            .into_par_iter()
            .map(|run| {
                let first = run.first().filter(|first| begins(first));
                let first: Arc<str> = first.map_or_else(|| "".into(), |(term, _)| term.clone());
                let script = shard(&first, run.iter().map(|(term, postings)| (term, postings)));
                (first, script)
            })
            .collect();
        Self { scripts: scripts.into_iter().collect(), terms: sorted.into_iter().collect(), entries: entries.len() }
    }

    /// The same after some entries have changed: their number, what they were and what they are. Returns the first terms
    /// of the shards that are other ones than before, or are no more.
    pub fn update(&mut self, changed: &[(usize, &Entry, &Entry)]) -> BTreeSet<Arc<str>> {
        let mut edits: BTreeMap<&str, Vec<(usize, u32)>> = BTreeMap::new();
        for &(number, was, is) in changed {
            let old: BTreeMap<&str, u32> = was.terms().collect();
            let new: BTreeMap<&str, u32> = is.terms().collect();
            let gone = old.keys().filter(|&term| !new.contains_key(term)).map(|&term| (term, 0));
            let other = new.iter().filter(|&(term, strength)| old.get(term) != Some(strength));
            for (term, strength) in gone.chain(other.map(|(&term, &strength)| (term, strength))) {
                edits.entry(term).or_default().push((number, strength));
            }
        }
        let mut reached = BTreeSet::new();
        for (term, edits) in edits {
            reached.insert(self.shard_of(Bound::Included(term)));
            let was = self.terms.get(term).map(|postings| &**postings).unwrap_or_default();
            let is = edited(was, &edits);
            if was.is_empty() != is.is_empty() && is_border(term, self.entries) {
                // What lies before a border that comes or goes is another shard, too.
                reached.extend([term.into(), self.shard_of(Bound::Excluded(term))]);
            }
            if is.is_empty() {
                self.terms.remove(term);
            } else {
                self.terms.insert(term.into(), is);
            }
        }
        for first in &reached {
            self.write(first);
        }
        reached
    }

    /// The term at which the last shard that begins up to here began before the edits.
    fn shard_of(&self, up_to: Bound<&str>) -> Arc<str> {
        let last = self.scripts.range::<_, str>((Bound::Unbounded, up_to)).next_back();
        last.map_or_else(|| "".into(), |(first, _)| Arc::clone(first))
    }

    /// Writes the shard that begins at a term, or takes it out if there is none.
    fn write(&mut self, first: &Arc<str>) {
        let is_first = first.is_empty();
        let from = self.terms.range(Arc::clone(first)..);
        let rest = |index: usize, term: &str| (index == 0 && !is_first) || !is_border(term, self.entries);
        let run: Vec<(&Arc<str>, &Postings)> =
            from.enumerate().take_while(|(index, (term, _))| rest(*index, term)).map(|(_, found)| found).collect();
        let is_there = !run.is_empty() && (is_first || *run[0].0 == *first);
        if is_there {
            let script = shard(first, run.into_iter());
            self.scripts.insert(Arc::clone(first), script);
        } else {
            self.scripts.remove(first);
        }
    }
}

/// The name of the shard that begins at a term: letters that a file's name may not hold are written as numbers.
pub fn name(first: &str) -> String {
    let written = |c: char| match c {
        'a'..='z' | '0'..='9' => c.to_string(),
        _ => format!("_{:x}_", u32::from(c)),
    };
    format!("t-{}", first.chars().map(written).collect::<String>())
}

/// Whether a shard begins at a term, in a site of so many entries.
fn is_border(term: &str, entries: usize) -> bool {
    let doublings = entries.max(1).next_power_of_two().ilog2();
    let terms = TERMS.checked_shr(doublings).unwrap_or_default().clamp(LEAST_TERMS, MOST_TERMS);
    // FNV-1a: short texts, and nobody gains by a border.
    let hash = term.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    ((hash >> 16) ^ hash).is_multiple_of(terms)
}

fn posting(number: usize, strength: u32) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX >> BITS) << BITS | strength
}

fn edited(postings: &[u32], edits: &[(usize, u32)]) -> Postings {
    let mut by_page: BTreeMap<u32, u32> = postings.iter().map(|&posting| (posting >> BITS, posting)).collect();
    for &(number, strength) in edits {
        let posting = posting(number, strength);
        match strength {
            0 => by_page.remove(&(posting >> BITS)),
            _ => by_page.insert(posting >> BITS, posting),
        };
    }
    by_page.into_values().collect()
}

/// A shard: `term postings` with commas between; a term that stands on more pages than are listed says on how many.
fn shard<'a>(first: &str, run: impl Iterator<Item = (&'a Arc<str>, &'a Postings)>) -> Script {
    let mut text = String::new();
    for (term, postings) in run {
        text.extend((!text.is_empty()).then_some(','));
        text.push_str(term);
        text.push(' ');
        if postings.len() > MOST {
            write(&mut text, &strongest(postings));
            text.extend([" ", &postings.len().to_string()]);
        } else {
            write(&mut text, postings);
        }
    }
    Script::new(&name(first), &text)
}

fn strongest(postings: &[u32]) -> Vec<u32> {
    let strength = |posting: &u32| posting & ((1 << BITS) - 1);
    let mut chosen = postings.to_vec();
    chosen.sort_by_key(|posting| std::cmp::Reverse(strength(posting)));
    chosen.truncate(MOST);
    chosen.sort_unstable();
    chosen
}

/// Numbers in base 32, the lowest digit first; a digit with 32 added is not the last. Each stands for how many pages lie
/// between, and how strong the term is.
fn write(text: &mut String, postings: &[u32]) {
    let mut last = 0;
    for &posting in postings {
        let page = posting >> BITS;
        let mut rest = posting - (last << BITS);
        last = page;
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
        write(&mut text, &[posting(0, 1), posting(1, 15), posting(900, 3)]);
        // 1; 16 + 15 = 31; 899 · 16 + 3 = 14387 = 19 + 32 · (1 + 32 · 14)
        assert_eq!(text, "Bfzh O".replace(' ', ""));
    }

    #[test]
    fn names_of_shards_are_names_of_files() {
        assert_eq!(name(""), "t-");
        assert_eq!(name("kv3"), "t-kv3");
        assert_eq!(name("显存"), "t-_663e__5b58_");
    }

    #[test]
    fn a_term_of_many_pages_lists_those_for_which_it_is_strongest() {
        let postings: Vec<u32> = (0..3000).map(|number| posting(number, if number % 5 == 0 { 9 } else { 2 })).collect();
        assert_eq!(strongest(&postings), (0..600).map(|number| posting(number * 5, 9)).collect::<Vec<_>>());
        let script = shard("", [(&Arc::from("a"), &Arc::from(postings))].into_iter());
        assert!(String::from_utf8_lossy(script.bytes.as_ref()).contains(" 3000\""));
    }
}
