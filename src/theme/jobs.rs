//! Which pages there are, and each of them made, from its template and its context.

use super::context::{Dated, Page, Place as Crumb};
use super::engine::Engine;
use super::shared::Shared;
use super::{Made, cards, code, machine, page, print, reading, shared};
use crate::course::{PageId, starter, url};
use crate::diag::{Diagnostic, Place};
use crate::document::Kind;
use crate::output::Bytes;
use crate::render::page as render;

/// A date for a feed of pages that have none.
const NO_DATE: &str = "1970-01-01";

/// A file that a template makes.
#[derive(Debug, Clone, Copy)]
pub enum Job<'a> {
    /// A page of the course.
    Course(PageId),
    /// The copy of a page of the course in Markdown.
    Copy(PageId),
    /// A page, and which of its old URLs.
    Redirect(PageId, usize),
    /// The page of the starter with this index.
    Starter(usize, &'a render::Starter),
    /// The page of the folder with this index.
    Folder(usize, &'a render::Folder),
    /// All of the track with this index.
    Print(usize),
    /// The page of references.
    References,
    /// The page of a reader's progress.
    Progress,
    /// The cards of the track with this index.
    Cards(usize),
    /// `404.html`.
    NotFound,
    /// `sitemap.xml`.
    Sitemap,
    /// `feed.xml`.
    Feed,
}

/// How a file is made.
enum Making<'a> {
    /// From a template, which is given a page.
    Template(&'static str, Box<Page<'a>>),
    /// Here.
    Text(String),
}

/// Makes a page; one that its template cannot make is empty.
pub fn render<'a>(job: Job<'a>, shared: &'a Shared<'a>, engine: &Engine) -> (Made, Option<Box<Diagnostic>>) {
    if job.is_homeless(shared) {
        return (blank(job, shared), None);
    }
    let (template, page) = match job.making(shared) {
        Making::Text(text) => return (job.made(shared, text.into_bytes()), None),
        Making::Template(template, page) => (template, page),
    };
    match engine.render(shared.input.project, template, &page) {
        Ok(bytes) => (job.made(shared, bytes), None),
        Err(fault) => (job.made(shared, Vec::new()), Some(fault)),
    }
}

/// A page, empty: where there are no templates to make it.
pub fn blank(job: Job<'_>, shared: &Shared<'_>) -> Made {
    job.made(shared, Vec::new())
}

/// Every page of the site, in an order that follows from the course. Redirects are last: where an old URL is a page's by
/// now, it is the alias that is wrong.
pub fn jobs<'a>(shared: &Shared<'a>) -> Vec<Job<'a>> {
    let input = &shared.input;
    let published = || input.course.pages.iter().enumerate().filter(|(_, known)| known.published);
    let mut jobs: Vec<Job<'a>> = published().map(|(id, _)| Job::Course(id)).collect();
    jobs.extend(published().map(|(id, _)| Job::Copy(id)));
    jobs.extend(input.starters.iter().enumerate().map(|(index, found)| Job::Starter(index, found)));
    jobs.extend(input.folders.iter().enumerate().map(|(index, found)| Job::Folder(index, found)));
    jobs.extend(print::tracks(input).into_iter().map(Job::Print));
    jobs.extend([Job::References, Job::Progress, Job::NotFound]);
    let practised =
        |track: &usize| input.course.tracks[*track].practice.is_some_and(|page| input.course.pages[page].published);
    jobs.extend((0..input.course.tracks.len()).filter(practised).map(Job::Cards));
    if input.config.base_url.is_some() {
        jobs.extend([Job::Sitemap, Job::Feed]);
    }
    let aliases = |known: &crate::course::Page| known.front().map_or(0, |front| front.common.aliases.len());
    jobs.extend(published().flat_map(|(id, known)| (0..aliases(known)).map(move |alias| Job::Redirect(id, alias))));
    jobs
}

