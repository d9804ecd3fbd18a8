//! Writes a page of MDX as Markdown with the containers of `VitePress` and MkDocs. Components that mean something here get its
//! form; the tags of others are removed, and their content stays.
//!
//! 1. imports, exports and comments are taken out, and what is indented within an element begins at the column of its tag,
//!    because MDX has no indented code;
//! 2. tags are written anew.

use std::collections::BTreeMap;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Tag as Block};

use super::Kind;
use super::admonition::{fence_after, indent};
use super::edits::{Edit, Text, is_within};
use super::html::WORDS;
use super::include::Left;
use super::jsx::{Tag, tag_at};
use super::loss::shortened;
use super::page::parse;
use infralens_source::url;

/// The components whose content is all that they show here.
const PLAIN: [&str; 6] = ["Steps", "FileTree", "Fragment", "Tabs", "CodeGroup", "BrowserWindow"];
/// The elements without an end tag.
const VOID: [&str; 9] = ["br", "col", "embed", "hr", "img", "input", "link", "source", "wbr"];
/// The shortest line of slashes that opens a block made from a component; containers have fewer.
const SLASHES: usize = 12;

/// Where the files of a site are.
#[derive(Debug, Clone, Copy)]
pub struct Folders<'a> {
    /// The folder of the settings, which `@site` names.
    pub top: &'a str,
    /// The path of the page.
    pub page: &'a str,
}

impl Folders<'_> {
    /// Returns the path of a file that a page names: `./a.png`, `@site/a.py`, `~/a.svg`, `!!raw-loader!./a.py`, `./a.py?raw`.
    pub fn path(self, named: &str) -> Option<String> {
        let named = named.rsplit('!').next().unwrap_or(named).split('?').next().unwrap_or(named);
        match (named.strip_prefix("@site/"), named.strip_prefix("~/")) {
            (Some(path), _) => url::join("", &format!("{}{path}", self.top)),
            (None, Some(path)) => url::join("", &format!("{}src/{path}", self.top)),
            (None, None) if named.starts_with('.') => url::join(url::folder(self.page), named),
            (None, None) => None,
        }
    }
}

/// Returns what a page imports as a default: the name, and the file as it is written.
pub fn imports(text: &str) -> BTreeMap<String, String> {
    let import = |line: &str| {
        let (name, from) = line.strip_prefix("import ")?.split_once(" from ")?;
        let from = from.trim().trim_end_matches(';').trim_matches(['"', '\'']);
        name.chars().all(char::is_alphanumeric).then(|| (name.to_owned(), from.to_owned()))
    };
    text.lines().filter_map(import).collect()
}

/// Returns the text of a file that pages include, whose links to other files begin at `@site`.
pub fn included(text: &Text, folders: Folders<'_>) -> Text {
    let edit = |(event, span): (Event<'_>, std::ops::Range<usize>)| {
        let Event::Start(Block::Link { dest_url, .. } | Block::Image { dest_url, .. }) = event else {
            return None;
        };
        let path = url::join(url::folder(folders.page), &dest_url).filter(|_| dest_url.starts_with('.'))?;
        let at = span.start + text.text[span].rfind(&*dest_url)?;
        Some((at..at + dest_url.len(), format!("@site/{}", url::relative_encoded(folders.top, &path))))
    };
    text.edited(parse(&text.text).filter_map(edit).collect())
}

/// Writes a page as Markdown. Also returns what is not taken over, each with its line of the book.
pub fn markdown(text: &Text, folders: Folders<'_>) -> (Text, Left) {
    let imports = imports(&text.text);
    let text = flattened(text);
    let is_code =
        |event: &Event<'_>| matches!(event, Event::Code(_) | Event::Start(Block::CodeBlock(CodeBlockKind::Fenced(_))));
    let code: Vec<_> = parse(&text.text).filter(|(event, _)| is_code(event)).map(|(_, span)| span).collect();
    let comments = comments(&text.text, &code);
    let mut writer = Writer { text: &text, folders, imports, groups: Vec::new(), depth: 0, left: Vec::new() };
    let (mut edits, mut at): (Vec<Edit>, usize) = (Vec::new(), 0);
    while let Some(start) = text.text[at..].find('<').map(|length| at + length) {
        at = start + 1;
        let is_text = is_within(&code, start) || is_within(&comments, start) || text.text[..start].ends_with('\\');
        let Some(tag) = tag_at(&text.text, start).filter(|_| !is_text) else { continue };
        let (end, new) = writer.written(&tag);
        if let Some(new) = new {
            edits.push((start..end, new));
        }
        at = end;
    }
    let left = writer.left;
    (text.edited(edits), left)
}

