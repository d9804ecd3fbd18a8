//! Follows code that has moved to another file of its project: the file is brought beside the starter, with the markers of the
//! regions that are in it now, and the excerpts that show the code name it.

use std::collections::BTreeMap;
use std::sync::Arc;

use infralens_course::course::{starter as paths, url};
use infralens_page::{Document, front_matter};
use infralens_site::Site;
use infralens_source::change::Change;
use infralens_source::selector::Selector;
use infralens_source::source::{Source, Span, edited};
use infralens_source::yaml::{self, Node, Tree};
use infralens_starter::Listing;
use infralens_starter::copied::{Copied, CopiedCode};
use infralens_starter::listing::Lines;
use infralens_starter::moved::CodeIndex;

use super::markers::{self, Marked};
use super::{Later, Lost, Starter};

/// A part of a starter that another file of the project has got.
#[derive(Debug, Clone)]
pub struct Moved {
    /// What pages call it.
    pub selector: Selector,
    /// The file as the project has it.
    file: Arc<Source>,
    lines: Lines,
}

impl Lost {
    /// Returns where its code is now, if exactly one of the project's `files` has got it: the function of this name, or the very
    /// lines of the region. `before` returns what the file at a path was in the earlier commit.
    pub fn follow(&self, files: &[Arc<Source>], before: impl Fn(&str) -> Option<Arc<Source>>) -> Option<Moved> {
        let find = |files: &[Arc<Source>]| {
            if let Selector::Symbol(name) = &self.selector {
                let last = name.rsplit(['.', ':']).next().unwrap_or(name);
                let named = files.iter().filter(|file| file.text().contains(last)).take(super::MAX_FILES);
                let lines =
                    |file: &Arc<Source>| Some((Arc::clone(file), Listing::new(file).0.select(&self.selector).ok()?));
                return named.filter_map(lines).collect::<Vec<_>>();
            }
            let index = CodeIndex::default();
            match CopiedCode::new(&self.code).map(|code| index.origin(|| files.to_vec(), &code)) {
                Some(Copied::From(origin)) => vec![(Arc::clone(origin.listing.source()), origin.lines.clone())],
                _ => Vec::new(),
            }
        };
        let mut found = find(files);
        found.retain(|(file, _)| before(file.path()).is_none_or(|before| find(&[before]).is_empty()));
        let is_only = found.len() == 1;
        let (file, lines) = found.pop().filter(|_| is_only)?;
        Some(Moved { selector: self.selector.clone(), file, lines })
    }
}

/// What follows the code of one starter.
#[derive(Debug, Default)]
pub(super) struct Followed {
    /// The files that are created, each with its path in the project.
    pub files: Vec<(Change, Arc<str>)>,
    /// The edits of the fences, by page.
    pub fences: BTreeMap<Arc<str>, Vec<(Span, String)>>,
}

/// Plans the files that are brought because they have code of a starter now. One whose place is taken is left to the author.
pub(super) fn plan(site: &Site, starter: &Starter, later: &Later, moved: &[Moved]) -> Followed {
    let [own, old] = [&starter.own, &later.old].map(|source| Listing::new(source).0);
    let regions = markers::marked(&own, &old).unwrap_or_default();
    let mut by_file: BTreeMap<&Arc<str>, Vec<&Moved>> = BTreeMap::new();
    for part in moved {
        by_file.entry(part.file.path()).or_default().push(part);
    }
    let mut followed = Followed::default();
    for (path, parts) in by_file {
        let here = place(starter, path);
        if site.project().files.contains_key(&*here) {
            continue;
        }
        let text = with_regions(&parts, &regions);
        let fences = fences(site, starter, &here, &parts);
        if !fences.is_empty() {
            followed.files.push((Change::Create { path: here.into(), text }, Arc::clone(path)));
            for (page, edits) in fences {
                followed.fences.entry(page).or_default().extend(edits);
            }
        }
    }
    followed
}

/// Returns the path in the course at which a file of the project is brought: beside the starter.
fn place(starter: &Starter, path: &str) -> String {
    format!("{}/{}", url::folder(starter.file()).trim_end_matches('/'), url::file_name(path))
}

