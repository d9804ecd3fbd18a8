//! Writes the generated parts as tables and lists in Markdown.

use super::super::shared::{self, Shared};
use infralens_course::course::{PageId, starter, url};
use infralens_page::front_matter::Lab;
use infralens_page::{Kind, Part};
use infralens_render::copy::{address, escape};

pub fn heading(level: usize, text: &str) -> String {
    format!("{} {}", "#".repeat(level.clamp(1, 6)), escape(text))
}

/// Writes parts for the copy of the page at `base`.
pub struct Parts<'a> {
    /// The data that pages are made from.
    pub shared: &'a Shared<'a>,
    /// The output path of the page.
    pub base: &'a str,
}

impl Parts<'_> {
    /// Returns the URL of an output path.
    pub fn address(&self, to: &str) -> String {
        address(self.shared.config().base_url.as_deref(), self.base, to)
    }

    /// Formats a link to the copy of a page.
    pub fn link(&self, page: PageId, text: &str) -> String {
        format!("[{}]({})", escape(text), self.address(&url::copy(&self.shared.course().pages[page].url)))
    }

    /// Formats a link to a file or folder of the code, which all languages share.
    fn to_code(&self, text: &str, path: String) -> String {
        format!("[{text}]({})", self.address(&self.shared.config().shared(path)))
    }

    /// Formats a link to a starter file as it is.
    pub fn to_raw(&self, file: &str) -> String {
        self.to_code(&format!("`{}`", url::file_name(file)), starter::raw_url(file))
    }

    /// Formats links to the copies of the published ones among some pages.
    pub fn links(&self, pages: &[PageId]) -> String {
        let names = self.shared.names;
        self.shared.published(pages).map(|page| self.link(page, &names.heading(page))).collect::<Vec<_>>().join(", ")
    }

    /// Returns the indices of published tracks.
    pub fn tracks(&self) -> Vec<usize> {
        let course = self.shared.course();
        (0..course.tracks.len()).filter(|&track| course.pages[course.tracks[track].page].published).collect()
    }

    /// Writes a part about a track. `above` is the level of the author's heading directly above it; `titled` says
    /// whether the track must be named.
    pub fn part(&self, part: Part, track: usize, above: Option<usize>, titled: bool) -> String {
        let labels = self.shared.labels();
        let course = self.shared.course();
        let page = course.tracks[track].page;
        let (title, body) = match part {
            Part::Tracks => (labels.tracks.clone(), self.track_list()),
            Part::Curriculum => {
                (self.shared.names.labs_counted(course.tracks[track].labs.len()), self.curriculum(track))
            }
            Part::ReadingOrder => (labels.reading_order.clone(), self.order(track)),
            Part::Starters => (labels.starters.clone(), self.starters(track)),
        };
        if body.is_empty() {
            return body;
        }
        let level = above.map_or(2, |level| level + 1);
        let mut text = String::new();
        if titled {
            text = text + &heading(level, self.shared.names.title(page)) + "\n\n";
        }
        if above.is_none() || part == Part::Curriculum {
            text = text + &heading(level + usize::from(titled), &title) + "\n\n";
        }
        text + &body
    }

    /// Returns the summary of a page after a colon; empty if it has none.
    fn summary(&self, page: PageId) -> String {
        let summary = shared::summary(&self.shared.course().pages[page]);
        summary.map(|summary| format!(": {}", escape(summary))).unwrap_or_default()
    }

    fn track_list(&self) -> String {
        let course = self.shared.course();
        let line = |track: usize| {
            let page = course.tracks[track].page;
            format!("- {}{}", self.link(page, self.shared.names.title(page)), self.summary(page))
        };
        self.tracks().into_iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// Lists a track's sections in reading order.
    pub fn handbook(&self, track: usize) -> String {
        let (course, names) = (self.shared.course(), self.shared.names);
        let sections = course.tracks[track].order.iter().filter(|page| course.pages[**page].kind == Kind::Section);
        let line = |&page: &PageId| {
            let number = names.number(page);
            let number = if number.is_empty() { number } else { number + " " };
            format!("- {number}{}{}", self.link(page, names.title(page)), self.summary(page))
        };
        let list = sections.map(line).collect::<Vec<_>>().join("\n");
        let title = heading(2, &self.shared.labels().handbook);
        if list.is_empty() { list } else { format!("{title}\n\n{list}") }
    }

    fn order(&self, track: usize) -> String {
        let (course, names) = (self.shared.course(), self.shared.names);
        let line = |(at, &page): (usize, &PageId)| {
            let link = self.link(page, &names.heading(page));
            format!("{}. {link} · {}", at + 1, names.time(names.minutes(page)))
        };
        course.tracks[track].order.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
    }

    fn curriculum(&self, track: usize) -> String {
        let labels = self.shared.labels();
        let head = [
            &labels.column_lab, &labels.column_topic, &labels.column_focus, &labels.column_reads,
            &labels.column_outcome, &labels.column_starter,
        ];
        self.table(track, &head, |page, lab| {
            let folder = shared::main_file(&self.shared.course().pages[page], lab).map(|file| {
                let folder = url::folder(&file);
                let name = folder.strip_prefix("code/").unwrap_or(folder);
                self.to_code(&escape(name), starter::folder_url(folder))
            });
            vec![
                self.shared.names.number(page),
                self.link(page, self.shared.names.title(page)),
                escape(&lab.focus.value),
                escape(&lab.reads.value),
                escape(&lab.outcome.value),
                folder.unwrap_or_default(),
            ]
        })
    }

    fn starters(&self, track: usize) -> String {
        let labels = self.shared.labels();
        let head = [&labels.column_lab, &labels.column_type, &labels.column_file, &labels.column_angle];
        self.table(track, &head, |page, lab| {
            let file = shared::main_file(&self.shared.course().pages[page], lab);
            let file = file.map(|file| self.to_raw(&file));
            vec![
                self.link(page, &self.shared.names.kind(page)),
                escape(&lab.starter.kind.value),
                file.unwrap_or_default(),
                escape(&lab.starter.angle.value),
            ]
        })
    }

    /// Writes a table with a row per lab; empty without labs.
    fn table(&self, track: usize, head: &[&String], cells: impl Fn(PageId, &Lab) -> Vec<String>) -> String {
        let course = self.shared.course();
        let row = |cells: &[String]| format!("| {} |", cells.join(" | "));
        let labs = course.tracks[track].labs.iter();
        let rows: Vec<String> = labs.filter_map(|&page| Some(row(&cells(page, course.pages[page].lab()?)))).collect();
        if rows.is_empty() {
            return String::new();
        }
        let head: Vec<String> = head.iter().map(|title| escape(title)).collect();
        let rule = row(&vec!["---".to_owned(); head.len()]);
        [row(&head), rule].into_iter().chain(rows).collect::<Vec<_>>().join("\n")
    }
}
