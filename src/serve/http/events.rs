//! The open event streams, which tell browsers that the site has changed. Pages then ask for the version that they show,
//! so no change is missed, whether it comes before a stream begins or after.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

use super::Site;
use crate::serve::lock;

/// An event that the script of the preview waits for, so it must be one and not a comment.
pub(super) const PING: &str = "event: ping\ndata: .\n\n";

/// The open event streams.
#[derive(Debug)]
pub(super) struct Streams {
    open: Mutex<Vec<Sender<String>>>,
    /// The maximum number of streams.
    limit: usize,
}

impl Streams {
    pub(super) fn new(limit: usize) -> Self {
        Self { open: Mutex::default(), limit }
    }

    /// Sends all streams the version of the site and the path of the page to go to, or "".
    pub(super) fn broadcast(&self, site: &dyn Site, address: &str) {
        let event = event(site, address);
        lock(&self.open).retain(|stream| stream.send(event.clone()).is_ok());
    }

    pub(super) fn close(&self) {
        lock(&self.open).clear();
    }

    /// Registers another stream; `None` if there are too many.
    pub(super) fn open(&self) -> Option<Receiver<String>> {
        let mut open = lock(&self.open);
        if open.len() >= self.limit {
            // A stream notices only when it writes that its browser has left.
            open.retain(|stream| stream.send(PING.to_owned()).is_ok());
        }
        let (sender, events) = channel();
        let has_room = open.len() < self.limit;
        has_room.then(|| open.push(sender)).map(|()| events)
    }
}

/// Formats an event: the version of the site, and the path of the page to go to, or "".
pub(super) fn event(site: &dyn Site, address: &str) -> String {
    format!("data: {} {address}\n\n", site.version())
}
