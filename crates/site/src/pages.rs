//! The facts of every page of the course and of every README.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::documents::ParsedFile;
use super::isolate::isolate;
use super::reuse::update;
use infralens_course::course::PageId;
use infralens_page::Document;
use infralens_render::link_fingerprint::{LinkFingerprint, link_fingerprint};
use infralens_render::{self as render, Context, Facts, ResolvedPage, Subject};
use infralens_source::diag::{Diagnostic, Severity};

/// The facts of one page, and what they were computed from.
#[derive(Debug)]
pub struct PageFacts {
    from: Arc<ParsedFile>,
    /// The fingerprint of everything that its links lead to.
    link_fingerprint: LinkFingerprint,
    pub facts: Facts,
    /// The diagnostics of computing them.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the facts can be kept for the next plan. Facts with errors cannot, because their help texts suggest
    /// names from the whole course, nor facts for which all code was searched.
    is_reusable: bool,
}

/// A document whose facts are needed.
#[derive(Clone, Copy)]
pub struct PageInput<'a> {
    pub from: &'a Arc<ParsedFile>,
    /// The document with its page.
    pub subject: Subject<'a>,
}

impl<'a> PageInput<'a> {
    /// Returns `None` if the file could not be parsed as a document. `main_file` is a lab's main starter.
    pub fn new(from: &'a Arc<ParsedFile>, page: Option<PageId>, main_file: Option<&'a str>) -> Option<Self> {
        let document: &Document = from.document.as_ref()?;
        Some(Self { from, subject: Subject { document, page, main_file } })
    }
}

impl PageFacts {
    pub fn path(&self) -> &str {
        self.from.path()
    }

    /// Returns whether the facts were computed from this very file.
    pub fn is_of(&self, from: &Arc<ParsedFile>) -> bool {
        Arc::ptr_eq(&self.from, from)
    }

    /// Returns the source that the page is written from.
    pub fn source<'a>(&'a self, cx: Context<'a>, subject: Subject<'a>) -> ResolvedPage<'a> {
        ResolvedPage { cx, subject, facts: &self.facts }
    }
}

/// Which inputs of facts are unchanged since the previous plan, besides the document and the starters that it names.
#[derive(Debug, Clone, Copy)]
pub struct Unchanged<'a> {
    /// Whether a panic is an error of its page.
    pub isolates_bugs: bool,
    /// The settings and the glossary.
    pub settings: bool,
    pub references: bool,
    /// The only pages that may have changed among the targets of links; `None` if any target may have changed.
    pub targets: Option<&'a BTreeSet<PageId>>,
}

/// Computes the facts of documents in parallel; keeps those of `previous` whose inputs are unchanged.
pub fn update_facts(
    previous: &[Arc<PageFacts>],
    inputs: &[PageInput<'_>],
    cx: Context<'_>,
    same: Unchanged<'_>,
    same_listing: impl Fn(&str) -> bool + Sync,
    same_values: impl Fn(&str) -> bool + Sync,
) -> Vec<Arc<PageFacts>> {
    let unchanged = |input: &PageInput<'_>, known: &PageFacts| {
        let facts = &known.facts;
        known.is_reusable
            && same.settings
            && (same.references || facts.reading.is_empty())
            // A lab's main file follows from its front matter and its name.
            && known.is_of(input.from)
            && facts.starters.iter().chain(&facts.records).all(|path| same_listing(path))
            && same_values(known.path())
            && (same.targets.is_some_and(|changed| known.link_fingerprint.pages.iter().all(|page| !changed.contains(page)))
                || link_fingerprint(cx, input.subject, facts).hash == known.link_fingerprint.hash)
    };
    update((previous, PageFacts::path), (inputs, |input| input.from.path()), unchanged, |input| {
        let facts = isolate(same.isolates_bugs, input.from.path(), || render::facts(cx, input.subject));
        let (facts, diagnostics) = facts.unwrap_or_else(|bug| (Facts::default(), vec![*bug]));
        let is_wrong = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
        PageFacts {
            from: Arc::clone(input.from),
            link_fingerprint: link_fingerprint(cx, input.subject, &facts),
            is_reusable: !is_wrong && !facts.is_incomplete() && facts.lost.is_empty(),
            facts,
            diagnostics,
        }
    })
}
