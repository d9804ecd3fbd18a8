//! Translates one page of a book, except for its links.
//!
//! 1. directives outside of code are replaced by what they include;
//! 2. formulas and code blocks are translated; elements that are not HTML are removed, and dollar signs are escaped;
//! 3. the first heading becomes the title, and the levels of the others begin at `##` (`title`).

use std::collections::BTreeMap;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::edits::{Edit, Text, is_within};
use super::fence::{self, Block};
use super::formula::{self, Delimiters};
use super::front_matter::FrontMatter;
use super::html::{self, Caption, Change, changed};
use super::icon::braces_and_icons;
use super::include::{Code, Left, is_plain};
use super::layout::PlacedPage;
use super::loss::shortened;
use super::title::{Parsed, titled};
use super::{Book, Dialect, Kind, Loss, Page, admonition, front_matter, inclusion, notebook, syntax};
use infralens_source::project::{File, Project};
use infralens_source::source::lines_from;
use infralens_source::url;
use infralens_source::yaml;
use infralens_starter::notebook::is_notebook;

/// Translates a page of a book.
pub fn translate<'p>(project: &'p Project, placed: PlacedPage, code: &mut Code<'p>, losses: &mut Vec<Loss>) -> Page {
    let Some(path) = placed.source.clone() else { return listing(placed) };
    // Tables of contents have only pages that can be read: other entries were reported and removed.
    let Ok(File::Text(source)) = super::find(project, &path) else { return listing(placed) };
    code.begin_page();
    let (book, mut formulas) = (code.book, code.book.formulas);
    let text = if !is_notebook(&path) {
        Text::new(source.text()[source.start()..].replace("\r\n", "\n"))
    } else if let Some(text) = notebook::markdown(source) {
        formulas = formula::JUPYTER;
        text
    } else {
        let detail = "it is not a notebook in format 4 with cells, and its page is empty";
        losses.push(Loss::new(Kind::Unreadable, &path, None, detail));
        return listing(placed);
    };
    let mut translation = Translation { path: &path, formulas, code, losses: Vec::new(), ids: BTreeMap::new() };
    let (mut text, mut found) = (text, FrontMatter::default());
    if book.dialect != Dialect::MdBook {
        found = front_matter::read(&text.text);
        found.losses.drain(..).for_each(|(line, detail)| translation.lose(line, Kind::FrontMatter, detail));
        text = text.edited(vec![(0..found.end, String::new())]);
    }
    let (text, left) = translation.code.plain(text, &path);
    translation.lose_all(left);
    // Includes in indented blocks are found only outside of these, and what they include may have such blocks.
    let text = if book.dialect.has_blocks() { translation.dedented(&text) } else { text };
    let (text, mut lost) = inclusion::expanded(translation.code, &text, &path);
    translation.losses.append(&mut lost);
    let mut text = translation.dedented(&text);
    if book.dialect == Dialect::MkDocs {
        let (plain, left) = syntax::without_plugins(&text, book.runs_macros);
        translation.lose_all(left);
        text = plain;
    } else if book.dialect.has_blocks() {
        translation.lose_all(syntax::placeholders(&text));
    }
    let text = translation.with_formulas(text);
    let text = translation.rewritten(&text);
    let named = found.title.take();
    let Parsed { title: heading, id: title_id, text, left } =
        titled(&text, book.dialect, named.is_some(), &translation.ids);
    for (line, braces) in left {
        translation.lose(line, Kind::Icon, braces);
    }
    let heading = heading.filter(|heading| !heading.is_empty());
    let title = heading.or(named.clone()).unwrap_or_else(|| placed.title.clone());
    for other in named.iter().chain(&placed.names).filter(|other| **other != title) {
        translation.lose(1, Kind::Title, shortened(other));
    }
    losses.append(&mut translation.losses);
    let front = front(book, &path, found);
    Page { placed, title, front, title_id, ids: translation.ids, text }
}

/// Writes the front matter of a page other than its title.
fn front(book: &Book, path: &str, found: FrontMatter) -> String {
    let date = found.date.or_else(|| book.pages.posts.get(path).cloned().flatten());
    let name = |author: &String| yaml::to_scalar(book.authors.get(author).unwrap_or(author));
    let authors = found.authors.iter().map(name).collect::<Vec<_>>().join(", ");
    let authors = if found.authors.len() > 1 { format!("[{authors}]") } else { authors };
    let summary = found.summary.map(|summary| yaml::to_scalar(&summary));
    let keys = [("summary", summary), ("date", date), ("author", Some(authors).filter(|names| !names.is_empty()))];
    keys.iter().filter_map(|(key, value)| Some(format!("{key}: {}\n", value.as_ref()?))).collect()
}

