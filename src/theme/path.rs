//! The drawing of a track's path. Each stop is a lab and the section that it practices; lanes are groups; the column of
//! a stop is its depth in the dependency graph. The steps:
//!
//! 1. combine the pages of the reading order into stops, and find the prerequisites of each;
//! 2. leave out prerequisites that follow from others;
//! 3. place every stop in a lane and a column ([`graph`]), and route a line for every prerequisite
//!    ([`line`](mod@line)).

mod graph;
mod line;

use std::collections::BTreeMap;

use serde::Serialize;

pub use graph::Graph;
use line::Router;

use crate::course::{Course, PageId, Track};
use crate::document::Kind;

/// A path with more stops is listed instead of drawn.
const MAX_STOPS: usize = 60;

/// A stop of the path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stop<'a> {
    /// The section.
    pub section: Option<PageId>,
    /// The lab.
    pub lab: Option<PageId>,
    /// The group that it belongs to.
    pub group: Option<&'a str>,
}

impl Stop<'_> {
    /// Returns the page that represents this stop as a prerequisite.
    pub fn page(&self) -> Option<PageId> {
        self.lab.or(self.section)
    }
}

/// Returns the stops of a track in reading order. `groups` has an element for each of `track.order`.
pub fn stops<'a>(course: &Course, track: &Track, groups: &[Option<&'a str>]) -> Vec<Stop<'a>> {
    let mut stops: Vec<Stop<'a>> = Vec::new();
    for (&page, &group) in track.order.iter().zip(groups) {
        let known = &course.pages[page];
        if known.kind == Kind::Section {
            stops.push(Stop { section: Some(page), lab: None, group });
            continue;
        }
        // A lab shares the stop of its handbook section if that is read directly before it.
        match stops.last_mut().filter(|last| last.lab.is_none()) {
            Some(last) if last.section.is_some_and(|section| known.handbook.contains(&section)) => {
                (last.lab, last.group) = (Some(page), group);
            }
            _ => stops.push(Stop { section: None, lab: Some(page), group }),
        }
    }
    stops
}

/// Builds the graph of stops; `None` for a path that is too long to draw.
pub fn graph(course: &Course, stops: &[Stop<'_>]) -> Option<Graph> {
    if stops.len() > MAX_STOPS {
        return None;
    }
    let mut at: BTreeMap<PageId, usize> = BTreeMap::new();
    for (index, stop) in stops.iter().enumerate() {
        at.extend(stop.section.into_iter().chain(stop.lab).map(|page| (page, index)));
    }
    let needs = stops.iter().enumerate().map(|(index, stop)| {
        let pages = stop.section.into_iter().chain(stop.lab).flat_map(|page| &course.pages[page].needs);
        pages.filter_map(|need| at.get(need).copied()).filter(|&need| need != index).collect()
    });
    let needs: Vec<Vec<usize>> = needs.collect();
    let mut groups: Vec<Option<&str>> = Vec::new();
    for stop in stops {
        if !groups.contains(&stop.group) {
            groups.push(stop.group);
        }
    }
    let lane = |stop: &Stop<'_>| groups.iter().position(|group| *group == stop.group).unwrap_or(0);
    Some(Graph::new(needs, stops.iter().map(lane).collect()))
}

/// The measures of a drawing, in its own units.
#[derive(Debug, Clone, Copy)]
pub struct Measures {
    /// Width and height of a stop.
    pub stop: (i32, i32),
    /// The distance between columns.
    pub pitch: i32,
    /// The height of a lane, and the gap below it.
    pub lane: (i32, i32),
    /// The position of the first stop in its lane.
    pub inset: (i32, i32),
    /// The radius of corners.
    pub radius: i32,
}

/// The measures on a track's page.
pub const PAGE_MEASURES: Measures =
    Measures { stop: (178, 60), pitch: 217, lane: (104, 10), inset: (8, 32), radius: 12 };
/// The height of the drawing on a card. If there are too many lanes, each is as high as a dot.
const CARD: i32 = 116;
/// The width and height of a dot.
const DOT: i32 = 20;
/// A path with more lanes or columns is not drawn on cards.
const MAX_DOTS: (usize, usize) = (10, 16);

/// Returns the measures on a card; `None` if the path is too large for it.
pub fn card_measures(graph: &Graph) -> Option<Measures> {
    let (lanes, columns) = (graph.lanes(), graph.columns());
    if lanes > MAX_DOTS.0 || columns > MAX_DOTS.1 {
        return None;
    }
    let lane = (CARD / to_i32(lanes.max(1))).max(DOT);
    Some(Measures { stop: (DOT, DOT), pitch: 48, lane: (lane, 0), inset: (DOT, (lane - DOT) / 2), radius: 8 })
}

/// The positions of everything in a drawing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Drawing {
    /// The total width.
    pub width: i32,
    /// The total height.
    pub height: i32,
    /// The upper edges of the lanes.
    pub lanes: Vec<i32>,
    /// The height of a lane.
    pub lane: i32,
    /// The upper left corners of the stops.
    pub stops: Vec<(i32, i32)>,
    /// The lines: the index of the prerequisite, and the path data to the stop that requires it.
    pub lines: Vec<(usize, String)>,
}

impl Drawing {
    /// Draws a graph.
    #[must_use]
    pub fn new(graph: &Graph, measures: Measures) -> Self {
        let (lane, gap) = measures.lane;
        let top = |row: usize| to_i32(row) * (lane + gap);
        let stops: Vec<(i32, i32)> = graph
            .positions
            .iter()
            .map(|position| {
                (measures.inset.0 + to_i32(position.column) * measures.pitch, top(position.lane) + measures.inset.1)
            })
            .collect();
        let router = Router { graph, measures, stops: &stops };
        let lines = graph.needs.iter().enumerate().flat_map(|(to, needs)| needs.iter().map(move |&from| (from, to)));
        Self {
            width: to_i32(graph.columns().saturating_sub(1)) * measures.pitch + measures.stop.0 + 2 * measures.inset.0,
            height: (top(graph.lanes()) - gap).max(0),
            lanes: (0..graph.lanes()).map(top).collect(),
            lane,
            lines: lines.map(|(from, to)| (from, router.line(from, to))).collect(),
            stops,
        }
    }
}

fn to_i32(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
