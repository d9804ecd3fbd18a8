//! Resolves a parsed document against its course and its starter files, and writes it as HTML, Markdown and plain text.
//!
//! A *row* is a line of an excerpt as it is shown, or the mark where lines are left out. *Lit* lines stand out: those that
//! `light=` names, or those that the older piece of code that `since=` names does not have. A *drift* is what `sync` would
//! update: a pin that differs from its file, a value's pin, or a link to lines.
//!
//! There are two steps. The first runs for every page, the second for what is made:
//!
//! 1. [`facts`], which `infralens-site` calls after it has computed [`Context::values`], selects what each excerpt shows
//!    (`select`), binds its notes to those lines ([`bind`]), compares its pin with the file ([`pin`]), and goes through the
//!    body once, without writing, to resolve links and to find what is wrong. It costs 2 to 4 % of a build.
//! 2. [`ResolvedPage`] writes from these facts, mostly for `infralens-theme`: the body as HTML, for the page itself or for a print
//!    page ([`markdown`]), or as Markdown ([`copy`]); a lab's questions for its practice page ([`practice`]); its notes for
//!    the pages of starters; plain text for the search ([`passage`]).
//!
//! [`compare`] only compares excerpts with their files, for Markdown outside of courses; [`starter`] prepares what the page
//! of a starter file shows.

pub mod bind;
pub mod calculator;
pub mod changes;
pub mod code;
pub mod copy;
pub mod escape;
pub mod excerpt;
pub mod figures;
pub mod goal;
pub mod image;
pub mod line_link;
pub mod link_fingerprint;
pub mod lit;
pub mod markdown;
pub mod marks;
pub mod moved;
pub mod note_layout;
pub mod omission;
pub mod page;
pub mod passage;
pub mod pin;
pub mod practice;
pub mod raw_html;
pub mod recorded;
mod resolved_page;
mod select;
pub mod starter;
pub mod typeset;
pub mod unbound;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use calculator::stack::Front;
use excerpt::BoundExcerpt;
use figures::PageValues;
pub use infralens_notation::{diagram, math};
use markdown::{LinkTarget, Writer};
use marks::{Marks, PageMarks};
pub use page::Facts;
use page::{Explanation, ResolvedExcerpt, Segment};
use pin::Drift;
pub use resolved_page::ResolvedPage;

use infralens_course::config::labels::Labels;
use infralens_course::config::{Config, SectionForm};
use infralens_course::course::link::From;
use infralens_course::course::{Course, PageId, starter as starters, url};
use infralens_course::references::{ReferenceKind, References};
use infralens_page::contract::{self, Section};
use infralens_page::look::Look;
use infralens_page::{Document, Events, Excerpt, Glossary, Heading, Kind, overrun};
use infralens_source::diag::{Diagnostic, codes};
use infralens_source::project::Project;
use infralens_source::selector::Selector;
use infralens_source::yaml::Spanned;
use infralens_starter::Listing;
use infralens_starter::moved::CodeIndex;

/// The deepest level of headings in "on this page".
const TOC_DEPTH: u8 = 3;

/// Everything that rendering depends on besides the document.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    pub config: &'a Config,
    pub course: &'a Course,
    /// The files of the course.
    pub project: &'a Project,
    pub references: &'a References,
    /// The terms of the glossary; empty if no glossary is published.
    pub glossary: &'a Glossary,
    /// The starter files that pages name, by path from the course's root.
    pub listings: &'a BTreeMap<Arc<str>, Arc<Listing>>,
    /// The values of pages, by the path of their files; pages without values and figures are left out.
    pub values: &'a BTreeMap<Arc<str>, Arc<PageValues>>,
    /// The tracks of pages that have calculators; `None` is for pages outside all tracks.
    pub tracks_with_calculators: &'a BTreeSet<Option<usize>>,
    /// The lines of all starter files, in which code that has moved is found.
    pub code: &'a CodeIndex,
    /// The changes that pages mark; `None` on an ordinary site.
    pub marks: Option<&'a Marks>,
}

