//! The course: tracks, sections and labs, what needs what, in which order they are read, and where a link leads.
//! Depends on [`Summary`]s alone, so that an edited paragraph changes nothing here.

mod assemble;
mod graph;
pub mod link;
mod order;
pub mod renamed;
pub mod starter;
pub mod url;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use assemble::assemble;

use crate::config::RawHtml;
use crate::diag::Diagnostic;
use crate::document::placement::Number;
use crate::document::{ANY_HEADING, Document, FrontMatter, Kind, Placement, front_matter};

/// What the course needs to know of a document.
#[derive(Debug, Clone)]
pub struct Summary {
    /// The file.
    pub path: Arc<str>,
    /// Its kind, track, number and URL.
    pub placement: Placement,
    /// Its front matter.
    pub front: Arc<FrontMatter>,
    /// Ids and texts of its headings, sorted by id; [`ANY_HEADING`] among them if some cannot be known.
    pub headings: Arc<[(String, String)]>,
    /// Ids of elements of raw HTML, sorted.
    pub html_ids: Arc<[String]>,
    /// Minutes of reading, estimated or as the page says.
    pub minutes: u32,
    /// Whether the file was understood as a whole. If not, its place in the course is known all the same, but it may say
    /// other things than what is known of it, and have other headings.
    pub is_whole: bool,
}

/// Words of prose that are read in a minute.
const WORDS_A_MINUTE: usize = 200;
/// Lines of code that are read in a minute.
const LINES_A_MINUTE: usize = 12;

impl Summary {
    /// The summary of a file that cannot be read: its place.
    #[must_use]
    pub fn unread(path: &Arc<str>, placement: Placement) -> Self {
        let (front, headings) = (Arc::default(), Arc::default());
        Self {
            path: Arc::clone(path),
            placement,
            front,
            headings,
            html_ids: Arc::default(),
            minutes: 1,
            is_whole: false,
        }
    }

    /// The summary of a document, of which this was reported.
    #[must_use]
    pub fn new(document: &Document, diagnostics: &[Diagnostic]) -> Self {
        let front = &document.front;
        let stated = front.lab.as_ref().and_then(|lab| lab.minutes);
        let lines: usize = document.body.excerpts.iter().map(|excerpt| excerpt.pin.lines().count()).sum();
        let estimated = document.body.words.div_ceil(WORDS_A_MINUTE) + lines.div_ceil(LINES_A_MINUTE);
        Self {
            path: Arc::clone(document.source.path()),
            placement: document.placement.clone(),
            front: Arc::clone(front),
            headings: Arc::clone(&document.body.anchors),
            html_ids: Arc::clone(&document.body.html_ids),
            minutes: stated.unwrap_or_else(|| u32::try_from(estimated).unwrap_or(u32::MAX).max(1)),
            is_whole: !diagnostics.iter().any(|diagnostic| diagnostic.code.hides_file()),
        }
    }

    /// Whether a course has the same pages, files and relations with either: what differs is words, such as titles and
    /// headings.
    #[must_use]
    pub fn has_same_structure(&self, other: &Self) -> bool {
        fn relations(front: &FrontMatter) -> impl Iterator<Item = &str> {
            let (aliases, lab) = (front.common.aliases.iter().map(|alias| &*alias.value), front.lab.as_ref());
            let starter = lab.and_then(|lab| lab.starter.file.as_ref()).map_or("", |file| &file.value);
            let handbook = lab.map_or(&[][..], |lab| &lab.handbook).iter().map(|name| &*name.value);
            // No name is empty, so that no two lists run together.
            let lists =
                aliases.chain([""]).chain(handbook).chain([""]).chain(front.after.iter().map(|name| &*name.value));
            lists.chain(["", starter])
        }
        self.path == other.path
            && self.placement == other.placement
            && self.is_whole == other.is_whole
            && self.front.common.draft == other.front.common.draft
            && relations(&self.front).eq(relations(&other.front))
    }
}

/// Index into [`Course::pages`].
pub type PageId = usize;

/// The linked course.
#[derive(Debug, Default, Clone)]
pub struct Course {
    /// In the order of site.yaml.
    pub tracks: Vec<Track>,
    /// Every page that Markdown or a track gives rise to, sorted by URL.
    pub pages: Vec<Page>,
    /// What becomes of HTML in Markdown.
    pub raw_html: RawHtml,
    by_path: BTreeMap<Arc<str>, PageId>,
    by_name: BTreeMap<(usize, Kind, Arc<str>), PageId>,
}

/// A track.
#[derive(Debug, Clone)]
pub struct Track {
    /// Its folder's name.
    pub name: Arc<str>,
    /// Its front page.
    pub page: PageId,
    /// The labs page, where the track has labs.
    pub labs_page: Option<PageId>,
    /// The practice page, where the track has labs.
    pub practice: Option<PageId>,
    /// Published sections by number.
    pub sections: Vec<PageId>,
    /// Published labs by number.
    pub labs: Vec<PageId>,
    /// Published sections and labs in reading order.
    pub order: Vec<PageId>,
}

