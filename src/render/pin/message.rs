//! What is said of a pin that is not what its file says.

use similar::TextDiff;

use super::super::bind::{Bound, Scene};
use super::{Elsewhere, State, align};
use crate::code::excerpt::View;
use crate::code::locate::{Located, Similarity};
use crate::course::link::line_anchor;
use crate::diag::{Diagnostic, Place, codes};

/// The longest diff that a message holds, in lines.
const DIFF_LIMIT: usize = 120;

impl Scene<'_> {
    /// What is said of an empty fence.
    pub(super) fn unpinned(&self, bound: &[Option<Bound>]) -> Diagnostic {
        let place = self.place(&self.excerpt.head);
        if self.excerpt.file.is_by_lines() {
            let said = "these lines are named by number, and nothing tells when others are there";
            let holder = self.shown_lines().and_then(|lines| self.listing.covering_selector(&lines));
            let holder = holder.filter(|(_, is_all)| *is_all && self.excerpt.file.selectors.len() == 1);
            let does = "`infralens sync` puts the code into the fence; a change of the file is seen from then on";
            let said = self.sync(Diagnostic::new(codes::W0306, place, said), bound, does);
            return match holder {
                Some((holder, _)) => said.help(format!("or write `#{holder}`, which names them and moves with them")),
                None => said,
            };
        }
        let said = Diagnostic::new(codes::W0302, place, "the notes of this excerpt are not pinned").hint();
        let does =
            "`infralens sync` puts the code that they explain into the fence, so that no change leaves them behind";
        self.sync(said, bound, does)
    }

    /// What is said of a pin that differs from its file.
    pub(super) fn stale(
        &self,
        state: &State,
        elsewhere: Option<&Elsewhere>,
        pinned: &View<'_>,
        bound: &[Option<Bound>],
    ) -> Diagnostic {
        let changed = if let State::Changed(notes) = state { notes.as_slice() } else { &[] };
        let code = if changed.is_empty() { codes::W0301 } else { codes::E0316 };
        let path = self.listing.source().path();
        let what = match elsewhere {
            Some(Elsewhere::Whole(_)) => "the selector and the pin of this excerpt disagree".to_owned(),
            _ => format!("this excerpt has changed in `{path}`"),
        };
        let lines = self.shown_lines().unwrap_or_default();
        let now = Place::new(path, self.listing.source().line_span(lines.start));
        let mut said = Diagnostic::new(code, self.place(&self.excerpt.head), what + &self.concerned(changed, bound))
            .label("the fence holds the code as it was")
            .related(now, format!("the code as it is, {}", line_anchor(&lines)))
            .note(diff(&pinned.lines(), &self.view.lines()));
        for &note in changed {
            let span = &self.excerpt.notes[note].span;
            let first = self.page.text()[span.clone()].lines().next().unwrap_or_default().trim_end().len();
            said = said.related(self.place(&(span.start..span.start + first)), "read this note again");
        }
        for help in elsewhere.iter().flat_map(|elsewhere| self.way_back(elsewhere)) {
            said = said.help(help);
        }
        self.settle(said, state, elsewhere.is_some(), bound)
    }

    /// Which notes are concerned, as the end of a sentence.
    fn concerned(&self, changed: &[usize], bound: &[Option<Bound>]) -> String {
        let notes: Vec<String> = changed.iter().map(|note| (note + 1).to_string()).collect();
        match notes.as_slice() {
            [] if self.excerpt.notes.is_empty() || self.has_errors(bound) => String::new(),
            [] => "; its notes still stand at the same lines".into(),
            [one] => format!(" where note {one} explains it"),
            [most @ .., last] => format!(" where notes {} and {last} explain it", most.join(", ")),
        }
    }

    /// Where the code of the pin is, and what to write to show it.
    fn way_back(&self, elsewhere: &Elsewhere) -> Vec<String> {
        let hash = self.excerpt.file.hash();
        match (elsewhere, self.excerpt.file.selectors.as_slice()) {
            (Elsewhere::Whole(lines), [(selector, _)]) if lines.len() == 1 => {
                Located { lines: lines[0].clone(), similarity: Similarity::Same }.help(self.listing, selector, false)
            }
            (Elsewhere::Partly(located), [(selector, _)]) => located.help(self.listing, selector, false),
            (Elsewhere::Whole(lines), _) => {
                let lines: Vec<String> = lines.iter().map(line_anchor).collect();
                vec![format!("the code of the pin stands at `#{}` now, not at `{hash}`", lines.join(","))]
            }
            (Elsewhere::Partly(located), _) => {
                vec![format!("a part of the code of the pin stands at `#{}` now", line_anchor(&located.lines))]
            }
        }
    }

    /// Adds how the author settles it.
    fn settle(&self, said: Diagnostic, state: &State, moved: bool, bound: &[Option<Bound>]) -> Diagnostic {
        let line = self.page.position(self.excerpt.head.start).line;
        if let Some(broken) = self.broken() {
            return said.help(broken);
        }
        let accept = format!("`infralens sync --accept {}:{line}`", self.page.path());
        match state {
            State::Changed(_) if moved => said.help(format!(
                "if the lines that it shows now are meant, read its notes against them; then {accept} puts them into the fence"
            )),
            State::Changed(notes) => {
                let notes = if notes.len() == 1 { "this note" } else { "these notes" };
                said.help(format!("read {notes} against the file's code, and mend what is no longer true"))
                    .help(format!("then {accept} puts that code into the fence"))
            }
            State::Moved => {
                let does = format!("if the lines that it shows now are meant, {accept} puts them into the fence");
                self.sync(said, bound, &does)
            }
            State::Unpinned | State::Holds => {
                self.sync(said, bound, "`infralens sync` puts the file's code into the fence")
            }
        }
    }

    /// Adds what `sync` would do, and what keeps it from that.
    fn sync(&self, said: Diagnostic, bound: &[Option<Bound>], does: &str) -> Diagnostic {
        if let Some(broken) = self.broken() {
            return said.help(broken);
        }
        if self.has_errors(bound) {
            return said.help(format!("mend the errors of its notes; then {does}"));
        }
        said.help(does)
    }

    /// Whether a note is not bound to anything, which is an error of its own.
    fn has_errors(&self, bound: &[Option<Bound>]) -> bool {
        let mut notes = self.excerpt.notes.iter().zip(bound);
        notes.any(|(note, bound)| bound.is_none() || note.bindings.is_empty())
    }

    /// What is to be done before anything else where the file's region markers do not pair.
    fn broken(&self) -> Option<String> {
        let path = self.listing.source().path();
        let is_broken = self.listing.has_broken_markers();
        is_broken.then(|| format!("mend the region markers of `{path}` first: what it shows may follow from them"))
    }

    /// The lines of the file from the first that is shown to the last, from 0.
    fn shown_lines(&self) -> Option<std::ops::Range<usize>> {
        self.shown.bounds().map(|(first, last)| first - 1..last)
    }
}

/// A unified diff without headers: what the pin says, what the file says. A long one breaks off.
fn diff(pin: &[&str], file: &[&str]) -> String {
    let [above, below] = align::common(pin, file);
    let is_short = align::is_short(pin.len() - above - below, file.len() - above - below);
    let most = if is_short { usize::MAX } else { above + DIFF_LIMIT };
    let [pin, file] = [pin, file].map(|lines| lines[..lines.len().min(most)].join("\n") + "\n");
    let diff = TextDiff::from_lines(&pin, &file);
    let text = diff.unified_diff().context_radius(2).to_string();
    let text = text.trim_end();
    let cut = text.match_indices('\n').nth(DIFF_LIMIT);
    if !is_short {
        return format!("{}\n… and many lines more", &text[..cut.map_or(text.len(), |(end, _)| end)]);
    }
    let Some((end, _)) = cut else { return text.to_owned() };
    format!("{}\n… and {} lines more", &text[..end], text[end..].lines().count() - 1)
}
