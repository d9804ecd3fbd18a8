//! Reads a site of MkDocs: `mkdocs.yml`, its `nav`, and pages that `nav` does not list.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Book, Chapter, Dialect, Kind, Loss, folder_of_pages, formula, mdbook, page_file, settings_file, syntax};
use infralens_source::change::Refusal;
use infralens_source::diag::codes;
use infralens_source::project::Project;
use infralens_source::source::{Source, Span};
use infralens_source::url;
use infralens_source::yaml::{self, Entry, Node, Tree};
use infralens_starter::notebook::is_notebook;

pub const SETTINGS: [&str; 3] = ["mkdocs.yml", "mkdocs.yaml", "zensical.toml"];
/// The extensions of Markdown whose syntax is translated, is the same here, or changes nothing that readers see.
const EXTENSIONS: [&str; 35] = [
    "abbr", "admonition", "attr_list", "codehilite", "def_list", "extra", "fenced_code", "footnotes",
    "markdown.extensions.extra", "md_in_html", "meta", "sane_lists", "smarty", "tables", "toc", "pymdownx.betterem",
    "pymdownx.details", "pymdownx.emoji", "pymdownx.extra", "pymdownx.highlight", "pymdownx.inlinehilite",
    "pymdownx.superfences", "pymdownx.tabbed", "pymdownx.tasklist", "pymdownx.blocks.admonition",
    "pymdownx.blocks.caption", "pymdownx.blocks.definition", "pymdownx.blocks.details", "pymdownx.blocks.html",
    "pymdownx.blocks.tab", "mdx_include", "markdown_include_variants", "pymdownx.saneheaders", "mdx_truly_sane_lists",
    "pymdownx.blocks",
];
/// The extensions of marks in a line, and what these marks begin with.
const MARKS: [(&str, &[&str]); 5] = [
    ("pymdownx.caret", &["^"]),
    ("pymdownx.critic", &["{"]),
    ("pymdownx.keys", &["++"]),
    ("pymdownx.mark", &["=="]),
    ("pymdownx.tilde", &["~"]),
];

/// Reads the notebooks and the Markdown files in the folder `top` of `project`, in the order of their names.
pub fn notebooks(project: &Project, top: &str) -> Book {
    let mut book = folder(top);
    add_unlisted(project, &mut book, &BTreeSet::new(), false);
    book
}

/// Returns a book of notebooks without its pages.
pub fn folder(top: &str) -> Book {
    let (dialect, formulas) = (Dialect::Notebooks, formula::JUPYTER);
    Book { top: top.to_owned(), folder: top.to_owned(), dialect, formulas, ..Book::default() }
}

/// Reads a site of MkDocs, or one of Zensical, whose settings are the same in TOML.
pub fn mkdocs(project: &Project, top: &str) -> Result<Book, Refusal> {
    let help = "name the folder of a site, which contains `mkdocs.yml` or `zensical.toml`";
    let source = settings_file(project, top, &SETTINGS, help)?;
    if source.path().ends_with(".toml") {
        let root = mdbook::toml(source)?;
        return read_settings(project, top, source, get(&root, "project").map_or(&[][..], entries));
    }
    let root = {
        let parsed = yaml::parse(source, source.start()..source.text().len());
        if let Some(error) = parsed.diagnostics.iter().rfind(|found| found.code == codes::E0103 && !parsed.complete) {
            let at = source.position(error.place.span.map_or(0, |(start, _)| start));
            return Err(Refusal::new(format!("{}:{}:{}: {}", source.path(), at.line, at.column, error.message)));
        }
        parsed.root
    };
    read_settings(project, top, source, root.as_ref().map_or(&[][..], entries))
}

