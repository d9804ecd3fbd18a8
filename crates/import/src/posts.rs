//! The posts of a blog: pages that are sorted by their dates, and whose addresses contain these.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::pages::stem;
use super::tree::{Keys, entries};
use super::{Book, Chapter, Dialect, Kind, Loss, front_matter, mkdocs, page_file};
use infralens_page::slug;
use infralens_source::diag::quantity;
use infralens_source::project::Project;
use infralens_source::url;
use infralens_source::yaml::{self, Date};

/// Adds the posts of a book, the newest first, below the front page of the blog, which is at the address `base`.
pub fn add(project: &Project, book: &mut Book, base: &str) {
    let Some(folder) = book.posts.clone() else { return };
    read_authors(project, book, &folder);
    let listed = book.chapters.iter().flat_map(Chapter::all).filter_map(|chapter| chapter.source.clone());
    let known: BTreeSet<Arc<str>> = listed.collect();
    let is_post = |path: &&Arc<str>| {
        let below = path.strip_prefix(&*folder).filter(|below| !below.split('/').any(|part| part.starts_with('_')));
        below.and_then(stem).is_some() && !known.contains(*path)
    };
    let paths = project.files.keys().filter(is_post);
    let mut posts: Vec<_> = paths.filter_map(|path| post(project, book, (&folder, base), path)).collect();
    if posts.is_empty() {
        return;
    }
    posts.sort_by(|(one, _), (other, _)| other.cmp(one));
    let undated = posts.iter().filter(|(date, _)| date.is_none()).count();
    let undated = if undated > 0 { format!(", {undated} of them without a date") } else { String::new() };
    let detail = format!("{}: pages with their dates and authors{undated}", quantity(posts.len(), "post"));
    book.losses.push(Loss::new(Kind::Blog, &Arc::from(&*folder), None, detail));
    let front = format!("{}index.md", folder.trim_end_matches("posts/"));
    let children = posts.into_iter().map(|(_, post)| post);
    if let Some(blog) = find(&mut book.chapters, &front) {
        blog.children.extend(children);
    } else {
        let (title, folder) = ("Blog".to_owned(), "blog".to_owned());
        book.chapters.push(Chapter { title, folder, children: children.collect(), ..Chapter::default() });
    }
}

/// Returns the date and the chapter of a post, whose address is noted; `None` if it cannot be read, which is reported.
fn post(
    project: &Project,
    book: &mut Book,
    (folder, base): (&str, &str),
    path: &Arc<str>,
) -> Option<(Option<String>, Chapter)> {
    if let Err(why) = page_file(project, "", path) {
        book.losses.push(Loss::new(Kind::Unreadable, path, None, why));
        return None;
    }
    let text = project.text(path)?.text();
    let stem = stem(&path[folder.len()..])?;
    let (of_name, name) = split_date(stem.strip_suffix("/index").unwrap_or(stem));
    let front = front_matter::read(text);
    let date = front.date.or(of_name);
    let heading = text[front.end..].lines().find_map(|line| line.strip_prefix("# "));
    let title = front.title.unwrap_or_else(|| heading.map_or_else(|| mkdocs::title(name), str::to_owned));
    let own = front_matter::values(text).remove("slug");
    let is_mkdocs = book.dialect == Dialect::MkDocs;
    let below = match own {
        Some(own) if !is_mkdocs => own,
        own => {
            let name = own.unwrap_or_else(|| if is_mkdocs { slug(&title) } else { name.to_owned() });
            let days = date.iter().map(|date| date.replace('-', "/"));
            days.chain([name]).collect::<Vec<_>>().join("/")
        }
    };
    let address = format!("{base}/{}", below.trim_matches('/'));
    book.pages.add_post(path, address.trim_matches('/'), !is_mkdocs, date.clone());
    Some((date, Chapter { is_post: true, ..Chapter::of(path, None, title) }))
}

fn find<'c>(chapters: &'c mut [Chapter], path: &str) -> Option<&'c mut Chapter> {
    chapters.iter_mut().find_map(|chapter| {
        if chapter.source.as_deref() == Some(path) { Some(chapter) } else { find(&mut chapter.children, path) }
    })
}

/// Splits a path such as `2026-11-02-rings` or `2026/11/02/rings` into the date and the rest.
fn split_date(stem: &str) -> (Option<String>, &str) {
    let date = stem.get(..10).map(|date| date.replace('/', "-")).filter(|date| Date::parse(date).is_some());
    let name = stem[date.as_ref().map_or(0, String::len)..].trim_start_matches(['-', '_', '/']);
    (date, name)
}

/// Reads the names of authors, of which posts have the ids.
fn read_authors(project: &Project, book: &mut Book, folder: &str) {
    let above = url::folder(folder.trim_end_matches('/'));
    let files = [format!("{folder}authors.yml"), format!("{above}/.authors.yml")];
    for source in files.iter().filter_map(|path| project.text(path)) {
        let root = yaml::parse(source, source.start()..source.text().len()).root;
        let root = root.as_ref().map(entries).unwrap_or_default();
        let authors = root.value("authors").map_or(root, entries);
        let name = |(id, author): &yaml::Entry| Some((id.value.clone(), entries(author).text("name")?));
        book.authors.extend(authors.iter().filter_map(name));
    }
}
