//! Assembles a [`Course`] from summaries:
//!
//! 1. checks the tracks that site.yaml names, each of which has a folder and a front page;
//! 2. makes a page for each summary, and labs and practice pages for each track with labs;
//! 3. reports repeated numbers;
//! 4. resolves prerequisites and the ways through each track, and sets the reading order with previous and next pages;
//! 5. puts the other pages into outlines.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Course, Page, Summary, Track, graph, order, outline, ways};
use crate::config::Config;
use infralens_page::Kind;
use infralens_source::diag::{Diagnostic, Near, Place, codes, similar};
use infralens_source::project::SITE;
use infralens_source::source::Span;
use infralens_source::url;
use infralens_source::yaml::Spanned;

/// Assembles the course. With `drafts`, drafts are published like any other page.
pub fn assemble(summaries: Vec<Summary>, config: &Config, drafts: bool) -> (Course, Vec<Diagnostic>) {
    let mut diagnostics = check_tracks(&summaries, config);
    diagnostics.extend(check_lints(&summaries, config));
    let mut course = Course { raw_html: config.markdown.raw_html, ..Course::default() };
    pages(&mut course, summaries, config, drafts);
    diagnostics.extend(repeated_numbers(&course));
    diagnostics.extend(graph::relate(&mut course));
    diagnostics.extend(ways::find(&mut course));
    set_order(&mut course);
    diagnostics.extend(outline::make(&mut course, config));
    (course, diagnostics)
}

/// Returns the names of the tracks in order. If the tracks in the settings could not be read, these are all tracks with a
/// front page.
fn track_names<'a>(summaries: &'a [Summary], config: &'a Config) -> Vec<&'a str> {
    let fronts = summaries.iter().filter(|summary| summary.placement.kind == Kind::Track);
    let folders =
        fronts.filter_map(|summary| summary.placement.track.as_deref()).filter(|_| !config.tracks.is_complete);
    config.tracks.iter().map(|track| track.value.as_ref()).chain(folders).collect()
}

/// Reports tracks in the settings that have no pages or front page, and folders that are not in the settings.
fn check_tracks(summaries: &[Summary], config: &Config) -> Vec<Diagnostic> {
    if !config.tracks.is_complete {
        return Vec::new();
    }
    let mut folders: BTreeMap<&str, bool> = BTreeMap::new();
    for summary in summaries {
        if let Some(track) = &summary.placement.track {
            *folders.entry(track).or_default() |= summary.placement.kind == Kind::Track;
        }
    }
    let site: Arc<str> = Arc::from(SITE);
    let listed: BTreeSet<&str> = config.tracks.iter().map(|track| &*track.value).collect();
    let mut unlisted: Vec<&str> = folders.keys().copied().filter(|folder| !listed.contains(folder)).collect();
    // One that is gone and one that is new are one folder that was renamed.
    let is_renamed = listed.iter().filter(|track| !folders.contains_key(*track)).count() == 1 && unlisted.len() == 1;
    let renamed = unlisted.pop_if(|_| is_renamed);
    let mut diagnostics = Vec::new();
    let error = |code, span: Span, message: String| Diagnostic::new(code, Place::new(&site, span), message);
    for Spanned { value: track, span } in config.tracks.iter() {
        match folders.get(&**track) {
            None => {
                let message = format!("`content/tracks/{track}` does not exist or has no pages");
                let near = renamed.map(Near::unsure).or_else(|| similar(track, folders.keys().copied()));
                diagnostics.push(error(codes::E0010, span.clone(), message).meant(near));
            }
            Some(false) => {
                let error = error(codes::E0009, span.clone(), format!("`content/tracks/{track}/index.md` is missing"));
                diagnostics.push(error.help("a track needs a front page with `title` and `summary`"));
            }
            Some(true) => {}
        }
    }
    for folder in unlisted {
        let message = format!("`content/tracks/{folder}` is not listed in `tracks:`");
        let help = format!("add `{folder}` to `tracks:`, in the order in which tracks are shown");
        diagnostics.push(error(codes::E0010, tracks_span(config), message).help(help));
    }
    diagnostics
}

/// Reports folders for which a lint is off and that do not exist.
fn check_lints(summaries: &[Summary], config: &Config) -> Vec<Diagnostic> {
    let paths = || summaries.iter().filter_map(|summary| summary.path.strip_prefix("content/"));
    let is_there = |place: &str| paths().any(|path| url::is_within(path, place));
    let unknown = config.lint_folders().filter(|place| !is_there(place.trim_matches('/')));
    let diagnostics = unknown.map(|place| {
        let message = format!("`content/{}` does not exist or has no pages", place.value);
        let folders = paths().filter_map(|path| path.rsplit_once('/')).map(|(folder, _)| folder);
        Diagnostic::new(codes::E0012, Place::new(&Arc::from(SITE), place.span.clone()), message)
            .meant(similar(&place.value, folders.chain(["off"])))
            .help("`lints` says for each lint `off`, or the folders in which it is off, such as `[guide]`")
    });
    diagnostics.collect()
}

/// Returns the span of the list of tracks, or else the start of the file.
fn tracks_span(config: &Config) -> Span {
    match (config.tracks.first(), config.tracks.last()) {
        (Some(first), Some(last)) => first.span.start..last.span.end,
        _ => 0..0,
    }
}

