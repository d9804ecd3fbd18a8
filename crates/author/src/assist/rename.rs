//! Gives a value, a reference, a region or the address of a heading another name, wherever it is named.

use std::collections::BTreeSet;
use std::sync::Arc;

use infralens_page::link_title::LinkSources;
use infralens_page::{Anchor, Link};
use infralens_render::ResolvedPage;
use infralens_render::goal::cited;
use infralens_site::Site;
use infralens_source::change::Refusal;
use infralens_source::diag::{Code, Diagnostic, Edit, codes};
use infralens_source::project::REFERENCES;
use infralens_source::selector::Selector;
use infralens_source::source::{Source, Span, is_name_char};
use infralens_starter::Listing;

use super::uses::formulas_with;
use super::{Named, find, linked, touches};

/// Returns the span and the current name of what can be renamed at a place; `None` if nothing can.
pub fn prepare(site: &Site, path: &str, offset: usize) -> Option<(Span, String)> {
    let (span, named) = find(site, path, offset)?;
    let name = name_of(&named)?;
    let text = site.project().text(path)?.text().get(span.clone())?;
    let mut starts = text.match_indices(&name).map(|(at, _)| span.start + at..span.start + at + name.len());
    // A heading without an id of its own has a name that is not written there.
    let heading =
        || matches!(&named, Named::Page(page, _) if **page == *path && text.starts_with('#')).then(|| span.clone());
    Some((starts.find(|at| touches(at, offset)).or_else(heading)?, name))
}

fn name_of(named: &Named) -> Option<String> {
    match named {
        Named::Code { region, .. } => region.clone(),
        Named::Reference(key) => Some(key.clone()),
        Named::Value(_, name) => Some(name.clone()),
        Named::Page(_, heading) => heading.clone(),
        _ => None,
    }
}

/// Returns the edits that give what is at a place another name, each once.
///
/// # Errors
///
/// Nothing there has a name that can be changed, the new one is not valid, or it is taken.
pub fn rename(site: &Site, path: &str, offset: usize, new: &str) -> Result<Vec<Edit>, Refusal> {
    let named = find(site, path, offset).map(|(_, named)| named);
    let named = named.filter(|named| name_of(named).is_some());
    let Some(named) = named else { return Err(Refusal::new("nothing here has a name that can be changed")) };
    let is_name = !new.is_empty() && new.chars().all(is_name_char) && !new.starts_with(|c: char| c.is_ascii_digit());
    let is_value = matches!(named, Named::Value(..));
    if !is_name || is_value && new.contains('-') {
        return Err(Refusal::new(format!("`{new}` cannot be a name here")));
    }
    if !matches!(Selector::parse(new), Ok(Selector::Region(_))) {
        return Err(Refusal::new(format!("`{new}` would be read as lines of code")));
    }
    let cx = site.context();
    if let Named::Code { path, .. } = &named
        && cx.listings.get(path).is_some_and(|listing| listing.is_notebook())
    {
        return Err(Refusal::new("the region is in a notebook: rename it there, in both of its markers"));
    }
    let is_taken = match &named {
        Named::Code { path, .. } => {
            cx.listings.get(path).is_some_and(|listing| listing.regions().iter().any(|region| region.name == new))
        }
        Named::Reference(_) => cx.references.get(new).is_some(),
        Named::Page(path, _) => site.source(path).is_some_and(|source| {
            let body = &source.subject.document.body;
            body.anchors.iter().any(|(id, _)| id == new) || body.html_ids.iter().any(|id| id == new)
        }),
        Named::Value(path, _) => site.source(path).is_some_and(|source| {
            let blocks = &source.subject.document.body.values;
            blocks.iter().any(|block| block.sheet.find(new).is_some())
        }),
        _ => false,
    };
    if is_taken {
        return Err(Refusal::new(format!("there is a `{new}` already")));
    }
    let mut edits = Vec::new();
    let mut seen = BTreeSet::new();
    for source in site.sources() {
        let page = &source.subject.document.source;
        for span in spans_on(&source, &named) {
            if seen.insert((Arc::clone(page.path()), span.start)) {
                edits.push(Edit::new(page, span, new));
            }
        }
    }
    match &named {
        Named::Code { path, region: Some(name), .. } => {
            if let Some(listing) = cx.listings.get(path) {
                edits.extend(markers(listing, name).map(|span| Edit::new(listing.source(), span, new)));
            }
        }
        Named::Page(path, Some(id)) => edits.extend(heading_edit(site, path, id, new)?),
        Named::Reference(key) => {
            let file = cx.project.text(REFERENCES);
            let entry = cx.references.iter().find(|(known, _)| known.value == *key);
            edits.extend(file.zip(entry).map(|(file, (key, _))| Edit::new(file, key.span.clone(), new)));
        }
        _ => {}
    }
    let old = name_of(&named).unwrap_or_default();
    unread_use(site, &old, &edits).map_or(Ok(edits), Err)
}

