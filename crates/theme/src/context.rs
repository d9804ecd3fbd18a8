//! The data that templates receive: `site`, `course` and `page`. This is the interface for the templates of a course.
//!
//! Every field is always present; one that does not apply is `none` or empty. Every `url` is relative to the site's
//! root and percent-encoded: write a link as `{{ item.url | relative }}`, or longer, `{{ page.root }}{{ item.url }}`.
//! Strings are plain text, which templates escape, unless they are documented as HTML.
//!
//! A `Value` is one of the other structures, made once and shared by all pages that show it.

mod page;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use tera::Value;

pub use page::{
    Chapter, Dated, Entry, Fact, Folder, FolderFile, LabQuestions, Lens, Letter, Note, Page, PageLanguage, Practice,
    Question, Reference, ReferenceGroup, Segment, SocialCard, Starter, StarterCell, StarterCode, Typeset, TypesetBlock,
};

use super::shortcuts::Row;
use infralens_course::config::labels::Labels;
use infralens_source::yaml::Extra;

/// The fields of these structures with their descriptions, as `infralens eject --list` prints them. A test writes it from the
/// declarations.
pub const FIELDS: &str = include_str!("context/fields.txt");

/// `site`: data about the whole site.
#[derive(Debug, Serialize)]
pub struct Site<'a> {
    /// The course's title.
    pub title: &'a str,
    /// A one-sentence description of the course.
    pub tagline: Option<&'a str>,
    /// Who wrote the course.
    pub author: Option<&'a str>,
    /// The license of the course.
    pub license: Option<&'a str>,
    /// The URL of the repository of the course.
    pub repository: Option<&'a str>,
    /// A BCP 47 tag.
    pub language: &'a str,
    /// The direction in which the language is written: `ltr` or `rtl`.
    pub direction: &'static str,
    /// The address where the site will be published, with a slash at its end.
    pub base_url: Option<&'a str>,
    /// The URL of the feed, if there is one.
    pub feed: Option<&'static str>,
    /// The words of the interface: `site.labels.next`.
    pub labels: &'a Labels,
    /// The keyboard shortcuts: [`Row`]s of the help.
    pub shortcuts: Vec<Row<'a>>,
    /// Styles and scripts: `site.assets["style.css"]` is the URL.
    pub assets: &'a BTreeMap<String, String>,
    /// An id that distinguishes this course from others in a reader's browser.
    pub course: String,
    /// Pages outside the tracks that every page links to: those directly in `content/` and the front pages of its
    /// folders, then glossary, references and calculators, if they exist, and the reader's progress. [`Place`]s.
    pub pages: Vec<Place>,
    /// The logo: a [`Logo`]; `none` without `logo:` in site.yaml.
    pub logo: Option<&'a Logo>,
    /// The icon: an [`Icon`].
    pub favicon: &'a Icon,
    /// The links under `header:` in site.yaml: [`SiteLink`]s.
    pub header: &'a [SiteLink],
    /// The links under `footer:` in site.yaml: [`SiteLink`]s.
    pub footer: &'a [SiteLink],
    /// The changes that its pages mark, if `infralens diff -o` makes it.
    pub changes: Option<Changes<'a>>,
    /// The pages of each folder outside the tracks, in reading order and without its front page: `site.folders.blog`, or
    /// `site.folders["blog/2026"]`. [`Listed`].
    pub folders: &'a BTreeMap<String, Vec<Value>>,
    /// What `extra:` in site.yaml says.
    pub extra: &'a Extra,
}

/// The changes of a site.
#[derive(Debug, Serialize)]
pub struct Changes<'a> {
    /// What is compared, and how many changes there are.
    pub title: &'a str,
    /// The pages that differ, those that are gone, and an entry without a title for the whole site.
    pub pages: Vec<ChangedPage<'a>>,
    /// How many of these pages other pages do not list.
    pub unlisted: usize,
}

