//! What all pages share, made once: `site`, `course`, and a value for every page that others name.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use tera::Value;

use super::Input;
use super::assets::Assets;
use super::context::{Course, Group, Item, Lane, Line, Link, Path, Place, Run, Site, StarterFile, Stop, Track};
use super::machine::card::Cards;
use super::names::{self, Names};
use super::path::{self, Drawing, Measures};
use crate::course::{self, PageId, starter, url};
use crate::document::Kind;
use crate::document::front_matter::Lab;
use crate::render::page::Folder;
use crate::render::{Context, Facts, Source};

/// The values that pages share. A value is cheap to repeat.
#[derive(Debug, Clone)]
pub struct Common {
    /// `site`.
    pub site: Value,
    /// `course`.
    pub course: Value,
    /// A [`Link`] for every page.
    links: Vec<Value>,
    /// An [`Item`] for every published lab and section.
    items: BTreeMap<PageId, Value>,
    /// A [`Track`] each.
    pub tracks: Vec<Value>,
}

impl Common {
    /// Makes the values of a course.
    #[must_use]
    pub fn new(cx: Context<'_>, assets: &Assets) -> Self {
        let none = |length: usize| vec![Value::none(); length];
        let (links, tracks) = (none(cx.course.pages.len()), none(cx.course.tracks.len()));
        let empty = Self { site: Value::none(), course: Value::none(), links, items: BTreeMap::new(), tracks };
        empty.update(cx, assets, |_| true)
    }

    /// Returns the values of a course that has the same structure, in which these pages are called otherwise.
    #[must_use]
    pub fn renamed(&self, cx: Context<'_>, assets: &Assets, pages: &BTreeSet<PageId>) -> Self {
        self.clone().update(cx, assets, |page| pages.contains(&page))
    }

    /// Makes the values anew that name one of the pages that `is_changed` tells. A link names its page and the front page of
    /// the track; an item its page, what that needs and what needs it; a track all of its items.
    fn update(mut self, cx: Context<'_>, assets: &Assets, is_changed: impl Fn(PageId) -> bool) -> Self {
        let (names, course) = (Names { config: cx.config, course: cx.course }, cx.course);
        self.site = value(&site(cx, names, assets));
        let is_front_changed = |track: usize| is_changed(course.tracks[track].page);
        let is_stale = |page: PageId| is_changed(page) || course.pages[page].track.is_some_and(is_front_changed);
        let stale: Vec<PageId> = (0..course.pages.len()).filter(|&page| is_stale(page)).collect();
        let mut items: BTreeSet<PageId> = BTreeSet::new();
        for page in stale {
            let known = &course.pages[page];
            self.links[page] = value(&link(names, page));
            items.extend([page].iter().chain(&known.prerequisites).chain(&known.required_by));
        }
        items.retain(|&page| {
            let known = &course.pages[page];
            known.published && known.track.is_some() && matches!(known.kind, Kind::Section | Kind::Lab)
        });
        for &page in &items {
            let item = value(&Maker { names, common: &self }.item(page));
            self.items.insert(page, item);
        }
        for (number, track) in course.tracks.iter().enumerate() {
            let listed = track.sections.iter().chain(&track.labs);
            let mut all = listed.chain(&track.labs_page).chain(&track.practice).chain([&track.page]);
            if all.any(|page| items.contains(page) || is_stale(*page)) {
                self.tracks[number] = value(&Maker { names, common: &self }.track(track));
            }
        }
        self.course = value(&Course { tracks: self.published_tracks(course) });
        self
    }

    fn link(&self, page: PageId) -> Value {
        self.links.get(page).cloned().unwrap_or_else(Value::none)
    }

    fn published_tracks(&self, course: &course::Course) -> Vec<Value> {
        let tracks = course.tracks.iter().zip(&self.tracks);
        tracks.filter(|(track, _)| course.pages[track.page].published).map(|(_, value)| value.clone()).collect()
    }
}

/// All that the contexts of pages are made from.
pub struct Shared<'a> {
    /// What is themed.
    pub input: Input<'a>,
    /// What pages are called.
    pub names: Names<'a>,
    /// What is made once.
    pub common: &'a Common,
    /// The pictures for links to pages.
    pub cards: &'a Cards,
    no_page: Facts,
}

impl<'a> Shared<'a> {
    /// For these pages.
    pub fn new(input: Input<'a>, common: &'a Common, cards: &'a Cards) -> Self {
        let names = Names { config: input.cx.config, course: input.cx.course };
        Self { input, names, common, cards, no_page: Facts::default() }
    }

    /// A page as others name it.
    pub fn link(&self, page: PageId) -> Value {
        self.common.link(page)
    }

    /// Published pages as others name them.
    pub fn links(&self, pages: &[PageId]) -> Vec<Value> {
        self.published(pages).map(|page| self.link(page)).collect()
    }

    /// A lab or a section with what lists show of it.
    pub fn item(&self, page: PageId) -> Option<Value> {
        self.common.items.get(&page).cloned()
    }

    /// The tracks that readers see.
    pub fn published_tracks(&self) -> Vec<Value> {
        self.common.published_tracks(self.input.cx.course)
    }

