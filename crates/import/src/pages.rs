//! The pages of a site of Docusaurus or Starlight by the names that they have there: ids, addresses, and their order in a folder.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::mkdocs::{section, title};
use super::tree::{Keys, entries};
use super::{Chapter, Dialect, front_matter};
use infralens_source::project::Project;
use infralens_source::url;
use infralens_source::yaml;

/// The pages of a site; none for programs that name pages by their files.
#[derive(Debug, Default, Clone)]
pub struct Pages {
    /// The folder of the pages.
    folder: String,
    /// Whether a number before a name says where it is in its folder.
    has_numbers: bool,
    /// The address of each file, without slashes around it.
    pub addresses: BTreeMap<Arc<str>, String>,
    /// The file of each id and of each address.
    names: BTreeMap<String, Arc<str>>,
    places: BTreeMap<Arc<str>, Place>,
    /// The posts of the blog, and their dates.
    pub posts: BTreeMap<Arc<str>, Option<String>>,
}

/// Returns the path of a page without its end; `None` if it is not Markdown.
pub fn stem(path: &str) -> Option<&str> {
    path.strip_suffix(".md").or(path.strip_suffix(".mdx"))
}

/// Where a page or a folder is in the sidebar, if that is made from files.
#[derive(Debug, Default, Clone)]
struct Place {
    label: Option<String>,
    title: Option<String>,
    position: Option<String>,
}

impl Pages {
    /// Reads the front matter of all pages in `folder`, whose addresses begin with `base`. Files and folders whose name begins
    /// with `_` are parts of pages, and those in `skipped` are translations.
    pub fn new(project: &Project, dialect: Dialect, folder: &str, base: &str, skipped: &[String]) -> Self {
        let has_numbers = dialect == Dialect::Docusaurus;
        let mut pages = Self { folder: folder.to_owned(), has_numbers, ..Self::default() };
        for path in project.files.keys().filter(|path| path.starts_with(folder)) {
            let below = &path[folder.len()..];
            let is_skipped = skipped.iter().any(|folder| below.starts_with(folder));
            if !is_skipped && !below.split('/').any(|part| part.starts_with('_')) {
                pages.add(project, path, folder, base);
            }
        }
        pages
    }

    /// Adds the file at `path` in `folder`, if it is a page.
    pub fn add(&mut self, project: &Project, path: &Arc<str>, folder: &str, base: &str) {
        let Some((stem, source)) = stem(&path[folder.len()..]).zip(project.text(path)) else { return };
        let values = front_matter::values(source.text());
        let value = |key: &str| values.get(key).cloned().filter(|value| !value.is_empty());
        let (folder, file) = stem.rsplit_once('/').unwrap_or(("", stem));
        let parts = folder.split('/').filter(|part| !part.is_empty()).map(|part| self.number(part).1);
        let folder = parts.flat_map(|part| [part, "/"]).collect::<String>();
        let (number, name) = self.number(file);
        let id = value("id").unwrap_or_else(|| name.to_owned());
        let is_front = |name: &str| {
            name == "index"
                || self.has_numbers && {
                    name.eq_ignore_ascii_case("readme") || folder.trim_end_matches('/').ends_with(&format!("/{name}"))
                }
        };
        let named = if is_front(name) { folder.clone() } else { format!("{folder}{id}") };
        let address = match value("slug") {
            Some(slug) if slug.starts_with('/') || !self.has_numbers => slug,
            Some(slug) => format!("{folder}{slug}"),
            None if self.has_numbers => named,
            None => named.to_lowercase().replace(' ', "-").replace('.', ""),
        };
        let address = format!("{base}/{}", address.trim_matches('/')).trim_matches('/').to_owned();
        let position = value("sidebar_position").or_else(|| value("sidebar.order")).or(number.map(str::to_owned));
        let label = value("sidebar_label").or_else(|| value("sidebar.label"));
        self.places.insert(Arc::clone(path), Place { label, title: value("title"), position });
        self.names.entry(format!("{folder}{id}")).or_insert_with(|| Arc::clone(path));
        self.names.entry(address.clone()).or_insert_with(|| Arc::clone(path));
        self.addresses.insert(Arc::clone(path), address);
    }

    /// Adds a post, which other pages may name by its address.
    pub fn add_post(&mut self, path: &Arc<str>, address: &str, is_named: bool, date: Option<String>) {
        self.posts.insert(Arc::clone(path), date);
        self.addresses.insert(Arc::clone(path), address.to_owned());
        if is_named {
            self.names.entry(address.to_owned()).or_insert_with(|| Arc::clone(path));
        }
    }

