//! Runs `tiny_http` behind the guard: it parses requests and sends responses, one thread per response. If it ends, it
//! is started again.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rustix::net::listen;
use rustix::net::sockopt::{set_socket_send_buffer_size, set_tcp_nodelay};
use tiny_http::Request;

use super::Site;
use super::allowed_hosts::AllowedHosts;
use super::events::Streams;
use super::head::{Head, KEY};
use super::respond::{Reply, header_values, respond, text_response};

/// How long connecting to `tiny_http` may take, which listens on this machine.
const CONNECT: Duration = Duration::from_millis(250);
/// How much of a response the system buffers between `tiny_http` and the guard, in bytes.
const BUFFER: usize = 64 * 1024;
/// How many connections may wait until `tiny_http` accepts them; the system may allow fewer.
const BACKLOG: i32 = 512;
/// How many threads receive requests. After the first error of `accept`, `tiny_http` wakes only one of them, with
/// that error; another one still receives what was accepted before.
const RECEIVERS: usize = 2;

/// What responses are made from. It outlives a `tiny_http` that ends.
pub(super) struct Service {
    pub site: Arc<dyn Site>,
    pub hosts: AllowedHosts,
    pub streams: Streams,
    /// The value of the [`KEY`] header, which only this process knows.
    key: String,
}

impl Service {
    pub(super) fn new(site: Arc<dyn Site>, hosts: AllowedHosts, streams: Streams) -> Self {
        Self { site, hosts, streams, key: secret() }
    }

    fn respond(&self, request: Request) {
        if !header_values(&request, KEY).any(|key| key == self.key) {
            return refuse(request);
        }
        // It is not an error if the client closes the connection early.
        let _ = match catch_unwind(AssertUnwindSafe(|| respond(&request, &*self.site, &self.hosts))) {
            Ok(Reply::Response(response)) => request.respond(response),
            Ok(Reply::EventStream) => self.streams.serve(&*self.site, request),
            Err(_) => request.respond(text_response(500, "The preview failed to make this page; see its terminal.")),
        };
    }
}

/// Returns 32 hex digits that only this process knows.
pub fn secret() -> String {
    // The standard library seeds its hashers with random numbers of the system.
    let seed = RandomState::new();
    format!("{:016x}{:016x}", seed.hash_one(0), seed.hash_one(1))
}

/// Rejects a request that did not come from the guard.
fn refuse(request: Request) {
    if request.body_length().is_some_and(|length| length > 0) {
        // Dropping it would wait for the body, with a buffer of the length that the request claims.
        std::mem::forget(request);
    } else {
        let _ = request.respond(text_response(403, "Only the preview itself may send requests here."));
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

    /// Sends a request to `tiny_http`, and returns the connection on which the response will arrive.
    ///
    /// # Errors
    /// The system has no descriptors left, or `tiny_http` has ended; the next call starts it again.
    pub(super) fn forward(&mut self, head: &Head) -> io::Result<TcpStream> {
        let running = match self.running.take() {
            Some(running) => running,
            None => Running::start(&self.service)?,
        };
        let mut backend = TcpStream::connect_timeout(&running.address, CONNECT);
        if !backend.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused) {
            self.running = Some(running);
        }
        if let Ok(backend) = &mut backend {
            // A head fits into the system's buffer, so this does not wait.
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

/// A running `tiny_http`, which ends when this is dropped.
struct Running {
    server: Arc<tiny_http::Server>,
    address: SocketAddr,
}

impl Running {
    /// Listens on a free port of the loopback address.
    fn start(service: &Arc<Service>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        // Connections inherit both options. The body of a response need not wait until its head is acknowledged, and the
        // system does not buffer megabytes of a response twice, here and for the client.
        set_tcp_nodelay(&listener, true)?;
        set_socket_send_buffer_size(&listener, BUFFER)?;
        // The standard library lets 128 connections wait to be accepted, fewer than the guard passes on in a burst.
        listen(&listener, BACKLOG)?;
        let address = listener.local_addr()?;
        let server = Arc::new(tiny_http::Server::from_listener(listener, None).map_err(io::Error::other)?);
        let running = Self { server: Arc::clone(&server), address };
        for _ in 0..RECEIVERS {
            let (server, service) = (Arc::clone(&server), Arc::clone(service));
            thread::Builder::new().name("requests".to_owned()).spawn(move || {
                while let Ok(request) = server.recv() {
                    let service = Arc::clone(&service);
                    // If there is no thread, the request is dropped, which responds with 500.
                    let _ = thread::Builder::new().name("response".to_owned()).spawn(move || service.respond(request));
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
