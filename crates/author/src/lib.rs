//! The changes that commands make to a course. Each is planned as a list of [`Change`](infralens_source::change::Change)s, with
//! what the author should know about them, before anything is written; who plans is not who writes.
//!
//! - [`assist`] says what an editor can tell about a place of a course;
//! - [`fix`] makes the fixes that diagnostics carry;
//! - [`scaffold`] creates labs, sections, tracks and courses;
//! - [`relocate`] gives a page another name, and follows it in every file that names it;
//! - [`sync`] brings excerpts, values and links up to date where they differ from what they show;
//! - [`repository`] finds such differences in Markdown that belongs to no course.
//!
//! ```
//! use infralens_author::scaffold;
//! use infralens_source::change::preview;
//! use infralens_source::project::Project;
//!
//! let course = preview(&Project::default(), &scaffold::empty_course("Kernels"));
//! let proposal = scaffold::track(&course, "memory").unwrap();
//! assert!(proposal.changes.iter().any(|change| &**change.path() == "content/tracks/memory/index.md"));
//! ```

pub mod assist;
pub mod fix;
pub mod relocate;
pub mod repository;
pub mod scaffold;
pub mod sync;
