//! Writes the new pages, and rewrites their links: those to pages of the book lead to the new pages, those to other files to
//! copies of these. A link that leads nowhere becomes its text.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use super::edits::{Edit, Text};
use super::loss::shortened;
use super::mdx::Folders;
use super::page::list;
use super::{Book, Kind, Loss, Page, create};
use infralens_course::course::{link, url};
use infralens_page::destination::destinations;
use infralens_page::placement::NoPlace;
use infralens_page::{self as document, ANY_HEADING, Document, Link, placement, slug};
use infralens_source::change::Change;
use infralens_source::html::{self, Piece};
use infralens_source::project::{File, Project};
use infralens_source::source::Source;
use infralens_source::yaml;

/// Returns the changes that create the pages, and the files that these link to.
pub fn write(project: &Project, book: &Book, pages: &[Page], losses: &mut Vec<Loss>) -> Vec<Change> {
    let written: Vec<Written<'_>> = pages.iter().filter_map(|page| Written::new(page, losses)).collect();
    let by_source = written.iter().enumerate();
    let by_source = by_source.filter_map(|(at, page)| Some((page.page.placed.source.as_deref()?, at))).collect();
    let mut links = Links { project, book, by_source, pages: &written, assets: BTreeMap::new() };
    let mut changes = Vec::new();
    for page in &written {
        let edits = links.edits(page, losses);
        let mut text = Text::new(page.document.source.text().to_owned()).edited(edits).text;
        let placed = &page.page.placed;
        if placed.has_posts && placed.source.is_some() {
            text = format!("{}\n\n{}", text.trim_end(), list(placed));
        }
        changes.push(create(placed.to.as_str(), text));
    }
    let assets = links.assets.into_iter();
    changes.extend(assets.map(|(path, file)| Change::Add { path: path.into(), file: file.clone() }));
    changes
}

/// A page of the new project, parsed, whose links still have their old targets.
struct Written<'a> {
    page: &'a Page,
    document: Document,
    /// The length of the front matter.
    front: usize,
    /// The id of each heading by its letters; `None` if several headings have them.
    by_letters: BTreeMap<String, Option<String>>,
}

impl<'a> Written<'a> {
    fn new(page: &'a Page, losses: &mut Vec<Loss>) -> Option<Self> {
        let mut text = format!("---\ntitle: {}\n", yaml::to_scalar(&page.title));
        text += &page.front;
        if !page.placed.aliases.is_empty() {
            text.extend(["aliases: [", &*page.placed.aliases.join(", "), "]\n"]);
        }
        if page.placed.has_posts {
            text += "pages:\n  order: newest\n";
        }
        text += "---\n\n";
        let body = page.text.text.trim_start_matches('\n');
        let front = text.len();
        text += body.trim_end();
        text.push('\n');
        let source = Arc::new(Source::new(page.placed.to.as_str(), text));
        match placement::place(&page.placed.to) {
            Ok(place) => {
                let document = document::parse(&source, place).0;
                let mut by_letters: BTreeMap<String, Option<String>> = BTreeMap::new();
                for (id, _) in document.body.anchors.iter() {
                    by_letters.entry(letters(id)).and_modify(|id| *id = None).or_insert_with(|| Some(id.clone()));
                }
                Some(Self { page, document, front, by_letters })
            }
            Err(NoPlace { message: why, .. }) => {
                losses.push(Loss::new(Kind::Page, page.placed.source.as_ref()?, None, why));
                None
            }
        }
    }

    /// Reports a loss at an offset of the new page.
    fn lose(&self, losses: &mut Vec<Loss>, offset: usize, kind: Kind, detail: String) {
        let cut = self.page.text.text.len() - self.page.text.text.trim_start_matches('\n').len();
        let line = self.page.text.line((offset + cut).saturating_sub(self.front));
        let path = self.page.placed.source.clone().unwrap_or_else(|| Arc::from(self.page.placed.to.as_str()));
        losses.push(Loss::new(kind, &path, line, detail));
    }
}

impl Page {
    /// Whether a fragment names the first heading, which has become the title.
    fn is_title(&self, fragment: &str) -> bool {
        let fragment = self.ids.get(fragment).map_or(fragment, String::as_str);
        letters(fragment) == letters(&self.title) || self.title_id.as_deref() == Some(fragment)
    }
}

struct Links<'a, 'p> {
    project: &'p Project,
    book: &'a Book,
    by_source: BTreeMap<&'a str, usize>,
    pages: &'a [Written<'a>],
    /// The files that pages lead to, by their paths in the new project.
    assets: BTreeMap<String, &'p File>,
}

