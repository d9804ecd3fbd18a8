//! Facts + Course → the files of the site that are made from templates or stand for the course as a whole. A [`Recipe`]
//! says which file is to be made; [`Theme`] makes it, from:
//!
//! 1. styles and scripts, published under names that hold their hash;
//! 2. templates, the course's own in place of the built-in ones of the same name;
//! 3. what all pages share, put together once: the site, the tracks, a line for every lab and section;
//! 4. the page's own context, for which its body is rendered.

mod anki;
mod assets;
mod code;
pub mod context;
mod engine;
mod errors;
mod machine;
pub mod names;
mod page;
mod page_body;
mod path;
mod print;
mod reading_list;
pub mod recipe;
mod shared;
#[cfg(test)]
mod tests;
mod unused;

pub use assets::{Assets, is_theme_asset};
pub use engine::Engine;
pub use machine::social_card::SocialCards;
pub use recipe::{Fault, PlannedFile, Recipe, Theme, recipes};
pub use shared::SharedValues;
pub use unused::unused;

use std::sync::Arc;

use crate::diag::Place;
use crate::output::Bytes;
use crate::render::page::{Folder, Starter};
use crate::render::{Context, Source};

/// All that theming reads.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The course and its files.
    pub cx: Context<'a>,
    /// The pages, by [`crate::course::PageId`]; nothing for a page that has no file or is not published.
    pub pages: &'a [Option<Source<'a>>],
    /// The READMEs, sorted by path.
    pub readmes: &'a [Source<'a>],
    /// The starter files that have a page, sorted by path.
    pub starters: &'a [Starter],
    /// The folders that have a page, sorted by path.
    pub folders: &'a [Folder],
}

/// A file of the site.
#[derive(Debug, Clone)]
pub struct AssetFile {
    /// The output path, from the site's root.
    pub path: Arc<str>,
    /// What it holds.
    pub bytes: Bytes,
    /// What it comes from: a file of the course, or the alias that asks for it.
    pub from: Place,
}
