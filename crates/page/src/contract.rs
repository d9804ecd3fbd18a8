//! Finds the sections that the lab contract requires in a page, and the questions in a section.

use pulldown_cmark::{Event, HeadingLevel, Tag};

use super::{Body, Events};

/// A section of a page that the contract names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The index of the entry in the contract.
    pub entry: usize,
    /// The index into [`Body::headings`].
    pub heading: usize,
    /// The events below the heading, up to the next `h2`.
    pub body: Events,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The events inside the block of the question.
    pub question: Events,
    /// The events of the answer's blocks; empty if there is no answer.
    pub answers: Vec<Events>,
}

/// Finds the sections of `body` that have one of the given titles.
///
/// A section has a title if the text of its `h2`, up to a colon, equals it, ignoring case.
pub fn sections(body: &Body, titles: &[&str]) -> Vec<Section> {
    let top: Vec<usize> = (0..body.headings.len())
        .filter(|&index| body.headings[index].top_level && body.headings[index].level <= 2)
        .collect();
    let mut found = Vec::new();
    for (nth, &heading) in top.iter().enumerate() {
        let title = body.headings[heading].title().to_lowercase();
        let end = top.get(nth + 1).map_or(body.events.len(), |&next| body.headings[next].events.start);
        let entry = titles.iter().position(|wanted| wanted.trim().to_lowercase() == title);
        if let (Some(entry), 2) = (entry, body.headings[heading].level) {
            found.push(Section { entry, heading, body: body.headings[heading].events.end..end });
        }
    }
    found
}

/// Finds the questions in a range of events: terms of definition lists with their definitions as answers, and `###`
/// headings with the blocks below them as answers.
pub fn questions(body: &Body, within: Events) -> Vec<Question> {
    let mut found: Vec<Question> = Vec::new();
    let inside = |element: &Events| element.start + 1..element.end - 1;
    for block in body.events.children(within.clone()) {
        match body.events.event(block.start) {
            Event::Start(Tag::DefinitionList) => {
                for part in body.events.children(inside(&block)) {
                    if let Event::Start(Tag::DefinitionListTitle) = body.events.event(part.start) {
                        found.push(Question { question: inside(&part), answers: Vec::new() });
                    } else if let Some(question) = found.last_mut() {
                        question.answers.push(inside(&part));
                    }
                }
            }
            Event::Start(Tag::Heading { level: HeadingLevel::H3, .. }) if is_top_level(body, block.end) => {
                let answer = block.end..next_heading(body, block.end, within.end);
                found.push(Question { question: inside(&block), answers: vec![answer] });
            }
            _ => {}
        }
    }
    found
}

/// Returns whether the heading that ends before an event is outside of tabs and predictions.
fn is_top_level(body: &Body, end: usize) -> bool {
    let heading = body.headings.binary_search_by_key(&end, |heading| heading.events.end);
    heading.is_ok_and(|heading| body.headings[heading].top_level)
}

/// Returns the index of the next top-level heading of level 3 or above between `from` and `end`, or `end`.
fn next_heading(body: &Body, from: usize, end: usize) -> usize {
    let first = body.headings.partition_point(|heading| heading.events.start < from);
    let below = body.headings[first..].iter().take_while(|heading| heading.events.start < end);
    let mut ends = below.filter(|heading| heading.top_level && heading.level <= 3);
    ends.next().map_or(end, |heading| heading.events.start)
}