    /// Those of `pages` that are published.
    pub fn published<'p>(&self, pages: &'p [PageId]) -> impl Iterator<Item = PageId> + use<'p, 'a> {
        let course = self.input.cx.course;
        pages.iter().copied().filter(move |&page| course.pages[page].published)
    }

    /// What a page is made from; nothing where there is no file.
    pub fn source(&self, page: PageId) -> Option<&'a Source<'a>> {
        self.input.pages.get(page).and_then(Option::as_ref)
    }

    /// What is known of a page; nothing where there is no file.
    pub fn facts(&self, page: PageId) -> &Facts {
        self.source(page).map_or(&self.no_page, |source| source.facts)
    }

    /// The page of a folder, by the folder's path.
    pub fn folder(&self, path: &str) -> Option<&'a Folder> {
        let folders = self.input.folders;
        folders.binary_search_by(|folder| (*folder.path).cmp(path)).ok().map(|at| &folders[at])
    }
}

/// Makes the values that hold others, from those that are there already.
#[derive(Clone, Copy)]
struct Maker<'a> {
    names: Names<'a>,
    common: &'a Common,
}

impl<'a> Maker<'a> {
    fn links(self, pages: &[PageId]) -> Vec<Value> {
        let published = pages.iter().filter(|page| self.names.course.pages[**page].published);
        published.map(|&page| self.common.link(page)).collect()
    }

    fn items(self, pages: &[PageId]) -> Vec<Value> {
        pages.iter().filter_map(|page| self.common.items.get(page).cloned()).collect()
    }

