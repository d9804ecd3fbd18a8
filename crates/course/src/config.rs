//! Reads `content/site.yaml` into a [`Config`], with defaults for everything optional.

pub mod labels;
pub mod languages;
pub mod look;
mod tracks;

use std::collections::btree_map::{BTreeMap, Entry};

use serde::Serialize;

use infralens_page::front_matter::Figures;
use infralens_source::diag::{Code, Diagnostic};
use infralens_source::source::{Source, Span};
use infralens_source::url;
use infralens_source::yaml::{
    Decoder, Extra, Map, OneOrMany, Record, Spanned, Url, choices, http_parts, record, validated_text,
};
pub use labels::Labels;
pub use languages::Languages;
use look::{Colors, Fonts, Logo, SiteLink};
pub use tracks::Tracks;

/// The own names of languages.
const NAMES: [(&str, &str); 31] = [
    ("ar", "العربية"),
    ("bn", "বাংলা"),
    ("cs", "Čeština"),
    ("da", "Dansk"),
    ("de", "Deutsch"),
    ("el", "Ελληνικά"),
    ("en", "English"),
    ("es", "Español"),
    ("fa", "فارسی"),
    ("fi", "Suomi"),
    ("fr", "Français"),
    ("he", "עברית"),
    ("hi", "हिन्दी"),
    ("hu", "Magyar"),
    ("id", "Bahasa Indonesia"),
    ("it", "Italiano"),
    ("ja", "日本語"),
    ("ko", "한국어"),
    ("nl", "Nederlands"),
    ("no", "Norsk"),
    ("pl", "Polski"),
    ("pt", "Português"),
    ("ro", "Română"),
    ("ru", "Русский"),
    ("sv", "Svenska"),
    ("th", "ไทย"),
    ("tr", "Türkçe"),
    ("uk", "Українська"),
    ("ur", "اردو"),
    ("vi", "Tiếng Việt"),
    ("zh", "中文"),
];

/// The setting of a lint that is off everywhere.
const OFF: &str = "off";

record! {
    /// The site's configuration.
    #[derive(Serialize)]
    pub struct Config {
        /// The course's title.
        required title: String = "Untitled";
        /// What the course is about, in one sentence.
        optional tagline: Option<String>;
        /// Where the site will be. Only absolute URLs need it: 404.html, sitemap, feed, canonical links, social cards.
        optional base_url: Option<BaseUrl>;
        /// The language of the course, a BCP 47 tag.
        optional language: Language = "en";
        /// The labels of the interface that differ from those of the language.
        optional labels: Labels;
        /// The other languages of the course, each with its words: `NAME.LANG.md` translates `NAME.md`.
        optional languages: Languages;
        /// The repository of the course; turns on "edit this page" and "report a mistake", and the home page links to it at its
        /// end.
        optional repository: Option<Url>;
        /// Who wrote the course; the home page names them at its end.
        optional author: Option<String>;
        /// The license of the course, such as `CC-BY-4.0`; the home page names it at its end.
        optional license: Option<String>;
        /// The path, below the repository's URL, of the page that edits a file; `{path}` is the file's path in the course.
        optional edit_path: EditPath = "edit/main/{path}";
        /// Where "report a mistake" leads, with `title=` and `body=` added; without it, to a new issue of the repository.
        optional report_url: Option<ReportUrl>;
        /// The tracks in their order: every folder in `content/tracks`.
        optional tracks: Tracks;
        /// The order of pages outside the tracks: pages and folders below `content/`, such as `guide/setup.md`. Others follow.
        optional nav: Vec<Spanned<String>>;
        /// The lab contract.
        optional labs: Labs;
        /// Names that the lint `ungrounded` accepts.
        optional words: Vec<String>;
        /// Lints that are off: everywhere (`off`), or in folders below `content/`, by the names of the lints.
        optional lints: Map<Code, OneOrMany<Spanned<String>>>;
        /// The number of days after which a page's `checked` date is stale.
        optional freshness_days: u32 => 365;
        /// Whether the numbers on pages are checked; a page can say otherwise.
        optional figures: Figures;
        /// How Markdown is parsed.
        optional markdown: Markdown;
        /// Whether each page has a copy in Markdown, which `llms.txt` links to.
        optional copies: bool => true;
        /// The hosts or servers for which a list of old addresses is written; every one has a small page that redirects, too.
        optional redirects: Option<OneOrMany<Spanned<Host>>>;
        /// The logo in the top bar.
        optional logo: Option<Logo>;
        /// The icon that browsers show in tabs and bookmarks, as a path below `static/`.
        optional favicon: Option<Spanned<String>>;
        /// The colors.
        optional colors: Colors;
        /// The fonts.
        optional fonts: Fonts;
        /// Links in the top bar, which are also at the end of every page.
        optional header: Vec<SiteLink>;
        /// Links at the end of every page.
        optional footer: Vec<SiteLink>;
        /// Anything that templates read as `site.extra`.
        optional extra: Extra;
        /// A JSON Schema for `extra`, which the build then checks.
        optional extra_schema: Extra;
    }
}