fn read_settings(project: &Project, top: &str, source: &Source, root: &[Entry]) -> Result<Book, Refusal> {
    let text = |key: &str| get(root, key).and_then(scalar).unwrap_or_default();
    let folder = folder_of_pages(source, "docs_dir", &text("docs_dir"), "docs", top)?;
    let mut book = Book {
        title: Some(text("site_name")).filter(|title| !title.is_empty()).unwrap_or_else(|| "Site".to_owned()),
        top: top.to_owned(),
        folder,
        bases: vec![top.trim_end_matches('/').to_owned()],
        dialect: Dialect::MkDocs,
        directory_urls: !get(root, "use_directory_urls")
            .is_some_and(|found| matches!(&*found.value, Node::Bool(false))),
        ..Book::default()
    };
    book.settle(project, source, "", root);
    if let Some(found) = root.iter().find(|(key, _)| key.value == "repo_url") {
        book.repository(source, &found.0.span, &scalar(&found.1).unwrap_or_default(), root);
    }
    for plugins in ["plugins", "hooks"].iter().filter_map(|key| get(root, key)) {
        for (span, name, options) in named(plugins) {
            book.losses.push(syntax::plugin(source, span, &name));
            for (from, to) in get(options, "redirect_maps").map(entries).unwrap_or_default() {
                book.redirect(source, &from.span, &from.value, &scalar(to).unwrap_or_default());
            }
        }
    }
    for (span, name, options) in get(root, "markdown_extensions").map(extensions).unwrap_or_default() {
        match &*name {
            "pymdownx.arithmatex" | "mdx_math" => book.formulas = formula::ARITHMATEX,
            "pymdownx.snippets" => {
                let of = |key| get(options, key).into_iter();
                let texts = |tree| items(tree).iter().chain([tree]).filter_map(scalar);
                let bases = of("base_path").flat_map(texts);
                book.bases.splice(0..0, bases.map(|base| format!("{top}{base}")));
                book.appended = of("auto_append").flat_map(texts).collect();
            }
            name if EXTENSIONS.contains(&name) => {}
            name => match MARKS.iter().find(|(known, _)| *known == name) {
                Some((_, marks)) => book.marks.extend(*marks),
                None => book.losses.push(Loss::at(Kind::Extension, source, span, format!("`{name}`"))),
            },
        }
    }
    let nav = get(root, "nav").map(items).unwrap_or_default();
    let mut known = BTreeSet::new();
    for item in nav {
        let chapter = chapter(project, &mut book, source, item, &mut known);
        book.chapters.extend(chapter);
    }
    add_unlisted(project, &mut book, &known, !nav.is_empty());
    Ok(book)
}

/// Adds the pages that `nav` does not list, and reports them if there is a `nav`.
pub fn add_unlisted(project: &Project, book: &mut Book, known: &BTreeSet<Arc<str>>, has_nav: bool) {
    let is_page = |path: &str| match book.dialect {
        Dialect::Docusaurus | Dialect::Starlight => book.pages.addresses.contains_key(path),
        Dialect::Notebooks => path.ends_with(".md") || is_notebook(path),
        _ => path.ends_with(".md"),
    };
    let below = project.files.keys().filter(|path| path.starts_with(&book.folder) && is_page(path));
    let below: Vec<_> = below.collect();
    let mut pages: Vec<(Vec<String>, Arc<str>)> = Vec::new();
    for path in below.into_iter().filter(|path| !known.contains(*path)) {
        let mut lose = |kind, detail| {
            book.losses.push(Loss { kind, path: Arc::clone(path), line: None, detail });
        };
        match page_file(project, "", path) {
            Err(why) => lose(Kind::Unreadable, why),
            Ok(_) if has_nav => lose(Kind::Unlisted, String::new()),
            Ok(_) => {}
        }
        if page_file(project, "", path).is_ok() {
            pages.push((path[book.folder.len()..].split('/').map(str::to_owned).collect(), Arc::clone(path)));
        }
    }
    book.chapters.extend(tree(&pages));
}

/// Returns the chapters of pages that are listed by their paths.
fn tree(pages: &[(Vec<String>, Arc<str>)]) -> Vec<Chapter> {
    let mut chapters: Vec<Chapter> = Vec::new();
    let mut at = 0;
    while let Some((path, file)) = pages.get(at) {
        if path.len() < 2 {
            chapters.push(Chapter { title: title(file), source: Some(Arc::clone(file)), ..Chapter::default() });
            at += 1;
            continue;
        }
        let count = pages[at..].iter().take_while(|(other, _)| other.len() > 1 && other[0] == path[0]).count();
        let below: Vec<_> =
            pages[at..at + count].iter().map(|(path, file)| (path[1..].to_vec(), Arc::clone(file))).collect();
        chapters.push(section(
            Chapter { title: title(&path[0]), folder: path[0].clone(), ..Chapter::default() },
            tree(&below),
        ));
        at += count;
    }
    chapters
}

/// Puts pages into a section. Its front page, if one of its pages is an `index.md`, is the section's own page.
pub fn section(section: Chapter, mut children: Vec<Chapter>) -> Chapter {
    let is_front = |chapter: &Chapter| {
        let name = chapter.source.as_deref().map(url::file_name);
        chapter.children.is_empty() && matches!(name, Some("index.md" | "README.md" | "index.mdx" | "README.mdx"))
    };
    let is_only = children.iter().filter(|child| is_front(child)).count() == 1;
    let front = children.iter().position(is_front).filter(|&at| {
        let folder = url::folder(children[at].source.as_deref().unwrap_or_default());
        let is_named = !section.names.is_empty() && !children[at].names.is_empty();
        let contains_all = children.iter().all(|child| is_below(child, folder)) && children.len() > 1;
        if is_named { contains_all } else { is_only || contains_all }
    });
    let front = front.map(|at| children.remove(at)).unwrap_or_default();
    // A section may take its title from its own page.
    let first = children.first().and_then(|child| child.source.as_deref());
    let file = front.source.as_deref().or(first).map(url::folder).unwrap_or_default();
    let title = if section.title.is_empty() { self::title(file.trim_end_matches('/')) } else { section.title };
    let names = section.names.into_iter().chain(front.names).collect();
    Chapter { title, names, source: front.source, children, folder: section.folder }
}