    fn item(self, page: PageId) -> Item<'a> {
        let known = &self.names.course.pages[page];
        let lab = known.front().and_then(|front| front.lab.as_ref());
        let own = |need: &PageId| known.handbook.contains(need) && self.names.course.pages[*need].track == known.track;
        let after: Vec<PageId> = known.prerequisites.iter().copied().filter(|need| !own(need)).collect();
        let minutes = self.names.minutes(page);
        Item {
            link: link(self.names, page),
            number: self.names.number(page),
            label: self.names.label(page).unwrap_or_default(),
            summary: summary(known),
            minutes,
            time: self.names.time(minutes),
            needs: self.links(&known.prerequisites),
            after: self.links(&after),
            needed_by: self.links(&known.required_by),
            group: lab.and_then(|lab| lab.group.as_ref()).map(|group| group.value.as_str()),
            focus: lab.map(|lab| lab.focus.value.as_str()),
            reads: lab.map(|lab| lab.reads.value.as_str()),
            outcome: lab.map(|lab| lab.outcome.value.as_str()),
            r#type: lab.map(|lab| lab.starter.kind.value.as_str()),
            angle: lab.map(|lab| lab.starter.angle.value.as_str()),
            run: lab.and_then(|lab| lab.starter.run.as_ref()).map(|run| run.value.as_str()),
            starter: lab.and_then(|lab| main_file(known, lab)).map(|path| starter_file(&path)),
        }
    }

    fn track(self, track: &'a course::Track) -> Track<'a> {
        let names = self.names;
        let place = |page: PageId| Place { title: names.title(page).into(), url: Some(names.url(page)) };
        let minutes = track.order.iter().fold(0_u32, |sum, &page| sum.saturating_add(names.minutes(page)));
        Track {
            name: &track.name,
            title: names.title(track.page),
            summary: summary(&names.course.pages[track.page]),
            url: names.url(track.page),
            labs_page: track.labs_page.map(place),
            practice: track.practice.map(place),
            cards: track.practice.map(|_| url::encode(&cards_url(track))),
            minutes,
            time: names.time(minutes),
            length: names.length(minutes),
            labs_counted: names.labs_counted(track.labs.len()),
            sections: self.items(&track.sections),
            labs: self.items(&track.labs),
            groups: self.groups(track),
            order: self.items(&track.order),
            nav: self.nav(track),
            path: self.path(track),
        }
    }

    fn groups(self, track: &'a course::Track) -> Vec<Group<'a>> {
        let mut groups = vec![Group { title: None, labs: Vec::new() }];
        for &page in &track.labs {
            let title = group(&self.names.course.pages[page]);
            let at = groups.iter().position(|group| group.title == title).unwrap_or_else(|| {
                groups.push(Group { title, labs: Vec::new() });
                groups.len() - 1
            });
            groups[at].labs.extend(self.items(&[page]));
        }
        groups.retain(|group| !group.labs.is_empty());
        groups
    }

    fn nav(self, track: &'a course::Track) -> Vec<Run<'a>> {
        let mut runs: Vec<Run<'a>> = Vec::new();
        for (&page, title) in track.order.iter().zip(order_groups(self.names.course, track)) {
            match runs.last_mut().filter(|run| run.title == title) {
                Some(run) => run.items.extend(self.items(&[page])),
                None => runs.push(Run { title, items: self.items(&[page]) }),
            }
        }
        runs
    }

    fn path(self, track: &'a course::Track) -> Option<Path<'a>> {
        let course = self.names.course;
        let stops = path::stops(course, track, &order_groups(course, track));
        let graph = path::graph(course, &stops).filter(|graph| !graph.places.is_empty())?;
        let dots = path::dots(&graph).map(|measures| Box::new(self.drawn(&stops, &graph, measures)));
        Some(Path { dots, ..self.drawn(&stops, &graph, path::WHOLE) })
    }

    fn drawn(self, stops: &[path::Stop<'a>], graph: &path::Graph, measures: Measures) -> Path<'a> {
        let drawing = Drawing::new(graph, measures);
        let title = |lane: usize| {
            let first = graph.places.iter().position(|place| place.lane == lane);
            first.and_then(|stop| stops[stop].group)
        };
        let url = |stop: usize| stops[stop].page().map_or_else(String::new, |page| self.names.url(page));
        let item = |page: Option<PageId>| page.and_then(|page| self.common.items.get(&page).cloned());
        let lanes = drawing.lanes.iter().enumerate();
        Path {
            width: drawing.width,
            height: drawing.height,
            lanes: lanes.map(|(lane, &y)| Lane { title: title(lane), y, height: drawing.lane }).collect(),
            stops: (drawing.stops.iter().zip(stops))
                .map(|(&(x, y), stop)| Stop { x, y, section: item(stop.section), lab: item(stop.lab) })
                .collect(),
            lines: drawing.lines.into_iter().map(|(from, d)| Line { from: url(from), d }).collect(),
            dots: None,
        }
    }
}

/// The group of each page in a track's reading order: a lab's own; a section's is that of the next lab, after the last
/// lab that one's.
fn order_groups<'a>(course: &'a course::Course, track: &course::Track) -> Vec<Option<&'a str>> {
    let mut ahead = last_group(course, track);
    let mut groups: Vec<Option<&'a str>> = Vec::with_capacity(track.order.len());
    for &page in track.order.iter().rev() {
        let known = &course.pages[page];
        if known.kind == Kind::Lab {
            ahead = group(known);
        }
        groups.push(ahead);
    }
    groups.reverse();
    groups
}

/// What templates read; nothing that is given to them fails to become a value.
pub fn value<T: Serialize>(of: &T) -> Value {
    Value::try_from_serializable(of).unwrap_or_else(|_| Value::none())
}

/// A file's folder: its name without `code/`, and its page.
pub fn folder_of(file: &str) -> Place {
    let folder = url::folder(file);
    let name = folder.strip_prefix("code/").unwrap_or(folder);
    Place { title: name.into(), url: Some(url::encode(&starter::folder_url(folder))) }
}

/// The output path of a track's cards.
pub fn cards_url(track: &course::Track) -> String {
    format!("tracks/{}/cards.txt", track.name)
}

fn starter_file(path: &str) -> StarterFile {
    StarterFile {
        name: url::file_name(path).into(),
        url: url::encode(&starter::page_url(path)),
        raw: url::encode(&starter::raw_url(path)),
        folder: folder_of(path),
    }
}

/// The path of a lab's main file, from the course's root.
pub fn main_file(page: &course::Page, lab: &Lab) -> Option<String> {
    starter::main_file(page.name(), &lab.starter.file.as_ref()?.value).ok()
}

/// What a page is about, as its front matter says it.
pub fn summary(page: &course::Page) -> Option<&str> {
    Some(page.front()?.common.summary.as_ref()?.value.as_str())
}

fn group(page: &course::Page) -> Option<&str> {
    Some(page.front()?.lab.as_ref()?.group.as_ref()?.value.as_str())
}

fn last_group<'a>(course: &'a course::Course, track: &course::Track) -> Option<&'a str> {
    let last = track.order.iter().rev().find(|&&page| course.pages[page].kind == Kind::Lab)?;
    group(&course.pages[*last])
}

fn link(names: Names<'_>, page: PageId) -> Link<'_> {
    let known = &names.course.pages[page];
    Link {
        kind: names::kind(known.kind),
        kind_label: names.kind(page),
        title: names.title(page),
        heading: names.heading(page),
        short: names.short(page),
        url: names.url(page),
        track: known.track.map(|track| &*names.course.tracks[track].name),
        track_title: names.track_title(page),
    }
}

fn site<'a>(cx: Context<'a>, names: Names<'a>, assets: &'a Assets) -> Site<'a> {
    let config = cx.config;
    let mut pages = Vec::new();
    if !cx.references.is_empty() {
        pages.push(Place { title: config.labels.references.clone(), url: Some("references.html".into()) });
    }
    let glossary = cx.course.pages.iter().position(|page| page.kind == Kind::Glossary && page.published);
    pages.extend(glossary.map(|page| Place { title: names.title(page).into(), url: Some(names.url(page)) }));
    pages.push(Place { title: config.labels.progress.clone(), url: Some("progress.html".into()) });
    Site {
        title: &config.title,
        tagline: config.tagline.as_deref(),
        language: &config.language,
        base_url: config.base_url.as_deref(),
        feed: config.base_url.is_some().then_some("feed.xml"),
        labels: &config.labels,
        assets: &assets.urls,
        course: names.identity(),
        pages,
    }
}