impl<'a> Context<'a> {
    /// Returns the values of a page; `None` if it has neither values nor figures that are checked.
    pub fn values_of(&self, document: &Document) -> Option<&'a PageValues> {
        self.values.get(document.source.path()).map(AsRef::as_ref)
    }

    /// Returns the file that the site of another language shows for a picture; `None` if it shows that of the course.
    pub fn translated_picture(&self, path: &str) -> Option<String> {
        let own = self.config.languages.of_picture(path)?;
        self.project.files.contains_key(own.as_str()).then_some(own)
    }

    /// Returns what is written into a page because its changes are marked.
    fn marks_of(&self, document: &Document) -> Option<&'a PageMarks> {
        self.marks?.pages.get(document.source.path())
    }

    /// Returns whether a page is published and has calculators.
    pub fn has_calculators(&self, page: PageId) -> bool {
        let page = &self.course.pages[page];
        let values =
            page.summary.as_ref().filter(|_| page.published).and_then(|summary| self.values.get(&summary.path));
        values.is_some_and(|values| values.has_calculators)
    }

    /// Returns the pages that list calculators: that of the whole course, `None`, and that of each track that has some.
    pub fn lists_of_calculators(&self) -> BTreeSet<Option<usize>> {
        let of_course = if self.course_has_calculators() { Some(None) } else { None };
        of_course.into_iter().chain(self.tracks_with_calculators.iter().copied()).collect()
    }

    /// Returns the front calculator of the course and its page; `None` if there is none that is published.
    pub fn front_calculator(&self) -> Option<(PageId, &'a Front)> {
        let (path, front) = self.values.iter().find_map(|(path, values)| Some((path, values.front.as_ref()?)))?;
        let page = self.course.page_of(path).filter(|&page| self.course.pages[page].published)?;
        Some((page, front))
    }

    /// Returns whether any page of the course has calculators.
    pub fn course_has_calculators(&self) -> bool {
        !self.tracks_with_calculators.is_empty()
    }

    /// Returns the role of a section of the lab contract.
    fn role(&self, section: &Section) -> Option<SectionForm> {
        self.config.labs.sections.get(section.entry).and_then(|entry| entry.form)
    }
}

/// A document, its page, and its main starter file.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    pub document: &'a Document,
    /// Its page; `None` for a README.
    pub page: Option<PageId>,
    /// The lab's main starter file, from the course's root.
    pub main_file: Option<&'a str>,
}

impl<'a> Subject<'a> {
    /// Returns the command whose record an excerpt of the document shows; `None` for an excerpt of a file.
    pub fn command(self, excerpt: &BoundExcerpt<'_>) -> Option<&'a str> {
        let lab = self.document.front.lab.as_ref().filter(|_| excerpt.is_record())?;
        let known = lab.starter.record.0.iter().find(|(name, _)| *name.value == *excerpt.name())?;
        Some(&known.1.value)
    }

    /// Returns from where links to other files lead.
    fn origin(self) -> From<'a> {
        From { path: self.document.source.path(), headings: &[], html_ids: &[], own: self.main_file }
    }

    /// Resolves the path of a `file=` of the document.
    ///
    /// # Errors
    ///
    /// Fails if the path leads out of where the files of excerpts are, or names no file.
    pub fn named(self, path: &str) -> Result<String, starters::PathError> {
        match self.document.placement.kind {
            Kind::Outside => starters::beside(self.document.source.path(), path),
            _ => starters::named(self.main_file, path),
        }
    }
}

/// Compares the excerpts of a document with their files, and nothing else.
pub fn compare(cx: Context<'_>, subject: Subject<'_>) -> (Excerpts, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let excerpts = resolve(cx, subject, &mut diagnostics);
    (excerpts, diagnostics)
}

/// Resolves the excerpts and links of a document. Returns the facts of its page, and diagnostics.
pub fn facts(cx: Context<'_>, subject: Subject<'_>) -> (Facts, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let Excerpts { resolved, drifts, is_complete, is_piece_missing, lost } = resolve(cx, subject, &mut diagnostics);
    let partial = Facts { excerpts: resolved, ..Facts::default() };
    let source = ResolvedPage { cx, subject, facts: &partial };
    let excerpts = source.prepared("");
    let sections = contract::sections(&subject.document.body, &titles(cx, subject.document));
    let dry_run = LinkTarget::dry_run(&subject.document.placement.url);
    let mut writer = Writer::new(source, &excerpts, &sections, dry_run);
    body(&mut writer, &sections);
    let (mut facts, found) = writer.finish();
    facts.explanations = explanations(subject, &excerpts);
    facts.explanations.shrink_to_fit();
    (facts.records, facts.starters) = named_starters(subject, &excerpts, facts.starters);
    diagnostics.extend(found);
    diagnostics.extend(overrun::check(subject.document, &titles(cx, subject.document)));
    drop(excerpts);
    let may_have = |key: &Spanned<String>| cx.references.get(key).is_none() && cx.references.may_have(key);
    facts.has_missing_reference |= subject.document.front.common.reading.iter().any(may_have);
    facts.reading = reading(cx, subject.document, facts.reading, &mut diagnostics);
    facts.has_missing_starter |= !is_complete || is_piece_missing;
    let facts = Facts { sections, excerpts: partial.excerpts, drifts, is_uncompared: !is_complete, lost, ..facts };
    (facts, diagnostics)
}

