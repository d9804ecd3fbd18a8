//! `stale-date`: pages that have not been checked for a long time, and advice to check something without saying where.
//! `undated`: pages that have no date where the newest comes first.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{at, words};
use infralens_course::config::Config;
use infralens_course::course::Course;
use infralens_page::Document;
use infralens_page::front_matter::FolderOrder;
use infralens_page::text::Passage;
use infralens_source::diag::{Diagnostic, Edit, Fix, Place, codes};
use infralens_source::url;
use infralens_source::yaml::Date;

/// Verbs that tell a reader to look something up.
const VERBS: [&str; 9] = ["check", "consult", "see", "verify", "confirm", "read", "refer", "look", "recheck"];
/// Words that may come between the verb and its object, separated by spaces.
const BETWEEN: &str = "the your its their in at to up with against for of current latest official newest recent up-to-date \
    online upstream library release";
/// Objects of the verbs; `notes` counts only after `release`.
const DOCS: [&str; 7] = ["docs", "documentation", "changelog", "changelogs", "manual", "website", "notes"];

/// How many days a date may be in the future, because of time zones.
const AHEAD: i64 = 1;

/// The dates of the pages on which `checked:` is judged: the only diagnostics that depend on the day, so the others can be
/// kept until the files change.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dates {
    /// How many days a page is fresh.
    limit: u32,
    /// The place of each date, and its day since 1970-01-01.
    checked: Vec<(Place, i64)>,
}

impl Dates {
    /// Returns the dates of some documents, where the lint is on.
    pub fn of<'a>(documents: impl Iterator<Item = &'a Document>, config: &Config) -> Self {
        let is_on = |document: &&Document| {
            let mut allowed = document.front.common.allow.iter();
            !allowed.any(|code| code.value == codes::STALE_DATE)
                && !config.is_off(codes::STALE_DATE, document.source.path())
        };
        let mut checked: Vec<_> = documents.filter(is_on).filter_map(checked).collect();
        checked.sort_unstable();
        Self { limit: config.freshness_days, checked }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.checked.is_empty()
    }

    /// Whether a diagnostic is about one of them, so that it depends on the day.
    pub fn explain(&self, diagnostic: &Diagnostic) -> bool {
        let is_here = |place: &Place| self.checked.binary_search_by(|(known, _)| known.cmp(place)).is_ok();
        diagnostic.code == codes::STALE_DATE && is_here(&diagnostic.place)
    }

    /// Reports those that are too old on a day, or in the future.
    pub fn judge(&self, today: Date) -> Vec<Diagnostic> {
        self.checked.iter().filter_map(|(place, day)| judge(place, *day, self.limit, today)).collect()
    }
}

/// Reports a `checked:` that is too old, or in the future.
pub fn dates(document: &Document, config: &Config, today: Option<Date>, out: &mut Vec<Diagnostic>) {
    let (Some(today), Some((place, day))) = (today, checked(document)) else { return };
    out.extend(judge(&place, day, config.freshness_days, today));
}

/// Returns the place and the day of a page's `checked:`.
fn checked(document: &Document) -> Option<(Place, i64)> {
    let checked = document.front.common.checked.as_ref()?;
    Some((document.source.place(checked.span.clone()), checked.value.days_since_1970()))
}

fn judge(place: &Place, checked: i64, limit: u32, today: Date) -> Option<Diagnostic> {
    let age = today.days_since_1970() - checked;
    let (message, help) = if age > i64::from(limit) {
        (
            format!(
                "this page was last checked {age} days ago, more than the limit of {limit} days (`freshness_days`)"
            ),
            "compare what the page says about versions with their current state, correct it, and set the date to that day",
        )
    } else if age < -AHEAD {
        (format!("this date is {} days after today, {today}", -age), "write the day on which the page was last checked")
    } else {
        return None;
    };
    Some(Diagnostic::new(codes::STALE_DATE, place.clone(), message).help(help))
}

/// Reports a page that has no date in a folder whose newest page comes first. The fix takes it from the name of the file.
pub fn undated(document: &Document, course: &Course) -> Option<Diagnostic> {
    let page = &course.pages[course.page_of(document.source.path())?];
    let common = &document.front.common;
    let is_sorted = page.rules(&course.pages)?.order == FolderOrder::Newest;
    if !is_sorted || !page.published || common.order.is_some() || common.day().is_some() {
        return None;
    }
    let title = common.title.span.clone();
    let of_name = url::file_name(document.source.path()).get(..10).and_then(Date::parse);
    let fix = of_name.map(|date| {
        let edit = Edit::new(&document.source, title.end..title.end, format!("\ndate: {date}"));
        Fix::new(format!("add `date: {date}`"), vec![edit])
    });
    let message = "the page has no `date`, and in its folder the newest comes first";
    let help = "add the day on which it was published, as in `date: 2026-11-21`; without it, the page comes last, and is not in the feed";
    Some(at(document, title, codes::UNDATED, message).help(help).fix(fix))
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
            let says_where = passage.is_linked(&(before.start..sentence.end)) || text.ends_with([':', '：']);
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
