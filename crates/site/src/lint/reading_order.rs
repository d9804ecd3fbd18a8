//! `reading-order`: a reading order that is written by hand, although the generator can write a correct one.

use super::at;
use super::empty::has_content;
use infralens_course::config::Config;
use infralens_page::{Document, Kind, Part};
use infralens_source::diag::{Diagnostic, codes};

/// The headings of reading orders.
const HEADINGS: [&str; 8] = [
    "reading order", "recommended reading order", "suggested reading order", "learning order",
    "suggested learning order", "recommended learning order", "reading path", "learning path",
];

/// Reports such a heading on a track page or a labs page if there is text below it but no generated part.
pub fn by_hand(document: &Document, config: &Config, out: &mut Vec<Diagnostic>) {
    if !matches!(document.placement.kind, Kind::Track | Kind::Labs) {
        return;
    }
    let body = &document.body;
    for (index, heading) in body.headings.iter().enumerate().filter(|(_, heading)| heading.top_level) {
        let title = heading.title().to_lowercase();
        if !HEADINGS.contains(&title.as_str()) && title != config.labels.reading_order.to_lowercase() {
            continue;
        }
        let next = body.headings[index + 1..].iter().find(|next| next.top_level && next.level <= heading.level);
        let events = heading.events.end..next.map_or(body.events.len(), |next| next.events.start);
        let mut parts = body.generated.iter().filter(|part| part.part == Part::ReadingOrder);
        if parts.any(|part| events.contains(&part.events.start)) || !has_content(body, events) {
            continue;
        }
        let message = "this reading order is written by hand, so it can become wrong";
        out.push(at(document, heading.span.clone(), codes::READING_ORDER, message).help(
            "write `<!-- reading-order -->` on a line of its own in this section; its order follows `handbook:`, `after:` \
             and the numbers of labs and sections",
        ));
    }
}
