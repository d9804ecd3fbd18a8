//! Gives each page of a book its path in the new project. The folders below `content/` follow the table of contents, because
//! they are what InfraLens shows as a tree; the old address of a page that moves becomes an alias.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::pages::Pages;
use super::{Book, Chapter, Dialect, Kind, Loss, Redirect};
use infralens_page::{placement, slug};
use infralens_source::url;

/// A page and its place.
pub struct PlacedPage {
    /// The page's file in the book; `None` for a page that only lists others.
    pub source: Option<Arc<str>>,
    /// The title in the table of contents.
    pub title: String,
    /// The titles that the table of contents gives the page, other than those made from its path.
    pub names: Vec<String>,
    /// The path of the new page.
    pub to: String,
    /// The addresses that the page had in the book, without those that it keeps.
    pub aliases: Vec<String>,
    /// The titles and new paths of the pages below, for a page without a file.
    pub below: Vec<(String, String)>,
    /// Whether the pages below are sorted by their dates.
    pub has_posts: bool,
}

impl PlacedPage {
    fn new(chapter: Chapter, to: String, aliases: Vec<String>) -> Self {
        let Chapter { source, title, names, .. } = chapter;
        Self { source, title, names, to, aliases, below: Vec::new(), has_posts: false }
    }
}

/// Names directly in `content/` that have a meaning of their own, or a page that is generated.
const RESERVED: [&str; 9] =
    ["index", "glossary", "tracks", "references", "progress", "404", "calculators", "code", "search"];

/// Places the pages of a book, whose files are in `folder`. Also returns the pages in their order, for `nav` in site.yaml.
///
/// The home page is the page `index.md` or `README.md`. In a book of mdBook without one, it is the first chapter, as there,
/// unless chapters are below it, which are in its folder.
pub fn place(book: &Book, chapters: Vec<Chapter>) -> (Vec<PlacedPage>, Vec<String>) {
    let first = chapters.first().filter(|first| book.dialect == Dialect::MdBook && first.children.is_empty());
    let sources: Vec<_> = chapters.iter().flat_map(Chapter::all).filter_map(|chapter| chapter.source.clone()).collect();
    let is_front =
        |source: &&Arc<str>| matches!(source.strip_prefix(&*book.folder), Some("index.md" | "README.md" | "index.mdx"));
    let front = sources.iter().find(is_front).cloned().or(first.and_then(|first| first.source.clone()));
    let old = sources.iter().filter_map(|source| book.address(source)).collect();
    let mut layout = Layout { book, front, old, pages: Vec::new(), nav: Vec::new(), home: None };
    let below = layout.list("", chapters, &mut RESERVED.map(str::to_owned).into());
    let home = layout.home.unwrap_or_else(|| {
        let title = if book.title.is_empty() { "Notebooks" } else { &book.title };
        Chapter { title: title.to_owned(), ..Chapter::default() }
    });
    let aliases = home.source.as_deref().and_then(|source| book.address(source)).into_iter().collect();
    let home = PlacedPage { below, ..PlacedPage::new(home, "content/index.md".to_owned(), aliases) };
    let mut pages = layout.pages;
    pages.insert(0, home);
    let mut taken: BTreeSet<String> = pages.iter().map(|page| published(&page.to).to_lowercase()).collect();
    for page in &mut pages {
        page.aliases.retain(|alias| taken.insert(alias.to_lowercase()));
    }
    (pages, layout.nav)
}

/// Turns redirects of the old site to one of its pages into aliases of the page.
pub fn redirect(pages: &mut [PlacedPage], names: &Pages, redirects: Vec<Redirect>, losses: &mut Vec<Loss>) {
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for (at, page) in pages.iter().enumerate() {
        known.extend(page.source.iter().map(|source| (source.to_string(), at)));
        known.extend(page.aliases.iter().cloned().chain([published(&page.to)]).map(|address| (address, at)));
    }
    for Redirect { from, to, path, line } in redirects {
        let old = from.trim_start_matches('/');
        let target = to.split(['#', '?']).next().unwrap_or_default();
        let listed = names.named(target.trim_end_matches(".html")).map(|path| path.to_string());
        let target = listed.or_else(|| match target.strip_prefix('/') {
            Some(target) => url::join("", target),
            None => url::join(url::folder(old), target),
        });
        let front = |target: &String| known.get(format!("{target}/index.html").trim_start_matches('/'));
        let page = target.and_then(|target| known.get(&target).or_else(|| front(&target)).copied());
        let is_free = !known.contains_key(old);
        let stem = old.strip_suffix(".html").unwrap_or_default();
        match page.filter(|_| is_free && stem.split('/').all(placement::is_name)) {
            Some(page) => {
                pages[page].aliases.push(old.to_owned());
                known.insert(old.to_owned(), page);
            }
            None if is_free => {
                let detail = format!("the redirect of `{from}` to `{to}`");
                losses.push(Loss::new(Kind::Setting, &path, line, detail));
            }
            None => {}
        }
    }
}

