//! Puts the pages outside all tracks into outlines: trees that follow the folders, in the order of `nav:` in site.yaml,
//! then of `order:` in the front matter, then of the names. A course without tracks has one outline of all pages, which
//! begins with the home page; otherwise each folder directly in `content/` has its own.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Course, Page, PageId};
use crate::config::Config;
use infralens_page::Kind;
use infralens_page::front_matter::FolderOrder;
use infralens_source::diag::{Diagnostic, Place, codes, similar};
use infralens_source::project::SITE;
use infralens_source::url;
use infralens_source::yaml::Spanned;

#[derive(Debug, Clone, Default)]
pub struct Outline {
    /// The folder below `content/`; empty if it is the outline of a course without tracks.
    pub folder: String,
    /// The entries in reading order, each before its children.
    pub entries: Vec<OutlineEntry>,
}

/// A page or a folder in an [`Outline`].
#[derive(Debug, Clone, Default)]
pub struct OutlineEntry {
    /// The page, or the front page of the folder; `None` for a folder without one.
    pub page: Option<PageId>,
    /// The title of a folder without a front page: its name in words.
    pub name: String,
    /// The entry of the folder that contains it; `None` at the top. The front page of the outermost folder is next to the
    /// other pages of that folder.
    pub parent: Option<usize>,
    /// The entries of a folder.
    pub children: Vec<usize>,
}

/// A folder or a page while the tree is built; a page is a folder without children.
#[derive(Default)]
struct Node<'a> {
    /// The page at this place, or the front page of the folder. If there are both `guide.md` and `guide/index.md`, the first
    /// is a page next to the folder.
    pages: Vec<PageId>,
    children: BTreeMap<&'a str, Node<'a>>,
}

/// An entry to be added: its page, and its folder if it is one.
struct Child<'a> {
    page: Option<PageId>,
    name: &'a str,
    place: String,
    folder: Option<&'a Node<'a>>,
}

impl Outline {
    /// Returns the pages in reading order.
    pub fn pages(&self) -> impl Iterator<Item = PageId> {
        self.entries.iter().filter_map(|entry| entry.page)
    }

    pub fn top(&self) -> impl Iterator<Item = usize> {
        (0..self.entries.len()).filter(|&entry| self.entries[entry].parent.is_none())
    }
}

/// Returns the path below `content/` of a page that belongs to an outline, without `.md`.
fn outlined(page: &Page) -> Option<&str> {
    let summary =
        page.summary.as_ref().filter(|_| page.published && page.kind == Kind::Page && page.track.is_none())?;
    // A page of a track that is not listed in the settings, which is an error, belongs to no outline.
    summary.placement.track.is_none().then(|| summary.path.strip_prefix("content/")?.strip_suffix(".md"))?
}

/// Makes the outlines of a course, and sets the previous and next pages. Reports entries of `nav:` that name nothing.
pub fn make(course: &mut Course, config: &Config) -> Vec<Diagnostic> {
    let is_one = course.tracks.is_empty();
    set_front_pages(course);
    let mut roots: BTreeMap<&str, Node<'_>> = BTreeMap::new();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for (id, page) in course.pages.iter().enumerate() {
        let Some(path) = outlined(page) else { continue };
        let place = path.strip_suffix("/index").unwrap_or(path);
        known.extend(place.match_indices('/').map(|(end, _)| &place[..end]).chain([place]));
        let (root, below) = match path.split_once('/') {
            _ if is_one => ("", place),
            Some((folder, _)) => (folder, place.strip_prefix(folder).unwrap_or_default().trim_start_matches('/')),
            None => continue,
        };
        let root = roots.entry(root).or_default();
        // In a folder whose newest page comes first, a page in a folder of a year is one like the others.
        let (above, name) = below.split_at(
            folder_of_newest(&course.pages, page)
                .map_or(below.len(), |folder| below.len() + folder.len() - place.len()),
        );
        above
            .split('/')
            .chain([name])
            .filter(|name| !name.is_empty())
            .fold(root, |node, name| node.children.entry(name).or_default())
            .pages
            .push(id);
    }
    if let (true, Some(home)) = (is_one, course.pages.iter().position(|page| page.kind == Kind::Home)) {
        roots.entry("").or_default().pages.push(home);
    }
    let ranks: BTreeMap<&str, usize> =
        config.nav.iter().enumerate().map(|(rank, path)| (Config::nav_place(path), rank)).collect();
    let mut outlines: Vec<Outline> = Vec::new();
    for (folder, root) in &roots {
        let mut outline = Outline { folder: (*folder).to_owned(), entries: Vec::new() };
        // The outermost folder is the outline itself.
        let pages = root.pages.iter().map(|&page| OutlineEntry { page: Some(page), ..OutlineEntry::default() });
        outline.entries.extend(pages);
        outline.add(&course.pages, &ranks, folder, root, None);
        outlines.push(outline);
    }
    let unknown = config.nav.iter().filter(|path| !known.contains(Config::nav_place(path)));
    let diagnostics = unknown.map(|path| unknown_place(&course.pages, &known, path));
    let diagnostics = if config.tracks.is_complete { diagnostics.collect() } else { Vec::new() };
    let mut places = BTreeMap::new();
    for (at, outline) in outlines.iter().enumerate() {
        let pages = outline.entries.iter().enumerate().filter_map(|(entry, found)| Some((entry, found.page?)));
        places.extend(pages.map(|(entry, page)| (page, (at, entry))));
        let pages: Vec<PageId> = outline.pages().collect();
        for pair in pages.windows(2) {
            course.page_mut(pair[0]).next = Some(pair[1]);
            course.page_mut(pair[1]).previous = Some(pair[0]);
        }
    }
    (course.outlines, course.outline_places) = (outlines.into(), Arc::new(places));
    diagnostics
}

