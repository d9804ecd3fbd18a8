//! The print page of a track: all of its sections and labs on one page.

use super::context::{Chapter, Page, Place};
use super::shared::{self, Shared};
use super::{page, page_body, reading_list};
use crate::course::{self, Course, PageId, url};

/// Returns the percent-encoded URL of a track's print page; `None` for a track without sections and labs.
pub fn url(course: &Course, track: usize) -> Option<String> {
    let track = &course.tracks[track];
    let is_there = course.pages[track.page].published && !track.order.is_empty();
    is_there.then(|| url::encode(&track.print_url()))
}

/// Builds the context of a track's print page. It has no canonical URL, because its content is on other pages that
/// search engines index.
pub fn context<'a>(shared: &'a Shared<'a>, track: usize) -> Page<'a> {
    let (names, known) = (shared.names, &shared.course().tracks[track]);
    let labels = shared.labels();
    let title = names.title(known.page);
    let front = Place { title: title.into(), url: Some(names.url(known.page)) };
    Page {
        kind: "print",
        document_title: names.document_title(title, None),
        title: title.into(),
        heading: title.into(),
        label: Some(shared.config().title.clone()),
        summary: shared::summary(&shared.course().pages[known.page]),
        facts: page::facts(shared, known.page),
        track: Some(shared.common.tracks[track].clone()),
        crumbs: vec![front, Place { title: labels.print.clone(), url: None }],
        chapters: known.order.iter().filter_map(|&page| chapter(shared, page)).collect(),
        canonical: None,
        ..page::base_page(shared, &known.print_url())
    }
}

fn chapter(shared: &Shared<'_>, id: PageId) -> Option<Chapter> {
    let chapter = shared.course().pages[id].chapter()?;
    let (reading, outside) = reading_list::numbered_urls(&shared.input, shared.facts(id));
    Some(Chapter {
        prefix: course::within(&chapter),
        id: chapter,
        item: shared.item(id),
        body: page_body::chapter(shared, id),
        reading,
        outside,
    })
}
