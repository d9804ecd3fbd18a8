//! Resolves prerequisites to pages, and reports dependency cycles.

use std::collections::btree_map::{BTreeMap, Entry};
use std::collections::{BTreeSet, VecDeque};

use super::{Course, PageId, renamed};
use infralens_page::{FrontMatter, Kind};
use infralens_source::diag::{Diagnostic, Near, Place, codes, similar};
use infralens_source::yaml::Spanned;

/// Sets `prerequisites`, `required_by` and `handbook` of every page. Reports unknown names, prerequisites that are drafts,
/// and cycles.
pub fn relate(course: &mut Course) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for page in 0..course.pages.len() {
        let (after, handbook) = names(course, page);
        let sections = resolve_all(course, page, &handbook, &[Kind::Section], &mut diagnostics);
        let others = resolve_all(course, page, &after, &[Kind::Lab, Kind::Section], &mut diagnostics);
        for &section in &sections {
            course.page_mut(section).handbook.push(page);
        }
        let mut prerequisites = sections.clone();
        prerequisites.extend(others);
        prerequisites.sort_unstable();
        prerequisites.dedup();
        for &required in &prerequisites {
            course.page_mut(required).required_by.push(page);
        }
        course.page_mut(page).prerequisites = prerequisites;
        course.page_mut(page).handbook.extend(sections);
    }
    diagnostics.extend(cycles(course));
    diagnostics
}

/// Returns the names in the `after` of a page and in its formulas, and those in its `handbook`.
fn names(course: &Course, page: PageId) -> (Vec<Spanned<String>>, Vec<Spanned<String>>) {
    let page = &course.pages[page];
    let values_of = page.summary.iter().flat_map(|summary| summary.values_of.iter().cloned());
    let after = |front: &FrontMatter| front.after.iter().cloned().chain(values_of).collect();
    match (page.kind, page.front()) {
        (Kind::Section, Some(front)) => (after(front), Vec::new()),
        (Kind::Lab, Some(front)) => {
            (after(front), front.lab.as_ref().map_or_else(Vec::new, |lab| lab.handbook.clone()))
        }
        _ => (Vec::new(), Vec::new()),
    }
}

/// Resolves names to pages of the given kinds. Reports unknown names and drafts.
fn resolve_all(
    course: &Course,
    from: PageId,
    names: &[Spanned<String>],
    kinds: &[Kind],
    out: &mut Vec<Diagnostic>,
) -> Vec<PageId> {
    let mut found = Vec::new();
    // Short names cannot be resolved if the track of the page is unknown, which is already reported.
    let has_track = course.pages[from].track.is_some();
    for name in names.iter().filter(|name| has_track || name.value.contains('/')) {
        match resolve(course, from, name, kinds) {
            Ok(page) if !found.contains(&page) => found.push(page),
            Ok(_) => {}
            Err(diagnostic) => {
                out.push(*diagnostic);
                continue;
            }
        }
        if let Some(&page) = found.last() {
            out.extend(draft_needed(course, from, page, name));
        }
    }
    found
}

/// Returns the place of a name in the front matter of a page.
pub fn place(course: &Course, page: PageId, name: &Spanned<String>) -> Place {
    let path = course.pages[page].summary.as_ref().map_or_else(|| "".into(), |summary| summary.path.clone());
    Place::new(&path, name.span.clone())
}

/// Returns the page that a name in the front matter of page `from` refers to.
pub fn resolve(
    course: &Course,
    from: PageId,
    name: &Spanned<String>,
    kinds: &[Kind],
) -> Result<PageId, Box<Diagnostic>> {
    let (track, wanted) = match name.value.split_once('/') {
        Some((track, wanted)) => (course.tracks.iter().position(|known| *known.name == *track), wanted),
        None => (course.pages[from].track, name.value.as_str()),
    };
    let unknown = |message: String| Diagnostic::new(codes::E0401, place(course, from, name), message);
    let Some(track) = track else {
        let known = name.value.split('/').next().unwrap_or_default();
        let tracks = course.tracks.iter().map(|track| track.name.as_ref());
        let near = similar(known, tracks).map(|near| near.written(|track| format!("{track}/{wanted}")));
        return Err(Box::new(unknown(format!("track `{known}` does not exist")).meant(near)));
    };
    if let Some(found) = kinds.iter().find_map(|&kind| course.named(track, kind, wanted)) {
        return Ok(found);
    }
    let all = || kinds.iter().flat_map(|&kind| course.members(track, kind));
    let what = if kinds.contains(&Kind::Lab) { "lab or section" } else { "section" };
    let track_name = &course.tracks[track].name;
    let as_written = |page: &str| match name.value.split_once('/') {
        Some((track, _)) => format!("{track}/{page}"),
        None => page.to_owned(),
    };
    let diagnostic = unknown(format!("track `{track_name}` has no {what} `{wanted}`"));
    let renamed = renamed::lab(course, track, wanted).filter(|_| kinds.contains(&Kind::Lab));
    if let Some((lab, advice)) = renamed {
        return Err(Box::new(diagnostic.meant(Some(Near::unsure(as_written(lab)))).help(advice)));
    }
    let near = || similar(wanted, all().map(|page| course.pages[page].name())).map(|near| near.written(as_written));
    Err(Box::new(match elsewhere(course, kinds, wanted).map(Near::unsure).or_else(near) {
        Some(near) => diagnostic.meant(Some(near)),
        None if !kinds.contains(&Kind::Lab) => diagnostic.help("write the section's slug, without its number"),
        None => diagnostic.help("write a lab's full name, `lab-NN-slug`, or a section's slug without its number"),
    }))
}

