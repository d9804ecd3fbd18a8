//! From what a reader points at to where it is written. The output says nothing of sources, so a line of code is told by
//! its number, a note by its id, and a block of text by its words, the heading above it, and which of several equal ones
//! it is.

use std::collections::BTreeMap;
use std::sync::Arc;

use pulldown_cmark::{Event, Tag};
use serde_json::json;

use super::editor::Editor;
use crate::document::{Body, Document};
use crate::source::{Position, Source};

/// What the pages of the site are made of, by the path of a page's URL as the browser has it: percent-encoded, with the
/// slash before it and the site's base path.
pub trait Sources {
    /// The document that a page shows.
    fn document(&self, page: &str) -> Option<&Document>;
    /// Where the reference is written, in [`REFERENCES`], whose entry on a page has this id.
    fn reference(&self, id: &str) -> Option<Position>;
    /// The starter file that a starter's page shows, by its path from the course's root.
    fn starter(&self, page: &str) -> Option<Arc<str>>;
}

/// The file of all references.
pub const REFERENCES: &str = "content/references.yaml";
/// Letters and digits of a block that are compared; the script sends no more.
const COMPARED: usize = 200;
/// Fewest that must agree where no block reads as the page does.
const ALIKE: usize = 12;

/// Where something on a page is written, as JSON: `file` from the course's root, `line` and `column` from 1, and the `url`
/// that opens it, null where there is none.
///
/// `query` has `page`, and of these what is known: `reference`, the id of an entry of a reading list; `line` of a starter; `note`, the id of an excerpt or of one of its notes
/// (`E1`, `E1-N2`); `heading`, the id of the heading above; `text`, the block's letters and digits; `nth`, from 0, which of
/// the blocks below that heading that read so.
#[must_use]
pub fn locate(query: &BTreeMap<String, String>, sources: &dyn Sources, editor: &Editor) -> Option<String> {
    let page = query.get("page")?;
    let (file, line, column) = match (query.get("reference"), sources.document(page)) {
        (Some(id), _) => {
            let at = sources.reference(id)?;
            (Arc::from(REFERENCES), at.line, at.column)
        }
        (None, Some(document)) => {
            let source = &document.source;
            let at = source.position(wanted(query, document));
            (Arc::clone(source.path()), at.line, at.column)
        }
        (None, None) => (sources.starter(page)?, number(query, "line").unwrap_or(1).max(1), 1),
    };
    let url = editor.url(&file, line, column);
    Some(json!({ "file": &*file, "line": line, "column": column, "url": url }).to_string())
}

fn number(query: &BTreeMap<String, String>, key: &str) -> Option<usize> {
    query.get(key)?.parse().ok()
}

/// The offset in a document of what is asked for; the nearest that is known, in the end the file's begin.
fn wanted(query: &BTreeMap<String, String>, document: &Document) -> usize {
    let body = &document.body;
    if let Some(at) = query.get("note").and_then(|id| note(body, id)) {
        return at;
    }
    let heading = query.get("heading").and_then(|id| body.headings.iter().find(|heading| heading.id == *id));
    let from = heading.map_or(0, |heading| heading.span.start);
    let text: String = query.get("text").map(|text| words(text)).unwrap_or_default();
    let block = || block(body, from, &text, number(query, "nth").unwrap_or_default());
    let line = || line(&document.source, &text);
    let found = (!text.is_empty()).then(|| block().or_else(line)).flatten();
    found.unwrap_or(from.max(document.source.start()))
}

/// The fence of `E1`, or the note of `E1-N2`.
fn note(body: &Body, id: &str) -> Option<usize> {
    let (excerpt, note) = id.split_once("-N").map_or((id, None), |(excerpt, note)| (excerpt, Some(note)));
    let index = |number: &str| number.parse::<usize>().ok()?.checked_sub(1);
    let excerpt = body.excerpts.get(index(excerpt.strip_prefix('E')?)?)?;
    Some(match note {
        Some(note) => excerpt.notes.get(index(note)?)?.span.start,
        None => excerpt.head.start,
    })
}

/// The block that reads so: the `nth` below a place, else any that does, else the one that begins most alike.
fn block(body: &Body, from: usize, text: &str, nth: usize) -> Option<usize> {
    let blocks = blocks(body);
    let equal = || blocks.iter().filter(|block| block.text == text);
    let below = equal().filter(|block| block.at >= from).nth(nth);
    let found = below.or_else(|| equal().next_back()).or_else(|| {
        let alike = |block: &&Block| block.text.chars().zip(text.chars()).take_while(|(a, b)| a == b).count();
        // Of two, the one below the heading; there, the first.
        let rank = |block: &&Block| (alike(block), block.at >= from, usize::MAX - block.at);
        blocks.iter().max_by_key(rank).filter(|block| alike(block) >= ALIKE)
    });
    found.map(|block| block.at)
}

/// The first line that says so: of front matter, or of Markdown that is read otherwise here than it is shown.
fn line(source: &Source, text: &str) -> Option<usize> {
    let lines = (0..source.line_count()).map(|line| source.line_span(line));
    let mut saying = lines.filter(|span| words(&source.text()[span.clone()]).contains(text));
    Some(saying.next().filter(|_| text.chars().count() >= ALIKE)?.start)
}

/// A block's own text, without that of blocks in it.
struct Block {
    at: usize,
    text: String,
}

/// An element that is open: the block that it is, if it is one, and whether it is shown as something else than its words,
/// as pictures are, and citations, which are named by their references.
struct Open {
    block: Option<usize>,
    hides: bool,
}

/// All blocks that have text, in the order of their begins.
fn blocks(body: &Body) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    for (event, span) in &body.events {
        match event {
            Event::Start(tag) => {
                let block = (!is_inline(tag)).then_some(found.len());
                found.extend(block.map(|_| Block { at: span.start, text: String::new() }));
                let is_cited = matches!(tag, Tag::Link { dest_url, .. } if dest_url.starts_with('@'));
                open.push(Open { block, hides: is_cited || matches!(tag, Tag::Image { .. }) });
            }
            Event::End(_) => {
                open.pop();
            }
            Event::Text(text) | Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                let innermost = open.iter().rev().find_map(|open| open.block);
                if let (Some(block), false) = (innermost, open.iter().any(|open| open.hides)) {
                    found[block].text.push_str(text);
                }
            }
            _ => {}
        }
    }
    for block in &mut found {
        block.text = words(&block.text);
    }
    found.retain(|block| !block.text.is_empty());
    found
}

fn is_inline(tag: &Tag<'_>) -> bool {
    matches!(
        tag,
        Tag::Emphasis
            | Tag::Strong
            | Tag::Strikethrough
            | Tag::Superscript
            | Tag::Subscript
            | Tag::Link { .. }
            | Tag::Image { .. }
    )
}

/// The letters and digits of a text, so far as they are compared: spaces, quotes and dashes are set otherwise on the page.
fn words(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).take(COMPARED).collect()
}

#[cfg(test)]
mod tests;
