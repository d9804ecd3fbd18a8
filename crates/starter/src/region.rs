//! Finds regions: the parts of a starter file that are named by comments in it.
//!
//! A marker is a comment that is alone on its line. Each line is parsed in the comment styles of the file, then opening and
//! closing markers are matched, and those without a counterpart are reported.
//!
//! Lines are parsed one by one, so markers inside a multi-line string (a docstring, a here-document) count, too.

mod comment;
mod marker;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use marker::{Form, Marker};

use super::excerpt::is_word;
use super::language::comment_styles;
use infralens_source::source::{is_name_char, lines_from};

pub(super) use comment::CommentStyle;

/// A named part of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// Its name, unique in the file.
    pub name: String,
    /// The byte range of the name in the opening marker.
    pub marker: Range<usize>,
    /// The lines between the markers, from 0, which may include other markers. An unclosed region extends to the end of the
    /// file, so that references to it are not reported as well.
    pub lines: Range<usize>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Regions {
    /// The regions, in the order of their opening markers. If a name is repeated, only the first region is kept.
    pub named: Vec<Region>,
    /// The lines (from 0, sorted) that are markers, which are never shown. Includes markers without a name.
    pub marker_lines: Vec<usize>,
    /// The invalid markers, in the order of the file.
    pub problems: Vec<RegionProblem>,
    /// The names with invalid markers. If an `#endregion` is missing or left over, every `#region` is among them, because it
    /// may end elsewhere than was meant.
    doubtful: BTreeSet<String>,
}

impl Regions {
    /// Returns whether a marker of this region is invalid, so that its lines, or whether it exists, are uncertain.
    pub fn is_doubtful(&self, name: &str) -> bool {
        // It may have been meant by a marker that is not read.
        let is_left =
            |problem: &RegionProblem| problem.kind == RegionProblemKind::NeverOpened && problem.name.is_empty();
        self.doubtful.contains(name) || self.problems.iter().any(is_left)
    }

    /// Adds the regions of a text below, which begins with the line `first` (from 0) at the offset `at`. A region is in one
    /// text, and its name in no other.
    pub(super) fn append(&mut self, below: Self, first: usize, at: usize) {
        self.marker_lines.extend(below.marker_lines.into_iter().map(|line| line + first));
        let moved = |span: Range<usize>| span.start + at..span.end + at;
        for region in below.named {
            let (name, marker) = (region.name, moved(region.marker));
            if let Some(known) = self.named.iter().find(|known| known.name == name) {
                let kind = RegionProblemKind::Duplicate { first: known.lines.start.saturating_sub(1) };
                self.doubtful.insert(name.clone());
                self.problems.push(RegionProblem { kind, at: marker, name });
            } else {
                self.named.push(Region { name, marker, lines: region.lines.start + first..region.lines.end + first });
            }
        }
        self.problems.extend(below.problems.into_iter().map(|mut problem| {
            if let RegionProblemKind::Duplicate { first: known } = &mut problem.kind {
                *known += first;
            }
            RegionProblem { at: moved(problem.at), ..problem }
        }));
        self.doubtful.extend(below.doubtful);
    }
}

/// An invalid marker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionProblem {
    pub kind: RegionProblemKind,
    /// The byte range of the name, or of the keyword if there is no name.
    pub at: Range<usize>,
    /// The name as written; empty if there is none.
    pub name: String,
}

/// The ways in which a marker can be invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegionProblemKind {
    /// An earlier region, of either form, has the same name.
    Duplicate {
        /// The line of the earlier opening marker, from 0.
        first: usize,
    },
    /// The region is never closed.
    Unterminated,
    /// The region is closed but was not opened before.
    NeverOpened,
    /// The region was closed before.
    EndedTwice,
    /// The marker is not written as it must be, such as `ANCHOR a` for `ANCHOR: a`.
    Misspelled {
        /// Whether it closes the region.
        is_end: bool,
    },
    /// The name is missing, has characters other than letters, digits, `_` and `-`, or looks like lines (`L10`, `L3-L5`).
    BadName,
}

