//! Builds the contexts of the pages of the course: home, tracks, sections, labs, labs pages, practice pages and all
//! others.

use super::context::{
    Entry, Fact, LabQuestions, Lens, Letter, Page, PageLanguage, Place, Practice, Question, SocialCard,
};
use super::machine::{linked_data, social_card};
use super::shared::{self, Shared};
use super::{figures, names, nav, page_body, print, reading_list};
use infralens_course::config::{Config, Language};
use infralens_course::course::{self, PageId, starter, url};
use infralens_page::Kind;
use infralens_page::glossary::Term;
use infralens_render::ResolvedPage;
use infralens_render::page as render;
use infralens_render::practice::Deck;
use infralens_source::yaml::Date;
use tera::Value;

/// The time that a reader needs to answer a question and to grade the answer.
const SECONDS_PER_CARD: usize = 30;

/// Builds the context of a published page.
pub fn context<'a>(shared: &'a Shared<'a>, id: PageId) -> Page<'a> {
    let known = &shared.course().pages[id];
    let mut page = course_page(shared, id);
    page.linked_data = linked_data::json_ld(shared, id, if known.kind == Kind::Home { &[] } else { &page.crumbs });
    match known.kind {
        Kind::Lab => lab(shared, id, &mut page),
        Kind::Section => section(shared, id, &mut page),
        // The map and the tables of these pages are wide: nothing is next to them.
        Kind::Track => page.crumbs.clear(),
        Kind::Labs => page.introduction = page_body::introduction(&mut page.body),
        Kind::Practice => page.practice = practice(shared, known),
        Kind::Glossary => page.letters = letters(&shared.input.cx.glossary.terms),
        Kind::Home => {
            page.column = !page.tree.is_empty();
            page.crumbs.clear();
            page.lens = lens(shared, id);
            page.summary = page.summary.or(shared.config().tagline.as_deref());
        }
        _ => {}
    }
    page
}

/// Returns the excerpt that a home page begins with. Its lab is the one whose own file it shows, or else the first one that
/// explains the file.
fn lens(shared: &Shared<'_>, id: PageId) -> Option<Lens> {
    let source = shared.source(id)?;
    let at = source.subject.document.lens()?;
    let excerpt = source.facts.excerpts.iter().find(|excerpt| excerpt.index == at)?;
    let path = excerpt.listing.source().path();
    let readers = shared.input.starter(path).map_or(&[][..], |starter| &starter.readers);
    let labs: Vec<PageId> =
        shared.published(readers).filter(|&page| shared.course().pages[page].kind == Kind::Lab).collect();
    let is_own = |&&page: &&PageId| {
        let known = &shared.course().pages[page];
        let main = known.lab().and_then(|lab| shared::main_file(known, lab));
        main.is_some_and(|main| url::folder(&main) == url::folder(path))
    };
    let lab = labs.iter().find(is_own).or(labs.first());
    Some(Lens { lab: lab.and_then(|&lab| shared.item(lab)) })
}

/// Returns the letters that terms begin with, in the order of the page.
fn letters(terms: &[Term]) -> Vec<Letter> {
    let mut letters: Vec<Letter> = Vec::new();
    for term in terms {
        let first = term.names.first().and_then(|name| name.chars().find(|character| character.is_alphanumeric()));
        let letter: String = first.into_iter().flat_map(char::to_uppercase).collect();
        if !letter.is_empty() && letters.iter().all(|known| known.letter != letter) {
            letters.push(Letter { letter, id: term.id.clone() });
        }
    }
    letters
}

/// Returns the other pages of a folder outside the tracks, for its front page.
fn listed(shared: &Shared<'_>, id: PageId) -> Vec<Value> {
    let known = &shared.course().pages[id];
    let path = known.summary.as_ref().filter(|_| known.track.is_none()).map_or("", |summary| &*summary.path);
    let folder = path.strip_suffix("/index.md").map(|folder| folder.strip_prefix("content/").unwrap_or("/"));
    let list = folder.and_then(|folder| shared.common.folders.get(folder));
    list.cloned().unwrap_or_default()
}

