//! The preview's HTTP server: what a [`Site`] shows, to the browsers of this machine.
//!
//! `tiny_http` reads requests and hands them to a few threads, but cannot be guarded from within: it bounds no header, no
//! connection and no time, and stops for good at the first error of `accept`. So it listens where only the door knows:
//!
//! ```text
//! client --[door]--> whole, checked requests --[tiny_http, backend]--> respond --> Answer
//! client <--[door]-- head through tiny_http, body by handoff from memory <----------'
//! client <--[door]-- events, written by one broadcaster <-- notify
//! ```
//!
//! 1. `address` binds, `limits` says how much of everything there may be;
//! 2. `door`, one thread for all clients (each a `client`), collects a request's `head` and refuses what is malformed;
//! 3. `backend` runs `tiny_http` and its handlers, and is started anew if it ends;
//! 4. `respond` says what is answered, a pure function: `names`, `resolve`, `condition`, `kind` are its rules;
//! 5. `handoff` gives the body to the door, which writes it as fast as the client takes it, so that no slow client holds
//!    a handler; `events` keeps the event streams.
//!
//! **Invariant**: nothing that a client does or leaves undone ends the server, holds a handler, or takes unbounded
//! memory, threads or descriptors.

mod address;
mod answer;
mod backend;
mod client;
mod condition;
mod date;
mod door;
mod events;
mod handoff;
mod head;
mod kind;
mod limits;
mod names;
mod outgoing;
#[doc(hidden)]
pub mod probe;
mod query;
mod resolve;
mod respond;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread::JoinHandle;

pub use address::{Address, Bound, StartError, of_this_machine};
use backend::Service;
use door::Door;
use limits::Limits;
use names::Names;
use resolve::Resolved;

use crate::output::Bytes;

/// What the server asks for. It is asked by several threads at once, and should answer from memory.
pub trait Site: Send + Sync + 'static {
    /// The file at an output path such as `a/b.html`: percent-decoded, without a slash before it.
    fn file(&self, path: &str) -> Option<File>;
    /// What is shown, with status 404, at a path where there is no file.
    fn not_found(&self, path: &str) -> File;
    /// `/`, or `/course/` where the site will stand below a path; both it and `/` lead to the same files.
    fn base_path(&self) -> String;
    /// The number of the present state; grows with every change.
    fn version(&self) -> u64;
    /// Where something on a page is written, as JSON: the answer to `/.infralens/source?…`. `None` is 404.
    fn locate(&self, query: &BTreeMap<String, String>) -> Option<String>;
}

/// The output path of what a site shows at the path of a URL, percent-encoded and with a slash at its beginning.
#[must_use]
pub fn output_path(site: &dyn Site, path: &str) -> Option<String> {
    match resolve::resolve(site, path) {
        Ok(Resolved::File(path, _)) => Some(path),
        _ => None,
    }
}

/// A file that is served.
#[derive(Debug, Clone)]
pub struct File {
    /// What it holds.
    pub bytes: Bytes,
    /// The hash of that, in hex digits: its `ETag`, and the version of a page.
    pub tag: Arc<str>,
}

/// A running server. It stops, and its port is free, when it is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    events: Sender<events::Message>,
    /// The door watches the other end, and leaves when this one is closed.
    open: Option<io::PipeWriter>,
    door: Option<JoinHandle<()>>,
}

impl Server {
    /// Answers from `site`, on threads of its own. Raises the soft limit of open files.
    ///
    /// # Errors
    /// The system has no more threads or descriptors.
    pub fn start(bound: Bound, site: Arc<dyn Site>) -> Result<Self, StartError> {
        Self::limited(bound, site, Limits::of_this_machine())
    }

    fn limited(bound: Bound, site: Arc<dyn Site>, limits: Limits) -> Result<Self, StartError> {
        let Bound { host, listeners } = bound;
        let failed = |source| StartError::System { source };
        let bound = listeners.iter().map(std::net::TcpListener::local_addr).collect::<io::Result<Vec<_>>>();
        let bound = bound.map_err(failed)?;
        let Some(&first) = bound.first() else { return Err(failed(io::Error::other("no address was bound"))) };
        let names = Names::new(&host, &bound);
        let (service, door) = (|| {
            let service = Arc::new(Service::start(site, names, limits.ping)?);
            let (closed, open) = io::pipe()?;
            let door = Door::new(listeners, closed, Arc::clone(&service), limits)?;
            let door = std::thread::Builder::new().name("door".to_owned()).spawn(move || door.run())?;
            Ok((service, (open, door)))
        })()
        .map_err(failed)?;
        Ok(Self { address: first, events: service.events(), open: Some(door.0), door: Some(door.1) })
    }

    /// Where it listens; for `localhost`, which has two addresses, the first.
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Tells the event streams that the site's state is a new one, and the address of the page that a browser should go
    /// to, or "". To be called after each change, when the [`Site`] has it.
    pub fn notify(&self, address: &str) {
        // A broadcaster that is gone has no streams to tell.
        let _ = self.events.send(events::Message::Changed(address.to_owned()));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.open.take());
        if let Some(door) = self.door.take() {
            // A panic of the door has been reported by its thread.
            let _ = door.join();
        }
    }
}
