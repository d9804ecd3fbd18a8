//! One understood starter file: its lines highlighted once, its regions and symbols, and what a selector shows of it.

pub mod excerpt;
pub mod highlight;
pub mod listing;
pub mod locate;
pub mod region;
pub mod selector;
pub mod symbol;

pub use excerpt::{SelectedRows, View};
pub use listing::Listing;
