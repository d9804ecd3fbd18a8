//! Reads the sidebar of a site of VitePress, Docusaurus or Starlight: lists of entries, which name pages or have others below.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::literal::Settings;
use super::mkdocs::add_unlisted;
use super::pages::{Pages, chapters_below};
use super::tree::{Keys, entries, scalar};
use super::{Book, Chapter, Kind, Loss, mdbook};
use infralens_source::project::Project;
use infralens_source::yaml::{Entry, Node, Tree};

/// Reads a sidebar as the chapters of a book, and adds the pages that it does not list. `settings` are the files in which it
/// may be; if they compute it in another way, pages follow the names of their files.
pub fn add(project: &Project, book: &mut Book, settings: &[Settings<'_>], named: Option<&(usize, Tree)>) {
    let mut known = BTreeSet::new();
    let pages = &std::mem::take(&mut book.pages);
    if let Some((at, tree)) = named {
        let mut sidebar = Sidebar { project, book, pages, settings: &settings[*at], known: &mut known };
        let chapters = sidebar.lists(tree);
        book.chapters = chapters;
    }
    // The home page is not in the sidebar.
    let home = ["index.md", "index.mdx"].map(|name| format!("{}{name}", book.folder));
    let home = home.iter().find_map(|path| project.files.get_key_value(path.as_str()));
    if let Some((home, _)) = home.filter(|(home, _)| known.insert(Arc::clone(home))) {
        book.chapters.insert(0, Chapter::of(home, None, book.title.clone()));
    }
    if let (None, Some(found)) = (named, settings.iter().find(|found| found.source.text().contains("sidebar:"))) {
        let detail = "`sidebar` is computed, so pages follow the names of their files";
        book.losses.push(Loss::new(Kind::Entry, found.source.path(), None, detail));
    }
    if named.is_none() && !pages.is_empty() {
        book.chapters.extend(chapters_below(project, pages, "", &mut known));
    }
    book.pages = pages.clone();
    add_unlisted(project, book, &known, named.is_some());
}

struct Sidebar<'a> {
    project: &'a Project,
    book: &'a mut Book,
    pages: &'a Pages,
    settings: &'a Settings<'a>,
    known: &'a mut BTreeSet<Arc<str>>,
}

impl Sidebar<'_> {
    /// Reads a list, or lists by the paths at which they are shown, of which the shorter paths come first.
    fn lists(&mut self, tree: &Tree) -> Vec<Chapter> {
        let mut lists = match &*tree.value {
            Node::Map(lists) => lists.iter().map(|(path, list)| (path.value.len(), list)).collect(),
            _ => vec![(0, tree)],
        };
        if self.pages.is_empty() {
            lists.sort_by_key(|(length, _)| *length);
        }
        let chapters = lists.into_iter().flat_map(|(_, list)| match &*list.value {
            Node::Map(entries) if entries.value("items").is_some() => {
                self.map(list, entries, "").into_iter().flat_map(|group| group.children).collect()
            }
            _ => self.entry(list, ""),
        });
        chapters.collect()
    }

    /// Reads an entry: a list, the name of a page, or the name of a constant with a list, or a map.
    fn entry(&mut self, tree: &Tree, base: &str) -> Vec<Chapter> {
        match &*tree.value {
            Node::List(entries) => entries.iter().flat_map(|item| self.entry(item, base)).collect(),
            Node::Map(entries) => self.map(tree, entries, base),
            _ => {
                let Some(name) = scalar(tree) else { return Vec::new() };
                if let Some(path) = self.pages.named(&name) {
                    return vec![self.page(path, None)];
                }
                match self.settings.constant(name.trim_end_matches("()").trim_start_matches("..."), 0) {
                    Some(list) => self.entry(&list, base),
                    None => self.lose(tree, format!("`{name}`")),
                }
            }
        }
    }

    fn map(&mut self, tree: &Tree, map: &[Entry], base: &str) -> Vec<Chapter> {
        let text = |key: &str| map.text(key);
        let below = map.value("autogenerate").map(|tree| entries(tree).text("directory").unwrap_or_default());
        let generated = below.or_else(|| text("dirName"));
        let title = text("text").or_else(|| text("label"));
        let base = text("base").unwrap_or_else(|| base.to_owned());
        let link = text("link").or_else(|| map.map("link").text("id"));
        let link = link.or_else(|| ["id", "slug", "href"].iter().find_map(|key| text(key)));
        let mut chapter = Chapter::default();
        if let Some(link) = &link {
            match self.find(link, &base) {
                Ok(path) => chapter = self.page(path, title.clone()),
                Err(why) => drop(self.lose(tree, why)),
            }
        }
        if let Some(title) = title {
            chapter = Chapter { names: vec![title.clone()], title, ..chapter };
        } else if generated.is_none()
            && ["link", "id", "slug", "href", "type", "items"].iter().all(|key| map.value(key).is_none())
        {
            // A short form: groups by their titles.
            let group = |(name, list): &Entry| Chapter {
                names: vec![name.value.clone()],
                title: name.value.clone(),
                children: self.entry(list, &base),
                ..Chapter::default()
            };
            return map.iter().map(group).collect();
        }
        if let Some(list) = map.value("items") {
            chapter.children = self.entry(list, &base);
        }
        if let Some(folder) = generated {
            let below = chapters_below(self.project, self.pages, folder.trim_matches(['/', '.']), self.known);
            if chapter.title.is_empty() {
                return below;
            }
            chapter.children.extend(below);
        }
        vec![chapter]
    }

    fn find(&self, link: &str, base: &str) -> Result<Arc<str>, String> {
        if let Some(path) = self.pages.named(link) {
            return Ok(path);
        }
        if link.contains("://") {
            return Err(format!("`{link}`"));
        }
        let target = if link.starts_with('/') { link.to_owned() } else { format!("{base}{link}") };
        let target = target.split(['#', '?']).next().unwrap_or_default().trim_end_matches(".html");
        mdbook::linked_page(self.project, self.book, target)
    }

    /// Returns the chapter of a page; one that an entry above has named already is not repeated.
    fn page(&mut self, path: Arc<str>, title: Option<String>) -> Chapter {
        let name = title.or_else(|| self.pages.label(&path));
        let chapter = Chapter::of(&path, name, self.pages.title(&path));
        Chapter { source: self.known.insert(Arc::clone(&path)).then_some(path), ..chapter }
    }

    fn lose(&mut self, tree: &Tree, detail: String) -> Vec<Chapter> {
        self.book.losses.push(Loss::at(Kind::Entry, self.settings.source, &tree.span, detail));
        Vec::new()
    }
}
