//! `page`: the data that templates receive about the page that is being made.

use serde::Serialize;
use tera::Value;

use infralens_source::yaml::Extra;

use super::{Branch, CalculatorGroup, FigureEntry, FrontCalculator, Listed, Nav, Place};
#[cfg(doc)]
use super::{Item, Link, Track};

/// A page in one of the course's languages.
#[derive(Debug, Clone, Serialize)]
pub struct PageLanguage {
    /// The tag of the language: `zh-Hans`.
    pub tag: String,
    /// The language's own name.
    pub name: String,
    /// `ltr` or `rtl`.
    pub direction: &'static str,
    /// The URL of the page in that language.
    pub url: String,
    /// Its absolute URL, if the site has a `base_url`.
    pub absolute: Option<String>,
    /// Whether it is this page.
    pub is_current: bool,
}

/// `page`: the page that is being made.
#[derive(Debug, Default, Serialize)]
pub struct Page<'a> {
    /// `home`, `track`, `section`, `labs`, `lab`, `practice`, `glossary`, `page`, `starter`, `folder`, `references`,
    /// `calculators`, `progress`, `print`, `not-found` or `redirect`.
    pub kind: &'static str,
    /// Its URL.
    pub url: String,
    /// The relative path to the site's root, to be put before every URL: `../../`, or nothing.
    pub root: String,
    /// The URL of the script with the search and a practice session, for scripts to put after `root`.
    pub dialogs: Option<String>,
    /// Its absolute URL, if the site has a `base_url`.
    pub canonical: Option<String>,
    /// The languages that it exists in: [`PageLanguage`]s, beginning with that of the course. Empty if that is the only one.
    pub languages: Vec<PageLanguage>,
    /// Its [`PageLanguage`], if it is not that of the site because it has no translation.
    pub language: Option<PageLanguage>,
    /// The URL of its Markdown copy.
    pub copy: Option<String>,
    /// The social card, if the site has a `base_url`.
    pub card: Option<SocialCard>,
    /// JSON-LD: a description of the page, and its breadcrumbs.
    pub linked_data: Option<Value>,
    /// The title for the browser: page, track and site.
    pub document_title: String,
    /// "Transformer Memory Accounting"
    pub title: String,
    /// "Lab 01: Transformer Memory Accounting" for a lab, else the title.
    pub heading: String,
    /// The line above the title: "Lab 01", "Handbook §1".
    pub label: Option<String>,
    /// A description for search engines.
    pub description: Option<&'a str>,
    /// The summary for readers.
    pub summary: Option<&'a str>,
    /// Whether the course column is shown next to the page.
    pub column: bool,
    /// The breadcrumbs from its track to this page, which is the last.
    pub crumbs: Vec<Place>,
    /// The URL where its source can be edited.
    pub edit_url: Option<String>,
    /// The URL where a mistake on it can be reported.
    pub report_url: Option<String>,
    /// Facts shown above the text, such as the reading time.
    pub facts: Vec<Fact>,
    /// Its [`Track`].
    pub track: Option<Value>,
    /// What the course column lists of that track.
    pub nav: Nav<'a>,
    /// The URL of the script that contains the reading order of that track.
    pub order_script: Option<String>,
    /// The URL of the lab that a starter or a folder belongs to.
    pub within: Option<String>,
    /// For a page that is in no track, the part of its outline that the column lists: the pages at the top, and those of
    /// the folders that contain the page. Empty if it is the only one.
    pub tree: Vec<Branch>,
    /// "On this page".
    pub toc: Vec<Entry<'a>>,
    /// On the glossary's page, the letters that terms begin with, each with the first of its terms.
    pub letters: Vec<Letter>,
    /// Its rendered Markdown, and the parts that templates generate, as a list: `{% include "parts/body.html" %}` writes it.
    pub body: Vec<Segment>,
    /// On a labs page, what comes before the curriculum, in sections, each of which begins with a heading. `body` is the rest.
    pub introduction: Vec<Vec<Segment>>,
    /// On the home page, the excerpt that it begins with: a [`Lens`].
    pub lens: Option<Lens>,
    /// Its reading list, by kind.
    pub reading: Vec<ReferenceGroup>,
    /// External URLs, which are listed in print. Links to the first of them have `data-n="1"`.
    pub outside: Vec<String>,
    /// The URL of the print page of its track, on a track's page and a labs page.
    pub print: Option<String>,
    /// On a print page, the sections and labs in reading order.
    pub chapters: Vec<Chapter>,
    /// The page before it in reading order: an [`Item`], or outside the tracks a [`Link`].
    pub previous: Option<Value>,
    /// The page after it: an [`Item`], or outside the tracks a [`Link`].
    pub next: Option<Value>,
    /// A lab's questions, which can be practiced at its end.
    pub questions: Option<LabQuestions>,
    /// The [`Item`] that a lab's or a section's page is about.
    pub item: Option<Value>,
    /// A lab's handbook sections: [`Item`]s.
    pub handbook: Vec<Value>,
    /// The sections without a number that prepare for these: [`Item`]s.
    pub primers: Vec<Value>,
    /// A section's labs: [`Link`]s.
    pub practised_by: Vec<Value>,
    /// Prerequisites besides `handbook`: [`Link`]s.
    pub needs: Vec<Value>,
    /// Pages that require it, besides `practised_by`: [`Link`]s.
    pub needed_by: Vec<Value>,
    /// A lab's starter folder, its README and its files.
    pub files: Vec<Place>,
    /// On the practice page, an entry per lab, in reading order.
    pub practice: Vec<Practice>,
    /// The style sheets that it needs besides `style.css`, among them `tabs.css` if it contains tabs.
    pub styles: Vec<&'static str>,
    /// Whether it has a listing that needs the room of the course column.
    pub is_broad: bool,
    /// The page of a starter file.
    pub starter: Option<Starter>,
    /// The page of a folder.
    pub folder: Option<Folder>,
    /// The figures of the page, if they are checked, and where each comes from.
    pub figures: Vec<FigureEntry>,
    /// Whether the page shows calculators.
    pub has_calculators: bool,
    /// The page of calculators of the course: the one at its top.
    pub front_calculator: Option<FrontCalculator>,
    /// The page of calculators: the others.
    pub calculators: Vec<CalculatorGroup>,
    /// The page of references, by kind.
    pub references: Vec<ReferenceGroup>,
    /// What `extra:` in its front matter says.
    pub extra: Extra,
    /// Its date: `date` in its front matter, or else `checked`. `YYYY-MM-DD`.
    pub date: Option<String>,
    /// The same as the language writes it.
    pub date_words: Option<String>,
    /// Who wrote it: `author` in its front matter.
    pub authors: &'a [String],
    /// On the front page `index.md` of a folder outside the tracks, the other pages in that folder, and in the folders below it
    /// that have no front page, in reading order: [`Listed`].
    pub pages: Vec<Value>,
    /// The page that a redirect leads to: a [`Link`].
    pub target: Option<Value>,
    /// For `sitemap.xml`, all pages. For `feed.xml`, those with a date, newest first. [`Dated`].
    pub entries: Vec<Dated<'a>>,
    /// For `feed.xml`, the newest date.
    pub updated: Option<String>,
}

