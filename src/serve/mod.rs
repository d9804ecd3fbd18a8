//! The preview: the site from memory, rebuilt when the course changes, over HTTP.

pub mod client;
pub mod editor;
pub mod follow;
pub mod http;
pub mod inject;
pub mod jump;
pub mod panel;
pub mod watch;

pub use editor::Editor;
pub use follow::Follower;
