//! Event streams, which tell browsers that the site has changed. Which pages have is for them to ask, by the version that
//! they have: so nothing is missed, whether a change comes before a stream begins, after, or between.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tiny_http::{Method, Request};

use super::Site;
use super::respond::{text, with};

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\
    Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\r\n";
const PING: &str = ": ping\n\n";

/// The open event streams.
#[derive(Debug)]
pub(super) struct Streams {
    open: Mutex<Vec<Sender<String>>>,
    /// How many there may be.
    limit: usize,
    /// How often a stream without events says that it is alive.
    ping: Duration,
}

impl Streams {
    pub(super) fn new(limit: usize, ping: Duration) -> Self {
        Self { open: Mutex::default(), limit, ping }
    }

    /// Tells all streams that the site's state is a new one, and the address of the page to be shown, or "".
    pub(super) fn tell(&self, site: &dyn Site, address: &str) {
        let event = event(site, address);
        self.lock().retain(|stream| stream.send(event.clone()).is_ok());
    }

    /// Ends all streams.
    pub(super) fn end(&self) {
        self.lock().clear();
    }

    /// Answers a request with an event stream, as long as the browser takes it.
    pub(super) fn serve(&self, site: &dyn Site, request: Request) -> io::Result<()> {
        let is_head = *request.method() == Method::Head;
        let events = if is_head { None } else { self.open() };
        if events.is_none() && !is_head {
            let busy = text(503, "There are too many event streams; ask again.");
            return request.respond(with(busy, "Retry-After", "2"));
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

    /// Registers another stream, if there is room.
    fn open(&self) -> Option<Receiver<String>> {
        let mut open = self.lock();
        if open.len() >= self.limit {
            // Streams whose browser has left find out when they write.
            open.retain(|stream| stream.send(PING.to_owned()).is_ok());
        }
        let (sender, events) = channel();
        let has_room = open.len() < self.limit;
        has_room.then(|| open.push(sender)).map(|()| events)
    }

    /// No step leaves the list half changed, so a panic elsewhere does not matter.
    fn lock(&self) -> MutexGuard<'_, Vec<Sender<String>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes an event: the number of the site's state, and the address of the page to be shown, or "".
fn event(site: &dyn Site, address: &str) -> String {
    format!("data: {} {address}\n\n", site.version())
}
