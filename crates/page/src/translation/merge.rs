//! Puts what is translated into the text of a page, in the places of its blocks, and parses the result.

use std::collections::BTreeMap;
use std::sync::Arc;

use pulldown_cmark::Event;

use super::check::labels;
use super::{Pair, Translation, Unit};
use crate::blocks::{self, Block, Kind, unescaped};
use crate::prediction::SUMMARY;
use crate::{Body, Document, Events, Excerpt, fence, is_inline, parse};
use infralens_source::diag::{Diagnostic, Place};
use infralens_source::source::{Source, Span, edited};

/// What is known about a page into which a translation has been put.
#[derive(Debug, Default)]
pub struct Merged {
    pub path: Arc<str>,
    /// The blocks that are still in the language of the source.
    pub foreign: Vec<Span>,
    /// The blocks whose source has changed since they were translated: the span of each, and the source as it is now.
    pub originals: Vec<(Span, String)>,
    /// What is translated: the span here, and that in the translation.
    pieces: Vec<(Span, Span)>,
}

impl Merged {
    /// Returns the place in the translation of a place in the page; `None` if that is the source's own.
    pub fn place(&self, place: &Place) -> Option<Place> {
        let (start, end) = place.span?;
        let after = self.pieces.partition_point(|(here, _)| here.start <= start);
        let (here, there) = self.pieces[..after].last().filter(|(here, _)| end <= here.end)?;
        let span = if here.len() == there.len() {
            there.start + (start - here.start)..there.start + (end - here.start)
        } else {
            // What is indented otherwise has no place of its own.
            there.clone()
        };
        Some(Place::new(&self.path, span))
    }

    /// Moves a diagnostic about the page to the translation; `None` if it is about the source.
    pub fn moved(&self, mut diagnostic: Diagnostic) -> Option<Diagnostic> {
        diagnostic.place = self.place(&diagnostic.place)?;
        diagnostic.fixes.clear();
        Some(diagnostic)
    }

    /// Returns the block in the language of the source that an offset is in.
    pub fn foreign_at(&self, at: usize) -> Option<&Span> {
        let after = self.foreign.partition_point(|span| span.start <= at);
        self.foreign[..after].last().filter(|span| span.contains(&at))
    }

    /// Returns the number of the block that ends with an element, if its translation is of an earlier source.
    pub fn original_at(&self, element: &Span) -> Option<usize> {
        let after = self.originals.partition_point(|(span, _)| span.start <= element.start);
        let at = after.checked_sub(1)?;
        let block = &self.originals[at].0;
        (block.contains(&element.start) && block.end <= element.end).then_some(at)
    }
}

impl Translation {
    /// Returns the page in the other language, and the diagnostics of parsing it, with places in the translation.
    pub fn page(&self, page: &Document) -> (Document, Vec<Diagnostic>) {
        let source = page.source.text();
        let (mut text, mut at) = (String::with_capacity(source.len()), 0);
        let mut merged = Merged { path: Arc::clone(self.source.path()), ..Merged::default() };
        for (block, unit) in self.page_blocks.iter().zip(&self.of_block) {
            text.push_str(&source[at..block.span.start.max(at)]);
            at = block.span.end.max(at);
            let start = text.len();
            if let Some(unit) = unit.map(|unit| &self.units[unit]).filter(|unit| unit.is_shown) {
                let (new, from) = self.replacement(page, block, unit).unwrap_or_default();
                text.push_str(&new);
                merged.pieces.push((start..text.len(), from));
                let is_stale = matches!(unit.pair, Some((_, Pair::Similar)));
                let original = || plain(&page.body, &block.events);
                merged.originals.extend(is_stale.then(|| (start..text.len(), original())));
            } else {
                text.push_str(&source[block.span.clone()]);
                merged.foreign.extend(block.has_words.then_some(start..text.len()));
            }
        }
        text.push_str(&source[at..]);
        let merged_source = Arc::new(Source::new(Arc::clone(page.source.path()), text));
        let (mut document, diagnostics) = parse::parse(&merged_source, page.placement.clone());
        document.front = self.texts.apply(&document.front);
        let titles: BTreeMap<&str, &str> =
            page.body.headings.iter().map(|heading| (heading.id.as_str(), heading.text.as_str())).collect();
        for heading in &mut document.body.headings {
            heading.of_source = titles.get(heading.id.as_str()).map(|title| (*title).to_owned());
        }
        // What is translated has the ids of its source.
        for (block, own) in document.body.values.iter_mut().zip(&page.body.values) {
            if let (Some(calculator), Some(own)) = (&mut block.calculator, &own.calculator) {
                calculator.id.clone_from(&own.id);
            }
        }
        let diagnostics = diagnostics.into_iter().filter_map(|diagnostic| merged.moved(diagnostic)).collect();
        document.translated = Some(Arc::new(merged));
        (document, diagnostics)
    }

