//! Builds the search index, an **inverted index**: for each term, its **postings**, the entries that contain it.
//! `static/search.js` reads it. The index is planned first; then each of its files is made independently:
//!
//! 1. [`Entry::new`] makes the entry of one [`Subject`], such as a page or a starter: the terms under which it is found, and
//!    its **head**, which a result shows at once: URL, title and kind, and its **fragment**: the text, which is loaded only
//!    for results that are shown;
//! 2. [`Index::new`] numbers the entries, lists the entries of every term, and decides where each file starts;
//! 3. [`Index::make`] writes one file: the pack `p64` has the fragments of consecutive entries from 64 on, `h256` has the
//!    titles of the entries from 256 on, and the shard `t3` lists the entries of consecutive terms;
//! 4. [`Index::contents`] writes the list that says where these start, and which groups the entries belong to.
//!
//! All files are scripts that pass their data to a function, because a page that is opened from disk may not fetch
//! anything. A query loads only the shards of its words, and the titles and packs of the results that it shows, however
//! many pages there are.
//!
//! The name of every file but the list has a hash of its bytes, `assets/search-p64.0a1b2c3d.js`, and the list has the hashes. So
//! a page whose list is older than the files on the server gets none of them, and loads the list again; and browsers keep the
//! files that have not changed.

mod entry;
mod shards;
mod subject;
mod terms;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ops::Range;

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::Serialize;

pub use entry::Entry;
use shards::{Postings, Shard};
use subject::Group;
pub use subject::Subject;

use infralens_source::output::{self, Bytes, SAME_ORIGIN};
use infralens_theme::Names;

/// The maximum number of entries in a pack.
const PACK_ENTRIES: usize = 32;
/// The maximum size in bytes of a pack with more than one entry. Most results of a query are in different packs, so
/// this is what a reader loads per result; a smaller limit makes more files.
const PACK_BYTES: usize = 20 * 1024;
/// A pack starts at every multiple of this number, so that an edit moves only the boundaries near it.
const BLOCK: usize = 128;
/// How many entries have their heads in one file.
const HEADS: usize = 256;
/// How many entries are made at once.
const CHUNK: usize = 512;
/// What the paths of all files begin with.
pub const PREFIX: &str = "assets/search-";

/// The index of a site, from which each of its files can be made.
#[derive(Debug)]
pub struct Index {
    /// The head of each entry as JSON.
    heads: Vec<Box<str>>,
    /// The fragment of each entry as JSON.
    fragments: Vec<Box<str>>,
    groups: Groups,
    /// The number of the first entry of each pack.
    packs: Vec<usize>,
    shards: Vec<Shard>,
    /// All files but the list, by output path, each with the name that the script calls it by.
    files: BTreeMap<String, (String, File)>,
    /// The hashes of the files with heads, of the packs and of the shards, one after the other.
    hashes: [String; 3],
}

/// The groups of results, and which of them the entries belong to.
#[derive(Debug, Default)]
struct Groups {
    list: Vec<Group>,
    /// The number of each group.
    numbers: FxHashMap<Group, usize>,
    /// The number of a group, and of how many consecutive entries it is the group.
    runs: Vec<(usize, usize)>,
}

/// A file of the index.
#[derive(Debug, Clone, Copy)]
enum File {
    /// The heads from this block on.
    Heads(usize),
    /// The pack with this number.
    Pack(usize),
    /// The shard with this number.
    Shard(usize),
}

/// The list of the files.
#[derive(Serialize)]
struct Contents<'a> {
    #[serde(rename = "v")]
    hashes: &'a [String; 3],
    #[serde(rename = "n")]
    entries: usize,
    #[serde(rename = "g")]
    groups: &'a [Group],
    /// The number of a group, and of how many consecutive entries it is the group.
    #[serde(rename = "r")]
    runs: &'a [(usize, usize)],
    /// The number of entries in each pack.
    #[serde(rename = "p")]
    packs: Vec<usize>,
    /// The first term of each shard except the first, separated by spaces.
    #[serde(rename = "t")]
    shards: String,
}

