//! What is known of every page of the course and of every README.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::documents::Understood;
use super::kept::{Named, renew};
use crate::course::PageId;
use crate::diag::{Diagnostic, Severity};
use crate::document::Document;
use crate::render::outlook::{Outlook, outlook};
use crate::render::{self, Context, Facts, Source, Subject};

/// The facts of one page, and what they were found out from.
#[derive(Debug)]
pub struct PageFacts {
    from: Arc<Understood>,
    /// What the rest of the course answers to its links.
    answers: Outlook,
    /// What is known of it.
    pub facts: Facts,
    /// What is said of it.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether nothing is wrong with it. What is said of faults names what is near in all of the course.
    is_sound: bool,
}

impl Named for PageFacts {
    fn name(&self) -> &str {
        self.from.name()
    }
}

/// A document of which all is to be known.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// Where it was read.
    pub from: &'a Arc<Understood>,
    /// The document with its page.
    pub subject: Subject<'a>,
}

impl Named for Wanted<'_> {
    fn name(&self) -> &str {
        self.from.name()
    }
}

impl<'a> Wanted<'a> {
    /// A file that could be read as a document. `own` is a lab's main starter.
    pub fn new(from: &'a Arc<Understood>, page: Option<PageId>, own: Option<&'a str>) -> Option<Self> {
        let document: &Document = from.document.as_ref()?;
        Some(Self { from, subject: Subject { document, page, own } })
    }
}

impl PageFacts {
    /// The file.
    pub fn path(&self) -> &str {
        self.from.name()
    }

    /// Whether it was found out of this very document.
    pub fn is_of(&self, from: &Arc<Understood>) -> bool {
        Arc::ptr_eq(&self.from, from)
    }

    /// What its page is written from.
    pub fn source<'a>(&'a self, cx: Context<'a>, subject: Subject<'a>) -> Source<'a> {
        Source { cx, subject, facts: &self.facts }
    }
}

/// What facts are found out of besides the document itself and the starters that it names, compared with the last time.
#[derive(Debug, Clone, Copy)]
pub struct Same<'a> {
    /// The settings and the glossary.
    pub settings: bool,
    /// The bibliography.
    pub references: bool,
    /// All that links can lead to is the same but for these pages: only who asks for one of them need ask again.
    pub targets: Option<&'a BTreeSet<PageId>>,
}

/// Finds out what there is to know of some documents; what `was` known is kept where it follows from the same.
/// `same_listing` tells whether a starter is understood from the same text as it was.
pub fn know(
    was: &[Arc<PageFacts>],
    wanted: &[Wanted<'_>],
    cx: Context<'_>,
    same: Same<'_>,
    same_listing: impl Fn(&str) -> bool + Sync,
) -> Vec<Arc<PageFacts>> {
    let holds = |wanted: &Wanted<'_>, kept: &PageFacts| {
        let facts = &kept.facts;
        kept.is_sound
            && same.settings
            && (same.references || facts.reading.is_empty())
            // Which file is a lab's own follows from the page's front matter and name.
            && kept.is_of(wanted.from)
            && facts.starters.iter().all(|path| same_listing(path))
            && (same.targets.is_some_and(|changed| kept.answers.pages.iter().all(|page| !changed.contains(page)))
                || outlook(cx, wanted.subject, facts).hash == kept.answers.hash)
    };
    renew(was, wanted, holds, |wanted| {
        let (facts, diagnostics) = render::facts(cx, wanted.subject);
        let is_wrong = diagnostics.iter().any(|said| said.severity == Severity::Error);
        PageFacts {
            from: Arc::clone(wanted.from),
            answers: outlook(cx, wanted.subject, &facts),
            is_sound: !is_wrong && !facts.lacks_something(),
            facts,
            diagnostics,
        }
    })
}
