//! Excerpts and their notes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::lines::{self, Line, Sign, Words};
use super::pages::{Pair, View};
use super::{Change, Kind, Quote};
use infralens_page::Excerpt;
use infralens_render::lit::{Lit, Since};
use infralens_render::page::ResolvedExcerpt;
use infralens_render::passage::NoteText;
use infralens_source::diag::quantity;
use infralens_starter::compare::Comparison;
use infralens_starter::excerpt::ViewRow;

/// The least similarity of two notes of which one has become the other.
const ALIKE: f64 = 0.4;
/// The maximum number of pairs of excerpts or notes that are compared with each other.
const MAX_PAIRS: usize = 1 << 12;

/// The excerpts of one version of a page, as [`infralens_render::page::Facts`] has them, with the texts of their notes.
struct Shown<'a> {
    view: View<'a>,
    notes: Vec<Vec<NoteText>>,
}

/// Which excerpts and notes of two versions of a page are the same.
pub(crate) struct Matches<'a> {
    old: Shown<'a>,
    new: Shown<'a>,
    /// The index in the older version of each excerpt of the newer one.
    excerpts: Vec<Option<usize>>,
    /// The same for the notes of each excerpt that is in both.
    notes: Vec<Vec<Option<usize>>>,
}

impl<'a> Shown<'a> {
    fn new(view: View<'a>) -> Self {
        let mut texts = view.source.note_texts().into_iter();
        let notes = view.source.facts.excerpts.iter().map(|resolved| {
            let count = written(&view, resolved).notes.len();
            texts.by_ref().take(count).collect()
        });
        Self { view, notes: notes.collect() }
    }

    fn resolved(&self, index: usize) -> &'a ResolvedExcerpt {
        &self.view.source.facts.excerpts[index]
    }

    fn excerpt(&self, index: usize) -> &'a Excerpt {
        written(&self.view, self.resolved(index))
    }

    fn file(&self, index: usize) -> &'a str {
        self.resolved(index).listing.source().path()
    }

    fn len(&self) -> usize {
        self.notes.len()
    }

    /// Returns the name of an excerpt for messages.
    fn name(&self, index: usize) -> String {
        format!("`{}{}`", self.file(index), self.excerpt(index).file.hash())
    }

    fn rows(&self, index: usize) -> infralens_starter::View<'a> {
        let resolved = self.resolved(index);
        resolved.shown.view(&resolved.listing)
    }

    fn code(&self, index: usize) -> Vec<String> {
        self.rows(index).lines().into_iter().map(str::to_owned).collect()
    }

    /// Returns the code of an excerpt without lines that are comments.
    fn statements(&self, index: usize) -> Vec<String> {
        let view = self.rows(index);
        let is_code = |row: &usize| !matches!(&view.rows[*row], ViewRow::Line(line) if line.is_comment());
        (0..view.rows.len()).filter(is_code).map(|row| view.text(row).to_owned()).collect()
    }

    /// Returns the lines that a note explains.
    fn explained(&self, index: usize, note: usize) -> Vec<String> {
        let view = self.rows(index);
        let rows = self.resolved(index).bound.get(note).map_or(&[][..], |bound| &bound.rows);
        let rows = rows.iter().cloned().flatten().filter(|&row| row < view.rows.len());
        rows.map(|row| view.text(row).to_owned()).collect()
    }

    fn quote(&self, index: usize, note: usize) -> Quote {
        let text = &self.notes[index][note];
        let place = self.view.place(self.excerpt(index).notes[note].span.start);
        Quote { label: format!("note {}", note + 1), place, text: whole(text) }
    }
}

fn written<'a>(view: &View<'a>, resolved: &ResolvedExcerpt) -> &'a Excerpt {
    &view.document().body.excerpts[resolved.index]
}

fn whole(note: &NoteText) -> String {
    if note.code.is_empty() { note.text.clone() } else { format!("`{}` — {}", note.code, note.text) }
}

