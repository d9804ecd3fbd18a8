//! Pages + starters → the index of the search, which `static/search.js` reads. Its steps:
//!
//! 1. understand each page, starter and folder: the terms under which it is found, and a fragment, which is what is shown
//!    of it (`search/p7.js`);
//! 2. list the pages of every term, in shards of neighbouring terms (`search/t-cache.js`);
//! 3. say where each shard begins (`search/index.js`).
//!
//! All of it are scripts that hand over their data, since a page that is opened from disk may fetch nothing. A query
//! fetches the shards of its words and the fragments of what it shows, however many pages there are.

mod entry;
mod shards;
mod terms;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;
use serde::Serialize;

use entry::{Entry, Subject};
use shards::Shards;

use crate::code::Listing;
use crate::diag::Place;
use crate::output::Bytes;
use crate::render::page::{Folder, Page, Starter};
use crate::theme::Made;
use crate::theme::names::Names;

/// How many hex digits tell one state of the index from another.
const DIGITS: usize = 12;

/// What is searched.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// What pages are called.
    pub names: Names<'a>,
    /// The rendered pages, by [`crate::course::PageId`].
    pub pages: &'a [Option<Arc<Page>>],
    /// The starter files that have a page.
    pub starters: &'a [Arc<Starter>],
    /// The folders that have a page.
    pub folders: &'a [Arc<Folder>],
    /// The starter files, understood, by path.
    pub listings: &'a BTreeMap<Arc<str>, Arc<Listing>>,
}

/// The index, and what it leaves for the next one.
#[derive(Default, Clone)]
pub struct Memo {
    entries: Vec<Arc<Entry>>,
    shards: Shards,
}

/// A script that hands over data under a name.
#[derive(Debug, Clone)]
struct Script {
    bytes: Bytes,
    /// Of the bytes, so that the hash of an index is one of hashes.
    hash: blake3::Hash,
}

/// Where the shards begin.
#[derive(Serialize)]
struct Index<'a> {
    /// Differs where anything of the index does.
    #[serde(rename = "v")]
    version: &'a str,
    /// How many pages there are.
    #[serde(rename = "n")]
    entries: usize,
    /// The first term of each shard but the first, with blanks between.
    #[serde(rename = "t")]
    borders: String,
}

impl Script {
    fn new<T: Serialize>(name: &str, data: &T) -> Self {
        // Strings and numbers always become JSON.
        let data = serde_json::to_string(data).unwrap_or_default();
        let text = format!("infralens.take(\"{name}\",{data})\n");
        Self { hash: blake3::hash(text.as_bytes()), bytes: text.into() }
    }
}

impl Memo {
    /// Makes the index of a site. `has_same_names`: nothing that pages are called is other than before. Returns the files
    /// that are not as they were; nothing if there may be others than before.
    pub fn update(&mut self, input: &Input<'_>, has_same_names: bool) -> Option<Vec<Made>> {
        let subjects = subjects(input);
        let stands = subjects.len() == self.entries.len()
            && self.entries.iter().zip(&subjects).all(|(entry, &subject)| entry.is_at(input, subject, has_same_names));
        let was = std::mem::take(&mut self.entries);
        self.entries = subjects
            .par_iter()
            .enumerate()
            .map(|(number, &subject)| {
                let kept = was.get(number).filter(|kept| stands && kept.holds(input, subject, has_same_names));
                kept.map_or_else(|| Arc::new(Entry::new(input, subject, number)), Arc::clone)
            })
            .collect();
        if !stands {
            self.shards = Shards::new(&self.entries);
            return None;
        }
        let pairs = was.iter().zip(&self.entries).enumerate();
        let changed: Vec<(usize, &Entry, &Entry)> =
            pairs.filter(|(_, (was, is))| !Arc::ptr_eq(was, is)).map(|(at, (was, is))| (at, &**was, &**is)).collect();
        if changed.is_empty() {
            return Some(Vec::new());
        }
        let before = self.shards.scripts.len();
        let reached = self.shards.update(&changed);
        let scripts = reached.iter().map(|first| Some((first, self.shards.scripts.get(first)?)));
        let scripts: Option<Vec<_>> = scripts.collect();
        let mut made: Vec<Made> =
            scripts?.into_iter().map(|(first, script)| made(&shards::name(first), script)).collect();
        made.extend(changed.iter().map(|(number, _, is)| fragment(*number, is)));
        made.push(self.index());
        (self.shards.scripts.len() == before).then_some(made)
    }

    /// All files of the index.
    pub fn files(&self) -> impl Iterator<Item = Made> {
        let shards = self.shards.scripts.iter().map(|(first, script)| made(&shards::name(first), script));
        let fragments = self.entries.iter().enumerate().map(|(number, entry)| fragment(number, entry));
        std::iter::once(self.index()).chain(shards).chain(fragments)
    }

    fn index(&self) -> Made {
        let mut hasher = blake3::Hasher::new();
        let fragments = self.entries.iter().map(|entry| &entry.fragment);
        self.shards.scripts.values().chain(fragments).for_each(|script| _ = hasher.update(script.hash.as_bytes()));
        let borders: Vec<&str> =
            self.shards.scripts.keys().map(AsRef::as_ref).filter(|first: &&str| !first.is_empty()).collect();
        let version = &hasher.finalize().to_hex()[..DIGITS];
        let index = Index { version, entries: self.entries.len(), borders: borders.join(" ") };
        made("index", &Script::new("index", &index))
    }
}

/// Everything that is found: pages by URL, then files, then folders.
fn subjects<'a>(input: &Input<'a>) -> Vec<Subject<'a>> {
    let pages = input.names.course.pages.iter().enumerate().filter(|(_, known)| known.published);
    let pages = pages.map(|(id, _)| Subject::Course(id, input.pages.get(id).and_then(Option::as_ref)));
    let starters = input.starters.iter();
    let starters = starters.filter_map(|found| Some(Subject::Starter(found, input.listings.get(&found.path)?)));
    pages.chain(starters).chain(input.folders.iter().map(Subject::Folder)).collect()
}

fn fragment(number: usize, entry: &Entry) -> Made {
    made(&format!("p{number}"), &entry.fragment)
}

fn made(name: &str, script: &Script) -> Made {
    // Of all pages, and so of the script that reads them: a page with a fault holds none of it back.
    let bytes = script.bytes.clone();
    Made { path: format!("search/{name}.js").into(), bytes, from: Place::file("static/search.js") }
}