pub struct Excerpts {
    resolved: Vec<ResolvedExcerpt>,
    /// The pins that differ from their files.
    pub drifts: Vec<Drift>,
    /// Whether each of them was compared with its file.
    pub is_complete: bool,
    /// Whether a piece of code that an excerpt is compared with is missing or has an error.
    is_piece_missing: bool,
    /// The files that do not have the code of a pin any more, so that it was searched for in others.
    pub lost: BTreeSet<String>,
}

impl Excerpts {
    /// Returns the facts of a page that is compared for its excerpts alone.
    pub fn into_facts(self) -> Facts {
        let starters: BTreeSet<Arc<str>> =
            self.resolved.iter().map(|resolved| Arc::clone(resolved.listing.source().path())).collect();
        Facts { excerpts: self.resolved, starters: starters.into_iter().collect(), ..Facts::default() }
    }
}

/// Resolves the excerpts of a page. An excerpt without a file or lines is reported and left out.
fn resolve(cx: Context<'_>, subject: Subject<'_>, diagnostics: &mut Vec<Diagnostic>) -> Excerpts {
    let source = &subject.document.source;
    let (mut resolved, mut drifts, mut compared, mut lost) = (Vec::new(), Vec::new(), 0, BTreeSet::new());
    let mut is_piece_missing = false;
    let titles = titles(cx, subject.document);
    let shows_file = subject.document.placement.kind != Kind::Outside;
    for (index, excerpt) in subject.document.body.excerpts.iter().enumerate() {
        // An invalid path was reported when starters were collected.
        let Ok(path) = subject.named(&excerpt.file.path) else { continue };
        // So was a region or symbol of a record, which has neither.
        let is_of_lines = || excerpt.file.selectors.iter().all(|(selector, _)| matches!(selector, Selector::Lines(..)));
        let has_lines = starters::shown_record(&path).is_none() || is_of_lines();
        let Some(listing) = cx.listings.get(path.as_str()).filter(|_| has_lines) else { continue };
        let mut elsewhere = || {
            lost.extend(Some(path.clone()).filter(|_| !excerpt.pin.trim().is_empty()));
            moved::find(cx.code, cx.project, subject, excerpt, &path)
        };
        let selected = select::select(source, excerpt, listing, &mut elsewhere, diagnostics);
        let Some((shown, is_reliable)) = selected else { continue };
        // If the excerpt does not show the intended code, the cause has been reported, and errors that follow from it
        // are dropped.
        let mut consequences = Vec::new();
        let diagnostics = if is_reliable { &mut *diagnostics } else { &mut consequences };
        let bound = bind::bind(source, excerpt, listing, &shown, diagnostics);
        let overrun = overrun::pin(subject.document, excerpt, &titles, listing.source().text());
        if is_reliable && overrun.is_none() {
            let drift = pin::drift(source, index, excerpt, listing, &shown, &bound, shows_file);
            drifts.extend(drift.map(|mut drift| {
                if pin::is_lost(excerpt, listing) {
                    elsewhere().explain(&mut drift.diagnostic, false);
                }
                drift
            }));
            compared += usize::from(excerpt.closing.is_some());
        }
        let moved = drifts.last().filter(|drift| drift.excerpt == index).map_or(&[][..], |drift| &drift.lights);
        let lit = lit::resolve(cx, subject, excerpt, listing, &shown, moved, diagnostics);
        diagnostics.extend(recorded::check(source, excerpt, listing, &shown));
        is_piece_missing |= excerpt.since.is_some() && lit.since.is_none();
        diagnostics.extend(overrun);
        let bound = bound.into_iter().map(Option::unwrap_or_default).collect();
        resolved.push(ResolvedExcerpt { index, listing: Arc::clone(listing), shown, bound, lit });
    }
    calculator::binding::bind(cx, subject, &resolved, &mut drifts, diagnostics);
    diagnostics.extend(drifts.iter().map(|drift| drift.diagnostic.clone()));
    let is_complete = compared == subject.document.body.excerpts.len();
    resolved.shrink_to_fit();
    Excerpts { resolved, drifts, is_complete, is_piece_missing, lost }
}