/// Returns `track/name` of the page with exactly this name in another track, if there is one.
fn elsewhere(course: &Course, kinds: &[Kind], wanted: &str) -> Option<String> {
    let has_it = |track: &usize| kinds.iter().any(|&kind| course.named(*track, kind, wanted).is_some());
    (0..course.tracks.len()).find(has_it).map(|track| format!("{}/{wanted}", course.tracks[track].name))
}

/// Reports a draft that a published page requires.
fn draft_needed(course: &Course, from: PageId, needed: PageId, name: &Spanned<String>) -> Option<Diagnostic> {
    // If the front matter could not be parsed, the page may be a draft itself.
    if !course.pages[from].published || !course.pages[from].is_whole() || course.pages[needed].published {
        return None;
    }
    let path = &course.pages[needed].summary.as_ref()?.path;
    let dependent = &course.pages[from].summary.as_ref()?.path;
    let message = format!("`{dependent}` is published but requires `{path}`, which is a draft");
    Some(
        Diagnostic::new(codes::E0403, place(course, from, name), message)
            .help("publish the draft, make this page a draft too, or remove the prerequisite"),
    )
}

/// Reports one cycle for each group of pages that all require each other, directly or through others: the shortest through
/// the first of these pages. Other cycles of the group are often the same mistake, and there can be very many.
fn cycles(course: &Course) -> Vec<Diagnostic> {
    let mut group: Vec<Option<usize>> = vec![None; course.pages.len()];
    // The algorithm of Kosaraju: taken in this order, all pages that require `last` and have no group yet are in its group.
    for (number, &last) in prerequisites_last(course).iter().rev().enumerate() {
        let mut open = vec![last];
        while let Some(page) = open.pop() {
            if group[page].is_none() {
                group[page] = Some(number);
                open.extend(&course.pages[page].prerequisites);
            }
        }
    }
    let mut reported = BTreeSet::new();
    let mut diagnostics = Vec::new();
    for first in 0..course.pages.len() {
        if !reported.contains(&group[first])
            && let Some(cycle) = shortest_cycle(course, first, |page| group[page] == group[first])
        {
            reported.insert(group[first]);
            diagnostics.extend(cycle_error(course, &cycle));
        }
    }
    diagnostics
}

/// Returns all pages in the order in which a depth-first search through `required_by` leaves them.
fn prerequisites_last(course: &Course) -> Vec<PageId> {
    let mut is_entered = vec![false; course.pages.len()];
    let mut left = Vec::new();
    for start in 0..course.pages.len() {
        // An explicit stack, so that a chain of ten thousand labs does not overflow the thread's.
        let mut path: Vec<(PageId, usize)> = Vec::new();
        if !std::mem::replace(&mut is_entered[start], true) {
            path.push((start, 0));
        }
        while let Some((page, next)) = path.last_mut() {
            let Some(&dependent) = course.pages[*page].required_by.get(*next) else {
                left.push(*page);
                path.pop();
                continue;
            };
            *next += 1;
            if !std::mem::replace(&mut is_entered[dependent], true) {
                path.push((dependent, 0));
            }
        }
    }
    left
}

/// Returns the shortest cycle of prerequisites through `first` and pages of its group, beginning with `first`.
fn shortest_cycle(course: &Course, first: PageId, is_in_group: impl Fn(PageId) -> bool) -> Option<Vec<PageId>> {
    let mut found_from: BTreeMap<PageId, PageId> = BTreeMap::new();
    let mut open = VecDeque::from([first]);
    while let Some(page) = open.pop_front() {
        for &required in course.pages[page].prerequisites.iter().filter(|&&page| is_in_group(page)) {
            if required == first {
                let back = |page: &PageId| found_from.get(page).copied();
                let mut cycle: Vec<PageId> = std::iter::successors(Some(page), back).collect();
                cycle.reverse();
                return Some(cycle);
            }
            if let Entry::Vacant(found) = found_from.entry(required) {
                found.insert(page);
                open.push_back(required);
            }
        }
    }
    None
}

fn cycle_error(course: &Course, cycle: &[PageId]) -> Option<Diagnostic> {
    let &first = cycle.first()?;
    let names: Vec<String> = cycle.iter().chain(std::iter::once(&first)).map(|&page| full_name(course, page)).collect();
    let needed = *cycle.get(1).unwrap_or(&first);
    let (after, handbook) = self::names(course, first);
    let written = after
        .iter()
        .chain(&handbook)
        .find(|name| resolve(course, first, name, &[Kind::Lab, Kind::Section]).is_ok_and(|page| page == needed))?;
    Some(
        Diagnostic::new(
            codes::E0402,
            place(course, first, written),
            format!("dependency cycle: {}", names.join(" → ")),
        )
        .label("this prerequisite is part of the cycle")
        .help("remove one prerequisite: from `after`, from a lab's `handbook`, or a page's value from a formula"),
    )
}

fn full_name(course: &Course, page: PageId) -> String {
    let page = &course.pages[page];
    match page.track {
        Some(track) => format!("{}/{}", course.tracks[track].name, page.name()),
        None => page.name().to_string(),
    }
}
