//! `course.json`: the linked course, for other programs.
//!
//! ```text
//! { "title", "tagline", "language", "base_url", "tracks": [track…] }
//!
//! track    { "name", "title", "summary", "url", "labs_page", "practice", "minutes",
//!            "sections": [section…], "labs": [lab…], "order": [url…] }
//! section  { "number", "name", "title", "summary", "url", "checked", "minutes",
//!            "after": [url…], "needed_by": [url…], "labs": [url…] }
//! lab      { "number", "name", "title", "summary", "url", "checked", "minutes",
//!            "after": [url…], "needed_by": [url…], "handbook": [url…],
//!            "group", "focus", "reads", "outcome",
//!            "starter": { "file", "type", "angle", "run", "url", "raw", "folder" } }
//! ```
//!
//! Sections and labs are sorted by number, `order` is the reading order. A `url` is relative to the site's root and
//! percent-encoded; `file` is a path from the course's root. A value that a page does not set is `null`. Only published
//! pages are listed. Keys may be added in the future; existing keys keep their meaning.

use serde::Serialize;

use super::super::names::Names;
use super::super::shared;
use crate::course::{self, PageId, starter, url};
use crate::document::front_matter;
use crate::render::Context;

#[derive(Serialize)]
struct Course<'a> {
    title: &'a str,
    tagline: Option<&'a str>,
    language: &'a str,
    base_url: Option<&'a str>,
    tracks: Vec<Track<'a>>,
}

#[derive(Serialize)]
struct Track<'a> {
    name: &'a str,
    title: &'a str,
    summary: Option<&'a str>,
    url: String,
    labs_page: Option<String>,
    practice: Option<String>,
    minutes: u32,
    sections: Vec<Section<'a>>,
    labs: Vec<Lab<'a>>,
    order: Vec<String>,
}

#[derive(Serialize)]
struct Common<'a> {
    number: u64,
    name: &'a str,
    title: &'a str,
    summary: Option<&'a str>,
    url: String,
    checked: Option<String>,
    minutes: u32,
    after: Vec<String>,
    needed_by: Vec<String>,
}

#[derive(Serialize)]
struct Section<'a> {
    #[serde(flatten)]
    common: Common<'a>,
    labs: Vec<String>,
}

#[derive(Serialize)]
struct Lab<'a> {
    #[serde(flatten)]
    common: Common<'a>,
    handbook: Vec<String>,
    group: Option<&'a str>,
    focus: &'a str,
    reads: &'a str,
    outcome: &'a str,
    starter: Option<Starter<'a>>,
}

#[derive(Serialize)]
struct Starter<'a> {
    file: String,
    r#type: &'a str,
    angle: &'a str,
    run: Option<&'a str>,
    url: String,
    raw: String,
    folder: String,
}

/// Returns the content of the file.
pub fn course(cx: Context<'_>, names: Names<'_>) -> String {
    let writer = Writer { course: cx.course, names };
    let course = Course {
        title: &cx.config.title,
        tagline: cx.config.tagline.as_deref(),
        language: &cx.config.language,
        base_url: cx.config.base_url.as_deref(),
        tracks: names.published_tracks().map(|track| writer.track(track)).collect(),
    };
    // Serialization cannot fail for strings, numbers and lists.
    serde_json::to_string_pretty(&course).unwrap_or_default() + "\n"
}

struct Writer<'a> {
    course: &'a course::Course,
    names: Names<'a>,
}

impl<'a> Writer<'a> {
    fn urls(&self, pages: &[PageId]) -> Vec<String> {
        let published = pages.iter().filter(|&&page| self.course.pages[page].published);
        published.map(|&page| self.names.url(page)).collect()
    }

    fn track(&self, track: &'a course::Track) -> Track<'a> {
        Track {
            name: &track.name,
            title: self.names.title(track.page),
            summary: shared::summary(&self.course.pages[track.page]),
            url: self.names.url(track.page),
            labs_page: track.labs_page.map(|page| self.names.url(page)),
            practice: track.practice.map(|page| self.names.url(page)),
            minutes: self.names.total_minutes(&track.order),
            sections: track.sections.iter().map(|&page| self.section(page)).collect(),
            labs: track.labs.iter().filter_map(|&page| self.lab(page)).collect(),
            order: self.urls(&track.order),
        }
    }

    fn common(&self, id: PageId) -> Common<'a> {
        let page = &self.course.pages[id];
        let beside: Vec<PageId> = page.needs.iter().copied().filter(|need| !page.handbook.contains(need)).collect();
        Common {
            number: page.number().map_or(0, |number| number.value),
            name: page.name(),
            title: page.title(),
            summary: shared::summary(page),
            url: self.names.url(id),
            checked: shared::checked(page),
            minutes: self.names.minutes(id),
            after: self.urls(&beside),
            needed_by: self.urls(&page.needed_by),
        }
    }

    fn section(&self, id: PageId) -> Section<'a> {
        Section { common: self.common(id), labs: self.urls(&self.course.pages[id].handbook) }
    }

    fn lab(&self, id: PageId) -> Option<Lab<'a>> {
        let page = &self.course.pages[id];
        let lab = page.lab()?;
        Some(Lab {
            common: self.common(id),
            handbook: self.urls(&page.handbook),
            group: lab.group.as_ref().map(|group| group.value.as_str()),
            focus: &lab.focus.value,
            reads: &lab.reads.value,
            outcome: &lab.outcome.value,
            starter: starter(page, lab),
        })
    }
}

fn starter<'a>(page: &'a course::Page, lab: &'a front_matter::Lab) -> Option<Starter<'a>> {
    let file = shared::main_file(page, lab)?;
    Some(Starter {
        r#type: &lab.starter.kind.value,
        angle: &lab.starter.angle.value,
        run: lab.starter.run.as_ref().map(|run| run.value.as_str()),
        url: url::encode(&starter::page_url(&file)),
        raw: url::encode(&starter::raw_url(&file)),
        folder: url::encode(&starter::folder_url(url::folder(&file))),
        file,
    })
}
