//! A page as the search knows it: the terms under which it is found, and a fragment: what the dialog shows of it.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use super::json;
use super::terms::terms;
use crate::code::Listing;
use crate::config::labels::Labels;
use crate::course::{PageId, starter, url};
use crate::document::Kind;
use crate::render::Source;
use crate::render::page::{Folder, Starter};
use crate::theme::names::Names;

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
#[derive(Debug, Clone, Copy)]
pub enum Subject<'a> {
    /// A page of the course, with what it is written from if it has a file.
    Course(PageId, Option<&'a Source<'a>>),
    /// A starter file.
    Starter(&'a Starter, &'a Listing),
    /// A folder, with its README.
    Folder(&'a Folder, Option<&'a Source<'a>>),
}

/// What a result is called, and where it leads.
#[derive(Debug, Clone, Serialize, PartialEq, Eq)]
pub struct Head {
    /// The URL, from the site's root.
    #[serde(rename = "u")]
    url: String,
    #[serde(rename = "t")]
    title: String,
    /// "Lab 01"
    #[serde(rename = "l", skip_serializing_if = "String::is_empty")]
    label: String,
    /// The group of results to which it belongs: track and kind.
    #[serde(rename = "g")]
    group: String,
}

/// What the search knows of one page, starter or folder. It does not depend on any other.
#[derive(Debug)]
pub struct Entry {
    /// Its terms, sorted, with spaces between them.
    terms: Box<str>,
    /// How strong each is for it, from 1 to [`STRONGEST`].
    strengths: Box<[u8]>,
    /// What is shown of it, as JSON.
    pub(super) fragment: Box<str>,
    /// Of all the above.
    pub(super) hash: blake3::Hash,
}

impl Entry {
    /// Its terms, sorted, and how strong each is for it.
    pub(super) fn terms(&self) -> impl Iterator<Item = (&str, u32)> {
        let terms = self.terms.split(' ').filter(|term| !term.is_empty());
        terms.zip(self.strengths.iter().map(|&strength| u32::from(strength)))
    }

    /// Finds the terms of a page, and what is shown of it.
    #[must_use]
    pub fn new(names: Names<'_>, subject: Subject<'_>) -> Self {
        let head = subject.head(names);
        let mut said = Said::default();
        said.say(&head.title, TITLE);
        said.say(&head.label, TEXT);
        let (sections, notes, lines, definitions) = Default::default();
        let mut shown = Shown { head: &head, sections, notes, lines, definitions };
        match subject {
            Subject::Course(_, page) => page.into_iter().for_each(|page| shown.page(page, &mut said)),
            Subject::Starter(starter, listing) => {
                said.say(&starter.path, HEADING);
                shown.code(listing, &mut said);
            }
            Subject::Folder(folder, readme) => {
                said.say(&folder.path, HEADING);
                if let Some(page) = readme {
                    shown.page(page, &mut said);
                }
            }
        }
        let fragment = json(&shown);
        let (terms, strengths) = said.strengths();
        let mut hasher = blake3::Hasher::new();
        // Nothing in the first two is 0, so no other entry gives the same bytes.
        for part in [terms.as_bytes(), &[0], &strengths, &[0], fragment.as_bytes()] {
            hasher.update(part);
        }
        Self { terms, strengths, fragment: fragment.into(), hash: hasher.finalize() }
    }
}

impl Subject<'_> {
    /// What it is called in the results, and where it is.
    pub(super) fn head(self, names: Names<'_>) -> Head {
        let labels = &names.config.labels;
        let (url, title, label, kind, track) = match self {
            Self::Course(page, _) => {
                let kind = plural(labels, names.course.pages[page].kind);
                let label = names.label(page).unwrap_or_default();
                (names.url(page), names.title(page).to_owned(), label, kind, names.track_title(page))
            }
            Self::Starter(found, _) => {
                let title = found.path.strip_prefix("code/").unwrap_or(&found.path).to_owned();
                let url = url::encode(&starter::page_url(&found.path));
                (url, title, String::new(), &labels.starter_files, track(names, &found.readers))
            }
            Self::Folder(found, _) => {
                let url = url::encode(&starter::folder_url(&found.path));
                (url, found.title.clone(), String::new(), &labels.starter_files, track(names, &found.labs))
            }
        };
        let parts: Vec<&str> = track.into_iter().chain([kind.as_str()]).filter(|part| !part.is_empty()).collect();
        Head { url, title, label, group: parts.join(" · ") }
    }
}

/// The track of the first of these pages that lies in one.
fn track<'a>(names: Names<'a>, pages: &[PageId]) -> Option<&'a str> {
    pages.iter().find_map(|&page| names.track_title(page))
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
    sections: Vec<(String, String, String)>,
    /// Id, bound code, text.
    #[serde(rename = "n", skip_serializing_if = "Vec::is_empty")]
    notes: Vec<(String, String, String)>,
    /// Line of code, from 1, and its text.
    #[serde(rename = "c", skip_serializing_if = "Vec::is_empty")]
    lines: Vec<(usize, String)>,
    /// The lines among them that define something.
    #[serde(rename = "d", skip_serializing_if = "Vec::is_empty")]
    definitions: Vec<usize>,
}

impl Shown<'_> {
    fn page(&mut self, page: &Source<'_>, said: &mut Said) {
        for mut passage in page.passages() {
            said.say(&passage.heading, HEADING);
            said.say(&passage.text, TEXT);
            passage.text.truncate(passage.text.trim_end().len());
            self.sections.push((passage.id, passage.heading, passage.text));
        }
        for remark in page.remarks() {
            said.say(&remark.code, CODE);
            said.say(&remark.text, NOTE);
            self.notes.push((remark.id, remark.code, remark.text));
        }
    }

    /// The lines of a file on which something is said for the first time, or defined.
    fn code(&mut self, listing: &Listing, said: &mut Said) {
        let symbols: BTreeMap<usize, &str> =
            listing.symbols().iter().map(|symbol| (symbol.line, symbol.name.as_str())).collect();
        let mut seen = FxHashSet::default();
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
    counts: FxHashMap<String, u32>,
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
