//! Which elements of an author's HTML are open: a frame for each Markdown container, so that no tag closes or outlives an
//! element of the page. Every tag that does not pair within its container is a [`Problem`].

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::document::html::{Tag, VOID};
use crate::source::Span;

/// Elements whose end tag may be left out: they end where their parent does.
const OPTIONAL: [&str; 17] = [
    "caption", "colgroup", "dd", "dt", "li", "optgroup", "option", "p", "rp", "rt", "tbody", "td", "tfoot", "th",
    "thead", "tr", "rb",
];
/// Elements that end an open paragraph.
const BLOCKS: [&str; 35] = [
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
    pub kind: Kind,
    /// The element's name, or for [`Kind::Refused`] what is not allowed.
    pub name: String,
    /// Where the tag is.
    pub at: Span,
    /// The Markdown container that the tag is in, as in "in this paragraph".
    pub container: &'static str,
}

/// The kinds of problems.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
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
        self.kind == Kind::Stray && (self.name == "p" || VOID.contains(&self.name.as_str()))
    }
}

/// What is open, innermost last, and what was wrong on the way.
#[derive(Debug)]
pub struct Stack {
    frames: Vec<Frame>,
    /// What is wrong with the tags so far.
    pub problems: Vec<Problem>,
}

/// What is open in one Markdown container.
#[derive(Debug)]
struct Frame {
    container: &'static str,
    open: Vec<Open>,
    /// How many of `open` have each name.
    counts: BTreeMap<String, usize>,
    /// Elements that were reported or refused, whose end tags are still to come and need not be reported.
    ended: BTreeMap<String, usize>,
}

#[derive(Debug)]
struct Open {
    name: String,
    at: Span,
}

impl Frame {
    fn new(container: &'static str) -> Self {
        Self { container, open: Vec::new(), counts: BTreeMap::new(), ended: BTreeMap::new() }
    }

    fn has(&self, name: &str) -> bool {
        self.counts.get(name).is_some_and(|&count| count > 0)
    }

    /// The innermost element, which is open no longer.
    fn pop(&mut self, closers: &mut String) -> Option<Open> {
        let open = self.open.pop()?;
        take(&mut self.counts, &open.name);
        // Writing to a String cannot fail.
        let _ = write!(closers, "</{}>", open.name);
        Some(open)
    }

    fn problem(&self, kind: Kind, name: &str, at: Span) -> Problem {
        Problem { kind, name: name.to_owned(), at, container: self.container }
    }

    /// What there is to say of an element that is open no longer although nothing closed it.
    fn unclosed(&self, open: &Open, by: Option<(String, Span)>) -> Option<Problem> {
        let is_required = !OPTIONAL.contains(&open.name.as_str());
        is_required.then(|| self.problem(Kind::Unclosed { by }, &open.name, open.at.clone()))
    }
}

/// Counts one down; whether there was one.
fn take(counts: &mut BTreeMap<String, usize>, name: &str) -> bool {
    let Some(count) = counts.get_mut(name).filter(|count| **count > 0) else { return false };
    *count -= 1;
    true
}

impl Default for Stack {
    fn default() -> Self {
        Self { frames: vec![Frame::new("on this page")], problems: Vec::new() }
    }
}

impl Stack {
    /// Whether one of the elements of these names is open.
    #[must_use]
    pub fn is_within(&self, names: &[&str]) -> bool {
        self.frames.iter().any(|frame| names.iter().any(|name| frame.has(name)))
    }

    /// A Markdown container begins.
    pub fn enter(&mut self, container: &'static str) {
        self.frames.push(Frame::new(container));
    }

    /// A Markdown container ends: the tags that close what was opened in it.
    pub fn leave(&mut self) -> String {
        let mut closers = String::new();
        let Some(mut frame) = self.frames.pop() else { return closers };
        while let Some(open) = frame.pop(&mut closers) {
            self.problems.extend(frame.unclosed(&open, None));
        }
        if self.frames.is_empty() {
            self.frames.push(Frame::new(frame.container));
        }
        closers
    }

    /// A block of Markdown begins, which ends an open paragraph.
    pub fn block(&mut self) -> String {
        self.end_implied(&["p"])
    }

    /// The element of a start tag begins: the tags that close what it ends.
    pub(super) fn open(&mut self, name: &str, tag: &Tag<'_>, at: Span) -> String {
        let closers = self.end_implied(ended_by(name));
        let Some(frame) = self.frames.last_mut().filter(|_| !VOID.contains(&name)) else { return closers };
        if tag.self_closing {
            self.problems.push(frame.problem(Kind::SelfClosing, name, at));
            *frame.ended.entry(name.to_owned()).or_default() += 1;
        } else {
            *frame.counts.entry(name.to_owned()).or_default() += 1;
            frame.open.push(Open { name: name.to_owned(), at });
        }
        closers
    }

    /// The tag of an element that is not allowed, which is text.
    pub(super) fn refuse(&mut self, tag: &Tag<'_>, at: Span) {
        let (name, Some(frame)) = (tag.element(), self.frames.last_mut()) else { return };
        if !tag.closing {
            self.problems.push(frame.problem(Kind::Refused, &format!("<{}>", tag.name), at));
            *frame.ended.entry(name).or_default() += 1;
        } else if !take(&mut frame.ended, &name) {
            self.problems.push(frame.problem(Kind::Stray, &name, at));
        }
    }

    /// An attribute that is not allowed, which is left out.
    pub(super) fn refuse_attribute(&mut self, name: &str, at: Span) {
        self.problems.extend(self.frames.last().map(|frame| frame.problem(Kind::Refused, name, at)));
    }

    /// A tag without `>`.
    pub(super) fn broken(&mut self, at: Span) {
        self.problems.extend(self.frames.last().map(|frame| frame.problem(Kind::Broken, "", at)));
    }

    /// Closes `name` and what is open inside it; nothing if it is not open in this container.
    pub(super) fn close(&mut self, name: &str, at: &Span) -> String {
        let mut closers = String::new();
        let Some(frame) = self.frames.last_mut() else { return closers };
        if !frame.has(name) {
            if !take(&mut frame.ended, name) {
                self.problems.push(frame.problem(Kind::Stray, name, at.clone()));
            }
            return closers;
        }
        while let Some(open) = frame.pop(&mut closers).filter(|open| open.name != name) {
            if let Some(problem) = frame.unclosed(&open, Some((name.to_owned(), at.clone()))) {
                self.problems.push(problem);
                *frame.ended.entry(open.name).or_default() += 1;
            }
        }
        closers
    }

    /// Closes the innermost elements as long as they are of these names.
    fn end_implied(&mut self, names: &[&str]) -> String {
        let mut closers = String::new();
        let Some(frame) = self.frames.last_mut() else { return closers };
        while frame.open.last().is_some_and(|open| names.contains(&open.name.as_str())) {
            frame.pop(&mut closers);
        }
        closers
    }
}

/// The elements without an end tag that the start of an element ends.
fn ended_by(name: &str) -> &'static [&'static str] {
    match name {
        "li" => &["p", "li"],
        "dt" | "dd" => &["p", "dt", "dd"],
        "td" | "th" => &["p", "td", "th"],
        "tr" => &["p", "td", "th", "tr", "caption", "colgroup"],
        "tbody" | "thead" | "tfoot" => &["p", "td", "th", "tr", "tbody", "thead", "tfoot", "caption", "colgroup"],
        "option" => &["option"],
        "optgroup" => &["option", "optgroup"],
        "rt" | "rp" => &["rt", "rp"],
        _ if BLOCKS.contains(&name) => &["p"],
        _ => &[],
    }
}
