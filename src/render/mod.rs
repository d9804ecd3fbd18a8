//! Document + Course + Listings → [`Page`]. Its steps:
//!
//! 1. show what each excerpt selects, bind its notes to those lines, and hold the pin against them;
//! 2. write the body's HTML from its events, links resolved on the way, cut where a generated part stands;
//! 3. write it once more for the page that shows all of a track, and as Markdown, for programs that read;
//! 4. for labs: questions and spoken explanation once more for the practice page, notes once more for the starters'.

pub mod bind;
pub mod code;
pub mod copy;
pub mod diagram;
pub mod escape;
pub mod excerpt;
pub mod image;
pub mod level;
pub mod markdown;
pub mod math;
pub mod outlook;
pub mod page;
pub mod passage;
pub mod pin;
mod practice;
pub mod raw_html;
mod select;
pub mod starter;
pub mod svg;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use copy::Copy;
use excerpt::Prepared;
use markdown::{Frame, Writer};
pub use page::Page;
use page::{Explanation, Segment, TocEntry};
use pin::Drift;

use crate::code::Listing;
use crate::config::{Config, SectionForm};
use crate::course::{self, Course, PageId, starter as starters, url};
use crate::diag::{Diagnostic, Place, codes};
use crate::document::contract::{self, Section};
use crate::document::{Document, Events, Glossary, Kind, overrun};
use crate::project::Project;
use crate::references::References;
use crate::yaml::Spanned;

/// The deepest heading that "on this page" lists.
const TOC_DEPTH: u8 = 3;

/// All that rendering reads.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The settings.
    pub config: &'a Config,
    /// The linked course.
    pub course: &'a Course,
    /// The files of the course.
    pub project: &'a Project,
    /// The bibliography.
    pub references: &'a References,
    /// The terms that readers can look up; none where no glossary is published.
    pub glossary: &'a Glossary,
    /// The starter files that pages name, by path from the course's root.
    pub listings: &'a BTreeMap<Arc<str>, Arc<Listing>>,
}

/// A document with its page and what is its own.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The document.
    pub document: &'a Document,
    /// Its page, which READMEs do not have.
    pub page: Option<PageId>,
    /// The lab's main starter file, from the course's root.
    pub own: Option<&'a str>,
}

/// Renders one document.
#[must_use]
pub fn render(cx: Context<'_>, subject: Subject<'_>) -> (Page, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let Excerpts { prepared: mut excerpts, drifts, is_whole } = prepare(cx, subject, &mut diagnostics);
    let sections = contract_sections(cx, subject.document);
    let home = Frame::home(&subject.document.placement.url);
    let mut writer = Writer::new(cx, subject, &excerpts, &sections, home);
    let segments = body(&mut writer, &sections);
    let copied = Copy::new(cx, subject, &excerpts, &subject.document.placement.url);
    let is_glossary = subject.document.placement.kind == Kind::Glossary;
    let terms = if is_glossary { &*cx.glossary.terms } else { &[] };
    let mut page = Page {
        segments,
        copy: if subject.page.is_some() { copied.whole(&sections) } else { Vec::new() },
        toc: toc(subject.document),
        practice: practice::practice(cx, subject, &excerpts, &sections, &mut diagnostics),
        explanations: explanations(cx, subject, &excerpts, &mut diagnostics),
        text: plain_text(subject.document),
        passages: passage::passages(subject.document, &excerpts, terms),
        remarks: passage::remarks(subject.document, &excerpts),
        drifts,
        is_uncompared: !is_whole,
        has_excerpt: !excerpts.is_empty(),
        ..Page::default()
    };
    let written = writer.finish();
    diagnostics.extend(written.diagnostics);
    diagnostics.extend(overrun::check(subject.document, &titles(cx, subject.document)));
    page.line_links = written.line_links;
    page.mentions = written.mentions;
    (page.reading, page.cites) = reading(cx, subject.document, written.cited, &mut diagnostics);
    let may_have = |key: &Spanned<String>| cx.references.get(key).is_none() && cx.references.may_have(key);
    page.lacks_reference = written.lacks_reference || subject.document.front.common.reading.iter().any(may_have);
    page.starters = named_starters(subject, &excerpts, written.starters);
    page.images = written.images;
    page.outside = written.outside;
    page.lacks_starter = written.links.is_lost || page.is_uncompared;
    page.links = written.links;
    page.print = print(cx, subject, &mut excerpts, &sections);
    (page, diagnostics)
}

/// Step 3: the body among all pages of its track. What is wrong in it has been said of the page itself.
fn print(cx: Context<'_>, subject: Subject<'_>, excerpts: &mut [Prepared<'_>], sections: &[Section]) -> Vec<Segment> {
    let known = subject.page.map(|page| &cx.course.pages[page]).filter(|page| page.published);
    let chapter = known.and_then(|page| Some((page.chapter()?, cx.course.tracks[page.track?].print_url())));
    let Some((chapter, base)) = chapter else { return Vec::new() };
    let prefix = course::within(&chapter);
    for prepared in &mut *excerpts {
        prepared.prefix.clone_from(&prefix);
    }
    let frame = Frame::print(&subject.document.placement.url, &base, &prefix);
    body(&mut Writer::new(cx, subject, excerpts, sections, frame), sections)
}

/// The excerpts of a page.
struct Excerpts<'a> {
    prepared: Vec<Prepared<'a>>,
    drifts: Vec<Drift>,
    /// Whether each of them was compared with its file.
    is_whole: bool,
}

