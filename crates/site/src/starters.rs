//! Starter files: those that the course names are found, read and parsed.
//!
//! 1. each page names files: a lab's main file and others that it says are from another project, `file=` of excerpts, links
//!    into `code/`;
//! 2. READMEs in their folders name further files, until nothing new is named;
//! 3. each file is parsed once.

mod find;
mod record;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub use find::{Scope, UnreadableFiles};
use rayon::prelude::*;

use super::documents::ParsedFile;
use super::reuse::{order, update};
use infralens_course::config::RawHtml;
use infralens_course::course::link::{self, From, Target};
use infralens_course::course::{Course, starter as paths, url};
use infralens_page::{Document, Excerpt, Kind};
use infralens_render::{Subject, moved};
use infralens_source::diag::{Diagnostic, Near, Place, codes};
use infralens_source::project::Project;
use infralens_source::source::Source;
use infralens_starter::Listing;
use infralens_starter::moved::CodeIndex;

/// The file that describes a folder.
const README: &str = "README.md";

/// A parsed starter file and its diagnostics.
#[derive(Debug)]
struct ParsedStarter {
    listing: Arc<Listing>,
    diagnostics: Vec<Diagnostic>,
}

impl ParsedStarter {
    fn new(source: &Arc<Source>) -> Self {
        let (listing, mut diagnostics) = Listing::new(source);
        // What a command printed is not the author's to mend.
        diagnostics.retain(|_| paths::shown_record(source.path()).is_none());
        Self { listing: Arc::new(listing), diagnostics }
    }

    fn path(&self) -> &str {
        self.listing.source().path()
    }
}

/// The starter files of a course.
#[derive(Debug, Default, Clone)]
pub struct Starters {
    /// Every file that a page names, by path from the course's root.
    pub listings: BTreeMap<Arc<str>, Arc<Listing>>,
    /// The same files with their diagnostics, sorted by path.
    parsed: Vec<Arc<ParsedStarter>>,
    /// The READMEs of their folders, sorted by path.
    pub readmes: Vec<Arc<ParsedFile>>,
    /// The main file of each lab, by the path of its page, sorted.
    main_files: Vec<(Arc<str>, String)>,
    /// Diagnostics about paths that pages name.
    diagnostics: Vec<Diagnostic>,
}

/// Finds and parses every starter file that a page names; keeps what `previous` parsed from unchanged files.
pub fn find_all<'a>(
    previous: &Starters,
    documents: impl Iterator<Item = &'a Document>,
    course: &Course,
    project: &Project,
    code: &CodeIndex,
) -> Starters {
    let documents: Vec<&Document> = documents.collect();
    let mut starters = Starters { diagnostics: ambiguous_folders(&documents), ..Starters::default() };
    let mut found: BTreeMap<Arc<str>, Arc<Source>> = BTreeMap::new();
    let mut unreadable = UnreadableFiles::default();
    for document in &documents {
        let diagnostics = starters.set_main_file(document, project);
        starters.diagnostics.extend(diagnostics);
    }
    let main_file = |document: &Document| starters.main_file(document.source.path());
    let of_each = documents.par_iter().map(|document| named_files(document, main_file(document), course, project));
    let (named, diagnostics): (Vec<_>, Vec<_>) = of_each.unzip();
    let mut named = named.concat();
    starters.diagnostics.extend(diagnostics.concat());
    let mut readmes: BTreeMap<String, Arc<ParsedFile>> = BTreeMap::new();
    while !named.is_empty() {
        for (path, place) in std::mem::take(&mut named) {
            let source = if let Some(record) = paths::shown_record(&path) {
                let known = previous.listings.get(path.as_str()).map(|listing| listing.file());
                record::source(project, &path, &record, known, place)
            } else {
                unreadable.find(project, Scope::Course(course), &path, place)
            };
            match source {
                Ok(source) => found.extend(source.map(|source| (Arc::clone(source.path()), source))),
                Err(diagnostic) => starters.diagnostics.push(*diagnostic),
            }
        }
        for folder in folders(found.keys().filter(|path| paths::shown_record(path).is_none())) {
            let path = format!("{folder}/{README}");
            let Some(source) = unreadable.readme(project, &path).filter(|_| !readmes.contains_key(&path)) else {
                continue;
            };
            let readme = previous.readme(&folder, source);
            if let Some(document) = &readme.document {
                let (files, diagnostics) = named_files(document, None, course, project);
                named.extend(files);
                starters.diagnostics.extend(diagnostics);
            }
            readmes.insert(path, readme);
        }
    }
    starters.readmes = readmes.into_values().collect();
    starters.find_moved(&documents, project, code);
    for document in documents.into_iter().chain(starters.readmes.iter().filter_map(|readme| readme.document.as_ref())) {
        let main_file = starters.main_file(document.source.path());
        unreadable.empty(Subject { document, page: None, main_file }, &found);
    }
    found.retain(|path, _| !unreadable.0.contains_key(path));
    starters.diagnostics.extend(unreadable.0.into_values());
    starters.parse(previous, &found.into_values().collect::<Vec<_>>());
    starters
}

