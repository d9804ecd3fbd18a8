//! Comments and code blocks that end later than their author meant, and take in other parts of the page. Markdown and HTML
//! have no error for this: what follows is simply not there, or is code.

use pulldown_cmark::{CodeBlockKind, Event, Tag};

use super::html::{self, Piece};
use super::{Document, fence};
use crate::diag::{Diagnostic, Place, codes};
use crate::source::Span;

/// Languages in which a line that begins with `##` is neither code nor a comment.
const WITHOUT_HASHES: [&str; 33] = [
    "c",
    "c++",
    "cc",
    "cpp",
    "cs",
    "csharp",
    "css",
    "cu",
    "cuda",
    "dart",
    "glsl",
    "go",
    "h",
    "hlsl",
    "hpp",
    "html",
    "java",
    "javascript",
    "js",
    "json",
    "jsx",
    "kotlin",
    "lua",
    "mermaid",
    "metal",
    "rs",
    "rust",
    "scala",
    "sql",
    "swift",
    "ts",
    "tsx",
    "typescript",
];
/// Languages in which headings are at home.
const MARKDOWN: [&str; 4] = ["markdown", "md", "mdx", "text"];

/// A line of a page.
struct Line<'a> {
    /// Its text without what its containers put before it.
    text: &'a str,
    /// Where that is.
    span: Span,
    /// Whether the line above is blank.
    below_blank: bool,
}

/// What is wrong with the ends of a document's comments and code blocks. `titles` are those that its sections must have.
#[must_use]
pub fn check(document: &Document, titles: &[&str]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (event, span) in &document.body.events {
        match event {
            Event::Start(Tag::HtmlBlock) => found.extend(comments(document, span)),
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => found.extend(code(document, span, titles)),
            _ => {}
        }
    }
    found
}

/// The comments of an HTML block.
fn comments(document: &Document, block: &Span) -> Vec<Diagnostic> {
    let comments = html::pieces(&document.source.text()[block.clone()]).filter_map(|(range, piece)| {
        let Piece::Comment { closed } = piece else { return None };
        comment(document, block.start + range.start..block.start + range.end, closed)
    });
    comments.collect()
}

fn comment(document: &Document, span: Span, closed: bool) -> Option<Diagnostic> {
    let place = |span: Span| Place::new(document.source.path(), span);
    let first_line = fence::head(&document.source, &span);
    let said = |code, message: &str| Diagnostic::new(code, place(first_line.clone()), message);
    if !closed {
        let said = said(codes::E0213, "this comment is not closed, and takes in all that follows");
        return Some(said.help("end it with `-->`; outside a comment, write `&lt;!--`"));
    }
    if let Some(next) = lines(document, first_line.end..span.end).find(|line| line.text.starts_with("<!--")) {
        let said = said(codes::E0213, "this comment is not closed before another one begins");
        return Some(said.related(place(next.span), "this one").help("end it with `-->`"));
    }
    // One that is meant to hide headings ends at the end of a line; an arrow in a diagram does not.
    let after = document.source.text()[span.end..].lines().next().unwrap_or_default();
    let heading = lines(document, span.clone()).find(|line| line.below_blank && is_heading(line.text))?;
    let label = "this heading is hidden";
    (!after.trim().is_empty()).then(|| {
        said(codes::W0207, "this comment takes in a heading, and ends within a line")
            .related(place(heading.span), label)
            .help("end it with `-->` where it is meant to end; to hide the heading, put the `-->` at a line's end")
    })
}

fn code(document: &Document, block: &Span, titles: &[&str]) -> Option<Diagnostic> {
    let source = &document.source;
    let head = fence::head(source, block);
    let closing = fence::closing(source, block)?;
    let language = fence::read_info(source, &head).language.to_lowercase();
    let is_excerpt = document.body.excerpts.binary_search_by_key(&head.start, |excerpt| excerpt.head.start).is_ok();
    let marks = fence::marks(source, &head);
    let is_opening = |text: &str| text.starts_with(marks) && fence::run(text) < text.len() && !text.contains("file=");
    let is_title = |text: &str| {
        let title = text.strip_prefix("## ").and_then(|text| text.split(':').next());
        title.is_some_and(|title| titles.iter().any(|known| known.trim().eq_ignore_ascii_case(title.trim())))
    };
    let is_lost = |line: &Line<'_>| {
        line.below_blank
            && (!is_excerpt && is_opening(line.text)
                || !MARKDOWN.contains(&language.as_str()) && is_title(line.text)
                || WITHOUT_HASHES.contains(&language.as_str()) && is_heading(line.text))
    };
    let lost = lines(document, head.end..closing.start).find(is_lost)?;
    let what = if lost.text.starts_with('#') { "a heading" } else { "the beginning of another one" };
    let words = fence::closing_words(source, &head);
    let place = |span: Span| Place::new(source.path(), span);
    Some(
        Diagnostic::new(codes::W0207, place(head), format!("this code block takes in {what}"))
            .related(place(lost.span), "this is code here")
            .help(format!(
                "close it above that line by {words}; one that shows fences needs more of them than they have"
            )),
    )
}

/// The lines of a part of a page.
fn lines(document: &Document, span: Span) -> impl Iterator<Item = Line<'_>> {
    let (mut at, mut below_blank) = (span.start, false);
    document.source.text()[span].split_inclusive('\n').map(move |line| {
        let (start, text) = fence::inside(line);
        let span = at + start..at + start + text.len();
        at += line.len();
        Line { text, span, below_blank: std::mem::replace(&mut below_blank, text.is_empty()) }
    })
}

/// Whether a line is a heading below a page's title.
fn is_heading(text: &str) -> bool {
    let level = text.bytes().take_while(|&byte| byte == b'#').count();
    (2..=6).contains(&level) && text[level..].starts_with(' ') && text[level..].contains(char::is_alphabetic)
}