/// Returns the ranges of comments outside of code, in order.
fn comments(text: &str, code: &[Range<usize>]) -> Vec<Range<usize>> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(start) = text[at..].find(['<', '{']).map(|length| at + length) {
        let rest = &text[start..];
        let mark = [("<!--", "-->"), ("{/*", "*/}")].into_iter().find(|(open, _)| rest.starts_with(open));
        let mark = mark.filter(|_| !is_within(code, start));
        let length = mark.map(|(_, close)| rest.find(close).map_or(rest.len(), |end| end + close.len()));
        found.extend(length.map(|length| start..start + length));
        at = start + length.unwrap_or(1);
    }
    found
}

/// An element whose tag is alone in its line.
struct Open {
    name: String,
    /// The column at which its content begins in the new text, and in the page.
    column: usize,
    written: Option<usize>,
}

/// Takes out imports, exports and comments, and indents within elements.
fn flattened(text: &Text) -> Text {
    let lines: Vec<(&str, usize)> = text.lines().collect();
    let (mut new, mut open, mut fence): (Vec<(String, usize)>, Vec<Open>, _) = (Vec::new(), Vec::new(), None);
    let mut at = 0;
    while let Some(&(line, origin)) = lines.get(at) {
        let (first, content) = (at, line.trim());
        at += 1;
        if content.is_empty() {
            new.push((String::new(), origin));
            continue;
        }
        let below = open.last_mut().map_or((0, 0), |open| (open.column, *open.written.get_or_insert(indent(line))));
        let column =
            |line: &str| if below.1 > below.0 { indent(line).saturating_sub(below.1 - below.0) } else { indent(line) };
        let is_code = fence.is_some();
        fence = fence_after(fence, line);
        if is_code || fence.is_some() {
            new.push((" ".repeat(column(line)) + line.trim_start(), origin));
            continue;
        }
        if line.starts_with("import ") || line.starts_with("export ") {
            at = first + statement(&lines[first..]);
            continue;
        }
        if content.starts_with("{/*") {
            at = first + 1 + lines[first..].iter().position(|(line, _)| line.contains("*/}")).unwrap_or_default();
            continue;
        }
        if content.starts_with("<!--") {
            at = first + 1 + lines[first..].iter().position(|(line, _)| line.contains("-->")).unwrap_or_default();
            new.extend(lines[first..at].iter().map(|(line, origin)| ((*line).to_owned(), *origin)));
            continue;
        }
        // A tag may take several lines.
        let mut whole = content.to_owned();
        while content.starts_with('<') && tag_at(&whole, 0).is_none() && at < lines.len() && at < first + 40 {
            whole = format!("{whole} {}", lines[at].0.trim());
            at += 1;
        }
        let tags = tags_alone(&whole);
        if tags.is_empty() {
            at = if whole == content { at } else { first + 1 };
            new.push((" ".repeat(column(line)) + line.trim_start(), origin));
        }
        for tag in tags {
            let mut here = column(line);
            if tag.is_end {
                if let Some(found) = open.iter().rposition(|open| open.name == tag.name) {
                    here = open[found].column - usize::from(tag.name == "Card") * 2;
                    open.truncate(found);
                }
            } else if !tag.is_closed && !VOID.contains(&tag.name) {
                // The column of a tag means nothing, so it may be farther right than its content.
                let next = lines[at..].iter().find(|(line, _)| !line.trim().is_empty());
                here = here.min(next.map_or(here, |(line, _)| column(line)));
                let column = here + usize::from(tag.name == "Card") * 2;
                open.push(Open { name: tag.name.to_owned(), column, written: None });
            }
            new.extend([(String::new(), origin), (" ".repeat(here) + tag.text, origin), (String::new(), origin)]);
        }
    }
    Text::from_lines(new.into_iter())
}

/// Returns the number of lines of the statements at the beginning of some lines: up to an empty line outside of brackets.
fn statement(lines: &[(&str, usize)]) -> usize {
    let mut depth = 0_i32;
    for (at, (line, _)) in lines.iter().enumerate() {
        if line.trim().is_empty() && depth <= 0 {
            return at;
        }
        depth += line.chars().map(|c| i32::from("([{".contains(c)) - i32::from(")]}".contains(c))).sum::<i32>();
    }
    lines.len()
}

/// Returns the tags of a line that consists of nothing else.
fn tags_alone(line: &str) -> Vec<Tag<'_>> {
    let (mut tags, mut at) = (Vec::new(), 0);
    while at < line.len() {
        let Some(tag) = tag_at(line, at) else { return Vec::new() };
        at = tag.end + line[tag.end..].len() - line[tag.end..].trim_start().len();
        tags.push(tag);
    }
    tags
}