/// Returns every folder below `code/` that contains one of the files, directly or not; `code` itself only if a file is
/// directly in it.
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

/// Reports labs with the same name in two tracks that do not name their folder explicitly.
fn ambiguous_folders(documents: &[&Document]) -> Vec<Diagnostic> {
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
                let path = format!("{}/{}", lab.placement.name, file.value);
                let name = &lab.placement.name;
                let other = if *lab.source.path() == first { &second } else { &first };
                let message = format!("two tracks have a lab `{name}`, so `code/{name}/` could belong to either");
                Some(
                    lab.source
                        .diagnostic(codes::E0315, file.span.clone(), message)
                        .related(Place::file(Arc::clone(other)), "the other lab")
                        .write(&path, format!("write the folder: `{path}`, or another folder in `code/`")),
                )
            })
        })
        .collect()
}

/// Returns the starter files that a page names, each with the place that names it, and diagnostics about invalid paths.
fn named_files(
    document: &Document,
    main_file: Option<&str>,
    course: &Course,
    project: &Project,
) -> (Vec<(String, Place)>, Vec<Diagnostic>) {
    let source = &document.source;
    let place = |span: &infralens_source::source::Span| source.place(span.clone());
    let (mut named, mut diagnostics) = (Vec::new(), Vec::new());
    let starter = document.front.lab.as_ref().and_then(|lab| lab.starter.file.as_ref());
    named.extend(main_file.zip(starter).map(|(main_file, file)| (main_file.to_string(), place(&file.span))));
    // If a lab's `starter.file` is invalid, that is reported; its excerpts of that file need no further diagnostic.
    let is_reported = |path: &str| main_file.is_none() && document.placement.kind == Kind::Lab && paths::is_own(path);
    for file in document.body.excerpts.iter().flat_map(Excerpt::files) {
        let span = if file.path.is_empty() { &file.span } else { &file.path_span };
        if let Some(problem) = record::problem(document, file) {
            diagnostics.push(problem);
            continue;
        }
        match paths::named(main_file, &file.path) {
            // The front matter has already named the lab's main file.
            Ok(_) if file.path.is_empty() => {}
            _ if is_reported(&file.path) => {}
            Ok(path) => named.push((path, place(span))),
            Err(error) => diagnostics.push(path_error(project, error, &file.path, place(span))),
        }
    }
    let upstreams = document.front.lab.iter().flat_map(|lab| lab.starter.upstreams());
    for file in upstreams.filter_map(|upstream| upstream.file.as_ref()) {
        match paths::main_file(&document.placement.name, &file.value) {
            Ok(path) => named.push((path, place(&file.span))),
            Err(error) => diagnostics.push(path_error(project, error, &file.value, place(&file.span))),
        }
    }
    for file in document.body.pieces().map(|piece| &piece.file) {
        match paths::named(main_file, &file.path) {
            Ok(_) if file.path.is_empty() => {}
            _ if is_reported(&file.path) => {}
            Ok(path) => named.push((path, place(&file.path_span))),
            Err(error) => diagnostics.push(path_error(project, error, &file.path, place(&file.span))),
        }
    }
    let links = document.body.links.iter().map(|link| (&link.target, &link.span, link.image));
    let html = document.body.html_links.iter().filter(|_| course.raw_html != RawHtml::Escape);
    for (target, span, is_image) in links.chain(html.map(|(target, span)| (target, span, false))) {
        let from = From { path: source.path(), headings: &[], html_ids: &[], own: main_file };
        if target.starts_with(['#', '@']) {
            continue;
        }
        match link::resolve(course, project, from, target) {
            // A picture is looked up here only to report that it cannot be read.
            Ok(Target::Code { path, .. }) if is_image && !project.is_unread(&path) => {}
            Ok(Target::Code { path, .. }) if main_file != Some(&path) => named.push((path, place(span))),
            _ => {}
        }
    }
    (named, diagnostics)
}