/// A page with its changes.
#[derive(Debug, Serialize)]
pub struct ChangedPage<'a> {
    /// Its title.
    pub title: &'a str,
    /// Its URL; `none` if the page is gone.
    pub url: Option<String>,
    /// Whether every page lists its changes: those of the first pages, up to a limit.
    pub is_listed: bool,
    /// Its changes, in the order of the page.
    pub changes: Vec<Change<'a>>,
}

/// A change of a page.
#[derive(Debug, Serialize)]
pub struct Change<'a> {
    /// What has happened, in a few words, in English.
    pub what: &'a str,
    /// The id of its mark on the page, which is in the body or in `at_top`.
    pub id: &'a str,
    /// What the page says about it at its top, as HTML, if it has no place in the text of the page.
    pub at_top: Option<Value>,
}

/// The logo of a site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Logo {
    /// The [`Picture`] for light colors.
    pub light: Picture,
    /// The [`Picture`] for dark colors; `none` if it is the same.
    pub dark: Option<Picture>,
    /// Whether the picture contains the site's title.
    pub replaces_title: bool,
}

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Picture {
    /// Its URL.
    pub url: String,
    /// Its width in pixels, if the file tells.
    pub width: Option<u32>,
    /// Its height in pixels, if the file tells.
    pub height: Option<u32>,
}

/// The icon of a site.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Icon {
    /// Its URL.
    pub url: String,
    /// Its absolute URL, if the site has a `base_url`.
    pub absolute: Option<String>,
    /// Its media type: `image/svg+xml`.
    pub r#type: String,
}

/// A link that a course has on every page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SiteLink {
    /// Its text.
    pub label: String,
    /// Its URL: from the site's root, or absolute.
    pub url: String,
    /// Whether the URL is absolute.
    pub is_external: bool,
}

/// `course`: the tracks.
#[derive(Debug, Serialize)]
pub struct Course {
    /// The [`Track`]s in the order of site.yaml.
    pub tracks: Vec<Value>,
}

/// A track.
#[derive(Debug, Serialize)]
pub struct Track<'a> {
    /// Its folder's name.
    pub name: &'a str,
    /// Its title.
    pub title: &'a str,
    /// Its summary.
    pub summary: Option<&'a str>,
    /// Its front page.
    pub url: String,
    /// The labs page.
    pub labs_page: Option<Place>,
    /// The practice page.
    pub practice: Option<Place>,
    /// The page of its calculators.
    pub calculators: Option<Place>,
    /// The URL of its cards as a file that Anki imports.
    pub cards: Option<String>,
    /// Minutes of all sections and labs.
    pub minutes: u32,
    /// The same in words.
    pub time: String,
    /// The same, abbreviated: "5 h 45 min".
    pub length: String,
    /// "12 code-reading labs".
    pub labs_counted: String,
    /// The time of the labs alone: "9 h 55 min".
    pub labs_length: String,
    /// "14 sections".
    pub sections_counted: String,
    /// The time of the sections alone: "2 h 12 min".
    pub sections_length: String,
    /// [`Item`]s in reading order.
    pub sections: Vec<Value>,
    /// [`Item`]s by number.
    pub labs: Vec<Value>,
    /// The labs by group; labs without a group come first.
    pub groups: Vec<Group<'a>>,
    /// Sections and labs in reading order: [`Item`]s.
    pub order: Vec<Value>,
    /// The same, split where the group of labs changes.
    pub runs: Vec<Run<'a>>,
    /// The pages of other tracks that its pages require: [`Item`]s.
    pub after: Vec<Value>,
    /// The URL of the script that contains it.
    pub order_script: Option<String>,
    /// The ways through it: front matter `ways`.
    pub ways: Vec<Way<'a>>,
    /// The reading map: sections and labs in reading order, with the question of each group.
    pub map: Vec<MapGroup<'a>>,
}

/// A way through a track. Its number, by which rows of the map name it, is its position from 1.
#[derive(Debug, Serialize)]
pub struct Way<'a> {
    /// "We train models"
    pub name: &'a str,
    /// The number of labs in the rows that it leads through.
    pub labs: usize,
    /// The number of sections in these rows.
    pub sections: usize,
    /// "5 code-reading labs".
    pub labs_counted: String,
    /// The time of these labs: "4 h 5 min".
    pub labs_length: String,
    /// "6 sections".
    pub sections_counted: String,
    /// The time of these sections: "1 h 2 min".
    pub sections_length: String,
}

