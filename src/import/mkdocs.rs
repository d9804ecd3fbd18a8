//! Reads a site of MkDocs: `mkdocs.yml`, its `nav`, and pages that `nav` does not list.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Book, Chapter, Dialect, Import, Loss, formula, import, settings_text};
use crate::change::Refusal;
use crate::course::url;
use crate::diag::codes;
use crate::project::Project;
use crate::source::Source;
use crate::yaml::{self, Entry, Node, Tree};

const SETTINGS: &str = "mkdocs.yml";

/// Imports a site of MkDocs, whose files are in `project` by their paths from the folder of `mkdocs.yml`.
///
/// # Errors
/// `mkdocs.yml` is missing or cannot be read.
pub fn mkdocs(project: &Project) -> Result<Import, Refusal> {
    let settings = settings_text(project, SETTINGS, "name the folder of a site, which contains `mkdocs.yml`")?;
    let book = read_settings(project, settings)?;
    Ok(import(project, book))
}

fn read_settings(project: &Project, source: &Source) -> Result<Book, Refusal> {
    let parsed = yaml::parse(source, source.start()..source.text().len());
    if let Some(error) = parsed.diagnostics.iter().find(|found| found.code == codes::E0103 && !parsed.complete) {
        let at = source.position(error.place.span.map_or(0, |(start, _)| start));
        return Err(Refusal::new(format!("{SETTINGS}:{}:{}: {}", at.line, at.column, error.message)));
    }
    let root = parsed.root.as_ref().map_or(&[][..], entries);
    let text = |key: &str| get(root, key).and_then(scalar).unwrap_or_default();
    let folder = Some(text("docs_dir")).filter(|folder| !folder.is_empty()).unwrap_or_else(|| "docs".to_owned());
    let folder = url::join("", &folder)
        .ok_or_else(|| Refusal::new(format!("{SETTINGS}: `docs_dir` leads out of the site's folder")))?;
    let mut book = Book {
        title: Some(text("site_name")).filter(|title| !title.is_empty()).unwrap_or_else(|| "Site".to_owned()),
        description: text("site_description").split_whitespace().collect::<Vec<_>>().join(" "),
        repository: text("repo_url"),
        folder: if folder.is_empty() { folder } else { folder + "/" },
        dialect: Dialect::MkDocs,
        ..Book::default()
    };
    for (key, value) in root {
        let lose = |at: usize, what: String| Loss { path: SETTINGS.into(), line: Some(source.line(at) + 1), what };
        match key.value.as_str() {
            "plugins" | "hooks" => {
                let names = items(value).iter().filter_map(|item| Some((item.span.start, name(item)?)));
                let names = names.filter(|(_, name)| name != "search");
                book.losses.extend(names.map(|(at, name)| lose(at, format!("what the plugin `{name}` does"))));
            }
            "theme" | "extra" | "extra_css" | "extra_javascript" | "INHERIT" => {
                book.losses.push(lose(key.span.start, format!("`{}`", key.value)));
            }
            _ => {}
        }
    }
    let mut extensions = get(root, "markdown_extensions").map(items).unwrap_or_default().iter().filter_map(name);
    if extensions.any(|name| matches!(&*name, "pymdownx.arithmatex" | "mdx_math")) {
        book.formulas = formula::ARITHMATEX;
    }
    let nav = get(root, "nav").map(items).unwrap_or_default();
    let mut known = BTreeSet::new();
    for item in nav {
        let chapter = chapter(&mut book, source, item, &mut known);
        book.chapters.extend(chapter);
    }
    let below = project.files.keys().filter(|path| path.starts_with(&book.folder) && path.ends_with(".md"));
    let left: Vec<&Arc<str>> = below.filter(|path| !known.contains(*path)).collect();
    let parts = |path: &Arc<str>| path[book.folder.len()..].split('/').map(str::to_owned).collect();
    let pages: Vec<(Vec<String>, Arc<str>)> = left.into_iter().map(|path| (parts(path), Arc::clone(path))).collect();
    if !nav.is_empty() && !pages.is_empty() {
        let lose = |(_, path): &(_, Arc<str>)| Loss {
            path: Arc::clone(path),
            line: None,
            what: "the place of a page that `nav` does not list; it comes last".to_owned(),
        };
        book.losses.extend(pages.iter().map(lose));
    }
    book.chapters.extend(tree(&pages));
    Ok(book)
}

