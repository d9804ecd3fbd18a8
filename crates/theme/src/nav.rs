//! The ways from every page to all others: the pages that every page links to, and the course column, whose length is
//! bounded.

use std::ops::Range;

use super::context::{Branch, Nav, Place};
use super::figures;
use super::names::Names;
use super::shared::{self, Shared};
use infralens_course::config::labels::Counted;
use infralens_course::course::{Outline, PageId, url};
use infralens_page::Kind;
use infralens_render::Context;

/// The longest track of which the column lists every page.
const WHOLE_TRACK: usize = 40;
/// How many pages the column of a longer track lists before and after the current one.
const NEIGHBORS: usize = 10;
/// If a course has more pages than this outside its tracks, every page links only to those that InfraLens generates.
const OWN_PAGES: usize = 16;

/// Returns the pages outside the tracks that every page links to: those that are directly in `content/`, the front
/// pages of its folders, and the generated ones.
pub fn site_pages(cx: Context<'_>, names: Names<'_>) -> Vec<Place> {
    let (course, labels) = (cx.course, &cx.config.labels);
    let is_front = |page: &PageId| {
        let known = &course.pages[*page];
        let is_near =
            |folder: &str| folder.is_empty() || !folder.contains('/') && url::file_name(&known.url) == "index.html";
        known.kind == Kind::Page && known.published && known.track.is_none() && is_near(url::folder(&known.url))
    };
    let mut own: Vec<PageId> = (0..course.pages.len()).filter(is_front).take(OWN_PAGES + 1).collect();
    if course.tracks.is_empty() {
        // All are in one outline, which has the order of `nav:`.
        own.sort_by_key(|page| course.outline_of(*page).map(|(_, entry)| entry));
    }
    let mut pages: Vec<Place> = Vec::new();
    if own.len() <= OWN_PAGES {
        pages.extend(own.into_iter().map(|page| names.place(page)));
    }
    let glossary = course.pages.iter().position(|page| page.kind == Kind::Glossary && page.published);
    pages.extend(glossary.map(|page| names.place(page)));
    pages.extend((!cx.references.is_empty()).then(|| Place::new(&labels.references, "references.html")));
    let calculators = figures::url(course, None);
    pages.extend(cx.course_has_calculators().then(|| Place::new(&labels.calculators, &calculators)));
    pages.push(Place::new(&labels.progress, "progress.html"));
    pages
}

/// Returns the part of a track that the column lists next to the page `current`: the whole track, or of a long one only
/// what is near.
pub fn column<'a>(shared: &'a Shared<'a>, track: usize, current: Option<PageId>) -> Nav<'a> {
    let (course, labels) = (shared.course(), shared.labels());
    let track = &course.tracks[track];
    let at = track.order.iter().position(|page| Some(*page) == current).unwrap_or(0);
    let listed = listed(track.order.len(), at);
    let (earlier, later) = (listed.start, track.order.len() - listed.end);
    let groups = shared::order_groups(course, track);
    Nav {
        runs: shared::runs(&track.order[listed.clone()], &groups[listed], |page| shared.item(page)),
        earlier: (earlier > 0).then(|| labels.earlier_pages.with(earlier)),
        later: (later > 0).then(|| labels.later_pages.with(later)),
    }
}

/// Returns the part of the outline of a page that the column lists: the entries at the top, and those of the folders that
/// contain the page; of many in one folder, those that are near.
pub fn tree(shared: &Shared<'_>, page: PageId) -> Vec<Branch> {
    let Some((outline, here)) = shared.course().outline_of(page) else { return Vec::new() };
    if outline.entries.len() < 2 {
        return Vec::new();
    }
    let mut open = vec![here];
    while let Some(parent) = open.last().and_then(|&entry| outline.entries[entry].parent) {
        open.push(parent);
    }
    let mut branches = Vec::new();
    let top: Vec<usize> = outline.top().collect();
    list(shared, outline, &top, &open, 0, &mut branches);
    branches
}

/// Lists entries, and those in the folders that are `open`.
fn list(
    shared: &Shared<'_>,
    outline: &Outline,
    entries: &[usize],
    open: &[usize],
    depth: usize,
    branches: &mut Vec<Branch>,
) {
    let at = entries.iter().position(|entry| open.contains(entry)).unwrap_or(0);
    let listed = listed(entries.len(), at);
    let (first, last) = (listed.start, listed.end);
    let others = |count: usize, label: &Counted, entry: Option<&usize>| {
        let url = entry.and_then(|&entry| url_of(shared, outline, entry)).filter(|_| count > 0)?;
        Some(Branch { title: label.with(count), url, depth, is_bare: true })
    };
    branches.extend(others(first, &shared.labels().earlier_pages, first.checked_sub(1).and_then(|at| entries.get(at))));
    for &entry in &entries[listed] {
        let known = &outline.entries[entry];
        let title = known.page.map_or_else(|| known.name.clone(), |page| shared.names.title(page).to_owned());
        let Some(url) = url_of(shared, outline, entry) else { continue };
        branches.push(Branch { title, url, depth, is_bare: known.page.is_none() });
        if open.contains(&entry) && !known.children.is_empty() {
            list(shared, outline, &known.children, open, depth + 1, branches);
        }
    }
    branches.extend(others(entries.len() - last, &shared.labels().later_pages, entries.get(last)));
}

/// Returns the URL of a page, or of the first page in a folder without a front page.
fn url_of(shared: &Shared<'_>, outline: &Outline, entry: usize) -> Option<String> {
    let first = outline.entries[entry..].iter().find_map(|entry| entry.page)?;
    Some(shared.names.url(first))
}

/// Returns the range of a track's `count` pages that is listed next to the page at `at`.
fn listed(count: usize, at: usize) -> Range<usize> {
    if count <= WHOLE_TRACK {
        return 0..count;
    }
    let first = at.saturating_sub(NEIGHBORS).min(count - 2 * NEIGHBORS - 1);
    first..first + 2 * NEIGHBORS + 1
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn a_long_track_is_listed_around_the_page() {
        assert_eq!(listed(40, 39), 0..40, "a short one is listed whole");
        assert_eq!([listed(500, 0), listed(500, 20), listed(500, 499)], [0..21, 10..31, 479..500]);
    }
}
