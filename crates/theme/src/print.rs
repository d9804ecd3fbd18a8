//! Print pages: all sections and labs of a track, or all pages of an outline, on one page.

use super::context::{Chapter, Page, Place};
use super::shared::{self, Shared};
use super::{page, page_body, reading_list};
use infralens_course::course::{self, Course, PageId, Volume, url};
use infralens_page::Kind;

/// Returns the percent-encoded URL of the print page to which a page links: a track's front page and its labs page, and the
/// first page of an outline.
pub fn url(course: &Course, page: PageId) -> Option<String> {
    let known = &course.pages[page];
    let is_first = |volume: &Volume| match volume {
        Volume::Outline(outline) => course.outlines[*outline].pages().next() == Some(page),
        Volume::Track(_) => false,
    };
    let volume = match (known.kind, known.track) {
        (Kind::Track | Kind::Labs, Some(track)) => Some(Volume::Track(track)),
        _ => course.volume_of(page).filter(is_first),
    };
    let volume = volume.filter(|&volume| course.is_printed(volume))?;
    Some(url::encode(&course.print_url(volume)))
}

/// Builds the context of a print page. It has no canonical URL, because its content is on other pages that search engines
/// index.
pub fn context<'a>(shared: &'a Shared<'a>, volume: Volume) -> Page<'a> {
    let (names, course) = (shared.names, shared.course());
    let labels = shared.labels();
    let chapters = course.chapters(volume);
    let (front, track, crumb) = match volume {
        Volume::Track(track) => (Some(course.tracks[track].page), Some(track), &labels.print),
        Volume::Outline(outline) => {
            let index = url::join(&course.outlines[outline].folder, "index.html");
            let is_index = |page: &PageId| index.as_deref() == Some(&*course.pages[*page].url);
            (chapters.first().copied().filter(is_index), None, &labels.print_pages)
        }
    };
    let folder = if let Volume::Outline(outline) = volume { &*course.outlines[outline].folder } else { "" };
    let title = front.map_or_else(|| course::folder_title(folder), |front| names.title(front).to_owned());
    // The front page of an outline is its first chapter, and says this there.
    let head = front.filter(|_| track.is_some());
    let mut base = page::base_page(shared, &course.print_url(volume));
    if chapters.iter().filter_map(|&page| shared.source(page)).any(infralens_render::ResolvedPage::has_stack) {
        base.styles.push(page_body::STACK);
    }
    let front_place = Place { title: title.clone(), url: front.map(|front| names.url(front)) };
    Page {
        kind: "print",
        document_title: names.document_title(&title, None),
        heading: title.clone(),
        label: Some(shared.config().title.clone()).filter(|site| *site != title),
        summary: head.and_then(|page| shared::summary(&course.pages[page])),
        facts: head.map(|page| page::facts(shared, page)).unwrap_or_default(),
        track: track.map(|track| shared.common.tracks[track].clone()),
        crumbs: vec![front_place, Place::text(crumb)],
        styles: vec![page_body::PARTS, page_body::LIT, page_body::SINCE],
        chapters: chapters.into_iter().filter_map(|page| chapter(shared, page)).collect(),
        title,
        canonical: None,
        ..base
    }
}

fn chapter(shared: &Shared<'_>, id: PageId) -> Option<Chapter> {
    let place = shared.course().chapter_place(id)?;
    let (reading, outside) = reading_list::numbered_urls(&shared.input, shared.facts(id));
    Some(Chapter {
        prefix: place.prefix(),
        id: place.id,
        item: shared.item(id).unwrap_or_else(|| shared.link(id)),
        summary: shared::summary(&shared.course().pages[id]).map(str::to_owned),
        body: page_body::chapter(shared, id),
        reading,
        outside,
    })
}
