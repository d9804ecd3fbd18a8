//! Brings starters up to a later state of the project that wrote them.
//!
//! 1. [`starters`] collects what labs say under `starter.upstream`;
//! 2. [`plan`] puts the author's region markers into the later files (`markers`), and makes the course with them in memory.
//!    A file that the author has edited in any other way stays as it is;
//! 3. the pins that no note concerns follow their files, as with `sync`; the front matter names the later commit;
//! 4. [`Lost::find`] says where code is that the later file no longer has; what has moved to one other file is followed
//!    (`follow`).

mod follow;
mod markers;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use infralens_course::course::starter as paths;
use infralens_page::front_matter::Upstream;
use infralens_render::pin::Drift;
use infralens_site::{self as site, Options, Site};
use infralens_source::change::{self, Change, Refusal};
use infralens_source::selector::Selector;
use infralens_source::source::{Source, edited};
use infralens_starter::Listing;
use infralens_starter::copied::{Copied, CopiedCode};
use infralens_starter::listing::Lines;
use infralens_starter::moved::CodeIndex;

use crate::relocate::rewritten;
use crate::sync::{self, Accept};
use follow::Followed;
pub use follow::Moved;

/// The maximum number of files that are parsed because they have the name of a definition.
const MAX_FILES: usize = 32;

/// A starter file that another project wrote.
#[derive(Debug)]
pub struct Starter {
    pub own: Arc<Source>,
    pub repository: String,
    pub commit: String,
    /// Its path in the repository.
    pub path: String,
    /// The labs that say so, each with what it says.
    labs: Vec<(Arc<Source>, Upstream)>,
}

/// What a later state of a project has of a starter.
#[derive(Debug)]
pub struct Later {
    /// The id of the later commit.
    pub commit: String,
    /// The path of the file there; `None` if it is gone.
    pub path: Option<String>,
    /// The file as the project had it in the commit that the labs name.
    pub old: Arc<Source>,
    /// The file in the later commit; `None` if it is gone.
    pub new: Option<Arc<Source>>,
}

/// The result of a comparison of one starter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// The project has not changed it.
    Same,
    /// The later file can replace it.
    Later,
    /// The author has edited it: this is the difference from the project's file.
    Edited(String),
    /// The later state has no such file.
    Gone,
}

/// A part of a starter that the later file does not have.
#[derive(Debug)]
pub struct Lost {
    /// What pages call it: the name of a region, or another selector.
    pub selector: Selector,
    code: String,
    /// What it defines.
    defined: Option<Selector>,
    /// The definition that it is in.
    holder: Option<Selector>,
}

/// A course with the later states of its starters.
pub struct Update {
    /// Each starter, with what it loses.
    pub starters: Vec<(State, Vec<Lost>)>,
    /// The changes, in the order in which they are made: those of pages that name the commits come last, so that an update
    /// that was killed can be repeated.
    pub changes: Vec<Change>,
    /// The pins that follow their files, each with the line of its fence.
    pub pins: Vec<(Drift, usize)>,
    /// The course as it then is, but for what the front matter says.
    pub site: Site,
}

