//! Makes the fixes of diagnostics, and adds those that `sync` knows.
//!
//! 1. [`complete`] adds to diagnostics of pins and links what `sync` would write;
//! 2. [`fix_all`] makes the sure fixes, and judges the course again, until none is left.
//!
//! **Invariant**: a fix is made whole or not at all: all its edits, or none because one of them overlaps another fix.

use std::collections::BTreeMap;
use std::sync::Arc;

use infralens_render::line_link::LinkChange;
use infralens_render::pin::State;
use infralens_site::Drifts;
use infralens_source::change::{self, Change};
use infralens_source::diag::{Diagnostic, Edit, Fix, codes};
use infralens_source::project::Project;
use infralens_source::source::{Span, edited};

use crate::sync::{self, Accept};

/// How often the fixed course is judged again, because a fix may reveal another mistake.
const ROUNDS: usize = 10;

#[derive(Debug)]
pub struct Fixed {
    /// The course after all fixes.
    pub project: Project,
    /// The changes that lead there.
    pub changes: Vec<Change>,
    /// The fixes that were made, each with the file, the line where it was when it was made, and its title.
    pub made: Vec<(Arc<str>, usize, String)>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Makes every sure fix. `judge` returns the diagnostics of a course.
pub fn fix_all(project: &Project, mut judge: impl FnMut(&Project) -> Vec<Diagnostic>) -> Fixed {
    let mut fixed = project.clone();
    let mut made = Vec::new();
    let mut diagnostics = judge(&fixed);
    for _ in 0..ROUNDS {
        let changes = round(&fixed, &diagnostics, &mut made);
        if changes.is_empty() {
            break;
        }
        fixed = change::preview(&fixed, &changes);
        diagnostics = judge(&fixed);
    }
    let edited = fixed.files.iter().filter_map(|(path, file)| {
        let (before, after) = (project.text(path)?, fixed.text(path)?);
        let is_changed = project.files.get(path) != Some(file) && before.text() != after.text();
        is_changed.then(|| Change::Replace { source: Arc::clone(before), text: after.text().to_owned() })
    });
    let changes = edited.collect();
    Fixed { project: fixed, changes, made, diagnostics }
}

/// Makes the sure fixes of one list of diagnostics, without those that overlap an earlier one.
fn round(project: &Project, diagnostics: &[Diagnostic], made: &mut Vec<(Arc<str>, usize, String)>) -> Vec<Change> {
    let mut edits: BTreeMap<Arc<str>, Vec<(Span, String)>> = BTreeMap::new();
    for diagnostic in diagnostics {
        let Some(fix) = diagnostic.fixes.iter().find(|fix| fix.sure && fix.rename.is_none()) else { continue };
        let is_free = |edit: &Edit| {
            let span = edit.span();
            let mut others = edits.get(&edit.place.file).into_iter().flatten();
            let text = project.text(&edit.place.file).and_then(|source| source.text().get(span.clone()));
            text.is_some_and(|text| text != edit.text) && !others.any(|(other, _)| touch(other, &span))
        };
        if fix.edits.is_empty() || !fix.edits.iter().all(is_free) {
            continue;
        }
        let place = &diagnostic.place;
        let line =
            project.text(&place.file).map_or(1, |source| source.position(place.span.map_or(0, |span| span.0)).line);
        made.push((Arc::clone(&place.file), line, fix.title.clone()));
        for edit in &fix.edits {
            edits.entry(Arc::clone(&edit.place.file)).or_default().push((edit.span(), edit.text.clone()));
        }
    }
    changes(project, edits)
}

/// Returns what one fix changes; nothing if it renames a file.
pub fn make(project: &Project, fix: &Fix) -> Vec<Change> {
    let mut edits: BTreeMap<Arc<str>, Vec<(Span, String)>> = BTreeMap::new();
    for edit in fix.edits.iter().filter(|_| fix.rename.is_none()) {
        edits.entry(Arc::clone(&edit.place.file)).or_default().push((edit.span(), edit.text.clone()));
    }
    changes(project, edits)
}

/// Returns files with their edits made.
fn changes(project: &Project, edits: BTreeMap<Arc<str>, Vec<(Span, String)>>) -> Vec<Change> {
    let changes = edits.into_iter().filter_map(|(path, edits)| {
        let source = project.text(&path)?;
        Some(Change::Replace { source: Arc::clone(source), text: edited(source.text(), edits) })
    });
    changes.collect()
}

/// Whether two spans overlap, or are at one place.
fn touch(one: &Span, other: &Span) -> bool {
    one.start < other.end && other.start < one.end || one.start == other.start
}

/// Adds to the diagnostics of pins and of links to line numbers what `sync` would write. Only a link that follows its line
/// is sure: whether notes are still true, nobody but their author knows.
pub fn complete(drifts: Drifts, diagnostics: &mut [Diagnostic]) {
    let obstacles = diagnostics.to_vec();
    let mut add = |one: Drifts, title: &str, sure: bool, of: &dyn Fn(&Diagnostic) -> bool| {
        let Some(diagnostic) = diagnostics.iter_mut().find(|diagnostic| of(diagnostic)) else { return };
        let plan = sync::plan(one, &obstacles, &Accept::All);
        let edits: Vec<Edit> = plan.changes.iter().filter_map(edit_of).collect();
        if !edits.is_empty() {
            diagnostic.fixes.push(Fix::new(title, edits).sure(sure));
        }
    };
    let Drifts { excerpts, values, links } = drifts;
    for drift in excerpts {
        let wanted = drift.diagnostic.clone();
        let check = match &drift.state {
            State::Changed(notes) => {
                let numbers: Vec<String> = notes.iter().map(|note| (note + 1).to_string()).collect();
                let noun = if notes.len() == 1 { "note" } else { "notes" };
                format!(
                    ", if {noun} {} still {} it",
                    numbers.join(" and "),
                    if notes.len() == 1 { "explains" } else { "explain" }
                )
            }
            _ => String::new(),
        };
        let title = format!("put the current code of the file into the fence{check}");
        let one = Drifts { excerpts: vec![drift], ..Drifts::default() };
        let is_it = |found: &Diagnostic| found.place == wanted.place && found.code == wanted.code;
        add(one, &title, false, &is_it);
    }
    for value in values {
        let (file, start) = (Arc::clone(value.page.path()), value.pin.span.start);
        let title = format!("write `{}`, which the value is now", value.pin.text);
        let one = Drifts { values: vec![value], ..Drifts::default() };
        let is_it = |found: &Diagnostic| {
            let is_of_pins = [codes::E0606, codes::W0601].contains(&found.code) && found.place.file == file;
            is_of_pins && found.place.span.is_some_and(|(from, to)| from <= start && start <= to)
        };
        add(one, &title, false, &is_it);
    }
    for link in links {
        let wanted = link.diagnostic.clone();
        let (title, sure) = match &link.change {
            LinkChange::Fill(_) => ("give the link the text of its line as a title".to_owned(), false),
            LinkChange::Move(anchor) => (format!("lead to `#{anchor}`, where the line is now"), true),
            LinkChange::Replace(_) => ("take over the text of the line as the title".to_owned(), false),
        };
        let one = Drifts { links: vec![link], ..Drifts::default() };
        let is_it = |found: &Diagnostic| found.place == wanted.place && found.code == wanted.code;
        add(one, &title, sure, &is_it);
    }
}

/// Returns a changed file as the edit of what differs.
pub(crate) fn edit_of(change: &Change) -> Option<Edit> {
    let Change::Replace { source, text } = change else { return None };
    let (span, new) = difference(source.text(), text);
    Some(Edit::new(source, span, new))
}

/// Returns the smallest span in which two texts differ, with what the second has there.
pub fn difference<'t>(old: &str, new: &'t str) -> (Span, &'t str) {
    let same = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    let start = old.floor_char_boundary(same).min(new.floor_char_boundary(same));
    let rest = old.len().min(new.len()) - start;
    let same = old.bytes().rev().zip(new.bytes().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let (mut end, mut new_end) = (old.len() - same, new.len() - same);
    while !old.is_char_boundary(end) || !new.is_char_boundary(new_end) {
        (end, new_end) = (end + 1, new_end + 1);
    }
    (start..end, &new[start..new_end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use infralens_source::diag::Place;
    use infralens_source::project::File;
    use infralens_source::source::Source;

    fn project(text: &str) -> Project {
        let mut project = Project::default();
        project.put(&"a.md".into(), Some(File::Text(Arc::new(Source::new("a.md", text)))));
        project
    }

    /// Reports `a` where it stands; the fix writes `b` for it and for the next letter.
    fn judge(project: &Project) -> Vec<Diagnostic> {
        let Some(source) = project.text("a.md") else { return Vec::new() };
        let found = source.text().match_indices('a').map(|(at, _)| {
            let edits = vec![Edit::new(source, at..at + 1, "b"), Edit::new(source, at + 1..at + 2, "c")];
            let error = Diagnostic::new(codes::E0104, Place::new(source.path(), at..at + 1), "a");
            error.fix(Fix::new("write b and c", edits).sure(true))
        });
        found.collect()
    }

    #[test]
    fn a_fix_is_made_whole_or_not_at_all() {
        let fixed = fix_all(&project("aax"), judge);
        // The second overlaps the first and waits for another round, in which it is not there any more.
        assert_eq!(fixed.project.text("a.md").map(|source| source.text()), Some("bcx"));
        assert_eq!(fixed.made.len(), 1);
        assert!(fixed.diagnostics.is_empty());
        let fixed = fix_all(&project("x\na"), judge);
        assert_eq!(fixed.project.text("a.md").map(|source| source.text()), Some("x\na"), "an edit is beyond the end");
        assert_eq!((fixed.changes.len(), fixed.diagnostics.len()), (0, 1));
    }

    #[test]
    fn fixes_that_do_not_overlap_are_made_together() {
        let fixed = fix_all(&project("axa."), judge);
        assert_eq!(fixed.project.text("a.md").map(|source| source.text()), Some("bcbc"));
        assert_eq!(
            fixed.made,
            [("a.md".into(), 1, "write b and c".into()), ("a.md".into(), 1, "write b and c".into())]
        );
        let Some(Change::Replace { source, text }) = fixed.changes.first() else { panic!("one file changed") };
        assert_eq!((source.text(), text.as_str()), ("axa.", "bcbc"));
    }

    #[test]
    fn the_difference_of_two_texts_is_small_and_whole() {
        assert_eq!(difference("one two", "one 2 two"), (4..4, "2 "));
        assert_eq!(difference("aéa", "aèa"), (1..3, "è"));
        assert_eq!(difference("aa", "aaa"), (2..2, "a"));
        assert_eq!(difference("same", "same"), (4..4, ""));
    }
}