/// The picture that other sites show with a link to a page.
#[derive(Debug, Serialize)]
pub struct SocialCard {
    /// Its absolute URL.
    pub url: String,
    /// The alternative text.
    pub alt: String,
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
}

/// A fact about a page: one of `text`, `date` and `links` is set.
#[derive(Debug, Default, Serialize)]
pub struct Fact {
    /// The label in front of it, if it has one.
    pub name: Option<String>,
    /// Text.
    pub text: Option<String>,
    /// `YYYY-MM-DD`
    pub date: Option<String>,
    /// The same as the language writes it.
    pub date_words: Option<String>,
    /// [`Link`]s.
    pub links: Vec<Value>,
    /// An address on another site, to which the text links.
    pub url: Option<String>,
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

/// A letter of the glossary.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Letter {
    /// The letter.
    pub letter: String,
    /// The id of the first term that begins with it.
    pub id: String,
}

/// A piece of a page's body: `html`, or a `part` that a template generates.
#[derive(Debug, Default, Serialize)]
pub struct Segment {
    /// HTML.
    pub html: Option<Value>,
    /// `curriculum`, `reading-order`, `starters`, `tracks`, `handbook`, `reading` or `mentions`; on the home page also
    /// `lens`, the excerpt that it begins with, which is in `html`.
    pub part: Option<&'static str>,
    /// The level of the part's heading.
    pub level: u8,
    /// Whether the author has put a heading directly above it.
    pub headed: bool,
    /// Whether the part is repeated for each track, under its title.
    pub titled: bool,
    /// The [`Track`]s that it is about.
    pub tracks: Vec<Value>,
    /// For `mentions`, the pages that mention a term: [`Link`]s.
    pub links: Vec<Value>,
}

