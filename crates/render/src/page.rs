//! The results of rendering: the facts of a page, and its content.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use super::bind::BoundNote;
use super::line_link::LinkDrift;
use super::lit::Lit;
use super::note_layout::{Breadth, NoteLayout};
use super::pin::Drift;
use super::typeset::Typeset;
use infralens_course::course::PageId;
use infralens_notation::diagram::Drawing;
use infralens_page::contract::Section;
use infralens_page::{Events, Part};
use infralens_starter::listing::Lines;
use infralens_starter::{Listing, SelectedRows};

/// The facts of a page: what other pages, lists and checks need, computed before any of its HTML is made.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// The sections of the lab contract; empty for pages other than labs.
    pub sections: Vec<Section>,
    /// Its excerpts, each bound to its file; those that show nothing are left out.
    pub excerpts: Vec<ResolvedExcerpt>,
    /// External URLs. A link to the first of them has `data-n="1"`.
    pub external_urls: Vec<String>,
    /// Keys of the references that it cites or lists: the front matter's, then those cited inline only.
    pub reading: Vec<String>,
    /// The notes that explain starters, for the pages of these.
    pub explanations: Vec<Explanation>,
    /// The starter files that it names, sorted, each once.
    pub starters: Vec<Arc<str>>,
    /// The records that it shows, by the paths of their listings.
    pub records: Vec<Arc<str>>,
    /// The lines of starter files that links on the page lead to.
    pub line_links: Vec<(Arc<str>, Lines)>,
    /// The links to line numbers that are not up to date.
    pub link_drifts: Vec<LinkDrift>,
    /// The ids of the glossary terms that it mentions, without duplicates.
    pub mentions: Vec<String>,
    /// The ids of the figures in its text that the list of figures can lead to.
    pub figures: BTreeSet<String>,
    /// The files of `code/` that it shows as pictures.
    pub images: Vec<Arc<str>>,
    /// The excerpts whose pins differ from their files.
    pub drifts: Vec<Drift>,
    /// Whether an excerpt could not be compared with its file, because of an error.
    pub is_uncompared: bool,
    /// The files that do not have the code of a pin, so that it was searched for in others, which diagnostics name.
    pub lost: BTreeSet<String>,
    pub links: Links,
    /// Its formulas and diagrams.
    pub drawn: Arc<Drawn>,
    /// Whether it refers to a starter that is missing or has an error, which is reported elsewhere.
    pub has_missing_starter: bool,
    /// Whether it cites a reference that could not be read, which is reported at the bibliography.
    pub has_missing_reference: bool,
}

/// What is drawn when a page is judged, and written wherever it is shown; by events.
#[derive(Debug, Clone, Default)]
pub struct Drawn {
    /// Formulas as MathML.
    pub formulas: BTreeMap<usize, Arc<str>>,
    pub diagrams: BTreeMap<usize, Arc<Drawing>>,
}

/// An excerpt, bound to its file.
#[derive(Debug, Clone)]
pub struct ResolvedExcerpt {
    /// Its index among the excerpts of the document.
    pub index: usize,
    pub listing: Arc<Listing>,
    pub shown: SelectedRows,
    pub bound: Vec<BoundNote>,
    pub lit: Lit,
}

impl Facts {
    /// Returns whether the page refers to something missing or unreadable, so that some facts are unknown.
    pub fn is_incomplete(&self) -> bool {
        self.has_missing_starter || self.has_missing_reference
    }
}

/// The targets of a page's links.
#[derive(Debug, Clone, Default)]
pub struct Links {
    /// Targets as they are written, except those within the page, and whether a picture is expected.
    pub targets: BTreeSet<(String, bool)>,
    /// The content files of the pages among the targets.
    pub pages: BTreeSet<Arc<str>>,
}

