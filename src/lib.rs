//! InfraLens: a static site generator for courses of annotated code-reading labs. The starter file is the truth: a
//! lab quotes it by region and explains it note by note, and the build fails, or reports the excerpt as stale, when
//! the two disagree.
//!
//! The pipeline, in types:
//!
//! ```text
//! disk --load--> Project
//! Project --site::plan--> Site
//!   each content file, parallel : Source --document::parse--> Document
//!   once                        : [Summary] --course::assemble--> Course
//!   each starter file, parallel : Source --code::Listing::new--> Listing
//!   each document, parallel     : Document + Course + Listings --render::facts--> Facts
//!   once                        : Facts + Course --> table: output path -> Recipe
//!   each document, parallel     : lint
//! Site --make(path)--> bytes --emit--> disk
//! ```
//!
//! The modules, in reading order: the pipeline and its core, the crates below them under the names that the pipeline has
//! for them, what changes a course, and the shell.

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
compile_error!(
    "InfraLens runs on Linux and macOS: it replaces a site by exchanging two folders, which other systems lack."
);

pub use infralens_author::{relocate, repository, scaffold, sync};
pub use infralens_course::{config, course, records, references, schema};
pub use infralens_import as import;
pub use infralens_page as document;
#[cfg(feature = "publish")]
pub use infralens_publish as publish;
pub use infralens_render as render;
pub use infralens_site::{self as site, lint, search};
pub use infralens_source::{change, diag, output, project, source, yaml};
pub use infralens_starter as code;
pub use infralens_theme as theme;
pub use infralens_units as values;

pub mod assets;

mod disk;
pub mod emit;
pub mod load;
pub mod process;
pub mod report;
pub mod serve;

pub mod cli;
