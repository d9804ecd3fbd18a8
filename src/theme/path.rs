//! A track's path as a drawing: each stop is a lab and the section that it practises, lanes are groups, columns are how
//! many needs come before. The steps:
//!
//! 1. make stops of the reading order, and say which needs which;
//! 2. leave out the needs that follow from others;
//! 3. give every stop a lane and a column ([`graph`]), and every need a line between them ([`line`](mod@line)).

mod graph;
mod line;

use std::collections::BTreeMap;

use serde::Serialize;

pub use graph::Graph;
use line::Router;

use crate::course::{Course, PageId, Track};
use crate::document::Kind;

/// More stops than this are listed and not drawn.
const MOST: usize = 60;

/// A stop: what is read at one place of the path.
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
    /// The page that others need when they need this stop.
    pub fn page(&self) -> Option<PageId> {
        self.lab.or(self.section)
    }
}

/// The stops of a track in reading order. `groups` are those of `track.order`, one by one.
pub fn stops<'a>(course: &Course, track: &Track, groups: &[Option<&'a str>]) -> Vec<Stop<'a>> {
    let mut stops: Vec<Stop<'a>> = Vec::new();
    for (&page, &group) in track.order.iter().zip(groups) {
        let known = &course.pages[page];
        if known.kind == Kind::Section {
            stops.push(Stop { section: Some(page), lab: None, group });
            continue;
        }
        // A lab shares the stop of the section that was read just before it for its sake.
        match stops.last_mut().filter(|last| last.lab.is_none()) {
            Some(last) if last.section.is_some_and(|section| known.handbook.contains(&section)) => {
                (last.lab, last.group) = (Some(page), group);
            }
            _ => stops.push(Stop { section: None, lab: Some(page), group }),
        }
    }
    stops
}

/// The graph of some stops; nothing for a path that is too long to be drawn.
pub fn graph(course: &Course, stops: &[Stop<'_>]) -> Option<Graph> {
    if stops.len() > MOST {
        return None;
    }
    let mut at: BTreeMap<PageId, usize> = BTreeMap::new();
    for (index, stop) in stops.iter().enumerate() {
        at.extend(stop.section.into_iter().chain(stop.lab).map(|page| (page, index)));
    }
    let needs = stops.iter().enumerate().map(|(index, stop)| {
        let pages = stop.section.into_iter().chain(stop.lab).flat_map(|page| &course.pages[page].prerequisites);
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
    /// From one column to the next.
    pub pitch: i32,
    /// Height of a lane, and the gap below it.
    pub lane: (i32, i32),
    /// Where the first stop of a lane begins in it.
    pub inset: (i32, i32),
    /// Of the corners of lines.
    pub radius: i32,
}

/// The path of a track page.
pub const WHOLE: Measures = Measures { stop: (178, 60), pitch: 217, lane: (104, 10), inset: (8, 32), radius: 12 };
/// The height of a card's drawing; of more lanes than fit, each has the height of a dot.
const CARD: i32 = 116;
/// The width and height of a dot.
const DOT: i32 = 20;
/// A path with more lanes or columns is not drawn on cards.
const MOST_DOTS: (usize, usize) = (10, 16);

/// The path on a card: dots on lanes. Nothing for one that is too large for it.
pub fn dots(graph: &Graph) -> Option<Measures> {
    let (lanes, columns) = (graph.lanes(), graph.columns());
    if lanes > MOST_DOTS.0 || columns > MOST_DOTS.1 {
        return None;
    }
    let lane = (CARD / int(lanes.max(1))).max(DOT);
    Some(Measures { stop: (DOT, DOT), pitch: 48, lane: (lane, 0), inset: (DOT, (lane - DOT) / 2), radius: 8 })
}

/// Where everything is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Drawing {
    /// Of the whole.
    pub width: i32,
    /// Of the whole.
    pub height: i32,
    /// The upper edges of the lanes.
    pub lanes: Vec<i32>,
    /// The height of a lane.
    pub lane: i32,
    /// The upper left corners of the stops.
    pub stops: Vec<(i32, i32)>,
    /// The lines: the stop that is needed, and the path from there to the one that needs it.
    pub lines: Vec<(usize, String)>,
}

impl Drawing {
    /// Draws a graph.
    #[must_use]
    pub fn new(graph: &Graph, measures: Measures) -> Self {
        let (lane, gap) = measures.lane;
        let top = |row: usize| int(row) * (lane + gap);
        let stops: Vec<(i32, i32)> = graph
            .places
            .iter()
            .map(|place| (measures.inset.0 + int(place.column) * measures.pitch, top(place.lane) + measures.inset.1))
            .collect();
        let router = Router { graph, measures, stops: &stops };
        let lines = graph.needs.iter().enumerate().flat_map(|(to, needs)| needs.iter().map(move |&from| (from, to)));
        Self {
            width: int(graph.columns().saturating_sub(1)) * measures.pitch + measures.stop.0 + 2 * measures.inset.0,
            height: (top(graph.lanes()) - gap).max(0),
            lanes: (0..graph.lanes()).map(top).collect(),
            lane,
            lines: lines.map(|(from, to)| (from, router.line(from, to))).collect(),
            stops,
        }
    }
}

fn int(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