/// Returns the starters of some labs, or of all, that other projects wrote.
///
/// # Errors
///
/// The `starter.upstream` of a lab is incomplete or names a file that does not exist, or two labs name different states of
/// one file.
pub fn starters(site: &Site, labs: &BTreeSet<Arc<str>>) -> Result<Vec<Starter>, Refusal> {
    let mut found: BTreeMap<Arc<str>, Starter> = BTreeMap::new();
    let mut named = BTreeSet::new();
    for document in site.sources().map(|source| source.subject.document) {
        let (page, lab) = (&document.source, document.front.lab.as_ref());
        for (lab, upstream) in lab.iter().flat_map(|lab| lab.starter.upstreams().iter().map(move |one| (lab, one))) {
            let file = upstream.file.as_ref().or(lab.starter.file.as_ref());
            let file = file.and_then(|file| paths::main_file(&document.placement.name, &file.value).ok());
            let starter = file.and_then(|file| Starter::new(site.project().text(&file)?, upstream));
            let starter = starter.ok_or_else(|| {
                Refusal::new(format!("`starter.upstream` of `{}` cannot be used", page.path()))
                    .help("`infralens check` says what is wrong with it")
            })?;
            if labs.is_empty() || labs.contains(page.path()) {
                named.insert(Arc::clone(starter.file()));
            }
            let (commit, path) = (starter.commit.clone(), starter.path.clone());
            let known = found.entry(Arc::clone(starter.file())).or_insert(starter);
            if let Some((first, _)) = known.labs.first().filter(|_| known.commit != commit || known.path != path) {
                let (first, file) = (first.path(), known.file());
                let message = format!("`{first}` and `{}` name different states of `{file}`", page.path());
                return Err(Refusal::new(message).help("write the same `commit` and `path` in both"));
            }
            known.labs.push((Arc::clone(page), upstream.clone()));
        }
    }
    Ok(found.into_values().filter(|starter| named.contains(starter.file())).collect())
}

impl Starter {
    /// Reads what a lab says about a file; `None` if something is missing.
    fn new(own: &Arc<Source>, upstream: &Upstream) -> Option<Self> {
        let (commit, path) = (upstream.commit.value.clone(), upstream.path.trim_start_matches('/').to_owned());
        let is_complete = !commit.is_empty() && !path.is_empty();
        let repository = upstream.repository.as_ref().filter(|_| is_complete)?.to_string();
        Some(Self { own: Arc::clone(own), repository, commit, path, labs: Vec::new() })
    }

    /// Returns its path, from the course's root.
    pub fn file(&self) -> &Arc<str> {
        self.own.path()
    }
}

/// Plans the update of starters, each with its later state. What has `moved` from each to other files is followed.
pub fn plan(site: &Site, starters: &[(Starter, Later)], moved: &[Vec<Moved>], options: &Options) -> Update {
    let project = site.project();
    let (mut states, mut code) = (Vec::new(), Vec::new());
    for (starter, later) in starters {
        let (state, lost, change) = compare(starter, later);
        states.push((state, lost));
        code.extend(change);
    }
    let followed =
        starters.iter().zip(moved).map(|((starter, later), moved)| follow::plan(site, starter, later, moved));
    let followed: Vec<Followed> = followed.collect();
    code.extend(followed.iter().flat_map(|followed| &followed.files).map(|(change, _)| change.clone()));
    let fences = follow::pages(site, &followed);
    let edited: Vec<Change> = code.iter().chain(&fences).cloned().collect();
    let with_code = site::plan(&change::preview(project, &edited), options, site);
    for ((starter, _), (state, lost)) in starters.iter().zip(&mut states) {
        if *state == State::Gone || code.iter().any(|change| change.path() == starter.file()) {
            lost.extend(unselected(site, &with_code, starter, *state == State::Gone, lost));
        }
    }
    let synced = sync_files(site, &with_code, &code);
    let pages = joined(fences, synced.changes);
    let changes = |pages: &[Change]| code.iter().chain(pages).cloned().collect::<Vec<_>>();
    let later = site::plan(&change::preview(project, &changes(&pages)), options, &with_code);
    let brought = starters.iter().zip(&states).filter(|(_, (state, _))| *state == State::Later);
    let pages = with_commits(&pages, brought.map(|(starter, _)| starter), starters.iter().zip(&followed));
    Update { starters: states, changes: changes(&pages), pins: synced.updated, site: later }
}

