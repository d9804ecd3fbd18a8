//! The ground that everything stands on: files with places, diagnostics with fixes, the addresses of a site, changes to a
//! course, and YAML and HTML with places. Nothing here reads a disk or knows what a page is.
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