/// Refuses to rename what may be used where the course cannot be read now: it has the name in front matter, in a formula or in
/// Markdown with an error, and no edit is there.
pub fn unread_use(site: &Site, name: &str, edits: &[Edit]) -> Option<Refusal> {
    let is_unread = |code: Code| {
        let is_of_text = code.id.starts_with("E01") || code.id.starts_with("E02");
        code.hides_file() || is_of_text || [codes::E0306, codes::E0601].contains(&code)
    };
    site.diagnostics().filter(|error| is_unread(error.code)).find_map(|error| {
        let path = &error.place.file;
        let Some(source) = site.project().text(path) else {
            // A file that is no text may be a page all the same.
            let is_page = path.ends_with(".md") && path.starts_with("content/");
            return is_page.then(|| Refusal::new(format!("`{path}` cannot be read, and may use `{name}`")));
        };
        let (text, span) = (source.text(), unread_span(site, source, error));
        let is_part = |c: char| is_name_char(c) || c == ':';
        let is_edited = |at: usize| edits.iter().any(|edit| edit.place.file == *path && edit.span().start == at);
        let mut found = text[span.clone()].match_indices(name).map(|(at, _)| span.start + at);
        let at = found.find(|&at| {
            let is_whole = !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_name_char);
            is_whole && !is_edited(at)
        })?;
        let line = source.position(at).line;
        let message = format!("`{name}` is in line {line} of `{path}`, which cannot be read now: correct that first");
        Some(Refusal::new(message))
    })
}

/// Returns the part of a file that an error keeps from being read.
fn unread_span(site: &Site, source: &Source, error: &Diagnostic) -> Span {
    let text = source.text();
    let (start, end) = error.place.span.unwrap_or((0, text.len()));
    if error.code.id.starts_with("E01") {
        return 0..site.source(source.path()).map_or(text.len(), |page| page.subject.document.body_start);
    }
    // What a comment without an end swallows.
    if error.code == codes::E0213 {
        return start..text.len();
    }
    source.line_span(source.line(start)).start..source.line_span(source.line(end)).end
}

/// Returns the edit that gives a heading the address `new`, and keeps the one that it has: readers may have stored it.
fn heading_edit(site: &Site, path: &str, id: &str, new: &str) -> Result<Option<Edit>, Refusal> {
    let Some(page) = site.source(path) else { return Ok(None) };
    let document = page.subject.document;
    let Some(heading) = document.body.headings.iter().find(|heading| heading.id == id) else {
        return Err(Refusal::new(format!("`{id}` is an earlier address of a heading: rename its present one")));
    };
    let line = document.source.text()[document.source.first_line(&heading.span)].trim_end();
    if !line.starts_with('#') || line.ends_with('#') {
        let help = format!("write `{{#{new} .was-{id}}}` at the end of the heading");
        return Err(Refusal::new("only a heading of the form `## Title` can be edited here").help(help));
    }
    let end = heading.span.start + line.len();
    let written = format!("#{id}");
    let braces = line.ends_with('}').then(|| line.rfind('{')).flatten();
    let braces = braces.filter(|&at| !heading.was.is_empty() || line[at..].contains(&written));
    let edit = match braces {
        None => Edit::new(&document.source, end..end, format!(" {{#{new} .was-{id}}}")),
        Some(at) => {
            let rest = line[at + 1..line.len() - 1].replacen(&written, "", 1);
            let names = std::iter::once(format!("#{new}")).chain(rest.split_whitespace().map(str::to_owned));
            let names: Vec<String> = names.chain([format!(".was-{id}")]).collect();
            Edit::new(&document.source, heading.span.start + at..end, format!("{{{}}}", names.join(" ")))
        }
    };
    Ok(Some(edit))
}

