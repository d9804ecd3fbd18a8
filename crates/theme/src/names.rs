//! The titles, labels and URLs of pages.

use super::context::Place;
use infralens_course::config::Config;
use infralens_course::course::{Course, PageId, Track, url};
use infralens_page::Kind;
use infralens_source::yaml::Date;

/// Times of this many minutes or more are given in hours.
const HOURS_FROM: u32 = 90;

/// Formats the names of pages, using the labels of the settings.
#[derive(Debug, Clone, Copy)]
pub struct Names<'a> {
    pub config: &'a Config,
    pub course: &'a Course,
}

impl<'a> Names<'a> {
    /// Returns the title, "Transformer Memory Accounting"; for a page without a file, a label for its kind.
    pub fn title(self, page: PageId) -> &'a str {
        let known = &self.course.pages[page];
        match (known.title(), known.kind) {
            ("", Kind::Home) => &self.config.title,
            ("", Kind::Labs) => &self.config.labels.labs,
            ("", Kind::Practice) => &self.config.labels.practice,
            (title, _) => title,
        }
    }

    /// Returns the kind that is written before a title: "Lab 01", "Section".
    pub fn kind(self, page: PageId) -> String {
        let labels = &self.config.labels;
        let known = &self.course.pages[page];
        match known.kind {
            Kind::Home => labels.home.clone(),
            Kind::Glossary => labels.glossary.clone(),
            Kind::Track => labels.track.clone(),
            Kind::Section => labels.section.clone(),
            Kind::Labs => labels.labs.clone(),
            Kind::Lab => format!("{} {}", labels.lab, known.number().map_or("", |number| &number.text)),
            Kind::Practice => labels.practice.clone(),
            Kind::Page | Kind::Readme | Kind::Outside => String::new(),
        }
    }

    /// Returns "Lab 01: Transformer Memory Accounting" for a lab, else the title.
    pub fn heading(self, page: PageId) -> String {
        let title = self.title(page);
        if self.course.pages[page].kind == Kind::Lab { format!("{}: {title}", self.kind(page)) } else { title.into() }
    }

    /// Returns "Lab 01" for a lab, "Home" for the home page, else the title.
    pub fn short(self, page: PageId) -> String {
        match self.course.pages[page].kind {
            Kind::Lab | Kind::Home => self.kind(page),
            _ => self.title(page).into(),
        }
    }

    /// Returns the line above a title: "Lab 01", "Handbook §1", "Track".
    pub fn label(self, page: PageId) -> Option<String> {
        match self.course.pages[page].kind {
            Kind::Lab | Kind::Track => Some(self.kind(page)),
            Kind::Section => Some(match self.course.pages[page].shown_number() {
                Some(_) => format!("{} {}", self.config.labels.handbook, self.number(page)),
                None => self.config.labels.handbook.clone(),
            }),
            _ => None,
        }
    }

    /// Returns "Lab 01: Transformer Memory Accounting", "§1 The memory ledger", or the title of a page without a number.
    pub fn numbered(self, page: PageId) -> String {
        let known = &self.course.pages[page];
        let heading = self.heading(page);
        let is_numbered = known.kind == Kind::Section && known.shown_number().is_some();
        if is_numbered { format!("{} {heading}", self.number(page)) } else { heading }
    }

    /// Returns the short name for pages of other tracks: "Transformer lab 01", "Transformer §1", "Transformer: The title" for a
    /// section without a number. On a site with one track, and for other pages, it is the short name.
    pub fn qualified(self, page: PageId) -> String {
        let known = &self.course.pages[page];
        let Some(track) = self.track_title(page).filter(|_| self.course.tracks.len() > 1) else {
            return self.short(page);
        };
        match (known.kind, known.shown_number()) {
            (Kind::Lab, number) => {
                let number = number.map_or("", |number| &number.text);
                self.config.labels.lab_in_track.replace("{track}", track).replace("{n}", number)
            }
            (Kind::Section, Some(_)) => format!("{track} {}", self.number(page)),
            (Kind::Section, None) => format!("{track}: {}", self.title(page)),
            _ => self.short(page),
        }
    }

    /// Returns the name with number and title for pages of other tracks: "Transformer lab 01: Quantization Reading",
    /// "AI Infrastructure §1 The memory ledger".
    pub fn qualified_heading(self, page: PageId) -> String {
        let known = &self.course.pages[page];
        match known.kind {
            Kind::Lab => format!("{}: {}", self.qualified(page), self.title(page)),
            Kind::Section if known.shown_number().is_some() && self.course.tracks.len() > 1 => {
                format!("{} {}", self.qualified(page), self.title(page))
            }
            Kind::Section if self.course.tracks.len() > 1 => self.qualified(page),
            _ => self.numbered(page),
        }
    }

    /// Returns whether a page is a primer: a section without a number that one with a number, or a lab, requires.
    pub fn is_primer(self, page: PageId) -> bool {
        let pages = &self.course.pages;
        let known = &pages[page];
        let is_for = |&other: &PageId| pages[other].kind == Kind::Lab || pages[other].shown_number().is_some();
        known.kind == Kind::Section && known.shown_number().is_none() && known.required_by.iter().any(is_for)
    }

    /// Returns "01" for a lab, "§1" for a section, and nothing for a section without a number.
    pub fn number(self, page: PageId) -> String {
        let known = &self.course.pages[page];
        match known.shown_number() {
            Some(number) if known.kind == Kind::Section => format!("§{}", number.value),
            Some(number) => number.text.to_string(),
            None => String::new(),
        }
    }

    /// Returns the title of the page's track.
    pub fn track_title(self, page: PageId) -> Option<&'a str> {
        let track = self.course.pages[page].track?;
        Some(self.title(self.course.tracks[track].page))
    }

    /// Returns the percent-encoded URL.
    pub fn url(self, page: PageId) -> String {
        url::encode(&self.course.pages[page].url)
    }

    /// Returns the title with the URL.
    pub fn place(self, page: PageId) -> Place {
        Place::new(self.title(page), self.url(page))
    }

    /// Returns the reading time in minutes.
    pub fn minutes(self, page: PageId) -> u32 {
        self.course.pages[page].summary.as_ref().map_or(0, |summary| summary.minutes)
    }

    /// Returns the minutes of reading of several pages together.
    pub fn total_minutes(self, pages: &[PageId]) -> u32 {
        pages.iter().fold(0, |sum: u32, &page| sum.saturating_add(self.minutes(page)))
    }

    pub fn published_tracks(self) -> impl Iterator<Item = &'a Track> {
        self.course.tracks.iter().filter(move |track| self.course.pages[track.page].published)
    }

    /// Formats a time: "25 minutes", "5 h 45 min".
    pub fn time(self, minutes: u32) -> String {
        let labels = &self.config.labels;
        match (minutes, minutes / 60, minutes % 60) {
            (0..HOURS_FROM, ..) => labels.minutes.with(minutes as usize),
            (_, hours, 0) => labels.hours.with(hours as usize),
            (_, hours, rest) => {
                format!("{}\u{a0}{}", labels.hours.with(hours as usize), labels.min.with(rest as usize))
            }
        }
    }

    /// Returns an id that distinguishes the course from others in browsers and other programs: 12 hexadecimal digits.
    /// It depends on the site's address, which stays when titles and tracks change, or on the title if the address is
    /// unknown.
    pub fn identity(self) -> String {
        blake3::hash(self.config.known_by().as_bytes()).to_hex()[..12].to_owned()
    }

    /// Formats a time briefly: "38 min", "5 h 45 min".
    pub fn length(self, minutes: u32) -> String {
        let labels = &self.config.labels;
        match (minutes / 60, minutes % 60) {
            (0, minutes) => labels.min.with(minutes as usize),
            (hours, rest) => format!("{}\u{a0}{}", labels.hours.with(hours as usize), labels.min.with(rest as usize)),
        }
    }

    /// Formats a number of labs: "12 code-reading labs".
    pub fn labs_counted(self, labs: usize) -> String {
        self.config.labels.labs_counted.with(labs)
    }

    /// Formats a number of sections: "14 sections".
    pub fn sections_counted(self, sections: usize) -> String {
        self.config.labels.sections_counted.with(sections)
    }

    /// Formats a day as the language of the course writes it.
    pub fn date(self, day: Date) -> String {
        let labels = &self.config.labels;
        labels.date.format(day, &labels.months)
    }

    /// Returns the title that browsers show: page, track and site, each once.
    pub fn document_title(self, heading: &str, track: Option<&str>) -> String {
        let mut parts = vec![heading];
        for part in track.into_iter().chain([self.config.title.as_str()]) {
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        parts.join(" · ")
    }
}

/// Returns the name of a kind of page in templates.
pub fn kind(kind: Kind) -> &'static str {
    template(kind).trim_end_matches(".html")
}

pub fn template(kind: Kind) -> &'static str {
    match kind {
        Kind::Home => "home.html",
        Kind::Page | Kind::Outside => "page.html",
        Kind::Glossary => "glossary.html",
        Kind::Track => "track.html",
        Kind::Section => "section.html",
        Kind::Labs => "labs.html",
        Kind::Lab => "lab.html",
        Kind::Practice => "practice.html",
        Kind::Readme => "folder.html",
    }
}
