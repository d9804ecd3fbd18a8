//! Builds the values of a track's reading map.

use std::collections::BTreeMap;

use super::super::context::{MapGroup, MapRow};
use super::super::map::{self, Row};
use super::{ValueBuilder, order_groups};
use infralens_course::course::{self, PageId};

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
            lab: row.lab.and_then(|lab| self.common.items.get(&lab).cloned()),
            again: self.items(&row.again),
            elsewhere: self.items(&row.elsewhere),
            needs: self.items(&row.needs),
            ways: ways.into_iter().map(|way| way + 1).collect(),
        }
    }

    /// Returns the question of a group in the front matter of its track.
    pub(super) fn question(self, track: &course::Track, title: &str) -> Option<&'a str> {
        let questions = &self.names.course.pages[track.page].front()?.track.groups.0;
        questions.iter().find(|(name, _)| name.value == title).map(|(_, question)| question.value.as_str())
    }
}