/// Returns the places of a page at which the name itself is written.
fn spans_on(source: &ResolvedPage<'_>, named: &Named) -> Vec<Span> {
    let document = source.subject.document;
    let text = document.source.text();
    let front = &document.front;
    let mut spans = Vec::new();
    match named {
        Named::Code { path, region: Some(name), .. } => {
            let is_it = |selector: &Selector| matches!(selector, Selector::Region(known) if known == name);
            let is_of = |written: &str| source.subject.named(written).is_ok_and(|file| *file == **path);
            for piece in document.body.pieces().filter(|piece| is_of(&piece.file.path)) {
                spans.extend(piece.file.selectors.iter().filter(|(one, _)| is_it(one)).map(|(_, span)| span.clone()));
            }
            for excerpt in &document.body.excerpts {
                for file in excerpt.files().filter(|file| is_of(&file.path)) {
                    spans.extend(file.selectors.iter().filter(|(one, _)| is_it(one)).map(|(_, span)| span.clone()));
                }
                if !is_of(&excerpt.file.path) {
                    continue;
                }
                for binding in excerpt.notes.iter().flat_map(|note| &note.bindings) {
                    if let Anchor::Place { selector, span, .. } = &binding.from
                        && is_it(selector)
                        && let Some(at) = text[span.clone()].rfind(&format!("#{name}"))
                    {
                        spans.push(span.start + at + 1..span.start + at + 1 + name.len());
                    }
                }
            }
            spans.extend(destinations(source, |link| linked(source, &link.target).as_ref() == Some(named), name));
        }
        Named::Page(_, Some(id)) => {
            spans.extend(destinations(source, |link| linked(source, &link.target).as_ref() == Some(named), id));
        }
        Named::Reference(key) => {
            let given = front.common.given.0.iter().map(|(_, source)| source);
            let keys = front.common.reading.iter().chain(given).filter(|known| known.value == *key);
            spans.extend(keys.map(|key| key.span.clone()));
            let sign = format!("@{key}");
            for link in document.body.links.iter().filter(|link| link.target.starts_with('@')) {
                if cited(&link.target).any(|(cited, _)| cited == sign) {
                    let written = &text[link.span.clone()];
                    let is_end = |end: usize| !written[end..].starts_with(is_name_char);
                    let found = written.match_indices(&sign).filter(|(at, sign)| is_end(at + sign.len()));
                    let found = found.map(|(at, sign)| link.span.start + at + 1..link.span.start + at + sign.len());
                    spans.extend(found);
                }
            }
        }
        Named::Value(page, name) => {
            spans.extend(formulas_with(source, page, name));
            let values = source.cx.values_of(document).filter(|_| **page == **document.source.path());
            if let Some(values) = values {
                let is_it = |link: &Link| {
                    let value = values.named_by(&document.body, link);
                    value.is_some_and(|value| values.values[value].name == *name)
                };
                spans.extend(destinations(source, is_it, name));
            }
            let blocks = document.body.values.iter().filter(|_| **page == **document.source.path());
            for block in blocks {
                spans.extend(in_calculator(source, block, name));
            }
        }
        _ => {}
    }
    spans
}

/// Returns where the presets and attributes of a calculator name an input or result.
fn in_calculator(source: &ResolvedPage<'_>, block: &infralens_page::ValueBlock, name: &str) -> Vec<Span> {
    let text = source.subject.document.source.text();
    let is_declared = block.sheet.find(name).is_some();
    let Some(written) = text.get(block.span.clone()).filter(|_| is_declared && block.calculator.is_some()) else {
        return Vec::new();
    };
    let lines = infralens_source::source::lines_from(written, block.span.start).enumerate();
    let wanted = lines.filter(|(index, (_, line))| *index == 0 || line.trim_start().starts_with(['@', '~']));
    let found = wanted.flat_map(|(_, (start, line))| {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        let is_whole = |at: usize| !line[..at].ends_with(is_part) && !line[at + name.len()..].starts_with(is_part);
        // The title of a calculator and the name of a preset are words for readers.
        let quoted = |at: usize| {
            line[..at].matches('"').count() % 2 == 1
                && line[..at].contains("title=\"")
                && !line[..at].contains("stack=")
        };
        let before_colon =
            |at: usize| line.trim_start().starts_with('@') && line.find(':').is_none_or(|colon| at < colon);
        let found = line.match_indices(name).map(|(at, _)| at).collect::<Vec<_>>();
        found
            .into_iter()
            .filter(move |&at| is_whole(at) && !quoted(at) && !before_colon(at))
            .map(move |at| start + at..start + at + name.len())
            .collect::<Vec<_>>()
    });
    found.collect()
}

/// Returns where the fragments of some links are written, which are this name.
fn destinations(source: &ResolvedPage<'_>, is_wanted: impl Fn(&Link) -> bool, name: &str) -> Vec<Span> {
    let document = source.subject.document;
    let sources = LinkSources::new(document);
    let fragment = format!("#{name}");
    let links = document.body.links.iter().filter(|link| !link.image && is_wanted(link));
    let found = links.flat_map(|link| sources.of(link)).filter_map(|written| {
        let start = written.destination.text.len().checked_sub(name.len())?;
        written.destination.text.ends_with(&fragment).then(|| written.destination.span(start..start + name.len()))
    });
    found.collect()
}

/// Returns the spans of a region's name in both of its markers.
fn markers<'a>(listing: &'a Listing, name: &'a str) -> impl Iterator<Item = Span> + 'a {
    let source = listing.source();
    let lines = (0..listing.line_count()).filter(|line| listing.is_marker(*line));
    lines.filter_map(move |line| {
        let span = source.line_span(line);
        let text = &source.text()[span.clone()];
        let at = text.rfind(name).filter(|&at| {
            let is_whole = !text[at + name.len()..].starts_with(is_name_char) && !text[..at].ends_with(is_name_char);
            is_whole && text[..at].contains("ANCHOR")
        })?;
        Some(span.start + at..span.start + at + name.len())
    })
}
