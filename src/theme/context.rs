//! What templates are given, field by field: `site`, `course` and `page`. This is the interface that a course's own
//! templates are written against.
//!
//! Every field is always there; one that does not apply is `none` or empty. Every `url` is relative to the site's root and
//! percent-encoded: a link is `{{ item.url | relative }}`, or longer, `{{ page.root }}{{ item.url }}`. Strings are plain
//! text, and escaped where they are written, unless they are marked as HTML here.
//!
//! `Value` stands for one of the other structures, made once and shared by all pages that show it.

mod page;

use std::collections::BTreeMap;

use serde::Serialize;
use tera::Value;

pub use page::{
    Chapter, Dated, Entry, Fact, Folder, FolderFile, Note, Page, Practice, Question, Reference, ReferenceGroup,
    Segment, SocialCard, Starter,
};

use crate::config::labels::Labels;

/// `site`: what holds for the whole site.
#[derive(Debug, Serialize)]
pub struct Site<'a> {
    /// The course's title.
    pub title: &'a str,
    /// What the course is, in a sentence.
    pub tagline: Option<&'a str>,
    /// A BCP 47 tag.
    pub language: &'a str,
    /// Where the site will stand, with a slash at its end.
    pub base_url: Option<&'a str>,
    /// The URL of the feed, where there is one.
    pub feed: Option<&'static str>,
    /// The words of the interface: `site.labels.next`.
    pub labels: &'a Labels,
    /// Styles and scripts: `site.assets["style.css"]` is the URL.
    pub assets: &'a BTreeMap<String, String>,
    /// What tells this course from others in a reader's browser.
    pub course: String,
    /// Pages that every page links to: references and glossary, where there are such, and the reader's progress.
    /// [`Place`]s.
    pub pages: Vec<Place>,
}

/// `course`: the tracks.
#[derive(Debug, Serialize)]
pub struct Course {
    /// [`Track`]s in their order.
    pub tracks: Vec<Value>,
}

/// A track.
#[derive(Debug, Serialize)]
pub struct Track<'a> {
    /// Its folder's name.
    pub name: &'a str,
    /// Its title.
    pub title: &'a str,
    /// What it is about.
    pub summary: Option<&'a str>,
    /// Its front page.
    pub url: String,
    /// The labs page.
    pub labs_page: Option<Place>,
    /// The practice page.
    pub practice: Option<Place>,
    /// The URL of its cards as a file that Anki imports.
    pub cards: Option<String>,
    /// Minutes of all sections and labs.
    pub minutes: u32,
    /// The same, in words.
    pub time: String,
    /// The same, as short as can be: "5 h 45 min".
    pub length: String,
    /// "12 code-reading labs".
    pub labs_counted: String,
    /// [`Item`]s by number.
    pub sections: Vec<Value>,
    /// [`Item`]s by number.
    pub labs: Vec<Value>,
    /// The labs by group; those without one first.
    pub groups: Vec<Group<'a>>,
    /// Sections and labs in reading order: [`Item`]s.
    pub order: Vec<Value>,
    /// The same, cut where the group changes.
    pub nav: Vec<Run<'a>>,
    /// The same as a drawing; `none` for a track that is too long to be drawn.
    pub path: Option<Path<'a>>,
}

/// A track's path, to be drawn: lengths and places in units of the drawing, path data for lines.
#[derive(Debug, Serialize)]
pub struct Path<'a> {
    /// Its width.
    pub width: i32,
    /// Its height.
    pub height: i32,
    /// Its lanes, from the top.
    pub lanes: Vec<Lane<'a>>,
    /// Its stops, in reading order.
    pub stops: Vec<Stop>,
    /// What leads from a stop to one that needs it.
    pub lines: Vec<Line>,
    /// The same path small, with dots for stops: only `width`, `height`, and of lanes, stops and lines what places them.
    pub dots: Option<Box<Path<'a>>>,
}

