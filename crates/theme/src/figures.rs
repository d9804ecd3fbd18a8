//! The figures of a page and where each comes from, and the calculators of a course.

use tera::Value;

use super::context::{CalculatorEntry, CalculatorGroup, FigureEntry, FrontCalculator, Page, Place};
use super::page;
use super::page_body::STACK;
use super::shared::Shared;
use infralens_course::course::{self, Course, PageId};
use infralens_page::{Calculator, Document};
use infralens_render::calculator::{self, stack::Front};
use infralens_render::figures::{Origin, PageValue, PageValues};

/// Returns the output path of the page with the calculators of a track, or of the whole course.
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
            .map(|calculator| Place::new(&calculator.title, format!("#{}", calculator.id))),
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
    let (label, path) = (&shared.labels().calculators, url(shared.course(), track));
    let page_of_track = track.map(|track| shared.course().tracks[track].page);
    let of_track = page_of_track.map(|page| shared.names.title(page));
    let front = shared.input.cx.front_calculator().filter(|_| track.is_none());
    let title = front.map_or(label.as_str(), |(_, front)| front.title.as_str());
    let mut page = page::site_page(shared, &path, title);
    if let Some(here) = page.crumbs.last_mut() {
        here.title.clone_from(label);
    }
    if let (Some(track), Some(front)) = (track, page_of_track) {
        page.crumbs.insert(1, Place::new(shared.names.short(front), shared.names.url(front)));
        let Page { track, nav, order_script, .. } = page::in_track(shared, &path, Some(track), None);
        (page.track, page.nav, page.order_script) = (track, nav, order_script);
    }
    if front.is_some() {
        page.styles.push(STACK);
        page.card = page::card(shared, shared.social_cards.front());
    }
    Page {
        kind: "calculators",
        document_title: shared.names.document_title(title, of_track),
        front_calculator: front.and_then(|(id, front)| front_calculator(shared, id, front, &path)),
        calculators: calculators(shared, track, &path),
        has_calculators: front.is_some(),
        ..page
    }
}

fn front_calculator(shared: &Shared<'_>, id: PageId, front: &Front, path: &str) -> Option<FrontCalculator> {
    let (document, values) = values(shared, id)?;
    let html = calculator::html(document, values, front.block, "", shared.input.cx.config);
    let known = document.body.values[front.block].calculator.as_ref()?;
    let page = course::url::relative(path, &shared.course().pages[id].url);
    let source = Place::new(shared.names.numbered(id), format!("{page}#{}", course::url::encode(&known.id)));
    Some(FrontCalculator { html: Value::safe_string(&html), source })
}

/// Returns the calculators of the published pages of a track, or of the whole course, for the page at an output path. Pages
/// outside all tracks only demonstrate calculators, unless there are no others.
fn calculators(shared: &Shared<'_>, track: Option<usize>, path: &str) -> Vec<CalculatorGroup> {
    let course = shared.course();
    let with_calculators = shared.input.cx.tracks_with_calculators;
    let tracks: Vec<usize> =
        with_calculators.iter().copied().flatten().filter(|&of| track.is_none_or(|track| track == of)).collect();
    let mut groups: Vec<(Option<usize>, Vec<PageId>)> = Vec::new();
    for &track in &tracks {
        let known = &course.tracks[track];
        let is_other = |id: &PageId| course.pages[*id].track == Some(track) && !known.order.contains(id);
        groups
            .push((Some(track), known.order.iter().copied().chain((0..course.pages.len()).filter(is_other)).collect()));
    }
    if groups.is_empty() {
        groups.push((None, (0..course.pages.len()).filter(|&id| course.pages[id].track.is_none()).collect()));
    }
    let has_several = groups.len() > 1;
    let groups = groups.into_iter().map(|(track, pages)| {
        let front = track.map(|track| course.tracks[track].page).filter(|_| has_several);
        let pages = pages.into_iter().filter(|&id| shared.input.cx.has_calculators(id));
        CalculatorGroup {
            track: front.map(|front| shared.names.place(front)),
            entries: pages.flat_map(|id| entries_of(shared, id, path)).collect(),
        }
    });
    groups.collect()
}

/// Returns links to the calculators of a page, but not to the one that the page of the whole course shows itself.
fn entries_of(shared: &Shared<'_>, id: PageId, path: &str) -> Vec<CalculatorEntry> {
    let Some((document, values)) = values(shared, id) else { return Vec::new() };
    let shown = values.front.as_ref().map(|front| front.block).filter(|_| path == url(shared.course(), None));
    let blocks = document.body.values.iter().enumerate().filter(|(block, _)| Some(*block) != shown);
    let calculators = blocks.filter_map(|(_, block)| block.calculator.as_ref());
    let page = course::url::relative(path, &shared.course().pages[id].url);
    let entry = |calculator: &Calculator| CalculatorEntry {
        number: shared.names.number(id),
        place: Place::new(&calculator.title, format!("{page}#{}", course::url::encode(&calculator.id))),
        page: shared.names.numbered(id),
    };
    calculators.map(entry).collect()
}
