//! `stale-date`: pages that have not been checked for a long time, and advice to check something without saying where.

use std::collections::BTreeSet;
use std::ops::{Range, RangeInclusive};

use super::{at, words};
use crate::config::Config;
use crate::diag::{Diagnostic, Place, codes};
use crate::document::Document;
use crate::document::text::Passage;
use crate::yaml::Date;

/// Verbs that tell a reader to look something up.
const VERBS: [&str; 9] = ["check", "consult", "see", "verify", "confirm", "read", "refer", "look", "recheck"];
/// Words that may come between the verb and its object, separated by spaces.
const BETWEEN: &str = "the your its their in at to up with against for of current latest official newest recent up-to-date \
    online upstream library release";
/// Objects of the verbs; `notes` counts only after `release`.
const DOCS: [&str; 7] = ["docs", "documentation", "changelog", "changelogs", "manual", "website", "notes"];

/// How many days a date may be in the future, because of time zones.
const AHEAD: i64 = 1;

/// Reports a `checked:` that is too old, or in the future.
pub fn dates(document: &Document, config: &Config, today: Option<Date>, out: &mut Vec<Diagnostic>) {
    let (Some(today), Some(checked)) = (today, &document.front.common.checked) else { return };
    let age = today.days_since_1970() - checked.value.days_since_1970();
    let limit = config.freshness_days;
    let fresh = fresh_days(checked.value, config);
    let (message, help) = if today.days_since_1970() > *fresh.end() {
        (
            format!(
                "this page was last checked {age} days ago, more than the limit of {limit} days (`freshness_days`)"
            ),
            "compare what the page says about versions with their current state, correct it, and set the date to that day",
        )
    } else if today.days_since_1970() < *fresh.start() {
        (format!("this date is {} days after today, {today}", -age), "write the day on which the page was last checked")
    } else {
        return;
    };
    out.push(at(document, checked.span.clone(), codes::STALE_DATE, message).help(help));
}

/// Returns the days, since 1970-01-01, on which a page that was checked on this day is not reported.
fn fresh_days(checked: Date, config: &Config) -> RangeInclusive<i64> {
    checked.days_since_1970() - AHEAD..=checked.days_since_1970() + i64::from(config.freshness_days)
}

/// Returns the range of days, since 1970-01-01, on which a build of these documents would report nothing. While the current
/// day is in it, a build of unchanged files can be skipped. `None` if something is reported on every day.
///
/// `diagnostics` are all diagnostics of a build on any day. The result does not depend on that day, because only the dates
/// of pages do, and they are judged here for every day.
#[must_use]
pub fn silent_days<'a>(
    documents: impl Iterator<Item = &'a Document>,
    config: &Config,
    diagnostics: &[Diagnostic],
) -> Option<RangeInclusive<i64>> {
    let mut days = i64::MIN..=i64::MAX;
    let mut of_dates = BTreeSet::new();
    for document in documents {
        let Some(checked) = &document.front.common.checked else { continue };
        let is_allowed = document.front.common.allow.iter().any(|code| code.value == codes::STALE_DATE);
        if is_allowed || config.is_off(codes::STALE_DATE, document.source.path()) {
            continue;
        }
        let fresh = fresh_days(checked.value, config);
        days = *days.start().max(fresh.start())..=*days.end().min(fresh.end());
        of_dates.insert(Place::new(document.source.path(), checked.span.clone()));
    }
    let depends_on_day = |one: &Diagnostic| one.code == codes::STALE_DATE && of_dates.contains(&one.place);
    (!days.is_empty() && diagnostics.iter().all(depends_on_day)).then_some(days)
}

/// Reports "check the current docs" and the like in sentences without a link.
pub fn promises(document: &Document, passages: &[Passage], out: &mut Vec<Diagnostic>) {
    for passage in passages {
        for (index, sentence) in passage.sentences.iter().enumerate() {
            let text = &passage.text[sentence.clone()];
            let Some(phrase) = promise(text) else { continue };
            // "See its documentation" may refer to a link in the sentence before.
            let is_its = [" its ", " their "].iter().any(|word| text[phrase.clone()].contains(word));
            let before = &passage.sentences[if is_its { index.saturating_sub(1) } else { index }];
            let says_where = passage.is_linked(&(before.start..sentence.end)) || text.ends_with(':');
            if says_where || passage.is_code(sentence.start + phrase.start) {
                continue;
            }
            let span = passage.span(&(sentence.start + phrase.start..sentence.start + phrase.end));
            let message = format!("`{}` does not say where", &text[phrase]);
            out.push(
                at(document, span, codes::STALE_DATE, message)
                    .help("check it yourself, link to the source or cite it, and write the day in `checked:`"),
            );
        }
    }
}

/// Returns the range in which a sentence tells the reader to look something up.
fn promise(text: &str) -> Option<Range<usize>> {
    let text = text.to_ascii_lowercase();
    if !DOCS.iter().any(|docs| text.contains(docs)) {
        return None;
    }
    let words = words::words(&text);
    let mut verb = None;
    let mut before = "";
    for word in &words {
        let written = &text[word.range.clone()];
        // "Who has read" and "we’ve read" are not instructions.
        let is_done = before.ends_with("ve") || matches!(before, "has" | "had");
        if VERBS.contains(&written) && !is_done {
            verb = Some(word.range.start);
        } else if let Some(from) = verb {
            if DOCS.contains(&written) && (written != "notes" || before == "release") {
                return Some(from..word.range.end);
            }
            if !BETWEEN.split(' ').any(|word| word == written) && !written.ends_with("'s") && !written.ends_with("’s")
            {
                verb = None;
            }
        }
        before = written;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::promise;

    #[test]
    fn instructions_to_look_something_up() {
        for text in [
            "Check current docs before you rely on it.",
            "For flags, see the official documentation.",
            "Refer to vLLM’s release notes.",
            "Please check the latest docs",
        ] {
            assert!(promise(text).is_some(), "{text}");
        }
        assert_eq!(promise("See how the docs are generated."), None);
        assert_eq!(promise("Once we’ve read its documentation, or have read the docs, it is clear."), None);
        assert_eq!(promise("The documentation of this flag is wrong."), None);
        assert_eq!(promise("Checked against the docs of version 5.23."), None);
    }
}
