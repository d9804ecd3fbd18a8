//! What a link leads to, before it is written: a page, its print page and its copy each write it in their way.

use super::{Context, image, typeset};
use infralens_course::course::link::Target;
use infralens_course::course::{PageId, starter, url};
use infralens_page::Kind;
use infralens_source::selector::Selector;
use infralens_starter::Listing;

/// What a link leads to.
#[derive(Debug)]
pub struct Goal {
    pub to: To,
    /// Its name, for a link without text.
    pub title: String,
}

/// A place that a link leads to.
#[derive(Debug)]
pub enum To {
    /// A URL outside of the course, as written.
    External(String),
    /// An id on the page of the linking file itself.
    Here(String),
    /// A page, or a heading on it.
    Page(PageId, Option<String>),
    /// A file of the site by its output path, and what follows that in the URL: a query, a fragment, or nothing.
    File(String, String),
}

impl Goal {
    /// Returns what a resolved target leads to; `None` if that is unknown because of an error.
    pub fn of(cx: Context<'_>, target: Target) -> Option<Self> {
        let file = |url: String, rest: String, title: &str| Self {
            title: url::file_name(title).to_owned(),
            to: To::File(cx.config.shared(url), rest),
        };
        Some(match target {
            Target::Unknown => return None,
            Target::External(href) => Self { title: href.clone(), to: To::External(href) },
            Target::Here(id) => Self { title: id.clone(), to: To::Here(id) },
            Target::Generated(page) => {
                let title = cx.config.labels.references.clone();
                Self { to: To::File(page.into(), String::new()), title }
            }
            Target::Folder(folder) => file(starter::folder_url(&folder), String::new(), &folder),
            Target::File { url, rest, .. } => file(url.clone(), rest, &url),
            Target::Code { path, selector: None } if image::is_picture(&path) => {
                file(path.clone(), String::new(), &path)
            }
            Target::Code { path, selector } => {
                let place = selector.zip(cx.listings.get(path.as_str()));
                let place = place.and_then(|(selector, listing)| {
                    let anchor = || Some(listing.anchor(&listing.select(&selector).ok()?));
                    heading_of(listing, &selector).or_else(anchor)
                });
                let rest = place.map_or_else(String::new, |place| format!("#{place}"));
                file(starter::page_url(&path), rest, &path)
            }
            Target::Page { page, heading } => {
                let target = &cx.course.pages[page];
                let text = heading.as_deref().and_then(|id| target.heading(id));
                let title = text.unwrap_or_else(|| match target.kind {
                    Kind::Labs if target.title().is_empty() => &cx.config.labels.labs,
                    Kind::Practice if target.title().is_empty() => &cx.config.labels.practice,
                    _ => target.title(),
                });
                Self { title: title.to_owned(), to: To::Page(page, heading) }
            }
        })
    }
}

/// Returns what a citation such as `@a, p. 3; @b` cites: each key as it is written, and where in the source.
pub fn cited(target: &str) -> impl Iterator<Item = (&str, &str)> {
    target.split(';').map(|part| part.split_once(',').unwrap_or((part, ""))).map(|(key, at)| (key.trim(), at.trim()))
}

/// Returns the id of the heading of a Markdown starter that a selector names; `None` if it names a region.
pub fn heading_of(listing: &Listing, selector: &Selector) -> Option<String> {
    let Selector::Region(name) = selector else { return None };
    let is_region = listing.select(selector).is_ok() || listing.is_doubtful(selector);
    if is_region { None } else { typeset::heading_id(listing, name) }
}