/// Step 1. An excerpt whose file or lines are not there is reported and shown as nothing.
fn prepare<'a>(cx: Context<'a>, subject: Subject<'a>, out: &mut Vec<Diagnostic>) -> Excerpts<'a> {
    let source = &subject.document.source;
    let (mut prepared, mut drifts, mut compared) = (Vec::new(), Vec::new(), 0);
    let titles = titles(cx, subject.document);
    for (index, excerpt) in subject.document.body.excerpts.iter().enumerate() {
        // A path that is wrong has been reported where starters are gathered.
        let Ok(path) = starters::named(subject.own, &excerpt.file.path) else { continue };
        let Some(listing) = cx.listings.get(path.as_str()).map(Arc::as_ref) else { continue };
        let Some(selected) = select::select(source, excerpt, listing, out) else { continue };
        let (shown, is_sure) = (selected.shown, selected.is_sure);
        // What is not the code that is meant has its cause said already: nothing that follows from it is.
        let mut follows = Vec::new();
        let said = if is_sure { &mut *out } else { &mut follows };
        let bound = bind::bind(source, excerpt, listing, &shown, said);
        let lost = overrun::pin(subject.document, excerpt, &titles, listing.source().text());
        if is_sure && lost.is_none() {
            drifts.extend(pin::drift(source, index, excerpt, listing, &shown, &bound));
            compared += usize::from(excerpt.closing.is_some());
        }
        out.extend(lost);
        let bound = bound.into_iter().map(Option::unwrap_or_default).collect();
        prepared.push(Prepared { excerpt, listing, shown, bound, number: index + 1, prefix: String::new() });
    }
    out.extend(drifts.iter().map(|drift| drift.diagnostic.clone()));
    Excerpts { prepared, drifts, is_whole: compared == subject.document.body.excerpts.len() }
}

/// The sections of the lab contract; none outside labs.
fn contract_sections(cx: Context<'_>, document: &Document) -> Vec<Section> {
    contract::sections(&document.body, &titles(cx, document))
}

/// The titles of the lab contract; none outside labs.
fn titles<'a>(cx: Context<'a>, document: &Document) -> Vec<&'a str> {
    if document.placement.kind == Kind::Lab { cx.config.labs.titles() } else { Vec::new() }
}

/// Step 2. The body in segments: cut at generated parts, and where the reading list is added.
fn body(writer: &mut Writer<'_>, sections: &[Section]) -> Vec<Segment> {
    let document = writer.document();
    let skip = usize::from(document.placement.kind == Kind::Readme && starts_with_title(document));
    let start = document.body.headings.first().filter(|_| skip == 1).map_or(0, |heading| heading.events.end);
    let mut cuts: Vec<(Events, Cut)> = Vec::new();
    for section in sections {
        let (start, end) = (section.body.start, section.body.end);
        match writer.role(section) {
            Some(SectionForm::Reading) => cuts.push((end..end, Cut::Segment(Segment::Reading))),
            // The practice page shows it without the rest of the page.
            Some(_) => cuts.extend([(start..start, Cut::Enter("in this section")), (end..end, Cut::Leave)]),
            None => {}
        }
    }
    for generated in &document.body.generated {
        cuts.push((generated.events.clone(), Cut::Segment(Segment::Part(generated.part))));
    }
    for example in &document.body.examples {
        let source = code::plain("markdown", &document.source.text()[example.source.clone()]);
        let open = format!("<div class=\"example\">\n{source}<div class=\"result\">\n");
        let (begin, end) = (example.open.clone(), example.close.clone());
        cuts.push((begin.clone(), Cut::Segment(Segment::Html(open))));
        cuts.push((begin.end..begin.end, Cut::Enter("in this example")));
        cuts.push((end.start..end.start, Cut::Leave));
        cuts.push((end, Cut::Segment(Segment::Html("</div>\n</div>\n".into()))));
    }
    if document.placement.kind == Kind::Glossary {
        let terms = writer.glossary().terms.iter();
        cuts.extend(terms.map(|term| (term.end..term.end, Cut::Segment(Segment::Mentions(term.id.clone())))));
    }
    cuts.sort_by_key(|(events, _)| events.start);
    let mut segments = Vec::new();
    let mut at = start;
    let mut html = String::new();
    for (events, cut) in cuts {
        html.push_str(&writer.passage(at..events.start));
        at = events.end;
        match cut {
            Cut::Segment(segment) => segments.extend([Segment::Html(std::mem::take(&mut html)), segment]),
            Cut::Enter(container) => writer.enter(container),
            Cut::Leave => html.push_str(&writer.leave()),
        }
    }
    html.push_str(&writer.passage(at..document.body.events.len()));
    html.push_str(&writer.leave());
    html.push_str(&writer.footnotes());
    segments.push(Segment::Html(html));
    segments.retain(|segment| !matches!(segment, Segment::Html(html) if html.trim().is_empty()));
    segments
}