impl Job<'_> {
    fn made(self, shared: &Shared<'_>, bytes: Vec<u8>) -> Made {
        Made { path: self.path(shared).into(), bytes: Bytes::Made(bytes.into()), from: self.from(shared) }
    }

    /// Whether it is a page in the folder of a track that is not known: that has been reported, and templates need the track.
    fn is_homeless(self, shared: &Shared<'_>) -> bool {
        let (Self::Course(id) | Self::Copy(id) | Self::Redirect(id, _)) = self else { return false };
        let known = &shared.input.course.pages[id];
        known.track.is_none() && known.summary.as_ref().is_some_and(|summary| summary.placement.track.is_some())
    }

    fn making<'a>(self, shared: &'a Shared<'a>) -> Making<'a>
    where
        Self: 'a,
    {
        let (template, page) = match self {
            Self::Copy(id) => return Making::Text(machine::copy::markdown(shared, id)),
            Self::Cards(track) => return Making::Text(cards::text(shared, track)),
            Self::Course(id) => (template(shared.input.course.pages[id].kind), page::context(shared, id)),
            Self::Redirect(id, alias) => ("redirect.html", redirect(shared, id, &old_url(shared, id, alias).0)),
            Self::Starter(_, found) => ("starter.html", code::starter(shared, found)),
            Self::Folder(_, found) => ("folder.html", code::folder(shared, found)),
            Self::Print(track) => ("print.html", print::context(shared, track)),
            Self::References => ("references.html", reading::page(shared)),
            Self::Progress => ("progress.html", progress(shared)),
            Self::NotFound => ("404.html", not_found(shared)),
            Self::Sitemap => ("sitemap.xml", Page { entries: all(shared), ..page::at(shared, "sitemap.xml") }),
            Self::Feed => ("feed.xml", feed(shared)),
        };
        Making::Template(template, Box::new(page))
    }

    fn path(self, shared: &Shared<'_>) -> String {
        match self {
            Self::Course(id) => shared.input.course.pages[id].url.to_string(),
            Self::Copy(id) => url::copy(&shared.input.course.pages[id].url),
            Self::Redirect(id, alias) => old_url(shared, id, alias).0,
            Self::Starter(_, found) => starter::page_url(&found.path),
            Self::Folder(_, found) => starter::folder_url(&found.path),
            Self::Print(track) => shared.input.course.tracks[track].print_url(),
            Self::References => "references.html".into(),
            Self::Progress => "progress.html".into(),
            Self::Cards(track) => shared::cards_url(&shared.input.course.tracks[track]),
            Self::NotFound => "404.html".into(),
            Self::Sitemap => "sitemap.xml".into(),
            Self::Feed => "feed.xml".into(),
        }
    }

    fn from(self, shared: &Shared<'_>) -> Place {
        let pages = &shared.input.course.pages;
        match self {
            Self::Course(id) | Self::Copy(id) => match &pages[id].summary {
                Some(summary) => Place::file(summary.path.clone()),
                // The page stands for its track.
                None => Place::file(url::folder(&pages[id].url).split('/').take(2).fold("content".into(), join)),
            },
            Self::Redirect(id, alias) => old_url(shared, id, alias).1,
            Self::Starter(_, found) => Place::file(found.path.clone()),
            Self::Folder(_, found) => Place::file(format!("{}/README.md", found.path)),
            Self::Print(track) => Self::Course(shared.input.course.tracks[track].page).from(shared),
            Self::References => Place::file("content/references.yaml"),
            Self::Cards(track) => Place::file(format!("content/tracks/{}", shared.input.course.tracks[track].name)),
            Self::Progress | Self::NotFound | Self::Sitemap | Self::Feed => Place::file("content/site.yaml"),
        }
    }
}

/// The template of a kind of page.
fn template(kind: Kind) -> &'static str {
    match kind {
        Kind::Home => "home.html",
        Kind::Page => "page.html",
        Kind::Glossary => "glossary.html",
        Kind::Track => "track.html",
        Kind::Section => "section.html",
        Kind::Labs => "labs.html",
        Kind::Lab => "lab.html",
        Kind::Practice => "practice.html",
        Kind::Readme => "folder.html",
    }
}

fn join(path: String, segment: &str) -> String {
    path + "/" + segment
}

