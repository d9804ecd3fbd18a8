//! Joins parsed pages into a course, and reads its settings. `infralens-site` calls it; `render`, `theme` and `author` use the
//! result.
//!
//! - [`course`]: [`assemble`](course::assemble) makes a [`Course`](course::Course) (tracks, prerequisites, reading order,
//!   outlines) from the settings and a [`Summary`](course::Summary) of each page: path, front matter and headings, no text. So
//!   an edited paragraph changes neither order nor prerequisites. [`link`](course::link) resolves links. A *track* is a folder
//!   in `content/tracks`.
//! - [`config`] reads `content/site.yaml`, [`references`] the bibliography; [`schema`] makes JSON Schemas of what authors write.
//! - [`links`]: what the addresses of other sites answered, from `content/links.yaml`. Nothing is visited here.
//! - [`records`]: what commands of labs printed when `infralens record` ran them, from files below `code/`. Nothing is run here.
//!
//! ```
//! use infralens_course::config::Config;
//! use infralens_course::course::{Summary, assemble};
//! use infralens_source::source::Source;
//!
//! let (config, _) = Config::read(&Source::new("content/site.yaml", "title: Kernels\ntracks: [gpu]\n"));
//! let files = [("index", ""), ("handbook/01-warps", "after: [threads]\n"), ("handbook/02-threads", "")];
//! let summaries = files.map(|(name, more)| {
//!     let path = format!("content/tracks/gpu/{name}.md");
//!     let source = Source::new(path.as_str(), format!("---\ntitle: T\nsummary: S\n{more}---\n"));
//!     let (document, found) = infralens_page::parse(&source.into(), infralens_page::placement::place(&path).unwrap());
//!     Summary::new(&document, &found)
//! });
//! let (course, _) = assemble(summaries.into(), &config, false); // `false`: without drafts
//! let order: Vec<&str> = course.tracks[0].order.iter().map(|&page| course.pages[page].name()).collect();
//! assert_eq!(order, ["threads", "warps"]);
//! ```

pub mod config;
pub mod course;
pub mod links;
pub mod records;
pub mod references;
pub mod schema;
