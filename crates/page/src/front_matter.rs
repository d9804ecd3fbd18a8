//! Reads the front matter of a content file.
//!
//! 1. [`split`] finds the two `---` lines; they are front matter only at the very start of the file.
//! 2. [`read`] reads the YAML between them into a [`FrontMatter`]: the keys that every page has, and those of a track, a
//!    section or a lab.

pub use super::placement::Kind;
use super::{fence, placement};
use infralens_source::diag::{Code, Diagnostic, Edit, Fix, codes};
use infralens_source::source::{Source, Span, lines_from};
use infralens_source::url;
use infralens_source::yaml::{
    Date, Decoder, Extra, Field, Map, OneOrMany, Record, Spanned, Url, choices, record, validated_text,
};

/// The kinds of pages whose front matter differs; that of all others is like that of [`Kind::Page`].
pub const KINDS: [Kind; 4] = [Kind::Page, Kind::Track, Kind::Section, Kind::Lab];

impl Kind {
    /// Returns the keys of the front matter, beginning with those that every page has.
    pub fn fields(self) -> Vec<Field> {
        let mut fields = Common::FIELDS.to_vec();
        if matches!(self, Self::Track | Self::Section) {
            fields.iter_mut().filter(|field| field.name == "summary").for_each(|field| field.required = true);
        }
        // The order of the others follows from numbers, prerequisites and site.yaml.
        let has_order = !matches!(self, Self::Track | Self::Section | Self::Lab);
        fields.retain(|field| has_order || !matches!(field.name, "order" | "template" | "pages" | "extra_schema"));
        fields.retain(|field| self == Self::Section || field.name != "numbered");
        match self {
            Self::Track => fields.extend_from_slice(Track::FIELDS),
            Self::Section => fields.extend_from_slice(After::FIELDS),
            Self::Lab => {
                fields.extend_from_slice(Lab::FIELDS);
                fields.extend_from_slice(After::FIELDS);
            }
            _ => {}
        }
        fields
    }
}

/// The front matter of a page. A missing or invalid value has its default; a diagnostic reports it.
#[derive(Debug, Clone, Default)]
pub struct FrontMatter {
    /// The keys that every page has.
    pub common: Common,
    /// Prerequisites of a section or a lab as written: `x` or `track/x`.
    pub after: Vec<Spanned<String>>,
    /// The keys of a track; empty for any other kind.
    pub track: Track,
    /// The keys of a lab; `None` for any other kind.
    pub lab: Option<Lab>,
}

choices! {
    /// Whether the figures of a page, which are its numbers with a unit, a decimal point or a thousands separator, are checked.
    pub enum Figures {
        /// Not checked.
        Free = "free",
        /// Each comes from a value or `given`.
        Checked = "checked",
    }
}

record! {
    /// The keys that every page has.
    pub struct Common {
        /// The page's title.
        required title: Spanned<String>;
        /// What the page is about, in a sentence; shown where the page is listed.
        optional summary: Option<Spanned<String>>;
        /// The day on which the page's version-sensitive claims were last checked.
        optional checked: Option<Spanned<Date>>;
        /// The day on which the page was published, by which lists and the feed are sorted; left out, it is `checked`.
        optional date: Option<Spanned<Date>>;
        /// Who wrote the page: a name, or a list of names.
        optional author: Option<OneOrMany<String>>;
        /// Further reading: keys of `content/references.yaml`.
        optional reading: Vec<Spanned<String>>;
        /// The position of a page outside all tracks among the pages of its folder, and of a front page `index.md` among the
        /// folders; pages without it come after the others, by name.
        optional order: Option<u32>;
        /// Whether a section is shown with its number; true if left out. The number orders it in any case.
        optional numbered: Option<bool>;
        /// Whether the page is only published with `--drafts`.
        optional draft: bool;
        /// Old URLs that lead here, from the site's root.
        optional aliases: Vec<Spanned<OldUrl>>;
        /// Lints that are silenced on this page.
        optional allow: Vec<Spanned<Code>>;
        /// Whether the figures of this page are checked; left out, those of a page that declares values are, and for other
        /// pages `figures` of `site.yaml` decides.
        optional figures: Option<Figures>;
        /// Figures that come from elsewhere, each with its source: a key of `content/references.yaml`, or a few words.
        optional given: Map<String, Spanned<String>>;
        /// The template of a page outside all tracks, a file in `templates/`; left out, it is `page.html`.
        optional template: Option<Spanned<TemplateName>>;
        /// Anything that templates read as `page.extra`.
        optional extra: Extra;
        /// A JSON Schema for `extra` of this page, which the build then checks.
        optional extra_schema: Extra;
        /// On the front page `index.md` of a folder outside all tracks: what holds for the other pages in this folder, and in
        /// folders below it without a front page.
        optional pages: Option<FolderPages>;
    }
}