/// Returns the titles of the lab contract; empty for pages other than labs.
fn titles<'a>(cx: Context<'a>, document: &Document) -> Vec<&'a str> {
    if document.placement.kind == Kind::Lab { cx.config.labs.titles() } else { Vec::new() }
}

/// Writes the body in segments, split at generated parts and at the place of the reading list.
fn body(writer: &mut Writer<'_>, sections: &[Section]) -> Vec<Segment> {
    let document = writer.document();
    let skip = usize::from(document.placement.kind == Kind::Readme && starts_with_title(document));
    let start = document.body.headings.first().filter(|_| skip == 1).map_or(0, |heading| heading.events.end);
    let cuts = cuts(writer, sections);
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
            Cut::Lens => {
                segments.push(Segment::Html(std::mem::take(&mut html)));
                segments.push(Segment::Lens(writer.passage(events)));
            }
        }
    }
    html.push_str(&writer.passage(at..document.body.events.len()));
    html.push_str(&writer.leave());
    html.push_str(&writer.footnotes());
    segments.push(Segment::Html(html));
    segments.retain(|segment| !matches!(segment, Segment::Html(html) if html.trim().is_empty()));
    segments
}

/// Returns the points at which the writing of a body is interrupted, in order, each with the events that it replaces.
fn cuts(writer: &Writer<'_>, sections: &[Section]) -> Vec<(Events, Cut)> {
    let document = writer.document();
    let mut cuts: Vec<(Events, Cut)> = Vec::new();
    for section in sections {
        let (start, end) = (section.body.start, section.body.end);
        match writer.role(section) {
            Some(SectionForm::Reading) => cuts.push((end..end, Cut::Segment(Segment::Reading))),
            // The practice page shows this section alone, so its HTML must be balanced.
            Some(_) => cuts.extend([(start..start, Cut::Enter("in this section")), (end..end, Cut::Leave)]),
            None => {}
        }
    }
    for generated in &document.body.generated {
        cuts.push((generated.events.clone(), Cut::Segment(Segment::Part(generated.part))));
    }
    for example in &document.body.examples {
        let source = &document.source.text()[example.source.clone()];
        let source =
            if writer.is_dry_run() { String::new() } else { code::plain("markdown", source, &Look::default()) };
        let open = format!("<div class=\"example\">\n{source}<div class=\"result\">\n");
        let (begin, end) = (example.open.clone(), example.close.clone());
        cuts.push((begin.clone(), Cut::Segment(Segment::Html(open))));
        cuts.push((begin.end..begin.end, Cut::Enter("in this example")));
        cuts.push((end.start..end.start, Cut::Leave));
        cuts.push((end, Cut::Segment(Segment::Html("</div>\n</div>\n".into()))));
    }
    if document.placement.kind == Kind::Labs {
        // The page lays its sections out, separately.
        for heading in document.body.headings.iter().filter(|heading| heading.top_level && heading.level == 2) {
            let start = heading.events.start;
            cuts.push((start..start, Cut::Leave));
            cuts.push((start..start, Cut::Segment(Segment::Html(String::new()))));
            cuts.push((start..start, Cut::Enter("in this section")));
        }
    }
    if let Some(lens) = document.lens() {
        let Excerpt { fence, list, .. } = &document.body.excerpts[lens];
        // The text above it has a place of its own on the page, so its HTML must be balanced.
        cuts.push((0..0, Cut::Enter("above the first excerpt")));
        cuts.push((fence.start..fence.start, Cut::Leave));
        cuts.push((fence.start..list.as_ref().map_or(fence.end, |list| list.end), Cut::Lens));
    }
    if document.placement.kind == Kind::Glossary {
        let terms = writer.glossary().terms.iter();
        cuts.extend(terms.map(|term| (term.end..term.end, Cut::Segment(Segment::Mentions(term.id.clone())))));
    }
    cuts.sort_by_key(|(events, _)| events.start);
    cuts
}