/// Builds the part of the context that all pages of the course have.
fn course_page<'a>(shared: &'a Shared<'a>, id: PageId) -> Page<'a> {
    let (input, names) = (&shared.input, shared.names);
    let known = &input.cx.course.pages[id];
    let facts = shared.facts(id);
    let (reading, outside) = reading_list::numbered_urls(input, facts);
    let heading = names.heading(id);
    let summary = shared::summary(known);
    let body = page_body::course_page(shared, id);
    let translated = shared.source(id).and_then(|source| source.subject.document.translated.as_ref());
    let is_foreign = translated.is_none() && known.summary.is_some();
    let neighbor = |page: Option<PageId>| page.map(|page| shared.item(page).unwrap_or_else(|| shared.link(page)));
    Page {
        kind: names::kind(known.kind),
        document_title: names.document_title(&heading, names.track_title(id)),
        title: names.title(id).into(),
        heading: heading.clone(),
        label: names.label(id),
        description: summary.or(input.cx.config.tagline.as_deref()),
        summary,
        column: true,
        crumbs: crumbs(shared, id),
        edit_url: known.summary.as_ref().and_then(|summary| {
            let path = translated.map_or(&summary.path, |translated| &translated.path);
            input.cx.config.edit_url(path)
        }),
        report_url: known.summary.as_ref().and_then(|summary| report_url(shared, &known.url, &heading, &summary.path)),
        language: input.cx.config.languages.of_source().filter(|_| is_foreign).map(language),
        facts: self::facts(shared, id),
        tree: nav::tree(shared, id),
        toc: shared.source(id).map(toc).unwrap_or_default(),
        reading,
        outside,
        print: print::url(input.cx.course, id),
        previous: neighbor(known.previous),
        next: neighbor(known.next),
        item: shared.item(id),
        extra: shared.source(id).map(|source| source.subject.document.front.common.extra.clone()).unwrap_or_default(),
        date: shared::day(known).map(|date| date.to_string()),
        date_words: shared::day(known).map(|date| names.date(date)),
        authors: shared::authors(known),
        pages: listed(shared, id),
        figures: figures::entries(shared, id),
        has_calculators: input.cx.has_calculators(id),
        styles: page_body::styles(known.kind, &body, shared.source(id)),
        is_broad: page_body::is_broad(&body),
        body,
        card: match known.kind {
            Kind::Lab if known.published && shared.social_cards.of_labs => {
                card(shared, Some((url::encode(&social_card::lab_url(&known.url)), &heading)))
            }
            _ => card(shared, shared.social_cards.for_track(known.track)),
        },
        copy: shared.config().copies.then(|| url::encode(&url::copy(&known.url))),
        ..in_track(shared, &known.url, known.track, Some(id))
    }
}

/// Returns the URL where a mistake on a page can be reported. The text names the source of the page, and where it is.
pub fn report_url(shared: &Shared<'_>, url: &str, title: &str, source: &str) -> Option<String> {
    let config = shared.config();
    let address = config.base_url.as_deref().map(|base| format!("{base}{url}\n")).unwrap_or_default();
    config.report_link(title, &format!("{source}\n{address}"))
}

/// Builds the context that all pages share: URL, canonical URL, the relative path to the root, and the course's description.
pub fn base_page<'a>(shared: &Shared<'a>, path: &str) -> Page<'a> {
    let url = url::encode(path);
    let config = shared.input.cx.config;
    Page {
        canonical: config.base_url.as_deref().map(|base| format!("{base}{url}")),
        root: url::root(path),
        languages: languages(config, &url),
        description: config.tagline.as_deref(),
        styles: vec![page_body::PARTS],
        url,
        ..Page::default()
    }
}

/// Returns the languages in which the page at a URL exists.
fn languages(config: &Config, url: &str) -> Vec<PageLanguage> {
    let (shown, own) = (config.languages.shown(), config.languages.of_source().unwrap_or(&config.language));
    let tags = config.languages.tags().map(|tag| &tag.value);
    if tags.len() == 0 {
        return Vec::new();
    }
    let folders = std::iter::once((None, own)).chain(tags.enumerate().map(|(at, tag)| (Some(at), tag)));
    let languages = folders.map(|(at, tag)| {
        let folder = at.map_or_else(String::new, |_| format!("{}/", &**tag));
        PageLanguage {
            url: if at == shown { url.to_owned() } else { config.shared(format!("{folder}{url}")) },
            absolute: config.course_url().map(|base| format!("{base}{folder}{url}")),
            is_current: at == shown,
            ..language(tag)
        }
    });
    languages.collect()
}

fn language(tag: &Language) -> PageLanguage {
    let direction = if tag.is_right_to_left() { "rtl" } else { "ltr" };
    let name = tag.own_name().to_owned();
    PageLanguage { tag: tag.to_string(), name, direction, url: String::new(), absolute: None, is_current: false }
}

/// Builds the context that pages of a track share: it has the column in which the page `current` is marked.
pub fn in_track<'a>(shared: &'a Shared<'a>, path: &str, track: Option<usize>, current: Option<PageId>) -> Page<'a> {
    let page = base_page(shared, path);
    let Some(track) = track else { return page };
    Page {
        track: Some(shared.common.tracks[track].clone()),
        nav: nav::column(shared, track, current),
        order_script: shared.common.orders[track].clone(),
        ..page
    }
}