/// What is said of a link that leads to a file elsewhere in the book, which is not read.
const OUTSIDE: &str = " is outside of the folder of the pages";

/// Where a link leads in the new project.
enum Lead {
    /// To the same target.
    Same,
    /// To another target.
    To(String),
    /// To another target, because the page does not have the heading.
    WithoutHeading(String),
    /// Nowhere, and why.
    Nowhere(&'static str),
}

impl<'p> Links<'_, 'p> {
    fn edits(&mut self, page: &Written<'_>, losses: &mut Vec<Loss>) -> Vec<Edit> {
        let text = page.document.source.text();
        let mut edits: Vec<Edit> = Vec::new();
        let mut dead: BTreeSet<&str> = BTreeSet::new();
        let links = &page.document.body.links;
        for found in links {
            if found.target.starts_with('@') && !found.target.starts_with("@site/") {
                edits.push((found.span.start..found.span.start, "\\".to_owned()));
                continue;
            }
            let is_inside = |other: &Link| other.span.start < found.span.start && found.span.end < other.span.end;
            let is_picture = found.image && found.target.contains("://");
            if is_picture && self.fetched(page, &found.target).is_some() {
                continue;
            }
            let (kind, detail) = match self.lead(page, &found.target) {
                Lead::Same if is_picture && !links.iter().any(is_inside) => {
                    let is_described = found.events.len() > 2;
                    let name = if is_described { "[".to_owned() } else { format!("[{}", host(&found.target)) };
                    page.lose(losses, found.span.start, Kind::Picture, found.target.clone());
                    edits.push((found.span.start..found.span.start + "![".len(), name));
                    continue;
                }
                Lead::Same if is_picture => (Kind::Picture, found.target.clone()),
                Lead::Nowhere(why) => (Kind::Link, shortened(&found.target) + why),
                _ => continue,
            };
            dead.insert(&found.target);
            page.lose(losses, found.span.start, kind, detail);
            let events = page.document.body.events.range(found.events.start + 1..found.events.end - 1);
            let inner = events.clone().map(|(_, span)| span.start).min().unwrap_or(found.span.start);
            let end = events.map(|(_, span)| span.end).max().unwrap_or(found.span.start);
            edits.extend([(found.span.start..inner, String::new()), (end..found.span.end, String::new())]);
        }
        let definitions = page.document.body.definitions.iter().filter(|found| dead.contains(found.target.as_str()));
        edits.extend(definitions.map(|found| (found.span.clone(), String::new())));
        for written in destinations(&page.document) {
            let span = written.span(0..written.text.len());
            if let Some(new) = is_picture(&page.document, &span).then(|| self.fetched(page, &written.text)).flatten() {
                edits.push((span, new));
                continue;
            }
            match self.lead(page, &written.text) {
                Lead::To(new) => edits.push((span, new)),
                Lead::WithoutHeading(new) => {
                    page.lose(losses, span.start, Kind::Heading, shortened(&written.text));
                    edits.push((span, new));
                }
                Lead::Same if written.text.contains("://") && is_image(text, &span) => {
                    page.lose(losses, span.start, Kind::Picture, written.text.clone());
                    edits.push(picture_as_link(text, &span));
                }
                Lead::Nowhere(why) if !edits.iter().any(|(range, _)| touches(range, &span)) => {
                    page.lose(losses, span.start, Kind::Link, shortened(&written.text) + why);
                    edits.push(tag_around(text, &span));
                }
                Lead::Nowhere(_) | Lead::Same => {}
            }
        }
        edits
    }

    /// Returns where the copy of a picture of another site is, if it was fetched.
    fn fetched(&mut self, page: &Written<'_>, address: &str) -> Option<String> {
        let file = self.project.files.get(address)?;
        let host = host(address).split(':').next().unwrap_or_default();
        let host: String = host.chars().filter(|c| c.is_ascii_alphanumeric() || "-.".contains(*c)).collect();
        let stem = address.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
        let stem = url::file_name(stem).split('.').next().map(slug).filter(|stem| !stem.is_empty());
        let (stem, end) = (stem.unwrap_or_else(|| "picture".to_owned()), extension(file.bytes().unwrap_or_default()));
        let mut names =
            std::iter::once(format!("{stem}.{end}")).chain((2..).map(|number| format!("{stem}-{number}.{end}")));
        let is_free = |to: &String| self.assets.get(to).is_none_or(|other| std::ptr::eq(*other, file));
        let to = names.find_map(|name| Some(format!("content/pictures/{host}/{name}")).filter(is_free))?;
        let new = url::relative(&page.page.placed.to, &to);
        self.assets.insert(to, file);
        Some(new)
    }

