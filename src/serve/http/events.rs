//! Sends event streams, which tell browsers that the site has changed. Pages then ask for the version that they show,
//! so no change is missed, whether it comes before a stream begins or after.

use std::io;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use tiny_http::{Method, Request};

use super::Site;
use super::respond::{text_response, with_header};
use crate::serve::lock;

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\
    Cache-Control: no-store\r\n\r\n";
/// An event that the script of the preview waits for, so it must be one and not a comment.
const PING: &str = "event: ping\ndata: .\n\n";

/// The open event streams.
#[derive(Debug)]
pub(super) struct Streams {
    open: Mutex<Vec<Sender<String>>>,
    /// The maximum number of streams.
    limit: usize,
    /// How often a ping is sent on a stream without events.
    ping: Duration,
}

impl Streams {
    pub(super) fn new(limit: usize, ping: Duration) -> Self {
        Self { open: Mutex::default(), limit, ping }
    }

    /// Sends all streams the version of the site and the path of the page to go to, or "".
    pub(super) fn broadcast(&self, site: &dyn Site, address: &str) {
        let event = event(site, address);
        lock(&self.open).retain(|stream| stream.send(event.clone()).is_ok());
    }

    pub(super) fn close(&self) {
        lock(&self.open).clear();
    }

    /// Responds with an event stream until the browser closes it.
    pub(super) fn serve(&self, site: &dyn Site, request: Request) -> io::Result<()> {
        let is_head = *request.method() == Method::Head;
        let events = if is_head { None } else { self.open() };
        if events.is_none() && !is_head {
            let busy = text_response(503, "There are too many event streams; try again.");
            return request.respond(with_header(busy, "Retry-After", "2"));
        }
        let mut writer = request.into_writer();
        writer.write_all(HEAD)?;
        let mut next = event(site, "");
        while let Some(events) = &events {
            writer.write_all(next.as_bytes())?;
            writer.flush()?;
            next = match events.recv_timeout(self.ping) {
                Ok(event) => event,
                Err(RecvTimeoutError::Timeout) => PING.to_owned(),
                Err(RecvTimeoutError::Disconnected) => break,
            };
        }
        writer.flush()
    }

    /// Registers another stream; `None` if there are too many.
    fn open(&self) -> Option<Receiver<String>> {
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
fn event(site: &dyn Site, address: &str) -> String {
    format!("data: {} {address}\n\n", site.version())
}