/// Returns a page without a file, which lists the pages below it.
fn listing(placed: PlacedPage) -> Page {
    let text = Text::new(list(&placed));
    Page { title: placed.title.clone(), front: String::new(), title_id: None, ids: BTreeMap::new(), placed, text }
}

/// Returns a list of the pages below a page.
pub fn list(placed: &PlacedPage) -> String {
    let link = |(title, to): &(String, String)| {
        let title = title.replace('[', "\\[").replace(']', "\\]").replace('$', "\\$");
        format!("- [{title}]({})\n", url::relative(&placed.to, to))
    };
    placed.below.iter().map(link).collect()
}

struct Translation<'a, 'p> {
    path: &'a std::sync::Arc<str>,
    formulas: &'static [Delimiters],
    code: &'a mut Code<'p>,
    losses: Vec<Loss>,
    /// The ids of HTML directly before or in a heading, and the words of the heading.
    ids: BTreeMap<String, String>,
}

pub const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_HEADING_ATTRIBUTES)
    .union(Options::ENABLE_GFM);

pub fn parse(text: &str) -> impl Iterator<Item = (Event<'_>, Range<usize>)> {
    Parser::new_ext(text, OPTIONS).into_offset_iter()
}

impl Translation<'_, '_> {
    fn lose(&mut self, line: usize, kind: Kind, detail: impl Into<String>) {
        self.losses.push(Loss::new(kind, self.path, line, detail));
    }

    fn lose_all(&mut self, left: Left) {
        for (line, (kind, detail)) in left {
            self.lose(line, kind, detail);
        }
    }

    /// Takes definitions of abbreviations out: `*[HTML]: Hyper Text Markup Language`.
    fn without_abbreviations(&mut self, text: &Text) -> Text {
        let is_code = |event: &Event<'_>| matches!(event, Event::Start(Tag::CodeBlock(_)));
        let code: Vec<_> = parse(&text.text).filter(|(event, _)| is_code(event)).map(|(_, span)| span).collect();
        let mut edits = Vec::new();
        for (at, line) in lines_from(&text.text, 0) {
            let Some((name, meaning)) = abbreviation(line).filter(|_| !is_within(&code, at)) else { continue };
            let known = self.code.terms.entry(name.to_owned()).or_insert_with(|| meaning.to_owned());
            if known != meaning {
                self.lose(text.line(at), Kind::Abbreviation, shortened(line.trim()));
            }
            edits.push((at..at + line.len(), String::new()));
        }
        text.edited(edits)
    }

    /// Rewrites the boxes of mdBook, and the blocks of MkDocs whose content is indented.
    fn dedented(&mut self, text: &Text) -> Text {
        match self.code.book.dialect {
            Dialect::MdBook => return admonition::warnings(text),
            Dialect::Notebooks => return text.clone(),
            _ => {}
        }
        let text = self.without_abbreviations(text);
        let (text, left) = admonition::rewrite(&text);
        self.lose_all(left);
        text
    }

    /// Rewrites formulas to the form that they have here. In a book without formulas, reports what looks like one.
    fn with_formulas(&mut self, text: Text) -> Text {
        let mut skipped = Vec::new();
        let mut html = Vec::new();
        for (event, span) in parse(&text.text) {
            match event {
                Event::Code(_) | Event::Start(Tag::CodeBlock(_)) => skipped.push(span),
                Event::Start(Tag::HtmlBlock) => {
                    html.push(span.clone());
                    skipped.push(span);
                }
                _ => {}
            }
        }
        if self.formulas.is_empty() {
            let delimiters =
                if self.code.book.dialect == Dialect::MkDocs { formula::ARITHMATEX } else { formula::MDBOOK };
            for at in formula::possible_formulas(&text.text, delimiters, &skipped) {
                self.lose(text.line(at), Kind::Dollars, "");
            }
            return text;
        }
        for block in html {
            for at in formula::possible_formulas(&text.text[block.clone()], self.formulas, &[]) {
                self.lose(text.line(block.start + at), Kind::Formula, "in HTML");
            }
        }
        let (text, left) = formula::rewrite(&text, self.formulas, &skipped);
        for line in left {
            self.lose(line, Kind::Formula, "");
        }
        text
    }

