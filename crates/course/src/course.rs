//! Links the pages of a course: tracks, sections and labs, their prerequisites and reading order, and the targets of links.
//! A course depends only on [`Summary`]s, so that an edited paragraph changes nothing here.

mod assemble;
mod graph;
pub mod link;
mod order;
mod outline;
pub mod renamed;
pub mod starter;
mod volume;
mod ways;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use infralens_source::url;

pub use assemble::assemble;
pub use outline::{Outline, OutlineEntry, folder_title, folders};
pub use volume::{ChapterPlace, Volume};
pub use ways::Way;

use crate::config::RawHtml;
use infralens_page::front_matter::{FolderOrder, FolderPages};
use infralens_page::placement::Number;
use infralens_page::{ANY_HEADING, Document, FrontMatter, Kind, Placement, front_matter};
use infralens_source::diag::Diagnostic;
use infralens_source::yaml::Spanned;
use infralens_units::Origin;

/// The part of a document that the course depends on.
#[derive(Debug, Clone)]
pub struct Summary {
    pub path: Arc<str>,
    /// Its kind, track, number and URL.
    pub placement: Placement,
    pub front: Arc<FrontMatter>,
    /// Ids and texts of its headings, sorted by id. The id [`ANY_HEADING`] means that some headings could not be read, so
    /// that every id counts as present.
    pub headings: Arc<[(String, String)]>,
    /// Ids of elements of raw HTML, sorted.
    pub html_ids: Arc<[String]>,
    /// The pages whose values it uses, as written: `name` or `track/name`, each once.
    pub values_of: Arc<[Spanned<String>]>,
    /// The reading time in minutes, estimated or as stated in the front matter.
    pub minutes: u32,
    /// Whether front matter and headings are known. If an error makes the file unreadable, only its place in the course is
    /// known, and links to its headings are not checked.
    pub is_whole: bool,
}

impl Summary {
    /// Summarizes a file that cannot be read, of which only the placement is known.
    pub fn unread(path: &Arc<str>, placement: Placement) -> Self {
        Self {
            path: Arc::clone(path),
            placement,
            front: Arc::default(),
            headings: Arc::default(),
            html_ids: Arc::default(),
            values_of: Arc::default(),
            minutes: 1,
            is_whole: false,
        }
    }

    /// Summarizes a document. `diagnostics` are those of its file.
    pub fn new(document: &Document, diagnostics: &[Diagnostic]) -> Self {
        let front = &document.front;
        let stated = front.lab.as_ref().and_then(|lab| lab.minutes);
        Self {
            path: Arc::clone(document.source.path()),
            placement: document.placement.clone(),
            front: Arc::clone(front),
            headings: Arc::clone(&document.body.anchors),
            html_ids: Arc::clone(&document.body.html_ids),
            values_of: values_of(document),
            minutes: stated.unwrap_or_else(|| u32::try_from(document.body.minutes()).unwrap_or(u32::MAX).max(1)),
            is_whole: !diagnostics.iter().any(|diagnostic| diagnostic.code.hides_file()),
        }
    }

    /// Returns whether a course has the same pages, files and relations with either summary. Titles and headings may
    /// differ.
    pub fn has_same_structure(&self, other: &Self) -> bool {
        fn relations(summary: &Summary) -> impl Iterator<Item = &str> {
            let front = &summary.front;
            let values_of = summary.values_of.iter().map(|name| &*name.value);
            let (aliases, lab) = (front.common.aliases.iter().map(|alias| &*alias.value), front.lab.as_ref());
            let starter = lab.and_then(|lab| lab.starter.file.as_ref()).map_or("", |file| &file.value);
            let handbook = lab.map_or(&[][..], |lab| &lab.handbook).iter().map(|name| &*name.value);
            // Names are never empty, so an empty string separates the lists.
            let lists =
                aliases.chain([""]).chain(handbook).chain([""]).chain(front.after.iter().map(|name| &*name.value));
            // What a track says about its groups and ways is checked with the groups and names of its labs.
            let group = lab.and_then(|lab| lab.group.as_ref()).map_or("", |group| &group.value);
            let groups = front.track.groups.0.iter().map(|(name, _)| &*name.value);
            let ways =
                front.track.ways.0.iter().flat_map(|(name, pages)| {
                    ["", &name.value].into_iter().chain(pages.iter().map(|page| &*page.value))
                });
            let template = front.common.template.as_ref().map_or("", |template| &*template.value);
            let of_folder = front.common.pages.as_ref().and_then(|pages| pages.template.as_ref());
            let of_folder = of_folder.map_or("", |template| &*template.value);
            lists
                .chain(["", starter, group, template, of_folder])
                .chain(values_of)
                .chain([""])
                .chain(groups)
                .chain(ways)
        }
        self.path == other.path
            && self.placement == other.placement
            && self.is_whole == other.is_whole
            && self.front.common.draft == other.front.common.draft
            && self.front.common.order == other.front.common.order
            && self.folder_order() == other.folder_order()
            && self.front.common.day() == other.front.common.day()
            && relations(self).eq(relations(other))
    }

