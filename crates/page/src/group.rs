//! Cards and buttons: a list whose items are cards, and links that look like buttons. Each is between two comments; so a code
//! host shows the list and the links.

use pulldown_cmark::{Event, Tag, TagEnd};

use super::{Body, Events};
use infralens_source::diag::{Diagnostic, codes};
use infralens_source::source::{Source, Span};

/// Returns what is wrong with the events between the two comments of cards or buttons, the first of which is at `at`.
pub fn check(source: &Source, body: &Body, name: &str, at: &Span, inside: Events) -> Option<Diagnostic> {
    let (other, message, help) = if name == "cards" {
        (other_than_list(body, inside.clone()), "cards are the items of one list", "write one list: `- **Title** …`")
    } else {
        let help = "write links between the comments, and any other text outside: `[Start](start.md)`";
        (other_than_links(body, inside.clone()), "only links can be buttons", help)
    };
    let span = match other {
        _ if inside.is_empty() => at.clone(),
        Some(other) => source.first_line(&body.events.span(other)),
        None => return None,
    };
    Some(source.diagnostic(codes::E0216, span, message).help(help))
}

/// Returns the first event that is not part of the one bulleted list that should be there.
fn other_than_list(body: &Body, inside: Events) -> Option<usize> {
    let is_list = matches!(body.events.get(inside.start), Some((Event::Start(Tag::List(None)), _)));
    let end = if is_list { body.end_of(inside.start) } else { inside.start };
    (end < inside.end).then_some(end)
}

/// Returns the first event that is not part of a link in a paragraph.
fn other_than_links(body: &Body, inside: Events) -> Option<usize> {
    let mut at = inside.start;
    while at < inside.end {
        at = match body.events.event(at) {
            Event::Start(Tag::Link { .. }) => body.end_of(at),
            Event::Start(Tag::Paragraph) | Event::End(TagEnd::Paragraph) | Event::SoftBreak | Event::HardBreak => {
                at + 1
            }
            Event::Text(text) if text.trim().is_empty() => at + 1,
            _ => return Some(at),
        };
    }
    None
}
