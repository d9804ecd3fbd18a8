//! Lints: warnings about how a course is written. Each lint has a name, by which a page silences it with `allow:`.
//!
//! 1. checks each document, in parallel: its headings, links, dates and words, the sections of labs and the names in them;
//! 2. checks the course as a whole: repeated sentences and titles, and code and references that no page uses;
//! 3. removes what a page allows.

mod alternative;
mod common;
mod coverage;
mod damage;
mod dead_link;
mod empty;
mod figure;
mod filler;
mod freshness;
mod glossary;
mod leftover;
mod mojibake;
mod note_order;
mod questions;
mod reading_order;
mod references;
mod structure;
mod term;
mod ungrounded;
mod words;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

pub use freshness::Dates;
use rayon::prelude::*;
pub use term::terms;

use infralens_course::links::Links;
use infralens_page::{Document, Kind, contract, text};
use infralens_render::{Context, Facts, Subject};
use infralens_source::diag::{Code, Diagnostic, codes};
use infralens_source::project::{GLOSSARY, SITE};
use infralens_source::source::Span;
use infralens_source::url;
use infralens_source::yaml::Date;

#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The course and its files.
    pub cx: Context<'a>,
    /// All pages, including drafts and READMEs.
    pub subjects: &'a [Subject<'a>],
    /// The facts of each page in `subjects`.
    pub pages: &'a [&'a Facts],
    /// What was found in each file of `subjects` by itself, if that is known.
    pub own: &'a [&'a OnceLock<Own>],
    /// What the addresses of other sites answered.
    pub links: &'a Links,
    /// The current day, with which dates are compared; `None` skips that.
    pub today: Option<Date>,
}

/// The part of the lints that depends on the file of a page alone, so that later plans keep it: most of the work.
#[derive(Debug)]
pub struct Own {
    found: Vec<Diagnostic>,
    sentences: filler::Sentences,
}

/// Runs all lints and applies `allow:`. `errors` are all earlier diagnostics; files that could not be parsed are skipped.
pub fn lint(input: Input<'_>, errors: &[Diagnostic]) -> Vec<Diagnostic> {
    let unread = Unread::new(errors);
    let names = (!unread.has_file(GLOSSARY)).then(|| ungrounded::Names::gather(input));
    let has_settings = !unread.has_file(SITE);
    let (mut found, sentences): (Vec<_>, Vec<_>) = input
        .subjects
        .par_iter()
        .zip(input.pages)
        .zip(input.own)
        .filter(|((subject, _), _)| !unread.has_file(subject.document.source.path()))
        .map(|((subject, facts), own)| {
            let Own { found, sentences } = own.get_or_init(|| page(subject.document));
            let mut found = found.clone();
            note_order::crossing(subject.document, facts, &mut found);
            empty::notes(subject.document, &mut found);
            if has_settings {
                with_settings(input, subject, &mut found);
            }
            // This lint searches a similar name for each unknown one, so it is skipped early if the page allows it.
            let is_allowed = subject.document.front.common.allow.iter().any(|code| code.value == codes::UNGROUNDED);
            if let Some(names) = names.as_ref().filter(|_| has_settings && !is_allowed && !facts.has_missing_starter) {
                ungrounded::ungrounded(subject, names, &mut found);
            }
            (found, sentences)
        })
        .unzip();
    found.push(filler::repeated(&sentences));
    found.push(damage::starters(input));
    found.push(structure::titles(input));
    found.push(references::repeated(input));
    found.push(leftover::settings(input));
    found.push(dead_link::links(input, &unread));
    if unread.is_all_known {
        found.push(coverage::coverage(input));
        found.push(references::orphans(input));
    }
    let allowed = Allowed::new(input);
    let mut found = found.concat();
    let is_off = |diagnostic: &Diagnostic| input.cx.config.is_off(diagnostic.code, &diagnostic.place.file);
    found.retain(|diagnostic| !allowed.has(diagnostic) && !is_off(diagnostic));
    found
}

/// Runs the lints of a page that depend on nothing else.
fn page(document: &Document) -> Own {
    let passages = &text::passages(document);
    let mut found = Vec::new();
    structure::headings(document, &mut found);
    structure::links(document, &mut found);
    freshness::promises(document, passages, &mut found);
    filler::phrases(document, passages, &mut found);
    let code = text::code_spans(&document.body);
    damage::characters(&document.source, &code, &mut found);
    damage::glued_words(document, passages, &mut found);
    leftover::page(document, &code, &mut found);
    if document.placement.kind == Kind::Glossary {
        glossary::glossary(document, &mut found);
    }
    Own { found, sentences: filler::Sentences::of(document, passages) }
}

