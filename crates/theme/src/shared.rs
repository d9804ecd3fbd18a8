//! Template values that all pages share, made once: `site`, `course`, and a value for every page that other pages refer
//! to.

mod folders;
mod map;

pub use folders::listed;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use tera::Value;

use super::assets::Assets;
use super::context::{Change, ChangedPage, Changes, Course, Group, Item, Link, Place, Run, Site, StarterFile, Track};
use super::look::Look;
use super::machine::social_card::SocialCards;
use super::names::{self, Names};
use super::shortcuts;
use super::{AssetFile, Input, anki, figures, nav, recipe};
use infralens_course::config::Config;
use infralens_course::config::labels::Labels;
use infralens_course::course::{self, PageId, starter, url};
use infralens_page::Kind;
use infralens_page::front_matter::Lab;
use infralens_render::marks::{ListedChange, Marks};
use infralens_render::{Context, Facts, ResolvedPage};
use infralens_source::yaml::Date;

/// How many changes of a marked site every page lists, to the end of the page that reaches it: or else the lists would grow with
/// the square of a course.
const LISTED_CHANGES: usize = 500;

/// The shared template values. Cloning a value is cheap.
#[derive(Debug, Clone)]
pub struct SharedValues {
    /// `site`.
    pub site: Value,
    /// `course`.
    pub course: Value,
    /// The pages of each folder outside the tracks, by its path below `content/`.
    pub folders: BTreeMap<String, Vec<Value>>,
    /// A [`Link`] for every page, by its id.
    links: Vec<Value>,
    /// An [`Item`] for every published lab and section, by its id.
    items: Vec<Option<Value>>,
    /// A [`Track`] for every track.
    pub tracks: Vec<Value>,
    /// The URL of the reading order of every track that has one.
    pub orders: Vec<Option<String>>,
    /// On the site of another language, a map whose keys are the paths of its own files; all others exist once.
    pub own_files: Option<Value>,
}

impl SharedValues {
    /// Makes the values of a course.
    pub fn new(cx: Context<'_>, assets: &Assets, look: &Look, orders: &[Option<AssetFile>]) -> Self {
        let none = |length: usize| vec![Value::none(); length];
        let (links, tracks) = (none(cx.course.pages.len()), none(cx.course.tracks.len()));
        let (items, orders) = (vec![None; links.len()], urls(cx.config, orders));
        let (site, course, folders) = (Value::none(), Value::none(), BTreeMap::new());
        let own_files = cx.config.languages.shown().map(|_| value(&own_files(cx)));
        let empty = Self { site, course, folders, links, items, tracks, orders, own_files };
        empty.update(cx, assets, look, |_| true)
    }

    /// Returns the values for a course with the same structure in which the titles or other words of `pages` have
    /// changed.
    pub fn renamed(
        &self,
        cx: Context<'_>,
        assets: &Assets,
        look: &Look,
        orders: &[Option<AssetFile>],
        pages: &BTreeSet<PageId>,
    ) -> Self {
        let earlier = Self { orders: urls(cx.config, orders), ..self.clone() };
        earlier.update(cx, assets, look, |page| pages.contains(&page))
    }

    /// Updates the values that depend on a page for which `is_changed` returns true. A link depends on its page and on
    /// the front page of the track; an item on its page, its prerequisites and the pages that require it; a track on
    /// all of its items.
    fn update(mut self, cx: Context<'_>, assets: &Assets, look: &Look, is_changed: impl Fn(PageId) -> bool) -> Self {
        let (names, course) = (Names { config: cx.config, course: cx.course }, cx.course);
        self.folders = folders::lists(names);
        self.site = value(&site(cx, names, assets, look, &self.folders));
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
            let item = value(&ValueBuilder { names, common: &self }.item(page));
            self.items[page] = Some(item);
        }
        for (number, track) in course.tracks.iter().enumerate() {
            let listed = track.sections.iter().chain(&track.labs);
            let mut pages = listed.chain(&track.labs_page).chain(&track.practice).chain([&track.page]);
            if pages.any(|page| items.contains(page) || is_stale(*page)) {
                let builder = ValueBuilder { names, common: &self };
                let url =
                    cx.tracks_with_calculators.contains(&Some(number)).then(|| figures::url(course, Some(number)));
                let calculators = url.map(|url| Place::new(&cx.config.labels.calculators, url));
                let order_script = self.orders[number].clone();
                self.tracks[number] = value(&Track { calculators, order_script, ..builder.track(track) });
            }
        }
        self.course = value(&Course { tracks: self.published_tracks(course) });
        self
    }

    fn link(&self, page: PageId) -> Value {
        self.links.get(page).cloned().unwrap_or_else(Value::none)
    }

    fn item(&self, page: PageId) -> Option<Value> {
        self.items.get(page).cloned().flatten()
    }

    fn published_links(&self, course: &course::Course, pages: &[PageId]) -> Vec<Value> {
        pages.iter().filter(|page| course.pages[**page].published).map(|&page| self.link(page)).collect()
    }

    fn published_tracks(&self, course: &course::Course) -> Vec<Value> {
        let tracks = course.tracks.iter().zip(&self.tracks);
        tracks.filter(|(track, _)| course.pages[track.page].published).map(|(_, value)| value.clone()).collect()
    }
}

