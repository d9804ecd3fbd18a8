//! What concerns a whole file: its symbols, what can be folded, its links, and hints next to its text.

use std::collections::BTreeSet;

use infralens_course::course::link::Target;
use infralens_render::ResolvedPage;
use infralens_site::Site;
use infralens_source::diag::{Place, quantity};
use infralens_source::selector::FileRef;
use infralens_source::source::Span;
use infralens_starter::Listing;
use infralens_starter::listing::Lines;
use infralens_starter::number::number_between;
use infralens_units::Piece;

use super::uses::{bound_lines, defined};
use super::{linked, target_of};

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

/// Returns hints, each after an offset: the lines of notes, what a formula without a pin gives, and the length of a lab.
pub fn hints(site: &Site, path: &str) -> Vec<(usize, String)> {
    let Some(source) = site.source(path) else { return Vec::new() };
    let document = source.subject.document;
    let mut hints = Vec::new();
    if let Some(minutes) = minutes(&source) {
        let title = document.front.common.title.span.end;
        hints.push((title, format!("{} words, {minutes} min", document.body.words)));
    }
    for resolved in &source.facts.excerpts {
        for (note, bound) in document.body.excerpts[resolved.index].notes.iter().zip(&resolved.bound) {
            let lines = bound_lines(resolved, bound);
            let last = note.bindings.last().map(|binding| binding.to.as_ref().unwrap_or(&binding.from));
            let lines: Vec<String> = lines.iter().map(|lines| resolved.listing.selector_of_lines(lines)).collect();
            hints.extend(last.map(|anchor| (anchor.span().end, lines.join(", "))));
        }
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

/// Returns the lines of a starter, from 0, that notes explain or values read, each with a sentence and the places of these.
pub fn lenses(site: &Site, path: &str) -> Vec<(usize, String, Vec<Place>)> {
    let (mut notes, mut values) = (Vec::new(), Vec::new());
    for source in site.sources() {
        let document = source.subject.document;
        for resolved in source.facts.excerpts.iter().filter(|one| **one.listing.source().path() == *path) {
            let of_excerpt = document.body.excerpts[resolved.index].notes.iter().zip(&resolved.bound);
            notes.extend(of_excerpt.map(|(note, bound)| {
                (bound_lines(resolved, bound), document.source.place(document.source.first_line(&note.span)))
            }));
        }
        let is_of = |piece: &&Piece| source.subject.named(&piece.file.path).is_ok_and(|file| *file == *path);
        for piece in document.body.pieces().filter(is_of) {
            let Some(listing) = site.context().listings.get(path) else { continue };
            let mut lines = piece_lines(listing, &piece.file).into_iter();
            let line = lines.find(|line| number_between(piece.around(), listing, std::iter::once(*line)).is_ok());
            values.extend(line.map(|line| (vec![line..line + 1], document.source.place(piece.span.clone()))));
        }
    }
    let starts: BTreeSet<usize> =
        notes.iter().chain(&values).filter_map(|(lines, _)| Some(lines.first()?.start)).collect();
    let lenses = starts.into_iter().map(|line| {
        let here = |all: &[(Vec<Lines>, Place)]| -> Vec<Place> {
            let found = all.iter().filter(|(lines, _)| lines.iter().any(|lines| lines.contains(&line)));
            found.map(|(_, place)| place.clone()).collect()
        };
        let (notes, values) = (here(&notes), here(&values));
        let counts = [(notes.len(), "note"), (values.len(), "value")].into_iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts.map(|(count, noun)| quantity(count, noun)).collect();
        let places: BTreeSet<Place> = notes.into_iter().chain(values).collect();
        let pages: BTreeSet<&str> = places.iter().map(|place| &*place.file).collect();
        let files: Vec<&str> = pages.into_iter().map(|page| page.rsplit('/').next().unwrap_or(page)).collect();
        (line, format!("{}: {}", counts.join(" and "), files.join(", ")), places.into_iter().collect())
    });
    lenses.collect()
}

/// Returns the lines in which a formula looks for its number.
pub(super) fn piece_lines(listing: &Listing, file: &FileRef) -> BTreeSet<usize> {
    let selected = file.selectors.iter().filter_map(|(selector, _)| listing.select(selector).ok());
    let whole = file.selectors.is_empty().then(|| 0..listing.line_count());
    selected.chain(whole).flatten().collect()
}
