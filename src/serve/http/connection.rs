//! A connection of the guard to a client: forwards one request to `tiny_http`, and the response to the client.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::net::sockopt::set_socket_linger;

use super::head::{EDITOR_FRAMES, Head, RESPONSE_HEADERS, busy, refusal};
use super::limits::Limits;

/// How many bytes are read at once, and how much of a response is buffered for its client.
const CHUNK: usize = 16 * 1024;
/// How many bytes a client may send after its head, which are ignored, before no more are read.
const IGNORED: usize = 1024 * 1024;

/// A client's connection, which serves one request.
#[derive(Debug)]
pub(super) struct Connection {
    socket: TcpStream,
    pub(super) phase: Phase,
    /// When the current phase has taken too long.
    pub(super) deadline: Instant,
    limits: Limits,
    head: Head,
    /// The connection to `tiny_http`, while it has the request.
    backend: Option<TcpStream>,
    /// Bytes that are to be sent to the client.
    pending: Vec<u8>,
    /// Whether the client has closed its side; it can still receive a response.
    is_half_closed: bool,
    /// How many bytes the client has sent after the head.
    ignored: usize,
}

/// The phases of a connection, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// The head is incomplete.
    Head,
    /// The request waits until `tiny_http` may take it.
    Queued,
    /// `tiny_http` has the request.
    Forwarded,
    /// The response is being sent to the client.
    Response,
    /// Everything is sent. If the connection were closed at once, a client that is still sending would lose the
    /// response.
    Closing,
}

impl Connection {
    /// Sets up a connection that was just accepted.
    pub(super) fn new(socket: TcpStream, now: Instant, limits: Limits) -> io::Result<Self> {
        socket.set_nonblocking(true)?;
        socket.set_nodelay(true)?;
        Ok(Self {
            socket,
            phase: Phase::Head,
            deadline: now + limits.idle,
            limits,
            head: Head::default(),
            backend: None,
            pending: Vec::new(),
            is_half_closed: false,
            ignored: 0,
        })
    }

    /// Whether `tiny_http` has the request.
    pub(super) fn is_busy(&self) -> bool {
        self.backend.is_some()
    }

