//! Lints: what a build can see of how a course is written, and is no error. Each has a name, a place, help, and is
//! silenced on a page with `allow:`.
//!
//! 1. each document by itself, in parallel: its headings, links, dates, words, and what a lab must have and may name;
//! 2. the course as a whole: sentences and titles that stand twice, code and references that no page uses;
//! 3. what a page allows is left out.

mod alternative;
mod common;
mod coverage;
mod damage;
mod empty;
mod filler;
mod freshness;
mod leftover;
mod mojibake;
mod questions;
mod reading_order;
mod references;
mod structure;
mod text;
mod ungrounded;
mod words;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use freshness::silent_days;
use rayon::prelude::*;

use crate::course::url;
use crate::diag::{Code, Diagnostic, Place, codes};
use crate::document::{Document, Kind};
use crate::render::{Context, Facts, Subject};
use crate::source::Span;
use crate::yaml::Date;

const SITE: &str = "content/site.yaml";
const GLOSSARY: &str = "content/glossary.md";

/// What lints look at.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The course and its files.
    pub cx: Context<'a>,
    /// Every page, drafts and READMEs included.
    pub subjects: &'a [Subject<'a>],
    /// What is known of each of them.
    pub pages: &'a [&'a Facts],
    /// The day on which dates are judged; without it they are not.
    pub today: Option<Date>,
}

/// Everything that the lints say, `allow:` applied. `errors` is what was found before: what could not be read is not
/// judged.
#[must_use]
pub fn lint(input: Input<'_>, errors: &[Diagnostic]) -> Vec<Diagnostic> {
    let unread = Unread::new(errors);
    let names = (!unread.has_file(GLOSSARY)).then(|| ungrounded::Names::gather(input));
    let has_settings = !unread.has_file(SITE);
    let (mut found, sentences): (Vec<_>, Vec<_>) = input
        .subjects
        .par_iter()
        .zip(input.pages)
        .filter(|(subject, _)| !unread.has_file(subject.document.source.path()))
        .map(|(subject, rendered)| {
            let passages = text::passages(subject.document);
            let mut found = page(subject, &passages);
            if has_settings {
                with_settings(input, subject, &passages, &mut found);
            }
            // It looks for what may be meant by each name, which takes long for nothing where the page allows it.
            let is_allowed = subject.document.front.common.allow.iter().any(|code| code.value == codes::UNGROUNDED);
            if let Some(names) = names.as_ref().filter(|_| has_settings && !is_allowed && !rendered.has_missing_starter)
            {
                ungrounded::ungrounded(subject, names, &mut found);
            }
            (found, filler::Sentences::of(subject.document, &passages))
        })
        .unzip();
    found.push(filler::repeated(&sentences));
    found.push(structure::titles(input));
    found.push(references::repeated(input));
    found.push(leftover::settings(input));
    if unread.is_all_known {
        found.push(coverage::coverage(input));
        found.push(references::orphans(input));
    }
    let allowed = Allowed::new(input);
    let mut found = found.concat();
    found.retain(|diagnostic| !allowed.has(diagnostic));
    found
}

/// The lints of a page that need to know nothing else.
fn page(subject: &Subject<'_>, passages: &[text::Passage]) -> Vec<Diagnostic> {
    let document = subject.document;
    let mut found = Vec::new();
    structure::headings(document, &mut found);
    structure::links(document, &mut found);
    freshness::promises(document, passages, &mut found);
    filler::phrases(document, passages, &mut found);
    let code = text::code_spans(&document.body);
    damage::characters(&document.source, &code, &mut found);
    leftover::page(document, &code, &mut found);
    found
}

/// The lints of a page that need to know the settings.
fn with_settings(input: Input<'_>, subject: &Subject<'_>, passages: &[text::Passage], found: &mut Vec<Diagnostic>) {
    let (document, config) = (subject.document, input.cx.config);
    alternative::alternative(document, config, found);
    empty::empty(document, config, found);
    questions::questions(document, config, found);
    reading_order::by_hand(document, config, found);
    freshness::dates(document, config, input.today, found);
    damage::markup(document, config, passages, found);
}

/// A lint's diagnostic at a span of a page.
fn at(document: &Document, span: Span, code: Code, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(code, Place::new(document.source.path(), span), message)
}

/// The files of which something could not be understood: their lints would speak of what is only unreadable.
struct Unread<'a> {
    files: Vec<&'a str>,
    /// Whether all is known of what pages show, name and cite.
    is_all_known: bool,
}

impl<'a> Unread<'a> {
    fn new(errors: &'a [Diagnostic]) -> Self {
        use codes::{E0104, E0105, E0106, E0107, E0108, E0302, E0303, E0304, E0305, E0307, E0308, E0309, E0310, E0311};
        use codes::{E0207, E0210, W0203};
        let keys = [E0104, E0105, E0106, E0107, E0108];
        // A fence that takes in other parts of the page.
        let fences = [E0207, E0210, W0203];
        let excerpts = [E0302, E0303, E0304, E0305, E0307, E0308, E0309, E0310, E0311];
        let is_unread = |code: Code| code.hides_file() || keys.contains(&code) || fences.contains(&code);
        let mut files: Vec<&str> =
            errors.iter().filter(|said| is_unread(said.code)).map(|said| said.place.file.as_ref()).collect();
        files.sort_unstable();
        let is_all_known = files.is_empty() && !errors.iter().any(|error| excerpts.contains(&error.code));
        Self { files, is_all_known }
    }

    fn has_file(&self, path: &str) -> bool {
        self.files.binary_search(&path).is_ok()
    }
}

/// What pages allow. A lab allows it for its starter files, too.
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
            let codes: Vec<Code> = document.front.common.allow.iter().map(|code| code.value).collect();
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
        let says = |codes: Option<&Vec<Code>>| codes.is_some_and(|codes| codes.contains(&diagnostic.code));
        says(self.files.get(file)) || file.match_indices('/').any(|(end, _)| says(self.folders.get(&file[..end])))
    }
}
