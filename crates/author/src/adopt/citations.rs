//! Finds citations of lines, such as `src/queue.rs:12` and `src/queue.rs#L12-L20`, in prose and code spans.

use std::collections::BTreeSet;
use std::sync::Arc;

use infralens_course::course::{link::line_anchor, starter};
use infralens_page::{Kind as PageKind, text};
use infralens_render::{Subject, moved};
use infralens_source::project::Project;
use infralens_source::source::{Source, Span};
use infralens_source::url;
use infralens_starter::listing::Lines;
use pulldown_cmark::{Event, Tag, TagEnd};

use super::{Kind, Proposal, touch};

/// A citation in a text.
#[derive(Debug, PartialEq)]
struct Citation<'t> {
    path: &'t str,
    /// The lines, from 0.
    lines: Lines,
    /// Where it is in the text.
    range: Span,
}

/// Proposes links for the citations of a page that touch a span and lead to lines of exactly one file.
pub(super) fn propose(subject: Subject<'_>, within: &Span, project: &Project, out: &mut Vec<Proposal>) {
    let (page, body) = (&subject.document.source, &subject.document.body);
    let is_heading = |event: usize| body.headings.iter().any(|heading| heading.events.contains(&event));
    let mut found: Vec<(Span, Citation<'_>)> = Vec::new();
    let events: Vec<(Event<'_>, Span)> = body.events.iter().collect();
    let mut inside = 0_usize;
    for (index, (event, span)) in events.iter().enumerate() {
        match event {
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => inside += 1,
            Event::End(TagEnd::Link | TagEnd::Image) => inside = inside.saturating_sub(1),
            Event::Code(code) if inside == 0 && !is_heading(index) => {
                let whole = citations(code).into_iter().find(|citation| citation.range == (0..code.len()));
                found.extend(whole.map(|citation| (span.clone(), citation)));
            }
            _ => {}
        }
    }
    let passages = text::passages(subject.document);
    for passage in &passages {
        for citation in citations(&passage.text) {
            let (range, span) = (&citation.range, passage.span(&citation.range));
            let is_prose = !passage.is_linked(range) && !range.clone().any(|at| passage.is_code(at));
            let event = passage.events(range).map(|events| events.start.0);
            let is_verbatim = page.text()[span.clone()] == passage.text[range.clone()];
            if is_prose && is_verbatim && event.is_some_and(|event| !is_heading(event)) {
                found.push((span, citation));
            }
        }
    }
    found.retain(|(span, _)| touch(span, within));
    let files = if found.is_empty() { Vec::new() } else { moved::files(project, subject) };
    for (span, citation) in found {
        let Some(file) = resolve(subject, &files, citation.path).filter(|file| has_text(file, &citation.lines)) else {
            continue;
        };
        let address = format!("{}#{}", url::relative(page.path(), file.path()), line_anchor(&citation.lines));
        let text = format!("[{}]({address})", &page.text()[span.clone()]);
        let (at, page, edit) = (span.start, Arc::clone(page), (span, text));
        out.push(Proposal { page, at, edit, written: address, kind: Kind::Citation });
    }
}

fn citations(text: &str) -> Vec<Citation<'_>> {
    let is_of_path = |c: char| c.is_ascii_alphanumeric() || "/._-+@".contains(c);
    let mut found: Vec<Citation<'_>> = Vec::new();
    for (at, sign) in text.match_indices([':', '#']) {
        let start = text[..at]
            .rfind(|c: char| !is_of_path(c))
            .map_or(0, |before| before + text[before..].chars().next().map_or(1, char::len_utf8));
        let path = &text[start..at];
        let extension = path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map_or("", |(_, last)| last);
        if !extension.starts_with(|c: char| c.is_ascii_alphabetic()) || text[..start].ends_with([':', '\\']) {
            continue;
        }
        let Some((lines, length)) = lines(&text[at + 1..], sign == "#") else { continue };
        let range = start..at + 1 + length;
        if found.last().is_none_or(|last| last.range.end <= range.start) {
            found.push(Citation { path, lines, range });
        }
    }
    found
}

/// Reads `12`, `L12`, `12-20` or `12:5`, whose second number is a column. Returns the lines, and the length of the text.
fn lines(text: &str, needs_letter: bool) -> Option<(Lines, usize)> {
    let number = |text: &str| {
        let letter = usize::from(text.starts_with('L'));
        let digits = text[letter..].find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len() - letter);
        let number = text[letter..letter + digits].parse::<usize>().ok().filter(|number| *number > 0)?;
        Some((number, letter + digits))
    };
    let (first, mut length) = number(text).filter(|_| !needs_letter || text.starts_with('L'))?;
    let mut last = first;
    if let Some(rest) = text[length..].strip_prefix('-')
        && let Some((number, more)) = number(rest)
    {
        (last, length) = (number, length + 1 + more);
    } else if let Some(rest) = text[length..].strip_prefix(':')
        && let Some((_, more)) = number(rest)
    {
        length += 1 + more;
    }
    let is_end = |c: char| !c.is_alphanumeric() && !"_#/".contains(c);
    let ends = text[length..].chars().next().is_none_or(is_end);
    (ends && first <= last).then_some((first - 1..last, length))
}

/// Returns the only file of code that a path can mean: from the page's folder, the root, or the lab's own folder; else one
/// whose path ends so.
fn resolve<'f>(subject: Subject<'_>, files: &'f [Arc<Source>], path: &str) -> Option<&'f Arc<Source>> {
    let is_outside = subject.document.placement.kind == PageKind::Outside;
    let folder = url::folder(subject.document.source.path());
    let direct = [url::join(folder, path), url::join("", path)].into_iter().flatten();
    let named = if is_outside { None } else { starter::named(subject.main_file, path).ok() };
    let direct: BTreeSet<String> = direct.chain(named).collect();
    let mut exact = files.iter().filter(|file| direct.contains(file.path().as_ref()));
    let end = format!("/{path}");
    let mut ending = files.iter().filter(|file| file.path().ends_with(&end));
    match (exact.next(), exact.next()) {
        (None, _) => ending.next().filter(|_| ending.next().is_none()),
        (only, None) => only,
        _ => None,
    }
}

/// Returns whether a file has these lines, and the first of them has a letter or digit.
fn has_text(file: &Source, lines: &Lines) -> bool {
    let first = (lines.end <= file.line_count()).then(|| &file.text()[file.line_span(lines.start)]);
    first.is_some_and(|line| line.contains(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn citations_of_lines() {
        for (text, expected) in [
            ("See src/queue.rs:12.", Some(("src/queue.rs", 11..12))),
            ("（src/queue.rs:12-20）", Some(("src/queue.rs", 11..20))),
            ("a.py#L3-L5", Some(("a.py", 2..5))),
            ("at a.py:3:14", Some(("a.py", 2..3))),
            ("a.py:L3", Some(("a.py", 2..3))),
            ("http://host.example:80/x", Some(("//host.example", 79..80)).filter(|_| false)),
            ("a.py:0", None),
            ("a.py:9-3", None),
            ("a.py#3", None),
            ("at 12:30", None),
            ("image.tar:v1", None),
            ("a.py:3x", None),
        ] {
            let found = citations(text);
            assert_eq!(found.first().map(|found| (found.path, found.lines.clone())), expected, "{text}");
        }
    }
}