/// Everything that the contexts of pages are built from.
pub struct Shared<'a> {
    pub input: Input<'a>,
    /// The titles and URLs of pages.
    pub names: Names<'a>,
    pub common: &'a SharedValues,
    pub social_cards: &'a SocialCards,
    no_page: Facts,
}

impl<'a> Shared<'a> {
    pub fn new(input: Input<'a>, common: &'a SharedValues, social_cards: &'a SocialCards) -> Self {
        let names = Names { config: input.cx.config, course: input.cx.course };
        Self { input, names, common, social_cards, no_page: Facts::default() }
    }

    pub fn config(&self) -> &'a Config {
        self.input.cx.config
    }

    /// Returns the words of the interface.
    pub fn labels(&self) -> &'a Labels {
        &self.input.cx.config.labels
    }

    pub fn course(&self) -> &'a course::Course {
        self.input.cx.course
    }

    /// Returns the link to the home page that breadcrumbs begin with.
    pub fn home(&self) -> Place {
        Place::new(&self.labels().home, "index.html")
    }

    /// Returns the [`Link`] to a page.
    pub fn link(&self, page: PageId) -> Value {
        self.common.link(page)
    }

    /// Returns the [`Link`]s to those of `pages` that are published.
    pub fn links(&self, pages: &[PageId]) -> Vec<Value> {
        self.common.published_links(self.course(), pages)
    }

    /// Returns the [`Item`] of a lab or section.
    pub fn item(&self, page: PageId) -> Option<Value> {
        self.common.item(page)
    }

    pub fn published_tracks(&self) -> Vec<Value> {
        self.common.published_tracks(self.course())
    }

    /// Filters the published pages.
    pub fn published<'p>(&self, pages: &'p [PageId]) -> impl Iterator<Item = PageId> + use<'p, 'a> {
        let course = self.course();
        pages.iter().copied().filter(move |&page| course.pages[page].published)
    }

    /// Returns the source of a page; `None` if it has no file.
    pub fn source(&self, page: PageId) -> Option<&'a ResolvedPage<'a>> {
        self.input.pages.get(page).and_then(Option::as_ref)
    }

    /// Returns the facts of a page; empty ones if it has no file.
    pub fn facts(&self, page: PageId) -> &Facts {
        self.source(page).map_or(&self.no_page, |source| source.facts)
    }
}

fn own_files(cx: Context<'_>) -> BTreeMap<String, bool> {
    let files = recipe::recipes(cx, &[], &[], &SocialCards::default()).into_iter();
    files.filter(|file| file.recipe.is_of_language()).map(|file| (file.path, true)).collect()
}

fn urls(config: &Config, scripts: &[Option<AssetFile>]) -> Vec<Option<String>> {
    scripts.iter().map(|script| script.as_ref().map(|file| config.shared(url::encode(&file.path)))).collect()
}

/// Builds the values that contain other values.
#[derive(Clone, Copy)]
struct ValueBuilder<'a> {
    names: Names<'a>,
    common: &'a SharedValues,
}

impl<'a> ValueBuilder<'a> {
    fn items(self, pages: &[PageId]) -> Vec<Value> {
        pages.iter().filter_map(|&page| self.common.item(page)).collect()
    }

