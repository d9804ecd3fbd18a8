//! An excerpt that is compared with an older piece: what its head says, the signs of its lines, and its second form, *Only
//! changes*, in which unchanged lines are folded and old lines stand above those that replace them.

use std::ops::Range;

use super::code::{self, Overlay, Tag};
use super::escape;
use super::excerpt::{BoundExcerpt, line_count};
use super::lit::Since;
use super::note_layout::{self, power_classes};
use super::omission::Omissions;
use infralens_course::config::Config;
use infralens_course::config::labels::Labels;
use infralens_source::put;
use infralens_source::url;
use infralens_starter::compare::OldLine;
use infralens_starter::excerpt::{View, ViewRow};

/// The letter of the classes for a number of rows in the second form.
const CHANGES: char = 'q';
/// Unchanged lines are folded if there are at least so many.
const SHORTEST_FOLD: usize = 2;

/// The comparison of an excerpt with an older piece.
pub struct Changes<'a> {
    excerpt: &'a BoundExcerpt<'a>,
    since: &'a Since,
    old: View<'a>,
    /// The rows that the second form folds.
    folds: Vec<Range<usize>>,
}

impl<'a> Changes<'a> {
    /// Prepares the comparison; `None` if the excerpt is not compared.
    pub fn new(excerpt: &'a BoundExcerpt<'a>) -> Option<Self> {
        let since = excerpt.lit.since.as_ref()?;
        let (comparison, rows) = (&since.comparison, excerpt.shown.rows.len());
        let mut stays = vec![false; rows];
        let markers = excerpt.bound.iter().flat_map(|bound| &bound.rows).map(|rows| rows.start);
        let omitted = (0..rows).filter(|&row| excerpt.shown.line_number(row).is_none());
        let named = markers.chain(omitted).chain(comparison.lines.keys().copied());
        for row in named.chain(excerpt.lit.rows.iter().copied()) {
            stays[row] = true;
        }
        let mut folds: Vec<Range<usize>> = Vec::new();
        for row in (0..rows).filter(|&row| !stays[row]) {
            match folds.last_mut() {
                // A line that is gone has its place.
                Some(fold) if fold.end == row && !comparison.above.contains_key(&row) => fold.end += 1,
                _ => folds.push(row..row + 1),
            }
        }
        let is_same = comparison.lines.is_empty() && comparison.above.is_empty();
        folds.retain(|fold| fold.len() >= SHORTEST_FOLD && !is_same);
        Some(Self { excerpt, since, old: since.shown.view(&since.listing), folds })
    }

    /// Returns whether a line is changed or new.
    pub fn is_lit(&self, row: usize) -> bool {
        self.since.comparison.lines.contains_key(&row)
    }

    /// Returns whether the second form folds a row.
    pub fn is_folded(&self, row: usize) -> bool {
        let at = self.folds.partition_point(|fold| fold.end <= row);
        self.folds.get(at).is_some_and(|fold| fold.contains(&row))
    }

    /// Returns how many rows the second form shows above a row, with the old lines directly above it.
    fn position(&self, row: usize) -> usize {
        let above = row.min(self.excerpt.shown.rows.len());
        let hidden = |fold: &Range<usize>| above.min(fold.end).saturating_sub(fold.start);
        let folded = self.folds.iter().take_while(|fold| fold.start < above);
        // A fold has a row of its own.
        let hidden: usize = folded.map(|fold| hidden(fold).saturating_sub(1)).sum();
        let old: usize = self.since.comparison.above.range(..=row).map(|(_, lines)| lines.len()).sum();
        above - hidden + old
    }

    /// Returns the classes of the number of rows that the second form shows from the start of a range to its end.
    pub fn classes(&self, rows: &Range<usize>) -> String {
        let start = if rows.start == 0 { 0 } else { self.position(rows.start) };
        power_classes(CHANGES, self.position(rows.end).saturating_sub(start))
    }