impl<'a> Matches<'a> {
    /// Matches the excerpts and notes of two versions of a page.
    pub fn find(pair: &Pair<'a>) -> Self {
        let (old, new) = (Shown::new(pair.old), Shown::new(pair.new));
        let texts =
            |shown: &Shown<'_>, at: usize| shown.notes[at].iter().map(|note| note.text.clone()).collect::<Vec<_>>();
        let is_named_alike = |was: usize, at: usize| {
            old.file(was) == new.file(at) && old.excerpt(was).file.hash() == new.excerpt(at).file.hash()
        };
        let has_same_notes = |was: usize, at: usize| !new.notes[at].is_empty() && texts(&old, was) == texts(&new, at);
        let has_same_code = |was: usize, at: usize| old.code(was) == new.code(at);
        let shares_notes = |was: usize, at: usize| {
            old.file(was) == new.file(at) && {
                let known = texts(&old, was);
                texts(&new, at).iter().any(|text| known.contains(text))
            }
        };
        let rules: [&dyn Fn(usize, usize) -> bool; 4] =
            [&is_named_alike, &has_same_notes, &has_same_code, &shares_notes];
        let excerpts = paired(old.len(), new.len(), rules);
        let notes = excerpts.iter().enumerate().map(|(at, was)| match was {
            Some(was) => matched(&old.notes[*was], &new.notes[at]),
            None => vec![None; new.notes[at].len()],
        });
        let notes = notes.collect();
        Self { old, new, excerpts, notes }
    }

    /// Returns the notes of the newer version whose text is as before: for each excerpt that shows a file, those on lines,
    /// from 0, for which `is_meant` is true.
    pub fn unchanged_on(&self, file: &str, is_meant: impl Fn(usize) -> bool) -> Vec<Quote> {
        let mut quotes = Vec::new();
        for at in (0..self.new.len()).filter(|&at| self.new.file(at) == file) {
            let resolved = self.new.resolved(at);
            for (note, _) in self.unchanged(at) {
                let rows = resolved.bound.get(note).map_or(&[][..], |bound| &bound.rows);
                let mut lines = rows.iter().cloned().flatten().filter_map(|row| resolved.shown.line_number(row));
                if lines.any(|line| is_meant(line - 1)) {
                    quotes.push(self.new.quote(at, note));
                }
            }
        }
        quotes
    }

    /// Returns the offset in the older version of each excerpt that is in both, and its event in the newer one.
    pub fn same(&self) -> impl Iterator<Item = (usize, usize)> {
        let pairs = self.excerpts.iter().enumerate();
        pairs.filter_map(|(at, was)| Some((self.old.excerpt((*was)?).head.start, self.new.excerpt(at).fence.start)))
    }

    /// Compares the excerpts that are in both versions with what they were in the older one, which has a name. Returns the lit
    /// lines of those that differ, unless their author compares them with another piece.
    pub fn lit(&self, version: &Arc<str>) -> BTreeMap<usize, Lit> {
        let pairs = self.excerpts.iter().enumerate();
        let lit = pairs.filter_map(|(at, was)| {
            let (old, new) = (self.old.resolved((*was)?), self.new.resolved(at));
            let views = [old, new].map(|resolved| resolved.shown.view(&resolved.listing));
            let comparison = Comparison::new(&views[0], &views[1]).ok().filter(|_| new.lit.since.is_none())?;
            let is_same = comparison.lines.is_empty() && comparison.above.is_empty();
            let (listing, shown, version) = (Arc::clone(&old.listing), old.shown.clone(), Some(Arc::clone(version)));
            let since = Since { listing, shown, comparison, version };
            (!is_same).then(|| (new.index, Lit { rows: new.lit.rows.clone(), since: Some(since) }))
        });
        lit.collect()
    }

    /// Returns the notes of an excerpt whose text is as before, each with its index in the older version.
    fn unchanged(&self, at: usize) -> impl Iterator<Item = (usize, usize)> {
        let was = self.excerpts[at];
        self.notes[at].iter().enumerate().filter_map(move |(note, before)| {
            let (was, before) = (was?, (*before)?);
            (self.old.notes[was][before].text == self.new.notes[at][note].text).then_some((note, before))
        })
    }
}