struct Writer<'t> {
    text: &'t Text,
    folders: Folders<'t>,
    /// The files of the names that the page imports.
    imports: BTreeMap<String, String>,
    /// For each open group of tabs, whether its first tab is still to come.
    groups: Vec<bool>,
    /// The number of open blocks.
    depth: usize,
    left: Left,
}

impl Writer<'_> {
    /// Returns where a tag, or the element that begins with it, ends, and its new form if that is another.
    fn written(&mut self, tag: &Tag<'_>) -> (usize, Option<String>) {
        let text = &self.text.text;
        let line_start = text[..tag.start].rfind('\n').map_or(0, |at| at + 1);
        let before = &text[line_start..tag.start];
        let margin = if before.trim().is_empty() { before } else { "" };
        let value = |name: &str| tag.value(name);
        // What follows in the same line begins a paragraph below.
        let after = if text[tag.end..].starts_with('\n') { String::new() } else { format!("\n\n{margin}") };
        let block = |head: &str, depth: &mut usize| {
            if tag.is_end {
                *depth = depth.saturating_sub(1);
                return format!(
                    "{}{}\n{margin}",
                    if margin == before { "" } else { "\n" },
                    "/".repeat(SLASHES + *depth)
                );
            }
            *depth += 1;
            format!("{} {head}{after}", "/".repeat(SLASHES + *depth - 1))
        };
        let import = self.imports.get(tag.name).cloned();
        let new = match tag.name {
            "Tabs" => {
                if tag.is_end {
                    self.groups.pop();
                } else {
                    self.groups.push(true);
                }
                String::new()
            }
            name if PLAIN.contains(&name) => String::new(),
            "TabItem" | "Tab" => {
                let label = value("label").or_else(|| value("value")).unwrap_or_default();
                let is_first = self.groups.last_mut().filter(|_| !tag.is_end).is_some_and(std::mem::take);
                let new = if is_first { format!("\n{margin}    new: true") } else { String::new() };
                block(&format!("tab | {label}{new}"), &mut self.depth)
            }
            "Aside" | "Admonition" => {
                let title = value("title").map(|title| format!(" | {title}")).unwrap_or_default();
                block(&(value("type").unwrap_or_else(|| "note".to_owned()) + &title), &mut self.depth)
            }
            "CardGrid" => return (tag.end, Some(self.grid(tag).to_owned())),
            "Card" if tag.is_end => String::new(),
            "Card" if after.is_empty() => format!("- **{}**", value("title").unwrap_or_default()),
            "Card" => format!("- **{}**{after}  ", value("title").unwrap_or_default()),
            "LinkCard" => {
                let below = value("description").map(|text| format!("\n\n{margin}  {text}")).unwrap_or_default();
                let (title, href) = (value("title").unwrap_or_default(), value("href").unwrap_or_default());
                format!("- **[{title}]({href})**{below}\n")
            }
            "Link" | "LinkButton" if !tag.is_closed => return self.link(tag),
            "Badge" => value("text").unwrap_or_default(),
            "Code" | "CodeBlock" if !tag.is_end => return self.code(tag, margin),
            "img" | "Image" => return (tag.end, self.picture(tag)),
            name if import.as_ref().is_some_and(|file| file.ends_with(".md") || file.ends_with(".mdx")) => {
                let path = import.and_then(|file| self.folders.path(&file)).unwrap_or_else(|| name.to_owned());
                format!("{{{{#include /{path}}}}}")
            }
            name if name.starts_with(|c: char| c.is_ascii_uppercase()) => {
                if !tag.is_end {
                    self.lose(tag, Kind::Component, format!("`<{name}>`"));
                }
                // What has no content is often an icon, whose names are no words.
                let is_word = |name: &&str| !tag.is_end && (!tag.is_closed || !matches!(*name, "name" | "value"));
                let mut words = WORDS.into_iter().filter(is_word).filter_map(value);
                let title = words.next();
                let more = words.filter(|words| words.contains(' ')).map(|words| format!("\n\n{margin}{words}"));
                title.map(|title| format!("**{title}**{}{after}", more.collect::<String>())).unwrap_or_default()
            }
            _ => return (tag.end, self.plain(tag)),
        };
        (tag.end, Some(new))
    }

    fn lose(&mut self, tag: &Tag<'_>, kind: Kind, detail: String) {
        self.left.push((self.text.line(tag.start), (kind, detail)));
    }

    /// Returns the mark around a grid of cards, if nothing else is in it.
    fn grid(&self, tag: &Tag<'_>) -> &'static str {
        let text = &self.text.text;
        let inside = if tag.is_end {
            text[..tag.start].rfind("<CardGrid").map(|at| &text[at + 9..tag.start])
        } else {
            text[tag.end..].find("</CardGrid").map(|length| &text[tag.end..tag.end + length])
        };
        let inside = inside.unwrap_or_default();
        let mut names = inside.match_indices('<').filter_map(|(at, _)| Some(tag_at(inside, at)?.name));
        let is_card = |name| matches!(name, "Card" | "LinkCard" | "Icon" | "Badge");
        match (names.all(is_card) && inside.contains("Card"), tag.is_end) {
            (false, _) => "",
            (true, false) => "<!-- cards -->",
            (true, true) => "<!-- /cards -->",
        }
    }

    /// Writes an element that is a link.
    fn link(&self, tag: &Tag<'_>) -> (usize, Option<String>) {
        let text = &self.text.text;
        let close = format!("</{}>", tag.name);
        let Some(end) = text[tag.end..].find(&close).map(|length| tag.end + length) else {
            return (tag.end, Some(String::new()));
        };
        let href = tag.value("to").or_else(|| tag.value("href")).unwrap_or_default();
        let words = text[tag.end..end].split_whitespace().collect::<Vec<_>>().join(" ");
        (end + close.len(), Some(format!("[{words}]({href})")))
    }

    /// Writes a component that shows code: an imported file, or the text in it.
    fn code(&mut self, tag: &Tag<'_>, margin: &str) -> (usize, Option<String>) {
        let text = &self.text.text;
        let close = format!("</{}>", tag.name);
        let end = text[tag.end..].find(&close).filter(|_| !tag.is_closed).map(|length| tag.end + length);
        let inner = end.map_or("", |end| text[tag.end..end].trim());
        let inner = inner.strip_prefix('{').and_then(|inner| inner.strip_suffix('}')).unwrap_or(inner).trim();
        let (name, is_name) = match tag.attribute("code") {
            Some((value, is_code)) => (value, is_code),
            None => (inner.to_owned(), true),
        };
        let file = self.imports.get(&name).and_then(|file| self.folders.path(file));
        let body = match file {
            Some(path) => format!("{{{{#include /{path}}}}}"),
            None if is_name && !name.starts_with('`') => {
                self.lose(tag, Kind::Component, format!("`<{}>`", tag.name));
                name
            }
            None => name.trim_matches('`').to_owned(),
        };
        let language = tag.value("lang").or_else(|| tag.value("language")).unwrap_or_default();
        let title = tag.value("title").map(|title| format!(" title=\"{title}\"")).unwrap_or_default();
        let body = body.trim().replace('\n', &format!("\n{margin}"));
        let block = format!("```{language}{title}\n{margin}{body}\n{margin}```\n");
        (end.map_or(tag.end, |end| end + close.len()), Some(block))
    }

    /// Writes a picture whose address is an expression.
    fn picture(&mut self, tag: &Tag<'_>) -> Option<String> {
        let (source, is_code) = tag.attribute("src")?;
        if !is_code && tag.name == "img" {
            return self.plain(tag);
        }
        let named = self.imports.get(&source).cloned().or_else(|| {
            let mut parts = source.split(['"', '\'', '`']);
            parts.next().filter(|call| !is_code || call.trim_end().ends_with('('))?;
            if is_code { parts.next().map(str::to_owned) } else { Some(source.clone()) }
        });
        let Some(named) = named else {
            self.lose(tag, Kind::Component, format!("`<{} src={{{source}}}>`", tag.name));
            return Some(String::new());
        };
        let address = match self.folders.path(&named) {
            Some(path) => url::relative(self.folders.page, &path),
            None => named,
        };
        Some(format!("<img src=\"{address}\" alt=\"{}\">", tag.value("alt").unwrap_or_default()))
    }

    /// Returns an element of HTML without attributes that are expressions.
    fn plain(&mut self, tag: &Tag<'_>) -> Option<String> {
        // JSX writes `class` in this way.
        let is_left = |(name, _, is_code): &&(&str, String, bool)| *is_code || *name == "className";
        if !tag.attributes.iter().any(|found| is_left(&found)) {
            return None;
        }
        self.lose(tag, Kind::Attribute, shortened(tag.text));
        let kept = tag.attributes.iter().filter(|found| !is_left(found));
        let kept = kept.map(|(name, value, _)| format!(" {name}=\"{}\"", value.replace('"', "&quot;")));
        let kept = kept.collect::<Vec<_>>().concat();
        Some(format!("<{}{kept}{}>", tag.name, if tag.is_closed { " /" } else { "" }))
    }
}
