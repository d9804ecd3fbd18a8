//! What rendering yields: what is known of a page, and its content, ready for its frame.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::bind::Bound;
use super::pin::Drift;
use crate::code::listing::Lines;
use crate::code::{Listing, SelectedRows};
use crate::course::PageId;
use crate::document::{Events, Part};

/// What is known of a page before any of its HTML is made: what other pages, lists and checks need of it.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// Its excerpts, each bound to its file; those that show nothing are left out.
    pub excerpts: Vec<Resolved>,
    /// URLs out of the course: a link to the first of them has `data-n="1"`.
    pub outside: Vec<String>,
    /// Keys of the references that it cites or lists: the front matter's, then those cited inline only.
    pub reading: Vec<String>,
    /// What its notes explain, for the starters' pages.
    pub explanations: Vec<Explanation>,
    /// The starter files that it names, sorted, each once.
    pub starters: Vec<Arc<str>>,
    /// Lines of starter files that links on the page lead to.
    pub line_links: Vec<(Arc<str>, Lines)>,
    /// The ids of the terms that it mentions, each once.
    pub mentions: Vec<String>,
    /// Files of `code/` that it shows as pictures.
    pub images: Vec<Arc<str>>,
    /// The excerpts whose pins are not what their files say.
    pub drifts: Vec<Drift>,
    /// Whether an excerpt could not be compared with its file, because of an error.
    pub is_uncompared: bool,
    /// Where its links lead.
    pub links: Links,
    /// Whether it names a starter that is not there, which is reported where starters are gathered, or shows one that has
    /// an error itself.
    pub lacks_starter: bool,
    /// Whether it cites a reference that could not be read, which is reported at the bibliography.
    pub lacks_reference: bool,
}

/// An excerpt, bound to its file.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// Its index among the excerpts of the document.
    pub index: usize,
    /// The file.
    pub listing: Arc<Listing>,
    /// What of it.
    pub shown: SelectedRows,
    /// Where its notes are bound, one for each.
    pub bound: Vec<Bound>,
}

impl Facts {
    /// Whether the page names something that is not there or could not be read, so that part of it is not known.
    #[must_use]
    pub fn lacks_something(&self) -> bool {
        self.lacks_starter || self.lacks_reference
    }
}

/// Where the links of a page lead.
#[derive(Debug, Clone, Default)]
pub struct Links {
    /// Targets as they are written, those within the page left out, and whether a picture is meant.
    pub targets: BTreeSet<(String, bool)>,
    /// The content files of the pages that they lead to.
    pub pages: BTreeSet<Arc<str>>,
    /// Whether a starter that one of them leads to is not there.
    pub is_lost: bool,
}

/// A piece of a page's body.
#[derive(Debug, Clone)]
pub enum Segment {
    /// Finished HTML.
    Html(String),
    /// A part that the theme lays out.
    Part(Part),
    /// The page's reading list.
    Reading,
    /// On the glossary's page: the pages that mention the term of this id.
    Mentions(String),
}

/// A piece of the copy of a page in Markdown.
#[derive(Debug, Clone)]
pub enum Piece {
    /// Finished Markdown.
    Text(String),
    /// A part that the theme lays out.
    Part(Part),
    /// The page's reading list.
    Reading,
}

/// A line of "on this page".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TocEntry<'a> {
    /// 2 or 3.
    pub level: u8,
    /// The heading's id.
    pub id: &'a str,
    /// Its text.
    pub text: &'a str,
}

/// One note, for the page of the starter that it explains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The starter, from the course's root.
    pub file: Arc<str>,
    /// The note's id on its page, such as `E1-N2`.
    pub id: String,
    /// The note's number.
    pub number: usize,
    /// The lines it covers, from 0, sorted, at least one.
    pub lines: Vec<Lines>,
    /// The code that it is bound to: lines from 0, and bytes of their text.
    pub tokens: Vec<(usize, Range<usize>)>,
    /// The note's events in its document.
    pub events: Events,
}

/// What a lab gives to its track's practice page and cards.
#[derive(Debug, Clone, Default)]
pub struct Practice {
    /// Its questions, in their order.
    pub questions: Vec<Card>,
    /// What is to be said out loud, without a question.
    pub spoken: Option<Card>,
    /// The sections that these stand in, as they are: their titles, and Markdown for the practice page's copy.
    pub copy: Vec<(String, String)>,
}

/// What is to be answered from memory.
#[derive(Debug, Clone)]
pub struct Card {
    /// Stays the same wherever the card stands, as long as its words do: 16 hexadecimal digits.
    pub id: String,
    /// For the practice page: links are relative to it, ids begin with the lab's name.
    pub here: Sides,
    /// For other programs: links are absolute, or where the site has no address, none.
    pub outside: Sides,
}

/// The two sides of a card.
#[derive(Debug, Clone)]
pub struct Sides {
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

/// What the page of a starter file shows.
#[derive(Debug, Clone)]
pub struct Annotated {
    /// The listing: a `pre` whose lines have the ids `L1`, `L2`…, with a marker for each of `notes`. HTML.
    pub listing: String,
    /// The classes of the figure around the listing.
    pub classes: String,
    /// The classes of the list of notes.
    pub list_classes: String,
    /// The lines that the reader has chosen, for the script. HTML.
    pub picked: String,
    /// The button that copies the file. HTML.
    pub copy: String,
    /// The notes of every lab that explains it, in the order of their lines.
    pub notes: Vec<StarterNote>,
}

/// A note beside a starter's lines.
#[derive(Debug, Clone)]
pub struct StarterNote {
    /// The note's id on the starter's page, `N1`, `N2`….
    pub id: String,
    /// The id of the first line that it covers.
    pub line: String,
    /// What the link to that line is called.
    pub label: String,
    /// Its classes, each with a space before it.
    pub classes: String,
    /// The lines as the script reads them: `3-9 12-12`, from 1.
    pub reach: String,
    /// The lines that it covers, from 0.
    pub lines: Vec<Lines>,
    /// The page that holds the note, and its id there.
    pub page: PageId,
    /// The note's id on that page.
    pub note: String,
    /// Its number on that page.
    pub number: usize,
    /// The note, HTML for the starter's page.
    pub html: String,
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
    /// The published labs whose starter lies here.
    pub labs: Vec<PageId>,
}
