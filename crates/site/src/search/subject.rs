//! What the search finds, and how a result presents it: title, URL, group, and the names by which readers ask for it.

use serde::Serialize;

use infralens_course::course::{PageId, folder_title, starter, url};
use infralens_course::references::Reference;
use infralens_page::Kind;
use infralens_page::glossary::Term;
use infralens_render::ResolvedPage;
use infralens_render::calculator::CalculatorText;
use infralens_render::page::{Folder, Starter};
use infralens_starter::Listing;
use infralens_theme::Names;

/// Something that the search finds.
#[derive(Debug, Clone, Copy)]
pub enum Subject<'a> {
    /// A page of the course, with its source if it has a file.
    Course(PageId, Option<&'a ResolvedPage<'a>>),
    /// A page that the generator writes: its URL, which may be in the folder of a track, its title and its text.
    Generated(&'a str, &'a str, &'a str),
    /// A term of the glossary, and the page of the glossary with its source.
    Term(&'a Term, PageId, Option<&'a ResolvedPage<'a>>),
    /// A calculator, and its page.
    Calculator(PageId, &'a CalculatorText),
    /// A reference with its key.
    Reference(&'a str, &'a Reference),
    /// A starter file.
    Starter(&'a Starter, &'a Listing),
    /// A folder, with its README.
    Folder(&'a Folder, Option<&'a ResolvedPage<'a>>),
}

/// What is shown of a result before its text is loaded: its URL from the site's root, its title, and its kind and number,
/// such as "Lab 01", if it has a number.
#[derive(Debug, Serialize, PartialEq, Eq)]
pub struct ResultHead(pub String, pub String, pub String);

/// A group of results, with a heading of its own: a track and a kind.
#[derive(Debug, Clone, Serialize, PartialEq, Eq, Hash)]
pub struct Group {
    /// The heading.
    #[serde(rename = "t")]
    title: String,
    /// The title of the track, which the label of a result of another track begins with; empty outside of tracks, and if
    /// there is only one.
    #[serde(rename = "a", skip_serializing_if = "String::is_empty")]
    track_title: String,
    /// The kind of a single result.
    #[serde(rename = "k")]
    kind: String,
    /// The name of the track; empty outside of tracks.
    #[serde(rename = "n", skip_serializing_if = "String::is_empty")]
    track: String,
    /// Whether the results are code.
    #[serde(rename = "c", skip_serializing_if = "std::ops::Not::not")]
    is_code: bool,
    /// What a result is worth, in percent of what a page is.
    #[serde(rename = "w")]
    worth: u32,
    /// Whether the group is listed after the others: the pages of a folder outside of the tracks, such as a guide.
    #[serde(rename = "l", skip_serializing_if = "std::ops::Not::not")]
    is_last: bool,
}

/// The part of the site that a page belongs to.
#[derive(Default)]
struct Area {
    title: String,
    track: String,
    /// Whether it is a folder outside of the tracks.
    is_folder: bool,
}

impl Subject<'_> {
    /// Returns the URL, the title and the label of the result.
    pub(super) fn head(self, names: Names<'_>) -> ResultHead {
        let (url, title) = match self {
            Self::Course(page, _) => (names.url(page), names.title(page).to_owned()),
            Self::Generated(url, title, _) => (url.to_owned(), title.to_owned()),
            Self::Calculator(page, calculator) => {
                (format!("{}#{}", names.url(page), url::encode(&calculator.id)), calculator.title.clone())
            }
            Self::Term(term, page, _) => {
                (format!("{}#{}", names.url(page), url::encode(&term.id)), term.names.join(", "))
            }
            Self::Reference(key, reference) => {
                (format!("references.html#R-{}", url::encode(key)), reference.title.clone())
            }
            Self::Starter(found, _) => {
                let title = found.path.strip_prefix("code/").unwrap_or(&found.path).to_owned();
                (url::encode(&names.config.shared(starter::page_url(&found.path))), title)
            }
            Self::Folder(found, _) => {
                (url::encode(&names.config.shared(starter::folder_url(&found.path))), found.title.clone())
            }
        };
        let label = match self {
            // Labs of several tracks may have one number.
            Self::Course(page, _) if names.course.pages[page].kind == Kind::Lab => Some(names.qualified(page)),
            Self::Course(page, _) => names.label(page),
            _ => None,
        };
        ResultHead(url, title, label.unwrap_or_default())
    }

    /// Returns the group of the result.
    pub(super) fn group(self, names: Names<'_>) -> Group {
        let labels = &names.config.labels;
        let first = |pages: &[PageId]| pages.first().map(|&page| area(names, page)).unwrap_or_default();
        let (area, several, one) = match self {
            Self::Course(page, _) => {
                let (several, one) = match names.course.pages[page].kind {
                    Kind::Home | Kind::Page => (&labels.search_pages, &labels.search_page),
                    Kind::Glossary => (&labels.glossary, &labels.search_page),
                    Kind::Track => (&labels.overview, &labels.track),
                    Kind::Section => (&labels.handbook, &labels.section),
                    Kind::Labs => (&labels.labs, &labels.labs),
                    Kind::Lab => (&labels.labs, &labels.lab),
                    Kind::Practice => (&labels.practice, &labels.practice),
                    Kind::Readme | Kind::Outside => (&labels.starter_files, &labels.search_code),
                };
                (area(names, page), several, one)
            }
            Self::Generated(url, ..) => {
                let is_in = |name: &str| url.strip_prefix("tracks/").and_then(|url| url.strip_prefix(name));
                let track =
                    names.course.tracks.iter().find(|track| is_in(&track.name).is_some_and(|url| url.starts_with('/')));
                let area = track.map(|track| area(names, track.page)).unwrap_or_default();
                (area, &labels.search_pages, &labels.search_page)
            }
            Self::Term(..) => (Area::default(), &labels.glossary, &labels.search_term),
            Self::Calculator(page, _) => (area(names, page), &labels.calculators, &labels.search_calculator),
            Self::Reference(..) => (Area::default(), &labels.references, &labels.search_reference),
            Self::Starter(found, _) => (first(&found.readers), &labels.starter_files, &labels.search_code),
            Self::Folder(found, _) => (first(&found.labs), &labels.starter_files, &labels.search_code),
        };
        let is_code = matches!(self, Self::Starter(..) | Self::Folder(..));
        let title = match area.title.as_str() {
            "" => several.clone(),
            title if area.is_folder && matches!(self, Self::Course(..)) => title.to_owned(),
            title => format!("{title} · {several}"),
        };
        // In a course of tracks, a folder beside them is about the course, or is its guide; without tracks, it is a part.
        let is_last = area.is_folder && !names.course.tracks.is_empty();
        let is_one_of_several = !area.track.is_empty() && names.published_tracks().nth(1).is_some();
        let track_title = if is_one_of_several { area.title } else { String::new() };
        // Labs and sections explain; the rest of a course leads to them, or is quoted by them.
        let worth = match self {
            Self::Course(page, _) => match names.course.pages[page].kind {
                Kind::Lab => 130,
                Kind::Section => 120,
                Kind::Home | Kind::Track | Kind::Labs | Kind::Practice => 70,
                _ => 100,
            },
            Self::Starter(..) | Self::Folder(..) | Self::Reference(..) => 50,
            Self::Calculator(..) => 90,
            _ => 100,
        };
        Group { title, track_title, kind: one.clone(), track: area.track, is_code, worth, is_last }
    }

    /// Returns the names by which readers ask for exactly this: titles, numbers, file names. The definitions in a starter
    /// are added with its lines.
    pub(super) fn names(self, names: Names<'_>, head: &ResultHead) -> Vec<String> {
        let labels = &names.config.labels;
        let ResultHead(_, title, label) = head;
        let mut others = match self {
            Self::Course(page, _) => {
                let known = &names.course.pages[page];
                let with_number =
                    |label: &String| known.shown_number().map(|number| format!("{label} {}", number.value));
                match known.kind {
                    Kind::Lab => {
                        let numbers = [&labels.lab].into_iter().filter_map(with_number);
                        numbers.chain([names.kind(page), label.clone()]).collect()
                    }
                    Kind::Section => {
                        let numbers = [&labels.section, &labels.handbook].into_iter().filter_map(with_number);
                        let own = known.shown_number().map(|_| names.number(page));
                        numbers.chain([label.clone()]).chain(own).collect()
                    }
                    Kind::Home => vec![labels.home.clone()],
                    Kind::Page => last_name(&known.url).strip_suffix(".html").map(Into::into).into_iter().collect(),
                    _ => Vec::new(),
                }
            }
            Self::Term(term, ..) => return term.names.clone(),
            Self::Calculator(..) => vec![format!("{title} {}", labels.search_calculator)],
            Self::Reference(key, _) => vec![key.to_owned()],
            Self::Starter(..) => vec![last_name(title).to_owned()],
            Self::Generated(url, ..) => url.strip_suffix(".html").map(Into::into).into_iter().collect(),
            Self::Folder(..) => Vec::new(),
        };
        others.push(title.clone());
        others
    }
}

fn last_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns the part of the site that a page belongs to: its track, or else its outermost folder, with the title that the
/// column of the site gives it.
fn area(names: Names<'_>, page: PageId) -> Area {
    let known = &names.course.pages[page];
    if let (Some(track), Some(title)) = (known.track, names.track_title(page)) {
        let track = names.course.tracks[track].name.to_string();
        return Area { title: title.to_owned(), track, is_folder: false };
    }
    let Some((folder, _)) = known.url.split_once('/').filter(|_| known.kind == Kind::Page) else {
        return Area::default();
    };
    let front = format!("{folder}/index.html");
    let front = names.course.pages.binary_search_by(|page| (*page.url).cmp(&front)).ok();
    let title = front.map_or_else(|| folder_title(folder), |page| names.title(page).to_owned());
    Area { title, track: String::new(), is_folder: true }
}
