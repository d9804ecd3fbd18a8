//! Links the pages of a course: its settings, tracks, reading order, prerequisites, link targets and references, and
//! what its commands printed. [`course::Course`] depends only on the summaries of pages, so that an edited paragraph
//! changes none of its relations.
//!
//! ```
//! use infralens_course::config::Config;
//! use infralens_source::source::Source;
//!
//! let (config, diagnostics) = Config::read(&Source::new("content/site.yaml", "title: Kernels\n"));
//! assert_eq!((config.title.as_str(), diagnostics.len()), ("Kernels", 0));
//! ```

pub mod config;
pub mod course;
pub mod records;
pub mod references;
pub mod schema;