choices! {
    /// What reads a list of redirects.
    pub enum Host {
        /// Netlify, which reads `_redirects`.
        Netlify = "netlify",
        /// Cloudflare Pages, which reads `_redirects`.
        Cloudflare = "cloudflare",
        /// nginx, whose settings include `redirects.nginx`.
        Nginx = "nginx",
        /// Caddy, whose settings import `redirects.caddy`.
        Caddy = "caddy",
    }
}

impl Host {
    /// Returns the path of its list in the site.
    pub fn file(self) -> &'static str {
        match self {
            Self::Netlify | Self::Cloudflare => "_redirects",
            Self::Nginx => "redirects.nginx",
            Self::Caddy => "redirects.caddy",
        }
    }
}

record! {
    /// The lab contract.
    #[derive(Serialize)]
    pub struct Labs {
        /// The sections that a lab has, in order. An empty list requires none.
        optional sections: Vec<LabSection> => default_sections();
    }
}

record! {
    #[derive(Serialize, PartialEq, Eq)]
    pub struct LabSection {
        /// The text of its heading, up to a colon; case does not matter.
        required title: Spanned<SectionTitle>;
        /// Whether every lab must have it.
        optional required: bool;
        /// What the section contains; prose if left out.
        optional form("as"): Option<SectionForm>;
    }
}

choices! {
    /// What a section of a lab contains, other than prose.
    pub enum SectionForm {
        /// Questions, each with its answer: a definition list, or headings with the answers below.
        Questions = "questions",
        /// A text to say out loud.
        Spoken = "spoken",
        /// The page's reading list is added at its end.
        Reading = "reading",
    }
}

record! {
    /// How Markdown is parsed.
    #[derive(Serialize)]
    pub struct Markdown {
        /// How HTML in Markdown is treated.
        optional raw_html: RawHtml;
    }
}

choices! {
    /// How HTML in Markdown is treated.
    pub enum RawHtml {
        /// Allowed elements and attributes are kept, the rest is shown as text.
        Safe = "safe",
        /// All HTML is kept unchanged, and its links are checked.
        Trusted = "trusted",
        /// All HTML is shown as text.
        Escape = "escape",
    }
}

validated_text! {
    /// The absolute URL of the site's root, with a slash at its end.
    pub struct BaseUrl = "an http or https URL without query and fragment", validate_base_url;
}

validated_text! {
    /// A language tag in the form that BCP 47 defines.
    pub struct Language = "a language tag such as `en` or `pt-BR`", validate_language;
}

validated_text! {
    /// The URL at which mistakes are reported.
    pub struct ReportUrl = "an http or https URL without fragment", validate_report_url;
}

validated_text! {
    /// The path or URL of the page that edits a file.
    pub struct EditPath = "a path or an http or https URL that contains `{path}`", validate_edit_path;
}

validated_text! {
    /// The name of a track and of its folder.
    pub struct TrackName = "a name of letters, digits, `-` and `_`", validate_name;
}

validated_text! {
    /// The title of a section of the lab contract.
    pub struct SectionTitle = "text without a colon", validate_section_title;
}

impl Config {
    /// Returns the configuration of a course whose `site.yaml` cannot be read.
    pub fn unread() -> Self {
        Self { tracks: Tracks::unknown(), ..Self::default() }
    }

    /// Reads `site.yaml`. Missing and invalid values get their defaults.
    pub fn read(source: &Source) -> (Self, Vec<Diagnostic>) {
        let start = source.start();
        let (mut decoder, entries) = Decoder::open(source, start..source.text().len(), start..start, "site.yaml");
        decoder.check_keys(&entries, Self::FIELDS);
        let mut config = Self::from_entries(&entries, &mut decoder);
        if !decoder.is_complete() || entries.is_empty() || tracks::is_key_misspelled(&entries) {
            config.tracks.is_complete = false;
        }
        reject_duplicates(&mut config.tracks.names, &mut decoder, "tracks", |track| (track, &track.span));
        reject_duplicates(&mut config.nav, &mut decoder, "nav", |path| (Self::nav_place(path), &path.span));
        config.labs.sections.retain(|section| !section.title.is_empty());
        reject_duplicates(&mut config.labs.sections, &mut decoder, "labs.sections", |section| {
            (&section.title, &section.title.span)
        });
        config.check_redirects(&mut decoder);
        config.labels.check_placeholders(&entries, &mut decoder);
        config.labels = Labels::of(&config.language, &entries, source);
        config.read_languages(&entries, source, &mut decoder);
        config.fonts.check(&mut decoder);
        (config, decoder.finish())
    }