/// Joins what follows moved code with what `sync` then makes of the same pages.
fn joined(fences: Vec<Change>, synced: Vec<Change>) -> Vec<Change> {
    let mut pages: BTreeMap<Arc<str>, Change> =
        fences.into_iter().map(|change| (Arc::clone(change.path()), change)).collect();
    for change in synced {
        match (pages.get_mut(change.path()), change) {
            (Some(Change::Replace { text, .. }), Change::Replace { text: synced, .. }) => *text = synced,
            (_, change) => {
                pages.insert(Arc::clone(change.path()), change);
            }
        }
    }
    pages.into_values().collect()
}

/// Compares a starter with its later state, and returns the change that brings it.
fn compare(starter: &Starter, later: &Later) -> (State, Vec<Lost>, Option<Change>) {
    let Some((path, new)) = later.path.as_ref().zip(later.new.as_ref()) else {
        return (State::Gone, Vec::new(), None);
    };
    if new.text() == later.old.text() && *path == starter.path {
        return (State::Same, Vec::new(), None);
    }
    let own = &starter.own;
    let [mine, old, new] = [own, &later.old, new].map(|source| Listing::new(source).0);
    let marked = match markers::marked(&mine, &old) {
        Ok(marked) => marked,
        // It is there already.
        Err(_) if markers::marked(&mine, &new).is_ok() => return (State::Later, Vec::new(), None),
        Err(difference) => return (State::Edited(difference), Vec::new(), None),
    };
    let (text, lost) = markers::merge(&marked, &old, &new);
    let lost = lost.iter().map(|region| Lost::new(Selector::Region(region.name.to_owned()), &old, &region.lines));
    let change = (text != own.text()).then(|| Change::Replace { source: Arc::clone(own), text });
    (State::Later, lost.collect(), change)
}

/// Returns what the excerpts of a starter select and the later file does not have, or the file `is_gone`; without what is
/// `known` to be lost.
fn unselected(site: &Site, later: &Site, starter: &Starter, is_gone: bool, known: &[Lost]) -> Vec<Lost> {
    let listing = |site: &Site| site.context().listings.get(starter.file()).cloned();
    let (Some(old), new) = (listing(site), listing(later)) else { return Vec::new() };
    let mut found: Vec<Lost> = Vec::new();
    for source in site.sources() {
        let shown = source.facts.excerpts.iter().filter(|shown| shown.listing.source().path() == starter.file());
        let files = shown.map(|shown| &source.subject.document.body.excerpts[shown.index].file);
        for (selector, _) in files.flat_map(|file| &file.selectors) {
            let is_there = !is_gone && new.as_ref().is_some_and(|new| new.select(selector).is_ok());
            if let Some(lines) = old.select(selector).ok().filter(|_| !is_there)
                && known.iter().chain(&found).all(|lost| lost.selector != *selector)
            {
                found.push(Lost::new(selector.clone(), &old, &lines));
            }
        }
    }
    found
}

/// Plans what `sync` does without review to the excerpts of changed files, and to links that were right before.
fn sync_files(before: &Site, site: &Site, code: &[Change]) -> sync::Plan {
    let mut drifts = site.all_drifts();
    drifts.excerpts.retain(|drift| code.iter().any(|change| *change.path() == drift.file));
    let known = before.all_drifts().links;
    let is_known =
        |page: &str, start: usize| known.iter().any(|link| **link.page.path() == *page && link.span.start == start);
    drifts.links.retain(|link| !is_known(link.page.path(), link.span.start));
    drifts.values.clear();
    sync::plan(drifts, &site.judge(), &Accept::None)
}