impl Common {
    /// Returns the date of the page: `date`, or without it `checked`.
    pub fn day(&self) -> Option<Date> {
        self.date.as_ref().or(self.checked.as_ref()).map(|date| date.value)
    }

    /// Returns the later of the dates on which the page was published and checked.
    pub fn updated(&self) -> Option<Date> {
        self.date.iter().chain(&self.checked).map(|date| date.value).max()
    }

    /// Returns who wrote the page.
    pub fn authors(&self) -> &[String] {
        let authors = self.author.as_ref().map_or(&[][..], OneOrMany::as_slice);
        if authors.iter().any(|name| !name.trim().is_empty()) { authors } else { &[] }
    }
}

record! {
    /// What holds for the pages in a folder, and in the folders below that have no front page.
    #[derive(PartialEq, Eq)]
    pub struct FolderPages {
        /// Their template, if they name none.
        optional template: Option<Spanned<TemplateName>>;
        /// Their order, for those without `order`.
        optional order: FolderOrder;
        /// A JSON Schema for their `extra`.
        optional extra: Extra;
    }
}

choices! {
    /// The order of the pages in a folder.
    pub enum FolderOrder {
        /// By name.
        Name = "name",
        /// The newest first, by their dates; pages without one come last.
        Newest = "newest",
    }
}

record! {
    struct After {
        /// Prerequisites: sections or labs, `name` or `track/name`.
        optional after: Vec<Spanned<String>>;
    }
}

record! {
    /// The keys of a track, which its reading map shows.
    pub struct Track {
        /// The questions that the groups of labs answer, by the names of the groups: a sentence each.
        optional groups: Map<String, Spanned<String>>;
        /// Ways through the track, by their names: the labs and sections that each consists of. The map grays the others.
        optional ways: Map<String, Vec<Spanned<String>>>;
    }
}

record! {
    pub struct Lab {
        /// Groups the curriculum table, and is part of the breadcrumb.
        optional group: Option<Spanned<String>>;
        /// The curriculum's column "Concept focus".
        required focus: Spanned<String>;
        /// The curriculum's column "What you read".
        required reads: Spanned<String>;
        /// The curriculum's column "What you should be able to explain".
        required outcome: Spanned<String>;
        /// The handbook sections that the lab practices, one or more: `section` or `track/section`, without the number.
        required handbook: Vec<Spanned<String>>;
        /// Minutes that the lab takes; left out, they are estimated.
        optional minutes: Option<u32>;
        /// The code that the lab reads.
        required starter: Starter;
    }
}

record! {
    /// The code that a lab reads.
    pub struct Starter {
        /// A file of the lab's own folder; with a slash, a path from `code/`.
        required file: Option<Spanned<String>>;
        /// What kind of code it is: the starter table's column "Starter type".
        required kind("type"): Spanned<String>;
        /// What to look for in it: the starter table's column "Reading angle".
        required angle: Spanned<String>;
        /// How to run it, where that is worth doing.
        optional run: Option<Spanned<String>>;
        /// Commands whose output `infralens record` stores next to the starter, by the names of their records.
        optional record: Map<RecordName, Spanned<String>>;
        /// Where its files are from, if another project wrote them; a list of such maps if several are.
        optional upstream: Option<OneOrMany<Upstream>>;
    }
}

record! {
    /// Where a starter file is from.
    #[derive(PartialEq, Eq)]
    pub struct Upstream {
        /// The repository of the project.
        required repository: Option<Spanned<Url>>;
        /// The commit in which the file is as it is here, or is like it.
        required commit: Spanned<String>;
        /// The path of the file in the repository.
        required path: Spanned<String>;
        /// The license of the file: an SPDX identifier, such as `Apache-2.0`.
        optional license: Option<Spanned<String>>;
        /// The file here, as in `starter.file`; left out, it is the lab's main file.
        optional file: Option<Spanned<String>>;
    }
}

