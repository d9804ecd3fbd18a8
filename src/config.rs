//! `content/site.yaml` -> [`Config`], with the defaults of everything that may be left out.

pub mod labels;
mod tracks;

use std::collections::btree_map::{BTreeMap, Entry};
use std::ops::Deref;

use serde::Serialize;

use crate::diag::Diagnostic;
use crate::source::Source;
use crate::yaml::{Reader, Record, Spanned, Url, form, http_parts, record, words};
use labels::Labels;
pub use tracks::Tracks;

record! {
    /// The site's configuration.
    #[derive(Serialize)]
    pub struct Config {
        /// The course's title.
        required title: String = "Untitled";
        /// What the course is, in a sentence.
        optional tagline: Option<String>;
        /// Where the site will be. Only absolute URLs need it: 404.html, sitemap, feed, canonical links, social cards.
        optional base_url: Option<BaseUrl>;
        /// The language of the course, a BCP 47 tag.
        optional language: Language = "en";
        /// Words of the interface, for other languages.
        optional labels: Labels;
        /// The repository of the course; turns on "edit this page".
        optional repository: Option<Url>;
        /// The way from the repository to the page that edits a file; `{path}` is the file's path in the course.
        optional edit_path: EditPath = "edit/main/{path}";
        /// The tracks, in their order: every folder in `content/tracks`.
        optional tracks: Tracks;
        /// The lab contract.
        optional labs: Labs;
        /// Names that the lint `ungrounded` knows.
        optional words: Vec<String>;
        /// After so many days, a page's `checked` date is stale.
        optional freshness_days: u32 => 365;
        /// How Markdown is read.
        optional markdown: Markdown;
    }
}

record! {
    /// The lab contract.
    #[derive(Serialize)]
    pub struct Labs {
        /// The sections that a lab has, in order. An empty list asks for none.
        optional sections: Vec<LabSection> => default_sections();
    }
}

record! {
    /// A section of the lab contract.
    #[derive(Serialize, PartialEq, Eq)]
    pub struct LabSection {
        /// The text of its heading, up to a colon, in any letter case.
        required title: Spanned<SectionTitle>;
        /// Whether every lab must have it.
        optional required: bool;
        /// What is in it; left out, prose.
        optional form("as"): Option<SectionForm>;
    }
}

words! {
    /// What is in a section of a lab, if not just prose.
    pub enum SectionForm {
        /// Questions, each with its answer: a definition list, or headings with the answers below.
        Questions = "questions",
        /// A text to be said out loud.
        Spoken = "spoken",
        /// The page's reading list is added at its end.
        Reading = "reading",
    }
}

record! {
    /// How Markdown is read.
    #[derive(Serialize)]
    pub struct Markdown {
        /// What becomes of HTML in Markdown.
        optional raw_html: RawHtml;
    }
}

words! {
    /// What becomes of HTML in Markdown.
    pub enum RawHtml {
        /// What an allow-list names is kept, the rest is shown as text.
        Safe = "safe",
        /// All of it is kept as it is, and its links are checked.
        Trusted = "trusted",
        /// All of it is shown as text.
        Escape = "escape",
    }
}

form! {
    /// The absolute URL of the site's root, with a slash at its end.
    pub struct BaseUrl = "an http or https URL without query and fragment", admit_base_url;
}

form! {
    /// A language tag after BCP 47, as far as its form goes.
    pub struct Language = "a language tag such as `en` or `pt-BR`", admit_language;
}

form! {
    /// The way from the repository to the page that edits a file.
    pub struct EditPath = "a path or an http or https URL that holds `{path}`", admit_edit_path;
}

form! {
    /// The name of a track, which is that of its folder.
    pub struct TrackName = "a name of letters, digits, `-` and `_`", admit_name;
}

form! {
    /// The title of a section of the lab contract.
    pub struct SectionTitle = "text without a colon", admit_section_title;
}

impl Config {
    /// The settings of a course whose `site.yaml` cannot be read.
    #[must_use]
    pub fn unread() -> Self {
        Self { tracks: Tracks::unknown(), ..Self::default() }
    }

    /// Reads `site.yaml`. What is missing or wrong has its default.
    #[must_use]
    pub fn read(source: &Source) -> (Self, Vec<Diagnostic>) {
        let start = source.start();
        let (mut reader, entries) = Reader::open(source, start..source.text().len(), start..start, "site.yaml");
        reader.check(&entries, Self::FIELDS);
        let mut config = Self::from_entries(&entries, &mut reader);
        if !reader.is_complete() || entries.is_empty() || tracks::are_misspelled(&entries) {
            config.tracks.is_known = false;
        }
        drop_repeated(&mut config.tracks.names, &mut reader, "tracks", |track| track);
        config.labs.sections.retain(|section| !section.title.is_empty());
        drop_repeated(&mut config.labs.sections, &mut reader, "labs.sections", |section| &section.title);
        (config, reader.finish())
    }

