//! The preview's HTTP server, which serves a [`Site`] to browsers.
//!
//! `tiny_http` implements HTTP, but it does not limit the size of heads, the number of connections or time, and it
//! stops for good at the first error of `accept`. So it listens on a port that only the guard uses:
//!
//! ```text
//! client --[guard]--> a complete head --[tiny_http]--> respond(request, site) --> Reply
//! client <--[guard]-- any bytes <-----[tiny_http]----- a response or an event stream
//! ```
//!
//! 1. `address` binds; `limits` has the limits on number, size and time;
//! 2. `guard`, one thread for all clients (each a `connection`), collects the `head` of a request and forwards bytes
//!    with deadlines. It knows nothing else of HTTP. Each connection serves one request;
//! 3. `backend` runs `tiny_http`, and restarts it if it ends;
//! 4. `respond` is a pure function from a request to the reply; `allowed_hosts`, `resolve` and `conditional` are its
//!    parts;
//! 5. `events` sends the event streams.
//!
//! **Invariant**: no client can end the server, delay other clients, or make it use unbounded memory, threads or
//! descriptors.

mod address;
mod allowed_hosts;
mod backend;
mod conditional;
mod connection;
mod events;
mod guard;
mod head;
mod limits;
mod resolve;
mod respond;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

pub use address::{Address, Bound, machine_addresses};
use allowed_hosts::AllowedHosts;
pub use backend::secret;
use backend::{Backend, Service};
use events::Streams;
use guard::Guard;
use limits::Limits;
use resolve::Resolved;

use infralens_source::change::Refusal;
use infralens_source::output::Bytes;

/// What the server serves. The methods are called by several threads at once, and should answer from memory.
pub trait Site: Send + Sync + 'static {
    /// Returns the file at an output path such as `a/b.html`: percent-decoded, without a leading slash.
    fn file(&self, path: &str) -> Option<File>;
    /// Returns the page that is served, with status 404, at a path without a file.
    fn not_found(&self, path: &str) -> File;
    /// Returns `/`, or `/course/` if the site's URL has such a path, percent-encoded as there. Files are served below this
    /// path and below `/`.
    fn base_path(&self) -> String;
    /// Returns the version of the site, which grows with every change.
    fn version(&self) -> u64;
    /// Returns, as JSON, the source of a place on a page: the response to `/.infralens/source?…`. `None` means 404.
    fn locate(&self, query: &BTreeMap<String, String>) -> Option<String>;
    /// Makes the fix that a page of this run asks for, or says why it cannot be made. `None` if the request is not from such
    /// a page, or this site writes nothing.
    fn apply(&self, query: &BTreeMap<String, String>) -> Option<Result<(), String>>;
}

/// Returns the output path of the file at the path of a URL, which is percent-encoded and begins with a slash.
pub fn path_of_url(site: &dyn Site, path: &str) -> Option<String> {
    match resolve::resolve(site, path) {
        Some(Resolved::File(path, _)) => Some(path),
        _ => None,
    }
}

/// A file that is served.
#[derive(Debug, Clone)]
pub struct File {
    pub bytes: Bytes,
    /// The hash of the content in hex digits: the `ETag`, and the version of a page.
    pub tag: Arc<str>,
}

/// A running server. Dropping it stops it and frees its port.
pub struct Server {
    host: String,
    address: SocketAddr,
    service: Arc<Service>,
    /// The guard stops when this end of the connection is closed.
    keep_alive: Option<TcpStream>,
    guard: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts to serve `site` on threads of its own. Raises the soft limit of open files.
    ///
    /// # Errors
    /// The system has no more threads or descriptors.
    pub fn start(bound: Bound, site: Arc<dyn Site>) -> Result<Self, Refusal> {
        let server = Self::with_limits(bound, site, Limits::of_this_machine());
        server.map_err(|error| Refusal::new(format!("cannot start the preview's server: {error}")))
    }

    fn with_limits(bound: Bound, site: Arc<dyn Site>, limits: Limits) -> io::Result<Self> {
        let Bound { host, other_names, listeners, in_editor } = bound;
        let limits = Limits { in_editor, ..limits };
        let bound = listeners.iter().map(TcpListener::local_addr).collect::<io::Result<Vec<_>>>()?;
        let &address = bound.first().ok_or_else(|| io::Error::other("no address was bound"))?;
        let streams = Streams::new(limits.streams, limits.ping);
        let names = [&host].into_iter().chain(&other_names).map(String::as_str);
        let mut hosts = AllowedHosts::new(names, &bound);
        hosts.in_editor = in_editor;
        let service = Arc::new(Service::new(site, hosts, streams));
        let (stop, keep_alive) = connected()?;
        let guard = Guard::new(listeners, stop, Backend::start(Arc::clone(&service))?, limits)?;
        let guard = thread::Builder::new().name("guard".to_owned()).spawn(move || guard.run())?;
        Ok(Self { host, address, service, keep_alive: Some(keep_alive), guard: Some(guard) })
    }

    /// Returns the name or address that it listens at.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns the address at which the server listens; for `localhost`, which has two, the first.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Tells browsers that the site has changed, and the path of the page that they should go to, or "". Call it
    /// after each change, when the [`Site`] returns the new version.
    pub fn notify(&self, address: &str) {
        self.notifier()(address);
    }

    /// Returns [`notify`](Self::notify) as a function that outlives the server.
    pub fn notifier(&self) -> impl Fn(&str) + Send + 'static {
        let service = Arc::clone(&self.service);
        move |address| service.streams.broadcast(&*service.site, address)
    }
}

/// Returns the two ends of a connection within the program. A pipe would do, but Windows polls only sockets.
fn connected() -> io::Result<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let there = TcpStream::connect(listener.local_addr()?)?;
    loop {
        // Another program may connect first.
        let (here, address) = listener.accept()?;
        if address == there.local_addr()? {
            return Ok((here, there));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.keep_alive.take());
        self.service.streams.close();
        if let Some(guard) = self.guard.take() {
            // A panic of the guard was reported by its thread.
            let _ = guard.join();
        }
    }
}
