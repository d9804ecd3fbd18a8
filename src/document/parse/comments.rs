//! Handles comments: those that have a meaning, and those that look as if they had one.

use super::super::{Events, Example, Generated, Part, value_block};
use super::{BodyBuilder, trim_end};
use crate::diag::{Diagnostic, Place, codes};
use crate::source::Span;

/// The names of the comments that begin and end an example.
const EXAMPLE: &str = "example";
const EXAMPLE_END: &str = "/example";

/// Returns the names of all comments that have a meaning.
fn comment_names() -> impl Iterator<Item = &'static str> {
    Part::NAMES.into_iter().map(|(name, _)| name).chain([EXAMPLE, EXAMPLE_END])
}

impl BodyBuilder<'_> {
    pub(super) fn html_block(&mut self, start: usize, span: &Span) {
        let html = std::mem::take(&mut self.text);
        let comment = html.trim().strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->"));
        let Some(name) = comment.map(str::trim).filter(|name| !name.contains("-->")) else {
            self.inline_comment(&html, span);
            return;
        };
        let events = start..self.body.events.len() + 1;
        let span = &trim_end(self.source, span);
        if value_block::is_values(name) {
            if self.may_declare(span) {
                self.body.values.extend(value_block::comment(self.source, events, span, self.out));
            }
            return;
        }
        if !comment_names().any(|known| known == name) {
            let near = |known: &&str| strsim::damerau_levenshtein(&name.to_lowercase(), known) <= 1;
            if let Some(known) = comment_names().find(near) {
                let message = format!("`<!-- {name} -->` has no effect; `<!-- {known} -->` would");
                self.warn_comment(span, message, format!("write `<!-- {known} -->` if that is what you mean"));
            }
        } else if !self.open.is_empty() {
            let message = format!("`<!-- {name} -->` has no effect in a quote or list");
            self.warn_comment(span, message, "put it on a line of its own, without indentation");
        } else if let Some(&(_, part)) = Part::NAMES.iter().find(|(known, _)| *known == name) {
            self.body.generated.push(Generated { events, part });
        } else {
            self.example_comment(name == EXAMPLE, events, trim_end(self.source, span));
        }
    }

    /// Returns whether a block may declare values: not inside a quote or list, which is reported.
    pub(super) fn may_declare(&mut self, block: &Span) -> bool {
        if self.open.is_empty() {
            return true;
        }
        let head = block.start..block.start + self.source.text()[block.clone()].lines().next().map_or(0, str::len);
        let message = "values cannot be declared in a quote or list";
        let error = Diagnostic::new(codes::E0601, Place::new(self.source.path(), head), message);
        self.out.push(error.help("put the block outside, without indentation"));
        false
    }

    /// Reports a comment at `span` that looks as if it had a meaning.
    fn warn_comment(&mut self, span: &Span, message: String, help: impl Into<String>) {
        let place = Place::new(self.source.path(), trim_end(self.source, span));
        self.out.push(Diagnostic::new(codes::W0201, place, message).help(help));
    }

    /// Handles a comment that begins or ends an example.
    fn example_comment(&mut self, begins: bool, events: Events, at: Span) {
        let error =
            |at: Span, message: &str| Diagnostic::new(codes::E0208, Place::new(self.source.path(), at), message);
        match (begins, self.example.take()) {
            (true, None) => self.example = Some((events, at)),
            (true, Some((first, opened))) => {
                let place = Place::new(self.source.path(), opened.clone());
                self.out
                    .push(error(at, "an example begins inside another one").related(place, "this one is still open"));
                self.example = Some((first, opened));
            }
            (false, Some((open, opened))) => {
                let text = &self.source.text()[opened.end..at.start];
                let start = opened.end + text.len() - text.trim_start_matches(['\r', '\n']).len();
                let source = start..opened.end + text.trim_end().len().max(start - opened.end);
                self.body.examples.push(Example { open, close: events, source });
            }
            (false, None) => self.out.push(
                error(at, "no example is open here").help("begin it with `<!-- example -->` on a line of its own"),
            ),
        }
    }

    /// Reports a comment that would have a meaning if it were a block of its own.
    pub(super) fn inline_comment(&mut self, html: &str, span: &Span) {
        let comments = html.split("<!--").skip(1).filter_map(|rest| rest.split_once("-->"));
        let mut names = comments.map(|(name, _)| name.trim());
        if let Some(name) = names.find(|name| comment_names().any(|known| known == *name)) {
            let message = format!("`<!-- {name} -->` has no effect because it is not alone in its block");
            self.warn_comment(span, message, "put it on a line of its own, between blank lines");
        }
    }
}
