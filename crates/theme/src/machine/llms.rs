//! `llms.txt`, following the convention of that name: the title and description of the course, and links to the
//! Markdown copies of its pages, or to the pages if there are none, with a line about each.

use super::super::figures;
use super::super::names::Names;
use super::super::shared;
use infralens_course::course::{PageId, url};
use infralens_page::Kind;
use infralens_render::Context;
use infralens_render::copy::{address, escape};

/// Returns the content of the file. Links are absolute if the site's address is known, else relative to its root.
pub fn text(cx: Context<'_>, names: Names<'_>) -> String {
    let mut text = format!("# {}\n", line(&cx.config.title));
    if let Some(tagline) = &cx.config.tagline {
        text.extend(["\n> ", &line(tagline), "\n"]);
    }
    for track in names.published_tracks() {
        text.extend(["\n## ", &line(names.title(track.page)), "\n\n"]);
        for page in
            [track.page].into_iter().chain(track.order.iter().copied()).chain(track.labs_page).chain(track.practice)
        {
            text.push_str(&entry(cx, names, page));
        }
    }
    let outside: Vec<PageId> = (0..cx.course.pages.len()).filter(|&page| is_outside(cx, page)).collect();
    if !outside.is_empty() {
        text.extend(["\n## ", &line(&cx.config.labels.course), "\n\n"]);
        text.extend(outside.into_iter().map(|page| entry(cx, names, page)));
    }
    if cx.course_has_calculators() {
        let address = address(cx.config.base_url.as_deref(), "llms.txt", &figures::url(cx.course, None));
        text.extend(["\n", &format!("- [{}]({address})\n", line(&cx.config.labels.calculators))]);
    }
    text
}

/// Returns whether a page is published and not listed under a track.
fn is_outside(cx: Context<'_>, page: PageId) -> bool {
    let page = &cx.course.pages[page];
    page.published && matches!(page.kind, Kind::Home | Kind::Page | Kind::Glossary)
}

fn entry(cx: Context<'_>, names: Names<'_>, id: PageId) -> String {
    let page = &cx.course.pages[id];
    let outcome = page.lab().map(|lab| lab.outcome.value.as_str());
    let about = shared::summary(page).or(outcome).map(|about| format!(": {}", line(about))).unwrap_or_default();
    let url = if cx.config.copies { url::copy(&page.url) } else { page.url.to_string() };
    let address = address(cx.config.base_url.as_deref(), "llms.txt", &url);
    format!("- [{}]({address}){about}\n", line(&names.heading(id)))
}

/// Escapes plain text and joins it to one line of Markdown.
fn line(text: &str) -> String {
    escape(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}
