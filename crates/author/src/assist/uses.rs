//! Where what a place names is defined, and where it is used.

use std::sync::Arc;

use infralens_page::Link;
use infralens_render::ResolvedPage;
use infralens_render::bind::BoundNote;
use infralens_render::figures::Origin as FigureOrigin;
use infralens_render::goal::cited;
use infralens_render::page::ResolvedExcerpt;
use infralens_site::Site;
use infralens_source::diag::Place;
use infralens_source::project::{GLOSSARY, REFERENCES};
use infralens_source::source::Span;
use infralens_source::yaml::Spanned;
use infralens_starter::Listing;
use infralens_starter::excerpt::Row;
use infralens_starter::listing::Lines;
use infralens_units::Origin;

use super::{Named, find, in_headings, in_links, mentions, page_named};

/// Returns where what a place names is defined. From a line of a starter, these are the notes that explain it.
pub fn definition(site: &Site, path: &str, offset: usize) -> Vec<Place> {
    let Some((_, named)) = find(site, path, offset) else { return Vec::new() };
    match &named {
        Named::Code { path: at, .. } if **at == *path => uses(site, &named),
        Named::Page(at, Some(_)) if **at == *path && is_heading_at(site, path, offset) => uses(site, &named),
        named => defined(site, named).into_iter().collect(),
    }
}

fn is_heading_at(site: &Site, path: &str, offset: usize) -> bool {
    site.source(path).is_some_and(|source| in_headings(source.subject.document, offset).is_some())
}

pub(super) fn defined(site: &Site, named: &Named) -> Option<Place> {
    let cx = site.context();
    match named {
        Named::Page(path, heading) => {
            let document = site.source(path)?.subject.document;
            let heading = heading.as_ref().and_then(|id| document.body.headings.iter().find(|one| one.id == *id));
            let start = document.source.start();
            Some(document.source.place(heading.map_or(start..start, |heading| heading.span.clone())))
        }
        Named::Code { path, lines, .. } => Some(lines_of(cx.listings.get(path)?, lines)),
        Named::Excerpt(path, index) => {
            let source = site.source(path)?;
            let resolved = source.facts.excerpts.iter().find(|excerpt| excerpt.index == *index)?;
            let (first, last) = resolved.shown.bounds()?;
            Some(lines_of(&resolved.listing, &(first - 1..last)))
        }
        Named::Reference(key) => {
            let (key, _) = cx.references.iter().find(|(known, _)| known.value == *key)?;
            Some(cx.project.text(REFERENCES)?.place(key.span.clone()))
        }
        Named::Value(path, name) => {
            let document = site.source(path)?.subject.document;
            let mut declarations = document.body.values.iter().flat_map(|block| &block.sheet.declarations);
            let found = declarations.find(|declaration| declaration.name == *name)?;
            Some(document.source.place(found.name_span.clone()))
        }
        Named::Term(index) => {
            let document = site.source(GLOSSARY)?.subject.document;
            Some(document.source.place(document.body.events.span(cx.glossary.terms.get(*index)?.at)))
        }
        Named::Lint(_) | Named::Key(_) => None,
    }
}

fn lines_of(listing: &Listing, lines: &Lines) -> Place {
    let source = listing.source();
    let last = lines.end.max(lines.start + 1) - 1;
    listing.place(source.line_span(lines.start).start..source.line_span(last).end)
}

/// Returns every place that names the same thing as a place does.
pub fn references(site: &Site, path: &str, offset: usize) -> Vec<Place> {
    find(site, path, offset).map_or_else(Vec::new, |(_, named)| uses(site, &named))
}

/// Returns every place that names something, sorted.
pub fn uses(site: &Site, named: &Named) -> Vec<Place> {
    let excerpt = match named {
        Named::Excerpt(path, index) => site.source(path).and_then(|source| {
            let resolved = source.facts.excerpts.iter().find(|excerpt| excerpt.index == *index)?;
            let (first, last) = resolved.shown.bounds()?;
            let path = Arc::clone(resolved.listing.source().path());
            Some(Named::Code { path, lines: first - 1..last, region: None })
        }),
        _ => None,
    };
    let named = excerpt.as_ref().unwrap_or(named);
    let mut places: Vec<Place> = site.sources().flat_map(|source| uses_on(&source, named)).collect();
    places.sort_unstable();
    places.dedup();
    places
}

