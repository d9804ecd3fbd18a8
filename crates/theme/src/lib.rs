//! Makes the files of a site from a resolved course: its pages, through the templates of [`Tera`](tera), its styles and
//! scripts, and the files that describe the course as a whole.
//!
//! [`recipes`] lists the files that can be made, each with its path and a [`Recipe`]; [`Theme::make`] makes one of them from
//!
//! 1. styles and scripts, published under names that contain their hash ([`Assets`]);
//! 2. the [`Builtin`] templates, or those of the course with the same name ([`Engine`]);
//! 3. values shared by all pages, made once: the site, the tracks, a link for every page ([`SharedValues`]);
//! 4. the [context](context) of the page, which includes its rendered body.
//!
//! Besides, [`eject`] copies built-in files into a course, and [`unused`] reports what was meant to replace one and does not.
//! The only crate that knows Tera.
//!
//! ```
//! use infralens_source::project::Project;
//! use infralens_theme::{Builtin, Engine};
//!
//! let templates = &[("base.html", "{% block main %}{% endblock main %}"), ("page.html", "{% extends \"base.html\" %}")];
//! let builtin = Builtin { templates, ..Builtin::default() };
//! assert!(Engine::new(&Project::default(), builtin).is_ok());
//! ```

mod anki;
mod assets;
mod builtin;
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
mod names;
mod nav;
mod order;
mod page;
mod page_body;
mod print;
mod reading_list;
mod recipe;
mod shared;
mod shortcuts;
#[cfg(test)]
mod tests;
mod unused;

pub use assets::Assets;
pub use builtin::Builtin;
pub use engine::Engine;
pub use figures::url as calculators_url;
pub use look::Look;
pub use machine::social_card::SocialCards;
pub use names::Names;
pub use order::scripts as orders;
pub use recipe::{Fault, PlannedFile, Recipe, Theme, recipes};
pub use shared::SharedValues;
pub use unused::unused;

use std::sync::Arc;

use infralens_render::page::{Folder, Starter};
use infralens_render::{Context, Source};
use infralens_source::diag::Place;
use infralens_source::output::Bytes;

/// The input of the theme.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The course and its files.
    pub cx: Context<'a>,
    /// The sources of pages, by [`infralens_course::course::PageId`]; `None` for a page without a file and for an unpublished one.
    pub pages: &'a [Option<Source<'a>>],
    /// The READMEs, sorted by path.
    pub readmes: &'a [Source<'a>],
    /// The starter files that have a page, sorted by path.
    pub starters: &'a [Starter],
    /// The folders that have a page, sorted by path.
    pub folders: &'a [Folder],
}

impl<'a> Input<'a> {
    /// Returns the starter file with a page at a path from the course's root.
    fn starter(&self, path: &str) -> Option<&'a Starter> {
        self.starters.binary_search_by(|starter| (*starter.path).cmp(path)).ok().map(|at| &self.starters[at])
    }

    /// Returns the folder with a page at a path from the course's root.
    fn folder(&self, path: &str) -> Option<&'a Folder> {
        self.folders.binary_search_by(|folder| (*folder.path).cmp(path)).ok().map(|at| &self.folders[at])
    }
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