/// The excerpt with notes that a home page begins with. Its HTML is in the body.
#[derive(Debug, Serialize)]
pub struct Lens {
    /// The lab that explains its file: an [`Item`]; `none` if no lab does.
    pub lab: Option<Value>,
}

/// A page on a print page.
#[derive(Debug, Serialize)]
pub struct Chapter {
    /// Its id.
    pub id: String,
    /// The prefix of all other ids in it.
    pub prefix: String,
    /// The section or lab: an [`Item`]; for another page, a [`Link`].
    pub item: Value,
    /// Its summary.
    pub summary: Option<String>,
    /// Its body.
    pub body: Vec<Segment>,
    /// Its reading list, by kind.
    pub reading: Vec<ReferenceGroup>,
    /// External URLs, which are listed in print.
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
    /// The same as HTML, in which long names can be broken after a period, a slash or an underscore.
    pub breakable_title: Value,
    /// The absolute URL where it can be read.
    pub url: Option<String>,
    /// The number of that URL in the printed list of external URLs, on a page that has one.
    pub number: Option<usize>,
    /// Authors and year.
    pub by: Option<String>,
    /// Why to read it.
    pub note: Option<String>,
    /// `YYYY-MM-DD`
    pub checked: Option<String>,
    /// The same as the language writes it.
    pub checked_words: Option<String>,
    /// On the references page, the pages that cite it: [`Link`]s.
    pub cited_by: Vec<Value>,
}

/// The questions about a lab on the practice page.
#[derive(Debug, Serialize)]
pub struct Practice {
    /// The lab: an [`Item`].
    pub lab: Value,
    /// Questions with their answers.
    pub questions: Vec<Question>,
    /// The explanation to say aloud: an answer without a question.
    pub spoken: Option<Question>,
}

/// The questions of a lab, for practice at its end.
#[derive(Debug, Serialize)]
pub struct LabQuestions {
    /// "Answer 5 questions, about 3 minutes"
    pub words: String,
    /// The ids of their cards, in the order of the page and separated by spaces. An id is followed by those that the card
    /// had before the lab was moved, each after `=`.
    pub cards: String,
}

/// A question.
#[derive(Debug, Serialize)]
pub struct Question {
    /// An id that depends only on the lab's name and on the words of the question.
    pub id: String,
    /// The ids that it had under the lab's aliases, separated by spaces.
    pub was: String,
    /// HTML, inline.
    pub question: Value,
    /// HTML, blocks.
    pub answer: Value,
}

/// The page of a starter file.
#[derive(Debug, Serialize)]
pub struct Starter {
    /// HTML: a `pre`; empty for a Markdown file, which is typeset, and for a notebook.
    pub listing: Value,
    /// The cells of a notebook; empty for other files.
    pub cells: Vec<StarterCell>,
    /// The classes of the element around its figure and its notes, each after a space: how much room its lines need.
    pub breadth: &'static str,
    /// A Markdown file, typeset; `none` for other files.
    pub typeset: Option<Typeset>,
    /// The classes of the figure around it, each after a space.
    pub classes: String,
    /// The classes of the list of notes, each after a space.
    pub list_classes: String,
    /// The URL of the unchanged file.
    pub raw: String,
    /// Its folder.
    pub folder: Place,
    /// Whether its line numbers skip lines, because these only mark regions.
    pub skips: bool,
    /// The pages that explain it, which have notes on its lines: [`Link`]s.
    pub explained_in: Vec<Value>,
    /// The other pages that name it: [`Link`]s.
    pub mentioned_in: Vec<Value>,
    /// The commands by which its labs run it.
    pub run: Vec<String>,
    /// The notes of all pages that explain it, in line order; empty for a Markdown file, whose blocks have them.
    pub notes: Vec<Note>,
}

