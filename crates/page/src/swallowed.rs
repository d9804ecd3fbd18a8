//! Finds excerpts that Markdown does not see. Every line that looks like the opening line of an excerpt either is one, or
//! is reported together with the code block, HTML or paragraph that has swallowed it. Unclosed code blocks are found here,
//! too, so that each has one diagnostic however much it swallows.

use pulldown_cmark::{CodeBlockKind, Event, Tag};

use super::fence::{self, write::line_end};
use super::{Body, Events};
use infralens_source::diag::{Code, Diagnostic, Edit, Fix, codes};
use infralens_source::html::{self, Piece};
use infralens_source::source::{Source, Span, lines_from};

/// Finds swallowed excerpts and unclosed code blocks in the text of `source` from `start` on. Sets [`Body::unclosed`]. Also
/// returns the offsets of backticks because of which the parser reads the opening line of an excerpt as a paragraph.
pub fn check(source: &Source, start: usize, body: &mut Body) -> (Vec<Diagnostic>, Vec<usize>) {
    let mut search = Search { source, diagnostics: Vec::new(), misleading: Vec::new(), broken: Vec::new() };
    let mut heads = heads(source, start).into_iter().peekable();
    for (event, span) in body.events.iter() {
        let block = match event {
            Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock) => span,
            Event::Start(Tag::TableCell) => {
                search.cell(&span);
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
        search.block(&event, &block, inside);
    }
    heads.for_each(|head| search.paragraph(&head));
    search.footnotes(body);
    for excerpt in &mut body.excerpts {
        if search.broken.binary_search(&excerpt.block.start).is_ok() {
            excerpt.closing = None;
        }
    }
    body.unclosed = search.broken;
    (search.diagnostics, search.misleading)
}

/// Returns the lines that look like the opening line of an excerpt, each from its first backtick or tilde.
fn heads(source: &Source, start: usize) -> Vec<Span> {
    lines_from(&source.text()[start..], start)
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
    fence::run(line) >= 3 && !info.language.contains('`') && info.attribute("file").is_some()
}

/// Returns a line without the markers of its containers: quotes, list items, footnote labels and definitions.
fn content(line: &str) -> &str {
    let mut rest = line.trim_start_matches([' ', '\t', '>']);
    while let Some(inner) = marker(rest) {
        rest = inner.trim_start_matches([' ', '\t', '>']);
        rest = ["[ ] ", "[x] ", "[X] "].iter().find_map(|task| rest.strip_prefix(task)).unwrap_or(rest).trim_start();
    }
    rest
}

/// Returns the rest of a text after the container marker that it begins with, if it does.
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
    diagnostics: Vec<Diagnostic>,
    misleading: Vec<usize>,
    /// The offsets at which code blocks begin that are unclosed or have swallowed an excerpt.
    broken: Vec<usize>,
}

