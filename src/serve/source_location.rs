//! Finds the place in a source file that a place on a page comes from. The HTML does not contain source positions, so
//! the script identifies a line of code by its number, a note by its id, and a block of text by its words, the
//! heading above it, and its index among blocks with the same words.

use std::collections::BTreeMap;
use std::sync::Arc;

use pulldown_cmark::{Event, Tag};
use serde_json::json;

use super::editor::Editor;
use infralens_course::references::References;
use infralens_page::{Body, Document, is_inline};
use infralens_source::diag::Place;
use infralens_source::source::{Position, Source};

#[derive(Debug, Clone, Copy)]
pub struct PageSources<'a> {
    /// The document that it is made from.
    pub document: Option<&'a Document>,
    /// The translation that is put into this document, if any.
    pub translation: Option<&'a Source>,
    /// The starter file that it shows, by its path from the course's root.
    pub starter: Option<&'a Arc<str>>,
    /// The file with all references.
    pub references: Option<&'a Source>,
}

/// The file with all references.
pub const REFERENCES: &str = "content/references.yaml";
/// How many letters and digits of a block are compared. The script sends no more.
const COMPARED: usize = 200;
/// How many must agree at the beginning of a block if no block has exactly the same text.
const MIN_COMMON: usize = 12;

/// Returns the source of a place on a page as JSON: `file`, relative to the course's root, `line` and `column` from
/// 1, and `url`, which opens the place in the editor and is null if there is no link.
///
/// `query` has, as far as they are known: `reference`, the id of an entry of a reading list; `line` of a
/// starter; `note`, the id of an excerpt, of one of its notes or of a calculator, or the number of a drawing (`E1`,
/// `E1-N2`, `C-area`, `D1`); `heading`, the id of the heading
/// above; `text`, the letters and digits of the block; `nth`, the index, from 0, among the blocks below that heading
/// with the same text.
pub fn locate(query: &BTreeMap<String, String>, page: PageSources<'_>, editor: &Editor) -> Option<String> {
    let (file, line, column) = match (query.get("reference"), page.document) {
        (Some(id), _) => {
            let at = reference(page.references?, id)?;
            (Arc::from(REFERENCES), at.line, at.column)
        }
        (None, Some(document)) => {
            let source = page.translation.unwrap_or(&document.source);
            let at = source.position(page.translation.map_or_else(
                || offset(query, document),
                |translation| offset_in_translation(query, document, translation),
            ));
            (Arc::clone(source.path()), at.line, at.column)
        }
        (None, None) => (Arc::clone(page.starter?), number(query, "line").unwrap_or(1).max(1), 1),
    };
    let url = editor.url(&file, line, column);
    Some(json!({ "file": &*file, "line": line, "column": column, "url": url }).to_string())
}

/// Returns the position of the reference whose entry on a page has this id.
fn reference(source: &Source, id: &str) -> Option<Position> {
    let (references, _) = References::read(source);
    // In the print view, ids begin with the lab's id.
    let is_id_of = |key: &str| id.strip_suffix(key).is_some_and(|before| before == "R-" || before.ends_with("-R-"));
    let keys = references.iter().map(|(key, _)| key).filter(|key| is_id_of(&key.value));
    keys.max_by_key(|key| key.value.len()).map(|key| source.position(key.span.start))
}

/// Returns the letters and digits of the block that is asked for.
fn text_of(query: &BTreeMap<String, String>) -> String {
    query.get("text").map(|text| letters_and_digits(text)).unwrap_or_default()
}

fn number(query: &BTreeMap<String, String>, key: &str) -> Option<usize> {
    query.get(key)?.parse().ok()
}

/// Returns the offset in a translation of the place that is asked for: where it is translated, or else where its text is
/// quoted.
fn offset_in_translation(query: &BTreeMap<String, String>, document: &Document, translation: &Source) -> usize {
    let at = offset(query, document);
    let place = Place::new(translation.path(), at..at);
    let translated = document.translated.as_ref().and_then(|merged| merged.place(&place)?.span);
    let quoted = || line_offset(translation, &text_of(query));
    translated.map(|(start, _)| start).or_else(quoted).unwrap_or(translation.start())
}

/// Returns the offset in the document of the place that is asked for, or of the nearest known place above it.
fn offset(query: &BTreeMap<String, String>, document: &Document) -> usize {
    let body = &document.body;
    if let Some(offset) = query.get("note").and_then(|id| note_offset(body, id)) {
        return offset;
    }
    let heading = query.get("heading").and_then(|id| body.headings.iter().find(|heading| heading.id == *id));
    let from = heading.map_or(0, |heading| heading.span.start);
    let text = text_of(query);
    let block = || block_offset(body, from, &text, number(query, "nth").unwrap_or_default());
    let line = || line_offset(&document.source, &text);
    let found = (!text.is_empty()).then(|| block().or_else(line)).flatten();
    found.unwrap_or(from.max(document.source.start()))
}