fn pages(course: &mut Course, summaries: Vec<Summary>, config: &Config, drafts: bool) {
    let is_front = |summary: &&Summary| summary.placement.kind == Kind::Track;
    let fronts = summaries.iter().filter(is_front);
    let is_draft: BTreeMap<&str, bool> = fronts
        .filter_map(|front| Some((front.placement.track.as_deref()?, !drafts && front.front.common.draft)))
        .collect();
    let (mut names, mut seen) = (track_names(&summaries, config), BTreeSet::new());
    names.retain(|&track| is_draft.contains_key(track) && seen.insert(track));
    let track_drafts: Vec<bool> = names.iter().map(|name| is_draft[name]).collect();
    let names: Vec<Arc<str>> = names.into_iter().map(Arc::from).collect();
    let known: BTreeMap<Arc<str>, usize> = names.iter().cloned().zip(0..).collect();
    for summary in summaries {
        let track = summary.placement.track.as_ref().and_then(|name| known.get(name).copied());
        let hidden = !drafts && summary.front.common.draft || track.is_some_and(|track| track_drafts[track]);
        course.pages.push(page(
            summary.placement.kind,
            Arc::clone(&summary.placement.url),
            Some(summary),
            track,
            !hidden,
        ));
    }
    if !course.pages.iter().any(|page| page.kind == Kind::Home) {
        course.pages.push(page(Kind::Home, Arc::from("index.html"), None, None, true));
    }
    let of_labs = course.pages.iter().filter(|page| page.kind != Kind::Lab || page.published);
    let existing: BTreeSet<(Option<usize>, Kind)> = of_labs.map(|page| (page.track, page.kind)).collect();
    for (track, name) in names.iter().enumerate() {
        let without_file = [
            (Kind::Labs, format!("tracks/{name}/labs/index.html")),
            (Kind::Practice, format!("tracks/{name}/practice.html")),
        ];
        for (kind, url) in without_file {
            let has = |kind| existing.contains(&(Some(track), kind));
            if has(Kind::Lab) && !has(kind) {
                course.pages.push(page(kind, Arc::from(url), None, Some(track), !track_drafts[track]));
            }
        }
    }
    course.pages.sort_by(|a, b| (&a.url, path(a)).cmp(&(&b.url, path(b))));
    index(course);
    course.tracks = names.into_iter().enumerate().map(|(index, name)| track(course, index, name)).collect();
}

/// Fills the lookup tables. A page without a file is found by the path that its file would have.
fn index(course: &mut Course) {
    let (mut by_path, mut by_name) = (BTreeMap::new(), BTreeMap::new());
    for (id, page) in course.pages.iter().enumerate() {
        let stem = page.url.strip_suffix(".html").unwrap_or(&page.url);
        let path =
            page.summary.as_ref().map_or_else(|| format!("content/{stem}.md").into(), |summary| summary.path.clone());
        by_path.insert(path, id);
        if let Some(track) = page.track {
            let name = page.summary.as_ref().map_or_else(|| "index".into(), |summary| summary.placement.name.clone());
            by_name.insert((track, page.kind, name), id);
        }
    }
    (course.by_path, course.by_name) = (Arc::new(by_path), Arc::new(by_name));
}

fn path(page: &Page) -> &str {
    page.summary.as_ref().map_or("", |summary| &summary.path)
}

fn page(kind: Kind, url: Arc<str>, summary: Option<Summary>, track: Option<usize>, published: bool) -> Arc<Page> {
    Arc::new(Page {
        kind,
        url,
        summary,
        track,
        published,
        prerequisites: Vec::new(),
        required_by: Vec::new(),
        front_page: None,
        handbook: Vec::new(),
        previous: None,
        next: None,
    })
}

fn track(course: &Course, index: usize, name: Arc<str>) -> Track {
    Track {
        name,
        page: course.members(index, Kind::Track).next().unwrap_or_default(),
        labs_page: course.published(index, Kind::Labs).first().copied(),
        practice: course.published(index, Kind::Practice).first().copied(),
        sections: course.published(index, Kind::Section),
        labs: course.published(index, Kind::Lab),
        order: Vec::new(),
        ways: Vec::new(),
    }
}

fn repeated_numbers(course: &Course) -> Vec<Diagnostic> {
    // Keyed by the folder, because a track that is not listed, which is another error, has no index.
    let mut seen: BTreeMap<(Option<&str>, Kind, u64), &Summary> = BTreeMap::new();
    let mut diagnostics = Vec::new();
    for page in &course.pages {
        let (Some(summary), Some(number)) = (&page.summary, page.number()) else { continue };
        if let Some(first) = seen.insert((summary.placement.track.as_deref(), page.kind, number.value), summary) {
            let what = if page.kind == Kind::Lab { "labs" } else { "sections" };
            let message = format!("two {what} of this track have the number {}", number.text);
            diagnostics.push(
                Diagnostic::new(codes::E0007, Place::file(Arc::clone(&summary.path)), message)
                    .related(Place::file(Arc::clone(&first.path)), "the other one")
                    .help("give one of them another number; gaps are allowed"),
            );
        }
    }
    diagnostics
}

fn set_order(course: &mut Course) {
    for track in 0..course.tracks.len() {
        let order = order::reading_order(course, track);
        for pair in order.windows(2) {
            course.page_mut(pair[0]).next = Some(pair[1]);
            course.page_mut(pair[1]).previous = Some(pair[0]);
        }
        let front = course.tracks[track].page;
        course.page_mut(front).next = order.first().copied();
        course.tracks[track].order = order;
    }
}
