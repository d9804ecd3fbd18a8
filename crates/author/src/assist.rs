//! What an editor can tell about a place of a course: what is there, where it is defined and used, what could be written.
//!
//! 1. [`find`] says what a place of a file names: a page, lines of code, a reference, a value, a term or a lint;
//! 2. [`hover`], [`definition`] and [`references`] answer for that (`uses`);
//! 3. [`complete`] says what can be written at a place, by the text before it; [`rename`] gives something another name;
//! 4. [`offers`](fn@offers) says what could be added at a place where nothing is wrong;
//! 5. [`outline`] has what concerns a whole file: its symbols, what can be folded, its links and hints.
//!
//! All of it reads a planned [`Site`]. Offsets are bytes of the files of that plan.

pub mod complete;
mod offers;
pub mod outline;
pub mod rename;
mod uses;

use std::sync::Arc;

pub use offers::offers;
pub use uses::{definition, references, uses};

use infralens_course::course::link::{self, From, Target};
use infralens_course::course::starter;
use infralens_page::{Anchor, Document, Kind, text};
use infralens_render::figures::Origin as FigureOrigin;
use infralens_render::{Context, ResolvedPage};
use infralens_site::Site;
use infralens_source::diag::Code;
use infralens_source::project::REFERENCES;
use infralens_source::source::Span;
use infralens_starter::Listing;
use infralens_starter::excerpt::Row;
use infralens_starter::listing::Lines;
use infralens_starter::region::Region;
use infralens_units::{Origin, Piece};

/// The maximum number of lines of code that a hover shows.
const LINES_SHOWN: usize = 30;

/// Something that a place of a course names.
#[derive(Debug, Clone, PartialEq)]
pub enum Named {
    /// A page by its file, or a heading of it.
    Page(Arc<str>, Option<String>),
    /// Lines of a starter file, from 0. `region` is the name by which they are called, if that is a region.
    Code { path: Arc<str>, lines: Lines, region: Option<String> },
    /// An excerpt, by the file of its page and its index there.
    Excerpt(Arc<str>, usize),
    /// An entry of the bibliography.
    Reference(String),
    /// A value, by the file of its page and its name.
    Value(Arc<str>, String),
    /// A term of the glossary, by its index.
    Term(usize),
    /// A lint or the code of an error.
    Lint(Code),
    /// A key of front matter, with its description.
    Key(String),
}

/// The answer to what a place names: the span that names it, and what to say about it, as Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    pub span: Span,
    pub text: String,
}

/// Returns what an offset in a file names, and the span of the name.
pub fn find(site: &Site, path: &str, offset: usize) -> Option<(Span, Named)> {
    if path == REFERENCES {
        let cx = site.context();
        let mut keys = cx.references.iter().map(|(key, _)| key);
        let key = keys.find(|key| touches(&key.span, offset))?;
        return Some((key.span.clone(), Named::Reference(key.value.clone())));
    }
    if let Some(source) = site.source(path) {
        return in_page(&source, offset);
    }
    let cx = site.context();
    // An offset in a notebook is in its JSON.
    let (path, listing) = cx.listings.get_key_value(path).filter(|(_, listing)| !listing.is_notebook())?;
    // The places of regions are those in the text without a byte order mark.
    let start = listing.source().start();
    let marker = |region: &Region| region.marker.start + start..region.marker.end + start;
    if let Some(region) = listing.regions().iter().find(|region| touches(&marker(region), offset)) {
        let (path, name) = (Arc::clone(path), Some(region.name.clone()));
        return Some((marker(region), Named::Code { path, lines: region.lines.clone(), region: name }));
    }
    let line = listing.source().line(offset);
    let span = listing.source().line_span(line);
    Some((span, Named::Code { path: Arc::clone(path), lines: line..line + 1, region: None }))
}

/// Whether an offset is in a span or directly after it.
fn touches(span: &Span, offset: usize) -> bool {
    span.start <= offset && offset <= span.end
}

