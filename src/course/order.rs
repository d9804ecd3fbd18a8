//! The reading order of a track. Of the labs whose prerequisites in the track have come, the lowest number is next;
//! before it come the sections it needs, lowest number first, each after what it needs. A section that no lab needs
//! comes before the next-numbered section, else last.
//!
//! Needs of other tracks do not order. With a cycle, which is reported elsewhere, what is left follows by number.

use std::collections::{BTreeMap, BTreeSet};

use super::{Course, PageId};
use crate::document::Kind;

/// The published labs and sections of a track in reading order.
#[must_use]
pub fn reading_order(course: &Course, track: usize) -> Vec<PageId> {
    let members = |kind| {
        let mut pages: Vec<PageId> = course.members(track, kind).filter(|&page| course.pages[page].published).collect();
        pages.sort_by_key(|&page| course.pages[page].number().map(|number| number.value));
        pages
    };
    let (labs, sections) = (members(Kind::Lab), members(Kind::Section));
    let mut order = Order::new(course, &labs, &sections);
    order.place_labs(&labs);
    for &section in sections.iter().rev() {
        order.place_unneeded(section, &sections);
    }
    order.rest(&sections, &labs);
    order.placed
}

struct Order<'a> {
    course: &'a Course,
    /// Needs within the track, by page, lowest number first.
    needs: BTreeMap<PageId, Vec<PageId>>,
    placed: Vec<PageId>,
    done: BTreeSet<PageId>,
}

impl<'a> Order<'a> {
    fn new(course: &'a Course, labs: &[PageId], sections: &[PageId]) -> Self {
        let inside: BTreeSet<PageId> = labs.iter().chain(sections).copied().collect();
        let needs = inside.iter().map(|&page| {
            let mut needs: Vec<PageId> =
                course.pages[page].needs.iter().copied().filter(|need| inside.contains(need)).collect();
            needs.sort_by_key(|&need| course.pages[need].number().map(|number| number.value));
            (page, needs)
        });
        Self { course, needs: needs.collect(), placed: Vec::new(), done: BTreeSet::new() }
    }

    /// Labs in order, each when no lab that it needs, directly or through sections, is left.
    fn place_labs(&mut self, labs: &[PageId]) {
        let mut waiting: BTreeMap<PageId, usize> = BTreeMap::new();
        let mut unlocks: BTreeMap<PageId, Vec<PageId>> = BTreeMap::new();
        let mut ready: BTreeSet<(Option<u64>, PageId)> = BTreeSet::new();
        let key = |lab: PageId| (self.course.pages[lab].number().map(|number| number.value), lab);
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
            self.place_with_needs(lab);
            for unlocked in unlocks.remove(&lab).unwrap_or_default() {
                if let Some(left) = waiting.get_mut(&unlocked) {
                    *left -= 1;
                    if *left == 0 {
                        ready.insert((self.course.pages[unlocked].number().map(|number| number.value), unlocked));
                    }
                }
            }
        }
    }

    /// The labs that must come before `lab`: those it needs, and those that sections it needs need, as far as the next lab.
    fn labs_before(&self, lab: PageId) -> BTreeSet<PageId> {
        let mut labs = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut open = self.needs[&lab].clone();
        while let Some(page) = open.pop() {
            if !seen.insert(page) {
                continue;
            }
            if self.course.pages[page].kind == Kind::Lab {
                labs.insert(page);
            } else {
                open.extend(&self.needs[&page]);
            }
        }
        labs
    }

    /// Places `page` after everything it needs that has not come, depth first with an explicit stack.
    fn place_with_needs(&mut self, page: PageId) {
        let mut open = vec![(page, 0_usize)];
        let mut entered = BTreeSet::from([page]);
        while let Some((page, next)) = open.last_mut() {
            if let Some(&need) = self.needs[page].get(*next) {
                *next += 1;
                if !self.done.contains(&need) && entered.insert(need) {
                    open.push((need, 0));
                }
                continue;
            }
            if self.done.insert(*page) {
                self.placed.push(*page);
            }
            open.pop();
        }
    }

    /// Places a section that no lab needs: before the next-numbered section, but after what it needs itself.
    fn place_unneeded(&mut self, section: PageId, sections: &[PageId]) {
        if self.done.contains(&section) || !self.needs[&section].iter().all(|need| self.done.contains(need)) {
            return;
        }
        let number = |page: PageId| self.course.pages[page].number().map(|number| number.value);
        let next =
            sections.iter().copied().find(|&other| number(other) > number(section) && self.done.contains(&other));
        let position = |page: PageId| self.placed.iter().position(|&placed| placed == page);
        let before_next = next.and_then(position).unwrap_or(self.placed.len());
        let after_needs =
            self.needs[&section].iter().filter_map(|&need| position(need)).max().map_or(0, |last| last + 1);
        self.placed.insert(before_next.max(after_needs), section);
        self.done.insert(section);
    }

    /// Sections that had to wait for other unneeded ones; and whatever a cycle has left over.
    fn rest(&mut self, sections: &[PageId], labs: &[PageId]) {
        loop {
            let before = self.placed.len();
            for &section in sections.iter().rev() {
                self.place_unneeded(section, sections);
            }
            if self.placed.len() == before {
                break;
            }
        }
        for &page in sections.iter().chain(labs) {
            if self.done.insert(page) {
                self.placed.push(page);
            }
        }
    }
}
