//! Puts the pages outside all tracks into outlines: trees that follow the folders, in the order of `nav:` in site.yaml,
//! then of `order:` in the front matter, then of the names. A course without tracks has one outline of all pages, which
//! begins with the home page; otherwise each folder directly in `content/` has its own.

use std::collections::{BTreeMap, BTreeSet};

use super::{Course, Page, PageId};
use crate::config::Config;
use crate::diag::{Diagnostic, Place, codes, nearest};
use crate::document::Kind;

/// A tree of pages.
#[derive(Debug, Clone, Default)]
pub struct Outline {
    /// The folder below `content/`; empty if it is the outline of a course without tracks.
    pub folder: String,
    /// The entries in reading order, each before its children.
    pub entries: Vec<OutlineEntry>,
}

/// A page or a folder in an [`Outline`].
#[derive(Debug, Clone)]
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
    page: Option<PageId>,
    children: BTreeMap<&'a str, Node<'a>>,
}

impl Outline {
    /// Returns the pages in reading order.
    pub fn pages(&self) -> impl Iterator<Item = PageId> {
        self.entries.iter().filter_map(|entry| entry.page)
    }

    /// Returns the entries at the top.
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
        below
            .split('/')
            .filter(|name| !name.is_empty())
            .fold(root, |node, name| node.children.entry(name).or_default())
            .page = Some(id);
    }
    if let (true, Some(home)) = (is_one, course.pages.iter().position(|page| page.kind == Kind::Home)) {
        roots.entry("").or_default().page = Some(home);
    }
    let ranks: BTreeMap<&str, usize> =
        config.nav.iter().enumerate().map(|(rank, path)| (listed_place(&path.value), rank)).collect();
    let mut outlines: Vec<Outline> = Vec::new();
    for (folder, root) in &roots {
        let mut outline = Outline { folder: (*folder).to_owned(), entries: Vec::new() };
        // The outermost folder is the outline itself.
        if let Some(page) = root.page {
            outline.entries.push(OutlineEntry {
                page: Some(page),
                name: String::new(),
                parent: None,
                children: Vec::new(),
            });
        }
        outline.add(&course.pages, &ranks, folder, root, None);
        outlines.push(outline);
    }
    let unknown = config.nav.iter().filter(|path| !known.contains(listed_place(&path.value)));
    let diagnostics = unknown.map(|path| {
        let message = format!("`content/{}` is not a page or folder outside the tracks", path.value);
        let near = nearest(listed_place(&path.value), known.iter().copied()).map(|near| {
            let is_page = |page: &Page| outlined(page) == Some(near);
            if course.pages.iter().any(is_page) { format!("{near}.md") } else { near.to_owned() }
        });
        let place = Place::new(&std::sync::Arc::from("content/site.yaml"), path.span.clone());
        Diagnostic::new(codes::E0009, place, message)
            .nearest(near.as_deref())
            .help("`nav` lists pages and folders below `content/`, such as `guide/setup.md` or `guide/advanced`")
    });
    let diagnostics = if config.tracks.is_complete { diagnostics.collect() } else { Vec::new() };
    for (at, outline) in outlines.iter().enumerate() {
        let pages = outline.entries.iter().enumerate().filter_map(|(entry, found)| Some((entry, found.page?)));
        course.outline_places.extend(pages.map(|(entry, page)| (page, (at, entry))));
        let pages: Vec<PageId> = outline.pages().collect();
        for pair in pages.windows(2) {
            course.pages[pair[0]].next = Some(pair[1]);
            course.pages[pair[1]].previous = Some(pair[0]);
        }
    }
    course.outlines = outlines;
    diagnostics
}

/// Returns the path of a page or folder in `nav:` as outlines have it.
fn listed_place(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    let path = path.strip_suffix(".md").unwrap_or(path);
    path.strip_suffix("/index").unwrap_or(path)
}

impl Outline {
    /// Adds the children of `node`, a folder at `path`, below the entry `parent`.
    fn add(
        &mut self,
        pages: &[Page],
        ranks: &BTreeMap<&str, usize>,
        path: &str,
        node: &Node<'_>,
        parent: Option<usize>,
    ) {
        let order = |node: &Node<'_>| pages[node.page?].front()?.common.order;
        let mut children: Vec<(usize, u32, &str, String, &Node<'_>)> = Vec::new();
        for (name, child) in &node.children {
            let place = if path.is_empty() { (*name).to_owned() } else { format!("{path}/{name}") };
            let rank = ranks.get(place.as_str()).copied().unwrap_or(usize::MAX);
            children.push((rank, order(child).unwrap_or(u32::MAX), name, place, child));
        }
        children.sort_by(|one, other| (one.0, one.1, one.2).cmp(&(other.0, other.1, other.2)));
        for (_, _, name, place, child) in children {
            let at = self.entries.len();
            self.entries.push(OutlineEntry {
                page: child.page,
                name: folder_title(name),
                parent,
                children: Vec::new(),
            });
            if let Some(parent) = parent {
                self.entries[parent].children.push(at);
            }
            self.add(pages, ranks, &place, child, Some(at));
        }
    }
}

/// Returns the name of a folder in words: `error-codes` is "Error codes".
#[must_use]
pub fn folder_title(name: &str) -> String {
    let name = name.replace(['-', '_'], " ");
    let mut letters = name.trim().chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}