fn in_page(source: &ResolvedPage<'_>, offset: usize) -> Option<(Span, Named)> {
    let document = source.subject.document;
    if offset < document.body_start {
        return in_front_matter(source, offset);
    }
    in_excerpts(source, offset)
        .or_else(|| in_links(source, offset))
        .or_else(|| in_values(source, offset))
        .or_else(|| in_figures(source, offset))
        .or_else(|| in_headings(document, offset))
        .or_else(|| in_terms(source, offset))
}

fn in_front_matter(source: &ResolvedPage<'_>, offset: usize) -> Option<(Span, Named)> {
    let document = source.subject.document;
    let front = &document.front;
    let cx = source.cx;
    if let Some(lint) = front.common.allow.iter().find(|lint| touches(&lint.span, offset)) {
        return Some((lint.span.clone(), Named::Lint(lint.value)));
    }
    let given = front.common.given.0.iter().map(|(_, source)| source);
    if let Some(key) = front.common.reading.iter().chain(given).find(|key| touches(&key.span, offset))
        && cx.references.get(&key.value).is_some()
    {
        return Some((key.span.clone(), Named::Reference(key.value.clone())));
    }
    if let Some(file) = front.lab.as_ref().and_then(|lab| lab.starter.file.as_ref())
        && touches(&file.span, offset)
    {
        let path = source.subject.main_file?;
        // An offset in a notebook is in its JSON.
        let (path, listing) = cx.listings.get_key_value(path).filter(|(_, listing)| !listing.is_notebook())?;
        let named = Named::Code { path: Arc::clone(path), lines: 0..listing.line_count(), region: None };
        return Some((file.span.clone(), named));
    }
    let handbook = front.lab.as_ref().map_or(&[][..], |lab| &lab.handbook);
    if let Some(name) = handbook.iter().chain(&front.after).find(|name| touches(&name.span, offset)) {
        let page = page_named(cx, source, &name.value)?;
        return Some((name.span.clone(), Named::Page(page, None)));
    }
    let text = document.source.text();
    let line = document.source.line_span(document.source.line(offset));
    let written = &text[line.clone()];
    let key = written.trim_start().split(':').next()?.trim();
    let start = line.start + written.len() - written.trim_start().len();
    let span = start..start + key.len();
    let fields = document.placement.kind.fields();
    let nested = complete::fields_at(document.source.text(), line.start, &fields);
    let field = nested.iter().find(|field| field.name == key).filter(|_| touches(&span, offset))?;
    Some((span, Named::Key(field.description())))
}

/// Returns the file of the lab or section that front matter or a formula names, `name` or `track/name`.
fn page_named(cx: Context<'_>, source: &ResolvedPage<'_>, written: &str) -> Option<Arc<str>> {
    let own = source.subject.page.and_then(|page| cx.course.pages[page].track);
    let (track, name) = match written.rsplit_once('/') {
        Some((track, name)) => (cx.course.tracks.iter().position(|known| *known.name == *track), name),
        None => (own, written),
    };
    let kinds = [Kind::Lab, Kind::Section];
    let page = kinds.iter().find_map(|kind| cx.course.named(track?, *kind, name))?;
    Some(Arc::clone(&cx.course.pages[page].summary.as_ref()?.path))
}

