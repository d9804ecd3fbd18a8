//! Print pages. Each track and each outline has one page that joins all of its pages for printing. What it shows is called a
//! volume, and a page on it a chapter.

use super::{Course, Kind, PageId};

/// The part of a course that a print page shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Volume {
    Track(usize),
    Outline(usize),
}

/// The place of a page on a print page.
#[derive(Debug)]
pub struct ChapterPlace {
    /// The output path of the print page.
    pub print_url: String,
    pub id: String,
}

impl ChapterPlace {
    /// Returns the prefix of all other ids of the chapter. The names of pages contain no dots, so the ids of two chapters
    /// never clash.
    pub fn prefix(&self) -> String {
        format!("{}.", self.id)
    }
}

impl Course {
    /// Returns the parts that have a print page.
    pub fn volumes(&self) -> impl Iterator<Item = Volume> {
        let tracks = (0..self.tracks.len()).map(Volume::Track);
        tracks.chain((0..self.outlines.len()).map(Volume::Outline)).filter(|&volume| self.is_printed(volume))
    }

    /// Returns whether a part has a print page: a track with sections or labs, or an outline of several pages. A page of the
    /// author's that has the path of an outline's print page takes its place.
    pub fn is_printed(&self, volume: Volume) -> bool {
        match volume {
            Volume::Track(track) => {
                let track = &self.tracks[track];
                self.pages[track.page].published && !track.order.is_empty()
            }
            Volume::Outline(outline) => {
                let url = self.print_url(volume);
                let is_taken = self.pages.binary_search_by(|page| (*page.url).cmp(&url)).is_ok();
                !is_taken && self.outlines[outline].pages().nth(1).is_some()
            }
        }
    }

    /// Returns the output path of a print page.
    pub fn print_url(&self, volume: Volume) -> String {
        match volume {
            Volume::Track(track) => format!("tracks/{}/print.html", self.tracks[track].name),
            Volume::Outline(outline) => match &*self.outlines[outline].folder {
                "" => "print.html".to_owned(),
                folder => format!("{folder}/print.html"),
            },
        }
    }

    /// Returns the pages on a print page, in reading order.
    pub fn chapters(&self, volume: Volume) -> Vec<PageId> {
        match volume {
            Volume::Track(track) => self.tracks[track].order.clone(),
            Volume::Outline(outline) => self.outlines[outline].pages().collect(),
        }
    }

    /// Returns the part that shows a page as a chapter; `None` if it is neither a section, a lab nor in an outline.
    pub fn volume_of(&self, page: PageId) -> Option<Volume> {
        let known = &self.pages[page];
        match known.track.filter(|_| matches!(known.kind, Kind::Section | Kind::Lab)) {
            Some(track) => Some(Volume::Track(track)),
            None => self.outline_places.get(&page).map(|&(outline, _)| Volume::Outline(outline)),
        }
    }

    pub fn chapter_place(&self, page: PageId) -> Option<ChapterPlace> {
        let (volume, known) = (self.volume_of(page)?, &self.pages[page]);
        let id = match known.kind {
            Kind::Section => format!("Section-{}", known.name()),
            Kind::Lab => format!("Lab-{}", known.name().strip_prefix("lab-").unwrap_or(known.name())),
            // Names contain no colon, and an id of a drawing no slash.
            _ => format!("Page-{}", known.url.trim_end_matches(".html").replace('/', ":")),
        };
        Some(ChapterPlace { print_url: self.print_url(volume), id })
    }
}