/// Runs the lints of a page that depend on the settings.
fn with_settings(input: Input<'_>, subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    let (document, config) = (subject.document, input.cx.config);
    alternative::alternative(document, config, found);
    if document.placement.kind == Kind::Lab {
        let sections = contract::sections(&document.body, &config.labs.titles());
        empty::empty(document, &config.labs.sections, &sections, found);
        questions::questions(document, config, &sections, found);
    }
    figure::unshown(document, found);
    references::uncited(document, input.cx.references, found);
    reading_order::by_hand(document, config, found);
    freshness::dates(document, config, input.today, found);
    found.extend(freshness::undated(document, input.cx.course));
    damage::markup(document, config, found);
    if let Some(values) = input.cx.values_of(document).filter(|values| values.is_checked) {
        figure::unprinted(document, values, found);
        figure::given(document, values, input.cx.references, found);
    }
}

/// Returns a diagnostic at a span of a page.
fn at(document: &Document, span: Span, code: Code, message: impl Into<String>) -> Diagnostic {
    document.source.diagnostic(code, span, message)
}

/// The files of which a part is unknown because of an error. Lints skip these files, because they would report what only
/// follows from the error.
struct Unread<'a> {
    files: Vec<&'a str>,
    /// Whether everything that pages show, name and cite is known.
    is_all_known: bool,
}

impl<'a> Unread<'a> {
    fn new(errors: &'a [Diagnostic]) -> Self {
        use codes::{E0104, E0105, E0106, E0107, E0108, E0302, E0303, E0304, E0305, E0307, E0308, E0309, E0310, E0311};
        use codes::{E0207, E0208, E0210, E0213, E0215, W0203, W0207};
        // The value of the key, such as a title or `allow:`, is unknown.
        let keys = [E0104, E0105, E0106, E0107, E0108];
        // These fences, comments and other pairs may swallow other parts of the page.
        let fences = [E0207, E0208, E0210, E0213, E0215, W0203, W0207];
        // Which lines are shown is unknown, so that `coverage` is skipped.
        let excerpts = [E0302, E0303, E0304, E0305, E0307, E0308, E0309, E0310, E0311];
        let is_unread = |code: Code| code.hides_file() || keys.contains(&code) || fences.contains(&code);
        let mut files: Vec<&str> =
            errors.iter().filter(|error| is_unread(error.code)).map(|error| error.place.file.as_ref()).collect();
        files.sort_unstable();
        let is_all_known = files.is_empty() && !errors.iter().any(|error| excerpts.contains(&error.code));
        Self { files, is_all_known }
    }

    fn has_file(&self, path: &str) -> bool {
        self.files.binary_search(&path).is_ok()
    }
}

/// The lints that pages allow. A lab allows them for its starter files, too.
#[derive(Default)]
struct Allowed<'a> {
    files: BTreeMap<&'a str, Vec<Code>>,
    folders: BTreeMap<&'a str, Vec<Code>>,
}

impl<'a> Allowed<'a> {
    fn new(input: Input<'a>) -> Self {
        let mut allowed = Self::default();
        for (subject, page) in input.subjects.iter().zip(input.pages) {
            let document = subject.document;
            let off = input.cx.config.lints.0.iter().map(|(code, _)| code.value);
            let off = off.filter(|&code| input.cx.config.is_off(code, document.source.path()));
            let codes: Vec<Code> = document.front.common.allow.iter().map(|code| code.value).chain(off).collect();
            if codes.is_empty() {
                continue;
            }
            allowed.files.entry(document.source.path()).or_default().extend(&codes);
            if document.placement.kind != Kind::Lab {
                continue;
            }
            for file in page.starters.iter().map(Arc::as_ref) {
                allowed.files.entry(file).or_default().extend(&codes);
            }
            if let Some(own) = subject.main_file {
                allowed.folders.entry(url::folder(own)).or_default().extend(&codes);
            }
        }
        allowed
    }

    fn has(&self, diagnostic: &Diagnostic) -> bool {
        let file = diagnostic.place.file.as_ref();
        let allows = |codes: Option<&Vec<Code>>| codes.is_some_and(|codes| codes.contains(&diagnostic.code));
        allows(self.files.get(file)) || file.match_indices('/').any(|(end, _)| allows(self.folders.get(&file[..end])))
    }
}
