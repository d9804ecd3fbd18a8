//! A lab's practice material: its questions and its spoken explanation as flashcards, for the practice page and for
//! other programs.

use std::collections::BTreeMap;

use super::copy::MarkdownCopy;
use super::excerpt::BoundExcerpt;
use super::markdown::{LinkTarget, Writer};
use super::page::{CardSides, Flashcard, Practice};
use super::{Context, Subject};
use infralens_course::config::SectionForm;
use infralens_course::config::labels::Labels;
use infralens_course::course::PageId;
use infralens_page::contract::{self, Section};
use infralens_page::{Body, Events};
use infralens_source::diag::Diagnostic;

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
    let Some((mut ids, practice)) = card_ids_of(cx, subject) else {
        return Practice::default();
    };
    let placement = &subject.document.placement;
    let on_page = LinkTarget::other_page(&placement.url, &cx.course.pages[practice].url, &placement.name);
    let external = LinkTarget::external(&placement.url, cx.config.base_url.as_deref(), &placement.name);
    let mut writers = [on_page, external].map(|target| Writer::new(cx, subject, excerpts, sections, target));
    let copy = MarkdownCopy::new(cx, subject, excerpts, &cx.course.pages[practice].url);
    let mut collected = Practice::default();
    for section in sections {
        match writers[0].role(section) {
            Some(SectionForm::Questions) => {
                for question in contract::questions(&subject.document.body, section.body.clone()) {
                    let ids = ids.question(&subject.document.body.text(question.question.clone()));
                    collected.questions.push(card(&mut writers, ids, &question));
                }
            }
            Some(SectionForm::Spoken) => {
                let answers = vec![section.body.clone()];
                let spoken_events = contract::Question { question: 0..0, answers };
                collected.spoken = Some(card(&mut writers, ids.spoken(), &spoken_events));
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

/// Returns the ids of a lab's cards: questions first, as on the practice page. The ids that a card had before follow its
/// own, each after `=`.
pub fn card_ids(cx: Context<'_>, subject: Subject<'_>, sections: &[Section]) -> Vec<String> {
    let Some((mut ids, _)) = card_ids_of(cx, subject) else { return Vec::new() };
    let body = &subject.document.body;
    let of = |form| sections.iter().filter(move |section| cx.role(section) == Some(form));
    let questions = of(SectionForm::Questions).flat_map(|section| contract::questions(body, section.body.clone()));
    let mut cards: Vec<Vec<String>> = questions.map(|found| ids.question(&body.text(found.question))).collect();
    cards.extend(of(SectionForm::Spoken).next().map(|_| ids.spoken()));
    cards.into_iter().map(|ids| ids.join("=")).collect()
}

/// Returns what makes the ids of a page's cards, and the practice page of its track.
fn card_ids_of(cx: Context<'_>, subject: Subject<'_>) -> Option<(CardIds, PageId)> {
    let known = &cx.course.pages[subject.page?];
    let track = &cx.course.tracks[known.track?];
    let lab = |track: &str, name: &str| format!("{track}\n{}", unnumbered(name));
    let mut labs = vec![lab(&track.name, &subject.document.placement.name)];
    for alias in known.front().map_or(&[][..], |front| &front.common.aliases) {
        let old = alias.value.strip_prefix("tracks/").and_then(|rest| rest.strip_suffix(".html"));
        let old = old.and_then(|old| old.split_once("/labs/")).map(|(track, name)| lab(track, name));
        labs.extend(old.filter(|old| !labs.contains(old)));
    }
    Some((CardIds { labs, question: BTreeMap::new() }, track.practice?))
}

fn card(writers: &mut [Writer<'_>; 2], mut ids: Vec<String>, question: &contract::Question) -> Flashcard {
    let [on_page, external] = writers.each_mut().map(|writer| CardSides {
        question: writer.question(question.question.clone()),
        answer: question.answers.iter().map(|answer| writer.html(answer.clone())).collect(),
    });
    Flashcard { id: ids.remove(0), was: ids, on_page, external }
}

/// Makes the ids of a lab's cards from the track, the lab's name without its number, and the words of the question. So
/// a lab may move, questions may be reordered and answers may change. A question in other words is another card.
struct CardIds {
    /// The lab's track and name, then those of its aliases.
    labs: Vec<String>,
    /// The questions so far, and how often each occurred before.
    question: BTreeMap<String, usize>,
}

impl CardIds {
    fn question(&mut self, text: &str) -> Vec<String> {
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let nth = self.question.entry(words.clone()).and_modify(|nth| *nth += 1).or_default();
        let nth = *nth;
        self.ids("question", &words, nth)
    }

    fn spoken(&self) -> Vec<String> {
        self.ids("spoken", "", 0)
    }

    /// Returns the card's id, then those that it had under the lab's aliases.
    fn ids(&self, kind: &str, words: &str, nth: usize) -> Vec<String> {
        let id = |lab: &String| {
            let hash = blake3::hash(format!("{lab}\n{kind}\n{words}\n{nth}").as_bytes());
            hash.to_hex()[..DIGITS].to_owned()
        };
        self.labs.iter().map(id).collect()
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
    let seconds = infralens_source::source::script::count_words(text) * 60 / WORDS_PER_MINUTE;
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
        let lab = |lab: &str| CardIds { labs: vec![lab.into()], question: BTreeMap::new() };
        let mut ids = lab("t\na");
        let first = ids.question("Why  so\nlarge?");
        assert_eq!(first[0].len(), DIGITS);
        assert_ne!(ids.question("Why so large?"), first, "the same question once more is another card");
        let mut again = lab("t\na");
        assert_ne!(again.question("And this?"), first);
        assert_eq!(again.question("Why so large?"), first, "another place, the same words");
        assert_ne!(lab("t\nb").question("Why so large?"), first);
        assert_ne!(again.spoken(), again.question(""));
        let moved = CardIds { labs: vec!["t\nb".into(), "t\na".into()], question: BTreeMap::new() };
        assert_eq!(moved.spoken()[1], lab("t\na").spoken()[0], "an alias keeps the id under the old name");
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
