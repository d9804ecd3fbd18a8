//! What the other crates (except `infralens-notation`) build on: source texts, diagnostics, the files of a course in memory,
//! and small parsers. Nothing here reads or writes a disk. Whole pages are parsed by `infralens-page`.
//!
//! - [`source`]: a [`Source`](source::Source) is the path and the text of a file; a [`Span`](source::Span) is a range of its
//!   bytes.
//! - [`diag`]: a [`Diagnostic`](diag::Diagnostic) is one problem: its code, its [`Place`](diag::Place) (a span of a file, or a
//!   whole file), message and help. `infralens explain E0404` explains a code.
//! - [`project`]: a [`Project`](project::Project) has the files of a course by path: text, binary, or not read and why.
//! - [`change`]: a [`Change`](change::Change) creates, replaces or renames a file; [`preview`](change::preview) applies changes
//!   in memory. A [`Refusal`](change::Refusal) says why a command cannot do what was asked.
//! - [`yaml`]: parses YAML into a tree with spans, decodes records from it, and adds keys and list items to YAML text.
//! - [`html`]: splits raw HTML into text, comments and tags.
//! - [`selector`]: parses `#L3-L5` or `#fn:add`, which names a part of a code file.
//! - [`url`], [`output`]: relative links and percent-encoding; paths, bytes and content types of the files of a site.
//! - [`testing`]: helpers for the tests of several crates.
//!
//! ```
//! use infralens_source::diag::codes;
//! use infralens_source::source::Source;
//!
//! let source = Source::new("content/about.md", "one\ntwo\n");
//! let diagnostic = source.diagnostic(codes::E0404, 4..7, "`two` does not exist").help("write `one`");
//! assert_eq!(diagnostic.place.span, Some((4, 7)));
//! // Lines and columns count from 1, and columns count characters.
//! assert_eq!((source.position(4).line, source.position(4).column), (2, 1));
//! ```

/// Appends formatted text to a `String`, which cannot fail.
#[macro_export]
macro_rules! put {
    ($out:expr, $($format:tt)+) => {{
        use std::fmt::Write as _;
        let _ = write!($out, $($format)+);
    }};
}

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
