//! All sections and labs of a track on one page, to be printed.

use super::context::{Chapter, Page, Place};
use super::shared::{self, Shared};
use super::{body, page, reading};
use crate::course::{self, Course, PageId, url};

/// The URL of a track's page, percent-encoded; a track without sections and labs has none.
pub fn url(course: &Course, track: usize) -> Option<String> {
    let track = &course.tracks[track];
    let is_there = course.pages[track.page].published && !track.order.is_empty();
    is_there.then(|| url::encode(&track.print_url()))
}

/// The context of a track's page. It is for paper, and says the same as the pages that search engines know.
pub fn context<'a>(shared: &'a Shared<'a>, track: usize) -> Page<'a> {
    let (names, known) = (shared.names, &shared.input.cx.course.tracks[track]);
    let labels = &shared.input.cx.config.labels;
    let title = names.title(known.page);
    let front = Place { title: title.into(), url: Some(names.url(known.page)) };
    Page {
        kind: "print",
        document_title: names.document_title(title, None),
        title: title.into(),
        heading: title.into(),
        label: Some(shared.input.cx.config.title.clone()),
        summary: shared::summary(&shared.input.cx.course.pages[known.page]),
        facts: page::facts(shared, known.page),
        track: Some(shared.common.tracks[track].clone()),
        crumbs: vec![front, Place { title: labels.print.clone(), url: None }],
        chapters: known.order.iter().filter_map(|&page| chapter(shared, page)).collect(),
        canonical: None,
        ..page::at(shared, &known.print_url())
    }
}

fn chapter(shared: &Shared<'_>, id: PageId) -> Option<Chapter> {
    let chapter = shared.input.cx.course.pages[id].chapter_id()?;
    let (reading, outside) = reading::numbered(&shared.input, shared.facts(id));
    Some(Chapter {
        prefix: course::chapter_prefix(&chapter),
        id: chapter,
        item: shared.item(id),
        body: body::of_chapter(shared, id),
        reading,
        outside,
    })
}
