//! The pages of two sites, and which of them are the same page.

use std::collections::{BTreeMap, BTreeSet};
use std::ptr;
use std::sync::Arc;

use super::{Change, Kind, PageRef, Place};
use infralens_page::{Document, Kind as PageKind};
use infralens_render::ResolvedPage;
use infralens_site::Site;
use infralens_source::diag::quantity;
use infralens_source::source::Source;
use infralens_source::source::script::count_words;

/// The least share of its lines that a page without an alias has kept if it has moved.
const KEPT: f64 = 0.5;
/// The maximum number of pairs of pages whose lines are compared to find those that have moved.
const MAX_PAIRS: usize = 1 << 14;

/// A published page of a site, or the README of a folder.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub source: ResolvedPage<'a>,
    is_base: bool,
}

/// A page in both sites.
pub(crate) struct Pair<'a> {
    pub old: View<'a>,
    pub new: View<'a>,
}

/// The pages of two sites.
pub(crate) struct Pairs<'a> {
    pub same: Vec<Pair<'a>>,
    pub gone: Vec<View<'a>>,
    fresh: Vec<View<'a>>,
    /// The new path of the file of each page that has moved, by the old one.
    pub renamed: BTreeMap<Arc<str>, Arc<str>>,
}

impl<'a> View<'a> {
    /// Returns the pages of a site that readers see.
    pub fn all(site: &'a Site) -> Vec<Self> {
        let is_published =
            |source: &ResolvedPage<'a>| source.subject.page.is_none_or(|page| source.cx.course.pages[page].published);
        site.sources().filter(is_published).map(|source| Self { source, is_base: false }).collect()
    }

    /// Returns documents outside of courses.
    pub fn of(pages: &[ResolvedPage<'a>]) -> Vec<Self> {
        pages.iter().map(|source| Self { source: *source, is_base: false }).collect()
    }

    pub fn document(&self) -> &'a Document {
        self.source.subject.document
    }

    pub fn text(&self) -> &'a Arc<Source> {
        &self.document().source
    }

    pub fn path(&self) -> &'a Arc<str> {
        self.text().path()
    }

    pub fn place(&self, offset: usize) -> Place {
        Place::new(self.text(), offset, self.is_base)
    }

    pub fn url(&self) -> &'a str {
        &self.document().placement.url
    }

    pub fn page_ref(&self) -> PageRef {
        let title = Some(self.document().title()).filter(|title| !title.is_empty());
        PageRef { url: self.url().to_owned(), title: title.unwrap_or(self.path()).to_owned() }
    }

    fn lines(&self) -> BTreeSet<&'a str> {
        self.text().lines().map(str::trim).filter(|line| !line.is_empty()).collect()
    }
}

impl Pair<'_> {
    /// Returns whether nothing about the page itself can differ: the second site was planned after the first one and has
    /// kept what is unchanged.
    pub fn is_same(&self) -> bool {
        let [old, new] = [&self.old.source, &self.new.source];
        let values = [old, new].map(|page| page.cx.values_of(page.subject.document).map(ptr::from_ref));
        ptr::eq(old.subject.document, new.subject.document) && ptr::eq(old.facts, new.facts) && values[0] == values[1]
    }
}

impl<'a> Pairs<'a> {
    /// Finds the pages that are in both sites: under the same path, or moved.
    pub fn find(old: &[View<'a>], new: &[View<'a>]) -> Self {
        let old = old.iter().map(|view| View { is_base: true, ..*view });
        let mut left: BTreeMap<&str, View<'a>> = old.map(|view| (view.path().as_ref(), view)).collect();
        let (mut same, mut fresh) = (Vec::new(), Vec::new());
        for &new in new {
            match left.remove(new.path().as_ref()) {
                Some(old) => same.push(Pair { old, new }),
                None => fresh.push(new),
            }
        }
        let mut renamed = BTreeMap::new();
        let is_small = left.len().saturating_mul(fresh.len()) <= MAX_PAIRS;
        fresh.retain(|&new| {
            let Some(path) = moved_from(&left, new, is_small) else { return true };
            if let Some(old) = left.remove(path) {
                renamed.insert(Arc::clone(old.path()), Arc::clone(new.path()));
                same.push(Pair { old, new });
            }
            false
        });
        Self { same, gone: left.into_values().collect(), fresh, renamed }
    }

    /// Returns the pages that are new, have gone or have moved.
    pub fn changes(&self) -> Vec<Change> {
        let moved = self.same.iter().filter(|pair| pair.old.path() != pair.new.path()).map(|Pair { old, new }| {
            let redirect = if aliases(new).any(|alias| alias == old.url()) { "with" } else { "without" };
            let what = format!("page moved from `{}`, {redirect} a redirect", old.url());
            Change::new(Kind::Page, what).on(new).at(new.place(0))
        });
        let fresh = self.fresh.iter().map(|view| page(view, "new page"));
        let gone = self.gone.iter().map(|view| page(view, "page removed"));
        moved.chain(fresh).chain(gone).collect()
    }
}

/// Returns the old URLs that lead to a page.
pub(crate) fn aliases<'a>(view: &View<'a>) -> impl Iterator<Item = &'a str> + use<'a> {
    view.document().front.common.aliases.iter().map(|alias| alias.value.as_ref())
}

fn page(view: &View<'_>, what: &str) -> Change {
    let document = view.document();
    let excerpts = view.source.facts.excerpts.len();
    let words = count_words(&view.source.text(0..document.body.events.len()));
    let what = format!("{what}: {}, {}", quantity(words, "word"), quantity(excerpts, "excerpt"));
    Change::new(Kind::Page, what).on(view).at(view.place(0))
}

/// Returns the path of the file that a new page had in the older site.
fn moved_from<'l>(left: &BTreeMap<&'l str, View<'_>>, new: View<'_>, is_small: bool) -> Option<&'l str> {
    let find = |is_it: &dyn Fn(&View<'_>) -> bool| left.iter().find(|(_, old)| is_it(old)).map(|(path, _)| *path);
    let by_alias = find(&|old| aliases(&new).any(|alias| alias == old.url()));
    let is_readme = |view: &View<'_>| view.document().placement.kind == PageKind::Readme;
    by_alias.or_else(|| {
        let lines = new.lines();
        let share = |old: &View<'_>| {
            let old_lines = old.lines();
            let shared = u32::try_from(old_lines.intersection(&lines).count()).unwrap_or(u32::MAX);
            let most = u32::try_from(old_lines.len().max(lines.len()).max(1)).unwrap_or(u32::MAX);
            f64::from(shared) / f64::from(most)
        };
        let candidates = left.iter().filter(|(_, old)| is_small && is_readme(old) == is_readme(&new));
        let best = candidates.map(|(path, old)| (share(old), *path)).max_by(|one, other| one.0.total_cmp(&other.0));
        best.filter(|(share, _)| *share >= KEPT).map(|(_, path)| path)
    })
}
