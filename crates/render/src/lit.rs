//! Resolves which lines of an excerpt are lit: those that `light=` names, and those that are not in the piece of code that
//! `since=` names.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::bind::{ExcerptContext, Rows, merge};
use super::{Context, Subject};
use infralens_page::Excerpt;
use infralens_page::fence::Light;
use infralens_source::diag::{Diagnostic, Place, codes, similar};
use infralens_source::selector::Selector;
use infralens_source::source::Span;
use infralens_starter::compare::{Comparison, MAX_DIFFERENT, MAX_LINES, TooLarge};
use infralens_starter::excerpt::{Row, View};
use infralens_starter::listing::{Lines, SelectError};
use infralens_starter::{Listing, SelectedRows};

/// The lines of an excerpt that are lit.
#[derive(Debug, Clone, Default)]
pub struct Lit {
    /// The rows that `light=` names.
    pub rows: BTreeSet<usize>,
    /// The comparison with another piece.
    pub since: Option<Since>,
}

/// The piece of code with which an excerpt is compared.
#[derive(Debug, Clone)]
pub struct Since {
    pub listing: Arc<Listing>,
    /// Its rows.
    pub shown: SelectedRows,
    pub comparison: Comparison,
    /// The name of the version of the site that has the piece, if it is an older one.
    pub version: Option<Arc<str>>,
}

/// Numbers of lines in `light=` that have moved: the span of the term, and what it should be.
pub type MovedLight = (Span, String);

impl Since {
    /// Returns whether an excerpt of the same file shows all of its lines.
    pub fn is_shown_in(&self, other: &SelectedRows) -> bool {
        let known: BTreeSet<usize> = lines(other).collect();
        lines(&self.shown).all(|line| known.contains(&line))
    }
}

fn lines(shown: &SelectedRows) -> impl Iterator<Item = usize> {
    lines_with_rows(shown).map(|(line, _)| line)
}

/// Returns the lines of the file, from 0, each with its row.
fn lines_with_rows(shown: &SelectedRows) -> impl Iterator<Item = (usize, usize)> {
    let rows = shown.rows.iter().enumerate();
    rows.filter_map(|(row, shown)| if let Row::Line(line) = shown { Some((*line, row)) } else { None })
}

/// Resolves the lines of an excerpt that are lit. `moved` are the numbers that a stale pin shows to be outdated.
pub(super) fn resolve(
    cx: Context<'_>,
    subject: Subject<'_>,
    excerpt: &Excerpt,
    listing: &Listing,
    shown: &SelectedRows,
    moved: &[MovedLight],
    out: &mut Vec<Diagnostic>,
) -> Lit {
    if excerpt.lights.is_empty() && excerpt.since.is_none() {
        return Lit::default();
    }
    let view = shown.view(listing);
    let context = ExcerptContext { page: &subject.document.source, excerpt, listing, shown, view: &view };
    Lit { rows: context.lights(moved, out), since: context.since(cx, subject, out) }
}

