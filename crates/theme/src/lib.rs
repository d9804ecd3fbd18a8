//! Makes the pages of a site, its styles and scripts, and its files for other programs, in memory. `infralens-site` alone makes
//! sites with it, and adds the search index and the files that are copied. No other crate depends on [`Tera`](tera).
//!
//! 1. The program embeds the built-in templates and static files, and passes them as a [`Builtin`]. A course replaces one by
//!    a file at the same path below its `templates/` or `static/`.
//! 2. [`Assets`] are the styles and scripts, each named by the hash of its content. An [`Engine`] has the parsed templates.
//!    [`SharedValues`] are what all pages show: the site, the tracks, a link to every page.
//! 3. [`recipes`] lists the other files, each with its path and a [`Recipe`]; [`Recipe::can_be_made`] is false after some
//!    errors.
//! 4. [`Theme::make`] makes the file of one recipe. Pages come from a template and a [context](context), which includes the
//!    HTML of the body. `course.json`, `llms.txt`, `robots.txt`, Markdown copies, Anki cards and pictures need no template.
//!
//! [`eject`] plans copies of built-in files in a course; [`unused`] reports files that seem meant to replace one but do not.
//!
//! ```
//! use infralens_source::project::{File, Project};
//! use infralens_source::source::Source;
//! use infralens_theme::{Builtin, Engine};
//!
//! let builtin = Builtin { templates: &[("page.html", "{{ page.title }}")], ..Builtin::default() };
//! let mut project = Project::default();
//! assert!(Engine::new(&project, builtin).is_ok());
//! let own = Source::new("templates/page.html", "{% if %}");
//! project.put(&own.path().clone(), Some(File::Text(own.into())));
//! assert_eq!(&*Engine::new(&project, builtin).err().unwrap()[0].place.file, "templates/page.html");
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
use infralens_render::{Context, ResolvedPage};
use infralens_source::diag::Place;
use infralens_source::output::Bytes;

#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The course and its files.
    pub cx: Context<'a>,
    /// The sources of pages, by [`infralens_course::course::PageId`]; `None` for a page without a file and for an unpublished one.
    pub pages: &'a [Option<ResolvedPage<'a>>],
    /// The READMEs, sorted by path.
    pub readmes: &'a [ResolvedPage<'a>],
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
    pub bytes: Bytes,
    /// The file that it comes from.
    pub from: Place,
}