impl Book {
    /// Returns the address that the other program gives the page of a file; `None` if InfraLens cannot publish it.
    fn address(&self, source: &str) -> Option<String> {
        let Some(address) = self.pages.addresses.get(source) else {
            return old_address(source.strip_prefix(&self.folder)?, self.directory_urls);
        };
        let address = format!("{address}/index").trim_start_matches('/').to_owned();
        address.split('/').all(placement::is_name).then(|| format!("{address}.html"))
    }
}

/// Returns the address of the page at a path in `content/`.
fn published(path: &str) -> String {
    let path = path.strip_prefix("content/").unwrap_or(path);
    format!("{}.html", path.strip_suffix(".md").unwrap_or(path))
}

struct Layout<'f> {
    book: &'f Book,
    /// The file of the home page.
    front: Option<Arc<str>>,
    /// The addresses of the old pages, which no page without a file takes.
    old: BTreeSet<String>,
    pages: Vec<PlacedPage>,
    nav: Vec<String>,
    home: Option<Chapter>,
}

impl Layout<'_> {
    /// Places chapters in the folder `at`, in which the names in `taken` are used. Returns the titles and paths of these.
    fn list(&mut self, at: &str, chapters: Vec<Chapter>, taken: &mut BTreeSet<String>) -> Vec<(String, String)> {
        let mut listed = Vec::new();
        for mut chapter in chapters {
            let book = self.book;
            let below = chapter.source.as_deref().and_then(|source| source.strip_prefix(&book.folder));
            if self.home.is_none() && chapter.source.is_some() && chapter.source == self.front {
                let children = std::mem::take(&mut chapter.children);
                self.home = Some(chapter);
                listed.extend(self.list(at, children, taken));
                continue;
            }
            let is_taken =
                |name: &str| chapter.source.is_none() && self.old.contains(&format!("{at}{name}/index.html"));
            let address = chapter.source.as_ref().and_then(|source| book.pages.addresses.get(source));
            let name = free_name(&name(&chapter, address.map(String::as_str).or(below)), taken, is_taken);
            let place = format!("{at}{name}");
            let is_folder = !chapter.children.is_empty();
            let file = if is_folder { format!("{place}/index.md") } else { format!("{place}.md") };
            let to = format!("content/{file}");
            self.nav.extend((!chapter.is_post).then_some(file));
            listed.push((chapter.title.clone(), to.clone()));
            let old = chapter.source.as_deref().and_then(|source| book.address(source));
            let old = old.filter(|old| *old != published(&to));
            let children = std::mem::take(&mut chapter.children);
            let has_posts = children.iter().any(|child| child.is_post);
            let page = self.pages.len();
            self.pages.push(PlacedPage { has_posts, ..PlacedPage::new(chapter, to, old.into_iter().collect()) });
            let mut taken = BTreeSet::from(["index".to_owned()]);
            self.pages[page].below = self.list(&format!("{place}/"), children, &mut taken);
        }
        listed
    }
}

/// Returns the name of a page: that of its file, or that of its folder for a front page.
fn name(chapter: &Chapter, below: Option<&str>) -> String {
    let stem = below.map(|below| [".md", ".ipynb"].iter().find_map(|end| below.strip_suffix(end)).unwrap_or(below));
    let stem = stem.map(|stem| match url::file_name(stem) {
        "index" | "README" => url::file_name(url::folder(stem)),
        name => name,
    });
    let stem = stem.or(Some(&*chapter.folder));
    let name = stem.filter(|stem| !stem.is_empty()).map_or_else(|| slug(&chapter.title), str::to_owned);
    let name: String = name.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '-' }).collect();
    let name = name.trim_matches('-');
    if name.is_empty() { "page".to_owned() } else { name.to_owned() }
}

fn free_name(name: &str, taken: &mut BTreeSet<String>, is_taken: impl Fn(&str) -> bool) -> String {
    let candidates = [name.to_owned(), format!("{name}-page")].into_iter();
    let mut candidates = candidates.chain((2..).map(|number| format!("{name}-{number}")));
    // There are more candidates than names.
    // Names that differ only in case are one on many file systems.
    let is_free = |candidate: &String| !taken.contains(&candidate.to_lowercase()) && !is_taken(candidate);
    let free = candidates.find(is_free).unwrap_or_default();
    taken.insert(free.to_lowercase());
    free
}

/// Returns the address that the other program gives the page of a file; `None` if InfraLens cannot publish it.
pub fn old_address(below: &str, directory_urls: bool) -> Option<String> {
    let stem = below.strip_suffix(".md")?;
    let stem = match stem.strip_suffix("README") {
        Some(folder) if folder.is_empty() || folder.ends_with('/') => format!("{folder}index"),
        _ if directory_urls && url::file_name(stem) != "index" => format!("{stem}/index"),
        _ => stem.to_owned(),
    };
    stem.split('/').all(placement::is_name).then(|| format!("{stem}.html"))
}
