//! The search entry of a page, starter, folder, term or reference: the terms under which it is found, and a fragment with
//! the content that the search dialog shows.

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::json;
use super::subject::{Group, Subject};
use super::terms::{key, terms};
use infralens_course::references::Reference;
use infralens_render::ResolvedPage;
use infralens_starter::Listing;
use infralens_theme::Names;

/// The weight of one occurrence of a term, which depends on where it is, and the minimum strength that the term gets from it.
type Weight = (u32, u32);
const TITLE: Weight = (16, 10);
const HEADING: Weight = (8, 3);
const CODE: Weight = (5, 1);
const NOTE: Weight = (3, 1);
const TEXT: Weight = (2, 1);
/// The strength of a term for an entry that has this name, or that defines it. The script lists these entries first.
pub const NAME_STRENGTH: u32 = 15;
/// The maximum strength of other terms.
const MAX_STRENGTH: u32 = NAME_STRENGTH - 1;
/// The length of a page, in terms, at which one occurrence in the text has a fifth of the maximum strength.
const USUAL_LENGTH: u32 = 400;
/// How many characters of a line of code are indexed.
const MAX_LINE_CHARACTERS: usize = 240;

/// The search entry of one page, starter, folder, term or reference. It does not depend on any other.
#[derive(Debug)]
pub struct Entry {
    /// The terms, sorted, separated by spaces.
    terms: Box<str>,
    /// The strength of each term, from 1 to [`NAME_STRENGTH`].
    strengths: Box<[u8]>,
    /// The group of results that it belongs to.
    pub(super) group: Group,
    /// The head of the result as JSON.
    pub(super) head: Box<str>,
    /// The fragment as JSON.
    pub(super) fragment: Box<str>,
}

impl Entry {
    /// Returns the terms, sorted, each with its strength.
    pub(super) fn terms(&self) -> impl Iterator<Item = (&str, u32)> {
        let terms = self.terms.split(' ').filter(|term| !term.is_empty());
        terms.zip(self.strengths.iter().map(|&strength| u32::from(strength)))
    }

    /// Makes the entry of a subject.
    pub fn new(names: Names<'_>, subject: Subject<'_>) -> Self {
        let head = subject.head(names);
        let mut counts = TermCounts::default();
        counts.add_text(&head.1, TITLE);
        counts.add_text(&head.2, TITLE);
        for name in subject.names(names, &head) {
            counts.add_name(&name);
        }
        let mut fragment = Fragment::default();
        match subject {
            Subject::Course(page, source) => {
                let summary = names.course.pages[page].front().and_then(|front| front.common.summary.clone());
                if let Some(summary) = summary {
                    fragment.text(summary.value, &mut counts);
                }
                fragment.page(names, source, &mut counts);
            }
            Subject::Folder(_, readme) => fragment.page(names, readme, &mut counts),
            Subject::Generated(_, _, text) => fragment.text(text.to_owned(), &mut counts),
            Subject::Term(term, _, glossary) => {
                let definition = glossary.map_or_else(|| term.definition.clone(), |glossary| glossary.definition(term));
                fragment.text(definition, &mut counts);
            }
            Subject::Reference(_, reference) => fragment.text(about(reference), &mut counts),
            Subject::Calculator(_, calculator) => {
                counts.add_text(&names.config.labels.search_calculator, TITLE);
                fragment.text(calculator.text.clone(), &mut counts);
            }
            Subject::Starter(_, listing) => fragment.code(listing, &mut counts),
        }
        let (group, head, fragment) = (subject.group(names), json(&head), json(&fragment));
        let (terms, strengths) = counts.strengths();
        Self { terms, strengths, group, head: head.into(), fragment: fragment.into() }
    }
}

/// The content that the dialog shows of a page and searches for the words of the query.
#[derive(Default, Serialize)]
struct Fragment {
    #[serde(rename = "s", skip_serializing_if = "Vec::is_empty")]
    sections: Vec<Section>,
    /// Id, bound code, text, and the index of the section with the heading above it.
    #[serde(rename = "n", skip_serializing_if = "Vec::is_empty")]
    notes: Vec<(String, String, String, usize)>,
    /// The lines of a starter, where lines that are not shown are empty.
    #[serde(rename = "c", skip_serializing_if = "String::is_empty")]
    lines: String,
    /// What a starter defines: the line of the name and the last line, from 1, and the name.
    #[serde(rename = "d", skip_serializing_if = "Vec::is_empty")]
    definitions: Vec<(usize, usize, String)>,
    /// The code cells of a notebook: the first line, from 1, and the name.
    #[serde(rename = "k", skip_serializing_if = "Vec::is_empty")]
    cells: Vec<(usize, String)>,
}

