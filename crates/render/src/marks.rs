//! What pages show besides their content on a site whose changes are marked (`infralens diff -o`).

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use infralens_source::project::File;

use super::lit::Lit;
use super::markdown::Writer;

/// The changes of a site.
#[derive(Debug, Default)]
pub struct Marks {
    /// What is compared, and how many changes there are.
    pub title: String,
    /// What is written into pages, by the paths of their files.
    pub pages: BTreeMap<Arc<str>, PageMarks>,
    /// All changes, by page.
    pub list: Vec<ListedPage>,
    /// Pictures as they were, which the site has besides those of its course, by their paths in the course.
    pub files: Vec<(Arc<str>, File)>,
}

/// What is written into a page.
#[derive(Debug, Default)]
pub struct PageMarks {
    /// HTML that is valid in any text, by the event before which it is written.
    pub text: BTreeMap<usize, String>,
    /// The lit lines of excerpts that are compared with what they were, by the indices of the excerpts.
    pub lit: BTreeMap<usize, Lit>,
}

impl PageMarks {
    pub fn mark(&mut self, event: usize, html: &str) {
        self.text.entry(event).or_default().push_str(html);
    }
}

#[derive(Debug, Default)]
pub struct ListedPage {
    /// Its title; empty for changes of the whole site.
    pub title: String,
    /// Its output path; `None` if the page has gone.
    pub url: Option<String>,
    pub changes: Vec<ListedChange>,
}

#[derive(Debug)]
pub struct ListedChange {
    /// What has happened, in a few words.
    pub what: String,
    pub id: String,
    /// Its mark, as HTML, if the change has no place in the text of the page.
    pub at_top: Option<String>,
}

impl Writer<'_> {
    /// Writes the marks of some events that have not been written. What has its place in a question, which is a button, comes
    /// after it.
    pub(super) fn write_marks(&mut self, events: RangeInclusive<usize>) {
        if self.marks.is_empty() || self.in_question || events.is_empty() {
            return;
        }
        while let Some((&at, &html)) = self.marks.range(events.clone()).next() {
            self.push(html);
            self.marks.remove(&at);
        }
    }
}
