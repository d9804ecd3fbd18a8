//! `reading-order`: an order of reading that somebody wrote by hand. The generator knows it, and keeps it true.

use super::at;
use super::empty::says_something;
use crate::config::Config;
use crate::diag::{Diagnostic, codes};
use crate::document::{Document, Kind, Part};

/// Headings under which a reading order stands.
const HEADINGS: [&str; 8] = [
    "reading order",
    "recommended reading order",
    "suggested reading order",
    "learning order",
    "suggested learning order",
    "recommended learning order",
    "reading path",
    "learning path",
];

/// On a track's and a labs page: such a heading with text below it, and no generated part.
pub fn by_hand(document: &Document, config: &Config, out: &mut Vec<Diagnostic>) {
    if !matches!(document.placement.kind, Kind::Track | Kind::Labs) {
        return;
    }
    let body = &document.body;
    for (index, heading) in body.headings.iter().enumerate().filter(|(_, heading)| heading.top_level) {
        let title = heading.text.split(':').next().unwrap_or_default().trim().to_lowercase();
        if !HEADINGS.contains(&title.as_str()) && title != config.labels.reading_order.to_lowercase() {
            continue;
        }
        let next = body.headings[index + 1..].iter().find(|next| next.top_level && next.level <= heading.level);
        let events = heading.events.end..next.map_or(body.events.len(), |next| next.events.start);
        let mut parts = body.generated.iter().filter(|part| part.part == Part::ReadingOrder);
        if parts.any(|part| events.contains(&part.events.start)) || !says_something(body, events) {
            continue;
        }
        let message = "this reading order is written by hand, and nothing keeps it true";
        out.push(at(document, heading.span.clone(), codes::READING_ORDER, message).help(
            "write `<!-- reading-order -->` on a line of its own in this section; its order follows `handbook:`, `after:` \
             and the numbers of labs and sections",
        ));
    }
}