    fn item(self, page: PageId) -> Item<'a> {
        let known = &self.names.course.pages[page];
        let lab = known.lab();
        let own = |need: &PageId| known.handbook.contains(need) && self.names.course.pages[*need].track == known.track;
        let after: Vec<PageId> = known.prerequisites.iter().copied().filter(|need| !own(need)).collect();
        let minutes = self.names.minutes(page);
        Item {
            link: link(self.names, page),
            number: self.names.number(page),
            is_primer: self.names.is_primer(page),
            label: self.names.label(page).unwrap_or_default(),
            summary: summary(known),
            minutes,
            time: self.names.time(minutes),
            needs: self.common.published_links(self.names.course, &known.prerequisites),
            after: self.common.published_links(self.names.course, &after),
            needed_by: self.common.published_links(self.names.course, &known.required_by),
            group: group(known),
            focus: lab.map(|lab| lab.focus.value.as_str()),
            reads: lab.map(|lab| lab.reads.value.as_str()),
            outcome: lab.map(|lab| lab.outcome.value.as_str()),
            r#type: lab.map(|lab| lab.starter.kind.value.as_str()),
            angle: lab.map(|lab| lab.starter.angle.value.as_str()),
            run: lab.and_then(|lab| lab.starter.run.as_ref()).map(|run| run.value.as_str()),
            starter: lab.and_then(|lab| main_file(known, lab)).map(|path| starter_file(self.names.config, &path)),
        }
    }

    fn track(self, track: &'a course::Track) -> Track<'a> {
        let names = self.names;
        let place = |page: PageId| names.place(page);
        let minutes = names.total_minutes(&track.order);
        let is_section = |page: &PageId| names.course.pages[*page].kind == Kind::Section;
        let sections: Vec<PageId> = track.order.iter().copied().filter(is_section).collect();
        Track {
            name: &track.name,
            title: names.title(track.page),
            summary: summary(&names.course.pages[track.page]),
            url: names.url(track.page),
            labs_page: track.labs_page.map(place),
            practice: track.practice.map(place),
            calculators: None,
            cards: track.practice.map(|_| url::encode(&anki::url(track))),
            minutes,
            time: names.time(minutes),
            length: names.length(minutes),
            labs_counted: names.labs_counted(track.labs.len()),
            labs_length: names.length(names.total_minutes(&track.labs)),
            sections_counted: names.sections_counted(track.sections.len()),
            sections_length: names.length(names.total_minutes(&track.sections)),
            sections: self.items(&sections),
            labs: self.items(&track.labs),
            groups: self.groups(track),
            order: self.items(&track.order),
            runs: runs(&track.order, &order_groups(self.names.course, track), |page| self.common.item(page)),
            after: self.items(&required(self.names.course, track)),
            order_script: None,
            ways: self.ways(track),
            map: self.map(track),
        }
    }

    fn groups(self, track: &'a course::Track) -> Vec<Group<'a>> {
        let mut groups = vec![Group { title: None, question: None, labs: Vec::new() }];
        for &page in &track.labs {
            let title = group(&self.names.course.pages[page]);
            let at = groups.iter().position(|group| group.title == title).unwrap_or_else(|| {
                let question = title.and_then(|title| self.question(track, title));
                groups.push(Group { title, question, labs: Vec::new() });
                groups.len() - 1
            });
            groups[at].labs.extend(self.items(&[page]));
        }
        groups.retain(|group| !group.labs.is_empty());
        groups
    }
}

/// Returns the group of each page in a track's reading order. A section belongs to the group of the next lab; sections
/// after the last lab belong to that lab's group.
pub fn order_groups<'a>(course: &'a course::Course, track: &course::Track) -> Vec<Option<&'a str>> {
    let last_lab = track.order.iter().rev().map(|&page| &course.pages[page]).find(|page| page.kind == Kind::Lab);
    let mut ahead = last_lab.and_then(|lab| group(lab));
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

/// Splits pages of a track where their group changes.
pub fn runs<'a>(pages: &[PageId], groups: &[Option<&'a str>], item: impl Fn(PageId) -> Option<Value>) -> Vec<Run<'a>> {
    let mut runs: Vec<Run<'a>> = Vec::new();
    for (&page, &title) in pages.iter().zip(groups) {
        match runs.last_mut().filter(|run| run.title == title) {
            Some(run) => run.items.extend(item(page)),
            None => runs.push(Run { title, items: item(page).into_iter().collect() }),
        }
    }
    runs
}

/// Returns the pages of other tracks that the pages of a track require, in reading order.
fn required(course: &course::Course, track: &course::Track) -> Vec<PageId> {
    let needs: BTreeSet<PageId> =
        track.order.iter().flat_map(|&page| &course.pages[page].prerequisites).copied().collect();
    let others = course.tracks.iter().filter(|other| other.name != track.name);
    others.flat_map(|other| &other.order).copied().filter(|page| needs.contains(page)).collect()
}

/// Converts a context to a template value, which cannot fail for the types of this module.
pub fn value<T: Serialize>(of: &T) -> Value {
    Value::try_from_serializable(of).unwrap_or_else(|_| Value::none())
}

