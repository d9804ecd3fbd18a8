//! Binds copies of code on pages to the files that they copy: finds the code of fences in the files, writes `file=` into them,
//! and makes links of citations such as `src/queue.rs:12`.
//!
//! 1. [`fences`] and [`citations`] propose edits, and say why others are not proposed;
//! 2. the edited pages are read and judged again: what does not read as intended, or makes an error, is not written;
//! 3. `sync` writes what the new excerpts and links then lack: comments and indentation of the file, titles of links.

mod citations;
mod fences;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::sync::{self, Accept};
use infralens_page::{Document, Excerpt, Link};
use infralens_render::Subject;
use infralens_render::line_link::LinkChange;
use infralens_site::Drifts;
use infralens_source::change::{Change, preview};
use infralens_source::diag::{Diagnostic, Severity, codes};
use infralens_source::project::Project;
use infralens_source::source::{Source, Span, edited};
use infralens_starter::copied::Fidelity;
use infralens_starter::moved::CodeIndex;

/// What judges pages: the pins and links that are out of date, and all diagnostics.
pub type Judge<'j> = dyn Fn(&Project) -> (Drifts, Vec<Diagnostic>) + 'j;

/// The result of [`adopt`].
#[derive(Debug, Default)]
pub struct Adoption {
    pub changes: Vec<Change>,
    /// What they bind, sorted by place.
    pub bound: Vec<Bound>,
    /// What is not bound although it is or resembles a copy, sorted by place.
    pub left: Vec<Left>,
}

/// A fence that is bound, or a citation that is a link now.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bound {
    /// The page.
    pub path: Arc<str>,
    /// The line, from 1, after the changes.
    pub line: usize,
    /// What is written: `file=…`, or the address of a link.
    pub written: String,
    pub is_link: bool,
    /// Whether the fence has other comments at the ends of its lines, or another indentation, than before.
    pub is_rewritten: bool,
}

/// A fence that is not bound.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Left {
    /// The page.
    pub path: Arc<str>,
    /// The line, from 1, before the changes.
    pub line: usize,
    /// Why it is not bound.
    pub why: String,
    /// How it differs from similar code; empty if there is none.
    pub difference: String,
}

/// An edit of a page.
struct Proposal {
    page: Arc<Source>,
    /// Where the fence or the citation begins.
    at: usize,
    edit: (Span, String),
    written: String,
    kind: Kind,
}

enum Kind {
    /// A copy that is as good as this, with so many lines of code.
    Fence(Fidelity, usize),
    Citation,
}