/// Id, heading, text, and what else is there, by which readers ask for it: "Table", "Figure".
#[derive(Serialize)]
struct Section(String, String, String, #[serde(skip_serializing_if = "String::is_empty")] String);

impl Fragment {
    fn text(&mut self, text: String, counts: &mut TermCounts) {
        counts.add_text(&text, TEXT);
        self.sections.push(Section(String::new(), String::new(), text, String::new()));
    }

    fn page(&mut self, names: Names<'_>, page: Option<&ResolvedPage<'_>>, counts: &mut TermCounts) {
        let Some(page) = page else { return };
        let labels = &names.config.labels;
        for passage in page.passages() {
            let kinds = [(passage.has_table, &labels.search_table), (passage.has_figure, &labels.search_figure)];
            let kinds: Vec<&str> = kinds.iter().filter(|(has, _)| *has).map(|(_, label)| label.as_str()).collect();
            let kinds = kinds.join(" · ");
            counts.add_text(&passage.heading, HEADING);
            counts.add_text(&passage.text, TEXT);
            counts.add_text(&kinds, TEXT);
            self.sections.push(Section(passage.id, passage.heading, passage.text, kinds));
        }
        for note in page.note_texts() {
            counts.add_text(&note.code, CODE);
            counts.add_text(&note.text, NOTE);
            let section = self.sections.iter().position(|Section(id, ..)| *id == note.section);
            self.notes.push((note.id, note.code, note.text, section.unwrap_or(self.sections.len())));
        }
    }

    fn code(&mut self, listing: &Listing, counts: &mut TermCounts) {
        let texts = listing.cells().iter().map(|cell| cell.text.as_str()).filter(|text| !text.is_empty());
        let texts = texts.collect::<Vec<_>>().join("\n\n");
        if !texts.is_empty() {
            self.text(texts, counts);
        }
        for cell in listing.cells().iter().filter(|cell| !cell.lines.is_empty()) {
            counts.add_name(&cell.name);
            self.cells.push((cell.lines.start + 1, cell.name.clone()));
        }
        for line in 0..listing.line_count() {
            self.lines.extend((line > 0).then_some('\n'));
            if !listing.is_marker(line) {
                let start = self.lines.len();
                self.lines.extend(listing.line(line).trim().chars().take(MAX_LINE_CHARACTERS));
                counts.add_text(&self.lines[start..], TEXT);
            }
        }
        let symbols = listing.symbols().iter().map(|symbol| (symbol.line, symbol.lines.end, &symbol.name));
        let regions = listing.regions().iter().map(|region| (region.lines.start, region.lines.end, &region.name));
        for (line, end, name) in symbols.chain(regions) {
            counts.add_text(name, HEADING);
            counts.add_name(name);
            self.definitions.push((line + 1, end, name.clone()));
        }
    }
}

/// Returns who has written a reference, when, and what the course says about it, as sentences.
fn about(reference: &Reference) -> String {
    let year = reference.year.map(|year| year.to_string());
    let mut text = String::new();
    for part in [Some(reference.authors()), year, reference.note.clone()].into_iter().flatten() {
        let part = part.trim();
        let dot = if text.is_empty() || part.is_empty() {
            ""
        } else if text.ends_with(['.', '!', '?', '…', '。']) {
            " "
        } else {
            ". "
        };
        text.extend([dot, part]);
    }
    text
}

/// The weighted number of occurrences of each term, and its least strength.
#[derive(Default)]
struct TermCounts {
    counts: FxHashMap<String, Weight>,
    length: u32,
}

impl TermCounts {
    fn add_text(&mut self, text: &str, weight: Weight) {
        terms(text, |term| {
            self.length += 1;
            self.add(term, weight);
        });
    }

    /// Adds a name as one term.
    fn add_name(&mut self, name: &str) {
        let key = key(name);
        if !key.is_empty() {
            self.add(&key, (0, NAME_STRENGTH));
        }
    }

    fn add(&mut self, term: &str, (count, least): Weight) {
        match self.counts.get_mut(term) {
            Some(known) => *known = (known.0 + count, known.1.max(least)),
            None => _ = self.counts.insert(term.to_owned(), (count, least)),
        }
    }

    /// Returns the terms, sorted, and their strengths: BM25's saturation, weaker in a long page than in a short one.
    fn strengths(self) -> (Box<str>, Box<[u8]>) {
        let mut counts: Vec<(String, Weight)> = self.counts.into_iter().collect();
        counts.sort_unstable();
        let strength = |(count, least): Weight| {
            let count = u64::from(count) * 100;
            let saturated = (u64::from(MAX_STRENGTH) * count).div_ceil(count + u64::from(USUAL_LENGTH + self.length));
            u8::try_from(saturated.max(least.into())).unwrap_or(u8::MAX)
        };
        let strengths: Vec<u8> = counts.iter().map(|&(_, weight)| strength(weight)).collect();
        let terms: Vec<String> = counts.into_iter().map(|(term, _)| term).collect();
        (terms.join(" ").into(), strengths.into())
    }
}