/// Builds the context of a generated page directly below the home page.
pub fn site_page<'a>(shared: &Shared<'a>, path: &str, title: &str) -> Page<'a> {
    Page {
        document_title: shared.names.document_title(title, None),
        title: title.into(),
        heading: title.into(),
        column: true,
        crumbs: vec![shared.home(), Place::text(title)],
        ..base_page(shared, path)
    }
}

/// Returns the context of a social card.
pub fn card(shared: &Shared<'_>, card: Option<(String, &str)>) -> Option<SocialCard> {
    let (url, alt) = card?;
    let base = shared.config().base_url.as_deref()?;
    Some(SocialCard {
        url: format!("{base}{url}"),
        alt: alt.into(),
        width: social_card::WIDTH,
        height: social_card::HEIGHT,
    })
}

/// Returns the entries of "on this page".
pub fn toc<'a>(source: &ResolvedPage<'a>) -> Vec<Entry<'a>> {
    source.toc().map(|heading| Entry { level: heading.level.max(2), id: &heading.id, text: &heading.text }).collect()
}

fn crumbs(shared: &Shared<'_>, id: PageId) -> Vec<Place> {
    let names = shared.names;
    let known = &shared.course().pages[id];
    let here = Place::text(names.short(id));
    let Some(track) = known.track.filter(|_| known.kind != Kind::Track) else {
        return [shared.home()].into_iter().chain(folders(shared, id)).chain([here]).collect();
    };
    let mut crumbs = vec![names.place(shared.course().tracks[track].page)];
    let group = known.lab().and_then(|lab| lab.group.as_ref());
    crumbs.extend(group.map(|group| Place::text(&*group.value)));
    crumbs.extend((known.kind == Kind::Section).then(|| Place::text(&shared.labels().handbook)));
    crumbs.push(here);
    crumbs
}

/// Returns the folders that contain a page, outermost first, each with its front page if it has one: `content/a/index.md`
/// for `content/a/b/c.md`.
fn folders(shared: &Shared<'_>, id: PageId) -> Vec<Place> {
    let (names, course) = (shared.names, shared.course());
    let path = course.pages[id].summary.as_ref().map_or("", |summary| &*summary.path);
    let ends = path.match_indices('/').skip(1).map(|(at, _)| &path[..at]);
    let place = |folder: &str| {
        let front = course.page_of(&format!("{folder}/index.md")).filter(|&front| course.pages[front].published);
        match front {
            Some(front) if front == id => None,
            Some(front) => Some(Place::new(names.short(front), names.url(front))),
            None => Some(Place::text(course::folder_title(url::file_name(folder)))),
        }
    };
    ends.filter_map(place).collect()
}

pub fn facts(shared: &Shared<'_>, id: PageId) -> Vec<Fact> {
    let (names, labels) = (shared.names, shared.labels());
    let known = &shared.course().pages[id];
    let text_fact = |text: String| Fact { text: Some(text), ..Fact::default() };
    let Some(front) = known.front() else { return Vec::new() };
    let mut facts = Vec::new();
    if let (Kind::Track, Some(track)) = (known.kind, known.track) {
        let track = &shared.course().tracks[track];
        // Each time is that of what it follows.
        let counted = |counted: String, pages: &[PageId]| {
            let fact = format!("{counted}, {}", names.length(names.total_minutes(pages)));
            (!pages.is_empty()).then(|| text_fact(fact))
        };
        facts.extend(counted(names.labs_counted(track.labs.len()), &track.labs));
        facts.extend(counted(names.sections_counted(track.sections.len()), &track.sections));
    }
    if matches!(known.kind, Kind::Lab | Kind::Section) {
        facts.push(text_fact(names.time(names.minutes(id))));
    }
    facts.extend(front.lab.as_ref().map(|lab| text_fact(lab.starter.kind.value.clone())));
    facts.extend(front.common.draft.then(|| text_fact(labels.draft.clone())));
    let dated = |name: Option<String>, date: Date| Fact {
        name,
        date: Some(date.to_string()),
        date_words: Some(names.date(date)),
        ..Fact::default()
    };
    facts.extend(front.common.date.as_ref().map(|date| dated(None, date.value)));
    let authors = shared::authors(known);
    facts.extend((!authors.is_empty()).then(|| text_fact(authors.join(", "))));
    facts.extend(shared::checked_on(known).map(|date| dated(Some(labels.checked.clone()), date)));
    let needs = shared.links(&outside_handbook(known, &known.prerequisites));
    if known.kind == Kind::Lab && !needs.is_empty() {
        facts.push(Fact { name: Some(labels.needs.clone()), links: needs, ..Fact::default() });
    }
    facts
}

