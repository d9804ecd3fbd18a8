//! Tabs: passages of which a page shows one at a time. They are between two comments, and each begins with a paragraph in
//! bold, its title; so on a code host, one follows the other.

use std::collections::BTreeSet;

use super::{Body, Events};
use infralens_source::diag::{Diagnostic, codes};
use infralens_source::source::{Source, Span};

/// The tabs between `<!-- tabs -->` and `<!-- /tabs -->`.
#[derive(Debug)]
pub struct Tabs {
    pub open: Events,
    /// The paragraph that is the title of each tab; its content follows, up to the next title. At least two.
    pub titles: Vec<Events>,
    pub close: Events,
}

/// Returns the tabs between two comments, the first of which is at `at`. If readers could not choose between them, returns
/// `None` and reports why.
pub fn check(
    source: &Source,
    body: &Body,
    at: &Span,
    open: Events,
    titles: Vec<Events>,
    close: Events,
    out: &mut Vec<Diagnostic>,
) -> Option<Tabs> {
    let before = out.len();
    let mut report = |span: Span, message: String, help: &str| {
        out.push(source.diagnostic(codes::E0214, source.first_line(&span), message).help(help));
    };
    let span_of = |events: &Events| body.events.span(events.start);
    let title = |events: &Events| body.text(Events::clone(events));
    match titles.as_slice() {
        [] => {
            report(at.clone(), "these tabs have no titles".into(), "begin each with a paragraph in bold: `**Linux**`");
        }
        [first, ..] if first.start > open.end => {
            let help = "begin the tab with a paragraph in bold, or put this text above the comment";
            report(body.events.span(open.end), "this is above the title of the first tab".into(), help);
        }
        [only] => {
            let message = format!("`{}` is the only tab here", title(only));
            report(
                span_of(only),
                message,
                "add a paragraph in bold as the title of another one, or remove the comments",
            );
        }
        _ => {}
    }
    let ends = titles.iter().skip(1).map(|next| next.start).chain([close.start]);
    let mut known = BTreeSet::new();
    for (events, end) in titles.iter().zip(ends) {
        if events.end == end {
            let message = format!("the tab `{}` is empty", title(events));
            report(span_of(events), message, "write its content below the title, or remove it");
        }
        if !known.insert(title(events)) {
            let message = format!("`{}` is the title of two of these tabs", title(events));
            report(span_of(events), message, "give each tab a title of its own");
        }
    }
    (out.len() == before).then_some(Tabs { open, titles, close })
}
