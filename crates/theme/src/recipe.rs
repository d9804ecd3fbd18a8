//! The files that templates make or that describe the course as a whole, and how each of them is made.

use std::sync::{Arc, OnceLock};

use super::context::{Dated, Listed, Page};
use super::engine::Engine;
use super::machine::social_card::{self, SocialCards};
use super::shared::{self, Shared, SharedValues};
use super::{AssetFile, Input, anki, code, figures, machine, names, page, print, reading_list};
use infralens_course::config::Host;
use infralens_course::course::{self, Course, PageId, Volume, starter, url};
use infralens_page::Kind;
use infralens_render::Context;
use infralens_render::page::{Folder, Starter};
use infralens_source::diag::{Diagnostic, Place};
use infralens_source::output::Bytes;

/// The name of the script with the search and a practice session.
const DIALOGS: &str = "dialogs.js";

/// The date of a feed without entries.
const NO_DATE: &str = "1970-01-01";

/// How a file of the site is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recipe {
    /// A page of the course.
    Page(PageId),
    /// The Markdown copy of a page of the course.
    Copy(PageId),
    /// A redirect from a page's old URL, by its index among the page's aliases.
    Redirect(PageId, usize),
    /// The page of the starter with this index.
    Starter(usize),
    /// The page of the folder with this index.
    Folder(usize),
    /// A print page.
    Print(Volume),
    /// The page of references.
    References,
    /// The page of the calculators of the track with this index, or of the whole course.
    Calculators(Option<usize>),
    /// The page that shows a reader's progress.
    Progress,
    /// The script that adds the search and a practice session to a page. Its path depends on what it contains, so it is not in
    /// the list: see [`Theme::dialogs`].
    Dialogs,
    /// The Anki cards of the track with this index.
    Cards(usize),
    /// `404.html`.
    NotFound,
    /// `sitemap.xml`.
    Sitemap,
    /// `feed.xml`.
    Feed,
    /// `course.json`.
    Course,
    /// `llms.txt`.
    Llms,
    /// `robots.txt`.
    Robots,
    /// The list of redirects for a host.
    Redirects(Host),
    /// The social card with this index.
    Picture(usize),
    /// The social card of a lab.
    LabPicture(PageId),
}

/// A file that can be made.
#[derive(Debug)]
pub struct PlannedFile {
    pub path: String,
    /// How it is made.
    pub recipe: Recipe,
    /// The file of the course that it comes from, or the place of the alias that asks for it.
    pub from: Place,
}

/// The reason why a file cannot be made: a fault in its template, or `None` if the reason has been reported already.
pub type Fault = Option<Box<Diagnostic>>;

/// How a file is produced.
enum Rendering<'a> {
    /// By a template from the context of a page.
    Template(&'a str, Box<Page<'a>>),
    /// Directly.
    Bytes(Bytes),
}

/// Lists every file that templates make or that describes the course as a whole, in an order that depends on the course
/// only. Redirects are last, so that if an old URL is a page's URL now, the alias is reported.
pub fn recipes(cx: Context<'_>, starters: &[Starter], folders: &[Folder], pictures: &SocialCards) -> Vec<PlannedFile> {
    let published = || cx.course.pages.iter().enumerate().filter(|(_, known)| known.published);
    let mut recipes: Vec<Recipe> = published().map(|(id, _)| Recipe::Page(id)).collect();
    recipes.extend(published().filter(|_| cx.config.copies).map(|(id, _)| Recipe::Copy(id)));
    recipes.extend((0..starters.len()).map(Recipe::Starter));
    recipes.extend((0..folders.len()).map(Recipe::Folder));
    let tracks = || 0..cx.course.tracks.len();
    recipes.extend(cx.course.volumes().map(Recipe::Print));
    recipes.extend([Recipe::References, Recipe::Progress, Recipe::NotFound]);
    recipes.extend(cx.lists_of_calculators().into_iter().map(Recipe::Calculators));
    let practised =
        |track: &usize| cx.course.tracks[*track].practice.is_some_and(|page| cx.course.pages[page].published);
    recipes.extend(tracks().filter(practised).map(Recipe::Cards));
    if cx.config.base_url.is_some() {
        recipes.extend([Recipe::Sitemap, Recipe::Feed]);
        let labs = published().filter(|(_, known)| pictures.of_labs && known.kind == Kind::Lab);
        recipes.extend(labs.map(|(id, _)| Recipe::LabPicture(id)));
    }
    recipes.extend([Recipe::Course, Recipe::Llms, Recipe::Robots]);
    recipes.extend(cx.config.redirects().iter().map(|host| Recipe::Redirects(host.value)));
    recipes.extend((0..pictures.paths().len()).map(Recipe::Picture));
    let aliases = |known: &course::Page| known.front().map_or(0, |front| front.common.aliases.len());
    recipes
        .extend(published().flat_map(|(id, known)| (0..aliases(known)).map(move |alias| Recipe::Redirect(id, alias))));
    let plan = |recipe: Recipe| {
        let (path, from) = recipe.place(cx, starters, folders, pictures);
        PlannedFile { path, recipe, from }
    };
    recipes.into_iter().map(plan).collect()
}

