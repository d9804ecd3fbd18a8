//! Parses starter files: their lines with highlighting, their regions and symbols, and the lines that selectors select.

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