    /// Translates code blocks, HTML and dollar signs.
    fn rewritten(&mut self, text: &Text) -> Text {
        let mut edits: Vec<Edit> = Vec::new();
        let (mut depth, mut block, mut caption, mut html_end) = (0_usize, None, Caption::default(), 0);
        let mut is_terminal = false;
        let math = if self.formulas.is_empty() { Options::empty() } else { Options::ENABLE_MATH };
        let events: Vec<_> = Parser::new_ext(&text.text, OPTIONS | math).into_offset_iter().collect();
        self.ids = heading_ids(text, &events);
        let stem = url::file_name(self.path.trim_end_matches(".md")).to_owned();
        let stem = if is_plain(&stem) { stem } else { "page".to_owned() };
        for (at, (event, span)) in events.iter().enumerate() {
            let span = span.clone();
            if matches!(event, Event::Start(Tag::HtmlBlock)) {
                let html = &text.text[span.clone()];
                is_terminal = html::is_terminal(html) && html::recorded(html).is_none();
            }
            match event {
                Event::Start(Tag::CodeBlock(kind)) => {
                    let info = if let CodeBlockKind::Fenced(info) = kind { Some(info.to_string()) } else { None };
                    block = Some((info, String::new()));
                }
                Event::End(TagEnd::CodeBlock) => {
                    let (info, body) = block.take().unwrap_or_default();
                    let body = if is_terminal { html::without_colors(&body) } else { body };
                    let has_include = || self.code.directives(&body).iter().any(|found| found.include().is_some());
                    if info.is_none() && has_include() {
                        self.lose(text.line(span.start), Kind::Include, "it is in indented code");
                    }
                    if let Some(info) = info {
                        let items = if depth == 0 { items_below(&events[at + 1..]) } else { Vec::new() };
                        let obstacle = match depth {
                            0 => is_above_notes(&events[at + 1..])
                                .then_some("above a list that would be read as its notes"),
                            _ => Some("in a list or a quote"),
                        };
                        let caption = std::mem::take(&mut caption).words;
                        let (name, notes) = (&*stem, items.len());
                        let block = Block { info: &info, body: &body, obstacle, caption, notes, name };
                        edits.extend(self.block(text, span, &block, &items));
                    }
                }
                Event::Text(part) if block.is_some() => {
                    if let Some((_, body)) = &mut block {
                        body.push_str(part);
                    }
                }
                Event::Text(_) => {
                    if self.code.book.dialect == Dialect::MkDocs {
                        edits.extend(self.without_icons(text, &events, at));
                    }
                    let dollars = text.text[span.clone()].match_indices('$').map(|(at, _)| span.start + at);
                    let bare = dollars.filter(|&at| !text.text[..at].ends_with('\\'));
                    edits.extend(bare.map(|at| (at..at, "\\".to_owned())));
                }
                Event::Code(code) => {
                    let written = &text.text[span.clone()];
                    let marks = match self.code.book.dialect {
                        Dialect::MdBook => escapes(written),
                        Dialect::MkDocs => inline_language(written, code).into_iter().collect(),
                        _ => Vec::new(),
                    };
                    let removed = |mark: Range<usize>| (span.start + mark.start..span.start + mark.end, String::new());
                    edits.extend(marks.into_iter().map(removed));
                }
                Event::Start(Tag::HtmlBlock) if depth == 0 => {
                    html_end = span.end;
                    self.edit_html(text, span, true, &mut caption, &mut edits);
                }
                Event::Html(_) if span.start < html_end => {}
                Event::Html(_) => self.edit_html(text, span, true, &mut caption, &mut edits),
                Event::InlineHtml(_) => self.edit_html(text, span, false, &mut caption, &mut edits),
                Event::Start(Tag::List(_) | Tag::BlockQuote(_) | Tag::FootnoteDefinition(_)) => depth += 1,
                Event::End(TagEnd::List(_) | TagEnd::BlockQuote(_) | TagEnd::FootnoteDefinition) => {
                    depth = depth.saturating_sub(1);
                }
                Event::Start(Tag::Heading { .. }) => self.lose_caption(&mut caption, &mut edits),
                _ => {}
            }
        }
        self.lose_caption(&mut caption, &mut edits);
        text.edited(edits)
    }

