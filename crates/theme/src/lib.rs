//! Facts + Course → the files that templates make and the files that describe the course as a whole. A [`Recipe`] says
//! which file to make, and [`Theme`] makes it, from:
//!
//! 1. styles and scripts, published under names that contain their hash;
//! 2. the built-in templates, or those of the course with the same name;
//! 3. values shared by all pages, made once: the site, the tracks, a link for every page;
//! 4. the context of the page, which includes its rendered body.

mod anki;
mod assets;
mod code;
pub mod context;
mod contrast;
pub mod eject;
mod engine;
mod errors;
mod figures;
mod look;
mod machine;
mod map;
pub mod names;
mod nav;
mod order;
mod page;
mod page_body;
mod print;
mod reading_list;
pub mod recipe;
mod shared;
mod shortcuts;
#[cfg(test)]
mod tests;
mod unused;

pub use assets::{Assets, is_theme_asset};
pub use engine::Engine;
pub use figures::url as calculators_url;
pub use look::Look;
pub use machine::social_card::SocialCards;
pub use order::scripts as orders;
pub use recipe::{Fault, PlannedFile, Recipe, Theme, recipes};
pub use shared::SharedValues;
pub use unused::unused;

use std::sync::Arc;

use crate::diag::Place;
use crate::output::Bytes;
use crate::render::page::{Folder, Starter};
use crate::render::{Context, Source};

/// The input of the theme.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The course and its files.
    pub cx: Context<'a>,
    /// The sources of pages, by [`crate::course::PageId`]; `None` for a page without a file and for an unpublished one.
    pub pages: &'a [Option<Source<'a>>],
    /// The READMEs, sorted by path.
    pub readmes: &'a [Source<'a>],
    /// The starter files that have a page, sorted by path.
    pub starters: &'a [Starter],
    /// The folders that have a page, sorted by path.
    pub folders: &'a [Folder],
}

/// A published style sheet or script, whose name contains the hash of its bytes.
#[derive(Debug, Clone)]
pub struct AssetFile {
    /// The output path, from the site's root.
    pub path: Arc<str>,
    /// Its content.
    pub bytes: Bytes,
    /// The file that it comes from.
    pub from: Place,
}