/// Returns which older note each newer one was: one with the same text, on the same code, or a similar one.
fn matched(old: &[NoteText], new: &[NoteText]) -> Vec<Option<usize>> {
    let is_same = |was: usize, at: usize| old[was].text == new[at].text && old[was].code == new[at].code;
    let has_text = |was: usize, at: usize| old[was].text == new[at].text;
    let has_code = |was: usize, at: usize| !new[at].code.is_empty() && old[was].code == new[at].code;
    let words = |notes: &[NoteText]| notes.iter().map(|note| Words::of(&note.text)).collect::<Vec<Words>>();
    let (old_words, new_words) = (words(old), words(new));
    let is_alike = |was: usize, at: usize| old_words[was].similarity(&new_words[at]) >= ALIKE;
    let rules: [&dyn Fn(usize, usize) -> bool; 4] = [&is_same, &has_text, &has_code, &is_alike];
    paired(old.len(), new.len(), rules)
}

/// Returns which older item each newer one was: by the first rule that fits, the first one that is left. Too many items are
/// not compared.
fn paired(old: usize, new: usize, rules: [&dyn Fn(usize, usize) -> bool; 4]) -> Vec<Option<usize>> {
    let (mut found, mut is_taken) = (vec![None; new], vec![false; old]);
    for rule in rules.into_iter().filter(|_| old.saturating_mul(new) <= MAX_PAIRS) {
        for (at, was) in found.iter_mut().enumerate().filter(|(_, was)| was.is_none()) {
            *was = (0..old).find(|&was| !is_taken[was] && rule(was, at));
            if let Some(was) = *was {
                is_taken[was] = true;
            }
        }
    }
    found
}

/// Returns the changes of a page's excerpts and notes.
pub(crate) fn changes(pair: &Pair<'_>, matches: &Matches<'_>) -> Vec<Change> {
    let Matches { old, new, excerpts, .. } = matches;
    let mut changes = Vec::new();
    for (at, was) in excerpts.iter().enumerate() {
        match was {
            Some(was) => {
                changes.extend(of_code(matches, *was, at));
                changes.extend(of_notes(matches, *was, at));
            }
            None => changes.push(only(new, at, Sign::New).on(&pair.new)),
        }
    }
    let is_gone = |was: &usize| !excerpts.contains(&Some(*was));
    changes.extend((0..old.len()).filter(is_gone).map(|was| only(old, was, Sign::Old).on(&pair.new)));
    changes
}

/// Returns the change of an excerpt that only one version of a page has.
fn only(shown: &Shown<'_>, at: usize, sign: Sign) -> Change {
    let word = if sign == Sign::New { "added" } else { "removed" };
    let (name, notes) = (shown.name(at), &shown.notes[at]);
    let place = shown.view.place(shown.excerpt(at).head.start);
    if notes.is_empty() {
        let lines = shown.code(at).into_iter().map(|line| Line::new(sign, line)).collect();
        return Change::new(Kind::Code, format!("excerpt of {name} {word}")).at(place).lines(lines);
    }
    let lines = notes.iter().enumerate().map(|(note, text)| Line::new(sign, format!("{}. {}", note + 1, whole(text))));
    let what = format!("excerpt of {name} {word}, with {}", quantity(notes.len(), "note"));
    Change::new(Kind::Note, what).at(place).lines(lines.collect())
}

