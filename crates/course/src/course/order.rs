//! Computes the reading order of a track. Of the labs whose prerequisites are all placed, the one with the lowest number is
//! next. Its sections come directly before it, lowest number first, each after its own prerequisites. A section that no
//! lab requires comes before the section with the next number, or else last.
//!
//! Prerequisites in other tracks do not count. If there is a cycle, which is reported elsewhere, the remaining pages follow
//! by number.

use std::collections::{BTreeMap, BTreeSet};

use super::{Course, PageId};
use infralens_page::Kind;

/// Returns the published labs and sections of a track in reading order.
pub fn reading_order(course: &Course, track: usize) -> Vec<PageId> {
    let (labs, sections) = (course.published(track, Kind::Lab), course.published(track, Kind::Section));
    let mut order = Order::new(course, &labs.iter().chain(&sections).copied().collect());
    order.place_labs();
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
    fn new(course: &'a Course, pages: &BTreeSet<PageId>) -> Self {
        let prerequisites = pages.iter().map(|&page| {
            let all = course.pages[page].prerequisites.iter().copied();
            let mut prerequisites: Vec<PageId> = all.filter(|page| pages.contains(page)).collect();
            prerequisites.sort_by_key(|&page| course.number(page));
            (page, prerequisites)
        });
        Self { course, prerequisites: prerequisites.collect(), placed: Vec::new(), done: BTreeSet::new() }
    }

    /// Returns the pages in `among`, each after its prerequisites there. Of the pages whose prerequisites have come, the one
    /// with the lowest key is next, and of equal ones the one with the lowest number. Pages in a cycle, or that require one,
    /// are left out.
    fn sorted<K: Ord>(&self, among: &[PageId], key: impl Fn(PageId) -> K) -> Vec<PageId> {
        let key = |page: PageId| (key(page), self.course.number(page), page);
        let mut waiting: BTreeMap<PageId, usize> = among.iter().map(|&page| (page, 0)).collect();
        let mut unlocks: BTreeMap<PageId, Vec<PageId>> = BTreeMap::new();
        for &page in among {
            for &required in self.prerequisites[&page].iter().filter(|page| waiting.contains_key(page)) {
                unlocks.entry(required).or_default().push(page);
            }
        }
        for &page in unlocks.values().flatten() {
            *waiting.entry(page).or_default() += 1;
        }
        let mut ready: BTreeSet<_> =
            waiting.iter().filter(|&(_, &count)| count == 0).map(|(&page, _)| key(page)).collect();
        let mut sorted = Vec::new();
        while let Some((_, _, page)) = ready.pop_first() {
            sorted.push(page);
            for unlocked in unlocks.remove(&page).unwrap_or_default() {
                let count = waiting.entry(unlocked).or_default();
                *count -= 1;
                if *count == 0 {
                    ready.insert(key(unlocked));
                }
            }
        }
        sorted
    }

    /// Places the labs in order, each when all labs that it requires, directly or through sections, are placed.
    fn place_labs(&mut self) {
        let course = self.course;
        let is_lab = |page: PageId| course.pages[page].kind == Kind::Lab;
        let all: Vec<PageId> = self.prerequisites.keys().copied().collect();
        // A section comes as soon as it can here, so that only labs decide which lab is next.
        for lab in self.sorted(&all, is_lab).into_iter().filter(|&page| is_lab(page)) {
            self.place_with_prerequisites(lab);
        }
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

    /// Places the sections that no lab requires. The pages placed so far keep their order, and each of these sections gets a
    /// slot, the number of pages before it: that of the section with the next number, or a later one, after its own
    /// prerequisites. In a slot, they follow by number, as far as their prerequisites allow.
    fn place_sections(&mut self, sections: &[PageId]) {
        let positions: BTreeMap<PageId, usize> = self.placed.iter().enumerate().map(|(at, &page)| (page, at)).collect();
        let mut slots: BTreeMap<PageId, usize> = BTreeMap::new();
        let mut slot = self.placed.len();
        for section in sections.iter().rev() {
            match positions.get(section) {
                Some(&at) => slot = at,
                None => drop(slots.insert(*section, slot)),
            }
        }
        let free: Vec<PageId> = slots.keys().copied().collect();
        for section in self.sorted(&free, |_| ()) {
            let after = |page: &PageId| positions.get(page).map_or_else(|| slots.get(page).copied(), |at| Some(at + 1));
            let earliest = self.prerequisites[&section].iter().filter_map(after).max().unwrap_or_default();
            slots.entry(section).and_modify(|slot| *slot = earliest.max(*slot));
        }
        let free = self.sorted(&free, |section| slots[&section]);
        self.done.extend(&free);
        let mut free = free.into_iter().peekable();
        let mut merged = Vec::new();
        for (at, page) in std::mem::take(&mut self.placed).into_iter().enumerate() {
            merged.extend(std::iter::from_fn(|| free.next_if(|section| slots[section] <= at)));
            merged.push(page);
        }
        merged.extend(free);
        self.placed = merged;
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
