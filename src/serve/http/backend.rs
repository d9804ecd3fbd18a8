//! `tiny_http` behind the guard: it reads requests and writes answers, one thread per answer. If it ends, another one is
//! started.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rustix::net::sockopt::{set_socket_send_buffer_size, set_tcp_nodelay};
use tiny_http::Request;

use super::Site;
use super::events::Streams;
use super::head::{Head, KEY};
use super::names::Names;
use super::respond::{Response, respond, text, values};

/// How long a connection to `tiny_http` may take, which is on this machine and waits for connections.
const CONNECT: Duration = Duration::from_millis(250);
/// How much of an answer the system buffers on its way to the guard, in bytes.
const BUFFER: usize = 64 * 1024;
/// How many threads receive requests. The first error of `accept`, after which there is no other, ends one of them; the
/// other one still receives what was accepted before.
const RECEIVERS: usize = 2;

/// What is needed to answer requests. It outlives a `tiny_http` that ended.
pub(super) struct Service {
    pub site: Arc<dyn Site>,
    pub names: Names,
    pub streams: Streams,
    /// Known to nobody outside this process.
    key: String,
}

impl Service {
    pub(super) fn new(site: Arc<dyn Site>, names: Names, streams: Streams) -> Self {
        // The standard library seeds its hashers with random numbers of the system.
        let seed = RandomState::new();
        let key = format!("{:016x}{:016x}", seed.hash_one(0), seed.hash_one(1));
        Self { site, names, streams, key }
    }

    fn answer(&self, request: Request) {
        if !values(&request, KEY).any(|key| key == self.key) {
            return refuse(request);
        }
        // A client that leaves before it has everything is no error.
        let _ = match catch_unwind(AssertUnwindSafe(|| respond(&request, &*self.site, &self.names))) {
            Ok(Response::Answer(answer)) => request.respond(answer),
            Ok(Response::Stream) => self.streams.serve(&*self.site, request),
            Err(_) => request.respond(text(500, "The preview failed at this page; its terminal says more.")),
        };
    }
}

/// Answers a request that did not come through the guard.
fn refuse(request: Request) {
    if request.body_length().is_some_and(|length| length > 0) {
        // When it is dropped, it waits for its body, in a buffer as large as the body claims to be.
        std::mem::forget(request);
    } else {
        let _ = request.respond(text(403, "Only the preview itself may ask here."));
    }
}

/// The guard's access to `tiny_http`.
pub(super) struct Backend {
    service: Arc<Service>,
    running: Option<Running>,
}

impl Backend {
    pub(super) fn start(service: Arc<Service>) -> io::Result<Self> {
        let running = Some(Running::start(&service)?);
        Ok(Self { service, running })
    }

    /// Gives a request to `tiny_http`, and returns the connection on which the answer comes.
    ///
    /// # Errors
    /// The system has no more descriptors, or `tiny_http` has ended; the next call starts another one.
    pub(super) fn ask(&mut self, head: &Head) -> io::Result<TcpStream> {
        let running = match self.running.take() {
            Some(running) => running,
            None => Running::start(&self.service)?,
        };
        let mut backend = TcpStream::connect_timeout(&running.address, CONNECT);
        if !backend.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused) {
            self.running = Some(running);
        }
        if let Ok(backend) = &mut backend {
            // Shorter than what the system buffers for any connection, so this does not wait.
            backend.write_all(&head.forwarded(&self.service.key))?;
            backend.set_nonblocking(true)?;
        }
        backend
    }

    #[cfg(test)]
    pub(super) fn address(&self) -> Option<SocketAddr> {
        self.running.as_ref().map(|running| running.address)
    }
}

/// A running `tiny_http`. It ends when this is dropped.
struct Running {
    server: Arc<tiny_http::Server>,
    address: SocketAddr,
}

impl Running {
    /// Listens on a free port of the loopback address.
    fn start(service: &Arc<Service>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        // Its connections inherit both: the body of an answer does not wait until its head has been acknowledged, and the
        // system does not buffer megabytes of an answer twice, here and for the client.
        set_tcp_nodelay(&listener, true)?;
        set_socket_send_buffer_size(&listener, BUFFER)?;
        let address = listener.local_addr()?;
        let server = Arc::new(tiny_http::Server::from_listener(listener, None).map_err(io::Error::other)?);
        let running = Self { server: Arc::clone(&server), address };
        for _ in 0..RECEIVERS {
            let (server, service) = (Arc::clone(&server), Arc::clone(service));
            thread::Builder::new().name("requests".to_owned()).spawn(move || {
                while let Ok(request) = server.recv() {
                    let service = Arc::clone(&service);
                    // A request that gets no thread is dropped, and so answered with 500.
                    let _ = thread::Builder::new().name("answer".to_owned()).spawn(move || service.answer(request));
                }
            })?;
        }
        Ok(running)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        for _ in 0..RECEIVERS {
            self.server.unblock();
        }
    }
}