impl ExcerptContext<'_> {
    /// Returns the rows that `light=` names. Reports what the excerpt does not show.
    fn lights(&self, moved: &[MovedLight], out: &mut Vec<Diagnostic>) -> BTreeSet<usize> {
        let mut rows: Vec<Rows> = Vec::new();
        let shown: BTreeMap<usize, usize> = lines_with_rows(self.shown).collect();
        for (light, span) in &self.excerpt.lights {
            let moved = moved.iter().find(|(of, _)| of == span).and_then(|(_, lines)| Selector::parse(lines).ok());
            match light {
                Light::Lines(selector) => {
                    let selector = moved.as_ref().unwrap_or(selector);
                    let lines = self.listing.select(selector);
                    match lines.as_ref().ok().and_then(|lines| self.rows_of_lines(&shown, lines)) {
                        Some(found) => rows.push(found),
                        None => out.push(self.unlit(span, selector, lines.err())),
                    }
                }
                Light::Text(text) => {
                    let found = self.view.all(text);
                    if found.is_empty() {
                        let message = format!("`{text}` is not in the excerpt, so no line is lit");
                        out.push(
                            Diagnostic::new(codes::E0318, self.place(span), message)
                                .label(format!("not in {}", self.excerpt_name()))
                                .meant(similar(text, self.view.identifiers())),
                        );
                    }
                    rows.extend(found.into_iter().map(|found| found.row..found.row + 1));
                }
            }
        }
        let is_line = |row: &usize| matches!(self.shown.rows[*row], Row::Line(_));
        merge(rows).into_iter().flatten().filter(is_line).collect()
    }

    /// Returns the rows of lines of the file; `None` if the first or the last of them is not shown.
    fn rows_of_lines(&self, shown: &BTreeMap<usize, usize>, lines: &Lines) -> Option<Rows> {
        let mut visible = lines.clone().filter(|&line| !self.listing.is_marker(line));
        let start = visible.next()?;
        let end = visible.next_back().unwrap_or(start);
        Some(*shown.get(&start)?..*shown.get(&end)? + 1)
    }

    fn unlit(&self, span: &Span, selector: &Selector, error: Option<SelectError>) -> Diagnostic {
        let is_one = self.listing.numbered_lines(selector).is_none_or(|(first, last)| first == last);
        let (what, shown) = if is_one {
            ("is", "only a line that the excerpt shows can be lit")
        } else {
            ("are", "the excerpt must show the first and the last of the lines")
        };
        let diagnostic =
            Diagnostic::new(codes::E0318, self.place(span), format!("`{selector}` {what} not in the excerpt"))
                .label(format!("not in {}", self.excerpt_name()));
        let path = self.listing.source().path();
        let count = self.listing.line_count();
        diagnostic.help(match error {
            Some(error) if self.listing.is_notebook() => error.help.into_iter().next().unwrap_or(error.message),
            Some(_) => format!("`{path}` has {count} lines; numbers are those of the file"),
            None => format!("numbers are those of the file, and {shown}"),
        })
    }

    /// Compares the excerpt with the piece that `since=` names.
    fn since(&self, cx: Context<'_>, subject: Subject<'_>, out: &mut Vec<Diagnostic>) -> Option<Since> {
        let file = self.excerpt.since.as_ref().filter(|file| !file.is_unread)?;
        // An invalid path or a missing file was reported when starters were collected.
        let listing = cx.listings.get(subject.named(&file.path).ok()?.as_str())?;
        let (mut ranges, mut has_failed) = (Vec::new(), false);
        for (selector, span) in &file.selectors {
            match listing.select(selector) {
                Ok(lines) => ranges.push(lines),
                Err(error) => {
                    has_failed = true;
                    // A broken marker is reported itself.
                    if !listing.is_doubtful(selector) {
                        let code = error.code;
                        out.push(error.diagnostic(self.page, code, span, selector));
                    }
                }
            }
        }
        if has_failed || file.selectors.iter().any(|(selector, _)| listing.is_doubtful(selector)) {
            return None;
        }
        if file.selectors.is_empty() {
            ranges.push(0..listing.line_count());
        }
        let shown = SelectedRows::new(listing, ranges);
        let path = listing.source().path();
        if lines(&shown).all(|line| listing.line(line).trim().is_empty()) {
            let message = format!("this piece of `{path}` has no code to compare with");
            let help = "the selected lines are blank or markers";
            out.push(Diagnostic::new(codes::E0305, self.place(&file.span), message).help(help));
            return None;
        }
        if path == self.listing.source().path() && shown == *self.shown {
            let message = "this excerpt is compared with itself, so no line can have changed";
            out.push(
                Diagnostic::new(codes::W0309, self.place(&file.span), message)
                    .help("name the piece that its code was made from"),
            );
        }
        match self.compare(&shown.view(listing)) {
            Ok(comparison) => Some(Since { listing: Arc::clone(listing), shown, comparison, version: None }),
            Err(message) => {
                out.push(
                    Diagnostic::new(codes::E0319, self.place(&file.span), message)
                        .help("compare smaller pieces, which readers can compare, too"),
                );
                None
            }
        }
    }

    fn compare(&self, old: &View<'_>) -> Result<Comparison, String> {
        Comparison::new(old, self.view).map_err(|error| match error {
            TooLarge::Lines(lines) => {
                format!("one of the two pieces has {lines} lines, which is more than {MAX_LINES}")
            }
            TooLarge::Different => format!("the two pieces differ in more than {MAX_DIFFERENT} lines"),
        })
    }

    /// Places a diagnostic about lines that are lit by their numbers in a fence without a pin.
    pub(super) fn unpinned_light(&self) -> Option<(Place, String)> {
        let lit = self.excerpt.lights.iter().find(|(light, _)| matches!(light, Light::Lines(..)));
        let message = "these lines are lit by their numbers, and nothing detects when they move";
        lit.map(|(_, span)| (self.place(span), message.to_owned()))
    }
}
