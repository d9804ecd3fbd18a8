//! A page as the search knows it: the terms under which it is found, and a fragment: what the dialog shows of it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use serde::Serialize;

use super::terms::terms;
use super::{Input, Script};
use crate::code::Listing;
use crate::config::labels::Labels;
use crate::course::{PageId, starter, url};
use crate::document::Kind;
use crate::render::page::{Folder, Page, Starter};

/// How much a term counts where it stands.
const TITLE: u32 = 16;
const HEADING: u32 = 8;
const CODE: u32 = 5;
const NOTE: u32 = 3;
const TEXT: u32 = 2;
/// The strongest a term can be for a page.
pub const STRONGEST: u32 = 15;
/// The length of a page, in terms, at which one occurrence in the text counts for a third of what many do.
const USUAL_LENGTH: u32 = 400;
/// The letters of a line of code that are read.
const LINE: usize = 240;

/// What is found.
#[derive(Clone, Copy)]
pub enum Subject<'a> {
    /// A page of the course, rendered where it has a file.
    Course(PageId, Option<&'a Arc<Page>>),
    /// A starter file.
    Starter(&'a Arc<Starter>, &'a Arc<Listing>),
    /// A folder.
    Folder(&'a Arc<Folder>),
}

/// What an entry was made from, to be known again.
#[derive(Debug, Clone)]
enum Origin {
    Course(Option<Arc<Page>>),
    Starter(Arc<Starter>, Arc<Listing>),
    Folder(Arc<Folder>),
}

/// What a result is called, and where it leads.
#[derive(Debug, Clone, Serialize, PartialEq, Eq)]
struct Head {
    /// The URL, from the site's root.
    #[serde(rename = "u")]
    url: String,
    #[serde(rename = "t")]
    title: String,
    /// "Lab 01"
    #[serde(rename = "l", skip_serializing_if = "String::is_empty")]
    label: String,
    /// The group of results in which it stands: track and kind.
    #[serde(rename = "g")]
    group: String,
}

/// A page, to be found.
#[derive(Debug)]
pub struct Entry {
    head: Head,
    origin: Origin,
    /// Its terms, sorted, with blanks between them.
    terms: Box<str>,
    /// How strong each is for it, from 1 to [`STRONGEST`].
    strengths: Box<[u8]>,
    /// The script that holds what is shown of it.
    pub fragment: Script,
}

impl Entry {
    /// Its terms, sorted, and how strong each is for it.
    pub fn terms(&self) -> impl Iterator<Item = (&str, u32)> {
        let terms = self.terms.split(' ').filter(|term| !term.is_empty());
        terms.zip(self.strengths.iter().map(|&strength| u32::from(strength)))
    }

    /// Whether it is what would be made of this subject. `has_same_names`: nothing that pages are called has changed.
    pub fn holds(&self, input: &Input<'_>, subject: Subject<'_>, has_same_names: bool) -> bool {
        self.is_of(subject) && (has_same_names || self.head == subject.head(input))
    }

    /// Whether it was made from this very subject.
    fn is_of(&self, subject: Subject<'_>) -> bool {
        match (&self.origin, subject) {
            (Origin::Course(Some(was)), Subject::Course(_, Some(is))) => Arc::ptr_eq(was, is),
            (Origin::Course(None), Subject::Course(_, None)) => true,
            (Origin::Starter(was, read), Subject::Starter(is, listing)) => {
                Arc::ptr_eq(was, is) && Arc::ptr_eq(read, listing)
            }
            (Origin::Folder(was), Subject::Folder(is)) => Arc::ptr_eq(was, is),
            _ => false,
        }
    }

    /// Whether both are found at one place. `has_same_names` as in [`Self::holds`].
    pub fn is_at(&self, input: &Input<'_>, subject: Subject<'_>, has_same_names: bool) -> bool {
        has_same_names && self.is_of(subject) || self.head.url == subject.url(input)
    }

    /// Understands a page. `number` is its own among all entries.
    pub fn new(input: &Input<'_>, subject: Subject<'_>, number: usize) -> Self {
        let head = subject.head(input);
        let mut said = Said::default();
        said.say(&head.title, TITLE);
        said.say(&head.label, TEXT);
        let (sections, notes, lines, definitions) = Default::default();
        let mut shown = Shown { head: &head, sections, notes, lines, definitions };
        let origin = match subject {
            Subject::Course(_, page) => {
                if let Some(page) = page {
                    shown.page(page, &mut said);
                }
                Origin::Course(page.cloned())
            }
            Subject::Starter(starter, listing) => {
                said.say(&starter.path, HEADING);
                shown.code(listing, &mut said);
                Origin::Starter(Arc::clone(starter), Arc::clone(listing))
            }
            Subject::Folder(folder) => {
                said.say(&folder.path, HEADING);
                if let Some(page) = &folder.readme {
                    shown.page(page, &mut said);
                }
                Origin::Folder(Arc::clone(folder))
            }
        };
        let fragment = Script::new(&format!("p{number}"), &shown);
        let (terms, strengths) = said.strengths();
        Self { head, origin, terms, strengths, fragment }
    }
}

impl Subject<'_> {
    fn url(self, input: &Input<'_>) -> String {
        match self {
            Self::Course(page, _) => input.names.url(page),
            Self::Starter(found, _) => url::encode(&starter::page_url(&found.path)),
            Self::Folder(found) => url::encode(&starter::folder_url(&found.path)),
        }
    }

    fn head(self, input: &Input<'_>) -> Head {
        let (names, labels) = (input.names, &input.names.config.labels);
        let (title, label, kind, track) = match self {
            Self::Course(page, _) => {
                let kind = input.names.course.pages[page].kind;
                let label = names.label(page).unwrap_or_default();
                (names.title(page).to_owned(), label, plural(labels, kind), names.track_title(page))
            }
            Self::Starter(found, _) => {
                let title = found.path.strip_prefix("code/").unwrap_or(&found.path).to_owned();
                (title, String::new(), &labels.starter_files, track(input, &found.readers))
            }
            Self::Folder(found) => {
                (found.title.clone(), String::new(), &labels.starter_files, track(input, &found.labs))
            }
        };
        let parts: Vec<&str> = track.into_iter().chain([kind.as_str()]).filter(|part| !part.is_empty()).collect();
        Head { url: self.url(input), title, label, group: parts.join(" · ") }
    }
}