/// Adds to the changes of pages that labs name the later commits, the paths there, and the files that were brought.
fn with_commits<'s>(
    pages: &[Change],
    starters: impl Iterator<Item = &'s (Starter, Later)>,
    followed: impl Iterator<Item = (&'s (Starter, Later), &'s Followed)>,
) -> Vec<Change> {
    let mut named: BTreeMap<Arc<str>, (Arc<Source>, Vec<_>)> = BTreeMap::new();
    for (starter, later) in starters {
        for (page, upstream) in &starter.labs {
            let (_, edits) = named.entry(Arc::clone(page.path())).or_insert_with(|| (Arc::clone(page), Vec::new()));
            edits.push(rewritten(page, &upstream.commit, &later.commit));
            if let Some(path) = later.path.as_ref().filter(|path| **path != starter.path) {
                edits.push(rewritten(page, &upstream.path, path));
            }
        }
    }
    for ((starter, later), followed) in followed.filter(|(_, followed)| !followed.files.is_empty()) {
        for (page, _) in &starter.labs {
            let (_, edits) = named.entry(Arc::clone(page.path())).or_insert_with(|| (Arc::clone(page), Vec::new()));
            edits.extend(follow::upstreams(page, starter, later, followed));
        }
    }
    let (mut changes, mut last) = (Vec::new(), Vec::new());
    for change in pages {
        match (named.remove(change.path()), change) {
            // Front matter comes before everything that `sync` writes.
            (Some((source, edits)), Change::Replace { text, .. }) => {
                last.push(Change::Replace { text: edited(text, edits), source });
            }
            _ => changes.push(change.clone()),
        }
    }
    last.extend(
        named.into_values().map(|(source, edits)| Change::Replace { text: edited(source.text(), edits), source }),
    );
    changes.extend(last);
    changes
}

impl Lost {
    fn new(selector: Selector, listing: &Listing, lines: &Lines) -> Self {
        let code = lines.clone().filter(|&line| !listing.is_marker(line));
        let code = code.flat_map(|line| [listing.line(line), "\n"]).collect();
        let defined = listing.symbols().iter().find(|symbol| lines.contains(&symbol.line));
        let defined = defined.map(|symbol| Selector::Symbol(symbol.path.clone()));
        let holder = listing.covering_selector(lines).map(|(holder, _)| holder);
        let holder = holder.filter(|holder| defined.is_none() && matches!(holder, Selector::Symbol(_)));
        Self { selector, code, defined, holder }
    }

    /// Says in which of the project's files its code is now, or code that resembles it, or its definition, which the file has
    /// not had `before`.
    pub fn find(
        &self,
        index: &CodeIndex,
        files: &[Arc<Source>],
        before: impl Fn(&str) -> Option<Arc<Source>>,
    ) -> Option<String> {
        let place = |listing: &Listing, lines: &Lines| {
            format!("`{}`, lines {}-{}", listing.source().path(), lines.start + 1, lines.end)
        };
        match CopiedCode::new(&self.code).map(|code| index.origin(|| files.to_vec(), &code)) {
            Some(Copied::From(origin)) => {
                return Some(format!("its code is now in {}", place(origin.listing, &origin.lines)));
            }
            Some(Copied::Ambiguous(origins)) => {
                let places: Vec<String> = origins.iter().map(|origin| place(origin.listing, &origin.lines)).collect();
                return Some(format!("its code is now in {}", places.join(" and in ")));
            }
            Some(Copied::Resembling(near)) => {
                return Some(format!("{} % of it is now in {}", near.percent, place(near.listing, &near.lines)));
            }
            Some(Copied::Nowhere) | None => {}
        }
        let selector @ Selector::Symbol(name) = self.defined.as_ref().or(self.holder.as_ref())? else { return None };
        let last = name.rsplit(['.', ':']).next().unwrap_or(name);
        let named = files.iter().filter(|file| file.text().contains(last)).take(MAX_FILES);
        let mut found = named.filter_map(|file| {
            let listing = Listing::new(file).0;
            let lines = listing.select(selector).ok()?;
            let is_new = before(file.path()).is_none_or(|old| Listing::new(&old).0.select(selector).is_err());
            if !is_new {
                return None;
            }
            let was_in = if self.holder.is_some() { ", in which it was," } else { "" };
            Some(format!("`{name}`{was_in} is now in {}", place(&listing, &lines)))
        });
        found.next()
    }
}
