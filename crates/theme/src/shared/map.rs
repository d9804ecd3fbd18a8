//! Builds the values of a track's reading map.

use std::collections::BTreeMap;

use super::super::context::{MapGroup, MapRow, Way};
use super::super::map::{self, Row};
use super::{ValueBuilder, order_groups};
use infralens_course::course::{self, PageId};
use infralens_page::Kind;

impl<'a> ValueBuilder<'a> {
    /// Returns the rows of a track's reading map, split where the group changes.
    pub(super) fn map(self, track: &'a course::Track) -> Vec<MapGroup<'a>> {
        let course = self.names.course;
        let rows = map::rows(course, track);
        let ways = map::ways(track, &rows);
        let titles: BTreeMap<PageId, Option<&str>> =
            track.order.iter().copied().zip(order_groups(course, track)).collect();
        let title_of = |row: &Row| row.pages().last().and_then(|page| titles.get(&page).copied().flatten());
        let mut groups: Vec<MapGroup<'a>> = Vec::new();
        for (row, ways) in rows.iter().zip(ways) {
            let title = title_of(row);
            let row = self.row(row, ways);
            if let Some(last) = groups.last_mut().filter(|last| last.title == title) {
                last.rows.push(row);
                continue;
            }
            // A group that goes on later does not repeat its question.
            let is_new = groups.iter().all(|known| known.title != title);
            let question = title.filter(|_| is_new).and_then(|title| self.question(track, title));
            groups.push(MapGroup { title, question, rows: vec![row] });
        }
        groups
    }

    fn row(self, row: &Row, ways: Vec<usize>) -> MapRow {
        MapRow {
            sections: self.items(&row.sections),
            lab: row.lab.and_then(|lab| self.common.item(lab)),
            again: self.items(&row.again),
            elsewhere: self.items(&row.elsewhere),
            needs: self.items(&row.needs),
            ways: ways.into_iter().map(|way| way + 1).collect(),
        }
    }

    /// Returns the ways through a track, with the labs and sections of the rows that each leads through.
    pub(super) fn ways(self, track: &'a course::Track) -> Vec<Way<'a>> {
        let names = self.names;
        let rows = map::rows(names.course, track);
        let of_rows = map::ways(track, &rows);
        let way = |(index, way): (usize, &'a course::Way)| {
            let rows = rows.iter().zip(&of_rows).filter(|(_, ways)| ways.contains(&index));
            let is_lab = |page: &PageId| names.course.pages[*page].kind == Kind::Lab;
            let (labs, sections): (Vec<_>, Vec<_>) = rows.flat_map(|(row, _)| row.pages()).partition(is_lab);
            Way {
                name: &way.name,
                labs: labs.len(),
                sections: sections.len(),
                labs_counted: names.labs_counted(labs.len()),
                labs_length: names.length(names.total_minutes(&labs)),
                sections_counted: names.sections_counted(sections.len()),
                sections_length: names.length(names.total_minutes(&sections)),
            }
        };
        track.ways.iter().enumerate().map(way).collect()
    }

    /// Returns the question of a group in the front matter of its track.
    pub(super) fn question(self, track: &course::Track, title: &str) -> Option<&'a str> {
        let questions = &self.names.course.pages[track.page].front()?.track.groups.0;
        questions.iter().find(|(name, _)| name.value == title).map(|(_, question)| question.value.as_str())
    }
}