/// An alias and where it is written.
fn old_url(shared: &Shared<'_>, id: PageId, alias: usize) -> (String, Place) {
    let summary = shared.input.course.pages[id].summary.as_ref();
    let found = summary.and_then(|summary| Some((summary, summary.front.common.aliases.get(alias)?)));
    found.map_or_else(
        || (String::new(), Place::file("content")),
        |(summary, old)| (old.value.to_string(), Place::new(&summary.path, old.span.clone())),
    )
}

fn redirect<'a>(shared: &'a Shared<'a>, id: PageId, old: &str) -> Page<'a> {
    let labels = &shared.input.config.labels;
    let to = page::at(shared, &shared.input.course.pages[id].url);
    Page {
        kind: "redirect",
        canonical: to.canonical,
        document_title: shared.names.document_title(&labels.moved, None),
        title: labels.moved.clone(),
        heading: shared.names.heading(id),
        target: Some(shared.link(id)),
        ..page::at(shared, old)
    }
}

/// The same for every reader: what is a reader's own comes from the browser.
fn progress<'a>(shared: &'a Shared<'a>) -> Page<'a> {
    let labels = &shared.input.config.labels;
    let home = Crumb { title: labels.home.clone(), url: Some("index.html".into()) };
    Page {
        kind: "progress",
        document_title: shared.names.document_title(&labels.progress, None),
        title: labels.progress.clone(),
        heading: labels.progress.clone(),
        summary: Some(&labels.progress_about),
        column: true,
        crumbs: vec![home, Crumb { title: labels.progress.clone(), url: None }],
        ..page::at(shared, "progress.html")
    }
}

/// The one page that is shown at any address: its links begin at the site's root.
fn not_found<'a>(shared: &'a Shared<'a>) -> Page<'a> {
    let labels = &shared.input.config.labels;
    Page {
        kind: "not-found",
        document_title: shared.names.document_title(&labels.page_not_found, None),
        title: labels.page_not_found.clone(),
        heading: labels.page_not_found.clone(),
        root: shared.input.config.base_path().into(),
        canonical: None,
        crumbs: Vec::<Crumb>::new(),
        ..page::at(shared, "404.html")
    }
}

/// Every page that stands for itself, in the order of their URLs.
fn all(shared: &Shared<'_>) -> Vec<Dated> {
    let mut entries = dated(shared);
    let plain =
        |path: &str, title: &str| Dated { url: url::encode(path), title: title.into(), summary: None, checked: None };
    entries.extend(shared.input.starters.iter().map(|found| plain(&starter::page_url(&found.path), &found.path)));
    entries.extend(shared.input.folders.iter().map(|found| plain(&starter::folder_url(&found.path), &found.title)));
    entries.push(plain("references.html", &shared.input.config.labels.references));
    entries.sort_by(|a, b| a.url.cmp(&b.url));
    entries
}

fn feed<'a>(shared: &'a Shared<'a>) -> Page<'a> {
    let mut entries = dated(shared);
    entries.retain(|entry| entry.checked.is_some());
    entries.sort_by(|a, b| (&b.checked, &a.url).cmp(&(&a.checked, &b.url)));
    let updated = entries.first().and_then(|entry| entry.checked.clone()).unwrap_or_else(|| NO_DATE.into());
    Page { entries, updated: Some(updated), ..page::at(shared, "feed.xml") }
}

/// The pages of the course, with the track's title after theirs.
fn dated(shared: &Shared<'_>) -> Vec<Dated> {
    let names = shared.names;
    let pages = shared.input.course.pages.iter().enumerate().filter(|(_, known)| known.published);
    let entry = |(id, known): (PageId, &crate::course::Page)| {
        let heading = names.heading(id);
        let track = names.track_title(id).filter(|track| *track != heading);
        let outcome = known.front().and_then(|front| front.lab.as_ref()).map(|lab| lab.outcome.value.as_str());
        Dated {
            url: names.url(id),
            title: track.map_or_else(|| heading.clone(), |track| format!("{heading} · {track}")),
            summary: shared::summary(known).or(outcome).map(str::to_string),
            checked: known.front().and_then(|front| front.common.checked.as_ref()).map(|date| date.value.to_string()),
        }
    };
    pages.map(entry).collect()
}
