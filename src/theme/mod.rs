//! Pages + Course → the files of the site that are made from templates or stand for the course as a whole. Its steps:
//!
//! 1. publish the styles and scripts under names that hold their hash;
//! 2. read the templates, the course's own in place of the built-in ones of the same name;
//! 3. put together, once, what all pages share: the site, the tracks, a line for every lab and section;
//! 4. render every page, in parallel, each from its own context;
//! 5. write the practice questions once more, as cards for another program;
//! 6. add what is for machines: `course.json`, `llms.txt`, `robots.txt`, and the starters' bytes.
//!
//! [`Memo`] holds what this yielded, so that the next time only what has changed is made anew.

mod assets;
mod body;
mod cards;
mod code;
pub mod context;
mod engine;
mod errors;
mod jobs;
mod machine;
mod memo;
pub mod names;
mod page;
mod path;
mod print;
mod reading;
mod shared;
#[cfg(test)]
mod tests;
mod unused;

pub use assets::is_processed;
pub use memo::{Memo, Same, Themed};
pub use unused::unused;

use std::sync::Arc;

use crate::config::Config;
use crate::course::Course;
use crate::diag::Place;
use crate::output::Bytes;
use crate::project::Project;
use crate::references::References;
use crate::render::page::{Folder, Page, Starter};

/// All that theming reads.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The settings.
    pub config: &'a Config,
    /// The bibliography.
    pub references: &'a References,
    /// The linked course.
    pub course: &'a Course,
    /// The files of the course, for its own templates, styles and the starters' bytes.
    pub project: &'a Project,
    /// The rendered pages, by [`crate::course::PageId`]; nothing for a page that has no file or is not published.
    pub pages: &'a [Option<Arc<Page>>],
    /// The starter files that have a page.
    pub starters: &'a [Arc<Starter>],
    /// The folders that have a page.
    pub folders: &'a [Arc<Folder>],
}

/// A file of the site.
#[derive(Debug, Clone)]
pub struct Made {
    /// The output path, from the site's root.
    pub path: Arc<str>,
    /// What it holds.
    pub bytes: Bytes,
    /// What it comes from: a file of the course, or the alias that asks for it.
    pub from: Place,
}