fn uses_on(source: &ResolvedPage<'_>, named: &Named) -> Vec<Place> {
    let document = source.subject.document;
    let mut spans: Vec<Span> = Vec::new();
    let front = &document.front;
    match named {
        Named::Code { path, lines, .. } => spans.extend(code_uses(source, path, lines)),
        Named::Reference(key) => {
            let given = front.common.given.0.iter().map(|(_, source)| source);
            let keys = front.common.reading.iter().chain(given).filter(|known| known.value == *key);
            spans.extend(keys.map(|key| key.span.clone()));
        }
        Named::Value(page, name) => {
            spans.extend(formulas_with(source, page, name));
            if let Some(values) = source.cx.values_of(document).filter(|_| **page == **document.source.path()) {
                let is_it = |origin| matches!(origin, FigureOrigin::Value(at) if values.values[at].name == *name);
                spans.extend(values.figures.iter().filter(|one| is_it(one.origin)).map(|one| one.span.clone()));
            }
        }
        Named::Page(path, None) => {
            let handbook = front.lab.as_ref().map_or(&[][..], |lab| &lab.handbook);
            let prerequisites = handbook.iter().chain(&front.after);
            let is_it = |name: &&Spanned<String>| page_named(source.cx, source, &name.value).as_ref() == Some(path);
            spans.extend(prerequisites.filter(is_it).map(|name| name.span.clone()));
        }
        Named::Term(term) => {
            let found = mentions(source).into_iter().filter(|(_, one)| one == term);
            spans.extend(found.map(|(span, _)| span));
        }
        Named::Lint(code) => {
            let allowed = front.common.allow.iter().filter(|lint| lint.value == *code);
            spans.extend(allowed.map(|lint| lint.span.clone()));
        }
        Named::Page(..) | Named::Excerpt(..) | Named::Key(_) => {}
    }
    let is_linked = |found: &Named| match (found, named) {
        (Named::Page(page, _), Named::Page(wanted, None)) => page == wanted,
        (Named::Code { path, lines, .. }, Named::Code { path: wanted, lines: of, .. }) => {
            path == wanted && lines.start < of.end && of.start < lines.end
        }
        (found, named) => found == named,
    };
    let is_use = |link: &&Link| match named {
        Named::Reference(key) => {
            let mut keys = cited(&link.target).filter_map(|(cited, _)| cited.strip_prefix('@'));
            keys.any(|cited| cited == key)
        }
        _ => in_links(source, link.span.start).is_some_and(|(_, found)| is_linked(&found)),
    };
    let links = document.body.links.iter().filter(|link| !link.image).filter(is_use);
    spans.extend(links.map(|link| link.span.clone()));
    spans.into_iter().map(|span| document.source.place(span)).collect()
}

/// Returns the notes and excerpts of a page that show some lines: the notes that explain them, else the excerpts.
fn code_uses(source: &ResolvedPage<'_>, path: &str, lines: &Lines) -> Vec<Span> {
    let document = source.subject.document;
    let overlaps = |one: &Lines| one.start < lines.end && lines.start < one.end;
    let of_file = source.facts.excerpts.iter().filter(|excerpt| **excerpt.listing.source().path() == *path);
    let mut spans = Vec::new();
    for resolved in of_file {
        let excerpt = &document.body.excerpts[resolved.index];
        let notes = excerpt.notes.iter().zip(&resolved.bound);
        let bound = notes.filter(|(_, bound)| bound_lines(resolved, bound).iter().any(overlaps));
        let bound: Vec<Span> = bound.map(|(note, _)| document.source.first_line(&note.span)).collect();
        let is_shown = resolved.shown.rows.iter().any(|row| matches!(row, Row::Line(line) if lines.contains(line)));
        if bound.is_empty() && is_shown {
            spans.push(excerpt.head.clone());
        } else {
            spans.extend(bound);
        }
    }
    let is_shown = |selector| {
        source.cx.listings.get(path).is_some_and(|listing| listing.select(selector).is_ok_and(|one| overlaps(&one)))
    };
    let is_of = |written: &str| source.subject.named(written).is_ok_and(|file| *file == *path);
    for piece in document.body.pieces().filter(|piece| is_of(&piece.file.path)) {
        spans.extend(piece.file.selectors.iter().filter(|(one, _)| is_shown(one)).map(|(_, span)| span.clone()));
    }
    spans
}

/// Returns the lines of the file that a note is bound to.
pub(super) fn bound_lines(resolved: &ResolvedExcerpt, bound: &BoundNote) -> Vec<Lines> {
    let lines = bound.rows.iter().filter_map(|rows| {
        let mut numbers = rows.clone().filter_map(|row| resolved.shown.line_number(row));
        let first = numbers.next()?;
        Some(first - 1..numbers.next_back().unwrap_or(first))
    });
    lines.collect()
}

/// Returns the names in formulas that mean a value, and its declaration.
pub(super) fn formulas_with(source: &ResolvedPage<'_>, page: &Arc<str>, name: &str) -> Vec<Span> {
    let document = source.subject.document;
    let is_own = **page == **document.source.path();
    let mut spans = Vec::new();
    for declaration in document.body.values.iter().flat_map(|block| &block.sheet.declarations) {
        if is_own && declaration.name == name {
            spans.push(declaration.name_span.clone());
        }
        for used in declaration.expression.names().into_iter().filter(|used| used.name == name) {
            let is_it = match &used.origin {
                Origin::Here => is_own,
                Origin::Page(written) => page_named(source.cx, source, written).as_ref() == Some(page),
                Origin::Record | Origin::Code(_) => false,
            };
            // The name is the end of the span, which may begin with its page.
            spans.extend(is_it.then(|| used.span.end - name.len()..used.span.end));
        }
    }
    spans
}
