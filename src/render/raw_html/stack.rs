//! Which elements of an author's HTML are open: a frame for each Markdown container, so that no tag closes or outlives an
//! element of the page. Every tag that does not pair within its container is a [`Problem`].

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::document::html::{Tag, VOID};
use crate::source::Span;

/// Elements whose end tag may be left out: they end where their parent does.
const OPTIONAL_END: [&str; 17] = [
    "caption", "colgroup", "dd", "dt", "li", "optgroup", "option", "p", "rp", "rt", "tbody", "td", "tfoot", "th",
    "thead", "tr", "rb",
];
/// Elements that end an open paragraph.
const CLOSES_P: [&str; 35] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "center",
    "dd",
    "details",
    "dialog",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "hr",
    "li",
    "main",
    "menu",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "ul",
];

/// What is wrong with an author's HTML.
#[derive(Debug)]
pub struct Problem {
    /// What it is.
    pub kind: ProblemKind,
    /// The element's name, or for [`ProblemKind::Refused`] what is not allowed.
    pub name: String,
    /// Where the tag is.
    pub at: Span,
    /// The Markdown container that the tag is in, as in "in this paragraph".
    pub container: &'static str,
}

/// The kinds of problems.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProblemKind {
    /// An element or attribute that is not on the list.
    Refused,
    /// An element that its container or another element ends, which the end tag there does.
    Unclosed {
        /// The end tag of an element around it.
        by: Option<(String, Span)>,
    },
    /// A start tag that ends in `/>`, which in HTML means nothing.
    SelfClosing,
    /// An end tag without a start tag.
    Stray,
    /// A tag without its `>`.
    Broken,
}

impl Problem {
    /// Whether browsers ignore what is wrong, so that it cannot reach beyond its place.
    #[must_use]
    pub fn is_harmless(&self) -> bool {
        self.kind == ProblemKind::Stray && (self.name == "p" || VOID.contains(&self.name.as_str()))
    }
}

/// What is open, innermost last, and what was wrong on the way.
#[derive(Debug)]
pub struct ElementStack {
    containers: Vec<Container>,
    /// What is wrong with the tags so far.
    pub problems: Vec<Problem>,
}

/// What is open in one Markdown container.
#[derive(Debug)]
struct Container {
    container: &'static str,
    open: Vec<OpenElement>,
    /// How many of `open` have each name.
    counts: BTreeMap<String, usize>,
    /// Elements that were reported or refused, whose end tags are still to come and need not be reported.
    ignored_end_tags: BTreeMap<String, usize>,
}

#[derive(Debug)]
struct OpenElement {
    name: String,
    at: Span,
}

impl Container {
    fn new(container: &'static str) -> Self {
        Self { container, open: Vec::new(), counts: BTreeMap::new(), ignored_end_tags: BTreeMap::new() }
    }

    fn has(&self, name: &str) -> bool {
        self.counts.get(name).is_some_and(|&count| count > 0)
    }

    /// The innermost element, which is open no longer.
    fn pop(&mut self, closers: &mut String) -> Option<OpenElement> {
        let open = self.open.pop()?;
        decrement(&mut self.counts, &open.name);
        // Writing to a String cannot fail.
        let _ = write!(closers, "</{}>", open.name);
        Some(open)
    }

    fn problem(&self, kind: ProblemKind, name: &str, at: Span) -> Problem {
        Problem { kind, name: name.to_owned(), at, container: self.container }
    }

    /// What there is to say of an element that is open no longer although nothing closed it.
    fn unclosed_problem(&self, open: &OpenElement, by: Option<(String, Span)>) -> Option<Problem> {
        let is_required = !OPTIONAL_END.contains(&open.name.as_str());
        is_required.then(|| self.problem(ProblemKind::Unclosed { by }, &open.name, open.at.clone()))
    }
}

