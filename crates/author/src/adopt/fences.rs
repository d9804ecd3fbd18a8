//! Finds the files that code fences copy.

use std::sync::Arc;

use infralens_page::{Document, fence};
use infralens_render::{Subject, moved};
use infralens_source::project::Project;
use infralens_source::source::{Source, Span};
use infralens_starter::copied::{Copied, CopiedCode, Origin, Resembling};
use infralens_starter::excerpt::dedent;
use infralens_starter::moved::CodeIndex;
use pulldown_cmark::{CodeBlockKind, Event, Tag, TagEnd};
use similar::TextDiff;

use super::{Kind, Left, Proposal};

/// Words after a fence whose body is not code of a file.
const NOT_CODE: [&str; 4] = ["calc", "math", "mermaid", "pikchr"];
/// The maximum number of places that a message names.
const MAX_NAMED: usize = 3;

/// A code fence without `file=`.
struct Fence {
    head: Span,
    body: String,
}

/// Proposes `file=` for the fences of a page that are copies; adds to `left` those for which it cannot be said which file is
/// meant, and those that resemble code of a file.
pub(super) fn propose(
    subject: Subject<'_>,
    project: &Project,
    code: &CodeIndex,
    out: &mut Vec<Proposal>,
    left: &mut Vec<Left>,
) {
    let page = &subject.document.source;
    for fence in fences(subject.document) {
        let Some(copy) = CopiedCode::new(&fence.body) else { continue };
        let left_out = |why: String, difference: String| {
            let line = page.position(fence.head.start).line;
            Left { path: Arc::clone(page.path()), line, why, difference }
        };
        match code.origin(|| moved::files(project, subject), &copy) {
            Copied::From(origin) => {
                let (written, kind) = (reference(subject, &origin), Kind::Fence(origin.fidelity, copy.line_count()));
                match insertion(page, &fence.head, &written) {
                    Some(edit) => {
                        out.push(Proposal { page: Arc::clone(page), at: fence.head.start, edit, written, kind });
                    }
                    None => left
                        .push(left_out(format!("it copies `{written}`, which cannot be written there"), String::new())),
                }
            }
            Copied::Ambiguous(origins) => {
                let named = origins.iter().take(MAX_NAMED).map(|origin| format!("`{}`", reference(subject, origin)));
                let named = named.collect::<Vec<_>>().join(" or ");
                let more = if origins.len() > MAX_NAMED { ", among others" } else { "" };
                left.push(left_out(
                    format!("it is a copy of several pieces of code: write {named}{more}"),
                    String::new(),
                ));
            }
            Copied::Resembling(near) => left.push(left_out(resembles(&near), difference(&fence.body, &near))),
            Copied::Nowhere => {}
        }
    }
}

fn reference(subject: Subject<'_>, origin: &Origin<'_>) -> String {
    format!("file={}", moved::reference(subject, origin.listing.source().path(), &origin.fragment()))
}

/// Returns the fences of a page that do not say which file they show.
fn fences(document: &Document) -> Vec<Fence> {
    let mut found: Vec<Fence> = Vec::new();
    let mut is_open = false;
    for (event, span) in document.body.events.iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                let word = info.split_whitespace().next().unwrap_or_default();
                let is_excerpt = document.body.excerpts.iter().any(|excerpt| excerpt.block.start == span.start);
                is_open = !is_excerpt && !NOT_CODE.contains(&word) && !info.contains("file=");
                if is_open {
                    found.push(Fence { head: fence::head(&document.source, &span), body: String::new() });
                }
            }
            Event::Text(text) if is_open => {
                if let Some(fence) = found.last_mut() {
                    fence.body.push_str(&text);
                }
            }
            Event::End(TagEnd::CodeBlock) => is_open = false,
            _ => {}
        }
    }
    found
}

/// Returns the edit that adds an attribute to the opening line of a fence: after the language, or inside its braces.
fn insertion(page: &Source, head: &Span, attribute: &str) -> Option<(Span, String)> {
    let line = page.text()[head.clone()].trim_end();
    let marks = line.len() - line.trim_start_matches(['`', '~']).len();
    if line.starts_with('`') && attribute.contains('`') {
        return None;
    }
    let info = line[marks..].trim_start();
    let start = line.len() - info.len();
    let at = |at: usize| head.start + at..head.start + at;
    if info.starts_with('{') && info.ends_with('}') {
        let end = line.len() - 1;
        let is_spaced = line[..end].ends_with(' ');
        let text = if is_spaced { format!("{attribute} ") } else { format!(" {attribute}") };
        return Some((at(end), text));
    }
    let word = info.split_whitespace().next().filter(|word| !word.contains('=')).map_or(0, str::len);
    Some((at(if word > 0 { start + word } else { marks }), format!(" {attribute}")))
}

fn resembles(near: &Resembling<'_>) -> String {
    let lines = near.listing.selector_of_lines(&near.lines);
    format!("{} % of `{}` {lines}", near.percent, near.listing.source().path())
}

/// Returns how a copy differs from similar code.
fn difference(copy: &str, near: &Resembling<'_>) -> String {
    let visible = near.lines.clone().filter(|&line| !near.listing.is_marker(line));
    let code: Vec<&str> = visible.map(|line| near.listing.line(line)).collect();
    let text = |lines: Vec<&str>| -> String {
        let lines = lines.iter().map(|line| line.trim_end()).filter(|line| !line.is_empty());
        lines.flat_map(|line| [line, "\n"]).collect()
    };
    let (copy, code) = (text(dedent(&copy.lines().collect::<Vec<_>>())), text(dedent(&code)));
    TextDiff::from_lines(&copy, &code).unified_diff().context_radius(1).to_string()
}
