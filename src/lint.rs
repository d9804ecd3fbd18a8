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

use rayon::prelude::*;

use crate::course::url;
use crate::diag::{Code, Diagnostic, Place, Severity, codes};
use crate::document::{Document, Kind};
use crate::render::{Context, Page, Subject};
use crate::source::Span;
use crate::yaml::Date;

/// What lints look at.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The course and its files.
    pub cx: Context<'a>,
    /// Every page, drafts and READMEs included.
    pub subjects: &'a [Subject<'a>],
    /// What rendering made of each of them.
    pub pages: &'a [Arc<Page>],
    /// The day on which dates are judged; without it they are not.
    pub today: Option<Date>,
}

/// Everything that the lints say, `allow:` applied. `errors` is what was found before: what could not be read is not
/// judged.
#[must_use]
pub fn lint(input: Input<'_>, errors: &[Diagnostic]) -> Vec<Diagnostic> {
    let unread = Unread::new(errors);
    let names = ungrounded::Names::gather(input);
    let (mut found, sentences): (Vec<_>, Vec<_>) = input
        .subjects
        .par_iter()
        .filter(|subject| !unread.has(subject.document))
        .map(|subject| {
            let passages = text::passages(subject.document);
            (page(input, subject, &passages, &names), filler::Sentences::of(subject.document, &passages))
        })
        .unzip();
    found.push(filler::repeated(&sentences));
    found.push(structure::titles(input));
    found.push(references::repeated(input));
    found.push(leftover::settings(input));
    if unread.is_empty() {
        found.push(coverage::coverage(input));
        found.push(references::orphans(input));
    }
    let allowed = Allowed::new(input);
    let mut found = found.concat();
    found.retain(|diagnostic| !allowed.has(diagnostic));
    found
}

/// The lints of a page that need to know no other.
fn page(
    input: Input<'_>,
    subject: &Subject<'_>,
    passages: &[text::Passage],
    names: &ungrounded::Names<'_>,
) -> Vec<Diagnostic> {
    let document = subject.document;
    let mut found = Vec::new();
    structure::headings(document, &mut found);
    structure::links(document, &mut found);
    alternative::alternative(document, input.cx.config, &mut found);
    empty::empty(document, input.cx.config, &mut found);
    questions::questions(document, input.cx.config, &mut found);
    reading_order::by_hand(document, input.cx.config, &mut found);
    freshness::dates(document, input.cx.config, input.today, &mut found);
    freshness::promises(document, passages, &mut found);
    filler::phrases(document, passages, &mut found);
    damage::markup(document, input.cx.config, passages, &mut found);
    let code = text::code_spans(&document.body);
    damage::characters(&document.source, &code, &mut found);
    leftover::left(&document.source, 0..document.source.text().len(), &code, &mut found);
    ungrounded::ungrounded(subject, names, &mut found);
    found
}

/// A lint's diagnostic at a span of a page.
fn at(document: &Document, span: Span, code: Code, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(code, Place::new(document.source.path(), span), message)
}

/// The files that could not be understood as a whole: their lints would speak of what is only unreadable.
struct Unread<'a>(Vec<&'a str>);

impl<'a> Unread<'a> {
    fn new(errors: &'a [Diagnostic]) -> Self {
        use codes::{E0001, E0005, E0006, E0101, E0102, E0103, E0201, E0209};
        let whole = [E0001, E0005, E0006, E0101, E0102, E0103, E0201, E0209];
        let files = errors.iter().filter(|error| error.severity == Severity::Error && whole.contains(&error.code));
        let mut files: Vec<&str> = files.map(|error| error.place.file.as_ref()).collect();
        files.sort_unstable();
        Self(files)
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn has(&self, document: &Document) -> bool {
        self.0.binary_search(&document.source.path().as_ref()).is_ok()
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
            if let Some(own) = subject.own {
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
