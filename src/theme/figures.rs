//! The figures of a page and where each comes from, and the calculators of a course.

use tera::Value;

use super::context::{CalculatorGroup, FigureEntry, Page, Place};
use super::page;
use super::shared::Shared;
use crate::course::{self, Course, PageId};
use crate::document::Document;
use crate::render::calculator;
use crate::render::figures::{Origin, PageValue, PageValues};

/// Returns the output path of the page with the calculators of a track, or of the whole course.
#[must_use]
pub fn url(course: &Course, track: Option<usize>) -> String {
    track.map_or_else(
        || "calculators.html".into(),
        |track| format!("tracks/{}/calculators.html", course.tracks[track].name),
    )
}

/// Returns the figures of a page, in the order in which they are first printed.
pub fn entries(shared: &Shared<'_>, id: PageId) -> Vec<FigureEntry> {
    let Some((document, values)) = values(shared, id) else { return Vec::new() };
    let written = &shared.facts(id).figures;
    let entries = values.entries().into_iter().map(|entry| {
        let shown = FigureEntry {
            places: entry.figures.iter().map(|figure| &figure.id).filter(|id| written.contains(*id)).cloned().collect(),
            text: entry.figures.first().map_or_else(String::new, |figure| figure.text.clone()),
            id: entry.id,
            ..FigureEntry::default()
        };
        match entry.origin {
            Origin::Value(index) => of_value(document, &values.values[index], shown),
            Origin::Given(index) => given(shared, document, index, shown),
            Origin::Misnamed(_) | Origin::Unknown(_) => shown,
        }
    });
    entries.collect()
}

fn values<'a>(shared: &Shared<'a>, id: PageId) -> Option<(&'a Document, &'a PageValues)> {
    let source = shared.source(id)?;
    Some((source.subject.document, source.cx.values_of(source.subject.document)?))
}

fn of_value(document: &Document, value: &PageValue, entry: FigureEntry) -> FigureEntry {
    let block = &document.body.values[value.block];
    FigureEntry {
        name: Some(value.name.clone()),
        formula: Some(value.formula.clone()),
        about: Some(value.about.clone()).filter(|about| !about.is_empty()),
        calculator: block
            .calculator
            .as_ref()
            .map(|calculator| Place { title: calculator.title.clone(), url: Some(format!("#{}", calculator.id)) }),
        records: value.records.clone(),
        ..entry
    }
}

fn given(shared: &Shared<'_>, document: &Document, index: usize, entry: FigureEntry) -> FigureEntry {
    let Some((_, source)) = document.front.common.given.0.get(index) else { return entry };
    let source = source.value.as_str();
    match shared.input.cx.references.get(source) {
        Some(reference) => {
            let url = Some(format!("#R-{source}"));
            FigureEntry { reference: Some(Place { title: reference.short(), url }), ..entry }
        }
        None => FigureEntry { source: Some(source.to_owned()), ..entry },
    }
}

/// Builds the context of the page of the calculators of a track, or of the whole course.
pub fn calculators_page<'a>(shared: &'a Shared<'a>, track: Option<usize>) -> Page<'a> {
    let (title, path) = (&shared.labels().calculators, url(shared.course(), track));
    let front = track.map(|track| shared.course().tracks[track].page);
    let of_track = front.map(|front| shared.names.title(front));
    let mut page = page::site_page(shared, &path, title);
    if let (Some(track), Some(front)) = (track, front) {
        page.crumbs.insert(1, Place { title: shared.names.short(front), url: Some(shared.names.url(front)) });
        page.track = Some(shared.common.tracks[track].clone());
    }
    Page {
        kind: "calculators",
        document_title: shared.names.document_title(title, of_track),
        calculators: calculators(shared, track, &path),
        has_calculators: true,
        ..page
    }
}

/// Returns the calculators of the published pages of a track, or of the whole course, for the page at an output path.
fn calculators(shared: &Shared<'_>, track: Option<usize>, path: &str) -> Vec<CalculatorGroup> {
    let pages = &shared.course().pages;
    let wanted = (0..pages.len()).filter(|&id| track.is_none() || pages[id].track == track);
    let groups = wanted.filter(|&id| shared.input.cx.has_calculators(id)).filter_map(|id| {
        let (document, values) = values(shared, id)?;
        let known = &shared.course().pages[id];
        let prefix = format!("{}-", document.placement.name.replace('/', "-"));
        let blocks = document.body.values.iter().enumerate().filter(|(_, block)| block.calculator.is_some());
        let html = |block: usize| calculator::html(document, values, block, &prefix, shared.labels());
        let html = blocks.map(|(block, _)| Value::safe_string(&html(block))).collect();
        let place = Place { title: shared.names.heading(id), url: Some(course::url::relative(path, &known.url)) };
        Some(CalculatorGroup { page: place, html })
    });
    groups.collect()
}
