//! What rendering yields: a page's own content, ready for its frame, and what other pages need of it.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::passage::{Passage, Remark};
use super::pin::Drift;
use crate::code::listing::Lines;
use crate::course::PageId;
use crate::document::Part;

/// A rendered page. Links in it are relative to the page's own URL.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each answers a question of its own")]
pub struct Page {
    /// The body, in order.
    pub segments: Vec<Segment>,
    /// The same for the page that shows all of a track; nothing for what is neither section nor lab.
    pub print: Vec<Segment>,
    /// URLs out of the course: a link to the first of them has `data-n="1"`.
    pub outside: Vec<String>,
    /// The body as Markdown, with links for the page's copy.
    pub copy: Vec<Piece>,
    /// The headings that "on this page" lists.
    pub toc: Vec<TocEntry>,
    /// Keys of the references in the page's reading list: the front matter's, then those cited inline only.
    pub reading: Vec<String>,
    /// Keys of all references that the page cites or lists.
    pub cites: Vec<String>,
    /// What the page's notes explain, for the starters' pages.
    pub explanations: Vec<Explanation>,
    /// The starter files that the page names, sorted, each once.
    pub starters: Vec<Arc<str>>,
    /// Lines of starter files that links on the page lead to.
    pub line_links: Vec<(Arc<str>, Lines)>,
    /// The ids of the terms that the page mentions, each once.
    pub mentions: Vec<String>,
    /// Files of `code/` that the page shows as pictures.
    pub images: Vec<Arc<str>>,
    /// A lab's questions and spoken explanation, for the practice page.
    pub practice: Practice,
    /// The text of the body, for summaries and feeds; no code.
    pub text: String,
    /// The text by heading, for the search.
    pub passages: Vec<Passage>,
    /// The notes in words, for the search.
    pub remarks: Vec<Remark>,
    /// The excerpts whose pins are not what their files say.
    pub drifts: Vec<Drift>,
    /// Whether an excerpt could not be compared with its file, because of an error.
    pub is_uncompared: bool,
    /// Where its links lead.
    pub links: Links,
    /// Whether there is an excerpt on it.
    pub has_excerpt: bool,
    /// Whether it names a starter that is not there, which is reported where starters are gathered, or shows one that has
    /// an error itself.
    pub lacks_starter: bool,
    /// Whether it cites a reference that could not be read, which is reported at the bibliography.
    pub lacks_reference: bool,
}

impl Page {
    /// Whether it names something that is not there or could not be read, so that part of it is not known.
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
pub struct TocEntry {
    /// 2 or 3.
    pub level: u8,
    /// The heading's id.
    pub id: String,
    /// Its text.
    pub text: String,
}

/// One note, as the page of the starter that it explains shows it.
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
    /// The note: HTML whose links are relative to the starter's page, without ids.
    pub html: String,
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

/// A starter file's own page.
#[derive(Debug, Clone)]
pub struct Starter {
    /// From the course's root.
    pub path: Arc<str>,
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
    /// Lines on disk.
    pub lines: usize,
    /// The notes of every lab that explains it, in the order of their lines.
    pub notes: Vec<StarterNote>,
    /// The pages that read it: labs, then others, in course order.
    pub readers: Vec<PageId>,
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

/// A folder under `code/`.
#[derive(Debug, Clone)]
pub struct Folder {
    /// From the course's root, such as `code/lab-01-x`.
    pub path: Arc<str>,
    /// The title: its README's first heading, else its name.
    pub title: String,
    /// Its README, rendered for the folder's page.
    pub readme: Option<Arc<Page>>,
    /// Its files by name; `named` ones have a page.
    pub files: Vec<FolderFile>,
    /// Names of folders directly below that have a page.
    pub folders: Vec<String>,
    /// The labs whose starter lies here.
    pub labs: Vec<PageId>,
}

/// A file in a [`Folder`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderFile {
    /// Its name.
    pub name: String,
    /// Its path from the course's root.
    pub path: Arc<str>,
    /// Whether a page of the course names it, so that it has a page of its own.
    pub named: bool,
    /// Lines, if it is text.
    pub lines: Option<usize>,
}
