//! Pages + starters → the index of the search, which `static/search.js` reads. The index is planned first; then each of its
//! files is made on its own:
//!
//! 1. [`Entry::new`] finds what the search knows of one page, starter or folder: the terms under which it is found, and its
//!    fragment, which is what the dialog shows of it;
//! 2. [`Index::new`] numbers the entries, lists the entries of every term, and decides where each file begins;
//! 3. [`Index::make`] writes one file: a pack holds the fragments of neighboring entries (`search/p64.js` begins with entry
//!    64), a shard lists the entries of neighboring terms (`search/t3.js`), and `search/index.js` says where they begin.
//!
//! All files are scripts that hand over their data, because a page that is opened from disk may fetch nothing. A query loads
//! the shards of its words and the packs of the results that it shows, however many pages there are.

mod entry;
mod shards;
mod terms;
#[cfg(test)]
mod tests;

use std::ops::Range;

use rayon::prelude::*;
use serde::Serialize;

pub use entry::{Entry, Subject};
use shards::{Postings, Shards};

use crate::output::Bytes;
use crate::theme::names::Names;

/// The most entries of a pack.
const PACK_ENTRIES: usize = 32;
/// The most bytes of a pack with more than one entry. The results of a query are in packs of their own more often than
/// not, so this is what a result costs its reader; a smaller limit makes more files.
const PACK_BYTES: usize = 32 * 1024;
/// A pack begins at every multiple of this number, so that an edit moves only the borders near it.
const BLOCK: usize = 128;
/// How many entries are found out at once.
const CHUNK: usize = 512;
/// How many hex digits tell one version of the index from another.
const DIGITS: usize = 12;
/// The form of the files. Change it with the form: browsers keep files by the version, which is a hash of the entries.
const FORMAT: &[u8] = b"packs 1";

/// The index of a site, from which each of its files can be made.
#[derive(Debug)]
pub struct Index {
    /// What is shown of each entry, as JSON.
    fragments: Vec<Box<str>>,
    /// The number of the first entry of each pack.
    packs: Vec<usize>,
    shards: Shards,
    version: String,
}

/// A file of the index.
enum File {
    /// The pack with this number.
    Pack(usize),
    /// The shard with this number.
    Shard(usize),
    /// `search/index.js`.
    Contents,
}

/// What `search/index.js` holds.
#[derive(Serialize)]
struct Contents<'a> {
    /// Changes whenever an entry does, so that browsers load the other files again.
    #[serde(rename = "v")]
    version: &'a str,
    /// The number of entries.
    #[serde(rename = "n")]
    entries: usize,
    /// The number of entries in each pack.
    #[serde(rename = "p")]
    packs: Vec<usize>,
    /// The first term of each shard but the first, with spaces between them.
    #[serde(rename = "t")]
    shards: String,
}

impl Index {
    /// Plans the index of what is found: a subject's place in the list is its number. Only some entries are in memory at once,
    /// because the terms of all of them take more of it than the rest of the index.
    #[must_use]
    pub fn new(names: Names<'_>, subjects: &[Subject<'_>]) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(FORMAT);
        let (mut postings, mut fragments) = (Postings::default(), Vec::with_capacity(subjects.len()));
        for chunk in subjects.chunks(CHUNK) {
            let entries: Vec<Entry> = chunk.par_iter().map(|&subject| Entry::new(names, subject)).collect();
            for entry in entries {
                hasher.update(entry.hash.as_bytes());
                postings.add(fragments.len(), &entry);
                fragments.push(entry.fragment);
            }
        }
        let version = hasher.finalize().to_hex()[..DIGITS].to_owned();
        Self { packs: packs(&fragments), shards: Shards::new(postings), version, fragments }
    }

    /// The output paths of all files.
    pub fn paths(&self) -> impl Iterator<Item = String> {
        let packs = self.packs.iter().map(|first| format!("search/p{first}.js"));
        let shards = (0..self.shards.count()).map(|number| format!("search/t{number}.js"));
        std::iter::once("search/index.js".to_owned()).chain(packs).chain(shards)
    }

    /// Whether an output path is one of [`Self::paths`].
    #[must_use]
    pub fn has(&self, path: &str) -> bool {
        Self::name(path).and_then(|name| self.file(name)).is_some()
    }

    /// Makes the file of an output path, if it is one of [`Self::paths`].
    #[must_use]
    pub fn make(&self, path: &str) -> Option<Bytes> {
        let name = Self::name(path)?;
        let data = match self.file(name)? {
            File::Pack(pack) => self.pack(pack),
            File::Shard(shard) => json(&self.shards.text(shard)),
            File::Contents => json(&self.contents()),
        };
        Some(format!("infralens.take(\"{name}\",{data})\n").into())
    }

    fn name(path: &str) -> Option<&str> {
        path.strip_prefix("search/")?.strip_suffix(".js")
    }

    fn file(&self, name: &str) -> Option<File> {
        match name.split_at_checked(1)? {
            ("p", first) => self.packs.binary_search(&number(first)?).ok().map(File::Pack),
            ("t", shard) => number(shard).filter(|&shard| shard < self.shards.count()).map(File::Shard),
            _ => (name == "index").then_some(File::Contents),
        }
    }

    fn pack(&self, pack: usize) -> String {
        let fragments: Vec<&str> =
            self.fragments[run(&self.packs, pack, self.fragments.len())].iter().map(AsRef::as_ref).collect();
        format!("[{}]", fragments.join(","))
    }

    fn contents(&self) -> Contents<'_> {
        let entries = self.fragments.len();
        let packs = (0..self.packs.len()).map(|pack| run(&self.packs, pack, entries).len()).collect();
        let shards = (1..self.shards.count()).map(|shard| self.shards.first(shard)).collect::<Vec<_>>().join(" ");
        Contents { version: &self.version, entries, packs, shards }
    }
}

/// Where packs begin.
fn packs(fragments: &[Box<str>]) -> Vec<usize> {
    let mut packs: Vec<usize> = Vec::new();
    let mut bytes = 0;
    for (number, fragment) in fragments.iter().enumerate() {
        bytes += fragment.len();
        let is_full = packs.last().is_none_or(|first| number - first == PACK_ENTRIES) || bytes > PACK_BYTES;
        if is_full || number.is_multiple_of(BLOCK) {
            packs.push(number);
            bytes = fragment.len();
        }
    }
    packs
}

/// The range of one run, where each begins at one of these numbers and all end at `end`.
fn run(begins: &[usize], at: usize, end: usize) -> Range<usize> {
    begins[at]..begins.get(at + 1).copied().unwrap_or(end)
}

/// A number in the only form in which a path has it.
fn number(digits: &str) -> Option<usize> {
    digits.parse().ok().filter(|number: &usize| number.to_string() == digits)
}

/// Strings and numbers always become JSON.
fn json<T: Serialize + ?Sized>(data: &T) -> String {
    serde_json::to_string(data).unwrap_or_default()
}
