//! What concerns a whole file: its symbols, what can be folded, its links, and hints next to its text.

use std::collections::BTreeMap;

use infralens_course::course::link::Target;
use infralens_render::ResolvedPage;
use infralens_site::Site;
use infralens_source::diag::Place;
use infralens_source::source::Span;

use super::uses::{bound_lines, defined};
use super::{Named, linked, target_of, uses};

/// What a symbol is, for its picture in the editor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Heading,
    Excerpt,
    Value,
    Calculator,
}

/// A part of a page that has a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    pub name: String,
    pub detail: String,
    pub kind: Kind,
    /// All of it.
    pub span: Span,
    /// The part that has the name.
    pub name_span: Span,
    pub children: Vec<Symbol>,
}

/// A link of a page: where it is, and where it leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentLink {
    pub span: Span,
    pub goal: Goal,
}

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Goal {
    /// A place in a file of the course.
    Place(Place),
    /// An address of another site.
    Url(String),
}

/// Returns the headings of a page with what is below them: excerpts, values and calculators.
pub fn symbols(site: &Site, path: &str) -> Vec<Symbol> {
    let Some(source) = site.source(path) else { return Vec::new() };
    let document = source.subject.document;
    let text = document.source.text();
    let mut leaves: Vec<Symbol> = Vec::new();
    for excerpt in &document.body.excerpts {
        let name = excerpt.caption.clone().unwrap_or_else(|| format!("{}{}", excerpt.file.path, excerpt.file.hash()));
        let end = excerpt.notes.last().map_or(excerpt.block.end, |note| note.span.end);
        leaves.push(leaf(name, Kind::Excerpt, excerpt.block.start..end, excerpt.head.clone()));
    }
    for block in &document.body.values {
        if let Some(calculator) = &block.calculator {
            let name_span = document.source.first_line(&block.span);
            leaves.push(leaf(calculator.title.clone(), Kind::Calculator, block.span.clone(), name_span));
        } else {
            let printed = source.cx.values_of(document).map_or(&[][..], |values| &values.values);
            for declaration in &block.sheet.declarations {
                let value = printed.iter().find(|value| value.name == declaration.name);
                let detail = value.map_or_else(String::new, |value| value.printed.clone());
                let span = declaration.line.clone();
                let symbol = leaf(declaration.name.clone(), Kind::Value, span, declaration.name_span.clone());
                leaves.push(Symbol { detail, ..symbol });
            }
        }
    }
    let headings = document.body.headings.iter().filter(|heading| heading.top_level).collect::<Vec<_>>();
    let mut nested: Vec<(u8, Symbol)> = Vec::new();
    for (index, heading) in headings.iter().enumerate() {
        let following = headings[index + 1..].iter().find(|next| next.level <= heading.level);
        let end = following.map_or(text.len(), |next| next.span.start);
        let name = if heading.text.is_empty() { "#".to_owned() } else { heading.text.clone() };
        nested.push((heading.level, leaf(name, Kind::Heading, heading.span.start..end, heading.span.clone())));
    }
    let mut roots: Vec<Symbol> = Vec::new();
    for (_, symbol) in nested {
        insert(&mut roots, symbol);
    }
    leaves.sort_by_key(|leaf| leaf.span.start);
    for leaf in leaves {
        insert(&mut roots, leaf);
    }
    roots
}

fn leaf(name: String, kind: Kind, span: Span, name_span: Span) -> Symbol {
    Symbol { name, detail: String::new(), kind, span, name_span, children: Vec::new() }
}

/// Puts a symbol into the innermost heading that contains it.
fn insert(symbols: &mut Vec<Symbol>, symbol: Symbol) {
    let contains = |one: &Symbol| {
        one.kind == Kind::Heading && one.span.start < symbol.span.start && symbol.span.start < one.span.end
    };
    if let Some(parent) = symbols.iter_mut().rev().find(|one| contains(one)) {
        insert(&mut parent.children, symbol);
    } else {
        let at = symbols.partition_point(|one| one.span.start <= symbol.span.start);
        symbols.insert(at, symbol);
    }
}