/// Returns the change of the code of an excerpt, with its notes whose text has not changed: first those whose lines have.
fn of_code(matches: &Matches<'_>, was: usize, at: usize) -> Option<Change> {
    let Matches { old, new, .. } = matches;
    let (before, after) = (old.code(was), new.code(at));
    if before == after {
        return None;
    }
    let file = new.file(at);
    let is_on_change =
        |note: usize, before: usize| is_other(&old.explained(was, before), &new.explained(at, note), file);
    let notes: Vec<(bool, usize)> =
        matches.unchanged(at).map(|(note, before)| (!is_on_change(note, before), note)).collect();
    let on_change = notes.iter().filter(|(is_elsewhere, _)| !is_elsewhere).count();
    let name = new.name(at);
    let (kind, what) = if !is_other(&before, &after, file) {
        (Kind::Code, format!("{name} is formatted differently"))
    } else if on_change == 0 && !is_other(&old.statements(was), &new.statements(at), file) {
        (Kind::Code, format!("comments in {name} changed"))
    } else {
        match (notes.len(), on_change) {
            (0, _) => (Kind::Code, format!("{name} changed")),
            (_, 0) => (Kind::CodeUnderNotes, format!("{name} changed, on lines that none of these notes explains")),
            (_, 1) => (Kind::CodeUnderNotes, format!("{name} changed, but the note on a changed line did not")),
            _ => (Kind::CodeUnderNotes, format!("{name} changed, but {on_change} notes on changed lines did not")),
        }
    };
    let mut quotes = Vec::new();
    if kind == Kind::CodeUnderNotes {
        let mut sorted = notes;
        sorted.sort_unstable();
        quotes.extend(sorted.into_iter().map(|(is_elsewhere, note)| {
            let quote = new.quote(at, note);
            let on = if is_elsewhere { "" } else { " on a changed line" };
            Quote { label: format!("{}{on}", quote.label), ..quote }
        }));
    }
    let lines = lines::of_code(&before, &after);
    let change = Change::new(kind, what).on(&new.view).at(new.view.place(new.excerpt(at).head.start)).lines(lines);
    Some(Change { quotes, ..change })
}

/// Returns whether code differs in more than white space. In Python, indentation counts, unless lines were wrapped.
pub(crate) fn is_other(old: &[String], new: &[String], file: &str) -> bool {
    let squeezed = |lines: &[String]| lines::squeezed(lines.iter().map(String::as_str));
    if squeezed(old) != squeezed(new) {
        return true;
    }
    let depths = |lines: &[String]| {
        let depths = lines.iter().filter(|line| !line.trim().is_empty());
        let depths: Vec<usize> = depths.map(|line| line.len() - line.trim_start().len()).collect();
        let least = depths.iter().min().copied().unwrap_or_default();
        depths.into_iter().map(|depth| depth - least).collect::<Vec<_>>()
    };
    let (old, new) = (depths(old), depths(new));
    file.ends_with(".py") && old.len() == new.len() && old != new
}

fn of_notes(matches: &Matches<'_>, was: usize, at: usize) -> Vec<Change> {
    let Matches { old, new, .. } = matches;
    let (before, after) = (&old.notes[was], &new.notes[at]);
    let name = new.name(at);
    let mut changes = Vec::new();
    let order: Vec<usize> = matches.notes[at].iter().flatten().copied().collect();
    let mut in_order = order.clone();
    in_order.sort_unstable();
    let moved: Vec<usize> =
        lines::gaps(&in_order, &order).into_iter().flat_map(|[_, fresh]| order[fresh].to_vec()).collect();
    for (note, from) in matches.notes[at].iter().enumerate() {
        let number = note + 1;
        let place = new.view.place(new.excerpt(at).notes[note].span.start);
        let text = whole(&after[note]);
        let (what, lines) = match from {
            None => (format!("note {number} on {name} added"), vec![Line::new(Sign::New, text)]),
            Some(from) if before[*from].text != after[note].text => {
                (format!("note {number} on {name} changed"), lines::of_text(&whole(&before[*from]), &text))
            }
            // The code that a note begins with follows the code.
            Some(from) if before[*from].code != after[note].code && old.code(was) == new.code(at) => {
                (format!("note {number} on {name} is on other code"), lines::of_text(&whole(&before[*from]), &text))
            }
            Some(from) if moved.contains(from) => {
                (format!("note {number} on {name} moved: it was note {}", from + 1), vec![Line::new(Sign::Same, text)])
            }
            Some(_) => continue,
        };
        changes.push(Change::new(Kind::Note, what).on(&new.view).at(place).lines(lines));
    }
    for (note, text) in before.iter().enumerate().filter(|(note, _)| !matches.notes[at].contains(&Some(*note))) {
        let place = old.view.place(old.excerpt(was).notes[note].span.start);
        let lines = vec![Line::new(Sign::Old, whole(text))];
        let what = format!("note {} on {name} removed", note + 1);
        changes.push(Change::new(Kind::Note, what).on(&new.view).at(place).lines(lines));
    }
    changes
}