    /// Edits the tags in some HTML. A caption that opens there is left in `caption`.
    fn edit_html(
        &mut self,
        text: &Text,
        span: Range<usize>,
        is_block: bool,
        caption: &mut Caption,
        edits: &mut Vec<Edit>,
    ) {
        if let Some(code) = html::recorded(&text.text[span.clone()]).filter(|_| is_block) {
            return edits.push((span, code));
        }
        for found in changed(&text.text[span.clone()], is_block) {
            let range = span.start + found.range.start..span.start + found.range.end;
            match found.change {
                Some(Change::Loses) => {
                    self.lose(text.line(range.start), Kind::Attribute, shortened(&text.text[range.clone()]));
                }
                Some(Change::Opens(name, words)) => {
                    self.lose_caption(caption, edits);
                    *caption = Caption { at: range.start, line: text.line(range.start), name, words };
                }
                Some(Change::Closes) => self.lose_caption(caption, edits),
                None => {}
            }
            // A blank line would end the block.
            let start = text.text[..range.start].rfind('\n').map_or(0, |at| at + 1);
            let end = text.text[range.end..].find('\n').map_or(text.text.len(), |length| range.end + length + 1);
            let is_alone = (text.text[start..range.start].to_owned() + &text.text[range.end..end]).trim().is_empty();
            let is_inside = start > span.start && end < span.end && is_block;
            let is_blank = found.new.is_empty() && is_alone && is_inside;
            edits.push((if is_blank { start..end } else { range }, found.new));
        }
    }

