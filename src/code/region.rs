//! Regions: the parts of a starter file that its own comments name.
//!
//! A marker is the only text of a comment that stands alone on its line. Steps: each line is read as a marker or not, in
//! the comment styles of its file; the markers are paired; what does not pair is a problem.
//!
//! Lines are judged one by one, so a marker inside a string of several lines (a docstring, a here-document) counts.

mod comment;
mod marker;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

pub use comment::{CommentStyle, comment_styles};
use marker::{Form, Marker};

/// A named part of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// Its name, unique in the file.
    pub name: String,
    /// The bytes of the name in the opening marker.
    pub marker: Range<usize>,
    /// The lines between the markers, from 0; other markers may stand among them. A region that is never closed
    /// reaches to the end of the file, so that what refers to it is not reported a second time.
    pub lines: Range<usize>,
}

/// All that a file's markers say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Regions {
    /// The regions, in the order of their opening markers. Of a name given twice, the first is kept.
    pub named: Vec<Region>,
    /// The lines, from 0 and sorted, that are markers and so never shown; unnamed ones are among them.
    pub marker_lines: Vec<usize>,
    /// The markers that make no sense, in the order of the file.
    pub problems: Vec<RegionProblem>,
    /// The names whose markers make no sense. Where an `#endregion` is missing or left over, any `#region` may end
    /// elsewhere than was meant.
    doubtful: BTreeSet<String>,
}

impl Regions {
    /// Whether a marker of this region makes no sense, so that its lines, or that it is missing, say nothing.
    #[must_use]
    pub fn is_doubtful(&self, name: &str) -> bool {
        self.doubtful.contains(name)
    }
}

/// A marker that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionProblem {
    /// What is wrong.
    pub kind: RegionProblemKind,
    /// The bytes of the name, or of the marker's keyword where it has none.
    pub at: Range<usize>,
    /// The name as written; empty where there is none.
    pub name: String,
    /// The line, from 0.
    pub line: usize,
}

/// What can be wrong with a marker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegionProblemKind {
    /// The name was given to an earlier region, of either form.
    Duplicate {
        /// The line of the earlier opening marker, from 0.
        first: usize,
    },
    /// The region is opened and never closed.
    Unterminated,
    /// The region is closed and was not opened before.
    NeverOpened,
    /// The region was closed before.
    EndedTwice,
    /// The name is missing, has other characters than letters, digits, `_` and `-`, or reads as lines (`L10`, `L3-L5`).
    BadName,
}

/// Finds the regions of a file. `path` chooses the comment styles; byte ranges and lines are those of `text`.
///
/// `#region` before several words (`#region Public methods`) is an unnamed fold: hidden, and closed by its own
/// `#endregion`; what follows `#endregion` is not read. Where `#` itself opens a comment, the spaced form is a marker before
/// one name (`# region setup`), and otherwise prose (`# region of interest`) unless an `#endregion` is left over for it.
#[must_use]
pub fn regions(path: &str, text: &str) -> Regions {
    let styles = comment_styles(path);
    let mut markers = Vec::new();
    let (mut start, mut lines) = (0, 0);
    for line in text.split_inclusive('\n') {
        if line.contains("ANCHOR") || line.contains("region") {
            let marker = comment::comments(line, styles).find_map(|comment| marker::read(line, &comment));
            markers.extend(marker.map(|marker| Placed { text, start, line: lines, marker }));
        }
        start += line.len();
        lines += 1;
    }
    let (regions, ends_left) = pair(&markers, lines, false);
    if ends_left { pair(&markers, lines, true).0 } else { regions }
}

/// The two comments that mark a region, in the style of a file.
#[must_use]
pub fn markers(path: &str, name: &str) -> (String, String) {
    let styles = comment_styles(path);
    let (open, close) = styles.first().map_or(("#", ""), |style| style.delimiters()[0]);
    let comment = |word: &str| format!("{open} {word}: {name} {close}").trim_end().to_owned();
    (comment("ANCHOR"), comment("ANCHOR_END"))
}

/// Pairs the markers of a file of `lines` lines; whether an `#endregion` is left over. What is a fold or prose is the one
/// or the other by `folds`.
fn pair(markers: &[Placed], lines: usize, folds: bool) -> (Regions, bool) {
    let mut pairing = Pairing::default();
    for placed in markers {
        pairing.add(placed, folds);
    }
    let ends_left = pairing.ends_left;
    (pairing.finish(lines), ends_left)
}

/// A marker in its file.
struct Placed<'t> {
    text: &'t str,
    /// Where its line begins.
    start: usize,
    line: usize,
    marker: Marker,
}

impl<'t> Placed<'t> {
    /// The name as written, empty where there is none, and the bytes to point at.
    fn name(&self) -> (&'t str, Range<usize>) {
        let range = self.marker.name.as_ref().unwrap_or(&self.marker.keyword);
        let at = self.start + range.start..self.start + range.end;
        let name = if self.marker.name.is_some() { &self.text[at.clone()] } else { "" };
        (name, at)
    }

    fn problem(&self, kind: RegionProblemKind) -> RegionProblem {
        let (name, at) = self.name();
        RegionProblem { kind, at, name: name.to_owned(), line: self.line }
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
    /// By its index in [`Pairing::opened`].
    Named(usize),
    Hidden,
    /// `# region …` on this line, which is a marker once it is closed.
    Perhaps(usize),
}

/// The markers so far.
#[derive(Default)]
struct Pairing<'t> {
    opened: Vec<Opened<'t>>,
    /// The line of the first opening marker of each name.
    first: HashMap<&'t str, usize>,
    /// The open ones of each name that was ever opened with `ANCHOR`, innermost last.
    anchors: HashMap<&'t str, Vec<usize>>,
    folds: Vec<Fold>,
    ends_left: bool,
    marker_lines: Vec<usize>,
    problems: Vec<RegionProblem>,
}

impl<'t> Pairing<'t> {
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

    /// Notes that a named region begins; its index in `opened`.
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

    /// What the markers of a file of `lines` lines say, now that all are read.
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
                    line: opened.line,
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