    /// Returns where the target of a link of a page leads.
    fn lead(&mut self, page: &Written<'_>, target: &str) -> Lead {
        if target.is_empty() {
            return Lead::Nowhere(" is no address");
        }
        if let Some(scheme) = link::scheme(target) {
            let is_known = matches!(&*scheme, "http" | "https" | "mailto" | "tel" | "ftp");
            return if is_known { Lead::Same } else { Lead::Nowhere(" has a scheme that pages cannot have") };
        }
        if target.starts_with("//") {
            return Lead::To(format!("https:{target}"));
        }
        let (path, fragment) = target.split_once('#').map_or((target, None), |(path, rest)| (path, Some(rest)));
        let path = url::decode(path.split('?').next().unwrap_or_default());
        let fragment = fragment.filter(|fragment| !fragment.is_empty());
        let to = &page.page.placed.to;
        // A page that only lists others has new paths already.
        let Some(source) = page.page.placed.source.as_deref() else { return Lead::Same };
        if path.is_empty() {
            // A line of an excerpt, to which a note is bound.
            let line = fragment.and_then(|fragment| fragment.strip_prefix('L')).unwrap_or_default();
            if line.parse::<usize>().is_ok() {
                return Lead::Same;
            }
            return match fragment.map(|fragment| anchor(page, fragment)) {
                None => Lead::Same,
                Some(Some(id)) => {
                    if Some(&*id) == fragment {
                        Lead::Same
                    } else {
                        Lead::To(format!("#{id}"))
                    }
                }
                // The first heading has become the title.
                Some(None) if fragment.is_some_and(|fragment| page.page.is_title(fragment)) => {
                    Lead::To(url::relative(to, to))
                }
                Some(None) => Lead::Nowhere(" is not in its page"),
            };
        }
        let joined = match path.strip_prefix('/') {
            Some(path) => url::join(&self.book.folder, path),
            None if path.starts_with(['@', '~']) => Folders { top: &self.book.top, page: source }.path(&path),
            None => url::join(url::folder(source), &path),
        };
        let pages = &self.book.pages;
        // Docusaurus also searches a file from the folder of all pages.
        let from_folder = || self.page(&url::join(&self.book.folder, &path).filter(|_| !pages.is_empty())?);
        let named = pages.linked(source, &path).and_then(|path| self.page(&path)).or_else(from_folder);
        if named.is_none() && joined.is_none() {
            return Lead::Nowhere(" is outside of the book");
        }
        let joined = joined.unwrap_or_default();
        if let Some(found) = self.page(&joined).or(named) {
            let fragment = fragment.filter(|&fragment| !found.page.is_title(fragment));
            let new = if found.page.placed.to == *to { "" } else { &*url::relative(to, &found.page.placed.to) };
            return match fragment.map(|fragment| anchor(found, fragment)) {
                None => Lead::To(url::relative(to, &found.page.placed.to)),
                Some(Some(id)) => Lead::To(format!("{new}#{id}")),
                Some(None) => Lead::WithoutHeading(url::relative(to, &found.page.placed.to)),
            };
        }
        let mut published = self.book.files.iter().filter_map(|folder| url::join(folder, path.strip_prefix('/')?));
        let joined = published.find(|path| self.project.files.contains_key(path.as_str())).unwrap_or(joined);
        // A page that only lists others has no file.
        let made = path.strip_prefix('/').map(|path| format!("content/{}/index.md", path.trim_end_matches('/')));
        if let Some(made) = made.filter(|made| self.pages.iter().any(|page| page.page.placed.to == *made)) {
            return Lead::To(url::relative(to, &made));
        }
        match self.project.files.get(joined.as_str()) {
            Some(File::Refused(_)) => Lead::Nowhere(" cannot be read"),
            Some(file) => self.asset(to, &joined, file),
            None if !joined.starts_with(&self.book.folder) && !path.starts_with('/') => Lead::Nowhere(OUTSIDE),
            None => Lead::Nowhere(" is not in the book"),
        }
    }

    /// Returns the page at a path of the book, which may be that of its file or of its HTML.
    fn page(&self, path: &str) -> Option<&Written<'_>> {
        let stem = path.strip_suffix(".html");
        let of_html = stem.into_iter().flat_map(|stem| {
            let readme = stem.strip_suffix("index").map(|folder| format!("{folder}README.md"));
            [Some(format!("{stem}.md")), readme].into_iter().flatten()
        });
        let of_folder = ["index.md", "README.md", "index.mdx"]
            .map(|name| if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") });
        let paths = [path.to_owned()].into_iter().chain(of_html).chain(of_folder);
        let paths = paths.chain([format!("{path}.md"), format!("{path}.mdx")]);
        paths.into_iter().find_map(|path| self.by_source.get(path.as_str())).map(|&at| &self.pages[at])
    }