    fn folder_order(&self) -> Option<FolderOrder> {
        self.front.common.pages.as_ref().map(|pages| pages.order)
    }
}

/// Returns the pages whose values the formulas of a document use.
fn values_of(document: &Document) -> Arc<[Spanned<String>]> {
    let declarations = document.body.values.iter().flat_map(|block| &block.sheet.declarations);
    let mut found: Vec<Spanned<String>> = Vec::new();
    for reference in declarations.flat_map(|declaration| declaration.expression.names()) {
        if let Origin::Page(page) = &reference.origin
            && !found.iter().any(|known| known.value == *page)
        {
            let span = reference.span.start..reference.span.start + page.len();
            found.push(Spanned { value: page.clone(), span });
        }
    }
    found.into()
}

/// An index into [`Course::pages`].
pub type PageId = usize;

/// The pages by track, kind and name.
type PagesByName = BTreeMap<(usize, Kind, Arc<str>), PageId>;

/// Cloning a course is cheap, so that one in which a title has changed is a copy.
#[derive(Debug, Default, Clone)]
pub struct Course {
    /// The tracks, in the order of site.yaml.
    pub tracks: Vec<Track>,
    /// The pages of all Markdown files, and those that every course or track has without a file, sorted by URL.
    pub pages: Vec<Arc<Page>>,
    /// How HTML in Markdown is treated.
    pub raw_html: RawHtml,
    /// The outlines of the pages outside all tracks, by folder.
    pub outlines: Arc<[Outline]>,
    /// The outline and the entry of each page that is in one.
    outline_places: Arc<BTreeMap<PageId, (usize, usize)>>,
    by_path: Arc<BTreeMap<Arc<str>, PageId>>,
    by_name: Arc<PagesByName>,
}

#[derive(Debug, Clone)]
pub struct Track {
    pub name: Arc<str>,
    pub page: PageId,
    /// The labs page, if the track has labs.
    pub labs_page: Option<PageId>,
    /// The practice page, if the track has labs.
    pub practice: Option<PageId>,
    /// Published sections, sorted by number.
    pub sections: Vec<PageId>,
    /// Published labs, sorted by number.
    pub labs: Vec<PageId>,
    /// Published sections and labs in reading order.
    pub order: Vec<PageId>,
    /// The ways through it, in the order of its front matter.
    pub ways: Vec<Way>,
}

#[derive(Debug, Clone)]
pub struct Page {
    pub kind: Kind,
    /// The output path, relative to the root of the site.
    pub url: Arc<str>,
    /// The summary of its Markdown file; the home, labs and practice pages may have none.
    pub summary: Option<Summary>,
    /// The index into [`Course::tracks`].
    pub track: Option<usize>,
    /// Whether it is published; false for a draft that is only checked.
    pub published: bool,
    /// The labs and sections in its `after`, and in the `handbook` of a lab, and those whose values its formulas use.
    pub prerequisites: Vec<PageId>,
    /// The labs and sections of which it is a prerequisite.
    pub required_by: Vec<PageId>,
    /// For a lab, the handbook sections that it practices; for a section, the labs that practice it.
    pub handbook: Vec<PageId>,
    /// The page before it in reading order.
    pub previous: Option<PageId>,
    /// The page after it in reading order.
    pub next: Option<PageId>,
    /// The front page of its folder, for a page outside all tracks that is another one. If the folder has none, it is that of
    /// the next folder above that has one, but not the home page.
    pub front_page: Option<PageId>,
}

