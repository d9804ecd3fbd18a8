//! Every page of the course and every README, rendered; what still holds of an earlier build is kept.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::documents::Understood;
use super::kept::{Named, renew};
use super::starters::Starters;
use crate::course::{Course, PageId, url};
use crate::diag::{Diagnostic, Severity};
use crate::document::Document;
use crate::render::outlook::{Outlook, outlook};
use crate::render::{self, Context, Page, Subject};

/// A document with its page, and what of the rest of the course went into it.
#[derive(Debug)]
pub struct Rendered {
    from: Arc<Understood>,
    outlook: Outlook,
    /// The page.
    pub page: Arc<Page>,
    /// What is said of it.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether nothing is wrong with it. What is said of faults names what is near in all of the course.
    is_sound: bool,
}

impl Named for Rendered {
    fn name(&self) -> &str {
        self.from.name()
    }
}

impl Rendered {
    /// The file.
    pub fn path(&self) -> &str {
        self.from.name()
    }
}

/// A document that is to be rendered.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    from: &'a Arc<Understood>,
    /// The document with its page.
    pub subject: Subject<'a>,
}

impl Named for Wanted<'_> {
    fn name(&self) -> &str {
        self.from.name()
    }
}

impl<'a> Wanted<'a> {
    /// What there is to render of these documents. `ids` are their pages.
    pub fn all(
        understood: &'a [Arc<Understood>],
        ids: &'a [Option<PageId>],
        starters: &'a Starters,
    ) -> impl Iterator<Item = Self> {
        let mut mains = starters.mains().peekable();
        understood.iter().zip(ids).filter_map(move |(from, &page)| {
            let document: &Document = from.document.as_ref()?;
            while mains.next_if(|(path, _)| *path < from.path()).is_some() {}
            let own = mains.next_if(|(path, _)| *path == from.path()).map(|(_, main)| main.as_str());
            Some(Self { from, subject: Subject { document, page, own } })
        })
    }
}

/// What of the course may have changed for a page that has not.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub enum Reach {
    /// Nothing.
    #[default]
    Nothing,
    /// Headings of these pages.
    Headings(BTreeSet<Arc<str>>),
    /// Anything: every page must ask again what its links lead to.
    All,
}

/// What is different from the build that left something to keep.
pub struct Since {
    /// Whether the settings are the same.
    pub config: bool,
    /// Whether the references are the same.
    pub references: bool,
    /// Whether the glossary is the same.
    pub glossary: bool,
    /// The starters that are understood anew, or no longer named.
    pub starters: BTreeSet<Arc<str>>,
    /// The course.
    pub reach: Reach,
}

impl Since {
    fn leaves(&self, cx: Context<'_>, wanted: &Wanted<'_>, kept: &Rendered) -> bool {
        let (subject, page) = (wanted.subject, &kept.page);
        let asks_again = match &self.reach {
            Reach::Nothing => false,
            Reach::Headings(of) => !page.links.pages.is_disjoint(of),
            Reach::All => true,
        };
        kept.is_sound
            && self.config
            && self.glossary
            && (self.references || page.cites.is_empty())
            // Which file is a lab's own follows from the page's front matter and name.
            && Arc::ptr_eq(wanted.from, &kept.from)
            && (self.starters.is_empty() || !page.starters.iter().any(|path| self.starters.contains(path)))
            && (!asks_again || outlook(cx, subject, page) == kept.outlook)
    }
}

/// Renders them; `was` are those of an earlier build, sorted like `wanted`.
pub fn render(was: &[Arc<Rendered>], wanted: &[Wanted<'_>], cx: Context<'_>, since: &Since) -> Vec<Arc<Rendered>> {
    renew(
        was,
        wanted,
        |wanted, kept| since.leaves(cx, wanted, kept),
        |wanted| {
            let (page, diagnostics) = render::render(cx, wanted.subject);
            let is_wrong = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
            Rendered {
                from: Arc::clone(wanted.from),
                outlook: outlook(cx, wanted.subject, &page),
                is_sound: !is_wrong && !page.lacks_something(),
                page: Arc::new(page),
                diagnostics,
            }
        },
    )
}

/// The rendered pages in their places.
#[derive(Debug, Default)]
pub struct Pages {
    /// By [`PageId`]; nothing for drafts that are only checked, and for pages without a file.
    pub of_course: Vec<Option<Arc<Page>>>,
    /// READMEs, by folder from the course's root.
    pub readmes: BTreeMap<Arc<str>, Arc<Page>>,
}

impl Pages {
    /// Gives each rendered page its place; drafts that are only checked have none.
    pub fn assign<'a>(course: &Course, rendered: impl Iterator<Item = (Subject<'a>, &'a Arc<Page>)>) -> Self {
        let mut pages = Self { of_course: vec![None; course.pages.len()], readmes: BTreeMap::new() };
        for (subject, page) in rendered {
            match subject.page {
                Some(id) if course.pages[id].published => pages.of_course[id] = Some(Arc::clone(page)),
                Some(_) => {}
                None => {
                    let folder = Arc::from(url::folder(subject.document.source.path()));
                    pages.readmes.insert(folder, Arc::clone(page));
                }
            }
        }
        pages
    }

    /// The pictures below `code/` that they show.
    pub fn images(&self) -> BTreeSet<Arc<str>> {
        self.all().flat_map(|(_, page)| page.images.iter().cloned()).collect()
    }

    /// All pages, READMEs last.
    pub fn all(&self) -> impl Iterator<Item = (Option<PageId>, &Page)> {
        let of_course = self.of_course.iter().enumerate().filter_map(|(id, page)| Some((Some(id), page.as_deref()?)));
        of_course.chain(self.readmes.values().map(|page| (None, &**page)))
    }
}