    fn asset(&mut self, from: &str, path: &str, file: &'p File) -> Lead {
        let mut folders = std::iter::once(&self.book.folder).chain(&self.book.files);
        let posts =
            self.book.posts.as_ref().and_then(|folder| path.strip_prefix(folder)).map(|below| format!("blog/{below}"));
        let below = folders.find_map(|folder| path.strip_prefix(folder)).map(str::to_owned);
        let Some(below) = below.or(posts) else { return Lead::Nowhere(OUTSIDE) };
        let is_hidden = below.split('/').any(|part| part.starts_with('.'));
        if is_hidden || below.ends_with(".md") || below.ends_with(".yaml") {
            return Lead::Nowhere(" is not in the table of contents");
        }
        let to = format!("content/{below}");
        let new = url::relative(from, &to);
        self.assets.insert(to, file);
        Lead::To(new)
    }
}

/// Returns the id of the heading that a fragment names, which other generators may derive a little differently.
fn anchor(page: &Written<'_>, fragment: &str) -> Option<String> {
    let anchors = &page.document.body.anchors;
    let has = |id: &str| anchors.binary_search_by(|(known, _)| known.as_str().cmp(id)).is_ok();
    let wanted = url::decode(fragment);
    let words = page.page.ids.get(&*wanted);
    if has(ANY_HEADING) || words.is_none() && has(&wanted) {
        return Some(fragment.to_owned());
    }
    let letters = letters(words.unwrap_or(&wanted));
    let alike = page.by_letters.get(&letters).filter(|_| !letters.is_empty()).cloned().flatten();
    alike.or_else(|| has(&wanted).then_some(wanted)).map(|id| url::encode(&id))
}

fn letters(id: &str) -> String {
    id.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn touches(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start <= other.start && other.end <= one.end
}

/// Whether the destination at `span` is that of a picture, or is defined for pictures.
fn is_picture(document: &Document, span: &Range<usize>) -> bool {
    let body = &document.body;
    let links = body.links.iter().filter(|found| found.image).map(|found| &found.span);
    let defined = body.definitions.iter().map(|found| &found.span);
    links.chain(defined).any(|found| touches(found, span)) || is_image(document.source.text(), span)
}

/// Returns how the name of a picture with these bytes ends.
fn extension(bytes: &[u8]) -> &'static str {
    let begins: [(&[u8], &str); 4] = [(b"\x89PNG", "png"), (b"\xff\xd8", "jpg"), (b"GIF8", "gif"), (b"RIFF", "webp")];
    let known = begins.iter().find(|(begin, _)| bytes.starts_with(begin)).map(|(_, end)| *end);
    let is_avif = bytes.get(4..12).is_some_and(|brand| brand.starts_with(b"ftypavi"));
    known.unwrap_or(if is_avif { "avif" } else { "svg" })
}

/// Whether `span` is in a tag `<img>`.
fn is_image(text: &str, span: &Range<usize>) -> bool {
    let start = text[..span.start].rfind(['<', '>', '\n']).unwrap_or(span.start);
    text[start..].starts_with("<img")
}

/// Returns the name of the site of an address.
fn host(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    rest.split('/').next().unwrap_or(rest)
}

/// Returns the edit that makes a link of the tag `<img>` around `span`, or its description alone within a link.
fn picture_as_link(text: &str, span: &Range<usize>) -> Edit {
    let (range, _) = tag_around(text, span);
    let alt = html::pieces(&text[range.clone()]).find_map(|(_, piece)| match piece {
        Piece::Tag(tag) => {
            tag.attributes.iter().find(|found| &*found.name == "alt").map(|found| tag.value(found).to_owned())
        }
        _ => None,
    });
    let address = &text[span.clone()];
    let words = alt.filter(|alt| !alt.trim().is_empty()).unwrap_or_else(|| host(address).to_owned());
    let before = &text[..range.start];
    let is_in_link = before.rfind("<a ").is_some_and(|open| !before[open..].contains("</a>"));
    (range, if is_in_link { words } else { format!("<a href=\"{address}\">{words}</a>") })
}

/// Returns the edit that removes the tag of raw HTML around `span`, or only the link of an element with content.
fn tag_around(text: &str, span: &Range<usize>) -> Edit {
    let start = text[..span.start].rfind('<').unwrap_or(span.start);
    let end = text[span.end..].find('>').map_or(span.end, |end| span.end + end + 1);
    if text[start..].starts_with("<img") { (start..end, String::new()) } else { (span.clone(), "#".to_owned()) }
}
