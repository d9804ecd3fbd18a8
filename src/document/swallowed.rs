//! Excerpts that never became one: every line of a page that reads like the opening line of an excerpt is one, or is
//! reported with what has swallowed it: a code block, HTML, or a paragraph. Code blocks that are not closed are found
//! here, too, so that one of them has one diagnostic, however much it swallows.

use std::collections::BTreeSet;

use pulldown_cmark::{CodeBlockKind, Event, Tag};

use super::{Body, Events, fence};
use crate::diag::{Diagnostic, Place, codes};
use crate::source::{Source, Span};

/// What a walk over the blocks of a page has found.
#[derive(Debug, Default)]
pub struct Found {
    /// Offsets of backticks that make a paragraph of an excerpt's opening line: hidden from the parser, they do not.
    pub misleading: Vec<usize>,
    /// What is reported.
    pub diagnostics: Vec<Diagnostic>,
}

/// Finds what reads like an excerpt in the text of `source` from `start` on and is none, and blocks that are not closed.
pub fn check(source: &Source, start: usize, body: &mut Body) -> Found {
    let mut search = Search { source, found: Found::default(), broken: Vec::new() };
    let mut heads = heads(source, start).into_iter().peekable();
    for (event, span) in &body.events {
        let block = match event {
            Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock) => span,
            Event::Start(Tag::TableCell) => {
                search.cell(span);
                continue;
            }
            _ => continue,
        };
        while let Some(head) = heads.next_if(|head| head.start < block.start) {
            search.paragraph(&head);
        }
        let mut inside = Vec::new();
        while let Some(head) = heads.next_if(|head| head.start < block.end) {
            inside.push(head);
        }
        search.block(event, block, inside);
    }
    heads.for_each(|head| search.paragraph(&head));
    search.footnotes(body);
    let Search { found, broken, .. } = search;
    for excerpt in &mut body.excerpts {
        if broken.binary_search(&excerpt.block.start).is_ok() {
            excerpt.closing = None;
        }
    }
    body.unclosed = broken;
    found
}

/// The lines that read like the opening line of an excerpt, each from its first backtick or tilde.
fn heads(source: &Source, start: usize) -> Vec<Span> {
    let mut at = start;
    let lines = source.text()[start..].split_inclusive('\n').map(|line| {
        let begin = at;
        at += line.len();
        (begin, line)
    });
    lines
        .filter(|(_, line)| line.contains("file=") && (line.contains("```") || line.contains("~~~")))
        .filter_map(|(begin, line)| {
            let from = begin + line.len() - content(line).len();
            let head = from..begin + line.trim_end().len();
            (from < head.end && is_head(source, &head)).then_some(head)
        })
        .collect()
}

fn is_head(source: &Source, head: &Span) -> bool {
    let line = &source.text()[head.clone()];
    let info = fence::read_info(source, head);
    fence::run(line) >= 3 && !info.language.contains('`') && info.attributes.iter().any(|(key, ..)| key == "file")
}

/// A line without what its containers put before it: quotes, list markers, labels of footnotes, colons of definitions.
fn content(line: &str) -> &str {
    let mut rest = line.trim_start_matches([' ', '\t', '>']);
    while let Some(inner) = marker(rest) {
        rest = inner.trim_start_matches([' ', '\t', '>']);
    }
    rest
}

/// What follows the marker that a text begins with.
fn marker(text: &str) -> Option<&str> {
    let label = || text.strip_prefix("[^")?.split_once("]:").map(|(_, rest)| rest);
    let number = || text.trim_start_matches(|c: char| c.is_ascii_digit());
    let after = match text.chars().next()? {
        '[' => return label(),
        '-' | '*' | '+' | ':' => &text[1..],
        '0'..='9' => number().strip_prefix(['.', ')'])?,
        _ => return None,
    };
    after.starts_with([' ', '\t']).then_some(after)
}

struct Search<'a> {
    source: &'a Source,
    found: Found,
    /// Where the code blocks begin that are not closed or hold what is not theirs.
    broken: Vec<usize>,
}