fn path_error(project: &Project, error: paths::PathError, path: &str, place: Place) -> Diagnostic {
    match error {
        paths::PathError::Outside if path.contains('\\') => Diagnostic::new(
            codes::E0303,
            place,
            format!("`{path}` has a backslash, and names of starter files have none"),
        )
        .write(&path.replace('\\', "/"), format!("write `/` between folders: `{}`", path.replace('\\', "/"))),
        paths::PathError::Outside => Diagnostic::new(codes::E0303, place, format!("`{path}` leads out of `code/`"))
            .meant(
                paths::from_root(project, path)
                    .or_else(|| {
                        let below = path.trim_start_matches("../");
                        project.text(&format!("code/{below}")).map(|_| below)
                    })
                    .map(Near::unsure),
            )
            .help("starter files are in `code/`"),
        paths::PathError::NoOwnFolder => Diagnostic::new(codes::E0314, place, "only a lab has its own starter folder")
            .help("write the path below `code/`, as in `file=lab-01-x/ledger.py#region`"),
    }
}

impl Starters {
    /// Adds to the diagnostics for missing files to which files the code of the excerpts that show them has moved.
    fn find_moved(&mut self, documents: &[&Document], project: &Project, code: &CodeIndex) {
        let mut diagnostics = std::mem::take(&mut self.diagnostics);
        let missing = diagnostics.iter_mut().filter(|diagnostic| diagnostic.code == codes::E0302);
        let mut missing: BTreeMap<Place, &mut Diagnostic> =
            missing.map(|diagnostic| (diagnostic.place.clone(), diagnostic)).collect();
        if missing.is_empty() {
            self.diagnostics = diagnostics;
            return;
        }
        let readmes = self.readmes.iter().filter_map(|readme| readme.document.as_ref());
        let documents = documents.iter().copied().chain(readmes);
        let excerpts =
            documents.flat_map(|document| document.body.excerpts.iter().map(move |excerpt| (document, excerpt)));
        for (document, excerpt) in excerpts {
            let starter = document.front.lab.as_ref().and_then(|lab| lab.starter.file.as_ref());
            let of_lab = starter.filter(|_| excerpt.file.path.is_empty()).map(|file| file.span.clone());
            let span = of_lab.unwrap_or_else(|| excerpt.file.path_span.clone());
            let place = document.source.place(span);
            let subject = Subject { document, page: None, main_file: self.main_file(document.source.path()) };
            let Ok(path) = subject.named(&excerpt.file.path) else { continue };
            if let Some(diagnostic) = missing.remove(&place)
                && paths::from_root(project, &path).is_none()
            {
                moved::find(code, project, subject, excerpt, &path).explain(diagnostic, true);
            }
        }
        self.diagnostics = diagnostics;
    }

    fn parse(&mut self, previous: &Self, sources: &[Arc<Source>]) {
        self.parsed = update(
            (&previous.parsed, ParsedStarter::path),
            (sources, |source| source.path()),
            |source, previous| Arc::ptr_eq(source, previous.listing.file()),
            ParsedStarter::new,
        );
        let listings = self.parsed.iter().map(|parsed| &parsed.listing).filter(|listing| !listing.is_unread());
        self.listings = listings.map(|listing| (Arc::clone(listing.source().path()), Arc::clone(listing))).collect();
    }

    fn readme(&self, folder: &str, source: &Arc<Source>) -> Arc<ParsedFile> {
        let at = self.readmes.binary_search_by(|known| known.path().cmp(source.path()));
        let known = at.ok().map(|at| &self.readmes[at]).filter(|known| known.is_of(source));
        known.map_or_else(
            || {
                let below = folder.strip_prefix("code").unwrap_or_default().trim_start_matches('/');
                Arc::new(ParsedFile::readme(source, below))
            },
            Arc::clone,
        )
    }

