//! The preview: the course in memory, kept as it is on disk.

pub mod follow;
pub mod watch;

pub use follow::Follower;
