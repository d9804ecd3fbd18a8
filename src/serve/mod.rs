//! The preview: the site from memory, rebuilt when the course changes, over HTTP.

pub mod follow;
pub mod http;
pub mod watch;

pub use follow::Follower;