/// Returns the chapters of pages that are listed by their paths.
fn tree(pages: &[(Vec<String>, Arc<str>)]) -> Vec<Chapter> {
    let mut chapters: Vec<Chapter> = Vec::new();
    let mut at = 0;
    while let Some((path, file)) = pages.get(at) {
        if path.len() < 2 {
            chapters.push(Chapter { title: title(file), source: Some(Arc::clone(file)), children: Vec::new() });
            at += 1;
            continue;
        }
        let count = pages[at..].iter().take_while(|(other, _)| other.len() > 1 && other[0] == path[0]).count();
        let below: Vec<_> =
            pages[at..at + count].iter().map(|(path, file)| (path[1..].to_vec(), Arc::clone(file))).collect();
        chapters.push(section(title(&path[0]), tree(&below)));
        at += count;
    }
    chapters
}

/// Creates a section. Its front page, if one of its pages is an `index.md`, is the section's own page.
fn section(title: String, mut children: Vec<Chapter>) -> Chapter {
    let is_front = |chapter: &Chapter| {
        let name = chapter.source.as_deref().map(url::file_name);
        chapter.children.is_empty() && matches!(name, Some("index.md" | "README.md"))
    };
    let front = children.iter().position(is_front).map(|at| children.remove(at));
    Chapter { title, source: front.and_then(|front| front.source), children }
}

/// Reads an entry of `nav`: a path, `title: path`, or `title: [entries]`.
fn chapter(book: &mut Book, source: &Source, item: &Tree, known: &mut BTreeSet<Arc<str>>) -> Option<Chapter> {
    let (name, value) = match entries(item) {
        [(key, value), ..] => (Some(key.value.clone()), value),
        [] => (None, item),
    };
    if let Node::List(items) = &*value.value {
        let children = items.iter().filter_map(|item| chapter(book, source, item, known)).collect();
        return Some(section(name.unwrap_or_default(), children));
    }
    let target = scalar(value)?;
    let path = url::join(&book.folder, &target).filter(|path| target.contains(".md") && path.ends_with(".md"));
    let Some(path) = path else {
        let what = format!("the entry `{target}` of `nav`, which is not a page");
        book.losses.push(Loss { path: SETTINGS.into(), line: Some(source.line(value.span.start) + 1), what });
        return None;
    };
    let path: Arc<str> = Arc::from(path);
    known.insert(Arc::clone(&path));
    Some(Chapter { title: name.unwrap_or_else(|| title(&path)), source: Some(path), children: Vec::new() })
}

/// Returns the title of a page or folder without one: its name in words.
fn title(path: &str) -> String {
    let name = url::file_name(path);
    crate::course::folder_title(name.strip_suffix(".md").unwrap_or(name))
}

fn entries(tree: &Tree) -> &[Entry] {
    match &*tree.value {
        Node::Map(entries) => entries,
        _ => &[],
    }
}

fn items(tree: &Tree) -> &[Tree] {
    match &*tree.value {
        Node::List(items) => items,
        _ => &[],
    }
}

fn get<'t>(entries: &'t [Entry], key: &str) -> Option<&'t Tree> {
    entries.iter().find(|(name, _)| name.value == key).map(|(_, value)| value)
}

fn scalar(tree: &Tree) -> Option<String> {
    match &*tree.value {
        Node::Text(text) | Node::Number(text) => Some(text.clone()),
        _ => None,
    }
}

/// Returns the name of a plugin: an item that is a text, or a map with one key.
fn name(tree: &Tree) -> Option<String> {
    scalar(tree).or_else(|| entries(tree).first().map(|(key, _)| key.value.clone()))
}