fn in_excerpts(source: &ResolvedPage<'_>, offset: usize) -> Option<(Span, Named)> {
    let document = source.subject.document;
    let excerpts = &document.body.excerpts;
    for resolved in &source.facts.excerpts {
        let excerpt = &excerpts[resolved.index];
        let path = resolved.listing.source().path();
        let code = |lines: Lines, region| Named::Code { path: Arc::clone(path), lines, region };
        // The lines of a record are in no file that an editor could open.
        let is_file = starter::shown_record(path).is_none();
        let mut selectors = excerpt.file.selectors.iter().filter(|_| is_file);
        if let Some((selector, span)) = selectors.find(|(_, span)| touches(span, offset)) {
            let lines = resolved.listing.select(selector).ok()?;
            return Some((span.clone(), code(lines, region_name(&resolved.listing, selector))));
        }
        if touches(&excerpt.block, offset) {
            let span = if touches(&excerpt.head, offset) { &excerpt.head } else { &excerpt.block };
            return Some((span.clone(), Named::Excerpt(Arc::clone(document.source.path()), resolved.index)));
        }
        for (note, bound) in excerpt.notes.iter().zip(&resolved.bound).filter(|_| is_file) {
            let anchors = note.bindings.iter().flat_map(|binding| [Some(&binding.from), binding.to.as_ref()]);
            let Some(anchor) = anchors.flatten().find(|anchor| touches(anchor.span(), offset)) else { continue };
            if let Anchor::Place { selector, span, .. } = anchor {
                let lines = resolved.listing.select(selector).ok()?;
                return Some((span.clone(), code(lines, region_name(&resolved.listing, selector))));
            }
            let at = bound.anchors.iter().find(|(event, _)| *event == anchor.event())?;
            let line = resolved.shown.line_number(at.1)? - 1;
            return Some((anchor.span().clone(), code(line..line + 1, None)));
        }
    }
    None
}

fn region_name(listing: &Listing, selector: &infralens_source::selector::Selector) -> Option<String> {
    let name = selector.to_string();
    listing.regions().iter().any(|region| region.name == name).then_some(name)
}

/// Returns what a link of a page leads to.
fn target_of(source: &ResolvedPage<'_>, target: &str) -> Option<Target> {
    let document = source.subject.document;
    let from = From {
        path: document.source.path(),
        headings: &document.body.anchors,
        html_ids: &document.body.html_ids,
        own: source.subject.main_file,
    };
    link::resolve(source.cx.course, source.cx.project, from, target).ok()
}

/// Returns what a link names.
fn linked(source: &ResolvedPage<'_>, target: &str) -> Option<Named> {
    let cx = source.cx;
    match target_of(source, target)? {
        Target::Page { page, heading } => {
            Some(Named::Page(cx.course.pages[page].summary.as_ref()?.path.clone(), heading))
        }
        Target::Here(id) => {
            let heading = Some(id).filter(|id| !id.is_empty());
            Some(Named::Page(Arc::clone(source.subject.document.source.path()), heading))
        }
        Target::Code { path, selector } => {
            let (path, listing) = cx.listings.get_key_value(path.as_str())?;
            let lines = selector.as_ref().map_or(Some(0..listing.line_count()), |one| listing.select(one).ok())?;
            let region = selector.as_ref().and_then(|selector| region_name(listing, selector));
            Some(Named::Code { path: Arc::clone(path), lines, region })
        }
        _ => None,
    }
}

fn in_links(source: &ResolvedPage<'_>, offset: usize) -> Option<(Span, Named)> {
    let document = source.subject.document;
    let inside = document.body.links.iter().filter(|link| link.span.start <= offset && offset < link.span.end);
    let link = inside.min_by_key(|link| link.span.len())?;
    if link.target.starts_with('@') {
        let text = &document.source.text()[link.span.clone()];
        let mut keys = text.match_indices('@').map(|(at, _)| {
            let key = &text[at + 1..];
            let end = key.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))).unwrap_or(key.len());
            (link.span.start + at, &key[..end])
        });
        let first = keys.clone().next();
        let (_, key) = keys.find(|(at, key)| touches(&(*at..at + 1 + key.len()), offset)).or(first)?;
        return Some((link.span.clone(), Named::Reference(key.to_owned())));
    }
    if let Some(values) = source.cx.values_of(document)
        && let Some(value) = values.named_by(&document.body, link)
    {
        let name = values.values[value].name.clone();
        return Some((link.span.clone(), Named::Value(Arc::clone(document.source.path()), name)));
    }
    Some((link.span.clone(), linked(source, &link.target)?))
}

