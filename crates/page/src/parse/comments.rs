//! Handles comments: those that have a meaning, and those that look as if they had one; and what is between two of them.

use pulldown_cmark::{Event, Tag};

use super::super::{Events, Example, Generated, Part, group, prediction, tabs, value_block};
use super::{BodyBuilder, trim_end};
use infralens_source::diag::{Edit, Fix, Near, codes};
use infralens_source::source::Span;

/// The parts of a page that begin with one comment and end with another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pair {
    Example,
    Tabs,
    Cards,
    Buttons,
    Prediction,
}

/// The names of the comments that begin and end each of them.
const PAIRS: [(&str, &str, Pair); 4] = [
    ("example", "/example", Pair::Example),
    ("tabs", "/tabs", Pair::Tabs),
    ("cards", "/cards", Pair::Cards),
    ("buttons", "/buttons", Pair::Buttons),
];

impl Pair {
    /// Returns the subject of a message, and its verb.
    fn phrase(self, this: bool) -> &'static str {
        match (self, this) {
            (Self::Example, true) => "this example is",
            (Self::Example, false) => "no example is",
            (Self::Tabs, true) => "these tabs are",
            (Self::Tabs, false) => "no tabs are",
            (Self::Cards, true) => "these cards are",
            (Self::Cards, false) => "no cards are",
            (Self::Buttons, true) => "these buttons are",
            (Self::Buttons, false) => "no buttons are",
            (Self::Prediction, _) => "this prediction is",
        }
    }
}

/// A part of a page whose second comment has not been found yet.
#[derive(Debug)]
pub(super) struct OpenPair {
    pub pair: Pair,
    /// The events and the span of the comment that began it.
    pub events: Events,
    pub at: Span,
    /// The event that starts the quote or list item that contains it.
    pub parent: Option<usize>,
    /// The paragraphs that are titles of tabs, or the question of a prediction.
    pub titles: Vec<Events>,
    /// How many `<details>` are open in a prediction, with its own.
    pub depth: isize,
}

/// Returns the names of all comments that have a meaning.
pub fn comment_names() -> impl Iterator<Item = &'static str> {
    let pairs = PAIRS.into_iter().flat_map(|(begin, end, _)| [begin, end]);
    Part::NAMES.into_iter().map(|(name, _)| name).chain(pairs)
}