/// Finds the regions of a file. `path` determines the comment styles; byte ranges and lines refer to `text`.
///
/// `#region` with several words (`#region Public methods`) is an unnamed fold, which is hidden and closed by its own
/// `#endregion`. Text after `#endregion` is ignored. If `#` itself opens comments, `# region x` may be a marker or prose:
/// with one name after it, it is a marker; with several words, it is prose, unless there are more `#endregion`s than
/// markers. Then the markers are matched a second time, and such comments open folds.
pub fn regions(path: &str, text: &str) -> Regions {
    let styles = comment_styles(path);
    let mut markers = Vec::new();
    let mut lines = 0;
    for (start, line) in lines_from(text, 0) {
        if ["ANCHOR", "Anchor", "anchor", "region"].iter().any(|word| line.contains(word)) {
            let marker = comment::comments(line, styles).find_map(|comment| marker::read(line, &comment));
            markers.extend(marker.map(|marker| Placed { text, start, line: lines, marker }));
        }
        lines += 1;
    }
    let matched = |folds: bool| {
        let mut matcher = Matcher::default();
        for placed in &markers {
            matcher.add(placed, folds);
        }
        (matcher.ends_left, matcher.finish(lines))
    };
    let (ends_left, regions) = matched(false);
    if ends_left { matched(true).1 } else { regions }
}

/// Returns the two comments that mark a region, in the comment style of a file.
pub fn markers(path: &str, name: &str) -> (String, String) {
    let (open, close) = comment_styles(path).first().copied().unwrap_or(("#", ""));
    let comment = |word: &str| format!("{open} {word}: {name} {close}").trim_end().to_owned();
    (comment("ANCHOR"), comment("ANCHOR_END"))
}

/// Returns whether a line was probably meant to open the region `name`: `# Anchor: x`, `// ANCHOR_START: x`, `# [START x]`.
/// In a file that nobody asks for that region, it may be prose.
pub fn is_near_marker(line: &str, name: &str) -> bool {
    const KEYWORDS: [&str; 13] = [
        "anchor", "anchor_start", "anchor_begin", "start_anchor", "begin_anchor", "region", "region_start",
        "region_begin", "start_region", "begin_region", "start", "begin", "tag",
    ];
    let Some((before, after)) = line.rsplit_once(name) else { return false };
    let words = before.split(|c: char| !is_name_char(c)).map(|word| word.trim_matches('-'));
    let keyword: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let keyword = keyword.join("_").replace('-', "_").to_lowercase();
    before.ends_with(|c: char| !is_name_char(c)) && !after.contains(is_word) && KEYWORDS.contains(&keyword.as_str())
}

/// Returns whether a line has code and behind it a marker of the region `name`, or if that is empty, of any region.
pub fn is_beside_code(path: &str, line: &str, name: &str) -> bool {
    let styles = comment_styles(path);
    styles.iter().any(|(open, _)| {
        let at = line.rfind(open).filter(|&at| !line[..at].trim().is_empty());
        let behind = at.map(|at| &line[at..]).filter(|behind| behind.len() > open.len());
        behind.is_some_and(|behind| {
            let is_named = |Marker { name: at, form, .. }: Marker| {
                name.is_empty() || at.map_or(form == Form::RegionEnd, |at| &behind[at] == name)
            };
            let mut markers = comment::comments(behind, styles).filter_map(|comment| marker::read(behind, &comment));
            markers.any(is_named) || !name.is_empty() && is_near_marker(behind, name)
        })
    })
}

/// A marker in its file.
struct Placed<'t> {
    text: &'t str,
    /// The offset at which its line begins.
    start: usize,
    line: usize,
    marker: Marker,
}

impl<'t> Placed<'t> {
    /// Returns the name as written, empty if there is none, and the byte range to report.
    fn name(&self) -> (&'t str, Range<usize>) {
        let range = self.marker.name.as_ref().unwrap_or(&self.marker.keyword);
        let at = self.start + range.start..self.start + range.end;
        let name = if self.marker.name.is_some() { &self.text[at.clone()] } else { "" };
        (name, at)
    }

    fn problem(&self, kind: RegionProblemKind) -> RegionProblem {
        let (name, at) = self.name();
        RegionProblem { kind, at, name: name.to_owned() }
    }
}

/// A named region whose opening marker was read.
struct Opened<'t> {
    name: &'t str,
    at: Range<usize>,
    line: usize,
    is_duplicate: bool,
    is_fold: bool,
    end: Option<usize>,
}

/// A `#region` that is open.
enum Fold {
    /// A region, by its index in [`Matcher::opened`].
    Named(usize),
    Hidden,
    /// `# region …` on this line, which is a marker if it is closed.
    Perhaps(usize),
}