    /// Returns what stands for a block, and its span in the translation.
    fn replacement(&self, page: &Document, block: &Block, unit: &Unit) -> Option<(String, Span)> {
        let span = self.span_of(unit)?;
        let own = &self.blocks[unit.blocks.start];
        let [ours, theirs] =
            [(&page.body, block), (&self.body, own)].map(|(body, block)| excerpts(body, &block.events));
        let text = match block.kind {
            Kind::Heading(level) => {
                let heading = page.body.headings.iter().find(|heading| heading.events.start == block.events.start)?;
                let inside = own.events.start + 1..own.events.end - 1;
                let words = self.body.events.span(inside.start).start..self.body.events.span(inside.end - 1).end;
                let was: Vec<String> = heading.was.iter().map(|was| format!(" .was-{was}")).collect();
                let was = was.concat();
                let text = &self.source.text()[words.clone()];
                let text = format!("{} {text} {{#{}{was}}}", "#".repeat(usize::from(level)), heading.id);
                return Some((text, words));
            }
            Kind::Excerpt => with_caption(&page.source, ours.first()?, theirs.first()?),
            Kind::Calc => self.calculator(page, block, own),
            _ => {
                let pins = ours.iter().zip(&theirs).map(|(ours, theirs)| {
                    let place = theirs.block.start - span.start..(theirs.block.end - span.start).min(span.len());
                    (place, with_caption(&page.source, ours, theirs) + "\n")
                });
                let text = edited(&self.source.text()[span.clone()], pins.collect());
                let text = text.trim_end();
                match block.kind {
                    // The question of a prediction, which is one line.
                    _ if page.source.text()[..block.span.start].trim_end().ends_with(SUMMARY) => {
                        text.split_whitespace().collect::<Vec<_>>().join(" ")
                    }
                    Kind::Item(_) => reindented(text, &page.source.text()[block.span.clone()]),
                    _ => text.to_owned(),
                }
            }
        };
        Some((text, span))
    }

    /// Returns a calculator of the page with the translated title and labels.
    fn calculator(&self, page: &Document, block: &Block, own: &Block) -> String {
        let translated = &self.source.text()[own.span.clone()];
        let ours = page.source.first_line(&block.span);
        let title = |source: &Source, span: &Span| {
            let info = fence::read_info(source, &source.first_line(span));
            info.attribute("title").map(|title| (title.value.clone(), title.span.clone()))
        };
        let mut edits = Vec::new();
        if let (Some((_, old)), Some((new, _))) = (title(&page.source, &ours), title(&self.source, &own.span)) {
            edits.push((old, new));
        }
        for (name, old) in blocks::labels(&page.source, &page.body, &block.events) {
            let new = labels(translated).find(|(known, _)| *known == name);
            edits.extend(new.map(|(_, text)| (old, unescaped(text))));
        }
        let start = block.span.start;
        let edits = edits.into_iter().map(|(span, new)| (span.start - start..span.end - start, new)).collect();
        edited(&page.source.text()[block.span.clone()], edits)
    }
}

/// Returns the text of a block without markup, with a space between its lines and parts.
fn plain(body: &Body, events: &Events) -> String {
    let mut text = String::new();
    for at in events.clone() {
        let part = body.text(at..at + 1);
        let is_border = part.is_empty()
            && !matches!(body.events.event(at), Event::Start(tag) if is_inline(tag.to_end()))
            && !matches!(body.events.event(at), Event::End(tag) if is_inline(tag));
        text.push_str(if is_border { " " } else { &part });
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn excerpts<'b>(body: &'b Body, events: &Events) -> Vec<&'b Excerpt> {
    body.excerpts.iter().filter(|excerpt| events.contains(&excerpt.fence.start)).collect()
}

fn with_caption(source: &Source, ours: &Excerpt, theirs: &Excerpt) -> String {
    let text = source.text()[ours.block.clone()].trim_end();
    let info = fence::read_info(source, &ours.head);
    let (Some(old), Some(new)) = (info.attribute("caption"), &theirs.caption) else { return text.to_owned() };
    let quote = if new.contains('"') { '\'' } else { '"' };
    let is_quoted = source.text()[..old.span.start].ends_with(['"', '\'']);
    let end = old.span.end + usize::from(is_quoted) - ours.block.start;
    edited(text, vec![(old.key_span.start - ours.block.start..end, format!("caption={quote}{new}{quote}"))])
}

/// Returns an item of a list with the marker of another item, and indented as that.
fn reindented(text: &str, like: &str) -> String {
    let width = |text: &str| {
        let marker = text.find([' ', '\n']).unwrap_or(text.len());
        let space = text[marker..].len() - text[marker..].trim_start_matches(' ').len();
        marker + if text[marker..].trim_start_matches(' ').starts_with('\n') { 0 } else { space }
    };
    let (own, other) = (width(text), width(like));
    let mut lines = text.lines();
    let mut out = format!("{}{}", &like[..other], lines.next().unwrap_or_default().get(own..).unwrap_or_default());
    for line in lines {
        let indent = line.len() - line.trim_start_matches(' ').len();
        out.push('\n');
        if indent >= own {
            out.push_str(&" ".repeat(other));
        }
        out.push_str(&line[indent.min(own)..]);
    }
    out
}