/// A page and its relations.
#[derive(Debug, Clone)]
pub struct Page {
    /// Its kind.
    pub kind: Kind,
    /// Output path from the site's root.
    pub url: Arc<str>,
    /// Its Markdown file; the home, labs and practice pages may have none.
    pub summary: Option<Summary>,
    /// Index into [`Course::tracks`].
    pub track: Option<usize>,
    /// False for a draft that is only checked.
    pub published: bool,
    /// Labs and sections that come before: `after`, and a lab's `handbook`.
    pub needs: Vec<PageId>,
    /// The reverse.
    pub needed_by: Vec<PageId>,
    /// A lab's handbook sections; a section's labs.
    pub handbook: Vec<PageId>,
    /// Neighbours in reading order.
    pub previous: Option<PageId>,
    /// Neighbours in reading order.
    pub next: Option<PageId>,
}

impl Page {
    /// The title as front matter has it; empty for pages without a file.
    #[must_use]
    pub fn title(&self) -> &str {
        self.summary.as_ref().map_or("", |summary| &summary.front.common.title)
    }

    /// Returns the front matter that only labs have; `None` for other pages.
    #[must_use]
    pub fn lab(&self) -> Option<&front_matter::Lab> {
        self.front()?.lab.as_ref()
    }

    /// A section's or lab's number.
    #[must_use]
    pub fn number(&self) -> Option<&Number> {
        self.summary.as_ref()?.placement.number.as_ref()
    }

    /// A section's slug, a lab's name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.summary.as_ref().map_or("", |summary| &summary.placement.name)
    }

    /// Its id on the page that shows all sections and labs of its track; nothing for what is neither.
    #[must_use]
    pub fn chapter(&self) -> Option<String> {
        match self.kind {
            Kind::Section => Some(format!("Section-{}", self.name())),
            Kind::Lab => Some(format!("Lab-{}", self.name().strip_prefix("lab-").unwrap_or(self.name()))),
            _ => None,
        }
    }

    /// Whether all that its file says is known; so it is of a page without a file.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.summary.as_ref().is_none_or(|summary| summary.is_whole)
    }

    /// The text of the heading with an id.
    #[must_use]
    pub fn heading(&self, id: &str) -> Option<&str> {
        let headings = &self.summary.as_ref()?.headings;
        let at = headings.binary_search_by(|(known, _)| known.as_str().cmp(id)).ok()?;
        Some(&headings[at].1)
    }

    /// The front matter, where there is a file.
    #[must_use]
    pub fn front(&self) -> Option<&FrontMatter> {
        self.summary.as_ref().map(|summary| summary.front.as_ref())
    }
}

impl Track {
    /// The output path of the page that shows all its sections and labs.
    #[must_use]
    pub fn print_url(&self) -> String {
        format!("tracks/{}/print.html", self.name)
    }
}

/// What comes before the ids of a page that stands as a chapter. No name holds a dot, so no two chapters share an id.
#[must_use]
pub fn within(chapter: &str) -> String {
    format!("{chapter}.")
}

impl Course {
    /// The page of the content file `path`.
    #[must_use]
    pub fn page_of(&self, path: &str) -> Option<PageId> {
        self.by_path.get(path).copied()
    }

    /// The section or lab of that name in a track, published or not.
    #[must_use]
    pub fn named(&self, track: usize, kind: Kind, name: &str) -> Option<PageId> {
        self.by_name.get(&(track, kind, Arc::from(name))).copied()
    }

    /// The ids of raw HTML that links may end in: none where HTML does not keep its ids.
    #[must_use]
    pub fn html_ids<'a>(&self, ids: &'a [String]) -> &'a [String] {
        if self.raw_html == RawHtml::Trusted { ids } else { &[] }
    }

    /// Gives the page of a content file the headings and ids that `of` has; nothing else of a course depends on them.
    pub fn set_headings(&mut self, path: &str, of: &Summary) {
        let page = self.page_of(path).map(|page| &mut self.pages[page]);
        if let Some(summary) = page.and_then(|page| page.summary.as_mut()) {
            summary.headings = Arc::clone(&of.headings);
            summary.html_ids = Arc::clone(&of.html_ids);
        }
    }

    /// A track's pages of one kind, published or not.
    pub fn members(&self, track: usize, kind: Kind) -> impl Iterator<Item = PageId> {
        let from = (track, kind, Arc::from(""));
        let same = move |(key, _): &(&(usize, Kind, Arc<str>), &PageId)| key.0 == track && key.1 == kind;
        self.by_name.range(from..).take_while(same).map(|(_, &page)| page)
    }
}