impl Starter {
    /// Returns where its files are from, in the order of the front matter.
    pub fn upstreams(&self) -> &[Upstream] {
        self.upstream.as_ref().map_or(&[], OneOrMany::as_slice)
    }
}

impl Upstream {
    /// Returns the address at which the repository's host shows the file at that commit; `None` if there is no repository.
    pub fn permalink(&self) -> Option<String> {
        let repository = self.repository.as_ref()?.trim_end_matches('/').trim_end_matches(".git");
        // GitHub's form is that of most hosts.
        let view = match repository {
            host if host.contains("gitlab") => "-/blob",
            host if host.contains("bitbucket.org") => "src",
            host if host.contains("codeberg.org") || host.contains("gitea") => "src/commit",
            _ => "blob",
        };
        let path = url::encode(self.path.trim_start_matches('/'));
        Some(format!("{repository}/{view}/{}/{path}", url::encode(&self.commit)))
    }
}

validated_text! {
    /// The name of a template.
    pub struct TemplateName = "the name of a file in `templates/`, such as `post.html`", admit_template;
}

/// Without an extension, `.html` is meant.
fn admit_template(text: &str) -> Result<String, &'static str> {
    let parts = || text.split('/');
    if parts().any(|part| matches!(part, "" | "." | "..")) {
        return Err("it is not a path below `templates/`");
    }
    Ok(if parts().next_back().is_some_and(|name| name.contains('.')) {
        text.to_owned()
    } else {
        format!("{text}.html")
    })
}

validated_text! {
    /// The name of a record, and of its file without `.json`.
    pub struct RecordName = "a name of lowercase letters `a` to `z`, digits and `-`", admit_record_name;
}

validated_text! {
    /// An old URL of a page, from the site's root: `old/page.html`.
    pub struct OldUrl = "a relative path to an `.html` file, such as `old/page.html`", admit_old_url;
}

fn admit_old_url(text: &str) -> Result<String, &'static str> {
    if text.starts_with('/') {
        return Err("it begins with `/`");
    }
    if text.split('/').any(|segment| matches!(segment, "." | "..")) {
        return Err("it contains `.` or `..`");
    }
    let Some(stem) = text.strip_suffix(".html").filter(|stem| !stem.is_empty() && !stem.ends_with('/')) else {
        return Err("it does not end in `.html`");
    };
    if stem.split('/').any(str::is_empty) {
        return Err("one of its parts is empty");
    }
    if !stem.split('/').all(placement::is_name) {
        return Err("it contains a character that such paths do not have: names are letters, digits, `-` and `_`");
    }
    let first = stem.split('/').next().unwrap_or_default();
    if stem.contains('/') && RESERVED_FOLDERS.iter().any(|folder| folder.eq_ignore_ascii_case(first)) {
        return Err("its folder is reserved for files of the site or of its host");
    }
    Ok(text.to_owned())
}

/// Folders at the root of a site in which there are no pages: scripts and styles, the search index, starters; and addresses
/// that Cloudflare and Vercel answer themselves.
const RESERVED_FOLDERS: [&str; 5] = ["assets", "search", "code", "cdn-cgi", "_vercel"];

fn admit_record_name(text: &str) -> Result<String, &'static str> {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if text.is_empty() {
        Err("this is empty")
    } else if text.bytes().all(fits) {
        Ok(text.to_owned())
    } else {
        Err("this contains another character")
    }
}

/// Finds the front matter of a file. Returns the span of the YAML between its two `---` lines, `None` if there is none, and
/// the offset at which the body begins.
///
/// The first `---` must be the first line of the file, after a BOM at most. If the second is missing (`E0102`), the lines up
/// to the first blank one are taken for the front matter.
pub fn split(source: &Source) -> (Option<Span>, usize, Vec<Diagnostic>) {
    let is_fence = |line: &str| line.trim_end() == "---";
    let mut lines = source.text()[source.start()..].split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| is_fence(line)) else {
        return (None, source.start(), Vec::new());
    };
    let start = source.start() + first.len();
    let mut at = start;
    for line in lines {
        if is_fence(line) {
            return (Some(start..at), at + line.len(), Vec::new());
        }
        at += line.len();
    }
    let opening = source.place(source.start()..source.start() + first.trim_end().len());
    let mut error = Diagnostic::new(codes::E0102, opening, "the front matter is not closed")
        .label("opened here")
        .help("end it with a line `---`");
    let head = head(source, start);
    let line_end = fence::write::line_end(source.text(), source.start());
    let before = if source.text()[..head.end].ends_with('\n') { "" } else { line_end };
    let mut edit = Edit::new(source, head.end..head.end, format!("{before}---{line_end}"));
    if let Some((at, line)) = lines_from(&source.text()[head.clone()], head.start).find(|(_, line)| is_rule(line)) {
        let span = at..at + line.trim_end().len();
        error = error.related(source.place(span.clone()), "this line is not `---`");
        edit = Edit::new(source, span, "---");
    }
    let error = error.fix(Fix::new("end it with a line `---`", vec![edit]));
    (None, head.end, vec![error])
}

