//! Builds the values of a track's drawing.

use super::super::context::{Lane, Line, Need, Path, Stop};
use super::super::path::{self, Drawing, Measures};
use super::{ValueBuilder, order_groups};
use crate::course::{self, PageId};

impl<'a> ValueBuilder<'a> {
    /// Returns the drawing of a track's path, and the small one for its card.
    pub(super) fn path(self, track: &'a course::Track) -> Option<Path<'a>> {
        let course = self.names.course;
        let stops = path::stops(course, track, &order_groups(course, track));
        let graph = path::graph(course, &stops).filter(|graph| !graph.positions.is_empty())?;
        let dots = path::card_measures(&graph).map(|measures| Box::new(self.drawn(&stops, &graph, measures)));
        let titles = stops.iter().filter_map(path::Stop::page).map(|page| self.names.title(page));
        Some(Path { dots, ..self.drawn(&stops, &graph, path::page_measures(titles)) })
    }

    fn drawn(self, stops: &[path::Stop<'a>], graph: &path::Graph, measures: Measures) -> Path<'a> {
        let group = |lane: usize| {
            let first = graph.positions.iter().position(|place| place.lane == lane);
            first.and_then(|stop| stops[stop].group)
        };
        // A group that goes on in a second lane has its title above the first.
        let title = |lane: usize| group(lane).filter(|_| lane == 0 || group(lane - 1) != group(lane));
        let titles: Vec<Option<&str>> = (0..graph.lanes()).map(title).collect();
        let drawing = Drawing::new(graph, &titles, measures);
        let url = |stop: usize| stops[stop].page().map_or_else(String::new, |page| self.names.url(page));
        let item = |page: Option<PageId>| page.and_then(|page| self.common.items.get(&page).cloned());
        let names = |from: &[usize]| {
            let pages = from.iter().filter_map(|&stop| stops[stop].page());
            pages.map(|page| self.names.number(page)).collect::<Vec<_>>().join(", ")
        };
        Path {
            width: drawing.width,
            height: drawing.height,
            stop_height: measures.stop.1,
            lanes: (drawing.lanes.iter().zip(titles))
                .map(|(&y, title)| Lane { title, y, height: drawing.lane })
                .collect(),
            stops: (drawing.stops.iter().zip(stops))
                .map(|(&(x, y), stop)| Stop { x, y, section: item(stop.section), lab: item(stop.lab) })
                .collect(),
            unrouted: (drawing.unrouted.iter())
                .map(|need| Need { x: need.at.0, y: need.at.1, above: need.is_above, names: names(&need.from) })
                .collect(),
            lines: drawing.lines.into_iter().map(|(from, d)| Line { from: url(from), d }).collect(),
            dots: None,
        }
    }
}