    /// Writes the second row of the head: how many lines differ, since which piece, and the switch to the second form.
    /// `href` is the link to the piece on its starter's page.
    pub fn head(&self, out: &mut String, labels: &Labels, href: &str) {
        let [changed, new, gone] = self.since.comparison.counts();
        let counts = [(changed, &labels.lines_changed), (new, &labels.lines_new), (gone, &labels.lines_gone)];
        let counts = counts.into_iter().filter(|(count, _)| *count > 0);
        let mut counted = counts.map(|(count, label)| label.with(count)).collect::<Vec<_>>().join(", ");
        let has_changes = !counted.is_empty();
        if !has_changes {
            counted = labels.lines_changed.with(0);
        }
        let lines = match self.since.shown.bounds() {
            Some((first, last)) if first < last => {
                let [first, last] = [first, last].map(|line| self.since.listing.number(line - 1));
                labels.since_lines.replace("{n}", &format!("{first}–{last}"))
            }
            bounds => labels.since_line.with(bounds.map_or(0, |(first, _)| self.since.listing.number(first - 1))),
        };
        let (href, name) = match self.excerpt.compared {
            Some((number, caption)) => (format!("#{}E{number}", self.excerpt.prefix), caption),
            None => (href.to_owned(), None),
        };
        let name = self.since.version.as_deref().or(name);
        let name = name.unwrap_or_else(|| url::file_name(self.since.listing.source().path()));
        let lines = escape::text(&lines);
        // A record has no page of its own, and an older version of a file no page here.
        let link =
            if href.is_empty() { lines } else { format!("<a href=\"{}\">{lines}</a>", escape::attribute(&href)) };
        let since = escape::text(&labels.since).replace("{n}", &format!("{link}, {}", escape::text(name)));
        put!(out, "<div class=\"since\"><span>{} {since}</span>", escape::text(&counted));
        if has_changes {
            let only = escape::text(&labels.only_changes);
            put!(out, "<label><input class=\"only\" type=\"checkbox\"> {only}</label>");
        }
        out.push_str("</div>\n");
    }

    /// Writes what only the second form shows above a row: the row of a fold, and old lines.
    pub fn above(&self, out: &mut String, config: &Config, row: usize) {
        for line in self.since.comparison.above.get(&row).into_iter().flatten() {
            self.old_line(out, &config.labels, line);
        }
        if let Ok(at) = self.folds.binary_search_by_key(&row, |fold| fold.start) {
            let count = escape::text(&line_count(config, self.folds[at].len()));
            put!(out, "<span class=\"omitted folded\">⋯ {count}\n</span>");
        }
    }

    fn old_line(&self, out: &mut String, labels: &Labels, old: &OldLine) {
        let Some(ViewRow::Line(line)) = self.old.rows.get(old.row) else { return };
        let (number, sign) = (code::line_numbers(&self.since.listing, line.line), sign(&labels.word_gone));
        put!(out, "<del class=\"old\"{number}>{sign}");
        let struck = old.words.iter().flatten();
        let struck: Vec<Overlay> = struck.map(|columns| Overlay { columns: columns.clone(), tag: Tag::Gone }).collect();
        // In gray, so that it is not taken for code of the excerpt.
        code::push_line(out, line.text, &[code::uncolored(line.text)], &struck);
        out.push_str("\n</del>");
    }

    /// Writes the sign of a line that is changed or new.
    pub fn sign(&self, out: &mut String, labels: &Labels, row: usize) {
        if let Some(line) = self.since.comparison.lines.get(&row) {
            out.push_str(&sign(if line.is_changed { &labels.word_changed } else { &labels.word_new }));
        }
    }
}

/// Returns the sign of a line. The style sheet draws it and gives screen readers the word, so that neither is copied.
fn sign(word: &str) -> String {
    format!("<b class=\"sign\" data-word=\"{}\"></b>", escape::attribute(word))
}

impl BoundExcerpt<'_> {
    /// Returns the classes by which numbers of rows change, each from the start of a range to its end: if omissions open, and in
    /// the second form of a comparison.
    pub fn row_classes(&self, ranges: impl IntoIterator<Item = Range<usize>>) -> Vec<String> {
        let (changes, omissions) = (Changes::new(self), Omissions::new(self));
        let classes = |rows: Range<usize>| {
            let changes = changes.as_ref().map(|changes| changes.classes(&rows)).unwrap_or_default();
            changes + &omissions.classes(&rows)
        };
        ranges.into_iter().map(classes).collect()
    }

    /// Returns these classes for the list of notes, which begins with the first one, and then for each note, which goes on to
    /// the next one.
    pub fn note_row_classes(&self) -> Vec<String> {
        let starts = note_layout::starts(self.bound);
        let list = 0..starts.first().copied().unwrap_or(0);
        let ends = starts.iter().skip(1).chain(starts.last());
        self.row_classes(std::iter::once(list).chain(starts.iter().zip(ends).map(|(&start, &end)| start..end)))
    }
}
