//! Reads a book of mdBook: `book.toml`, and the table of contents in `SUMMARY.md`.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use toml::de::{DeTable, DeValue};

use super::tree::{Keys, scalar};
use super::{Book, Chapter, Kind, Loss, folder_of_pages, formula, page_file, settings_file, syntax};
use infralens_source::change::Refusal;
use infralens_source::project::Project;
use infralens_source::source::Source;
use infralens_source::url;
use infralens_source::yaml::{Entry, Node, Spanned, Tree};

/// The settings, or the list of chapters of a book without any: that of mdBook, and that of docsify.
pub const SETTINGS: [&str; 4] = ["book.toml", "src/SUMMARY.md", "SUMMARY.md", "_sidebar.md"];
/// Reads a book of mdBook, or one without settings, which is the list of chapters alone.
pub fn mdbook(project: &Project, top: &str) -> Result<Book, Refusal> {
    let mut book = settings(project, top)?;
    let help = "a book of mdBook lists its pages in `SUMMARY.md`";
    let summary = settings_file(project, &book.folder, &["SUMMARY.md", SIDEBAR], help)?;
    read_summary(project, &mut book, summary);
    Ok(book)
}

/// Reads `book.toml`.
pub fn settings(project: &Project, top: &str) -> Result<Book, Refusal> {
    let help = "name the folder of a book, which contains `book.toml`, or `SUMMARY.md` alone";
    let source = settings_file(project, top, &SETTINGS, help)?;
    if source.path().ends_with(".toml") {
        return read_settings(project, top, source);
    }
    let folder = url::folder(source.path());
    let folder = if folder.is_empty() { String::new() } else { format!("{}/", folder.trim_end_matches('/')) };
    Ok(Book { title: "Book".to_owned(), top: top.to_owned(), folder, ..Book::default() })
}

/// Parses TOML as a tree.
pub fn toml(source: &Source) -> Result<Vec<Entry>, Refusal> {
    let table = DeTable::parse(source.text()).map_err(|error| {
        let at = source.position(error.span().map_or(0, |span| span.start));
        Refusal::new(format!("{}:{}:{}: {}", source.path(), at.line, at.column, error.message()))
    })?;
    Ok(tree_of_table(table.get_ref()))
}

fn tree_of_table(table: &DeTable<'_>) -> Vec<Entry> {
    let key = |key: &toml::Spanned<Cow<'_, str>>| Spanned { value: key.get_ref().to_string(), span: key.span() };
    let mut entries: Vec<Entry> = table.iter().map(|(name, value)| (key(name), tree_of(value))).collect();
    entries.sort_by_key(|(key, _)| key.span.start);
    entries
}

/// Returns a value of TOML as one of YAML.
fn tree_of(value: &toml::Spanned<DeValue<'_>>) -> Tree {
    let node = match value.get_ref() {
        DeValue::String(text) => Node::Text(text.to_string()),
        DeValue::Boolean(value) => Node::Bool(*value),
        DeValue::Array(items) => Node::List(items.iter().map(tree_of).collect()),
        DeValue::Table(table) => Node::Map(tree_of_table(table)),
        DeValue::Integer(number) => Node::Number(number.as_str().to_owned()),
        other => Node::Text(format!("{other:?}")),
    };
    Spanned { value: Rc::new(node), span: value.span() }
}

fn read_settings(project: &Project, top: &str, source: &Source) -> Result<Book, Refusal> {
    let root = toml(source)?;
    let (of_book, html) = (root.map("book"), root.map("output").map("html"));
    let text = |key: &str| of_book.text(key).unwrap_or_default();
    let is_true = |key: &str| html.value(key).is_some_and(|found| *found.value == Node::Bool(true));
    let title = text("title");
    let mut book = Book {
        title: if title.is_empty() { "Book".to_owned() } else { title },
        top: top.to_owned(),
        folder: folder_of_pages(source, "src", &text("src"), "src", top)?,
        has_numbers: !is_true("no-section-label"),
        formulas: if is_true("mathjax-support") { formula::MATHJAX } else { &[][..] },
        ..Book::default()
    };
    book.settle(project, source, "", &root);
    for (key, _) in root.map("preprocessor") {
        match &*key.value {
            "katex" => book.formulas = formula::KATEX,
            // Those of mdBook itself, and those whose syntax is translated or the same here.
            "links" | "index" | "admonish" | "mermaid" => {}
            name => book.losses.push(syntax::plugin(source, &key.span, name)),
        }
    }
    for (from, to) in html.map("redirect") {
        book.redirect(source, &from.span, &from.value, &scalar(to).unwrap_or_default());
    }
    // Its files replace those of mdBook, whether the settings name it or not.
    if let Some(path) = project.files.keys().find(|path| path.starts_with(&format!("{top}theme/"))) {
        book.losses.push(Loss::new(Kind::Setting, path, None, "the folder `theme`"));
    }
    Ok(book)
}

