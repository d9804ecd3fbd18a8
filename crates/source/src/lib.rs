//! The foundation of the other crates: source texts with spans, diagnostics, output paths and links, the files of a
//! course in memory and changes to them, and parsers for YAML, HTML tags and selectors. Nothing here reads or writes a
//! disk, and nothing parses a page.
//!
//! - [`source`], [`diag`]: text, and what is wrong with it.
//! - [`project`], [`change`]: the files of a course.
//! - [`yaml`], [`html`], [`selector`]: parsers with spans.
//! - [`url`], [`output`]: the files of the site.
//! - [`testing`]: helpers for tests.
//!
//! A [`source::Source`] is the text of a file, with its lines. A [`source::Span`] is a range of its bytes, and a
//! [`diag::Diagnostic`] says what is wrong there, and what to do.
//!
//! ```
//! use infralens_source::diag::{Diagnostic, Place, codes};
//! use infralens_source::source::Source;
//!
//! let source = Source::new("content/about.md", "one\ntwo\n");
//! let place = Place::new(source.path(), 4..7);
//! let diagnostic = Diagnostic::new(codes::E0404, place, "`two.md` does not exist").help("write `one.md`");
//! assert_eq!(source.position(4).line, 2);
//! assert!(diagnostic.code == codes::E0404);
//! ```

pub mod change;
pub mod diag;
pub mod html;
pub mod output;
pub mod project;
pub mod selector;
pub mod source;
pub mod testing;
pub mod url;
pub mod yaml;
