//! Plans the changes that commands make to a course. Nothing is written here: [`scaffold`], [`relocate::plan`] and
//! [`sync::plan`] return [`Change`](infralens_source::change::Change)s and sentences for the author, or a
//! [`Refusal`](infralens_source::change::Refusal).
//!
//! - [`assist`] says what an editor can tell about a place of a course;
//! - [`fix`] makes the fixes that diagnostics carry;
//! - [`links`] finds the addresses of other sites that are to be visited, and records what they answered;
//! - [`scaffold`] creates labs, handbook sections, tracks and courses;
//! - [`relocate`] moves a page to another number, name or folder, rewrites whatever names it, and keeps its old address;
//! - [`sync`] updates pins of excerpts and values, and links to lines; not where notes must be read again first, unless the
//!   author says that they were (`--accept`);
//! - [`translation`] writes the quotes of translations;
//! - [`adopt`] binds copies of code to the files that they copy;
//! - [`upstream`] brings starters up to a later state of the project that wrote them;
//! - [`repository`] finds what `sync` then updates in Markdown that belongs to no course.
//!
//! ```
//! use infralens_author::scaffold;
//! use infralens_source::change::preview;
//! use infralens_source::project::Project;
//!
//! // `preview` applies changes in memory.
//! let course = preview(&Project::default(), &scaffold::empty_course("Kernels"));
//! let proposal = scaffold::track(&course, "memory").unwrap();
//! assert!(proposal.changes.iter().any(|change| &**change.path() == "content/tracks/memory/index.md"));
//! ```

pub mod adopt;
pub mod assist;
pub mod fix;
pub mod links;
pub mod relocate;
pub mod repository;
pub mod scaffold;
pub mod sync;
pub mod translation;
pub mod upstream;
