//! The guard: one thread between all clients and `tiny_http`, which bounds neither heads, connections nor time. No call
//! in it waits, except for the system to say what is ready.
//!
//! A connection costs a descriptor and at most one buffer, but not a thread. Only a complete head gets a connection to
//! `tiny_http`, and while all places there are taken, requests wait here.

#![expect(clippy::disallowed_methods, reason = "clients are cut after a time")]

use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::backend::Backend;
use super::client::{Client, Stage};
use super::head::busy;
use super::limits::Limits;

/// How many connections are accepted in one turn, so that the open ones get theirs.
const TURN: usize = 64;
/// How many connections are cut when the system has no descriptor left; `tiny_http` needs some, too.
const RELIEF: usize = 8;

/// All connections, in the order in which they came.
pub(super) struct Guard {
    listeners: Vec<TcpListener>,
    /// Closed at its other end when the server stops.
    closed: io::PipeReader,
    backend: Backend,
    limits: Limits,
    clients: Vec<Client>,
    /// Until when nothing is accepted, because the system refused a descriptor.
    resume: Instant,
}

impl Guard {
    /// Guards some listeners until the other end of `closed` is dropped.
    pub(super) fn new(
        listeners: Vec<TcpListener>,
        closed: io::PipeReader,
        backend: Backend,
        limits: Limits,
    ) -> io::Result<Self> {
        for listener in &listeners {
            listener.set_nonblocking(true)?;
        }
        Ok(Self { listeners, closed, backend, limits, clients: Vec::new(), resume: Instant::now() })
    }

    /// Serves until the server stops.
    pub(super) fn run(mut self) {
        loop {
            let mut ready = self.wait().into_iter();
            let now = Instant::now();
            if ready.next().is_some_and(|closed| !closed.is_empty()) {
                return;
            }
            let incoming: Vec<PollFlags> = ready.by_ref().take(self.listeners.len()).collect();
            let mut next = || ready.next().unwrap_or(PollFlags::empty());
            self.clients.retain_mut(|client| {
                let has_backend = client.backend_interest().is_some();
                let flags = (next(), if has_backend { next() } else { PollFlags::empty() });
                client.advance(flags.0, flags.1, now).is_ok()
            });
            // Requests before connections, which would take every descriptor.
            if self.ask().is_err() || now >= self.resume && self.accept(&incoming, now).is_err() {
                // As a rule, here or at `tiny_http`, descriptors are short.
                self.cut_idle(RELIEF);
                self.resume = Instant::now() + self.limits.pause;
            }
        }
    }

    /// Waits until something is ready or due, and returns what: the stop, each listener, each client with its backend.
    fn wait(&self) -> Vec<PollFlags> {
        let now = Instant::now();
        let is_paused = now < self.resume;
        let listening = if is_paused { PollFlags::empty() } else { PollFlags::IN };
        let mut fds = vec![PollFd::new(&self.closed, PollFlags::IN)];
        fds.extend(self.listeners.iter().map(|listener| PollFd::new(listener, listening)));
        for client in &self.clients {
            fds.push(client.interest());
            fds.extend(client.backend_interest());
        }
        let due = self.clients.iter().map(|client| client.deadline).chain(is_paused.then_some(self.resume)).min();
        let timeout = due.and_then(|due| Timespec::try_from(due.saturating_duration_since(now)).ok());
        if poll(&mut fds, timeout.as_ref()).is_err_and(|error| error != Errno::INTR) {
            // Short of memory: the next turn asks again.
            std::thread::sleep(self.limits.pause);
        }
        fds.iter().map(PollFd::revents).collect()
    }

    fn accept(&mut self, incoming: &[PollFlags], now: Instant) -> io::Result<()> {
        for (index, flags) in incoming.iter().enumerate() {
            for _ in 0..if flags.is_empty() { 0 } else { TURN } {
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
        if self.clients.len() >= self.limits.clients {
            self.cut_idle(1);
        }
        if self.clients.len() < self.limits.clients {
            // One that cannot be set up is gone already.
            self.clients.extend(Client::new(socket, now, self.limits));
        } else if socket.set_nonblocking(true).is_ok() {
            // What it does not take at once is lost with the connection.
            let _ = socket.write(&busy());
        }
    }

    /// Cuts connections that have no complete request, or no longer, in the order in which they came.
    fn cut_idle(&mut self, mut count: usize) {
        self.clients.retain(|client| {
            let is_cut = count > 0 && matches!(client.stage, Stage::Head | Stage::Closing);
            count -= usize::from(is_cut);
            !is_cut
        });
    }

    /// Takes requests to `tiny_http` while there is room for them.
    fn ask(&mut self) -> io::Result<()> {
        let busy = self.clients.iter().filter(|client| client.is_busy()).count();
        let queued = self.clients.iter_mut().filter(|client| client.stage == Stage::Queued);
        for client in queued.take(self.limits.requests.saturating_sub(busy)) {
            client.ask(|head| self.backend.ask(head))?;
        }
        Ok(())
    }
}
