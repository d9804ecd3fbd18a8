//! The starter files that the course names: found, read, understood, and given their pages.
//!
//! 1. every page names files: a lab's main file, `file=` of excerpts, links into `code/`;
//! 2. the folders that hold them have READMEs, which name further files, until nothing new is named;
//! 3. each file is understood once.

mod find;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use find::Unread;
use rayon::prelude::*;

use super::documents::Understood;
use super::kept::{Named, renew};
use crate::code::Listing;
use crate::config::RawHtml;
use crate::course::link::{self, From, Target};
use crate::course::{Course, starter as paths, url};
use crate::diag::{Diagnostic, Place, codes};
use crate::document::{Document, Kind};
use crate::project::Project;
use crate::source::Source;

/// The file that tells what a folder is for.
const README: &str = "README.md";

/// A starter file, understood, and what is said of it.
#[derive(Debug)]
struct Read {
    listing: Arc<Listing>,
    diagnostics: Vec<Diagnostic>,
}

impl Read {
    fn new(source: &Arc<Source>) -> Self {
        let (listing, diagnostics) = Listing::new(source);
        Self { listing: Arc::new(listing), diagnostics }
    }
}

impl Named for Read {
    fn name(&self) -> &str {
        self.listing.source().path()
    }
}

impl Named for Arc<Source> {
    fn name(&self) -> &str {
        self.path()
    }
}

/// The starter files of a course.
#[derive(Debug, Default, Clone)]
pub struct Starters {
    /// Every file that some page names, by path from the course's root.
    pub listings: BTreeMap<Arc<str>, Arc<Listing>>,
    /// The same with what is said of them, sorted by path.
    read: Vec<Arc<Read>>,
    /// The READMEs of the folders that hold them, sorted by path.
    pub readmes: Vec<Arc<Understood>>,
    /// Each lab's main file, by the path of its page, sorted.
    mains: Vec<(Arc<str>, String)>,
    /// What is said of names.
    diagnostics: Vec<Diagnostic>,
}

/// Finds and understands every starter file that a page names; what `was` understood of the very same file is kept.
pub fn gather<'a>(
    was: &Starters,
    documents: impl Iterator<Item = &'a Document>,
    course: &Course,
    project: &Project,
) -> Starters {
    let documents: Vec<&Document> = documents.collect();
    let mut starters = Starters { diagnostics: same_names(&documents), ..Starters::default() };
    let mut found: BTreeMap<Arc<str>, Arc<Source>> = BTreeMap::new();
    let mut unread = Unread::default();
    for document in &documents {
        let wrong = starters.set_main(document);
        starters.diagnostics.extend(wrong);
    }
    let of_each = documents.par_iter().map(|document| {
        let mut wrong = Vec::new();
        (names(document, starters.main(document.source.path()), course, project, &mut wrong), wrong)
    });
    let (named, wrong): (Vec<_>, Vec<_>) = of_each.unzip();
    let mut named = named.concat();
    starters.diagnostics.extend(wrong.concat());
    let mut readmes: BTreeMap<String, Arc<Understood>> = BTreeMap::new();
    while !named.is_empty() {
        for (path, place) in std::mem::take(&mut named) {
            match unread.find(project, course, &path, place) {
                Ok(source) => found.extend(source.map(|source| (Arc::clone(source.path()), source))),
                Err(diagnostic) => starters.diagnostics.push(*diagnostic),
            }
        }
        for folder in folders(found.keys()) {
            let path = format!("{folder}/{README}");
            let Some(source) = unread.readme(project, &path).filter(|_| !readmes.contains_key(&path)) else { continue };
            let readme = was.readme(&folder, source);
            if let Some(document) = &readme.document {
                named.extend(names(document, None, course, project, &mut starters.diagnostics));
            }
            readmes.insert(path, readme);
        }
    }
    starters.readmes = readmes.into_values().collect();
    for document in documents.into_iter().chain(starters.readmes.iter().filter_map(|readme| readme.document.as_ref())) {
        let own = starters.main(document.source.path());
        unread.empty(document, own, &found);
    }
    found.retain(|path, _| !unread.0.contains_key(path));
    starters.diagnostics.extend(unread.0.into_values());
    starters.understand(was, &found.into_values().collect::<Vec<_>>());
    starters
}

