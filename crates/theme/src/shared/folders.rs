//! The lists of the pages of folders, which every template can show.

use std::collections::BTreeMap;

use tera::Value;

use super::super::context::Listed;
use super::super::names::Names;
use super::{authors, checked, day, summary, value};
use infralens_course::course::{self, Outline, PageId};

/// Returns the pages of each folder outside the tracks and of the folders below it that have no front page, in reading order, by
/// the path of the folder below `content/`, which is `/` itself: [`Listed`].
pub fn lists(names: Names<'_>) -> BTreeMap<String, Vec<Value>> {
    let course = names.course;
    let mut lists: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for page in course.outlines.iter().flat_map(Outline::pages) {
        let Some(path) = course.pages[page].summary.as_ref().map(|summary| &*summary.path) else { continue };
        let listed = value(&listed(names, page));
        for folder in course::folders(path) {
            let below = folder.strip_prefix("content/").unwrap_or("/");
            let list = lists.entry(below.to_owned()).or_default();
            let front = course.page_of(&format!("{folder}/index.md"));
            if front != Some(page) {
                list.push(listed.clone());
            }
            if front.is_some() {
                break;
            }
        }
    }
    lists
}

/// Describes a page in a list.
pub fn listed(names: Names<'_>, page: PageId) -> Listed<'_> {
    let known = &names.course.pages[page];
    let date = day(known);
    Listed {
        title: names.title(page).into(),
        url: names.url(page),
        summary: summary(known),
        date: date.map(|date| date.to_string()),
        date_words: date.map(|date| names.date(date)),
        authors: authors(known),
        checked: checked(known),
        extra: known.front().map(|front| &front.common.extra),
    }
}