    /// Reports and removes a host that reads the same file as one before it, each in a form of its own.
    fn check_redirects(&mut self, decoder: &mut Decoder<'_>) {
        let Some(OneOrMany::Many(hosts)) = &mut self.redirects else { return };
        let mut seen: Vec<Spanned<Host>> = Vec::new();
        hosts.retain(|host| {
            let Some(first) = seen.iter().find(|first| first.file() == host.file()) else {
                seen.push(host.clone());
                return true;
            };
            let message = format!("`redirects` names two hosts that read `{}`", host.file());
            decoder.reject_duplicate(&host.span, &first.span, message);
            false
        });
    }

    /// Returns the hosts for which a list of old addresses is written.
    pub fn redirects(&self) -> &[Spanned<Host>] {
        self.redirects.as_ref().map_or(&[], OneOrMany::as_slice)
    }

    /// Returns whether a lint is off for the content file at `path`.
    pub fn is_off(&self, lint: Code, path: &str) -> bool {
        let page = path.strip_prefix("content/");
        let is_within = |folder: &str| page.is_some_and(|page| url::is_within(page, folder.trim_matches('/')));
        let mut lists = self.lints.0.iter().filter(|(code, _)| code.value == lint).map(|(_, places)| places.as_slice());
        lists.any(|places| places.iter().any(|place| place.value == OFF || is_within(place)))
    }

    pub fn lint_folders(&self) -> impl Iterator<Item = &Spanned<String>> {
        self.lints.0.iter().flat_map(|(_, places)| places.as_slice()).filter(|place| place.value != OFF)
    }

    /// Returns the place in an outline that an entry of `nav:` names: `guide/setup` for `guide/setup.md`, and `guide` for
    /// `guide`, `guide/` and `guide/index.md`.
    pub fn nav_place(entry: &str) -> &str {
        let path = entry.trim_end_matches('/');
        let path = path.strip_suffix(".md").unwrap_or(path);
        path.strip_suffix("/index").unwrap_or(path)
    }

    /// Returns the path of the site on its host, with a slash at both ends; `/` without a `base_url`.
    pub fn base_path(&self) -> &str {
        self.base_url.as_ref().map_or("/", BaseUrl::path)
    }

    /// Returns the URL at which a file can be edited; `None` without a `repository`. `path` is relative to the course's root.
    pub fn edit_url(&self, path: &str) -> Option<String> {
        let repository = self.repository.as_ref()?;
        let edit_path = self.edit_path.replace("{path}", &url::encode_except(path, b"-._~/"));
        if http_parts(&edit_path).is_ok() {
            return Some(edit_path);
        }
        Some(format!("{}/{}", repository.trim_end_matches('/'), edit_path.trim_start_matches('/')))
    }

    /// Returns the URL at which a mistake can be reported, with a title and a text filled in; `None` without a `report_url` and
    /// a `repository`. The text is at the end, so that a script can add to it.
    pub fn report_link(&self, title: &str, body: &str) -> Option<String> {
        let [title, body] = [title, body].map(|text| url::encode_except(text, b"-._~/:@"));
        if let Some(page) = &self.report_url {
            let joint = if page.contains('?') { '&' } else { '?' };
            return Some(format!("{}{joint}title={title}&body={body}", &**page));
        }
        let repository = self.repository.as_deref()?.trim_end_matches('/');
        let (origin, _) = http_parts(repository).ok()?;
        // GitLab has names of its own; the other hosts have those of GitHub.
        let (page, names) = if origin.split(['/', '.']).any(|part| part == "gitlab") {
            ("/-/issues/new", ["issue%5Btitle%5D", "issue%5Bdescription%5D"])
        } else {
            ("/issues/new", ["title", "body"])
        };
        Some(format!("{repository}{page}?{}={title}&{}={body}", names[0], names[1]))
    }

    /// Whether mistakes can be reported.
    pub fn takes_reports(&self) -> bool {
        self.report_url.is_some() || self.repository.is_some()
    }
}

impl Labs {
    /// Returns the titles of the sections, in order.
    pub fn titles(&self) -> Vec<&str> {
        self.sections.iter().map(|section| &**section.title).collect()
    }
}

impl Language {
    /// Returns the subtag of the language, in lower case: the case of a tag has no meaning.
    pub fn primary(&self) -> String {
        self.split('-').next().unwrap_or_default().to_ascii_lowercase()
    }

