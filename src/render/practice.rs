//! A lab's practice material: its questions and its spoken explanation as flashcards, for the practice page and for
//! other programs.

use std::collections::BTreeMap;

use super::copy::MarkdownCopy;
use super::excerpt::BoundExcerpt;
use super::markdown::{LinkTarget, Writer};
use super::page::{CardSides, Flashcard, Practice};
use super::{Context, Subject};
use crate::config::SectionForm;
use crate::config::labels::Labels;
use crate::diag::Diagnostic;
use crate::document::contract::{self, Section};
use crate::document::{Body, Events};

/// The speaking rate.
const WORDS_PER_MINUTE: usize = 150;
/// Speaking times from this many seconds on are given in minutes.
const MINUTES_FROM: usize = 100;
/// The number of hexadecimal digits of an id.
const DIGITS: usize = 16;

/// Returns the flashcards of a lab; errors in them are added to `diagnostics`.
pub fn practice(
    cx: Context<'_>,
    subject: Subject<'_>,
    excerpts: &[BoundExcerpt<'_>],
    sections: &[Section],
    diagnostics: &mut Vec<Diagnostic>,
) -> Practice {
    let track = subject.page.and_then(|page| cx.course.pages[page].track);
    let track = track.map(|track| &cx.course.tracks[track]);
    let Some((track, practice)) = track.and_then(|track| Some((track, track.practice?))) else {
        return Practice::default();
    };
    let placement = &subject.document.placement;
    let on_page = LinkTarget::other_page(&placement.url, &cx.course.pages[practice].url, &placement.name);
    let external = LinkTarget::external(&placement.url, cx.config.base_url.as_deref(), &placement.name);
    let mut writers = [on_page, external].map(|target| Writer::new(cx, subject, excerpts, sections, target));
    let copy = MarkdownCopy::new(cx, subject, excerpts, &cx.course.pages[practice].url);
    let mut ids =
        CardIds { lab: format!("{}\n{}", track.name, unnumbered(&placement.name)), question: BTreeMap::new() };
    let mut collected = Practice::default();
    for section in sections {
        match writers[0].role(section) {
            Some(SectionForm::Questions) => {
                for question in contract::questions(&subject.document.body, section.body.clone()) {
                    let id = ids.question(&subject.document.body.text(question.question.clone()));
                    collected.questions.push(card(&mut writers, id, &question));
                }
            }
            Some(SectionForm::Spoken) => {
                let answers = vec![section.body.clone()];
                let spoken_events = contract::Question { question: 0..0, answers };
                collected.spoken = Some(card(&mut writers, ids.id("spoken", "", 0), &spoken_events));
            }
            _ => continue,
        }
        let title = &subject.document.body.headings[section.heading].text;
        collected.copy.push((title.clone(), copy.section(section)));
    }
    let [on_page, _] = writers;
    diagnostics.extend(on_page.finish().1);
    collected
}

fn card(writers: &mut [Writer<'_>; 2], id: String, question: &contract::Question) -> Flashcard {
    let [on_page, external] = writers.each_mut().map(|writer| CardSides {
        question: writer.question(question.question.clone()),
        answer: question.answers.iter().map(|answer| writer.html(answer.clone())).collect(),
    });
    Flashcard { id, on_page, external }
}

/// Makes the ids of a lab's cards from the track, the lab's name without its number, and the words of the question. So
/// a lab may move, questions may be reordered and answers may change. A question in other words is another card.
struct CardIds {
    lab: String,
    /// The questions so far, and how often each occurred before.
    question: BTreeMap<String, usize>,
}

impl CardIds {
    fn question(&mut self, text: &str) -> String {
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let nth = self.question.entry(words.clone()).and_modify(|nth| *nth += 1).or_default();
        let nth = *nth;
        self.id("question", &words, nth)
    }

    fn id(&self, kind: &str, words: &str, nth: usize) -> String {
        let hash = blake3::hash(format!("{}\n{kind}\n{words}\n{nth}", self.lab).as_bytes());
        hash.to_hex()[..DIGITS].to_owned()
    }
}

/// Returns `shared-memory` for `lab-05-shared-memory`.
fn unnumbered(lab: &str) -> &str {
    lab.strip_prefix("lab-").and_then(|rest| rest.split_once('-')).map_or(lab, |(_, slug)| slug)
}

/// Returns the spoken part of a section: everything before its first heading.
pub fn spoken_events(body: &Body, section: &Section) -> Events {
    let heading = body.headings.iter().find(|heading| section.body.contains(&heading.events.start));
    section.body.start..heading.map_or(section.body.end, |heading| heading.events.start)
}

/// Formats the time that it takes to say a text.
pub fn speaking_time(text: &str, labels: &Labels) -> String {
    let seconds = text.split_whitespace().count() * 60 / WORDS_PER_MINUTE;
    if seconds < MINUTES_FROM {
        labels.spoken_seconds.with(seconds.div_ceil(10).max(1) * 10)
    } else {
        labels.spoken_minutes.with((seconds + 30) / 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_depend_on_words_alone() {
        let lab = |lab: &str| CardIds { lab: lab.into(), question: BTreeMap::new() };
        let mut ids = lab("t\na");
        let first = ids.question("Why  so\nlarge?");
        assert_eq!(first.len(), DIGITS);
        assert_ne!(ids.question("Why so large?"), first, "the same question once more is another card");
        let mut again = lab("t\na");
        assert_ne!(again.question("And this?"), first);
        assert_eq!(again.question("Why so large?"), first, "another place, the same words");
        assert_ne!(lab("t\nb").question("Why so large?"), first);
        assert_ne!(again.id("spoken", "", 0), again.id("question", "", 0));
    }

    #[test]
    fn labs_are_known_without_their_number() {
        assert_eq!(unnumbered("lab-05-shared-memory"), "shared-memory");
        assert_eq!(unnumbered("lab-05"), "lab-05");
        assert_eq!(unnumbered("other"), "other");
    }

    #[test]
    fn lengths_are_in_tens_of_seconds_then_in_minutes() {
        let labels = Labels::default();
        let of = |words: usize| speaking_time(&"word ".repeat(words), &labels);
        assert_eq!(of(0), "Say it aloud, about 10 seconds");
        assert_eq!(of(100), "Say it aloud, about 40 seconds");
        assert_eq!(of(101), "Say it aloud, about 40 seconds");
        assert_eq!(of(249), "Say it aloud, about 100 seconds");
        assert_eq!(of(250), "Say it aloud, about 2 minutes");
        assert_eq!(of(600), "Say it aloud, about 4 minutes");
    }
}