/// Where the writing of a body is interrupted.
enum Cut {
    /// For something that is not written from events.
    Segment(Segment),
    /// For the beginning of a part in which all HTML must pair.
    Enter(&'static str),
    /// For its end.
    Leave,
}

/// Whether a README begins with its title, which its page shows as the heading.
fn starts_with_title(document: &Document) -> bool {
    document.body.headings.first().is_some_and(|heading| heading.level == 1 && heading.top_level)
}

fn toc(document: &Document) -> Vec<TocEntry> {
    let readme = document.placement.kind == Kind::Readme && starts_with_title(document);
    let listed = document.body.headings.iter().skip(usize::from(readme));
    listed
        .filter(|heading| heading.top_level && heading.level <= TOC_DEPTH)
        .map(|heading| TocEntry { level: heading.level.max(2), id: heading.id.clone(), text: heading.text.clone() })
        .collect()
}

/// Step 4: the notes as the starters' pages show them.
fn explanations(
    cx: Context<'_>,
    subject: Subject<'_>,
    excerpts: &[Prepared<'_>],
    out: &mut Vec<Diagnostic>,
) -> Vec<Explanation> {
    if subject.page.is_none() {
        return Vec::new();
    }
    let placement = &subject.document.placement;
    let mut found = Vec::new();
    let mut writers: BTreeMap<&str, Writer<'_>> = BTreeMap::new();
    for prepared in excerpts {
        let path = prepared.listing.source().path();
        let writer = writers.entry(path).or_insert_with(|| {
            let frame = Frame::abroad(&placement.url, &starters::page_url(path), &placement.name);
            Writer::new(cx, subject, excerpts, &[], frame)
        });
        for (index, note) in prepared.excerpt.notes.iter().enumerate() {
            let lines = prepared.lines(index);
            if lines.is_empty() {
                continue;
            }
            found.push(Explanation {
                file: Arc::clone(path),
                id: prepared.note_id(index),
                number: index + 1,
                lines,
                tokens: prepared.tokens(index),
                html: writer.html(note.events.clone()),
            });
        }
    }
    out.extend(writers.into_values().flat_map(|writer| writer.finish().diagnostics));
    found
}

/// The keys of the reading list, and of everything cited. What front matter lists must be in the bibliography.
fn reading(
    cx: Context<'_>,
    document: &Document,
    cited: Vec<String>,
    out: &mut Vec<Diagnostic>,
) -> (Vec<String>, Vec<String>) {
    let mut keys: Vec<String> = Vec::new();
    let is_unknown = |key: &str| cx.references.get(key).is_none() && !cx.references.may_have(key);
    for key in document.front.common.reading.iter().filter(|key| is_unknown(&key.value)) {
        let message = format!("`content/references.yaml` has no `{}`", key.value);
        out.push(
            Diagnostic::new(codes::E0408, Place::new(document.source.path(), key.span.clone()), message)
                .nearest(cx.references.nearest(&key.value)),
        );
    }
    let listed = document.front.common.reading.iter().map(|key| key.value.clone());
    let mut known = BTreeSet::new();
    for key in listed.chain(cited) {
        if known.insert(key.clone()) {
            keys.push(key);
        }
    }
    (keys.clone(), keys)
}

fn named_starters(subject: Subject<'_>, excerpts: &[Prepared<'_>], linked: Vec<Arc<str>>) -> Vec<Arc<str>> {
    let shown = excerpts.iter().map(|prepared| Arc::clone(prepared.listing.source().path()));
    let mut paths: Vec<Arc<str>> = subject.own.map(Arc::from).into_iter().chain(shown).chain(linked).collect();
    paths.sort();
    paths.dedup();
    paths
}

/// The words of the body, code and formulas left out.
fn plain_text(document: &Document) -> String {
    use pulldown_cmark::{Event, Tag, TagEnd};
    let mut text = String::new();
    let mut in_code = false;
    for (event, _) in &document.body.events {
        match event {
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            Event::Text(part) | Event::Code(part) if !in_code => text.push_str(part),
            Event::SoftBreak | Event::HardBreak | Event::End(TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::Item) => {
                text.push(' ');
            }
            _ => {}
        }
    }
    text
}

/// The relative link from one output path to a line of another.
fn with_fragment(from: &str, to: &str, fragment: &str) -> String {
    let link = if from == to { String::new() } else { url::relative(from, to) };
    if fragment.is_empty() {
        if link.is_empty() { url::relative(from, to) } else { link }
    } else {
        format!("{link}#{fragment}")
    }
}