/// Filters out a lab's sections or a section's labs, which are listed elsewhere.
pub fn outside_handbook(known: &course::Page, pages: &[PageId]) -> Vec<PageId> {
    pages.iter().copied().filter(|page| !known.handbook.contains(page)).collect()
}

fn section<'a>(shared: &'a Shared<'a>, id: PageId, page: &mut Page<'a>) {
    let known = &shared.course().pages[id];
    page.practised_by = shared.links(&known.handbook);
    page.needs = shared.links(&known.prerequisites);
    page.needed_by = shared.links(&outside_handbook(known, &known.required_by));
}

fn lab<'a>(shared: &'a Shared<'a>, id: PageId, page: &mut Page<'a>) {
    let known = &shared.course().pages[id];
    let Some(lab) = known.lab() else {
        return;
    };
    page.description = page.summary.or(Some(&lab.outcome.value));
    (page.primers, page.handbook) = handbook(shared, known);
    page.needs = shared.links(&outside_handbook(known, &known.prerequisites));
    page.needed_by = shared.links(&known.required_by);
    page.files = files(shared, id, shared::main_file(known, lab).as_deref());
    page.questions = questions(shared, id);
}

/// Returns the sections that a lab practices, after those without a number that prepare for them. If none has a number, all
/// are practiced.
fn handbook(shared: &Shared<'_>, known: &course::Page) -> (Vec<Value>, Vec<Value>) {
    let pages = &shared.course().pages;
    let is_numbered = |page: &PageId| pages[*page].shown_number().is_some();
    let sections: Vec<PageId> = shared.published(&known.handbook).collect();
    let (practiced, mut primers): (Vec<PageId>, Vec<PageId>) = if sections.iter().any(is_numbered) {
        sections.into_iter().partition(is_numbered)
    } else {
        (sections, Vec::new())
    };
    let required = practiced.iter().flat_map(|&section| &pages[section].prerequisites).copied();
    let is_primer = |page: &PageId| shared.names.is_primer(*page) && pages[*page].published;
    for page in required.filter(is_primer) {
        if !primers.contains(&page) && !practiced.contains(&page) {
            primers.push(page);
        }
    }
    let items = |pages: Vec<PageId>| pages.into_iter().filter_map(|page| shared.item(page)).collect();
    (items(primers), items(practiced))
}

fn questions(shared: &Shared<'_>, id: PageId) -> Option<LabQuestions> {
    let cards = shared.source(id)?.card_ids();
    let count = cards.len();
    let labels = shared.labels();
    if count == 0 {
        return None;
    }
    let minutes = (count * SECONDS_PER_CARD).div_ceil(60);
    let words = labels.take_questions.with(count).replace("{t}", &minutes.to_string());
    Some(LabQuestions { words, cards: cards.join(" ") })
}

/// Returns a lab's starter folder, its README, and every file that the lab refers to: by name if it is in the folder,
/// else by path.
fn files(shared: &Shared<'_>, id: PageId, main: Option<&str>) -> Vec<Place> {
    let mut files = Vec::new();
    let own = main.map_or("", url::folder);
    if let Some(main) = main {
        let folder = shared::folder_of(shared.config(), main);
        let readme = shared.input.folder(own).is_some_and(|folder| folder.readme.is_some());
        files.push(Place { title: format!("{}/", folder.title), url: folder.url.clone() });
        files.extend(readme.then(|| Place { title: "README.md".into(), url: folder.url }));
    }
    let named = shared.facts(id).starters.iter().map(AsRef::as_ref);
    let others = named.filter(|path| Some(*path) != main);
    for path in main.into_iter().chain(others) {
        let name =
            if url::folder(path) == own { url::file_name(path) } else { path.strip_prefix("code/").unwrap_or(path) };
        let is_readme = name == "README.md";
        files.retain(|file| !(is_readme && file.title == "README.md"));
        files.push(Place::new(name, url::encode(&shared.config().shared(starter::page_url(path)))));
    }
    files
}

fn practice(shared: &Shared<'_>, known: &course::Page) -> Vec<Practice> {
    let Some(track) = known.track else { return Vec::new() };
    let mut practice_parts = Vec::new();
    for &page in &shared.course().tracks[track].order {
        let practice = shared.source(page).map(|source| source.practice(Deck::Page)).unwrap_or_default();
        if practice.questions.is_empty() && practice.spoken.is_none() {
            continue;
        }
        let card = |card: &render::Flashcard| Question {
            id: card.id.clone(),
            was: card.was.join(" "),
            question: Value::safe_string(&card.question),
            answer: Value::safe_string(&card.answer),
        };
        practice_parts.push(Practice {
            lab: shared.item(page).unwrap_or_else(|| shared.link(page)),
            questions: practice.questions.iter().map(card).collect(),
            spoken: practice.spoken.as_ref().map(card),
        });
    }
    practice_parts
}
