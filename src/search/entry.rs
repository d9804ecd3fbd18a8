//! The search entry of a page, starter or folder: the terms under which it is found, and a fragment with the content
//! that the search dialog shows.

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

/// The weight of a term by where it occurs.
const TITLE: u32 = 16;
const HEADING: u32 = 8;
const CODE: u32 = 5;
const NOTE: u32 = 3;
const TEXT: u32 = 2;
/// The maximum strength of a term for an entry.
pub const MAX_STRENGTH: u32 = 15;
/// The length of a page, in terms, at which one occurrence in the text has a fifth of the maximum strength.
const USUAL_LENGTH: u32 = 400;
/// How many characters of a line of code are indexed.
const MAX_LINE_CHARACTERS: usize = 240;

/// Something that the search finds.
#[derive(Debug, Clone, Copy)]
pub enum Subject<'a> {
    /// A page of the course, with its source if it has a file.
    Course(PageId, Option<&'a Source<'a>>),
    /// A starter file.
    Starter(&'a Starter, &'a Listing),
    /// A folder, with its README.
    Folder(&'a Folder, Option<&'a Source<'a>>),
}

/// The title and the URL of a search result.
#[derive(Debug, Clone, Serialize, PartialEq, Eq)]
pub struct ResultHead {
    /// The URL, from the site's root.
    #[serde(rename = "u")]
    url: String,
    #[serde(rename = "t")]
    title: String,
    /// The kind and number of a page, such as "Lab 01".
    #[serde(rename = "l", skip_serializing_if = "String::is_empty")]
    label: String,
    /// The group of results that it belongs to: track and kind.
    #[serde(rename = "g")]
    group: String,
}

/// The search entry of one page, starter or folder. It does not depend on any other.
#[derive(Debug)]
pub struct Entry {
    /// The terms, sorted, separated by spaces.
    terms: Box<str>,
    /// The strength of each term, from 1 to [`MAX_STRENGTH`].
    strengths: Box<[u8]>,
    /// The fragment as JSON.
    pub(super) fragment: Box<str>,
    /// The hash of the other fields.
    pub(super) hash: blake3::Hash,
}

impl Entry {
    /// Returns the terms, sorted, each with its strength.
    pub(super) fn terms(&self) -> impl Iterator<Item = (&str, u32)> {
        let terms = self.terms.split(' ').filter(|term| !term.is_empty());
        terms.zip(self.strengths.iter().map(|&strength| u32::from(strength)))
    }

    /// Makes the entry of a page, starter or folder.
    #[must_use]
    pub fn new(names: Names<'_>, subject: Subject<'_>) -> Self {
        let head = subject.head(names);
        let mut counts = TermCounts::default();
        counts.add_text(&head.title, TITLE);
        counts.add_text(&head.label, TEXT);
        let (sections, notes, lines, definitions) = Default::default();
        let mut fragment = Fragment { head: &head, sections, notes, lines, definitions };
        match subject {
            Subject::Course(_, page) => fragment.page(page, &mut counts),
            Subject::Starter(starter, listing) => {
                counts.add_text(&starter.path, HEADING);
                fragment.code(listing, &mut counts);
            }
            Subject::Folder(folder, readme) => {
                counts.add_text(&folder.path, HEADING);
                fragment.page(readme, &mut counts);
            }
        }
        let fragment = json(&fragment);
        let (terms, strengths) = counts.strengths();
        let mut hasher = blake3::Hasher::new();
        // The terms and the strengths contain no 0, so the bytes of two different entries differ.
        for part in [terms.as_bytes(), &[0], &strengths, &[0], fragment.as_bytes()] {
            hasher.update(part);
        }
        Self { terms, strengths, fragment: fragment.into(), hash: hasher.finalize() }
    }
}

impl Subject<'_> {
    /// Returns the title and the URL of the result.
    pub(super) fn head(self, names: Names<'_>) -> ResultHead {
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
        ResultHead { url, title, label, group: parts.join(" · ") }
    }
}