impl BodyBuilder<'_> {
    pub(super) fn html_block(&mut self, start: usize, span: &Span) {
        let html = std::mem::take(&mut self.text);
        if self.prediction(start, span, &html) {
            return;
        }
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
            let name = value_block::nearly_values(name).unwrap_or(name);
            let near = |known: &&str| {
                name.len().abs_diff(known.len()) <= 1 && strsim::damerau_levenshtein(&name.to_lowercase(), known) <= 1
            };
            if let Some(known) = comment_names().chain([value_block::VALUES]).find(near) {
                let message = format!("`<!-- {name} -->` has no effect; `<!-- {known} -->` would");
                self.warn_comment(span, message, format!("write `<!-- {known} -->` if that is what you mean"));
                if let Some(warning) = self.out.last_mut() {
                    warning.fixes.extend(Fix::instead(self.source, span, name, &Near::unsure(known)));
                }
            }
            return;
        }
        let pair = PAIRS.into_iter().find(|(begin, end, _)| [*begin, *end].contains(&name));
        if !self.open.is_empty() && !matches!(pair, Some((.., Pair::Tabs | Pair::Cards | Pair::Buttons))) {
            let message = format!("`<!-- {name} -->` has no effect in a quote or list");
            self.warn_comment(span, message, "put it on a line of its own, without indentation");
        } else if let Some(&(_, part)) = Part::NAMES.iter().find(|(known, _)| *known == name) {
            self.body.generated.push(Generated { events, part });
        } else if let Some((begin, _, pair)) = pair {
            if name == begin {
                self.begin_pair(pair, events, span);
            } else {
                self.end_pair(pair, begin, events, span);
            }
        }
    }

    /// Returns whether a block may declare values: not inside a quote or list, which is reported.
    pub(super) fn may_declare(&mut self, block: &Span) -> bool {
        if self.open.is_empty() {
            return true;
        }
        let head = self.source.first_line(block);
        let message = "values cannot be declared in a quote or list";
        let error = self.source.diagnostic(codes::E0601, head, message);
        self.out.push(error.help("put the block outside, without indentation"));
        false
    }

    /// Reports a comment at `span` that looks as if it had a meaning.
    fn warn_comment(&mut self, span: &Span, message: String, help: impl Into<String>) {
        self.out.push(self.source.diagnostic(codes::W0201, trim_end(self.source, span), message).help(help));
    }

    /// Handles a comment that begins a pair. An example may have all others, tabs may have cards and buttons; otherwise they
    /// cannot be nested.
    fn begin_pair(&mut self, pair: Pair, events: Events, at: &Span) {
        let outer = self.pairs.iter().rfind(|outer| match pair {
            Pair::Example => true,
            Pair::Cards | Pair::Buttons => matches!(outer.pair, Pair::Cards | Pair::Buttons),
            _ => matches!(outer.pair, Pair::Tabs | Pair::Cards | Pair::Buttons),
        });
        if let Some(outer) = outer {
            let message = match (pair, outer.pair) {
                (Pair::Example, Pair::Example) => "an example begins inside another one",
                (Pair::Example, Pair::Tabs) => "an example begins inside tabs",
                (Pair::Example, Pair::Prediction) => "an example begins inside a prediction",
                (_, Pair::Cards) => "cards cannot contain this",
                (_, Pair::Buttons) => "buttons cannot contain this",
                (Pair::Cards | Pair::Buttons, _) => "cards and buttons cannot be in this",
                (Pair::Tabs | Pair::Prediction, _) => "tabs begin inside other tabs",
            };
            let open = self.source.place(outer.at.clone());
            let error = self.source.diagnostic(codes::E0208, at.clone(), message);
            let end =
                PAIRS.into_iter().find(|(.., pair)| *pair == outer.pair).map(|(_, end, _)| format!("<!-- {end} -->"));
            let end = end.as_deref().unwrap_or(prediction::END);
            let fix = Fix::new(
                format!("write `{end}` above it"),
                vec![Edit::new(self.source, at.start..at.start, format!("{end}\n\n"))],
            );
            let error = error.related(open, format!("{} still open", outer.pair.phrase(true)));
            self.out.push(error.help(format!("write `{end}` above it")).fix(fix));
            return;
        }
        let parent = self.open.last().copied();
        self.pairs.push(OpenPair { pair, events, at: at.clone(), parent, titles: Vec::new(), depth: 0 });
    }

    /// Handles a comment that ends a pair.
    fn end_pair(&mut self, pair: Pair, begin: &'static str, events: Events, at: &Span) {
        let parent = self.open.last().copied();
        let Some(index) = self.pairs.iter().rposition(|open| open.pair == pair && open.parent == parent) else {
            let message = format!("{} open here", pair.phrase(false));
            let help = format!("begin with `<!-- {begin} -->` on a line of its own");
            self.out.push(self.source.diagnostic(codes::E0208, at.clone(), message).help(help));
            return;
        };
        self.report_unclosed(index + 1);
        let Some(open) = self.pairs.pop() else { return };
        if pair == Pair::Tabs {
            let found = tabs::check(self.source, &self.body, &open.at, open.events, open.titles, events, self.out);
            self.body.tabs.extend(found);
            return;
        }
        if matches!(pair, Pair::Cards | Pair::Buttons) {
            let inside = open.events.end..events.start;
            match group::check(self.source, &self.body, begin, &open.at, inside) {
                Some(error) => self.out.push(error),
                None => self.body.groups.extend([(open.events.start, Some(begin)), (events.start, None)]),
            }
            return;
        }
        let text = &self.source.text()[open.at.end..at.start];
        let start = open.at.end + text.len() - text.trim_start_matches(['\r', '\n']).len();
        let source = start..open.at.end + text.trim_end().len().max(start - open.at.end);
        self.body.examples.push(Example { open: open.events, close: events, source });
    }

    /// Reports the pairs from `first` on, whose second comments are missing.
    pub(super) fn report_unclosed(&mut self, first: usize) {
        for open in self.pairs.split_off(first) {
            let message = format!("{} not closed", open.pair.phrase(true));
            let Some((_, end, _)) = PAIRS.into_iter().find(|(.., pair)| *pair == open.pair) else {
                self.report_prediction(open.at, &message);
                continue;
            };
            let help = format!("end with `<!-- {end} -->` on a line of its own");
            self.out.push(self.source.diagnostic(codes::E0208, open.at, message).help(help));
        }
    }

    /// Handles the end of a paragraph, which is the title of a tab if all of it is bold, and the question of a prediction if it
    /// is the first one in it.
    pub(super) fn end_paragraph(&mut self, events: Events) {
        let parent = self.open.last().copied();
        let Some(open) = self.pairs.last_mut().filter(|open| open.parent == parent) else { return };
        if open.pair != Pair::Tabs {
            let is_question = open.pair == Pair::Prediction && open.events.end == events.start;
            return open.titles.extend(is_question.then_some(events));
        }
        let is_strong = matches!(self.body.events.get(events.start + 1), Some((Event::Start(Tag::Strong), _)));
        if is_strong && self.body.end_of(events.start + 1) == events.end - 1 {
            open.titles.push(events);
        }
    }

    /// Reports a comment that would have a meaning if it were a block of its own.
    pub(super) fn inline_comment(&mut self, html: &str, span: &Span) {
        let comments = html.split("<!--").skip(1).filter_map(|rest| rest.split_once("-->"));
        let mut names = comments.map(|(name, _)| name.trim());
        let is_known = |name: &str| comment_names().any(|known| known == name) || value_block::is_values(name);
        if let Some(name) = names.find(|name| is_known(name)) {
            let name = name.split_whitespace().next().unwrap_or_default();
            let message = format!("`<!-- {name} -->` has no effect because it is not alone in its block");
            self.warn_comment(span, message, "put it on a line of its own, between blank lines");
        }
    }
}
