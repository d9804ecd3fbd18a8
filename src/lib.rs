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
//! The pipeline is the crate `infralens-site`, in `crates/`, on top of the others there; `infralens-author` and
//! `infralens-import` plan the changes that commands make to a course. This is the program around them: it reads and writes
//! the disk, answers browsers, and talks to who called it.

#[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
compile_error!("InfraLens runs on Linux, macOS and Windows: `disk` has the calls of the file system for no other.");

pub mod assets;

mod disk;
pub mod emit;
pub mod load;
pub mod lsp;
pub mod process;
pub mod report;
pub mod serve;

pub mod cli;
