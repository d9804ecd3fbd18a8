//! `page`: what templates are given of the page that is being made.

use serde::Serialize;
use tera::Value;

use super::Place;
#[cfg(doc)]
use super::{Item, Link, Track};

/// `page`: the page that is being made.
#[derive(Debug, Default, Serialize)]
pub struct Page<'a> {
    /// `home`, `track`, `section`, `labs`, `lab`, `practice`, `glossary`, `page`, `starter`, `folder`, `references`,
    /// `progress`, `print`, `not-found` or `redirect`.
    pub kind: &'static str,
    /// Its own URL.
    pub url: String,
    /// The way to the site's root, to be put before every URL: `../../`, or nothing.
    pub root: String,
    /// Its absolute URL, where the site has a `base_url`.
    pub canonical: Option<String>,
    /// The URL of its copy in Markdown.
    pub copy: Option<String>,
    /// The picture for links to it, where the site has a `base_url`.
    pub card: Option<SocialCard>,
    /// JSON-LD: what the page is, and the way to it.
    pub linked_data: Option<Value>,
    /// For the browser: title, track and site.
    pub document_title: String,
    /// "Transformer Memory Accounting"
    pub title: String,
    /// "Lab 01: Transformer Memory Accounting"; the title for what is no lab.
    pub heading: String,
    /// What stands over the title: "Lab 01", "Handbook §1".
    pub label: Option<String>,
    /// What the page is about, for search engines.
    pub description: Option<&'a str>,
    /// What the page is about, for readers.
    pub summary: Option<&'a str>,
    /// Whether the course column stands beside it.
    pub column: bool,
    /// The way from its track to this page; the last is this page.
    pub crumbs: Vec<Place>,
    /// Where its source can be edited.
    pub edit_url: Option<String>,
    /// What is to be known before reading.
    pub facts: Vec<Fact>,
    /// Its [`Track`].
    pub track: Option<Value>,
    /// The URL of the lab that a starter or a folder belongs to.
    pub within: Option<String>,
    /// A page of no track: those of its folder, the folder's front page first. [`Place`]s; none if it is the only one.
    pub siblings: Vec<Place>,
    /// "On this page".
    pub toc: Vec<Entry<'a>>,
    /// What its Markdown says, and the parts that the site adds.
    pub body: Vec<Segment>,
    /// Its reading list, by kind.
    pub reading: Vec<ReferenceGroup>,
    /// What paper lists: URLs out of the course. Links to the first of them have `data-n="1"`.
    pub outside: Vec<String>,
    /// The URL of the page that shows all of its track, on a track's and a labs page.
    pub print: Option<String>,
    /// The page that shows all of a track: its sections and labs in reading order.
    pub chapters: Vec<Chapter>,
    /// The page before it in reading order: a [`Link`].
    pub previous: Option<Value>,
    /// The page after it: a [`Link`].
    pub next: Option<Value>,
    /// The [`Item`] that a lab's or a section's page is about.
    pub item: Option<Value>,
    /// A lab's handbook sections: [`Item`]s.
    pub handbook: Vec<Value>,
    /// A section's labs: [`Link`]s.
    pub practised_by: Vec<Value>,
    /// What comes before, beside `handbook`: [`Link`]s.
    pub needs: Vec<Value>,
    /// What comes after, beside `practised_by`: [`Link`]s.
    pub needed_by: Vec<Value>,
    /// A lab's starter folder, its README and its files.
    pub files: Vec<Place>,
    /// The practice page: a lab each, in reading order.
    pub practice: Vec<Practice>,
    /// Whether code with notes is on it, which has a script of its own.
    pub lens: bool,
    /// The page of a starter file.
    pub starter: Option<Starter>,
    /// The page of a folder.
    pub folder: Option<Folder>,
    /// The page of references, by kind.
    pub references: Vec<ReferenceGroup>,
    /// Where a redirect leads: a [`Link`].
    pub target: Option<Value>,
    /// `sitemap.xml`: all pages. `feed.xml`: those with a date, newest first.
    pub entries: Vec<Dated>,
    /// `feed.xml`: the newest date.
    pub updated: Option<String>,
}

/// The picture that other sites show beside a link to a page.
#[derive(Debug, Serialize)]
pub struct SocialCard {
    /// Its absolute URL.
    pub url: String,
    /// What it shows, in words.
    pub alt: String,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
}

/// A fact about a page. One of `text`, `date` and `links` says it.
#[derive(Debug, Default, Serialize)]
pub struct Fact {
    /// What stands before it, if anything.
    pub name: Option<String>,
    /// Text.
    pub text: Option<String>,
    /// `YYYY-MM-DD`
    pub date: Option<String>,
    /// [`Link`]s.
    pub links: Vec<Value>,
}

/// A line of "on this page".
#[derive(Debug, Serialize)]
pub struct Entry<'a> {
    /// 2 or 3.
    pub level: u8,
    /// The heading's id.
    pub id: &'a str,
    /// Its text.
    pub text: &'a str,
}