impl Search<'_> {
    fn report(&mut self, code: Code, span: Span, message: &str, help: impl Into<String>) {
        self.diagnostics.push(self.source.diagnostic(code, span, message).help(help));
    }

    /// Reports an opening line in running text. The usual cause are backticks in its attributes. Masking them lets the parser
    /// see the fence, but if the line is a code span from end to end, a fence was not meant.
    fn paragraph(&mut self, head: &Span) {
        let line = &self.source.text()[head.clone()];
        let run = fence::run(line);
        let ticks = line[run..].match_indices('`').filter(|_| line.starts_with('`'));
        let ticks: Vec<usize> = ticks.map(|(at, _)| head.start + run + at).collect();
        let is_span = line[run..].split(|c| c != '`').any(|other| other.len() == run);
        let help = if ticks.is_empty() {
            "put a blank line above it, and indent it like the text around it"
        } else {
            fence::BACKTICKS
        };
        if !is_span {
            self.misleading.extend(ticks);
        }
        self.report(codes::E0207, head.clone(), "Markdown reads this as a paragraph, not as a fence", help);
    }

    /// Reports excerpts in footnotes that nothing refers to, which the page does not show.
    fn footnotes(&mut self, body: &Body) {
        let first = |events: &Events| {
            let next = body.excerpts.partition_point(|excerpt| excerpt.fence.start < events.start);
            body.excerpts.get(next).filter(|excerpt| excerpt.fence.start < events.end)
        };
        let with_excerpt: Vec<_> =
            body.footnotes.iter().filter_map(|(label, events)| Some((label, first(events)?))).collect();
        if with_excerpt.is_empty() {
            return;
        }
        let used = body.used_footnotes();
        for (label, excerpt) in with_excerpt.into_iter().filter(|(label, _)| !used.contains(label.as_str())) {
            let help = format!("refer to the footnote by `[^{label}]`, or move the excerpt out of it");
            let message = "this excerpt is not shown, because nothing refers to the footnote that it is in";
            self.report(codes::E0210, excerpt.head.clone(), message, help);
        }
    }

    /// Reports an opening line in the cell of a table.
    fn cell(&mut self, cell: &Span) {
        let text = &self.source.text()[cell.clone()];
        let at = cell.start + text.len() - text.trim_start().len();
        let head = at..at + text.trim().len();
        if text.trim().contains("file=") && is_head(self.source, &head) {
            let help = "a table cannot contain a fence: put the excerpt above or below the table";
            self.report(codes::E0207, head, "Markdown reads this as text in a table, not as a fence", help);
        }
    }

    /// Checks a block of code or HTML that contains the opening lines `inside`.
    fn block(&mut self, event: &Event<'_>, block: &Span, mut inside: Vec<Span>) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => {
                let head = fence::head(self.source, block);
                inside.retain(|inner| inner.start >= head.end);
                self.fence(block, &head, inside.first());
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => {
                if let Some(first) = inside.into_iter().next() {
                    let help = "indent it like the text around it, by fewer than four spaces";
                    self.report(codes::E0210, first, "this excerpt is indented too far, so it is plain code", help);
                }
            }
            _ => self.html(block, &inside),
        }
    }

    /// Reports a fence that is unclosed or contains an excerpt.
    fn fence(&mut self, block: &Span, head: &Span, inner: Option<&Span>) {
        let closing = fence::closing(self.source, block);
        let next = closing.as_ref().and_then(|closing| fence::swallowed(self.source, head, closing));
        let is_whole = closing.is_some() && next.is_none();
        let inner = inner.filter(|inner| !(is_whole && self.is_example(head, inner)));
        let diagnostic = match inner {
            Some(inner) => self.inside(head, inner, is_whole),
            None if is_whole => return,
            None => self.unclosed(head, next),
        };
        self.diagnostics.push(diagnostic);
        self.broken.push(block.start);
    }

    /// Returns the diagnostic for an excerpt inside the fence that begins with `head`.
    fn inside(&self, head: &Span, inner: &Span, is_whole: bool) -> Diagnostic {
        let (code, message) = if !is_whole && is_head(self.source, head) {
            (codes::E0209, "this excerpt is inside another one whose fence is not closed")
        } else {
            (codes::E0210, "this excerpt is inside a code block, so it is shown as plain text")
        };
        let diagnostic = self.source.diagnostic(code, inner.clone(), message);
        let opened = self.source.place(head.clone());
        if is_whole {
            return diagnostic.related(opened, "the code block begins here").help(
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
        diagnostic.related(opened, label).help(format!("close that code block with a line of {marks}"))
    }

    /// Returns the diagnostic for a fence that is not closed, or only by the closing line of the fence that begins at `next`.
    fn unclosed(&self, head: &Span, next: Option<Span>) -> Diagnostic {
        let marks = fence::closing_words(self.source, head);
        let (code, what, end, before) = if is_head(self.source, head) {
            (codes::E0209, "fence", "swallows everything below it", ", before its notes")
        } else {
            (codes::W0203, "code block", "goes on to the end", "")
        };
        let message = match next {
            Some(_) => format!("this {what} is not closed before another one begins"),
            None => format!("this {what} is not closed and {end}"),
        };
        let diagnostic = self
            .source
            .diagnostic(code, head.clone(), message)
            .help(format!("close it with a line of {marks}{before}"));
        match next {
            Some(next) => diagnostic.related(self.source.place(next), "this one"),
            None => diagnostic,
        }
    }

    /// Returns whether an opening line inside a closed code block is only an example: in Markdown or plain text, or in an
    /// excerpt whose fence has been made longer for it.
    fn is_example(&self, outer: &Span, inner: &Span) -> bool {
        let info = fence::read_info(self.source, outer);
        let is_markdown = |name: &str| matches!(name.to_ascii_lowercase().as_str(), "markdown" | "md" | "mdx");
        let path = info.attribute("file").map(|file| file.value.split('#').next().unwrap_or_default());
        let text = self.source.text();
        let is_longer = || fence::run(&text[outer.clone()]) > fence::run(&text[inner.clone()]);
        is_markdown(&info.language)
            || matches!(info.language.as_str(), "text" | "txt")
            || path.is_some_and(|path| path.rsplit_once('.').is_some_and(|(_, end)| is_markdown(end)) || is_longer())
    }

    /// Reports a comment that is not closed, and the first excerpt inside a block of HTML. Comments hide excerpts on purpose,
    /// so these are only a warning.
    fn html(&mut self, block: &Span, inside: &[Span]) {
        let text = &self.source.text()[block.clone()];
        let pieces = html::pieces(text).filter(|(_, piece)| matches!(piece, Piece::Comment { .. }));
        let comments: Vec<(Span, Piece<'_>)> = pieces.collect();
        let within = |head: &Span| {
            let at = head.start - block.start;
            comments[..comments.partition_point(|(comment, _)| comment.start <= at)]
                .last()
                .filter(|(comment, _)| at < comment.end)
        };
        let hidden = |head: &Span| matches!(within(head), Some((_, Piece::Comment { closed: true })));
        if let Some(lost) = inside.iter().find(|head| !hidden(head)) {
            let (message, at, help) = match within(lost) {
                Some((comment, _)) => (
                    "this excerpt is inside a comment that is not closed",
                    comment.start,
                    "close the comment with `-->` above it",
                ),
                None => (
                    "this excerpt is inside HTML, so it is shown as plain text",
                    0,
                    "put a blank line between the HTML and the fence",
                ),
            };
            let opened = self.source.first_line(&(block.start + at..block.end));
            let diagnostic = self.source.diagnostic(codes::E0210, lost.clone(), message);
            self.diagnostics.push(diagnostic.related(self.source.place(opened), "it begins here").help(help));
        } else if let Some((comment, Piece::Comment { closed: false })) = comments.last() {
            let first_line = self.source.first_line(&(block.start + comment.start..block.end));
            let message = "this comment is not closed and swallows everything below it";
            // It is most often one that is being written, and ends with its paragraph.
            let text = &self.source.text()[first_line.start..];
            let lines = text.split_inclusive('\n').take_while(|line| !line.trim().is_empty());
            let end = first_line.start + text[..lines.map(str::len).sum()].trim_end().len();
            let line_end = line_end(text, 0);
            let edit = Edit::new(self.source, end..end, format!("{line_end}-->"));
            let error = self.source.diagnostic(codes::E0213, first_line, message);
            let error = error.help("end it with `-->`; outside a comment, write `&lt;!--`");
            self.diagnostics.push(error.fix(Fix::new("end it below this paragraph", vec![edit])));
        } else if let Some(first) = inside.first() {
            let help = "remove it, or end the comment above it: it is not compared with its file";
            self.report(codes::W0204, first.clone(), "this excerpt is commented out", help);
        }
    }
}