impl Index {
    /// Plans the index of some subjects; a subject's position in the list is its number. Only a part of the entries is
    /// in memory at once, because the terms of all of them need more memory than the rest of the index.
    pub fn new(names: Names<'_>, subjects: &[Subject<'_>]) -> Self {
        let (mut postings, mut groups) = (Postings::default(), Groups::default());
        let [mut heads, mut fragments] = [Vec::with_capacity(subjects.len()), Vec::with_capacity(subjects.len())];
        for chunk in subjects.chunks(CHUNK) {
            let entries: Vec<Entry> = chunk.par_iter().map(|&subject| Entry::new(names, subject)).collect();
            for entry in entries {
                postings.add(fragments.len(), &entry);
                groups.add(entry.group);
                heads.push(entry.head);
                fragments.push(entry.fragment);
            }
        }
        let (packs, shards) = (packs(&fragments), shards::shards(postings));
        let mut index =
            Self { heads, fragments, groups, packs, shards, files: BTreeMap::new(), hashes: Default::default() };
        let heads = (0..index.heads.len()).step_by(HEADS).map(|first| (format!("h{first}"), File::Heads(first)));
        let packs = index.packs.iter().enumerate().map(|(at, first)| (format!("p{first}"), File::Pack(at)));
        let shards = (0..index.shards.len()).map(|at| (format!("t{at}"), File::Shard(at)));
        let forms: [Vec<(String, File)>; 3] = [heads.collect(), packs.collect(), shards.collect()];
        for (at, files) in forms.into_iter().enumerate() {
            let hash = |(name, file): &(String, File)| output::hash(index.file(name, *file).as_bytes());
            let hashes: Vec<String> = files.par_iter().map(hash).collect();
            index.hashes[at] = hashes.concat();
            let path = |(name, _): &(String, File), hash| format!("{PREFIX}{name}.{hash}.js");
            index.files.extend(files.into_iter().zip(hashes).map(|(file, hash)| (path(&file, hash), file)));
        }
        index
    }

    /// Returns the output paths of all files but the list.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Returns whether an output path is one of [`Self::paths`].
    pub fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// Makes the file of an output path, if it is one of [`Self::paths`].
    pub fn make(&self, path: &str) -> Option<Bytes> {
        let (name, file) = self.files.get(path)?;
        Some(self.file(name, *file).into())
    }

    /// Makes the list of all other files.
    pub fn contents(&self) -> Bytes {
        let entries = self.fragments.len();
        let packs = (0..self.packs.len()).map(|pack| range_at(&self.packs, pack, entries).len()).collect();
        let shards = self.shards[1..].iter().map(|shard| &*shard.first).collect::<Vec<_>>().join(" ");
        let Groups { list: groups, runs, .. } = &self.groups;
        script("index", &json(&Contents { hashes: &self.hashes, entries, groups, runs, packs, shards })).into()
    }

    /// Makes a file, which is known to the script by this name.
    fn file(&self, name: &str, file: File) -> String {
        let data = match file {
            File::Heads(first) => list(&self.heads[first..self.heads.len().min(first + HEADS)]),
            File::Pack(pack) => list(&self.fragments[range_at(&self.packs, pack, self.fragments.len())]),
            File::Shard(shard) => json(&self.shards[shard].text),
        };
        script(name, &data)
    }
}

impl Groups {
    /// Adds the group of the next entry.
    fn add(&mut self, group: Group) {
        let next = self.list.len();
        let number = *self.numbers.entry(group).or_insert_with_key(|group| {
            self.list.push(group.clone());
            next
        });
        match self.runs.last_mut() {
            Some((last, count)) if *last == number => *count += 1,
            _ => self.runs.push((number, 1)),
        }
    }
}

/// Returns the number of the first entry of each pack.
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

/// Returns the range at an index, where `starts` are the starts of all ranges and the last one ends at `end`.
fn range_at(starts: &[usize], at: usize, end: usize) -> Range<usize> {
    starts[at]..starts.get(at + 1).copied().unwrap_or(end)
}

/// Returns the script that hands over data.
fn script(name: &str, data: &str) -> String {
    format!("{SAME_ORIGIN}infralens.take(\"{name}\",{data})\n")
}

/// Returns a JSON list of values that are JSON already.
fn list(values: &[Box<str>]) -> String {
    format!("[{}]", values.join(","))
}

/// Serializes data, which cannot fail for strings and numbers.
fn json<T: Serialize + ?Sized>(data: &T) -> String {
    serde_json::to_string(data).unwrap_or_default()
}
