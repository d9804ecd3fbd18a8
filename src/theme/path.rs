//! The drawing of a track's path. Each stop is a lab and the section that it practices; lanes are groups, in which
//! stops follow each other in reading order. The steps:
//!
//! 1. combine the pages of the reading order into stops, and find the prerequisites of each;
//! 2. leave out prerequisites that follow from others;
//! 3. place every stop in a lane and a column ([`graph`]), and route a line for every prerequisite
//!    ([`line`](mod@line), [`route`], [`obstacles`]).

mod graph;
mod line;
mod obstacles;
mod route;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::Serialize;

pub use graph::Graph;
use line::{Router, path_data};
use obstacles::{Obstacle, Obstacles};
use route::Rect;

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
    let group = |stop: &Stop<'_>| groups.iter().position(|group| *group == stop.group).unwrap_or(0);
    Some(Graph::new(needs, &stops.iter().map(group).collect::<Vec<_>>()))
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
    /// Whether stops are dots, without titles and arrowheads.
    pub is_small: bool,
}

/// The width of a stop on a track's page, and the height of a row of its title.
const STOP: (i32, i32) = (178, 17);
/// The numbers of characters in a row of a title, in a font that is rather wide, and in the title of a lane.
const ROW: usize = 14;
/// The maximum number of rows; a longer title is cut.
const MAX_ROWS: usize = 8;
/// The distance from a lane's upper edge to its stops, which leaves room for its title, and from these to its lower edge.
const ABOVE: i32 = 32;
const BELOW: i32 = 12;
/// The width of the number of a prerequisite.
const NAME: i32 = 26;

/// Returns the measures on a track's page: all stops are as high as the longest of their titles.
pub fn page_measures<'a>(titles: impl Iterator<Item = &'a str>) -> Measures {
    let rows = titles.map(rows).max().unwrap_or(0).min(MAX_ROWS);
    let height = (to_i32(rows) * STOP.1 + 16).max(60);
    Measures {
        stop: (STOP.0, height),
        pitch: 210,
        lane: (ABOVE + height + BELOW, 10),
        inset: (28, ABOVE),
        radius: 12,
        is_small: false,
    }
}

/// Returns how many rows a title takes at most. Its number stands before it.
fn rows(title: &str) -> usize {
    let (mut rows, mut at) = (1, 3);
    for word in title.split_whitespace() {
        let width = width(word);
        if at > 0 && at + width > ROW {
            (rows, at) = (rows + 1, 0);
        }
        rows += width.saturating_sub(1) / ROW;
        at += width % ROW + 1;
    }
    rows
}

/// Returns the width of a text in characters; those of East Asian scripts are twice as wide as others.
fn width(text: &str) -> usize {
    text.chars().map(|character| if character >= '\u{1100}' { 2 } else { 1 }).sum()
}

/// The height of the drawing on a card. If there are too many lanes, each is as high as a dot.
const CARD: i32 = 116;
/// The width and height of a dot.
const DOT: i32 = 20;
/// A path with more lanes is not drawn on cards.
const MAX_DOTS: usize = 10;

/// Returns the measures on a card; `None` if the path is too large for it.
pub fn card_measures(graph: &Graph) -> Option<Measures> {
    let lanes = graph.lanes();
    if lanes > MAX_DOTS {
        return None;
    }
    let lane = (CARD / to_i32(lanes.max(1))).max(DOT);
    Some(Measures {
        stop: (DOT, DOT),
        pitch: 48,
        lane: (lane, 0),
        inset: (DOT, (lane - DOT) / 2),
        radius: 8,
        is_small: true,
    })
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
    /// The prerequisites without a line, because every route would cross another.
    pub unrouted: Vec<Unrouted>,
}

/// The prerequisites that have no line to a stop; they are named next to it instead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unrouted {
    /// The indexes of the prerequisites.
    pub from: Vec<usize>,
    /// The position of their names: the left end of the line of text.
    pub at: (i32, i32),
    /// Whether this is above the stop, not below it.
    pub is_above: bool,
}

impl Drawing {
    /// Draws a graph whose lanes have these titles.
    #[must_use]
    pub fn new(graph: &Graph, titles: &[Option<&str>], measures: Measures) -> Self {
        let (lane, gap) = measures.lane;
        let top = |row: usize| to_i32(row) * (lane + gap);
        let stops: Vec<(i32, i32)> = graph
            .positions
            .iter()
            .map(|position| {
                (measures.inset.0 + to_i32(position.column) * measures.pitch, top(position.lane) + measures.inset.1)
            })
            .collect();
        let mut obstacles = Obstacles::new(measures);
        for (row, title) in titles.iter().enumerate().filter(|_| !measures.is_small) {
            if let Some(title) = title {
                let place = Rect::sized((measures.inset.0, top(row) + 6), (to_i32(width(title)) * 8, 20));
                obstacles.add(Obstacle::Title, place);
            }
        }
        let (lines, unrouted) = Router { graph, measures, stops: &stops }.lines(&mut obstacles);
        let mut missing: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (from, to) in unrouted {
            missing.entry(to).or_default().push(from);
        }
        let name = |(to, from): (usize, Vec<usize>)| named_beside(stops[to], measures, from, &obstacles);
        let data = |corners: &[route::Point]| path_data(corners, measures.radius, !measures.is_small);
        Self {
            width: to_i32(graph.columns().saturating_sub(1)) * measures.pitch + measures.stop.0 + 2 * measures.inset.0,
            height: (top(graph.lanes()) - gap).max(0),
            lanes: (0..graph.lanes()).map(top).collect(),
            lane,
            lines: lines.iter().map(|line| (line.from, data(&line.corners))).collect(),
            unrouted: missing.into_iter().filter_map(name).collect(),
            stops,
        }
    }
}

/// Finds room for the names of prerequisites above or below a stop, at its left, its right or its middle.
fn named_beside((x, y): (i32, i32), measures: Measures, from: Vec<usize>, obstacles: &Obstacles) -> Option<Unrouted> {
    let (width, height) = measures.stop;
    let room = to_i32(from.len()) * NAME + 12;
    let places = [2, width - room, (width - room) / 2].into_iter().flat_map(|shift| [(shift, true), (shift, false)]);
    let is_free = |&(shift, is_above): &(i32, bool)| {
        let top = if is_above { y - 15 } else { y + height + 2 };
        let place = Rect::sized((x + shift, top), (room, 13));
        obstacles.near(place).all(|(obstacle, taken)| matches!(obstacle, Obstacle::Stop(_)) || !taken.meets(place))
    };
    let (shift, is_above) = places.into_iter().find(is_free)?;
    let at = (x + shift, if is_above { y - 5 } else { y + height + 12 });
    Some(Unrouted { from, at, is_above })
}

fn to_i32(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