impl Search<'_> {
    fn place(&self, span: Span) -> Place {
        Place::new(self.source.path(), span)
    }

    fn report(&mut self, code: crate::diag::Code, span: Span, message: &str, help: impl Into<String>) {
        let said = Diagnostic::new(code, self.place(span), message).help(help);
        self.found.diagnostics.push(said);
    }

    /// An opening line in running text. Backticks in its attributes are the usual reason; then it can be read as it was
    /// meant, unless the line is a code span from end to end.
    fn paragraph(&mut self, head: &Span) {
        let line = &self.source.text()[head.clone()];
        let run = fence::run(line);
        let ticks = line[run..].match_indices('`').filter(|_| line.starts_with('`'));
        let ticks: Vec<usize> = ticks.map(|(at, _)| head.start + run + at).collect();
        let is_span = runs(&line[run..]).any(|other| other == run);
        let help = if ticks.is_empty() {
            "put a blank line above it, and indent it like the text around it"
        } else {
            fence::BACKTICKS
        };
        if !is_span {
            self.found.misleading.extend(ticks);
        }
        self.report(codes::E0207, head.clone(), "this is no fence for Markdown, but a paragraph", help);
    }

    /// Excerpts in the text of a footnote that nothing refers to: it is not shown.
    fn footnotes(&mut self, body: &Body) {
        let first = |events: &Events| {
            let next = body.excerpts.partition_point(|excerpt| excerpt.fence.start < events.start);
            body.excerpts.get(next).filter(|excerpt| excerpt.fence.start < events.end)
        };
        let mut with: Vec<_> =
            body.footnotes.iter().filter_map(|(label, events)| Some((label, first(events)?))).collect();
        if !with.is_empty() {
            let named = body.events.iter().filter_map(|(event, _)| match event {
                Event::FootnoteReference(label) => Some(label.as_ref()),
                _ => None,
            });
            let named: BTreeSet<&str> = named.collect();
            with.retain(|(label, _)| !named.contains(label.as_str()));
        }
        for (label, excerpt) in with {
            let help = format!("refer to the footnote by `[^{label}]`, or move the excerpt out of it");
            let message = "this excerpt is in a footnote that nothing refers to, so it is not shown";
            self.report(codes::E0210, excerpt.head.clone(), message, help);
        }
    }

    fn cell(&mut self, cell: &Span) {
        let text = &self.source.text()[cell.clone()];
        let at = cell.start + text.len() - text.trim_start().len();
        let head = at..at + text.trim().len();
        // What a line begins with is found as a line.
        if text.trim().contains("file=") && is_head(self.source, &head) {
            let help = "a cell of a table holds no fence: put the excerpt above or below the table";
            self.report(codes::E0207, head, "this is no fence for Markdown, but text in a table", help);
        }
    }

    fn block(&mut self, event: &Event<'_>, block: &Span, mut inside: Vec<Span>) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => {
                let head = fence::head(self.source, block);
                inside.retain(|inner| inner.start >= head.end);
                self.fence(block, &head, inside.first());
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => {
                if let Some(first) = inside.into_iter().next() {
                    let help = "indent it like the text around it, by less than four spaces";
                    self.report(codes::E0210, first, "this excerpt is indented so far that it is plain code", help);
                }
            }
            _ => self.html(block, &inside),
        }
    }

    /// A fence: closed, or one diagnostic.
    fn fence(&mut self, block: &Span, head: &Span, inner: Option<&Span>) {
        let closing = fence::closing(self.source, block);
        let next = closing.as_ref().and_then(|closing| fence::swallowed(self.source, head, closing));
        let is_whole = closing.is_some() && next.is_none();
        let inner = inner.filter(|inner| !(is_whole && self.is_example(head, inner)));
        let said = match inner {
            Some(inner) => self.inside(head, inner, is_whole),
            None if is_whole => return,
            None => self.unclosed(head, next),
        };
        self.found.diagnostics.push(said);
        self.broken.push(block.start);
    }

    /// What is said of an excerpt in the fence that begins with `head`.
    fn inside(&self, head: &Span, inner: &Span, is_whole: bool) -> Diagnostic {
        let (code, message) = if !is_whole && is_head(self.source, head) {
            (codes::E0209, "this excerpt is inside another one, whose fence is not closed")
        } else {
            (codes::E0210, "this excerpt is inside a code block, so it is shown as plain text")
        };
        let said = Diagnostic::new(code, self.place(inner.clone()), message);
        let opened = self.place(head.clone());
        if is_whole {
            return said.related(opened, "the code block begins here").help(
                "close that code block above it; for an example of how to write one, use a longer fence: ````markdown",
            );
        }
        let is_bare = fence::read_info(self.source, head).language.is_empty();
        let label = if is_bare {
            "this line opens the code block; does it close one?"
        } else {
            "this code block is not closed"
        };
        let marks = fence::closing_words(self.source, head);
        said.related(opened, label).help(format!("close that code block by a line of {marks}"))
    }

    /// What is said of a fence that is not closed, or only by the closing line of the fence `next`.
    fn unclosed(&self, head: &Span, next: Option<Span>) -> Diagnostic {
        let marks = fence::closing_words(self.source, head);
        let (code, what, to, help) = if is_head(self.source, head) {
            (
                codes::E0209,
                "fence",
                "takes in all that follows",
                format!("close it by a line of {marks}, before its notes"),
            )
        } else {
            (codes::W0203, "code block", "goes on to the end", format!("close it by a line of {marks}"))
        };
        let message = match next {
            Some(_) => format!("this {what} is not closed before another one begins"),
            None => format!("this {what} is not closed, and {to}"),
        };
        let said = Diagnostic::new(code, self.place(head.clone()), message).help(help);
        next.into_iter().fold(said, |said, next| said.related(self.place(next), "this one"))
    }

    /// Whether an opening line in a closed code block is there to be read: in Markdown or plain text, or in an excerpt
    /// whose fence has been made longer for it.
    fn is_example(&self, outer: &Span, inner: &Span) -> bool {
        let info = fence::read_info(self.source, outer);
        let is_markdown = |name: &str| matches!(name.to_ascii_lowercase().as_str(), "markdown" | "md" | "mdx");
        let file = info.attributes.iter().find(|(key, ..)| key == "file").map(|(_, _, value, _)| value.as_str());
        let path = file.map(|file| file.split('#').next().unwrap_or_default());
        let text = self.source.text();
        let is_longer = || fence::run(&text[outer.clone()]) > fence::run(&text[inner.clone()]);
        is_markdown(&info.language)
            || matches!(info.language.as_str(), "text" | "txt")
            || path.is_some_and(|path| path.rsplit_once('.').is_some_and(|(_, end)| is_markdown(end)) || is_longer())
    }

    /// A block of HTML: what a comment hides was hidden by the author, anything else is lost.
    fn html(&mut self, block: &Span, inside: &[Span]) {
        let Some(first) = inside.first() else { return };
        let text = &self.source.text()[block.clone()];
        let comments = comments(text);
        let within = |head: &Span| {
            let at = head.start - block.start;
            comments[..comments.partition_point(|comment| comment.start <= at)]
                .last()
                .filter(|comment| at < comment.end)
        };
        let hidden = |head: &Span| within(head).is_some_and(|comment| text[..comment.end].ends_with("-->"));
        if let Some(lost) = inside.iter().find(|head| !hidden(head)) {
            let (message, at, help) = match within(lost) {
                Some(comment) => (
                    "this excerpt is inside a comment that is not closed",
                    comment.start,
                    "close the comment by `-->` above it",
                ),
                None => (
                    "this excerpt is inside HTML, so it is shown as plain text",
                    0,
                    "put a blank line between the HTML and the fence",
                ),
            };
            let opened =
                block.start + at..block.start + at + text[at..].lines().next().map_or(0, |it| it.trim_end().len());
            let said = Diagnostic::new(codes::E0210, self.place(lost.clone()), message);
            self.found.diagnostics.push(said.related(self.place(opened), "it begins here").help(help));
        } else {
            let help = "remove it, or end the comment above it: nothing holds it to its file";
            self.report(codes::W0204, first.clone(), "this excerpt is commented out", help);
        }
    }
}

/// The comments in some HTML; one that is not closed goes on to the end.
fn comments(html: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = html[at..].find("<!--").map(|offset| at + offset) {
        at = html[start + 4..].find("-->").map_or(html.len(), |end| start + 4 + end + 3);
        found.push(start..at);
    }
    found
}

/// The lengths of the runs of backticks in a text.
fn runs(text: &str) -> impl Iterator<Item = usize> {
    text.split(|c| c != '`').map(str::len).filter(|&len| len > 0)
}