/// Whether a chapter and all below it are in a folder.
fn is_below(chapter: &Chapter, folder: &str) -> bool {
    let is_inside = chapter.source.as_deref().is_none_or(|source| source.starts_with(folder));
    is_inside && chapter.children.iter().all(|child| is_below(child, folder))
}

/// Reads an entry of `nav`: a path, `title: path`, or `title: [entries]`.
fn chapter(
    project: &Project,
    book: &mut Book,
    source: &Source,
    item: &Tree,
    known: &mut BTreeSet<Arc<str>>,
) -> Option<Chapter> {
    let (name, value) = match entries(item) {
        [(key, value), ..] => (Some(key.value.clone()), value),
        [] => (None, item),
    };
    if let Node::List(items) = &*value.value {
        let children = items.iter().filter_map(|item| chapter(project, book, source, item, known)).collect();
        let names: Vec<String> = name.into_iter().filter(|name| !name.is_empty()).collect();
        return Some(section(Chapter { title: names.concat(), names, ..Chapter::default() }, children));
    }
    let found = match scalar(value) {
        Some(target) if (target.ends_with(".md") || is_notebook(&target)) && !target.contains("://") => {
            page_file(project, &book.folder, &target).map_err(|why| (Kind::Page, why))
        }
        target => Err((Kind::Entry, format!("`{}`", target.or(name.clone()).unwrap_or_default()))),
    };
    let path = match found {
        Ok(path) => path,
        Err((kind, detail)) => {
            book.losses.push(Loss::at(kind, source, &item.span, detail));
            return None;
        }
    };
    known.insert(Arc::clone(&path));
    let names: Vec<String> = name.into_iter().collect();
    let title = names.first().cloned().unwrap_or_else(|| title(&path));
    Some(Chapter { title, names, source: Some(path), ..Chapter::default() })
}

/// Returns the title of a page or folder without one: its name in words.
pub fn title(path: &str) -> String {
    let name = url::file_name(path);
    let stem = [".md", ".mdx", ".ipynb"].into_iter().find_map(|end| name.strip_suffix(end));
    infralens_course::course::folder_title(super::pages::split_number(stem.unwrap_or(name)).1)
}

pub fn entries(tree: &Tree) -> &[Entry] {
    match &*tree.value {
        Node::Map(entries) => entries,
        _ => &[],
    }
}

pub fn items(tree: &Tree) -> &[Tree] {
    match &*tree.value {
        Node::List(items) => items,
        _ => &[],
    }
}

pub fn get<'t>(entries: &'t [Entry], key: &str) -> Option<&'t Tree> {
    entries.iter().find(|(name, _)| name.value == key).map(|(_, value)| value)
}

pub fn scalar(tree: &Tree) -> Option<String> {
    match &*tree.value {
        Node::Text(text) | Node::Number(text) => Some(text.clone()),
        _ => None,
    }
}

/// Returns the extensions that settings name; in TOML, those with a dot in their name are tables within tables.
fn extensions(tree: &Tree) -> Vec<(&Span, String, &[Entry])> {
    let is_group = |name: &str| matches!(name, "pymdownx" | "zensical" | "markdown");
    let mut found = Vec::new();
    for (span, name, options) in named(tree) {
        if !is_group(&name) {
            found.push((span, name, options));
            continue;
        }
        for (key, below) in options {
            if matches!(key.value.as_str(), "blocks" | "extensions") {
                let inner = entries(below).iter();
                found.extend(inner.map(|(last, options)| {
                    (&last.span, format!("{name}.{}.{}", key.value, last.value), entries(options))
                }));
            } else {
                found.push((&key.span, format!("{name}.{}", key.value), entries(below)));
            }
        }
    }
    found
}

/// Returns what a list of plugins or extensions names, which may be a map: the place, the name and the options of each.
pub fn named(tree: &Tree) -> Vec<(&Span, String, &[Entry])> {
    let maps = items(tree).iter().filter_map(|item| entries(item).first()).chain(entries(tree));
    let maps = maps.map(|(key, options)| (&key.span, key.value.clone(), entries(options)));
    // A name, or a list of a name and its options.
    let words = items(tree).iter().filter_map(|item| {
        let (name, options) = items(item).split_first().map_or((item, None), |(name, rest)| (name, rest.first()));
        Some((&item.span, scalar(name)?, options.map(entries).unwrap_or_default()))
    });
    let mut found: Vec<_> = maps.chain(words).collect();
    found.sort_by_key(|(span, ..)| span.start);
    found
}