/// Counts one down; whether there was one.
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
    /// Whether one of the elements of these names is open.
    #[must_use]
    pub fn is_within(&self, names: &[&str]) -> bool {
        self.containers.iter().any(|container| names.iter().any(|name| container.has(name)))
    }

    /// A Markdown container begins.
    pub fn enter(&mut self, container: &'static str) {
        self.containers.push(Container::new(container));
    }

    /// A Markdown container ends: the tags that close what was opened in it.
    pub fn leave(&mut self) -> String {
        let mut closers = String::new();
        let Some(mut container) = self.containers.pop() else { return closers };
        while let Some(open) = container.pop(&mut closers) {
            self.problems.extend(container.unclosed_problem(&open, None));
        }
        if self.containers.is_empty() {
            self.containers.push(Container::new(container.container));
        }
        closers
    }

    /// A block of Markdown begins, which ends an open paragraph.
    pub fn start_block(&mut self) -> String {
        self.end_implied(&["p"])
    }

    /// The element of a start tag begins: the tags that close what it ends.
    pub(super) fn open(&mut self, name: &str, tag: &Tag<'_>, at: Span) -> String {
        let closers = self.end_implied(implied_ends(name));
        let Some(container) = self.containers.last_mut().filter(|_| !VOID.contains(&name)) else { return closers };
        if tag.self_closing {
            self.problems.push(container.problem(ProblemKind::SelfClosing, name, at));
            *container.ignored_end_tags.entry(name.to_owned()).or_default() += 1;
        } else {
            *container.counts.entry(name.to_owned()).or_default() += 1;
            container.open.push(OpenElement { name: name.to_owned(), at });
        }
        closers
    }

    /// The tag of an element that is not allowed, which is text.
    pub(super) fn report_refused(&mut self, tag: &Tag<'_>, at: Span) {
        let (name, Some(container)) = (tag.element(), self.containers.last_mut()) else { return };
        if !tag.closing {
            self.problems.push(container.problem(ProblemKind::Refused, &format!("<{}>", tag.name), at));
            *container.ignored_end_tags.entry(name).or_default() += 1;
        } else if !decrement(&mut container.ignored_end_tags, &name) {
            self.problems.push(container.problem(ProblemKind::Stray, &name, at));
        }
    }

    /// An attribute that is not allowed, which is left out.
    pub(super) fn report_refused_attribute(&mut self, name: &str, at: Span) {
        self.problems.extend(self.containers.last().map(|container| container.problem(ProblemKind::Refused, name, at)));
    }

    /// A tag without `>`.
    pub(super) fn report_broken(&mut self, at: Span) {
        self.problems.extend(self.containers.last().map(|container| container.problem(ProblemKind::Broken, "", at)));
    }

    /// Closes `name` and what is open inside it; nothing if it is not open in this container.
    pub(super) fn close(&mut self, name: &str, at: &Span) -> String {
        let mut closers = String::new();
        let Some(container) = self.containers.last_mut() else { return closers };
        if !container.has(name) {
            if !decrement(&mut container.ignored_end_tags, name) {
                self.problems.push(container.problem(ProblemKind::Stray, name, at.clone()));
            }
            return closers;
        }
        while let Some(open) = container.pop(&mut closers).filter(|open| open.name != name) {
            if let Some(problem) = container.unclosed_problem(&open, Some((name.to_owned(), at.clone()))) {
                self.problems.push(problem);
                *container.ignored_end_tags.entry(open.name).or_default() += 1;
            }
        }
        closers
    }

    /// Closes the innermost elements as long as they are of these names.
    fn end_implied(&mut self, names: &[&str]) -> String {
        let mut closers = String::new();
        let Some(container) = self.containers.last_mut() else { return closers };
        while container.open.last().is_some_and(|open| names.contains(&open.name.as_str())) {
            container.pop(&mut closers);
        }
        closers
    }
}

/// The elements without an end tag that the start of an element ends.
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
        _ if CLOSES_P.contains(&name) => &["p"],
        _ => &[],
    }
}
