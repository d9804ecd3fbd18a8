//! Limits the number of connections and requests, and their time.

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
    /// The number of requests that `tiny_http` has at once, including event streams.
    pub requests: usize,
    /// The number of event streams.
    pub streams: usize,
    /// How long a connection may stay open without a request.
    pub idle: Duration,
    /// The time from the first byte of a head to the last.
    pub head: Duration,
    /// The time from a complete head to the first byte of the response.
    pub response_timeout: Duration,
    /// How long a response may make no progress, because the client reads nothing or nothing arrives from
    /// `tiny_http`.
    pub stall_timeout: Duration,
    /// How long a connection stays open after its end, because the client may still be sending.
    pub close_timeout: Duration,
    /// How often a ping is sent on an event stream without events; shorter than `stall_timeout`.
    pub ping: Duration,
    /// How long to wait after the system refused a descriptor.
    pub retry_delay: Duration,
    /// Whether an editor may show pages in a frame.
    pub in_editor: bool,
}

impl Limits {
    /// Returns the limits that the number of open files allows. Raises that number first.
    pub(super) fn of_this_machine() -> Self {
        Self::of(raise_descriptors())
    }

    /// Divides the descriptors. A client needs one, and three more while `tiny_http` has its request: one of the
    /// guard and two there.
    fn of(descriptors: u64) -> Self {
        let spare = descriptors.saturating_sub(RESERVE);
        let at_most = |part: u64, most: u64| usize::try_from((spare / part).clamp(4, most)).unwrap_or(4);
        let requests = at_most(6, 512);
        Self {
            max_connections: at_most(2, 1024),
            requests,
            // Pages must be served beside them.
            streams: at_most(12, 64).min(requests / 2),
            idle: Duration::from_mins(1),
            head: Duration::from_secs(10),
            response_timeout: Duration::from_secs(30),
            stall_timeout: Duration::from_secs(30),
            close_timeout: Duration::from_secs(2),
            ping: Duration::from_secs(2),
            retry_delay: Duration::from_millis(100),
            in_editor: false,
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
            let used = limits.max_connections + 3 * limits.requests;
            assert!(used as u64 <= descriptors.saturating_sub(128).max(28), "{descriptors}: {limits:?}");
            assert!(2 * limits.streams <= limits.requests, "{descriptors}: {limits:?}");
        }
        let usual = Limits::of(4096);
        assert_eq!((usual.max_connections, usual.requests, usual.streams), (1024, 512, 64));
    }
}