/// The state while markers are matched.
#[derive(Default)]
struct Matcher<'t> {
    opened: Vec<Opened<'t>>,
    /// The line of the first opening marker of each name.
    first: HashMap<&'t str, usize>,
    /// For each name that was ever opened with `ANCHOR`, the open regions, innermost last.
    anchors: HashMap<&'t str, Vec<usize>>,
    folds: Vec<Fold>,
    ends_left: bool,
    marker_lines: Vec<usize>,
    problems: Vec<RegionProblem>,
}

impl<'t> Matcher<'t> {
    /// Adds the next marker. With `folds`, an ambiguous comment counts as a fold, otherwise as prose.
    fn add(&mut self, placed: &Placed<'t>, folds: bool) {
        let form = placed.marker.form;
        if form == Form::PerhapsFold {
            if folds {
                self.folds.push(Fold::Perhaps(placed.line));
            }
            return;
        }
        self.marker_lines.push(placed.line);
        let (name, _) = placed.name();
        if !placed.marker.is_exact {
            self.problems.push(placed.problem(RegionProblemKind::Misspelled { is_end: form == Form::AnchorEnd }));
        }
        let is_bad = matches!(form, Form::Anchor | Form::AnchorEnd | Form::Region) && !marker::is_name(name);
        if is_bad {
            self.problems.push(placed.problem(RegionProblemKind::BadName));
        }
        match form {
            Form::Region if is_bad => self.folds.push(Fold::Hidden),
            Form::Anchor | Form::AnchorEnd if is_bad => {}
            Form::Anchor => {
                let index = self.open(placed);
                self.anchors.entry(name).or_default().push(index);
            }
            Form::AnchorEnd => self.close_anchor(placed),
            Form::Region => {
                let index = self.open(placed);
                self.folds.push(Fold::Named(index));
            }
            Form::Fold | Form::PerhapsFold => self.folds.push(Fold::Hidden),
            Form::RegionEnd => self.close_fold(placed),
        }
    }

    /// Adds a named region, and returns its index in `opened`.
    fn open(&mut self, placed: &Placed<'t>) -> usize {
        let (name, at) = placed.name();
        let earlier = self.first.get(name).copied();
        match earlier {
            Some(first) => self.problems.push(placed.problem(RegionProblemKind::Duplicate { first })),
            None => {
                self.first.insert(name, placed.line);
            }
        }
        let is_fold = placed.marker.form == Form::Region;
        self.opened.push(Opened { name, at, line: placed.line, is_duplicate: earlier.is_some(), is_fold, end: None });
        self.opened.len() - 1
    }

    fn close_anchor(&mut self, placed: &Placed<'t>) {
        let open = self.anchors.get_mut(placed.name().0);
        let was_opened = open.is_some();
        match open.and_then(Vec::pop) {
            Some(index) => self.opened[index].end = Some(placed.line),
            None if was_opened => self.problems.push(placed.problem(RegionProblemKind::EndedTwice)),
            None => self.problems.push(placed.problem(RegionProblemKind::NeverOpened)),
        }
    }

    fn close_fold(&mut self, placed: &Placed<'t>) {
        match self.folds.pop() {
            Some(Fold::Named(index)) => self.opened[index].end = Some(placed.line),
            Some(Fold::Perhaps(line)) => self.marker_lines.push(line),
            Some(Fold::Hidden) => {}
            None => {
                self.ends_left = true;
                self.problems.push(placed.problem(RegionProblemKind::NeverOpened));
            }
        }
    }

    /// Returns the regions of a file with `lines` lines.
    fn finish(mut self, lines: usize) -> Regions {
        let is_open = |fold: &Fold| !matches!(fold, Fold::Perhaps(_));
        let has_loose_folds = self.ends_left || self.folds.iter().any(is_open);
        let (mut named, mut doubtful) = (Vec::new(), BTreeSet::new());
        for opened in self.opened.into_iter().filter(|opened| !opened.is_duplicate) {
            let name = opened.name.to_owned();
            if opened.end.is_none() {
                self.problems.push(RegionProblem {
                    kind: RegionProblemKind::Unterminated,
                    at: opened.at.clone(),
                    name: name.clone(),
                });
            }
            if opened.is_fold && has_loose_folds {
                doubtful.insert(name.clone());
            }
            named.push(Region { name, marker: opened.at, lines: opened.line + 1..opened.end.unwrap_or(lines) });
        }
        self.marker_lines.sort_unstable();
        self.problems.sort_by_key(|problem| problem.at.start);
        doubtful.extend(self.problems.iter().map(|problem| problem.name.clone()));
        Regions { named, marker_lines: self.marker_lines, problems: self.problems, doubtful }
    }
}
