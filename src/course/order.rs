//! Computes the reading order of a track. Of the labs whose prerequisites are all placed, the one with the lowest number is
//! next. Its sections come directly before it, lowest number first, each after its own prerequisites. A section that no
//! lab requires comes before the section with the next number, or else last.
//!
//! Prerequisites in other tracks do not count. If there is a cycle, which is reported elsewhere, the remaining pages follow
//! by number.

use std::collections::{BTreeMap, BTreeSet};

use super::{Course, PageId};
use crate::document::Kind;

/// Returns the published labs and sections of a track in reading order.
#[must_use]
pub fn reading_order(course: &Course, track: usize) -> Vec<PageId> {
    let (labs, sections) = (course.published(track, Kind::Lab), course.published(track, Kind::Section));
    let mut order = Order::new(course, &labs, &sections);
    order.place_labs(&labs);
    order.place_sections(&sections);
    order.place_rest(&sections, &labs);
    order.placed
}

/// A reading order under construction.
struct Order<'a> {
    course: &'a Course,
    /// The prerequisites of each page within the track, lowest number first.
    prerequisites: BTreeMap<PageId, Vec<PageId>>,
    /// The order so far.
    placed: Vec<PageId>,
    /// The same pages, as a set.
    done: BTreeSet<PageId>,
}

impl<'a> Order<'a> {
    fn new(course: &'a Course, labs: &[PageId], sections: &[PageId]) -> Self {
        let inside: BTreeSet<PageId> = labs.iter().chain(sections).copied().collect();
        let prerequisites = inside.iter().map(|&page| {
            let all = course.pages[page].prerequisites.iter().copied();
            let mut prerequisites: Vec<PageId> = all.filter(|page| inside.contains(page)).collect();
            prerequisites.sort_by_key(|&page| course.number(page));
            (page, prerequisites)
        });
        Self { course, prerequisites: prerequisites.collect(), placed: Vec::new(), done: BTreeSet::new() }
    }

    /// Places the labs in order, each when all labs that it requires, directly or through sections, are placed.
    fn place_labs(&mut self, labs: &[PageId]) {
        let mut waiting: BTreeMap<PageId, usize> = BTreeMap::new();
        let mut unlocks: BTreeMap<PageId, Vec<PageId>> = BTreeMap::new();
        let mut ready: BTreeSet<(Option<u64>, PageId)> = BTreeSet::new();
        let key = |lab: PageId| (self.course.number(lab), lab);
        for &lab in labs {
            let before = self.labs_before(lab);
            for &needed in &before {
                unlocks.entry(needed).or_default().push(lab);
            }
            if before.is_empty() {
                ready.insert(key(lab));
            }
            waiting.insert(lab, before.len());
        }
        while let Some((_, lab)) = ready.pop_first() {
            self.place_with_prerequisites(lab);
            for unlocked in unlocks.remove(&lab).unwrap_or_default() {
                if let Some(left) = waiting.get_mut(&unlocked) {
                    *left -= 1;
                    if *left == 0 {
                        ready.insert((self.course.number(unlocked), unlocked));
                    }
                }
            }
        }
    }

    /// Returns the labs that must come before `lab`: its prerequisites, and through sections, those of its sections.
    fn labs_before(&self, lab: PageId) -> BTreeSet<PageId> {
        let mut labs = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut open = self.prerequisites[&lab].clone();
        while let Some(page) = open.pop() {
            if !seen.insert(page) {
                continue;
            }
            if self.course.pages[page].kind == Kind::Lab {
                labs.insert(page);
            } else {
                open.extend(&self.prerequisites[&page]);
            }
        }
        labs
    }

    /// Places `page` after all its prerequisites that are not placed yet, depth first with an explicit stack.
    fn place_with_prerequisites(&mut self, page: PageId) {
        let mut open = vec![(page, 0_usize)];
        let mut entered = BTreeSet::from([page]);
        while let Some((page, next)) = open.last_mut() {
            if let Some(&required) = self.prerequisites[page].get(*next) {
                *next += 1;
                if !self.done.contains(&required) && entered.insert(required) {
                    open.push((required, 0));
                }
                continue;
            }
            if self.done.insert(*page) {
                self.placed.push(*page);
            }
            open.pop();
        }
    }

    /// Places the sections that no lab requires, in as many rounds as their own prerequisites take.
    fn place_sections(&mut self, sections: &[PageId]) {
        loop {
            let before = self.placed.len();
            for &section in sections.iter().rev() {
                self.place_section(section, sections);
            }
            if self.placed.len() == before {
                return;
            }
        }
    }

    /// Places a section before the section with the next number, but after its own prerequisites, if those are placed.
    fn place_section(&mut self, section: PageId, sections: &[PageId]) {
        let prerequisites = &self.prerequisites[&section];
        if self.done.contains(&section) || !prerequisites.iter().all(|page| self.done.contains(page)) {
            return;
        }
        let number = |page: PageId| self.course.number(page);
        let next =
            sections.iter().copied().find(|&other| number(other) > number(section) && self.done.contains(&other));
        let position = |page: PageId| self.placed.iter().position(|&placed| placed == page);
        let before_next = next.and_then(position).unwrap_or(self.placed.len());
        let after = prerequisites.iter().filter_map(|&page| position(page)).max().map_or(0, |last| last + 1);
        self.placed.insert(before_next.max(after), section);
        self.done.insert(section);
    }

    /// Places what a cycle has left over.
    fn place_rest(&mut self, sections: &[PageId], labs: &[PageId]) {
        for &page in sections.iter().chain(labs) {
            if self.done.insert(page) {
                self.placed.push(page);
            }
        }
    }
}