/// Finds the copies on the pages of `subjects`, and binds them in memory. `judge` judges the pages of a project.
pub fn adopt(subjects: &[Subject<'_>], project: &Project, code: &CodeIndex, judge: &Judge<'_>) -> Adoption {
    adopt_within(subjects, &(0..usize::MAX), project, code, judge)
}

/// Does the same only for the fences and citations that touch a span of their page.
pub fn adopt_within(
    subjects: &[Subject<'_>],
    within: &Span,
    project: &Project,
    code: &CodeIndex,
    judge: &Judge<'_>,
) -> Adoption {
    let (mut proposals, mut left) = (Vec::new(), Vec::new());
    for &subject in subjects {
        fences::propose(subject, within, project, code, &mut proposals, &mut left);
        citations::propose(subject, within, project, &mut proposals);
    }
    if proposals.is_empty() {
        left.sort();
        return Adoption { left, ..Adoption::default() };
    }
    let known: Errors = judge(project).1.iter().filter_map(error).collect();
    loop {
        let attempt = Attempt::new(project, &proposals);
        match attempt.judged(judge, &known) {
            Ok((changes, mut bound)) => {
                bound.sort();
                left.sort();
                return Adoption { changes, bound, left };
            }
            Err(refused) => {
                let of_fences = refused.iter().filter(|(at, _)| matches!(proposals[**at].kind, Kind::Fence(..)));
                left.extend(of_fences.map(|(&at, why)| proposals[at].left(why)));
                let mut at = 0..;
                proposals.retain(|_| at.next().is_none_or(|at| !refused.contains_key(&at)));
            }
        }
    }
}

impl Bound {
    /// Says what is written.
    pub fn summary(&self) -> String {
        match (self.is_link, self.is_rewritten) {
            (true, _) => format!("link to {}", self.written),
            (_, false) => self.written.clone(),
            (_, true) => format!("{}, with the comments and the indentation of the file", self.written),
        }
    }
}

impl Proposal {
    fn left(&self, why: &str) -> Left {
        let line = self.page.position(self.at).line;
        let why = format!("it copies `{}`, but is not bound: {why}", self.written);
        Left { path: Arc::clone(self.page.path()), line, why, difference: String::new() }
    }
}

/// The file, code and message of each error.
type Errors = BTreeSet<(Arc<str>, &'static str, String)>;

fn error(diagnostic: &Diagnostic) -> Option<(Arc<str>, &'static str, String)> {
    let is_error = diagnostic.severity == Severity::Error;
    is_error.then(|| (Arc::clone(&diagnostic.place.file), diagnostic.code.id, diagnostic.message.clone()))
}

/// Why proposals are refused, by index.
type Refused = BTreeMap<usize, String>;

/// The pages with all proposals.
struct Attempt<'p> {
    proposals: &'p [Proposal],
    project: Project,
    pages: BTreeMap<Arc<str>, Page>,
}

/// A page with its proposals.
struct Page {
    before: Arc<Source>,
    after: Document,
    /// The proposals, each with the offset at which its fence or link begins now.
    placed: Vec<(usize, usize)>,
}

/// What was found out about a page with its proposals.
struct Findings<'f> {
    drifts: &'f Drifts,
    errors: Vec<&'f Diagnostic>,
    /// The errors that make proposals impossible, or that `sync` resolves.
    explained: BTreeSet<usize>,
    /// What `sync` has to write.
    wanted: Drifts,
}

impl<'p> Attempt<'p> {
    fn new(project: &Project, proposals: &'p [Proposal]) -> Self {
        let mut by_page: BTreeMap<Arc<str>, Vec<usize>> = BTreeMap::new();
        for (index, proposal) in proposals.iter().enumerate() {
            by_page.entry(Arc::clone(proposal.page.path())).or_default().push(index);
        }
        let (mut pages, mut changes) = (BTreeMap::new(), Vec::new());
        for (path, mut indices) in by_page {
            indices.sort_by_key(|&index| proposals[index].at);
            let before = Arc::clone(&proposals[indices[0]].page);
            let text = edited(before.text(), indices.iter().map(|&index| proposals[index].edit.clone()).collect());
            let mut shift = 0;
            let mut placed = Vec::new();
            for index in indices {
                let (span, new) = &proposals[index].edit;
                placed.push((index, proposals[index].at + shift));
                // Edits only make a page longer.
                shift += new.len() - span.len();
            }
            changes.push(Change::Replace { source: Arc::clone(&before), text: text.clone() });
            let after = sync::read(&Arc::new(Source::new(Arc::clone(&path), text)));
            pages.insert(path, Page { before, after, placed });
        }
        Self { proposals, project: preview(project, &changes), pages }
    }

    /// Returns the changes and what they bind, or the proposals that cannot be written.
    fn judged(&self, judge: &Judge<'_>, known: &Errors) -> Result<(Vec<Change>, Vec<Bound>), Refused> {
        if self.pages.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let (drifts, diagnostics) = judge(&self.project);
        let (mut refused, mut wanted) = (Refused::new(), Drifts::default());
        for page in self.pages.values() {
            let errors = diagnostics.iter().filter(|found| found.place.file == *page.before.path());
            let errors: Vec<&Diagnostic> = errors.filter(|found| found.severity == Severity::Error).collect();
            let (explained, lacking) = (BTreeSet::new(), Drifts::default());
            let mut findings = Findings { drifts: &drifts, errors, explained, wanted: lacking };
            let before = refused.len();
            for &(index, at) in &page.placed {
                if let Err(why) = findings.judge(&self.proposals[index], page, at) {
                    refused.insert(index, why);
                }
            }
            let Findings { errors, explained, wanted: lacking, .. } = findings;
            let others = errors.iter().enumerate().filter(|(at, _)| !explained.contains(at));
            let mut new = others.filter(|(_, found)| error(found).is_some_and(|error| !known.contains(&error)));
            // Without those that are refused already, the page may be in order.
            if let (true, Some((_, first))) = (before == refused.len(), new.next()) {
                let why = format!("the page would have an error: {}", first.message);
                refused.extend(page.placed.iter().map(|&(index, _)| (index, why.clone())));
            }
            wanted.excerpts.extend(lacking.excerpts);
            wanted.links.extend(lacking.links);
        }
        if !refused.is_empty() {
            return Err(refused);
        }
        let plan = sync::plan(wanted, &[], &Accept::All);
        let unwritable = plan.unwritable.iter().map(|drift| (&drift.page, drift.span.start));
        let unwritable = unwritable.chain(plan.unwritable_links.iter().map(|link| (&link.page, link.span.start)));
        for (source, start) in unwritable {
            let placed = self.pages.get(source.path()).map_or(&[][..], |page| &page.placed);
            let why = || "it could not be written so that it reads the same".to_owned();
            refused.extend(placed.iter().filter(|(_, at)| *at == start).map(|&(index, _)| (index, why())));
        }
        if refused.is_empty() { Ok(self.finished(&plan.changes)) } else { Err(refused) }
    }

    /// Returns the changes to the pages as they are on disk, and what they bind. `written` are the changes to those in memory.
    fn finished(&self, written: &[Change]) -> (Vec<Change>, Vec<Bound>) {
        let (mut changes, mut bound) = (Vec::new(), Vec::new());
        for (path, page) in &self.pages {
            let by_sync = written.iter().find_map(|change| match change {
                Change::Replace { source, text } if source.path() == path => Some(text.as_str()),
                _ => None,
            });
            let text = by_sync.unwrap_or(page.after.source.text()).to_owned();
            let last = sync::read(&Arc::new(Source::new(Arc::clone(path), text.as_str())));
            for &(index, at) in &page.placed {
                let proposal = &self.proposals[index];
                let is_link = matches!(proposal.kind, Kind::Citation);
                let start = if is_link {
                    let nth = page.after.body.links.iter().position(|link| link.span.start == at);
                    nth.and_then(|nth| Some(last.body.links.get(nth)?.span.start))
                } else {
                    excerpt_at(&page.after, at).and_then(|(nth, _)| Some(last.body.excerpts.get(nth)?.head.start))
                };
                let is_rewritten = matches!(proposal.kind, Kind::Fence(fidelity, _) if fidelity != Fidelity::Same);
                let line = last.source.position(start.unwrap_or_default()).line;
                let written = proposal.written.clone();
                bound.push(Bound { path: Arc::clone(path), line, written, is_link, is_rewritten });
            }
            changes.push(Change::Replace { source: Arc::clone(&page.before), text });
        }
        (changes, bound)
    }
}

impl Findings<'_> {
    /// Judges a proposal whose fence or link begins at `at`; fails with the reason for which it is not written.
    fn judge(&mut self, proposal: &Proposal, page: &Page, at: usize) -> Result<(), String> {
        let path = page.before.path();
        match proposal.kind {
            Kind::Fence(fidelity, lines) => {
                let (nth, excerpt) = excerpt_at(&page.after, at).ok_or("it would not be read as an excerpt")?;
                self.refuse_errors(&whole(excerpt), fidelity != Fidelity::Same)?;
                let drift = self.drifts.excerpts.iter().find(|drift| drift.page.path() == path && drift.excerpt == nth);
                let Some(drift) = drift else { return Ok(()) };
                let code = drift.code.iter().filter(|line| !line.is_empty()).count();
                if fidelity == Fidelity::Same || code != lines {
                    return Err("the excerpt would differ from its file".to_owned());
                }
                self.wanted.excerpts.push(drift.clone());
            }
            Kind::Citation => {
                let link = link_at(&page.after, at).ok_or("it would not be read as a link")?;
                self.refuse_errors(&link.span, false)?;
                let drift = self.drifts.links.iter().find(|drift| drift.page.path() == path && drift.span == link.span);
                let drift = drift.filter(|drift| matches!(drift.change, LinkChange::Fill(_)));
                self.wanted.links.push(drift.ok_or("the link would have no title")?.clone());
            }
        }
        Ok(())
    }

    /// Fails if there is an error in a span. `may_be_stale` allows a pin that differs from its file.
    fn refuse_errors(&mut self, span: &Span, may_be_stale: bool) -> Result<(), String> {
        let is_inside = |error: &Diagnostic| error.place.span.is_some_and(|(start, _)| span.contains(&start));
        let inside: Vec<usize> = (0..self.errors.len()).filter(|&at| is_inside(self.errors[at])).collect();
        self.explained.extend(&inside);
        let mut errors = inside.into_iter().map(|at| self.errors[at]);
        match errors.find(|error| !may_be_stale || error.code != codes::E0316) {
            Some(error) => Err(error.message.clone()),
            None => Ok(()),
        }
    }
}

fn excerpt_at(document: &Document, at: usize) -> Option<(usize, &Excerpt)> {
    document.body.excerpts.iter().enumerate().find(|(_, excerpt)| excerpt.head.start == at)
}

fn link_at(document: &Document, at: usize) -> Option<&Link> {
    document.body.links.iter().find(|link| link.span.start == at && !link.image)
}

/// Whether two spans overlap or are next to each other.
pub(crate) fn touch(one: &Span, other: &Span) -> bool {
    one.start <= other.end && other.start <= one.end
}

/// Returns the span of an excerpt with its notes, and with items below that look like notes.
fn whole(excerpt: &Excerpt) -> Span {
    let end = excerpt.notes.last().map_or(0, |note| note.span.end).max(excerpt.strays_end);
    excerpt.head.start..end.max(excerpt.block.end)
}
