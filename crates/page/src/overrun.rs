//! Finds comments and code blocks that end later than their author meant and swallow other parts of the page; those without
//! an end are found in [`swallowed`](super::swallowed). Markdown and
//! HTML have no error for this: the swallowed text is simply missing, or shown as code.

use std::collections::BTreeSet;

use pulldown_cmark::{CodeBlockKind, Event, Tag};

use super::{Document, Excerpt, fence};
use infralens_source::diag::{Diagnostic, codes};
use infralens_source::html::{self, Piece};
use infralens_source::source::{Span, lines_from};

/// Languages in which a line that begins with `##` is neither code nor a comment, separated by spaces.
const WITHOUT_HASHES: &str = "c c++ cc cpp cs csharp css cu cuda dart glsl go h hlsl hpp html java javascript js json jsx \
                              kotlin lua mermaid metal rs rust scala sql swift ts tsx typescript";
/// Languages that have Markdown headings.
const MARKDOWN: [&str; 4] = ["markdown", "md", "mdx", "text"];

struct Line<'a> {
    /// Its text without indentation and quote marks.
    text: &'a str,
    span: Span,
    below_blank: bool,
}

/// Reports comments and code blocks of a document that swallow other parts. `titles` are the titles of the
/// sections that the page must have.
pub fn check(document: &Document, titles: &[&str]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (event, span) in document.body.events.iter() {
        match event {
            Event::Start(Tag::HtmlBlock) => found.extend(comments(document, &span)),
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => found.extend(code(document, &span, titles)),
            _ => {}
        }
    }
    found
}

fn comments(document: &Document, block: &Span) -> Vec<Diagnostic> {
    let comments = html::pieces(&document.source.text()[block.clone()]).filter_map(|(range, piece)| {
        let Piece::Comment { closed: true } = piece else { return None };
        comment(document, block.start + range.start..block.start + range.end)
    });
    comments.collect()
}

fn comment(document: &Document, span: Span) -> Option<Diagnostic> {
    let source = &document.source;
    let first_line = fence::head(source, &span);
    let report = |code, message: &str| source.diagnostic(code, first_line.clone(), message);
    if let Some(next) = lines(document, first_line.end..span.end).find(|line| line.text.starts_with("<!--")) {
        let diagnostic = report(codes::E0213, "this comment is not closed before another one begins");
        return Some(diagnostic.related(source.place(next.span), "this one").help("end it with `-->`"));
    }
    // A comment that is meant to hide headings ends at the end of a line, unlike an arrow in a diagram.
    let after = source.text()[span.end..].lines().next().unwrap_or_default();
    let heading = lines(document, span.clone()).find(|line| line.below_blank && is_heading(line.text))?;
    let label = "this heading is hidden";
    (!after.trim().is_empty()).then(|| {
        report(codes::W0207, "this comment contains a heading and ends in the middle of a line")
            .related(source.place(heading.span), label)
            .help("end it with `-->` where it is meant to end; to hide the heading, put the `-->` at the end of a line")
    })
}

/// Checks a code block that is not an excerpt.
fn code(document: &Document, block: &Span, titles: &[&str]) -> Option<Diagnostic> {
    let source = &document.source;
    // Unclosed blocks are already reported.
    if document.body.unclosed.binary_search(&block.start).is_ok() {
        return None;
    }
    let head = fence::head(source, block);
    if document.body.excerpts.binary_search_by_key(&head.start, |excerpt| excerpt.head.start).is_ok() {
        return None;
    }
    let closing = fence::closing(source, block)?;
    let language = fence::read_info(source, &head).language;
    let marks = fence::marks(source, &head);
    let is_opening = |text: &str| text.starts_with(marks) && fence::run(text) < text.len() && !text.contains("file=");
    let is_lost = |line: &Line<'_>| is_opening(line.text) || is_heading_lost(line.text, &language, titles);
    let lost = lines(document, head.end..closing.start).filter(|line| line.below_blank).find(is_lost)?;
    let what = if lost.text.starts_with('#') { "a heading" } else { "the beginning of another one" };
    let words = fence::closing_words(source, &head);
    let help =
        format!("close it above that line with {words}; a block that shows fences needs more of them than they have");
    let diagnostic = source.diagnostic(codes::W0207, head, format!("this code block contains {what}"));
    Some(diagnostic.related(source.place(lost.span), "this is code here").help(help))
}

/// Reports what the fence of an excerpt without notes has swallowed: the first line of its body that looks like a note or
/// a heading and is not a line of `file`. The body is not a pin then.
pub fn pin(document: &Document, excerpt: &Excerpt, titles: &[&str], file: &str) -> Option<Diagnostic> {
    let closing = excerpt.closing.as_ref().filter(|_| excerpt.list.is_none())?;
    let is_lost = |line: &Line<'_>| {
        let is_prose = MARKDOWN.contains(&excerpt.language.to_lowercase().as_str());
        line.below_blank && (!is_prose && is_note(line.text) || is_heading_lost(line.text, &excerpt.language, titles))
    };
    let mut lost = lines(document, excerpt.head.end..closing.start).filter(is_lost).peekable();
    lost.peek()?;
    let known: BTreeSet<&str> = file.lines().map(str::trim).collect();
    let lost = lost.find(|line| !known.contains(line.text))?;
    let what = if lost.text.starts_with('#') { "a heading" } else { "its notes" };
    let source = &document.source;
    let words = fence::closing_words(source, &excerpt.head);
    let diagnostic = source.diagnostic(codes::E0209, excerpt.head.clone(), format!("this fence contains {what}"));
    let help = format!("close it with a line of {words} above that");
    Some(diagnostic.related(source.place(lost.span), "this is code here").help(help))
}

/// Returns whether a line of a code block was meant as a heading.
fn is_heading_lost(text: &str, language: &str, titles: &[&str]) -> bool {
    let language = language.to_lowercase();
    let title = text.strip_prefix("## ").and_then(|text| text.split([':', '：']).next()).unwrap_or_default().trim();
    let is_title = titles.iter().any(|known| known.trim().to_lowercase() == title.to_lowercase());
    is_title && !MARKDOWN.contains(&language.as_str())
        || is_heading(text) && WITHOUT_HASHES.split_whitespace().any(|known| known == language)
}

/// Returns whether a line looks like an item of a numbered list that begins with code or a link.
fn is_note(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < text.len() && [". `", ") `", ". [", ") ["].iter().any(|after| rest.starts_with(after))
}

fn lines(document: &Document, span: Span) -> impl Iterator<Item = Line<'_>> {
    let mut below_blank = false;
    lines_from(&document.source.text()[span.clone()], span.start).map(move |(at, line)| {
        let (start, text) = fence::content(line);
        let span = at + start..at + start + text.len();
        Line { text, span, below_blank: std::mem::replace(&mut below_blank, text.is_empty()) }
    })
}

/// Returns whether a line is a heading of level 2 to 6.
fn is_heading(text: &str) -> bool {
    let level = text.bytes().take_while(|&byte| byte == b'#').count();
    (2..=6).contains(&level) && text[level..].starts_with(' ') && text[level..].contains(char::is_alphabetic)
}