/// A piece of a page's body: `html`, or a `part` that a template writes.
#[derive(Debug, Default, Serialize)]
pub struct Segment {
    /// HTML.
    pub html: Option<Value>,
    /// `curriculum`, `reading-order`, `starters`, `tracks`, `handbook`, `reading` or `mentions`.
    pub part: Option<&'static str>,
    /// The level of the part's heading.
    pub level: u8,
    /// Whether the author has put a heading directly above it.
    pub headed: bool,
    /// Whether the part stands once for each track, under its title.
    pub titled: bool,
    /// The [`Track`]s that it is about.
    pub tracks: Vec<Value>,
    /// `mentions`: the pages that mention a term, [`Link`]s.
    pub links: Vec<Value>,
}

/// A section or a lab among all of its track.
#[derive(Debug, Serialize)]
pub struct Chapter {
    /// Its id.
    pub id: String,
    /// What comes before all other ids in it.
    pub prefix: String,
    /// The section or lab: an [`Item`].
    pub item: Option<Value>,
    /// Its body.
    pub body: Vec<Segment>,
    /// Its reading list, by kind.
    pub reading: Vec<ReferenceGroup>,
    /// What paper lists: URLs out of the course.
    pub outside: Vec<String>,
}

/// References of one kind.
#[derive(Debug, Serialize)]
pub struct ReferenceGroup {
    /// "Papers"
    pub title: String,
    /// The references.
    pub entries: Vec<Reference>,
}

/// A reference.
#[derive(Debug, Serialize)]
pub struct Reference {
    /// Its key.
    pub key: String,
    /// `official`, `paper`, `practical` or `blog`, in the words of the interface.
    pub kind: String,
    /// Its title.
    pub title: String,
    /// Where it can be read: an absolute URL.
    pub url: Option<String>,
    /// The number of that URL among those that paper lists, on a page that has such a list.
    pub number: Option<usize>,
    /// Authors and year.
    pub by: Option<String>,
    /// What to read it for.
    pub note: Option<String>,
    /// `YYYY-MM-DD`
    pub checked: Option<String>,
    /// On the page of references, the pages that cite it: [`Link`]s.
    pub cited_by: Vec<Value>,
}

/// What the practice page asks about a lab.
#[derive(Debug, Serialize)]
pub struct Practice {
    /// The lab: an [`Item`].
    pub lab: Value,
    /// Questions with their answers.
    pub questions: Vec<Question>,
    /// What is to be said out loud: an answer without a question.
    pub spoken: Option<Question>,
}

/// A question.
#[derive(Debug, Serialize)]
pub struct Question {
    /// Stays the same as long as its lab's name and its words do.
    pub id: String,
    /// HTML, inline.
    pub question: Value,
    /// HTML, blocks.
    pub answer: Value,
}

/// The page of a starter file.
#[derive(Debug, Serialize)]
pub struct Starter {
    /// HTML: a `pre`.
    pub listing: Value,
    /// The classes of the figure around it, each with a space before it.
    pub classes: String,
    /// The classes of the list of notes, likewise.
    pub list_classes: String,
    /// HTML: the lines that the reader has chosen, for the script.
    pub picked: Value,
    /// HTML: the button that copies the file, for the script.
    pub copy: Value,
    /// The URL of its bytes.
    pub raw: String,
    /// Its folder.
    pub folder: Place,
    /// The pages that read it: [`Link`]s.
    pub readers: Vec<Value>,
    /// How the labs that it belongs to run it.
    pub run: Vec<String>,
    /// The notes of all pages that explain it, in the order of its lines.
    pub notes: Vec<Note>,
}

/// A note beside a starter's lines.
#[derive(Debug, Serialize)]
pub struct Note {
    /// Its id on this page.
    pub id: String,
    /// The id of its first line.
    pub line: String,
    /// What the link to that line is called: "1, Lines 3–9".
    pub label: String,
    /// Its number on this page.
    pub place: usize,
    /// Its classes, each with a space before it.
    pub classes: String,
    /// Its lines, as the script reads them.
    pub reach: String,
    /// Its number on the page that holds it.
    pub number: usize,
    /// The page that holds it: a [`Link`].
    pub page: Value,
    /// The note on that page, with its `#…`.
    pub url: String,
    /// HTML.
    pub html: Value,
}

/// The page of a folder.
#[derive(Debug, Serialize)]
pub struct Folder {
    /// The labs whose starter lies here: [`Link`]s.
    pub labs: Vec<Value>,
    /// Its folders and files by name.
    pub files: Vec<FolderFile>,
}

/// A file or folder in a folder.
#[derive(Debug, Serialize)]
pub struct FolderFile {
    /// Its name; a folder's ends with a slash.
    pub name: String,
    /// Its page; `none` for a file that no page names.
    pub url: Option<String>,
    /// Lines, if it is text.
    pub lines: Option<usize>,
}

/// A page for `sitemap.xml` and `feed.xml`.
#[derive(Debug, Serialize)]
pub struct Dated {
    /// Its URL.
    pub url: String,
    /// Its heading and track.
    pub title: String,
    /// What it is about.
    pub summary: Option<String>,
    /// `YYYY-MM-DD`
    pub checked: Option<String>,
}