/// Rows of a reading map that belong to one group.
#[derive(Debug, Serialize)]
pub struct MapGroup<'a> {
    /// The group; `none` for labs without a group.
    pub title: Option<&'a str>,
    /// The question that it answers: front matter `groups`. A group that goes on later has it only once.
    pub question: Option<&'a str>,
    /// The rows.
    pub rows: Vec<MapRow>,
}

/// A row of a reading map: a lab and the sections that are read before it, or a section that prepares for no lab.
#[derive(Debug, Serialize)]
pub struct MapRow {
    /// The sections that are read here: [`Item`]s.
    pub sections: Vec<Value>,
    /// The lab: an [`Item`].
    pub lab: Option<Value>,
    /// The lab's handbook sections that were read in an earlier row: [`Item`]s.
    pub again: Vec<Value>,
    /// The labs of other tracks that practice the sections, if no lab of this track does: [`Item`]s.
    pub elsewhere: Vec<Value>,
    /// The prerequisites in other rows, then those in other tracks: [`Item`]s. A section that a lab among them requires is
    /// left out.
    pub needs: Vec<Value>,
    /// The numbers of the ways that lead through it.
    pub ways: Vec<usize>,
}

/// The labs of a group.
#[derive(Debug, Serialize)]
pub struct Group<'a> {
    /// `none` for labs without a group.
    pub title: Option<&'a str>,
    /// The question that it answers: front matter `groups` of the track.
    pub question: Option<&'a str>,
    /// [`Item`]s by number.
    pub labs: Vec<Value>,
}

/// The part of a track's reading order that the course column lists: all of it, or if the track is long, the pages near
/// the current one.
#[derive(Debug, Default, Serialize)]
pub struct Nav<'a> {
    /// The pages, split where the group changes.
    pub runs: Vec<Run<'a>>,
    /// "120 earlier pages", if pages before them are left out.
    pub earlier: Option<String>,
    /// "240 later pages", if pages after them are left out.
    pub later: Option<String>,
}

/// Consecutive pages of the reading order that belong to one group.
#[derive(Debug, Serialize)]
pub struct Run<'a> {
    /// The group; `none` for labs without a group.
    pub title: Option<&'a str>,
    /// [`Item`]s.
    pub items: Vec<Value>,
}

/// A title with a URL.
#[derive(Debug, Clone, Serialize)]
pub struct Place {
    /// The title.
    pub title: String,
    /// The URL; `none` if there is no page.
    pub url: Option<String>,
}

impl Place {
    /// Returns a place that has a page.
    pub fn new(title: impl Into<String>, url: impl Into<String>) -> Self {
        Self { title: title.into(), url: Some(url.into()) }
    }

    /// Returns a place without a page.
    pub fn text(title: impl Into<String>) -> Self {
        Self { title: title.into(), url: None }
    }
}

/// A page or folder in the tree of pages outside the tracks.
#[derive(Debug, Serialize)]
pub struct Branch {
    /// The title; for a folder without a front page, its name in words.
    pub title: String,
    /// The URL; for a folder without a front page, that of its first page.
    pub url: String,
    /// How many folders of the tree contain it.
    pub depth: usize,
    /// Whether it is a folder without a front page.
    pub is_bare: bool,
}

/// A figure of a page, and where it comes from.
#[derive(Debug, Default, Serialize)]
pub struct FigureEntry {
    /// Its id, such as `V3`.
    pub id: String,
    /// The figure as it is first printed.
    pub text: String,
    /// The ids of the places where the page prints it.
    pub places: Vec<String>,
    /// The name of the value that prints it; `none` if the figure is given.
    pub name: Option<String>,
    /// The formula of that value.
    pub formula: Option<String>,
    /// The comment on that value.
    pub about: Option<String>,
    /// The calculator that the value is part of.
    pub calculator: Option<Place>,
    /// The names of the records that the value is computed from.
    pub records: Vec<String>,
    /// The reference that gives the figure.
    pub reference: Option<Place>,
    /// Where a given figure comes from, in words.
    pub source: Option<String>,
}

