//! Tracks the open elements of an author's HTML, separately for each Markdown container, so that no tag closes or
//! outlives an element of the page. Every tag that is unbalanced within its container is a [`Problem`].

use std::collections::BTreeMap;

use super::super::has_word;
use infralens_source::html::{Tag, VOID};
use infralens_source::put;
use infralens_source::source::Span;

/// Elements whose end tag is optional: they end with their parent.
const OPTIONAL_END: &str = "\
    caption colgroup dd dt li optgroup option p rp rt tbody td tfoot th thead tr rb";
/// Elements whose start tag ends an open paragraph.
const CLOSES_P: &str = "\
    address article aside blockquote center dd details dialog div dl dt fieldset figcaption figure footer form h1 \
    h2 h3 h4 h5 h6 header hgroup hr li main menu nav ol p pre section table ul";

/// A problem with an author's HTML.
#[derive(Debug)]
pub struct Problem {
    pub kind: ProblemKind,
    /// The element's name, or for [`ProblemKind::Refused`] what is not allowed.
    pub name: String,
    /// Where the tag is.
    pub at: Span,
    /// The Markdown container that the tag is in, as in "in this paragraph".
    pub container: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProblemKind {
    /// An element or attribute that is not allowed.
    Refused,
    /// An element without an end tag before the end of its container or of an element around it.
    Unclosed {
        /// The end tag of an element around it.
        by: Option<(String, Span)>,
    },
    /// A start tag that ends in `/>`, which HTML ignores.
    SelfClosing,
    /// An end tag without a start tag.
    Stray,
    /// A tag without its `>`.
    Broken,
}

impl Problem {
    /// Returns whether browsers ignore the problem, so that it has no effect elsewhere.
    pub fn is_harmless(&self) -> bool {
        self.kind == ProblemKind::Stray && (self.name == "p" || VOID.contains(&self.name.as_str()))
    }
}

/// The open containers, innermost last, and the problems so far.
#[derive(Debug)]
pub struct ElementStack {
    containers: Vec<Container>,
    /// The problems so far.
    pub problems: Vec<Problem>,
}

/// The open elements of one Markdown container.
#[derive(Debug, Default)]
struct Container {
    name: &'static str,
    /// The names of elements, and where their tags are.
    open: Vec<(String, Span)>,
    /// The number of elements in `open` by name.
    counts: BTreeMap<String, usize>,
    /// The number of end tags by name that need not be reported, because their start tags were reported or refused.
    ignored_end_tags: BTreeMap<String, usize>,
}

impl Container {
    fn new(name: &'static str) -> Self {
        Self { name, ..Self::default() }
    }

    fn has(&self, name: &str) -> bool {
        self.counts.get(name).is_some_and(|&count| count > 0)
    }

    /// Closes the innermost element.
    fn pop(&mut self, closers: &mut String) -> Option<(String, Span)> {
        let (name, at) = self.open.pop()?;
        decrement(&mut self.counts, &name);
        put!(closers, "</{name}>");
        Some((name, at))
    }

    fn problem(&self, kind: ProblemKind, name: &str, at: Span) -> Problem {
        Problem { kind, name: name.to_owned(), at, container: self.name }
    }

    /// Returns the problem of an element that ended without an end tag, if its end tag is required.
    fn unclosed_problem(&self, name: &str, at: Span, by: Option<(String, Span)>) -> Option<Problem> {
        let is_required = !has_word(OPTIONAL_END, name);
        is_required.then(|| self.problem(ProblemKind::Unclosed { by }, name, at))
    }
}

/// Decrements a count; returns false if it was zero.
fn decrement(counts: &mut BTreeMap<String, usize>, name: &str) -> bool {
    let Some(count) = counts.get_mut(name).filter(|count| **count > 0) else { return false };
    *count -= 1;
    true
}

impl Default for ElementStack {
    fn default() -> Self {
        Self { containers: vec![Container::new("on this page")], problems: Vec::new() }
    }
}

impl ElementStack {
    /// Returns whether an element with one of these names is open.
    pub fn is_within(&self, names: &[&str]) -> bool {
        self.containers.iter().any(|container| names.iter().any(|name| container.has(name)))
    }

