//! Reads a book of mdBook: `book.toml`, and the table of contents in `SUMMARY.md`.

use std::borrow::Cow;
use std::sync::Arc;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use toml::Spanned;
use toml::de::DeTable;

use super::{Book, Chapter, Import, Kind, Loss, Redirect, formula, import, page_file, settings_file};
use infralens_site::Options;
use infralens_source::change::Refusal;
use infralens_source::project::Project;
use infralens_source::source::Source;
use infralens_source::url;

/// The settings, or the list of chapters of a book without any: that of mdBook, and that of docsify.
pub const SETTINGS: [&str; 4] = ["book.toml", "src/SUMMARY.md", "SUMMARY.md", "_sidebar.md"];
/// The settings of `output.html` that are taken over, or that every site of InfraLens has in its own way.
const TAKEN: [&str; 9] = [
    "git-repository-url", "mathjax-support", "no-section-label", "search", "print", "fold", "playground", "playpen",
    "redirect",
];

/// Imports a book of mdBook, whose settings are in the folder `top` of `project`; its path ends in a slash unless it is
/// empty. Without settings, it is the list of chapters alone.
///
/// # Errors
/// `book.toml` or `SUMMARY.md` is missing or cannot be read, or the book has no page.
pub fn mdbook(project: &Project, top: &str, options: &Options) -> Result<Import, Refusal> {
    let mut book = settings(project, top)?;
    let help = "a book of mdBook lists its pages in `SUMMARY.md`";
    let summary = settings_file(project, &book.folder, &["SUMMARY.md", SIDEBAR], help)?;
    read_summary(project, &mut book, summary);
    import(project, book, options)
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

/// Parses TOML.
pub fn toml(source: &Source) -> Result<DeTable<'_>, Refusal> {
    let table = DeTable::parse(source.text()).map_err(|error| {
        let at = source.position(error.span().map_or(0, |span| span.start));
        Refusal::new(format!("{}:{}:{}: {}", source.path(), at.line, at.column, error.message()))
    })?;
    Ok(table.into_inner())
}

fn read_settings(project: &Project, top: &str, source: &Source) -> Result<Book, Refusal> {
    let table = toml(source)?;
    let settings = source.path();
    let text = |path: &[&str]| {
        let mut value = None;
        let mut within = Some(&table);
        for key in path {
            let found = within.and_then(|table| table.get(*key)).map(Spanned::get_ref);
            value = found.and_then(|found| found.as_str());
            within = found.and_then(|found| found.as_table());
        }
        value.unwrap_or_default().to_owned()
    };
    let title = text(&["book", "title"]);
    let folder = Some(text(&["book", "src"])).filter(|src| !src.is_empty()).unwrap_or_else(|| "src".to_owned());
    let folder = url::join("", &folder)
        .ok_or_else(|| Refusal::new(format!("{settings}: `src` leads out of the book's folder")))?;
    let mut book = Book {
        title: if title.is_empty() { "Book".to_owned() } else { title },
        settings: vec![
            ("tagline", text(&["book", "description"])),
            ("language", text(&["book", "language"])),
            ("repository", text(&["output", "html", "git-repository-url"])),
        ],
        top: top.to_owned(),
        folder: if folder.is_empty() { top.to_owned() } else { format!("{top}{folder}/") },
        ..Book::default()
    };
    let mut lose = |kind, key: &Spanned<Cow<'_, str>>, detail: String| {
        let line = Some(source.line(key.span().start) + 1);
        book.losses.push(Loss { kind, path: Arc::clone(settings), line, detail });
    };
    let plugins = table.get("preprocessor").and_then(|value| value.get_ref().as_table());
    for key in plugins.into_iter().flat_map(|plugins| plugins.keys()) {
        match &**key.get_ref() {
            "katex" => book.formulas = formula::KATEX,
            // Those of mdBook itself, and those whose syntax is translated or the same here.
            "links" | "index" | "admonish" | "mermaid" => {}
            name => lose(Kind::Plugin, key, format!("`{name}`")),
        }
    }
    let output = table.get("output").and_then(|value| value.get_ref().as_table());
    let html = output.and_then(|output| output.get("html")).and_then(|value| value.get_ref().as_table());
    let has_mathjax = html.and_then(|html| html.get("mathjax-support")).and_then(|value| value.get_ref().as_bool());
    if has_mathjax == Some(true) {
        book.formulas = formula::MATHJAX;
    }
    for key in table.get("book").and_then(|value| value.get_ref().as_table()).into_iter().flat_map(|book| book.keys()) {
        if !matches!(&**key.get_ref(), "title" | "src" | "description" | "language" | "multilingual") {
            lose(Kind::Setting, key, format!("`book.{}`", key.get_ref()));
        }
    }
    for key in output.into_iter().flat_map(|output| output.keys()).filter(|key| key.get_ref() != "html") {
        lose(Kind::Setting, key, format!("`output.{}`", key.get_ref()));
    }
    for key in html.into_iter().flat_map(|html| html.keys()) {
        if !TAKEN.contains(&&**key.get_ref()) {
            lose(Kind::Setting, key, format!("`output.html.{}`", key.get_ref()));
        }
    }
    let redirects = html.and_then(|html| html.get("redirect")).and_then(|value| value.get_ref().as_table());
    if let Some(redirects) = redirects {
        read_redirects(&mut book, source, redirects);
    }
    // Its files replace those of mdBook, whether the settings name it or not.
    if let Some(path) = project.files.keys().find(|path| path.starts_with(&format!("{top}theme/"))) {
        let path = Arc::clone(path);
        book.losses.push(Loss { kind: Kind::Setting, path, line: None, detail: "the folder `theme`".to_owned() });
    }
    book.has_numbers = !html
        .and_then(|html| html.get("no-section-label"))
        .and_then(|value| value.get_ref().as_bool())
        .unwrap_or_default();
    Ok(book)
}

fn read_redirects(book: &mut Book, source: &Source, redirects: &DeTable<'_>) {
    for (from, to) in redirects {
        let (path, line) = (Arc::clone(source.path()), source.line(from.span().start) + 1);
        let from = from.get_ref().to_string();
        if let Some(to) = to.get_ref().as_str() {
            book.redirects.push(Redirect { from, to: to.to_owned(), path, line });
        } else {
            let detail = format!("the redirect of `{from}`");
            book.losses.push(Loss { kind: Kind::Setting, path, line: Some(line), detail });
        }
    }
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
        losses.push(Loss { kind, path: Arc::clone(path), line: Some(source.line(source.start() + at) + 1), detail });
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
