//! Reads a site of MkDocs: `mkdocs.yml`, its `nav`, and pages that `nav` does not list.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::tree::{Keys, Named, entries, named, scalar, texts};
use super::{
    Book, Chapter, Dialect, Kind, Loss, folder_of_pages, formula, mdbook, page_file, posts, settings_file, syntax,
};
use infralens_source::change::Refusal;
use infralens_source::diag::codes;
use infralens_source::project::Project;
use infralens_source::source::Source;
use infralens_source::url;
use infralens_source::yaml::{self, Entry, Node, Tree};
use infralens_starter::notebook::is_notebook;

pub const SETTINGS: [&str; 3] = ["mkdocs.yml", "mkdocs.yaml", "zensical.toml"];

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
        return read_settings(project, top, source, root.map("project"));
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
    let text = |key: &str| root.text(key).unwrap_or_default();
    let folder = folder_of_pages(source, "docs_dir", &text("docs_dir"), "docs", top)?;
    let mut book = Book {
        title: Some(text("site_name")).filter(|title| !title.is_empty()).unwrap_or_else(|| "Site".to_owned()),
        top: top.to_owned(),
        folder,
        bases: vec![top.trim_end_matches('/').to_owned()],
        dialect: Dialect::MkDocs,
        directory_urls: !root.value("use_directory_urls").is_some_and(|it| *it.value == Node::Bool(false)),
        ..Book::default()
    };
    book.settle(project, source, "", root);
    if let Some(found) = root.iter().find(|(key, _)| key.value == "repo_url") {
        book.repository(source, &found.0.span, &scalar(&found.1).unwrap_or_default(), root);
    }
    let mut blog = "blog".to_owned();
    for (span, name, options) in ["plugins", "hooks"].iter().filter_map(|key| root.value(key)).flat_map(named) {
        book.losses.push(syntax::plugin(source, span, &name));
        book.runs_macros |= name.contains("macros");
        for (from, to) in options.map("redirect_maps") {
            book.redirect(source, &from.span, &from.value, &scalar(to).unwrap_or_default());
        }
        if name.ends_with("blog") {
            blog = options.text("blog_dir").unwrap_or(blog);
            book.posts = url::join(&book.folder, &format!("{blog}/posts")).map(|folder| format!("{folder}/"));
        }
    }
    let table = super::settings::table("extensions");
    let known = table.text("known").unwrap_or_default();
    for (span, name, options) in root.value("markdown_extensions").map(extensions).unwrap_or_default() {
        book.runs_macros |= name.contains("macros");
        match &*name {
            "pymdownx.arithmatex" | "mdx_math" => book.formulas = formula::ARITHMATEX,
            "pymdownx.snippets" => {
                let of = |key| options.value(key).into_iter().flat_map(texts);
                book.bases.splice(0..0, of("base_path").map(|base| format!("{top}{base}")));
                book.appended = of("auto_append").collect();
            }
            name if known.split_whitespace().any(|known| known == name) => {}
            name => match table.map("marks").text(name) {
                Some(mark) => book.marks.push(mark),
                None => book.losses.push(Loss::at(Kind::Extension, source, span, format!("`{name}`"))),
            },
        }
    }
    let nav = root.list("nav");
    let mut known = BTreeSet::new();
    for item in nav {
        let chapter = chapter(project, &mut book, source, item, &mut known);
        book.chapters.extend(chapter);
    }
    add_unlisted(project, &mut book, &known, !nav.is_empty());
    posts::add(project, &mut book, blog.trim_matches(['/', '.']));
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
    let posts = book.posts.as_deref().unwrap_or("/");
    let mut pages: Vec<(Vec<&str>, &Arc<str>)> = Vec::new();
    for path in below.filter(|path| !known.contains(*path) && !path.starts_with(posts)) {
        if let Err(why) = page_file(project, "", path) {
            book.losses.push(Loss::new(Kind::Unreadable, path, None, why));
            continue;
        }
        book.losses.extend(has_nav.then(|| Loss::new(Kind::Unlisted, path, None, "")));
        pages.push((path[book.folder.len()..].split('/').collect(), path));
    }
    book.chapters.extend(tree(&pages));
}

/// Returns the chapters of pages that are listed by their paths.
fn tree(pages: &[(Vec<&str>, &Arc<str>)]) -> Vec<Chapter> {
    let same =
        |(one, _): &(Vec<&str>, _), (other, _): &(Vec<&str>, _)| one.len().min(other.len()) > 1 && one[0] == other[0];
    let chapter = |group: &[(Vec<&str>, &Arc<str>)]| match group {
        [(path, file)] if path.len() < 2 => Chapter::of(file, None, title(file)),
        _ => {
            let below: Vec<_> = group.iter().map(|(path, file)| (path[1..].to_vec(), *file)).collect();
            let folder = group[0].0[0];
            section(Chapter { title: title(folder), folder: folder.to_owned(), ..Chapter::default() }, tree(&below))
        }
    };
    pages.chunk_by(same).map(chapter).collect()
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
        let is_below = |child: &&Chapter| child.source.as_deref().is_none_or(|source| source.starts_with(folder));
        let contains_all = children.iter().flat_map(Chapter::all).all(|child| is_below(&child)) && children.len() > 1;
        if is_named { contains_all } else { is_only || contains_all }
    });
    let front = front.map(|at| children.remove(at)).unwrap_or_default();
    // A section may take its title from its own page.
    let first = children.first().and_then(|child| child.source.as_deref());
    let file = front.source.as_deref().or(first).map(url::folder).unwrap_or_default();
    let title = if section.title.is_empty() { self::title(file.trim_end_matches('/')) } else { section.title.clone() };
    let names = section.names.iter().cloned().chain(front.names).collect();
    Chapter { title, names, source: front.source, children, ..section }
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
    let title = title(&path);
    Some(Chapter::of(&path, name, title))
}

/// Returns the title of a page or folder without one: its name in words.
pub fn title(path: &str) -> String {
    let name = url::file_name(path);
    let stem = [".md", ".mdx", ".ipynb"].into_iter().find_map(|end| name.strip_suffix(end));
    infralens_course::course::folder_title(super::pages::split_number(stem.unwrap_or(name)).1)
}

/// Returns the extensions that settings name; in TOML, those with a dot in their name are tables within tables.
fn extensions(tree: &Tree) -> Vec<Named<'_>> {
    let is_group = |name: &str| matches!(name, "pymdownx" | "zensical" | "markdown");
    let mut found = Vec::new();
    for (span, name, options) in named(tree) {
        if !is_group(&name) {
            found.push((span, name, options));
            continue;
        }
        for (key, below) in options {
            let name = format!("{name}.{}", key.value);
            if matches!(key.value.as_str(), "blocks" | "extensions") {
                found.extend(
                    named(below).into_iter().map(|(span, last, options)| (span, format!("{name}.{last}"), options)),
                );
            } else {
                found.push((&key.span, name, entries(below)));
            }
        }
    }
    found
}