impl Recipe {
    /// Returns whether a file can be made at all. A page in the folder of an unknown track cannot: that has been
    /// reported, and templates need the track.
    pub fn can_be_made(self, course: &Course, has_engine: bool) -> bool {
        if let Self::Page(id) | Self::Copy(id) | Self::Redirect(id, _) | Self::LabPicture(id) = self {
            let known = &course.pages[id];
            let is_in_track = known.summary.as_ref().is_some_and(|summary| summary.placement.track.is_some());
            if known.track.is_none() && is_in_track {
                return false;
            }
        }
        has_engine || self.template(course).is_none()
    }

    /// Whether there is such a file in each language: what belongs to the course as a whole, to its code and to old addresses
    /// exists once.
    pub fn is_of_language(self) -> bool {
        let exists_once =
            matches!(self, Self::NotFound | Self::Sitemap | Self::Course | Self::Robots | Self::Redirects(_));
        !exists_once && !matches!(self, Self::Starter(_) | Self::Folder(_) | Self::Redirect(..))
    }

    /// Whether it is a picture, for which no template can have a fault.
    pub fn is_picture(self) -> bool {
        matches!(self, Self::Picture(_) | Self::LabPicture(_))
    }

    /// Returns the name of the template that makes a file, if one does.
    pub fn template(self, course: &Course) -> Option<&str> {
        Some(match self {
            Self::Page(id) => course.template(id).unwrap_or(names::template(course.pages[id].kind)),
            Self::Redirect(..) => "redirect.html",
            Self::Starter(_) => "starter.html",
            Self::Folder(_) => "folder.html",
            Self::Print(_) => "print.html",
            Self::References => "references.html",
            Self::Calculators(_) => "calculators.html",
            Self::Progress => "progress.html",
            Self::Dialogs => "dialogs.html",
            Self::NotFound => "404.html",
            Self::Sitemap => "sitemap.xml",
            Self::Feed => "feed.xml",
            _ => return None,
        })
    }

    /// Returns the output path and the place that the file comes from.
    fn place(
        self,
        cx: Context<'_>,
        starters: &[Starter],
        folders: &[Folder],
        pictures: &SocialCards,
    ) -> (String, Place) {
        let (pages, tracks) = (&cx.course.pages, &cx.course.tracks);
        let of_page = |id: PageId| match &pages[id].summary {
            Some(summary) => Place::file(summary.path.clone()),
            // A page without a file represents its track.
            None => Place::file(format!(
                "content/{}",
                url::folder(&pages[id].url).splitn(3, '/').take(2).collect::<Vec<_>>().join("/")
            )),
        };
        let of_site = |path: &str| (path.to_owned(), Place::file("content/site.yaml"));
        match self {
            Self::Page(id) => (pages[id].url.to_string(), of_page(id)),
            Self::Copy(id) => (url::copy(&pages[id].url), of_page(id)),
            Self::Redirect(id, alias) => old_url(cx, id, alias),
            Self::Starter(at) => (starter::page_url(&starters[at].path), Place::file(starters[at].path.clone())),
            Self::Folder(at) => {
                let path = &folders[at].path;
                (starter::folder_url(path), Place::file(format!("{path}/README.md")))
            }
            Self::Print(volume) => {
                let first = match volume {
                    Volume::Track(track) => Some(tracks[track].page),
                    Volume::Outline(outline) => cx.course.outlines[outline].pages().next(),
                };
                (cx.course.print_url(volume), first.map_or(Place::file("content"), of_page))
            }
            Self::References => ("references.html".into(), Place::file("content/references.yaml")),
            Self::Cards(track) => {
                let known = &tracks[track];
                (anki::url(known), Place::file(format!("content/tracks/{}", known.name)))
            }
            Self::LabPicture(id) => (social_card::lab_url(&pages[id].url), of_page(id)),
            Self::Picture(at) => of_site(&pictures.paths()[at]),
            Self::Calculators(track) => {
                let from = track.map_or(Place::file("content/site.yaml"), |track| of_page(tracks[track].page));
                (figures::url(cx.course, track), from)
            }
            Self::Progress => of_site("progress.html"),
            Self::Dialogs => of_site(DIALOGS),
            Self::NotFound => of_site("404.html"),
            Self::Sitemap => of_site("sitemap.xml"),
            Self::Feed => of_site("feed.xml"),
            Self::Course => of_site("course.json"),
            Self::Llms => of_site("llms.txt"),
            Self::Robots => of_site("robots.txt"),
            Self::Redirects(host) => of_site(host.file()),
        }
    }
}