/// Returns the text of a file with the markers of the regions that have moved to it.
fn with_regions(parts: &[&Moved], regions: &[Marked<'_>]) -> String {
    let Some(first) = parts.first() else { return String::new() };
    let named = |part: &&&Moved| {
        let region = regions.iter().find(|region| part.selector == Selector::Region(region.name.to_owned()))?;
        Some((region, part.lines.clone()))
    };
    markers::with_markers(
        &Listing::new(&first.file).0,
        &parts.iter().filter_map(|part| named(&part)).collect::<Vec<_>>(),
    )
}

/// Returns the edits of the fences that show nothing but code that has moved to the file `here`.
fn fences(site: &Site, starter: &Starter, here: &str, parts: &[&Moved]) -> BTreeMap<Arc<str>, Vec<(Span, String)>> {
    let mut edits: BTreeMap<Arc<str>, Vec<(Span, String)>> = BTreeMap::new();
    for source in site.sources() {
        let document = source.subject.document;
        let shown = source.facts.excerpts.iter().filter(|shown| shown.listing.source().path() == starter.file());
        for file in shown.map(|shown| &document.body.excerpts[shown.index].file) {
            let has_moved = |selector: &Selector| parts.iter().any(|part| part.selector == *selector);
            if !file.selectors.is_empty() && file.selectors.iter().all(|(selector, _)| has_moved(selector)) {
                let edit = (file.path_span.clone(), named(document, here));
                edits.entry(Arc::clone(document.source.path())).or_default().push(edit);
            }
        }
    }
    edits
}

/// Returns how a page names a starter file.
fn named(document: &Document, path: &str) -> String {
    let lab = document.front.lab.as_ref().and_then(|lab| lab.starter.file.as_ref());
    let main = lab.and_then(|file| paths::main_file(&document.placement.name, &file.value).ok());
    let name = url::file_name(path);
    let is_own = main.is_some_and(|main| paths::named(Some(&main), name).is_ok_and(|named| named == path));
    if is_own { name.to_owned() } else { path.strip_prefix("code/").unwrap_or(path).to_owned() }
}

/// Returns the edits that say in the front matter of a page where files are from that have been brought.
pub(super) fn upstreams(
    page: &Arc<Source>,
    starter: &Starter,
    later: &Later,
    followed: &Followed,
) -> Vec<(Span, String)> {
    let Some((_, upstream)) = starter.labs.iter().find(|(lab, _)| lab.path() == page.path()) else { return Vec::new() };
    let Some(span) = front_matter::split(page).0 else { return Vec::new() };
    let Some(root) = yaml::parse(page, span).root else { return Vec::new() };
    let Some(tree) = key(&root, "starter").and_then(|starter| key(starter, "upstream")) else { return Vec::new() };
    let entries = followed.files.iter().map(|(change, path)| {
        let file = change.path();
        let file = if url::folder(file) == url::folder(starter.file()) && upstream.file.is_none() {
            url::file_name(file)
        } else {
            file.strip_prefix("code/").unwrap_or(file)
        };
        let license = upstream.license.as_ref().map(|license| format!(", license: {}", yaml::to_scalar(license)));
        let [repository, commit, path, file] =
            [&starter.repository, &later.commit, &**path, file].map(|value: &str| yaml::to_scalar(value));
        let license = license.unwrap_or_default();
        format!("{{ repository: {repository}, commit: {commit}, path: {path}{license}, file: {file} }}")
    });
    with_items(page, tree, &entries.collect::<Vec<_>>())
}

fn key<'t>(tree: &'t Tree, name: &str) -> Option<&'t Tree> {
    let Node::Map(entries) = &*tree.value else { return None };
    entries.iter().find(|(key, _)| key.value == name).map(|(_, value)| value)
}

/// Returns the edits that add items, written as YAML, to a list, or make one of a map.
fn with_items(page: &Source, tree: &Tree, items: &[String]) -> Vec<(Span, String)> {
    let text = &page.text()[tree.span.clone()];
    let end = tree.span.start + text.trim_end().len();
    let start = tree.span.start;
    if text.starts_with('[') {
        let before = start + text.trim_end().trim_end_matches(']').trim_end().len();
        return vec![(before..before, items.iter().flat_map(|item| [", ", item]).collect())];
    }
    if text.starts_with('{') {
        let items: String = items.iter().flat_map(|item| [", ", item]).collect();
        return vec![(start..start, "[".to_owned()), (end..end, format!("{items}]"))];
    }
    let line = page.text()[..start].rfind('\n').map_or(0, |at| at + 1);
    let before = &page.text()[line..start];
    let indent = &before[..before.len() - before.trim_start().len()];
    let added: String = items.iter().flat_map(|item| ["\n", indent, "- ", item]).collect();
    let mut edits = Vec::new();
    if matches!(&*tree.value, Node::Map(_)) {
        edits.push((start..start, "- ".to_owned()));
        let ends = text.trim_end().match_indices('\n').map(|(at, _)| start + at + 1);
        edits.extend(ends.map(|at| (at..at, "  ".to_owned())));
    }
    edits.push((end..end, added));
    edits
}

/// Returns the changes of the pages whose fences follow their code.
pub(super) fn pages(site: &Site, followed: &[Followed]) -> Vec<Change> {
    let mut edits: BTreeMap<&Arc<str>, Vec<(Span, String)>> = BTreeMap::new();
    for (page, of_page) in followed.iter().flat_map(|followed| &followed.fences) {
        edits.entry(page).or_default().extend(of_page.iter().cloned());
    }
    let changes = edits.into_iter().filter_map(|(page, edits)| {
        let source = Arc::clone(site.project().text(page)?);
        Some(Change::Replace { text: edited(source.text(), edits), source })
    });
    changes.collect()
}
