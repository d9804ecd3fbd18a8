//! The lab contract: which of a lab's sections is which, and the questions asked in one.

use pulldown_cmark::{Event, HeadingLevel, Tag, TagEnd};

use super::{Body, Events};

/// A section of the contract as it stands in a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Which entry of the contract.
    pub entry: usize,
    /// Which of [`Body::headings`].
    pub heading: usize,
    /// The events below the heading, to the next `h2`.
    pub body: Events,
}

/// One question and its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The events of the question, without the block around it.
    pub question: Events,
    /// The events of the answer: blocks.
    pub answers: Vec<Events>,
}

/// The sections of `body` that a contract of the given titles names.
///
/// A section is an `h2` whose text, up to a colon, is the title in any letter case.
#[must_use]
pub fn sections(body: &Body, titles: &[&str]) -> Vec<Section> {
    let top: Vec<usize> = (0..body.headings.len())
        .filter(|&index| body.headings[index].top_level && body.headings[index].level <= 2)
        .collect();
    let mut found = Vec::new();
    for (nth, &heading) in top.iter().enumerate() {
        let title = body.headings[heading].text.split(':').next().unwrap_or_default().trim().to_lowercase();
        let end = top.get(nth + 1).map_or(body.events.len(), |&next| body.headings[next].events.start);
        let entry = titles.iter().position(|wanted| wanted.trim().to_lowercase() == title);
        if let (Some(entry), 2) = (entry, body.headings[heading].level) {
            found.push(Section { entry, heading, body: body.headings[heading].events.end..end });
        }
    }
    found
}

/// The questions in a range of events: a definition list's, or `###` headings each with its answer below.
#[must_use]
pub fn questions(body: &Body, within: Events) -> Vec<Question> {
    let mut found: Vec<Question> = Vec::new();
    let mut depth = 0_usize;
    let mut start = within.start;
    for index in within.clone() {
        match &body.events[index].0 {
            Event::Start(tag) => {
                depth += 1;
                let opens = match tag {
                    Tag::DefinitionListTitle | Tag::DefinitionListDefinition => depth == 2,
                    Tag::Heading { level: HeadingLevel::H3, .. } => depth == 1,
                    _ => false,
                };
                if opens {
                    start = index + 1;
                }
            }
            Event::End(tag) => {
                match (tag, depth) {
                    (TagEnd::DefinitionListTitle, 2) => found.push(question(start..index)),
                    (TagEnd::DefinitionListDefinition, 2) => {
                        if let Some(asked) = found.last_mut() {
                            asked.answers.push(start..index);
                        }
                    }
                    (TagEnd::Heading(HeadingLevel::H3), 1) => {
                        let end = next_heading(body, index + 1, within.end);
                        let mut heading = question(start..index);
                        heading.answers.push(index + 1..end);
                        found.push(heading);
                    }
                    _ => {}
                }
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
    }
    found
}

fn question(events: Events) -> Question {
    Question { question: events, answers: Vec::new() }
}

fn next_heading(body: &Body, from: usize, end: usize) -> usize {
    let first = body.headings.partition_point(|heading| heading.events.start < from);
    let below = body.headings[first..].iter().take_while(|heading| heading.events.start < end);
    let mut ends = below.filter(|heading| heading.top_level && heading.level <= 3);
    ends.next().map_or(end, |heading| heading.events.start)
}