/// Makes files of a site.
pub struct Theme<'a> {
    shared: Shared<'a>,
    engine: Option<&'a Engine>,
    /// The script of the dialogs; `None` if their template has a fault.
    dialogs: &'a OnceLock<Option<AssetFile>>,
}

impl<'a> Theme<'a> {
    /// Creates a theme. `engine` is `None` if a template cannot be read, which has been reported.
    pub fn new(
        input: Input<'a>,
        common: &'a SharedValues,
        pictures: &'a SocialCards,
        engine: Option<&'a Engine>,
        dialogs: &'a OnceLock<Option<AssetFile>>,
    ) -> Self {
        Self { shared: Shared::new(input, common, pictures), engine, dialogs }
    }

    /// Makes a file.
    ///
    /// # Errors
    ///
    /// The fault in its template.
    pub fn make(&self, recipe: Recipe) -> Result<Bytes, Fault> {
        let (template, mut page) = match self.rendering(recipe).ok_or(None)? {
            Rendering::Bytes(bytes) => return Ok(bytes),
            Rendering::Template(template, page) => (template, page),
        };
        let project = self.shared.input.cx.project;
        let engine = self.engine.ok_or(None)?;
        if recipe != Recipe::Dialogs {
            page.dialogs = self.dialogs().map(|file| self.shared.config().shared(url::encode(&file.path)));
        }
        let made = engine.render(project, self.shared.common, template, &page).map_err(Some)?;
        // A page that is opened from disk may load scripts, but not fetch HTML.
        if recipe == Recipe::Dialogs {
            let html = serde_json::json!(String::from_utf8_lossy(&made));
            return Ok(format!("document.body.insertAdjacentHTML(\"beforeend\", {html});\n").into());
        }
        Ok(Bytes::Made(made.into()))
    }

    /// Returns the script of the dialogs, which is made on first use.
    pub fn dialogs(&self) -> Option<&AssetFile> {
        let made = || Some(AssetFile::new(DIALOGS, self.make(Recipe::Dialogs).ok()?, Place::file("content/site.yaml")));
        self.dialogs.get_or_init(made).as_ref()
    }

    /// Returns how a file is produced; `None` if it cannot be made.
    fn rendering(&self, recipe: Recipe) -> Option<Rendering<'_>> {
        let shared = &self.shared;
        let (cx, names) = (shared.input.cx, shared.names);
        let text = |text: String| Some(Rendering::Bytes(text.into()));
        if !recipe.can_be_made(cx.course, self.engine.is_some()) {
            return None;
        }
        let page = match recipe {
            Recipe::Copy(id) => return text(machine::copy::markdown(shared, id)),
            Recipe::Cards(track) => return text(anki::text(shared, track)),
            Recipe::Course => return text(machine::json::course(cx, names)),
            Recipe::Llms => return text(machine::llms::text(cx, names)),
            Recipe::Robots => return text(machine::robots(cx)),
            Recipe::Redirects(host) => return text(machine::redirects::text(names, host)),
            Recipe::LabPicture(id) => return Some(Rendering::Bytes(social_card::of_lab(shared, id))),
            Recipe::Picture(at) => return Some(Rendering::Bytes(shared.social_cards.picture(at))),
            Recipe::Page(id) => page::context(shared, id),
            Recipe::Redirect(id, alias) => redirect(shared, id, &old_url(cx, id, alias).0),
            Recipe::Starter(at) => {
                let starter = &shared.input.starters[at];
                code::starter(shared, starter, cx.listings.get(&starter.path)?)
            }
            Recipe::Folder(at) => code::folder(shared, &shared.input.folders[at]),
            Recipe::Print(volume) => print::context(shared, volume),
            Recipe::References => reading_list::references_page(shared),
            Recipe::Calculators(track) => figures::calculators_page(shared, track),
            Recipe::Progress => progress(shared),
            Recipe::Dialogs => page::base_page(shared, DIALOGS),
            Recipe::NotFound => not_found(shared),
            Recipe::Sitemap => Page { entries: all(shared), ..page::base_page(shared, "sitemap.xml") },
            Recipe::Feed => feed(shared),
        };
        let template = recipe.template(cx.course)?;
        let template = match (self.engine, recipe) {
            // A template that is missing has been reported.
            (Some(engine), Recipe::Page(id)) if !engine.has(template) => names::template(cx.course.pages[id].kind),
            _ => template,
        };
        Some(Rendering::Template(template, Box::new(page)))
    }
}