/// A point at which the writing of a body is interrupted.
enum Cut {
    /// Insert a segment that is not written from events.
    Segment(Segment),
    /// Start a part in which HTML tags must be balanced.
    Enter(&'static str),
    /// End that part.
    Leave,
    /// Write the events as a segment of their own: the excerpt that a home page begins with.
    Lens,
}

/// Returns whether a README starts with its title, which its page shows as the heading.
fn starts_with_title(document: &Document) -> bool {
    document.body.headings.first().is_some_and(|heading| heading.level == 1 && heading.top_level)
}

/// Returns the headings that "on this page" lists.
fn toc(document: &Document) -> impl Iterator<Item = &Heading> {
    let readme = document.placement.kind == Kind::Readme && starts_with_title(document);
    let listed = document.body.headings.iter().skip(usize::from(readme));
    listed.filter(|heading| heading.top_level && heading.level <= TOC_DEPTH)
}

/// Returns the notes that explain lines of starters; empty for READMEs.
fn explanations(subject: Subject<'_>, excerpts: &[BoundExcerpt<'_>]) -> Vec<Explanation> {
    let of = |prepared: &BoundExcerpt<'_>| {
        let notes = prepared.excerpt.notes.iter().enumerate().map(|(index, note)| Explanation {
            file: Arc::clone(prepared.listing.source().path()),
            id: prepared.note_id(index),
            number: index + 1,
            lines: prepared.lines(index),
            tokens: prepared.tokens(index),
            events: note.events.clone(),
            body: note.body,
        });
        notes.filter(|found| !found.lines.is_empty()).collect::<Vec<_>>()
    };
    // Records have no page of their own, on which notes are shown next to their lines.
    let of_files = excerpts.iter().filter(|prepared| !prepared.is_record());
    if subject.page.is_some() { of_files.flat_map(of).collect() } else { Vec::new() }
}

/// Returns the keys of the references that a page lists or cites, in that order. Reports keys in `reading:` that the
/// bibliography does not have.
fn reading(cx: Context<'_>, document: &Document, cited: Vec<String>, diagnostics: &mut Vec<Diagnostic>) -> Vec<String> {
    let is_unknown = |key: &str| cx.references.get(key).is_none() && !cx.references.may_have(key);
    for key in document.front.common.reading.iter().filter(|key| is_unknown(&key.value)) {
        let message = format!("`content/references.yaml` has no `{}`", key.value);
        let error = document.source.diagnostic(codes::E0408, key.span.clone(), message);
        let near = cx.references.nearest(&key.value);
        diagnostics.push(match near {
            None => error.help("`reading:` has keys of that file; a page of the course is linked in the text"),
            near => error.instead(&document.source, &key.value, near),
        });
    }
    let listed = document.front.common.reading.iter().map(|key| key.value.clone());
    let given = document.front.common.given.0.iter().map(|(_, source)| source.value.clone());
    let given = given.filter(|key| cx.references.get(key).is_some());
    let mut known = BTreeSet::new();
    listed.chain(cited).chain(given).filter(|key| known.insert(key.clone())).collect()
}

/// Returns the records that a page shows, and the starter files that it names.
fn named_starters(
    subject: Subject<'_>,
    excerpts: &[BoundExcerpt<'_>],
    linked: Vec<Arc<str>>,
) -> (Vec<Arc<str>>, Vec<Arc<str>>) {
    let files = |prepared: &BoundExcerpt<'_>| {
        let compared = prepared.lit.since.as_ref().map(|since| Arc::clone(since.listing.source().path()));
        std::iter::once(Arc::clone(prepared.listing.source().path())).chain(compared)
    };
    let shown = excerpts.iter().flat_map(files);
    let (records, shown): (Vec<_>, Vec<_>) = shown.partition(|path| starters::shown_record(path).is_some());
    let mut paths: Vec<Arc<str>> = subject.main_file.map(Arc::from).into_iter().chain(shown).chain(linked).collect();
    paths.sort();
    paths.dedup();
    (records, paths)
}

/// Returns the relative link from one output path to another with a fragment, which may be empty.
fn with_fragment(from: &str, to: &str, fragment: &str) -> String {
    match fragment {
        "" => url::relative(from, to),
        _ if from == to => format!("#{fragment}"),
        _ => format!("{}#{fragment}", url::relative(from, to)),
    }
}

pub fn reference_kind(labels: &Labels, kind: ReferenceKind) -> &str {
    match kind {
        ReferenceKind::Official => &labels.kind_official,
        ReferenceKind::Paper => &labels.kind_paper,
        ReferenceKind::Practical => &labels.kind_practical,
        ReferenceKind::Blog => &labels.kind_blog,
    }
}

/// Returns the item that starts at an event; the items are in the order of their events.
fn starting_at<T>(items: &[T], event: usize, start: impl Fn(&T) -> usize) -> Option<&T> {
    Some(&items[items.binary_search_by_key(&event, start).ok()?])
}

/// Returns whether a word is in a list that is separated by spaces.
fn has_word(words: &str, word: &str) -> bool {
    words.split(' ').any(|listed| listed == word)
}
