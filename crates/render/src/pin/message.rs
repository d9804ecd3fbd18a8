//! Diagnostics for pins that differ from their files.

use similar::TextDiff;

use super::super::bind::{BoundNote, ExcerptContext};
use super::super::select::{located_fix, located_help};
use super::{Elsewhere, State, align};
use infralens_source::diag::{Diagnostic, Fix, Near, codes};
use infralens_starter::excerpt::View;

/// The maximum number of lines of a diff in a message.
const DIFF_LIMIT: usize = 120;

impl ExcerptContext<'_> {
    /// Reports an empty fence.
    pub(super) fn unpinned_message(&self, bound: &[Option<BoundNote>]) -> Diagnostic {
        let head = &self.excerpt.head;
        let does = "`infralens sync` puts the code into the fence, so that later changes are detected";
        if self.excerpt.file.is_by_lines() {
            let message = "these lines are selected by number, and nothing detects when they move";
            let diagnostic = self.add_sync_help(self.report(codes::W0306, head, message), bound, does);
            let holder = self.shown_lines().and_then(|lines| self.listing.covering_selector(&lines));
            let holder = holder.filter(|(_, is_all)| *is_all && self.excerpt.file.selectors.len() == 1);
            return match holder {
                Some((holder, _)) => {
                    let fix = self.excerpt.file.selectors.first().and_then(|(selector, span)| {
                        Fix::instead(self.page, span, &selector.to_string(), &Near::unsure(holder.to_string()))
                    });
                    let help = format!("or write `#{holder}`, which names these lines and moves with them");
                    diagnostic.help(help).fix(fix)
                }
                None => diagnostic,
            };
        }
        if let Some(diagnostic) = self.unpinned_light() {
            let diagnostic = self.add_sync_help(diagnostic, bound, does);
            return diagnostic.help("or name the text of the lines, which moves with them");
        }
        let (message, does) = match bound {
            [] => {
                ("this fence has no code, so readers see none", "`infralens sync` puts the file's code into the fence")
            }
            _ => (
                "the notes of this excerpt are not pinned",
                "`infralens sync` puts the code that they explain into the fence, so that later changes are detected",
            ),
        };
        self.add_sync_help(self.report(codes::W0302, head, message).hint(), bound, does)
    }

    /// Reports a pin that differs from its file.
    pub(super) fn drift_message(
        &self,
        state: &State,
        elsewhere: Option<&Elsewhere>,
        pinned: &View<'_>,
        bound: &[Option<BoundNote>],
    ) -> Diagnostic {
        let changed = if let State::Changed(notes) = state { notes.as_slice() } else { &[] };
        let code = if changed.is_empty() { codes::W0301 } else { codes::E0316 };
        let path = self.listing.source().path();
        let what = if elsewhere.is_some_and(|elsewhere| elsewhere.is_whole) {
            "the selector and the pin of this excerpt disagree".to_owned()
        } else {
            format!("this excerpt differs from `{path}`")
        };
        let lines = self.shown_lines().unwrap_or_default();
        let now = self.listing.place(self.listing.source().line_span(lines.start));
        let mut diagnostic = self
            .report(code, &self.excerpt.head, what + &self.affected_notes(changed, bound))
            .label("the fence has other code")
            .related(now, format!("the code of the file, {}", self.listing.selector_of_lines(&lines)))
            .note(diff(&pinned.lines(), &self.view.lines()));
        for &note in changed {
            let span = &self.excerpt.notes[note].span;
            let first = self.page.text()[span.clone()].lines().next().unwrap_or_default().trim_end().len();
            diagnostic = diagnostic.related(self.place(&(span.start..span.start + first)), "check this note");
        }
        diagnostic.help.extend(elsewhere.iter().flat_map(|elsewhere| self.location_help(elsewhere)));
        let diagnostic = diagnostic.fix(elsewhere.and_then(|elsewhere| self.location_fix(elsewhere)));
        self.add_next_steps(diagnostic, state, elsewhere.is_some(), bound)
    }

    /// Returns which notes are affected, as the end of a sentence.
    fn affected_notes(&self, changed: &[usize], bound: &[Option<BoundNote>]) -> String {
        let notes: Vec<String> = changed.iter().map(|note| (note + 1).to_string()).collect();
        match notes.as_slice() {
            [] if self.excerpt.notes.is_empty() || self.has_errors(bound) => String::new(),
            [] => "; its notes are still bound to the same lines".into(),
            [one] => format!(" where note {one} explains it"),
            [rest @ .., last] => format!(" where notes {} and {last} explain it", rest.join(", ")),
        }
    }

    /// Describes where the code of the pin is, and what to write to show it.
    fn location_help(&self, elsewhere: &Elsewhere) -> Vec<String> {
        if let ([located], [(selector, _)]) = (&*elsewhere.parts, &*self.excerpt.file.selectors) {
            return located_help(located, self.listing, selector, false);
        }
        let lines = elsewhere.parts.iter().map(|part| self.listing.selector_of_lines(&part.lines));
        let lines = lines.collect::<Vec<_>>().join(",");
        vec![if elsewhere.is_whole {
            format!("the pin's code is now at `#{lines}`, not at `{}`", self.excerpt.file.hash())
        } else {
            format!("a part of the pin's code is now at `#{lines}`")
        }]
    }

    /// Returns the fix that selects the code of the pin where it is now.
    fn location_fix(&self, elsewhere: &Elsewhere) -> Option<Fix> {
        let ([located], [(selector, span)]) = (&*elsewhere.parts, &*self.excerpt.file.selectors) else { return None };
        // The excerpt shows other lines now, which may be what its author wants.
        Some(located_fix(located, self.listing, self.page, selector, span)?.sure(false))
    }

    /// Adds what the author should do.
    fn add_next_steps(
        &self,
        diagnostic: Diagnostic,
        state: &State,
        moved: bool,
        bound: &[Option<BoundNote>],
    ) -> Diagnostic {
        let line = self.page.position(self.excerpt.head.start).line;
        if let Some(broken) = self.broken_markers() {
            return diagnostic.help(broken);
        }
        let accept = format!("`infralens sync --accept {}:{line}`", self.page.path());
        match state {
            State::Changed(_) if moved => diagnostic.help(format!(
                "if it should show these lines now, check its notes; then {accept} puts the lines into the fence"
            )),
            State::Changed(notes) => {
                let notes = if notes.len() == 1 { "this note" } else { "these notes" };
                diagnostic
                    .help(format!("compare {notes} with the file's code, and correct what is no longer true"))
                    .help(format!("then {accept} puts that code into the fence"))
            }
            State::Moved => {
                let does = format!("if it should show these lines now, {accept} puts them into the fence");
                self.add_sync_help(diagnostic, bound, &does)
            }
            State::Unpinned | State::Unaffected => {
                self.add_sync_help(diagnostic, bound, "`infralens sync` puts the file's code into the fence")
            }
        }
    }

    /// Adds what `sync` would do, and what prevents it.
    fn add_sync_help(&self, diagnostic: Diagnostic, bound: &[Option<BoundNote>], does: &str) -> Diagnostic {
        if let Some(broken) = self.broken_markers() {
            return diagnostic.help(broken);
        }
        if self.has_errors(bound) {
            return diagnostic.help(format!("fix the errors of its notes; then {does}"));
        }
        diagnostic.help(does)
    }

    /// Returns whether a note is not bound, which is reported as an error.
    fn has_errors(&self, bound: &[Option<BoundNote>]) -> bool {
        let mut notes = self.excerpt.notes.iter().zip(bound);
        notes.any(|(note, bound)| bound.is_none() || note.bindings.is_empty())
    }

    /// Returns the help that replaces the next steps if the file's region markers are unbalanced.
    fn broken_markers(&self) -> Option<String> {
        let path = self.listing.source().path();
        let is_broken = self.listing.has_broken_markers();
        is_broken.then(|| format!("fix the region markers of `{path}` first: other problems may follow from them"))
    }

    /// Returns the lines of the file from the first to the last that is shown, from 0.
    fn shown_lines(&self) -> Option<std::ops::Range<usize>> {
        self.shown.bounds().map(|(first, last)| first - 1..last)
    }
}

/// Returns a unified diff from the pin to the file, without headers. A long one is cut.
fn diff(pin: &[&str], file: &[&str]) -> String {
    let [above, below] = align::common_ends(pin, file);
    let is_short = align::is_short(pin.len() - above - below, file.len() - above - below);
    let rest = if is_short { usize::MAX } else { above + DIFF_LIMIT };
    let [pin, file] = [pin, file].map(|lines| lines[..lines.len().min(rest)].join("\n") + "\n");
    let diff = TextDiff::from_lines(&pin, &file);
    let text = diff.unified_diff().context_radius(2).to_string();
    let text = text.trim_end();
    let cut = text.match_indices('\n').nth(DIFF_LIMIT);
    if !is_short {
        return format!("{}\n… and many more lines", &text[..cut.map_or(text.len(), |(end, _)| end)]);
    }
    let Some((end, _)) = cut else { return text.to_owned() };
    format!("{}\n… and {} more lines", &text[..end], text[end..].lines().count() - 1)
}