/// Every folder, from a folder of `code/` down, that holds one of the files; `code` itself only where it holds one.
pub fn folders<'a>(files: impl Iterator<Item = &'a Arc<str>>) -> BTreeSet<String> {
    let mut folders = BTreeSet::new();
    for file in files {
        let mut folder = url::folder(file);
        folders.insert(folder.to_string());
        while let Some((above, _)) = folder.rsplit_once('/').filter(|(above, _)| *above != "code") {
            folders.insert(above.to_string());
            folder = above;
        }
    }
    folders
}

/// Two labs of one name in two tracks must both say which folder they mean.
fn same_names(documents: &[&Document]) -> Vec<Diagnostic> {
    let mut labs: BTreeMap<&str, Vec<&Document>> = BTreeMap::new();
    for &document in documents.iter().filter(|document| document.placement.kind == Kind::Lab) {
        labs.entry(&document.placement.name).or_default().push(document);
    }
    let shared = labs.into_values().filter(|labs| labs.len() > 1);
    shared
        .flat_map(|labs| {
            let first = Arc::clone(labs[0].source.path());
            let second = Arc::clone(labs[1].source.path());
            labs.into_iter().filter_map(move |lab| {
                let file = lab.front.lab.as_ref()?.starter.file.as_ref().filter(|file| !file.value.contains('/'))?;
                let name = &lab.placement.name;
                let other = if *lab.source.path() == first { &second } else { &first };
                let message = format!("two tracks have a lab `{name}`, so `code/{name}/` could be either's folder");
                Some(
                    Diagnostic::new(codes::E0315, Place::new(lab.source.path(), file.span.clone()), message)
                        .related(Place::file(Arc::clone(other)), "the other lab")
                        .help(format!("write the folder: `{name}/{}`, or another one of `code/`", file.value)),
                )
            })
        })
        .collect()
}

/// What a page names: the path in the course, and where it says so.
fn names(
    document: &Document,
    own: Option<&str>,
    course: &Course,
    project: &Project,
    out: &mut Vec<Diagnostic>,
) -> Vec<(String, Place)> {
    let source = &document.source;
    let place = |span: &crate::source::Span| Place::new(source.path(), span.clone());
    let mut named = Vec::new();
    let starter = document.front.lab.as_ref().and_then(|lab| lab.starter.file.as_ref());
    named.extend(own.zip(starter).map(|(own, file)| (own.to_string(), place(&file.span))));
    // A lab whose own `starter.file` is wrong has said so; its excerpts of it need not say it again.
    let blind = |path: &str| own.is_none() && document.placement.kind == Kind::Lab && paths::is_own(path);
    for excerpt in &document.body.excerpts {
        let span = if excerpt.file.path.is_empty() { &excerpt.file.span } else { &excerpt.file.path_span };
        match paths::named(own, &excerpt.file.path) {
            // The lab's own file is named by its front matter already.
            Ok(_) if excerpt.file.path.is_empty() => {}
            _ if blind(&excerpt.file.path) => {}
            Ok(path) => named.push((path, place(span))),
            Err(error) => out.push(path_error(error, &excerpt.file.path, place(span))),
        }
    }
    let links = document.body.links.iter().map(|link| (&link.target, &link.span, link.image));
    let html = document.body.html_links.iter().filter(|_| course.raw_html != RawHtml::Escape);
    for (target, span, is_image) in links.chain(html.map(|(target, span)| (target, span, false))) {
        let from = From { path: source.path(), headings: &[], html_ids: &[], own };
        if target.starts_with(['#', '@']) {
            continue;
        }
        match link::resolve(course, project, from, target) {
            // A picture is read as text only to say why it cannot be read.
            Ok(Target::Code { path, .. }) if is_image && !project.is_unread(&path) => {}
            Ok(Target::Code { path, .. }) if own != Some(&path) => named.push((path, place(span))),
            _ => {}
        }
    }
    named
}

fn path_error(error: paths::PathError, path: &str, place: Place) -> Diagnostic {
    match error {
        paths::PathError::Outside => Diagnostic::new(codes::E0303, place, format!("`{path}` leads out of `code/`"))
            .help("starter files lie below `code/`"),
        paths::PathError::NoOwnFolder => Diagnostic::new(codes::E0314, place, "only a lab has an own starter folder")
            .help("name the file from `code/` on, as in `file=lab-01-x/ledger.py#region`"),
    }
}