/// Returns an alias and its place in front matter.
fn old_url(cx: Context<'_>, id: PageId, alias: usize) -> (String, Place) {
    let summary = cx.course.pages[id].summary.as_ref();
    let found = summary.and_then(|summary| Some((summary, summary.front.common.aliases.get(alias)?)));
    found.map_or_else(
        || (String::new(), Place::file("content")),
        |(summary, old)| (old.value.to_string(), Place::new(&summary.path, old.span.clone())),
    )
}

fn redirect<'a>(shared: &'a Shared<'a>, id: PageId, old: &str) -> Page<'a> {
    let labels = shared.labels();
    let to = page::base_page(shared, &shared.course().pages[id].url);
    Page {
        kind: "redirect",
        canonical: to.canonical,
        document_title: shared.names.document_title(&labels.moved, None),
        title: labels.moved.clone(),
        heading: shared.names.heading(id),
        target: Some(shared.link(id)),
        languages: Vec::new(),
        ..page::base_page(shared, old)
    }
}

/// The page is the same for all readers; their progress is kept in the browser.
fn progress<'a>(shared: &'a Shared<'a>) -> Page<'a> {
    let labels = shared.labels();
    let summary = Some(labels.progress_about.as_str());
    Page { kind: "progress", summary, ..page::site_page(shared, "progress.html", &labels.progress) }
}

/// Builds the context of the page that is shown for any unknown address. Its links start at the site's root.
fn not_found<'a>(shared: &'a Shared<'a>) -> Page<'a> {
    let labels = shared.labels();
    Page {
        kind: "not-found",
        document_title: shared.names.document_title(&labels.page_not_found, None),
        title: labels.page_not_found.clone(),
        heading: labels.page_not_found.clone(),
        root: shared.config().base_path().into(),
        canonical: None,
        crumbs: Vec::new(),
        languages: Vec::new(),
        ..page::base_page(shared, "404.html")
    }
}

/// Returns the entries of `sitemap.xml`: all pages except redirects and print pages, sorted by URL.
fn all<'a>(shared: &'a Shared<'_>) -> Vec<Dated<'a>> {
    let plain = |path: &str, title: &str| Dated {
        listed: Listed { url: url::encode(path), title: title.to_owned().into(), ..Listed::default() },
        updated: None,
    };
    let mut entries = dated(shared);
    entries.push(plain("references.html", &shared.labels().references));
    let of_language = |tag: &str| -> Vec<Dated<'_>> {
        let url = |entry: &Dated<'_>| format!("{tag}/{}", entry.listed.url);
        let at = |entry: &Dated<'a>| Listed { url: url(entry), ..entry.listed.clone() };
        entries.iter().map(|entry| Dated { listed: at(entry), ..entry.clone() }).collect()
    };
    let others: Vec<Dated<'_>> = shared.config().languages.tags().flat_map(|tag| of_language(tag)).collect();
    entries.extend(others);
    entries.extend(shared.input.starters.iter().map(|found| plain(&starter::page_url(&found.path), &found.path)));
    entries.extend(shared.input.folders.iter().map(|found| plain(&starter::folder_url(&found.path), &found.title)));
    entries.sort_by(|a, b| a.listed.url.cmp(&b.listed.url));
    entries
}

fn feed<'a>(shared: &'a Shared<'a>) -> Page<'a> {
    let mut entries = dated(shared);
    entries.retain(|entry| entry.listed.date.is_some());
    entries.sort_by(|a, b| (&b.listed.date, &a.listed.url).cmp(&(&a.listed.date, &b.listed.url)));
    let updated = entries.iter().filter_map(|entry| entry.updated.clone()).max().unwrap_or_else(|| NO_DATE.into());
    Page { entries, updated: Some(updated), ..page::base_page(shared, "feed.xml") }
}

/// Returns an entry for each page of the course; the track's title follows the page's.
fn dated<'a>(shared: &Shared<'a>) -> Vec<Dated<'a>> {
    let names = shared.names;
    let pages = shared.course().pages.iter().enumerate().filter(|(_, known)| known.published);
    let entry = |(id, known): (PageId, &'a Arc<course::Page>)| {
        let heading = names.heading(id);
        let track = names.track_title(id).filter(|track| *track != heading);
        let outcome = known.lab().map(|lab| lab.outcome.value.as_str());
        let title = track.map_or_else(|| heading.clone(), |track| format!("{heading} · {track}"));
        let listed = shared::listed(names, id);
        let summary = listed.summary.or(outcome);
        Dated { listed: Listed { title: title.into(), summary, ..listed }, updated: shared::updated(known) }
    };
    pages.map(entry).collect()
}
