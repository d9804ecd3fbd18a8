//! How much of everything there may be at once, and for how long.

use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors to which the soft limit is raised where the system allows it.
const DESCRIPTORS: u64 = 4096;
/// Descriptors that are left to the rest of the program.
const RESERVE: u64 = 128;

/// The server's limits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Connections of clients.
    pub clients: usize,
    /// Requests that are with `tiny_http` at once, event streams included.
    pub requests: usize,
    /// Event streams.
    pub streams: usize,
    /// How long a connection may stay without a request.
    pub idle: Duration,
    /// From the first byte of a request's head to its last.
    pub head: Duration,
    /// From a request to the first byte of its answer.
    pub answer: Duration,
    /// How long an answer may make no progress: the client takes nothing, or nothing comes.
    pub stall: Duration,
    /// How long a connection stays that seems to be over: a client may still be sending.
    pub parting: Duration,
    /// How often an event stream without events says that it is alive, which must be sooner than it stalls.
    pub ping: Duration,
    /// How long nothing is tried again after the system refused a descriptor.
    pub pause: Duration,
}

impl Limits {
    /// Returns as much as the limit of open files allows, which is raised first.
    pub(super) fn of_this_machine() -> Self {
        Self::of(raise_descriptors())
    }

    /// Divides the descriptors: a client has one, and three more while its request is with `tiny_http`: the guard's, and two there.
    fn of(descriptors: u64) -> Self {
        let spare = descriptors.saturating_sub(RESERVE);
        let at_most = |part: u64, most: u64| usize::try_from((spare / part).clamp(4, most)).unwrap_or(4);
        Self {
            clients: at_most(2, 1024),
            requests: at_most(6, 512),
            streams: at_most(12, 64),
            idle: Duration::from_mins(1),
            head: Duration::from_secs(10),
            answer: Duration::from_secs(30),
            stall: Duration::from_secs(30),
            parting: Duration::from_secs(2),
            ping: Duration::from_secs(10),
            pause: Duration::from_millis(100),
        }
    }
}

/// Raises the soft limit of open files as far as the hard one and [`DESCRIPTORS`] allow, and returns it.
fn raise_descriptors() -> u64 {
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

#[cfg(test)]
mod tests {
    use super::Limits;

    #[test]
    fn all_together_fit_into_the_descriptors() {
        for descriptors in [0, 64, 256, 1024, 4096, 1 << 40] {
            let limits = Limits::of(descriptors);
            let used = limits.clients + 3 * limits.requests;
            assert!(used as u64 <= descriptors.saturating_sub(128).max(28), "{descriptors}: {limits:?}");
        }
        let usual = Limits::of(4096);
        assert_eq!((usual.clients, usual.requests, usual.streams), (1024, 512, 64));
    }
}
