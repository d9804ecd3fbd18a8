//! `stale-date`: claims that nobody has checked for long, and advice to check them without a word where.

use std::ops::Range;

use super::text::Passage;
use super::{at, words};
use crate::config::Config;
use crate::diag::{Diagnostic, codes};
use crate::document::Document;
use crate::yaml::Date;

/// What a reader is told to do.
const VERBS: [&str; 9] = ["check", "consult", "see", "verify", "confirm", "read", "refer", "look", "recheck"];
/// What may stand between that and what it is done to.
const BETWEEN: [&str; 22] = [
    "the",
    "your",
    "its",
    "their",
    "in",
    "at",
    "to",
    "up",
    "with",
    "against",
    "for",
    "of",
    "current",
    "latest",
    "official",
    "newest",
    "recent",
    "up-to-date",
    "online",
    "upstream",
    "library",
    "release",
];
/// What it is done to; notes only where they are those of a release.
const DOCS: [&str; 7] = ["docs", "documentation", "changelog", "changelogs", "manual", "website", "notes"];

/// The page's own date.
pub fn dates(document: &Document, config: &Config, today: Option<Date>, out: &mut Vec<Diagnostic>) {
    let (Some(today), Some(checked)) = (today, &document.front.common.checked) else { return };
    let age = today.days() - checked.value.days();
    let limit = config.freshness_days;
    let (message, help) = if age > i64::from(limit) {
        (
            format!("this page was last checked {age} days ago; after {limit} days (`freshness_days`) that is stale"),
            "read what the page says of versions against their present state, mend it, and set the date to that day",
        )
    } else if age < -1 {
        (
            format!("this day is {} days ahead of today, {today}", -age),
            "write the day on which the page was last checked",
        )
    } else {
        return;
    };
    out.push(at(document, checked.span.clone(), codes::STALE_DATE, message).help(help));
}

/// "Check the current docs" and the like, in a sentence that links nothing.
pub fn promises(document: &Document, passages: &[Passage], out: &mut Vec<Diagnostic>) {
    for passage in passages {
        for (index, sentence) in passage.sentences.iter().enumerate() {
            let text = &passage.text[sentence.clone()];
            let Some(phrase) = promise(text) else { continue };
            // "See its documentation" speaks of what the sentence before may link.
            let is_its = [" its ", " their "].iter().any(|word| text[phrase.clone()].contains(word));
            let before = &passage.sentences[if is_its { index.saturating_sub(1) } else { index }];
            let says_where = passage.is_linked(&(before.start..sentence.end)) || text.ends_with(':');
            if says_where || passage.is_code(sentence.start + phrase.start) {
                continue;
            }
            let span = passage.span(&(sentence.start + phrase.start..sentence.start + phrase.end));
            let message = format!("`{}` leaves the checking to the reader, and does not say where", &text[phrase]);
            out.push(
                at(document, span, codes::STALE_DATE, message)
                    .help("check it, link or cite where, and give the day in `checked:`"),
            );
        }
    }
}

/// Where a sentence says to look something up.
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
        // "Who has read", "we’ve read": that tells nobody to.
        let is_done = before.ends_with("ve") || matches!(before, "has" | "had");
        if VERBS.contains(&written) && !is_done {
            verb = Some(word.range.start);
        } else if let Some(from) = verb {
            if DOCS.contains(&written) && (written != "notes" || before == "release") {
                return Some(from..word.range.end);
            }
            if !BETWEEN.contains(&written) && !written.ends_with("'s") && !written.ends_with("’s") {
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
    fn what_sends_a_reader_away() {
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