    /// The path under which the site stands, with a slash at both ends; `/` where there is no `base_url`.
    #[must_use]
    pub fn base_path(&self) -> &str {
        self.base_url.as_ref().map_or("/", BaseUrl::path)
    }

    /// Where a file of the course can be edited, if `repository` is given; `path` is from the course's root, with `/`.
    #[must_use]
    pub fn edit_url(&self, path: &str) -> Option<String> {
        let repository = self.repository.as_ref()?;
        let way = self.edit_path.replace("{path}", &percent_encoded(path));
        if http_parts(&way).is_ok() {
            return Some(way);
        }
        Some(format!("{}/{}", repository.trim_end_matches('/'), way.trim_start_matches('/')))
    }
}

impl Labs {
    /// The titles of the sections, in order.
    #[must_use]
    pub fn titles(&self) -> Vec<&str> {
        self.sections.iter().map(|section| &**section.title).collect()
    }
}

impl BaseUrl {
    /// Its path, with a slash at both ends.
    #[must_use]
    pub fn path(&self) -> &str {
        http_parts(self).map_or("/", |(_, path)| path)
    }
}

/// The lab contract of a course that names none.
fn default_sections() -> Vec<LabSection> {
    use SectionForm::{Questions, Reading, Spoken};
    let sections = [
        ("Concept goal", true, None),
        ("Mental model", true, None),
        ("Annotated code", true, None),
        ("What to notice", true, None),
        ("Common misunderstandings", true, None),
        ("Check yourself", false, Some(Questions)),
        ("Interview explanation", true, Some(Spoken)),
        ("Additional intuition", false, None),
        ("Further reading", true, Some(Reading)),
    ];
    let section = |(title, required, form): (&'static str, _, _)| LabSection {
        title: Spanned { value: title.into(), span: 0..0 },
        required,
        form,
    };
    sections.map(section).to_vec()
}

/// Refuses what a list names twice, letter case apart, and drops the second.
fn drop_repeated<T, N>(items: &mut Vec<T>, reader: &mut Reader<'_>, list: &str, name: impl Fn(&T) -> &Spanned<N>)
where
    N: Deref<Target = str>,
{
    let mut seen = BTreeMap::new();
    items.retain(|item| {
        let name = name(item);
        let before = seen.entry(name.to_lowercase());
        if let Entry::Occupied(before) = &before {
            reader.refuse_repeated(&name.span, before.get(), format!("`{list}` names `{}` twice", &*name.value));
            return false;
        }
        before.or_insert_with(|| name.span.clone());
        true
    });
}

fn admit_base_url(text: &str) -> Result<String, &'static str> {
    let (_, path) = http_parts(text)?;
    if path.contains(['?', '#']) {
        return Err("it has a query or a fragment");
    }
    if !text.is_ascii() {
        return Err("it holds a character that must be percent-encoded");
    }
    let path = path.trim_start_matches('/').trim_end_matches('/');
    if !path.is_empty() && path.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
        return Err("its path holds an empty part, `.` or `..`");
    }
    Ok(format!("{}/", text.trim_end_matches('/')))
}

fn admit_language(text: &str) -> Result<String, &'static str> {
    let mut tags = text.split('-');
    let primary = tags.next().unwrap_or_default();
    let letters = (2..=8).contains(&primary.len()) && primary.bytes().all(|byte| byte.is_ascii_alphabetic());
    let rest = tags.all(|tag| (1..=8).contains(&tag.len()) && tag.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    if letters && rest { Ok(text.to_owned()) } else { Err("this is not of that form") }
}

fn admit_edit_path(text: &str) -> Result<String, &'static str> {
    if !text.contains("{path}") {
        return Err("there is no `{path}` in it");
    }
    if text.contains("://") {
        http_parts(&text.replace("{path}", "path"))?;
    }
    Ok(text.to_owned())
}

fn admit_name(text: &str) -> Result<String, &'static str> {
    let fits = |found: char| found.is_alphanumeric() || matches!(found, '-' | '_');
    if !text.is_empty() && text.chars().all(fits) { Ok(text.to_owned()) } else { Err("this is not such a name") }
}

fn admit_section_title(text: &str) -> Result<String, &'static str> {
    if text.contains(':') {
        Err("a heading's text after a colon is not part of its title")
    } else {
        Ok(text.to_owned())
    }
}

/// A path in the form in which it stands in a URL.
fn percent_encoded(path: &str) -> String {
    let mut encoded = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push('%');
            for half in [byte >> 4, byte & 15] {
                encoded.extend(char::from_digit(u32::from(half), 16).map(|digit| digit.to_ascii_uppercase()));
            }
        }
    }
    encoded
}

#[cfg(test)]
mod tests;
