//! Parses starter files, the code that a lab's pages quote: lines with highlighting, regions, symbols, and the lines
//! that selectors select. A [`Listing`] depends on its own file alone; only [`moved`] looks at several files, and
//! [`compare`] and [`copied`] at two pieces of code.
//!
//! 1. [`highlight`] splits lines into tokens.
//! 2. [`region`] matches markers, [`symbol`] finds definitions when one is asked for.
//! 3. [`Listing::select`] resolves a selector. If it cannot, it returns a [`listing::SelectError`], to which the caller
//!    adds the place.
//! 4. [`SelectedRows`] and [`View`] are the rows that readers see; a *pin* is the copy of them in the page.
//! 5. [`locate`] and [`moved`] find code that has changed or moved; [`compare`] compares two versions; [`number`] reads
//!    a number in code.
//!
//! ```
//! use std::sync::Arc;
//!
//! use infralens_source::{selector::Selector, source::Source};
//! use infralens_starter::Listing;
//!
//! let source = Source::new("code/lab/a.py", "import os\n\n\ndef add(a, b):\n    return a + b\n");
//! let (listing, diagnostics) = Listing::new(&Arc::new(source));
//! assert_eq!(listing.select(&Selector::parse("fn:add").unwrap()).ok(), Some(3..5));
//! assert!(diagnostics.is_empty());
//! ```

pub mod compare;
pub mod copied;
pub mod excerpt;
pub mod highlight;
pub mod language;
mod lcs;
pub mod listing;
pub mod locate;
pub mod moved;
pub mod number;
pub mod region;
pub mod symbol;

pub use excerpt::{SelectedRows, View};
pub use listing::Listing;