/// Returns the path, below `content/` and with a slash, of a page's folder in which the newest page comes first.
fn folder_of_newest<'p>(pages: &'p [Arc<Page>], page: &Page) -> Option<&'p str> {
    page.rules(pages).filter(|rules| rules.order == FolderOrder::Newest)?;
    let path = &pages[page.front_page?].summary.as_ref()?.path;
    path.strip_prefix("content/")?.strip_suffix("index.md")
}

/// Returns the folder of a file, and the folders above it; `content` itself only if the file is directly in it.
pub fn folders(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(url::folder(path)), |&folder| {
        Some(url::folder(folder)).filter(|above| above.contains('/'))
    })
}

fn set_front_pages(course: &mut Course) {
    let path =
        |page: &Page| page.summary.as_ref().filter(|_| page.track.is_none()).map(|summary| Arc::clone(&summary.path));
    let fronts: BTreeMap<Arc<str>, PageId> = (course.pages.iter().enumerate())
        .filter_map(|(id, page)| Some((path(page).filter(|path| path.ends_with("/index.md"))?, id)))
        .collect();
    for (id, page) in course.pages.iter_mut().map(Arc::make_mut).enumerate() {
        let front = path(page)
            .and_then(|path| folders(&path).find_map(|folder| fronts.get(&*format!("{folder}/index.md")).copied()));
        page.front_page = front.filter(|&front| front != id);
    }
}

/// Reports an entry of `nav:` that names no page or folder of an outline.
fn unknown_place(pages: &[Arc<Page>], known: &BTreeSet<&str>, path: &Spanned<String>) -> Diagnostic {
    let wanted = Config::nav_place(path);
    let place = Place::new(&Arc::from(SITE), path.span.clone());
    if wanted == "index" {
        return Diagnostic::new(codes::E0012, place, "`nav` lists the home page")
            .help("the home page is always first; remove it from `nav`");
    }
    let near = similar(wanted, known.iter().copied()).map(|near| {
        let is_page = |page: &Arc<Page>| outlined(page) == Some(&*near.name);
        let end = if pages.iter().any(is_page) { ".md" } else { "" };
        near.written(|near| format!("{near}{end}"))
    });
    let message = format!("`content/{}` is not a page or folder outside the tracks", path.value);
    Diagnostic::new(codes::E0012, place, message)
        .meant(near)
        .help("`nav` lists pages and folders below `content/`, such as `guide/setup.md` or `guide/advanced`")
}

impl Outline {
    /// Adds the children of `node`, a folder at `path`, below the entry `parent`.
    fn add(
        &mut self,
        pages: &[Arc<Page>],
        ranks: &BTreeMap<&str, usize>,
        path: &str,
        node: &Node<'_>,
        parent: Option<usize>,
    ) {
        let mut children: Vec<Child<'_>> = Vec::new();
        for (name, folder) in &node.children {
            let place = if path.is_empty() { (*name).to_owned() } else { format!("{path}/{name}") };
            let (front, others) =
                folder.pages.split_last().map_or((None, &[][..]), |(&last, others)| (Some(last), others));
            let beside =
                others.iter().map(|&page| Child { page: Some(page), name, place: place.clone(), folder: None });
            children.extend(beside);
            children.push(Child { page: front, name, place, folder: Some(folder) });
        }
        let order = |page: Option<PageId>| pages[page?].front()?.common.order;
        let day = |page: Option<PageId>| {
            let rules = pages[page?].rules(pages)?;
            pages[page?].front()?.common.day().filter(|_| rules.order == FolderOrder::Newest)
        };
        children.sort_by_key(|child| {
            let rank = ranks.get(child.place.as_str()).copied().unwrap_or(usize::MAX);
            (rank, order(child.page).unwrap_or(u32::MAX), Reverse(day(child.page)), child.name)
        });
        for child in children {
            let at = self.entries.len();
            let entry = OutlineEntry { page: child.page, name: folder_title(child.name), parent, children: Vec::new() };
            self.entries.push(entry);
            if let Some(parent) = parent {
                self.entries[parent].children.push(at);
            }
            if let Some(folder) = child.folder {
                self.add(pages, ranks, &child.place, folder, Some(at));
            }
        }
    }
}

/// Returns the name of a folder in words: `error-codes` is "Error codes".
pub fn folder_title(name: &str) -> String {
    let name = name.replace(['-', '_'], " ");
    let mut letters = name.trim().chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}