    /// Starts a Markdown container.
    pub fn enter(&mut self, container: &'static str) {
        self.containers.push(Container::new(container));
    }

    /// Ends a Markdown container; returns the tags that close its open elements.
    pub fn leave(&mut self) -> String {
        let mut closers = String::new();
        let Some(mut container) = self.containers.pop() else { return closers };
        while let Some((name, at)) = container.pop(&mut closers) {
            self.problems.extend(container.unclosed_problem(&name, at, None));
        }
        if self.containers.is_empty() {
            self.containers.push(Container::new(container.name));
        }
        closers
    }

    /// Starts a Markdown block, which ends an open paragraph; returns its end tag.
    pub fn start_block(&mut self) -> String {
        self.end_implied(&["p"])
    }

    /// Opens an element; returns the end tags of elements that it ends.
    pub(super) fn open(&mut self, name: &str, tag: &Tag<'_>, at: Span) -> String {
        let closers = self.end_implied(implied_ends(name));
        let Some(container) = self.containers.last_mut().filter(|_| !VOID.contains(&name)) else { return closers };
        if tag.self_closing {
            self.problems.push(container.problem(ProblemKind::SelfClosing, name, at));
            *container.ignored_end_tags.entry(name.to_owned()).or_default() += 1;
        } else {
            *container.counts.entry(name.to_owned()).or_default() += 1;
            container.open.push((name.to_owned(), at));
        }
        closers
    }

    /// Records a tag that is not allowed, which is written as text.
    pub(super) fn report_refused(&mut self, tag: &Tag<'_>, at: Span) {
        let (name, Some(container)) = (tag.element(), self.containers.last_mut()) else { return };
        if !tag.closing {
            self.problems.push(container.problem(ProblemKind::Refused, &format!("<{}>", tag.name), at));
            *container.ignored_end_tags.entry(name).or_default() += 1;
        } else if !decrement(&mut container.ignored_end_tags, &name) {
            self.problems.push(container.problem(ProblemKind::Stray, &name, at));
        }
    }

    /// Records an attribute that is not allowed, which is dropped, or a tag without `>`, which has no name.
    pub(super) fn report(&mut self, kind: ProblemKind, name: &str, at: Span) {
        self.problems.extend(self.containers.last().map(|container| container.problem(kind, name, at)));
    }

    /// Closes `name` and the elements in it; empty if it is not open in this container.
    pub(super) fn close(&mut self, name: &str, at: &Span) -> String {
        let mut closers = String::new();
        let Some(container) = self.containers.last_mut() else { return closers };
        if !container.has(name) {
            if !decrement(&mut container.ignored_end_tags, name) {
                self.problems.push(container.problem(ProblemKind::Stray, name, at.clone()));
            }
            return closers;
        }
        while let Some((inner, place)) = container.pop(&mut closers).filter(|(inner, _)| inner != name) {
            if let Some(problem) = container.unclosed_problem(&inner, place, Some((name.to_owned(), at.clone()))) {
                self.problems.push(problem);
                *container.ignored_end_tags.entry(inner).or_default() += 1;
            }
        }
        closers
    }

    /// Closes the innermost elements while they have one of these names.
    fn end_implied(&mut self, names: &[&str]) -> String {
        let mut closers = String::new();
        let Some(container) = self.containers.last_mut() else { return closers };
        while container.open.last().is_some_and(|(name, _)| names.contains(&name.as_str())) {
            container.pop(&mut closers);
        }
        closers
    }
}

/// Returns the elements that the start tag of an element ends implicitly.
fn implied_ends(name: &str) -> &'static [&'static str] {
    match name {
        "li" => &["p", "li"],
        "dt" | "dd" => &["p", "dt", "dd"],
        "td" | "th" => &["p", "td", "th"],
        "tr" => &["p", "td", "th", "tr", "caption", "colgroup"],
        "tbody" | "thead" | "tfoot" => &["p", "td", "th", "tr", "tbody", "thead", "tfoot", "caption", "colgroup"],
        "option" => &["option"],
        "optgroup" => &["option", "optgroup"],
        "rt" | "rp" => &["rt", "rp"],
        _ if has_word(CLOSES_P, name) => &["p"],
        _ => &[],
    }
}