/// Returns the offset of the fence of `E1`, of the note of `E1-N2`, of the calculator `C-area`, or of the first drawing for `D1`.
fn note_offset(body: &Body, id: &str) -> Option<usize> {
    // In the print view, ids begin with the lab's id.
    let is_id_of = |own: &str| id.strip_suffix(own).is_some_and(|before| before.is_empty() || before.ends_with('-'));
    let calculators = body.values.iter().filter_map(|block| Some((&block.span, block.calculator.as_ref()?)));
    let mut named = calculators.filter(|(_, calculator)| is_id_of(&calculator.id));
    if let Some((span, _)) = named.next() {
        return Some(span.start);
    }
    if let Some(number) = id.strip_prefix('D').and_then(|number| number.parse::<usize>().ok()) {
        let mut drawings = body.events.iter().filter(|(event, _)| is_drawn(event));
        return Some(drawings.nth(number.checked_sub(1)?)?.1.start);
    }
    let (excerpt, note) = id.split_once("-N").map_or((id, None), |(excerpt, note)| (excerpt, Some(note)));
    let index = |number: &str| number.parse::<usize>().ok()?.checked_sub(1);
    let excerpt = body.excerpts.get(index(excerpt.strip_prefix('E')?)?)?;
    Some(match note {
        Some(note) => excerpt.notes.get(index(note)?)?.span.start,
        None => excerpt.head.start,
    })
}

/// Whether an event begins a fence that is shown as a drawing.
pub fn is_drawn(event: &Event<'_>) -> bool {
    matches!(event, Event::Start(Tag::CodeBlock(kind)) if infralens_page::is_drawn(kind))
}

/// Returns the letters and digits of the last block with text that begins at or before an offset.
pub fn text_at(body: &Body, offset: usize) -> Option<String> {
    blocks(body).into_iter().take_while(|(start, _)| *start <= offset).last().map(|(_, text)| text)
}

/// Returns the offset of the block with this text: the `nth` below `from`, or else any, or else the block whose
/// beginning agrees best.
fn block_offset(body: &Body, from: usize, text: &str, nth: usize) -> Option<usize> {
    let blocks = blocks(body);
    let equal = || blocks.iter().filter(|(_, own)| own == text);
    let below = equal().filter(|(offset, _)| *offset >= from).nth(nth);
    let found = below.or_else(|| equal().next_back()).or_else(|| {
        let common = |(_, own): &&(usize, String)| own.chars().zip(text.chars()).take_while(|(a, b)| a == b).count();
        // Among equally good ones, prefer the first below the heading.
        let rank = |block: &&(usize, String)| (common(block), block.0 >= from, std::cmp::Reverse(block.0));
        blocks.iter().max_by_key(rank).filter(|block| common(block) >= MIN_COMMON)
    });
    found.map(|(offset, _)| *offset)
}

/// Returns the offset of the first line that contains the text: in front matter, or in Markdown that is displayed
/// differently.
fn line_offset(source: &Source, text: &str) -> Option<usize> {
    let lines = (0..source.line_count()).map(|line| source.line_span(line));
    let mut matching = lines.filter(|span| letters_and_digits(&source.text()[span.clone()]).contains(text));
    Some(matching.next().filter(|_| text.chars().count() >= MIN_COMMON)?.start)
}

/// Returns all blocks that have text, in order: the offset of each, and its text without that of blocks inside it.
fn blocks(body: &Body) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    // Of each element that is open: its index if it is a block, and whether the page shows something else than the words in
    // it: a picture, or the name of a cited reference.
    let mut open: Vec<(Option<usize>, bool)> = Vec::new();
    for (event, span) in body.events.iter() {
        match event {
            Event::Start(tag) => {
                let block = (!is_inline(tag.to_end())).then_some(found.len());
                found.extend(block.map(|_| (span.start, String::new())));
                let is_cited = matches!(&tag, Tag::Link { dest_url, .. } if dest_url.starts_with('@'));
                open.push((block, is_cited || matches!(tag, Tag::Image { .. })));
            }
            Event::End(_) => {
                open.pop();
            }
            Event::Text(text) | Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                let innermost = open.iter().rev().find_map(|(block, _)| *block);
                if let (Some(block), false) = (innermost, open.iter().any(|(_, hides_text)| *hides_text)) {
                    found[block].1.push_str(&text);
                }
            }
            _ => {}
        }
    }
    let found = found.into_iter().map(|(offset, text)| (offset, letters_and_digits(&text)));
    found.filter(|(_, text)| !text.is_empty()).collect()
}

/// Returns the beginning of a text without spaces, quotes and dashes, which the page may show differently.
fn letters_and_digits(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).take(COMPARED).collect()
}

#[cfg(test)]
mod tests;
