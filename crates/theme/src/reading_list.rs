//! Reading lists and the page of references.

use std::collections::BTreeMap;

use tera::Value;

use super::Input;
use super::context::{Link, Page, Reference, ReferenceGroup};
use super::shared::{Shared, value};
use infralens_course::config::labels::Labels;
use infralens_course::course::{starter, url};
use infralens_course::references::{self, ReferenceKind};
use infralens_render::{self as render, Facts, escape};

/// The kinds in the order of lists.
const KINDS: [ReferenceKind; 4] =
    [ReferenceKind::Official, ReferenceKind::Paper, ReferenceKind::Practical, ReferenceKind::Blog];

/// Returns the reading list of a page, and the external URLs to list in print: those of the page's links, then those of
/// the reading list.
pub fn numbered_urls(input: &Input<'_>, facts: &Facts) -> (Vec<ReferenceGroup>, Vec<String>) {
    let mut external_urls = facts.external_urls.clone();
    let mut numbers: BTreeMap<String, usize> = external_urls.iter().cloned().zip(1..).collect();
    let mut groups = reading_list(input, &facts.reading);
    for reference in groups.iter_mut().flat_map(|group| &mut group.entries) {
        let Some(url) = &reference.url else { continue };
        let next = external_urls.len() + 1;
        let number = *numbers.entry(url.clone()).or_insert(next);
        if number == next {
            external_urls.push(url.clone());
        }
        reference.number = Some(number);
    }
    (groups, external_urls)
}

/// Returns the references with these keys by kind, each kind in the order of the keys.
pub fn reading_list(input: &Input<'_>, keys: &[String]) -> Vec<ReferenceGroup> {
    let known: Vec<_> = keys.iter().filter_map(|key| Some((key.as_str(), input.cx.references.get(key)?))).collect();
    group_by_kind(&input.cx.config.labels, &known, &BTreeMap::new())
}

/// Builds the context of `references.html`: all references by kind, sorted by their short form.
pub fn references_page<'a>(shared: &Shared<'a>) -> Page<'a> {
    let labels = shared.labels();
    let mut all: Vec<_> =
        shared.input.cx.references.iter().map(|(key, reference)| (key.value.as_str(), reference)).collect();
    all.sort_by_cached_key(|(key, reference)| (reference.short().to_lowercase(), (*key).to_owned()));
    let references = group_by_kind(labels, &all, &cited_by(shared));
    Page { kind: "references", references, ..super::page::site_page(shared, "references.html", &labels.references) }
}

fn group_by_kind(
    labels: &Labels,
    references: &[(&str, &references::Reference)],
    cited: &BTreeMap<&str, Vec<Value>>,
) -> Vec<ReferenceGroup> {
    let group = |kind: &ReferenceKind| {
        let entries: Vec<Reference> = references
            .iter()
            .filter(|(_, reference)| reference.kind == *kind)
            .map(|(key, found)| reference(labels, key, found, cited))
            .collect();
        (!entries.is_empty()).then(|| ReferenceGroup { title: group_title(labels, *kind).into(), entries })
    };
    KINDS.iter().filter_map(group).collect()
}

fn reference(
    labels: &Labels,
    key: &str,
    reference: &references::Reference,
    cited: &BTreeMap<&str, Vec<Value>>,
) -> Reference {
    let year = reference.year.map(|year| year.to_string());
    let by: Vec<String> =
        Some(reference.authors()).filter(|authors| !authors.is_empty()).into_iter().chain(year).collect();
    Reference {
        key: key.into(),
        kind: render::reference_kind(labels, reference.kind).into(),
        title: reference.title.clone(),
        breakable_title: Value::safe_string(&escape::breakable(&reference.title)),
        url: reference.url.as_ref().map(|url| url.value.to_string()),
        number: None,
        by: (!by.is_empty()).then(|| by.join(", ")),
        note: reference.note.clone(),
        checked: reference.checked.as_ref().map(|date| date.value.to_string()),
        checked_words: reference.checked.as_ref().map(|date| labels.date.format(date.value, &labels.months)),
        cited_by: cited.get(key).cloned().unwrap_or_default(),
    }
}

/// Returns the pages that cite each key, in the order of their URLs, then READMEs.
fn cited_by<'a>(shared: &Shared<'a>) -> BTreeMap<&'a str, Vec<Value>> {
    let mut cited: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for (id, source) in shared.input.pages.iter().enumerate() {
        for key in source.iter().flat_map(|source| &source.facts.reading) {
            cited.entry(key).or_default().push(shared.link(id));
        }
    }
    for folder in shared.input.folders {
        let readme = folder.readme.map(|at| shared.input.readmes[at].facts);
        for key in readme.iter().flat_map(|readme| &readme.reading) {
            let link = Link {
                kind: "folder",
                kind_label: shared.labels().starter_folder.clone(),
                title: &folder.title,
                heading: folder.title.clone(),
                numbered: folder.title.clone(),
                short: folder.title.clone(),
                qualified: folder.title.clone(),
                qualified_heading: folder.title.clone(),
                url: url::encode(&shared.config().shared(starter::folder_url(&folder.path))),
                track: None,
                track_title: None,
            };
            cited.entry(key).or_default().push(value(&link));
        }
    }
    cited
}

fn group_title(labels: &Labels, kind: ReferenceKind) -> &str {
    match kind {
        ReferenceKind::Official => &labels.reading_official,
        ReferenceKind::Paper => &labels.reading_paper,
        ReferenceKind::Practical => &labels.reading_practical,
        ReferenceKind::Blog => &labels.reading_blog,
    }
}
