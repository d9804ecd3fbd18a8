//! Finds the old name in text that is not rewritten: comments, scripts, prose, and the old number in link texts. The author
//! decides whether to change it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{PageMove, without_extension};
use infralens_page::{Document, Kind};
use infralens_site::parse_pages;
use infralens_source::project::{File, Project};
use infralens_source::source::{Source, Span};
use infralens_source::url;

/// A line that contains the old name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The path of the file after the move.
    pub path: Arc<str>,
    /// The line, from 1.
    pub line: usize,
    /// The text around the name in that line.
    pub text: String,
}

/// Returns the lines of the course after the move that contain a name that is gone, except for those in `aliases`.
pub fn find(after: &Project, moves: &PageMove) -> Vec<Mention> {
    let gone = gone(after, moves);
    let pages = parse_pages(after);
    let pages: BTreeMap<&str, &Document> = pages.iter().map(|page| (page.source.path().as_ref(), page)).collect();
    let mut found = Vec::new();
    for source in after.files.values().filter_map(text) {
        let page = pages.get(source.path().as_ref());
        let aliases: Vec<&Span> =
            page.iter().flat_map(|page| &page.front.common.aliases).map(|alias| &alias.span).collect();
        let named = gone.iter().flat_map(|name| places(source.text(), name));
        let named = named.filter(|place| !aliases.iter().any(|alias| alias.contains(place)));
        let counted = page.iter().flat_map(|page| counted(page, moves));
        let mut lines = BTreeMap::new();
        for place in named.chain(counted) {
            lines.entry(source.position(place).line).or_insert(place);
        }
        found.extend(lines.into_iter().map(|(line, place)| {
            let span = source.line_span(line - 1);
            let text = around(&source.text()[span.clone()], place - span.start);
            Mention { path: Arc::clone(source.path()), line, text }
        }));
    }
    found
}

/// Returns a short part of a line around the byte `at`.
fn around(line: &str, at: usize) -> String {
    const BEFORE: usize = 24;
    const LONGEST: usize = 80;
    let start = line[..at].char_indices().nth_back(BEFORE).map_or(0, |(start, _)| start);
    let part = &line[start..];
    let end = part.char_indices().nth(LONGEST).map_or(part.len(), |(end, _)| end);
    let dots = |is_cut| if is_cut { "…" } else { "" };
    format!("{}{}{}", dots(start > 0), part[..end].trim(), dots(end < part.len()))
}

/// Returns the offsets of links to the page whose text contains its old number, as in "Lab 01".
fn counted(page: &Document, moves: &PageMove) -> Vec<usize> {
    let Some(number) = moves.old.number.as_ref().filter(|_| moves.old.number != moves.new.number) else {
        return Vec::new();
    };
    let here = page.source.path();
    let leads_there = |target: &str| {
        let path = url::decode(target.split(['#', '?']).next().unwrap_or_default());
        url::join(url::folder(here), &path).is_some_and(|path| *path == *moves.page.1)
    };
    let links = page.body.links.iter().filter(|link| leads_there(&link.target));
    let counted = links.filter(|link| !places(&page.body.text(link.events.clone()), &number.text).is_empty());
    counted.map(|link| link.span.start).collect()
}

fn text(file: &File) -> Option<&Arc<Source>> {
    match file {
        File::Text(source) => Some(source),
        _ => None,
    }
}

/// Returns the names that no longer exist: the file name of a lab or section, unless another page or a folder has the
/// same name, and the old URL.
fn gone(after: &Project, moves: &PageMove) -> BTreeSet<String> {
    let stem = |path: &str| without_extension(url::file_name(path)).to_owned();
    let old = stem(&moves.page.0);
    let mut names = BTreeSet::new();
    let is_left = after.has_folder(&format!("code/{old}")) || after.files.keys().any(|path| stem(path) == old);
    if moves.old.kind != Kind::Page && !is_left {
        names.insert(old);
    }
    if moves.old.url != moves.new.url {
        names.insert(moves.old.url.to_string());
    }
    names
}

/// Returns the offsets at which `name` occurs as a whole word.
fn places(text: &str, name: &str) -> Vec<usize> {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let alone = |&(at, _): &(usize, &str)| !text[..at].ends_with(part) && !text[at + name.len()..].starts_with(part);
    text.match_indices(name).filter(alone).map(|(at, _)| at).collect()
}