    /// Returns what `poll` should report for the client.
    pub(super) fn interest(&self) -> PollFd<'_> {
        let mut flags = PollFlags::empty();
        flags.set(PollFlags::IN, !self.is_half_closed && self.ignored < IGNORED);
        flags.set(PollFlags::OUT, !self.pending.is_empty());
        PollFd::new(&self.socket, flags)
    }

    /// Returns what `poll` should report for `tiny_http`; `None` if nothing should be read from it now.
    pub(super) fn backend_interest(&self) -> Option<PollFd<'_>> {
        self.backend.as_ref().filter(|_| self.pending.is_empty()).map(|backend| PollFd::new(backend, PollFlags::IN))
    }

    /// Does what is possible without waiting; `client` and `backend` are what `poll` has reported.
    ///
    /// # Errors
    /// The connection is over.
    pub(super) fn advance(&mut self, client: PollFlags, backend: PollFlags, now: Instant) -> io::Result<()> {
        if client.intersects(PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL) {
            return Err(ended());
        }
        let is_blocked = !self.pending.is_empty() && !client.contains(PollFlags::OUT);
        if client.contains(PollFlags::IN) {
            self.receive(now)?;
        }
        if !backend.is_empty() {
            self.relay(now)?;
        }
        if !self.pending.is_empty() && !is_blocked {
            self.send(now)?;
        }
        if now < self.deadline { Ok(()) } else { self.expire(now) }
    }

    /// Passes the head to `forward`, which returns the connection on which the response will arrive.
    ///
    /// # Errors
    /// The request stays in the queue.
    pub(super) fn forward(&mut self, forward: impl FnOnce(&Head) -> io::Result<TcpStream>) -> io::Result<()> {
        self.backend = Some(forward(&self.head)?);
        self.phase = Phase::Forwarded;
        Ok(())
    }

    fn receive(&mut self, now: Instant) -> io::Result<()> {
        let mut chunk = [0; CHUNK];
        let Some(length) = unless_blocked(self.socket.read(&mut chunk))? else { return Ok(()) };
        match self.phase {
            Phase::Head | Phase::Closing if length == 0 => return Err(ended()),
            Phase::Head => {
                let was_empty = self.head.is_empty();
                match self.head.push(&chunk[..length]) {
                    Ok(true) => (self.phase, self.deadline) = (Phase::Queued, now + self.limits.response_timeout),
                    Ok(false) if was_empty => self.deadline = now + self.limits.head,
                    Ok(false) => {}
                    Err(response) => self.refuse(response, now),
                }
            }
            _ if length == 0 => {
                self.is_half_closed = true;
                if self.phase == Phase::Response {
                    self.progress(now);
                }
            }
            _ => self.ignored += length,
        }
        Ok(())
    }

    /// Reads more of the response; called when all earlier bytes are sent.
    fn relay(&mut self, now: Instant) -> io::Result<()> {
        let Some(backend) = &mut self.backend else { return Ok(()) };
        let mut chunk = [0; CHUNK];
        match unless_blocked(backend.read(&mut chunk)) {
            Ok(None) => return Ok(()),
            Ok(Some(length)) if length > 0 => {
                self.pending.extend_from_slice(&chunk[..length]);
                if self.phase == Phase::Forwarded {
                    self.phase = Phase::Response;
                    // Closing with a reset frees the port at once. Not set earlier, because `tiny_http` panics at a
                    // connection that was reset before it was accepted.
                    let _ = set_socket_linger(backend, Some(Duration::ZERO));
                    // Here, so that no response is without them.
                    if let Some(end) = self.pending.windows(2).position(|pair| pair == b"\r\n") {
                        let frames = if self.limits.in_editor { EDITOR_FRAMES } else { "" };
                        self.pending.splice(end..end, format!("\r\n{RESPONSE_HEADERS}{frames}").into_bytes());
                    }
                }
                self.progress(now);
            }
            // `tiny_http` ended before it responded: send the request to the next one.
            _ if self.phase == Phase::Forwarded => (self.backend, self.phase) = (None, Phase::Queued),
            _ => {
                self.backend = None;
                return self.close(now);
            }
        }
        Ok(())
    }

    fn send(&mut self, now: Instant) -> io::Result<()> {
        // Only once, so that a client that reads fast does not delay the others.
        let Some(taken) = unless_blocked(self.socket.write(&self.pending))? else { return Ok(()) };
        self.pending.drain(..taken);
        self.progress(now);
        if self.pending.is_empty() && self.backend.is_none() { self.close(now) } else { Ok(()) }
    }

    /// Extends the deadline for the next bytes. If the client has closed its side and there is nothing to send, it
    /// has probably left, as when a tab with an event stream is closed.
    fn progress(&mut self, now: Instant) {
        let is_quiet = self.is_half_closed && self.pending.is_empty();
        self.deadline = now + if is_quiet { self.limits.close_timeout } else { self.limits.stall_timeout };
    }

    fn close(&mut self, now: Instant) -> io::Result<()> {
        (self.phase, self.deadline) = (Phase::Closing, now + self.limits.close_timeout);
        self.socket.shutdown(Shutdown::Write)?;
        if self.is_half_closed { Err(ended()) } else { Ok(()) }
    }

    fn expire(&mut self, now: Instant) -> io::Result<()> {
        match self.phase {
            Phase::Head if !self.head.is_empty() => {
                let text = "The request was not complete in time.";
                self.refuse(refusal("408 Request Timeout", text), now);
            }
            Phase::Queued | Phase::Forwarded => self.refuse(busy(), now),
            _ => return Err(ended()),
        }
        Ok(())
    }

    /// Responds in place of `tiny_http`.
    pub(super) fn refuse(&mut self, response: Vec<u8>, now: Instant) {
        (self.backend, self.phase, self.pending) = (None, Phase::Response, response);
        self.progress(now);
    }
}

fn ended() -> io::Error {
    io::ErrorKind::ConnectionAborted.into()
}

fn unless_blocked(result: io::Result<usize>) -> io::Result<Option<usize>> {
    match result {
        Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => Ok(None),
        other => other.map(Some),
    }
}
