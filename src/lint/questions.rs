//! `empty`, for sections of questions: what the practice page would leave out, or show without an answer.

use pulldown_cmark::{Event, HeadingLevel, Tag};

use super::at;
use super::empty::says_something;
use crate::config::{Config, SectionForm};
use crate::diag::{Diagnostic, codes};
use crate::document::contract::{self, Section};
use crate::document::{Document, Events, Kind};
use crate::source::Span;

const HELP: &str = "begin the answer on the next line with `: `, or write the question as a heading `###`";

/// Questions of a lab without an answer, and sections of questions in which none is found.
pub fn questions(document: &Document, config: &Config, out: &mut Vec<Diagnostic>) {
    if document.placement.kind != Kind::Lab {
        return;
    }
    let contract = &config.labs.sections;
    let sections = contract::sections(&document.body, &config.labs.titles());
    for section in sections.iter().filter(|section| contract[section.entry].form == Some(SectionForm::Questions)) {
        check(document, section, out);
    }
}

fn check(document: &Document, section: &Section, out: &mut Vec<Diagnostic>) {
    let body = &document.body;
    let found = contract::questions(body, section.body.clone());
    let lost = unanswered(document, section.body.clone());
    if found.is_empty() && lost.is_empty() && says_something(body, section.body.clone()) {
        let heading = &body.headings[section.heading];
        let message = format!("no question is found in the section `{}`", heading.text);
        out.push(at(document, heading.span.clone(), codes::EMPTY, message).help(HELP));
    }
    let silent = found.into_iter().filter(|question| {
        question.answers.iter().all(|answer| answer.is_empty() || !says_something(body, answer.clone()))
    });
    let silent = silent.filter_map(|question| {
        let events = body.events.get(question.question)?;
        Some(events.first()?.1.start..events.last()?.1.end)
    });
    let lost = lost.into_iter().chain(silent);
    out.extend(lost.map(|span| at(document, span, codes::EMPTY, "this question has no answer").help(HELP)));
}

/// The first lines of paragraphs that ask, and go on with what was to be the answer.
fn unanswered(document: &Document, within: Events) -> Vec<Span> {
    let (source, events) = (&document.source, &document.body.events);
    let mut depth = 0_usize;
    let mut found = Vec::new();
    for (event, span) in &events[within] {
        match event {
            // From here on a heading asks, and paragraphs answer.
            Event::Start(Tag::Heading { level: HeadingLevel::H3, .. }) if depth == 0 => break,
            Event::Start(Tag::Paragraph) if depth == 0 => {
                let text = &source.text()[span.clone()];
                let first = text.lines().next().unwrap_or_default().trim_end();
                if first.ends_with(['?', '？']) && text.trim_end().len() > first.len() {
                    found.push(span.start..span.start + first.len());
                }
                depth += 1;
            }
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    found
}