    /// Returns the edits that remove icons and attributes in braces from the text of the event at `at`.
    fn without_icons(&mut self, text: &Text, events: &[(Event<'_>, Range<usize>)], at: usize) -> Vec<Edit> {
        let span = &events[at].1;
        let icons = braces_and_icons(&text.text, span.clone());
        let mut edits: Vec<Edit> = Vec::new();
        if is_alone_in_item(events, at) && icons.iter().map(Range::len).sum::<usize>() == span.len() {
            // Paragraphs below an empty line would be outside of the item.
            edits.push((span.start..span.start, "<!-- -->".to_owned()));
        }
        for range in icons {
            self.lose(text.line(range.start), Kind::Icon, shortened(text.text[range.clone()].trim()));
            edits.push((range, String::new()));
        }
        edits
    }

    /// Writes the words of a caption for which there is no code block into the page.
    fn lose_caption(&mut self, caption: &mut Caption, edits: &mut Vec<Edit>) {
        let Caption { at, line, name, words } = std::mem::take(caption);
        if let Some(words) = words {
            self.lose(line, Kind::Component, format!("`<{name}>`"));
            edits.push((at..at, format!("**{}** ", words.trim().replace('$', "\\$"))));
        }
    }

    /// Returns the edits that translate a block, and make notes of the items below it, which begin at these bytes.
    fn block(&mut self, text: &Text, span: Range<usize>, block: &Block<'_>, items: &[usize]) -> Vec<Edit> {
        let line = text.line(span.start);
        let whole = text.text[span.clone()].trim_end();
        let span = span.start..span.start + whole.len();
        let translated = fence::translate(block, url::folder(self.path), self.code);
        translated.losses.into_iter().for_each(|(kind, detail)| self.lose(line, kind, detail));
        let before = &text.text[text.text[..span.start].rfind('\n').map_or(0, |end| end + 1)..span.start];
        let prefix: String = before.chars().map(|c| if matches!(c, '>' | '\t') { c } else { ' ' }).collect();
        let new = inclusion::indented(&translated.text, &prefix);
        let notes = items.iter().zip(&translated.bindings).map(|(&at, binding)| (at..at, format!("{binding} — ")));
        notes.chain((new != whole).then_some((span, new))).collect()
    }
}

/// Returns the bytes at which the texts of the items begin, of a numbered list that directly follows; none if one of them
/// does not begin with text.
fn items_below(events: &[(Event<'_>, Range<usize>)]) -> Vec<usize> {
    if !matches!(events.first(), Some((Event::Start(Tag::List(Some(1))), _))) {
        return Vec::new();
    }
    let (mut depth, mut texts) = (0, Vec::new());
    for (at, (event, _)) in events.iter().enumerate() {
        match event {
            Event::Start(Tag::List(_)) => depth += 1,
            Event::End(TagEnd::List(_)) if depth == 1 => {
                return if is_above_notes(&events[at + 1..]) { Vec::new() } else { texts };
            }
            Event::End(TagEnd::List(_)) => depth -= 1,
            Event::Start(Tag::Item) if depth == 1 => {
                let below = events[at + 1..].iter().find(|(event, _)| !matches!(event, Event::Start(Tag::Paragraph)));
                let is_text = |event: &Event<'_>| match event {
                    Event::Text(_) | Event::Code(_) | Event::InlineHtml(_) => true,
                    Event::Start(tag) => {
                        matches!(tag, Tag::Link { .. } | Tag::Emphasis | Tag::Strong | Tag::Image { .. })
                    }
                    _ => false,
                };
                match below.filter(|(event, _)| is_text(event)) {
                    Some((_, span)) => texts.push(span.start),
                    None => return Vec::new(),
                }
            }
            _ => {}
        }
    }
    texts
}

/// Returns the ids of HTML directly before or in a heading, and the words of the heading.
fn heading_ids(text: &Text, events: &[(Event<'_>, Range<usize>)]) -> BTreeMap<String, String> {
    let (mut found, mut ids, mut heading) = (BTreeMap::new(), Vec::new(), None);
    for (event, span) in events {
        match event {
            Event::Html(_) | Event::InlineHtml(_) => ids.extend(infralens_source::html::ids(&text.text[span.clone()])),
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let words = heading.take().unwrap_or_default();
                found.extend(ids.drain(..).map(|id| (id, words.clone())));
            }
            Event::Text(part) | Event::Code(part) => match &mut heading {
                Some(words) => words.push_str(part),
                None => ids.clear(),
            },
            _ => {}
        }
    }
    found
}

/// Reads a definition of an abbreviation: `*[HTML]: Hyper Text Markup Language`.
pub fn abbreviation(line: &str) -> Option<(&str, &str)> {
    let (name, meaning) = line.strip_prefix("*[")?.split_once("]:")?;
    Some((name.trim(), meaning.trim()))
}

/// Returns the ranges of the backslashes before escaped directives of mdBook.
fn escapes(written: &str) -> Vec<Range<usize>> {
    written.match_indices("\\{{#").map(|(at, _)| at..at + 1).collect()
}

/// Returns the range of the language of code in a line of MkDocs: `#!py a = 1`.
fn inline_language(written: &str, code: &str) -> Option<Range<usize>> {
    let (first, _) = code.strip_prefix("#!")?.split_once(' ')?;
    let start = written.find("#!").filter(|_| first.chars().all(char::is_alphanumeric))?;
    Some(start..start + "#! ".len() + first.len())
}

/// Whether the event at `at` is all that the first of several paragraphs of a list item contains.
fn is_alone_in_item(events: &[(Event<'_>, Range<usize>)], at: usize) -> bool {
    let before = at.checked_sub(2).and_then(|item| events.get(item));
    matches!(before, Some((Event::Start(Tag::Item), _)))
        && matches!(events.get(at + 1), Some((Event::End(TagEnd::Paragraph), _)))
}

/// Whether a list follows a code block so closely that an excerpt would take its items for notes: a numbered list directly
/// below, or any list near it with an item that begins with code.
fn is_above_notes(events: &[(Event<'_>, Range<usize>)]) -> bool {
    let mut paragraphs = 0;
    let mut depth = 0_usize;
    for (at, (event, _)) in events.iter().enumerate() {
        match event {
            Event::Start(Tag::List(Some(_))) if paragraphs == 0 && depth == 0 => return true,
            Event::Start(Tag::List(_)) => depth += 1,
            Event::End(TagEnd::List(_)) => depth -= usize::from(depth > 0),
            Event::Start(Tag::Item) => {
                let is_text = |(event, _): &&(Event<'_>, Range<usize>)| !matches!(event, Event::Start(_));
                if matches!(events[at + 1..].iter().find(is_text), Some((Event::Code(_), _))) {
                    return true;
                }
            }
            Event::Start(Tag::Paragraph) if depth == 0 => paragraphs += 1,
            Event::Start(Tag::Heading { .. } | Tag::CodeBlock(_)) | Event::Rule if depth == 0 => return false,
            _ => {}
        }
        if paragraphs > 1 {
            return false;
        }
    }
    false
}
