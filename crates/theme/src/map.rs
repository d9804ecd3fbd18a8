//! The rows of a track's reading map: each is a lab with the sections that are read before it, or a section that prepares
//! for no lab.

use std::collections::{BTreeMap, BTreeSet};

use infralens_course::course::{Course, PageId, Track};
use infralens_page::Kind;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Row {
    /// The sections that are read here, in reading order.
    pub sections: Vec<PageId>,
    /// The lab that they prepare for.
    pub lab: Option<PageId>,
    /// The handbook sections of the lab that were read in an earlier row.
    pub again: Vec<PageId>,
    /// The labs of other tracks that practice the sections, if no lab of this track does.
    pub elsewhere: Vec<PageId>,
    /// The prerequisites of its pages in other rows and tracks, by number. A section that a listed lab requires is left
    /// out.
    pub needs: Vec<PageId>,
}

impl Row {
    /// Returns its pages in reading order.
    pub fn pages(&self) -> impl Iterator<Item = PageId> {
        self.sections.iter().copied().chain(self.lab)
    }
}

/// How many prerequisites of prerequisites are visited to find out whether a section follows from a lab.
const MAX_VISITED: usize = 64;

/// Returns the rows of a track in reading order. Each page of the order is in one row.
pub fn rows(course: &Course, track: &Track) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut waiting: Vec<PageId> = Vec::new();
    for &page in &track.order {
        if course.pages[page].kind == Kind::Section {
            waiting.push(page);
            continue;
        }
        let prepares = prerequisites_among(course, page, &waiting);
        let (sections, alone) = std::mem::take(&mut waiting).into_iter().partition(|it| prepares.contains(it));
        rows.extend(Vec::into_iter(alone).map(|section| Row { sections: vec![section], ..Row::default() }));
        rows.push(Row { sections, lab: Some(page), ..Row::default() });
    }
    rows.extend(waiting.into_iter().map(|section| Row { sections: vec![section], ..Row::default() }));
    for row in &mut rows {
        relate(course, row);
    }
    rows
}

/// Returns those of `sections` that a lab requires, directly or through others of them.
fn prerequisites_among(course: &Course, lab: PageId, sections: &[PageId]) -> BTreeSet<PageId> {
    let mut found = BTreeSet::new();
    let mut open = vec![lab];
    while let Some(page) = open.pop() {
        let required = course.pages[page].prerequisites.iter().copied().filter(|it| sections.contains(it));
        open.extend(required.filter(|&it| found.insert(it)));
    }
    found
}

/// Fills in what a row has from other rows and tracks.
fn relate(course: &Course, row: &mut Row) {
    let own: BTreeSet<PageId> = row.pages().collect();
    let track = row.pages().next().and_then(|page| course.pages[page].track);
    let is_listed = |page: &PageId| course.pages[*page].published && !own.contains(page);
    if let Some(lab) = row.lab {
        let in_track = |page: &PageId| course.pages[*page].track == track;
        row.again = course.pages[lab].handbook.iter().copied().filter(is_listed).filter(in_track).collect();
    } else {
        let labs = row.sections.iter().flat_map(|&section| &course.pages[section].handbook);
        let labs: Vec<PageId> = labs.copied().filter(is_listed).collect();
        // A lab of this track that comes later has a row of its own, which names the section again.
        if labs.iter().all(|&lab| course.pages[lab].track != track) {
            row.elsewhere = labs;
        }
    }
    let required = own.iter().flat_map(|&page| &course.pages[page].prerequisites).copied().filter(is_listed);
    let required: BTreeSet<PageId> = required.filter(|page| !row.again.contains(page)).collect();
    let labs: Vec<PageId> = required.iter().copied().filter(|&page| course.pages[page].kind == Kind::Lab).collect();
    let implied = implied(course, &labs);
    let mut needs: Vec<PageId> = required.into_iter().filter(|page| !implied.contains(page)).collect();
    needs.sort_by_key(|&page| {
        let known = &course.pages[page];
        (known.track != track, known.track, known.kind == Kind::Section, known.number().map(|number| number.value))
    });
    row.needs = needs;
}

/// Returns the sections that some labs require, directly or through others: of very many, the nearest.
fn implied(course: &Course, labs: &[PageId]) -> BTreeSet<PageId> {
    let mut seen: BTreeSet<PageId> = BTreeSet::new();
    let mut level = labs.to_vec();
    while !level.is_empty() && seen.len() < MAX_VISITED {
        let below = level.iter().flat_map(|&page| &course.pages[page].prerequisites).copied();
        level = below.filter(|&page| seen.insert(page)).collect();
    }
    seen.retain(|&page| course.pages[page].kind == Kind::Section);
    seen
}

/// Returns the ways that lead through each row, by their indexes.
pub fn ways(track: &Track, rows: &[Row]) -> Vec<Vec<usize>> {
    let mut places: BTreeMap<PageId, Vec<usize>> = BTreeMap::new();
    for (index, way) in track.ways.iter().enumerate() {
        way.pages.iter().for_each(|&page| places.entry(page).or_default().push(index));
    }
    let of = |row: &Row| {
        let ways: BTreeSet<usize> = row.pages().filter_map(|page| places.get(&page)).flatten().copied().collect();
        ways.into_iter().collect()
    };
    rows.iter().map(of).collect()
}

#[cfg(test)]
mod tests;