fn in_values(source: &ResolvedPage<'_>, offset: usize) -> Option<(Span, Named)> {
    let document = source.subject.document;
    let own = document.source.path();
    let blocks = document.body.values.iter().filter(|block| touches(&block.span, offset));
    for declaration in blocks.flat_map(|block| &block.sheet.declarations) {
        if touches(&declaration.name_span, offset) {
            return Some((declaration.name_span.clone(), Named::Value(Arc::clone(own), declaration.name.clone())));
        }
        if let Some(name) = declaration.expression.names().into_iter().find(|name| touches(&name.span, offset)) {
            let page = match &name.origin {
                Origin::Here => Arc::clone(own),
                Origin::Page(page) => page_named(source.cx, source, page)?,
                Origin::Code(piece) => return in_piece(source, piece, offset),
                Origin::Record => return None,
            };
            return Some((name.span.clone(), Named::Value(page, name.name.clone())));
        }
    }
    None
}

/// Returns the lines in which a formula reads a number.
fn in_piece(source: &ResolvedPage<'_>, piece: &Piece, offset: usize) -> Option<(Span, Named)> {
    let path = source.subject.named(&piece.file.path).ok()?;
    let (path, listing) = source.cx.listings.get_key_value(&*path)?;
    let (selector, span) = piece.file.selectors.iter().find(|(_, span)| touches(span, offset))?;
    let (lines, region) = (listing.select(selector).ok()?, region_name(listing, selector));
    Some((span.clone(), Named::Code { path: Arc::clone(path), lines, region }))
}

fn in_figures(source: &ResolvedPage<'_>, offset: usize) -> Option<(Span, Named)> {
    let document = source.subject.document;
    let values = source.cx.values_of(document)?;
    let figure = values.figures.iter().find(|figure| touches(&figure.span, offset))?;
    let (FigureOrigin::Value(index) | FigureOrigin::Misnamed(index)) = figure.origin else { return None };
    let name = values.values.get(index)?.name.clone();
    Some((figure.span.clone(), Named::Value(Arc::clone(document.source.path()), name)))
}

fn in_headings(document: &Document, offset: usize) -> Option<(Span, Named)> {
    let heading = document.body.headings.iter().find(|heading| touches(&heading.span, offset))?;
    let named = Named::Page(Arc::clone(document.source.path()), Some(heading.id.clone()));
    Some((heading.span.clone(), named))
}

/// Returns every mention of a term in the text of a page, with the term's index.
fn mentions(source: &ResolvedPage<'_>) -> Vec<(Span, usize)> {
    let mut found = Vec::new();
    for passage in text::passages(source.subject.document) {
        let terms = source.cx.glossary.mentions(&passage.text);
        found.extend(terms.into_iter().map(|(range, term)| (passage.span(&range), term)));
    }
    found
}

fn in_terms(source: &ResolvedPage<'_>, offset: usize) -> Option<(Span, Named)> {
    let (span, term) = mentions(source).into_iter().find(|(span, _)| touches(span, offset))?;
    Some((span, Named::Term(term)))
}

/// Returns what there is to say about a place.
pub fn hover(site: &Site, path: &str, offset: usize) -> Option<Hover> {
    let (span, named) = find(site, path, offset)?;
    // A line of a starter is in front of the reader's eyes.
    let text = match &named {
        Named::Code { path: at, .. } if **at == *path => return None,
        named => describe(site, named)?,
    };
    Some(Hover { span, text })
}