    /// Returns all diagnostics about starters and READMEs.
    pub fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        let readmes = self.readmes.iter().flat_map(|readme| &readme.diagnostics);
        let listings = self.parsed.iter().flat_map(|parsed| &parsed.diagnostics);
        self.diagnostics.iter().chain(readmes).chain(listings)
    }

    /// Returns whether `previous` has the same files.
    pub fn has_same_paths(&self, previous: &Self) -> bool {
        let mut pairs = self.listings.keys().zip(previous.listings.keys());
        self.listings.len() == previous.listings.len() && pairs.all(|(one, other)| order(one, other).is_eq())
    }

    /// Returns whether the notebooks are the same as in `previous`, which has the same files.
    pub fn has_same_notebooks(&self, previous: &Self) -> bool {
        let is_notebook =
            |starters: &Self, path: &str| starters.listings.get(path).is_some_and(|file| file.is_notebook());
        let changed = self.changed_listings(previous);
        !changed.into_iter().any(|path| is_notebook(self, path) || is_notebook(previous, path))
    }

    /// Returns whether labs have the same main files as in `previous`.
    pub fn has_same_main_files(&self, previous: &Self) -> bool {
        std::ptr::eq(self, previous) || self.main_files == previous.main_files
    }

    /// Returns the files that have another listing than in `previous`, or that only one of the two has.
    pub fn changed_listings<'a>(&'a self, previous: &'a Self) -> BTreeSet<&'a str> {
        let pairs = self.listings.iter().zip(previous.listings.values());
        if self.has_same_paths(previous) {
            return pairs
                .filter(|((_, now), before)| !Arc::ptr_eq(now, before))
                .map(|((path, _), _)| &**path)
                .collect();
        }
        let missing = |one: &'a Self, other: &'a Self| {
            let is_other =
                |path: &str, listing| other.listings.get(path).is_none_or(|known| !Arc::ptr_eq(known, listing));
            one.listings.iter().filter(move |(path, listing)| is_other(path, listing)).map(|(path, _)| &**path)
        };
        missing(self, previous).chain(missing(previous, self)).collect()
    }

    /// Returns the main file of the lab at a path.
    pub fn main_file(&self, page: &str) -> Option<&str> {
        let at = self.main_files.binary_search_by(|(known, _)| (**known).cmp(page)).ok()?;
        Some(&self.main_files[at].1)
    }

    /// Returns whether the same starters would be found in a course with the same structure in which these documents,
    /// given as pairs of previous and current, were edited. Returns false if there are diagnostics, because they hold
    /// places in documents.
    pub fn would_be_unchanged<'a>(
        &self,
        mut edited: impl Iterator<Item = (&'a Document, &'a Document)>,
        course: &Course,
        project: &Project,
    ) -> bool {
        let paths = |document: &Document| {
            let (files, diagnostics) = named_files(document, self.main_file(document.source.path()), course, project);
            diagnostics.is_empty().then(|| files.into_iter().map(|(path, _)| path).collect::<Vec<_>>())
        };
        let is_unchanged = |(previous, current)| paths(current).is_some_and(|now| Some(now) == paths(previous));
        self.diagnostics.is_empty() && edited.all(is_unchanged)
    }

    /// Returns a copy in which the changed files are parsed again. Returns `None` if other starters may be affected: a
    /// README has changed, which may name other files, a record that is shown has changed, or a file is blank now, which is
    /// reported where it is named.
    pub fn with_updated_listings<'a>(
        &self,
        mut changed: impl Iterator<Item = &'a str>,
        project: &Project,
    ) -> Option<Self> {
        let mut starters = self.clone();
        changed.try_for_each(|path| {
            let is_shown_record =
                || self.listings.keys().filter_map(|path| paths::shown_record(path)).any(|shown| shown == path);
            if url::file_name(path) == README || paths::is_record(path) && is_shown_record() {
                return None;
            }
            if let Ok(at) = self.parsed.binary_search_by(|known| known.path().cmp(path)) {
                let source = project.text(path).filter(|source| !source.is_blank())?;
                let parsed = Arc::new(ParsedStarter::new(source));
                if parsed.listing.is_unread() || self.parsed[at].listing.is_unread() {
                    return None;
                }
                starters.listings.insert(Arc::clone(source.path()), Arc::clone(&parsed.listing));
                starters.parsed[at] = parsed;
            }
            Some(())
        })?;
        Some(starters)
    }

    /// Returns the main files of labs by the paths of their pages, sorted.
    pub fn main_files(&self) -> impl Iterator<Item = &(Arc<str>, String)> {
        self.main_files.iter()
    }

    /// Records a lab's main file. Returns a diagnostic if its path is invalid.
    fn set_main_file(&mut self, document: &Document, project: &Project) -> Option<Diagnostic> {
        let file = document.front.lab.as_ref()?.starter.file.as_ref()?;
        match paths::main_file(&document.placement.name, &file.value) {
            Ok(path) => {
                self.main_files.push((Arc::clone(document.source.path()), path));
                None
            }
            Err(error) => {
                let place = document.source.place(file.span.clone());
                Some(path_error(project, error, &file.value, place))
            }
        }
    }
}
