//! Limits the number of connections, and their time.

use std::time::Duration;

/// The number of descriptors to which the soft limit is raised, if the system allows it.
const DESCRIPTORS: u64 = 4096;
/// The number of descriptors that are left to the rest of the program.
const RESERVE: u64 = 128;

/// The server's limits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// The number of connections of clients.
    pub max_connections: usize,
    /// The number of event streams.
    pub streams: usize,
    /// How long a connection may stay open without a request.
    pub idle: Duration,
    /// The time from the first byte of a head to the last.
    pub head: Duration,
    /// How long a response may make no progress because the client reads nothing.
    pub stall_timeout: Duration,
    /// How long a connection stays open after its end, because the client may still be sending.
    pub close_timeout: Duration,
    /// How often a ping is sent on an event stream without events.
    pub ping: Duration,
    /// How long to wait after the system refused a descriptor.
    pub retry_delay: Duration,
}

impl Limits {
    /// Returns the limits that the number of open files allows. Raises that number first.
    pub(super) fn of_this_machine() -> Self {
        Self::of(raise_descriptors())
    }

    fn of(descriptors: u64) -> Self {
        let max_connections = usize::try_from(descriptors.saturating_sub(RESERVE).clamp(4, 1024)).unwrap_or(4);
        Self {
            max_connections,
            // Pages must be served beside them.
            streams: (max_connections / 4).clamp(2, 64),
            idle: Duration::from_mins(1),
            head: Duration::from_secs(10),
            stall_timeout: Duration::from_secs(30),
            close_timeout: Duration::from_secs(2),
            ping: Duration::from_secs(2),
            retry_delay: Duration::from_millis(100),
        }
    }
}

/// Raises the soft limit of open files to [`DESCRIPTORS`], if the hard limit allows it, and returns it.
#[cfg(unix)]
fn raise_descriptors() -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let now = current.unwrap_or(DESCRIPTORS);
    let wanted = maximum.map_or(DESCRIPTORS, |most| most.min(DESCRIPTORS));
    if now >= wanted {
        return now;
    }
    match setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum }) {
        Ok(()) => wanted,
        Err(_) => now,
    }
}

/// Windows has no such limit.
#[cfg(windows)]
fn raise_descriptors() -> u64 {
    DESCRIPTORS
}

#[cfg(test)]
mod tests {
    use super::Limits;

    #[test]
    fn all_together_fit_into_the_descriptors() {
        for descriptors in [0, 64, 256, 1024, 4096, 1 << 40] {
            let limits = Limits::of(descriptors);
            assert!(
                limits.max_connections as u64 <= descriptors.saturating_sub(128).max(4),
                "{descriptors}: {limits:?}"
            );
            assert!(2 * limits.streams <= limits.max_connections, "{descriptors}: {limits:?}");
        }
        let usual = Limits::of(4096);
        assert_eq!((usual.max_connections, usual.streams), (1024, 64));
    }
}