/// A piece of a page's body.
#[derive(Debug, Clone)]
pub enum Segment {
    /// Finished HTML.
    Html(String),
    /// Finished HTML: the excerpt with notes that a home page begins with.
    Lens(String),
    /// A part that the theme generates.
    Part(Part),
    /// The page's reading list.
    Reading,
    /// On the glossary's page, the pages that mention the term with this id.
    Mentions(String),
}

/// A piece of the copy of a page in Markdown.
#[derive(Debug, Clone)]
pub enum Piece {
    /// Finished Markdown.
    Text(String),
    /// A part that the theme generates.
    Part(Part),
    /// The page's reading list.
    Reading,
}

/// A note, for the page of the starter that it explains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The starter, from the course's root.
    pub file: Arc<str>,
    /// The note's id on its page, such as `E1-N2`.
    pub id: String,
    /// The note's number.
    pub number: usize,
    /// The lines that it covers, from 0, sorted, at least one.
    pub lines: Vec<Lines>,
    /// The code that it is bound to: lines from 0, and bytes of their text.
    pub tokens: Vec<(usize, Range<usize>)>,
    /// The note's events in its document.
    pub events: Events,
    /// The first of these events after the code that it starts with.
    pub body: usize,
}

/// A note as HTML for the page of the starter that it explains.
#[derive(Debug, Clone)]
pub struct NoteHtml {
    /// The code that it is bound to, without links.
    pub head: String,
    /// The whole note.
    pub html: String,
}

/// The practice material of a lab.
#[derive(Debug, Clone, Default)]
pub struct Practice {
    pub questions: Vec<Flashcard>,
    /// The explanation to say aloud, without a question.
    pub spoken: Option<Flashcard>,
}

#[derive(Debug, Clone)]
pub struct Flashcard {
    /// An id that depends only on the words of the question: 16 hexadecimal digits.
    pub id: String,
    /// The ids that it had when the lab had the names of its aliases.
    pub was: Vec<String>,
    /// HTML, inline.
    pub question: String,
    /// HTML, blocks.
    pub answer: String,
}

/// A starter file that has a page.
#[derive(Debug, Clone)]
pub struct Starter {
    /// From the course's root.
    pub path: Arc<str>,
    /// The published pages that name it: labs, then others, in course order.
    pub readers: Vec<PageId>,
    /// The READMEs that name it, by index.
    pub readmes: Vec<usize>,
}

/// The content of a starter file's page.
#[derive(Debug)]
pub struct AnnotatedStarter<'a> {
    pub shown: Shown,
    /// The notes of every page that explains it, in line order, each with its page.
    pub notes: Vec<(PageId, &'a Explanation, NoteHtml)>,
}

/// A file as HTML, in which its lines have the ids `L1`, `L2`…, with markers that link to the notes `N1`, `N2`….
#[derive(Debug)]
pub enum Shown {
    Listing {
        /// A `pre`.
        html: String,
        layout: NoteLayout,
        /// Whether line numbers skip lines, because these only mark regions.
        skips: bool,
    },
    /// A Markdown file, typeset.
    Typeset(Typeset),
    /// A notebook, by cells.
    Notebook(Vec<ShownCell>),
}

/// A cell of a notebook as HTML.
#[derive(Debug)]
pub enum ShownCell {
    /// Text between cells of code.
    Text(String),
    Code {
        /// Its name: "Cell load".
        label: String,
        /// A `pre`.
        html: String,
        layout: NoteLayout,
        breadth: Breadth,
        /// Whether line numbers skip lines, because these only mark regions.
        skips: bool,
        /// The indices of its notes.
        notes: Range<usize>,
        /// What it recorded.
        output: String,
    },
}

/// A folder under `code/` that has a page.
#[derive(Debug, Clone)]
pub struct Folder {
    /// From the course's root, such as `code/lab-01-x`.
    pub path: Arc<str>,
    /// The title: its README's first heading, else its name.
    pub title: String,
    /// Its README, by index.
    pub readme: Option<usize>,
    /// The published labs whose starter is in it.
    pub labs: Vec<PageId>,
}
