//! Finds the files that code fences copy.

use std::collections::BTreeSet;
use std::sync::Arc;

use infralens_page::{Document, fence};
use infralens_render::{Subject, moved};
use infralens_source::project::Project;
use infralens_source::source::{Source, Span};
use infralens_source::url;
use infralens_starter::copied::{Copied, CopiedCode, Origin, Resembling};
use infralens_starter::excerpt::dedent;
use infralens_starter::moved::CodeIndex;
use pulldown_cmark::{CodeBlockKind, Event, Tag, TagEnd};
use similar::TextDiff;

use super::{Kind, Left, Proposal, touch};

/// Words after a fence whose body is not code of a file.
const NOT_CODE: [&str; 4] = ["calc", "math", "mermaid", "pikchr"];
/// The maximum number of places that a message names.
const MAX_NAMED: usize = 3;

/// The share of equal lines, in percent, from which on a fence shows which file its section is about.
const NEARLY: usize = 90;

/// A fence, the number of its lines of code, and what is found of it.
type Found<'f, 'i> = (&'f Fence, usize, Copied<'i>);

/// A code fence without `file=`.
struct Fence {
    head: Span,
    /// All of it.
    block: Span,
    body: String,
}

/// Proposes `file=` for the fences of a page that touch a span and are copies; adds to `left` those for which it cannot be
/// said which file is meant, and those that resemble code of a file.
pub(super) fn propose(
    subject: Subject<'_>,
    within: &Span,
    project: &Project,
    code: &CodeIndex,
    out: &mut Vec<Proposal>,
    left: &mut Vec<Left>,
) {
    let page = &subject.document.source;
    let fences = fences(subject.document);
    if !fences.iter().any(|fence| touch(&fence.block, within)) {
        return;
    }
    let found = fences.iter().filter_map(|fence| {
        let copy = CopiedCode::new(&fence.body)?;
        Some((fence, copy.line_count(), code.origin(|| moved::files(project, subject), &copy)))
    });
    let found: Vec<Found<'_, '_>> = found.collect();
    for (fence, lines, copied) in &found {
        let mut leave = |why: String, difference: String| {
            let line = page.position(fence.head.start).line;
            left.push(Left { path: Arc::clone(page.path()), line, why, difference });
        };
        let origin = match copied {
            _ if !touch(&fence.block, within) => continue,
            Copied::From(origin) => origin,
            Copied::Ambiguous(origins) => {
                let Some(origin) = meant(subject, fence, origins, &found) else {
                    leave(ambiguous(subject, origins), String::new());
                    continue;
                };
                origin
            }
            Copied::Resembling(near) => {
                leave(resembles(near), difference(&fence.body, near));
                continue;
            }
            Copied::Nowhere => continue,
        };
        if let Some(cell) = nameless_cell(origin) {
            leave(
                format!("it copies cell {cell} of `{}`, which has no id or tag to be named by", path(origin)),
                String::new(),
            );
            continue;
        }
        let (written, kind) = (reference(subject, origin), Kind::Fence(origin.fidelity, *lines));
        match insertion(page, &fence.head, &written) {
            Some(edit) => out.push(Proposal { page: Arc::clone(page), at: fence.head.start, edit, written, kind }),
            None => leave(format!("it copies `{written}`, which cannot be written there"), String::new()),
        }
    }
}

/// Returns which of several origins a page means: the only one in its own folder, or else the only one in the file that the
/// other copies of the section are from.
fn meant<'o>(
    subject: Subject<'_>,
    fence: &Fence,
    origins: &'o [Origin<'_>],
    found: &[Found<'_, '_>],
) -> Option<&'o Origin<'o>> {
    let folder = url::folder(subject.main_file.unwrap_or(subject.document.source.path()));
    let is_own = |origin: &&Origin<'_>| origins.len() > 1 && url::folder(path(origin)) == folder;
    only(origins.iter().filter(is_own)).or_else(|| {
        let mut of_sections = sections(subject.document, fence.head.start).map(|section| {
            let near = found.iter().filter(|(fence, ..)| section.contains(&fence.head.start)).filter_map(file_of);
            near.filter(|path| origins.iter().any(|origin| self::path(origin) == *path)).collect::<BTreeSet<&str>>()
        });
        let file = only(of_sections.find(|files| !files.is_empty())?.into_iter())?;
        only(origins.iter().filter(|origin| path(origin) == file))
    })
}

/// Returns the sections that contain an offset, the innermost first, and the whole page at last.
fn sections(document: &Document, at: usize) -> impl Iterator<Item = Span> {
    let headings = &document.body.headings;
    let mut level = u8::MAX;
    let above = headings.iter().enumerate().rev().filter(move |(_, heading)| heading.span.start < at);
    let around = above.filter(move |(_, heading)| {
        let is_outer = heading.level < level;
        level = level.min(heading.level);
        is_outer
    });
    let spans = around.map(|(index, heading)| {
        let next = headings[index + 1..].iter().find(|next| next.level <= heading.level);
        heading.span.start..next.map_or(usize::MAX, |next| next.span.start)
    });
    spans.chain(std::iter::once(0..usize::MAX))
}

/// Returns the file that a fence certainly copies, or nearly.
fn file_of<'i>((_, _, copied): &Found<'_, 'i>) -> Option<&'i str> {
    match copied {
        Copied::From(origin) => Some(path(origin)),
        Copied::Resembling(near) if near.percent >= NEARLY => Some(near.listing.source().path()),
        _ => None,
    }
}

/// Returns the number of the cell that a copy is from, if it cannot be selected because it has no name.
fn nameless_cell<'i>(origin: &Origin<'i>) -> Option<&'i str> {
    let cell = origin.listing.cell_of(origin.lines.start).filter(|cell| cell.selector().is_none())?;
    origin.fragment().starts_with("#cell:").then_some(cell.name.as_str())
}

fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    items.next().filter(|_| items.next().is_none())
}

fn path<'i>(origin: &Origin<'i>) -> &'i str {
    origin.listing.source().path()
}

fn ambiguous(subject: Subject<'_>, origins: &[Origin<'_>]) -> String {
    let named = origins.iter().take(MAX_NAMED).map(|origin| format!("`{}`", reference(subject, origin)));
    let named = named.collect::<Vec<_>>().join(" or ");
    match origins.len() {
        1 => format!("its lines are in several files, next to each other in one: write {named} if that is meant"),
        count => {
            let more = if count > MAX_NAMED { ", among others" } else { "" };
            format!("it is a copy of several pieces of code: write {named}{more}")
        }
    }
}

fn reference(subject: Subject<'_>, origin: &Origin<'_>) -> String {
    format!("file={}", moved::reference(subject, path(origin), &origin.fragment()))
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
                    found.push(Fence { head: fence::head(&document.source, &span), block: span, body: String::new() });
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