/// Returns the folder of a starter file: its name without `code/`, and its page.
pub fn folder_of(config: &Config, file: &str) -> Place {
    let folder = url::folder(file);
    let name = folder.strip_prefix("code/").unwrap_or(folder);
    Place::new(name, url::encode(&config.shared(starter::folder_url(folder))))
}

fn starter_file(config: &Config, path: &str) -> StarterFile {
    StarterFile {
        name: url::file_name(path).into(),
        url: url::encode(&config.shared(starter::page_url(path))),
        raw: url::encode(&config.shared(starter::raw_url(path))),
        folder: folder_of(config, path),
    }
}

/// Returns the path of a lab's main file from the course's root.
pub fn main_file(page: &course::Page, lab: &Lab) -> Option<String> {
    starter::main_file(page.name(), &lab.starter.file.as_ref()?.value).ok()
}

/// Returns the day on which a page was last checked.
pub fn checked_on(page: &course::Page) -> Option<Date> {
    page.front()?.common.checked.as_ref().map(|date| date.value)
}

/// Returns the date of a page: that of its publication, or else that on which it was checked.
pub fn day(page: &course::Page) -> Option<Date> {
    page.front()?.common.day()
}

/// Returns the later of the dates on which a page was published and checked, as `YYYY-MM-DD`.
pub fn updated(page: &course::Page) -> Option<String> {
    page.front()?.common.updated().map(|date| date.to_string())
}

/// Returns who wrote a page.
pub fn authors(page: &course::Page) -> &[String] {
    page.front().map_or(&[], |front| front.common.authors())
}

/// Returns the date on which a page was last checked, as `YYYY-MM-DD`.
pub fn checked(page: &course::Page) -> Option<String> {
    checked_on(page).map(|date| date.to_string())
}

/// Returns the summary in a page's front matter.
pub fn summary(page: &course::Page) -> Option<&str> {
    Some(page.front()?.common.summary.as_ref()?.value.as_str())
}

/// Returns the group that a lab belongs to.
pub fn group(page: &course::Page) -> Option<&str> {
    Some(page.lab()?.group.as_ref()?.value.as_str())
}

fn link(names: Names<'_>, page: PageId) -> Link<'_> {
    let known = &names.course.pages[page];
    Link {
        kind: names::kind(known.kind),
        kind_label: names.kind(page),
        title: names.title(page),
        heading: names.heading(page),
        numbered: names.numbered(page),
        short: names.short(page),
        qualified: names.qualified(page),
        qualified_heading: names.qualified_heading(page),
        url: names.url(page),
        track: known.track.map(|track| &*names.course.tracks[track].name),
        track_title: names.track_title(page),
    }
}

fn changes(marks: &Marks) -> Changes<'_> {
    let mut count = 0;
    let pages = marks.list.iter().map(|page| {
        let is_listed = count < LISTED_CHANGES;
        count += page.changes.len();
        ChangedPage {
            title: &page.title,
            url: page.url.as_deref().map(url::encode),
            is_listed,
            changes: page.changes.iter().map(change).collect(),
        }
    });
    let pages: Vec<_> = pages.collect();
    let unlisted = pages.iter().filter(|page| !page.is_listed).count();
    Changes { title: &marks.title, pages, unlisted }
}

fn change(change: &ListedChange) -> Change<'_> {
    Change { what: &change.what, id: &change.id, at_top: change.at_top.as_deref().map(Value::safe_string) }
}

fn site<'a>(
    cx: Context<'a>,
    names: Names<'a>,
    assets: &'a Assets,
    look: &'a Look,
    folders: &'a BTreeMap<String, Vec<Value>>,
) -> Site<'a> {
    let config = cx.config;
    Site {
        title: &config.title,
        tagline: config.tagline.as_deref(),
        author: config.author.as_deref(),
        license: config.license.as_deref(),
        repository: config.repository.as_deref(),
        language: &config.language,
        direction: if config.language.is_right_to_left() { "rtl" } else { "ltr" },
        base_url: config.base_url.as_deref(),
        feed: config.base_url.is_some().then_some("feed.xml"),
        labels: &config.labels,
        shortcuts: shortcuts::rows(&config.labels),
        assets: &assets.urls,
        course: names.identity(),
        pages: nav::site_pages(cx, names),
        logo: look.logo.as_ref(),
        favicon: &look.favicon,
        header: &look.header,
        footer: &look.footer,
        changes: cx.marks.map(changes),
        folders,
        extra: &config.extra,
    }
}
