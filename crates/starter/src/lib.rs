//! Parses starter files: their lines with highlighting, their regions and symbols, and the lines that selectors select.
//! A [`Listing`] depends on its own file alone.
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
pub mod excerpt;
pub mod highlight;
mod lcs;
pub mod listing;
pub mod locate;
pub mod moved;
pub mod number;
pub mod region;
pub mod symbol;

pub use excerpt::{SelectedRows, View};
pub use listing::Listing;
