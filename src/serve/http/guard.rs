//! The guard: one thread between all clients and `tiny_http`, which does not limit heads, connections or time. It
//! waits only in `poll`, for anything that is ready.
//!
//! A connection costs a descriptor and at most one buffer, but not a thread. Only a complete head is forwarded to
//! `tiny_http`. When `tiny_http` has the maximum number of requests, the next ones wait here.

#![expect(clippy::disallowed_methods, reason = "connections have deadlines")]

use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::backend::Backend;
use super::connection::{Connection, Phase};
use super::head::busy;
use super::limits::Limits;

/// How many connections of a listener are accepted before the open ones are served again.
const ACCEPT_BATCH: usize = 64;
/// How many connections are closed when the system has no descriptor left; `tiny_http` needs some, too.
const CLOSE_BATCH: usize = 8;

/// The listeners and all connections, oldest first.
pub(super) struct Guard {
    listeners: Vec<TcpListener>,
    /// A connection whose other end is closed when the server stops.
    stop: TcpStream,
    backend: Backend,
    limits: Limits,
    connections: Vec<Connection>,
    /// How many requests may wait for the first byte of their response. It is one after the system refused a
    /// descriptor, and doubles whenever all are answered. `tiny_http` ends when it gets no descriptor: if it were
    /// given all requests again at once, it might never answer one.
    batch: usize,
    /// No request is forwarded and no connection accepted before this time, because the system refused it.
    paused_until: Instant,
}

impl Guard {
    /// Creates a guard that accepts connections until the other end of `stop` is closed.
    pub(super) fn new(
        listeners: Vec<TcpListener>,
        stop: TcpStream,
        backend: Backend,
        limits: Limits,
    ) -> io::Result<Self> {
        for listener in &listeners {
            listener.set_nonblocking(true)?;
        }
        let batch = limits.requests;
        Ok(Self { listeners, stop, backend, limits, connections: Vec::new(), batch, paused_until: Instant::now() })
    }

    /// Serves all connections until the server stops.
    pub(super) fn run(mut self) {
        loop {
            let mut ready = self.wait().into_iter();
            let now = Instant::now();
            if ready.next().is_some_and(|stop| !stop.is_empty()) {
                return;
            }
            let incoming: Vec<PollFlags> = ready.by_ref().take(self.listeners.len()).collect();
            let mut next = || ready.next().unwrap_or(PollFlags::empty());
            self.connections.retain_mut(|client| {
                let has_backend = client.backend_interest().is_some();
                let flags = (next(), if has_backend { next() } else { PollFlags::empty() });
                client.advance(flags.0, flags.1, now).is_ok()
            });
            if now < self.paused_until {
                continue;
            }
            // Forward requests before accepting connections, which could take all descriptors.
            if let Err(error) = self.forward_queued().and_then(|()| self.accept(&incoming, now)) {
                // At a time-out, `tiny_http` is only slow to accept. Otherwise there is usually no descriptor left, here or in
                // `tiny_http`.
                if error.kind() != io::ErrorKind::TimedOut {
                    self.batch = 1;
                    self.make_room(now);
                }
                self.paused_until = Instant::now() + self.limits.retry_delay;
            }
        }
    }

    /// Waits until something is ready or a deadline passes. Returns what is ready: the stop signal, each listener,
    /// and each connection followed by its backend.
    fn wait(&self) -> Vec<PollFlags> {
        let now = Instant::now();
        let is_paused = now < self.paused_until;
        let listening = if is_paused { PollFlags::empty() } else { PollFlags::IN };
        let mut fds = vec![PollFd::new(&self.stop, PollFlags::IN)];
        fds.extend(self.listeners.iter().map(|listener| PollFd::new(listener, listening)));
        for client in &self.connections {
            fds.push(client.interest());
            fds.extend(client.backend_interest());
        }
        let due =
            self.connections.iter().map(|client| client.deadline).chain(is_paused.then_some(self.paused_until)).min();
        let timeout = due.and_then(|due| Timespec::try_from(due.saturating_duration_since(now)).ok());
        if poll(&mut fds, timeout.as_ref()).is_err_and(|error| error != Errno::INTR) {
            // The system is short of memory; try again later.
            std::thread::sleep(self.limits.retry_delay);
        }
        fds.iter().map(PollFd::revents).collect()
    }

    fn accept(&mut self, incoming: &[PollFlags], now: Instant) -> io::Result<()> {
        for (index, flags) in incoming.iter().enumerate() {
            for _ in 0..if flags.is_empty() { 0 } else { ACCEPT_BATCH } {
                match self.listeners[index].accept() {
                    Ok((socket, _)) => self.admit(socket, now),
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                    Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }

    fn admit(&mut self, mut socket: TcpStream, now: Instant) {
        if self.connections.len() >= self.limits.max_connections {
            self.close_idle(1);
        }
        if self.connections.len() < self.limits.max_connections {
            // A connection that cannot be set up is already closed.
            self.connections.extend(Connection::new(socket, now, self.limits));
        } else if socket.set_nonblocking(true).is_ok() {
            // Bytes that the client does not take at once are lost.
            let _ = socket.write(&busy());
        }
    }

    /// Closes idle connections, or tells the newest clients that wait to come again if there are none.
    fn make_room(&mut self, now: Instant) {
        let open = self.connections.len();
        self.close_idle(CLOSE_BATCH);
        if self.connections.len() == open {
            let queued = self.connections.iter_mut().rev().filter(|client| client.phase == Phase::Queued);
            queued.take(CLOSE_BATCH).for_each(|client| client.refuse(busy(), now));
        }
    }

    /// Closes connections without a complete request, or whose response is complete, oldest first.
    fn close_idle(&mut self, mut count: usize) {
        self.connections.retain(|client| {
            let is_closed = count > 0 && matches!(client.phase, Phase::Head | Phase::Closing);
            count -= usize::from(is_closed);
            !is_closed
        });
    }

    /// Forwards queued requests to `tiny_http` while it may take more.
    fn forward_queued(&mut self) -> io::Result<()> {
        let busy = self.connections.iter().filter(|client| client.is_busy()).count();
        let unanswered = self.connections.iter().filter(|client| client.phase == Phase::Forwarded).count();
        if unanswered == 0 {
            self.batch = (2 * self.batch).min(self.limits.requests);
        }
        let more = self.limits.requests.saturating_sub(busy).min(self.batch.saturating_sub(unanswered));
        let queued = self.connections.iter_mut().filter(|client| client.phase == Phase::Queued);
        for client in queued.take(more) {
            client.forward(|head| self.backend.forward(head))?;
        }
        Ok(())
    }
}
