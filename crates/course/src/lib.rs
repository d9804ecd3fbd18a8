//! What depends on what: the settings of a course, its tracks, reading order, prerequisites and link targets, its
//! references, and what its commands printed. It knows pages by their summaries alone, so that an edited paragraph
//! changes nothing here.
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