impl Starters {
    fn understand(&mut self, was: &Self, sources: &[Arc<Source>]) {
        self.read = renew(&was.read, sources, |source, kept| Arc::ptr_eq(source, kept.listing.source()), Read::new);
        let listings = self.read.iter().map(|read| &read.listing);
        self.listings = listings.map(|listing| (Arc::clone(listing.source().path()), Arc::clone(listing))).collect();
    }

    fn readme(&self, folder: &str, source: &Arc<Source>) -> Arc<Understood> {
        let at = self.readmes.binary_search_by(|known| known.name().cmp(source.path()));
        let known = at.ok().map(|at| &self.readmes[at]).filter(|known| known.is_of(source));
        known.map_or_else(
            || {
                let below = folder.strip_prefix("code").unwrap_or_default().trim_start_matches('/');
                Arc::new(Understood::readme(source, below))
            },
            Arc::clone,
        )
    }

    /// All that is said of starters and READMEs.
    pub fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        let readmes = self.readmes.iter().flat_map(|readme| &readme.diagnostics);
        let listings = self.read.iter().flat_map(|read| &read.diagnostics);
        self.diagnostics.iter().chain(readmes).chain(listings)
    }

    /// Whether the same files could be understood as in `was`.
    pub fn has_same_names(&self, was: &Self) -> bool {
        std::ptr::eq(self, was) || self.listings.keys().eq(was.listings.keys())
    }

    /// Whether a file is understood from the same text as in `was`; also where neither names it.
    pub fn has_same(&self, was: &Self, path: &str) -> bool {
        match (self.listings.get(path), was.listings.get(path)) {
            (Some(is), Some(was)) => Arc::ptr_eq(is, was),
            (is, was) => is.is_none() && was.is_none(),
        }
    }

    /// The main file of the lab at a path.
    pub fn main(&self, page: &str) -> Option<&str> {
        let at = self.mains.binary_search_by(|(known, _)| (**known).cmp(page)).ok()?;
        Some(&self.mains[at].1)
    }

    /// Whether the same starters would be gathered for a course of the same names, of which these documents have changed.
    /// What is said of a document tells where in it, so then nothing is the same.
    pub fn stand_for<'a>(
        &self,
        mut edited: impl Iterator<Item = (&'a Document, &'a Document)>,
        course: &Course,
        project: &Project,
    ) -> bool {
        let names = |document: &Document| {
            let mut wrong = Vec::new();
            let named = names(document, self.main(document.source.path()), course, project, &mut wrong);
            wrong.is_empty().then(|| named.into_iter().map(|(path, _)| path).collect::<Vec<_>>())
        };
        self.diagnostics.is_empty() && edited.all(|(was, is)| names(is).is_some_and(|now| Some(now) == names(was)))
    }

    /// The same starters where some files have other text, if only the listings of these follow from it: not where a README
    /// has changed, which may name other starters, or a file is blank now, which is reported where it is named.
    pub fn reread<'a>(&self, mut changed: impl Iterator<Item = &'a str>, project: &Project) -> Option<Self> {
        let mut starters = self.clone();
        changed.try_for_each(|path| {
            if url::file_name(path) == README {
                return None;
            }
            if let Ok(at) = self.read.binary_search_by(|known| known.name().cmp(path)) {
                let source = project.text(path).filter(|source| !source.is_blank())?;
                let read = Arc::new(Read::new(source));
                starters.listings.insert(Arc::clone(source.path()), Arc::clone(&read.listing));
                starters.read[at] = read;
            }
            Some(())
        })?;
        Some(starters)
    }

    /// The main files of labs, by the paths of their pages, sorted.
    pub fn mains(&self) -> impl Iterator<Item = &(Arc<str>, String)> {
        self.mains.iter()
    }

    /// Notes a lab's main file.
    fn set_main(&mut self, document: &Document) -> Option<Diagnostic> {
        let file = document.front.lab.as_ref()?.starter.file.as_ref()?;
        match paths::main_file(&document.placement.name, &file.value) {
            Ok(path) => {
                self.mains.push((Arc::clone(document.source.path()), path));
                None
            }
            Err(error) => Some(path_error(error, &file.value, Place::new(document.source.path(), file.span.clone()))),
        }
    }
}
