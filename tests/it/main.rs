//! The integration tests, in one binary. To add one is to add a section to a file of `tests/suite`, or a tiny course to
//! `tests/sites`; run with `UPDATE=1`, and read the difference.
#![expect(
    clippy::case_sensitive_file_extension_comparisons,
    clippy::format_collect,
    clippy::format_push_string,
    reason = "what is read here was written by the program, and speed is no matter"
)]
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    reason = "tests make courses and look at sites on disk, and stop where something is wrong"
)]

mod adopt;
mod agree;
mod cards;
mod cli;
mod crawl;
mod determinism;
mod diff;
mod editor;
mod exits;
mod extremes;
mod faults;
mod fences;
mod fix;
mod follow;
mod formats;
mod fuzz;
mod generate;
mod guide;
mod harness;
mod host;
mod html;
mod import;
mod incremental;
mod init;
mod linear;
mod links;
mod look;
mod lsp;
mod machine;
mod moved;
mod mutation;
mod noise;
mod page;
mod pins;
mod properties;
mod publish;
mod record;
mod relocate;
mod repository;
mod rereading;
mod rewriting;
mod scaffold;
mod schema;
mod serve;
mod serve_truth;
mod shown;
mod sites;
mod stable;
mod suite;
mod symbols;
mod sync;
#[path = "../fuzz/targets/mod.rs"]
mod targets;
mod themed;
mod tidy;
mod translations;
mod unchanged;
mod unreadable;
mod upstream;
mod values;
mod visits;
mod workflows;
