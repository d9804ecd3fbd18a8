//! Parses starter files, the files below `code/` that pages quote or link to: lines with highlighting, regions, symbols,
//! and the lines that selectors select. A [`Listing`] is one parsed file, and depends on that file alone; only [`moved`]
//! looks at several files, and [`compare`] and [`copied`] at two pieces of code.
//!
//! A *selector* names a region (`setup`: the lines between `# ANCHOR: setup` and `# ANCHOR_END: setup`), lines (`L3-L5`),
//! a symbol (`fn:add`: a function, method, class, struct or kernel), or a cell of a notebook (`cell:load`).
//!
//! 0. [`notebook`] turns a Jupyter notebook into the text of its code cells.
//! 1. [`highlight`] splits lines into tokens, by Sublime Text's syntax definitions but with its own engine; `language`
//!    says what each type of file is.
//! 2. [`region`] matches markers, [`symbol`] finds definitions when one is asked for.
//! 3. [`Listing::select`] resolves a selector. If it cannot, it returns a [`listing::SelectError`], to which the caller
//!    adds the place of the selector.
//! 4. [`SelectedRows`] are the selected lines, by their numbers, and what is left out between them; a [`View`] has their
//!    text and highlighting. A *pin* is the copy of them in the page, which may be out of date.
//! 5. [`Listing::locate`] finds code that has changed within its file, [`moved::CodeIndex`] code that has moved to another
//!    file; [`compare::Comparison`] compares an older piece of code with a newer one; [`number::number_between`] reads the
//!    number that a formula names.
//!
//! ```
//! use std::sync::Arc;
//!
//! use infralens_source::{selector::Selector, source::Source};
//! use infralens_starter::Listing;
//!
//! let source = Source::new("code/lab/a.py", "import os\n\n\ndef add(a, b):\n    return a + b\n");
//! let (listing, diagnostics) = Listing::new(&Arc::new(source));
//! // Ranges of lines count from 0: these are lines 4 and 5.
//! assert_eq!(listing.select(&Selector::parse("fn:add").unwrap()).ok(), Some(3..5));
//! assert!(diagnostics.is_empty());
//! ```

pub mod compare;
pub mod copied;
pub mod excerpt;
pub mod highlight;
pub mod language;
pub mod lcs;
pub mod listing;
pub mod locate;
pub mod moved;
pub mod notebook;
pub mod number;
pub mod region;
pub mod symbol;

pub use excerpt::{SelectedRows, View};
pub use listing::Listing;
