//! `course.json`: the linked course, for other programs.
//!
//! ```text
//! { "title", "tagline", "language", "base_url", "tracks": [track…] }
//!
//! track    { "name", "title", "summary", "url", "labs_page", "practice", "minutes",
//!            "sections": [section…], "labs": [lab…], "order": [url…] }
//! section  { "number", "name", "title", "summary", "url", "checked", "minutes",
//!            "after": [url…], "needed_by": [url…], "values": [value…], "labs": [url…] }
//! lab      { "number", "name", "title", "summary", "url", "checked", "minutes",
//!            "after": [url…], "needed_by": [url…], "values": [value…], "handbook": [url…],
//!            "group", "focus", "reads", "outcome",
//!            "starter": { "file", "type", "angle", "run", "url", "raw", "folder" } }
//! value    { "name", "printed", "formula", "about", "records": [name…], "calculator" }
//! ```
//!
//! Sections and labs are sorted by number, `order` is the reading order. A `url` is relative to the site's root and
//! percent-encoded; `file` is a path from the course's root. A value that a page does not set is `null`. Only published
//! pages are listed. Keys may be added in the future; existing keys keep their meaning.

use std::cell::Cell;

use serde::{Serialize, Serializer};
use serde_json::{Value as Json, json};

use super::super::names::Names;
use super::super::page::outside_handbook;
use super::super::shared;
use infralens_course::course::{Page, PageId, Track, starter, url};
use infralens_page::front_matter::Lab;
use infralens_render::Context;
use infralens_render::figures::PageValue;

#[derive(Serialize)]
struct CourseEntry<'a, T> {
    title: &'a str,
    tagline: Option<&'a str>,
    language: &'a str,
    base_url: Option<&'a str>,
    tracks: T,
}

#[derive(Serialize)]
struct TrackEntry<'a, S, L> {
    name: &'a str,
    title: &'a str,
    summary: Option<&'a str>,
    url: String,
    labs_page: Option<String>,
    practice: Option<String>,
    minutes: u32,
    sections: S,
    labs: L,
    order: Vec<String>,
}

/// A list whose items are made one after another as it is written, because all of them need much memory.
struct Items<I>(Cell<Option<I>>);

impl<I: Iterator<Item: Serialize>> Serialize for Items<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.take().into_iter().flatten())
    }
}

fn items<I: Iterator<Item: Serialize>>(items: I) -> impl Serialize {
    Items(Cell::new(Some(items)))
}

/// Returns the content of the file.
pub fn course(cx: Context<'_>, names: Names<'_>) -> String {
    let course = CourseEntry {
        title: &cx.config.title,
        tagline: cx.config.tagline.as_deref(),
        language: &cx.config.language,
        base_url: cx.config.base_url.as_deref(),
        tracks: items(names.published_tracks().map(|track| self::track(cx, names, track))),
    };
    // Serialization cannot fail for strings, numbers and lists.
    serde_json::to_string_pretty(&course).unwrap_or_default() + "\n"
}

fn urls(names: Names<'_>, pages: &[PageId]) -> Vec<String> {
    let published = pages.iter().filter(|&&page| names.course.pages[page].published);
    published.map(|&page| names.url(page)).collect()
}

fn track<'a>(cx: Context<'a>, names: Names<'a>, track: &'a Track) -> impl Serialize + use<'a> {
    TrackEntry {
        name: &track.name,
        title: names.title(track.page),
        summary: shared::summary(&names.course.pages[track.page]),
        url: names.url(track.page),
        labs_page: track.labs_page.map(|page| names.url(page)),
        practice: track.practice.map(|page| names.url(page)),
        minutes: names.total_minutes(&track.order),
        sections: items(track.sections.iter().map(move |&page| section(cx, names, page))),
        labs: items(track.labs.iter().filter_map(move |&page| lab(cx, names, page))),
        order: urls(names, &track.order),
    }
}

/// Describes a section or a lab; `own` are the fields that only one of the two has.
fn entry(cx: Context<'_>, names: Names<'_>, id: PageId, own: Json) -> Json {
    let page = &names.course.pages[id];
    let after = outside_handbook(page, &page.prerequisites);
    let mut entry = json!({
        "number": page.number().map_or(0, |number| number.value),
        "name": page.name(),
        "title": page.title(),
        "summary": shared::summary(page),
        "url": names.url(id),
        "checked": shared::checked(page),
        "minutes": names.minutes(id),
        "after": urls(names, &after),
        "needed_by": urls(names, &page.required_by),
        "values": values(cx, page),
    });
    if let (Json::Object(fields), Json::Object(own)) = (&mut entry, own) {
        fields.extend(own);
    }
    entry
}

fn section(cx: Context<'_>, names: Names<'_>, id: PageId) -> Json {
    entry(cx, names, id, json!({ "labs": urls(names, &names.course.pages[id].handbook) }))
}

fn lab(cx: Context<'_>, names: Names<'_>, id: PageId) -> Option<Json> {
    let page = &names.course.pages[id];
    let lab = page.lab()?;
    let own = json!({
        "handbook": urls(names, &page.handbook),
        "group": shared::group(page),
        "focus": lab.focus.value,
        "reads": lab.reads.value,
        "outcome": lab.outcome.value,
        "starter": starter(page, lab),
    });
    Some(entry(cx, names, id, own))
}

/// Lists the values of a page that are numbers.
fn values(cx: Context<'_>, page: &Page) -> Vec<Json> {
    let known = page.summary.as_ref().and_then(|summary| cx.values.get(&summary.path));
    let values = known.map_or(&[][..], |known| &known.values).iter().filter(|value| !value.printed.is_empty());
    let value = |value: &PageValue| {
        json!({
            "name": value.name,
            "printed": value.printed,
            "formula": value.formula,
            "about": value.about,
            "records": value.records,
            "calculator": value.calculator,
        })
    };
    values.map(value).collect()
}

fn starter(page: &Page, lab: &Lab) -> Option<Json> {
    let file = shared::main_file(page, lab)?;
    Some(json!({
        "file": file,
        "type": lab.starter.kind.value,
        "angle": lab.starter.angle.value,
        "run": lab.starter.run.as_ref().map(|run| &run.value),
        "url": url::encode(&starter::page_url(&file)),
        "raw": url::encode(&starter::raw_url(&file)),
        "folder": url::encode(&starter::folder_url(url::folder(&file))),
    }))
}