fn describe(site: &Site, named: &Named) -> Option<String> {
    let cx = site.context();
    match named {
        Named::Page(path, heading) => {
            let page = &cx.course.pages[cx.course.page_of(path)?];
            let front = page.front()?;
            let summary = front.common.summary.as_ref().map_or("", |summary| &summary.value);
            let minutes = page.summary.as_ref().map_or(0, |summary| summary.minutes);
            let section = heading.as_deref().and_then(|id| page.heading(id)).map(|text| format!(" › {text}"));
            let title = format!("**{}**{}", page.title(), section.unwrap_or_default());
            let summary = if summary.is_empty() { String::new() } else { format!("\n\n{summary}") };
            Some(format!("{title}{summary}\n\n{minutes} min · `{path}`"))
        }
        Named::Code { path, lines, .. } => {
            let listing = cx.listings.get(path)?;
            let name = format!("`{path}` {}", listing.selector_of_lines(lines));
            Some(format!("{name}\n\n{}", fence(listing, lines.clone().filter(|line| !listing.is_marker(*line)))))
        }
        Named::Excerpt(path, index) => excerpt_text(&site.source(path)?, *index),
        Named::Reference(key) => {
            let reference = cx.references.get(key)?;
            let url = reference.url.as_ref().map_or_else(String::new, |url| format!("\n\n<{}>", url.value));
            let note = reference.note.as_deref().map_or_else(String::new, |note| format!("\n\n{note}"));
            Some(format!("**{}**\n\n{}{note}{url}", reference.title, reference.short()))
        }
        Named::Value(path, name) => {
            let source = site.source(path)?;
            let value = cx.values_of(source.subject.document)?.values.iter().find(|value| value.name == *name)?;
            let about = if value.about.is_empty() { String::new() } else { format!("\n\n{}", value.about) };
            Some(format!("**{}**\n\n`{name} = {}`{about}", value.words(), value.formula))
        }
        Named::Term(index) => {
            let term = cx.glossary.terms.get(*index)?;
            Some(format!("**{}**: {}", term.names.first()?, term.definition))
        }
        Named::Lint(code) => Some(format!("**{}** ({})\n\n{}", code.title, code.id, code.text)),
        Named::Key(text) => Some(text.clone()),
    }
}

/// Returns lines of a starter as a fence.
fn fence(listing: &Listing, lines: impl Iterator<Item = usize>) -> String {
    let path = listing.language_path();
    let mut lines = lines;
    let shown: Vec<&str> = lines.by_ref().take(LINES_SHOWN).map(|line| listing.line(line)).collect();
    let more = if lines.next().is_some() { "\n⋯" } else { "" };
    let word = infralens_starter::language::word(path, listing.line(0));
    format!("~~~~{word}\n{}{more}\n~~~~", infralens_starter::excerpt::dedent(&shown).join("\n"))
}

fn excerpt_text(source: &ResolvedPage<'_>, index: usize) -> Option<String> {
    let resolved = source.facts.excerpts.iter().find(|excerpt| excerpt.index == index)?;
    let drift = source.facts.drifts.iter().find(|drift| drift.excerpt == index);
    let excerpt = &source.subject.document.body.excerpts[index];
    let state = match drift {
        Some(_) if excerpt.pin.trim().is_empty() => "The fence has no pin.".to_owned(),
        Some(drift) => {
            let message = &drift.diagnostic.message;
            let changes = drift.diagnostic.notes.iter().map(|diff| format!("~~~~diff\n{diff}\n~~~~\n\n"));
            format!("**The pin is stale**: {message}\n\n{}The file has:", changes.collect::<String>())
        }
        None if excerpt.pin.trim().is_empty() => "The fence follows its file.".to_owned(),
        None => "The pin holds: it equals the file.".to_owned(),
    };
    let lines = resolved.shown.rows.iter().filter_map(|row| match row {
        Row::Line(line) => Some(*line),
        Row::Omitted(_) => None,
    });
    let (first, last) = resolved.shown.bounds()?;
    let name =
        format!("`{}` {}", resolved.listing.source().path(), resolved.listing.selector_of_lines(&(first - 1..last)));
    Some(format!("{state}\n\n{name}\n\n{}", fence(&resolved.listing, lines)))
}