impl Page {
    /// Returns the title in the front matter; empty for pages without a file.
    pub fn title(&self) -> &str {
        self.summary.as_ref().map_or("", |summary| &summary.front.common.title)
    }

    /// Returns the front matter that only labs have; `None` for other pages.
    pub fn lab(&self) -> Option<&front_matter::Lab> {
        self.front()?.lab.as_ref()
    }

    pub fn number(&self) -> Option<&Number> {
        self.summary.as_ref()?.placement.number.as_ref()
    }

    /// Returns the number that readers see: a section may be shown without its number.
    pub fn shown_number(&self) -> Option<&Number> {
        let is_shown = self.front().is_none_or(|front| front.common.numbered != Some(false));
        self.number().filter(|_| is_shown)
    }

    /// Returns the slug of a section, or the name of a lab.
    pub fn name(&self) -> &str {
        self.summary.as_ref().map_or("", |summary| &summary.placement.name)
    }

    /// Returns whether its whole file could be parsed. True for a page without a file.
    pub fn is_whole(&self) -> bool {
        self.summary.as_ref().is_none_or(|summary| summary.is_whole)
    }

    pub fn heading(&self, id: &str) -> Option<&str> {
        let headings = &self.summary.as_ref()?.headings;
        let at = headings.binary_search_by(|(known, _)| known.as_str().cmp(id)).ok()?;
        Some(&headings[at].1)
    }

    /// Returns what the front page of its folder says of it.
    pub fn rules<'c>(&self, pages: &'c [Arc<Self>]) -> Option<&'c FolderPages> {
        pages[self.front_page?].front()?.common.pages.as_ref()
    }

    pub fn front(&self) -> Option<&FrontMatter> {
        self.summary.as_ref().map(|summary| summary.front.as_ref())
    }
}

impl Course {
    /// Returns a page to be changed.
    pub fn page_mut(&mut self, page: PageId) -> &mut Page {
        Arc::make_mut(&mut self.pages[page])
    }

    /// Returns the template of a page in `templates/`: that which its front matter names, or the front page of its folder.
    pub fn template(&self, page: PageId) -> Option<&str> {
        let of_folder = self.pages[page].rules(&self.pages);
        let own = self.pages[page].front().and_then(|front| front.common.template.as_ref());
        Some(&own.or(of_folder.and_then(|pages| pages.template.as_ref()))?.value)
    }

    /// Returns the page of the content file `path`.
    pub fn page_of(&self, path: &str) -> Option<PageId> {
        self.by_path.get(path).copied()
    }

    /// Returns the outline that a page is in, and its entry there.
    pub fn outline_of(&self, page: PageId) -> Option<(&Outline, usize)> {
        let &(outline, entry) = self.outline_places.get(&page)?;
        Some((&self.outlines[outline], entry))
    }

    /// Returns the page of this kind and name in a track, published or not.
    pub fn named(&self, track: usize, kind: Kind, name: &str) -> Option<PageId> {
        self.by_name.get(&(track, kind, Arc::from(name))).copied()
    }

    /// Returns those of the ids of raw HTML to which links can lead: all if HTML is trusted, otherwise none.
    pub fn html_ids<'a>(&self, ids: &'a [String]) -> &'a [String] {
        if self.raw_html == RawHtml::Trusted { ids } else { &[] }
    }

    /// Returns the published pages of a track of one kind, sorted by number.
    pub fn published(&self, track: usize, kind: Kind) -> Vec<PageId> {
        let mut pages: Vec<PageId> = self.members(track, kind).filter(|&page| self.pages[page].published).collect();
        pages.sort_by_key(|&page| self.number(page));
        pages
    }

    /// Returns the number of a page, by which pages are sorted.
    fn number(&self, page: PageId) -> Option<u64> {
        self.pages[page].number().map(|number| number.value)
    }

    /// Returns the pages of a track of one kind, published or not.
    pub fn members(&self, track: usize, kind: Kind) -> impl Iterator<Item = PageId> {
        let from = (track, kind, Arc::from(""));
        let same = move |(key, _): &(&(usize, Kind, Arc<str>), &PageId)| key.0 == track && key.1 == kind;
        self.by_name.range(from..).take_while(same).map(|(_, &page)| page)
    }
}
