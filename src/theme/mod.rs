//! Pages + Course → the files of the site that are made from templates or stand for the course as a whole. Its steps:
//!
//! 1. publish the styles and scripts under names that hold their hash;
//! 2. read the templates, the course's own in place of the built-in ones of the same name;
//! 3. put together, once, what all pages share: the site, the tracks, a line for every lab and section;
//! 4. render every page, in parallel, each from its own context;
//! 5. add what is for machines: `course.json`, `llms.txt`, `robots.txt`, and the starters' bytes.

mod assets;
mod body;
mod code;
pub mod context;
mod engine;
mod errors;
mod jobs;
mod machine;
mod names;
mod page;
mod reading;
mod shared;
#[cfg(test)]
mod tests;

pub use assets::is_processed;

use crate::config::Config;
use crate::course::Course;
use crate::diag::{Diagnostic, Place};
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
    pub pages: &'a [Option<Page>],
    /// The starter files that have a page.
    pub starters: &'a [Starter],
    /// The folders that have a page.
    pub folders: &'a [Folder],
}

/// A file of the site.
#[derive(Debug, Clone)]
pub struct Made {
    /// The output path, from the site's root.
    pub path: String,
    /// What it holds.
    pub bytes: Bytes,
    /// What it comes from: a file of the course, or the alias that asks for it.
    pub from: Place,
}

/// Makes the site's files. Templates that cannot be read or rendered are reported, each fault once; the pages that they
/// should have made are empty. With an error nothing is published, but every path is there to be held against others.
#[must_use]
pub fn theme(input: &Input<'_>) -> (Vec<Made>, Vec<Diagnostic>) {
    let assets = assets::publish(input.project);
    let mut made: Vec<Made> = Vec::new();
    let shared = shared::Shared::new(input, &assets);
    let diagnostics = match engine::Engine::new(input.project) {
        Ok(mut engine) => {
            engine.share(&shared);
            let (pages, diagnostics) = jobs::render(&shared, &engine);
            made.extend(pages);
            diagnostics
        }
        Err(diagnostics) => {
            made.extend(jobs::blank(&shared));
            diagnostics
        }
    };
    made.extend(assets.made);
    made.extend(code::raw(input));
    made.extend(machine::files(input));
    (made, diagnostics)
}
