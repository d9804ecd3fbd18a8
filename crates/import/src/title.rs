//! Finds the title of a page among its headings.

use std::collections::BTreeSet;
use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Tag, TagEnd};

use super::edits::{Edit, Text};
use super::page::parse;

/// A text whose title has been taken from it.
pub struct Parsed {
    /// The words of the heading that was the title.
    pub title: Option<String>,
    /// The id that the book gives this heading.
    pub id: Option<String>,
    pub text: Text,
}

/// Takes the title from the first heading if nothing is above it, and moves the other headings so that they begin at `##`.
pub fn titled(text: &Text) -> Parsed {
    let mut edits: Vec<Edit> = Vec::new();
    let mut ids = BTreeSet::new();
    let mut headings: Vec<(Range<usize>, HeadingLevel, String)> = Vec::new();
    let mut first_id = None;
    let (mut is_first, mut is_open, mut depth) = (None, false, 0_usize);
    for (event, span) in parse(&text.text) {
        match event {
            Event::Start(Tag::Heading { level, id, .. }) if depth == 0 => {
                if is_first.is_none() {
                    first_id = id.as_ref().map(ToString::to_string);
                }
                let braces =
                    text.text[span.clone()].rfind('{').filter(|_| id.is_some_and(|id| !ids.insert(id.to_string())));
                if let Some(braces) = braces.map(|at| span.start + at) {
                    let end = text.text[braces..].find('}').map_or(braces, |length| braces + length + 1);
                    edits.push((braces..end, String::new()));
                }
                is_first.get_or_insert(true);
                is_open = true;
                headings.push((span, level, String::new()));
            }
            Event::End(TagEnd::Heading(_)) => is_open = false,
            Event::Text(part) | Event::Code(part) if is_open => {
                if let Some(heading) = headings.last_mut() {
                    heading.2.push_str(&part);
                }
            }
            Event::Start(Tag::List(_) | Tag::BlockQuote(_)) => {
                is_first.get_or_insert(false);
                depth += 1;
            }
            Event::End(TagEnd::List(_) | TagEnd::BlockQuote(_)) => depth = depth.saturating_sub(1),
            Event::Start(Tag::Paragraph | Tag::CodeBlock(_) | Tag::Table(_)) => {
                is_first.get_or_insert(false);
            }
            _ => {}
        }
    }
    let mut title = None;
    let is_title = is_first == Some(true)
        && headings.first().is_some_and(|first| {
            first.1 == HeadingLevel::H1 || headings[1..].iter().all(|(_, level, ..)| *level > first.1)
        });
    if is_title {
        let (span, _, words) = headings.remove(0);
        edits.push((span, String::new()));
        title = Some(words);
    }
    let least = headings.iter().map(|(_, level, ..)| *level as usize).min().unwrap_or(2);
    for (span, level, ..) in &headings {
        let new = (*level as usize + 2 - least).min(6);
        let written = &text.text[span.clone()];
        let hashes = written.len() - written.trim_start_matches('#').len();
        if hashes == 0 {
            // A heading with a line below it.
            let content = written.trim_end().rsplit_once('\n').map_or(written, |(content, _)| content);
            let content = content.split_whitespace().collect::<Vec<_>>().join(" ");
            edits.push((span.clone(), format!("{} {content}\n", "#".repeat(new))));
        } else if hashes != new {
            edits.push((span.start..span.start + hashes, "#".repeat(new)));
        }
    }
    Parsed { title, id: first_id.filter(|_| is_title), text: text.edited(edits) }
}