/// The track of the first of these pages that lies in one.
fn track<'a>(input: &Input<'a>, pages: &[PageId]) -> Option<&'a str> {
    pages.iter().find_map(|&page| input.names.track_title(page))
}

/// What several pages of a kind are called.
fn plural(labels: &Labels, kind: Kind) -> &String {
    match kind {
        Kind::Home | Kind::Page => &labels.search_pages,
        Kind::Glossary => &labels.glossary,
        Kind::Track => &labels.overview,
        Kind::Section => &labels.handbook,
        Kind::Labs | Kind::Lab => &labels.labs,
        Kind::Practice => &labels.practice,
        Kind::Readme => &labels.starter_files,
    }
}

/// What the dialog shows of a page, and looks for the words in.
#[derive(Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    head: &'a Head,
    /// Id, heading, text.
    #[serde(rename = "s", skip_serializing_if = "Vec::is_empty")]
    sections: Vec<(&'a str, &'a str, &'a str)>,
    /// Id, bound code, text.
    #[serde(rename = "n", skip_serializing_if = "Vec::is_empty")]
    notes: Vec<(&'a str, &'a str, &'a str)>,
    /// Line of code, from 1, and its text.
    #[serde(rename = "c", skip_serializing_if = "Vec::is_empty")]
    lines: Vec<(usize, String)>,
    /// The lines among them that define something.
    #[serde(rename = "d", skip_serializing_if = "Vec::is_empty")]
    definitions: Vec<usize>,
}

impl<'a> Shown<'a> {
    fn page(&mut self, page: &'a Page, said: &mut Said) {
        for passage in &page.passages {
            said.say(&passage.heading, HEADING);
            said.say(&passage.text, TEXT);
            self.sections.push((&passage.id, &passage.heading, passage.text.trim_end()));
        }
        for remark in &page.remarks {
            said.say(&remark.code, CODE);
            said.say(&remark.text, NOTE);
            self.notes.push((&remark.id, &remark.code, &remark.text));
        }
    }

    /// The lines of a file on which something is said for the first time, or defined.
    fn code(&mut self, listing: &Listing, said: &mut Said) {
        let symbols: BTreeMap<usize, &str> =
            listing.symbols().iter().map(|symbol| (symbol.line, symbol.name.as_str())).collect();
        let mut seen = HashSet::new();
        for line in (0..listing.line_count()).filter(|&line| !listing.is_marker(line)) {
            let text: String = listing.line(line).trim().chars().take(LINE).collect();
            let mut is_new = false;
            terms(&text, |term| {
                said.add(term, TEXT);
                if !seen.contains(term) {
                    seen.insert(term.to_owned());
                    is_new = true;
                }
            });
            if let Some(name) = symbols.get(&line) {
                said.say(name, HEADING);
                self.definitions.push(line + 1);
            }
            if is_new || symbols.contains_key(&line) {
                self.lines.push((line + 1, text));
            }
        }
    }
}

/// How often each term is said, by what counts.
#[derive(Default)]
struct Said {
    counts: HashMap<String, u32>,
    length: u32,
}

impl Said {
    fn say(&mut self, text: &str, counts: u32) {
        terms(text, |term| self.add(term, counts));
    }

    fn add(&mut self, term: &str, counts: u32) {
        self.length += 1;
        match self.counts.get_mut(term) {
            Some(known) => *known += counts,
            None => {
                self.counts.insert(term.to_owned(), counts);
            }
        }
    }

    /// The terms, sorted, and how strong each is: BM25's saturation, in a long page less than in a short one.
    fn strengths(self) -> (Box<str>, Box<[u8]>) {
        let mut counts: Vec<(String, u32)> = self.counts.into_iter().collect();
        counts.sort_unstable();
        let strength = |count: u32| {
            let count = u64::from(count) * 100;
            let most = u64::from(STRONGEST);
            (most * count).div_ceil(count + u64::from(USUAL_LENGTH) + u64::from(self.length))
        };
        let strengths = counts.iter().map(|&(_, count)| u8::try_from(strength(count)).unwrap_or(u8::MAX));
        let strengths: Vec<u8> = strengths.collect();
        let terms: Vec<String> = counts.into_iter().map(|(term, _)| term).collect();
        (terms.join(" ").into(), strengths.into())
    }
}