/// A lane of a path: a group of labs.
#[derive(Debug, Serialize)]
pub struct Lane<'a> {
    /// The group; `none` where labs have none.
    pub title: Option<&'a str>,
    /// Its upper edge.
    pub y: i32,
    /// Its height.
    pub height: i32,
}

/// A stop of a path: a section, a lab, or a section and the lab that practises it.
#[derive(Debug, Serialize)]
pub struct Stop {
    /// Its left edge.
    pub x: i32,
    /// Its upper edge.
    pub y: i32,
    /// The section: an [`Item`].
    pub section: Option<Value>,
    /// The lab: an [`Item`].
    pub lab: Option<Value>,
}

/// A line of a path.
#[derive(Debug, Serialize)]
pub struct Line {
    /// The URL of the page that is needed.
    pub from: String,
    /// SVG path data.
    pub d: String,
}

/// The labs of a group.
#[derive(Debug, Serialize)]
pub struct Group<'a> {
    /// `none` for labs without a group.
    pub title: Option<&'a str>,
    /// [`Item`]s by number.
    pub labs: Vec<Value>,
}

/// Neighbours in the reading order that belong to one group.
#[derive(Debug, Serialize)]
pub struct Run<'a> {
    /// The group; `none` where labs have none.
    pub title: Option<&'a str>,
    /// [`Item`]s.
    pub items: Vec<Value>,
}

/// A title and a way to it.
#[derive(Debug, Clone, Serialize)]
pub struct Place {
    /// What it is called.
    pub title: String,
    /// Where it is; `none` for what has no page.
    pub url: Option<String>,
}

/// A page of the course, as other pages name it.
#[derive(Debug, Serialize)]
pub struct Link<'a> {
    /// `home`, `track`, `section`, `labs`, `lab`, `practice`, `glossary`, `page` or `folder`.
    pub kind: &'static str,
    /// What kind it is, in words: "Lab 01", "Section".
    pub kind_label: String,
    /// "Transformer Memory Accounting"
    pub title: &'a str,
    /// "Lab 01: Transformer Memory Accounting"; the title for what is no lab.
    pub heading: String,
    /// "Lab 01", "Home"; the title for what is neither.
    pub short: String,
    /// Where it is.
    pub url: String,
    /// The name of its track.
    pub track: Option<&'a str>,
    /// The title of its track.
    pub track_title: Option<&'a str>,
}

/// A lab or a section, with all that lists and tables show of it.
#[derive(Debug, Serialize)]
pub struct Item<'a> {
    /// All that a [`Link`] has.
    #[serde(flatten)]
    pub link: Link<'a>,
    /// "01" for a lab, "§1" for a section.
    pub number: String,
    /// The same as `short` for a lab, "Handbook §1" for a section.
    pub label: String,
    /// What it is about.
    pub summary: Option<&'a str>,
    /// Minutes of reading.
    pub minutes: u32,
    /// The same, in words.
    pub time: String,
    /// What comes before it: [`Link`]s.
    pub needs: Vec<Value>,
    /// The same without a lab's handbook sections in its own track.
    pub after: Vec<Value>,
    /// What comes after it: [`Link`]s.
    pub needed_by: Vec<Value>,
    /// A lab's group.
    pub group: Option<&'a str>,
    /// A lab's "Concept focus".
    pub focus: Option<&'a str>,
    /// A lab's "What you read".
    pub reads: Option<&'a str>,
    /// A lab's "What you should be able to explain".
    pub outcome: Option<&'a str>,
    /// A lab's "Starter type".
    pub r#type: Option<&'a str>,
    /// A lab's "Reading angle".
    pub angle: Option<&'a str>,
    /// How to run a lab's starter.
    pub run: Option<&'a str>,
    /// A lab's main file.
    pub starter: Option<StarterFile>,
}

/// A starter file.
#[derive(Debug, Serialize)]
pub struct StarterFile {
    /// Its name.
    pub name: String,
    /// Its page.
    pub url: String,
    /// Its bytes.
    pub raw: String,
    /// Its folder: the name without `code/`, and the folder's page.
    pub folder: Place,
}
