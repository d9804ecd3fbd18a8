//! `empty`, for sections of questions: questions that the practice page would leave out or show without an answer.

use pulldown_cmark::{Event, HeadingLevel, Tag};

use super::at;
use super::empty::has_content;
use infralens_course::config::{Config, SectionForm};
use infralens_page::contract::{self, Section};
use infralens_page::{Document, Events};
use infralens_source::diag::{Diagnostic, codes};
use infralens_source::source::Span;

const HELP: &str = "begin the answer on the next line with `: `, or write the question as a heading `###`";

/// Reports questions of a lab without an answer, and sections of questions without a question. `sections` are those of the
/// lab.
pub fn questions(document: &Document, config: &Config, sections: &[Section], out: &mut Vec<Diagnostic>) {
    let contract = &config.labs.sections;
    for section in sections.iter().filter(|section| contract[section.entry].form == Some(SectionForm::Questions)) {
        check(document, config, section, out);
    }
}

fn check(document: &Document, config: &Config, section: &Section, out: &mut Vec<Diagnostic>) {
    let body = &document.body;
    let found = contract::questions(body, section.body.clone());
    let lost = Search { document, config, has_questions: !found.is_empty() }.lost(section.body.clone());
    if found.is_empty() && lost.is_empty() && has_content(body, section.body.clone()) {
        let heading = &body.headings[section.heading];
        let message = format!("there is no question in the section `{}`", heading.text);
        out.push(at(document, heading.span.clone(), codes::EMPTY, message).help(HELP));
    }
    let silent = found.into_iter().filter(|question| {
        question.answers.iter().all(|answer| answer.is_empty() || !has_content(body, answer.clone()))
    });
    let silent = silent.filter_map(|question| {
        let events = question.question;
        (!events.is_empty()).then(|| body.events.span(events.start).start..body.events.span(events.end - 1).end)
    });
    let lost = lost.into_iter().chain(silent);
    out.extend(lost.map(|span| at(document, span, codes::EMPTY, "this question has no answer").help(HELP)));
}

/// Words of paragraphs that ask the reader to answer the questions that follow.
const ADDRESS: [&str; 6] = ["you", "your", "yourself", "these", "them", "following"];

/// Searches a section for questions that are not written as questions of the practice page.
struct Search<'a> {
    document: &'a Document,
    config: &'a Config,
    /// Whether the section has proper questions. Then list items that ask are meant as questions, too.
    has_questions: bool,
}

impl Search<'_> {
    /// Returns the questions in paragraphs that end with a question mark, or whose first line does.
    fn lost(&self, within: Events) -> Vec<Span> {
        let mut depth = 0_usize;
        let mut found = Vec::new();
        for (index, (event, span)) in within.clone().zip(self.document.body.events.range(within.clone())) {
            match event {
                // From here on, headings are questions, and paragraphs are answers.
                Event::Start(Tag::Heading { level: HeadingLevel::H3, .. }) if depth == 0 => break,
                Event::Start(Tag::Paragraph) if depth == 0 => {
                    let asked = self.asking(&span);
                    found.extend(asked.filter(|asked| index > within.start || !self.addresses_reader(asked)));
                    depth += 1;
                }
                Event::Start(Tag::Item) if depth == 1 && self.has_questions => {
                    found.extend(self.asking(&span));
                    depth += 1;
                }
                Event::Start(_) => depth += 1,
                Event::End(_) => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        found
    }

    /// Returns the question in a block: its first line if that ends with a question mark, or all of it.
    fn asking(&self, span: &Span) -> Option<Span> {
        let text = self.document.source.text()[span.clone()].trim_end();
        let is_question =
            |text: &str| text.trim_end_matches(['*', '_', '"', '”', ')', '）', '」', '』']).ends_with(['?', '？']);
        let first = text.lines().next().unwrap_or_default().trim_end();
        let asked = if is_question(first) { first } else { text };
        is_question(asked).then(|| span.start..span.start + asked.len())
    }

    /// Returns whether a question at the beginning of a section may only introduce those that follow. This is known only for
    /// English.
    fn addresses_reader(&self, asked: &Span) -> bool {
        let text = self.document.source.text()[asked.clone()].to_lowercase();
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        !self.config.language.is_english() || words.any(|word| ADDRESS.contains(&word))
    }
}