    /// Returns the language's own name; the tag of a language that is not known.
    pub fn own_name(&self) -> &str {
        let is_traditional = labels::is_traditional(self);
        let name = NAMES.iter().find(|(tag, _)| *tag == self.primary()).map_or(&**self, |(_, name)| name);
        if name == "中文" && is_traditional { "中文（繁體）" } else { name }
    }

    /// Whether a text is the tag of a language that has a name here.
    pub fn is_known(tag: &str) -> bool {
        Self::parse(tag).is_ok_and(|language| NAMES.iter().any(|(known, _)| *known == language.primary()))
    }

    pub fn is_english(&self) -> bool {
        self.primary() == "en"
    }

    /// Whether it is written from right to left: in the script that the tag names, or else in the one of the language.
    pub fn is_right_to_left(&self) -> bool {
        const SCRIPTS: [&str; 8] = ["arab", "hebr", "thaa", "syrc", "nkoo", "adlm", "rohg", "aran"];
        const LANGUAGES: [&str; 16] =
            ["ar", "arc", "ckb", "dv", "fa", "he", "iw", "ji", "nqo", "pnb", "ps", "sd", "syr", "ug", "ur", "yi"];
        let script = self.split('-').skip(1).find(|subtag| subtag.len() == 4 && !subtag.starts_with(char::is_numeric));
        match script {
            Some(script) => SCRIPTS.contains(&&*script.to_ascii_lowercase()),
            None => LANGUAGES.contains(&&*self.primary()),
        }
    }
}

impl BaseUrl {
    /// Returns its path, with a slash at both ends.
    pub fn path(&self) -> &str {
        http_parts(self).map_or("/", |(_, path)| path)
    }
}

/// Returns the lab contract of a course that does not define one.
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

/// Reports and removes duplicates in a list; names that differ only in case are duplicates.
fn reject_duplicates<T>(
    items: &mut Vec<T>,
    decoder: &mut Decoder<'_>,
    list: &str,
    name: impl for<'t> Fn(&'t T) -> (&'t str, &'t Span),
) {
    let mut seen = BTreeMap::new();
    items.retain(|item| {
        let (name, span) = name(item);
        let before = seen.entry(name.to_lowercase());
        if let Entry::Occupied(before) = &before {
            decoder.reject_duplicate(span, before.get(), format!("`{list}` names `{name}` twice"));
            return false;
        }
        before.or_insert_with(|| span.clone());
        true
    });
}

fn validate_base_url(text: &str) -> Result<String, &'static str> {
    let (_, path) = http_parts(text)?;
    if path.contains(['?', '#']) {
        return Err("it has a query or a fragment");
    }
    if !text.is_ascii() {
        return Err("it contains a character that must be percent-encoded");
    }
    // Browsers read a path that begins with two slashes as a host.
    let path = path.strip_prefix('/').unwrap_or(path).trim_end_matches('/');
    if !path.is_empty() && path.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
        return Err("its path contains an empty part, `.` or `..`");
    }
    Ok(format!("{}/", text.trim_end_matches('/')))
}

fn validate_language(text: &str) -> Result<String, &'static str> {
    let mut tags = text.split('-');
    let primary = tags.next().unwrap_or_default();
    // BCP 47 would allow eight letters, and has no language with more than three.
    let letters = (2..=3).contains(&primary.len()) && primary.bytes().all(|byte| byte.is_ascii_alphabetic());
    let rest = tags.all(|tag| (1..=8).contains(&tag.len()) && tag.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    if letters && rest { Ok(text.to_owned()) } else { Err("this does not have that form") }
}

fn validate_edit_path(text: &str) -> Result<String, &'static str> {
    if !text.contains("{path}") {
        return Err("there is no `{path}` in it");
    }
    if text.contains("://") {
        http_parts(&text.replace("{path}", "path"))?;
    }
    Ok(text.to_owned())
}

fn validate_report_url(text: &str) -> Result<String, &'static str> {
    http_parts(text)?;
    if text.contains('#') { Err("it has a fragment") } else { Ok(text.to_owned()) }
}

fn validate_name(text: &str) -> Result<String, &'static str> {
    let fits = |found: char| found.is_alphanumeric() || matches!(found, '-' | '_');
    if !text.is_empty() && text.chars().all(fits) {
        Ok(text.to_owned())
    } else {
        Err("this contains another character")
    }
}

fn validate_section_title(text: &str) -> Result<String, &'static str> {
    if text.contains(':') {
        Err("a heading's text after a colon is not part of its title")
    } else {
        Ok(text.to_owned())
    }
}

#[cfg(test)]
mod tests;