/// A cell of a notebook.
#[derive(Debug, Serialize)]
pub struct StarterCell {
    /// HTML: what is between cells of code; empty for code.
    pub text: Value,
    /// Its code; `none` for text.
    pub code: Option<StarterCode>,
}

/// A cell with code.
#[derive(Debug, Serialize)]
pub struct StarterCode {
    /// Its name: "Cell load".
    pub title: String,
    /// HTML: a `pre`.
    pub listing: Value,
    /// As in [`Starter`].
    pub breadth: &'static str,
    /// As in [`Starter`].
    pub classes: String,
    /// As in [`Starter`].
    pub list_classes: String,
    /// As in [`Starter`].
    pub skips: bool,
    /// The notes that begin in it.
    pub notes: Vec<Note>,
    /// The place of the first note among those of the page.
    pub first: usize,
    /// HTML: what it recorded.
    pub output: Value,
}

/// A Markdown file, typeset.
#[derive(Debug, Serialize)]
pub struct Typeset {
    /// Its blocks in order.
    pub blocks: Vec<TypesetBlock>,
    /// Whether one of its headings is that of the page.
    pub has_title: bool,
    /// Its number of notes: "11 notes"; empty if it has none.
    pub notes: String,
    /// The file, to be copied.
    pub text: String,
}

/// A block of a Markdown file.
#[derive(Debug, Serialize)]
pub struct TypesetBlock {
    /// HTML: the start tags around it.
    pub open: Value,
    /// HTML: what it means.
    pub html: Value,
    /// HTML: its source, a `pre`.
    pub source: Value,
    /// Its notes.
    pub notes: Vec<Note>,
    /// The number of the first of them.
    pub first: usize,
    /// The classes of the list of its notes, each after a space.
    pub list_classes: String,
    /// HTML: the end tags.
    pub close: Value,
}

/// A note next to the lines of a starter.
#[derive(Debug, Serialize)]
pub struct Note {
    /// Its id on this page.
    pub id: String,
    /// The id of its first line.
    pub line: String,
    /// The label of the link to that line: "1, Lines 3–9".
    pub label: String,
    /// Its number on this page.
    pub place: usize,
    /// Its classes, each after a space.
    pub classes: String,
    /// Its lines in the format of the script.
    pub reach: String,
    /// Its number on the page that it comes from.
    pub number: usize,
    /// The page that it comes from: a [`Link`].
    pub page: Value,
    /// The URL of the note on that page, with its `#…`.
    pub url: String,
    /// The code that it is bound to, HTML without links.
    pub head: Value,
    /// HTML.
    pub html: Value,
}

/// The page of a folder.
#[derive(Debug, Serialize)]
pub struct Folder {
    /// The labs whose starter is in it: [`Link`]s.
    pub labs: Vec<Value>,
    /// The folders and files in it, by name.
    pub files: Vec<FolderFile>,
}

/// A file or folder in a folder.
#[derive(Debug, Serialize)]
pub struct FolderFile {
    /// Its name; a folder's ends with a slash.
    pub name: String,
    /// Its page; `none` for a file that no page refers to.
    pub url: Option<String>,
    /// The number of lines, if it is text.
    pub lines: Option<usize>,
}

/// A page for `sitemap.xml` and `feed.xml`.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Dated<'a> {
    /// The fields of a [`Listed`], whose title is the page's heading and track.
    #[serde(flatten)]
    pub listed: Listed<'a>,
    /// The later of its dates.
    pub updated: Option<String>,
}
