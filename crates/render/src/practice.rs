//! A lab's practice material: its questions and its spoken explanation as flashcards, for the practice page and for
//! other programs.

use std::collections::BTreeMap;

use super::copy::MarkdownCopy;
use super::markdown::{LinkTarget, Writer};
use super::page::{Flashcard, Practice};
use super::{Context, ResolvedPage, Subject};
use infralens_course::config::SectionForm;
use infralens_course::config::labels::Labels;
use infralens_course::course::PageId;
use infralens_page::contract::{self, Section};
use infralens_page::{Body, Events};
use pulldown_cmark::{Event, Tag, TagEnd};

/// The speaking rate.
const WORDS_PER_MINUTE: usize = 150;
/// Speaking times from this many seconds on are given in minutes.
const MINUTES_FROM: usize = 100;
/// The number of hexadecimal digits of an id.
const DIGITS: usize = 16;

/// Where flashcards are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deck {
    /// On the practice page of the track: links are relative to it, and ids start with the lab's name.
    Page,
    /// In another program: links are absolute, or left out if the site's address is unknown.
    Program,
}

impl ResolvedPage<'_> {
    /// Returns a lab's questions and spoken explanation as flashcards.
    pub fn practice(&self, deck: Deck) -> Practice {
        let ResolvedPage { cx, subject, facts } = *self;
        let Some((mut ids, practice)) = card_ids_of(cx, subject) else { return Practice::default() };
        let placement = &subject.document.placement;
        let target = match deck {
            Deck::Page => LinkTarget::other_page(&placement.url, &cx.course.pages[practice].url, &placement.name),
            Deck::Program => LinkTarget::external(&placement.url, cx.config.base_url.as_deref(), &placement.name),
        };
        let excerpts = self.prepared("");
        let mut writer = Writer::new(*self, &excerpts, &facts.sections, target);
        let mut card = |mut ids: Vec<String>, question: Events, answers: &[Events]| Flashcard {
            id: ids.remove(0),
            was: ids,
            question: writer.question(question),
            answer: answers.iter().map(|answer| writer.html(answer.clone())).collect(),
        };
        let mut cards = Practice::default();
        for section in &facts.sections {
            match cx.role(section) {
                Some(SectionForm::Questions) => {
                    for found in contract::questions(&subject.document.body, section.body.clone()) {
                        let ids = ids.question(&subject.document.body.text(found.question.clone()));
                        cards.questions.push(card(ids, found.question, &found.answers));
                    }
                }
                Some(SectionForm::Spoken) => {
                    let (prompt, answer) = prompt(&subject.document.body, section.body.clone());
                    cards.spoken = Some(card(ids.spoken(), prompt, &[answer]));
                }
                _ => {}
            }
        }
        cards
    }

    /// Returns the sections with a lab's questions and spoken explanation: their titles, and Markdown for the copy of the
    /// practice page.
    pub fn practice_copy(&self) -> Vec<(String, String)> {
        let ResolvedPage { cx, subject, facts } = *self;
        let Some((_, practice)) = card_ids_of(cx, subject) else { return Vec::new() };
        let excerpts = self.prepared("");
        let copy = MarkdownCopy::new(cx, subject, &excerpts, &cx.course.pages[practice].url);
        let asked = |section: &&Section| matches!(cx.role(section), Some(SectionForm::Questions | SectionForm::Spoken));
        let title = |section: &Section| subject.document.body.headings[section.heading].text.clone();
        facts.sections.iter().filter(asked).map(|section| (title(section), copy.section(section))).collect()
    }

    /// Returns the ids of a lab's cards: questions first, as on the practice page. The ids that a card had before follow its
    /// own, each after `=`.
    pub fn card_ids(&self) -> Vec<String> {
        let ResolvedPage { cx, subject, facts } = *self;
        let Some((mut ids, _)) = card_ids_of(cx, subject) else { return Vec::new() };
        let body = &subject.document.body;
        let of = |form| facts.sections.iter().filter(move |section| cx.role(section) == Some(form));
        let questions = of(SectionForm::Questions).flat_map(|section| contract::questions(body, section.body.clone()));
        let mut cards: Vec<Vec<String>> = questions.map(|found| ids.question(&body.text(found.question))).collect();
        cards.extend(of(SectionForm::Spoken).next().map(|_| ids.spoken()));
        cards.into_iter().map(|ids| ids.join("=")).collect()
    }
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
pub(super) fn unnumbered(lab: &str) -> &str {
    lab.strip_prefix("lab-").and_then(|rest| rest.split_once('-')).map_or(lab, |(_, slug)| slug)
}

/// Returns the spoken part of a section: what follows its question, up to its first heading.
pub fn spoken_events(body: &Body, section: &Section) -> Events {
    let (_, answer) = prompt(body, section.body.clone());
    let heading = body.headings.iter().find(|heading| answer.contains(&heading.events.start));
    answer.start..heading.map_or(answer.end, |heading| heading.events.start)
}

/// Splits a spoken section into the question that it answers, which is a first paragraph in bold, and the rest.
fn prompt(body: &Body, section: Events) -> (Events, Events) {
    let find = |wanted: TagEnd| section.clone().find(|&at| body.events.event(at) == Event::End(wanted));
    let begins = [Event::Start(Tag::Paragraph), Event::Start(Tag::Strong)];
    let is_bold = section.clone().take(2).map(|at| body.events.event(at)).eq(begins);
    match (find(TagEnd::Strong), find(TagEnd::Paragraph)) {
        (Some(bold), Some(end)) if is_bold && bold + 1 == end => (section.start + 2..bold, end + 1..section.end),
        _ => (section.start..section.start, section),
    }
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