/// The calculators of a track, or those of pages outside all tracks.
#[derive(Debug, Serialize)]
pub struct CalculatorGroup {
    /// The track, where there are several.
    pub track: Option<Place>,
    /// The calculators, in reading order.
    pub entries: Vec<CalculatorEntry>,
}

/// A link to a calculator.
#[derive(Debug, Serialize)]
pub struct CalculatorEntry {
    /// "01" for a calculator of a lab, "§1" for one of a section; empty for one of another page.
    pub number: String,
    /// Its title, and its URL.
    pub place: Place,
    /// The page that explains it: "Lab 01: Transformer Memory Accounting".
    pub page: String,
}

/// The calculator at the top of the page of calculators.
#[derive(Debug, Serialize)]
pub struct FrontCalculator {
    /// The calculator, as HTML.
    pub html: Value,
    /// The page that explains it, and where.
    pub source: Place,
}

/// A link to a page of the course.
#[derive(Debug, Serialize)]
pub struct Link<'a> {
    /// `home`, `track`, `section`, `labs`, `lab`, `practice`, `glossary`, `page` or `folder`.
    pub kind: &'static str,
    /// The kind in words: "Lab 01", "Section".
    pub kind_label: String,
    /// "Transformer Memory Accounting"
    pub title: &'a str,
    /// "Lab 01: Transformer Memory Accounting" for a lab, else the title.
    pub heading: String,
    /// The same with the number of a section: "§1 The memory ledger".
    pub numbered: String,
    /// "Lab 01" for a lab, "Home" for the home page, else the title.
    pub short: String,
    /// The same on pages of another track: "Transformer lab 01", "Transformer §1". On a site with one track, it is `short`.
    pub qualified: String,
    /// `numbered` on pages of another track: "Transformer lab 01: Quantization Reading".
    pub qualified_heading: String,
    /// Its URL.
    pub url: String,
    /// The name of its track.
    pub track: Option<&'a str>,
    /// The title of its track.
    pub track_title: Option<&'a str>,
}

/// A lab or a section, with everything that lists and tables show of it.
#[derive(Debug, Serialize)]
pub struct Item<'a> {
    /// The fields of a [`Link`].
    #[serde(flatten)]
    pub link: Link<'a>,
    /// "01" for a lab, "§1" for a section; empty for a section without a number.
    pub number: String,
    /// Whether it is a primer: a section without a number that one with a number, or a lab, requires.
    pub is_primer: bool,
    /// The same as `short` for a lab, "Handbook §1" for a section, "Handbook" for one without a number.
    pub label: String,
    /// Its summary.
    pub summary: Option<&'a str>,
    /// The reading time in minutes.
    pub minutes: u32,
    /// The same in words: "25 minutes".
    pub time: String,
    /// Its prerequisites: [`Link`]s.
    pub needs: Vec<Value>,
    /// The same without a lab's handbook sections in its own track.
    pub after: Vec<Value>,
    /// The pages that require it: [`Link`]s.
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
    /// The command that runs a lab's starter.
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
    /// The URL of the unchanged file.
    pub raw: String,
    /// Its folder: the name without `code/`, and the page of the folder.
    pub folder: Place,
}

/// A page in a list of the pages of a folder.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Listed<'a> {
    /// Its title.
    pub title: Cow<'a, str>,
    /// Its URL.
    pub url: String,
    /// Its summary.
    pub summary: Option<&'a str>,
    /// Its date: `date` in its front matter, or else `checked`. `YYYY-MM-DD`.
    pub date: Option<String>,
    /// The same as the language writes it.
    pub date_words: Option<String>,
    /// Who wrote it: `author` in its front matter.
    pub authors: &'a [String],
    /// The day on which it was last checked: `YYYY-MM-DD`.
    pub checked: Option<String>,
    /// What `extra:` in its front matter says.
    pub extra: Option<&'a Extra>,
}