/// Returns the lines below `start` that are probably meant as front matter where none can be read: up to the first blank line.
fn head(source: &Source, start: usize) -> Span {
    let lines = source.text()[start..].split_inclusive('\n');
    start..start + lines.take_while(|line| !line.trim().is_empty()).map(str::len).sum::<usize>()
}

/// Whether a line is nearly the `---` that opens and closes front matter: other dashes, or more or fewer of them.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line != "---" && line.chars().count() > 1 && line.chars().all(|c| matches!(c, '-' | '‐'..='―' | '−' | '+' | '='))
}

/// Returns the lines that are meant as front matter, and are read as Markdown because it is not opened. What is
/// wrong with that Markdown follows from the `errors` of the front matter.
pub fn unread(source: &Source, body_start: usize, errors: &[Diagnostic]) -> Span {
    let is_missing = errors.iter().any(|error| error.code == codes::E0101);
    let head = head(source, body_start);
    let is_key = |line: &str| line.split_once(':').is_some_and(|(key, _)| placement::is_name(key));
    let is_meant = |line: &str| is_rule(line) || line.trim() == "---" || is_key(line);
    let first = source.text()[head.clone()].lines().next();
    if is_missing && first.is_some_and(is_meant) { head } else { body_start..body_start }
}

/// Reads the front matter of a file, and returns it with the offset at which the body begins. A page without front matter
/// is an error (`E0101`).
pub fn read(source: &Source, kind: Kind) -> (FrontMatter, usize, Vec<Diagnostic>) {
    let (yaml, body, mut diagnostics) = split(source);
    let lab = (kind == Kind::Lab).then(Lab::default);
    if yaml.is_none() && diagnostics.is_empty() {
        diagnostics.push(missing(source));
        return (FrontMatter { lab, ..FrontMatter::default() }, body, diagnostics);
    }
    let opening = source.start()..source.start() + "---".len();
    let is_closed = yaml.is_some();
    let yaml = yaml.unwrap_or(opening.end..body);
    let (mut reader, entries) = Decoder::open(source, yaml, opening, "the front matter");
    reader.check_keys(&entries, &kind.fields());
    let common = Common::from_entries(&entries, &mut reader);
    let after = match kind {
        Kind::Section | Kind::Lab => After::from_entries(&entries, &mut reader).after,
        _ => Vec::new(),
    };
    let track = if kind == Kind::Track { Track::from_entries(&entries, &mut reader) } else { Track::default() };
    let lab = lab.map(|_| Lab::from_entries(&entries, &mut reader));
    // Without its end, the block may not be front matter at all, so no other error in it is reported.
    diagnostics.extend(Some(reader.finish()).filter(|_| is_closed).unwrap_or_default());
    (FrontMatter { common, after, track, lab }, body, diagnostics)
}

fn missing(source: &Source) -> Diagnostic {
    let start = source.start();
    let error = source.diagnostic(codes::E0101, start..start, "the page has no front matter");
    if source.lines().find(|line| !line.trim().is_empty()).is_some_and(|line| line.trim() == "---") {
        let text = &source.text()[start..];
        let edit = Edit::new(source, start..start + text.len() - text.trim_start().len(), "");
        return error
            .help("the line `---` must be the first line of the file, without spaces before it")
            .fix(Fix::new("remove what is before it", vec![edit]).sure(true));
    }
    if source.lines().next().is_some_and(is_rule) {
        return error.help("its first line must be three hyphens, `---`, and so must the line that ends it");
    }
    error.help("begin the file with a line `---`, a line `title: …` and another line `---`")
}

#[cfg(test)]
mod tests;