/// The list of chapters of docsify.
pub const SIDEBAR: &str = "_sidebar.md";

/// Returns the page that a link in a list of chapters names; docsify leaves out the end of its path.
pub fn linked_page(project: &Project, book: &Book, target: &str) -> Result<Arc<str>, String> {
    let target = url::decode(target);
    let short = target.trim_start_matches('/').split('?').next().unwrap_or_default().trim_end_matches('/');
    let ends = if short.is_empty() { ["README.md", "index.md", ""] } else { [".md", "/README.md", "/index.md"] };
    let pages = ends.map(|end| format!("{short}{end}"));
    let is_page = |page: &&String| project.files.contains_key(&*format!("{}{page}", book.folder));
    page_file(project, &book.folder, pages.iter().find(is_page).unwrap_or(&target))
}

/// Reads the table of contents: links before, in and after nested lists. The text of an item without a link is a heading of
/// those below.
fn read_summary(project: &Project, book: &mut Book, source: &Source) {
    let path = source.path();
    let text = &source.text()[source.start()..];
    let mut lists: Vec<Vec<Chapter>> = vec![Vec::new()];
    let mut link: Option<(String, String)> = None;
    let mut heading: Option<(usize, String)> = None;
    let mut words = String::new();
    let mut has_part = false;
    let mut losses: Vec<Loss> = Vec::new();
    let mut lose = |kind, at: usize, detail: String| {
        losses.push(Loss::new(kind, path, source.line(source.start() + at) + 1, detail));
    };
    for (event, span) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Start(Tag::List(_)) => {
                let title = std::mem::take(&mut words).trim().to_owned();
                if let Some(list) = lists.last_mut().filter(|_| !title.is_empty()) {
                    list.push(Chapter { names: vec![title.clone()], title, ..Chapter::default() });
                }
                lists.push(Vec::new());
            }
            Event::Start(Tag::Item) => words.clear(),
            Event::End(TagEnd::List(_)) => {
                let depth = lists.len().saturating_sub(2);
                let Some(children) = lists.pop() else { continue };
                let Some(above) = lists.last_mut() else { continue };
                // A list in an item has the chapters below that item; a list by itself continues the book.
                match above.last_mut() {
                    Some(parent) if depth > 0 => parent.children.extend(children),
                    _ => above.extend(children),
                }
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                has_part = true;
                words.clear();
                link = Some((dest_url.to_string(), String::new()));
            }
            Event::End(TagEnd::Link) => {
                let Some((target, title)) = link.take() else { continue };
                let source = match linked_page(project, book, &target) {
                    _ if target.is_empty() => {
                        lose(Kind::Draft, span.start, format!("`{title}`"));
                        None
                    }
                    Ok(path) => Some(path),
                    Err(why) => {
                        lose(Kind::Page, span.start, why);
                        None
                    }
                };
                if lists.len() > 1 && std::mem::take(&mut book.has_numbers) {
                    lose(Kind::Part, span.start, "the numbers of chapters".to_owned());
                }
                let chapter = Chapter { names: vec![title.clone()], title, source, ..Chapter::default() };
                if let Some(list) = lists.last_mut() {
                    list.push(chapter);
                }
            }
            Event::Start(Tag::Heading { .. }) => heading = Some((span.start, String::new())),
            Event::End(TagEnd::Heading(_)) => {
                // A heading above all chapters is the title of the list itself.
                if let Some((at, title)) = heading.take().filter(|_| std::mem::replace(&mut has_part, true)) {
                    lose(Kind::Part, at, format!("`{title}`"));
                }
            }
            Event::Text(part) | Event::Code(part) => {
                let of_item = if lists.len() > 1 && link.is_none() { Some(&mut words) } else { None };
                let open = of_item.into_iter().chain(link.as_mut().map(|(_, title)| title));
                open.chain(heading.as_mut().map(|(_, title)| title)).for_each(|title| title.push_str(&part));
            }
            _ => {}
        }
    }
    book.losses.append(&mut losses);
    book.chapters = lists.into_iter().flatten().collect();
}