/// Returns the track of the first page that belongs to one.
fn track<'a>(names: Names<'a>, pages: &[PageId]) -> Option<&'a str> {
    pages.iter().find_map(|&page| names.track_title(page))
}

/// Returns the label for several pages of a kind.
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

/// The content that the dialog shows of a page and searches for the words of the query.
#[derive(Serialize)]
struct Fragment<'a> {
    #[serde(flatten)]
    head: &'a ResultHead,
    /// Id, heading, text.
    #[serde(rename = "s", skip_serializing_if = "Vec::is_empty")]
    sections: Vec<(String, String, String)>,
    /// Id, bound code, text.
    #[serde(rename = "n", skip_serializing_if = "Vec::is_empty")]
    notes: Vec<(String, String, String)>,
    /// Line number from 1, and text.
    #[serde(rename = "c", skip_serializing_if = "Vec::is_empty")]
    lines: Vec<(usize, String)>,
    /// The numbers of lines that define a symbol.
    #[serde(rename = "d", skip_serializing_if = "Vec::is_empty")]
    definitions: Vec<usize>,
}

impl Fragment<'_> {
    fn page(&mut self, page: Option<&Source<'_>>, counts: &mut TermCounts) {
        let Some(page) = page else { return };
        for mut passage in page.passages() {
            counts.add_text(&passage.heading, HEADING);
            counts.add_text(&passage.text, TEXT);
            passage.text.truncate(passage.text.trim_end().len());
            self.sections.push((passage.id, passage.heading, passage.text));
        }
        for note in page.note_texts() {
            counts.add_text(&note.code, CODE);
            counts.add_text(&note.text, NOTE);
            self.notes.push((note.id, note.code, note.text));
        }
    }

    /// Adds the lines of a file that define a symbol or contain a term for the first time.
    fn code(&mut self, listing: &Listing, counts: &mut TermCounts) {
        let symbols: BTreeMap<usize, &str> =
            listing.symbols().iter().map(|symbol| (symbol.line, symbol.name.as_str())).collect();
        let mut seen = FxHashSet::default();
        for line in (0..listing.line_count()).filter(|&line| !listing.is_marker(line)) {
            let text: String = listing.line(line).trim().chars().take(MAX_LINE_CHARACTERS).collect();
            let mut is_new = false;
            terms(&text, |term| {
                counts.add(term, TEXT);
                if !seen.contains(term) {
                    seen.insert(term.to_owned());
                    is_new = true;
                }
            });
            if let Some(name) = symbols.get(&line) {
                counts.add_text(name, HEADING);
                self.definitions.push(line + 1);
            }
            if is_new || symbols.contains_key(&line) {
                self.lines.push((line + 1, text));
            }
        }
    }
}

/// The weighted number of occurrences of each term.
#[derive(Default)]
struct TermCounts {
    counts: FxHashMap<String, u32>,
    length: u32,
}

impl TermCounts {
    fn add_text(&mut self, text: &str, weight: u32) {
        terms(text, |term| self.add(term, weight));
    }

    fn add(&mut self, term: &str, weight: u32) {
        self.length += 1;
        match self.counts.get_mut(term) {
            Some(count) => *count += weight,
            None => _ = self.counts.insert(term.to_owned(), weight),
        }
    }

    /// Returns the terms, sorted, and their strengths: BM25's saturation, weaker in a long page than in a short one.
    fn strengths(self) -> (Box<str>, Box<[u8]>) {
        let mut counts: Vec<(String, u32)> = self.counts.into_iter().collect();
        counts.sort_unstable();
        let strength = |count: u32| {
            let count = u64::from(count) * 100;
            let most = u64::from(MAX_STRENGTH);
            (most * count).div_ceil(count + u64::from(USUAL_LENGTH) + u64::from(self.length))
        };
        let strengths = counts.iter().map(|&(_, count)| u8::try_from(strength(count)).unwrap_or(u8::MAX));
        let strengths: Vec<u8> = strengths.collect();
        let terms: Vec<String> = counts.into_iter().map(|(term, _)| term).collect();
        (terms.join(" ").into(), strengths.into())
    }
}
