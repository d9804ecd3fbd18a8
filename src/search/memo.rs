//! The index between two builds: entries whose page, starter or folder is the very same are kept.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::entry::Head;
use super::{Entry, Index, Subject};
use crate::code::Listing;
use crate::diag::Place;
use crate::render::page::{Folder, Page, Starter};
use crate::theme::Made;
use crate::theme::names::Names;

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

/// The index of the last build, and what its entries were made of.
#[derive(Default, Clone)]
pub struct Memo {
    kept: Vec<Kept>,
    index: Option<Arc<Index>>,
}

#[derive(Clone)]
struct Kept {
    origin: Origin,
    head: Head,
    entry: Arc<Entry>,
}

/// What an entry was made of.
#[derive(Clone)]
enum Origin {
    Course(Option<Arc<Page>>),
    Starter(Arc<Starter>, Arc<Listing>),
    Folder(Arc<Folder>),
}

impl Origin {
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Course(Some(this)), Self::Course(Some(other))) => Arc::ptr_eq(this, other),
            (Self::Course(None), Self::Course(None)) => true,
            (Self::Starter(this, read), Self::Starter(other, reread)) => {
                Arc::ptr_eq(this, other) && Arc::ptr_eq(read, reread)
            }
            (Self::Folder(this), Self::Folder(other)) => Arc::ptr_eq(this, other),
            _ => false,
        }
    }
}

impl Memo {
    /// Plans the index of a site. Returns the files that differ from before: none, or `None` if all may differ.
    pub fn update(&mut self, input: &Input<'_>) -> Option<Vec<Made>> {
        let was = std::mem::take(&mut self.kept);
        let subjects: Vec<(Subject<'_>, Origin)> = subjects(input).collect();
        self.kept = subjects
            .into_par_iter()
            .enumerate()
            .map(|(number, (subject, origin))| {
                let head = subject.head(input.names);
                let kept = was.get(number).filter(|was| was.origin.is_same(&origin) && was.head == head);
                let entry =
                    kept.map_or_else(|| Arc::new(Entry::new(input.names, subject)), |was| Arc::clone(&was.entry));
                Kept { origin, head, entry }
            })
            .collect();
        let is_same = was.len() == self.kept.len()
            && was.iter().zip(&self.kept).all(|(was, is)| Arc::ptr_eq(&was.entry, &is.entry));
        if is_same && self.index.is_some() {
            return Some(Vec::new());
        }
        self.index = Some(Arc::new(Index::new(self.kept.iter().map(|kept| Arc::clone(&kept.entry)).collect())));
        None
    }

    /// All files of the index.
    #[must_use]
    pub fn files(&self) -> Vec<Made> {
        let paths: Vec<String> = self.index.iter().flat_map(|index| index.paths()).collect();
        let made = paths.into_par_iter().filter_map(|path| {
            let bytes = self.index.as_ref()?.make(&path)?;
            // From all pages, so from the script that reads them: an error in one page must not hold the index back.
            Some(Made { path: path.into(), bytes, from: Place::file("static/search.js") })
        });
        made.collect()
    }
}

/// Everything that is found: pages by URL, then files, then folders.
fn subjects<'a>(input: &Input<'a>) -> impl Iterator<Item = (Subject<'a>, Origin)> {
    let pages = input.names.course.pages.iter().enumerate().filter(|(_, known)| known.published);
    let pages = pages.map(|(id, _)| {
        let page = input.pages.get(id).and_then(Option::as_ref);
        (Subject::Course(id, page.map(AsRef::as_ref)), Origin::Course(page.cloned()))
    });
    let starters = input.starters.iter().filter_map(|found| {
        let listing = input.listings.get(&found.path)?;
        Some((Subject::Starter(found, listing), Origin::Starter(Arc::clone(found), Arc::clone(listing))))
    });
    let folders = input.folders.iter().map(|found| (Subject::Folder(found), Origin::Folder(Arc::clone(found))));
    pages.chain(starters).chain(folders)
}
