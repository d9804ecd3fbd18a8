//! What can be written at a place, by the text before it. That text may be newer than the plan, which knows the names.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use infralens_course::config::Config;
use infralens_course::course::{PageId, starter, url};
use infralens_course::references::References;
use infralens_page::placement::{self, Placement};
use infralens_page::value_block::{CALC, is_values};
use infralens_page::{Kind as PageKind, fence, front_matter};
use infralens_render::figures::PageValue;
use infralens_render::{Context, ResolvedPage as Page};
use infralens_site::Site;
use infralens_source::project::{REFERENCES, SITE};
use infralens_source::selector::Selector;
use infralens_source::source::{Source, Span};
use infralens_source::yaml::{Record, Type};
use infralens_starter::{Listing, highlight, language};

mod comment;
mod formula;
mod front;
mod note;

pub use front::fields_at;
use front::write_required;

/// The maximum number of proposals. Of more, those are returned that have the letters that are typed.
const MOST: usize = 200;

/// The snippet of a calculator.
const CALCULATOR: &str = "```calc title=\"${1:Title}\"
${2:n} = ${3:8}  # ${4:what it counts} [1 .. 64]
${5:total} = ${2:n} * ${6:2 GB}  # =
```";

/// What a proposal is, for its picture in the editor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Key,
    Value,
    File,
    Code,
    Reference,
    Snippet,
}

/// Something that can be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// What the list shows.
    pub label: String,
    pub kind: Kind,
    /// A few words next to the label.
    pub detail: String,
    /// What explains it, as Markdown.
    pub doc: String,
    /// The text that replaces the span.
    pub insert: String,
    /// Whether the text has places to fill, `${1:name}`.
    pub is_snippet: bool,
    /// What is replaced.
    pub span: Span,
}

impl Completion {
    fn new(kind: Kind, label: impl Into<String>, span: &Span) -> Self {
        let label = label.into();
        let insert = label.clone();
        Self { label, kind, detail: String::new(), doc: String::new(), insert, is_snippet: false, span: span.clone() }
    }

    fn detail(self, detail: impl Into<String>) -> Self {
        Self { detail: detail.into(), ..self }
    }

    fn doc(self, doc: impl Into<String>) -> Self {
        Self { doc: doc.into(), ..self }
    }

    fn insert(self, insert: impl Into<String>) -> Self {
        Self { insert: insert.into(), ..self }
    }

    fn snippet(self, insert: impl Into<String>) -> Self {
        Self { insert: insert.into(), is_snippet: true, ..self }
    }
}

/// Where one is writing.
struct Cursor<'a> {
    site: &'a Site,
    cx: Context<'a>,
    /// The page as it was planned, if it could be read.
    page: Option<Page<'a>>,
    placement: Placement,
    source: &'a Source,
    offset: usize,
    /// The line up to the cursor.
    before: &'a str,
    line_start: usize,
}

/// Returns what can be written at an offset of a page's current text, and whether that is all: if not, an editor asks again
/// after each letter.
pub fn complete(site: &Site, source: &Source, offset: usize) -> (Vec<Completion>, bool) {
    let mut found = proposals(site, source, offset);
    let is_all = found.len() <= MOST;
    if !is_all {
        found.retain(|one| has_letters(&one.insert, &source.text()[one.span.clone()]));
        found.truncate(MOST);
    }
    (found, is_all)
}

/// Returns whether a text has some letters in this order, regardless of case and of what is between them.
fn has_letters(text: &str, letters: &str) -> bool {
    let mut text = text.chars().flat_map(char::to_lowercase);
    letters.chars().flat_map(char::to_lowercase).all(|letter| text.any(|c| c == letter))
}

fn proposals(site: &Site, source: &Source, offset: usize) -> Vec<Completion> {
    let text = source.text();
    if offset < source.start() || !text.is_char_boundary(offset) {
        return Vec::new();
    }
    let line_start = source.line_span(source.line(offset)).start;
    let Some(before) = text.get(line_start..offset) else { return Vec::new() };
    let page = site.source(source.path());
    let placement = placement::place(source.path()).unwrap_or_else(|_| placement::readme(""));
    let cursor = Cursor { site, cx: site.context(), page, placement, source, offset, before, line_start };
    if **source.path() == *REFERENCES {
        return cursor.in_yaml(References::TYPE);
    }
    if **source.path() == *SITE {
        return cursor.in_yaml(Type::Record(Config::FIELDS));
    }
    if !source.path().ends_with(".md") {
        return cursor.in_starter();
    }
    let (_, body, errors) = front_matter::split(source);
    // Front matter that is being written has no end yet.
    let is_in_front = offset < body || !errors.is_empty() && offset == body && line_start > source.start();
    if is_in_front { cursor.in_front_matter() } else { cursor.in_body() }
}

impl<'a> Cursor<'a> {
    /// Returns the span from a number of bytes before the cursor to it.
    fn typed(&self, length: usize) -> Span {
        self.offset - length..self.offset
    }

    /// Returns the keys of the bibliography, each behind `sign`.
    fn keys(&self, span: &Span, sign: &str) -> Vec<Completion> {
        let entries = self.cx.references.iter();
        let entries = entries.map(|(key, entry)| {
            let label = format!("{sign}{}", key.value);
            Completion::new(Kind::Reference, label, span).detail(entry.short()).doc(entry.title.clone())
        });
        entries.collect()
    }

    /// Whether the page could require another one: that is not the page itself, does not require it, directly or through others,
    /// and is no draft, unless the page is one.
    fn may_require(&self, other: PageId) -> bool {
        let pages = &self.cx.course.pages;
        let Some(own) = self.cx.course.page_of(self.source.path()) else {
            return *pages[other].name() != *self.placement.name;
        };
        let (mut seen, mut open) = (BTreeSet::from([other]), vec![other]);
        while let Some(page) = open.pop() {
            open.extend(pages[page].prerequisites.iter().filter(|page| seen.insert(**page)));
        }
        !seen.contains(&own) && (pages[other].published || !pages[own].published)
    }

    fn main_file(&self) -> Option<&'a str> {
        self.page.as_ref()?.subject.main_file
    }

    /// Returns the name of the lab's own starter folder, below `code/`.
    fn own_folder(&self) -> Option<String> {
        let folder = self.main_file().map(|path| url::folder(path).to_owned());
        let by_name = || url::file_name(self.source.path()).strip_suffix(".md").map(|name| format!("code/{name}"));
        folder.or_else(|| by_name().filter(|folder| self.cx.project.has_folder(folder)))
    }

    /// Returns the files of the lab's own starter folder, by their paths from it: first the file that it reads, last READMEs.
    fn own_files(&self) -> Vec<String> {
        let Some(folder) = self.own_folder() else { return Vec::new() };
        let below = self.cx.project.below(&folder).filter(|(path, _)| !starter::is_record(path));
        let mut files: Vec<&str> = below.map(|(path, _)| path.as_ref()).collect();
        let main = self.main_file();
        files.sort_by_key(|path| (Some(*path) != main, url::file_name(path).starts_with("README")));
        files.iter().map(|path| path[folder.len() + 1..].to_owned()).collect()
    }

    fn in_body(&self) -> Vec<Completion> {
        let head = self.before.trim_start();
        if head.starts_with("```") || head.starts_with("~~~") {
            return self.in_fence_head(head);
        }
        if let Some(found) = self.in_formula() {
            return found;
        }
        if self.is_in_fence() {
            return Vec::new();
        }
        if let (Some(title), PageKind::Lab) = (self.before.strip_prefix("## "), self.placement.kind) {
            return self.sections(title);
        }
        if let Some(comment) = self.before.strip_prefix("<!--") {
            return self.comments(comment);
        }
        let found = self.in_note().or_else(|| self.in_code_span());
        if let Some(found) = found.or_else(|| self.in_link()).or_else(|| self.in_citation()) {
            return found;
        }
        if self.before.chars().all(char::is_alphanumeric) { self.snippets() } else { Vec::new() }
    }

    /// Whether the cursor is in the body of a fence.
    fn is_in_fence(&self) -> bool {
        let above = self.source.text()[..self.line_start].lines().filter(|line| {
            let line = line.trim_start();
            line.starts_with("```") || line.starts_with("~~~")
        });
        above.count() % 2 == 1
    }

    fn in_fence_head(&self, head: &str) -> Vec<Completion> {
        if self.is_in_fence() {
            return Vec::new();
        }
        let info = head.trim_start_matches(['`', '~']);
        // A value in quotation marks may have spaces.
        if let Some((name, _)) = info.rsplit_once("=\"").filter(|(_, value)| !value.contains('"')) {
            return if name.ends_with(" mark") || name.ends_with(" light") { self.terms(info) } else { Vec::new() };
        }
        let word = info.rsplit(' ').next().unwrap_or_default();
        let span = self.typed(word.len());
        if !info.contains(' ') {
            return self.languages().into_iter().map(|name| Completion::new(Kind::Value, name, &span)).collect();
        }
        match word.split_once('=') {
            None => {
                let is_new = |name: &&str| !info.contains(&format!(" {name}="));
                let names = fence::ATTRIBUTES.into_iter().filter(is_new);
                names.map(|name| Completion::new(Kind::Key, name, &span).insert(format!("{name}="))).collect()
            }
            Some(("file" | "since", value)) => self.code_path(value, false),
            Some(("numbers", value)) => {
                let span = self.typed(value.len());
                ["true", "false"].map(|word| Completion::new(Kind::Value, word, &span)).into()
            }
            Some(_) => Vec::new(),
        }
    }

    /// Returns the languages of fences: that of the page's own code, those of the course's code, the most frequent first, and
    /// all others.
    fn languages(&self) -> Vec<String> {
        let word = |listing: &Listing| language::word(listing.language_path(), listing.line(0)).to_lowercase();
        let own = self.main_file().and_then(|path| self.listing(path)).map(|listing| word(&listing));
        let mut uses: BTreeMap<String, usize> = BTreeMap::new();
        for listing in self.cx.listings.values() {
            *uses.entry(word(listing)).or_default() += 1;
        }
        let names = [CALC, "mermaid", "pikchr"].into_iter().chain(highlight::names()).map(str::to_lowercase);
        let names: BTreeSet<String> = names.chain(uses.keys().cloned()).chain(own.clone()).collect();
        let mut names: Vec<String> = names.into_iter().collect();
        names.sort_by_key(|name| (own.as_ref() != Some(name), Reverse(uses.get(name).copied())));
        names
    }

    /// Returns the sections of the lab contract that the page does not have, for a heading `## `.
    fn sections(&self, written: &str) -> Vec<Completion> {
        let title = |text: &str| text.split(':').next().unwrap_or_default().trim().to_lowercase();
        let headings = self.source.text().lines().filter_map(|line| line.strip_prefix("## "));
        // The heading at the cursor is one of them.
        let mut there: Vec<String> = headings.map(title).collect();
        let end = self.source.text()[self.offset..].lines().next().unwrap_or_default();
        let own = title(&format!("{written}{end}"));
        if let Some(at) = there.iter().position(|title| *title == own) {
            there.remove(at);
        }
        let span = self.typed(written.len());
        let missing =
            self.site.config().labs.sections.iter().filter(|section| !there.contains(&title(&section.title.value)));
        let required = |required: bool| if required { "required" } else { "" };
        missing
            .map(|section| {
                Completion::new(Kind::Value, &*section.title.value, &span).detail(required(section.required))
            })
            .collect()
    }

    /// Returns what completes `PATH` or `PATH#SELECTOR` of code. In a link, files of the own folder need no path.
    fn code_path(&self, written: &str, is_link: bool) -> Vec<Completion> {
        let Some((path, selector)) = written.split_once('#') else {
            let span = self.typed(written.len());
            let own = self.own_files().into_iter().map(|path| Completion::new(Kind::File, path, &span));
            let all = self.cx.project.below("code").filter(|(path, _)| !starter::is_record(path));
            let folder = self.own_folder().map(|folder| folder + "/");
            let others = all.filter(|(path, _)| folder.as_ref().is_none_or(|own| !path.starts_with(own)));
            let others = others.map(|(path, _)| Completion::new(Kind::File, &path["code/".len()..], &span));
            let records =
                if is_link { Vec::new() } else { self.records(Kind::File, &span, |name| format!("record:{name}")) };
            return own.chain(others).chain(records).collect();
        };
        let Ok(file) = starter::named(self.main_file(), path) else { return Vec::new() };
        let Some(listing) = self.listing(&file) else { return Vec::new() };
        let last = if is_link { selector } else { selector.rsplit(',').next().unwrap_or_default() };
        Self::selectors(&listing, &self.typed(last.len()))
    }

    /// Returns a starter file, which is parsed if no page names it yet.
    fn listing(&self, path: &str) -> Option<std::sync::Arc<Listing>> {
        let known = self.cx.listings.get(path).cloned();
        known.or_else(|| Some(std::sync::Arc::new(Listing::new(self.cx.project.text(path)?).0)))
    }

    fn selectors(listing: &Listing, span: &Span) -> Vec<Completion> {
        let regions = listing.regions().iter().map(|region| {
            let detail = format!("region, {}", listing.lines_name(&region.lines));
            Completion::new(Kind::Code, region.name.as_str(), span).detail(detail)
        });
        let symbols =
            listing.symbols().iter().filter(|it| it.doubt.is_none()).map(|it| (format!("fn:{}", it.path), &it.lines));
        let symbols = symbols.map(|(name, at)| Completion::new(Kind::Code, name, span).detail(listing.lines_name(at)));
        let cells = listing.selectable_cells().map(|cell| Completion::new(Kind::Code, cell, span).detail("cell"));
        let whole = (!listing.is_notebook()).then(|| format!("L1-L{}", listing.line_count()));
        let whole = whole.map(|whole| Completion::new(Kind::Code, whole, span).detail("lines by number, which move"));
        regions.chain(symbols).chain(cells).chain(whole).collect()
    }

    /// Returns the records that the page's lab declares, in the form in which they are named.
    fn records(&self, kind: Kind, span: &Span, form: fn(&str) -> String) -> Vec<Completion> {
        let lab = self.page.as_ref().and_then(|page| page.subject.document.front.lab.as_ref());
        let named = |name: &str, command: &str| Completion::new(kind, form(name), span).detail(command);
        lab.iter().flat_map(|lab| &lab.starter.record.0).map(|(name, run)| named(&name.value, &run.value)).collect()
    }

    fn in_link(&self) -> Option<Vec<Completion>> {
        let (before, target) = self.before.rsplit_once("](")?;
        if target.contains([')', ' ']) {
            return None;
        }
        if let Some(code) = target.strip_prefix("code:") {
            return Some(self.code_path(code, true));
        }
        let own = self.source.path();
        let course = self.cx.course;
        if let Some((path, id)) = target.split_once('#') {
            let of_note = if path.is_empty() { self.place_of_note(&self.typed(id.len())) } else { None };
            if of_note.is_some() {
                return of_note;
            }
            let path = if path.is_empty() { own.to_string() } else { url::join(url::folder(own), &url::decode(path))? };
            let span = self.typed(id.len());
            if path.starts_with("code/") {
                let listing = self.listing(&path)?;
                return Some(Self::selectors(&listing, &span));
            }
            let headings = &course.pages[course.page_of(&path)?].summary.as_ref()?.headings;
            let ids = headings.iter().filter(|(id, _)| id.as_str() != infralens_page::ANY_HEADING);
            let ids = ids.map(|(id, text)| Completion::new(Kind::Reference, id.as_str(), &span).detail(text.as_str()));
            let values = if path == **own { self.named_values(&span, "") } else { Vec::new() };
            return Some(ids.chain(values).collect());
        }
        let span = self.typed(target.len());
        // A link without text has that of a value; one around a figure says which value it is.
        let text = before.rsplit_once('[').map_or("", |(_, text)| text);
        let is_of_value = text.is_empty() || text.starts_with(|c: char| c.is_ascii_digit());
        let values = if is_of_value { self.named_values(&span, "#") } else { Vec::new() };
        let summaries = course.pages.iter().filter_map(|page| Some((page, page.summary.as_ref()?)));
        let pages = summaries.filter(|(_, summary)| summary.path != *own).map(|(page, summary)| {
            let path = url::relative(own, &summary.path);
            Completion::new(Kind::File, path, &span).detail(page.title())
        });
        Some(values.into_iter().chain(pages).collect())
    }

    /// Returns the values of the page, each behind `sign`, and those that are written and not planned yet.
    fn named_values(&self, span: &Span, sign: &str) -> Vec<Completion> {
        let item = |name: &str, shown: &str| Completion::new(Kind::Value, format!("{sign}{name}"), span).detail(shown);
        let planned = self.values_here();
        let blocks = self.source.text().split("<!--").skip(1).filter(|block| is_values(block.trim_start()));
        let blocks = blocks.map(|block| block.split("-->").next().unwrap_or_default());
        let written = blocks.flat_map(formula::declared);
        let written = written.filter(|(name, _)| planned.iter().all(|value| value.name != *name));
        let planned = planned.iter().map(|value| item(&value.name, &value.printed));
        planned.chain(written.map(|(name, formula)| item(name, formula))).collect()
    }

    /// Returns the values of the page, as they were planned.
    fn values_here(&self) -> &'a [PageValue] {
        let values = self.page.as_ref().and_then(|page| self.cx.values_of(page.subject.document));
        values.map_or(&[], |values| &values.values)
    }

    fn in_citation(&self) -> Option<Vec<Completion>> {
        let at = self.before.rfind('@')?;
        let key = &self.before[at + 1..];
        let is_key = key.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
        let is_start = self.before[..at].ends_with(['[', ' ', '(']) || at == 0;
        let has_any = self.cx.project.files.contains_key(REFERENCES);
        (is_key && is_start && has_any).then(|| self.keys(&self.typed(key.len() + 1), "@"))
    }

    /// Returns what a line of its own can begin with; in an empty file, its front matter.
    fn snippets(&self) -> Vec<Completion> {
        let span = self.typed(self.before.len());
        if self.source.text()[self.source.start()..].trim() == self.before {
            let mut text = "---\n".to_owned();
            write_required(&self.placement.kind.fields(), 0, &mut 0, &mut text);
            let doc = format!("The keys that the page must have:\n\n{text}");
            return vec![Completion::new(Kind::Snippet, "front matter", &span).doc(doc).snippet(text + "---\n\n")];
        }
        let snippet =
            |label: &str, doc: &str, text: &str| Completion::new(Kind::Snippet, label, &span).doc(doc).snippet(text);
        let mut found = vec![
            snippet(
                "note",
                "A note, which begins with the code that it explains",
                "${1:1}. `${2:code}` ${3:what it does}",
            ),
            snippet("calculator", "A calculator with an input and a result", CALCULATOR),
            snippet(
                "prediction",
                "A question that is answered before reading on",
                "<details>\n<summary>Predict: ${1:what will it print?}</summary>\n\n${2:The answer.}\n\n</details>",
            ),
        ];
        let main = self.main_file().and_then(|path| self.listing(path));
        for (listing, page) in main.iter().zip(&self.page) {
            let shown: BTreeSet<String> = (page.subject.document.body.excerpts.iter())
                .flat_map(|excerpt| excerpt.file.selectors.iter().map(|(selector, _)| selector.to_string()))
                .collect();
            let word = language::word(listing.language_path(), listing.line(0));
            let names = Self::selectors(listing, &span).into_iter().filter(|one| !one.label.starts_with('L'));
            for name in names.filter(|name| !shown.contains(&name.label)).take(50) {
                let selector = Selector::parse(&name.label).ok();
                let Some(lines) = selector.and_then(|it| listing.select(&it).ok()) else { continue };
                let rows = infralens_starter::SelectedRows::new(listing, vec![lines]);
                let code = rows.view(listing).lines().join("\n");
                let code = code.replace('\\', "\\\\").replace('$', "\\$").replace('}', "\\}");
                let text =
                    format!("```{word} file=#{}\n{code}\n```\n\n1. `${{1:code}}` ${{2:what it does}}", name.label);
                let label = format!("excerpt #{}", name.label);
                found.push(snippet(&label, "An excerpt with its pin", &text).detail(name.detail));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::has_letters;

    #[test]
    fn letters_are_in_order() {
        assert!(has_letters("../labs/lab-01-Ring.md", "l1ring"));
        assert!(has_letters("anything", ""));
        assert!(!has_letters("../labs/lab-01-ring.md", "ringlab"));
    }
}
