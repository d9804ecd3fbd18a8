//! The preview's HTTP server: what a [`Site`] shows, to the browsers of this machine.
//!
//! `tiny_http` speaks HTTP, but limits neither heads, connections nor time, and stops for good at the first error of
//! `accept`. So it listens on a port that only the guard knows:
//!
//! ```text
//! client --[guard]--> a complete head --[tiny_http]--> respond(request, site) --> Answer
//! client <--[guard]-- any bytes <-----[tiny_http]----- Answer, or an event stream
//! ```
//!
//! 1. `address` binds, `limits` says how much of everything there may be;
//! 2. `guard`, one thread for all clients (each a `client`), collects a request's `head`, knows nothing else of HTTP, and
//!    pumps bytes with deadlines; each connection serves one request;
//! 3. `backend` runs `tiny_http`, and starts it anew if it ends;
//! 4. `respond` decides what is answered, a pure function: `names`, `resolve`, `condition`, `kind` are its rules;
//! 5. `events` keeps the event streams.
//!
//! **Invariant**: nothing that a client does or leaves undone ends the server, delays others, or takes unbounded memory,
//! threads or descriptors.

mod address;
mod backend;
mod client;
mod condition;
mod events;
mod guard;
mod head;
mod kind;
mod limits;
mod names;
mod resolve;
mod respond;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

pub use address::{Address, Bound, StartError, of_this_machine};
use backend::{Backend, Service};
use events::Streams;
use guard::Guard;
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
        Some(Resolved::File(path, _)) => Some(path),
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
pub struct Server {
    address: SocketAddr,
    service: Arc<Service>,
    /// The guard watches the other end, and stops when this one is closed.
    open: Option<io::PipeWriter>,
    guard: Option<JoinHandle<()>>,
}

impl Server {
    /// Answers from `site`, on threads of its own. Raises the soft limit of open files.
    ///
    /// # Errors
    /// The system has no more threads or descriptors.
    pub fn start(bound: Bound, site: Arc<dyn Site>) -> Result<Self, StartError> {
        Ok(Self::limited(bound, site, Limits::of_this_machine())?)
    }

    fn limited(bound: Bound, site: Arc<dyn Site>, limits: Limits) -> io::Result<Self> {
        let Bound { host, listeners } = bound;
        let bound = listeners.iter().map(TcpListener::local_addr).collect::<io::Result<Vec<_>>>()?;
        let &address = bound.first().ok_or_else(|| io::Error::other("no address was bound"))?;
        let streams = Streams::new(limits.streams, limits.ping);
        let service = Arc::new(Service::new(site, Names::new(&host, &bound), streams));
        let (closed, open) = io::pipe()?;
        let guard = Guard::new(listeners, closed, Backend::start(Arc::clone(&service))?, limits)?;
        let guard = thread::Builder::new().name("guard".to_owned()).spawn(move || guard.run())?;
        Ok(Self { address, service, open: Some(open), guard: Some(guard) })
    }

    /// Where it listens; for `localhost`, which has two addresses, the first.
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Tells the event streams that the site's state is a new one, and the address of the page that a browser should go
    /// to, or "". To be called after each change, when the [`Site`] has it.
    pub fn notify(&self, address: &str) {
        self.service.streams.tell(&*self.service.site, address);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.open.take());
        self.service.streams.end();
        if let Some(guard) = self.guard.take() {
            // A panic of the guard has been reported by its thread.
            let _ = guard.join();
        }
    }
}