/// Returns the spans of a page that can be folded: front matter, sections, pins, lists of notes, and values.
pub fn foldable(site: &Site, path: &str) -> Vec<Span> {
    let Some(source) = site.source(path) else { return Vec::new() };
    let document = source.subject.document;
    let mut spans = vec![document.source.start()..document.body_start.saturating_sub(1)];
    for excerpt in &document.body.excerpts {
        spans.push(excerpt.block.clone());
        let notes = excerpt.notes.first().zip(excerpt.notes.last());
        spans.extend(notes.map(|(first, last)| first.span.start..last.span.end));
    }
    spans.extend(document.body.values.iter().map(|block| block.span.clone()));
    let mut sections = symbols(site, path);
    while let Some(section) = sections.pop() {
        if section.kind == Kind::Heading {
            spans.push(section.span);
            sections.extend(section.children);
        }
    }
    let trimmed = spans.into_iter().map(|span| {
        let text = document.source.text().get(span.clone()).unwrap_or_default();
        span.start..span.start + text.trim_end().len()
    });
    let mut spans: Vec<Span> = trimmed.filter(|span| document.source.text()[span.clone()].contains('\n')).collect();
    spans.sort_by_key(|span| (span.start, span.end));
    spans.dedup();
    spans
}

/// Returns the links of a page that lead to a file or to another site.
pub fn links(site: &Site, path: &str) -> Vec<DocumentLink> {
    let Some(source) = site.source(path) else { return Vec::new() };
    let links = &source.subject.document.body.links;
    let found = links.iter().filter(|link| !link.target.starts_with('@')).filter_map(|link| {
        let goal = match target_of(&source, &link.target)? {
            Target::External(url) => Goal::Url(url),
            Target::File { source: file, .. } => Goal::Place(Place::file(file)),
            _ => Goal::Place(defined(site, &linked(&source, &link.target)?)?),
        };
        Some(DocumentLink { span: link.span.clone(), goal })
    });
    found.collect()
}

/// Returns hints, each after an offset: what a formula without a pin gives, and the length of a lab.
pub fn hints(site: &Site, path: &str) -> Vec<(usize, String)> {
    let Some(source) = site.source(path) else { return Vec::new() };
    let document = source.subject.document;
    let mut hints = Vec::new();
    if let Some(minutes) = minutes(&source) {
        let title = document.front.common.title.span.end;
        hints.push((title, format!("{} words, {minutes} min", document.body.words)));
    }
    let values = source.cx.values_of(document).map_or(&[][..], |values| &values.values);
    for value in values.iter().filter(|value| !value.is_pinned && !value.printed.is_empty()) {
        let Some(block) = document.body.values.get(value.block) else { continue };
        let Some(declaration) = block.sheet.declarations.get(value.declaration) else { continue };
        if declaration.expression.literal().is_none() {
            hints.push((declaration.span.end, format!("= {}", value.printed)));
        }
    }
    hints
}

fn minutes(source: &ResolvedPage<'_>) -> Option<u32> {
    let page = &source.cx.course.pages[source.subject.page?];
    page.lab()?;
    Some(page.summary.as_ref()?.minutes)
}

/// Returns the lines of a starter, from 0, that notes explain, each with a sentence and the places of these notes.
pub fn lenses(site: &Site, path: &str) -> Vec<(usize, String, Vec<Place>)> {
    let mut by_line: BTreeMap<usize, usize> = BTreeMap::new();
    let mut file = None;
    for source in site.sources() {
        for resolved in source.facts.excerpts.iter().filter(|one| **one.listing.source().path() == *path) {
            file = Some(std::sync::Arc::clone(resolved.listing.source().path()));
            for bound in &resolved.bound {
                if let Some(first) = bound_lines(resolved, bound).first() {
                    *by_line.entry(first.start).or_default() += 1;
                }
            }
        }
    }
    let Some(file) = file else { return Vec::new() };
    let lenses = by_line.into_keys().map(|line| {
        let named = Named::Code { path: std::sync::Arc::clone(&file), lines: line..line + 1, region: None };
        let places = uses(site, &named);
        let pages: std::collections::BTreeSet<&str> = places.iter().map(|place| &*place.file).collect();
        let files: Vec<&str> = pages.into_iter().map(|page| page.rsplit('/').next().unwrap_or(page)).collect();
        let count = infralens_source::diag::quantity(places.len(), "note");
        (line, format!("{count}: {}", files.join(", ")), places)
    });
    lenses.collect()
}