    /// Whether no page has a name other than its path.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns the file of the page with an id or an address.
    pub fn named(&self, name: &str) -> Option<Arc<str>> {
        self.names.get(name.split(['#', '?']).next()?.trim_matches('/')).cloned()
    }

    /// Returns the page to which a link of the page at `source` leads by its address.
    pub fn linked(&self, source: &str, target: &str) -> Option<Arc<str>> {
        if target.starts_with('/') {
            return self.named(target);
        }
        let own = self.addresses.get(source)?;
        let bases = [url::folder(own), own];
        bases.iter().find_map(|base| self.named(&url::join(base, target)?))
    }

    /// Returns the title that a page has in the sidebar, if that is one of its own.
    pub fn label(&self, path: &str) -> Option<String> {
        self.places.get(path)?.label.clone()
    }

    /// Returns the title of a page as the sidebar shows it.
    pub fn title(&self, path: &str) -> String {
        let place = self.places.get(path);
        place.and_then(|place| place.label.clone().or(place.title.clone())).unwrap_or_else(|| title(path))
    }

    /// Splits a name such as `01-rings` into its number, if numbers are positions here, and the rest.
    fn number<'n>(&self, name: &'n str) -> (Option<&'n str>, &'n str) {
        if self.has_numbers { split_number(name) } else { (None, name) }
    }
}

/// Splits a name such as `01-rings` into its number and the rest.
pub fn split_number(name: &str) -> (Option<&str>, &str) {
    let rest = name.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = &name[..name.len() - rest.len()];
    let after = rest.trim_start_matches([' ', '-', '_', '.']);
    let is_number = !number.is_empty() && after.len() < rest.len() && !after.is_empty();
    if is_number && !after.starts_with(|c: char| c.is_ascii_digit()) { (Some(number), after) } else { (None, name) }
}

/// Returns the chapters of the pages in the folder `below` that of all pages, in their order, and notes their files in `known`.
pub fn chapters_below(project: &Project, pages: &Pages, below: &str, known: &mut BTreeSet<Arc<str>>) -> Vec<Chapter> {
    let folder = if below.is_empty() { pages.folder.clone() } else { format!("{}{below}/", pages.folder) };
    let inside = pages.addresses.keys().filter_map(|path| Some((path.strip_prefix(&folder)?, path)));
    let mut folders = BTreeSet::new();
    let mut found: Vec<(Place, Chapter)> = Vec::new();
    for (name, path) in inside {
        if let Some((name, _)) = name.split_once('/') {
            if folders.insert(name) {
                found.push(group(project, pages, &format!("{below}/{name}"), known));
            }
        } else if known.insert(Arc::clone(path)) {
            let place = pages.places.get(path).cloned().unwrap_or_default();
            let chapter = Chapter::of(path, place.label.clone(), pages.title(path));
            found.push((place, chapter));
        }
    }
    let position =
        |place: &Place| place.position.as_deref().and_then(|text| text.parse().ok()).unwrap_or(f64::INFINITY);
    found.sort_by(|(one, _), (other, _)| position(one).total_cmp(&position(other)));
    found.into_iter().map(|(_, chapter)| chapter).filter(|it| it.source.is_some() || !it.children.is_empty()).collect()
}

/// Returns the chapter of a folder, which a file `_category_` may describe.
fn group(project: &Project, pages: &Pages, below: &str, known: &mut BTreeSet<Arc<str>>) -> (Place, Chapter) {
    let below = below.trim_start_matches('/');
    let name = url::file_name(below);
    let files = ["json", "yml", "yaml"].map(|end| format!("{}{below}/_category_.{end}", pages.folder));
    let source = files.iter().find_map(|path| project.text(path));
    let root = source.and_then(|source| yaml::parse(source, source.start()..source.text().len()).root);
    let category = root.as_ref().map(entries).unwrap_or_default();
    let (number, words) = pages.number(name);
    let position = category.text("position").or(number.map(str::to_owned));
    let label = category.text("label");
    let (title, names) = (label.clone().unwrap_or_else(|| title(words)), label.iter().cloned().collect());
    let chapter = Chapter { names, title, folder: words.to_owned(), ..Chapter::default() };
    let children = chapters_below(project, pages, below, known);
    (Place { label, title: None, position }, section(chapter, children))
}
